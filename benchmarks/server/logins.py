"""A thousand wrong passwords a minute, and what others notice of it: `python benchmarks/server/logins.py`.

A real `damier serve` on this machine. While people load the front page, games are played and two members log in, a
thousand wrong passwords a minute come in: from four addresses, which are soon refused, and from 250, none of which has
tried often enough for that, so that only the number of passwords that may wait at once stands between them and the
club. Half of them are for the name of one of the two members, who comes from a browser that has logged in before; the
other member comes from a new address each time. Printed are the times of all, as ratios to those without an attack,
which are measured in the same run. The clients have a process of their own, so two cores at least are wanted.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import uvloop
from server.load import Run, Server, leave, new_matches, script, serve, sit_down

from damier.server.settings import Settings, read_secret
from damier.server.visitors import Visitors

SECONDS = 60.0
A_MINUTE = 1_000
MOVES = 50
"""Moves a second, in games of five a second each."""
PAGES = 10.0
"""Front pages a second."""
LOG_IN_EVERY = 12.0
PASSWORD = "a shot in the main road"
ATTACKED, QUIET = "Anna", "Bert"
_hosts = count(20)


class Browser:
    """A browser at an address of this machine's own network: keeps cookies, and opens a connection for each request."""

    def __init__(self, club: str, address: str = "127.0.0.1") -> None:
        self._host, self._port = urlsplit(club).hostname or "", urlsplit(club).port or 80
        self._address = address
        self.cookies: dict[str, str] = {}

    async def ask(self, method: str, path: str, **fields: str) -> tuple[int, str]:
        """The status and the body of an answer."""
        reader, writer = await asyncio.open_connection(self._host, self._port, local_addr=(self._address, 0))
        body = urlencode(fields)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        writer.write(
            f"{method} {path} HTTP/1.1\r\nhost: {self._host}:{self._port}\r\naccept: text/html\r\ncookie: {cookies}\r\n"
            "connection: close\r\ncontent-type: application/x-www-form-urlencoded\r\n"
            f"content-length: {len(body)}\r\n\r\n{body}".encode()
        )
        try:
            head, _, text = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
        for name, value in re.findall(r"set-cookie: ([^=]+)=([^;\r]*)", head.decode("latin-1"), re.IGNORECASE):
            self.cookies[name] = value
        return int(head.split(b" ", 2)[1]), text.decode()

    async def post(self, path: str, **fields: str) -> int:
        """The status of the answer to a form; its token is got beforehand when there is none yet."""
        token = next((value for name, value in self.cookies.items() if name.startswith("damier_form")), None)
        if token is None:
            await self.ask("GET", path)
            return await self.post(path, **fields)
        return (await self.ask("POST", path, _csrf_token=token, **fields))[0]


@dataclass
class Times:
    """What something took, each time in seconds, and how it was answered."""

    seconds: list[float] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter)

    def add(self, began: float, status: int) -> None:
        self.seconds.append(time.perf_counter() - began)
        self.answers[status] += 1

    def at(self, share: float) -> float:
        ordered = sorted(self.seconds) or [float("nan")]
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass
class Evening:
    """What the club's people have seen."""

    pages: Times = field(default_factory=Times)
    moves: Times = field(default_factory=Times)
    attacked: Times = field(default_factory=Times)
    quiet: Times = field(default_factory=Times)
    attack: Times = field(default_factory=Times)
    cpu: float = 0.0
    """Seconds of processor time that the club has used in a second."""

    def show(self, what: str, calm: Evening | None) -> None:
        print(f"{what} ({self.cpu:.2f} cores busy):")
        for name, times, old in (
            ("a front page", self.pages, calm and calm.pages),
            ("a move", self.moves, calm and calm.moves),
            ("a log-in under the attacked name, known browser", self.attacked, calm and calm.attacked),
            ("a log-in under another name, new address", self.quiet, calm and calm.quiet),
            ("a wrong password", self.attack, None),
        ):
            if times.seconds:
                ratio = (
                    f", p50 × {times.at(0.5) / old.at(0.5):.2f}, p99 × {times.at(0.99) / old.at(0.99):.2f}"
                    if old
                    else ""
                )
                answers = ", ".join(f"{number} × {status}" for status, number in sorted(times.answers.items()))
                print(
                    f"  {name:50} p50 {times.at(0.5) * 1e3:7.1f} ms, p99 {times.at(0.99) * 1e3:7.1f} ms{ratio}; {answers}",
                    flush=True,
                )


