"""A member's numbers, as the member's page shows them. Of private games: see :mod:`damier.server.stats.facts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlalchemy import desc, select, text

from damier.server.stats.changes import result_of
from damier.server.tables import (
    BETWEEN_TWO,
    counted_game,
    person,
    person_count,
    person_day,
    person_opponent,
    rating_day,
)

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from damier.server.ratings import Pool
    from damier.server.stats.changes import Facet

RESULTS: Final = ("wins", "draws", "losses")
STREAK_PAGE: Final = 50
LONGEST_STREAK: Final = 1000
"""At which counting ends."""
OPPONENTS: Final = 10
DAYS_BACK: Final = 730
"""Of ratings in the graph."""

StreakKind: TypeAlias = Literal["wins", "unbeaten", "losses"]


@dataclass(frozen=True, slots=True)
class Score:
    """Somebody's results in games that are counted together.

    >>> both = Score(2, 1, 1, 280) + Score(0, 1, 0, 70)
    >>> both.games, both.moves, both.shares
    (5, 35.0, (0.4, 0.4, 0.2))
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.plies + other.plies,
        )

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def moves(self) -> float:
        """The average length, in moves of each side; nought without games."""
        return self.plies / 2 / self.games if self.games else 0.0

    @property
    def shares(self) -> tuple[float, float, float]:
        """Of wins, of draws, of losses; noughts without games."""
        games = self.games or 1
        return self.wins / games, self.draws / games, self.losses / games


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody's results against a member or a bot."""

    name: str
    kind: str
    score: Score


@dataclass(frozen=True, slots=True)
class Streak:
    """How many games in a row, up to the last one. ``more``: perhaps more, which were not looked at."""

    kind: StreakKind
    games: int
    more: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """A rating as it was after the last game of a day."""

    day: int
    value: float
    deviation: float


def streaks_of(results: list[str]) -> list[Streak]:
    """The streaks of results, the last one first: of wins and without a loss, or of losses; two at least are one.

    >>> streaks_of(["wins", "wins", "draws", "losses"])
    [Streak(kind='wins', games=2, more=False), Streak(kind='unbeaten', games=3, more=False)]
    >>> streaks_of(["wins", "losses"]), streaks_of(["losses", "losses", "draws"])
    ([], [Streak(kind='losses', games=2, more=False)])
    """
    found: list[Streak] = []
    kinds: tuple[tuple[StreakKind, tuple[str, ...]], ...] = (
        ("wins", ("wins",)),
        ("unbeaten", ("wins", "draws")),
        ("losses", ("losses",)),
    )
    for kind, among in kinds:
        games = next((number for number, each in enumerate(results) if each not in among), len(results))
        if games > 1 and (not found or games > found[-1].games):
            found.append(Streak(kind, games, more=games >= LONGEST_STREAK))
    return found


class Members:
    """Reads what members' pages show, on a connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def scores(self, who: str) -> dict[Facet, dict[str, Score]]:
        """Somebody's results by everything that they are counted by."""
        row = person_count.c
        rows = await self._connection.execute(
            select(row.facet, row.value, row.wins, row.draws, row.losses, row.plies).where(row.person == who)
        )
        found: dict[Facet, dict[str, Score]] = {}
        for facet, value, *numbers in rows:
            score = Score(*numbers)
            if score.games:
                found.setdefault(facet, {})[value] = score
        return found

    async def days(self, who: str, since: int, *, computer: bool) -> dict[int, int]:
        """How many games somebody ended a day, from a day on. ``computer``: whether those against it are wanted."""
        row = person_day.c
        question = select(row.day, row.games).where(row.person == who, row.day >= since, row.games > 0)
        if not computer:
            question = question.where(row.kind != "computer")
        found: dict[int, int] = {}
        for day, games in await self._connection.execute(question):
            found[day] = found.get(day, 0) + games
        return found

    async def opponents(self, who: str, *, private: bool, most: int = OPPONENTS) -> list[Opponent]:
        """Against whom somebody has played most. ``private``: whether private games are counted, too."""
        row = person_opponent.c
        columns = [row[name] if private else row[f"public_{name}"] for name in RESULTS]
        games = columns[0] + columns[1] + columns[2]
        # of thousands of opponents only those that are shown are looked up
        shown = (
            select(
                row.opponent,
                games.label("games"),
                columns[0].label("won"),
                columns[1].label("drawn"),
                columns[2].label("lost"),
            )
            .where(row.person == who, games > 0)
            .order_by(desc(games), row.opponent)
            .limit(most)
            .subquery()
        )
        rows = await self._connection.execute(
            select(person.c.name, person.c.kind, shown.c.won, shown.c.drawn, shown.c.lost)
            .join(shown, person.c.id == shown.c.opponent)
            .where(person.c.name.is_not(None))
            .order_by(shown.c.games.desc(), person.c.name_key)
        )
        return [Opponent(row.name, row.kind, Score(row.won, row.drawn, row.lost)) for row in rows]

    async def between(self, who: str, opponent: str) -> Score:
        """Somebody's results against another, private games included: for one of the two."""
        row = person_opponent.c
        rows = await self._connection.execute(
            select(row.wins, row.draws, row.losses).where(row.person == who, row.opponent == opponent)
        )
        found = rows.one_or_none()
        return Score() if found is None else Score(*found)

    async def streaks(self, who: str) -> list[Streak]:
        """The streaks that somebody's last game belongs to, in games against people and bots."""
        results: list[str] = []
        size = STREAK_PAGE
        while True:
            results = await _last_results(self._connection, who, size)
            lost = results[:1] == ["losses"]
            ended = any((each == "losses") != lost for each in results)
            if ended or len(results) < size or size >= LONGEST_STREAK:
                return streaks_of(results)
            size = min(LONGEST_STREAK, 4 * size)

    async def ratings(self, who: str, pool: Pool, today: int) -> list[Point]:
        """Somebody's ratings in a pool, day by day as far as games were rated, the last two years."""
        row = rating_day.c
        rows = await self._connection.execute(
            select(row.day, row.value, row.deviation)
            .where(
                row.person == who,
                row.rules == pool.rules,
                row.speed == pool.speed,
                row.day >= today - DAYS_BACK,
            )
            .order_by(row.day)
        )
        return [Point(*each) for each in rows]


async def _last_results(connection: AsyncConnection, who: str, most: int) -> list[str]:
    """The results of somebody's last games, the last one first."""
    found: list[tuple[float, str, str]] = []
    row = counted_game.c
    for side in ("white", "black"):
        rows = await connection.execute(
            select(row.ended, row.game, row.score)
            .where(row[side] == who, text(BETWEEN_TWO))
            .order_by(row.ended.desc())
            .limit(most)
        )
        found += [(each.ended, each.game, result_of(each.score, side)) for each in rows]
    return [result for _, _, result in sorted(found, reverse=True)[:most]]
