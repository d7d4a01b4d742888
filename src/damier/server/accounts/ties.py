"""Who follows whom, and who wants nothing to do with whom.

Following says to nobody but oneself whether somebody is online. Blocking ends following in both directions and is not
told to who is blocked; what it keeps apart is asked here (:meth:`Ties.blocked_between`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from sqlalchemy import and_, delete, func, insert, or_, select, update

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.people import Who
from damier.server.tables import account, block, follow, invitation, person

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy import Column, Table
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.server.bus import Bus
    from damier.server.presence import Presence

MOST_FOLLOWED: Final = 500
MOST_BLOCKED: Final = 500
NEWS: Final = b'{"t":"ties"}'
"""What ``person:<id>`` is told when that person has blocked somebody, or no longer does."""


class TieError(DamierError):
    """What was asked cannot be between these two; ``code`` names it to programs, ``text`` says it."""

    code: ClassVar[str]
    text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.text)


class Oneself(TieError):
    """Nobody follows or blocks himself."""

    code = "oneself"
    text = N_("This is you.")


class NoMember(TieError):
    """Both have to be members."""

    code = "no_member"
    text = N_("Only members follow and block, and only members are followed and blocked.")


class Apart(TieError):
    """One of the two has blocked the other."""

    code = "apart"
    text = N_("You cannot follow this member.")


class TooMany(TieError):
    """One person cannot follow, or block, more."""

    code = "too_many"
    text = N_("Your list is full: take somebody off it first.")


@dataclass(frozen=True, slots=True)
class Tie:
    """Somebody on a member's list. ``since``: seconds since 1970."""

    who: Who
    since: float


@dataclass(frozen=True, slots=True)
class Between:
    """How one person stands to another."""

    follows: bool = False
    blocks: bool = False
    is_blocked: bool = False