async def load_pages(club: str, times: Times) -> None:
    browser = Browser(club)
    while True:
        began = time.perf_counter()
        status, _ = await browser.ask("GET", "/")
        times.add(began, status)
        await asyncio.sleep(max(0.0, 1 / PAGES - (time.perf_counter() - began)))


async def log_in_again_and_again(browser: Browser | None, club: str, name: str, times: Times) -> None:
    """``browser``: one that has logged in before; None for another at a new address each time."""
    while True:
        each = browser or Browser(club, f"127.0.3.{next(_hosts) % 250 + 1}")
        await each.ask("GET", "/log-in")
        began = time.perf_counter()
        times.add(began, await each.post("/log-in", name=name, password=PASSWORD))
        await each.post("/log-out")
        await asyncio.sleep(LOG_IN_EVERY)


async def attack(club: str, addresses: int, times: Times) -> None:
    """Wrong passwords, each at its moment, whether the ones before have been answered or not."""
    browsers = [Browser(club, f"127.0.{4 + number // 250}.{number % 250 + 1}") for number in range(addresses)]
    lot = random.Random(1)

    async def one(browser: Browser) -> None:
        if not browser.cookies:
            await browser.ask("GET", "/log-in")
        name = ATTACKED if lot.random() < 0.5 else f"Nobody-{lot.randrange(10**6)}"
        began = time.perf_counter()
        times.add(began, await browser.post("/log-in", name=name, password=f"wrong {lot.random()}"))

    begin = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in count():
            await asyncio.sleep(max(0.0, begin + number * 60 / A_MINUTE - time.perf_counter()))
            group.create_task(one(browsers[number % addresses]))


async def spend(server: Server, settings: Settings, known: Browser, addresses: int, seconds: float) -> Evening:
    """An evening at the club; ``addresses``: from how many it is attacked."""
    evening, club = Evening(), server.address
    chance = random.Random(2)
    matches = await new_matches(settings, [script(chance) for _ in range(8)], MOVES // 5 * max(1, round(seconds / 15)))
    run = Run(matches, MOVES)
    await sit_down(matches, run, club, Visitors(read_secret(settings.data)), seats=2)
    tasks = [
        asyncio.create_task(load_pages(club, evening.pages)),
        asyncio.create_task(log_in_again_and_again(known, club, ATTACKED, evening.attacked)),
        asyncio.create_task(log_in_again_and_again(None, club, QUIET, evening.quiet)),
    ]
    if addresses:
        tasks.append(asyncio.create_task(attack(club, addresses, evening.attack)))
    before = server.cpu()
    took = await run.play(seconds)
    evening.cpu = (server.cpu() - before) / took
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            raise outcome
    leave(matches)
    evening.moves.seconds = run.times
    return evening


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    options.database = options.redis = None
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder))
        server = serve(settings, options)
        try:
            known = Browser(server.address)
            for browser, name in ((known, ATTACKED), (Browser(server.address, "127.0.0.2"), QUIET)):
                if await browser.post("/join", name=name, password=PASSWORD) != 303:
                    raise SystemExit("nobody can join")
                await browser.post("/log-out")
            calm = await spend(server, settings, known, 0, options.seconds / 2)
            calm.show("without an attack", None)
            for addresses in (4, 250):
                evening = await spend(server, settings, known, addresses, options.seconds)
                evening.show(f"{A_MINUTE:,} wrong passwords a minute from {addresses} addresses", calm)
        finally:
            server.stop()


if __name__ == "__main__":
    uvloop.run(main())
