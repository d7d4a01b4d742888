"""Who meets whom, from which opening, and what came of it: the plan of a match and its score, as values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from damier.engine.match.play import LOST_REASONS
from damier.engine.match.statistics import Pairs

if TYPE_CHECKING:
    from damier.engine.match.openings import Opening
    from damier.engine.match.play import Conditions, PairPlayed
    from damier.engine.match.specs import PlayerSpec

__all__ = ["PairTask", "Setup", "Tally", "Usage"]

_MOST_SAID: Final = 100


class PairTask(NamedTuple):
    """Two games to be played: its number from 0, the two players by their places, the opening, and a seed."""

    number: int
    players: tuple[int, int]
    opening: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Setup:
    """All that decides what is played. Every two players meet once in each round, in two games from one opening.

    >>> from damier.engine.match import Conditions, Opening, PlayerSpec
    >>> two = (PlayerSpec.read("damier"), PlayerSpec.read("damier:hash=16"))
    >>> setup = Setup(two, ("new", "old"), Conditions(), (Opening(("32-28",)), Opening(("33-29",))))
    >>> setup.task(3)
    PairTask(number=3, players=(0, 1), opening=('33-29',), seed=3)
    """

    players: tuple[PlayerSpec, ...]
    names: tuple[str, ...]
    conditions: Conditions
    openings: tuple[Opening, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        if not 2 <= len(self.players) == len(self.names):
            raise ValueError("a match needs two players or more, each with a name")
        if not self.openings:
            raise ValueError("a match needs openings")

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """The pairs of players of a round."""
        return list(combinations(range(len(self.players)), 2))

    def task(self, index: int) -> PairTask:
        """The pair of games with this number."""
        meetings = self.meetings
        turn, meeting = divmod(index, len(meetings))
        opening = self.openings[turn % len(self.openings)].moves
        return PairTask(index, meetings[meeting], opening, self.seed + turn)


@dataclass(slots=True)
class Usage:
    """What a player used and reached: sums over its moves."""

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    depth: int = 0
    nodes: int = 0


@dataclass(slots=True)
class Tally:
    """The score so far. :meth:`add` takes pairs in any order; what is asked may be of the first ``upto`` pairs only."""

    players: int
    _points: dict[int, tuple[tuple[int, int], int, tuple[int, int]]] = field(
        default_factory=dict[int, tuple[tuple[int, int], int, tuple[int, int]]]
    )
    reasons: Counter[str] = field(default_factory=Counter[str])
    failures: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])
    """The player, why, and what was said, of the first hundred games that an engine lost by a failure."""
    usage: list[Usage] = field(default_factory=list[Usage])
    unbroken: int = 0
    """How many pairs are there from the first on without a gap."""

    def __post_init__(self) -> None:
        self.usage = [Usage() for _ in range(self.players)]

    def __contains__(self, index: object) -> bool:
        return index in self._points

    def __len__(self) -> int:
        return len(self._points)

    def add(self, pair: PairPlayed) -> None:
        """Count two games."""
        one, two = pair.games
        self._points[pair.index] = pair.players, pair.half_points, (one.points_of(0), two.points_of(0))
        while self.unbroken in self._points:
            self.unbroken += 1
        for game in pair.games:
            self.reasons[game.reason] += 1
            if game.reason in LOST_REASONS and game.loser is not None and len(self.failures) < _MOST_SAID:
                self.failures.append((pair.players[game.loser], game.reason, game.said))
            for number, ply in enumerate(game.plies, len(game.opening)):
                mover = game.white if number % 2 == 0 else 1 - game.white
                usage = self.usage[pair.players[mover]]
                usage.moves += 1
                usage.seconds += ply.time
                usage.longest = max(usage.longest, ply.time)
                usage.depth += ply.depth
                usage.nodes += ply.nodes

    def half_points(self, index: int) -> int:
        """What the first player made in this pair of games."""
        return self._points[index][1]

    def pairs(self, first: int = 0, second: int = 1, upto: int | None = None) -> Pairs:
        """The pairs of two players, as ``first`` sees them."""
        results = [
            half_points if players == (first, second) else 4 - half_points
            for index, (players, half_points, _) in self._points.items()
            if sorted(players) == sorted((first, second)) and (upto is None or index < upto)
        ]
        return Pairs.of(results)

    def games(self, first: int = 0, second: int = 1, upto: int | None = None) -> tuple[int, int, int]:
        """The games of two players that ``first`` won, drew and lost."""
        counts = [0, 0, 0]
        for index, (players, _, points) in self._points.items():
            if sorted(players) == sorted((first, second)) and (upto is None or index < upto):
                for each in points:
                    counts[2 - each if players == (first, second) else each] += 1
        return counts[0], counts[1], counts[2]
