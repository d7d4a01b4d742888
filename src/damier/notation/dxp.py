"""What two programs say to each other in the DamExchange protocol (DXP), by which they play a match.

A message is 1 to 127 characters of ASCII and ends with a NUL byte; its first character is its type. Numbers have
leading zeros, names trailing blanks. Each type is a class here: :func:`read_message` and :func:`write_message` go from
one to the other, and :class:`Inbox` finds the messages in bytes as they arrive.

A position is the side to move, ``W`` or ``Z``, and a character for each of the squares 1 to 50: ``w z`` for men,
``W Z`` for kings, ``e`` for an empty one; it stands at the end of a game request. A move is a message of its own:
``M``, the seconds that it took (4 digits), start and target (2 each), how many pieces it captures (2), and their
squares in any order (2 each).

Source: the protocol's description (layer 2).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from damier import Board, Color, Move
from damier.i18n import N_
from damier.notation.fifty import Alphabet, BadProtocolText, board_of, off_board, text_of
from damier.notation.moves import refusal

if TYPE_CHECKING:
    from damier import Rules

__all__ = [
    "LONGEST_CHAT",
    "LONGEST_MESSAGE",
    "LONGEST_NAME",
    "PORT",
    "Answer",
    "BackAnswer",
    "BackRequest",
    "BadDxp",
    "Chat",
    "DxpMove",
    "GameAnswer",
    "GameEnd",
    "GameRequest",
    "Inbox",
    "Message",
    "MoveMessage",
    "Reason",
    "plain",
    "read_message",
    "read_move",
    "read_position",
    "write_message",
    "write_move",
    "write_position",
]

PORT: Final = 27531
"""Where the protocol says that one listens."""

LONGEST_MESSAGE: Final = 127
LONGEST_NAME: Final = 32
LONGEST_CHAT: Final = LONGEST_MESSAGE - 1

_VERSION: Final = 1
_MOST: Final = 999
"""Of what has three digits: the minutes and the moves of a game, the number of a move."""

_ALPHABET = Alphabet("W", "Z", "w", "W", "z", "Z", "e")
_SIDES = {Color.WHITE: "W", Color.BLACK: "Z"}
_COLORS = {letter: color for color, letter in _SIDES.items()}
_LONGEST_TIME = 9999

_MOVE = re.compile(r"M([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})((?:[0-9]{2})*)")
_UNWRITABLE = re.compile("[^\x01-\x7f]")

_NOT_A_MOVE = N_("“{token}” is no move of DamExchange; it writes them as M0012061100.")
_WRONG_COUNT = N_("{token} announces {announced} captured pieces and names {named}.")
_TAKEN_TWICE = N_("{token}: square {square} is captured twice.")
_EMPTY = N_("A message of DamExchange has at least one character, its type.")
_TOO_LONG = N_("A message of DamExchange has at most {most} characters; this one goes on after “{token}”.")
_NOT_ASCII = N_("The byte {byte} is no character of DamExchange, which has those from 1 to 127.")
_NO_TYPE = N_("A message of DamExchange begins with R, A, M, E, C, B or K, not with “{token}”.")
_BAD_FIELD = N_("“{token}” has no meaning at place {place} of a message of type {type}.")
_WRONG_LENGTH = N_("A message of type {type} does not end after {length} characters.")
_OTHER_VERSION = N_("The game is asked for in version {token} of DamExchange; version 01 is what is spoken here.")


class BadDxp(BadProtocolText):
    """A text that is no message, no position and no move of DamExchange.

    ``code`` is one of ``empty``, ``too_long``, ``not_ascii``, ``no_type``, ``bad_field``, ``wrong_length`` and
    ``other_version`` for messages; ``length``, ``no_side``, ``no_piece``, ``man_on_far_row`` and ``too_many`` for
    positions, also those in a message; ``not_a_move``, ``wrong_count``, ``off_board`` and ``taken_twice`` for moves.

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


