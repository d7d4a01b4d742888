"""Opponents in DamExchange over real sockets: ours against ours, and used as engines."""

from __future__ import annotations

import asyncio
import threading
import time
from random import Random

import pytest

from damier import Board, Color, EngineError, Move
from damier.engine import AsyncDxpEngine, DxpEngine, DxpError, Limit
from damier.engine.dxp_player import DxpGame, play
from damier.notation.dxp import Answer, GameEnd, GameRequest, Reason
from tests.engine.dxp_peers import (
    ACCEPTED,
    SHOT,
    TOUR,
    WAIT,
    Other,
    agree,
    at_random,
    by_list,
    facing,
    nothing_left,
    pair,
)

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


@pytest.mark.parametrize(
    ("minutes", "moves"),
    [(0, 0), (1, 0), (1, 6), (999, 2)],
)
async def test_the_minutes_are_shared_out(minutes: int, moves: int) -> None:
    given: list[Limit | None] = []
    enough = asyncio.Event()

    async def think(board: Board, clock: Limit | None) -> Move:
        given.append(clock)
        if len(given) == 2:
            enough.set()
        await asyncio.sleep(0.3 if len(given) == 1 else WAIT)
        return board.legal_moves[0]

    listener, connector = await pair()
    async with listener, connector:
        await agree(connector, listener, Board(), Color.WHITE, moves, minutes)
        playing = [asyncio.create_task(play(listener, think)), asyncio.create_task(play(connector, at_random(1)))]
        await asyncio.wait_for(enough.wait(), WAIT)
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)
    if minutes == 0:
        assert given == [None, None]
    else:
        assert given[0] == Limit.clock(60 * minutes, moves=moves or None)
        second, most = given[1], Limit.clock(60 * minutes - 0.3, moves=moves - 1 if moves else None)
        assert second is not None
        assert second.aim is not None
        assert most.aim is not None
        assert most.aim * 0.9 < second.aim <= most.aim


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

    async def ponder(_board: Board, _clock: Limit | None) -> Move:
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


async def test_an_opponent_that_gives_up_while_another_engine_thinks() -> None:
    async with facing(Other(ACCEPTED + b"M0000322800\0E10\0")) as engine:
        board = Board()
        for _ in range(2):  # which changes nothing
            board = Board()
            if engine.name == "":
                board.push((await engine.search(board, Limit(time=1))).best)
            else:
                board.push("32-28")
            board.push("19-23")
            await asyncio.sleep(0.1)
            with pytest.raises(DxpError) as ended:
                await engine.search(board, Limit(time=1))
            assert (ended.value.code, ended.value.end) == ("ended", GameEnd(Reason.I_LOSE))
            assert await engine.finish(board) == GameEnd(Reason.I_LOSE)


async def test_a_search_that_is_broken_off_and_asked_for_again() -> None:
    listener, connector = await pair()
    async with listener, connector:
        searching = asyncio.create_task(connector.search(Board(), Limit(time=1)))
        await listener.asked(WAIT)
        listener.answer()
        await asyncio.sleep(0.1)
        searching.cancel()
        await asyncio.wait([searching])
        again = asyncio.create_task(connector.search(Board(), Limit(time=1)))
        await asyncio.sleep(0.1)
        again.cancel()
        await asyncio.wait([again])
        listener.move(Board().parse("32-28"))
        await asyncio.sleep(0.1)
        assert str((await connector.search(Board(), Limit(time=1))).best) == "32-28"


def test_closing_in_the_midst_from_another_thread() -> None:
    engine, codes = DxpEngine(port=0, listen=True, start_timeout=None), list[str]()

    def wait() -> None:
        try:
            engine.search(Board(), Limit(time=1))
        except DxpError as error:
            codes.append(error.code)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.3)
    engine.close()
    waiting.join(WAIT)
    assert codes == ["closed"]


async def test_an_opponent_that_asks_for_nothing() -> None:
    listener, connector = await pair()
    async with listener, connector:
        with pytest.raises(DxpError) as silent:
            await listener.asked(0.2)
        assert silent.value.code == "silent"
        with pytest.raises(DxpError) as gone:
            await connector.ask(Board(), Color.WHITE)
        assert gone.value.code == "gone"


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
