"""Positions, moves and lines as the Hub protocol of draughts engines writes them.

A position is ``W`` or ``B`` for the side to move and then a character for each of the squares 1 to 50: ``w b`` for
men, ``W B`` for kings, ``e`` for an empty one. A quiet move is ``32-28``; a capture names start, target and then the
captured squares in any order, ``47x36x19x29x31x42``, and never the way. Version 1 of the protocol differs in one
letter: its side to move is in lower case.

A line of version 2 is a command and then arguments in any order, each a name or ``name=value``; a value that is empty
or has blanks or ``=`` in it stands in double quotes, and none can have a double quote in it.

Source: the protocol's own description, and Scan 2.0 and 3.1, which speak versions 1 and 2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from damier import Board, Move
from damier.i18n import N_
from damier.notation.fifty import Alphabet, BadProtocolText, board_of, off_board, text_of
from damier.notation.moves import hub_text, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier import Rules

__all__ = [
    "BadHub",
    "Line",
    "read_line",
    "read_move",
    "read_moves",
    "read_position",
    "write_line",
    "write_move",
    "write_position",
]

_VERSION_1 = Alphabet("w", "b", "w", "W", "b", "B", "e")
_VERSION_2 = Alphabet("W", "B", "w", "W", "b", "B", "e")

_MOVE = re.compile(r"[0-9]{1,2}(?:-[0-9]{1,2}|(?:x[0-9]{1,2}){2,21})")
_NUMBER = re.compile(r"[0-9]+")
_NAME = re.compile(r'[^\s="\x00-\x1f\x7f]+')
_VALUE = re.compile(r'\s*=\s*(?:"([^"]*)"|([^\s="\x00-\x1f\x7f]+))')
_UNWRITABLE = re.compile(r'["\x00-\x1f\x7f]')

_NOT_A_MOVE = N_("“{token}” is no move of the Hub protocol; it writes them as 32-28 or, with what is taken, 28x19x23.")
_NO_LINE = N_('“{token}”: a line of the Hub protocol is a command and then arguments, name=value or name="a value".')
_TAKEN_TWICE = N_("{token}: square {square} is captured twice.")


class BadHub(BadProtocolText):
    """A text that is no position, no move and no line of the Hub protocol.

    ``code`` is one of ``length``, ``no_side``, ``no_piece``, ``man_on_far_row``, ``too_many``, ``not_a_move``,
    ``off_board``, ``taken_twice`` and ``not_a_line``.

    >>> try:
    ...     read_position("W" + "e" * 49 + "x")
    ... except BadHub as error:
    ...     print(error.code, error.position, error)
    no_piece 50 “x” on square 50 is no piece; a square holds one of w W b B e.
    """


def read_position(text: str, *, rules: Rules | str = "official") -> Board:
    """The position that Hub text of either version tells. Raises :class:`BadHub`.

    >>> read_position("B" + "b" * 20 + "e" * 10 + "w" * 20)
    Board('B:W31-50:B1-20')
    """
    return board_of(text, _VERSION_1 if text[:1] in ("w", "b") else _VERSION_2, BadHub, rules)


def write_position(board: Board, *, version: Literal[1, 2] = 2) -> str:
    """The position as Hub text.

    >>> write_position(Board("W:WK28:B1")), write_position(Board("W:W28:B1"), version=1)[:2]
    ('WbeeeeeeeeeeeeeeeeeeeeeeeeeeWeeeeeeeeeeeeeeeeeeeeee', 'wb')
    """
    return text_of(board, _VERSION_1 if version == 1 else _VERSION_2)


def read_move(board: Board, text: str) -> Move:
    """The legal move that Hub text names.

    Raises :class:`BadHub` for what is no move, and :class:`~damier.IllegalMove` for a move that is not legal here.

    >>> read_move(Board("W:WK47:B14,19,29,31,42"), "47x36x42x31x29x19")
    Move(47, 36, captured=(19, 29, 31, 42))
    """
    if not _MOVE.fullmatch(text):
        raise BadHub(_NOT_A_MOVE, code="not_a_move", text=text, token=text, position=0)
    squares: list[int] = []
    for match in _NUMBER.finditer(text):
        square = int(match[0])
        if not 1 <= square <= 50:
            raise off_board(BadHub, text, match[0], match.start())
        if square in squares[2:]:
            raise BadHub(_TAKEN_TWICE, code="taken_twice", text=text, token=text, position=match.start(), square=square)
        squares.append(square)
    captured = tuple(sorted(squares[2:]))
    for move in board.legal_moves:
        if (move.from_square, move.to_square, move.captured) == (squares[0], squares[1], captured):
            return move
    raise refusal(board, Move(squares[0], squares[1], captured))


def read_moves(board: Board, text: str) -> list[Move]:
    """The moves of a ``moves=`` argument, separated by blanks, played one after another from ``board``, which stays.

    Raises what :func:`read_move` raises.

    >>> read_moves(Board(), "32-28 19-23 28x19x23")
    [Move(32, 28), Move(19, 23), Move(28, 19, captured=(23,))]
    """
    board = board.copy()
    return [board.push(read_move(board, move)) for move in text.split()]


def write_move(move: Move) -> str:
    """A move as Hub text, captured squares ascending.

    >>> write_move(Move(28, 19, captured=[23]))
    '28x19x23'
    """
    return hub_text(move)


class Line(NamedTuple):
    """A line of the protocol: its command, and the arguments by name; one without a value has the empty one."""

    command: str
    arguments: Mapping[str, str]


def read_line(text: str) -> Line:
    """A line of version 2 in its parts; the command is empty if there is nothing in the line.

    Of an argument that is told twice the last counts. Raises :class:`BadHub` with the code ``not_a_line`` at the first
    thing that is neither a name nor a value, such as a value whose closing quote is missing.

    >>> read_line('done move = 32-28 note="well played"')
    Line(command='done', arguments={'move': '32-28', 'note': 'well played'})
    """
    command = ""
    arguments: dict[str, str] = {}
    place, end = 0, len(text.rstrip())
    while place < end:
        if text[place].isspace():
            place += 1
            continue
        name = _NAME.match(text, place)
        if name is None:
            raise BadHub(_NO_LINE, code="not_a_line", text=text, token=text[place:end], position=place)
        place = name.end()
        if not command:
            command = name[0]
            continue
        value = _VALUE.match(text, place)
        if value is not None:
            place = value.end()
        arguments[name[0]] = "" if value is None else value[1] or value[2] or ""
    return Line(command, arguments)


def write_line(command: str, arguments: Mapping[str, str] | None = None) -> str:
    """A line of version 2, without its end. An argument whose value is empty is written with it: ``name=""``.

    Raises ValueError for what the protocol has no way to write: a name that is none, a value with a double quote, a
    line end or another control character in it.

    >>> write_line("set-param", {"name": "book-margin", "value": "4"}), write_line("error", {"message": "no level"})
    ('set-param name=book-margin value=4', 'error message="no level"')
    """
    parts = [command]
    for name, value in (arguments or {}).items():
        if _UNWRITABLE.search(value):
            raise ValueError(f"the Hub protocol has no way to write {value!r}")
        parts.append(f"{name}={value}" if _NAME.fullmatch(value) else f'{name}="{value}"')
    for name in (command, *(arguments or {})):
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name in the Hub protocol")
    return " ".join(parts)
