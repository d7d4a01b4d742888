"""The event store: what is kept, what is refused, and that one bad piece harms no other."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from damier import Color
from damier.events import MoveMade, Resigned
from damier.game import Game
from damier.record import Player
from damier.server import database
from damier.server.play.store import StoreError, UnknownGame, VersionConflict
from damier.server.play.store.sqlite import SqliteStore as EventStore
from damier.server.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

START = Game.start(white=Player("guest", id="anna"), black=Player("computer", level=2))
MOVED = START.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EventStore]:
    database.migrate(Settings(tmp_path))
    opened = EventStore(tmp_path / "club.sqlite")
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
    assert (await store.load("a"), await store.load("b")) == (MOVED, MOVED)


async def test_many_writers_are_all_answered(store: EventStore) -> None:
    names = [f"game {number}" for number in range(600)]
    await asyncio.gather(*(store.create(name, START, at=0.5) for name in names))
    await asyncio.gather(*(store.append(name, MOVED) for name in names))
    assert all([await store.load(name) == MOVED for name in names[::50]])
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
    await store.create("b", START, at=0.6)
    assert (await store.load("a")).game == MOVED


async def test_a_closed_store_has_kept_what_it_was_given(tmp_path: Path) -> None:
    database.migrate(Settings(tmp_path))
    store = EventStore(tmp_path / "club.sqlite")
    creating = asyncio.create_task(store.create("a", START, at=0.5))
    await asyncio.sleep(0)
    await store.close()
    await creating
    assert not await store.check()
    with pytest.raises(StoreError):
        await store.create("b", START, at=0.5)
    again = EventStore(tmp_path / "club.sqlite")
    assert await again.load("a") == START
    await again.close()


async def test_a_database_that_refuses_is_an_error_and_recovers(store: EventStore, tmp_path: Path) -> None:
    await store.create("a", START, at=0.5)
    with closing(sqlite3.connect(tmp_path / "club.sqlite", isolation_level=None)) as other:
        other.execute("ALTER TABLE event RENAME TO hidden")
        assert not await store.check()
        with pytest.raises(StoreError):
            await store.append("a", MOVED)
        assert not await store.check()
        other.execute("ALTER TABLE hidden RENAME TO event")
    assert await store.check()
    await store.append("a", MOVED)
    assert (await store.load("a")).game == MOVED


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_nothing_is_acknowledged_into_a_file_that_is_gone(
    store: EventStore, tmp_path: Path, suffix: str, how: str
) -> None:
    await store.create("a", START, at=0.5)
    assert await store.check()
    path, elsewhere = tmp_path / f"club.sqlite{suffix}", tmp_path / "elsewhere"
    path.rename(elsewhere)
    if how == "replaced":
        shutil.copy(elsewhere, path)
    assert not await store.check()
    with pytest.raises(StoreError):
        await store.append("a", MOVED)
    with pytest.raises(StoreError):
        await store.create("b", START, at=0.5)
    elsewhere.replace(path)
    assert await store.check()
    await store.append("a", MOVED)
    assert (await store.load("a")).game == MOVED


async def test_a_file_that_goes_while_it_is_written_acknowledges_nothing(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = database.identity
    asked = 0

    def identity(path: Path) -> tuple[tuple[int, int], ...]:
        nonlocal asked
        asked += 1
        if asked == 2:
            path.unlink()
        return genuine(path)

    await store.create("a", START, at=0.5)
    monkeypatch.setattr(database, "identity", identity)
    with pytest.raises(StoreError):
        await store.append("a", MOVED)


async def test_reading_makes_no_new_file_where_the_old_one_was(store: EventStore, tmp_path: Path) -> None:
    await store.create("a", START, at=0.5)
    (tmp_path / "club.sqlite").unlink()
    with pytest.raises(sqlite3.OperationalError):
        await store.load("a")
    assert not (tmp_path / "club.sqlite").exists()


async def test_a_store_that_must_wait_too_long_is_not_well(
    store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("damier.server.play.store.CHECK_SECONDS", 0.2)
    assert await store.check()
    with closing(sqlite3.connect(tmp_path / "club.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not await store.check()
        other.execute("ROLLBACK")
    monkeypatch.undo()
    await store.create("a", START, at=0.5)
    assert await store.check()


async def test_the_check_writes_nothing_as_long_as_all_is_well(store: EventStore, tmp_path: Path) -> None:
    await store.create("a", START, at=0.5)
    log = tmp_path / "club.sqlite-wal"
    before = log.stat().st_mtime_ns, log.stat().st_size
    for _ in range(20):
        assert await store.check()
    assert (log.stat().st_mtime_ns, log.stat().st_size) == before


async def test_the_database_is_written_through_to_the_disk(tmp_path: Path) -> None:
    database.migrate(Settings(tmp_path))
    with closing(database.connect(tmp_path / "club.sqlite")) as connection:
        settings = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_a_database_of_a_later_release_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "club.sqlite"
    db.migrate(path)
    db.migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(RuntimeError, match="later release"):
        db.migrate(path)
