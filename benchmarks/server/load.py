"""Games between people at a steady rate of moves, each watched by one: `python benchmarks/server/load.py`.

Each game has two players and a watcher, all over real sockets on this machine, and is played from a list of legal
moves made before. A move's time runs from its sending to its arrival at the opponent: by then it is checked and on the
disk. Rate by rate the club and the bare server of ``bare.py`` (the same bytes to the same sockets, and nothing else) are
measured in turn, until the 99th percentile passes 100 ms. Before that: the start, and the memory of idle sockets.

``--database URL --redis URL`` measure a club on PostgreSQL and Redis. The clients have a process of their own, so two
cores at least are wanted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from damier import Board
from damier.clock import TimeControl
from damier.events import MoveMade
from damier.game import Game
from damier.record import Player
from damier.server.play.store import open_store
from damier.server.settings import Settings, read_secret
from damier.server.visitors import Visitors

RATES = (100, 250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000)
MOVES_A_GAME = 5
"""Moves a second in each game."""
PLIES = 80
SECONDS = 10.0
TOO_SLOW = 0.1
IDLE_SOCKETS = 2_000
CONNECTING = 64
"""Sockets that are being opened at the same time."""
SIZES = (30, 700, 1100, 700)
"""Bytes of an ack and of a state for the mover, the opponent and the watcher, until they have been measured."""


# --- Servers ------------------------------------------------------------------------------------------------------


class Server:
    """A process that says its address and counts its seconds."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment}
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://[^\s\"]+", line):
                self.address = found[0].rstrip("/")
                break
        else:
            raise SystemExit(f"{command} did not start")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def family(self) -> list[int]:
        """Its processes: itself and what it has started."""
        pids = [self.process.pid]
        for pid in pids:
            try:
                pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except OSError:
                continue
        return pids

    def cpu(self) -> float:
        """Seconds of processor time that its processes have used."""
        ticks = 0
        for pid in self.family():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Bytes that its processes hold."""
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.family())
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def serve(settings: Settings, options: argparse.Namespace) -> Server:
    command = [sys.executable, "-c", "import sys; from damier.cli import main; sys.exit(main())", "serve"]
    command += ["--port", "0", "--data", str(settings.data)]
    if options.database:
        command += ["--database", options.database]
    if options.redis:
        command += ["--redis", options.redis]
    return Server(
        command, DAMIER_MESSAGES_PER_SECOND="1000", DAMIER_MESSAGE_BURST="1000", DAMIER_SOCKETS_PER_ADDRESS="100000"
    )


def first_answer(server: Server) -> float:
    """Seconds from its start to its first page."""
    with urllib.request.urlopen(server.address + "/") as answer:
        answer.read()
    return time.perf_counter() - server.began


# --- Games --------------------------------------------------------------------------------------------------------


def script(chance: random.Random) -> list[MoveMade]:
    """The moves of a game of PLIES plies or more."""
    while True:
        board, moves = Board(), list[MoveMade]()
        while len(moves) < PLIES and board.outcome() is None:
            moves.append(MoveMade.of(board.push(chance.choice(board.legal_moves))))
        if len(moves) == PLIES and board.outcome() is None:
            return moves


@dataclass
class Match:
    """A game on the server, its moves, and its three sockets."""

    id: str
    moves: list[bytes]
    sockets: list[Seat] = field(default_factory=list)
    ply: int = 0
    sent: float = 0.0


async def new_matches(settings: Settings, scripts: list[list[MoveMade]], count: int) -> list[Match]:
    store = await open_store(settings)
    matches: list[Match] = []
    for number in range(count):
        moves = scripts[number % len(scripts)]
        match = Match(secrets.token_urlsafe(9), [frame_of(ply, move) for ply, move in enumerate(moves)])
        white, black = (Player("guest", id=person(match.id, seat)) for seat in (0, 1))
        game = Game.start("official", white=white, black=black, clock=TimeControl.fischer(600, 5))
        await store.create(match.id, game, at=time.time(), is_public=True)
        matches.append(match)
    await store.close()
    return matches


def frame_of(ply: int, move: MoveMade) -> bytes:
    fields = {"from": move.from_square, "to": move.to_square, "captured": move.captured, "crowned": move.crowned}
    return json.dumps({"t": "move", "ref": ply, "ply": ply, "move": fields}, separators=(",", ":")).encode()


def person(game_id: str, seat: int) -> str:
    return f"{game_id}-{seat}"


# --- Clients ------------------------------------------------------------------------------------------------------


class Seat(WSListener):
    """A socket at a game: 0 and 1 play, 2 watches."""

    def __init__(self, match: Match, seat: int, run: Run | None) -> None:
        self.match, self.seat, self.run = match, seat, run
        self.first = asyncio.get_running_loop().create_future()
        self.transport: WSTransport | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        payload = frame.get_payload_as_memoryview()
        beginning = bytes(payload[:12])
        if beginning == b'{"t":"ping",':
            number = json.loads(bytes(payload))["id"]
            transport.send(WSMsgType.TEXT, json.dumps({"t": "pong", "id": number}).encode())
        elif beginning == b'{"t":"state"':
            if not self.first.done():
                self.first.set_result(None)
            elif self.run is not None:
                self.run.arrived(self, len(payload))
        elif beginning == b'{"t":"error"':
            raise SystemExit(f"the server refused: {bytes(payload).decode()}")


class Run:
    """One measurement: moves sent at a rate, and when they arrived."""

    def __init__(self, matches: list[Match], rate: int) -> None:
        self.matches, self.rate = matches, rate
        self.times: list[float] = []
        self.late = 0
        self.sizes: list[list[int]] = [[], [], []]

    def arrived(self, seat: Seat, size: int) -> None:
        match = seat.match
        role = 2 if seat.seat == 2 else 1 if match.ply % 2 == seat.seat else 0
        self.sizes[role].append(size)
        if role == 1 and match.sent:
            self.times.append(time.perf_counter() - match.sent)
            match.sent = 0.0

    async def play(self, seconds: float) -> float:
        """Send moves for so long; returns how long it was until the last had arrived."""
        begin = time.perf_counter()
        sent = turn = 0
        while (now := time.perf_counter()) < begin + seconds:
            wanted = int((now - begin) * self.rate)
            while sent < wanted:
                sent += 1
                match = self.matches[turn % len(self.matches)]
                turn += 1
                if match.sent or match.ply == len(match.moves):
                    self.late += 1  # the move before has not arrived yet
                    continue
                mover = match.sockets[match.ply % 2]
                assert mover.transport is not None
                frame = match.moves[match.ply]
                match.ply += 1
                match.sent = time.perf_counter()
                mover.transport.send(WSMsgType.TEXT, frame)
            await asyncio.sleep(0.0005)
        patience = time.perf_counter() + 5
        while any(match.sent for match in self.matches) and time.perf_counter() < patience:  # noqa: ASYNC110 (the clock is read as finely)
            await asyncio.sleep(0.005)
        return time.perf_counter() - begin


async def sit_down(
    matches: list[Match], run: Run | None, address: str, visitors: Visitors | None, seats: int = 3
) -> None:
    """Open the sockets of all games; without ``visitors`` it is the bare server's."""
    free = asyncio.Semaphore(CONNECTING)
    base = address.replace("http", "ws", 1)

    async def open_one(match: Match, seat: int) -> Seat:
        async with free:
            if visitors is None:
                url, headers = f"{base}/{match.id}/{seat}", {}
            else:
                url = f"{base}/games/{match.id}/socket"
                headers = {"Cookie": f"{visitors.cookie_name}={visitors.cookie(person(match.id, seat))}"}
            _, listener = await ws_connect(lambda: Seat(match, seat, run), url, extra_headers=headers)
            assert isinstance(listener, Seat)
            await listener.first
            return listener

    for match in matches:
        match.ply, match.sent = 0, 0.0
    opened = await asyncio.gather(*(open_one(match, seat) for match in matches for seat in range(seats)))
    for number, match in enumerate(matches):
        match.sockets = list(opened[number * seats : (number + 1) * seats])


