"""Computer opponents in processes of their own: a job is done once, and again when its worker dies."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import redis.asyncio as client

from damier import Board
from damier.errors import EngineError
from damier.server import workers
from damier.server.workers import JOBS, JOBS_OF_OWNER, RemoteOpponents, Worker
from tests.server.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from tests.services import Redis

SLOWEST = 10


def opened() -> Board:
    """A position in which the strongest level thinks for its two seconds."""
    board = Board()
    for text in ("32-28", "19-23", "28x19", "14x23", "37-32", "10-14", "41-37", "14-19"):
        board.push(text)
    return board


@asynccontextmanager
async def working(url: str, threads: int = 1) -> AsyncGenerator[Worker]:
    worker = Worker(url, threads)
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await running


@pytest.fixture
async def opponents(redis_url: str) -> AsyncIterator[RemoteOpponents]:
    asking = RemoteOpponents(redis_url)
    yield asking
    await asking.close()


@pytest.fixture
async def stream(redis_url: str) -> AsyncIterator[Any]:
    reader = client.Redis.from_url(redis_url)
    yield reader
    await reader.aclose()


async def test_the_move_is_legal_the_board_is_left_alone_and_nothing_stays(
    opponents: RemoteOpponents, redis_url: str, stream: Any
) -> None:
    async with working(redis_url) as worker:
        board = opened()
        moves = await asyncio.gather(*(opponents.choose(board, level, "anna") for level in (1, 4, 7)))
        assert all(move in board.legal_moves for move in moves)
        assert board.ply == 8
        assert worker.done == 3
    assert await stream.xlen(JOBS) == 0
    assert opponents.queued == 0


async def test_the_moves_that_led_to_the_position_go_along(redis_url: str, stream: Any) -> None:
    asking = RemoteOpponents(redis_url)
    thinking = asyncio.create_task(asking.choose(opened(), 1, "anna"))
    await asyncio.sleep(0.2)
    [(_entry, fields)] = await stream.xrange(JOBS)
    job = json.loads(fields[b"job"])
    assert len(job["moves"]) == 8
    thinking.cancel()
    await asyncio.gather(thinking, return_exceptions=True)
    await asking.close()
    assert await stream.xlen(JOBS) == 0


async def test_each_job_is_done_once_by_one_of_many_workers(opponents: RemoteOpponents, redis_url: str) -> None:
    async with working(redis_url, 2) as one, working(redis_url, 2) as other:
        owners = [f"guest {number}" for number in range(30)]
        moves = await asyncio.gather(*(opponents.choose(Board(), 2, owner) for owner in owners))
        assert len(moves) == 30
        await asyncio.sleep(0.2)
        assert one.done + other.done == 30


async def test_a_guest_with_many_games_waits_behind_a_guest_with_one(
    opponents: RemoteOpponents, redis_url: str
) -> None:
    served: list[str] = []

    async def ask(owner: str) -> None:
        await opponents.choose(Board(), 5, owner)
        served.append(owner)

    asked = [asyncio.create_task(ask(owner)) for owner in [*["many"] * 8, "one"]]
    await asyncio.sleep(0.1)
    assert opponents.queued == 9
    async with working(redis_url):
        await asyncio.gather(*asked)
    assert served.index("one") <= JOBS_OF_OWNER


async def test_cancelled_jobs_are_skipped_and_stopped(opponents: RemoteOpponents, redis_url: str, stream: Any) -> None:
    async with working(redis_url) as worker:
        searches = [asyncio.create_task(opponents.choose(opened(), SLOWEST, str(owner))) for owner in range(10)]
        await asyncio.sleep(0.5)
        for search in searches:
            search.cancel()
        started = time.perf_counter()
        assert await opponents.choose(Board(), 1, "bert") in Board().legal_moves
        assert time.perf_counter() - started < 1.5
        assert worker.done == 1
    assert await stream.xlen(JOBS) == 0


async def test_what_goes_wrong_reaches_who_asked_and_the_others_are_served(
    opponents: RemoteOpponents, redis_url: str
) -> None:
    async with working(redis_url):
        with pytest.raises(EngineError):
            await opponents.choose(Board("W:W:B1"), 1, "anna")
        with pytest.raises(EngineError, match="level"):
            await opponents.choose(Board(), 99, "anna")
        assert await opponents.choose(Board(), 1, "anna") in Board().legal_moves


async def test_a_job_that_cannot_be_read_is_thrown_away(
    opponents: RemoteOpponents, redis_url: str, stream: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await stream.xadd(JOBS, {"job": b"nonsense"})
    await stream.xadd(JOBS, {"other": b""})
    async with working(redis_url):
        assert await opponents.choose(Board(), 1, "anna") in Board().legal_moves
    assert await stream.xlen(JOBS) == 0
    assert "thrown away" in caplog.text


async def test_what_a_worker_that_stops_has_begun_is_done_by_another(
    opponents: RemoteOpponents, redis_url: str
) -> None:
    async with working(redis_url) as first:
        thinking = asyncio.create_task(opponents.choose(opened(), SLOWEST, "anna"))
        await until(lambda: first._at_it)
    assert first.done == 0
    async with working(redis_url) as second:
        assert await thinking in opened().legal_moves
        assert second.done == 1


async def test_what_reaches_a_worker_that_is_stopping_is_not_lost(
    opponents: RemoteOpponents, redis_url: str, stream: Any
) -> None:
    for delay in (0.0, 0.001, 0.003):
        async with working(redis_url) as first:
            await asyncio.sleep(0.3)  # it waits for a job
            thinking = asyncio.create_task(opponents.choose(opened(), 1, "anna"))
            await until(lambda it=thinking: not opponents._unsent and (opponents._asked or it.done()))
            await asyncio.sleep(delay)
            first.stop()
        started = time.perf_counter()
        async with working(redis_url):
            assert await thinking in opened().legal_moves
        assert time.perf_counter() - started < workers.TAKEN_OVER_SECONDS / 2
    assert await stream.xlen(JOBS) == 0


async def test_who_asked_notices_that_nobody_has_the_job(
    opponents: RemoteOpponents, redis_url: str, stream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ASK_AGAIN_SECONDS", 0.5)
    await asyncio.sleep(workers.ASK_AGAIN_SECONDS)
    async with working(redis_url):
        await opponents.choose(Board(), 1, "anna")  # the group is there
    thinking = asyncio.create_task(opponents.choose(opened(), 1, "anna"))
    await until(lambda: any(asked.entry for asked in opponents._asked.values()))
    [asked] = opponents._asked.values()
    entry = asked.entry
    await asyncio.sleep(1.2)
    assert asked.entry == entry, "it waits for a worker"
    await stream.xreadgroup(workers.GROUP, "careless", {JOBS: ">"})
    await asyncio.sleep(1.2)
    assert asked.entry == entry, "a worker has it"
    await stream.xgroup_delconsumer(JOBS, workers.GROUP, "careless")
    async with working(redis_url):
        async with asyncio.timeout(workers.TAKEN_OVER_SECONDS + 10):
            assert await thinking in opened().legal_moves
    assert asked.entry != entry
    assert await stream.xlen(JOBS) == 0


async def test_a_restart_of_redis_loses_no_job(opponents: RemoteOpponents, redis: Redis, redis_url: str) -> None:
    thinking = asyncio.create_task(opponents.choose(Board(), 1, "anna"))
    await asyncio.sleep(0.2)
    redis.kill()
    later = asyncio.create_task(opponents.choose(Board(), 1, "bert"))
    await asyncio.sleep(0.2)
    redis.start()
    async with working(redis_url):
        async with asyncio.timeout(workers.ASK_AGAIN_SECONDS + 10):
            assert await thinking in Board().legal_moves
            assert await later in Board().legal_moves


def command(url: str) -> subprocess.Popen[str]:
    script = "import sys; from damier.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", script, "worker", "--redis", url, "--threads", "1"], stderr=subprocess.PIPE, text=True
    )


async def test_a_worker_that_is_killed_leaves_its_job_to_another(
    opponents: RemoteOpponents, redis_url: str, stream: Any
) -> None:
    killed = command(redis_url)
    try:
        thinking = asyncio.create_task(opponents.choose(opened(), SLOWEST, "anna"))
        async with asyncio.timeout(60):
            while True:
                groups = await stream.xinfo_groups(JOBS) if await stream.exists(JOBS) else []
                if groups and groups[0]["pending"]:
                    break
                await asyncio.sleep(0.05)
    finally:
        killed.kill()
        killed.communicate()
    started = time.perf_counter()
    async with working(redis_url) as second:
        assert await thinking in opened().legal_moves
        assert second.done == 1
    assert time.perf_counter() - started < workers.TAKEN_OVER_SECONDS + 8


async def test_the_command_stops_when_told(redis_url: str, stream: Any) -> None:
    process = command(redis_url)
    try:
        async with asyncio.timeout(60):
            while not await stream.exists(JOBS):  # noqa: ASYNC110 (another process makes it)
                await asyncio.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, said = await asyncio.to_thread(process.communicate)
    finally:
        process.kill()
    assert process.returncode == 0, said
    assert "Connected to Redis, ready for jobs" in said
    assert "Traceback" not in said


def test_the_command_needs_an_address() -> None:
    process = command("localhost")
    _, said = process.communicate()
    assert process.returncode == 2
    assert said.startswith("damier: ")
    assert said.count("\n") == 1
