"""The event store, in SQLite and in PostgreSQL: what is kept, what is refused, and that one bad piece harms no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from damier import Color
from damier.clock import TimeControl
from damier.events import (
    Aborted,
    AdjustingSaid,
    DrawOffered,
    Entry,
    FlagFallen,
    MoveMade,
    Paused,
    Resigned,
    Resumed,
    Touched,
)
from damier.game import Game
from damier.record import Player
from damier.server.play.store import (
    EventStore,
    GameSummary,
    StoredGame,
    StoreError,
    UnknownGame,
    VersionConflict,
    open_store,
)
from damier.server.settings import Settings
from tests.databases import make_ready

START = Game.start(white=Player("guest", id="anna"), black=Player("computer", level=2))
MOVED = START.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)
LIVE = Game.start(
    white=Player("guest", "Anna", id="anna"), black=Player("guest", id="bert"), clock=TimeControl.fischer(300, 5)
)


def begun(game: Game = LIVE, at: float = 10.0) -> Game:
    """A game in which both sides have moved, so that the clock runs."""
    return game.apply(MoveMade(32, 28), at=at, by=Color.WHITE).apply(MoveMade(19, 23), at=at + 1, by=Color.BLACK)


async def keep(
    store: EventStore, game_id: str, game: Game, *, is_public: bool = False, due: float | None = None
) -> None:
    """Keep a game with all its events."""
    start = Game.replay(game.origin, ())
    await store.create(game_id, start, at=0.5, is_public=is_public, due=due)
    for number in range(1, game.version + 1):
        await store.append(game_id, Game.replay(game.origin, game.events[:number]), due=due)


@pytest.fixture(params=["sqlite", "postgres"])
async def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A club's settings, with its tables made."""
    address = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    made = Settings(tmp_path, database=address)
    await asyncio.to_thread(make_ready, made)
    return made


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[EventStore]:
    opened = await open_store(settings)
    yield opened
    await opened.close()


async def test_a_game_comes_back_as_it_was_kept(store: EventStore) -> None:
    await store.create("a", START, at=0.5)
    await store.append("a", MOVED)
    assert (await store.load("a")).game == MOVED


async def test_what_is_not_there_is_unknown(store: EventStore) -> None:
    with pytest.raises(UnknownGame):
        await store.load("a")
    with pytest.raises(UnknownGame):
        await store.append("a", MOVED)


async def test_of_two_events_at_one_version_one_is_kept(store: EventStore) -> None:
    await store.create("a", START, at=0.5)
    other = START.apply(Resigned(), at=1.0, by=Color.WHITE)
    outcomes = await asyncio.gather(store.append("a", MOVED), store.append("a", other), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), VersionConflict]
    assert (await store.load("a")).game == MOVED


