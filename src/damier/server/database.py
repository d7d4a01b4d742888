"""The club's database: a SQLite file in the data folder, or PostgreSQL.

What is off the hot path uses the engine: ``engine.connect()`` to read, ``engine.begin()`` to write in one transaction
(on SQLite it takes the right to write at its beginning, so that it cannot fail half-way for having read too early).
The event store has connections of its own.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import aiosqlite
from sqlalchemy import AsyncAdaptedQueuePool, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from damier.server.tables import metadata

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from damier.server.settings import Settings

FILE_NAME: Final = "club.sqlite"
HEAD: Final = "0002"
"""The revision that this release needs, the last of :mod:`damier.server.migrations`."""
BUSY_SECONDS: Final = 10
"""How long to wait for another who writes to the same SQLite file."""
CONNECTIONS: Final = 4
"""That a process holds at most for its pages."""


def file(settings: Settings) -> Path:
    """The SQLite file of a club without a database server."""
    return settings.data / FILE_NAME


def address(settings: Settings) -> str | None:
    """The PostgreSQL database of a club, as ``postgresql://user:password@host:port/name``; None for one on SQLite.

    Raises ValueError for an address that is no such thing, without telling the password in it.
    """
    text = settings.database
    if text is None:
        return None
    try:
        url = make_url(text)
    except ArgumentError:
        url = None
    if url is None or url.drivername not in ("postgresql", "postgres"):
        raise ValueError("the database must be named as postgresql://user:password@host:port/name")
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


# --- SQLite by hand ------------------------------------------------------------------------------------------------


def connect(path: Path, *, read_only: bool = False, create: bool = False) -> sqlite3.Connection:
    """A connection with our settings; transactions are begun and ended by hand. Only ``create`` makes a new file.

    ``synchronous=FULL``: a commit returns only when the disk has it, so what was acknowledged survives a crash of
    the machine too.
    """
    uri = _uri(path, create=create)
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)
    _set_up(connection)
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    return connection


def identity(path: Path) -> tuple[tuple[int, int], ...]:
    """Which files the database is made of while it is open: device and inode of each. Raises OSError without them.

    A file that was removed or replaced still takes what is written by those who have it open, and keeps none of it.
    """
    stats = [os.stat(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")]
    return tuple((stat.st_dev, stat.st_ino) for stat in stats)


def _uri(path: Path, *, create: bool = False) -> str:
    return f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"


def _set_up(connection: Any) -> None:
    for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {setting}")


# --- The engine ----------------------------------------------------------------------------------------------------


class _ImmediateEngine(AsyncEngine):
    """SQLite's engine: ``begin()`` takes the right to write at once, ``connect()`` reads beside whoever writes."""

    @asynccontextmanager
    async def begin(self) -> AsyncGenerator[AsyncConnection]:
        async with self.connect() as connection:
            await connection.execution_options(immediate=True)
            async with connection.begin():
                yield connection


def open_engine(settings: Settings) -> AsyncEngine:
    """The engine for everything off the hot path; to be disposed of at the end."""
    postgres = address(settings)
    if postgres is not None:
        return create_async_engine(
            make_url(postgres).set(drivername="postgresql+asyncpg"),
            pool_size=CONNECTIONS,
            max_overflow=0,
            pool_pre_ping=True,
        )
    path = file(settings)
    engine = create_async_engine(
        "sqlite+aiosqlite://",
        async_creator=lambda: aiosqlite.connect(
            _uri(path), uri=True, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
        ),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=CONNECTIONS,
        max_overflow=0,
    )
    _begin_by_hand(engine.sync_engine)
    return _ImmediateEngine(engine.sync_engine)


def _begin_by_hand(engine: Engine) -> None:
    """Have transactions begun as we want them: sqlite3 by itself would begin them too late."""

    def connected(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        _set_up(cursor)
        cursor.close()

    def begun(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)


# --- The tables ----------------------------------------------------------------------------------------------------


def migrate(settings: Settings) -> None:
    """Bring the tables to the present revision, making the SQLite file where there is none.

    To be called outside an event loop. Raises RuntimeError for a database that a later release has written.
    """
    path = file(settings)
    engine = create_engine("sqlite://", creator=lambda: connect(path, create=True), poolclass=NullPool)
    with engine.connect() as connection:
        metadata.create_all(connection)
