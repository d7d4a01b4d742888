"""Whole games, as JSON (their start and events) and as games of PDN."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from damier import Color, Game, TimeControl, events
from damier.events import (
    Abandoned,
    Aborted,
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFallen,
    MoveMade,
    Paused,
    Resigned,
    Resumed,
    TakeBackAccepted,
    TakeBackOffered,
    TimeAdded,
    TookBack,
    Touched,
)
from damier.i18n import LANGUAGES
from damier.notation.json import BadJson, schema
from damier.notation.pdn import from_game, loads, write
from damier.record import Player

REGISTRY: Any = Registry().with_resources(
    [(schema(name)["$id"], Resource.from_contents(schema(name))) for name in ("position", "move", "game", "record")]  # pyright: ignore[reportCallIssue, reportArgumentType]
)
VALIDATOR = Draft202012Validator(schema("record"), registry=REGISTRY)


def played() -> Game:
    """A game with something of everything."""
    game = Game.start(
        "leaflet",
        white=Player(name="Anna"),
        black=Player("guest", "Bram", id="7"),
        clock=TimeControl.fischer(300, 5),
        at=0.0,
    )
    for at, event, by in (
        (4.0, Touched(32), Color.WHITE),
        (10.0, MoveMade(32, 28), Color.WHITE),
        (11.0, DrawOffered(), Color.WHITE),
        (12.0, DrawDeclined(), Color.BLACK),
        (20.0, MoveMade(20, 24), Color.BLACK),
        (21.0, TakeBackOffered(), Color.BLACK),
        (22.0, TakeBackAccepted(1), Color.WHITE),
        (30.0, MoveMade(19, 23, lag=500), Color.BLACK),
        (31.0, Paused(), None),
        (90.0, Resumed(), None),
        (91.0, TimeAdded(15, Color.BLACK), None),
        (100.0, MoveMade(28, 19, (23,)), Color.WHITE),
        (101.5, MoveMade(14, 23, (19,)), Color.BLACK),
        (102.0, Resigned(), Color.WHITE),
    ):
        game = game.apply(event, at=at, by=by)
    return game


RECORD: dict[str, Any] = json.loads(json.dumps(played().to_json(), allow_nan=False))


def test_a_game_there_and_back() -> None:
    VALIDATOR.validate(RECORD)
    again = Game.from_json(RECORD)
    assert again == played()
    assert (again.board.fen(), again.result, again.clock) == (played().board.fen(), played().result, played().clock)
    assert again.to_json() == RECORD
    without = changed("/events/1/lag", 0)
    VALIDATOR.validate(without)
    assert Game.from_json(without) == played()
    computer = Game.start("club", "W:WK28:BK1", white=Player("computer", level=3))
    assert Game.from_json(computer.to_json()) == computer
    VALIDATOR.validate(computer.to_json())


def test_the_schema_knows_every_event_and_nothing_else() -> None:
    made: dict[str, Event] = {
        each.name: each
        for each in (
            MoveMade(28, 19, (23,)),
            TookBack(2),
            TakeBackAccepted(1),
            Touched(3),
            TimeAdded(5, Color.WHITE),
            Abandoned(Color.BLACK, True),
        )
    }
    kinds: list[Any] = list(events.Event.__args__)
    for kind in kinds:
        entry = events.Entry(made[kind.name] if kind.name in made else kind(), 1, None).to_json()
        record: dict[str, Any] = {**RECORD, "events": [json.loads(json.dumps(entry))]}
        VALIDATOR.validate(record)
        wrong = [{key: entry[key] for key in entry if key != name} for name in entry]
        for each in (*wrong, {**entry, "more": 1}):
            refused: Any = {**record, "events": [each]}
            assert not VALIDATOR.is_valid(refused)
    assert not VALIDATOR.is_valid({**RECORD, "events": [{"event": "dance", "at": 1, "by": None}]})


def changed(path: str, value: object) -> dict[str, Any]:
    """The record with something else in a place; ``...`` takes it out."""
    data = copy.deepcopy(RECORD)
    *way, last = (int(part) if part.isdecimal() else part for part in path.strip("/").split("/"))
    place: Any = data
    for part in way:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "code", "told"),
    [
        ("/format", "damier.game", "wrong", "/format"),
        ("/version", True, "wrong", "/version"),
        ("/start", ..., "missing", "/"),
        ("/result", "2-0", "unknown", "/"),
        ("/start/rules", "chess", "wrong", "/start/rules"),
        ("/start/rules", 5, "wrong", "/start/rules"),
        ("/start/fen", "W:W51:B1", "bad_position", "/start/fen"),
        ("/start/fen", None, "wrong", "/start/fen"),
        ("/start/clock", "1h", "wrong", "/start/clock"),
        ("/start/at", "noon", "wrong", "/start/at"),
        ("/start/white", "Anna", "wrong", "/start/white"),
        ("/start/white/level", -1, "wrong", "/start/white/level"),
        ("/start/black/name", 5, "wrong", "/start/black/name"),
        ("/start/black/age", 5, "unknown", "/start/black"),
        ("/events", {}, "wrong", "/events"),
        ("/events/1", "32-28", "wrong", "/events/1"),
        ("/events/1/event", "dance", "wrong", "/events/1/event"),
        ("/events/1/at", True, "wrong", "/events/1/at"),
        ("/events/1/by", "Anna", "wrong", "/events/1/by"),
        ("/events/1/by", ..., "wrong", "/events/1/by"),
        ("/events/1/to", 51, "wrong", "/events/1/to"),
        ("/events/1/captured", ..., "missing", "/events/1"),
        ("/events/1/crowned", 1, "wrong", "/events/1/crowned"),
        ("/events/1/lag", 1001, "wrong", "/events/1/lag"),
        ("/events/0/lag", 1, "unknown", "/events/0"),
        ("/events/1/more", 1, "unknown", "/events/1"),
        ("/events/1/to", 33, "illegal_move", "/events/1"),
        ("/events/1/by", "black", "refused", "/events/1"),
        ("/events/1/at", 1, "refused", "/events/1"),
        ("/events/6/plies", 2, "refused", "/events/6"),
    ],
)
def test_what_is_no_record_is_told_with_its_place(path: str, value: object, code: str, told: str) -> None:
    data = changed(path, value)
    with pytest.raises(BadJson) as refused:
        Game.from_json(data)
    assert (refused.value.code, refused.value.path) == (code, told)
    assert str(refused.value).startswith(f"{told}: ")
    assert all(refused.value.sentence(language).startswith(told) for language in LANGUAGES)
    if code in ("wrong", "missing", "unknown") and not path.endswith("clock"):
        assert not VALIDATOR.is_valid(data)


@pytest.mark.parametrize("data", [None, [], "record", 5, {}])
def test_what_is_no_object_is_no_record(data: object) -> None:
    with pytest.raises(BadJson):
        Game.from_json(data)


# --- As PDN -------------------------------------------------------------------------------------------------------


def test_a_game_as_one_of_pdn() -> None:
    game = played()
    pdn = from_game(game)
    tags = {"White": "Anna", "Black": "Bram", "Result": "0-2", "GameType": "20", "TimeControl": "300+5"}
    assert pdn.tags == {**tags, "Rules": "leaflet"}
    assert [node.move for node in pdn.main_line()] == list(game.board.moves)
    # What the mover's clock showed right after its move: with the increment, and with the gift only later on.
    assert [node.clock for node in pdn.main_line()] == [295.0, 287.5, 287.0, 306.0]
    assert pdn.end().board().position == game.board.position
    assert pdn.rules.name == "leaflet"
    (again,) = loads(write(pdn), rules="leaflet")
    assert [node.clock for node in again.main_line()] == [295.0, 287.5, 287.0, 306.0]
    assert (again.points, again.errors) == ((0, 2), [])
    control = TimeControl.from_pdn(again.tags["TimeControl"])
    back = Game.start(again.rules, again.board().fen(), clock=control)
    for node in again.main_line():
        assert node.move is not None
        back = back.apply(MoveMade.of(node.move), at=0.0, by=back.turn)
    assert back.board.moves == game.board.moves


def test_a_game_without_a_clock_or_a_name_and_from_a_position() -> None:
    game = Game.start("club", "B:WK28:BK1,2", black=Player("computer", level=3))
    pdn = from_game(game)
    tags = {"White": "?", "Black": "?", "Result": "*", "GameType": "20", "FEN": game.board.fen()}
    assert pdn.tags == {**tags, "Rules": "club"}
    assert list(pdn.main_line()) == []
    game = game.apply(MoveMade.of(game.legal_moves[0]), at=1.0, by=Color.BLACK)
    assert [node.clock for node in from_game(game).main_line()] == [None]
    assert from_game(Game.start().apply(Aborted(), at=1.0, by=None)).result == "*"
    timed = Game.start(clock=TimeControl.sudden_death(60), at=0.0).apply(FlagFallen(), at=60.0, by=None)
    assert from_game(timed).result == "0-2"
