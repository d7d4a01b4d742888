"""The club's database: a SQLite file in the data folder, or PostgreSQL.

What is off the hot path uses the engine: ``engine.connect()`` to read, ``engine.begin()`` to write in one transaction
(on SQLite it takes the right to write at its beginning, so that it cannot fail half-way for having read too early).
The event store has connections of its own.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import aiosqlite
from sqlalchemy import URL, AsyncAdaptedQueuePool, NullPool, create_engine, event, func, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sqlalchemy import ColumnElement, Connection, Engine, Executable, Table

    from damier.server.settings import Settings

FILE_NAME: Final = "club.sqlite"
HEAD: Final = "0007"
"""The revision that this release needs, the last of :mod:`damier.server.migrations`."""
MIGRATIONS: Final = Path(__file__).with_name("migrations")
MIGRATION_LOCK: Final = 0x64616D6965720001
"""The advisory lock under which a PostgreSQL database is migrated; a number that nobody else is likely to use."""
BUSY_SECONDS: Final = 10
"""How long to wait for another who writes to the same SQLite file."""
LOG_PAGES: Final = 4000
"""Pages (16 MB in all) that SQLite writes ahead before it moves them to their place. That delays a commit, so it is to
be rare, but the next start after a crash reads the log."""
CAPITALS: Final = "".join(each for each in map(chr, range(0x80, 0x530)) if each.isupper() and len(each.lower()) == 1)
"""Of Latin, Greek and Cyrillic letters."""
CONNECTIONS: Final = 4
"""That a process holds at most for its pages."""


def file(settings: Settings) -> Path:
    """The SQLite file of a club without a database server."""
    return settings.data / FILE_NAME


def address(settings: Settings) -> str | None:
    """The PostgreSQL database of a club, as ``postgresql://user:password@host:port/name``; None for one on SQLite.

    Raises ValueError for an address that is no such thing, without telling the password in it.
    """
    given = settings.database
    if given is None:
        return None
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
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
    settings = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", f"wal_autocheckpoint = {LOG_PAGES}")
    for setting in settings:
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


def open_engine(settings: Settings, connections: int = CONNECTIONS) -> AsyncEngine:
    """The engine for everything off the hot path; to be disposed of at the end."""
    postgres = address(settings)
    if postgres is not None:
        return create_async_engine(
            _asyncpg(postgres),
            pool_size=connections,
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
        pool_size=connections,
        max_overflow=0,
    )
    _begin_by_hand(engine.sync_engine)
    return _ImmediateEngine(engine.sync_engine)


def _asyncpg(postgres: str) -> URL:
    return make_url(postgres).set(drivername="postgresql+asyncpg")


def _begin_by_hand(engine: Engine) -> None:
    """Have transactions begun as we want them: sqlite3 by itself would begin them too late."""

    def connected(connection: Any, _record: object) -> None:
        connection.create_function("casefold", 1, _casefold, deterministic=True)
        cursor = connection.cursor()
        _set_up(cursor)
        cursor.close()

    def begun(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)


def _casefold(text: object) -> object:
    return text.casefold() if isinstance(text, str) else text


def folded(engine: AsyncEngine, text: Any) -> ColumnElement[str]:
    """A text in SQL for a search in which small and capital letters are the same.

    SQLite's own ``lower`` knows ASCII alone, and so does PostgreSQL's in a database whose locale is C.
    """
    if engine.dialect.name == "sqlite":
        return func.casefold(text)
    return func.lower(func.translate(text, CAPITALS, CAPITALS.lower()))


# --- The tables ----------------------------------------------------------------------------------------------------


def migrate(settings: Settings, revision: str = HEAD) -> None:
    """Bring the tables to a revision, the present one by default, making the SQLite file where there is none.

    To be called where no event loop runs. Raises RuntimeError for a database that a later release has written, and
    where the database cannot be used.
    """
    postgres = address(settings)
    try:
        if postgres is None:
            _migrate_sqlite(file(settings), revision)
        else:
            asyncio.run(_migrate_postgres(postgres, revision))
    except DBAPIError as error:
        raise RuntimeError(str(error.orig)) from error


async def revision(engine: AsyncEngine) -> str | None:
    """The revision that a database's tables are at; None for a database that does not know it."""
    async with engine.connect() as connection:
        known = await connection.run_sync(lambda own: own.dialect.has_table(own, "alembic_version"))
        if not known:
            return None
        return (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar_one_or_none()


def _migrate_sqlite(path: Path, revision: str) -> None:
    engine = create_engine("sqlite://", creator=lambda: connect(path, create=True), poolclass=NullPool)

    def begun(connection: Connection) -> None:
        # a table that is built anew must not take those along that refer to it; the check at the end makes sure
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "begin", begun)
    with engine.begin() as connection:
        (first_release,) = connection.exec_driver_sql("PRAGMA user_version").one()
        changed = _bring_to(connection, revision, adopted=first_release == 1)
        if changed and connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
            raise RuntimeError(f"{path} is damaged: what it holds does not fit together")


async def _migrate_postgres(postgres: str, revision: str) -> None:
    engine = create_async_engine(_asyncpg(postgres), poolclass=NullPool)
    async with engine.begin() as connection:
        # of processes that start together one does it, and the others wait for that
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        await connection.run_sync(_bring_to, revision)


def _bring_to(connection: Connection, revision: str, *, adopted: bool = False) -> bool:
    """Returns whether anything had to be done. ``adopted``: whether a database that does not know its revision is the
    first release's."""
    present: str | None = "0001" if adopted else None
    if connection.dialect.has_table(connection, "alembic_version"):
        present = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if present == revision:
        return False
    # not imported by those who need it not: it costs a good part of a start
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    if present is not None and present not in known:
        raise RuntimeError(f"the database was written by a later release of Damier (revision {present})")
    if adopted and present == "0001":
        command.stamp(config, "0001")
    if present is None or known.index(revision) < known.index(present):
        command.upgrade(config, revision)
    else:
        command.downgrade(config, revision)
    return True


def insert_if_missing(connection: AsyncConnection, table: Table, **values: object) -> Executable:
    """A row that is inserted unless there is one with its key."""
    module = postgresql if connection.dialect.name == "postgresql" else sqlite
    return module.insert(table).values(**values).on_conflict_do_nothing()
