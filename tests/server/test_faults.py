"""A club under load loses its server, a worker, Redis or its database again and again: no game loses anything by it.

Every game is played by two people over sockets of their own, who come back when they are cut off. Then all that they
were told to be kept is there once, every game is whole and goes on, and no clock is wrong by more than a second.

What is done, and when, follows from a seed that is printed; ``DAMIER_FAULT_SEED`` sets it. `make faults` runs the full
size, and prints what it has measured.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import pytest

from damier.server import database
from damier.server.settings import Settings, read_secret
from damier.server.visitors import Visitors
from tests.server.books import Books, Outage
from tests.server.conftest import Server
from tests.server.pairs import SCRIPTS, Match, play, script, sit_down
from tests.server.waiting import until
from tests.services import Postgres, Redis, Service

CLOCK_SECONDS = 1.0
"""How wrong a clock may be after a fault."""
PATIENCE_SECONDS = 60.0
"""Until everybody is back and every game goes on."""
CALLS = 12
"""To be answered in a row, by whichever process, before all processes are taken to be there."""
UNHINDERED = {
    "DAMIER_MESSAGES_PER_SECOND": "1000",
    "DAMIER_MESSAGE_BURST": "1000",
    "DAMIER_SOCKETS_PER_ADDRESS": "10000",
    "DAMIER_COMPUTER_THREADS": "1",
}

Fault: TypeAlias = Callable[[], Awaitable[None]]

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="who is whose child is read from /proc")


@dataclass(frozen=True)
class Size:
    """How many games, moves a second in all of them, and faults.

    ``wait``: seconds at most until the next fault. ``plies``: moves that are made ready for each game.
    """

    games: int
    rate: float
    faults: int
    wait: float
    plies: int


SIZES = [
    pytest.param(Size(20, 40, 3, 0.5, 120), id="small"),
    pytest.param(Size(200, 150, 20, 1.5, 220), id="full", marks=pytest.mark.long),
]


class Club:
    """A server under load, and what is done to it."""

    def __init__(self, server: Server, size: Size, seed: int) -> None:
        self.server = server
        self.size = size
        self.chance = random.Random(seed)
        self.books = Books()
        self.matches: list[Match] = []
        self.port = 0
        self.wrong: list[float] = [0.0]
        self.slowest = 0.0
        """Seconds until the last game went on."""
        self.settings = Settings(server.data, database=server.settings.get("DAMIER_DATABASE"))

    @asynccontextmanager
    async def under_load(self) -> AsyncGenerator[None]:
        """Have all games played."""
        visitors = Visitors(read_secret(self.settings.data))
        scripts = [script(self.chance, self.size.plies) for _ in range(SCRIPTS)]
        self.matches = await sit_down(self.settings, visitors, lambda: self.server.address, scripts, self.size.games)
        await asyncio.to_thread(self.server.start)
        self.port = urlsplit(self.server.address).port or 0
        async with asyncio.TaskGroup() as people:
            tasks = [people.create_task(seat.stay()) for match in self.matches for seat in match.seats]
            tasks.append(people.create_task(play(self.matches, self.size.rate, self.chance)))
            await self.goes_on()
            yield
            await self.goes_on()
            await self.check()
            for task in tasks:
                task.cancel()
        assert not any("Traceback" in line for line in self.server.log), "".join(self.server.log)

    @property
    def lost_sockets(self) -> list[int | None]:
        """The codes with which sockets were closed."""
        return [code for match in self.matches for seat in match.seats for code in seat.lost]

    async def a_while(self) -> None:
        await asyncio.sleep(self.chance.uniform(0.0, self.size.wait))

    async def goes_on(self) -> None:
        """Wait until everybody is at the board, and every game has gone on."""
        began = time.monotonic()
        seats = [seat for match in self.matches for seat in match.seats]
        await until(lambda: all(seat.here for seat in seats), PATIENCE_SECONDS)
        before = {match.id: match.acknowledged for match in self.matches}
        await until(lambda: all(match.acknowledged > before[match.id] for match in self.matches), PATIENCE_SECONDS)
        self.slowest = max(self.slowest, time.monotonic() - began)

    async def check(self) -> None:
        await self.books.check(self.settings, self.matches)
        wrong = sorted((*self.wrong, *self.books.given_back, *self.books.shown))
        self.wrong = [wrong[0], wrong[-1]]
        assert -CLOCK_SECONDS <= wrong[0] <= wrong[-1] <= CLOCK_SECONDS, wrong

    # --- Faults ----------------------------------------------------------------------------------------------------

    async def lose_the_server(self) -> None:
        """All its processes at once. It comes back at the same address, at once or after a while."""
        await self.a_while()  # everybody may not be back yet
        outage = Outage(time.time())
        for pid in (self.server.pid, *self.server.workers):
            os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(self.server.kill)
        self.books.outages.append(outage)
        at_once = self.chance.random() < 0.5
        if not at_once:
            await self.check()
            await self.a_while()
        # several ask, since who comes to a process that is not there yet waits, though another may answer
        asking = [asyncio.create_task(self._first_answer()) for _ in range(CALLS)]
        await asyncio.to_thread(self.server.start, self.port)
        outage.back = min(await asyncio.gather(*asking))
        if at_once or self.chance.random() < 0.5:
            await self.goes_on()
            await self.check()

    async def lose_a_worker(self) -> None:
        """One process of two. The other goes on, and another takes its place."""
        await self.a_while()
        os.kill(self.chance.choice(sorted(self.server.workers)), signal.SIGKILL)
        await self.goes_on()
        await self._all_answer()
        await self.check()

    async def without(self, service: Service) -> None:
        """Kill a service that the tests share, and start it again after a while."""
        service.kill()
        try:
            await self.a_while()
        finally:
            service.start()

    async def _first_answer(self) -> float:
        """The moment at which somebody is answered."""
        while not await self._answers():  # noqa: ASYNC110 (what is asked knows nothing of tests)
            await asyncio.sleep(0.02)  # refused at once while there is no server
        return time.time()

    async def _all_answer(self) -> None:
        """Wait until whoever is asked answers."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            answered = 0
            while answered < CALLS:
                answered = answered + 1 if await self._answers() else 0

    async def _answers(self) -> bool:
        try:
            async with asyncio.timeout(1):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                with closing(writer):
                    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    return (await reader.readline()).startswith(b"HTTP/1.1 200")
        except (TimeoutError, OSError):
            return False


