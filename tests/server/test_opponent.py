"""The computer opponents' threads: bounded, fair, and stopped when nobody waits for them."""

from __future__ import annotations

import asyncio
import time

import pytest

from damier import Board
from damier.errors import EngineError
from damier.server.play.opponent import LocalOpponents

SLOWEST = 10


@pytest.mark.parametrize("level", [1, 4, 7])
async def test_the_move_is_legal_and_the_board_is_left_alone(level: int) -> None:
    opponents, board = LocalOpponents(1), Board()
    move = await opponents.choose(board, level, "anna")
    assert move in board.legal_moves
    assert board.ply == 0
    await opponents.close()


async def test_owners_are_served_in_turn() -> None:
    opponents = LocalOpponents(1)
    served: list[str] = []

    async def ask(owner: str) -> None:
        await opponents.choose(Board(), 5, owner)
        served.append(owner)

    # the only thread is busy until all of them wait
    before = asyncio.create_task(opponents.choose(Board(), SLOWEST, "before"))
    await asyncio.sleep(0.05)
    asked = [asyncio.create_task(ask(owner)) for owner in (*["many"] * 6, "one", "other")]
    await asyncio.sleep(0.01)
    before.cancel()
    await asyncio.gather(*asked)
    assert served[:4] == ["many", "one", "other", "many"]
    await opponents.close()


async def test_the_loop_runs_on_while_the_computer_thinks() -> None:
    opponents, board = LocalOpponents(1), Board()
    for text in ("32-28", "19-23", "28x19", "14x23", "37-32", "10-14", "41-37", "14-19"):
        board.push(text)
    thinking = asyncio.create_task(opponents.choose(board, SLOWEST, "anna"))
    turns = 0
    while not thinking.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert (await thinking) in board.legal_moves
    assert turns > 20, "a loop that is held up for the whole search has one or two"
    await opponents.close()


async def test_a_search_that_nobody_waits_for_is_stopped() -> None:
    opponents, board = LocalOpponents(1), Board()
    for text in ("32-28", "19-23", "28x19", "14x23", "37-32", "10-14", "41-37", "14-19"):
        board.push(text)
    searches = [asyncio.create_task(opponents.choose(board, SLOWEST, "anna")) for _ in range(20)]
    await asyncio.sleep(0.1)
    for search in searches:
        search.cancel()
    started = time.perf_counter()
    await opponents.choose(Board(), 1, "bert")
    assert time.perf_counter() - started < 1
    await opponents.close()


async def test_closing_stops_every_search() -> None:
    opponents, board = LocalOpponents(2), Board()
    for text in ("32-28", "19-23", "28x19", "14x23", "37-32", "10-14", "41-37", "14-19"):
        board.push(text)
    searches = [asyncio.create_task(opponents.choose(board, SLOWEST, "anna")) for _ in range(4)]
    await asyncio.sleep(0.1)
    started = time.perf_counter()
    for search in searches:
        search.cancel()
    await opponents.close()
    assert time.perf_counter() - started < 1


async def test_what_goes_wrong_reaches_who_asked_and_the_others_are_served() -> None:
    opponents = LocalOpponents(1)
    with pytest.raises(EngineError):
        await opponents.choose(Board("W:W:B1"), 1, "anna")
    with pytest.raises(ValueError, match="level"):
        await opponents.choose(Board(), 99, "anna")
    assert await opponents.choose(Board(), 1, "anna") in Board().legal_moves
    await opponents.close()
