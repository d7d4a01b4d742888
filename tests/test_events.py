"""Events, entries, starts and refusals: what is stored, what is refused, what is said."""

from __future__ import annotations

import json
import math
import pickle

import pytest

from damier import Color, refusals
from damier.clock import TimeControl
from damier.events import (
    Abandoned,
    Aborted,
    AdjustingSaid,
    AdjustingUnsaid,
    DrawAccepted,
    DrawDeclined,
    DrawOffered,
    Entry,
    Event,
    FlagFallen,
    MoveMade,
    Paused,
    Resigned,
    Resumed,
    TakeBackAccepted,
    TakeBackDeclined,
    TakeBackOffered,
    TimeAdded,
    TookBack,
    Touched,
    event_from_json,
)
from damier.game import Game
from damier.record import Start
from damier.refusals import (
    BadEvent,
    DrawTooSoon,
    GameError,
    NothingThere,
    TimeRunsBack,
)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (MoveMade(28, 19, (23,)), '{"event":"move","from":28,"to":19,"captured":[23],"crowned":false}'),
        (MoveMade(32, 28, lag=120), '{"event":"move","from":32,"to":28,"captured":[],"crowned":false,"lag":120}'),
        (DrawOffered(), '{"event":"offer_draw"}'),
        (DrawAccepted(), '{"event":"accept_draw"}'),
        (DrawDeclined(), '{"event":"decline_draw"}'),
        (TookBack(2), '{"event":"take_back","plies":2}'),
        (TakeBackOffered(), '{"event":"offer_take_back"}'),
        (TakeBackAccepted(1), '{"event":"accept_take_back","plies":1}'),
        (TakeBackDeclined(), '{"event":"decline_take_back"}'),
        (Touched(32), '{"event":"touch","square":32}'),
        (AdjustingSaid(), '{"event":"adjust"}'),
        (AdjustingUnsaid(), '{"event":"unsay"}'),
        (Resigned(), '{"event":"resign"}'),
        (FlagFallen(), '{"event":"flag"}'),
        (Aborted(), '{"event":"abort"}'),
        (TimeAdded(15, Color.BLACK), '{"event":"add_time","seconds":15,"to":"black"}'),
        (Abandoned(Color.WHITE, draw=True), '{"event":"abandon","side":"white","draw":true}'),
        (Paused(), '{"event":"pause"}'),
        (Resumed(), '{"event":"resume"}'),
    ],
)
def test_events_have_the_json_that_is_stored(event: Event, text: str) -> None:
    assert json.dumps(event.to_json(), separators=(",", ":")) == text
    assert event_from_json(json.loads(text)) == event
    for by in (None, *Color):
        entry = Entry(event, 1.5, by)
        assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"event": "castle"},
        {"event": "move"},
        {"event": "move", "from": 32},
        {"event": "move", "from": 0, "to": 28},
        {"event": "move", "from": 32, "to": 51},
        {"event": "move", "from": True, "to": 28},
        {"event": "move", "from": "32", "to": 28},
        {"event": "move", "from": 32, "to": 28, "captured": "23"},
        {"event": "move", "from": 32, "to": 28, "captured": [99]},
        {"event": "move", "from": 32, "to": 28, "crowned": 1},
        {"event": "move", "from": 32, "to": 28, "lag": -1},
        {"event": "move", "from": 32, "to": 28, "lag": 1001},
        {"event": "move", "from": 32, "to": 28, "lag": 0.5},
        {"event": "move", "from": 32, "to": 28, "lag": True},
        {"event": "take_back"},
        {"event": "take_back", "plies": 0},
        {"event": "take_back", "plies": 1.5},
        {"event": "take_back", "plies": math.inf},
        {"event": "accept_take_back", "plies": 3},
        {"event": "touch", "square": 51},
        {"event": "add_time", "seconds": 0, "to": "white"},
        {"event": "add_time", "seconds": 15},
        {"event": "abandon", "draw": True},
        {"event": "abandon", "side": "white", "draw": 1},
    ],
)
def test_json_that_is_no_event_is_refused(data: object) -> None:
    with pytest.raises(BadEvent):
        event_from_json(data)


@pytest.mark.parametrize("field", ["at", "by"])
@pytest.mark.parametrize("value", ["", "later", [], math.nan, True])
def test_json_that_is_no_entry_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadEvent) as refused:
        Entry.from_json({"event": "resign", "at": 1.0, "by": "white", field: value})
    assert refused.value.part == field


@pytest.mark.parametrize(
    "change",
    [
        {"rules": None},
        {"rules": "lcub"},
        {"fen": 3},
        {"white": None},
        {"white": {"kind": 1}},
        {"white": {"kind": "guest", "name": "\ud83d"}},
        {"black": {"kind": "guest", "level": "x"}},
        {"clock": "?"},
        {"clock": 60},
        {"clock": "1h"},
        {"at": "now"},
    ],
)
def test_json_that_is_no_start_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadEvent):
        Start.from_json({**Game.start().origin.to_json(), **change})


def test_every_refusal_says_itself_in_every_language() -> None:
    made: dict[str, GameError] = {
        "NothingThere": NothingThere(28),
        "DrawTooSoon": DrawTooSoon(3),
        "TimeRunsBack": TimeRunsBack(1, 2),
        "BadEvent": BadEvent("at"),
    }
    codes: set[str] = set()
    for name in refusals.__all__:
        kind = getattr(refusals, name)
        error = made[name] if name in made else kind()
        codes.add(error.code)
        sentences = {error.sentence(language) for language in ("nl", "fr", "de", "en")}
        assert len(sentences) == 4
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (kind, str(error))
    assert len(codes) == len(refusals.__all__)


def test_what_was_stored_before_there_were_clocks_is_read() -> None:
    player = {"kind": "guest", "name": None, "level": None, "id": "x"}
    start = Start.from_json({"rules": "official", "fen": "W:W31-50:B1-20", "white": player, "black": player})
    assert (start.clock, start.at) == (TimeControl.none(), None)
