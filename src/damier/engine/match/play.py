"""The games of a match, one after the other: who moves, for how long, and how each ends."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from damier.board import Board
from damier.engine.limits import Limit
from damier.engine.match.adjudication import Adjudication, Judge
from damier.engine.match.players import PlayerFailed
from damier.engine.match.scores import read_score, score_text
from damier.notation.hub import read_move, write_move

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from damier.engine.match.adjudication import Probe
    from damier.engine.match.players import Found, Player
    from damier.engine.score import Score

__all__ = [
    "LOST_REASONS",
    "Conditions",
    "MatchClock",
    "PairPlayed",
    "Played",
    "Ply",
    "Stopped",
    "play_game",
    "play_pair",
]

LOST_REASONS: Final = frozenset({"died", "silent", "failed", "bad_move", "time"})
"""The reasons of results that an engine brought upon itself without a lost position."""


class Stopped(Exception):
    """The match was ended while this game was played."""


@dataclass(frozen=True, slots=True)
class MatchClock:
    """A clock for each player and game: ``seconds`` at the start, and ``increment`` before each move.

    >>> MatchClock.read("60+0.5"), str(MatchClock.read("10"))
    (MatchClock(seconds=60.0, increment=0.5), '10')
    """

    seconds: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.seconds < 1e6 and 0 <= self.increment < 1e6):
            raise ValueError(f"a clock has seconds, and adds none or more: not {self.seconds}+{self.increment}")

    @classmethod
    def read(cls, text: str) -> MatchClock:
        """The clock that ``60`` or ``60+0.5`` tells, in seconds. Raises ValueError."""
        seconds, _, increment = text.partition("+")
        return cls(float(seconds), float(increment or 0))

    def __str__(self) -> str:
        return f"{self.seconds:g}+{self.increment:g}" if self.increment else f"{self.seconds:g}"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for every game: the time for a move or a game, the rules, and when games are broken off.

    ``limit``: for a move; a player's own goes before it. ``clock``: instead of it. ``margin``: by how many seconds a
    move may be late.
    """

    limit: Limit = Limit(time=0.1)  # noqa: RUF009 - frozen
    clock: MatchClock | None = None
    rules: str = "official"
    adjudication: Adjudication = Adjudication()  # noqa: RUF009 - frozen
    margin: float = 2.0

    def to_json(self) -> dict[str, object]:
        """All of it for programs."""
        terms = self.adjudication
        return {
            "limit": None if self.clock else [self.limit.time, self.limit.nodes, self.limit.depth],
            "clock": str(self.clock) if self.clock else None,
            "rules": self.rules,
            "adjudication": {name: getattr(terms, name) for name in terms.__slots__},
            "margin": self.margin,
        }


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that a player made: as Hub text, with its score from its own side, the depth, the nodes and the seconds."""

    move: str
    score: Score | None
    depth: int
    nodes: int
    time: float

    def to_json(self) -> list[object]:
        """As a list; a score is one word."""
        return [self.move, score_text(self.score), self.depth, self.nodes, round(self.time, 3)]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Ply:
        """
        >>> from damier.engine import Score
        >>> ply = Ply("32-28", Score.loss(4), 7, 1000, 0.25)
        >>> Ply.from_json(ply.to_json()) == ply
        True
        """
        move, score, depth, nodes, time = data
        return cls(move, read_score(score), depth, nodes, time)


@dataclass(frozen=True, slots=True)
class Played:
    """A game: the index of White among the pair's two players, White's half points, why it ended, and what was played.

    ``plies`` come after the ``opening``, whose moves are Hub texts too. ``said``: how an engine failed, if one did.
    """

    white: int
    points: int
    reason: str
    opening: tuple[str, ...]
    plies: tuple[Ply, ...]
    said: str = ""

    @property
    def loser(self) -> int | None:
        """Which of the two players lost, None if none did."""
        return None if self.points == 1 else self.white if self.points == 0 else 1 - self.white

    def points_of(self, player: int) -> int:
        """The half points of one of the two players."""
        return self.points if player == self.white else 2 - self.points

    def board(self, rules: str) -> Board:
        """The position at the end, with every move that led to it."""
        board = Board(rules=rules)
        for text in (*self.opening, *(ply.move for ply in self.plies)):
            board.push(read_move(board, text))
        return board

    def to_json(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "white": self.white,
            "points": self.points,
            "reason": self.reason,
            "opening": " ".join(self.opening),
            "plies": [ply.to_json() for ply in self.plies],
            "said": self.said,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Played:
        """What :meth:`to_json` gave."""
        plies = tuple(map(Ply.from_json, data["plies"]))
        opening = tuple(data["opening"].split())
        return cls(data["white"], data["points"], data["reason"], opening, plies, data["said"])


@dataclass(frozen=True, slots=True)
class PairPlayed:
    """Two games from one opening, the first player White in the first of them."""

    index: int
    players: tuple[int, int]
    games: tuple[Played, Played]

    @property
    def half_points(self) -> int:
        """What the first player made of the four half points."""
        return sum(game.points_of(0) for game in self.games)

    def to_json(self) -> dict[str, object]:
        """All of it for programs."""
        return {"pair": self.index, "players": [*self.players], "games": [game.to_json() for game in self.games]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PairPlayed:
        """What :meth:`to_json` gave."""
        first, second = data["players"]
        one, two = map(Played.from_json, data["games"])
        return cls(data["pair"], (first, second), (one, two))


def play_pair(
    players: tuple[Player, Player],
    opening: Sequence[str],
    conditions: Conditions,
    *,
    limits: tuple[Limit | None, Limit | None] = (None, None),
    seed: int = 0,
    probe: Probe | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> tuple[Played, Played]:
    """Two games from an opening, given as Hub texts; the first player has White in the first. See :func:`play_game`."""
    one, two = (
        play_game(players, white, opening, conditions, limits=limits, seed=2 * seed + white, probe=probe, go_on=go_on)
        for white in (0, 1)
    )
    return one, two


def play_game(
    players: tuple[Player, Player],
    white: int,
    opening: Sequence[str],
    conditions: Conditions,
    *,
    limits: tuple[Limit | None, Limit | None] = (None, None),
    seed: int = 0,
    probe: Probe | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Played:
    """A game of two players, ``players[white]`` being White.

    ``limits``: their own, instead of the conditions'. ``seed``: decides what players by chance do. ``probe``: endgame
    tables. ``go_on`` is asked before each move; Stopped is raised where it says no. A player that fails, or is late by
    more than the margin, loses.
    """
    board = Board(rules=conditions.rules)
    begun = [write_move(board.push(text)) for text in opening]
    judge = Judge(conditions.adjudication, probe)
    clocks = _Clocks(conditions, limits)
    plies: list[Ply] = []

    def ended(points: int, reason: str, said: str = "") -> Played:
        return Played(white, points, reason, tuple(begun), tuple(plies), said)

    for index in (0, 1):
        try:
            players[index].clear()
        except PlayerFailed as error:
            return ended(_points_lost(index, white), error.code, str(error))
    while True:
        outcome = board.outcome()
        if outcome is not None:
            points = 1 if outcome.winner is None else 2 if outcome.winner.letter == "W" else 0
            return ended(points, outcome.rule)
        verdict = judge.verdict(board)
        if verdict is not None:
            return ended(*verdict)
        if not go_on():
            raise Stopped
        mover = white if board.turn.letter == "W" else 1 - white
        try:
            found = players[mover].move(board, clocks.limit(mover), zlib.crc32(f"{seed} {board.ply}".encode()))
        except PlayerFailed as error:
            if not go_on():
                raise Stopped from error  # it was ended from outside
            return ended(_points_lost(mover, white), error.code, str(error))
        late = clocks.moved(mover, found)
        if late > conditions.margin:
            return ended(_points_lost(mover, white), "time", f"{late:.2f} seconds late")
        plies.append(Ply(write_move(found.move), found.score, found.depth, found.nodes, found.time))
        judge.heard(found.score)
        board.push(found.move)


def _points_lost(loser: int, white: int) -> int:
    return 0 if loser == white else 2


class _Clocks:
    """What each player may use for its next move."""

    def __init__(self, conditions: Conditions, limits: tuple[Limit | None, Limit | None]) -> None:
        self._clock = conditions.clock
        self._limits = [conditions.limit if own is None else own for own in limits]
        self._has_clock = [conditions.clock is not None and own is None for own in limits]
        self._left = [0.0 if conditions.clock is None else conditions.clock.seconds] * 2

    def limit(self, player: int) -> Limit:
        if self._clock is None or not self._has_clock[player]:
            return self._limits[player]
        self._left[player] += self._clock.increment
        return Limit.clock(max(0.0, self._left[player]), self._clock.increment)

    def moved(self, player: int, found: Found) -> float:
        """Take the move's time off the clock; how many seconds late it came, 0 or less if it did not."""
        if self._has_clock[player]:
            self._left[player] -= found.time
            return -self._left[player]
        limit = self._limits[player].time
        return 0.0 if limit is None else found.time - limit