class Ties:
    """The ties between the members of a club. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, bus: Bus, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._bus = bus
        self._now = now

    # --- Tying and untying -----------------------------------------------------------------------------------------

    async def follow(self, who: str, other: str) -> None:
        """Follow somebody; doing so again changes nothing. Raises :class:`TieError`."""
        async with self._engine.begin() as connection:
            await self._expect_members(connection, who, other)
            if await self._blocks(connection, who, [other]) or await self._blocks(connection, other, [who]):
                raise Apart
            await self._tie(connection, follow, follow.c.follower, follow.c.followed, who, other, MOST_FOLLOWED)

    async def unfollow(self, who: str, other: str) -> None:
        """Follow somebody no longer."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(follow).where(follow.c.follower == who, follow.c.followed == other))

    async def block(self, who: str, other: str) -> None:
        """Have nothing to do with somebody: neither follows the other any more, and challenges between them are off.

        Raises :class:`TieError`.
        """
        async with self._engine.begin() as connection:
            await self._expect_members(connection, who, other)
            await self._tie(connection, block, block.c.blocker, block.c.blocked, who, other, MOST_BLOCKED)
            pairs = ((who, other), (other, who))
            await connection.execute(
                delete(follow).where(
                    or_(*(and_(follow.c.follower == one, follow.c.followed == two) for one, two in pairs))
                )
            )
            between = or_(*(and_(invitation.c.host == one, invitation.c.guest == two) for one, two in pairs))
            await connection.execute(
                update(invitation)
                .where(between, invitation.c.kind == "challenge", invitation.c.state == "open")
                .values(state="withdrawn")
            )
        for each in (who, other):
            await self._bus.publish(f"person:{each}", NEWS)

    async def unblock(self, who: str, other: str) -> None:
        """Block somebody no longer."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(block).where(block.c.blocker == who, block.c.blocked == other))
        await self._bus.publish(f"person:{who}", NEWS)

    @staticmethod
    async def _expect_members(connection: AsyncConnection, who: str, other: str) -> None:
        """Let nobody else tie these two before this transaction has ended."""
        if who == other:
            raise Oneself
        rows = await connection.execute(
            select(person.c.id, person.c.kind)
            .where(person.c.id.in_((who, other)))
            .order_by(person.c.id)
            .with_for_update(key_share=True)
        )
        if sum(row.kind in ("member", "bot") for row in rows) < 2:
            raise NoMember

    async def _tie(
        self,
        connection: AsyncConnection,
        table: Table,
        one: Column[str],
        two: Column[str],
        who: str,
        other: str,
        most: int,
    ) -> None:
        present = await connection.execute(select(one).where(one == who, two == other))
        if present.first() is not None:
            return
        counted = await connection.execute(select(func.count()).select_from(table).where(one == who))
        if counted.scalar_one() >= most:
            raise TooMany
        await connection.execute(insert(table).values({one.name: who, two.name: other, "since": self._now()}))

    # --- Asking ----------------------------------------------------------------------------------------------------

    async def between(self, who: str, other: str) -> Between:
        """How one person stands to another."""
        async with self._engine.connect() as connection:
            followed = await connection.execute(
                select(follow.c.since).where(follow.c.follower == who, follow.c.followed == other)
            )
            follows = followed.first() is not None
            blocks = bool(await self._blocks(connection, who, [other]))
            return Between(follows, blocks, bool(await self._blocks(connection, other, [who])))

    async def followed(self, who: str) -> list[Tie]:
        """Those whom somebody follows, in the order of their names."""
        return await self._list(follow.c.followed, follow.c.follower == who, follow.c.since)

    async def followers(self, who: str) -> int:
        """How many follow somebody."""
        async with self._engine.connect() as connection:
            counted = await connection.execute(select(func.count()).select_from(follow).where(follow.c.followed == who))
            return counted.scalar_one()

    async def blocked(self, who: str) -> list[Tie]:
        """Those whom somebody blocks, in the order of their names."""
        return await self._list(block.c.blocked, block.c.blocker == who, block.c.since)

    async def blocked_by(self, who: str) -> frozenset[str]:
        """The ids of those whom somebody blocks."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(block.c.blocked).where(block.c.blocker == who))
            return frozenset(rows.scalars())

    async def blocked_between(self, who: str, others: Collection[str]) -> frozenset[str]:
        """Of these others, by id, those who block this person or whom this person blocks."""
        if not others:
            return frozenset()
        async with self._engine.connect() as connection:
            blocked = await self._blocks(connection, who, others)
            rows = await connection.execute(
                select(block.c.blocker).where(block.c.blocked == who, block.c.blocker.in_(others))
            )
            return blocked.union(rows.scalars())

    @staticmethod
    async def _blocks(connection: AsyncConnection, who: str, others: Collection[str]) -> frozenset[str]:
        rows = await connection.execute(
            select(block.c.blocked).where(block.c.blocker == who, block.c.blocked.in_(others))
        )
        return frozenset(rows.scalars())

    async def _list(self, column: Column[str], condition: object, since: Column[float]) -> list[Tie]:
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(person.c.id, person.c.kind, person.c.name, account.c.role, since.label("since"))
                .join(person, person.c.id == column)
                .outerjoin(account, account.c.person == person.c.id)
                .where(condition)  # pyright: ignore[reportArgumentType]
                .order_by(person.c.name_key)
            )
            return [Tie(Who(row.id, row.kind, row.name, row.role or "player"), row.since) for row in rows]


async def online_first(ties: Ties, presence: Presence, who: str) -> list[tuple[Tie, bool]]:
    """Those whom somebody follows, each with whether they are online, those who are first.

    Who has blocked somebody is never online for him.
    """
    followed = await ties.followed(who)
    ids = [each.who.id for each in followed]
    online = await presence.among(ids) - await ties.blocked_between(who, ids)
    return sorted(((each, each.who.id in online) for each in followed), key=lambda pair: not pair[1])
