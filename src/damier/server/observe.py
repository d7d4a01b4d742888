"""What an operator sees of a club: its log, one JSON object a line, and its numbers, for Prometheus.

The log is the standard library's, which every library here writes to; a formatter of our own makes it JSON where no
person reads along. The numbers are plain ones, which cost nothing where they are counted; what Prometheus reads is made
of them when it asks. With several processes each leaves its numbers in Redis, so that whichever is asked tells all.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import sys
import time
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from litestar.types import ASGIApp, Message, Receive, Scope, Send
    from prometheus_client.metrics_core import Metric

    from damier.server.bus import Bus

SHARE_SECONDS: Final = 5.0
"""How often a process leaves its numbers for the others."""
LAG_SECONDS: Final = 0.25
"""How often it is measured how late the event loop is."""
SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the histograms' buckets."""
_OWN_FIELDS: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "color_message", "taskName"}

log = logging.getLogger(__name__)


# --- The log -------------------------------------------------------------------------------------------------------


class JsonLines(logging.Formatter):
    """A record as one line of JSON, with what its call gave as ``extra``.

    >>> record = logging.makeLogRecord({"name": "damier", "levelname": "INFO", "msg": "%s moves", "args": (3,), "game": "x"})
    >>> line = JsonLines().format(record)
    >>> {name: value for name, value in msgspec.json.decode(line).items() if name not in ("time", "process")}
    {'level': 'info', 'logger': 'damier', 'message': '3 moves', 'game': 'x'}
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        entry: dict[str, object] = {
            "time": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        entry |= {name: value for name, value in record.__dict__.items() if name not in _OWN_FIELDS}
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(entry, enc_hook=repr).decode()


def log_to_stderr() -> None:
    """Write the log to standard error: plain lines on a terminal, JSON elsewhere."""
    handler = logging.StreamHandler()
    if sys.stderr.isatty():
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    else:
        handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("alembic.runtime.plugins").setLevel(logging.WARNING)  # tells at length what it has


# --- The numbers ---------------------------------------------------------------------------------------------------


class Histogram(msgspec.Struct):
    """How many of something took how long. ``buckets``: one for each of :data:`SECONDS`, and one beyond."""

    buckets: list[int] = msgspec.field(default_factory=lambda: [0] * (len(SECONDS) + 1))
    total: float = 0.0

    def observe(self, seconds: float) -> None:
        """Count one more."""
        self.buckets[bisect_left(SECONDS, seconds)] += 1
        self.total += seconds


class Numbers(msgspec.Struct):
    """The numbers of one process. Counters only grow; the gauges are filled in when somebody looks."""

    started: float = msgspec.field(default_factory=time.time)
    events: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    """Events of games that were kept, by kind."""
    commit: Histogram = msgspec.field(default_factory=Histogram)
    """From an event's being handed to the store until it is kept."""
    requests: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    """Answers to HTTP requests, by the hundred of their status ("2xx")."""
    request: Histogram = msgspec.field(default_factory=Histogram)
    computer: Histogram = msgspec.field(default_factory=Histogram)
    """From asking for a computer's move until it is there."""
    cut_readers: int = 0
    """Sockets that were too slow for what was sent to them."""
    refused_sockets: int = 0
    """Sockets beyond what one address may have."""
    bus_gaps: int = 0
    """Times that messages from other processes may have been lost."""
    loop_lag: float = 0.0
    """Seconds by which the event loop was late at worst since the last look."""
    sockets: int = 0
    longest_queue: int = 0
    """Frames that wait for the slowest socket."""
    computer_queue: int = 0
    bus_connected: int = 1
    memory: int = 0
    """Bytes of the process that are in memory."""
    processor: float = 0.0
    """Seconds of computing time that the process has taken."""

    def kept(self, kind: str, seconds: float) -> None:
        """An event was kept, so long after it was handed to the store."""
        self.events[kind] = self.events.get(kind, 0) + 1
        self.commit.observe(seconds)


numbers = Numbers()
"""This process's."""


_COUNTERS: Final = {
    "cut_readers": "Sockets cut off because their readers were too slow",
    "refused_sockets": "Sockets refused because their address had too many",
    "bus_gaps": "Times that messages from other processes may have been lost",
}
_GAUGES: Final = {
    "started": ("start_time_seconds", "When the process started, in seconds since 1970"),
    "loop_lag": ("loop_lag_seconds", "Worst delay of the event loop since the last look"),
    "sockets": ("sockets", "Open WebSockets"),
    "longest_queue": ("longest_queue_frames", "Frames that wait for the slowest socket"),
    "computer_queue": ("computer_queue", "Moves of computers that are asked for and not there yet"),
    "bus_connected": ("bus_connected", "Whether the bus reaches the other processes"),
    "memory": ("resident_memory_bytes", "Memory of the process"),
}
_HISTOGRAMS: Final = {
    "commit": ("commit_seconds", "From an event's being handed to the store until it is kept"),
    "request": ("request_seconds", "From an HTTP request to the end of its answer"),
    "computer": ("computer_move_seconds", "From asking for a computer's move until it is there"),
}


