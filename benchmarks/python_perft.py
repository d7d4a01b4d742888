"""perft(6) driven from Python, move by move, against dame-rs and py-draughts: `python benchmarks/python_perft.py`."""

from __future__ import annotations

import dame
import draughts
from compare import report, seconds

import damier

DEPTH = 6
LEAVES = 167140


def walk(board: damier.Board, depth: int) -> int:
    moves = board.legal_moves
    if depth == 1:
        return len(moves)
    leaves = 0
    for move in moves:
        board.push(move)
        leaves += walk(board, depth - 1)
        board.pop()
    return leaves


def walk_peer(board: dame.Board | draughts.Board, depth: int) -> int:
    """The same for the peers, whose moves are no list of one's own to walk while the board changes."""
    moves = list(board.legal_moves)
    if depth == 1:
        return len(moves)
    leaves = 0
    for move in moves:
        board.push(move)
        leaves += walk_peer(board, depth - 1)
        board.pop()
    return leaves


def ours() -> float:
    board = damier.Board()
    return seconds(lambda: checked(walk(board, DEPTH)))


def dame_rs() -> float:
    board = dame.Board()
    return seconds(lambda: checked(walk_peer(board, DEPTH)))


def py_draughts() -> float:
    board = draughts.Board()
    return seconds(lambda: checked(walk_peer(board, DEPTH)))


def checked(leaves: int) -> None:
    assert leaves == LEAVES, leaves


if __name__ == "__main__":
    report(f"perft({DEPTH}) from Python", ours, "dame-rs", dame_rs, 5)
    report(f"perft({DEPTH}) from Python", ours, "py-draughts", py_draughts, 35)
