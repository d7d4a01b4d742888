"""What everybody may know of a member: since when here, how strong, the last public games."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from damier.i18n import DEFAULT_LANGUAGE
from damier.server.ratings import POOLS, Pool, Rating
from damier.server.tables import account, rating

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

GAMES: Final = 8
"""Small boards on a member's page."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A member's rating in a pool today, after so many ``games``. ``at``: when the last one was rated."""

    pool: Pool
    rating: Rating
    games: int
    at: float

    @property
    def text(self) -> str:
        """As it is shown, with a question mark while it is provisional.

        >>> Standing(Pool("official", "blitz"), Rating(1812.4, 75), 40, 0.0).text
        '1812'
        >>> Standing(Pool("official", "blitz"), Rating(), 1, 0.0).text
        '1500?'
        """
        return f"{self.rating.rounded[0]}{'?' if self.rating.is_provisional else ''}"


@dataclass(frozen=True, slots=True)
class Letters:
    """What letters a member gets: to which address, None without one, whether daily, and in which language."""

    email: str | None = None
    daily: bool = False
    language: str = DEFAULT_LANGUAGE


class Profiles:
    """Reads what members' pages show. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    async def joined(self, who: str) -> float | None:
        """When somebody became a member."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(account.c.joined).where(account.c.person == who))
            return found.scalar_one_or_none()

    async def letters(self, who: str) -> Letters:
        """What letters a member gets."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(account.c.email, account.c.daily, account.c.language).where(account.c.person == who)
            )
            row = rows.one_or_none()
        return Letters() if row is None else Letters(*row)

    async def standings(self, who: str) -> list[Standing]:
        """A member's ratings, in the order of :data:`damier.server.ratings.POOLS`."""
        now = self._now()
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(rating).where(rating.c.person == who))
            found = {(row.rules, row.speed): row for row in rows}
        standings: list[Standing] = []
        for pool in POOLS:
            row = found.get((pool.rules, pool.speed))
            if row is not None and row.games:
                today = Rating(row.value, row.deviation, row.volatility).after(now - row.at)
                standings.append(Standing(pool, today, row.games, row.at))
        return standings
