"""Invitations: one person asks another for a game, by a link, or after a game for another one (a rematch).

An invitation is accepted by one conditional update, which also says which id its game will have; the game is started
after that. A process that dies in between leaves an accepted invitation without its game, and whoever looks at it
next starts that game. Seeks and challenges, which are answered in the same way, are made in ``offers.py``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import and_, delete, func, insert, or_, select, update

from damier import Color
from damier.i18n import N_
from damier.rules import by_name
from damier.server.lobby.controls import speed
from damier.server.lobby.invitation import (
    Apart,
    AskedOften,
    CannotBeRated,
    Invitation,
    InvitationNews,
    MembersOnly,
    NotOpen,
    NotYours,
    OutOfRange,
    OwnInvitation,
    Rematch,
    State,
    TooManyOpen,
    UnknownAnswer,
    UnknownInvitation,
    from_row,
    values,
)
from damier.server.play.service import can_be_id, new_id
from damier.server.rating_book import Begun
from damier.server.ratings import START, NotRated, Pool
from damier.server.tables import block, rated_game, rating
from damier.server.tables import game as games
from damier.server.tables import invitation as invitations
from damier.server.tables import person as persons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier import Rules
    from damier.clock import TimeControl
    from damier.server.bus import Bus
    from damier.server.lobby.choices import SideChoice
    from damier.server.people import People
    from damier.server.play.service import Play
    from damier.server.rating_book import RatingBook

MOST_OPEN: Final = 10
"""Open invitations of one person."""
HOURS_OPEN: Final = 24
DAYS_OPEN: Final = 7
"""How long an invitation to a game without haste stays open: correspondence, or without a clock."""
HELD_SECONDS: Final = 30.0
"""How long a seek for a live game outlasts its host's being there."""
REMATCH_SECONDS: Final = 600
MOST_REMATCHES: Final = 3
"""Times that one person may offer a rematch of one game: each leaves its row, and calls the opponent."""
KEPT_SECONDS: Final = 30 * 86_400
"""How long an invitation that led to no game can still be looked at."""

ANSWERS: Final[Mapping[str, str]] = {
    "not_now": N_("Not now, thank you."),
    "later": N_("Perhaps later: ask me again."),
    "too_fast": N_("That is too fast for me: give me more time."),
    "too_slow": N_("That is too slow for me: let us play faster."),
    "other_rules": N_("I would rather play by other rules."),
    "rated_please": N_("I would rather play a rated game."),
    "casual_please": N_("I would rather play a casual game."),
}
"""What a challenge can be declined with."""


