"""Levels of strength, from a beginner to all that the engine can.

A weak level does not play well with blunders thrown in; it looks less far, and knows less. Like a person who learns the
game it sees what can be taken at once, plays a natural move, and overlooks what lies deeper: of the moves that look
alike to it, it plays now the one, now the other. docs/levels.md has their ratings, and how they were measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final

from damier.engine.limits import Limit

if TYPE_CHECKING:
    from damier._kernel import Move
    from damier.board import Board
    from damier.engine.engine import Engine
    from damier.engine.score import Score

__all__ = ["LEVELS", "Level", "choose", "pace"]


@dataclass(frozen=True, slots=True)
class Level:
    """A level of strength.

    ``number``: 1 to 10. ``limit``: of the search for its move. ``spread``: how far, in hundredths of a man, a move may
    look worse than the best and still be played now and then; 0 for a level that always plays the best it has found.
    ``tables``: whether it knows the endgame tables. ``rating``: a rough one, level 1 having 1000, measured by games of
    the levels among each other.
    """

    number: int
    limit: Limit
    spread: int
    tables: bool
    rating: int


LEVELS: tuple[Level, ...] = (
    Level(1, Limit(depth=1), 150, tables=False, rating=1000),
    Level(2, Limit(depth=1), 50, tables=False, rating=1150),
    Level(3, Limit(depth=2), 60, tables=False, rating=1450),
    Level(4, Limit(depth=3), 40, tables=False, rating=1750),
    Level(5, Limit(depth=4), 20, tables=False, rating=2000),
    Level(6, Limit(depth=5), 10, tables=False, rating=2350),
    Level(7, Limit(depth=7), 6, tables=False, rating=2500),
    Level(8, Limit(nodes=20_000), 0, tables=True, rating=2600),
    Level(9, Limit(nodes=200_000), 0, tables=True, rating=2900),
    Level(10, Limit(time=2.0), 0, tables=True, rating=3050),
)
"""The levels, weakest first."""

_OPENING_PLIES: Final = 8
_OPENING_DEPTH: Final = 7
_OPENING_SPREAD: Final = 12


def choose(engine: Engine, board: Board, level: int, seed: int | None = None, *, clock: Limit | None = None) -> Move:
    """The move that a level plays.

    The same position, level and ``seed`` give the same move where no limit of time ends the search; without a seed
    games vary. A single legal move is played at once. ``clock``: what the clock of a game allows
    (:meth:`Limit.clock`): no level thinks longer, and the strongest, which takes two seconds for a move without one, as
    long as it says. Takes well under a tenth of a second below level 9.

    Raises ValueError for an unknown level and :class:`~damier.EngineError` if the game is over or the engine busy.

    >>> from damier import Board
    >>> from damier.engine import Engine, choose
    >>> engine = Engine(hash_mb=1)
    >>> choose(engine, Board("W:W33:B8,18,28"), level=1)
    Move(33, 2, captured=(8, 18, 28), crowned=True)
    >>> choose(engine, Board(), level=3, seed=1) in Board().legal_moves
    True
    """
    how = _level(level)
    moves = board.legal_moves
    if len(moves) == 1 and board.outcome() is None:
        return moves[0]
    limit = _within(how.limit, clock)
    if how.limit.time is None:
        engine.clear()  # what a strong search left in memory would make a weak level strong
    random = Random(seed)  # noqa: S311 - chance in play, not in secrets
    if how.spread > 0:
        return _pick(engine, board, limit, how.spread, random, tables=how.tables)
    if board.ply < _OPENING_PLIES:
        opening = _within(Limit(depth=_OPENING_DEPTH), clock)
        return _pick(engine, board, opening, _OPENING_SPREAD, random, tables=how.tables)
    return engine.search(board, limit).best


def _level(number: int) -> Level:
    if not 1 <= number <= len(LEVELS):
        raise ValueError(f"there is no level {number}; levels are 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


def _within(limit: Limit, clock: Limit | None) -> Limit:
    """The limit of a level in a game whose clock allows so much."""
    if clock is None or (clock.time is None and clock.aim is None):
        return limit
    most = clock.aim if clock.time is None else clock.time
    return replace(limit, time=most, aim=None if limit.time is None else clock.aim)


def _pick(engine: Engine, board: Board, limit: Limit, spread: int, random: Random, *, tables: bool) -> Move:
    """A move by chance, the likelier the better it looks, and none that looks worse than the best by over ``spread``."""
    rated = engine.rate(board, limit, tables=tables)
    if not rated:  # there was not even time for one ply
        return engine.search(board, limit).best
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


# --- How long a person would take ------------------------------------------------------------------------------------

_GLANCE: Final = 0.4  # seconds: to see a move that there is no choice about, and to make it
_CHOICE: Final = 0.35  # seconds for each doubling of the moves to choose from
_LONGEST: Final = 4.0


def pace(level: int, board: Board, clock: Limit | None = None, seed: int | None = None) -> float:
    """The seconds that a person would take for a move, so that the computer does not answer out of hand.

    Little where there is no choice, less for a capture than for a quiet move, more at a higher level, and never more
    than ``clock``, what the clock of a game allows (:meth:`Limit.clock`), aims at. The same position, level and
    ``seed`` have the same pace; without a seed it varies. Raises ValueError for an unknown level.

    >>> from damier import Board
    >>> 1 < pace(5, Board()) < 4
    True
    >>> pace(5, Board(), Limit.clock(5)) <= 0.18
    True
    """
    depth = _level(level).number / len(LEVELS)
    moves = board.legal_moves
    varied = Random(seed).uniform(0.8, 1.25)  # noqa: S311 - chance in play, not in secrets
    seconds = _GLANCE * varied
    if len(moves) > 1:
        quiet = 0.5 if moves[0].is_capture else 1.0
        seconds += _CHOICE * math.log2(len(moves)) * quiet * (0.8 + depth) * varied
    allowed = [each for each in (clock.time, clock.aim) if each is not None] if clock is not None else []
    return min(seconds, *allowed, _LONGEST)
