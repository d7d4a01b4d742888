"""The kernel against published figures: perft counts and lists of legal moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from damier import Board, perft

VECTORS = Path(__file__).parent.parent / "vectors"
PERFT: dict[str, Any] = json.loads((VECTORS / "perft.json").read_text())

# Counts beyond the first figure belong to the long run, beyond the second to nobody's.
NORMAL_LEAVES, LONG_LEAVES = 300_000_000, 11_000_000_000
# Counting every way of a capture lists the moves of the last ply, and is slower by as much.
WAYS_COST = 8


def _cases() -> list[Any]:
    lists = [
        (Board().fen(), rules, counts == "keep_duplicates", figures)
        for rules, both in PERFT["start"].items()
        for counts, figures in both.items()
    ]
    lists += [(each["fen"], "official", each["mode"] == "keep", each["perft"]) for each in PERFT["positions"]]
    cases: list[Any] = []
    for fen, rules, duplicates, figures in lists:
        for depth, leaves in enumerate(figures, start=1):
            cost = leaves * (WAYS_COST if duplicates else 1)
            marks = [pytest.mark.long] if cost > NORMAL_LEAVES else []
            if cost <= LONG_LEAVES:
                cases.append(pytest.param(fen, rules, duplicates, depth, leaves, marks=marks))
    return cases


@pytest.mark.parametrize(("fen", "rules", "duplicates", "depth", "leaves"), _cases())
def test_perft(fen: str, rules: str, duplicates: bool, depth: int, leaves: int) -> None:
    assert perft(Board(fen, rules), depth, duplicates=duplicates) == leaves


def _moves(board: Board) -> list[tuple[int, int, tuple[int, ...]]]:
    return sorted((move.from_square, move.to_square, move.captured) for move in board.legal_moves)


def _expected(moves: list[dict[str, Any]]) -> list[tuple[int, int, tuple[int, ...]]]:
    return sorted((move["from"], move["to"], tuple(sorted(move["captured"]))) for move in moves)


@pytest.mark.parametrize("case", json.loads((VECTORS / "legal_moves.json").read_text()), ids=lambda case: case["why"])
def test_legal_moves(case: dict[str, Any]) -> None:
    assert _moves(Board(case["fen"])) == _expected(case["moves"])


@pytest.mark.parametrize(
    "case", json.loads((VECTORS / "crown_and_continue.json").read_text()), ids=lambda case: case["why"]
)
def test_crown_and_continue(case: dict[str, Any]) -> None:
    assert _moves(Board(case["fen"])) == _expected(case["moves_official"])
    assert _moves(Board(case["fen"], rules="club")) == _expected(case["moves_midpromo"])
