"""Moves as text: the published forms of every test position, and every way in which people and programs write them."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from damier import AmbiguousMove, Board, IllegalMove, Move
from damier.notation.moves import hub_text, long_text, move_text, parse_move, refusal

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "vectors/notation.json").read_text())
ROUND = "W:WK47:B14,19,29,31,42"  # the standard's example: 47x36 takes 14 or 19


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["fen"])
def test_published_forms(vector: dict[str, Any]) -> None:
    board = Board(vector["fen"])
    legal = {(move.from_square, move.to_square, move.captured): move for move in board.legal_moves}
    assert len(legal) == len(vector["moves"])
    for facts in vector["moves"]:
        move = legal[facts["from"], facts["to"], tuple(facts["captured"])]
        assert str(move) == facts["short"]
        assert move.crowned is facts["crowned"]
        ways = ["x".join(map(str, path)) for path in move.paths] if move.is_capture else []
        assert sorted(ways) == sorted(facts["long"])
        assert facts["n_paths"] >= len(ways)  # it counts each landing square of a king as a path of its own
        assert hub_text(move) == facts.get("hub", facts["short"])
        written = board.notation(move)
        assert written in (facts["long"] if facts["ambiguous"] else [facts["short"]])
        for text in [*facts["long"], hub_text(move), written, long_text(move)]:
            assert board.parse(text) == move
        if facts["ambiguous"]:
            with pytest.raises(AmbiguousMove) as caught:
                board.parse(facts["short"])
            assert move in caught.value.choices
            assert len(caught.value.choices) >= 2
            assert {(m.from_square, m.to_square) for m in caught.value.choices} == {(facts["from"], facts["to"])}
        else:
            assert board.parse(facts["short"]) == move


@pytest.mark.parametrize(
    "text",
    [
        "32-28",
        " 32-28 ",
        "32 - 28",
        "32- 28",
        "032-0028",
        "32\u201128",
        "32\u201328",
        "32\u201428",
        "32\u221228",
        "3228",
        "32-28\n",
    ],
)
def test_ways_to_write_a_quiet_move(text: str) -> None:
    assert Board().parse(text) == Move(32, 28)


@pytest.mark.parametrize(
    "text",
    [
        "35x13",
        "35X13",
        "35:13",
        "35×13",
        "35-13",
        "3513",
        "35 x 13",
        "35x24x13",
        "35:24:13",
        "35x13x19x30",
        "35x13x30x19",
    ],
)
def test_ways_to_write_a_capture(text: str) -> None:
    board = Board("W:W35:B19,20,30")
    assert board.parse(text) == Move(35, 13, captured=[19, 30])


@pytest.mark.parametrize(
    ("text", "captured"),
    [
        ("47x38x24x13x36", (19, 29, 31, 42)),
        ("47x38x20x9x36", (14, 29, 31, 42)),
        ("47x33x24x13x36", (19, 29, 31, 42)),  # not to be written, but it leads one way only
        ("47x33x20x9x36", (14, 29, 31, 42)),
        ("47x20x36", (14, 29, 31, 42)),  # one square decides
        ("47x9x36", (14, 29, 31, 42)),
        ("47x36x31x42x29x19", (19, 29, 31, 42)),
    ],
)
def test_any_squares_on_the_way_tell_a_capture(text: str, captured: tuple[int, ...]) -> None:
    assert Board(ROUND).parse(text).captured == captured


def test_an_ambiguous_text_lists_its_choices() -> None:
    for text in ("47x36", "47-36", "4736", "47x24x36", "47x38x13x36"):
        with pytest.raises(AmbiguousMove) as caught:
            Board(ROUND).parse(text)
        error = caught.value
        assert [move.captured for move in error.choices] == [(14, 29, 31, 42), (19, 29, 31, 42)]
        assert (error.text, error.move, error.fen, error.reason) == (text, text, ROUND, None)
        assert str(error) == f"{text} fits 2 moves; write the way of one (47x38x20x9x36, 47x38x24x13x36)."
        assert pickle.loads(pickle.dumps(error)).choices == error.choices


def test_a_capture_and_hub_text_of_the_same_shape() -> None:
    # Three numbers are a way over two pieces, or Hub text of a capture of one; only one of them can be legal.
    assert Board("W:W28:B23").parse("28x19x23") == Move(28, 19, captured=[23])
    assert Board("W:W28:B13,23").parse("28x19x8") == Move(28, 8, captured=[13, 23])


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "32",
        "32-",
        "-28",
        "32--28",
        "32-28-22",
        "32x28-22",
        "32 28",
        "32.28",
        "1. 32-28",
        "32-28!",
        "322",
        "32281",
    ],
)
def test_what_is_not_a_move(text: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        Board().parse(text)
    assert "is not a move; write one as 32-28 or 32x21." in str(caught.value)
    assert caught.value.reason is None


@pytest.mark.parametrize("text", ["32-51", "0-28", "32x" + "9" * 150, "0028"])
def test_squares_beyond_the_board(text: str) -> None:
    with pytest.raises(IllegalMove, match="there is no square") as caught:
        Board().parse(text)
    assert len(str(caught.value)) < 300


def test_long_text_is_refused_unread() -> None:
    text = "1x" * 100_000 + "2"
    with pytest.raises(IllegalMove) as caught:
        Board().parse(text)
    assert len(str(caught.value)) < 200
    assert caught.value.text == text


def test_a_capture_sign_on_a_quiet_move_is_an_error() -> None:
    with pytest.raises(IllegalMove, match=r"32x28 takes nothing; write 32-28\."):
        Board().parse("32x28")


def test_a_refusal_says_why() -> None:
    with pytest.raises(IllegalMove) as caught:
        Board().parse("38-33")
    assert caught.value.reason is not None
    assert caught.value.reason.code == "occupied"
    assert str(caught.value) == "38-33: Your own piece stands on 33; choose an empty square."
    with pytest.raises(IllegalMove) as caught:
        Board("W:W28,31:B22,23").push(Move(31, 27))
    assert str(caught.value) == "31-27: You must capture (28x17, 28x19)."


def test_a_way_that_no_legal_capture_goes() -> None:
    for text in ("47x41x36", "47x36x1x2x3", "47x38x24x19x36"):
        with pytest.raises(IllegalMove) as caught:
            Board(ROUND).parse(text)
        assert not isinstance(caught.value, AmbiguousMove)
        assert "is not the way of a legal capture" in str(caught.value) or caught.value.reason is not None


def test_a_man_does_not_leap_from_afar() -> None:
    # 35x19 would take 30 as a king from afar; the captured set of 35x24x13 is not to be guessed from it.
    with pytest.raises(IllegalMove):
        Board("W:W35:B19,20,30").parse("35x19x13")


CROWNED = "W:W15,17:BK10,21,22"  # `club`: 15x4 crowns, and the capture goes on


def test_crown_and_continue_is_told_by_the_way_and_by_the_captured_set() -> None:
    board = Board(CROWNED, "club")
    (move,) = board.legal_moves
    assert (move.captured, move.crowned) == ((10, 21, 22), True)
    for text in ("15x16", "15x4x27x16", "15x16x22x21x10", board.notation(move), long_text(move)):
        assert board.parse(text) == move
    with pytest.raises(IllegalMove):
        board.parse("15x4")


def test_a_way_that_only_a_king_could_go_is_refused_where_men_stay_men() -> None:
    with pytest.raises(IllegalMove) as caught:
        Board(CROWNED).parse("15x4x27x16")
    assert caught.value.reason is not None
    assert caught.value.reason.code == "crowned_at_end"


def test_texts_of_moves_that_are_not_legal_here() -> None:
    with pytest.raises(IllegalMove):
        move_text(Board(), Move(32, 23))
    with pytest.raises(IllegalMove):
        move_text(Board(ROUND), Move(47, 36, captured=[14, 29, 31, 43]))
    with pytest.raises(ValueError, match="knows no way"):
        long_text(Move(47, 36, captured=[14, 29, 31, 42]))
    assert move_text(Board(ROUND), Move(47, 36, captured=[14, 29, 31, 42])) == "47x38x20x9x36"
    assert "is not the way of a legal capture" in str(refusal(Board(ROUND), Move(47, 36, captured=[14, 29, 31, 43])))


def played(seed: int, rules: str, plies: int) -> Board:
    source = random.Random(seed)
    board = Board(rules=rules)
    for _ in range(plies):
        legal = board.legal_moves
        if not legal:
            break
        board.push(source.choice(legal))
    return board


@pytest.mark.parametrize("rules", ["official", "club"])
def test_every_text_of_every_legal_move_reads_as_that_move(rules: str) -> None:
    for seed in range(300):
        board = played(seed, rules, 10 + seed % 90)
        for move in board.legal_moves:
            texts = {board.notation(move), hub_text(move), long_text(move)}
            texts |= {("x" if move.is_capture else "-").join(map(str, path)) for path in move.paths}
            for text in texts:
                assert parse_move(board, text) == move, (board.fen(), text)


@given(st.text() | st.text(alphabet="0123456789-x: ", max_size=30))
@example("47x38x24x13x36")
def test_arbitrary_text_parses_or_raises_illegal_move(text: str) -> None:
    board = Board(ROUND)
    try:
        move = board.parse(text)
    except IllegalMove:
        return
    assert move in board.legal_moves


def test_parsing_stays_quick_where_a_capture_has_a_great_many_ways() -> None:
    # Nine men in a square of loops: thousands of orders of the same captures.
    board = Board("W:WK46:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40")
    for move in board.legal_moves[:20]:
        assert board.parse(hub_text(move)) == move
        assert board.parse(long_text(move)) == move
