"""Seeks, which are in a list that all see, and challenges, which are for one member. Answered as invitations are.

A seek for a game with clocks that run is there only while its host is: each process holds open those of the people
who are connected to it, and the others expire soon.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, insert, or_, select, update

from damier.server.lobby.invitation import (
    Apart,
    BadRange,
    CannotBeRated,
    ChallengedOften,
    Invitation,
    MembersOnly,
    NotYours,
    OwnInvitation,
    TooManyChallenges,
    TooManySeeks,
    from_row,
    values,
)
from damier.server.lobby.invitations import HELD_SECONDS, apart, seconds_open
from damier.server.play.service import new_id
from damier.server.ratings import HIGHEST, LOWEST, NotRated, can_be_rated
from damier.server.tables import block
from damier.server.tables import invitation as invitations
from damier.server.tables import person as persons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier import Rules
    from damier.clock import TimeControl
    from damier.server.lobby.choices import SideChoice
    from damier.server.lobby.invitations import Invitations
    from damier.server.people import People, Who
    from damier.server.presence import Presence

MOST_SEEKS: Final = 5
MOST_CHALLENGES: Final = 10
MOST_TO_ONE: Final = 3
"""Open challenges of one person, and those to the same member."""
LISTED: Final = 100
"""Seeks that are shown."""
HOLD_SECONDS: Final = 10.0
"""Between two times that such seeks are held open."""

log = logging.getLogger(__name__)


class Offers:
    """The seeks and challenges of a club. ``now``: seconds since 1970."""

    def __init__(
        self,
        engine: AsyncEngine,
        people: People,
        lobby: Invitations,
        presence: Presence,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._people = people
        self._lobby = lobby
        self._presence = presence
        self._now = now

    # --- Seeks -----------------------------------------------------------------------------------------------------

    async def create_seek(
        self,
        host: Who,
        *,
        rules: Rules,
        control: TimeControl,
        color: SideChoice,
        rated: bool,
        lowest: int | None = None,
        highest: int | None = None,
        is_public: bool = True,
    ) -> Invitation:
        """Look for an opponent in the list that all see. ``lowest``, ``highest``: the opponent's rating wished for.

        Raises :class:`CannotBeRated`, :class:`BadRange` or :class:`TooManySeeks`.
        """
        if rated:
            _make_sure_of_rating(rules, control, host)
        given = [each for each in (lowest, highest) if each is not None]
        if given != sorted(given) or not all(LOWEST <= each <= HIGHEST for each in given):
            raise BadRange
        await self._people.keep(host.id)
        now = self._now()
        invitation = Invitation(
            id=new_id(),
            host=host.id,
            guest=None,
            rules=rules,
            control=control,
            color=color,
            is_public=is_public,
            state="open",
            created=now,
            expires=now + seconds_open(control),
            game=None,
            kind="seek",
            rated=rated,
            lowest=lowest,
            highest=highest,
        )
        if invitation.is_live:
            invitation = _held(invitation, now)
        async with self._engine.begin() as connection:
            if await self._count(connection, host.id, now, invitations.c.kind == "seek") >= MOST_SEEKS:
                raise TooManySeeks
            await connection.execute(insert(invitations).values(**values(invitation)))
        await self._lobby.tell(invitation, host.id)
        return invitation

    async def seeks(self, reader: str | None = None) -> Sequence[Invitation]:
        """The open seeks, the latest first; for a reader without those of people who do not play with the reader."""
        now = self._now()
        question = select(invitations).where(_open(now), invitations.c.kind == "seek")
        if reader is not None:
            blocked = select(block.c.blocked).where(block.c.blocker == reader)
            blockers = select(block.c.blocker).where(block.c.blocked == reader)
            question = question.where(invitations.c.host.not_in(blocked), invitations.c.host.not_in(blockers))
        async with self._engine.connect() as connection:
            rows = await connection.execute(question.order_by(invitations.c.created.desc()).limit(LISTED))
            return [from_row(row, now) for row in rows.mappings()]

    async def hold(self) -> None:
        """Hold the seeks for live games open whose hosts are connected to this process."""
        now = self._now()
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitations).where(
                    _open(now), invitations.c.kind == "seek", invitations.c.expires <= now + HELD_SECONDS
                )
            )
            seeks = [from_row(row, now) for row in rows.mappings()]
        held = [each for each in seeks if each.is_live and self._presence.is_connected(each.host)]
        if not held:
            return
        async with self._engine.begin() as connection:
            for each in held:
                await connection.execute(
                    update(invitations)
                    .where(invitations.c.id == each.id, invitations.c.state == "open")
                    .values(expires=_held(each, now).expires)
                )

    async def run(self) -> None:
        """Hold open what is to be held open. Runs until it is cancelled."""
        while True:
            try:
                await self.hold()
            except Exception:
                log.exception("The seeks of those who are here could not be held open")
            await asyncio.sleep(HOLD_SECONDS)

    # --- Challenges ------------------------------------------------------------------------------------------------

    async def challenge(
        self,
        host: Who,
        guest: Who,
        *,
        rules: Rules,
        control: TimeControl,
        color: SideChoice,
        rated: bool,
        is_public: bool = True,
    ) -> Invitation:
        """Ask a member for a game.

        Raises :class:`MembersOnly`, :class:`OwnInvitation`, :class:`CannotBeRated`, :class:`Apart`,
        :class:`TooManyChallenges` or :class:`ChallengedOften`.
        """
        if not host.is_member:
            raise MembersOnly
        if not guest.is_member:
            raise NotYours
        if host.id == guest.id:
            raise OwnInvitation
        if rated:
            _make_sure_of_rating(rules, control, host, guest)
        now = self._now()
        invitation = Invitation(
            id=new_id(),
            host=host.id,
            guest=guest.id,
            rules=rules,
            control=control,
            color=color,
            is_public=is_public,
            state="open",
            created=now,
            expires=now + seconds_open(control),
            game=None,
            kind="challenge",
            rated=rated,
        )
        async with self._engine.begin() as connection:
            if await self._count(connection, host.id, now, invitations.c.kind == "challenge") >= MOST_CHALLENGES:
                raise TooManyChallenges
            to_guest = (invitations.c.kind == "challenge", invitations.c.guest == guest.id)
            if await self._count(connection, host.id, now, *to_guest) >= MOST_TO_ONE:
                raise ChallengedOften
            if await apart(connection, host.id, guest.id):
                raise Apart
            await connection.execute(insert(invitations).values(**values(invitation)))
        await self._lobby.tell(invitation, host.id, guest.id)
        return invitation

    async def challenges_of(self, person_id: str) -> Sequence[Invitation]:
        """The open challenges of somebody and to somebody, the latest first."""
        now = self._now()
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitations)
                .where(
                    _open(now),
                    invitations.c.kind == "challenge",
                    or_(invitations.c.host == person_id, invitations.c.guest == person_id),
                )
                .order_by(invitations.c.created.desc())
                .limit(LISTED)
            )
            return [from_row(row, now) for row in rows.mappings()]

    @staticmethod
    async def _count(connection: AsyncConnection, host: str, now: float, *which: ColumnElement[bool]) -> int:
        """How many open invitations somebody has made; whoever makes two at the same moment waits for himself here."""
        await connection.execute(select(persons.c.id).where(persons.c.id == host).with_for_update())
        counted = await connection.execute(
            select(func.count()).select_from(invitations).where(invitations.c.host == host, _open(now), *which)
        )
        return counted.scalar_one()


def _open(now: float) -> ColumnElement[bool]:
    return (invitations.c.state == "open") & (invitations.c.expires > now)


def _held(seek: Invitation, now: float) -> Invitation:
    """A live seek as it is held open: a while longer, but not longer than any invitation."""
    return replace(seek, expires=min(now + HELD_SECONDS, seek.created + seconds_open(seek.control)))


def _make_sure_of_rating(rules: Rules, control: TimeControl, host: Who, guest: Who | None = None) -> None:
    """Raise :class:`CannotBeRated` where that is known before the game is agreed on."""
    reason = can_be_rated(
        rules=rules.name,
        control=control,
        white_member=host.id if host.is_member else None,
        black_member="an opponent" if guest is None else guest.id,
    )
    if reason is None and "bot" in (host.kind, None if guest is None else guest.kind):
        reason = NotRated.BOT
    if reason is not None:
        raise CannotBeRated(reason)
