"""Whether a game in a PDN file is international draughts at all: by its tags, or by its first moves."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from damier.errors import BadFen
from damier.i18n import N_
from damier.notation.pdn.resolve import replays

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from damier import Board

__all__ = ["Variant", "other_variant"]

_GAME_TYPE = N_("GameType {token} is another game than international draughts.")
_NAMED = N_("“{token}” is another game than international draughts.")
_LETTERED = N_("“{token}” names squares with letters, as games on 64 squares do.")
_SMALL_BOARD = N_("“{token}” belongs to a board of 64 squares.")

_NUMBER = re.compile(r"[0-9]+")
_INTERNATIONAL = frozenset({20, 99})  # 99: lidraughts, from a position set up
_INTERNATIONAL_NAMES = ("standard", "international", "from position", "fromposition")
_FIRST_ON_64 = frozenset({9, 10, 11, 12, 21, 22, 23, 24})
_LETTER = re.compile(r"[a-hA-H]")


class Variant(NamedTuple):
    """What shows that a game is of another variant: a name for programs, the message and the text that shows it."""

    code: str
    message: str
    token: str


def other_variant(tags: Mapping[str, str], start: Board | BadFen | None, moves: Iterable[str]) -> Variant | None:
    """What shows that the game is not international draughts; None if nothing does.

    ``tags`` by their names in lower case; ``start`` is the position of the FEN tag, or what is wrong with it, None if
    there is no such tag; of ``moves`` no more is taken than is needed.

    >>> other_variant({"gametype": "25"}, None, []).code
    'game_type'
    >>> other_variant({}, None, ["11-15", "24-20"]).code
    'small_board'
    >>> other_variant({}, None, ["32-28", "19-23"])
    """
    game_type = tags.get("gametype", "").strip()
    if match := _NUMBER.match(game_type):
        return None if int(match.group()) in _INTERNATIONAL else Variant("game_type", _GAME_TYPE, game_type)
    if name := tags.get("variant", "").strip():
        known = name.lower().startswith(_INTERNATIONAL_NAMES)
        return None if known else Variant("named", _NAMED, name)
    if isinstance(start, BadFen) and start.code == "lettered_square":
        return Variant("lettered", _LETTERED, start.token)
    if start is None:
        return _by_first_move(moves)
    return _by_squares(tags["fen"], start, moves)


def _by_first_move(moves: Iterable[str]) -> Variant | None:
    first = next(iter(moves), None)
    if first is None:
        return None
    if _LETTER.match(first):
        return Variant("lettered", _LETTERED, first)
    # From the start of the large board no piece can move from any of these squares, whoever begins.
    return Variant("small_board", _SMALL_BOARD, first) if _squares(first)[0] in _FIRST_ON_64 else None


def _by_squares(fen: str, start: Board | BadFen, moves: Iterable[str]) -> Variant | None:
    """A position on squares 1 to 32 may be of either board: then the moves decide."""
    if isinstance(start, BadFen):
        if any(int(number) > 32 for number in _NUMBER.findall(fen)):
            return None
    else:
        white, black, _, _ = start._position_key()
        if (white | black) >> 32:
            return None
    texts: list[str] = []
    for text in moves:
        if _LETTER.match(text):
            return Variant("lettered", _LETTERED, text)
        if max(_squares(text)) > 32:
            return None
        texts.append(text)
    if isinstance(start, BadFen):
        # A white man on 5 has arrived on the large board, and not on the small one.
        small = (start.code, start.token) == ("man_on_far_row", "5") and (not texts or _on_64(texts))
        return Variant("small_board", _SMALL_BOARD, fen) if small else None
    if not texts or replays(start, texts) or not _on_64(texts):
        return None
    return Variant("small_board", _SMALL_BOARD, texts[0])


def _squares(text: str) -> list[int]:
    if len(text) == 4 and text.isdecimal():
        return [int(text[:2]), int(text[2:])]
    return [int(number) for number in _NUMBER.findall(text)]


def _on_64(texts: Iterable[str]) -> bool:
    """Whether every step is along a diagonal of a board of 64 squares, numbered from either side.

    Of a capture of several pieces the start and the target alone say nothing.
    """
    return any(all(_is_step(text, shift) for text in texts) for shift in (0, 1))


def _is_step(text: str, shift: int) -> bool:
    squares = _squares(text)
    steps = list(pairwise(squares))
    return all(_aligned(start, target, shift) for start, target in steps) or (len(steps) == 1 and "-" not in text)


def _aligned(start: int, target: int, shift: int) -> bool:
    if not (1 <= start <= 32 and 1 <= target <= 32):
        return False
    row, column = divmod(start - 1, 4)
    to_row, to_column = divmod(target - 1, 4)
    across = (2 * to_column + (to_row + shift) % 2) - (2 * column + (row + shift) % 2)
    return abs(to_row - row) == abs(across) != 0
