"""Several server processes of one club on one machine, and the one that watches over them."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import socket
import time
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final, cast

from damier.cli.club import GOODBYE_SECONDS, make_server
from damier.cli.status import DONE, WRONG
from damier.server import database
from damier.server.observe import log_to_stderr
from damier.server.settings import club_secret

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from damier.server.settings import Settings

STEADY_SECONDS: Final = 10.0
"""Who has lived so long and dies is replaced at once; who has not, after a pause that grows."""
LONGEST_PAUSE_SECONDS: Final = 10.0
KILL_SECONDS: Final = GOODBYE_SECONDS + 5.0
"""How long a process that is told to stop may take."""

log = logging.getLogger(__name__)


def serve_as_one_of_several(settings: Settings, listener: socket.socket, ready: Connection, parent: int) -> None:
    """What a server process does: serve until told to stop, or until the process that watches over it has gone."""
    log_to_stderr()
    try:
        server = make_server(settings, lambda: ready.send(None), parent)
    except Exception:
        log.exception("A server process could not start")
        raise SystemExit(WRONG) from None
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])
    if not server.started:
        raise SystemExit(WRONG)


class _Place:
    """A server process, or the pause before there is another in its place."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.process: SpawnProcess | None = None
        self.ready: Connection | None = None
        """Where it says that it answers; None when it has, and when it died."""
        self.answers = False
        self.began = 0.0
        self.due = 0.0
        self.pause = 0.0


class Processes:
    """Keeps as many server processes running as the settings say. ``opened``: called once all of them answer."""

    def __init__(self, settings: Settings, listeners: list[socket.socket], opened: Callable[[], None]) -> None:
        self._settings = settings
        self._opened = opened
        self._context = multiprocessing.get_context("spawn")
        # a listener is kept open here, so that who comes between two processes waits in its queue
        self._places = [_Place(listeners[number % len(listeners)]) for number in range(settings.workers)]
        self._was_open = False
        self._stopping = False
        self._woken, self._wake = socket.socketpair()
        self._woken.setblocking(False)

    def run(self) -> int:
        """Start them, replace those that die, stop them when told to; returns the exit status."""
        database.migrate(self._settings)
        club_secret(self._settings)  # made once, for all
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._told)
        try:
            while not self._stopping:
                if not self._look_after():
                    return WRONG
                self._wait()
            return DONE
        finally:
            self._stop()

    def _told(self, _number: int, _frame: object) -> None:
        self._stopping = True
        self._wake.send(b" ")

    def _look_after(self) -> bool:
        """Start what is not running; False when the first start of one has failed, which others would share."""
        now = time.monotonic()
        for place in self._places:
            if place.ready is not None and place.ready.poll():
                with contextlib.suppress(EOFError):  # it died first
                    place.ready.recv()
                    place.answers = True
                place.ready.close()
                place.ready = None
            process = place.process
            if process is not None and process.exitcode is not None:
                if not self._was_open:
                    return False
                self._bury(place, process, now)
            if place.process is None and now >= place.due:
                self._start(place, now)
        if not self._was_open and all(place.answers for place in self._places):
            self._was_open = True
            self._opened()
        return True

    def _start(self, place: _Place, now: float) -> None:
        ours, theirs = self._context.Pipe(duplex=False)
        place.ready = cast("Connection", ours)
        place.process = self._context.Process(
            target=serve_as_one_of_several, args=(self._settings, place.listener, theirs, os.getpid())
        )
        place.process.start()
        theirs.close()
        place.began = now

    def _bury(self, place: _Place, process: SpawnProcess, now: float) -> None:
        steady = now - place.began >= STEADY_SECONDS
        place.pause = 0.0 if steady else min(max(2 * place.pause, 0.5), LONGEST_PAUSE_SECONDS)
        place.due = now + place.pause
        log.error("Server process %s ended with status %s; another takes its place", process.pid, process.exitcode)
        process.close()
        place.process = None

    def _wait(self) -> None:
        """Wait until something may have changed."""
        sentinels: list[Any] = [self._woken]
        pauses: list[float] = []
        now = time.monotonic()
        for place in self._places:
            if place.process is None:
                pauses.append(max(0.0, place.due - now))
            else:
                sentinels.append(place.process.sentinel)
                if place.ready is not None:
                    sentinels.append(place.ready)
        wait(sentinels, min(pauses, default=None))
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(64)

    def _stop(self) -> None:
        running = [place.process for place in self._places if place.process is not None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + KILL_SECONDS
        for process in running:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.exitcode is None:
                log.error("Server process %s does not stop and is killed", process.pid)
                process.kill()
                process.join()
        for place in self._places:
            place.listener.close()
