"""What learners have done: steps of the guide, and exercises. Guests and members alike; who becomes one keeps it.

The endless exercise gives one point for a right first answer and takes one for a wrong one, when the position is over:
until then it stays the same. Every :data:`POINTS_A_LEVEL` points the positions become harder. Which position is whose follows from the club's secret, the
person and a number that is kept here: nobody is graded on another, and nobody can look ahead.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select, update

from damier.server.database import insert_if_missing
from damier.server.guide import puzzles
from damier.server.tables import daily_exercise, exercise, guide_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.guide.puzzles import Puzzle
    from damier.server.people import People

POINTS_A_LEVEL: Final = 5
AT_ONCE: Final = 2
"""Positions that are made at the same time, each in a thread of its own."""
LONGEST_STREAK: Final = 400
"""Days that are looked at."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How somebody stands in the endless exercise; see :data:`damier.server.tables.exercise`."""

    number: int = 1
    missed: bool = False
    score: int = 0
    best: int = 0
    solved: int = 0

    @property
    def level(self) -> int:
        """The level of the position that is to be solved now.

        >>> [Standing(score=points).level for points in (0, 4, 5, 12, 99)]
        [1, 1, 2, 3, 5]
        """
        return min(len(puzzles.LEVELS), 1 + self.score // POINTS_A_LEVEL)


@dataclass(frozen=True, slots=True)
class Day:
    """How somebody stands with the exercise of a day.

    ``result``: whether the first answer was right, None before it. ``solvers``: how many have solved it at the first
    answer. ``streak``: on how many days in a row the reader has, up to that day or the one before it.
    """

    result: bool | None
    solvers: int
    streak: int


class Learners:
    """Keeps what learners have done. ``secret``: the club's."""

    def __init__(
        self, engine: AsyncEngine, people: People, secret: bytes, now: Callable[[], float] = time.time
    ) -> None:
        self._engine = engine
        self._people = people
        self._key = hmac.digest(secret, b"exercise", hashlib.sha256)
        self._now = now
        self._makers = asyncio.Semaphore(AT_ONCE)

    # --- The guide -------------------------------------------------------------------------------------------------

    async def done(self, person: str | None) -> frozenset[str]:
        """The steps of the guide that somebody has done."""
        if person is None:
            return frozenset()
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(guide_step.c.step).where(guide_step.c.person == person))
            return frozenset(rows.scalars())

    async def note_step(self, person: str, slug: str) -> None:
        """Keep that somebody has done a step."""
        await self._people.keep(person)
        async with self._engine.begin() as connection:
            await connection.execute(
                insert_if_missing(connection, guide_step, person=person, step=slug, at=self._now())
            )

    # --- The endless exercise --------------------------------------------------------------------------------------

    async def standing(self, person: str | None) -> Standing:
        """How somebody stands; at the beginning, who has not begun."""
        async with self._engine.connect() as connection:
            columns = (exercise.c[name] for name in ("number", "missed", "score", "best", "solved"))
            row = (await connection.execute(select(*columns).where(exercise.c.person == (person or "")))).one_or_none()
        return Standing() if row is None else Standing(*row)

    async def puzzle(self, person: str, standing: Standing) -> Puzzle:
        """The position that somebody has to solve now."""
        return await self._make(self.seed(person, standing.number), standing.level)

    def seed(self, person: str, number: int) -> int:
        """What somebody's position of a number is made from; only the club knows.

        The first is everybody's: a visitor who is new is known only from the answer on.
        """
        person = "" if number == 1 else person
        return int.from_bytes(hmac.digest(self._key, f"{person} {number}".encode(), hashlib.sha256)[:8], "big")

    async def count(self, person: str, standing: Standing, *, right: bool, over: bool) -> Standing:
        """Count an answer to the position of a standing; ``over``: whether the next position comes now.

        Where the same position has been answered meanwhile, in another tab, nothing is counted again.
        """
        await self._people.keep(person)
        table, first = exercise, not standing.missed
        score = max(0, standing.score + (1 if right and first else -1)) if over else standing.score
        after = Standing(
            standing.number + over,
            not over and (standing.missed or not right),
            score,
            max(standing.best, score),
            standing.solved + (right and first),
        )
        values = {name: getattr(after, name) for name in ("number", "missed", "score", "best", "solved")}
        async with self._engine.begin() as connection:
            await connection.execute(
                insert_if_missing(
                    connection,
                    table,
                    person=person,
                    number=1,
                    missed=False,
                    score=0,
                    best=0,
                    solved=0,
                    at=self._now(),
                )
            )
            changed = await connection.execute(
                update(table)
                .where(
                    table.c.person == person,
                    table.c.number == standing.number,
                    table.c.missed == standing.missed,
                )
                .values(**values, at=self._now())
            )
        return after if changed.rowcount == 1 else await self.standing(person)

    # --- The exercise of the day -----------------------------------------------------------------------------------

    def today(self) -> date:
        """The day, in UTC."""
        return puzzles.today(self._now())

    async def daily(self, day: date) -> Puzzle:
        """The exercise of a day."""
        async with self._makers:
            return await asyncio.to_thread(puzzles.of_day, day)

    async def day(self, person: str | None, day: date) -> Day:
        """How somebody stands with it."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(daily_exercise.c.day, daily_exercise.c.solved)
                .where(daily_exercise.c.person == (person or ""), daily_exercise.c.day <= day.isoformat())
                .order_by(daily_exercise.c.day.desc())
                .limit(LONGEST_STREAK)
            )
            results: dict[str, bool] = {row.day: row.solved for row in rows}
            counted = select(func.count()).where(daily_exercise.c.day == day.isoformat(), daily_exercise.c.solved)
            solvers = (await connection.execute(counted)).scalar_one()
        result = results.get(day.isoformat())
        last = day if result is not None else day - timedelta(days=1)
        streak = 0
        while results.get((last - timedelta(days=streak)).isoformat()):
            streak += 1
        return Day(result, solvers, streak)

    async def count_daily(self, person: str, day: date, *, right: bool) -> None:
        """Count somebody's answer to the exercise of a day, if it is the first."""
        await self._people.keep(person)
        async with self._engine.begin() as connection:
            await connection.execute(
                insert_if_missing(
                    connection, daily_exercise, person=person, day=day.isoformat(), solved=right, at=self._now()
                )
            )

    async def _make(self, seed: int, level: int) -> Puzzle:
        async with self._makers:
            return await asyncio.to_thread(puzzles.generate, seed, level)
