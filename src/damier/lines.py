"""The lines of the board: which squares see each other along a diagonal.

For reading moves and for saying why one is illegal; legal moves themselves come from the kernel alone.
"""

from __future__ import annotations

from damier.board import Color

__all__ = ["RAYS", "between", "far_row", "place", "row_step"]

_DIRECTIONS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def place(square: int) -> tuple[int, int]:
    """Row and column of a square, 0 to 9 from the upper left corner with White at the bottom.

    >>> place(1), place(46)
    ((0, 1), (9, 0))
    """
    row, index = divmod(square - 1, 5)
    return row, 2 * index + (row % 2 == 0)


def _ray(square: int, rows: int, columns: int) -> tuple[int, ...]:
    row, column = place(square)
    squares: list[int] = []
    while 0 <= (row := row + rows) < 10 and 0 <= (column := column + columns) < 10:
        squares.append(row * 5 + column // 2 + 1)
    return tuple(squares)


RAYS: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((),) * 4,
    *(tuple(_ray(square, *direction) for direction in _DIRECTIONS) for square in range(1, 51)),
)
"""``RAYS[square]``: the squares from there to the edge, nearest first: up left, up right, down left, down right.

Direction ``3 - d`` is the opposite of direction ``d``.
"""


def between(start: int, target: int) -> tuple[int, ...] | None:
    """The squares strictly between two squares of one diagonal, from ``start`` on; None if they share no diagonal.

    >>> between(46, 28), between(28, 32), between(28, 27)
    ((41, 37, 32), (), None)
    """
    for ray in RAYS[start]:
        if target in ray:
            return ray[: ray.index(target)]
    return None


def row_step(start: int, target: int, color: Color) -> int:
    """How many rows a piece of ``color`` comes forward from ``start`` to ``target``; negative if it goes back.

    >>> row_step(32, 28, Color.WHITE), row_step(32, 28, Color.BLACK)
    (1, -1)
    """
    rows = place(start)[0] - place(target)[0]
    return rows if color is Color.WHITE else -rows


def far_row(color: Color) -> range:
    """The squares on which a man of ``color`` becomes a king.

    >>> far_row(Color.WHITE)
    range(1, 6)
    """
    return range(1, 6) if color is Color.WHITE else range(46, 51)
