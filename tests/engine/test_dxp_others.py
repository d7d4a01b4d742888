"""Opponents in DamExchange that behave badly, or as others do, over real sockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from damier import Board, Color, Move
from damier.engine import AsyncDxpEngine, DxpError, Limit
from damier.engine.dxp_player import DxpGame, play
from damier.notation.dxp import write_position
from tests.engine.dxp_peers import ACCEPTED, SHOT, TOUR, WAIT, Other, at_random, by_list, facing, nothing_left


@pytest.mark.parametrize(
    ("says", "options", "code"),
    [
        (b"", {}, "silent"),
        (b"", {"hangs_up": True}, "gone"),
        (b"M00003", {"hangs_up": True}, "gone"),
        (b"M0000\xe93228", {}, "bad_message"),
        (b"\0", {}, "bad_message"),
        (b"M0000\0" + b"322800\0", {}, "bad_message"),
        (b"M0000322800", {}, "silent"),  # without its NUL
        (b"X\0", {}, "bad_message"),
        (b"E09\0", {}, "bad_message"),
        (b"M0000322300\0", {}, "illegal_move"),
        (ACCEPTED, {}, "out_of_order"),
        (b"R01" + b" " * 32 + b"W060065A\0", {}, "out_of_order"),
        (b"", {"repeats": b"x" * 10_000}, "bad_message"),
        (b"", {"repeats": b"Cbuy now\0" * 100}, "flood"),
        (b"", {"repeats": b"B001W\0" * 100}, "flood"),
        (b"", {"repeats": b"E00\0" * 100}, "ended"),
        (b"E00\0" * 300, {}, "ended"),
    ],
)
async def test_one_that_misbehaves_in_the_game(says: bytes, options: dict[str, Any], code: str) -> None:
    other = Other(ACCEPTED + says, **options)
    async with facing(other, timeout=5.0, move_timeout=0.4) as engine:
        with pytest.raises(DxpError) as caught:
            await engine.search(Board(), Limit(time=1))
        assert caught.value.code == code
        assert caught.value.sentence("fr")
        if code in ("bad_message", "illegal_move", "out_of_order", "silent") and not options:
            await asyncio.wait_for(other.has_gone.wait(), WAIT)  # the connection is closed at once
            assert b"Cerror: " in other.heard  # and why was said
        if code not in ("ended", "flood"):
            with pytest.raises(DxpError) as again:
                await engine.receive()
            assert again.value.code == code


@pytest.mark.parametrize(
    ("says", "options", "code"),
    [
        (b"", {}, "silent"),
        (b"", {"hangs_up": True}, "gone"),
        (b"A", {"hangs_up": True}, "gone"),
        (b"M0000322800\0", {}, "out_of_order"),
        (b"A" + b" " * 32 + b"7\0", {}, "bad_message"),
        (b"R01" + b" " * 32 + b"W060065A\0", {}, "both_ask"),
        (b"A" + b" " * 32 + b"3\0", {}, "refused"),
        (b"E00\0E00\0Chello\0K0\0A" + b" " * 32 + b"3\0", {}, "refused"),  # what comes too late is passed over
    ],
)
async def test_one_that_misbehaves_when_asked(says: bytes, options: dict[str, Any], code: str) -> None:
    async with facing(Other(says, **options), timeout=0.4) as engine:
        with pytest.raises(DxpError) as caught:
            await engine.ask(Board(), Color.WHITE)
        assert caught.value.code == code


async def test_a_move_out_of_turn_ends_the_game_while_this_side_thinks() -> None:
    async def ponder(_board: Board, _limit: Limit | None) -> Move:
        await asyncio.sleep(WAIT)
        raise AssertionError

    async with facing(Other(ACCEPTED + b"M0000322800\0M0000312700\0")) as engine:
        await engine.ask(Board(), Color.WHITE)
        with pytest.raises(DxpError) as caught:
            await play(engine, ponder)
        assert caught.value.code == "out_of_order"


async def test_an_error_tells_what_was_said_last() -> None:
    other = Other(ACCEPTED + b"Cerror: that was illegal\0", hangs_up=True)
    async with facing(other) as engine:
        with pytest.raises(DxpError) as caught:
            await engine.search(Board(), Limit(time=1))
    assert (caught.value.code, caught.value.chat) == ("gone", ("error: that was illegal",))


async def test_one_that_never_answers_the_end() -> None:
    told: list[DxpGame] = []
    async with facing(Other(ACCEPTED + b"M0000330203081828\0"), timeout=0.3) as engine:
        await engine.ask(Board(SHOT), Color.WHITE)
        with pytest.raises(DxpError) as caught:
            await play(engine, at_random(1), on_begin=told.append)
        assert caught.value.code == "silent"
    assert [game.result for game in told] == ["2-0"]  # which is known all the same


async def test_one_that_plays_on_after_a_draw_and_claims_a_win() -> None:
    """A draw by our rules stands, whatever is said: but what is said is told."""
    away, back = b"M0000041500\0", b"M0000150400\0"
    async with facing(Other(ACCEPTED + away, back, away, back, away, b"E30\0")) as engine:
        await engine.ask(Board(TOUR.replace("W:", "B:", 1)), Color.BLACK)
        game = await play(engine, by_list("4-15 46-41 15-4 41-46 " * 3))
    assert game.result == "1-1"
    assert game.remark == "the opponent says that it has won; by the rules the game is drawn (repetition)"


async def test_the_habits_of_others() -> None:
    """An older version of the protocol is no other one, wishes to go back are refused, words come at any time."""
    heard: list[str] = []
    async with nothing_left():
        listener = AsyncDxpEngine(port=0, listen=True, name="Damier", on_chat=heard.append)
        port = await listener.listen()
        starting = asyncio.create_task(listener.start())
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await starting
        position = write_position(Board(SHOT)).encode()
        writer.write(b"R02\0" + b"R00" + b"Tornado".ljust(32) + b"Z000000B" + position + b"\0")
        request = await listener.asked(WAIT)
        assert (request.name, request.follower, request.minutes, request.moves) == ("Tornado", Color.BLACK, 0, 0)
        listener.answer()
        for part in (b"Chel", b"lo\0B00", b"1W\0M000133020308", b"1828\0Cdone\0"):
            writer.write(part)
            await asyncio.sleep(0.02)
        playing = asyncio.create_task(play(listener, at_random(1)))
        said = (await reader.readuntil(b"E10\0")).split(b"\0")
        writer.write(b"E00\0")
        game = await playing
        assert (game.result, game.seconds, heard) == ("2-0", [1.0], ["hello", "done"])
        name = b"A" + b"Damier".ljust(32)
        assert said == [name + b"1", name + b"0", b"K1", b"E10", b""]
        writer.close()
        await listener.close()


@pytest.mark.parametrize("listen", [False, True])
async def test_nobody_there(listen: bool) -> None:
    async with nothing_left():
        server = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(DxpError) as caught:
            async with AsyncDxpEngine(port=port, listen=listen, start_timeout=0.3):
                pass
        assert caught.value.code == ("nobody_came" if listen else "not_connected")


async def test_a_port_that_is_taken_and_a_name_that_is_none() -> None:
    server = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for engine in (AsyncDxpEngine(port=port, listen=True), AsyncDxpEngine("no.such.name.invalid", port)):
        with pytest.raises(DxpError) as caught:
            await engine.start()
        assert caught.value.code == "not_connected"
    server.close()


@pytest.mark.parametrize("what", ["listening", "waiting to be asked"])
async def test_closing_in_the_midst_tells_who_waits(what: str) -> None:
    async with nothing_left():
        listener = AsyncDxpEngine(port=0, listen=True, start_timeout=None)
        connector = AsyncDxpEngine(port=await listener.listen())
        if what == "listening":
            waiting = asyncio.create_task(listener.start())
        else:
            await asyncio.gather(listener.start(), connector.start())
            waiting = asyncio.create_task(listener.asked())
        await asyncio.sleep(0.1)
        await listener.close()
        with pytest.raises(DxpError) as caught:
            await waiting
        assert caught.value.code == "closed"
        await connector.close()


async def test_after_a_failure_the_next_use_makes_another_connection() -> None:
    others = [Other(ACCEPTED, hangs_up=True), Other(ACCEPTED + b"M0000322800\0")]
    waiting = list(others)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await waiting.pop(0).serve(reader, writer)

    async with nothing_left():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with AsyncDxpEngine(port=server.sockets[0].getsockname()[1]) as engine:
            with pytest.raises(DxpError):
                await engine.search(Board(), Limit(time=1))
            assert str((await engine.search(Board(), Limit(time=1))).best) == "32-28"
        await asyncio.wait_for(others[1].has_gone.wait(), WAIT)
        server.close()


async def test_what_on_chat_raises_comes_out() -> None:
    def refuse(_words: str) -> None:
        raise LookupError("enough")

    async with nothing_left():
        listener = AsyncDxpEngine(port=0, listen=True, on_chat=refuse)
        connector = AsyncDxpEngine(port=await listener.listen())
        await asyncio.gather(listener.start(), connector.start())
        async with listener, connector:
            connector.chat("hello")
            with pytest.raises(LookupError, match="enough"):
                await listener.asked(WAIT)
