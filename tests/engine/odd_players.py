"""Players for the tests of matches: scripted ones, and odd ones that are real processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from damier import Board
from damier.engine import Limit, Score, SearchResult
from damier.engine.match import (
    Adjudication,
    Conditions,
    Player,
    PlayerSpec,
    Setup,
    named_apart,
    player_of,
    shipped,
    shuffled,
)

# Engines that do something at their third search, and what they find is the first legal move.
ODD = """
import os, sys, time
from damier.engine import Score, SearchResult
class Engine:
    name = "Odd"
    searches = 0
    def search(self, board, limit):
        print("thinking")  # on the output that others' engines use to talk
        self.searches += 1
        if self.searches >= 3:
            {then}
        move = board.legal_moves[0]
        return SearchResult(move, Score.centi(0), 1, 1, 0.0, (move,))
def never():
    raise RuntimeError("no licence")
"""
QUICK = Conditions(Limit(nodes=200), adjudication=Adjudication(most_plies=30))


class Scripted:
    """Plays the first legal move, or the last, and says what it is told to say."""

    def __init__(self, scores: Iterator[Score] | None = None, *, last: bool = False, seconds: float = 0.0) -> None:
        self._scores, self._place, self._seconds = scores, -1 if last else 0, seconds

    def search(self, board: Board, limit: Limit) -> SearchResult:
        time.sleep(self._seconds)
        move = board.legal_moves[self._place]
        score = next(self._scores) if self._scores is not None else Score.centi(300)
        return SearchResult(move, score, 1, 1, 0.0, (move,))


def odd(folder: Path, then: str) -> PlayerSpec:
    file = folder / "odd.py"
    file.write_text(ODD.format(then=then))
    return PlayerSpec.read(f"object:{file}:Engine")


def scripted() -> Player:
    return player_of(Scripted(), "scripted")


def setup_of(*specs: str, conditions: Conditions = QUICK) -> Setup:
    players = tuple(map(PlayerSpec.read, specs))
    return Setup(players, tuple(named_apart(players)), conditions, tuple(shuffled(shipped(), 0)))
