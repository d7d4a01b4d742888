"""Nonsense over a game's socket gets a clear error and harms nobody else."""

from __future__ import annotations

import json
import socket
import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.sync.client import connect

from tests.server.conftest import ANSWER_SECONDS, Person, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOVE = {"from": 32, "to": 28, "captured": [], "crowned": False}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        "{}",
        '{"t":"castle"}',
        '{"t":7}',
        '{"t":"move"}',
        '{"t":"move","ref":1,"ply":0}',
        '{"t":"move","ref":1,"ply":0,"move":null}',
        '{"t":"move","ref":1,"ply":0,"move":[32,28]}',
        '{"t":"move","ref":"1","ply":0,"move":{"from":32,"to":28}}',
        '{"t":"move","ref":-1,"ply":0,"move":{"from":32,"to":28}}',
        '{"t":"move","ref":1e400,"ply":0,"move":{"from":32,"to":28}}',
        '{"t":"move","ref":1,"ply":0,"move":{"from":0,"to":28}}',
        '{"t":"move","ref":1,"ply":0,"move":{"from":32,"to":51}}',
        '{"t":"move","ref":1,"ply":0,"move":{"from":32.5,"to":28}}',
        '{"t":"move","ref":1,"ply":0,"move":{"from":32,"to":28,"captured":[0]}}',
        '{"t":"move","ref":1,"ply":0,"move":{"from":32,"to":28,"captured":' + json.dumps([1] * 30) + "}}",
        '{"t":"move","ref":1,"ply":0,"move":{"from":32,"to":28,"crowned":"no"}}',
        '{"t":"move","ref":1,"ply":0,"move":{"from":32,"to":28},"by":"black"}',
        '{"t":"explain","ref":1,"ply":0,"from":0,"to":1}',
        '{"t":"take_back"}',
        '{"t":"resign","ref":1,"by":"black"}',
        '{"t":"ping","t":"resign"}',
        "[" * 3000,
        '{"t":"ping","\\ud800":1}',
    ],
)
def test_what_is_no_message_gets_an_error_and_the_game_goes_on(person: Person, text: str) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        table.connection.send(text)
        error = table.receive()
        assert (error["t"], error["code"]) == ("error", "bad_message")
        assert error["message"]
        assert table.move()["t"] == "ack"


