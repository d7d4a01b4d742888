"""A second move generator, to judge the kernel by: a plain mailbox, written from RULES alone and sharing nothing.

A board is a list of 51 characters, indexed by square number (index 0 is unused): ``.`` empty, ``w`` and ``b`` men,
``W`` and ``B`` kings. A move is ``(from, to, captured squares in order, crowned)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

Board = list[str]
Move = tuple[int, int, tuple[int, ...], bool]

UP, DOWN = (-1, 1), (1, -1)  # row steps, each side's own forward first
FAR_ROW = {"w": range(1, 6), "b": range(46, 51)}


def _square(row: int, column: int) -> int:
    """The number of a dark square, 0 beyond the board's edge."""
    return row * 5 + column // 2 + 1 if 0 <= row < 10 and 0 <= column < 10 else 0


def _ray(square: int, rows: int, columns: int) -> tuple[int, ...]:
    row = (square - 1) // 5
    column = (square - 1) % 5 * 2 + (row % 2 == 0)
    squares: list[int] = []
    while following := _square(row := row + rows, column := column + columns):
        squares.append(following)
    return tuple(squares)


# The squares from each square (itself left out) to the edge, in the four directions; the first two lead towards 1.
RAYS = [[_ray(square, rows, columns) for rows in UP for columns in UP] for square in range(51)]
FORWARD = {"w": slice(0, 2), "b": slice(2, 4)}
assert all(not ray or ray[0] < square for square in range(1, 51) for ray in RAYS[square][:2])


def legal_moves(board: Board, turn: str, in_passing: bool) -> set[Move]:
    """All legal moves of ``turn`` (``w`` or ``b``); ``in_passing``: a man is crowned in the middle of a capture."""
    pieces = [square for square in range(1, 51) if board[square].lower() == turn]
    position = "".join(board)
    best: frozenset[Move] = frozenset()
    most = 0
    for square in pieces:
        taken, moves = _captures(position, square, turn, in_passing and board[square] == turn)
        if taken > most:
            most, best = taken, moves
        elif taken == most:
            best |= moves
    return set(best) if most else {move for square in pieces for move in _quiet_moves(board, square, turn)}


def _quiet_moves(board: Board, square: int, turn: str) -> Iterator[Move]:
    king = board[square].isupper()
    for ray in RAYS[square] if king else RAYS[square][FORWARD[turn]]:
        for target in ray if king else ray[:1]:
            if board[target] != ".":
                break
            yield square, target, (), not king and target in FAR_ROW[turn]


@lru_cache(maxsize=64)  # those of kings are the same under both rules, which are asked for one after the other
def _captures(position: str, start: int, turn: str, in_passing: bool) -> tuple[int, frozenset[Move]]:
    """How many pieces the longest captures of one piece take, and those captures.

    All half-made captures of one length are held at once, so that the many orders of the same captures cost no more
    than one. A half-made capture is where the piece stands, what it has taken, and whether it is a king by now.
    """
    was_king = position[start].isupper()
    board = [*position[:start], ".", *position[start + 1 :]]
    enemies = "bB" if turn == "w" else "wW"
    reached = {(start, 0, was_king)}
    length = 0
    while True:
        following: set[tuple[int, int, bool]] = set()
        for square, taken, king in reached:
            for victim, target in (_king_leaps if king else _man_leaps)(board, square, taken, enemies):
                crowned = king or (in_passing and target in FAR_ROW[turn])
                following.add((target, taken | 1 << victim, crowned))
        if not following:
            break
        reached = following
        length += 1
    moves: set[Move] = set()
    for square, taken, king in reached:
        captured = tuple(victim for victim in range(1, 51) if taken >> victim & 1)
        moves.add((start, square, captured, not was_king and (king or square in FAR_ROW[turn])))
    return length, frozenset(moves if length else ())


def _man_leaps(board: Board, square: int, taken: int, enemies: str) -> Iterator[tuple[int, int]]:
    for ray in RAYS[square]:
        if len(ray) > 1 and board[ray[0]] in enemies and board[ray[1]] == "." and not taken >> ray[0] & 1:
            yield ray[0], ray[1]


def _king_leaps(board: Board, square: int, taken: int, enemies: str) -> Iterator[tuple[int, int]]:
    for ray in RAYS[square]:
        victim = 0
        for target in ray:
            if board[target] == ".":
                if victim:
                    yield victim, target
            elif victim or board[target] not in enemies or taken >> target & 1:
                break
            else:
                victim = target


def play(board: Board, move: Move) -> Board:
    """The board after a move."""
    start, target, captured, crowned = move
    after = board.copy()
    after[start] = "."
    for square in captured:
        after[square] = "."
    after[target] = board[start].upper() if crowned else board[start]
    return after


def perft(board: Board, turn: str, depth: int, in_passing: bool) -> int:
    """The number of games of ``depth`` plies."""
    moves = legal_moves(board, turn, in_passing)
    if depth == 1:
        return len(moves)
    return sum(perft(play(board, move), "wb"[turn == "w"], depth - 1, in_passing) for move in moves)
