"""Positions as engine protocols write them: a letter for the side to move, then a character for each of the squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from damier import Board, Color
from damier.errors import DamierError
from damier.i18n import N_
from damier.lines import far_row
from damier.notation.fen import Setup, write_fen

if TYPE_CHECKING:
    from damier import Rules

__all__ = ["Alphabet", "BadProtocolText", "board_of", "off_board", "text_of"]

_SQUARES = 50
_MAX_PIECES = 20

_LENGTH = N_("A position has {wanted} characters, one for the side to move and one for each square, not {length}.")
_NO_SIDE = N_("A position begins with the side to move, {white} or {black}, not “{token}”.")
_NO_PIECE = N_("“{token}” on square {square} is no piece; a square holds one of {letters}.")
_MAN_ON_FAR_ROW = N_("A man cannot stand on {square}, its far row; write a king.")
_TOO_MANY_WHITE = N_("White has more than {limit} pieces; take some away.")
_TOO_MANY_BLACK = N_("Black has more than {limit} pieces; take some away.")
_OFF_BOARD = N_("There is no square {square}; squares are numbered 1 to 50.")


class BadProtocolText(DamierError, ValueError):
    """A text that an engine or another program sent and that has no meaning in its protocol.

    ``code``: a name for programs, such as ``"no_piece"``. ``text``: the whole text. ``token``: what is wrong in it.
    ``position``: its offset, None where the fault lies in the whole.
    """

    def __init__(
        self, message: str, *, code: str, text: str, token: str = "", position: int | None = None, **facts: object
    ) -> None:
        super().__init__(message, token=token if len(token) <= 40 else token[:40] + "…", **facts)
        self.code = code
        self.text = text
        self.token = token
        self.position = position


class Alphabet(NamedTuple):
    """The letters of a protocol: of the sides to move, of men and kings, and of an empty square."""

    white: str
    black: str
    white_man: str
    white_king: str
    black_man: str
    black_king: str
    empty: str


def text_of(board: Board, alphabet: Alphabet) -> str:
    """The position in 51 characters."""
    setup = board.setup()
    squares = [alphabet.empty] * _SQUARES
    for letter, held in (
        (alphabet.white_man, setup.white_men),
        (alphabet.white_king, setup.white_kings),
        (alphabet.black_man, setup.black_men),
        (alphabet.black_king, setup.black_kings),
    ):
        for square in held:
            squares[square - 1] = letter
    side = alphabet.white if setup.turn is Color.WHITE else alphabet.black
    return side + "".join(squares)


def board_of(text: str, alphabet: Alphabet, kind: type[BadProtocolText], rules: Rules | str = "official") -> Board:
    """The position that 51 characters tell. Raises an error of ``kind``."""
    if len(text) != _SQUARES + 1:
        raise kind(_LENGTH, code="length", text=text, wanted=_SQUARES + 1, length=len(text))
    if text[0] not in (alphabet.white, alphabet.black):
        facts = {"white": alphabet.white, "black": alphabet.black}
        raise kind(_NO_SIDE, code="no_side", text=text, token=text[0], position=0, **facts)
    held: dict[str, list[int]] = {letter: [] for letter in alphabet[2:]}
    for square, letter in enumerate(text[1:], start=1):
        if letter not in held:
            letters = " ".join(alphabet[2:])
            raise kind(
                _NO_PIECE, code="no_piece", text=text, token=letter, position=square, square=square, letters=letters
            )
        held[letter].append(square)
    _check(text, alphabet, held, kind)
    setup = Setup(
        Color.WHITE if text[0] == alphabet.white else Color.BLACK,
        *(tuple(held[letter]) for letter in alphabet[2:6]),
    )
    return Board(write_fen(setup), rules=rules)


def _check(text: str, alphabet: Alphabet, held: dict[str, list[int]], kind: type[BadProtocolText]) -> None:
    for color, man, king, message in (
        (Color.WHITE, alphabet.white_man, alphabet.white_king, _TOO_MANY_WHITE),
        (Color.BLACK, alphabet.black_man, alphabet.black_king, _TOO_MANY_BLACK),
    ):
        for square in held[man]:
            if square in far_row(color):
                raise kind(_MAN_ON_FAR_ROW, code="man_on_far_row", text=text, token=man, position=square, square=square)
        if len(held[man]) + len(held[king]) > _MAX_PIECES:
            raise kind(message, code="too_many", text=text, limit=_MAX_PIECES)


def off_board(kind: type[BadProtocolText], text: str, token: str, position: int) -> BadProtocolText:
    """The error for a number that is no square."""
    return kind(_OFF_BOARD, code="off_board", text=text, token=token, position=position, square=token)
