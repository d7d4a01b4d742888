"""The numbers of the whole club, as its page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlalchemy import select

from damier.server.stats.facts import DAY_SECONDS, KINDS, Kind
from damier.server.tables import site_count, site_day

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy.ext.asyncio import AsyncEngine

By: TypeAlias = Literal["day", "week", "month"]

COLUMNS: Final[dict[By, int]] = {"day": 60, "week": 52, "month": 36}
"""How many days, weeks or months the graph of the activity shows at most."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Games that are counted together: how they ended, for White, and how many single moves they had.

    >>> both = Sum(2, 1, 1, 280) + Sum(0, 1, 0, 70)
    >>> both.games, both.moves, both.shares
    (5, 35.0, (0.4, 0.4, 0.2))
    """

    white: int = 0
    draws: int = 0
    black: int = 0
    plies: int = 0

    def __add__(self, other: Sum) -> Sum:
        return Sum(
            self.white + other.white,
            self.draws + other.draws,
            self.black + other.black,
            self.plies + other.plies,
        )

    @property
    def games(self) -> int:
        return self.white + self.draws + self.black

    @property
    def moves(self) -> float:
        """The average length, in moves of each side; nought without games."""
        return self.plies / 2 / self.games if self.games else 0.0

    @property
    def shares(self) -> tuple[float, float, float]:
        """Of White's wins, of draws, of Black's wins; noughts without games."""
        return _share(self.white, self.games), _share(self.draws, self.games), _share(self.black, self.games)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """Games that have all in common that is counted."""

    kind: Kind
    rules: str
    speed: str
    score: str
    reason: str
    games: int
    plies: int

    @property
    def sum(self) -> Sum:
        white, draws, black = (self.games * (self.score == score) for score in ("2-0", "1-1", "0-2"))
        return Sum(white, draws, black, self.plies)


def total(rows: Iterable[Row]) -> Sum:
    """All games of these rows together."""
    return sum((each.sum for each in rows), Sum())


def grouped(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, Sum]:
    """The games of these rows by what ``key`` says of them, the most frequent first."""
    sums: dict[str, Sum] = {}
    for each in rows:
        sums[key(each)] = sums.get(key(each), Sum()) + each.sum
    return dict(sorted(sums.items(), key=lambda one: -one[1].games))


async def all_games(engine: AsyncEngine) -> list[Row]:
    """What is counted of the club's games."""
    async with engine.connect() as connection:
        rows = await connection.execute(select(site_count).where(site_count.c.games > 0))
        return [Row(**row) for row in rows.mappings()]


async def activity(engine: AsyncEngine, by: By, today: int) -> list[tuple[date, Mapping[Kind, int]]]:
    """How many games of each kind ended a day, a week or a month, up to today, from the first game on."""
    begin = _beginning(_date(today), by)
    for _ in range(COLUMNS[by] - 1):
        begin = _beginning(begin - timedelta(days=1), by)
    async with engine.connect() as connection:
        rows = await connection.execute(
            select(site_day.c.day, site_day.c.kind, site_day.c.games)
            .where(site_day.c.day >= (begin - date(1970, 1, 1)).days, site_day.c.games > 0)
            .order_by(site_day.c.day)
        )
        found = rows.all()
    if not found:
        return []
    columns: dict[date, dict[Kind, int]] = {}
    column = _beginning(_date(found[0].day), by)
    # one that is short says nothing: at least ten
    least = _beginning(_date(today), by)
    for _ in range(9):
        least = _beginning(least - timedelta(days=1), by)
    column = min(column, least)
    while column <= max(_date(today), _date(found[-1].day)):
        columns[column] = dict.fromkeys(KINDS, 0)
        column = _beginning(column + timedelta(days={"day": 1, "week": 7, "month": 31}[by]), by)
    known: dict[int, date] = {}
    for day, kind, games in found:
        if day not in known:
            known[day] = _beginning(_date(day), by)
        columns[known[day]][kind] += games
    return list(columns.items())


def _date(day: int) -> date:
    return datetime.fromtimestamp(day * DAY_SECONDS, UTC).date()


def _beginning(day: date, by: By) -> date:
    """The first day of the day, the week or the month that a day is in.

    >>> [_beginning(date(2026, 11, 18), by).isoformat() for by in ("day", "week", "month")]
    ['2026-11-18', '2026-11-16', '2026-11-01']
    """
    if by == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if by == "month" else day
