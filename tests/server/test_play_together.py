"""Games on several processes of a club: all see the same, in order and once, whatever gets lost between them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from damier.events import DrawOffered, MoveMade, Resigned, TimeAdded
from damier.refusals import GameError
from damier.server.play import service
from tests.server.house import BLACK, WHITE, Seat, houses

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.house import House


def shown(seat: Seat) -> list[str]:
    """The moves that a page has after what it was sent."""
    plies: list[dict[str, Any]] = []
    for state in seat.of("state"):
        assert state["from_ply"] <= len(plies)
        plies[state["from_ply"] :] = state["plies"]
    return [ply["text"] for ply in plies]


def versions(seat: Seat) -> list[int]:
    return [state["version"] for state in seat.of("state")]


async def same_everywhere(game_id: str, all_houses: list[House]) -> None:
    async with asyncio.timeout(60):
        games = [(await house.play.view(game_id)).game for house in all_houses]
        while any(game != games[0] for game in games):
            await asyncio.sleep(0.01)
            games = [(await house.play.view(game_id)).game for house in all_houses]


async def test_players_in_two_processes_see_each_other_move(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        white = await Seat(left, game_id, WHITE, "anna").join()
        black = await Seat(right, game_id, BLACK, "ben").join()
        for number in range(20):
            await (left if number % 2 == 0 else right).move(game_id)
        await white.until(lambda: white.reader.version == 20 and len(white.of("state")) == 21)
        await black.until(lambda: len(black.of("state")) == 21)
        assert versions(white) == versions(black) == list(range(21))
        assert shown(white) == shown(black)
        assert all(bool(state["legal"]) == (state["turn"] == "black") for state in black.of("state"))


async def test_two_who_act_at_the_same_moment_are_put_in_order(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        await left.move(game_id, times=2)
        await right.play.view(game_id)
        watcher = await Seat(right, game_id, None, "vera").join()
        outcomes = await asyncio.gather(
            left.move(game_id), right.do(game_id, DrawOffered(), BLACK), right.do(game_id, TimeAdded(15, WHITE), BLACK)
        )
        await same_everywhere(game_id, [left, right])
        game = (await left.play.view(game_id)).game
        assert sorted(type(entry.event).__name__ for entry in game.events[2:]) == [
            "DrawOffered",
            "MoveMade",
            "TimeAdded",
        ]
        assert {outcome.version for outcome in outcomes} <= {3, 4, 5}
        await watcher.until(lambda: watcher.reader.version == 5)
        assert versions(watcher) == sorted(set(versions(watcher)))


async def test_the_same_move_sent_by_two_processes_is_made_once(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        await right.play.view(game_id)
        event = MoveMade.of((await left.play.view(game_id)).game.legal_moves[0])
        done = await asyncio.gather(
            *(house.do(game_id, event, WHITE) for house in (left, right)), return_exceptions=True
        )
        assert sum(isinstance(outcome, GameError) for outcome in done) == 1
        await same_everywhere(game_id, [left, right])
        assert (await right.play.view(game_id)).game.plies == 1


async def test_what_was_lost_between_processes_is_read_from_the_store(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        white = await Seat(left, game_id, WHITE, "anna").join()
        black = await Seat(right, game_id, BLACK, "ben").join()
        left.bus.wire.cut = True
        await left.move(game_id)
        await asyncio.sleep(0.05)
        assert black.reader.version == 0
        # the next one that gets through shows that one is missing
        left.bus.wire.cut = False
        await left.do(game_id, DrawOffered(), WHITE)
        await black.until(lambda: black.reader.version == 2)
        # or the bus says so itself
        left.bus.wire.cut = True
        await right.move(game_id, times=3)
        left.bus.wire.mend()
        await white.until(lambda: white.reader.version == 5 and len(shown(white)) == len(shown(black)))
        assert shown(white) == shown(black)
        # or the store does, to who knows less and acts
        left.bus.wire.cut = True
        await left.move(game_id)
        game = await right.do(game_id, Resigned(), BLACK)
        assert (game.version, game.plies) == (7, 5)
        await black.until(lambda: len(shown(black)) == 5)


async def test_a_page_that_knows_more_than_the_process_it_comes_to_is_not_shown_less(tmp_path: Path) -> None:
    """Another process has kept a move, shown it to the mover, and was killed before it told the others."""
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        white = await Seat(left, game_id, WHITE, "anna").join()
        black = await Seat(right, game_id, BLACK, "ben").join()
        left.bus.wire.cut = True
        await left.move(game_id)
        await white.until(lambda: white.reader.version == 1)
        white.leave()
        again = await Seat(right, game_id, WHITE, "anna").join(version=1)
        await again.until(lambda: again.of("state"))
        assert [state["version"] for state in again.of("state")] == [1]
        await black.until(lambda: black.reader.version == 1)
        # who claims to know what has never been is shown what there is
        liar = await Seat(right, game_id, None, "vera").join(version=99)
        await liar.until(lambda: liar.of("state"))
        assert [state["version"] for state in liar.of("state")] == [1]


async def test_a_game_that_changes_while_it_is_read_is_not_old_afterwards(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        for _ in range(20):
            game_id = await left.game()
            reading = [asyncio.create_task(right.play.view(game_id)) for _ in range(3)]
            moving = asyncio.create_task(left.move(game_id, times=3))
            await asyncio.gather(moving, *reading)
            await same_everywhere(game_id, [left, right])


async def test_games_that_nobody_looks_at_are_forgotten_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "GAMES_IN_MEMORY", 5)
    async with houses(tmp_path, time.time, 2) as (left, right):
        watched = await left.game()
        seat = await Seat(left, watched, WHITE, "anna").join()
        others = [await left.game() for _ in range(30)]
        assert left.play.known(watched) is not None
        assert left.play.known(others[0]) is None
        held = sum(left.play.known(game_id) is not None for game_id in others)
        assert held <= 5
        await right.move(others[0])
        await left.move(others[0])
        assert (await left.play.view(others[0])).game.plies == 2
        await right.move(watched)
        await seat.until(lambda: seat.reader.version == 1)


async def test_a_page_that_was_away_gets_what_it_missed_once_and_in_order(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        page = await Seat(left, game_id, None, "vera").join()
        await left.move(game_id, times=5)
        await page.until(lambda: len(page.of("state")) == 6)
        page.leave()
        await left.move(game_id, times=4)
        again = await Seat(right, game_id, None, "vera").join(version=page.reader.version)
        await again.until(lambda: again.of("state"))
        (state,) = again.of("state")
        assert (state["from_ply"], len(state["plies"]), state["version"]) == (5, 4, 9)