class Invitations:
    """The invitations of a club. ``now``: seconds since 1970."""

    def __init__(
        self,
        engine: AsyncEngine,
        people: People,
        play: Play,
        bus: Bus,
        book: RatingBook,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._people = people
        self._play = play
        self._bus = bus
        self._book = book
        self._now = now

    # --- Inviting --------------------------------------------------------------------------------------------------

    async def create(
        self, host: str, *, rules: Rules, control: TimeControl, color: SideChoice, is_public: bool
    ) -> Invitation:
        """Invite whoever opens the link. Raises :class:`TooManyOpen`."""
        await self._people.keep(host)
        now = self._now()
        invitation = Invitation(
            id=new_id(),
            host=host,
            guest=None,
            rules=rules,
            control=control,
            color=color,
            is_public=is_public,
            state="open",
            created=now,
            expires=now + seconds_open(control),
            game=None,
        )
        async with self._engine.begin() as connection:
            # whoever invites twice at the same moment waits for himself here
            await connection.execute(select(persons.c.id).where(persons.c.id == host).with_for_update())
            counted = await connection.execute(
                select(func.count())
                .select_from(invitations)
                .where(
                    invitations.c.host == host,
                    invitations.c.state == "open",
                    invitations.c.expires > now,
                    invitations.c.kind == "link",
                )
            )
            if counted.scalar_one() >= MOST_OPEN:
                raise TooManyOpen
            await connection.execute(insert(invitations).values(**values(invitation)))
        return invitation

    async def get(self, invitation_id: str) -> Invitation:
        """An invitation as it stands. Raises :class:`UnknownInvitation`."""
        async with self._engine.connect() as connection:
            return await self._read(connection, invitation_id)

    async def open_of(self, host: str) -> Sequence[Invitation]:
        """Somebody's open invitations by link, the latest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitations)
                .where(
                    invitations.c.host == host,
                    invitations.c.state == "open",
                    invitations.c.expires > self._now(),
                    invitations.c.kind == "link",
                )
                .order_by(invitations.c.created.desc())
            )
            return [from_row(row, self._now()) for row in rows.mappings()]

    async def last_of(self, host: str) -> Invitation | None:
        """The last invitation that somebody made by link."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitations)
                .where(invitations.c.host == host, invitations.c.kind == "link")
                .order_by(invitations.c.created.desc())
                .limit(1)
            )
            row = rows.mappings().one_or_none()
        return None if row is None else from_row(row, self._now())

    # --- Answering -------------------------------------------------------------------------------------------------

    async def accept(self, invitation_id: str, guest: str) -> Invitation:
        """Accept, and start the game; the result names it. Doing so again gives the same game.

        One that was to be rated is casual where it cannot be (:meth:`RatingBook.standing` says why). Raises
        :class:`UnknownInvitation`, :class:`OwnInvitation`, :class:`NotYours`, :class:`NotOpen`, :class:`Apart` for
        two who do not play each other, and where the terms of a seek or a challenge leave somebody out
        :class:`MembersOnly`, :class:`CannotBeRated` or :class:`OutOfRange`.
        """
        await self._people.keep(guest)
        async with self._engine.begin() as connection:
            invitation = await self._read(connection, invitation_id, for_update=True)
            if guest == invitation.host:
                raise OwnInvitation
            if invitation.guest not in (None, guest):
                raise NotYours if invitation.is_open else NotOpen
            if invitation.is_open:
                await self._allow(connection, invitation, guest)
                color = invitation.color
                if color == "lot":
                    color = random.choice(("white", "black"))  # noqa: S311 (who begins is no secret)
                game_id = new_id()
                invitation = replace(invitation, state="accepted", guest=guest, color=color, game=game_id)
                if invitation.rated:
                    origin = (game_id, invitation.rules.name, invitation.control)
                    await self._book.begin(connection, [Begun(*origin, *invitation.seats)])
                await self._replace(connection, invitation)
            elif invitation.state != "accepted":
                raise NotOpen
        if invitation.is_live:
            await stop_seeking(self._engine, invitation.seats, self._now())
        await self.start(invitation)
        await self.tell(invitation, invitation.host, guest)
        return invitation

    async def start(self, invitation: Invitation) -> None:
        """Start the game of an accepted invitation, if whoever accepted it has not come to that."""
        if invitation.state != "accepted" or invitation.guest is None:
            return
        people = await self._people.named([invitation.host, invitation.guest])
        host, guest = people[invitation.host].player(), people[invitation.guest].player()
        white, black = (host, guest) if invitation.color == "white" else (guest, host)
        await self._play.create_between(
            white,
            black,
            invitation.rules,
            invitation.control,
            invitation.is_public,
            game_id=invitation.game,
        )

    async def _allow(self, connection: AsyncConnection, invitation: Invitation, guest: str) -> None:
        """Raise an :class:`InvitationError` where this guest may not accept."""
        if await apart(connection, invitation.host, guest):
            raise Apart
        if invitation.kind not in ("seek", "challenge"):
            return
        found = await connection.execute(select(persons.c.kind).where(persons.c.id == guest))
        kind = found.scalar_one_or_none()
        if kind not in ("member", "bot") and (invitation.rated or invitation.kind == "challenge"):
            raise MembersOnly
        if invitation.rated and kind == "bot":
            raise CannotBeRated(NotRated.BOT)
        if invitation.lowest is None and invitation.highest is None:
            return
        pool = Pool.of(invitation.rules.name, invitation.control)
        value = START
        if pool is not None:
            found = await connection.execute(
                select(rating.c.value).where(
                    rating.c.person == guest, rating.c.rules == pool.rules, rating.c.speed == pool.speed
                )
            )
            value = found.scalar_one_or_none() or START
        if not (invitation.lowest or 0) <= round(value) <= (invitation.highest or round(value)):
            raise OutOfRange

    async def decline(self, invitation_id: str, guest: str, answer: str | None = None) -> Invitation:
        """Decline, a challenge with one of :data:`ANSWERS` if one likes.

        Raises :class:`UnknownInvitation`, :class:`OwnInvitation`, :class:`NotYours`, :class:`NotOpen` or
        :class:`UnknownAnswer`.
        """
        if answer is not None and answer not in ANSWERS:
            raise UnknownAnswer
        async with self._engine.begin() as connection:
            invitation = await self._read(connection, invitation_id, for_update=True)
            if guest == invitation.host:
                raise OwnInvitation
            # a seek is for everybody: nobody can decline it for the others
            if invitation.guest not in (None, guest) or invitation.kind == "seek":
                raise NotYours
            if answer is not None and invitation.kind != "challenge":
                raise UnknownAnswer
            invitation = await self._close(connection, replace(invitation, answer=answer), "declined", guest)
        await self.tell(invitation, invitation.host, guest)
        return invitation

    async def withdraw(self, invitation_id: str, host: str) -> Invitation:
        """Take an invitation back. Raises :class:`UnknownInvitation`, :class:`NotYours` or :class:`NotOpen`."""
        async with self._engine.begin() as connection:
            invitation = await self._read(connection, invitation_id, for_update=True)
            if host != invitation.host:
                raise NotYours
            invitation = await self._close(connection, invitation, "withdrawn", invitation.guest)
        await self.tell(invitation, host, *([invitation.guest] if invitation.guest else []))
        return invitation

    async def _close(
        self, connection: AsyncConnection, invitation: Invitation, state: State, guest: str | None
    ) -> Invitation:
        if not invitation.is_open:
            raise NotOpen
        closed = replace(invitation, state=state)
        # who declined is not kept: a link can be answered by somebody who has done nothing else here
        await self._replace(connection, closed)
        return replace(closed, guest=guest)

    @staticmethod
    async def _replace(connection: AsyncConnection, invitation: Invitation) -> None:
        """Write what became of an open invitation; raises :class:`NotOpen` where another was faster."""
        changed = await connection.execute(
            update(invitations)
            .where(invitations.c.id == invitation.id, invitations.c.state == "open")
            .values(**values(invitation))
        )
        if changed.rowcount == 0:
            raise NotOpen

    # --- Another game after one ------------------------------------------------------------------------------------

    async def rematch(self, game_id: str, who: str | None) -> Rematch:
        """Offer the opponent of a finished game another one with the colours exchanged, or accept the other's offer.

        Raises :class:`NotYours` for who has not played the game against a person, :class:`NotOpen` while it goes on,
        :class:`AskedOften` and :class:`damier.server.play.store.UnknownGame`.
        """
        view = await self._play.view(game_id)
        seats = {player.id: color for color in Color if not (player := view.game.player(color)).is_computer}
        own = seats.get(who)
        opponent = None if own is None else view.game.player(own.opponent).id
        if who is None or own is None or opponent is None:
            raise NotYours
        if view.game.result is None:
            raise NotOpen
        await self._people.keep(who)
        async with self._engine.begin() as connection:
            # both may offer at the same moment: the second then accepts
            await connection.execute(select(games.c.id).where(games.c.id == game_id).with_for_update())
            present = await self._rematch_of(connection, game_id)
            if present is None:
                offered = select(func.count()).where(invitations.c.rematch_of == game_id, invitations.c.host == who)
                if (await connection.execute(offered)).scalar_one() >= MOST_REMATCHES:
                    raise AskedOften
                now = self._now()
                origin = view.game.origin
                if await apart(connection, who, opponent):
                    raise Apart
                found = await connection.execute(select(rated_game.c.game).where(rated_game.c.game == game_id))
                present = Invitation(
                    id=new_id(),
                    host=who,
                    guest=opponent,
                    rules=by_name(origin.rules),
                    control=origin.clock,
                    color="black" if own is Color.WHITE else "white",
                    is_public=view.is_public,
                    state="open",
                    created=now,
                    expires=now + REMATCH_SECONDS,
                    game=None,
                    rematch_of=game_id,
                    kind="rematch",
                    rated=found.first() is not None,
                )
                await connection.execute(insert(invitations).values(**values(present)))
        if present.is_open and present.host != who:
            present = await self.accept(present.id, who)
        return self._rematch(present, own if present.host == who else own.opponent)

    async def decline_rematch(self, game_id: str, who: str | None) -> Rematch:
        """Decline the opponent's offer of another game, or withdraw one's own.

        Raises :class:`NotOpen` without one, and :class:`NotYours` for who has not played the game.
        """
        if who is None:
            raise NotYours
        async with self._engine.connect() as connection:
            present = await self._rematch_of(connection, game_id)
        if present is None or not present.is_open:
            raise NotOpen
        if present.host == who:
            await self.withdraw(present.id, who)
        else:
            await self.decline(present.id, who)
        return Rematch()

    async def rematch_state(self, game_id: str) -> Rematch:
        """How things stand with another game after this one."""
        async with self._engine.connect() as connection:
            present = await self._rematch_of(connection, game_id)
        if present is None:
            return Rematch()
        view = await self._play.view(game_id)
        host = next((color for color in Color if view.game.player(color).id == present.host), None)
        return self._rematch(present, host)

    @staticmethod
    def _rematch(invitation: Invitation, host: Color | None) -> Rematch:
        return Rematch(game=invitation.game) if invitation.state == "accepted" else Rematch(offered_by=host)

    async def _rematch_of(self, connection: AsyncConnection, game_id: str) -> Invitation | None:
        """The rematch of a game that has been agreed on or stands offered."""
        rows = await connection.execute(
            select(invitations)
            .where(invitations.c.rematch_of == game_id, invitations.c.state.in_(("open", "accepted")))
            .order_by(invitations.c.created.desc())
        )
        found = [from_row(row, self._now()) for row in rows.mappings()]
        return next((each for each in found if each.state in ("open", "accepted")), None)

    # --- Keeping the books -----------------------------------------------------------------------------------------

    async def tidy(self) -> None:
        """Mark what has expired, and forget what has long led to nothing."""
        now = self._now()
        async with self._engine.begin() as connection:
            await connection.execute(
                update(invitations)
                .where(invitations.c.state == "open", invitations.c.expires <= now)
                .values(state="expired")
            )
            await connection.execute(
                delete(invitations).where(
                    invitations.c.state.not_in(("open", "accepted")), invitations.c.expires < now - KEPT_SECONDS
                )
            )

    async def _read(self, connection: AsyncConnection, invitation_id: str, *, for_update: bool = False) -> Invitation:
        if not can_be_id(invitation_id):
            raise UnknownInvitation
        question = select(invitations).where(invitations.c.id == invitation_id)
        if for_update:
            question = question.with_for_update()
        row = (await connection.execute(question)).mappings().one_or_none()
        if row is None:
            raise UnknownInvitation
        return from_row(row, self._now())

    async def tell(self, invitation: Invitation, *people: str) -> None:
        """Tell who looks at an invitation, and these people, how it stands."""
        payload = msgspec.json.encode(InvitationNews.of(invitation))
        for topic in (f"room:{invitation.id}", *(f"person:{each}" for each in people)):
            await self._bus.publish(topic, payload)


