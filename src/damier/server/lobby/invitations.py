"""Invitations: one person asks another for a game, by a link, or after a game for another one (a rematch).

An invitation is accepted by one conditional update, which also says which id its game will have; the game is started
after that. A process that dies in between leaves an accepted invitation without its game, and whoever looks at it
next starts that game.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
from sqlalchemy import delete, func, insert, select, update

from damier import Color
from damier.clock import TimeControl
from damier.errors import DamierError
from damier.i18n import N_
from damier.rules import by_name
from damier.server.lobby.controls import speed
from damier.server.play.service import can_be_id, new_id
from damier.server.tables import game as games
from damier.server.tables import invitation as invitations
from damier.server.tables import person as persons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier import Rules
    from damier.server.bus import Bus
    from damier.server.lobby.choices import SideChoice
    from damier.server.people import People
    from damier.server.play.service import Play

MOST_OPEN: Final = 10
"""Open invitations of one person."""
HOURS_OPEN: Final = 24
DAYS_OPEN: Final = 7
"""How long an invitation to a game without haste stays open: correspondence, or without a clock."""
REMATCH_SECONDS: Final = 600
MOST_REMATCHES: Final = 3
"""Times that one person may offer a rematch of one game: each leaves its row, and calls the opponent."""
KEPT_SECONDS: Final = 30 * 86_400
"""How long an invitation that led to no game can still be looked at."""

Kind: TypeAlias = Literal["link", "rematch", "seek", "challenge", "pairing"]
State: TypeAlias = Literal["open", "accepted", "declined", "withdrawn", "expired"]


class InvitationError(DamierError):
    """What was asked cannot be done with an invitation; ``code`` names it to programs, ``text`` says it."""

    code: ClassVar[str]
    text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.text)


class UnknownInvitation(InvitationError):
    """There is no such invitation."""

    code = "unknown_invitation"
    text = N_("There is no such invitation.")


class TooManyOpen(InvitationError):
    """One person cannot have more invitations open."""

    code = "too_many_open"
    text = N_("You have ten invitations open. Withdraw one first.")


class NotOpen(InvitationError):
    """It has been answered, withdrawn, or it has expired."""

    code = "not_open"
    text = N_("This invitation is no longer open.")


class OwnInvitation(InvitationError):
    """Who invites cannot also be the one who is invited."""

    code = "own_invitation"
    text = N_("This is your own invitation: send the link to whom you want to play.")


class AskedOften(InvitationError):
    """A rematch that the opponent has been offered again and again."""

    code = "asked_often"
    text = N_("You have offered this rematch several times; now it is for your opponent to offer one.")


class NotYours(InvitationError):
    """Only who invites may withdraw an invitation, and only who is invited may answer it."""

    code = "not_yours"
    text = N_("This invitation is for somebody else.")


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as it stands. Moments are seconds since 1970.

    ``color``: the side that ``host`` takes; once accepted never "lot". ``guest``: the id of the only person who may
    answer it, and once answered of who did. ``game``: the id that its game has once it is accepted.
    """

    id: str
    host: str
    guest: str | None
    rules: Rules
    control: TimeControl
    color: SideChoice
    is_public: bool
    state: State
    created: float
    expires: float
    game: str | None
    rematch_of: str | None = None
    kind: Kind = "link"
    rated: bool = False
    lowest: int | None = None
    highest: int | None = None
    answer: str | None = None

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    @property
    def guests_color(self) -> SideChoice:
        """The side that is left for the guest."""
        return _OTHER[self.color]


class InvitationNews(msgspec.Struct, tag_field="t", tag="invitation", frozen=True):
    """What the processes tell each other of an invitation. Not every reader may be told all of it."""

    id: str
    state: State
    game: str | None
    host: str
    guest: str | None
    is_public: bool

    @classmethod
    def of(cls, invitation: Invitation) -> InvitationNews:
        return cls(
            id=invitation.id,
            state=invitation.state,
            game=invitation.game,
            host=invitation.host,
            guest=invitation.guest,
            is_public=invitation.is_public,
        )

    def game_for(self, person: str | None) -> str | None:
        """The game that came of it, for who may know of it: of a private one the two who play it."""
        return self.game if self.is_public or (person is not None and person in (self.host, self.guest)) else None


@dataclass(frozen=True, slots=True)
class Rematch:
    """How things stand with another game after one: ``offered_by`` whom, and the ``game`` that came of it."""

    offered_by: Color | None = None
    game: str | None = None


_OTHER: Final[dict[SideChoice, SideChoice]] = {"white": "black", "black": "white", "lot": "lot"}


