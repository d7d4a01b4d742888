"""Quick pairing of a thousand players: `python benchmarks/server/pairing.py [plot.svg] [postgresql://…]`.

First the time that one decision takes over 1,000 who wait, and how long the service then takes for all of it: to agree
on the games in one transaction on SQLite, and on PostgreSQL where an empty database is named, and to start them. Then an evening: a thousand players come at random within
some minutes and are paired each second; printed, and drawn as a plot, is how long those wait who get an opponent at a
distance in rating.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles

from matplotlib.figure import Figure
from sqlalchemy import insert

from damier.server import database
from damier.server.bus import LocalBus
from damier.server.lobby.invitations import Invitations
from damier.server.lobby.offences import Offences
from damier.server.lobby.pairing import Seeker, pairings
from damier.server.lobby.quick import Quick
from damier.server.people import People
from damier.server.play.hub import Hub
from damier.server.play.opponent import LocalOpponents
from damier.server.play.service import Play
from damier.server.play.store import open_store
from damier.server.rating_book import RatingBook
from damier.server.settings import Settings
from damier.server.tables import person, seeker

PLAYERS = 1_000
ROUNDS = 15
MEAN, SPREAD = 1500.0, 300.0
ARRIVING = (60, 600, 3600)
"""Seconds within which the thousand come: a tournament's end, an evening, a quiet day."""
DISTANCES = (0, 25, 50, 100, 200, 400, 10_000)


def player(number: int, since: float, lot: random.Random) -> Seeker:
    """Somebody of a club with many settled and some new members."""
    return Seeker(
        f"player {number}",
        lot.gauss(MEAN, SPREAD),
        since,
        deviation=lot.choice((45.0, 60.0, 60.0, 80.0, 110.0, 200.0)),
        balance=lot.randint(-2, 2),
    )


def time_one_decision() -> None:
    """Prints how long one call over a thousand takes, for queues that have just come and that wait for long."""
    lot = random.Random(1)
    for waited in (1.0, 10.0, 60.0):
        queue = [player(number, lot.uniform(0, waited), lot) for number in range(PLAYERS)]
        times: list[float] = []
        games: list[tuple[str, str]] = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            games = pairings(queue, waited)
            times.append(time.perf_counter() - began)
        print(
            f"{PLAYERS:,} who have waited up to {waited:g} s: {len(games)} games in {median(times) * 1e3:.1f} ms "
            f"({min(times) * 1e3:.1f} to {max(times) * 1e3:.1f}), {median(times) / max(len(games), 1) * 1e6:.0f} µs a game"
        )


async def time_the_service(settings: Settings, name: str) -> None:
    """Prints how long the service takes to pair a thousand members who want rated games."""
    store, engine, bus = await open_store(settings), database.open_engine(settings), LocalBus()
    opponents = LocalOpponents(1)
    play = Play(store, bus, opponents, Hub())
    people, book = People(engine), RatingBook(engine, bus)
    quick = Quick(engine, people, Invitations(engine, people, play, bus, book), book, Offences(engine), bus)
    lot, now = random.Random(1), time.time()
    waiting = [player(number, now - lot.uniform(0, 60), lot) for number in range(PLAYERS)]
    async with engine.begin() as connection:
        rows = [
            {"id": each.person, "kind": "member", "name": each.person, "name_key": each.person, "chat_off": False}
            | {"created": now, "seen": now}
            for each in waiting
        ]
        await connection.execute(insert(person), rows)
        rows = [
            {"person": each.person, "rules": "official", "clock": "300+3", "rated": True, "rating": each.rating}
            | {"deviation": each.deviation, "since": each.since, "alive": now}
            for each in waiting
        ]
        await connection.execute(insert(seeker), rows)
    began = time.perf_counter()
    async with engine.connect() as connection:
        await quick._read(connection, now)  # pyright: ignore[reportPrivateUsage]
    read = time.perf_counter()
    agreed = await quick._agree()  # pyright: ignore[reportPrivateUsage]
    paired = time.perf_counter()
    for each in agreed:
        await quick._start(each)  # pyright: ignore[reportPrivateUsage]
    started = time.perf_counter()
    print(
        f"{name}: {PLAYERS:,} read in {(read - began) * 1e3:.0f} ms; {len(agreed)} rated games agreed on in "
        f"{(paired - read) * 1e3:.0f} ms, {(paired - read) / len(agreed) * 1e6:.0f} µs a game; "
        f"started one by one in {(started - paired) / len(agreed) * 1e3:.2f} ms a game"
    )
    await play.close()
    await opponents.close()
    await engine.dispose()
    await store.close()