def seconds_open(control: TimeControl) -> float:
    """How long somebody may wait for an answer before a game of a control.

    >>> from damier.clock import TimeControl
    >>> seconds_open(TimeControl.fischer(300, 3)), seconds_open(TimeControl.correspondence(3))
    (86400, 604800)
    """
    unhurried = speed(control) in ("correspondence", "unlimited")
    return DAYS_OPEN * 86_400 if unhurried else HOURS_OPEN * 3600


async def stop_seeking(engine: AsyncEngine, people: Sequence[str], now: float) -> None:
    """Take the seeks for live games off the list whose hosts begin one: nobody plays two at a time.

    To be done when the game is agreed on and not in that transaction: of two that are agreed on at the same moment each
    would wait for the rows of the other.
    """
    async with engine.begin() as connection:
        await connection.execute(
            update(invitations)
            .where(
                invitations.c.host.in_(people),
                invitations.c.kind == "seek",
                invitations.c.state == "open",
                # those that are held open while their hosts are here
                invitations.c.expires <= now + HELD_SECONDS,
            )
            .values(state="withdrawn")
        )


async def apart(connection: AsyncConnection, one: str, other: str) -> bool:
    """Whether one of two has blocked the other."""
    found = await connection.execute(
        select(block.c.blocker).where(
            or_(
                and_(block.c.blocker == one, block.c.blocked == other),
                and_(block.c.blocker == other, block.c.blocked == one),
            )
        )
    )
    return found.first() is not None
