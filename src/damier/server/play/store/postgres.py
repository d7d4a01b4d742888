"""The event store in PostgreSQL.

One task writes all events of this process. It sends everything that waits as one statement, and each caller is told
its own outcome once that is committed. A connection that breaks is made anew; since whether the last statement was
committed is not known then, it is sent again, and an event that is found where it was to be kept counts as kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

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
    from collections.abc import Awaitable, Callable, Coroutine
    from contextlib import AbstractAsyncContextManager

    from damier.events import Entry
    from damier.game import Game
    from damier.record import Start

MOST_IN_ONE_COMMIT: Final = 256
READERS: Final = 4
"""Connections of a process at most, next to the one that writes events."""
COMMAND_SECONDS: Final = 10.0
"""How long the database may take to answer, before the connection is given up."""
PATIENCE_SECONDS: Final = 15.0
"""How long to try to reach a database that has gone."""
RETRY_SECONDS: Final = 0.2
OUTAGE_LOCK: Final = 0x64616D6965720002
"""The advisory lock of the process that gives the time of an outage back; it goes with its connection."""

# Transient, whatever was being done: the connection has gone, or the server is stopping or starting.
LOST: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what it says of some connections that were cut
    asyncpg.exceptions.OperatorInterventionError,
    asyncpg.exceptions.TooManyConnectionsError,
    OSError,
    TimeoutError,
)

_SUMMARY: Final = (
    ("version", "integer"),
    ("changed", "double precision"),
    ("fen", "text"),
    ("plies", "integer"),
    ("turn", "text"),
    ("score", "text"),
    ("reason", "text"),
    ("last_from", "integer"),
    ("last_to", "integer"),
    ("computer_to_move", "boolean"),
    ("running", "boolean"),
    ("due", "double precision"),
)
_NAMES: Final = ", ".join(name for name, _ in _SUMMARY)
_IN_LISTS: Final = "id, start, fen, plies, turn, changed, score, reason, is_public, last_from, last_to, due"

_CREATE: Final = f"""
    WITH made AS (
        INSERT INTO game (id, start, is_public, created, {_NAMES})
        VALUES ({", ".join(f"${number}" for number in range(1, 5 + len(_SUMMARY)))})
        ON CONFLICT (id) DO NOTHING RETURNING id
    ), seated AS (
        INSERT INTO seat (game, color, player)
        SELECT made.id, taken.color, taken.player
        FROM made, unnest(${5 + len(_SUMMARY)}::text[], ${6 + len(_SUMMARY)}::text[]) AS taken (color, player)
    )
    SELECT id FROM made
"""  # noqa: S608 (names of our own)
# The rows are locked in one order whoever asks, so that two processes with the same games do not wait for each other.
_APPEND: Final = f"""
    WITH given AS (
        SELECT * FROM unnest($1::text[], $2::text[],
            {", ".join(f"${number}::{kind}[]" for number, (_, kind) in enumerate(_SUMMARY, 3))})
        AS given (id, entry, {_NAMES})
    ), locked AS MATERIALIZED (
        SELECT id FROM game WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE
    ), kept AS (
        UPDATE game SET {", ".join(f"{name} = given.{name}" for name, _ in _SUMMARY)}
        FROM given
        WHERE (SELECT count(*) FROM locked) > 0 AND game.id = given.id AND game.version = given.version - 1
        RETURNING game.id, game.version, given.entry
    ), written AS (
        INSERT INTO event (game, version, entry) SELECT id, version, entry FROM kept
    )
    SELECT id FROM kept
"""  # noqa: S608

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class _Connection(Protocol):
    """What we use of asyncpg's connections, which tells no types."""

    async def fetch(self, query: str, *values: object) -> list[tuple[Any, ...]]: ...
    async def fetchrow(self, query: str, *values: object) -> tuple[Any, ...] | None: ...
    async def fetchval(self, query: str, *values: object) -> Any: ...
    async def execute(self, query: str, *values: object) -> str: ...
    def transaction(self) -> AbstractAsyncContextManager[None]: ...
    def is_closed(self) -> bool: ...
    async def close(self) -> None: ...
    def terminate(self) -> None: ...


class _Pool(Protocol):
    """The same of its pools."""

    def acquire(self, *, timeout: float) -> AbstractAsyncContextManager[_Connection]: ...
    async def execute(self, query: str, *values: object) -> str: ...
    def terminate(self) -> None: ...


class _Event(NamedTuple):
    """An event to be kept: the values of its game's row, and whom to tell."""

    game_id: str
    entry: str
    summary: tuple[object, ...]
    done: asyncio.Future[None]

    @property
    def version(self) -> object:
        return self.summary[0]