def time_the_services(postgres: str | None) -> None:
    """The same on SQLite, and on a PostgreSQL if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        for name, address in (("SQLite", None), ("PostgreSQL", postgres)):
            if address is None and name != "SQLite":
                continue
            settings = Settings(Path(folder), database=address)
            database.migrate(settings)
            asyncio.run(time_the_service(settings, name))


def evening(seconds: int) -> list[tuple[float, float]]:
    """The waiting time and the distance in rating of all who were paired."""
    lot = random.Random(2)
    coming = sorted((player(number, lot.uniform(0, seconds), lot) for number in range(PLAYERS)), key=lambda s: -s.since)
    queue: dict[str, Seeker] = {}
    found: list[tuple[float, float]] = []
    now = 0.0
    while coming or (len(queue) > 1):
        now += 1
        while coming and coming[-1].since <= now:
            seeker = coming.pop()
            queue[seeker.person] = seeker
        for white, black in pairings(queue.values(), now):
            pair = queue.pop(white), queue.pop(black)
            found.extend((now - seeker.since, abs(pair[0].rating - pair[1].rating)) for seeker in pair)
    return found


def show(seconds: int, found: list[tuple[float, float]]) -> None:
    """The table of one evening."""
    waits, distances = [wait for wait, _ in found], [distance for _, distance in found]
    print(
        f"\n{PLAYERS:,} players within {seconds} s: {len(found)} paired; wait median {median(waits):.1f} s, "
        f"95 % below {quantiles(waits, n=20)[-1]:.1f} s, longest {max(waits):.1f} s; "
        f"distance median {median(distances):.0f}, 95 % below {quantiles(distances, n=20)[-1]:.0f}"
    )
    print("  distance      players  median wait  longest wait")
    for low, high in pairwise(DISTANCES):
        here = [wait for wait, distance in found if low <= distance < high]
        if here:
            label = f"{low} to {high}" if high < DISTANCES[-1] else f"from {low}"
            print(f"  {label:<12} {len(here):>8} {median(here):>10.1f} s {max(here):>11.1f} s")


def draw(evenings: dict[int, list[tuple[float, float]]], path: str) -> None:
    """Distance against waiting time as an SVG, one panel an evening."""
    figure = Figure(figsize=(12, 4), layout="constrained")
    panels = figure.subplots(1, len(evenings), squeeze=False)[0]
    for panel, (seconds, found) in zip(panels, evenings.items(), strict=True):
        panel.scatter([wait for wait, _ in found], [distance for _, distance in found], s=6, alpha=0.5, linewidths=0)
        panel.set_title(f"{PLAYERS:,} players within {seconds} s")
        panel.set_xlabel("waiting time, seconds")
        panel.set_ylabel("distance in rating")
        panel.set_xlim(left=0)
        panel.set_ylim(bottom=0)
    figure.savefig(path)
    print(f"\nPlot: {path}")


if __name__ == "__main__":
    given = sys.argv[1:]
    time_one_decision()
    time_the_services(next((each for each in given if each.startswith("postgres")), None))
    evenings = {seconds: evening(seconds) for seconds in ARRIVING}
    for seconds, found in evenings.items():
        show(seconds, found)
    for plot in given:
        if not plot.startswith("postgres"):
            draw(evenings, plot)
