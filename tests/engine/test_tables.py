"""Endgame tables: published counts, every value against the moves, and what becomes of damaged files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from damier import Board, Color
from damier._kernel import EndgameTables
from damier.engine import Tables, Wdl
from damier.engine.tables_build import Material, materials
from damier.notation.fen import masks_fen

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent.parent / "vectors" / "endgames.json").read_text())[
    "international"
]


def _name(case: dict[str, Any]) -> str:
    white, black = case["white"], case["black"]
    return Material(white["kings"], white["men"], black["kings"], black["men"]).name


@pytest.fixture(scope="module", params=["international", "crown-and-continue"])
def solved(request: pytest.FixtureRequest) -> tuple[str, EndgameTables]:
    """Two and three pieces, made here."""
    known = EndgameTables(request.param == "crown-and-continue")
    for pieces in (2, 3):
        for group in materials(pieces):
            made = [table for material in group for table in known.solve(material.name, True)]
            for name, values, distances in made:
                assert distances is not None
                known.add(name, values)
                known.add(name, distances, distances=True)
    return request.param, known


@pytest.mark.parametrize("case", VECTORS, ids=_name)
def test_published_counts(case: dict[str, Any], solved: tuple[str, EndgameTables]) -> None:
    moves, known = solved
    if moves != "international":
        pytest.skip("published for the official rules")
    positions, wins, draws, losses, longest_win, longest_loss = known.census(_name(case), True)
    assert (positions, wins, draws, losses) == (case["positions"], case["win"], case["draw"], case["loss"])
    win = None if longest_win is None else longest_win[0]
    assert win == case["longest_win_plies"]
    assert (0 if longest_win is None else longest_win[1]) == (case["longest_win_count"] or 0)
    assert (None if longest_loss is None else longest_loss[0]) == case["longest_loss_plies"]
    for kind in ("win", "loss"):
        fen = case[f"longest_{kind}_fen"]
        if fen is not None:
            board = Board(fen)
            assert (known.probe(board), known.distance(board)) == (
                1 if kind == "win" else -1,
                case[f"longest_{kind}_plies"],
            )


@pytest.mark.parametrize("material", [each for n in (2, 3) for group in materials(n) for m in group for each in m.pair])
@pytest.mark.parametrize("exact", [False, True])
def test_every_value_follows_from_the_moves(material: Material, exact: bool, solved: tuple[str, EndgameTables]) -> None:
    assert solved[1].find_fault(material.name, exact) is None


def test_a_wrong_value_is_found() -> None:
    known = EndgameTables(False)
    for name, values, distances in known.solve("KvK", True):
        assert distances is not None
        wrong = bytearray(values)
        wrong[100] ^= 1
        known.add(name, bytes(wrong))
        known.add(name, distances[:500] + bytes([distances[500] ^ 2]) + distances[501:], distances=True)
    for exact in (False, True):
        fault = known.find_fault("KvK", exact)
        assert fault is not None
        assert masks_fen(*fault, False).startswith("W:WK")


def _position(chance: random.Random, pieces: int, rules: str) -> Board:
    while True:
        squares = chance.sample(range(1, 51), pieces)
        own = chance.randint(1, pieces - 1)
        sides: list[str] = []
        for color, held, far in (
            (Color.WHITE, squares[:own], range(1, 6)),
            (Color.BLACK, squares[own:], range(46, 51)),
        ):
            marked = ("K" * (square in far or chance.random() < 0.5) + str(square) for square in held)
            sides.append(color.letter + ",".join(marked))
        return Board(f"{chance.choice('WB')}:{':'.join(sides)}", rules)


def _expected(tables: Tables, board: Board) -> tuple[Wdl, int | None]:
    """By the board's own moves, and the tables' word on what follows."""
    best: tuple[int, Wdl, int | None] = (-999, Wdl.LOSS, 0)
    for move in board.legal_moves:
        board.push(move)
        value, distance = tables.probe(board), tables.distance(board)
        board.pop()
        assert value is not None
        plies = None if distance is None else distance + 1
        rank = {Wdl.WIN: -500 + (plies or 0), Wdl.DRAW: 0, Wdl.LOSS: 500 - (plies or 0)}[value]
        best = max(best, (rank, value.reverse, plies), key=lambda each: each[0])
    return best[1], best[2]


@pytest.mark.parametrize("rules", ["official", "leaflet", "classic", "club"])
@pytest.mark.parametrize("pieces", [2, 3, 4])
def test_shipped(rules: str, pieces: int) -> None:
    """Captures and colours too: through the board, whose generator is another matter than the tables' own."""
    tables = Tables.default(rules)
    assert (tables.pieces, tables.pieces_with_distance) == (4, 4)
    chance = random.Random(f"{rules} {pieces}")
    seen: set[Wdl] = set()
    for _ in range(300):
        board = _position(chance, pieces, rules)
        value = tables.probe(board)
        assert (value, tables.distance(board)) == _expected(tables, board), board.fen()
        assert value is not None
        seen.add(value)
    assert seen == set(Wdl)


def test_shipped_equal_those_made_here(solved: tuple[str, EndgameTables]) -> None:
    moves, known = solved
    rules = "official" if moves == "international" else "club"
    tables = Tables.default(rules)
    chance = random.Random(moves)
    for _ in range(2000):
        board = _position(chance, chance.randint(2, 3), rules)
        value = tables.probe(board)
        assert value is not None
        assert known.probe(board) == {Wdl.WIN: 1, Wdl.DRAW: 0, Wdl.LOSS: -1}[value]
        distance = tables.distance(board)
        assert known.distance(board) == (255 if distance is None else distance)


def test_boards_beyond_the_tables() -> None:
    tables = Tables.default()
    assert tables.probe(Board()) is None
    assert tables.rank(Board()) is None
    assert tables.best_move(Board()) is None
    assert tables.probe(Board("W:WK6,K28,39:BK50", "club")) is None, "another way to capture"
    nothing = Board("W:WK6:B")
    assert (tables.probe(nothing), tables.distance(nothing)) == (Wdl.WIN, 1)
    lost = Board("B:WK6:B")
    assert (tables.probe(lost), tables.distance(lost), tables.best_move(lost)) == (Wdl.LOSS, 0, None)


def test_materials_are_all_there() -> None:
    for pieces in range(2, 7):
        names = [each.name for group in materials(pieces) for material in group for each in material.pair]
        assert len(names) == len(set(names))
        assert len(names) == sum((own + 1) * (pieces - own + 1) for own in range(1, pieces))
