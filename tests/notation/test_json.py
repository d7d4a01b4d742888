"""Positions, moves and games as JSON: there and back, as the published schemas say, and everything that is neither."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from damier import BadPdn, Board, Move
from damier.notation.json import (
    BadJson,
    game_from_json,
    game_to_json,
    move_from_json,
    move_to_json,
    position_from_json,
    position_to_json,
    schema,
)
from damier.notation.pdn import PdnGame, loads
from tests.notation.games import contents, games, unhurried
from tests.notation.positions import boards, played_boards

SCHEMAS = {name: schema(name) for name in ("position", "move", "game", "record")}
REGISTRY: Any = Registry().with_resources(
    [(each["$id"], Resource.from_contents(each)) for each in SCHEMAS.values()]  # pyright: ignore[reportCallIssue]
)
VALIDATORS = {name: Draft202012Validator(each, registry=REGISTRY) for name, each in SCHEMAS.items()}


def sent(data: object) -> Any:
    """The data as another program gets it."""
    return json.loads(json.dumps(data, allow_nan=False))


def example() -> PdnGame:
    (game,) = loads(
        '[White "Anna"] [Result "2-0"] {on the game} 1. 32-28! {[%clock w0:01:00 B0:02:00] a} ({b} 1. 33-29 19-23'
        ' {[%eval #-3]}) 1... 19-23 {[%emt 0:00:01] [%eval 0.5]} /FEN "W:WK46:BK5"/ 2. 46-41 *'
    )
    assert game.errors == []
    return game


EXAMPLE: dict[str, Any] = sent(game_to_json(example()))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_schema_that_there_is_not_is_named_with_those_that_there_are() -> None:
    for name in ("foo", "../schema/move", ""):
        with pytest.raises(ValueError, match=r"there are position, move, game, record"):
            schema(name)  # pyright: ignore[reportArgumentType]


@unhurried
@given(st.one_of(boards(), played_boards()))
def test_positions_there_and_back(board: Board) -> None:
    data = sent(position_to_json(board))
    VALIDATORS["position"].validate(data)
    assert position_from_json(data, rules="club").position == board.position
    assert position_from_json(data, rules="club").rules.name == "club"
    del data["fen"]
    VALIDATORS["position"].validate(data)
    assert position_from_json(data).position == board.position


@unhurried
@given(st.one_of(boards(), played_boards()))
def test_moves_there_and_back(board: Board) -> None:
    for move in board.legal_moves:
        data = sent(move_to_json(move))
        VALIDATORS["move"].validate(data)
        assert move_from_json(data) == move


@unhurried
@given(games())
def test_games_there_and_back(game: PdnGame) -> None:
    data = sent(game_to_json(game))
    VALIDATORS["game"].validate(data)
    again = game_from_json(data)
    assert contents(again) == contents(game)
    assert (again.result, again.number) == (game.result, game.number)
    assert sent(game_to_json(again)) == data
    # A move that was read knows its ways, as one that was played does.
    assert all(node.move is None or node.move.paths for node in again.root.descendants())


def test_a_game_as_it_stands_in_json() -> None:
    assert EXAMPLE["format"] == "damier.game"
    assert (EXAMPLE["version"], EXAMPLE["rules"], EXAMPLE["result"]) == (1, "official", "2-0")
    assert EXAMPLE["tags"] == {"White": "Anna", "Result": "2-0"}
    assert EXAMPLE["comments"] == ["on the game"]
    quiet = {"captured": [], "crowned": False}
    assert EXAMPLE["nodes"] == [
        {
            "after": None,
            "move": {"from": 32, "to": 28, **quiet},
            "comments": ["a"],
            "nags": [1],
            "clock": 60,
            "opponent_clock": 120,
        },
        {"after": 0, "move": {"from": 19, "to": 23, **quiet}, "elapsed": 1, "evaluation": {"men": 0.5}},
        {"after": 1, "setup": position_to_json(Board("W:WK46:BK5"))},
        {"after": 2, "move": {"from": 46, "to": 41, **quiet}},
        {"after": None, "move": {"from": 33, "to": 29, **quiet}, "comments_before": ["b"]},
        {"after": 4, "move": {"from": 19, "to": 23, **quiet}, "evaluation": {"win_in": -3}},
    ]


def test_a_game_in_json_tells_one_result() -> None:
    data = {**EXAMPLE, "result": "0-2"}
    with pytest.raises(BadJson) as refused:
        game_from_json(data)
    assert (refused.value.code, refused.value.path) == ("contradiction", "/result")
    assert game_from_json({**EXAMPLE, "result": "1-0"}).result == "2-0"  # the same in another form
    assert game_from_json({**EXAMPLE, "tags": {}}).result == "2-0"


def test_what_was_wrong_in_a_file_goes_along() -> None:
    (game,) = loads('[Event "é"] 1. 32-28 19-23 2. 33-29 *')
    data = sent(game_to_json(game))
    VALIDATORS["game"].validate(data)
    (error,) = game_from_json(data).errors
    assert isinstance(error, BadPdn)
    assert str(error) == str(game.errors[0])
    assert (error.code, error.ply, error.line, error.token) == ("illegal_move", 3, 1, "33-29")
    assert sent(game_to_json(game_from_json(data))) == data


def test_a_game_of_another_variant_goes_along() -> None:
    (game,) = loads('[GameType "25"] 1. c3-d4 *')
    assert game.skipped is not None
    data = sent(game_to_json(game))
    VALIDATORS["game"].validate(data)
    again = game_from_json(data).skipped
    assert again is not None
    assert again.what() == game.skipped.what()


def test_a_game_whose_position_cannot_be_read_has_no_start() -> None:
    (game,) = loads('[FEN "W:W99:B1"] [White "Anna"] *')
    data = sent(game_to_json(game))
    assert data["start"] is None
    VALIDATORS["game"].validate(data)
    again = game_from_json(data)
    assert not again.has_start
    assert sent(game_to_json(again)) == data
    with pytest.raises(BadJson) as caught:
        game_from_json({**EXAMPLE, "start": None, "nodes": [], "tags": {"FEN": "W:W32:B1"}})
    assert caught.value.path == "/start"


def test_whole_numbers_may_be_written_with_a_point() -> None:
    """As in JSON Schema, which tells 1.0 and 1 not apart."""

    def pointed(data: Any) -> Any:
        if isinstance(data, dict):
            return {name: pointed(value) for name, value in data.items()}
        if isinstance(data, list):
            return [pointed(value) for value in data]
        return float(data) if type(data) is int else data

    data = pointed(EXAMPLE)
    VALIDATORS["game"].validate(data)
    assert sent(game_to_json(game_from_json(data))) == EXAMPLE
    start = EXAMPLE["start"]
    assert position_from_json(pointed(start)).position == position_from_json(start).position


def test_all_that_is_said_at_the_start_goes_along() -> None:
    game = PdnGame()
    game.root.comments_before.append("before")
    game.root.clock, game.root.opponent_clock, game.root.elapsed = 1.0, 2.0, 3.0
    data = sent(game_to_json(game))
    VALIDATORS["game"].validate(data)
    assert contents(game_from_json(data)) == contents(game)


@pytest.mark.parametrize("half", ["\ud800", "a\udfffb"])
def test_half_characters_are_not_written(half: str) -> None:
    for place in ("tags", "names", "result", "comments", "moves"):
        game = PdnGame()
        if place == "tags":
            game.tags["White"] = half
        elif place == "names":
            game.tags[half] = "Anna"
        elif place == "result":
            game.result = half
        else:
            node = game.root if place == "comments" else game.root.add_main("32-28")
            node.comments.append(half)
        with pytest.raises(BadJson):
            game_to_json(game)


def test_long_and_deep_games() -> None:
    game = PdnGame(board=Board("W:WK46:BK1", rules="classic"))
    board = game.board()
    node = game.root
    for ply in range(10_000):
        move = board.parse(["46-41", "1-6", "41-46", "6-1"][ply % 4])
        node.attach(next(other for other in board.legal_moves if other != move))
        node = node.attach(move)  # each move is a variation within the one before
        board.push(move)
    data = sent(game_to_json(game))
    assert len(data["nodes"]) == 20_000
    assert contents(game_from_json(data)) == contents(game)


# --- What is none -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"turn": "White"}, "wrong", "/turn"),
        ({"turn": None}, "wrong", "/turn"),
        ({"turn": []}, "wrong", "/turn"),
        ({"white": []}, "wrong", "/white"),
        ({"white": {"men": [31]}}, "missing", "/white"),
        ({"white": {"men": [31], "kings": [], "dames": []}}, "unknown", "/white"),
        ({"white": {"men": "31", "kings": []}}, "wrong", "/white/men"),
        ({"white": {"men": [31, 0], "kings": []}}, "wrong", "/white/men/1"),
        ({"white": {"men": [51], "kings": []}}, "wrong", "/white/men/0"),
        ({"white": {"men": [True], "kings": []}}, "wrong", "/white/men/0"),
        ({"white": {"men": [31.5], "kings": []}}, "wrong", "/white/men/0"),
        ({"white": {"men": [31, 31], "kings": []}}, "bad_position", "/"),
        ({"white": {"men": [31], "kings": [31]}}, "bad_position", "/"),
        ({"white": {"men": [5], "kings": []}}, "bad_position", "/"),
        ({"white": {"men": list(range(20, 41)), "kings": []}}, "bad_position", "/"),
        ({"fen": "W:W32:B1"}, "contradiction", "/fen"),
        ({"fen": "B:W31:B1"}, "contradiction", "/fen"),
        ({"fen": "x"}, "bad_position", "/"),
        ({"fen": 3}, "wrong", "/fen"),
        ({"extra": 1}, "unknown", "/"),
    ],
)
def test_what_is_no_position(change: dict[str, Any], code: str, path: str) -> None:
    data = {**position_to_json(Board("W:W31:B1")), **change}
    if "fen" not in change:
        del data["fen"]
    with pytest.raises(BadJson) as caught:
        position_from_json(data)
    assert (caught.value.code, caught.value.path) == (code, path)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.path) == (str(caught.value), code, path)


@pytest.mark.parametrize("data", [None, [], "W:W31:B1", 1, True, {}, {1: 2}, {"turn": "white"}])
def test_what_is_nothing_at_all(data: object) -> None:
    for read in (position_from_json, move_from_json, game_from_json):
        with pytest.raises(BadJson) as caught:
            read(data)
        assert caught.value.path == "/"
        for language in ("en", "nl", "fr", "de"):
            assert caught.value.sentence(language)


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"from": 0}, "wrong", "/from"),
        ({"from": "32"}, "wrong", "/from"),
        ({"to": 51}, "wrong", "/to"),
        ({"to": None}, "wrong", "/to"),
        ({"captured": 23}, "wrong", "/captured"),
        ({"captured": [0]}, "wrong", "/captured"),
        ({"captured": [23, 23]}, "wrong", "/captured"),
        ({"crowned": 0}, "wrong", "/crowned"),
        ({"crowned": None}, "wrong", "/crowned"),
        ({"way": []}, "unknown", "/"),
    ],
)
def test_what_is_no_move(change: dict[str, Any], code: str, path: str) -> None:
    with pytest.raises(BadJson) as caught:
        move_from_json({**move_to_json(Move(32, 28)), **change})
    assert (caught.value.code, caught.value.path) == (code, path)


@pytest.mark.parametrize(
    ("place", "value", "code", "path"),
    [
        ("format", "pdn", "wrong", "/format"),
        ("version", 2, "wrong", "/version"),
        ("version", True, "wrong", "/version"),
        ("rules", "russian", "wrong", "/rules"),
        ("rules", [], "wrong", "/rules"),
        ("number", -1, "wrong", "/number"),
        ("tags", [], "wrong", "/tags"),
        ("tags", {"White": None}, "wrong", "/tags/White"),
        ("result", None, "wrong", "/result"),
        ("start", "W:W31:B1", "wrong", "/start"),
        ("start/turn", "x", "wrong", "/start/turn"),
        ("start/white/men", [31, 31], "bad_position", "/start"),
        ("comments", "a", "wrong", "/comments"),
        ("comments", [1], "wrong", "/comments/0"),
        ("clock", -1, "wrong", "/clock"),
        ("depth", 1, "unknown", "/"),
        ("version", 1.5, "wrong", "/version"),
        ("start", None, "wrong", "/start"),
        ("result", "\ud800", "wrong", "/result"),
        ("tags", {"White": "\udc80"}, "wrong", "/tags/White"),
        ("tags", {"\ud800": "a"}, "wrong", "/tags"),
        ("nodes/0/comments", ["a", "\ud83d"], "wrong", "/nodes/0/comments/1"),
        ("start/fen", "\ud800", "wrong", "/start/fen"),
        ("nodes/1/after", 0.5, "wrong", "/nodes/1/after"),
        ("nodes", {}, "wrong", "/nodes"),
        ("nodes/0", 1, "wrong", "/nodes/0"),
        ("nodes/0/after", 0, "wrong", "/nodes/0/after"),
        ("nodes/1/after", -1, "wrong", "/nodes/1/after"),
        ("nodes/1/after", 1, "wrong", "/nodes/1/after"),
        ("nodes/1/after", False, "wrong", "/nodes/1/after"),
        ("nodes/1/setup", {}, "wrong", "/nodes/1"),
        ("nodes/1", {"after": 0}, "wrong", "/nodes/1"),
        ("nodes/1/move/to", 25, "illegal_move", "/nodes/1/move"),
        ("nodes/1/move/to", 12, "illegal_move", "/nodes/1/move"),
        ("nodes/1/move/crowned", True, "illegal_move", "/nodes/1/move"),
        ("nodes/1/move/captured", [23], "illegal_move", "/nodes/1/move"),
        ("nodes/5/after", None, "illegal_move", "/nodes/5/move"),
        ("nodes/2/setup/turn", "x", "wrong", "/nodes/2/setup/turn"),
        ("nodes/0/nags", [-1], "wrong", "/nodes/0/nags/0"),
        ("nodes/0/nags", [10**9], "wrong", "/nodes/0/nags/0"),
        ("nodes/0/clock", -1, "wrong", "/nodes/0/clock"),
        ("nodes/0/clock", "5", "wrong", "/nodes/0/clock"),
        ("nodes/0/clock", float("nan"), "wrong", "/nodes/0/clock"),
        ("nodes/0/clock", float("inf"), "wrong", "/nodes/0/clock"),
        ("nodes/0/clock", True, "wrong", "/nodes/0/clock"),
        ("nodes/0/clock", None, "wrong", "/nodes/0/clock"),
        ("nodes/0/evaluation", {}, "wrong", "/nodes/0/evaluation"),
        ("nodes/0/evaluation", {"men": 1, "win_in": 1}, "wrong", "/nodes/0/evaluation"),
        ("nodes/0/evaluation", {"win_in": 0}, "wrong", "/nodes/0/evaluation/win_in"),
        ("nodes/0/evaluation", {"men": "1"}, "wrong", "/nodes/0/evaluation/men"),
        ("nodes/0/evaluation", {"cp": 1}, "unknown", "/nodes/0/evaluation"),
        ("errors", [{}], "missing", "/errors/0"),
        ("skipped", None, "wrong", "/skipped"),
    ],
)
def test_what_is_no_game(place: str, value: object, code: str, path: str) -> None:
    data = copy.deepcopy(EXAMPLE)
    *parents, last = place.split("/")
    target: Any = data
    for name in parents:
        target = target[int(name) if isinstance(target, list) else name]
    target[int(last) if isinstance(target, list) else last] = value
    with pytest.raises(BadJson) as caught:
        game_from_json(data)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert (caught.value.cause is not None) == (code in ("bad_position", "illegal_move"))
    for language in ("en", "nl", "fr", "de"):
        assert caught.value.sentence(language).startswith(path)


_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 60), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container in the data with every key or index in it."""
    found: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        here = waiting.pop()
        for key in list(here) if isinstance(here, dict) else range(len(here)):
            found.append((here, key))
            if isinstance(here[key], (dict, list)):
                waiting.append(here[key])
    return found


@unhurried
@given(st.data())
def test_what_is_read_keeps_to_the_schema(data: st.DataObject) -> None:
    """A game with one thing changed is refused by the reader, or it is one by the schema too."""
    game = copy.deepcopy(EXAMPLE)
    here, key = data.draw(st.sampled_from(places(game)))
    if data.draw(st.booleans()):
        here[key] = data.draw(_VALUES)
    elif isinstance(here, dict) and data.draw(st.booleans()):
        here[data.draw(st.text(max_size=5))] = data.draw(_VALUES)
    else:
        del here[key]
    try:
        read = game_from_json(game)
    except BadJson:
        return
    VALIDATORS["game"].validate(game)
    VALIDATORS["game"].validate(sent(game_to_json(read)))
