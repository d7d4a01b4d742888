"""Opponents in DamExchange over real sockets: ours against ours, and others that behave badly."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from random import Random
from typing import Any

import pytest

from damier import Board, Color, EngineError, Move
from damier.engine import AsyncDxpEngine, DxpEngine, DxpError, Limit
from damier.engine.dxp_player import DxpGame, play
from damier.notation.dxp import Answer, GameEnd, GameRequest, Reason, write_position

WAIT = 30  # seconds, for a machine that is busy
ACCEPTED = b"A" + b"Other".ljust(32) + b"0\0"
TOUR = "W:WK46,K47:BK3,K4"
SHOT = "W:W33:B8,18,28"


def at_random(seed: int) -> Callable[[Board, float | None], Awaitable[Move]]:
    random = Random(seed)

    async def think(board: Board, _seconds: float | None) -> Move:
        return random.choice(board.legal_moves)

    return think


def by_list(text: str) -> Callable[[Board, float | None], Awaitable[Move]]:
    """Plays these moves, those of both sides being in the list."""
    moves = text.split()

    async def think(board: Board, _seconds: float | None) -> Move:
        return board.parse(moves[board.ply])

    return think


async def pair(*, asks: bool = False) -> tuple[AsyncDxpEngine, AsyncDxpEngine]:
    """One that listens, and ``asks`` for games or is asked, and one that has come to it."""
    listener = AsyncDxpEngine(port=0, listen=True, follow=not asks, name="Listener", timeout=WAIT)
    connector = AsyncDxpEngine(port=await listener.listen(), follow=asks, name="Connector", timeout=WAIT)
    await asyncio.gather(listener.start(), connector.start())
    return listener, connector


async def agree(asking: AsyncDxpEngine, asked: AsyncDxpEngine, board: Board, theirs: Color, moves: int = 0) -> None:
    async def accept() -> None:
        await asked.asked(WAIT)
        asked.answer()

    await asyncio.gather(asking.ask(board, theirs, minutes=1, moves=moves), accept())


@contextlib.asynccontextmanager
async def nothing_left() -> AsyncGenerator[None]:
    yield
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:  # those of a stream server end with their connection
        await asyncio.wait(tasks, timeout=5)
    assert asyncio.all_tasks() == {asyncio.current_task()}


# --- Ours against ours -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("listener_asks", [False, True])
@pytest.mark.parametrize("theirs", [Color.WHITE, Color.BLACK])
@pytest.mark.parametrize(
    ("fen", "moves", "limit", "result", "rule"),
    [
        (SHOT, "33x2", 0, "2-0", "no_moves"),
        ("B:W23,32,43:B18", "18x27", 0, None, None),
        (TOUR, "46-41 4-15 41-46 15-4 " * 3, 0, "1-1", "repetition"),
        (TOUR, "46-41 4-15 41-46 15-4 " * 3, 3, "*", None),
        ("W:WK1:BK46", "1-7 46-41 7-2 41-46 2-8 46-41 8-2 41-37 2-8 37-46", 0, "1-1", "two_pieces"),
        ("W:WK46,K47,K48:BK5", "", 0, None, None),
        (Board().fen(), "", 0, None, None),
    ],
)
async def test_a_whole_game(
    listener_asks: bool, theirs: Color, fen: str, moves: str, limit: int, result: str | None, rule: str | None
) -> None:
    async with nothing_left():
        listener, connector = await pair(asks=listener_asks)
        async with listener, connector:
            asking, asked = (listener, connector) if listener_asks else (connector, listener)
            await agree(asking, asked, Board(fen), theirs, limit)
            told: list[DxpGame] = []
            thinks = [by_list(moves)] * 2 if result else [at_random(1), at_random(2)]
            games = await asyncio.gather(play(listener, thinks[0], on_move=told.append), play(connector, thinks[1]))
    ours, others = games
    assert ours.board.moves == others.board.moves
    assert len(told) == len(ours.seconds) == ours.board.ply
    assert (ours.ours, others.ours) == ((theirs.opponent, theirs) if listener_asks else (theirs, theirs.opponent))
    assert (ours.opponent, others.opponent) == ("Connector", "Listener")
    outcome = ours.board.outcome()
    expected = result or ("*" if outcome is None else "1-1" if outcome.winner is None else "")
    if expected:
        assert (ours.result, others.result) == (expected, expected)
    else:
        assert ours.result == others.result != "*"
    assert (ours.remark, others.remark) == (("no result",) * 2 if limit else ("", ""))
    if rule is not None:
        assert outcome is not None
        assert outcome.rule == rule
    if limit:
        assert ours.board.ply == 2 * limit


async def test_several_games_one_after_the_other_with_words_between() -> None:
    heard: list[str] = []
    listener = AsyncDxpEngine(
        port=0, listen=True, name="Gérard, the listener who has a long name", on_chat=heard.append
    )
    async with nothing_left():
        connector = AsyncDxpEngine(port=await listener.listen(), name="Connector")
        await asyncio.gather(listener.start(), connector.start())
        async with listener, connector:
            for number in range(3):
                await agree(connector, listener, Board(SHOT), list(Color)[number % 2])
                connector.chat(f"game {number}\x1b[2J")
                games = await asyncio.gather(
                    play(listener, at_random(1)), play(connector, at_random(2), is_last=number == 2)
                )
                assert {game.result for game in games} == {"2-0"}
            assert connector.name == "Gerard, the listener who has a l"
            with pytest.raises(DxpError) as over:
                await listener.asked(WAIT)
            assert over.value.code == "no_more"
    assert heard == [f"game {number}?[2J" for number in range(3)]


async def test_many_quick_games_are_no_flood() -> None:
    listener, connector = await pair()
    async with listener, connector:
        for seed in range(8):
            await agree(connector, listener, Board(), Color.WHITE)
            ours, others = await asyncio.gather(play(listener, at_random(seed)), play(connector, at_random(seed + 9)))
            assert ours.result == others.result != "*"


async def test_a_game_that_is_not_accepted_and_another_that_is() -> None:
    listener, connector = await pair()
    async with listener, connector:
        asking = asyncio.create_task(connector.ask(Board(), Color.WHITE))
        request = await listener.asked(WAIT)
        assert request == GameRequest("Connector", Color.WHITE, minutes=5)
        listener.answer(Answer.NOT_THIS_GAME)
        with pytest.raises(DxpError) as refused:
            await asking
        assert (refused.value.code, refused.value.answer) == ("refused", Answer.NOT_THIS_GAME)
        await agree(connector, listener, Board("B:W31:B6"), Color.BLACK)
        assert listener.talk.is_our_turn


async def test_who_thinks_is_told_that_the_other_has_ended_the_game() -> None:
    cancelled = asyncio.Event()

    async def ponder(_board: Board, _seconds: float | None) -> Move:
        try:
            await asyncio.sleep(WAIT)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        raise AssertionError

    listener, connector = await pair()
    async with listener, connector:
        await agree(connector, listener, Board(), Color.WHITE)
        playing = asyncio.create_task(play(listener, ponder))
        await asyncio.sleep(0.1)
        assert await connector.end(Reason.I_LOSE) == GameEnd()
        game = await playing
        assert (game.result, game.remark) == ("2-0", "the opponent gives the game up")
        assert cancelled.is_set()


async def test_two_who_both_ask() -> None:
    listener = AsyncDxpEngine(port=0, listen=True, follow=False, timeout=WAIT)
    connector = AsyncDxpEngine(port=await listener.listen(), timeout=WAIT)
    await asyncio.gather(listener.start(), connector.start())
    async with listener, connector:
        asking = (listener.ask(Board(), Color.WHITE), connector.ask(Board(), Color.WHITE))
        errors = await asyncio.gather(*asking, return_exceptions=True)
    codes = {error.code for error in errors if isinstance(error, DxpError)}
    assert "both_ask" in codes
    assert codes <= {"both_ask", "gone"}


async def test_one_opponent_at_a_time() -> None:
    listener, connector = await pair()
    async with listener, connector:
        with pytest.raises(DxpError) as refused:
            async with AsyncDxpEngine(port=connector.port, timeout=WAIT) as other:
                await other.ask(Board(), Color.WHITE)
        assert refused.value.code in ("not_connected", "gone")


# --- As an engine ----------------------------------------------------------------------------------------------------


async def follow(engine: AsyncDxpEngine, games: list[DxpGame], number: int) -> None:
    for seed in range(number):
        await engine.asked(WAIT)
        engine.answer()
        games.append(await play(engine, at_random(seed)))


async def test_games_by_search_and_finish() -> None:
    games: list[DxpGame] = []
    random = Random(7)
    async with nothing_left():
        listener, connector = await pair()
        async with listener, connector:
            following = asyncio.create_task(follow(listener, games, 3))
            boards: list[Board] = []
            for number in range(2):  # the opponent has White, then Black
                board = Board()
                board.push("32-28")
                board.push("19-23")  # an opening
                while board.outcome() is None and board.ply < 60:
                    if (board.turn is Color.WHITE) == (number == 0):
                        found = await connector.search(board, Limit(time=1))
                        assert (found.depth, found.pv) == (0, (found.best,))
                        board.push(found.best)
                    else:
                        board.push(random.choice(board.legal_moves))
                end = await connector.finish(board)
                assert end is not None
                boards.append(board)
            assert await connector.finish(boards[0]) is None
            board = Board()
            board.push((await connector.search(board, Limit(depth=1))).best)
            await connector.clear()
            await asyncio.wait_for(following, WAIT)
    for game, board, first in zip(games, boards, (2, 3), strict=False):
        assert game.board.moves[: board.ply - first] == board.moves[first:]
    assert [game.ours for game in games] == [Color.WHITE, Color.BLACK, Color.WHITE]
    assert games[2].result == "*"


async def test_an_opponent_that_asks_gets_the_game_that_is_wanted() -> None:
    listener, connector = await pair()
    async with listener, connector:
        board = Board(SHOT)
        searching = asyncio.create_task(listener.search(board, Limit(time=1)))
        for other, theirs in ((Board(), Color.BLACK), (board, Color.WHITE)):
            with pytest.raises(DxpError) as refused:
                await connector.ask(other, theirs)
            assert refused.value.answer is Answer.NOT_THIS_GAME
        await connector.ask(board, Color.BLACK)
        connector.move(board.legal_moves[0], 1)
        assert (await searching).best == board.legal_moves[0]


async def test_an_opponent_that_gives_up_instead_of_moving() -> None:
    listener, connector = await pair()
    async with listener, connector:
        searching = asyncio.create_task(connector.search(Board(), Limit(time=1)))
        await listener.asked(WAIT)
        listener.answer()
        await listener.end(Reason.I_LOSE)
        with pytest.raises(DxpError) as ended:
            await searching
        assert (ended.value.code, ended.value.end) == ("ended", GameEnd(Reason.I_LOSE))


async def test_what_cannot_be_asked() -> None:
    listener, connector = await pair()
    async with listener, connector:
        for board in (Board("W:W:B1"), Board(rules="club")):
            with pytest.raises(EngineError):
                await connector.search(board, Limit(time=1))
        with pytest.raises(DxpError) as refused:
            await connector.receive()
        assert refused.value.code == "not_now"
        searching = asyncio.create_task(connector.search(Board(), Limit(time=1)))
        await listener.asked(WAIT)
        with pytest.raises(EngineError, match="searching already"):
            await connector.search(Board(), Limit(time=1))
        searching.cancel()
    with pytest.raises(DxpError) as closed:
        await connector.start()
    assert closed.value.code == "closed"


def test_without_an_event_loop() -> None:
    threads = threading.active_count()
    games: list[DxpGame] = []
    numbers: list[int] = []
    is_open = threading.Event()

    async def serve() -> None:
        engine = AsyncDxpEngine(port=0, listen=True, name="Other")
        numbers.append(await engine.listen())
        is_open.set()
        async with engine:
            await follow(engine, games, 1)

    serving = threading.Thread(target=lambda: asyncio.run(serve()))
    serving.start()
    assert is_open.wait(WAIT)
    with DxpEngine("127.0.0.1", numbers[0], name="Ours") as engine:
        board = Board(SHOT)
        board.push(engine.search(board, Limit(time=1)).best)
        assert engine.name == "Other"
        assert engine.finish(board) is not None
        engine.clear()
        engine.stop()
    serving.join(WAIT)
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        engine.search(Board(), Limit(time=1))
    assert [game.result for game in games] == ["2-0"]
    deadline = time.monotonic() + 10
    while threading.active_count() > threads:
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- Others ----------------------------------------------------------------------------------------------------------


class Other:
    """A program at the other end that says what it is told to, whatever it hears."""

    def __init__(self, *says: bytes, repeats: bytes = b"", hangs_up: bool = False) -> None:
        self._says, self._repeats, self._hangs_up = says, repeats, hangs_up
        self.heard = b""
        self.has_gone = asyncio.Event()
        self._is_playing = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers each message with the next thing it has to say; at the end it waits, hangs up or says it for ever."""
        try:
            says = list(self._says)
            while says:
                self.heard += await reader.readuntil(b"\0")
                writer.write(says.pop(0))
            while self._repeats:
                writer.write(self._repeats)
                await writer.drain()
            if not self._hangs_up:
                while data := await reader.read(4096):
                    self.heard += data
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self.has_gone.set()


@contextlib.asynccontextmanager
async def facing(other: Other, **options: float) -> AsyncGenerator[AsyncDxpEngine]:
    """Our side, which has come to the other and will play White."""
    async with nothing_left():
        server = await asyncio.start_server(other.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        engine = AsyncDxpEngine(port=port, minutes=0, **options)  # pyright: ignore[reportArgumentType]
        try:
            yield engine
        finally:
            await engine.close()
            await asyncio.wait_for(other.has_gone.wait(), WAIT)
            server.close()


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
    async def ponder(_board: Board, _seconds: float | None) -> Move:
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
