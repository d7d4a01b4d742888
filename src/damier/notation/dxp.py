"""Positions and moves as the DamExchange protocol (DXP) writes them, by which two programs play a match.

A position is the side to move, ``W`` or ``Z``, and a character for each of the squares 1 to 50: ``w z`` for men,
``W Z`` for kings, ``e`` for an empty one; it stands at the end of a game request. A move is a message of its own:
``M``, the seconds that it took (4 digits), start and target (2 each), how many pieces it captures (2), and their
squares in any order (2 each).

Source: the protocol's description (layer 2).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from damier import Board, Move
from damier.i18n import N_
from damier.notation.fifty import Alphabet, BadProtocolText, board_of, off_board, text_of
from damier.notation.moves import refusal

if TYPE_CHECKING:
    from damier import Rules

__all__ = ["BadDxp", "DxpMove", "read_move", "read_position", "write_move", "write_position"]

_ALPHABET = Alphabet("W", "Z", "w", "W", "z", "Z", "e")
_LONGEST_TIME = 9999

_MOVE = re.compile(r"M([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})((?:[0-9]{2})*)")

_NOT_A_MOVE = N_("“{token}” is no move of DamExchange; it writes them as M0012061100.")
_WRONG_COUNT = N_("{token} announces {announced} captured pieces and names {named}.")
_TAKEN_TWICE = N_("{token}: square {square} is captured twice.")


class BadDxp(BadProtocolText):
    """A text that is no position and no move of DamExchange.

    ``code`` is one of ``length``, ``no_side``, ``no_piece``, ``man_on_far_row``, ``too_many``, ``not_a_move``,
    ``wrong_count``, ``off_board`` and ``taken_twice``.

    >>> try:
    ...     read_move(Board(), "M00123228012")
    ... except BadDxp as error:
    ...     print(error.code)
    not_a_move
    """


class DxpMove(NamedTuple):
    """A move, and the seconds that the other side says it took."""

    move: Move
    seconds: int


def read_position(text: str, *, rules: Rules | str = "official") -> Board:
    """The position that the last 51 characters of a game request tell. Raises :class:`BadDxp`.

    >>> read_position("Z" + "z" * 20 + "e" * 10 + "w" * 20)
    Board('B:W31-50:B1-20')
    """
    return board_of(text, _ALPHABET, BadDxp, rules)


def write_position(board: Board) -> str:
    """The position as the last 51 characters of a game request.

    >>> write_position(Board("W:WK28:B1"))
    'WzeeeeeeeeeeeeeeeeeeeeeeeeeeWeeeeeeeeeeeeeeeeeeeeee'
    """
    return text_of(board, _ALPHABET)


def read_move(board: Board, text: str) -> DxpMove:
    """The legal move that a message tells.

    Raises :class:`BadDxp` for what is no move, and :class:`~damier.IllegalMove` for a move that is not legal here.

    >>> read_move(Board("B:W31:B6"), "M0012061100")
    DxpMove(move=Move(6, 11), seconds=12)
    """
    match = _MOVE.fullmatch(text)
    if match is None:
        raise BadDxp(_NOT_A_MOVE, code="not_a_move", text=text, token=text, position=0)
    named = len(match[5]) // 2
    if int(match[4]) != named:
        facts = {"announced": int(match[4]), "named": named}
        raise BadDxp(_WRONG_COUNT, code="wrong_count", text=text, token=text, position=match.start(4), **facts)
    start, target = (_square(text, match.start(group)) for group in (2, 3))
    captured: list[int] = []
    for position in range(match.start(5), match.end(5), 2):
        square = _square(text, position)
        if square in captured:
            raise BadDxp(_TAKEN_TWICE, code="taken_twice", text=text, token=text, position=position, square=square)
        captured.append(square)
    captured.sort()
    for move in board.legal_moves:
        if (move.from_square, move.to_square, move.captured) == (start, target, tuple(captured)):
            return DxpMove(move, int(match[1]))
    raise refusal(board, Move(start, target, captured))


def _square(text: str, position: int) -> int:
    digits = text[position : position + 2]
    if not 1 <= int(digits) <= 50:
        raise off_board(BadDxp, text, digits, position)
    return int(digits)


def write_move(move: Move, seconds: float = 0) -> str:
    """The message that tells a move, and the seconds that it took, as whole seconds.

    The protocol has room for 9999 seconds; more is told as that, since the time is for information only. Raises
    ValueError for a time below 0.

    >>> write_move(Move(5, 25, captured=[12, 20, 22, 23]), 1.2)
    'M000105250412202223'
    """
    if not seconds >= 0:
        raise ValueError(f"a move takes 0 seconds or more, not {seconds}")
    whole = int(min(seconds, _LONGEST_TIME))
    captured = "".join(f"{square:02}" for square in move.captured)
    return f"M{whole:04}{move.from_square:02}{move.to_square:02}{len(move.captured):02}{captured}"