# --- Messages -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameRequest:
    """R: the initiator, who is called ``name``, asks for a game in which the other side plays ``follower``.

    ``minutes``: what each player has for the game. ``moves``: after how many of each player it ends; 0 for no such
    end. ``position``: from which, as :func:`write_position` has it; empty for the start of a game.
    """

    name: str
    follower: Color
    minutes: int = 0
    moves: int = 0
    position: str = ""

    def __post_init__(self) -> None:
        _expect_name(self.name)
        _expect_number("the minutes of a game", self.minutes, _MOST)
        _expect_number("the moves of a game", self.moves, _MOST)
        if self.position:
            read_position(self.position)

    def board(self) -> Board:
        """The position from which the game is to be played.

        >>> GameRequest("Damier", Color.BLACK).board()
        Board('W:W31-50:B1-20')
        """
        return read_position(self.position) if self.position else Board()


class Answer(IntEnum):
    """What a follower says to a request."""

    ACCEPTED = 0
    OTHER_VERSION = 1
    NOT_THIS_GAME = 2
    NO_GAME = 3


@dataclass(frozen=True, slots=True)
class GameAnswer:
    """A: what the follower, who is called ``name``, says to a request."""

    name: str
    answer: Answer = Answer.ACCEPTED

    def __post_init__(self) -> None:
        _expect_name(self.name)


@dataclass(frozen=True, slots=True)
class MoveMessage:
    """M: a move, by its squares, and the whole seconds that it took. ``captured`` is in ascending order."""

    seconds: int
    from_square: int
    to_square: int
    captured: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _expect_number("the seconds of a move", self.seconds, _LONGEST_TIME)
        for square in (self.from_square, self.to_square, *self.captured):
            if not 1 <= square <= 50:
                raise ValueError(f"squares are numbered 1 to 50; there is no square {square}")
        if tuple(sorted(set(self.captured))) != self.captured:
            raise ValueError(f"captured squares are in ascending order, each once, not {self.captured}")

    @staticmethod
    def of(move: Move, seconds: float = 0) -> MoveMessage:
        """The message that tells a move. Raises ValueError for a time below 0.

        The protocol has room for 9999 seconds; more is told as that, since the time is for information only.
        """
        if not seconds >= 0:
            raise ValueError(f"a move takes 0 seconds or more, not {seconds}")
        return MoveMessage(int(min(seconds, _LONGEST_TIME)), move.from_square, move.to_square, move.captured)

    def on(self, board: Board) -> Move:
        """The legal move that is told. Raises :class:`~damier.IllegalMove` if there is none such on this board."""
        for move in board.legal_moves:
            if (move.from_square, move.to_square, move.captured) == (self.from_square, self.to_square, self.captured):
                return move
        raise refusal(board, Move(self.from_square, self.to_square, list(self.captured)))


class Reason(IntEnum):
    """Why a game ends, as who says it sees it."""

    UNKNOWN = 0
    I_LOSE = 1
    DRAW = 2
    I_WIN = 3


@dataclass(frozen=True, slots=True)
class GameEnd:
    """E: the game ends, said in the place of a move; or the answer to that, whose reason is unknown.

    ``is_last``: who says it wants no other game.
    """

    reason: Reason = Reason.UNKNOWN
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """C: words for people, at any time; at most 126 characters."""

    text: str

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST_CHAT or _UNWRITABLE.search(self.text):
            raise ValueError(f"what is said has at most {LONGEST_CHAT} characters, all of ASCII, not {self.text!r}")


@dataclass(frozen=True, slots=True)
class BackRequest:
    """B: the wish to go back to where ``turn`` had to make the move of this ``number``."""

    number: int
    turn: Color

    def __post_init__(self) -> None:
        _expect_number("the number of a move", self.number, _MOST)


@dataclass(frozen=True, slots=True)
class BackAnswer:
    """K: what is said to that wish; 0 accepts it, all else (the description's example has 1) does not."""

    code: int

    def __post_init__(self) -> None:
        _expect_number("the answer to a wish to go back", self.code, 9)