class Exposition:
    """What Prometheus is told: a collector over the numbers of several processes, by their names on the bus."""

    def __init__(self, processes: dict[str, Numbers]) -> None:
        self._processes = processes

    def collect(self) -> Iterable[Metric]:
        """One family of metrics after the other."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        events = CounterMetricFamily("damier_events", "Events of games that were kept", labels=["process", "kind"])
        requests = CounterMetricFamily("damier_requests", "Answers to HTTP requests", labels=["process", "status"])
        processor = CounterMetricFamily("damier_cpu_seconds", "Computing time of the process", labels=["process"])
        for process, found in self._processes.items():
            for kind, count in sorted(found.events.items()):
                events.add_metric([process, kind], count)
            for status, count in sorted(found.requests.items()):
                requests.add_metric([process, status], count)
            processor.add_metric([process], found.processor)
        yield from (events, requests, processor)
        for field, about in _COUNTERS.items():
            counter = CounterMetricFamily(f"damier_{field}", about, labels=["process"])
            for process, found in self._processes.items():
                counter.add_metric([process], getattr(found, field))
            yield counter
        for field, (name, about) in _GAUGES.items():
            gauge = GaugeMetricFamily(f"damier_{name}", about, labels=["process"])
            for process, found in self._processes.items():
                gauge.add_metric([process], getattr(found, field))
            yield gauge
        for field, (name, about) in _HISTOGRAMS.items():
            family = HistogramMetricFamily(f"damier_{name}", about, labels=["process"])
            for process, found in self._processes.items():
                histogram: Histogram = getattr(found, field)
                family.add_metric([process], _cumulated(histogram), histogram.total)
            yield family


def _cumulated(histogram: Histogram) -> list[tuple[str, float]]:
    count = 0
    buckets: list[tuple[str, float]] = []
    for bound, inside in zip((*map(str, SECONDS), "+Inf"), histogram.buckets, strict=True):
        count += inside
        buckets.append((bound, count))
    return buckets


def resident_memory() -> int:
    """Bytes of this process that are in memory; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError):
        return 0
    return pages * mmap.PAGESIZE


class Shelf(Protocol):
    """Where the processes leave their numbers for each other."""

    async def leave(self, process: str, numbers: bytes) -> None:
        """Put a process' numbers there, in place of its former ones."""
        ...

    async def all(self) -> dict[str, bytes]:
        """The numbers of every process that has left some lately."""
        ...


class Observer:
    """Gathers the numbers of this process and those of the others. ``gauges``: what to ask for numbers of the moment."""

    def __init__(self, bus: Bus, gauges: Callable[[Numbers], None], shelf: Shelf | None) -> None:
        self._bus = bus
        self._gauges = gauges
        self._shelf = shelf
        bus.on_gap(self._gap)

    async def run(self) -> None:
        """Measure the loop and leave the numbers for the other processes, until cancelled."""
        loop = asyncio.get_running_loop()
        shared = 0.0
        while True:
            due = loop.time() + LAG_SECONDS
            await asyncio.sleep(LAG_SECONDS)
            numbers.loop_lag = max(numbers.loop_lag, loop.time() - due)
            if self._shelf is not None and due - shared >= SHARE_SECONDS:
                shared = due
                await self._shelf.leave(self._bus.process, msgspec.json.encode(self._look()))

    async def page(self) -> tuple[bytes, str]:
        """The numbers of all processes as Prometheus reads them, and their content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

        found: dict[str, Numbers] = {}
        if self._shelf is not None:
            left = await self._shelf.all()
            found = {process: msgspec.json.decode(text, type=Numbers) for process, text in left.items()}
        found[self._bus.process] = self._look()
        registry = CollectorRegistry(auto_describe=False)
        registry.register(Exposition(found))
        page = generate_latest(registry)
        numbers.loop_lag = 0.0
        return page, CONTENT_TYPE_LATEST

    def _look(self) -> Numbers:
        numbers.memory = resident_memory()
        numbers.processor = time.process_time()
        numbers.bus_connected = int(self._bus.connected)
        self._gauges(numbers)
        return numbers

    def _gap(self) -> None:
        numbers.bus_gaps += 1


class RequestNumbers:
    """Counts the answers to HTTP requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def send_and_look(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_look)
        finally:
            hundred = f"{status // 100}xx"
            numbers.requests[hundred] = numbers.requests.get(hundred, 0) + 1
            numbers.request.observe(time.perf_counter() - started)
