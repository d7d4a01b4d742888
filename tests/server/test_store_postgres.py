"""The event store in PostgreSQL: several processes at one database, and connections that break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from damier import Color
from damier.events import DrawOffered, MoveMade, Resigned
from damier.game import Game
from damier.record import Player
from damier.server.play.store import StoreError, VersionConflict
from damier.server.play.store import postgres as store_module
from damier.server.play.store.postgres import PostgresStore
from damier.server.settings import Settings
from tests.databases import make_ready
from tests.services import Postgres

START = Game.start(white=Player("guest", id="anna"), black=Player("guest", id="bert"))
MOVED = START.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)


@pytest.fixture
async def address(postgres_url: str, tmp_path: Path) -> str:
    made = Settings(tmp_path, database=postgres_url)
    await asyncio.to_thread(make_ready, made)
    return postgres_url


@pytest.fixture
async def store(address: str) -> AsyncIterator[PostgresStore]:
    opened = await PostgresStore.open(address)
    yield opened
    await opened.close()


@pytest.fixture
async def other(address: str) -> AsyncIterator[PostgresStore]:
    """The store of another process at the same database."""
    opened = await PostgresStore.open(address)
    yield opened
    await opened.close()


class Line:
    """A line to the database that loses answers when it is told to."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._target = (parts.hostname, parts.port)
        self._address = address
        self._lose_answers = False
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Line:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = self._address.replace(f":{self._target[1]}/", f":{port}/")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def lose_next_answer(self) -> None:
        """Carry the next question, and cut the connection instead of bringing its answer."""
        self._lose_answers = True

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        their_reader, their_writer = await asyncio.open_connection(*self._target)
        ways = [
            asyncio.create_task(self._carry(reader, their_writer, loses=False)),
            asyncio.create_task(self._carry(their_reader, writer, loses=True)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for end in (writer, their_writer):
                end.close()
            self._connections.discard(task)

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, loses: bool) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                if loses and self._lose_answers:
                    self._lose_answers = False
                    return
                target.write(data)
                await target.drain()


async def test_what_one_process_keeps_the_other_reads(store: PostgresStore, other: PostgresStore) -> None:
    await store.create("a", START, at=0.5)
    await other.append("a", MOVED)
    assert (await store.load("a")).game == MOVED
    with pytest.raises(VersionConflict):
        await store.append("a", MOVED)


async def test_of_two_processes_at_the_same_games_each_event_is_kept_once(
    store: PostgresStore, other: PostgresStore
) -> None:
    """Both write to all games at once, in opposite orders, again and again: nobody waits for ever, nothing is doubled."""
    names = [f"game {number}" for number in range(60)]
    await asyncio.gather(*(store.create(name, START, at=0.5) for name in names))
    game = START
    for turn in range(5):
        white = turn % 2 == 0
        moved = game.apply(MoveMade.of(game.legal_moves[0]), at=1.0 + turn, by=Color.WHITE if white else Color.BLACK)
        offered = game.apply(DrawOffered(), at=1.0 + turn, by=Color.BLACK) if turn == 0 else moved
        outcomes = await asyncio.gather(
            *(store.append(name, moved) for name in names),
            *(other.append(name, offered) for name in reversed(names)),
            return_exceptions=True,
        )
        kinds = [type(outcome) for outcome in outcomes]
        assert kinds.count(type(None)) == len(names)
        assert kinds.count(VersionConflict) == len(names)
        for first, second in zip(outcomes[: len(names)], reversed(outcomes[len(names) :]), strict=True):
            assert (first is None) != (second is None)
        if turn == 0:
            for name in names:  # on with those in which the offer came first
                kept = (await store.load(name)).game
                if kept == offered:
                    await store.append(name, kept.apply(Resigned(), at=2.0, by=Color.WHITE))
            names = [name for name in names if (await store.load(name)).game == moved]
        game = moved


async def test_an_event_that_the_database_cannot_hold_harms_no_other(store: PostgresStore) -> None:
    await store.create("a", START, at=0.5)
    await store.create("c", START, at=0.5)
    outcomes = await asyncio.gather(
        store.append("a", MOVED), store.append("b\0", MOVED), store.append("c", MOVED), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [type(None), StoreError, type(None)]
    with pytest.raises(StoreError):
        await store.create("b\0", START, at=0.5)


async def test_an_event_whose_answer_was_lost_is_kept_once(address: str) -> None:
    async with Line(address) as line:
        store = await PostgresStore.open(line.address)
        await store.create("a", START, at=0.5)
        await store.append("a", MOVED)
        offered = MOVED.apply(DrawOffered(), at=2.0, by=Color.BLACK)
        line.lose_next_answer()
        await store.append("a", offered)
        assert (await store.load("a")).game == offered
        line.lose_next_answer()
        with pytest.raises(VersionConflict):
            await store.append("a", MOVED.apply(Resigned(), at=2.0, by=Color.WHITE))
        assert (await store.load("a")).game == offered
        await store.close()


async def test_a_game_whose_answer_was_lost_is_made_once(address: str) -> None:
    async with Line(address) as line:
        store = await PostgresStore.open(line.address)
        line.lose_next_answer()
        await store.create("a", START, at=0.5)
        assert (await store.load("a")).game == START
        line.lose_next_answer()
        with pytest.raises(StoreError):
            await store.create("a", START, at=0.6)
        await store.close()


async def test_nothing_is_lost_or_doubled_when_connections_are_cut(store: PostgresStore, postgres: Postgres) -> None:
    course = [START]
    while len(course) < 40:
        game = course[-1]
        course.append(game.apply(MoveMade.of(game.legal_moves[-1]), at=float(len(course)), by=game.turn))
    names = [f"game {number}" for number in range(12)]

    async def play(name: str) -> None:
        await store.create(name, START, at=0.5)
        for game in course[1:]:
            await store.append(name, game)

    players = asyncio.gather(*map(play, names))
    for _ in range(4):
        await asyncio.sleep(0.05)
        await asyncio.to_thread(postgres.cut)
    await players
    for name in names:
        assert (await store.load(name)).game == course[-1]
    assert await store.check()


async def test_a_database_that_is_killed_and_comes_back_is_used_again(store: PostgresStore, postgres: Postgres) -> None:
    await store.create("a", START, at=0.5)
    await asyncio.to_thread(postgres.kill)
    assert not await store.check()
    appending = asyncio.create_task(store.append("a", MOVED))
    loading = asyncio.create_task(store.load("a"))
    await asyncio.sleep(0.5)
    await asyncio.to_thread(postgres.start)
    await appending
    await loading
    assert (await store.load("a")).game == MOVED
    assert await store.check()


async def test_a_database_that_stays_away_is_an_error(
    store: PostgresStore, postgres: Postgres, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PATIENCE_SECONDS", 0.5)
    await store.create("a", START, at=0.5)
    await asyncio.to_thread(postgres.kill)
    try:
        for asked in (store.append("a", MOVED), store.load("a"), store.create("b", START, at=0.5)):
            with pytest.raises(StoreError, match="cannot be reached"):
                await asked
        with pytest.raises(StoreError, match="cannot be reached"):
            await PostgresStore.open(address)
    finally:
        await asyncio.to_thread(postgres.start)
    await store.append("a", MOVED)
    assert (await store.load("a")).game == MOVED


async def test_an_outage_is_told_to_one_process_and_to_the_next_if_that_dies(
    address: str, store: PostgresStore, other: PostgresStore
) -> None:
    await store.beat(100.0)
    assert await store.take_outages(200.0) == ((100.0, 200.0),)
    assert await other.take_outages(200.1) == ()
    await store.close()  # with the outage not got through
    assert await other.take_outages(300.0) == ((100.0, 200.0), (200.0, 300.0))
    await other.outages_over()
    third = await PostgresStore.open(address)
    assert await third.take_outages(300.5) == ()
    await third.close()


async def test_an_outage_is_known_to_who_starts_while_another_is_about_to_note_it(
    store: PostgresStore, other: PostgresStore
) -> None:
    await store.beat(100.0)
    taker = await other._new_connection()
    await taker.execute(f"SELECT pg_advisory_lock({store_module.OUTAGE_LOCK})")
    assert await store.take_outages(200.0) == ()
    assert await store.outages(200.0) == ((100.0, 200.0),)
    await taker.close()


async def test_who_goes_on_giving_time_back_is_not_told_of_an_outage_while_another_ran(
    store: PostgresStore, other: PostgresStore
) -> None:
    await store.beat(100.0)
    assert await store.take_outages(200.0) == ((100.0, 200.0),)
    await store.close()
    await other.beat(299.5)
    assert await other.take_outages(300.0) == ((100.0, 200.0),)


async def test_the_newest_beat_counts_whoever_was_late(store: PostgresStore, other: PostgresStore) -> None:
    await store.beat(100.5)
    await other.beat(100.0)
    assert await store.take_outages(101.4) == ()
