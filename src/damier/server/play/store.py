"""The event store: games as their start and their events, in SQLite.

All writing is done by one thread. It takes everything that waits into one transaction (one wait for the disk, however
many wait), each piece in a savepoint of its own so that one that fails does not take its neighbours along. A caller is
answered only when the transaction is committed.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, TypeVar

from damier.events import Entry, color_to_json
from damier.game import Game
from damier.record import Start
from damier.server import db

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from damier.record import Player

MOST_IN_ONE_COMMIT: Final = 256
READERS: Final = 2
CHECK_SECONDS: Final = 2.0
"""How long the writer may take to say that it can write."""


class StoreError(Exception):
    """The store could not keep or give what was asked; nothing was changed."""


class UnknownGame(StoreError):
    """There is no game with this id."""


class VersionConflict(StoreError):
    """The game has moved on since it was read: read it again and decide anew."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """An unfinished game in a list. ``changed``: seconds since 1970 of its last event."""

    id: str
    start: Start
    fen: str
    plies: int
    turn: str
    changed: float


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Job:
    write: Callable[[sqlite3.Connection], None]
    done: asyncio.Future[None]


def computer_to_move(game: Game) -> bool:
    """Whether the game waits for a computer's move."""
    return game.result is None and game.player(game.turn).is_computer