Message: TypeAlias = GameRequest | GameAnswer | MoveMessage | GameEnd | Chat | BackRequest | BackAnswer


def read_message(text: str) -> Message:
    """The message that a text, without its NUL, is. Raises :class:`BadDxp`.

    >>> read_message("E00"), read_message("M001205250422122320").captured
    (GameEnd(reason=<Reason.UNKNOWN: 0>, is_last=False), (12, 20, 22, 23))
    """
    if not text:
        raise BadDxp(_EMPTY, code="empty", text=text, position=0)
    if len(text) > LONGEST_MESSAGE:
        raise _too_long(text)
    if (wrong := _UNWRITABLE.search(text)) is not None:
        raise _not_ascii(text, wrong.start())
    if text[0] == "M":
        return _move_of(text)
    fields = _Fields(text)
    match text[0]:
        case "R":
            message = _request_of(fields)
        case "A":
            name = fields.name()
            message = GameAnswer(name, Answer(int(fields.one_of("0123"))))
        case "E":
            message = GameEnd(Reason(int(fields.one_of("0123"))), fields.one_of("01") == "1")
        case "C":
            return Chat(text[1:])
        case "B":
            message = BackRequest(fields.number(3), _COLORS[fields.one_of("WZ")])
        case "K":
            message = BackAnswer(fields.number(1))
        case other:
            raise BadDxp(_NO_TYPE, code="no_type", text=text, token=other, position=0)
    fields.end()
    return message


def write_message(message: Message) -> str:
    """The message as a text, without its NUL.

    >>> write_message(GameRequest("Damier", Color.BLACK, minutes=60, moves=65))
    'R01Damier                          Z060065A'
    """
    match message:
        case GameRequest():
            start = f"B{message.position}" if message.position else "A"
            side = _SIDES[message.follower]
            return f"R{_VERSION:02}{message.name:{LONGEST_NAME}}{side}{message.minutes:03}{message.moves:03}{start}"
        case GameAnswer():
            return f"A{message.name:{LONGEST_NAME}}{message.answer.value}"
        case MoveMessage():
            captured = "".join(f"{square:02}" for square in message.captured)
            squares = f"{message.from_square:02}{message.to_square:02}{len(message.captured):02}"
            return f"M{message.seconds:04}{squares}{captured}"
        case GameEnd():
            return f"E{message.reason.value}{message.is_last:d}"
        case Chat():
            return f"C{message.text}"
        case BackRequest():
            return f"B{message.number:03}{_SIDES[message.turn]}"
        case BackAnswer():
            return f"K{message.code}"


def plain(text: str, longest: int) -> str:
    """A text as the protocol can tell it: letters without their accents, other characters as ?, at most ``longest``.

    >>> plain("  Gérard\\n", LONGEST_NAME), plain("Шашки", 3)
    ('Gerard', '???')
    """
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    words = " ".join(bare.split())
    return "".join(sign if sign.isascii() and sign.isprintable() else "?" for sign in words)[:longest].rstrip()


