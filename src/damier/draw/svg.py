"""A board as SVG: self-contained, for notebooks, pages and files.

Geometry, in units of which a square has 100; the board element of the web pages has the same, and its colours:

==================  ===========================================================================
disc                radius 40, its rim lit from above; its edge, 4 thick, shows below
man                 one disc, 2 above the centre of the square
king                two discs: the lower 7 below the centre, the upper 14 above the lower
hollow              lit from below: white, within 0.78 of the radius; black has a disc in it at 0.5
shadow              an ellipse of 46 x 44, 6 below the centre of a man and 12 below that of a king
number              16 high, in the upper left corner of its dark square, baseline 16 below
large number        36 high, in the middle of its square, on the face of the piece if one stands there
board               squares 1000 x 1000, a line of 2 around; a frame of 44 with numbers at the edge
==================  ===========================================================================
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from damier import Color, Move
from damier.lines import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from damier import Board

__all__ = ["COLORS", "Arrow", "Mark", "board_svg"]

Arrow: TypeAlias = "tuple[int | str, ...]"
"""The squares of a way in order, two or more; then, if wanted, a colour: ``(32, 28)``, ``(47, 38, 20, "red")``."""

Mark: TypeAlias = "int | tuple[int] | tuple[int, str] | tuple[int, str, str]"
"""A square; then, if wanted, a shape (ring, dot, cross, square); then, if wanted, a colour: ``(28, "cross", "red")``."""

LIGHT_SQUARE = "#efe2c6"
DARK_SQUARE = "#a67a4f"
FRAME = "#4a3423"
NUMBER = "#20140a"
EDGE_NUMBER = "#efe2c6"
NUMBER_ON_BLACK = "#f6ead0"

COLORS = {"green": "#1e6b4c", "red": "#b23a2b", "blue": "#2b5f9e", "yellow": "#d9a520"}
"""The colours of arrows and marks: the accent, the signal, and two more that stand off the wood."""

_LAST_MOVE = "#c9a53f"
_SHAPES = ("ring", "dot", "cross", "square")
_FONT = "'Source Sans 3','Segoe UI','Noto Sans',Ubuntu,Cantarell,Helvetica,Arial,sans-serif"
_SMALLEST, _LARGEST = 16, 10_000


class _Look(NamedTuple):
    light: str
    shade: str
    edge: str
    rim: str  # the line around the face, which parts the discs of a king
    groove: str
    grooves: tuple[float, ...]


_LOOKS = {
    Color.WHITE: _Look("#fffaf0", "#dcc69c", "#84653e", "#97794c", "#97794c", (0.78,)),
    Color.BLACK: _Look("#5d4a40", "#211713", "#0f0907", "#806a5c", "#120b08", (0.78, 0.5)),
}
_SHADOW = "#1c0f05"


def board_svg(
    board: Board,
    *,
    orientation: Color | Literal["white", "black"] = "white",
    numbers: Literal["inside", "edge", "large", "off"] = "inside",
    last_move: Move | tuple[int, int] | bool = True,
    arrows: Iterable[Arrow] = (),
    marks: Iterable[Mark] = (),
    size: int | None = 400,
    language: str = "en",
) -> str:
    """The board as an SVG document.

    ``orientation``: whose side is at the bottom. ``numbers``: in the corners of the dark squares, at the edge
    of the board, large in the middle of the squares and over the pieces, or none. ``last_move``: tinted; True for the board's own last move. ``arrows`` and ``marks``:
    see :data:`Arrow` and :data:`Mark`; colours are the names in :data:`COLORS` or ``#rrggbb``. ``size``: width and
    height in pixels, None to fill the space that the picture is put in. ``language``: of the description that
    screen readers speak.

    Raises :class:`ValueError` for an argument with no meaning, and says which ones have one.

    >>> from damier import Board
    >>> picture = board_svg(Board("W:WK47:B14,19"), arrows=[(47, 33)], marks=[(14, "cross", "red")])
    >>> picture.startswith("<svg ") and picture.endswith("</svg>")
    True
    >>> board_svg(Board(), numbers="outside")
    Traceback (most recent call last):
    ValueError: numbers is "inside", "edge", "large" or "off", not 'outside'
    """
    flipped = _is_flipped(orientation)
    if numbers not in ("inside", "edge", "large", "off"):
        raise ValueError(f'numbers is "inside", "edge", "large" or "off", not {numbers!r}')
    dimensions = _dimensions(size)
    margin = 44 if numbers == "edge" else 2
    whole = 1000 + 2 * margin
    title, description = _words(board, language)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-margin} {-margin} {whole} {whole}"{dimensions} role="img">',
        f"<title>{escape(title, quote=False)}</title><desc>{escape(description, quote=False)}</desc>",
        _definitions(),
        f'<rect x="{-margin}" y="{-margin}" width="{whole}" height="{whole}" fill="{FRAME}"/>',
        f'<path fill="{LIGHT_SQUARE}" d="M0 0h1000v1000h-1000z"/>',
        f'<path fill="{DARK_SQUARE}" d="{_dark_squares()}"/>',
        _tints(_last_squares(board, last_move), flipped),
    ]
    if numbers == "inside":
        parts.append(_numbers_inside(flipped))
    elif numbers == "edge":
        parts.append(_numbers_at_edge(flipped))
    checked_marks = [_checked_mark(mark) for mark in marks]
    parts += [_mark(*mark, flipped) for mark in checked_marks if mark[1] == "square"]
    parts.append(_pieces(board, flipped))
    parts += [_arrow(*_checked_arrow(arrow), flipped) for arrow in arrows]
    if numbers == "large":
        dotted = {square for square, shape, _ in checked_marks if shape == "dot"}
        parts.append(_large_numbers(board, flipped, dotted))
    parts += [_mark(*mark, flipped) for mark in checked_marks if mark[1] != "square"]
    parts.append("</svg>")
    return "".join(parts)


def _dimensions(size: object) -> str:
    if size is None:
        return ""
    if not isinstance(size, int) or not _SMALLEST <= size <= _LARGEST:
        raise ValueError(f"size is a number of pixels from {_SMALLEST} to {_LARGEST}, or None, not {size!r}")
    return f' width="{size}" height="{size}"'


# --- Words for those who do not see the picture -------------------------------------------------------------------


def _words(board: Board, language: str) -> tuple[str, str]:
    from damier.i18n import N_, translator

    to_move = {
        Color.WHITE: N_("Draughts board, White to move"),
        Color.BLACK: N_("Draughts board, Black to move"),
    }
    kinds = [
        (Color.WHITE, False, N_("White men: {squares}.")),
        (Color.WHITE, True, N_("White kings: {squares}.")),
        (Color.BLACK, False, N_("Black men: {squares}.")),
        (Color.BLACK, True, N_("Black kings: {squares}.")),
    ]
    translate = translator(language).gettext
    sentences: list[str] = []
    for color, king, message in kinds:
        squares = board.pieces(color, king)
        if squares:
            sentences.append(translate(message).format(squares=", ".join(map(str, squares))))
    return translate(to_move[board.turn]), " ".join(sentences) or translate(N_("No pieces."))


# --- Squares ------------------------------------------------------------------------------------------------------


def _is_flipped(orientation: object) -> bool:
    if orientation in ("white", Color.WHITE):
        return False
    if orientation in ("black", Color.BLACK):
        return True
    raise ValueError(f'orientation is "white" or "black", not {orientation!r}')


def _center(square: int, flipped: bool) -> tuple[int, int]:
    row, column = place(square)
    x, y = 100 * column + 50, 100 * row + 50
    return (1000 - x, 1000 - y) if flipped else (x, y)


def _checked_square(square: object, what: str) -> int:
    if not isinstance(square, int) or isinstance(square, bool) or not 1 <= square <= 50:
        raise ValueError(f"{what}: squares are the numbers 1 to 50, not {square!r}")
    return square


def _parts(value: object) -> tuple[object, ...]:
    """What a tuple or list holds; nothing if it is neither."""
    return tuple(cast("list[object] | tuple[object, ...]", value)) if isinstance(value, (tuple, list)) else ()


def _checked_color(color: object, what: str) -> str:
    if isinstance(color, str):
        if color in COLORS:
            return COLORS[color]
        if len(color) == 7 and color[0] == "#" and all(c in "0123456789abcdefABCDEF" for c in color[1:]):
            return color
    raise ValueError(f"{what}: a colour is {', '.join(COLORS)} or #rrggbb, not {color!r}")


def _dark_squares() -> str:
    # Dark squares lie alike from both sides.
    corners = (_center(square, flipped=False) for square in range(1, 51))
    return "".join(f"M{x - 50} {y - 50}h100v100h-100z" for x, y in corners)


def _last_squares(board: Board, last_move: object) -> tuple[int, ...]:
    if last_move is False or last_move is None:
        return ()
    if last_move is True:
        if not board.moves:
            return ()
        last_move = board.moves[-1]
    if isinstance(last_move, Move):
        return tuple({last_move.from_square, last_move.to_square})
    squares = _parts(last_move)
    if len(squares) == 2:
        return tuple({_checked_square(square, "last_move") for square in squares})
    raise ValueError(f"last_move is a move, two squares, True or False, not {last_move!r}")


def _tints(squares: Sequence[int], flipped: bool) -> str:
    return "".join(_tint(square, _LAST_MOVE, flipped, 1) for square in sorted(squares))


def _tint(square: int, color: str, flipped: bool, opacity: float) -> str:
    x, y = _center(square, flipped)
    return f'<path fill="{color}" fill-opacity="{opacity}" d="M{x - 50} {y - 50}h100v100h-100z"/>'


def _numbers_inside(flipped: bool) -> str:
    texts: list[str] = []
    for square in range(1, 51):
        x, y = _center(square, flipped)
        texts.append(f'<text x="{x - 46}" y="{y - 34}">{square}</text>')
    return f'<g font-family="{_FONT}" font-size="16" fill="{NUMBER}">{"".join(texts)}</g>'


def _numbers_at_edge(flipped: bool) -> str:
    texts: list[str] = []
    for square in range(1, 51):
        x, y = _center(square, flipped)
        # A corner square is numbered at top or bottom; 5 and 46 sit in corners and in the outer columns both.
        if y in (50, 950):
            texts.append(f'<text x="{x}" y="{-14 if y == 50 else 1031}">{square}</text>')
        elif x in (50, 950):
            texts.append(f'<text x="{-22 if x == 50 else 1022}" y="{y + 8}">{square}</text>')
    return f'<g font-family="{_FONT}" font-size="24" text-anchor="middle" fill="{EDGE_NUMBER}">{"".join(texts)}</g>'


def _large_numbers(board: Board, flipped: bool, dotted: Set[int]) -> str:
    """Over pieces and arrows, and not where a dot would cover them."""
    blacks = frozenset(board.pieces(Color.BLACK))
    kings = frozenset(board.pieces(king=True))
    texts: list[str] = []
    for square in sorted(set(range(1, 51)) - dotted):
        x, y = _center(square, flipped)
        fill = f' fill="{NUMBER_ON_BLACK}"' if square in blacks else ""
        texts.append(f'<text x="{x}" y="{y + (5 if square in kings else 11)}"{fill}>{square}</text>')
    return (
        f'<g font-family="{_FONT}" font-size="36" font-weight="600" text-anchor="middle" fill="{NUMBER}">'
        f"{''.join(texts)}</g>"
    )


# --- Pieces -------------------------------------------------------------------------------------------------------


def _definitions() -> str:
    # Each piece is drawn once and used by name. The names hold for every picture on a page: all define the same.
    definitions = "".join(
        f'<g id="damier-{color.letter}{"K" if king else "M"}">{_piece(color, king)}</g>'
        for color in (Color.WHITE, Color.BLACK)
        for king in (False, True)
    )
    shades = "".join(_shades(color) for color in (Color.WHITE, Color.BLACK))
    shadow = (
        f'<radialGradient id="damier-shadow"><stop offset=".8" stop-color="{_SHADOW}" stop-opacity=".45"/>'
        f'<stop offset="1" stop-color="{_SHADOW}" stop-opacity="0"/></radialGradient>'
    )
    return f"<defs>{shades}{shadow}{definitions}</defs>"


def _shades(color: Color) -> str:
    """The light on a rim falls from above, that in a hollow comes back from below."""
    look = _LOOKS[color]
    return "".join(
        f'<linearGradient id="damier-{color.letter}-{part}" x2="0" y2="1"><stop stop-color="{top}"/>'
        f'<stop offset="1" stop-color="{bottom}"/></linearGradient>'
        for part, top, bottom in (("rim", look.light, look.shade), ("hollow", look.shade, look.light))
    )


def _pieces(board: Board, flipped: bool) -> str:
    uses: list[tuple[int, int, str]] = []
    for color in (Color.WHITE, Color.BLACK):
        for king in (False, True):
            name = f"damier-{color.letter}{'K' if king else 'M'}"
            centers = (_center(square, flipped) for square in board.pieces(color, king))
            uses += [(y, x, name) for x, y in centers]
    # From the far side to the near one, so that shadows fall on the row behind.
    return "".join(f'<use href="#{name}" x="{x}" y="{y}"/>' for y, x, name in sorted(uses))


def _piece(color: Color, king: bool) -> str:
    shadow = f'<ellipse cy="{12 if king else 6}" rx="46" ry="44" fill="url(#damier-shadow)"/>'
    return shadow + (_base(color, 7) + _disc(color, -7) if king else _disc(color, -2))


def _disc(color: Color, y: int) -> str:
    """One disc, its face centred on (0, y)."""
    look, name = _LOOKS[color], f"damier-{color.letter}"
    grooves = "".join(
        f'<circle cy="{y}" r="{40 * groove:g}" fill="url(#{name}-{part})" stroke="{look.groove}" stroke-width="2.4"/>'
        for groove, part in zip(look.grooves, ("hollow", "rim"), strict=False)
    )
    return _face(color, y, "rim") + grooves


def _base(color: Color, y: int) -> str:
    """The lower disc of a king: of its face only the front of the rim is seen, which is lit so that a small one shows."""
    return _face(color, y, "hollow")


def _face(color: Color, y: int, part: str) -> str:
    look = _LOOKS[color]
    return (
        f'<circle cy="{y + 4}" r="40" fill="{look.edge}"/><circle cy="{y}" r="40" '
        f'fill="url(#damier-{color.letter}-{part})" stroke="{look.rim}" stroke-width="1.6"/>'
    )


# --- Arrows and marks ---------------------------------------------------------------------------------------------


def _checked_mark(mark: object) -> tuple[int, str, str]:
    square, *rest = _parts(mark) or (mark,)
    if len(rest) > 2:
        raise ValueError(f"a mark is a square, then a shape and a colour if wanted, not {mark!r}")
    shape = rest[0] if rest else "ring"
    if not isinstance(shape, str) or shape not in _SHAPES:
        raise ValueError(f"marks: a shape is {', '.join(_SHAPES)}, not {shape!r}")
    color = rest[1] if len(rest) > 1 else "green"
    return _checked_square(square, "marks"), shape, _checked_color(color, "marks")


def _mark(square: int, shape: str, color: str, flipped: bool) -> str:
    x, y = _center(square, flipped)
    if shape == "square":
        return _tint(square, color, flipped, 0.6)
    if shape == "dot":
        return f'<circle cx="{x}" cy="{y}" r="13" fill="{color}" stroke="#fff" stroke-width="3"/>'
    if shape == "ring":
        path = f'<circle cx="{x}" cy="{y}" r="44"/>'
    else:
        path = f'<path d="M{x - 20} {y - 20}l40 40m0-40l-40 40"/>'
    return (
        f'<g fill="none" stroke-linecap="round"><g stroke="#fff" stroke-opacity=".8" stroke-width="10">{path}</g>'
        f'<g stroke="{color}" stroke-width="6">{path}</g></g>'
    )


def _checked_arrow(arrow: object) -> tuple[list[int], str]:
    way = list(_parts(arrow))
    color: object = way.pop() if way and isinstance(way[-1], str) else "green"
    squares = [_checked_square(square, "arrows") for square in way]
    if len(squares) < 2:
        raise ValueError(f"an arrow is a way of two squares or more, not {arrow!r}")
    if any(a == b for a, b in pairwise(squares)):
        raise ValueError(f"an arrow leads from a square to another one: {arrow!r}")
    return squares, _checked_color(color, "arrows")


def _arrow(way: Sequence[int], color: str, flipped: bool) -> str:
    points = [_center(square, flipped) for square in way]
    (x0, y0), (x1, y1) = points[-2], points[-1]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    neck_x, neck_y = x1 - 34 * ux, y1 - 34 * uy
    line = " ".join(f"{x},{y}" for x, y in points[:-1]) + f" {neck_x:.1f},{neck_y:.1f}"
    head = " ".join(
        f"{x:.1f},{y:.1f}"
        for x, y in ((x1, y1), (neck_x - 22 * uy, neck_y + 22 * ux), (neck_x + 22 * uy, neck_y - 22 * ux))
    )
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="11"/>' for x, y in points[:-1])
    # One group with one opacity, so that overlapping parts do not show.
    return (
        f'<g opacity=".85" fill="{color}"><polyline points="{line}" fill="none" stroke="{color}" stroke-width="13" '
        f'stroke-linejoin="round"/><polygon points="{head}"/>{dots}</g>'
    )