def leave(matches: list[Match]) -> None:
    for match in matches:
        for seat in match.sockets:
            if seat.transport is not None:
                seat.transport.disconnect()


# --- Measuring ----------------------------------------------------------------------------------------------------


@dataclass
class Measured:
    moves: int
    late: int
    seconds: float
    cpu: float
    p50: float
    p99: float
    sizes: tuple[int, int, int]


async def measure(
    server: Server, matches: list[Match], rate: int, visitors: Visitors | None, seconds: float
) -> Measured:
    run = Run(matches, rate)
    await sit_down(matches, run, server.address, visitors)
    await asyncio.sleep(0.5)
    before = server.cpu()
    took = await run.play(seconds)
    cpu = server.cpu() - before
    leave(matches)
    await asyncio.sleep(0.5)
    times = sorted(run.times) or [float("inf")]
    sizes = [round(sum(each) / len(each)) if each else 0 for each in run.sizes]
    return Measured(
        len(run.times),
        run.late,
        took,
        cpu,
        times[len(times) // 2],
        times[int(len(times) * 0.99)],
        (sizes[0], sizes[1], sizes[2]),
    )


def show(what: str, rate: int, measured: Measured) -> None:
    print(
        f"  {what:5} {rate:6,} moves/s asked, {measured.moves / measured.seconds:8,.0f} made, {measured.late} late; "
        f"p50 {measured.p50 * 1000:6.2f} ms, p99 {measured.p99 * 1000:7.2f} ms; "
        f"{measured.moves / max(measured.cpu, 0.01):8,.0f} moves per CPU-second",
        flush=True,
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database", help="PostgreSQL address instead of a SQLite file")
    parser.add_argument("--redis", help="Redis address")
    parser.add_argument("--rates", type=int, nargs="+", default=RATES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--idle", type=int, default=IDLE_SOCKETS)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    chance = random.Random(7)
    scripts = [script(chance) for _ in range(50)]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "club", **({"database": options.database} if options.database else {}))
        starts: list[float] = []
        for _ in range(3):
            server = serve(settings, options)
            starts.append(first_answer(server))
            server.stop()
        print(f"Start to first answer: {sorted(starts)[1]:.2f} s (asked for: 1.5 s)", flush=True)
        visitors = Visitors(read_secret(settings.data))
        server = serve(settings, options)
        first_answer(server)
        await idle(server, settings, scripts, visitors, options.idle)
        sizes = SIZES
        for rate in options.rates:
            count = max(20, rate // MOVES_A_GAME)
            matches = await new_matches(settings, scripts, count)
            ours = await measure(server, matches, rate, visitors, options.seconds)
            show("club", rate, ours)
            sizes = (SIZES[0], *ours.sizes)
            bare = Server([sys.executable, str(Path(__file__).with_name("bare.py")), *map(str, sizes)])
            theirs = await measure(bare, matches, rate, None, options.seconds)
            show("bare", rate, theirs)
            bare.stop()
            print(
                f"    ratio: p50 {ours.p50 / theirs.p50:.1f}x, p99 {ours.p99 / theirs.p99:.1f}x, "
                f"moves per CPU-second {ours.moves / ours.cpu / (theirs.moves / max(theirs.cpu, 0.01)):.3f}x; "
                f"bytes to mover, opponent, watcher {ours.sizes}",
                flush=True,
            )
            if ours.p99 > TOO_SLOW or ours.late > ours.moves // 20:
                break
        server.stop()


async def idle(
    server: Server, settings: Settings, scripts: list[list[MoveMade]], visitors: Visitors, count: int
) -> None:
    """What a socket costs that only waits: half of them at games of their own, the others watching."""
    if not count:
        return
    warm = await new_matches(settings, scripts, 50)
    await sit_down(warm, None, server.address, visitors)
    before = server.memory()
    matches = await new_matches(settings, scripts, count // 4)
    await sit_down(matches, None, server.address, visitors, seats=4)
    await asyncio.sleep(2)
    sockets = 4 * len(matches)
    print(
        f"An idle socket holds {(server.memory() - before) / sockets / 1024:.1f} KiB, "
        f"{sockets:,} of them (asked for: 30 KiB)",
        flush=True,
    )
    leave(matches)
    leave(warm)
    await asyncio.sleep(1)


if __name__ == "__main__":
    uvloop.run(main())
