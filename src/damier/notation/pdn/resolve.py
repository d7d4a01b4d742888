"""Which of several captures a short text means: the one after which the rest of the game can be played.

``36x16`` may fit two captures that take different pieces. The moves that follow were played in one of the two
positions; in the other they soon become illegal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.errors import AmbiguousMove, IllegalMove

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from damier import Board, Move, Position

__all__ = ["playable_readings", "replays"]

_MOST_BOARDS = 64


def playable_readings(board: Board, readings: Sequence[Move], rest: Iterable[str]) -> list[Move]:
    """Those of ``readings`` after which ``rest``, the moves that follow as texts, can be played to its end.

    Further moves of several readings on the way are tried in all of them. Where they become more than 64 positions,
    all readings that are alive there are returned.

    >>> from damier import Board
    >>> board = Board("W:WK47:B14,19,29,31,42")
    >>> playable_readings(board, board.legal_moves, ["14-20"])
    [Move(47, 36, captured=(19, 29, 31, 42))]
    """
    alive: list[tuple[Move, Board]] = []
    for reading in readings:
        after = board.copy()
        after.push(reading)
        alive.append((reading, after))
    for text in rest:
        following: dict[tuple[Move, Position], tuple[Move, Board]] = {}
        for reading, position in alive:
            for after in _afters(position, text):
                following.setdefault((reading, after.position), (reading, after))
        alive = list(following.values())
        if not alive or len(alive) > _MOST_BOARDS:
            break
    return list(dict.fromkeys(reading for reading, _ in alive))


def replays(board: Board, texts: Iterable[str]) -> bool:
    """Whether all the moves can be played from this position.

    >>> from damier import Board
    >>> replays(Board(), ["32-28", "19-23", "28x19"]), replays(Board(), ["11-15"])
    (True, False)
    """
    alive = [board.copy()]
    for text in texts:
        following = {after.position: after for position in alive for after in _afters(position, text)}
        alive = list(following.values())[:_MOST_BOARDS]
        if not alive:
            return False
    return True


def _afters(board: Board, text: str) -> Iterator[Board]:
    """The board after each reading of a move; the board itself is used up for the last."""
    readings = _readings(board, text)
    for move in readings[:-1]:
        after = board.copy()
        after.push(move)
        yield after
    for move in readings[-1:]:
        board.push(move)
        yield board


def _readings(board: Board, text: str) -> Sequence[Move]:
    try:
        return (board.parse(text),)
    except AmbiguousMove as error:
        return error.choices
    except IllegalMove:
        return ()