class Invitations:
    """The invitations of a club. ``now``: seconds since 1970."""

    def __init__(
        self,
        engine: AsyncEngine,
        people: People,
        play: Play,
        bus: Bus,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._people = people
        self._play = play
        self._bus = bus
        self._now = now

    # --- Inviting --------------------------------------------------------------------------------------------------

    async def create(
        self, host: str, *, rules: Rules, control: TimeControl, color: SideChoice, is_public: bool
    ) -> Invitation:
        """Invite whoever opens the link. Raises :class:`TooManyOpen`."""
        await self._people.keep(host)
        now = self._now()
        unhurried = speed(control) in ("correspondence", "unlimited")
        lasting = DAYS_OPEN * 86_400 if unhurried else HOURS_OPEN * 3600
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
            expires=now + lasting,
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
            await connection.execute(insert(invitations).values(**_values(invitation)))
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
            return [_invitation(row, self._now()) for row in rows.mappings()]

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
        return None if row is None else _invitation(row, self._now())

    # --- Answering -------------------------------------------------------------------------------------------------

    async def accept(self, invitation_id: str, guest: str) -> Invitation:
        """Accept, and start the game; the result names it. Doing so again gives the same game.

        Raises :class:`UnknownInvitation`, :class:`OwnInvitation`, :class:`NotYours` or :class:`NotOpen`.
        """
        await self._people.keep(guest)
        async with self._engine.begin() as connection:
            invitation = await self._read(connection, invitation_id, for_update=True)
            if guest == invitation.host:
                raise OwnInvitation
            if invitation.guest not in (None, guest):
                raise NotYours if invitation.is_open else NotOpen
            if invitation.is_open:
                color = invitation.color
                if color == "lot":
                    color = random.choice(("white", "black"))  # noqa: S311 (who begins is no secret)
                invitation = replace(invitation, state="accepted", guest=guest, color=color, game=new_id())
                await self._replace(connection, invitation)
            elif invitation.state != "accepted":
                raise NotOpen
        await self.start(invitation)
        await self._tell(invitation, invitation.host, guest)
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

    async def decline(self, invitation_id: str, guest: str) -> Invitation:
        """Decline. Raises :class:`UnknownInvitation`, :class:`OwnInvitation`, :class:`NotYours` or :class:`NotOpen`."""
        async with self._engine.begin() as connection:
            invitation = await self._read(connection, invitation_id, for_update=True)
            if guest == invitation.host:
                raise OwnInvitation
            if invitation.guest not in (None, guest):
                raise NotYours
            invitation = await self._close(connection, invitation, "declined", guest)
        await self._tell(invitation, invitation.host)
        return invitation

    async def withdraw(self, invitation_id: str, host: str) -> Invitation:
        """Take an invitation back. Raises :class:`UnknownInvitation`, :class:`NotYours` or :class:`NotOpen`."""
        async with self._engine.begin() as connection:
            invitation = await self._read(connection, invitation_id, for_update=True)
            if host != invitation.host:
                raise NotYours
            invitation = await self._close(connection, invitation, "withdrawn", invitation.guest)
        await self._tell(invitation, host)
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
            .values(**_values(invitation))
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
                )
                await connection.execute(insert(invitations).values(**_values(present)))
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
        found = [_invitation(row, self._now()) for row in rows.mappings()]
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
        return _invitation(row, self._now())

    async def _tell(self, invitation: Invitation, *people: str) -> None:
        payload = msgspec.json.encode(InvitationNews.of(invitation))
        for topic in (f"room:{invitation.id}", *(f"person:{each}" for each in people)):
            await self._bus.publish(topic, payload)


def _values(invitation: Invitation) -> dict[str, object]:
    return {
        "id": invitation.id,
        "host": invitation.host,
        "guest": invitation.guest,
        "rules": invitation.rules.name,
        "clock": invitation.control.to_pdn(),
        "color": invitation.color,
        "is_public": invitation.is_public,
        "state": invitation.state,
        "created": invitation.created,
        "expires": invitation.expires,
        "game": invitation.game,
        "rematch_of": invitation.rematch_of,
        "kind": invitation.kind,
        "rated": invitation.rated,
        "lowest": invitation.lowest,
        "highest": invitation.highest,
        "answer": invitation.answer,
    }


def _invitation(row: RowMapping, now: float) -> Invitation:
    fields: dict[str, Any] = dict(row)
    clock, rules = TimeControl.from_pdn(fields.pop("clock")), by_name(fields.pop("rules"))
    if fields["state"] == "open" and fields["expires"] <= now:
        fields["state"] = "expired"
    return Invitation(rules=rules, control=clock or TimeControl.none(), **fields)