class PostgresStore:
    """An :class:`~damier.server.play.store.base.EventStore` in a database that several processes may share."""

    def __init__(self, address: str, pool: _Pool) -> None:
        self._address = address
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Event] = deque()
        self._woken = asyncio.Event()
        self._open = True
        self._connection: _Connection | None = None
        """The one that writes events; the writer's own."""
        self._outage: _Connection | None = None
        """Holds the lock while this process gives back the time of an outage."""
        self._writer = asyncio.create_task(self._write_all(), name="write events")
        self._creations: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, address: str) -> PostgresStore:
        """The store in the database at ``postgresql://…``. Raises :class:`StoreError` when it cannot be reached."""
        pool: Any = cast("Callable[..., object]", asyncpg.create_pool)(
            address,
            min_size=0,
            max_size=READERS,
            command_timeout=COMMAND_SECONDS,
            timeout=COMMAND_SECONDS,
            server_settings={"application_name": "damier", "jit": "off"},
            reset=_leave_as_it_is,
        )
        try:
            await pool
            await pool.execute("SELECT 1")
        except (*LOST, asyncpg.PostgresError) as error:
            pool.terminate()
            raise StoreError(f"the database cannot be reached: {error}") from error
        return cls(address, pool)

    async def close(self) -> None:
        """Commit what waits, then stop. Nothing may be asked afterwards."""
        if not self._open:
            return
        self._open = False
        self._woken.set()
        await self._writer
        await asyncio.gather(*self._creations, return_exceptions=True)
        for connection in (self._connection, self._outage):
            if connection is not None:
                connection.terminate()
        self._pool.terminate()

    async def check(self) -> bool:
        """Whether the store can take events now: the database answers, and lets us write."""
        if not self._open or self._writer.done():
            return False
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await self._pool.execute("UPDATE game SET version = version WHERE FALSE")
                await self._pool.execute("UPDATE event SET version = version WHERE FALSE")
        except (*LOST, asyncpg.PostgresError):
            return False
        return True

    # --- Writing ---------------------------------------------------------------------------------------------------

    async def create(
        self, game_id: str, game: Game, *, at: float, is_public: bool = False, due: float | None = None
    ) -> None:
        """Keep a new game that has no events yet."""
        start = encode(game.origin.to_json())
        colors, players = zip(*seats(game), strict=True) if seats(game) else ((), ())
        values = (game_id, start, is_public, at, *summary(game, changed=at, due=due), colors, players)

        async def write(connection: _Connection, again: bool) -> None:
            if await connection.fetchval(_CREATE, *values) is not None:
                return
            own = await connection.fetchval(
                "SELECT start = $2 AND created = $3 FROM game WHERE id = $1", game_id, start, at
            )
            if not (again and own):
                raise StoreError(f"there is a game {game_id} already")

        creation = asyncio.create_task(self._ask(write))
        self._creations.add(creation)
        creation.add_done_callback(self._creations.discard)
        await asyncio.shield(creation)

    async def append(self, game_id: str, game: Game, *, due: float | None = None) -> None:
        """Keep the last event of a game that has one event more than the store knows."""
        if not self._open or self._writer.done():
            raise StoreError("the store is closed")
        entry = game.events[-1]
        done: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(_Event(game_id, encode(entry.to_json()), summary(game, changed=entry.at, due=due), done))
        self._woken.set()
        # what is on its way to the database cannot be called back: a caller that goes away does not cancel it
        await done

    async def _write_all(self) -> None:
        while self._open or self._waiting:
            if not self._waiting:
                self._woken.clear()
                await self._woken.wait()
                continue
            await self._write(self._take_waiting(), again=False)

    def _take_waiting(self) -> list[_Event]:
        """What waits, but one event of a game: a second one is decided once the first is kept."""
        taken: dict[str, _Event] = {}
        later: list[_Event] = []
        while self._waiting and len(taken) < MOST_IN_ONE_COMMIT:
            event = self._waiting.popleft()
            if event.game_id in taken:
                later.append(event)
            else:
                taken[event.game_id] = event
        self._waiting.extendleft(reversed(later))
        return list(taken.values())

    async def _write(self, events: list[_Event], *, again: bool) -> None:
        deadline = self._loop.time() + PATIENCE_SECONDS
        while True:
            try:
                await self._write_once(events, again=again)
                return
            except LOST as error:
                self._drop_connection()
                if self._loop.time() > deadline:
                    _settle(events, StoreError(f"the database cannot be reached: {error}"))
                    return
                log.warning("The database was lost while %d events were written: %s", len(events), error)
                again = True
                await asyncio.sleep(RETRY_SECONDS)
            except Exception as error:
                if len(events) == 1:
                    if not isinstance(error, asyncpg.PostgresError):
                        log.exception("An event of game %s could not be written", events[0].game_id)
                    _settle(events, StoreError(str(error)))
                    return
                for event in events:  # whatever is wrong with one must not stop the others
                    await self._write([event], again=again)
                return

    async def _write_once(self, events: list[_Event], *, again: bool) -> None:
        connection = await self._connected()
        ids = [event.game_id for event in events]
        columns = zip(*(event.summary for event in events), strict=True)
        rows = await connection.fetch(_APPEND, ids, [event.entry for event in events], *columns)
        kept = {row[0] for row in rows}
        refused = [event for event in events if event.game_id not in kept]
        if refused:
            versions = await connection.fetch("SELECT id, version FROM game WHERE id = ANY ($1::text[])", ids)
            known = {row[0] for row in versions}
            already = await self._already_kept(connection, refused) if again else frozenset[str]()
            for event in refused:
                if event.game_id not in already:
                    missing = event.game_id not in known
                    _settle([event], (UnknownGame if missing else VersionConflict)(event.game_id))
        _settle(events, None)

    async def _already_kept(self, connection: _Connection, events: list[_Event]) -> frozenset[str]:
        rows = await connection.fetch(
            "SELECT event.game FROM event JOIN unnest($1::text[], $2::integer[], $3::text[])"
            " AS given (game, version, entry) USING (game, version, entry)",
            [event.game_id for event in events],
            [event.version for event in events],
            [event.entry for event in events],
        )
        return frozenset(row[0] for row in rows)

    async def _connected(self) -> _Connection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._new_connection()
        return self._connection

    async def _new_connection(self) -> _Connection:
        # a few rows by their keys, whatever the planner thinks of tables that it has not looked at yet
        settings = {"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off"}
        connect = cast("Callable[..., Awaitable[_Connection]]", asyncpg.connect)
        return await connect(
            self._address,
            timeout=COMMAND_SECONDS,
            command_timeout=COMMAND_SECONDS,
            server_settings={"application_name": "damier events", **settings},
        )

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    # --- Outages ---------------------------------------------------------------------------------------------------

    async def beat(self, at: float) -> None:
        """Note that a server runs. The database does not wait for its disk."""

        async def write(connection: _Connection, _again: bool) -> None:
            async with connection.transaction():
                await connection.execute("SET LOCAL synchronous_commit = off")
                await connection.execute(
                    "INSERT INTO beat (id, at) VALUES (1, $1)"
                    " ON CONFLICT (id) DO UPDATE SET at = greatest(beat.at, excluded.at)",
                    at,
                )

        await self._ask(write)

    async def take_outages(self, now: float) -> tuple[Outage, ...]:
        """The time for which no server ran, if that has just ended; only the first that asks is told."""

        async def take(_connection: _Connection, _again: bool) -> tuple[bool, tuple[Outage, ...]]:
            if self._outage is not None:
                self._outage.terminate()
            self._outage = await self._new_connection()
            # one statement, which sees the beat as it was before anybody was refused the lock
            mine = await self._outage.fetchval(
                "WITH held AS MATERIALIZED (SELECT pg_try_advisory_lock($3) AS mine),"
                " taken AS (INSERT INTO outage (id, began, ended)"
                " SELECT (SELECT count(*) + 1 FROM outage), at, $1 FROM beat, held WHERE mine AND $1 - at > $2)"
                " SELECT mine FROM held",
                now,
                OUTAGE_SECONDS,
                OUTAGE_LOCK,
            )
            rows = await self._outage.fetch("SELECT began, ended FROM outage ORDER BY id") if mine else []
            if not rows:
                await self._outage.close()
                self._outage = None
            return mine, tuple(Outage(*row) for row in rows)

        mine, taken = await self._ask(take)
        if mine:  # another that is just about to note the outage is to be seen by its silence
            await self.beat(now)
        return taken

    async def outages(self, now: float) -> tuple[Outage, ...]:
        """The outages that another server has taken and not got through, or is just about to take."""
        # who takes one notes first the outage, and then that a server runs
        rows = await self._rows(
            "SELECT began, ended FROM outage UNION ALL SELECT at, $1 FROM beat WHERE $1 - at > $2 ORDER BY ended",
            now,
            OUTAGE_SECONDS,
        )
        return tuple(Outage(*row) for row in rows)

    async def outages_over(self) -> None:
        """The time of the outages has been given back to all games."""

        async def write(connection: _Connection, _again: bool) -> None:
            await connection.execute("DELETE FROM outage")

        await self._ask(write)
        if self._outage is not None:
            with suppress(*LOST):
                await self._outage.close()
            self._outage = None

    # --- Reading ---------------------------------------------------------------------------------------------------

    async def load(self, game_id: str) -> StoredGame:
        """A game as it stands. Raises :class:`UnknownGame`."""
        # one statement, so that start and events are of the same moment
        rows = await self._rows(
            "SELECT start, is_public, created, entry FROM game LEFT JOIN event ON event.game = game.id"
            " WHERE game.id = $1 ORDER BY event.version",
            game_id,
        )
        if not rows:
            raise UnknownGame(game_id)
        start, is_public, created, _ = rows[0]
        entries = [row[3] for row in rows if row[3] is not None]
        # a long game takes a while to play through, and the loop has others to serve
        game = await asyncio.to_thread(replayed, start, entries)
        return StoredGame(game, is_public, created)

    async def entries(self, game_id: str, after_version: int) -> list[Entry]:
        """A game's events after a version, in order."""
        rows = await self._rows(
            "SELECT entry FROM event WHERE game = $1 AND version > $2 ORDER BY version", game_id, after_version
        )
        return [entry_of(text) for (text,) in rows]

    async def due(self, until: float, most: int) -> list[str]:
        """The games in which the arbiter has to act by a moment, the most urgent first."""
        rows = await self._rows("SELECT id FROM game WHERE due <= $1 ORDER BY due LIMIT $2", until, most)
        return [game_id for (game_id,) in rows]

    async def running(self) -> list[str]:
        """The unfinished games in which a time runs (the arbiter is due), or stands still for a pause of the arbiter's."""
        return [game_id for (game_id,) in await self._rows("SELECT id FROM game WHERE running ORDER BY id")]

    async def awaiting_computer(self) -> list[str]:
        """The games in which a computer is to move, the one that has waited longest first."""
        rows = await self._rows("SELECT id FROM game WHERE computer_to_move ORDER BY changed")
        return [game_id for (game_id,) in rows]

    async def unfinished_of(self, player: str, limit: int) -> list[GameSummary]:
        """A player's unfinished games, those that changed last first."""
        return await self._list(
            f"SELECT {_IN_LISTS} FROM seat JOIN game ON game.id = seat.game"  # noqa: S608
            " WHERE player = $1 AND score IS NULL ORDER BY changed DESC LIMIT $2",
            player,
            limit,
        )

    async def last_of(self, player: str) -> Start | None:
        """How the player's newest game started; None for somebody who has played none."""
        rows = await self._rows(
            "SELECT start FROM seat JOIN game ON game.id = seat.game WHERE player = $1 ORDER BY created DESC LIMIT 1",
            player,
        )
        return start_of(rows[0][0]) if rows else None

    async def playing(self, most: int, since: float = 0.0) -> list[GameSummary]:
        """The public games that go on and have changed since a moment, those that changed last first."""
        return await self._list(
            f"SELECT {_IN_LISTS} FROM game WHERE is_public AND score IS NULL AND changed >= $1"  # noqa: S608
            " ORDER BY changed DESC LIMIT $2",
            since,
            most,
        )

    async def count_playing(self, since: float = 0.0) -> int:
        """How many public games go on and have changed since a moment."""
        rows = await self._rows("SELECT count(*) FROM game WHERE is_public AND score IS NULL AND changed >= $1", since)
        return rows[0][0]

    async def _list(self, query: str, *values: object) -> list[GameSummary]:
        return [summary_of(tuple(row)) for row in await self._rows(query, *values)]

    async def _rows(self, query: str, *values: object) -> list[Any]:
        async def read(connection: _Connection, _again: bool) -> list[Any]:
            return await connection.fetch(query, *values)

        return await self._ask(read)

    def _ask(self, work: Callable[[_Connection, bool], Awaitable[Answer]]) -> Coroutine[Any, Any, Answer]:
        """Do something on a connection, and again on another if that breaks; ``work`` is told which it is."""
        if not self._open:
            raise StoreError("the store is closed")
        return self._try(work)

    async def _try(self, work: Callable[[_Connection, bool], Awaitable[Answer]]) -> Answer:
        deadline = self._loop.time() + PATIENCE_SECONDS
        again = False
        while True:
            try:
                async with self._pool.acquire(timeout=COMMAND_SECONDS) as connection:
                    try:
                        return await work(connection, again)
                    except LOST:
                        connection.terminate()  # nobody is to be given it again
                        raise
            except LOST as error:
                if self._loop.time() > deadline:
                    raise StoreError(f"the database cannot be reached: {error}") from error
            except asyncpg.PostgresError as error:
                raise StoreError(str(error)) from error
            again = True
            await asyncio.sleep(RETRY_SECONDS)


async def _leave_as_it_is(_connection: object) -> None:
    """Nothing of what we ask lingers on a connection, so there is nothing to be reset before the next use."""


def _settle(events: list[_Event], outcome: StoreError | None) -> None:
    for event in events:
        if event.done.done():
            continue
        if outcome is None:
            event.done.set_result(None)
        else:
            event.done.set_exception(outcome)
