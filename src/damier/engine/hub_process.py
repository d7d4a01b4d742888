"""A running engine that speaks the Hub protocol: its process, what it says, and what is awaited of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from damier.engine.streams import Lines
from damier.errors import DamierError
from damier.notation import hub1
from damier.notation.hub import read_line, write_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["HubProcess"]

_Pipe = TypeVar("_Pipe")

_CHUNK: Final = 65536
_LAST_LINES: Final = 12  # that are kept, to be told when it fails
_LONGEST_KEPT: Final = 300  # characters of such a line
_MOST_PARAMETERS: Final = 1000
_GOODBYE_SECONDS: Final = 1.0


def _pipe(pipe: _Pipe | None) -> _Pipe:
    if pipe is None:
        raise ValueError("an engine is talked to through pipes")
    return pipe


class HubProcess:
    """A running engine: its pipes, what it said of itself, and what is awaited of it.

    All is said in the words of version 2, whichever ``protocol`` the engine speaks.
    """

    def __init__(self, process: asyncio.subprocess.Process, protocol: Literal[1, 2]) -> None:
        self.process = process
        self._protocol = protocol
        self._input, output, errors = _pipe(process.stdin), _pipe(process.stdout), _pipe(process.stderr)
        self.name: Mapping[str, str] = {}
        self.parameters: dict[str, Mapping[str, str]] = {}
        self.last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self.heard = time.monotonic()
        self.on_info: Callable[[Mapping[str, str]], None] | None = None
        self.complained: float | None = None
        """When it last said ``error``, unless it has said more of a search since."""
        self.complaint = ""
        self._awaited: dict[str, asyncio.Future[Mapping[str, str]]] = {}
        self._is_silent = False  # its output has ended
        self._readers = [
            asyncio.create_task(self._read(output, is_talk=True)),
            asyncio.create_task(self._read(errors, is_talk=False)),
        ]

    @property
    def is_alive(self) -> bool:
        return not self._is_silent and self.process.returncode is None

    def send(self, command: str, **arguments: str) -> None:
        self._write([write_line(command, arguments)] if self._protocol == 2 else hub1.to_engine(command, arguments))

    def think(self) -> None:
        """Begin the search that was asked for."""
        self._write(["go think"] if self._protocol == 2 else ["go"])

    def _write(self, lines: list[str]) -> None:
        with contextlib.suppress(OSError):  # that it died is found out by who waits for the answer
            for line in lines:
                self._input.write(f"{line}\n".encode())

    def awaits(self, command: str) -> asyncio.Future[Mapping[str, str]]:
        """The next line with this command, as the future of its arguments; EOFError if there will be none."""
        future = self._awaited.get(command)
        if future is None or future.done():
            future = asyncio.get_running_loop().create_future()
            future.add_done_callback(lambda done: done.cancelled() or done.exception())  # not all are waited for
            self._awaited[command] = future
            if self._is_silent:
                future.set_exception(EOFError())
        return future

    async def _read(self, stream: asyncio.StreamReader, *, is_talk: bool) -> None:
        lines = Lines()
        while data := await stream.read(_CHUNK):
            self.heard = time.monotonic()
            for line in lines.feed(data):
                if line is not None:
                    self._hear(line, is_talk=is_talk)
            await asyncio.sleep(0)  # an engine that never pauses must not have the loop to itself
        if rest := lines.rest():
            self._hear(rest, is_talk=is_talk)
        if is_talk:
            self._is_silent = True
            for future in self._awaited.values():
                if not future.done():
                    future.set_exception(EOFError())

    def _hear(self, text: str, *, is_talk: bool) -> None:
        command = ""
        arguments: Mapping[str, str] = {}
        if is_talk:
            with contextlib.suppress(DamierError):  # what is no line of the protocol is passed over
                command, arguments = read_line(text) if self._protocol == 2 else hub1.from_engine(text)
        if command == "info":
            self.complained = None
            if self.on_info is not None:
                self.on_info(arguments)
            return
        if text.strip():
            self.last_lines.append(text[:_LONGEST_KEPT])
        if command == "error":
            self.complained, self.complaint = time.monotonic(), arguments.get("message", "")[:_LONGEST_KEPT]
        elif command == "id":
            self.name = {**self.name, **arguments}
        elif command == "param" and len(self.parameters) < _MOST_PARAMETERS:
            self.parameters[arguments.get("name", "")] = arguments
        future = self._awaited.get(command)
        if future is not None and not future.done():
            future.set_result(arguments)

    async def end(self, *, kindly: bool = False) -> int | None:
        """End the process with all that it has started, and wait for it; its exit code."""
        process = self.process
        asked = kindly and self.is_alive
        if asked:
            self.send("quit")
            self._input.close()
        if asked or self._is_silent:  # it is about to end, with a code of its own
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _GOODBYE_SECONDS)
        _kill(process)
        await process.wait()
        self._input.close()
        _, pending = await asyncio.wait(self._readers, timeout=_GOODBYE_SECONDS)
        for reader in pending:  # somebody whom it started in a group of his own has its pipes still
            reader.cancel()
        if pending:
            await asyncio.wait(pending)
            # there is no public way to close the pipes of a process that has ended
            process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        return process.returncode


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)  # the leader of a group of its own: what it started goes too
