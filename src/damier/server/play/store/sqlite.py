"""The event store in SQLite.

All writing is done by one thread. It takes everything that waits into one transaction (one wait for the disk, however
many wait); should one piece fail, each gets a savepoint of its own, so that it does not take its neighbours along. A
caller is answered only when the transaction is committed.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from damier.server import database
from damier.server.play.store.base import (
    CHECK_SECONDS,
    OUTAGE_SECONDS,
    GameSummary,
    Outage,
    StoredGame,
    StoreError,
    UnknownGame,
    VersionConflict,
    encode,
    entry_of,
    replayed,
    seats,
    start_of,
    summary,
    summary_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from damier.events import Entry
    from damier.game import Game
    from damier.record import Start

ENOUGH_FOR_ONE_COMMIT: Final = 256
READERS: Final = 2
BEAT_FILE: Final = "beat"
"""In the database's folder: a server ran when it was last modified."""

_COLUMNS: Final = (
    "version, changed, fen, plies, turn, score, reason, last_from, last_to, computer_to_move, running, due"
)
_IN_LISTS: Final = "id, start, fen, plies, turn, changed, score, reason, is_public, last_from, last_to, due"

_UPDATE: Final = (
    "UPDATE game SET version = ?, changed = ?, fen = ?, plies = ?, turn = ?, score = ?, reason = ?, last_from = ?,"
    " last_to = ?, computer_to_move = ?, running = ?, due = ? WHERE id = ? AND version = ?"
)
_INSERT: Final = "INSERT INTO event (game, version, entry) VALUES (?, ?, ?)"

Answer = TypeVar("Answer")


class _Event(NamedTuple):
    """An event to be kept: the values of its game's row, its own row, and whom to tell."""

    summary: tuple[object, ...]
    row: tuple[str, int, str]
    done: asyncio.Future[None]


class _Write(NamedTuple):
    """Anything else to be written."""

    write: Callable[[sqlite3.Connection], None]
    done: asyncio.Future[None]


