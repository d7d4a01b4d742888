"""The sockets' messages: each is documented, each is as the published schema has it, and each is really sent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx
import jsonschema
import msgspec
import pytest

from damier.server.api import protocol
from damier.server.api.protocol import kind_of
from damier.server.lobby import socket as lobby
from damier.server.play import messages
from tests.server.conftest import ANSWER_SECONDS, Person
from tests.server.members import logged_in
from tests.server.programs import Program
from tests.server.test_permissions import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from websockets.sync.client import ClientConnection

    from tests.server.conftest import Server

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "protocol.md"
GROUPS: Final = (protocol.GAME_CLIENT, protocol.GAME_SERVER, protocol.PERSONAL_CLIENT, protocol.PERSONAL_SERVER)


def test_every_message_is_documented_with_its_fields() -> None:
    tables = re.split(r"^### ", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert len(tables) == len(GROUPS)
    for table, kinds in zip(tables, GROUPS, strict=True):
        rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \| \S", table.replace("| |", "|  |"), flags=re.MULTILINE)[1:]
        documented = [(kind, re.findall(r"`(\w+)`", fields)) for kind, fields in rows]
        assert documented == [
            (kind_of(each), [field.encode_name for field in msgspec.structs.fields(each)]) for each in kinds
        ]


def test_no_message_is_left_out() -> None:
    def tagged(module: Any) -> set[type]:
        structs = (
            each for each in vars(module).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)
        )
        return {each for each in structs if each.__struct_config__.tag and each.__module__ == module.__name__}

    assert tagged(lobby) - {*lobby.PAGES_ONLY} <= {*protocol.PERSONAL_CLIENT, *protocol.PERSONAL_SERVER}
    assert tagged(messages) - {messages.Shared, messages.Asked} <= {*protocol.GAME_CLIENT, *protocol.GAME_SERVER}


@pytest.fixture(scope="module")
def published(server: Server) -> dict[str, Any]:
    found = httpx.get(f"{server.address}/schema/socket.json").json()
    assert found == json.loads(json.dumps(protocol.schema()))
    jsonschema.Draft202012Validator.check_schema(found)
    return found


@pytest.fixture
def two(server: Server) -> Iterator[tuple[Program, Program]]:
    made = Program(server), Program(server)
    yield made
    for each in made:
        each.close()


class Line:
    """A socket whose every message is held against the schema. ``kinds``: those that have come."""

    def __init__(self, connection: ClientConnection, published: dict[str, Any], socket: str) -> None:
        self.connection = connection
        self.server = jsonschema.Draft202012Validator({**published, **published[socket]["server"]})
        self.client = jsonschema.Draft202012Validator({**published, **published[socket]["client"]})
        self.kinds: set[str] = set()

    def send(self, kind: str, **fields: Any) -> None:
        message = {"t": kind, **fields}
        self.client.validate(message)
        self.connection.send(json.dumps(message))

    def until(self, *kinds: str) -> dict[str, Any]:
        """Read on until all these have come; returns the last message that was read."""
        message: dict[str, Any] = {}
        while not self.kinds.issuperset(kinds):
            message = json.loads(self.connection.recv(timeout=ANSWER_SECONDS))
            self.server.validate(message)
            self.kinds.add(message["t"])
        return message


def test_all_that_sockets_say_is_as_the_schema_has_it(two: tuple[Program, Program], published: dict[str, Any]) -> None:
    white, black = two
    link = white.page.post("/invitations", control="300+3", rules="official", color="white").headers["location"]
    with white.socket("/socket") as connection:
        own = Line(connection, published, "personal")
        own.send("watch", games=True, seeks=True, invitation=link.removeprefix("/i/"))
        own.send("ping")
        own.until("club", "pong", "invitation")
        challenge = white.post(f"/members/{black.name}/challenges", 201, clock="300+3", color="white", rated=True)
        own.until("challenge")
        game = black.post(f"/challenges/{challenge['id']}/accept")["game"]
        own.until("challenge_ended", "game_start", "your_move", "now")
        assert own.kinds == {kind_of(each) for each in protocol.PERSONAL_SERVER}
    with white.socket(f"/games/{game}/socket") as connection:
        board = Line(connection, published, "game")
        assert board.until("state")["you"] == "white"
        board.send("pong", id=board.until("ping")["id"])
        board.send("ping")
        board.send("say", ref=1, room="players", preset="hello")
        board.send("explain", ref=2, ply=0, **{"from": 31, "to": 28})
        board.send("accept_draw", ref=3)
        board.until("pong", "chat", "ack", "reason", "error", "presence", "chat_on")
        keeper = Person(white.page.server)
        logged_in(keeper, role="moderator")
        keeper.post("/moderation/case", what="chat", of=f"{game}/players/1", action="hide")
        board.until("chat_changed")
        keeper.close()
        white.post(f"/games/{game}/moves", move="32-28")
        black.post(f"/games/{game}/moves", move="20-25")
        black.post(f"/games/{game}/resign")
        board.until("rating")
        board.send("rematch", ref=4)
        board.until("rematch")
        seek = white.post("/seeks", 201, clock="300+3")["id"]
        black.post(f"/seeks/{seek}/accept")
        board.until("begun")
        assert board.kinds == {kind_of(each) for each in protocol.GAME_SERVER}


def test_all_that_is_tried_at_a_board_is_as_the_schema_has_it(published: dict[str, Any]) -> None:
    client = jsonschema.Draft202012Validator({**published, **published["game"]["client"]})
    for kind, (fields, *_) in TABLE.items():
        client.validate({"t": kind, "ref": 1, **fields})
        assert not client.is_valid({"t": kind, "ref": 1, **fields, "by": "white"}), kind
    assert {*TABLE, "ping", "pong"} == {kind_of(each) for each in protocol.GAME_CLIENT}
