"""A board as text, for terminals, logs and mail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from damier import Color

if TYPE_CHECKING:
    from damier import Board

__all__ = ["board_text"]

_LETTERS = {(Color.WHITE, False): "w", (Color.WHITE, True): "W", (Color.BLACK, False): "b", (Color.BLACK, True): "B"}
_DISCS = {(Color.WHITE, False): "⛀", (Color.WHITE, True): "⛁", (Color.BLACK, False): "⛂", (Color.BLACK, True): "⛃"}


def board_text(
    board: Board,
    *,
    numbers: bool = False,
    orientation: Color | Literal["white", "black"] = "white",
    discs: bool = False,
) -> str:
    """The board in ten lines: ``w`` and ``b`` men, ``W`` and ``B`` kings, ``.`` an empty dark square.

    ``numbers`` puts the first and the last square of each row beside it; ``orientation`` says whose side is at
    the bottom; ``discs`` uses the draughts signs of Unicode, which not every terminal shows well.

    >>> from damier import Board
    >>> print(board_text(Board("W:W31,32,K50:B1,K20"), numbers=True))
     1     b   .   .   .   .    5
     6   .   .   .   .   .     10
    11     .   .   .   .   .   15
    16   .   .   .   .   B     20
    21     .   .   .   .   .   25
    26   .   .   .   .   .     30
    31     w   w   .   .   .   35
    36   .   .   .   .   .     40
    41     .   .   .   .   .   45
    46   .   .   .   .   W     50
    """
    signs = _DISCS if discs else _LETTERS
    if orientation in ("white", Color.WHITE):
        flipped = False
    elif orientation in ("black", Color.BLACK):
        flipped = True
    else:
        raise ValueError(f'orientation is "white" or "black", not {orientation!r}')
    lines: list[str] = []
    for first in range(1, 51, 5):
        row = list(range(first, first + 5))
        if flipped:
            row.reverse()
        cells: list[str] = []
        for square in row:
            piece = board[square]
            cells.append("." if piece is None else signs[piece.color, piece.king])
        # Rows begin with a light square when their first number ends in 1, seen from White; from Black the others do.
        line = "   ".join(cells)
        line = f"  {line}" if (first % 10 == 1) is not flipped else f"{line}  "
        lines.append(f"{row[0]:2}   {line}   {row[-1]:2}" if numbers else line.rstrip())
    if flipped:
        lines.reverse()
    return "\n".join(lines)