class EventStore:
    """The games of a club, in a database that :func:`damier.server.db.migrate` has made.

    Its methods are called from one event loop, the one it was made in.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._local = threading.local()
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
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._readers.shutdown)

    async def check(self) -> bool:
        """Whether the store can take events now. Costs a turn of the writer, and the disk nothing as long as all is well."""
        try:
            await asyncio.wait_for(self._commit(self._try_to_write), CHECK_SECONDS)
        except (StoreError, TimeoutError):
            return False
        return True

    # --- Writing ---------------------------------------------------------------------------------------------------

    async def create(self, game_id: str, game: Game, *, at: float) -> None:
        """Keep a new game that has no events yet."""
        start = _dump(game.origin.to_json())
        seats = [(game_id, color, player.id) for color, player in _seats(game) if player.id is not None]
        values = (game_id, start, at, game.version, at, *_summary(game))

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO game (id, start, created, version, changed, fen, plies, turn, score, reason,"
                " computer_to_move) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            connection.executemany("INSERT INTO seat (game, color, player) VALUES (?, ?, ?)", seats)

        await self._commit(write)

    async def append(self, game_id: str, game: Game) -> None:
        """Keep the last event of a game that has one event more than the store knows.

        Raises :class:`VersionConflict` when another event came first, :class:`UnknownGame`, or :class:`StoreError`
        when the disk refuses.
        """
        entry = game.events[-1]
        text = _dump(entry.to_json())
        values = (game.version, entry.at, *_summary(game), game_id, game.version - 1)

        def write(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE game SET version = ?, changed = ?, fen = ?, plies = ?, turn = ?, score = ?, reason = ?,"
                " computer_to_move = ? WHERE id = ? AND version = ?",
                values,
            ).rowcount
            if changed == 0:
                known = connection.execute("SELECT 1 FROM game WHERE id = ?", (game_id,)).fetchone()
                raise VersionConflict(game_id) if known else UnknownGame(game_id)
            connection.execute(
                "INSERT INTO event (game, version, entry) VALUES (?, ?, ?)", (game_id, game.version, text)
            )

        await self._commit(write)

    async def _commit(self, write: Callable[[sqlite3.Connection], None]) -> None:
        if not self._open or not self._writer.is_alive():
            raise StoreError("the store is closed")
        done: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(_Job(write, done))
        # what is on its way to the disk cannot be called back, so a caller that goes away does not cancel it
        await asyncio.shield(done)

    def _write_all(self) -> None:
        with closing(db.connect(self._path)) as connection:
            connection.execute(
                "SELECT 1 FROM game LIMIT 1"
            ).fetchall()  # the first question makes SQLite open all its files
            files = db.identity(self._path)
            while (job := self._queue.get()) is not None:
                jobs, last = self._take_waiting(job)
                outcomes = self._transaction(connection, files, jobs)
                self._loop.call_soon_threadsafe(_settle, jobs, outcomes)
                if last:
                    break

    def _take_waiting(self, first: _Job) -> tuple[list[_Job], bool]:
        jobs = [first]
        while len(jobs) < MOST_IN_ONE_COMMIT:
            try:
                job = self._queue.get_nowait()
            except Empty:
                break
            if job is None:
                return jobs, True
            jobs.append(job)
        return jobs, False

    def _transaction(
        self, connection: sqlite3.Connection, files: tuple[tuple[int, int], ...], jobs: list[_Job]
    ) -> list[Exception | None]:
        try:
            self._expect(files)
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [_in_savepoint(connection, job) for job in jobs]
            connection.execute("COMMIT")
            self._expect(files)
        except (sqlite3.Error, StoreError) as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._refused = True
            return [StoreError(str(error)) for _ in jobs]
        self._refused = False
        return outcomes

    def _expect(self, files: tuple[tuple[int, int], ...]) -> None:
        try:
            present = db.identity(self._path)
        except OSError as error:
            raise StoreError(f"the database has lost a file: {error}") from error
        if present != files:
            raise StoreError(f"{self._path} is no longer the file that this server opened")

    def _try_to_write(self, connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE game SET version = version WHERE FALSE")
        connection.execute("UPDATE event SET version = version WHERE FALSE")
        if self._refused:
            # changes nothing, but is written: whether the disk has room again is not to be had for less
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version = {version:d}")

    # --- Reading ---------------------------------------------------------------------------------------------------

    async def load(self, game_id: str) -> Game:
        """A game as it stands. Raises :class:`UnknownGame`."""

        def read(connection: sqlite3.Connection) -> Game:
            # one statement, so that start and events are of the same moment
            rows = connection.execute(
                "SELECT start, entry FROM game LEFT JOIN event ON event.game = game.id WHERE game.id = ?"
                " ORDER BY event.version",
                (game_id,),
            ).fetchall()
            if not rows:
                raise UnknownGame(game_id)
            entries = [Entry.from_json(json.loads(entry)) for _, entry in rows if entry is not None]
            return Game.replay(Start.from_json(json.loads(rows[0][0])), entries)

        return await self._read(read)

    async def unfinished_of(self, player: str, limit: int) -> list[GameSummary]:
        """A player's unfinished games, those that changed last first."""

        def read(connection: sqlite3.Connection) -> list[GameSummary]:
            rows = connection.execute(
                "SELECT id, start, fen, plies, turn, changed FROM seat JOIN game ON game.id = seat.game"
                " WHERE player = ? AND score IS NULL ORDER BY changed DESC LIMIT ?",
                (player, limit),
            )
            return [GameSummary(row[0], Start.from_json(json.loads(row[1])), *row[2:]) for row in rows]

        return await self._read(read)

    async def last_of(self, player: str) -> Start | None:
        """How the player's newest game started; None for somebody who has played none."""

        def read(connection: sqlite3.Connection) -> Start | None:
            row = connection.execute(
                "SELECT start FROM seat JOIN game ON game.id = seat.game WHERE player = ?"
                " ORDER BY created DESC LIMIT 1",
                (player,),
            ).fetchone()
            return None if row is None else Start.from_json(json.loads(row[0]))

        return await self._read(read)

    async def awaiting_computer(self) -> list[str]:
        """The games in which a computer is to move, the one that has waited longest first."""

        def read(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute("SELECT id FROM game WHERE computer_to_move = 1 ORDER BY changed")
            return [game_id for (game_id,) in rows]

        return await self._read(read)

    async def _read(self, read: Callable[[sqlite3.Connection], Answer]) -> Answer:
        def with_connection() -> Answer:
            connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = db.connect(self._path, read_only=True)
            return read(connection)

        return await self._loop.run_in_executor(self._readers, with_connection)


def _in_savepoint(connection: sqlite3.Connection, job: _Job) -> Exception | None:
    connection.execute("SAVEPOINT job")
    try:
        job.write(connection)
    except sqlite3.OperationalError:
        raise  # the disk is full or gone: nothing of this transaction can be kept
    except Exception as error:  # whatever is wrong with one must not stop the others
        connection.execute("ROLLBACK TO job")
        outcome = error if isinstance(error, StoreError) else StoreError(str(error))
    else:
        outcome = None
    connection.execute("RELEASE job")
    return outcome


def _settle(jobs: list[_Job], outcomes: list[Exception | None]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done.done():
            continue
        if outcome is None:
            job.done.set_result(None)
        else:
            job.done.set_exception(outcome)


def _seats(game: Game) -> tuple[tuple[str, Player], ...]:
    return (("white", game.origin.white), ("black", game.origin.black))


def _summary(game: Game) -> tuple[str, int, str, str | None, str | None, bool]:
    result = game.result
    return (
        game.board.fen(),
        game.plies,
        color_to_json(game.turn),
        None if result is None else result.score,
        None if result is None else result.reason,
        computer_to_move(game),
    )


def _dump(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
