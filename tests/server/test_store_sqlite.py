"""The event store in SQLite: the disk, the file, and what happens when they go wrong."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from damier import Color
from damier.events import MoveMade
from damier.game import Game
from damier.record import Player
from damier.server import database
from damier.server.play.store import StoreError
from damier.server.play.store.sqlite import SqliteStore
from damier.server.settings import Settings

START = Game.start(white=Player("guest", id="anna"), black=Player("computer", level=2))
MOVED = START.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    database.migrate(Settings(tmp_path))
    opened = SqliteStore(tmp_path / "club.sqlite")
    yield opened
    await opened.close()


async def test_a_database_that_refuses_is_an_error_and_recovers(store: SqliteStore, tmp_path: Path) -> None:
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
    store: SqliteStore, tmp_path: Path, suffix: str, how: str
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
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


async def test_reading_makes_no_new_file_where_the_old_one_was(store: SqliteStore, tmp_path: Path) -> None:
    await store.create("a", START, at=0.5)
    (tmp_path / "club.sqlite").unlink()
    with pytest.raises(StoreError):
        await store.load("a")
    assert not (tmp_path / "club.sqlite").exists()


async def test_a_store_that_must_wait_too_long_is_not_well(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("damier.server.play.store.sqlite.CHECK_SECONDS", 0.2)
    assert await store.check()
    with closing(sqlite3.connect(tmp_path / "club.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not await store.check()
        other.execute("ROLLBACK")
    monkeypatch.undo()
    await store.create("a", START, at=0.5)
    assert await store.check()


async def test_the_check_writes_nothing_as_long_as_all_is_well(store: SqliteStore, tmp_path: Path) -> None:
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


async def test_a_store_without_its_file_or_tables_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"club\.sqlite"):
        SqliteStore(tmp_path / "club.sqlite")
    assert not (tmp_path / "club.sqlite").exists()
    with closing(sqlite3.connect(tmp_path / "club.sqlite")) as other:
        other.execute("CREATE TABLE something (id INTEGER)")
    with pytest.raises(StoreError, match="game"):
        SqliteStore(tmp_path / "club.sqlite")


async def test_those_who_wait_are_written_together(store: SqliteStore, tmp_path: Path) -> None:
    """However many wait, the disk is waited for once: the log grows by far less than a page for each of them."""
    names = [f"game {number}" for number in range(200)]
    await asyncio.gather(*(store.create(name, START, at=0.5) for name in names))
    log = tmp_path / "club.sqlite-wal"
    before = log.stat().st_size
    await asyncio.gather(*(store.append(name, MOVED) for name in names))
    assert log.stat().st_size - before < len(names) * 4096


async def test_a_beat_is_no_commit(store: SqliteStore, tmp_path: Path) -> None:
    log = tmp_path / "club.sqlite-wal"
    before = log.stat().st_mtime_ns, log.stat().st_size
    await store.beat(1_700_000_000.5)
    assert (tmp_path / "beat").stat().st_mtime == 1_700_000_000.5
    assert (log.stat().st_mtime_ns, log.stat().st_size) == before
