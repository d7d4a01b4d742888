"""Nodes per second of the search, one thread, against dame-rs' engine: `python benchmarks/search.py`.

A node is a position that the search enters, in both programs; what they do at a node differs. What counts in the end
is the result of a match at equal time; this keeps an eye on the speed.
"""

from __future__ import annotations

from statistics import median

import dame

import damier
from damier.engine import Engine, Limit

ROUNDS = 7
SECONDS = 0.5
POSITIONS = {
    "start": "W:W31-50:B1-20",
    "middle game": "W:W25,27,28,32,33,35,36,37,38,39,43,45,47,48:B7,8,9,11,12,13,14,16,18,19,20,23,24,26",
    "ending with kings": "W:WK5,33,38,43:BK47,9,14,18",
}


def ours(fen: str) -> float:
    result = Engine(hash_mb=64).search(damier.Board(fen), Limit(time=SECONDS))
    return result.nodes / result.time


def theirs(fen: str) -> float:
    result = dame.Engine(hash_mb=64).search(dame.Board(fen), time=SECONDS)
    return result.nodes / result.elapsed


def compare(what: str, fen: str) -> None:
    for each in (ours, theirs):  # the first search of each pays for its table
        each(fen)
    pairs = [(ours(fen), theirs(fen)) for _ in range(ROUNDS)]
    ratios = sorted(own / peer for own, peer in pairs)
    print(
        f"nodes per second, {what}: {median(ratios):.2f}x dame-rs' engine "
        f"({ROUNDS} rounds from {ratios[0]:.2f}x to {ratios[-1]:.2f}x; ours {median(own for own, _ in pairs) / 1e6:.2f} million, "
        f"theirs {median(peer for _, peer in pairs) / 1e6:.2f} million)",
        flush=True,
    )


if __name__ == "__main__":
    for what, fen in POSITIONS.items():
        compare(what, fen)