def test_the_error_names_the_message_where_it_can(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        table.connection.send('{"t":"move","ref":41,"ply":0,"move":{"from":99,"to":28}}')
        assert table.receive()["ref"] == 41


@pytest.mark.parametrize("size", [1, 3, 7, 50, 64, 1000])
def test_messages_arrive_however_the_network_cuts_them(person: Person, size: int) -> None:
    """Whole frames, pieces of one, several at once, a ping between, and a text in two frames."""
    with person.sit(person.new_game("white")) as table:
        table.receive()
        asked = [json.dumps({"t": "explain", "ref": ref, "ply": 0, "from": 32, "to": 33}) for ref in range(12)]
        frames = [Frame(Opcode.TEXT, text.encode()) for text in asked]
        first, second = asked[5][:20].encode(), asked[5][20:].encode()
        frames[5:6] = [
            Frame(Opcode.PING, b"there?"),
            Frame(Opcode.TEXT, first, fin=False),
            Frame(Opcode.PING, b"still?"),
            Frame(Opcode.CONT, second),
        ]
        line = table.connection.socket
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for frame in frames[:2]:
            line.sendall(frame.serialize(mask=True))
        rest = b"".join(frame.serialize(mask=True) for frame in frames[2:])
        for begin in range(0, len(rest), size):
            line.sendall(rest[begin : begin + size])
        answers = [table.until(lambda message: message["t"] == "reason") for _ in asked]
        assert [answer["ref"] for answer in answers] == list(range(12))
        assert table.move()["t"] == "ack"


def test_binary_frames_get_an_error(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        table.connection.send(b'{"t":"ping"}')
        assert table.receive()["code"] == "bad_message"
        table.connection.send('{"t":"ping"}')
        assert table.receive() == {"t": "pong"}


@pytest.mark.parametrize(
    "move",
    [
        {**MOVE, "to": 27, "captured": [28]},
        {**MOVE, "to": 33},
        {**MOVE, "crowned": True},
        {**MOVE, "from": 1, "to": 7},
        {**MOVE, "captured": [23]},
    ],
)
def test_an_illegal_move_is_refused_with_the_reason(person: Person, move: dict[str, Any]) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        answer = table.ask("move", ply=0, move=move)
        assert (answer["t"], answer["code"]) == ("error", "illegal_move")
        assert answer["message"]
        assert table.move()["version"] == 1


def test_a_move_from_another_position_is_refused(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        for ply in (-1, 1, 10**15):
            assert table.ask("move", ply=ply, move=MOVE)["code"] == "position_changed"


def test_a_huge_frame_ends_its_connection_and_no_other(people: Callable[..., Person]) -> None:
    person = people()
    game = person.new_game("white")
    with person.sit(game) as table, person.sit(game) as other:
        table.receive()
        other.receive()
        table.connection.send("x" * 4_200)
        with pytest.raises(ConnectionClosed):
            table.receive()
        assert table.connection.close_code == 1009
        assert other.move()["t"] == "ack"


def test_a_huge_message_in_small_frames_ends_its_connection(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        with suppress(ConnectionClosed):
            table.connection.send("x" * 1_000 for _ in range(1_000))
        with pytest.raises(ConnectionClosed):
            table.receive()
        # who goes on sending to a connection that is closed may miss the reason
        assert table.connection.close_code in {1009, 1006}
    assert person.http.get("/health").status_code == 200


def test_a_broken_frame_ends_its_connection(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        table.connection.socket.sendall(b"\xff\xff\xff\xff")
        with pytest.raises(ConnectionClosed):
            table.receive()
    assert person.http.get("/health").status_code == 200


def test_a_socket_of_no_game_is_told_so(person: Person) -> None:
    for game in ("/games/nothing", "/games/" + "x" * 500, "/games/%00"):
        with person.sit(game) as table:
            assert table.receive()["code"] == "unknown_game"
            with pytest.raises(ConnectionClosed):
                table.receive()
            assert table.connection.close_code == 4004


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_url: str) -> Iterator[Person]:
    """Somebody at a club on PostgreSQL, whose texts hold no NUL."""
    running = Server(tmp_path / "club", DAMIER_DATABASE=postgres_url).start()
    visitor = Person(running)
    yield visitor
    visitor.close()
    running.stop()
    assert not any('"error"' in line for line in running.log), "".join(running.log)


def test_an_address_that_no_database_can_hold_leads_nowhere(on_postgres: Person) -> None:
    person = on_postgres
    for name in ("%00", "a%00b", "%ED%A0%80", "%FF", "x" * 500):
        assert person.http.get(f"/games/{name}").status_code == 404
        assert person.http.get(f"/i/{name}").status_code == 404
        for what in ("accept", "decline", "withdraw"):
            assert person.post(f"/i/{name}/{what}").status_code == 404
        with person.sit(f"/games/{name}") as table:
            assert table.receive()["code"] == "unknown_game"
    for text in ("a\0b", "\0"):
        assert person.post("/name/choose", name=text).status_code == 422
        assert person.post("/language", language="en", next=text).headers["location"] == "/"
    address = str(person.http.base_url).rstrip("/").replace("http", "ws", 1)
    cookies = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    with connect(f"{address}/socket", additional_headers={"cookie": cookies}) as line:
        line.send(json.dumps({"t": "watch", "games": False, "invitation": "a\0b"}))
        line.send(json.dumps({"t": "ping"}))
        while json.loads(line.recv(timeout=ANSWER_SECONDS))["t"] != "pong":
            pass


def test_numbers_of_any_length_are_refused_and_not_read(person: Person) -> None:
    form = {"color": "white", "rules": "official", "control": "days"}
    for fields in (
        {"days": "9" * 5000},
        {"days": "-1"},
        {"control": "own", "minutes": "9" * 5000, "increment": "5"},
        {"control": "own", "minutes": "5", "increment": "9" * 5000},
        {"control": "9" * 5000},
    ):
        assert person.post("/invitations", **{**form, **fields}).status_code == 422
    assert person.post("/games", color="white", rules="official", level="9" * 5000).status_code == 400
    assert person.http.get("/my-games", params={"before": "9" * 5000}).status_code in (200, 400)


@pytest.mark.parametrize("host", ["x:99999999", "x:y", "x" * 3000, "a b", "a/b", "a@b", "[::1", "", "x\\y", "x:1:2"])
def test_a_host_header_that_names_no_host_is_refused_with_all_headers(person: Person, host: str) -> None:
    path = person.post("/invitations", color="white", rules="official", control="300+3").headers["location"]
    for address in ("/", path, "/nothing", "/health"):
        answer = person.http.get(address, headers={"host": host})
        assert answer.status_code == 400
        assert "content-security-policy" in answer.headers
    with pytest.raises(InvalidStatus, match=r"40[03]"), person.sit(person.new_game(), host=host):
        pass


@pytest.mark.parametrize("host", ["club.example", "club.example:8443", "[::1]:80", "x" * 253 + ":65535"])
def test_a_host_header_that_names_a_host_is_taken(person: Person, host: str) -> None:
    path = person.post("/invitations", color="white", rules="official", control="300+3").headers["location"]
    answer = person.http.get(path, headers={"host": host})
    assert answer.status_code == 200
    assert f"http://{host.removesuffix(':80')}" in answer.text
    assert person.post(f"{path}/withdraw").status_code == 303


def test_a_page_of_another_site_opens_no_socket(person: Person) -> None:
    game = person.new_game("white")
    own = str(person.http.base_url).rstrip("/")
    with person.sit(game, origin=own) as table:
        table.receive()
    for origin in ("https://else.example", own.replace("127.0.0.1", "127.0.0.2"), "null", "http://[", own + ".else"):
        with pytest.raises(InvalidStatus) as refused, person.sit(game, origin=origin):
            pass
        assert refused.value.response.status_code == 403


def test_a_version_that_is_no_number_gets_the_whole_game(person: Person) -> None:
    game = person.new_game("white")
    for version in ("x", "", "1.5", "-7", "١"):
        with person.sit(game, version) as table:  # pyright: ignore[reportArgumentType]  # that is the point
            assert table.receive()["from_ply"] == 0


def test_a_flood_hurts_only_its_sender(own_server_person: Person) -> None:
    person = own_server_person
    quiet, flooded = person.new_game("white"), person.new_game("white")
    with person.sit(flooded) as table, person.sit(quiet) as other:
        table.receive()
        other.receive()
        codes: list[str] = []
        with suppress(ConnectionClosed):
            for _ in range(1_000):
                table.connection.send('{"t":"ping"}')
        started = time.monotonic()
        assert other.move()["t"] == "ack"
        assert time.monotonic() - started < 1
        with suppress(ConnectionClosed):
            while True:
                message = table.receive()
                codes.append(message.get("code", message["t"]))
        assert table.connection.close_code == 4029
        assert codes.count("pong") <= 40
        assert "too_fast" in codes
    with person.sit(flooded) as table:
        table.receive()
        assert table.move()["t"] == "ack"


def test_a_reader_that_sleeps_keeps_nobody_waiting(person: Person) -> None:
    """A socket that is opened and never read does not hold up the game."""
    game = person.new_game("white")
    url = person.http.base_url
    with socket.create_connection((url.host, url.port or 80)) as sleeper:
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        lines = [
            f"GET {game}/socket HTTP/1.1",
            f"Host: {url.host}:{url.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        sleeper.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        with person.sit(game) as table:
            table.receive()
            for _ in range(30):
                if table.state["result"]:
                    break
                assert table.move()["t"] == "ack"
                table.until_own_turn()
        # a reset instead of a farewell
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert person.http.get("/health").status_code == 200


@pytest.mark.parametrize("pause", [0.0, 0.2])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_that_break_off_leave_one_line_each_in_the_log(own_server: Server, method: str, pause: float) -> None:
    """Their nonsense comes before the answer, or after it."""
    address = httpx.URL(own_server.address)
    paths = ("/", "/games", "/language", "/nothing", "/health", "/static/nothing.js")
    for path in paths:
        with socket.create_connection((address.host, address.port or 80), timeout=10) as line:
            head = (f"{method} {path} HTTP/1.1", "Host: here", "Content-Type: application/x-www-form-urlencoded")
            line.sendall("\r\n".join((*head, "Transfer-Encoding: chunked", "", "5\r\ncolor\r\n")).encode())
            time.sleep(pause)
            line.sendall(b"zz\r\nnonsense\r\n")
            answer = b""
            while part := line.recv(65_536):
                answer += part
            assert answer.startswith(b"HTTP/1.1 ")
        with socket.create_connection((address.host, address.port or 80), timeout=10) as line:
            line.sendall(
                "\r\n".join((f"{method} {path} HTTP/1.1", *head[1:], "Content-Length: 99", "", "col")).encode()
            )
            time.sleep(pause)
    assert httpx.get(address.join("/health")).status_code == 200
    own_server.stop()
    opened = next(number for number, line in enumerate(own_server.log) if own_server.address in line)
    said = [json.loads(line) for line in own_server.log[opened + 1 :]]
    assert [(line["logger"], line["message"]) for line in said] == [
        ("uvicorn.error", "Invalid HTTP request received.")
    ] * len(paths)