@pytest.fixture
def seed() -> int:
    chosen = int(os.environ.get("DAMIER_FAULT_SEED") or random.SystemRandom().randrange(2**32))
    print(f"DAMIER_FAULT_SEED={chosen}")
    return chosen


@pytest.fixture
def one_process(tmp_path: Path) -> Iterator[Server]:
    """A club on SQLite."""
    yield from _server(tmp_path)


@pytest.fixture
def two_processes(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[Server]:
    """A club on PostgreSQL and Redis."""
    yield from _server(tmp_path, DAMIER_DATABASE=postgres_url, DAMIER_REDIS=redis_url, DAMIER_WORKERS="2")


def _server(folder: Path, **settings: str) -> Iterator[Server]:
    server = Server(folder / "club", **UNHINDERED, **settings)
    read_secret(server.data)  # makes it, and the folder
    database.migrate(Settings(server.data, database=settings.get("DAMIER_DATABASE")))
    yield server
    server.kill()


def run(server: Server, size: Size, seed: int, faults: Callable[[Club], Sequence[Fault]]) -> None:
    """Play, and let the faults happen one after the other."""
    club = Club(server, size, seed)

    async def go() -> None:
        async with club.under_load():
            for fault in faults(club):
                await fault()

    asyncio.run(go())
    books = club.books
    lost = len(club.lost_sockets)
    print(
        f"{size.games} games, {size.faults} faults: {books.events} events, {books.acknowledged} of them acknowledged, none"
        f" lost; sockets lost {lost} times; clocks wrong by {club.wrong[0]:.2f} to {club.wrong[-1]:+.2f} s; all games"
        f" went on within {club.slowest:.1f} s"
    )


@pytest.mark.parametrize("size", SIZES)
def test_a_server_that_is_killed_loses_nothing(one_process: Server, size: Size, seed: int) -> None:
    run(one_process, size, seed, lambda club: [club.lose_the_server] * size.faults)


@pytest.mark.parametrize("size", SIZES)
def test_two_processes_of_which_both_or_one_are_killed_lose_nothing(
    two_processes: Server, size: Size, seed: int
) -> None:
    def faults(club: Club) -> Sequence[Fault]:
        chosen = [(club.lose_the_server, club.lose_a_worker)[number % 2] for number in range(size.faults)]
        club.chance.shuffle(chosen)
        return chosen

    run(two_processes, size, seed, faults)


@pytest.mark.parametrize("size", SIZES)
def test_games_go_on_when_redis_has_gone_and_come_back(
    two_processes: Server, redis: Redis, size: Size, seed: int
) -> None:
    def faults(club: Club) -> Sequence[Fault]:
        async def lose_redis() -> None:
            await club.a_while()
            await club.without(redis)
            await club.goes_on()
            await club.check()
            assert club.lost_sockets == [], "".join(club.server.log)

        return [lose_redis] * -(-size.faults // 4)

    run(two_processes, size, seed, faults)


@pytest.mark.parametrize("size", SIZES)
def test_games_go_on_when_the_database_has_been_cut_off(
    two_processes: Server, postgres: Postgres, size: Size, seed: int
) -> None:
    def faults(club: Club) -> Sequence[Fault]:
        async def cut() -> None:
            await club.a_while()
            await asyncio.to_thread(postgres.cut)

        async def restart() -> None:
            await club.without(postgres)

        async def settle() -> None:
            await club.goes_on()
            await club.check()
            assert club.lost_sockets == [], "".join(club.server.log)

        return [*[cut] * size.faults, restart, settle]

    run(two_processes, size, seed, faults)
