"""Levels of strength, from a beginner to all that the engine can.

A weak level does not play well with blunders thrown in; it looks less far. Like a person who learns the game it sees
what can be taken at once, plays a natural move, and overlooks what lies deeper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from damier.engine.limits import Limit

if TYPE_CHECKING:
    from damier._kernel import Move
    from damier.board import Board
    from damier.engine.engine import Engine
    from damier.engine.score import Score

__all__ = ["LEVELS", "Level", "choose"]


@dataclass(frozen=True, slots=True)
class Level:
    """A level of strength.

    ``number``: 1 to 8. ``limit``: of the search for its move. ``spread``: how far, in hundredths of a man, a move may
    look worse than the best and still be played now and then; 0 for a level that always plays the best it has found.
    """

    number: int
    limit: Limit
    spread: int


LEVELS: tuple[Level, ...] = (
    Level(1, Limit(depth=1), 120),
    Level(2, Limit(depth=2), 50),
    Level(3, Limit(depth=3), 20),
    Level(4, Limit(depth=5), 12),
    Level(5, Limit(depth=7), 6),
    Level(6, Limit(depth=9), 0),
    Level(7, Limit(nodes=300_000), 0),
    Level(8, Limit(time=2.0), 0),
)
"""The levels, weakest first."""

_OPENING_PLIES = 8
_OPENING_DEPTH = 7
_OPENING_SPREAD = 12


def choose(engine: Engine, board: Board, level: int, seed: int | None = None) -> Move:
    """The move that a level plays.

    The same position, level and ``seed`` give the same move, except at the level that is limited by time; without a
    seed games vary. A single legal move is played at once. Takes well under a tenth of a second below level 7.

    Raises ValueError for an unknown level and :class:`~damier.EngineError` if the game is over or the engine busy.

    >>> from damier import Board
    >>> from damier.engine import Engine, choose
    >>> engine = Engine(hash_mb=1)
    >>> choose(engine, Board("W:W33:B8,18,28"), level=1)
    Move(33, 2, captured=(8, 18, 28), crowned=True)
    >>> choose(engine, Board(), level=3, seed=1) in Board().legal_moves
    True
    """
    if not 1 <= level <= len(LEVELS):
        raise ValueError(f"there is no level {level}; levels are 1 to {len(LEVELS)}")
    how = LEVELS[level - 1]
    moves = board.legal_moves
    if len(moves) == 1 and board.outcome() is None:
        return moves[0]
    if how.limit.time is None:
        engine.clear()  # what a strong search left in memory would make a weak level strong
    random = Random(seed)  # noqa: S311 - chance in play, not in secrets
    if how.spread > 0:
        return _pick(engine, board, how.limit, how.spread, random)
    if board.ply < _OPENING_PLIES:
        return _pick(engine, board, Limit(depth=_OPENING_DEPTH), _OPENING_SPREAD, random)
    return engine.search(board, how.limit).best


def _pick(engine: Engine, board: Board, limit: Limit, spread: int, random: Random) -> Move:
    """A move by chance, the likelier the better it looks, and none that looks worse than the best by over ``spread``."""
    rated = engine.rate(board, limit)
    best, score = rated[0]
    if score.is_decided:
        return best
    floor = _centi_men(score) - spread
    near = [(move, _centi_men(other) - floor) for move, other in rated if _centi_men(other) >= floor]
    weights = [math.exp(3 * above / spread) for _, above in near]
    return random.choices([move for move, _ in near], weights)[0]


def _centi_men(score: Score) -> float:
    if score.centi_men is not None:
        return score.centi_men
    return math.inf if score.win_in is not None else -math.inf
