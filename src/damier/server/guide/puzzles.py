"""Positions in which the longest capture is to be found, made and graded by the rules alone.

A seed and a level lead to one position, everywhere and always: games of random legal moves are played until one comes
to a position that is fit (:func:`_fit`) and as hard as the level asks. How hard it is, :func:`grade` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from damier import Board
from damier.server.guide.captures import Capture, all_captures, named
from damier.server.guide.stream import Stream

if TYPE_CHECKING:
    from datetime import date

    from damier import Move

LEVELS: Final = (1, 2, 3, 4, 5)
GRADES: Final = (3.5, 4.5, 5.5, 7.0)
"""What parts the levels: below the first number is level 1, from the last one on level 5."""
FIRST_PLY: Final = 14
LAST_PLY: Final = 80
MOST_GAMES: Final = 600
"""After so many games the nearest position there was is taken; by far most seeks end within fifty."""
MOST_BEST: Final = 4
"""Captures that take the most: with more of them one is found by chance."""
MOST_CAPTURES: Final = 24
FEWEST_PIECES: Final = 4
"""Of each side."""
BALANCE: Final = 3
"""Pieces that one side may have more than the other."""
DAILY: Final = 0x64616D696572
"""What sets the days' stream apart from others; with the day's number it is the seed."""
DAILY_LEVELS: Final = (1, 2, 3, 3, 4, 4, 5)
"""Monday's to Sunday's."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, and every capture in it that goes as far as it can."""

    fen: str
    captures: tuple[Capture, ...]
    grade: float

    @property
    def longest(self) -> int:
        return max(len(each.captured) for each in self.captures)

    @property
    def best(self) -> tuple[Capture, ...]:
        """Those that take the most: the legal ones."""
        return tuple(each for each in self.captures if len(each.captured) == self.longest)

    def takes(self, text: str) -> int:
        """How many pieces the capture takes that a text names; 0 if it names none."""
        capture = named(self.captures, text)
        return 0 if capture is None else len(capture.captured)

    def answer(self) -> str:
        """One of the best, with its way."""
        return "x".join(map(str, self.best[0].paths[0]))


def grade(board: Board, captures: tuple[Capture, ...]) -> float:
    """How hard it is to see the longest of some captures.

    One for each piece that it takes, and a half for each turn on its way, for each capture that is one shorter (two of
    these at most) and for each other piece that could capture (three at most). One for a king, whose ways are long, and
    one where who always goes on as he began, or takes the first way there is, ends with fewer.

    >>> for fen in ("W:W27,32:B21,28,19,13", "W:W29,33,36,37:B7,11,12,21,22,23,31"):
    ...     board = Board(fen)
    ...     grade(board, all_captures(board))
    3.0
    8.5
    """
    most = max(len(each.captured) for each in captures)
    best = [each for each in captures if len(each.captured) == most]
    near = sum(len(each.captured) == most - 1 for each in captures)
    others = {each.from_square for each in captures} - {each.from_square for each in best}
    king = all(_is_king(board, each.from_square) for each in best)
    hidden = any(
        other.from_square == each.from_square and len(other.captured) < most and other.turns < each.turns
        for each in best
        for other in captures
    )
    turns = min(each.turns for each in best)
    return most + 0.5 * turns + 0.5 * min(near, 2) + 0.5 * min(len(others), 3) + king + hidden


def level_of(graded: float) -> int:
    """The level, 1 to 5, that a grade belongs to.

    >>> [level_of(each) for each in (3.0, 3.5, 5.0, 5.5, 12.0)]
    [1, 2, 3, 4, 5]
    """
    return 1 + sum(graded >= limit for limit in GRADES)


@lru_cache(256)
def generate(seed: int, level: int) -> Puzzle:
    """The position that a seed and a level lead to. Takes milliseconds, at the highest level tenths of a second."""
    stream = Stream(seed)
    nearest: Puzzle | None = None
    for _ in range(MOST_GAMES):
        puzzle = _from_game(stream)
        if puzzle is None:
            continue
        found = level_of(puzzle.grade)
        if found == level:
            return puzzle
        if nearest is None or abs(found - level) < abs(level_of(nearest.grade) - level):
            nearest = puzzle
    if nearest is None:
        raise AssertionError(f"{MOST_GAMES} games without a capture to be found")
    return nearest


def of_day(day: date) -> Puzzle:
    """The exercise of a day, the same for all. Mondays are easy, Sundays hard."""
    return generate(DAILY ^ Stream(day.toordinal()).next(), DAILY_LEVELS[day.weekday()])


def today(now: float) -> date:
    """The day of a moment (seconds since 1970), in UTC.

    >>> today(1_795_000_000.0).isoformat()
    '2026-11-18'
    """
    return datetime.fromtimestamp(now, UTC).date()


def _from_game(stream: Stream) -> Puzzle | None:
    """The first fit position of a game of random moves, from a random moment on; None if it has none."""
    board = Board()
    wanted = FIRST_PLY + stream.below(LAST_PLY - FIRST_PLY)
    for ply in range(LAST_PLY):
        moves = board.legal_moves
        if not moves:
            break
        if ply >= wanted and len(moves[0].captured) > 1:
            puzzle = _fit(board, moves)
            if puzzle is not None:
                return puzzle
        # in an order of our own: the kernel promises none
        moves.sort(key=lambda move: (move.from_square, move.to_square, move.captured))
        board.push(stream.choice(moves))
    return None


def _fit(board: Board, moves: list[Move]) -> Puzzle | None:
    """The position as a puzzle, if it is fit: balanced, few best captures, and a shorter one to be misled by."""
    if len(moves) > MOST_BEST:
        return None
    own, theirs = len(board.pieces(board.turn)), len(board.pieces(board.turn.opponent))
    if min(own, theirs) < FEWEST_PIECES or abs(own - theirs) > BALANCE:
        return None
    captures = all_captures(board)
    if captures is None or len(captures) > MOST_CAPTURES:
        return None
    if all(len(each.captured) == len(moves[0].captured) for each in captures):
        return None
    return Puzzle(board.fen(), captures, grade(board, captures))


def _is_king(board: Board, square: int) -> bool:
    piece = board[square]
    return piece is not None and piece.king