async def test_a_piece_that_fails_does_not_take_its_neighbours_along(store: EventStore) -> None:
    await store.create("a", START, at=0.5)
    outcomes = await asyncio.gather(
        store.create("b", START, at=1.0),
        store.create("a", START, at=1.0),
        store.append("c", MOVED),
        store.append("a", MOVED),
        store.append("a", MOVED),
        store.append("b", MOVED),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [
        type(None),
        StoreError,
        UnknownGame,
        type(None),
        VersionConflict,
        type(None),
    ]
    assert [(await store.load(name)).game for name in "ab"] == [MOVED, MOVED]


async def test_many_writers_are_all_answered(store: EventStore) -> None:
    names = [f"game {number}" for number in range(600)]
    await asyncio.gather(*(store.create(name, START, at=0.5) for name in names))
    await asyncio.gather(*(store.append(name, MOVED) for name in names))
    assert all([(await store.load(name)).game == MOVED for name in names[::50]])
    assert len(await store.awaiting_computer()) == len(names)


async def test_lists_know_whose_game_it_is_and_whose_turn(store: EventStore) -> None:
    await store.create("a", START, at=0.5)
    await store.create("b", START, at=0.6)
    await store.append("a", MOVED)
    assert await store.awaiting_computer() == ["a"]
    games = await store.unfinished_of("anna", 10)
    assert [(game.id, game.turn, game.plies) for game in games] == [("a", "black", 1), ("b", "white", 0)]
    assert [game.id for game in await store.unfinished_of("anna", 1)] == ["a"]
    assert await store.unfinished_of("bert", 10) == []
    assert await store.last_of("anna") == START.origin
    assert await store.last_of("bert") is None
    await store.append("a", MOVED.apply(Resigned(), at=2.0, by=Color.WHITE))
    assert [game.id for game in await store.unfinished_of("anna", 10)] == ["b"]
    assert await store.awaiting_computer() == []


async def test_a_caller_that_goes_away_does_not_cancel_its_event(store: EventStore) -> None:
    await store.create("a", START, at=0.5)
    caller = asyncio.create_task(store.append("a", MOVED))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    while (kept := await store.load("a")).game.version == 0:
        pass
    assert kept.game == MOVED


async def test_a_closed_store_has_kept_what_it_was_given(settings: Settings) -> None:
    store = await open_store(settings)
    creating = asyncio.create_task(store.create("a", START, at=0.5))
    await asyncio.sleep(0)
    await store.close()
    await creating
    assert not await store.check()
    with pytest.raises(StoreError):
        await store.create("b", START, at=0.5)
    with pytest.raises(StoreError):
        await store.append("a", MOVED)
    with pytest.raises(StoreError):
        await store.load("a")
    again = await open_store(settings)
    assert (await again.load("a")).game == START
    appending = asyncio.create_task(again.append("a", MOVED))
    await asyncio.sleep(0)
    await again.close()
    await appending
    once_more = await open_store(settings)
    assert (await once_more.load("a")).game == MOVED
    await once_more.close()


async def test_a_store_that_is_open_is_well(store: EventStore) -> None:
    assert await store.check()


async def test_a_game_is_public_or_not_and_has_its_age(store: EventStore) -> None:
    await keep(store, "a", LIVE, is_public=True)
    await keep(store, "b", LIVE)
    assert await store.load("a") == StoredGame(LIVE, True, 0.5)
    assert await store.load("b") == StoredGame(LIVE, False, 0.5)


async def test_every_event_goes_in_and_comes_out(store: EventStore) -> None:
    game = Game.start("leaflet", white=Player(id="anna"), black=Player(name='Bé "b" \u2028', id="bert"))
    game = game.apply(Touched(32), at=1.5, by=Color.WHITE).apply(AdjustingSaid(), at=1.75, by=Color.BLACK)
    game = game.apply(DrawOffered(), at=1.7512345678, by=Color.BLACK)
    game = game.apply(MoveMade(32, 28), at=1_764_460_000.123456, by=Color.WHITE)
    await keep(store, "a", game)
    assert (await store.load("a")).game == game


async def test_what_was_missed_is_had_by_version(store: EventStore) -> None:
    game = begun()
    await keep(store, "a", game)
    assert await store.entries("a", 0) == list(game.events)
    assert await store.entries("a", 1) == [Entry(MoveMade(19, 23), 11.0, Color.BLACK)]
    assert await store.entries("a", 2) == []
    assert await store.entries("b", 0) == []


async def test_who_has_to_act_next_is_found_by_the_clock(store: EventStore) -> None:
    await keep(store, "late", begun(), due=300.0)
    await keep(store, "soon", begun(), due=100.0)
    await keep(store, "never", begun())
    await keep(store, "over", begun().apply(Resigned(), at=20.0, by=Color.WHITE), due=50.0)
    assert await store.due(99.9, 10) == []
    assert await store.due(100.0, 10) == ["soon"]
    assert await store.due(1000.0, 10) == ["soon", "late"]
    assert await store.due(1000.0, 1) == ["soon"]
    await store.append("soon", begun().apply(DrawOffered(), at=12.0, by=Color.WHITE), due=500.0)
    assert await store.due(1000.0, 10) == ["late", "soon"]


async def test_a_new_game_is_due_too(store: EventStore) -> None:
    await store.create("a", LIVE, at=0.5, due=30.0)
    assert await store.due(30.0, 10) == ["a"]


async def test_running_games_are_those_with_a_time_that_runs_or_waits_for_the_arbiter(store: EventStore) -> None:
    paused = begun().apply(Paused(), at=12.0, by=None)
    alone = Game.start(white=Player(id="anna"), black=Player("computer", level=1), clock=TimeControl.sudden_death(60))
    await keep(store, "not begun", LIVE, due=30.0)
    await keep(store, "running", begun(), due=311.0)
    await keep(store, "paused", paused)
    await keep(store, "paused with an offer", paused.apply(DrawOffered(), at=13.0, by=Color.WHITE))
    await keep(store, "resumed", paused.apply(Resumed(), at=13.0, by=None), due=312.0)
    await keep(store, "a break of her own", begun(alone).apply(Paused(), at=12.0, by=Color.WHITE))
    await keep(store, "without a clock", begun(Game.start()))
    await keep(store, "over", begun().apply(FlagFallen(), at=1000.0, by=None), due=311.0)
    assert await store.running() == ["not begun", "paused", "paused with an offer", "resumed", "running"]


async def test_games_that_are_being_played_can_be_watched(store: EventStore) -> None:
    await keep(store, "private", begun())
    await keep(store, "new", LIVE, is_public=True)
    await keep(store, "first", begun(), is_public=True)
    await keep(store, "second", begun(at=20.0), is_public=True)
    await keep(store, "over", begun(at=30.0).apply(Resigned(), at=40.0, by=Color.BLACK), is_public=True)
    aborted = LIVE.apply(Aborted(), at=50.0, by=None)
    await keep(store, "aborted", aborted, is_public=True)
    games = await store.playing(10)
    assert [game.id for game in games] == ["second", "first", "new"]
    assert games[0] == GameSummary(
        "second", LIVE.origin, begun().board.fen(), 2, "white", 21.0, None, None, True, (19, 23)
    )
    assert games[2].last_move is None
    assert [game.id for game in await store.playing(1)] == ["second"]
    assert [game.id for game in await store.playing(10, since=11.0)] == ["second", "first"]
    assert (await store.count_playing(), await store.count_playing(since=11.0)) == (3, 2)


async def test_a_silence_of_the_servers_is_told_once(store: EventStore) -> None:
    assert await store.take_outages(100.0) == ()  # the club's first start
    await store.beat(100.5)
    assert await store.take_outages(101.5) == ()
    assert await store.outages(101.5) == ()
    await store.beat(110.0)
    assert await store.take_outages(130.0) == ((110.0, 130.0),)
    assert await store.outages(130.1) == ((110.0, 130.0),)
    await store.outages_over()
    assert await store.outages(130.2) == ()
    assert await store.take_outages(130.5) == ()
    await store.beat(131.0)
    assert await store.take_outages(140.0) == ((131.0, 140.0),)
    await store.outages_over()


async def test_an_outage_that_was_not_got_through_is_told_with_the_next(settings: Settings) -> None:
    store = await open_store(settings)
    await store.beat(100.0)
    assert await store.take_outages(200.0) == ((100.0, 200.0),)
    await store.close()  # before outages_over
    again = await open_store(settings)
    await again.beat(201.0)
    assert await again.take_outages(205.0) == ((100.0, 200.0), (201.0, 205.0))
    assert await again.outages(205.5) == ((100.0, 200.0), (201.0, 205.0))
    await again.outages_over()
    assert await again.take_outages(206.0) == ()
    await again.close()
