"""The best twenty: by rating, by games won, by games played; and the place of who looks.

What counts
-----------
By rating: members whose rating is not provisional today. Over 30 days: of them, who has played a rated game in these.

By wins and by games: games of two members with each other, rated and casual, of any rule set and speed; not those
broken off or annulled, nor those against the computer, bots and guests. Over 30 days: games that ended today or on the
29 days before, in UTC. Bots are in no list, nor is who has left.

Who is before whom
------------------
By rating: the higher rating, its decimals included; then who has played more rated games for it. By wins: who has won
more; then who needed fewer games for it. By games: who has played more; then who has won more of them. Who is equal
even so shares the place, in the order of the names. Who shares the twentieth place is shown, too, up to forty in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sqlalchemy import and_, func, or_, select

from damier.server.ratings import GROWTH, PROVISIONAL_ABOVE, Pool, Rating
from damier.server.stats.changes import MONTH_DAYS, Span
from damier.server.stats.facts import DAY_SECONDS
from damier.server.tables import person, rating, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

By: TypeAlias = Literal["rating", "wins", "games"]

SHOWN: Final = 20
MOST: Final = 40
"""Shown where many share the twentieth place."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A member in a list. ``first`` and ``second``: by which the list is in order, the greater before the less."""

    person: str
    name: str
    first: float
    second: int
    games: int
    wins: int = 0
    deviation: float = 0.0
    place: int = 0
    """The number of those who are before, and one."""

    @property
    def order(self) -> tuple[float, int]:
        return self.first, self.second


def placed(entries: Sequence[Entry]) -> list[Entry]:
    """The best of a list, with their places: twenty, and those who share the twentieth place.

    >>> some = [Entry(name, name, wins, -games, games, wins) for name, wins, games in (("Ben", 3, 5), ("Cas", 3, 4), ("Ann", 3, 5))]
    >>> [(each.place, each.name) for each in placed(some)]
    [(1, 'Cas'), (2, 'Ann'), (2, 'Ben')]
    """
    ordered = sorted(entries, key=lambda each: (-each.first, -each.second, each.name.casefold()))
    shown: list[Entry] = []
    for number, each in enumerate(ordered, 1):
        last = shown[-1] if shown else None
        shared = last is not None and last.order == each.order
        if number > MOST or (number > SHOWN and not shared):
            break
        place = last.place if last is not None and shared else number
        shown.append(
            Entry(each.person, each.name, each.first, each.second, each.games, each.wins, each.deviation, place)
        )
    return shown


class Top:
    """Reads the lists."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def by_rating(
        self, pool: Pool, span: Span, now: float, reader: str | None
    ) -> tuple[list[Entry], Entry | Rating | None]:
        """The list of a pool, and the reader's entry in it, or the rating that is provisional; None without either."""
        listed = _is_rated_in(pool, span, now)
        values = (
            rating.c.person,
            person.c.name,
            rating.c.value,
            rating.c.games,
            _deviation_squared(now).label("squared"),
        )
        question = select(*values).join(person, and_(person.c.id == rating.c.person, person.c.kind == "member"))
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                question.where(listed).order_by(rating.c.value.desc(), rating.c.games.desc()).limit(MOST + 1)
            )
            shown = placed([_rated(row) for row in rows])
            if reader is None:
                return shown, None
            mine = next((each for each in shown if each.person == reader), None)
            if mine is not None:
                return shown, mine
            own = (await connection.execute(question.where(listed, rating.c.person == reader))).one_or_none()
            if own is None:
                return shown, await self._provisional(connection, pool, now, reader)
            entry = _rated(own)
            better = or_(
                rating.c.value > entry.first,
                and_(rating.c.value == entry.first, rating.c.games > entry.second),
            )
            return shown, await _with_place(connection, entry, select(func.count()).where(listed, better))

    async def _provisional(self, connection: AsyncConnection, pool: Pool, now: float, reader: str) -> Rating | None:
        rows = await connection.execute(select(rating).where(_is_in(pool), rating.c.person == reader))
        row = rows.one_or_none()
        if row is None or not row.games:
            return None
        today = Rating(row.value, row.deviation, row.volatility).after(now - row.at)
        return today if today.is_provisional else None

    async def by_tally(
        self, by: Literal["wins", "games"], rules: str, speed: str, span: Span, reader: str | None
    ) -> tuple[list[Entry], Entry | None]:
        """The list by wins or by games, of a rule set or all (""), a speed or all, and the reader's entry in it."""
        first, second = (tally.c.wins, tally.c.games) if by == "wins" else (tally.c.games, tally.c.wins)
        then = second.asc() if by == "wins" else second.desc()
        listed = and_(tally.c.span == span, tally.c.rules == rules, tally.c.speed == speed, first > 0)
        question = select(tally.c.person, person.c.name, tally.c.games, tally.c.wins).join(
            person, and_(person.c.id == tally.c.person, person.c.kind == "member")
        )
        async with self._engine.connect() as connection:
            rows = await connection.execute(question.where(listed).order_by(first.desc(), then).limit(MOST + 1))
            shown = placed([_tallied(by, row) for row in rows])
            mine = next((each for each in shown if each.person == reader), None)
            if reader is None or mine is not None:
                return shown, mine
            own = (await connection.execute(question.where(listed, tally.c.person == reader))).one_or_none()
            if own is None:
                return shown, None
            entry = _tallied(by, own)
            sooner = second < own.games if by == "wins" else second > own.wins
            better = or_(first > entry.first, and_(first == entry.first, sooner))
            return shown, await _with_place(connection, entry, select(func.count()).where(listed, better))


async def _with_place(connection: AsyncConnection, entry: Entry, better: Any) -> Entry:
    place = (await connection.execute(better)).scalar_one() + 1
    return Entry(entry.person, entry.name, entry.first, entry.second, entry.games, entry.wins, entry.deviation, place)


def _is_in(pool: Pool) -> ColumnElement[bool]:
    return and_(rating.c.rules == pool.rules, rating.c.speed == pool.speed)


def _is_rated_in(pool: Pool, span: Span, now: float) -> ColumnElement[bool]:
    sure = _deviation_squared(now) <= PROVISIONAL_ABOVE**2
    listed = and_(_is_in(pool), rating.c.games > 0, sure)
    return listed if span == "all" else and_(listed, rating.c.at > now - MONTH_DAYS * DAY_SECONDS)


def _deviation_squared(now: float) -> ColumnElement[float]:
    """As :meth:`Rating.after` has it, to be asked of a database; a moment in the future counts as now."""
    grown = rating.c.volatility * rating.c.volatility * GROWTH * (now - rating.c.at)
    return rating.c.deviation * rating.c.deviation + grown


def _rated(row: Any) -> Entry:
    return Entry(row.person, row.name or "", row.value, row.games, row.games, deviation=math.sqrt(row.squared))


def _tallied(by: str, row: Any) -> Entry:
    first, second = (row.wins, -row.games) if by == "wins" else (row.games, row.wins)
    return Entry(row.person, row.name or "", first, second, row.games, row.wins)