class SqliteStore:
    """An :class:`~damier.server.play.store.base.EventStore` in the file that :func:`damier.server.database.migrate` has made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection, self._files = _opened(path)
        self._beat = path.with_name(BEAT_FILE)
        self._loop = asyncio.get_running_loop()
        self._pending: list[_Event | _Write] = []
        self._queue: SimpleQueue[list[_Event | _Write] | None] = SimpleQueue()
        self._local = threading.local()
        self._read_connections: list[sqlite3.Connection] = []
        self._readers = ThreadPoolExecutor(READERS, "read-events")
        self._writer = threading.Thread(target=self._write_all, name="write-events", daemon=True)
        self._open = True
        self._refused = False
        """Whether the last transaction failed; the writer's own."""
        self._writer.start()

    async def close(self) -> None:
        """Commit what waits, then stop. Nothing may be asked afterwards."""
        if not self._open:
            return
        self._open = False
        self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._readers.shutdown)
        for connection in self._read_connections:
            connection.close()

    async def check(self) -> bool:
        """Whether the store can take events now. Costs a turn of the writer, and the disk nothing as long as all is well."""
        try:
            await asyncio.wait_for(self._commit(self._try_to_write), CHECK_SECONDS)
        except (StoreError, TimeoutError):
            return False
        return True

    # --- Writing ---------------------------------------------------------------------------------------------------

    async def create(
        self, game_id: str, game: Game, *, at: float, is_public: bool = False, due: float | None = None
    ) -> None:
        """Keep a new game that has no events yet."""
        values = (game_id, encode(game.origin.to_json()), is_public, at, *summary(game, changed=at, due=due))
        players = [(game_id, color, player) for color, player in seats(game)]

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                f"INSERT INTO game (id, start, is_public, created, {_COLUMNS})"  # noqa: S608 (names of our own)
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            connection.executemany("INSERT INTO seat (game, color, player) VALUES (?, ?, ?)", players)

        await self._commit(write)

    async def append(self, game_id: str, game: Game, *, due: float | None = None) -> None:
        """Keep the last event of a game that has one event more than the store knows."""
        version, entry = game.version, game.events[-1]
        values = (*summary(game, changed=entry.at, due=due), game_id, version - 1)
        done = self._loop.create_future()
        await self._wait_for(_Event(values, (game_id, version, encode(entry.to_json())), done))

    async def _commit(self, write: Callable[[sqlite3.Connection], None]) -> None:
        await self._wait_for(_Write(write, self._loop.create_future()))

    async def _wait_for(self, job: _Event | _Write) -> None:
        if not self._open:
            raise StoreError("the store is closed")
        if not self._pending:
            # at the loop's next turn, when all who were told of the last commit have asked for their next event
            self._loop.call_soon(self._hand_over)
        self._pending.append(job)
        # what is on its way to the disk cannot be called back: a caller that goes away does not cancel it
        await job.done

    def _hand_over(self) -> None:
        if not self._pending:
            return
        self._queue.put(self._pending)
        self._pending = []

    def _write_all(self) -> None:
        with closing(self._connection):
            while (jobs := self._queue.get()) is not None:
                last = self._add_waiting(jobs)
                outcomes = self._transaction(self._connection, jobs)
                self._loop.call_soon_threadsafe(_settle, jobs, outcomes)
                if last:
                    break

    def _add_waiting(self, jobs: list[_Event | _Write]) -> bool:
        """Add what waits to the jobs of a transaction; returns whether nothing will come after it."""
        while len(jobs) < ENOUGH_FOR_ONE_COMMIT:
            try:
                more = self._queue.get_nowait()
            except Empty:
                break
            if more is None:
                return True
            jobs += more
        return False

    def _transaction(self, connection: sqlite3.Connection, jobs: list[_Event | _Write]) -> Sequence[StoreError | None]:
        try:
            self._expect_own_files()
            connection.execute("BEGIN IMMEDIATE")
            try:
                outcomes = [_keep(connection, job) for job in jobs]
            except sqlite3.OperationalError:
                raise  # the disk is full or gone: nothing of this transaction can be kept
            except Exception:
                # rare, and a savepoint for each costs a third as much again: so only now
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                outcomes = [_keep_in_savepoint(connection, job) for job in jobs]
            connection.execute("COMMIT")
            self._expect_own_files()
        except Exception as error:  # whatever it is, those who wait must be told, and the next may fare better
            if connection.in_transaction:
                with suppress(sqlite3.Error):  # some errors have rolled back already
                    connection.execute("ROLLBACK")
            self._refused = True
            return [StoreError(str(error)) for _ in jobs]
        self._refused = False
        return outcomes

    def _expect_own_files(self) -> None:
        try:
            present = database.identity(self._path)
        except OSError as error:
            raise StoreError(f"the database has lost a file: {error}") from error
        if present != self._files:
            raise StoreError(f"{self._path} is no longer the file that this server opened")

    def _try_to_write(self, connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE game SET version = version WHERE FALSE")
        connection.execute("UPDATE event SET version = version WHERE FALSE")
        if self._refused:
            # changes nothing, but is written: whether the disk has room again is not to be had for less
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version = {version:d}")

    # --- Outages ---------------------------------------------------------------------------------------------------

    async def beat(self, at: float) -> None:
        """Note that a server runs: as the time of a file, which costs no commit."""
        try:
            os.utime(self._beat, (at, at))
        except FileNotFoundError:
            self._beat.touch(0o600)
            os.utime(self._beat, (at, at))

    async def take_outages(self, now: float) -> tuple[Outage, ...]:
        """The time for which no server ran, if that has just ended."""
        try:
            last = self._beat.stat().st_mtime
        except FileNotFoundError:
            last = now
        taken: list[Outage] = []

        def write(connection: sqlite3.Connection) -> None:
            taken[:] = _outages(connection)
            if taken or now - last > OUTAGE_SECONDS:
                taken.append(Outage(last, now))
                connection.execute("INSERT INTO outage (id, began, ended) VALUES (?, ?, ?)", (len(taken), last, now))

        await self._commit(write)
        await self.beat(now)
        return tuple(taken)

    async def outages(self, now: float) -> tuple[Outage, ...]:
        """The outages that are being got through; next to a SQLite file there is no other server that could do that."""
        return tuple(await self._read(_outages))

    async def outages_over(self) -> None:
        """The time of the outages has been given back to all games."""
        await self._commit(lambda connection: _execute(connection, "DELETE FROM outage"))

    # --- Reading ---------------------------------------------------------------------------------------------------

    async def load(self, game_id: str) -> StoredGame:
        """A game as it stands. Raises :class:`UnknownGame`."""

        def read(connection: sqlite3.Connection) -> StoredGame:
            # one statement, so that start and events are of the same moment
            rows = connection.execute(
                "SELECT start, is_public, created, entry FROM game LEFT JOIN event ON event.game = game.id"
                " WHERE game.id = ? ORDER BY event.version",
                (game_id,),
            ).fetchall()
            if not rows:
                raise UnknownGame(game_id)
            start, is_public, created, _ = rows[0]
            game = replayed(start, (row[3] for row in rows if row[3] is not None))
            return StoredGame(game, bool(is_public), created)

        return await self._read(read)

    async def entries(self, game_id: str, after_version: int) -> list[Entry]:
        """A game's events after a version, in order."""
        rows = await self._rows(
            "SELECT entry FROM event WHERE game = ? AND version > ? ORDER BY version", game_id, after_version
        )
        return [entry_of(text) for (text,) in rows]

    async def due(self, until: float, most: int) -> list[str]:
        """The games in which the arbiter has to act by a moment, the most urgent first."""
        rows = await self._rows("SELECT id FROM game WHERE due <= ? ORDER BY due LIMIT ?", until, most)
        return [game_id for (game_id,) in rows]

    async def running(self) -> list[str]:
        """The unfinished games in which a time runs (the arbiter is due), or stands still for a pause of the arbiter's."""
        return [game_id for (game_id,) in await self._rows("SELECT id FROM game WHERE running = 1 ORDER BY id")]

    async def awaiting_computer(self) -> list[str]:
        """The games in which a computer is to move, the one that has waited longest first."""
        rows = await self._rows("SELECT id FROM game WHERE computer_to_move = 1 ORDER BY changed")
        return [game_id for (game_id,) in rows]

    async def unfinished_of(self, player: str, limit: int) -> list[GameSummary]:
        """A player's unfinished games, those that changed last first."""
        return await self._list(
            f"SELECT {_IN_LISTS} FROM seat JOIN game ON game.id = seat.game"  # noqa: S608
            " WHERE player = ? AND score IS NULL ORDER BY changed DESC LIMIT ?",
            player,
            limit,
        )

    async def last_of(self, player: str) -> Start | None:
        """How the player's newest game started; None for somebody who has played none."""
        rows = await self._rows(
            "SELECT start FROM seat JOIN game ON game.id = seat.game WHERE player = ? ORDER BY created DESC LIMIT 1",
            player,
        )
        return start_of(rows[0][0]) if rows else None

    async def playing(self, most: int, since: float = 0.0) -> list[GameSummary]:
        """The public games that go on and have changed since a moment, those that changed last first."""
        return await self._list(
            f"SELECT {_IN_LISTS} FROM game WHERE is_public = 1 AND score IS NULL AND changed >= ?"  # noqa: S608
            " ORDER BY changed DESC LIMIT ?",
            since,
            most,
        )

    async def count_playing(self, since: float = 0.0) -> int:
        """How many public games go on and have changed since a moment."""
        rows = await self._rows(
            "SELECT count(*) FROM game WHERE is_public = 1 AND score IS NULL AND changed >= ?", since
        )
        return rows[0][0]

    async def _list(self, query: str, *values: object) -> list[GameSummary]:
        return [summary_of(row) for row in await self._rows(query, *values)]

    async def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return await self._read(lambda connection: connection.execute(query, values).fetchall())

    async def _read(self, read: Callable[[sqlite3.Connection], Answer]) -> Answer:
        def with_connection() -> Answer:
            try:
                connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
                if connection is None:
                    connection = self._local.connection = database.connect(self._path, read_only=True)
                    self._read_connections.append(connection)
                return read(connection)
            except sqlite3.Error as error:
                raise StoreError(str(error)) from error

        if not self._open:
            raise StoreError("the store is closed")
        return await self._loop.run_in_executor(self._readers, with_connection)


def _opened(path: Path) -> tuple[sqlite3.Connection, tuple[tuple[int, int], ...]]:
    """A connection, and the files that it writes to."""
    try:
        connection = database.connect(path)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be used: {error}") from error
    try:
        # the first question makes SQLite open all its files
        connection.execute("SELECT 1 FROM game LIMIT 1").fetchall()
        return connection, database.identity(path)
    except (OSError, sqlite3.Error) as error:
        connection.close()
        raise StoreError(f"{path} cannot be used: {error}") from error


def _outages(connection: sqlite3.Connection) -> list[Outage]:
    return [Outage(*row) for row in connection.execute("SELECT began, ended FROM outage ORDER BY id").fetchall()]


def _execute(connection: sqlite3.Connection, statement: str) -> None:
    connection.execute(statement)


def _keep(connection: sqlite3.Connection, job: _Event | _Write) -> StoreError | None:
    """Write what is asked. What is returned has changed nothing; what is raised may have."""
    if isinstance(job, _Write):
        job.write(connection)
        return None
    if connection.execute(_UPDATE, job.summary).rowcount == 0:
        game_id = job.row[0]
        known = connection.execute("SELECT 1 FROM game WHERE id = ?", (game_id,)).fetchone()
        return VersionConflict(game_id) if known else UnknownGame(game_id)
    connection.execute(_INSERT, job.row)
    return None


def _keep_in_savepoint(connection: sqlite3.Connection, job: _Event | _Write) -> StoreError | None:
    """The same, one that fails being undone by itself."""
    connection.execute("SAVEPOINT job")
    try:
        outcome = _keep(connection, job)
    except sqlite3.OperationalError:
        raise
    except Exception as error:  # whatever is wrong with one must not stop the others
        connection.execute("ROLLBACK TO job")
        outcome = StoreError(str(error))
    connection.execute("RELEASE job")
    return outcome


def _settle(jobs: list[_Event | _Write], outcomes: Sequence[StoreError | None]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done.done():
            continue
        if outcome is None:
            job.done.set_result(None)
        else:
            job.done.set_exception(outcome)
