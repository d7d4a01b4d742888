"""Moves as text: PDN's short and long forms and Hub's, read and written.

=======  ==================  ==================================================================
form     example             what it holds
=======  ==================  ==================================================================
short    32-28, 47x36        start and target
long     47x38x24x13x36      the way: each square where the piece turns; going straight on, the one
                             right behind the captured piece (PDN 3.0 on ambiguous captures)
Hub      47x36x19x29x31x42   start, target, then the captured squares in any order
=======  ==================  ==================================================================

The reader also takes ``:`` as a capture's sign, a dash of any kind (for captures too, as some files write them),
blanks around squares, leading zeros, ``3228`` without a sign, and a way told by other squares that the piece visits
in that order.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from damier.errors import AmbiguousMove, IllegalMove
from damier.i18n import N_
from damier.lines import between, far_row
from damier.values import expect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from damier import Board, Move

__all__ = ["hub_text", "long_text", "move_text", "parse_move", "read_squares", "refusal"]

_LONGEST = 200  # a capture of twenty pieces in Hub text takes 65 characters
_SHOWN = 3

_QUIET = re.compile(r"([0-9]+)\s*[-\u2010-\u2015\u2212]\s*([0-9]+)")
_CAPTURE = re.compile(r"[0-9]+(?:\s*[xX×:]\s*[0-9]+)+")
_UNSIGNED = re.compile(r"([0-9]{2})([0-9]{2})")
_NUMBER = re.compile(r"[0-9]+")

_NOT_A_MOVE = N_("“{move}” is not a move; write one as 32-28 or 32x21.")
_OFF_BOARD = N_("{move}: there is no square {square}; squares are numbered 1 to 50.")
_TAKES_NOTHING = N_("{move} takes nothing; write {correct}.")
_NO_SUCH_WAY = N_("{move} is not the way of a legal capture; write one that is ({ways}).")
_AMBIGUOUS = N_("{move} fits {count} moves; write the way of one ({ways}).")


def parse_move(board: Board, text: str) -> Move:
    """The one legal move that ``text`` names.

    Raises :class:`~damier.IllegalMove` if there is none, with the reason where start and target are clear,
    :class:`~damier.AmbiguousMove` with the choices if the text fits several, and TypeError for what is no text.

    >>> from damier import Board
    >>> board = Board("W:WK47:B14,19,29,31,42")
    >>> parse_move(board, "47x36x19x29x31x42") == parse_move(board, "47 : 38 : 24 : 13 : 36")
    True
    >>> parse_move(Board(), "32-27")
    Move(32, 27)
    """
    expect(text, str, "a move to be read is a text")
    squares, is_capture = _read(board, text)
    start, target = squares[0], squares[-1]
    legal = board.legal_moves
    if len(squares) == 2:
        fits = [move for move in legal if move.from_square == start and move.to_square == target]
        if is_capture and fits and not fits[0].is_capture:
            raise _illegal(_TAKES_NOTHING, board, text, correct=str(fits[0]))
    else:
        fits = _by_whole_way(board, legal, squares) + _by_captured_set(legal, squares)
        if not fits:
            fits = [move for move in legal if _may_visit(move, squares)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        ways = _listed(long_text(move) for move in fits)
        raise AmbiguousMove(
            _AMBIGUOUS, move=text.strip(), fen=board.fen(), choices=tuple(fits), count=len(fits), ways=ways
        )
    raise _refused(board, text.strip(), start, target, is_capture)


def move_text(board: Board, move: Move) -> str:
    """A legal move as PDN writes it in this position: short, or long where the short form fits another move too.

    Raises :class:`~damier.IllegalMove` for a move that is not legal here.

    >>> from damier import Board
    >>> board = Board("W:WK47:B14,19,29,31,42")
    >>> [move_text(board, move) for move in board.legal_moves if move.to_square == 36]
    ['47x38x20x9x36', '47x38x24x13x36']
    """
    if board._find(move.from_square, move.to_square) == move:  # pyright: ignore[reportPrivateUsage]  # made for this
        return str(move)
    rivals = [
        legal
        for legal in board.legal_moves
        if legal.from_square == move.from_square and legal.to_square == move.to_square
    ]
    if move not in rivals:
        raise refusal(board, move)
    return long_text(rivals[rivals.index(move)])


def long_text(move: Move) -> str:
    """A move with its way, the first where it has several.

    Raises ValueError for a capture that was made by hand and so does not know its ways.

    >>> from damier import Board
    >>> long_text(Board("W:W39:B32,33,42,43").legal_moves[0])
    '39x28x37x48x39'
    """
    paths = move.paths
    if not paths:
        raise ValueError(f"{move!r} knows no way; take the move from a board's legal_moves")
    return ("x" if move.is_capture else "-").join(map(str, paths[0]))


def hub_text(move: Move) -> str:
    """A move as engines say it in the Hub protocol, captured squares ascending.

    >>> from damier import Board, Move
    >>> hub_text(Move(32, 28)), hub_text(Board("W:WK47:B14,19,29,31,42").legal_moves[-1])
    ('32-28', '47x36x19x29x31x42')
    """
    if not move.is_capture:
        return str(move)
    return "x".join(map(str, (move.from_square, move.to_square, *move.captured)))


def refusal(board: Board, move: Move) -> IllegalMove:
    """The error that says why ``move``, which is not legal on ``board``, is not.

    >>> from damier import Board, Move
    >>> refusal(Board(), Move(32, 23)).reason.code
    'man_one_square'
    """
    return _refused(board, hub_text(move), move.from_square, move.to_square, move.is_capture)


# --- Reading ------------------------------------------------------------------------------------------------------


def read_squares(text: str) -> tuple[list[int], bool] | None:
    """The squares in a move's text, which need not be on the board, and whether it says that the move captures.

    None for what is not a move's text at all.

    >>> read_squares("32-28"), read_squares(" 47 x 36"), read_squares("32")
    (([32, 28], False), ([47, 36], True), None)
    """
    stripped = text.strip() if len(text) <= _LONGEST else ""
    is_capture = _CAPTURE.fullmatch(stripped) is not None
    if is_capture:
        return [int(number) for number in _NUMBER.findall(stripped)], True
    match = _QUIET.fullmatch(stripped) or _UNSIGNED.fullmatch(stripped)
    return None if match is None else ([int(match[1]), int(match[2])], False)


def _read(board: Board, text: str) -> tuple[list[int], bool]:
    found = read_squares(text)
    if found is None:
        raise _illegal(_NOT_A_MOVE, board, text)
    for square in found[0]:
        if not 1 <= square <= 50:
            raise _illegal(_OFF_BOARD, board, text, square=square)
    return found


def _by_captured_set(legal: Iterable[Move], squares: Sequence[int]) -> list[Move]:
    captured = tuple(sorted(squares[2:]))
    return [
        move
        for move in legal
        if move.captured == captured and move.from_square == squares[0] and move.to_square == squares[1]
    ]


def _by_whole_way(board: Board, legal: Iterable[Move], squares: Sequence[int]) -> list[Move]:
    """The move that goes over these squares, one captured piece between each two: it is one at most."""
    captured = _captured_on_way(board, squares)
    if captured is None:
        return []
    return [
        move
        for move in legal
        if move.captured == captured and move.from_square == squares[0] and move.to_square == squares[-1]
    ]


def _captured_on_way(board: Board, squares: Sequence[int]) -> tuple[int, ...] | None:
    """The squares captured on the way, sorted; None if a piece cannot go so."""
    start = squares[0]
    piece = board[start]
    if piece is None or piece.color is not board.turn:
        return None
    king = piece.king
    captured: list[int] = []
    for stop, following in pairwise(squares):
        leapt = between(stop, following)
        if leapt is None or (not king and len(leapt) != 1) or (board[following] is not None and following != start):
            return None
        held = [square for square in leapt if square != start and board[square] is not None]
        if len(held) != 1 or held[0] in captured:
            return None
        victim = board[held[0]]
        if victim is None or victim.color is piece.color:
            return None
        captured.append(held[0])
        king = king or (board.rules.crowned_in_passing and following in far_row(piece.color))
    return tuple(sorted(captured))


def _may_visit(move: Move, squares: Sequence[int]) -> bool:
    """Whether some way of the move leads over these squares in this order."""
    if not move.is_capture or move.from_square != squares[0] or move.to_square != squares[-1]:
        return False
    return any(_visits(path, move.captured, squares) for path in move.paths)


def _visits(path: Sequence[int], captured: Sequence[int], squares: Sequence[int]) -> bool:
    visited = [path[0]]
    for stop, following in pairwise(path):
        visited += [square for square in between(stop, following) or () if square not in captured]
        visited.append(following)
    # `in` advances the iterator: each square is looked for after the one before.
    remaining = iter(visited[1:-1])
    return all(square in remaining for square in squares[1:-1])


# --- Refusing -----------------------------------------------------------------------------------------------------


def _refused(board: Board, text: str, start: int, target: int, is_capture: bool) -> IllegalMove:
    from damier.explain import explain_move

    reason = explain_move(board, start, target, capture=is_capture)
    if reason is not None:
        return IllegalMove(f"{text}: {reason.sentence()}", move=text, fen=board.fen(), reason=reason)
    ways = _listed(
        long_text(move) for move in board.legal_moves if move.from_square == start and move.to_square == target
    )
    return _illegal(_NO_SUCH_WAY, board, text, ways=ways)


def _illegal(message: str, board: Board, text: str, **facts: object) -> IllegalMove:
    return IllegalMove(message, move=text.strip(), fen=board.fen(), reason=None, **facts)


def _listed(texts: Iterable[str]) -> str:
    shown = list(texts)
    if len(shown) > _SHOWN:
        shown = [*shown[:_SHOWN], "…"]
    return ", ".join(shown)
