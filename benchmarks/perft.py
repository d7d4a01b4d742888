"""perft(9) from the start, one thread, against dame-rs: `python benchmarks/perft.py`."""

from __future__ import annotations

import dame
from compare import report, seconds

import damier

DEPTH = 9
LEAVES = 41022423


def ours() -> float:
    board = damier.Board()
    leaves = 0

    def count() -> None:
        nonlocal leaves
        leaves = damier.perft(board, DEPTH)

    taken = seconds(count)
    assert leaves == LEAVES, leaves
    return taken


def theirs() -> float:
    board = dame.Board()
    leaves = 0

    def count() -> None:
        nonlocal leaves
        leaves = dame.perft(board, DEPTH)

    taken = seconds(count)
    assert leaves == LEAVES, leaves
    return taken


if __name__ == "__main__":
    report(f"perft({DEPTH})", ours, "dame-rs dame.perft", theirs, 25)
