"""The numbers of the whole club, as its page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlalchemy import case, func, select

from damier.server.stats.facts import DAY_SECONDS, KINDS, Kind
from damier.server.tables import site_count, site_day

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy.ext.asyncio import AsyncEngine

By: TypeAlias = Literal["day", "week", "month"]

COLUMNS: Final[dict[By, int]] = {"day": 60, "week": 52, "month": 36}
"""How many days, weeks or months the graph of the activity shows at most."""
SHORTEST: Final = 10
"""Columns of a graph at least: fewer say nothing."""
_COLUMNS: Final = {"2-0": 0, "1-1": 1, "0-2": 2}


@dataclass(frozen=True, slots=True)
class Sum:
    """Games that are counted together: how they ended, for White, and how many single moves they had.

    >>> some = Sum(2, 2, 1, 350)
    >>> some.games, some.moves, some.shares
    (5, 35.0, (0.4, 0.4, 0.2))
    """

    white: int = 0
    draws: int = 0
    black: int = 0
    plies: int = 0

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


def total(rows: Iterable[Row]) -> Sum:
    """All games of these rows together."""
    return grouped(rows, lambda _: "").get("", Sum())


def grouped(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, Sum]:
    """The games of these rows by what ``key`` says of them, the most frequent first."""
    numbers: dict[str, list[int]] = {}
    for each in rows:
        own = numbers.setdefault(key(each), [0, 0, 0, 0])
        own[_COLUMNS[each.score]] += each.games
        own[3] += each.plies
    sums = {name: Sum(*own) for name, own in numbers.items()}
    return dict(sorted(sums.items(), key=lambda one: -one[1].games))


async def all_games(engine: AsyncEngine) -> list[Row]:
    """What is counted of the club's games."""
    async with engine.connect() as connection:
        rows = await connection.execute(select(site_count).where(site_count.c.games > 0))
        return [Row(*row) for row in rows]


async def activity(engine: AsyncEngine, by: By, today: int) -> Sequence[tuple[date, Mapping[Kind, int]]]:
    """How many games of each kind ended a day, a week or a month, up to today, from the first game on."""
    begins = [_beginning(_date(today), by)]
    while len(begins) < COLUMNS[by]:
        begins.append(_beginning(begins[-1] - timedelta(days=1), by))
    begins.reverse()
    days = [(each - date(1970, 1, 1)).days for each in begins]
    place = case(*((site_day.c.day < day, number) for number, day in enumerate(days[1:])), else_=len(days) - 1)
    each_day = (
        select(place.label("place"), site_day.c.kind, site_day.c.games)
        .where(site_day.c.day >= days[0], site_day.c.games > 0)
        .subquery()
    )
    async with engine.connect() as connection:
        rows = await connection.execute(
            select(each_day.c.place, each_day.c.kind, func.sum(each_day.c.games)).group_by(
                each_day.c.place, each_day.c.kind
            )
        )
        found = rows.all()
    if not found:
        return []
    columns = [dict.fromkeys(KINDS, 0) for _ in begins]
    for number, kind, games in found:
        columns[number][kind] = int(games)
    first = min(*(row[0] for row in found), len(begins) - SHORTEST)
    return list(zip(begins, columns, strict=True))[first:]


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