class Inbox:
    """Puts messages together from bytes as they arrive; holds what was fed and not yet taken.

    >>> inbox = Inbox()
    >>> inbox.feed(b"E00\\0Cgood")
    >>> inbox.take(), inbox.take()
    ('E00', None)
    >>> inbox.feed(b" game\\0")
    >>> inbox.take()
    'Cgood game'
    """

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in what has arrived."""
        self._held += data

    def take(self) -> str | None:
        """The next message as a text, None if it has not arrived whole.

        Raises :class:`BadDxp` for what can be none, also before its end; nothing can be taken after that.
        """
        end = self._held.find(0)
        begun = bytes(self._held[: LONGEST_MESSAGE + 1 if end < 0 else end])
        text = begun.decode("latin-1")
        if len(text) > LONGEST_MESSAGE:
            raise _too_long(text)
        if (wrong := _UNWRITABLE.search(text)) is not None:
            raise _not_ascii(text, wrong.start())
        if end < 0:
            return None
        if not text:
            raise BadDxp(_EMPTY, code="empty", text=text, position=0)
        del self._held[: end + 1]
        return text

    @property
    def is_empty(self) -> bool:
        """Whether nothing is held, not even a part of a message."""
        return not self._held


def _too_long(text: str) -> BadDxp:
    kept = text[:LONGEST_MESSAGE]
    return BadDxp(
        _TOO_LONG, code="too_long", text=text, token=kept[-20:], position=LONGEST_MESSAGE, most=LONGEST_MESSAGE
    )


def _not_ascii(text: str, position: int) -> BadDxp:
    sign = text[position]
    return BadDxp(_NOT_ASCII, code="not_ascii", text=text, token=sign, position=position, byte=ord(sign))


class _Fields:
    """The fields of a message, one after the other from its second character on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.place = 1

    def text(self, width: int) -> str:
        field = self._text[self.place : self.place + width]
        if len(field) < width:
            raise self._wrong_length()
        self.place += width
        return field

    def name(self) -> str:
        return self.text(LONGEST_NAME).strip(" ")

    def number(self, width: int) -> int:
        field = self.text(width)
        if not field.isdecimal():
            raise self._bad(field)
        return int(field)

    def one_of(self, letters: str) -> str:
        field = self.text(1)
        if field not in letters:
            raise self._bad(field)
        return field

    def end(self) -> None:
        if self.place < len(self._text):
            raise self._wrong_length()

    def _bad(self, field: str) -> BadDxp:
        place = self.place - len(field)
        kind = self._text[0]
        return BadDxp(
            _BAD_FIELD, code="bad_field", text=self._text, token=field, position=place, place=place + 1, type=kind
        )

    def _wrong_length(self) -> BadDxp:
        length = min(len(self._text), self.place)
        kind = self._text[0]
        return BadDxp(_WRONG_LENGTH, code="wrong_length", text=self._text, position=length, type=kind, length=length)


def _request_of(fields: _Fields) -> GameRequest:
    version = fields.text(2)
    if version not in ("00", f"{_VERSION:02}"):
        text = "R" + version
        raise BadDxp(_OTHER_VERSION, code="other_version", text=text, token=version, position=1)
    name = fields.name()
    follower = _COLORS[fields.one_of("WZ")]
    minutes, moves = fields.number(3), fields.number(3)
    position = fields.text(51) if fields.one_of("AB") == "B" else ""
    return GameRequest(name, follower, minutes, moves, position)


def _move_of(text: str) -> MoveMessage:
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
    return MoveMessage(int(match[1]), start, target, tuple(sorted(captured)))


def _square(text: str, position: int) -> int:
    digits = text[position : position + 2]
    if not 1 <= int(digits) <= 50:
        raise off_board(BadDxp, text, digits, position)
    return int(digits)


def _expect_name(name: str) -> None:
    if len(name) > LONGEST_NAME or name != name.strip(" ") or _UNWRITABLE.search(name):
        raise ValueError(
            f"a name has at most {LONGEST_NAME} characters, all of ASCII, no blank at its ends, unlike {name!r}"
        )


def _expect_number(what: str, number: int, most: int) -> None:
    if not 0 <= number <= most:
        raise ValueError(f"{what} are a whole number from 0 to {most}, not {number}")


# --- Positions and moves --------------------------------------------------------------------------------------------


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
    message = _move_of(text)
    return DxpMove(message.on(board), message.seconds)


def write_move(move: Move, seconds: float = 0) -> str:
    """The message that tells a move, and the seconds that it took, as :meth:`MoveMessage.of` has them.

    >>> write_move(Move(5, 25, captured=[12, 20, 22, 23]), 1.2)
    'M000105250412202223'
    """
    return write_message(MoveMessage.of(move, seconds))
