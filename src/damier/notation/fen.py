"""FEN of international draughts: reads every form with one clear meaning, writes one.

The forms are those of the PDN 3.0 standard and what draughts programs and people
write besides: either list first, several lists of one colour, ranges, ``K`` before
a square or a range, blanks and underscores, lower case, leading zeros, empty lists,
a final dot, and the ``:H0:F1`` counters of lidraughts (checked, not kept).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from damier import Color
from damier.errors import BadFen
from damier.i18n import N_
from damier.lines import far_row

__all__ = ["MAX_LENGTH", "Setup", "plain_masks", "read_fen", "write_fen"]

MAX_LENGTH = 2000  # forty kings written out take under 250 characters; the rest is room for blanks
_MAX_PIECES = 20

_COUNTER = re.compile(r"[HF][0-9]+")
_SQUARES = re.compile(
    r"(?P<king>K?)[\s_]*(?P<first>[0-9]+)(?:[\s_]*[-\u2010-\u2013][\s_]*(?P<last_king>K?)[\s_]*(?P<last>[0-9]+))?"
)
_LETTERED_SQUARE = re.compile(r"K?[A-H][1-8]")
_NUMBERED = re.compile(r"[:,WBK][\s_]*[0-9]")
_HALF_CAPTURED = re.compile(r"[GP][0-9]+")
_SIDES = {"W": Color.WHITE, "B": Color.BLACK}
_PLAIN = re.compile(r"([WB]):W(K?[0-9]+(?:,K?[0-9]+)*):B(K?[0-9]+(?:,K?[0-9]+)*)\.?", re.ASCII)
# A man sets the bit of its square, a king that of the board of kings, 50 bits higher, too.
_BITS = {
    f"{kind}{square}": held << (square - 1) for square in range(1, 51) for kind, held in (("", 1), ("K", 1 | 1 << 50))
}
_BOARD = (1 << 50) - 1
_WHITE_FAR_ROW = sum(1 << (square - 1) for square in far_row(Color.WHITE))
_BLACK_FAR_ROW = sum(1 << (square - 1) for square in far_row(Color.BLACK))
_BLANK = " \t\r\n\f\v\u00a0_"

_EMPTY = N_("This FEN is empty; the start position is W:W31-50:B1-20.")
_TOO_LONG = N_("This FEN has {length} characters; {limit} is the most that is read.")
_NO_SIDE = N_("A FEN begins with the side to move: W: or B:, not “{token}”.")
_UNKNOWN_SIDE = N_("The side to move is not known here; write W or B in place of “{token}”.")
_NO_PIECES = N_("After the side to move, a FEN lists the pieces, as in W:W31-50:B1-20.")
_NO_COLOR = N_("A list of pieces begins with W or B, not “{token}”.")
_NOT_A_SQUARE = N_("“{token}” is not a square; write a number, K and a number, or a range such as 31-35.")
_LETTERED = N_("“{token}” is a square of another board; the squares of this one are the numbers 1 to 50.")
_HALF_A_CAPTURE = N_("“{token}” is a piece captured in a move that is not over; give the position before or after it.")
_OFF_BOARD = N_("There is no square {square}; squares are numbered 1 to 50.")
_BAD_RANGE = N_("“{token}” runs backwards; write the lower square first.")
_HELD_TWICE = N_("Square {square} is named twice; a square holds one piece.")
_MAN_ON_FAR_ROW = N_("A man cannot stand on {square}, its far row; write K{square} for a king.")
_TOO_MANY_WHITE = N_("White has more than {limit} pieces; take some away.")
_TOO_MANY_BLACK = N_("Black has more than {limit} pieces; take some away.")


class Setup(NamedTuple):
    """A position as FEN tells it: the side to move, and each kind of piece as ascending squares 1–50."""

    turn: Color
    white_men: tuple[int, ...]
    white_kings: tuple[int, ...]
    black_men: tuple[int, ...]
    black_kings: tuple[int, ...]


def read_fen(text: str) -> Setup:
    """The position that ``text`` describes.

    Raises :class:`~damier.BadFen`, which names the token at fault and its offset. Its ``code`` is one of
    ``empty``, ``too_long``, ``no_side``, ``unknown_side``, ``no_pieces``, ``no_color``, ``not_a_square``,
    ``lettered_square``, ``half_capture``, ``off_board``, ``bad_range``, ``held_twice``, ``man_on_far_row``
    and ``too_many``.

    >>> read_fen("w: b 1-3, K20 : w 047 .")
    Setup(turn=Color.WHITE, white_men=(47,), white_kings=(), black_men=(1, 2, 3), black_kings=(20,))
    >>> read_fen("W:W31-50:B1-20,31")
    Traceback (most recent call last):
    damier.errors.BadFen: Square 31 is named twice; a square holds one piece.
    """
    return _Reader(text).setup()


def plain_masks(text: str) -> tuple[int, int, int, bool] | None:
    """The position of a FEN that is written plainly and is right: White's pieces, Black's, the kings, Black to move.

    Squares are bits, n - 1 for square n. None for any other text, which :func:`read_fen` then reads or refuses: this is
    the fast way for files full of positions.

    >>> plain_masks("B:W28,K30:B1")
    (671088640, 1, 536870912, True)
    >>> plain_masks("B:W28-30:B1")
    """
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    side, white_list, black_list = plain.groups()
    white_items, black_items = white_list.split(","), black_list.split(",")
    try:
        white, black = sum(map(_BITS.__getitem__, white_items)), sum(map(_BITS.__getitem__, black_items))
    except KeyError:
        return None
    if len(white_items) > _MAX_PIECES or len(black_items) > _MAX_PIECES:
        return None
    # A square that is named twice carries over into another bit, so that fewer bits are set than were added.
    both = white + black
    if both.bit_count() != len(white_items) + len(black_items) + text.count("K"):
        return None
    white_held, black_held, kings = white & _BOARD, black & _BOARD, both >> 50
    if (white_held & ~kings & _WHITE_FAR_ROW) or (black_held & ~kings & _BLACK_FAR_ROW):
        return None
    return white_held, black_held, kings, side == "B"


def write_fen(setup: Setup) -> str:
    """The FEN of a position: ascending squares, three or more neighbours of a kind as a range.

    >>> write_fen(Setup(Color.BLACK, (31, 32, 33, 35), (1,), (), (6, 7, 8)))
    'B:WK1,31-33,35:BK6-8'
    """
    white_kings, black_kings = _mask(setup.white_kings), _mask(setup.black_kings)
    white, black = _mask(setup.white_men) | white_kings, _mask(setup.black_men) | black_kings
    if (white | black).bit_count() != sum(
        map(len, (setup.white_men, setup.white_kings, setup.black_men, setup.black_kings))
    ):
        return _told(setup)  # squares that are held twice stay so, for the reader to refuse
    return masks_fen(white, black, white_kings | black_kings, setup.turn is Color.BLACK)


def masks_fen(white: int, black: int, kings: int, black_to_move: bool) -> str:
    """The FEN of a position that is told by the squares held, bit n - 1 for square n.

    >>> masks_fen(0b111, 1 << 49, 1 << 49, False)
    'W:W1-3:BK50'
    """
    turn = "B" if black_to_move else "W"
    return f"{turn}:W{_list(white, kings)}:B{_list(black, kings)}"


def _told(setup: Setup) -> str:
    """The FEN square by square, whatever they hold."""
    white = [*map(str, setup.white_men), *(f"K{square}" for square in setup.white_kings)]
    black = [*map(str, setup.black_men), *(f"K{square}" for square in setup.black_kings)]
    return f"{setup.turn.letter}:W{','.join(white)}:B{','.join(black)}"


def _mask(squares: tuple[int, ...]) -> int:
    mask = 0
    for square in squares:
        mask |= 1 << (square - 1)
    return mask


def _list(pieces: int, all_kings: int) -> str:
    kings = pieces & all_kings
    men = pieces ^ kings
    items: list[str] = []
    while pieces:
        lowest = pieces & -pieces
        if lowest & men:
            run = men & ~(men + lowest)  # the addition carries through the neighbours of a kind
            men ^= run
            items.append(_RUNS.get(run) or _run(run, ""))
        else:
            run = kings & ~(kings + lowest)
            kings ^= run
            items.append(_run(run, "K"))
        pieces ^= run
    return ",".join(items)


_RUNS: Final[dict[int, str]] = {}
"""How runs of men are written; there are 1275 at most."""


def _run(run: int, kind: str) -> str:
    last = run.bit_length()
    first = last - run.bit_count() + 1
    if last - first >= 2:
        text = f"{kind}{first}-{last}"
    else:
        text = ",".join(f"{kind}{square}" for square in range(first, last + 1))
    if not kind:
        _RUNS[run] = text
    return text


class _Side:
    """The pieces of one colour, as far as they are read."""

    def __init__(self, color: Color) -> None:
        self.color = color
        self.far_row = far_row(color)
        self.men: list[int] = []
        self.kings: list[int] = []


class _Reader:
    """One reading of one text; offsets in errors are offsets in the text as given."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Blanks are replaced one for one, and only ASCII letters change case, so that offsets hold.
        self.clean = "".join(_tidy(char) for char in text[:MAX_LENGTH])
        self.held: set[int] = set()
        self.white = _Side(Color.WHITE)
        self.black = _Side(Color.BLACK)

    def setup(self) -> Setup:
        if len(self.text) > MAX_LENGTH:
            raise self.error(_TOO_LONG, "too_long", "", None, length=len(self.text), limit=MAX_LENGTH)
        end = self.without_final_dot()
        if not self.clean[:end].strip():
            raise self.error(_EMPTY, "empty", "", 0)
        fields = self.split(":", 0, end)
        turn = self.side(*fields[0])
        if len(fields) == 1:
            raise self.error(_NO_PIECES, "no_pieces", *fields[0])
        for token, offset in fields[1:]:
            self.field(token, offset)
        white, black = self.white, self.black
        pieces = (tuple(sorted(squares)) for squares in (white.men, white.kings, black.men, black.kings))
        return Setup(turn, *pieces)

    def without_final_dot(self) -> int:
        stripped = self.clean.rstrip()
        return len(stripped) - 1 if stripped.endswith(".") else len(stripped)

    def split(self, separator: str, start: int, end: int) -> list[tuple[str, int]]:
        """The parts of text[start:end] without the blanks around them, each with its offset."""
        parts: list[tuple[str, int]] = []
        for part in self.clean[start:end].split(separator):
            lead = len(part) - len(part.lstrip())
            parts.append((part.strip(), start + lead))
            start += len(part) + 1
        return parts

    def side(self, token: str, offset: int) -> Color:
        if token.startswith("?"):
            raise self.error(_UNKNOWN_SIDE, "unknown_side", token, offset)
        if token not in _SIDES:
            raise self.error(_NO_SIDE, "no_side", token, offset)
        return _SIDES[token]

    def field(self, token: str, offset: int) -> None:
        if _COUNTER.fullmatch(token):
            return
        if not token.startswith(("W", "B")):
            raise self.error(_NO_COLOR, "no_color", token, offset)
        side = self.white if token[0] == "W" else self.black
        if not token[1:].strip():
            return
        for item, place in self.split(",", offset + 1, offset + len(token)):
            self.item(side, item, place)

    def item(self, side: _Side, token: str, offset: int) -> None:
        match = _SQUARES.fullmatch(token)
        # K before the end of a range alone would leave open what stands on its beginning.
        if match is None or (match["last_king"] and not match["king"]):
            lettered = _LETTERED_SQUARE.fullmatch(token)
            # G1 to G8 are squares of another board too; beside numbered squares they are not.
            if _HALF_CAPTURED.fullmatch(token) and not (lettered and not _NUMBERED.search(self.clean)):
                raise self.error(_HALF_A_CAPTURE, "half_capture", token, offset)
            if lettered:
                raise self.error(_LETTERED, "lettered_square", token, offset)
            raise self.error(_NOT_A_SQUARE, "not_a_square", token, offset)
        first = self.number(match["first"], token, offset)
        last = self.number(match["last"] or match["first"], token, offset)
        if last < first:
            raise self.error(_BAD_RANGE, "bad_range", token, offset)
        for square in range(first, last + 1):
            self.put(side, match["king"] == "K", square, token, offset)

    def number(self, digits: str, token: str, offset: int) -> int:
        significant = digits.lstrip("0") or "0"
        if len(significant) > 2 or not 1 <= int(significant) <= 50:
            raise self.error(_OFF_BOARD, "off_board", token, offset, square=_shortened(significant))
        return int(significant)

    def put(self, side: _Side, king: bool, square: int, token: str, offset: int) -> None:
        if square in self.held:
            raise self.error(_HELD_TWICE, "held_twice", token, offset, square=square)
        if not king and square in side.far_row:
            raise self.error(_MAN_ON_FAR_ROW, "man_on_far_row", token, offset, square=square)
        self.held.add(square)
        (side.kings if king else side.men).append(square)
        if len(side.men) + len(side.kings) > _MAX_PIECES:
            message = _TOO_MANY_WHITE if side.color is Color.WHITE else _TOO_MANY_BLACK
            raise self.error(message, "too_many", token, offset, limit=_MAX_PIECES)

    def error(self, message: str, code: str, token: str, offset: int | None, **facts: object) -> BadFen:
        as_given = "" if offset is None else self.text[offset : offset + len(token)]
        return BadFen(message, code=code, text=self.text, token=as_given, position=offset, **facts)


def _shortened(token: str) -> str:
    return token if len(token) <= 20 else token[:20] + "…"


def _tidy(char: str) -> str:
    if char in _BLANK:
        return " "
    return char.upper() if char.isascii() else char
