"""The client's sockets, with a peer at the other end that does what no club should."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from damier import Color, IllegalMove
from damier.client import Client, ClubError, GameStarted, Unreachable, YourMove
from damier.client.wire import Wire

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from websockets.http11 import Request, Response

FIRST: dict[str, Any] = {
    "t": "state",
    "version": 1,
    "from_ply": 0,
    "plies": [
        {"text": "32-28", "fen": "", "move": {"from": 32, "to": 28, "captured": [], "crowned": False, "paths": []}}
    ],
    "result": None,
    "clock": {"white": 300_000, "black": 290_000, "running": "black", "low": 30_000},
    "draw_offer": None,
    "take_back_offer": None,
    "can": {"resign": True, "abort": True, "offer_draw": False, "offer_draw_in": 3},
    "id": "g",
    "rules": "official",
    "you": "black",
    "start_fen": "W:W31-50:B1-20",
    "players": {
        "white": {"kind": "member", "name": "Anna", "level": None},
        "black": {"kind": "bot", "name": "Ben", "level": None},
    },
    "control": "5+3",
    "speed": "blitz",
}


@asynccontextmanager
async def peer(
    behave: Callable[[ServerConnection], Awaitable[None]],
    answer: Callable[[ServerConnection, Request], Response | None] | None = None,
) -> AsyncGenerator[str]:
    """The address of somebody who behaves so at every connection."""
    async with serve(behave, "127.0.0.1", 0, process_request=answer) as server:
        yield f"http://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"


async def test_a_connection_that_breaks_is_made_anew_and_told() -> None:
    connections = 0

    async def behave(connection: ServerConnection) -> None:
        nonlocal connections
        connections += 1
        await connection.send(json.dumps({"t": "your_move", "count": connections}))
        if connections < 3:
            await connection.close(1012)
        else:
            await connection.wait_closed()

    async with peer(behave) as address, Client(address, "dmr_x") as club:
        heard = []
        async for event in club.events():
            heard.append(event)
            if len(heard) == 3:
                break
    assert heard == [YourMove(1), YourMove(2), YourMove(3)]


async def test_what_is_asked_when_the_connection_breaks_is_not_said_to_be_done() -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.send(json.dumps(FIRST))
        await connection.recv()
        await connection.close(1012)

    async with peer(behave) as address, Client(address, "dmr_x") as club, club.join("g") as table:
        with pytest.raises(ClubError) as caught:
            await table.resign()
    assert caught.value.code == "broken_off"


@pytest.mark.parametrize(
    "frame",
    [
        "no json",
        "[]",
        '{"t": 3}',
        '{"t":"state"}',
        json.dumps({**FIRST, "plies": 7}),
        json.dumps({**FIRST, "you": "red"}),
    ],
)
async def test_what_no_club_sends_is_an_error_of_ours(frame: str) -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.send(frame)
        await connection.close(4004, "There is no such game.")

    async with peer(behave) as address, Client(address) as club:
        with pytest.raises((Unreachable, ClubError)):
            async with club.join("g"):
                pass


async def test_a_socket_that_the_club_closes_for_good_is_not_opened_again() -> None:
    connections = 0

    async def behave(connection: ServerConnection) -> None:
        nonlocal connections
        connections += 1
        await connection.close(4001, "logged out")

    async with peer(behave) as address, Client(address, "dmr_x") as club:
        with pytest.raises(ClubError) as caught:
            async for _ in club.events():
                pass
    assert (caught.value.code, connections) == ("logged_out", 1)


async def test_a_refusal_is_told_in_the_clubs_words() -> None:
    def answer(connection: ServerConnection, _: Request) -> Response:
        return connection.respond(401, json.dumps({"code": "token", "message": "This token is not known."}))

    async def behave(_: ServerConnection) -> None: ...

    async with peer(behave, answer) as address:
        with pytest.raises(ClubError, match="This token is not known") as caught:
            async for _ in Wire(address.replace("http", "ws", 1), {}).messages():
                pass
    assert caught.value.status == 401


async def test_nobody_at_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    async with Client(address) as club:
        with pytest.raises(Unreachable):
            await club.account()
        with pytest.raises(Unreachable):
            async for _ in club.events():
                pass
    with pytest.raises(ValueError, match=r"club\.example"):
        Client("club.example")


async def test_the_game_is_as_it_was_told() -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.send(json.dumps(FIRST))
        await connection.send(json.dumps({"t": "ping", "id": 7}))
        assert json.loads(await connection.recv()) == {"t": "pong", "id": 7}
        asked = json.loads(await connection.recv())
        assert (asked["t"], asked["ply"], asked["move"]["from"]) == ("move", 1, 19)
        await connection.send(json.dumps({"t": "news", "of": "a later version"}))
        ply = {"text": "19-23", "fen": "", "move": asked["move"]}
        changed = {
            "from_ply": 1,
            "plies": [ply],
            "version": 2,
            "result": {"winner": None, "score": "1-1", "rule": "agreed", "text": ""},
        }
        state = {name: FIRST[name] for name in ("t", "clock", "draw_offer", "take_back_offer", "can")} | changed
        await connection.send(json.dumps(state))
        await connection.send(json.dumps({"t": "ack", "ref": asked["ref"], "version": 2}))
        await connection.wait_closed()

    async with peer(behave) as address, Client(address) as club, club.join("g") as table:
        game = table.game
        assert (game.you, game.your_turn, game.opponent.name, game.control) == (Color.BLACK, True, "Anna", "5+3")
        assert game.can == {"resign", "abort"}
        assert game.clocks is not None
        assert game.clocks.left(Color.WHITE) == 300.0
        assert game.clocks.left(Color.BLACK) <= 290.0
        with pytest.raises(IllegalMove):
            await table.move("19-32")
        await asyncio.sleep(0.1)
        await table.move("19-23")
        assert [str(move) for move in table.game.board.moves] == ["32-28", "19-23"]
        assert (table.game.score, table.game.reason, table.game.your_turn) == ("1-1", "agreed", False)


async def test_who_is_slow_is_given_the_latest_state() -> None:
    async def behave(connection: ServerConnection) -> None:
        for version in range(1, 60):
            await connection.send(
                json.dumps({**FIRST, "version": version, "draw_offer": "white" if version == 59 else None})
            )
        await connection.wait_closed()

    async with peer(behave) as address, Client(address) as club, club.join("g") as table:
        await asyncio.sleep(0.3)
        async for game in table:
            assert game.draw_offer is Color.WHITE
            break


async def test_events_of_a_later_version_are_passed_over() -> None:
    async def behave(connection: ServerConnection) -> None:
        for message in ({"t": "tournament"}, {"t": "game_start", "game": "g", "color": "white", "more": 1}):
            await connection.send(json.dumps(message))
        await connection.wait_closed()

    async with peer(behave) as address, Client(address) as club:
        async for event in club.events():
            assert event == GameStarted("g", "white")
            break
