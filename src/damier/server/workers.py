"""Computer opponents that think in processes of their own, on this machine or on others: ``damier worker``.

Jobs go through a Redis stream with a consumer group: a worker takes one, says again and again that it is still at it,
and finishes it with its answer in one step, so that a job is done once; what a worker that died has left is taken over
by another. Who asks has at most :data:`JOBS_OF_OWNER` jobs of each owner in the stream, so that a guest with many games
waits behind a guest with one.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from damier import Board
from damier.engine import Engine, Limit, choose
from damier.errors import EngineError
from damier.notation.json import move_from_json, move_to_json
from damier.server.play.opponent import HASH_MEGABYTES
from damier.server.redis_client import ANSWER_SECONDS, connect, end

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from damier import Move

JOBS: Final = "damier:jobs"
GROUP: Final = "workers"
JOBS_OF_OWNER: Final = 2
AT_IT_SECONDS: Final = 0.5
"""How often a worker says that it is still at its jobs, and learns which have been taken back."""
TAKEN_OVER_SECONDS: Final = 5.0
"""After so long without that word a job is another worker's."""
WAIT_SECONDS: Final = 2.0
"""How long one reading from Redis waits for something to come."""
ASK_AGAIN_SECONDS: Final = 5.0
"""How often it is looked whether the jobs are still there, or in hands: Redis may have been started anew without them."""
ANSWERS_KEPT_SECONDS: Final = 60
PAUSE_SECONDS: Final = 0.5
"""Between two attempts to reach Redis."""

# An answer counts only from the worker that finishes the job first; what it leaves nobody else will find.
FINISH_SCRIPT: Final = """
if redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
if redis.call('XDEL', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1
"""

# A job that has been given to a worker and is in no worker's hands, though it is there, nobody would do.
LOST_SCRIPT: Final = """
if #redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2]) == 0 then return 1 end
local function parts(id) local ms, n = string.match(id, '(%d+)-(%d+)'); return tonumber(ms), tonumber(n) end
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local facts = {}
  for i = 1, #group, 2 do facts[group[i]] = group[i + 1] end
  if facts['name'] == ARGV[1] then
    local ms, n = parts(facts['last-delivered-id'])
    local own_ms, own_n = parts(ARGV[2])
    local delivered = own_ms < ms or (own_ms == ms and own_n <= n)
    if delivered and #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1) == 0 then
      redis.call('XDEL', KEYS[1], ARGV[2])
      return 1
    end
  end
end
return 0
"""

log = logging.getLogger(__name__)


class Job(msgspec.Struct, frozen=True):
    """A position to be thought about. ``answer_to``: the list that the answer belongs on."""

    id: str
    answer_to: str
    rules: str
    fen: str
    moves: list[Any]
    level: int
    time: float | None = None
    aim: float | None = None

    @property
    def clock(self) -> Limit | None:
        """What the game's clock allows."""
        return None if self.time is None else Limit(time=self.time, aim=self.aim)

    def board(self) -> Board:
        """The position with the moves that led to it, which repetitions and counts need."""
        board = Board(self.fen, self.rules)
        for move in self.moves:
            board.push(move_from_json(move))
        return board


class Answer(msgspec.Struct, frozen=True):
    """The move of a job, or what went wrong."""

    id: str
    move: dict[str, Any] | None
    error: str | None


# --- Who asks ------------------------------------------------------------------------------------------------------


class _Asked:
    """A job on its way."""

    __slots__ = ("entry", "job", "move", "owner")

    def __init__(self, owner: str, job: Job, move: asyncio.Future[Move]) -> None:
        self.owner = owner
        self.job = job
        self.move = move
        self.entry: bytes | None = None
        """Where it is in the stream; None before it is there."""


