"""Who may send what over a game's socket: every message, as a stranger, a watcher, the opponent, and after the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

import pytest

from damier.server.play import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.server.conftest import Person, Table

MOVE: Final = {"from": 31, "to": 27, "captured": [], "crowned": False}
WATCHING: Final = "not_yours"
OVER: Final = "game_over"

# The game: leaflet, 5 minutes and 3 seconds, two moves made, White to move and offering a draw.
# kind: what is sent, what a watcher is told, what Black is told who asks out of turn, what both are told at the end.
# None: it is done.
TABLE: Final[dict[str, tuple[dict[str, Any], str | None, str | None, str | None]]] = {
    "move": ({"ply": 2, "move": MOVE}, WATCHING, "not_your_turn", OVER),
    "explain": ({"ply": 2, "from": 31, "to": 27}, WATCHING, "not_your_turn", OVER),
    "take_back": ({}, WATCHING, "needs_agreement", OVER),
    "resign": ({}, WATCHING, None, OVER),
    "offer_draw": ({}, WATCHING, "offer_stands", OVER),
    "accept_draw": ({}, WATCHING, None, OVER),
    "decline_draw": ({}, WATCHING, None, OVER),
    "offer_take_back": ({}, WATCHING, None, OVER),
    "accept_take_back": ({}, WATCHING, "nothing_offered", OVER),
    "decline_take_back": ({}, WATCHING, "nothing_offered", OVER),
    "abort": ({}, WATCHING, "too_late_to_abort", OVER),
    "add_time": ({}, WATCHING, None, OVER),
    "touch": ({"ply": 2, "square": 31}, WATCHING, "not_your_turn", OVER),
    "adjust": ({}, WATCHING, None, OVER),
    "unsay": ({}, WATCHING, "not_adjusting", OVER),
    "claim": ({"as": "win"}, WATCHING, "not_gone", OVER),
    "rematch": ({}, WATCHING, "not_open", None),
    "decline_rematch": ({}, WATCHING, "not_open", None),
    "say": ({"room": "players", "text": "hello"}, "not_here", None, None),
    "chat": ({"on": True}, None, None, None),
}
# What White may not do with its own offers.
OWN: Final = {"accept_draw": "nothing_offered", "decline_draw": "nothing_offered", "offer_draw": "offer_stands"}


class Board:
    """A game of two people with a socket each, a watcher's, and one of somebody without a cookie."""

    def __init__(self, tables: dict[str, Table]) -> None:
        self.white, self.black = tables["white"], tables["black"]
        self.watcher, self.stranger = tables["watcher"], tables["stranger"]

    def version(self) -> int:
        """Where the game stands, as the server says to somebody who asks for nothing that changes it."""
        answer = self.white.ask("chat", on=True)
        assert answer["t"] == "ack", answer
        return answer["version"]


@pytest.fixture
def board(people: Callable[..., Person]) -> Iterator[Board]:
    white, black, watcher, stranger = (people() for _ in range(4))
    invitation = white.post("/invitations", control="300+3", rules="leaflet", color="white", public="on").headers[
        "location"
    ]
    path = black.post(f"{invitation}/accept").headers["location"]
    watcher.http.get(path)
    with (
        white.sit(path) as first,
        black.sit(path) as second,
        watcher.sit(path) as third,
        stranger.sit(path) as fourth,
    ):
        tables = {"white": first, "black": second, "watcher": third, "stranger": fourth}
        for table in tables.values():
            table.receive()
        assert first.move(move_of(first, 32, 28))["t"] == "ack"
        second.until_own_turn()
        assert second.move(move_of(second, 20, 25))["t"] == "ack"
        assert first.ask("offer_draw")["t"] == "ack"
        yield Board(tables)


def move_of(table: Table, start: int, target: int) -> dict[str, Any]:
    return next(move for move in table.state["legal"] if (move["from"], move["to"]) == (start, target))


def test_the_table_names_every_message() -> None:
    asked = {kind.__struct_config__.tag for kind in get_args(messages.AskedMessage)}
    assert set(TABLE) == asked


def test_watchers_and_strangers_change_nothing(board: Board) -> None:
    before = board.version()
    for kind, (fields, code, _, _) in TABLE.items():
        for table, expected in ((board.watcher, code), (board.stranger, code or "unknown_person")):
            assert table.ask(kind, **fields).get("code") == expected, kind
    assert board.version() == before
    assert board.watcher.state["legal"] == board.stranger.state["legal"] == []
    assert not any(board.watcher.state["can"].values())


def test_the_opponent_is_refused_what_is_not_the_opponents(board: Board) -> None:
    before = board.version()
    for kind, (fields, _, code, _) in TABLE.items():
        if code is not None:
            assert board.black.ask(kind, **fields).get("code") == code, kind
    assert board.version() == before


@pytest.mark.parametrize("kind", [kind for kind, (_, _, code, _) in TABLE.items() if code is None])
def test_the_opponent_does_what_is_the_opponents(board: Board, kind: str) -> None:
    before = board.version()
    assert board.black.ask(kind, **TABLE[kind][0])["t"] == "ack"
    assert board.version() == before + (kind not in {"say", "chat"})


def test_nobody_answers_an_own_offer(board: Board) -> None:
    before = board.version()
    for kind, code in OWN.items():
        assert board.white.ask(kind).get("code") == code, kind
    assert board.version() == before


def test_nothing_changes_a_game_that_is_over(board: Board) -> None:
    assert board.black.ask("accept_draw")["t"] == "ack"
    before = board.version()
    for kind, (fields, watching, _, code) in TABLE.items():
        assert board.black.ask(kind, **fields).get("code") == code, kind
        # afterwards all talk together
        assert board.watcher.ask(kind, **fields).get("code") == (None if kind == "say" else watching), kind
    assert board.version() == before


UNHEARD_OF: Final[list[dict[str, Any]]] = [
    {"t": "flag"},
    {"t": "abandon", "side": "white"},
    {"t": "pause"},
    {"t": "resume"},
    {"t": "resign", "by": "white"},
    {"t": "add_time", "seconds": 9000},
    {"t": "add_time", "to": "black"},
    {"t": "claim", "as": "loss"},
    {"t": "touch", "ply": 2, "square": 51},
    {"t": "say", "room": "everybody", "text": "hello"},
    {"t": "say", "room": "players", "preset": "you_fool"},
    {"t": "say", "room": "players", "text": "hello", "side": "white"},
    {"t": "chat", "on": True, "person": "anna"},
]


def test_what_only_the_arbiter_says_and_what_is_none_of_the_pages_is_not_understood(board: Board) -> None:
    before = board.version()
    for message in UNHEARD_OF:
        fields = {name: value for name, value in message.items() if name != "t"}
        assert board.black.ask(message["t"], **fields)["code"] == "bad_message", message
    assert board.version() == before


def test_touches_between_two_moves_have_an_end(board: Board) -> None:
    codes = [board.black.ask("adjust" if number % 2 == 0 else "unsay").get("code") for number in range(40)]
    assert set(codes) == {None, "too_often"}
    assert codes.index("too_often") == 30
    assert board.black.ask("resign")["t"] == "ack"


def test_a_second_touch_is_no_event(board: Board) -> None:
    before = board.version()
    for square in (31, 31, 33):
        assert board.white.ask("touch", ply=2, square=square)["t"] == "ack"
    assert board.version() == before + 1
    assert board.white.state["touched"] == 31
    assert {move["from"] for move in board.white.state["legal"]} == {31}
    assert board.white.ask("touch", ply=1, square=31)["code"] == "position_changed"
