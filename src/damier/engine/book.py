"""The opening book: moves that our own engine found good at leisure, ready to be played at once.

A book knows positions without kings. In these nothing sets the rule sets apart: a draw by repetition or by the moves of
kings needs a king, the other draws need few pieces or a long game, and positions in which a capture would go on
differently where a man is crowned in passing are left out when a book is built. One book thus serves all rule sets.

The file begins with a line that names the format, its version and the SHA-256 of all that follows; then come a line of
JSON, the header, and the entries, compressed by xz. The header says how many ``positions`` there are and how the book
was made (``recipe``). An entry is a position, seen by the side to move as if it were White: 13 bytes, the lowest first,
with bit n - 1 for its own man on square n and bit n + 49 for the opponent's; then the number of moves, a byte, and for
each move, the best first, two bytes for the move and two, signed, for its value. Six bits of a move are the square it
comes from, six the one it goes to, and four which one it is of the captures between the two, in the order of what they
take. Positions stand in ascending order.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import os
import struct
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from damier._kernel import TABLE_WIN, WIN_VALUE
from damier.board import Board, Color
from damier.engine.score import Score
from damier.errors import EngineError
from damier.i18n import N_
from damier.notation.fen import masks_fen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier._kernel import Move

__all__ = ["BadBook", "Book", "Entry", "key_of", "margin_of", "move_codes", "position_of", "value_of"]

Entry: TypeAlias = tuple[tuple[int, int], ...]
"""The moves of a position, the best first, each as its code and its value to the side to move."""

VERSION: Final = 1
_FORMAT: Final = b"damier opening book "
_DATA: Final = Path(__file__).parent / "data" / "opening.book"
_SQUARES: Final = 50
_HALF: Final = (1 << _SQUARES) - 1
_KEY_BYTES: Final = 13
_MOVE: Final = struct.Struct("<Hh")
_MOST_BYTES: Final = 1 << 26
_SOUND, _VARIED = 3, 30  # hundredths of a man


class BadBook(EngineError, ValueError):
    """A file of an opening book, or of the positions that were searched for one, that cannot be used.

    ``file``: its path. ``code``: a name for programs: ``"format"``, ``"version"``, ``"checksum"``, ``"contents"``, or
    ``"other"`` (made with other settings than asked for).
    """

    def __init__(self, message: str, *, code: str, file: Path, **facts: object) -> None:
        super().__init__(message, file=str(file), **facts)
        self.code = code
        self.file = file


# --- Positions, moves and values as numbers -----------------------------------------------------------------------------


def key_of(board: Board) -> int:
    """The position seen by the side to move as if it were White: its own pieces, the opponent's and the kings.

    >>> from damier import Board
    >>> key_of(Board("W:W31-50:B1-20")) == key_of(Board("B:W31-50:B1-20"))
    True
    """
    white, black, kings, turn = board._position_key()  # pyright: ignore[reportPrivateUsage] - a position costs more
    if turn:
        white, black, kings = _turned(black), _turned(white), _turned(kings)
    return white | black << _SQUARES | kings << 2 * _SQUARES


def position_of(key: int) -> Board:
    """The position of a key, White to move.

    >>> from damier import Board
    >>> position_of(key_of(Board("B:W31,K46:B12"))).fen()
    'W:W39:BK5,20'
    """
    return Board(masks_fen(key & _HALF, key >> _SQUARES & _HALF, key >> 2 * _SQUARES, False))


def move_codes(board: Board) -> dict[int, Move]:
    """The legal moves by their codes, in ascending order; they are the same for a position and for it turned round.

    >>> from damier import Board
    >>> len(move_codes(Board())), move_codes(Board())[32 | 28 << 6]
    (9, Move(32, 28))
    """
    black = board.turn is Color.BLACK

    def seen(square: int) -> int:
        return _SQUARES + 1 - square if black else square

    ordered = sorted(
        (
            (seen(move.from_square), seen(move.to_square), sorted(map(seen, move.captured)), move)
            for move in board.legal_moves
        ),
        key=lambda each: each[:3],
    )
    codes: dict[int, Move] = {}
    for origin, goal, _, move in ordered:
        code = origin | goal << 6
        while code in codes:
            code += 1 << 12
        codes[code] = move
    return dict(sorted(codes.items()))


def value_of(score: Score) -> int:
    """The number that :class:`Score` is made from.

    >>> Score(value_of(Score.loss(4))), Score(value_of(Score.table_win()))
    (Score.loss(4), Score.table_win())
    """
    if score.win_in is not None:
        return WIN_VALUE - score.win_in
    if score.loss_in is not None:
        return score.loss_in - WIN_VALUE
    if score.is_decided:
        return TABLE_WIN if score.wins else -TABLE_WIN
    return score.centi_men or 0


def margin_of(level: int, highest: int) -> int:
    """How much worse than the best a level plays from a book, in hundredths of a man: much at level 1, little at the highest.

    >>> [margin_of(level, 8) for level in (1, 4, 8)]
    [30, 18, 3]
    """
    share = (highest - level) / (highest - 1) if highest > 1 else 0.0
    return round(_SOUND + (_VARIED - _SOUND) * share)


def _turned(mask: int) -> int:
    return int(f"{mask:0{_SQUARES}b}"[::-1], 2)


# --- The book -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Book:
    """An opening book. ``entries``: by the positions' keys. ``recipe``: how it was made. Any number of threads may ask.

    >>> from damier import Board
    >>> book = Book.default()
    >>> move = book.choose(Board(), margin=0)
    >>> move in Board().legal_moves, book.moves(Board("W:WK46:B5"))
    (True, ())
    """

    entries: Mapping[int, Entry]
    recipe: Mapping[str, object] = field(default_factory=dict[str, object])

    @staticmethod
    def default() -> Book:
        """The book of the package, for every rule set; read once and kept. Raises :class:`BadBook` if it is damaged."""
        return _default()

    @staticmethod
    def read(file: str | os.PathLike[str]) -> Book:
        """The book of a file. Raises :class:`BadBook`, and OSError if the file cannot be read."""
        path = Path(file)
        return _read(path, path.read_bytes())

    def write(self, file: str | os.PathLike[str]) -> None:
        """Writes the book to a file, whole or not at all: one of this name that was there before is replaced at the end."""
        data = b"".join(_entry_bytes(key, self.entries[key]) for key in sorted(self.entries))
        header = json.dumps({"positions": len(self.entries), "recipe": dict(self.recipe)}).encode() + b"\n"
        rest = header + lzma.compress(data, format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME)
        path = Path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        with part.open("wb") as stream:
            stream.write(_FORMAT + f"{VERSION} {hashlib.sha256(rest).hexdigest()}\n".encode() + rest)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)

    def moves(self, board: Board) -> tuple[tuple[Move, Score], ...]:
        """The moves that the book knows in the board's position, each with what it is worth to who plays it, the best first.

        Empty where it does not know the position.
        """
        entry = self.entries.get(key_of(board))
        if entry is None:
            return ()
        legal = move_codes(board)
        return tuple((legal[code], Score(value)) for code, value in entry if code in legal)

    def choose(self, board: Board, margin: int, random: Random | int | None = None) -> Move | None:
        """A move by chance, none that is worse than the best by over ``margin`` hundredths of a man, the better the likelier.

        ``random``: where chance comes from, or a seed: the same gives the same move. None where the book does not know
        the position. Raises ValueError for a margin below 0.
        """
        if margin < 0:
            raise ValueError(f"a margin is 0 or more hundredths of a man, not {margin}")
        known = [(move, value_of(score)) for move, score in self.moves(board)]
        if not known:
            return None
        floor = known[0][1] - margin
        near = [(move, value - floor) for move, value in known if value >= floor]
        weights = [math.exp(3 * above / margin) if margin else 1.0 for _, above in near]
        source = random if isinstance(random, Random) else Random(random)  # noqa: S311 - chance in play, not in secrets
        return source.choices([move for move, _ in near], weights)[0]

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"<Book of {len(self)} positions>"


@cache
def _default() -> Book:
    return Book.read(_DATA)


def _entry_bytes(key: int, entry: Entry) -> bytes:
    moves = b"".join(_MOVE.pack(code, value) for code, value in entry)
    return key.to_bytes(_KEY_BYTES, "little") + bytes([len(entry)]) + moves


def _read(file: Path, data: bytes) -> Book:
    first, _, rest = data.partition(b"\n")
    if not first.startswith(_FORMAT):
        raise BadBook(N_("{file} is no opening book"), code="format", file=file)
    version, _, checksum = first[len(_FORMAT) :].decode("ascii", "replace").partition(" ")
    if version != str(VERSION):
        raise BadBook(
            N_("{file} has version {version} of the opening book's format; this program reads version {known}"),
            code="version",
            file=file,
            version=version,
            known=VERSION,
        )
    if hashlib.sha256(rest).hexdigest() != checksum:
        raise BadBook(N_("{file} is damaged: its checksum is another one"), code="checksum", file=file)
    try:
        return _contents(rest)
    except (ValueError, RecursionError, lzma.LZMAError, struct.error, IndexError) as error:
        raise BadBook(N_("{file} cannot be read: {why}"), code="contents", file=file, why=error) from error


def _contents(rest: bytes) -> Book:
    """Raises one of the errors that :func:`_read` expects for what is no book."""
    line, _, packed = rest.partition(b"\n")
    header: Any = json.loads(line)
    match header:
        case {"positions": int(positions), "recipe": dict()}:
            recipe = cast("dict[str, object]", header["recipe"])
        case _:
            raise ValueError("something is missing in the header")
    data = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(packed, _MOST_BYTES)
    entries: dict[int, Entry] = {}
    at, before = 0, -1
    while at < len(data):
        key = int.from_bytes(data[at : at + _KEY_BYTES], "little")
        count = data[at + _KEY_BYTES]
        at += _KEY_BYTES + 1
        moves = tuple(_MOVE.unpack_from(data, at + _MOVE.size * number) for number in range(count))
        at += _MOVE.size * count
        if key <= before or key >> 2 * _SQUARES or not moves or any(a[1] < b[1] for a, b in pairwise(moves)):
            raise ValueError("the entries are not in order")
        entries[key] = cast("Entry", moves)
        before = key
    if len(entries) != positions:
        raise ValueError(f"it has {len(entries)} positions, and its header says {positions}")
    return Book(entries, recipe)
