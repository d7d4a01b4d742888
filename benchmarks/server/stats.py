"""The pages of the statistics with a million games: `python benchmarks/server/stats.py`.

Generates the games of three years between 20,000 members, some of whom play much more than others, with guests, a bot
and the computer among their opponents, into a SQLite database in a temporary folder. The last of them are taken up as
a club takes up what it has not counted, through its own books; the others go straight into the same tables of numbers,
by the same code. Then a real `damier serve` is asked for each page of the statistics by a member, again and again.

Printed are the median and the 95th percentile of each page, the processor time of the club for it, and the ratio to the peer: the same numbers by plain SQL
over the games themselves (``game`` and ``seat``), on the same file, without a page around them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import httpx
from sqlalchemy import insert, update

from damier import Board
from damier.clock import TimeControl
from damier.record import Player, Start
from damier.server import database
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.service import Accounts
from damier.server.lobby.controls import speed
from damier.server.people import People, name_key
from damier.server.settings import Settings, read_secret
from damier.server.stats.changes import Known
from damier.server.stats.facts import DAY_SECONDS, Counted, Rated, day_of, kind_of
from damier.server.stats.service import Statistics, enter
from damier.server.tables import person, rating, statistics_state
from damier.server.visitors import Visitors

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from sqlalchemy.ext.asyncio import AsyncEngine

GAMES, MEMBERS, DAYS, TAKEN_UP = 1_000_000, 20_000, 3 * 365, 5_000
BATCH = 20_000
ROUNDS = 40
BOT, READER, BUSY = "robot", "m100", "m0"
PASSWORD = "a shot in the main road"
FEN = Board().fen()
CONTROLS = [TimeControl.fischer(*each) for each in ((60, 0), (180, 2), (300, 3), (900, 5))] + [TimeControl.none()]
OPENINGS = ((31, 26), (31, 27), (32, 27), (32, 28), (33, 28), (33, 29), (34, 29), (34, 30), (35, 30))
WON, DRAWN = ("resigned", "no_moves", "flag", "abandoned"), ("agreed", "repetition", "two_pieces", "king_moves")


def made_up(
    count: int, members: int, now: float, chance: random.Random
) -> Iterator[tuple[Counted, Start, Rated | None]]:
    """Games, in the order in which they ended."""
    ids = [f"m{number}" for number in range(members)]
    # one in ten games of the most eager, and so on downwards
    weights = [1 / (number + 10) for number in range(members)]
    spans = sorted(chance.triangular(0, DAYS, DAYS) for _ in range(count))
    whites, blacks = chance.choices(ids, weights, k=count), chance.choices(ids, weights, k=count)
    for number, (span, white, black) in enumerate(zip(spans, whites, blacks, strict=True)):
        sort = chance.random()
        one, two = Player("member", white.title(), id=white), Player("member", black.title(), id=black)
        if white == black or sort < 0.3:
            two = Player("computer", level=chance.randrange(1, 9))
        elif sort < 0.35:
            two = Player("bot", "Robot", id=BOT)
        elif sort < 0.4:
            two = Player("guest", id=f"g{number}")
        rules = chance.choices(("official", "club", "leaflet", "classic"), (8, 3, 1, 1))[0]
        control = chance.choices(CONTROLS, (1, 3, 4, 2, 2))[0]
        rated = sort > 0.5 and control and rules in ("official", "club")
        score = chance.choices(("2-0", "1-1", "0-2"), (4, 3, 4))[0]
        opening = chance.choice(OPENINGS)
        game = Counted(
            game=f"game{number:08}",
            ended=now - (DAYS - span) * DAY_SECONDS,
            kind=kind_of(one, two, rated=bool(rated)),
            rules=rules,
            speed=speed(control),
            white=one.id,
            black=two.id,
            score=score,  # pyright: ignore[reportArgumentType]
            reason=chance.choice(DRAWN if score == "1-1" else WON),
            plies=chance.randrange(10, 160),
            opening="{}-{}".format(*opening),
            is_public=not two.is_computer and chance.random() < 0.8,
            white_known=True,
            black_known=two.kind in ("member", "bot"),
        )
        points = (1500 + chance.gauss(0, 200), 60.0)
        yield game, Start(rules, FEN, one, two, control), Rated(points, points) if game.kind == "rated" else None


def keep(file: sqlite3.Connection, games: list[tuple[Counted, Start, Rated | None]]) -> None:
    """The games themselves, as the club keeps them, with their first moves."""
    file.execute("BEGIN")
    file.executemany(
        "INSERT INTO game (id, start, is_public, created, version, changed, fen, plies, turn, score, reason,"
        " computer_to_move, running) VALUES (?, ?, ?, ?, 1, ?, ?, ?, 'white', ?, ?, 0, 0)",
        [
            (
                one.game,
                json.dumps(start.to_json()),
                one.is_public,
                one.ended - 600,
                one.ended,
                FEN,
                one.plies,
                one.score,
                one.reason,
            )
            for one, start, _ in games
        ],
    )
    seats = [
        (one.game, color, who) for one, _, _ in games for color, who in (("white", one.white), ("black", one.black))
    ]
    file.executemany("INSERT INTO seat VALUES (?, ?, ?)", [each for each in seats if each[2] is not None])
    moves = [
        (
            one.game,
            json.dumps({"event": "move", "from": int(one.opening[:2]), "to": int(one.opening[3:]), "captured": []}),
        )
        for one, _, _ in games
        if one.opening is not None
    ]
    file.executemany("INSERT INTO event VALUES (?, 1, ?)", moves)
    file.execute("COMMIT")


async def furnish(settings: Settings, options: argparse.Namespace, now: float) -> str:
    """Make the club; returns the token of the member who reads."""
    chance = random.Random(1)
    engine = database.open_engine(settings)
    passwords = Passwords()
    accounts, people = Accounts(engine, passwords), People(engine)
    for who in (READER, BUSY):
        await people.keep(who)
        await accounts.join(who, "Reader" if who == READER else "Busy", PASSWORD)
    token = await accounts.log_in("Reader", PASSWORD, "Firefox")
    assert token is not None
    others = [each for each in (f"m{number}" for number in range(options.members)) if each not in (READER, BUSY)]
    async with engine.begin() as connection:
        await connection.execute(
            insert(person),
            [_person(each, "member") for each in others] + [_person(BOT, "bot")],
        )
        await connection.execute(
            insert(rating),
            [
                {
                    "person": each,
                    "rules": rules,
                    "speed": pace,
                    "value": min(3000.0, max(500.0, chance.gauss(1500, 200))),
                    "deviation": chance.uniform(45, 200),
                    "volatility": 0.06,
                    "games": chance.randrange(1, 400),
                    "at": now - chance.random() * 200 * DAY_SECONDS,
                }
                for each in (*others, READER, BUSY)
                for rules, pace in (("official", "blitz"), ("official", "rapid"), ("club", "blitz"))
            ],
        )
        await connection.execute(update(statistics_state).values(day=day_of(now)))
    await count(engine, settings, options, now, chance)
    passwords.close()
    await engine.dispose()
    return token


def _person(who: str, kind: str) -> dict[str, Any]:
    name = who.title()
    return {
        "id": who,
        "kind": kind,
        "name": name,
        "name_key": name_key(name),
        "chat_off": False,
        "created": 0,
        "seen": 0,
    }


async def count(
    engine: AsyncEngine, settings: Settings, options: argparse.Namespace, now: float, chance: random.Random
) -> None:
    """Keep the games, and count them."""
    known = Known({f"m{number}": "member" for number in range(options.members)} | {BOT: "bot"})
    games = made_up(options.games, options.members, now, chance)
    left, done, spent = options.games, 0, 0.0
    taken_up = min(TAKEN_UP, options.games)
    with closing(database.connect(database.file(settings))) as file:
        file.execute("PRAGMA synchronous = OFF")
        while left:
            some = [next(games) for _ in range(min(BATCH, max(left - taken_up, 0) or left))]
            left -= len(some)
            keep(file, some)
            if not left:
                break
            began = time.perf_counter()
            async with engine.begin() as connection:
                ratings = {one.game: each for one, _, each in some if each is not None}
                await enter(connection, day_of(now), known, [one for one, _, _ in some], ratings)
            spent += time.perf_counter() - began
            done += len(some)
    if done:
        print(f"{done:,} games counted in batches of {BATCH:,}: {done / spent:,.0f} a second", flush=True)
    statistics = Statistics(engine, lambda: now)
    began = time.perf_counter()
    number = await statistics.take_up()
    took = time.perf_counter() - began
    print(f"{number:,} games taken up from the club's books: {number / took:,.0f} a second", flush=True)


PLAIN: dict[str, tuple[str, ...]] = {
    "site": (
        (
            "SELECT json_extract(start, '$.rules'), json_extract(start, '$.clock'), score, reason, count(*), sum(plies)"
            " FROM game WHERE score IN ('2-0', '1-1', '0-2') GROUP BY 1, 2, 3, 4"
        ),
        (
            "SELECT CAST(changed / 86400 AS INTEGER), count(*) FROM game WHERE score IN ('2-0', '1-1', '0-2')"
            " AND changed > :since GROUP BY 1"
        ),
    ),
    "wins": (
        (
            "SELECT player, count(*) FROM seat JOIN game ON game.id = seat.game"
            " WHERE score = CASE color WHEN 'white' THEN '2-0' ELSE '0-2' END GROUP BY player ORDER BY 2 DESC LIMIT 20"
        ),
    ),
    "wins of 30 days": (
        (
            "SELECT player, count(*) FROM game JOIN seat ON game.id = seat.game"
            " WHERE score = CASE color WHEN 'white' THEN '2-0' ELSE '0-2' END AND changed > :month"
            " GROUP BY player ORDER BY 2 DESC LIMIT 20"
        ),
    ),
    "rating": (
        (
            "SELECT person, value FROM rating WHERE +rules = 'official' AND +speed = 'blitz' AND deviation < 110"
            " ORDER BY value DESC LIMIT 20"
        ),
    ),
    "member": (
        (
            "SELECT color, score, count(*), sum(plies) FROM seat JOIN game ON game.id = seat.game"
            " WHERE player = :who GROUP BY 1, 2"
        ),
        (
            "SELECT other.player, score, count(*) FROM seat JOIN game ON game.id = seat.game JOIN seat AS other"
            " ON other.game = seat.game AND other.color <> seat.color WHERE seat.player = :who AND is_public"
            " GROUP BY 1, 2 ORDER BY 3 DESC"
        ),
        (
            "SELECT CAST(changed / 86400 AS INTEGER), count(*) FROM seat JOIN game ON game.id = seat.game"
            " WHERE player = :who GROUP BY 1"
        ),
        (
            "SELECT json_extract(entry, '$.from'), score, count(*) FROM seat JOIN game ON game.id = seat.game"
            " JOIN event ON event.game = seat.game AND event.version = 1 WHERE player = :who GROUP BY 1, 2"
        ),
    ),
}
PAGES: tuple[tuple[str, str, str, str], ...] = (
    ("the club", "/statistics", "site", ""),
    ("the club by month, rated games", "/statistics?games=rated&by=month", "site", ""),
    ("top 20 by rating", "/top", "rating", ""),
    ("top 20 by wins", "/top?by=wins", "wins", ""),
    ("top 20 by games, one rule set and speed", "/top?by=games&rules=official&speed=blitz", "wins", ""),
    ("top 20 by wins, 30 days", "/top?by=wins&span=month", "wins of 30 days", ""),
    ("a member", "/@/M50/statistics", "member", "m50"),
    ("the busiest member", "/@/Busy/statistics", "member", BUSY),
    ("one's own numbers", "/@/Reader/statistics", "member", READER),
)


@contextmanager
def serving(settings: Settings) -> Generator[tuple[str, int]]:
    """A club as a process of its own; gives its address and its id."""
    command = [sys.executable, "-c", "import sys; from damier.cli import main; sys.exit(main())", "serve"]
    with subprocess.Popen(
        [*command, "--port", "0", "--data", str(settings.data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            lines = (re.search(r"http://[^\s\"]+", line) for line in process.stdout)
            address = next((found[0].rstrip("/") for found in lines if found), None)
            if address is None:
                raise SystemExit("the club did not start")
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield address, process.pid
        finally:
            process.terminate()
            process.wait()


def timed(work: Callable[[], object], rounds: int) -> list[float]:
    """Seconds that each of some rounds took, after one that does not count."""
    work()
    times: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(address: str, pid: int, cookies: dict[str, str], file: sqlite3.Connection, now: float, rounds: int) -> None:
    with httpx.Client(base_url=address, cookies=cookies, headers={"accept": "text/html"}) as browser:

        def page(path: str) -> None:
            answer = browser.get(path)
            assert answer.status_code == 200, (path, answer.status_code)

        def plain(name: str, who: str) -> None:
            values = {"who": who, "since": now - 60 * DAY_SECONDS, "month": now - 30 * DAY_SECONDS}
            for question in PLAIN[name]:
                file.execute(question, values).fetchall()

        front = median(timed(lambda: page("/"), rounds))
        print(f"{'the front page, for comparison':42} median {front * 1e3:7.1f} ms", flush=True)
        for title, path, name, who in PAGES:
            before = cpu(pid)
            times = timed(lambda path=path: page(path), rounds)
            used = (cpu(pid) - before) / (rounds + 1)
            peer = median(timed(lambda name=name, who=who: plain(name, who), 3))
            print(
                f"{title:42} median {median(times) * 1e3:7.1f} ms, 95 % {quantiles(times, n=20)[-1] * 1e3:7.1f} ms,"
                f" processor {used * 1e3:5.1f} ms;"
                f" plain SQL {peer * 1e3:9.1f} ms, × {peer / median(times):.1f}",
                flush=True,
            )


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--members", type=int, default=MEMBERS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--serve", action="store_true", help="go on serving the club until interrupted")
    options = parser.parse_args()
    now = time.time()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder))
        await asyncio.to_thread(database.migrate, settings)
        token = await furnish(settings, options, now)
        size = database.file(settings).stat().st_size
        print(f"{options.games:,} games, {options.members:,} members, {size / 1e6:,.0f} MB", flush=True)
        with serving(settings) as (address, pid):
            cookie = Visitors(read_secret(settings.data)).session_cookie_name
            with closing(database.connect(database.file(settings), read_only=True)) as file:
                await asyncio.to_thread(measure, address, pid, {cookie: token}, file, now, options.rounds)
            if options.serve:
                print(f"{address} {cookie}={token}", flush=True)
                await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