class RemoteOpponents:
    """The opponents of one server process, who think elsewhere. Its methods are called from one event loop."""

    def __init__(self, url: str) -> None:
        self._redis = connect(url, wait=WAIT_SECONDS)
        self._answers = f"damier:answers:{secrets.token_hex(8)}"
        self._asked: dict[str, _Asked] = {}
        self._waiting: dict[str, deque[_Asked]] = {}
        self._under_way: dict[str, int] = {}
        self._unsent: deque[_Asked] = deque()
        self._work = asyncio.Event()
        self._failing = False
        self._tasks = [
            asyncio.create_task(self._for_ever(self._send), name="opponents: ask"),
            asyncio.create_task(self._for_ever(self._receive), name="opponents: answers"),
            asyncio.create_task(self._for_ever(self._ask_again), name="opponents: ask again"),
        ]

    @property
    def queued(self) -> int:
        """How many moves are waited for."""
        return len(self._asked) + sum(len(jobs) for jobs in self._waiting.values())

    async def choose(self, board: Board, level: int, owner: str, clock: Limit | None = None) -> Move:
        """A move of the computer of this level, however long it takes until a worker has found it.

        ``owner``: whose game it is. ``clock``: what the game's clock allows. Cancelling the call takes the job back.
        Raises :class:`EngineError` for what goes wrong in the worker.
        """
        moves = [move_to_json(move) for move in board.moves]
        job = Job(secrets.token_hex(8), self._answers, board.rules.name, board.start_fen, moves, level)
        if clock is not None:
            job = msgspec.structs.replace(job, time=clock.time, aim=clock.aim)
        asked = _Asked(owner, job, asyncio.get_running_loop().create_future())
        if self._under_way.get(owner, 0) < JOBS_OF_OWNER:
            self._begin(asked)
        else:
            self._waiting.setdefault(owner, deque()).append(asked)
        try:
            return await asked.move
        finally:
            self._end(asked)

    async def close(self) -> None:
        """Take back every job."""
        await end(self._tasks)
        entries = [asked.entry for asked in self._asked.values() if asked.entry is not None]
        try:
            if entries:
                await self._redis.xdel(JOBS, *entries)
            await cast("Any", self._redis.delete(self._answers))
        except RedisError as error:
            log.warning("The computers' jobs could not be taken back: %s", error)
        await self._redis.aclose()

    def _begin(self, asked: _Asked) -> None:
        self._under_way[asked.owner] = self._under_way.get(asked.owner, 0) + 1
        self._asked[asked.job.id] = asked
        self._unsent.append(asked)
        self._work.set()

    def _end(self, asked: _Asked) -> None:
        owner = asked.owner
        waiting = self._waiting.get(owner)
        if self._asked.pop(asked.job.id, None) is None:
            if waiting is not None and asked in waiting:
                waiting.remove(asked)
        else:
            if asked.move.cancelled():
                self._unsent.append(asked)  # to be taken back
                self._work.set()
            self._under_way[owner] -= 1
            if waiting:
                self._begin(waiting.popleft())
            if not self._under_way[owner]:
                del self._under_way[owner]
        if waiting is not None and not waiting:
            self._waiting.pop(owner, None)

    async def _for_ever(self, step: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await step()
                self._failing = False
            except RedisError as error:
                if not self._failing:
                    log.error("Redis is away, the computers' moves wait for it: %s", error)
                    self._failing = True
                await asyncio.sleep(PAUSE_SECONDS)
            except Exception:
                log.exception("The computers' moves could not be seen to")
                await asyncio.sleep(PAUSE_SECONDS)

    async def _send(self) -> None:
        await self._work.wait()
        while self._unsent:
            asked = self._unsent[0]
            if not asked.move.done():
                if asked.entry is None:
                    asked.entry = cast("bytes", await self._redis.xadd(JOBS, {"job": msgspec.json.encode(asked.job)}))
            elif asked.entry is not None:
                await self._redis.xdel(JOBS, asked.entry)
            self._unsent.popleft()
        self._work.clear()

    async def _receive(self) -> None:
        found = await cast("Any", self._redis.blpop([self._answers], timeout=WAIT_SECONDS))
        if found is None:
            return
        answer = msgspec.json.decode(found[1], type=Answer)
        asked = self._asked.get(answer.id)
        if asked is None or asked.move.done():
            return
        if answer.move is None:
            asked.move.set_exception(EngineError(answer.error or "the worker found no move"))
        else:
            asked.move.set_result(move_from_json(answer.move))

    async def _ask_again(self) -> None:
        await asyncio.sleep(ASK_AGAIN_SECONDS)
        for asked in list(self._asked.values()):
            entry = asked.entry
            if entry is None or asked.move.done():
                continue
            lost = await cast("Any", self._redis.eval(LOST_SCRIPT, 1, JOBS, GROUP, entry))
            # an answer may have come, and have taken the job out, in the meantime
            if lost and not await cast("Any", self._redis.llen(self._answers)) and not asked.move.done():
                asked.entry = None
                self._unsent.append(asked)
                self._work.set()


# --- Who answers ---------------------------------------------------------------------------------------------------


class _Cancelled(Exception):
    """A search was stopped from outside: what it found so far is no answer."""


class Worker:
    """Thinks for others in some threads, until it is stopped. Its methods are called from one event loop."""

    def __init__(self, url: str, threads: int) -> None:
        self._redis = connect(url, wait=WAIT_SECONDS)
        self._name = secrets.token_hex(8)
        self._engines = [Engine(hash_mb=HASH_MEGABYTES) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="worker")
        self._free = asyncio.Semaphore(threads)
        self._at_it: dict[bytes, tuple[str, Engine]] = {}
        self._cancelled: set[str] = set()
        self._jobs: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._failing = False
        self.done = 0
        """How many moves it has found."""

    def stop(self) -> None:
        """Take no more jobs; those begun are given back to be done by others."""
        self._stopping.set()

    async def run(self) -> None:
        """Work until stopped; waits for a Redis that is away for as long as it takes."""
        telling = asyncio.create_task(self._tell_connected(), name="worker: connect")
        taking = asyncio.create_task(self._until_stopped(self._take), name="worker: take")
        saying = asyncio.create_task(self._until_stopped(self._say), name="worker: say")
        await self._stopping.wait()
        await end([saying, telling])
        for _job, engine in self._at_it.values():
            engine.stop()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        # a reading that were broken off could have been given a job all the same
        await asyncio.wait([taking], timeout=WAIT_SECONDS + ANSWER_SECONDS)
        await end([taking])
        self._pool.shutdown()
        try:
            await self._hand_back()
        except RedisError as error:
            log.warning("The jobs that were begun could not be given back: %s", error)
        await self._redis.aclose()

    async def _tell_connected(self) -> None:
        """Say when Redis answers for the first time."""
        while True:
            with suppress(RedisError):
                await cast("Any", self._redis).ping()
                log.info("Connected to Redis, ready for jobs; thinking about as many as %d at once", len(self._engines))
                return
            await asyncio.sleep(PAUSE_SECONDS)

    async def _hand_back(self) -> None:
        """Leave the jobs that are still this worker's to others; one who has none leaves no trace."""
        mine = await cast("Any", self._redis).xpending_range(
            JOBS, GROUP, min="-", max="+", count=len(self._engines) + 1, consumername=self._name
        )
        if mine:  # as if long idle: the next worker that looks takes them over
            entries = [each["message_id"] for each in mine]
            await self._claim(entries, idle=_milliseconds(TAKEN_OVER_SECONDS))
        else:
            await cast("Any", self._redis.xgroup_delconsumer(JOBS, GROUP, self._name))

    async def _until_stopped(self, step: Callable[[], Awaitable[None]]) -> None:
        while not self._stopping.is_set():
            try:
                await step()
                if self._failing:
                    log.info("Redis is back")
                self._failing = False
            except RedisError as error:
                if isinstance(error, ResponseError) and str(error).startswith("NOGROUP"):
                    with suppress(RedisError):  # another worker may be faster
                        await self._redis.xgroup_create(JOBS, GROUP, id="0", mkstream=True)
                    continue
                if not self._failing:
                    log.error("Redis is away, waiting for it: %s", error)
                    self._failing = True
                await asyncio.sleep(PAUSE_SECONDS)

    async def _take(self) -> None:
        """Take one job, when there is an engine free for it."""
        await self._free.acquire()
        if self._stopping.is_set():
            return
        found: list[tuple[bytes, dict[bytes, bytes]]] = []
        try:
            taken_over = cast(
                "Any", await self._redis.xautoclaim(JOBS, GROUP, self._name, _milliseconds(TAKEN_OVER_SECONDS), count=1)
            )
            found = taken_over[1]
            if not found:
                block = _milliseconds(WAIT_SECONDS / 2)
                read = cast("Any", await self._redis.xreadgroup(GROUP, self._name, {JOBS: ">"}, count=1, block=block))
                found = read[0][1] if read else []
        finally:
            if not found:
                self._free.release()
        if self._stopping.is_set():
            return  # it is handed back
        for entry, fields in found:
            task = asyncio.create_task(self._work(entry, fields.get(b"job", b"")))
            self._jobs.add(task)
            task.add_done_callback(self._jobs.discard)

    async def _work(self, entry: bytes, payload: bytes) -> None:
        engine = self._engines.pop()
        try:
            job = msgspec.json.decode(payload, type=Job)
            self._at_it[entry] = (job.id, engine)
            answer = await asyncio.get_running_loop().run_in_executor(self._pool, self._think, job, engine)
            self.done += 1
            while not self._stopping.is_set():
                try:
                    content = msgspec.json.encode(answer)
                    finish = self._redis.eval(
                        FINISH_SCRIPT, 2, JOBS, job.answer_to, GROUP, entry, content, ANSWERS_KEPT_SECONDS
                    )
                    await cast("Any", finish)
                    break
                except (RedisConnectionError, RedisTimeoutError):
                    await asyncio.sleep(PAUSE_SECONDS)
        except _Cancelled:
            pass
        except msgspec.DecodeError:
            log.error("A job that cannot be read was thrown away: %r", payload[:200])
            await self._redis.xack(JOBS, GROUP, entry)
            await self._redis.xdel(JOBS, entry)
        except RedisError as error:
            log.warning("A job could not be finished: %s", error)
        finally:
            job_id, _engine = self._at_it.pop(entry, ("", engine))
            self._cancelled.discard(job_id)
            self._engines.append(engine)
            self._free.release()

    def _think(self, job: Job, engine: Engine) -> Answer:
        try:
            move = choose(engine, job.board(), job.level, clock=job.clock)
            answer = Answer(job.id, move_to_json(move), None)
        except Exception as error:
            answer = Answer(job.id, None, f"{type(error).__name__}: {error}")
        if self._stopping.is_set() or job.id in self._cancelled:
            raise _Cancelled
        return answer

    async def _say(self) -> None:
        """Tell that the jobs under way are in hands, and stop the searches that nobody waits for any more."""
        await asyncio.sleep(AT_IT_SECONDS)
        entries = list(self._at_it)
        if not entries:
            return
        still_there = set(await self._claim(entries, idle=0))
        for entry in entries:
            if entry not in still_there and entry in self._at_it:
                job, engine = self._at_it[entry]
                self._cancelled.add(job)
                engine.stop()

    async def _claim(self, entries: list[bytes], idle: int) -> list[bytes]:
        """Have had word of these jobs so many milliseconds ago; returns those that have not been taken back."""
        return await cast("Any", self._redis).xclaim(JOBS, GROUP, self._name, 0, entries, idle=idle, justid=True)


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)
