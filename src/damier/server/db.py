"""The club's database: a SQLite file in the data folder."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME: Final = "club.sqlite"

# Each entry leads from the version before it to its own (1, 2, …), kept in SQLite's user_version.
MIGRATIONS: Final = (
    """
    CREATE TABLE game (
        id TEXT PRIMARY KEY,
        start TEXT NOT NULL,            -- JSON of damier.record.Start
        created REAL NOT NULL,          -- seconds since 1970
        version INTEGER NOT NULL,       -- the number of its events
        -- a summary of the present state, so that lists need not replay games
        changed REAL NOT NULL,
        fen TEXT NOT NULL,
        plies INTEGER NOT NULL,
        turn TEXT NOT NULL CHECK (turn IN ('white', 'black')),
        score TEXT CHECK (score IN ('2-0', '1-1', '0-2')),
        reason TEXT,
        computer_to_move INTEGER NOT NULL CHECK (computer_to_move IN (0, 1))
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX game_computer_to_move ON game (changed) WHERE computer_to_move = 1;

    CREATE TABLE event (
        game TEXT NOT NULL REFERENCES game (id) ON DELETE CASCADE,
        version INTEGER NOT NULL,       -- 1 for the first
        entry TEXT NOT NULL,            -- JSON of damier.events.Entry
        PRIMARY KEY (game, version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE seat (
        game TEXT NOT NULL REFERENCES game (id) ON DELETE CASCADE,
        color TEXT NOT NULL CHECK (color IN ('white', 'black')),
        player TEXT NOT NULL,           -- damier.record.Player.id
        PRIMARY KEY (game, color)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX seat_player ON seat (player);
    """,
)


def connect(path: Path, *, read_only: bool = False, create: bool = False) -> sqlite3.Connection:
    """A connection with our settings; transactions are begun and ended by hand. Only ``create`` makes a new file.

    ``synchronous=FULL``: a commit returns only when the disk has it, so what was acknowledged survives a crash of
    the machine too.
    """
    address = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    return connection


def migrate(path: Path) -> None:
    """Bring the tables to the present version, creating the file where there is none.

    Raises RuntimeError for a file that a later release has written.
    """
    with closing(connect(path, create=True)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        (present,) = connection.execute("PRAGMA user_version").fetchone()
        if present > len(MIGRATIONS):
            raise RuntimeError(f"{path} was written by a later release of Damier (version {present}).")
        for version, script in enumerate(MIGRATIONS[present:], present + 1):
            # not executescript: it would commit first
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version:d}")
        connection.execute("COMMIT")


def identity(path: Path) -> tuple[tuple[int, int], ...]:
    """Which files the database is made of while it is open: device and inode of each. Raises OSError without them.

    A file that was removed or replaced still takes what is written by those who have it open, and keeps none of it.
    """
    stats = [os.stat(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")]
    return tuple((stat.st_dev, stat.st_ino) for stat in stats)


def _statements(script: str) -> list[str]:
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
