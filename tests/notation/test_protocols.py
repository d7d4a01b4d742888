"""Hub and DamExchange: positions and moves there and back, and everything that is neither."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import Board, DamierError, IllegalMove, Move
from damier.notation import dxp, hub
from damier.notation.dxp import BadDxp, DxpMove
from damier.notation.hub import BadHub
from tests.notation.games import unhurried
from tests.notation.positions import boards, played_boards

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "vectors/notation.json").read_text())
START = "b" * 20 + "e" * 10 + "w" * 20


@unhurried
@given(st.one_of(boards(), played_boards()))
def test_positions_there_and_back(board: Board) -> None:
    for version in (1, 2):
        text = hub.write_position(board, version=version)
        assert len(text) == 51
        assert hub.read_position(text).position == board.position
    text = dxp.write_position(board)
    assert len(text) == 51
    assert dxp.read_position(text).position == board.position


@unhurried
@given(played_boards(), st.randoms(use_true_random=False))
def test_moves_there_and_back(board: Board, shuffler: random.Random) -> None:
    for move in board.legal_moves:
        assert hub.read_move(board, hub.write_move(move)) == move
        message = dxp.write_move(move, 7.9)
        assert dxp.read_move(board, message) == DxpMove(move, 7)
        captured = list(move.captured)
        shuffler.shuffle(captured)  # any order will do
        if captured:
            squares = [move.from_square, move.to_square, *captured]
            assert hub.read_move(board, "x".join(map(str, squares))) == move
        tail = "".join(f"{square:02}" for square in captured)
        assert dxp.read_move(board, message[:11] + tail).move == move


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["fen"])
def test_published_hub_moves(vector: dict[str, Any]) -> None:
    board = Board(vector["fen"])
    for facts in vector["moves"]:
        move = hub.read_move(board, facts.get("hub", facts["short"]))
        assert (move.from_square, move.to_square, list(move.captured)) == (
            facts["from"],
            facts["to"],
            facts["captured"],
        )
        assert dxp.read_move(board, dxp.write_move(move)).move == move


def test_published_dxp_messages() -> None:
    assert dxp.read_move(Board("B:W31:B6"), "M0012061100") == DxpMove(Move(6, 11), 12)
    (move,) = (board := Board("B:W12,20,22,23:BK5")).legal_moves
    assert dxp.read_move(board, "M001205250422122320") == DxpMove(move, 12)


def test_the_start_in_both_protocols() -> None:
    assert hub.write_position(Board()) == "W" + START
    assert hub.write_position(Board(), version=1) == "w" + START
    assert dxp.write_position(Board("B:W31-50:B1-20")) == "Z" + START.replace("b", "z")
    assert hub.read_position("w" + START, rules="club").rules.name == "club"
    assert dxp.read_position("W" + START.replace("b", "z"), rules="club").rules.name == "club"


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", "length", None),
        ("W", "length", None),
        ("W" + START + "e", "length", None),
        ("x" + START, "no_side", 0),
        ("?" + START, "no_side", 0),
        ("W" + START.replace("e", "z", 1), "no_piece", 21),
        ("W" + START.replace("e", " ", 1), "no_piece", 21),
        ("W" + START.replace("e", "é", 1), "no_piece", 21),
        ("W" + "eeew" + "e" * 46, "man_on_far_row", 4),
        ("B" + "e" * 49 + "b", "man_on_far_row", 50),
        ("B" + START.replace("e", "W", 1), "too_many", None),
        ("B" + START.replace("e", "b", 1), "too_many", None),
    ],
)
def test_what_is_no_position(text: str, code: str, position: int | None) -> None:
    with pytest.raises(BadHub) as hub_error:
        hub.read_position(text)
    assert (hub_error.value.code, hub_error.value.position, hub_error.value.text) == (code, position, text)
    swapped = text.translate({ord("b"): "z", ord("B"): "Z", ord("z"): "y"})
    with pytest.raises(BadDxp) as dxp_error:
        dxp.read_position(swapped)
    assert (dxp_error.value.code, dxp_error.value.position) == (code, position)
    again = pickle.loads(pickle.dumps(dxp_error.value))
    assert (str(again), again.code, again.text) == (str(dxp_error.value), code, swapped)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_a_move"),
        ("32", "not_a_move"),
        ("32-", "not_a_move"),
        ("32-28 ", "not_a_move"),
        (" 32-28", "not_a_move"),
        ("32x28", "not_a_move"),  # a capture names what it takes
        ("32-28-23", "not_a_move"),
        ("3228", "not_a_move"),
        ("32:28:23", "not_a_move"),
        ("٣٢-٢٨", "not_a_move"),
        ("32-28\n", "not_a_move"),
        ("1x2" * 100, "not_a_move"),
        ("x".join(["1"] * 5000), "not_a_move"),
        ("0-28", "off_board"),
        ("32-51", "off_board"),
        ("32x28x99", "off_board"),
        ("32x21x27x27", "taken_twice"),
    ],
)
def test_what_is_no_hub_move(text: str, code: str) -> None:
    with pytest.raises(BadHub) as caught:
        hub.read_move(Board(), text)
    assert caught.value.code == code
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_a_move"),
        ("M", "not_a_move"),
        ("m0000322800", "not_a_move"),
        ("M000032280", "not_a_move"),
        ("M00003228000", "not_a_move"),
        ("M0000322800\0", "not_a_move"),
        ("M0000 3228 00", "not_a_move"),
        ("M٠٠٠٠322800", "not_a_move"),
        ("M0000322801", "wrong_count"),
        ("M000032280023", "wrong_count"),
        ("M0000002800", "off_board"),
        ("M0000325100", "off_board"),
        ("M000032280199", "off_board"),
        ("M00003228022323", "taken_twice"),
    ],
)
def test_what_is_no_dxp_move(text: str, code: str) -> None:
    with pytest.raises(BadDxp) as caught:
        dxp.read_move(Board(), text)
    assert caught.value.code == code


def test_moves_that_are_not_legal_say_why() -> None:
    with pytest.raises(IllegalMove) as caught:
        hub.read_move(Board(), "32-23")
    assert caught.value.reason is not None
    with pytest.raises(IllegalMove):
        dxp.read_move(Board(), "M0000322300")
    # Start and target of a legal capture, but not what it takes.
    board = Board("W:W28:B23")
    for read, text in ((hub.read_move, "28-19"), (hub.read_move, "28x19x24"), (hub.read_move, "28x19x23x24")):
        with pytest.raises(IllegalMove):
            read(board, text)
    with pytest.raises(IllegalMove):
        dxp.read_move(board, "M0000281900")


def test_a_list_of_moves_is_played_through() -> None:
    board = Board()
    moves = hub.read_moves(board, "32-28 19-23  28x19x23 14x23x19")
    assert [str(move) for move in moves] == ["32-28", "19-23", "28x19", "14x23"]
    assert board.ply == 0
    assert hub.read_moves(board, "") == []
    with pytest.raises(IllegalMove):
        hub.read_moves(board, "32-28 32-28")


def test_a_time_beyond_the_four_digits() -> None:
    assert dxp.write_move(Move(32, 28), 123_456) == "M9999322800"
    assert dxp.write_move(Move(32, 28), float("inf")) == "M9999322800"
    for seconds in (-1, float("nan")):
        with pytest.raises(ValueError, match="0 seconds or more"):
            dxp.write_move(Move(32, 28), seconds)


@unhurried
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (hub.read_position, dxp.read_position):
        with pytest.raises(DamierError):
            read(text)
    for read_move in (hub.read_move, dxp.read_move):
        with contextlib.suppress(DamierError):
            read_move(Board(), text)
