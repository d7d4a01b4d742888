"""Any engine that speaks the Hub protocol, used as ours is: a process of its own, watched over.

:class:`AsyncHubEngine` does the work on an event loop; :class:`HubEngine` is the same for code without one. Source: the
protocol's own description; how Scan tells wins is from its readme.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import shlex
import time
from typing import TYPE_CHECKING, Any, Final, Literal

from damier.engine.hub_messages import Told, asking, is_allowed, option_text
from damier.engine.hub_process import HubProcess
from damier.engine.hub_server import VARIANTS
from damier.engine.own_loop import OwnLoop
from damier.errors import DamierError, EngineError
from damier.i18n import N_
from damier.notation.hub import read_move

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from types import TracebackType

    from damier.board import Board
    from damier.engine.engine import SearchResult
    from damier.engine.limits import Limit

__all__ = ["AsyncHubEngine", "HubEngine", "HubEngineError"]

_MOST_FAILURES: Final = 3

_VARIANT: Final = {rules: variant for variant, rules in VARIANTS.items()}
"""What the protocol calls a rule set; any but the first only where an engine has it."""

_NOT_STARTED = N_("The engine {command} cannot be started: {what}.")
_SILENT_AT_START = N_("The engine {command} was not ready within {seconds} seconds.")
_DIED = N_("The engine {command} has ended (exit code {exit_code}).")
_SILENT = N_("The engine {command} has not answered for {seconds} seconds and was ended.")
_COMPLAINED = N_("The engine {command} has found no move and says: {what}")
_BAD_MOVE = N_("The engine {command} answered “{answer}”, which is no legal move in {fen}.")
_GAVE_UP = N_("The engine {command} has failed {times} times in a row and is not started again.")
_NO_RULES = N_("The engine {command} does not play by the rule set {rules}.")
_OTHER_RULES = N_("The engine {command} was started for the rule set {ours}, not {rules}; make another one for it.")
_NO_OPTION = N_("The engine {command} has no parameter {name} with the value {value}.")
_NO_NODES = N_("The engine {command} speaks version 1 of the Hub protocol, which knows no limit in nodes.")
_CLOSED = N_("The engine {command} is closed.")


class HubEngineError(EngineError):
    """An engine that failed, or that cannot do what it was asked.

    ``code``: ``not_started``, ``silent_at_start``, ``died``, ``silent``, ``error``, ``bad_move``, ``gave_up``, ``no_rules``,
    ``other_rules``, ``no_option``, ``no_nodes`` or ``closed``. ``exit_code``: of its process if that has ended, negative
    for the signal that ended it. ``lines``: the last that it wrote, on standard error too. ``answer``: the move that it gave.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        exit_code: int | None = None,
        lines: tuple[str, ...] = (),
        answer: str = "",
        **facts: object,
    ) -> None:
        super().__init__(message, exit_code=exit_code, answer=answer, **facts)
        self.code = code
        self.exit_code = exit_code
        self.lines = lines
        self.answer = answer


class _Complained(Exception):
    """An engine said ``error``, and no more of the search."""


class AsyncHubEngine:
    """An engine that speaks the Hub protocol, for code on an event loop.

    ``command``: the command line, as a text or in its parts, such as ``"./scan hub"``; it runs in the folder ``cwd``.
    ``options``: parameters of the engine to be set, by name; it has to have them. ``rules``: the rule set; any but
    ``official`` only where the engine has a variant of that name. ``protocol``: the version that the engine speaks, 1
    for older ones; these tell no parameters, so what ``options`` set is not looked over, and a search cannot be limited
    by nodes. ``start_timeout``: seconds until it must be ready.
    ``timeout``: seconds within which it must answer when a search's time is up, when it is told to stop or is pinged;
    while a search runs that no time ends, it must have said something within that, if only ``pong``. After an ``error``
    it must go on with its search, or end it, within that too.

    The process is started when it is first needed, and ended by :meth:`close`, or at the end of ``async with``. If it
    dies, falls silent or gives an illegal move, the search raises :class:`HubEngineError` and the next one starts
    another; after three failures in a row none does.

    One search at a time. Every other use, too, belongs to the loop on which the first was.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        options: Mapping[str, str | int | float | bool] | None = None,
        rules: str = "official",
        protocol: Literal[1, 2] = 2,
        cwd: str | os.PathLike[str] | None = None,
        start_timeout: float = 30.0,
        timeout: float = 5.0,
    ) -> None:
        self.command = tuple(shlex.split(command) if isinstance(command, str) else command)
        if not self.command:
            raise ValueError("an engine needs a command line")
        if protocol not in (1, 2):
            raise ValueError(f"the Hub protocol has versions 1 and 2, not {protocol!r}")
        self.rules = rules
        self.protocol: Literal[1, 2] = protocol
        self._options = {name: option_text(value) for name, value in (options or {}).items()}
        self._cwd = cwd
        self._start_timeout = start_timeout
        self._timeout = timeout
        self._process: HubProcess | None = None
        self._owed: asyncio.Future[Mapping[str, str]] | None = None  # of a search that was broken off
        self._failures = 0
        self._is_busy = False
        self._is_stopped = False
        self._is_searching = False
        self._is_closed = False

    async def __aenter__(self) -> AsyncHubEngine:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shlex.join(self.command)!r})"

    async def start(self) -> None:
        """Start the engine, if it does not run. Raises :class:`HubEngineError`."""
        with self._to_itself():
            await self._ready()

    @property
    def name(self) -> str:
        """What the engine calls itself, with its version; empty before it was started."""
        told: Mapping[str, str] = self._process.name if self._process is not None else {}
        return " ".join(part for part in (told.get("name"), told.get("version")) if part)

    @property
    def parameters(self) -> Mapping[str, Mapping[str, str]]:
        """The parameters that the engine has, by name, each as it told it; empty before it was started."""
        return self._process.parameters if self._process is not None else {}

    async def search(
        self, board: Board, limit: Limit, on_info: Callable[[SearchResult], object] | None = None
    ) -> SearchResult:
        """The best move that the engine finds within ``limit``.

        ``on_info`` is called with what the engine tells on its way, if there is a legal move in it; an exception that
        it raises ends the search and comes out of it. Where the engine tells no line, as for a move out of its book,
        the result has depth 0 and its score means nothing. The time is our own clock's. A score of 99 to 100 men is
        read as a proven win, as Scan writes them.

        Raises :class:`~damier.EngineError` if the game is over or a search is running already, and
        :class:`HubEngineError` if the engine fails. Cancelling the call stops the search.
        """
        if board.rules.name != self.rules:
            raise self._error(_OTHER_RULES, "other_rules", ours=self.rules, rules=board.rules.name)
        if self.protocol == 1 and limit.nodes is not None:
            raise self._error(_NO_NODES, "no_nodes")
        outcome = board.outcome()
        if outcome is not None:
            raise EngineError("the game is over ({rule}): there is nothing to search", rule=outcome.rule)
        with self._to_itself():
            self._is_stopped = False
            board = board.copy()
            process = await self._ready()
            found = await self._searched(process, board, limit, on_info)
            self._failures = 0
            return found

    def stop(self) -> None:
        """End the search that is running, which then returns what it has; does nothing without one."""
        if self._is_busy and not self._is_stopped:
            self._is_stopped = True
            if self._is_searching and self._process is not None:
                self._process.send("stop")

    async def ping(self) -> float:
        """The seconds that the engine takes to answer. Raises :class:`HubEngineError` if it does not."""
        with self._to_itself():
            process = await self._ready()
            begin = time.monotonic()
            pong = process.awaits("pong")
            process.send("ping")
            try:
                await asyncio.wait_for(asyncio.shield(pong), self._timeout)
            except (TimeoutError, EOFError) as error:
                raise await self._failed(process, error) from None
            return time.monotonic() - begin

    async def clear(self) -> None:
        """Tell the engine that what comes next has nothing to do with what was: a new game."""
        with self._to_itself():
            (await self._ready()).send("new-game")

    async def close(self) -> None:
        """End the engine: it is asked to quit, and killed if it does not within a second. Nothing can follow."""
        self._is_closed = True
        process, self._process = self._process, None
        if process is not None:
            await process.end(kindly=not self._is_searching)

    # --- The process ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _to_itself(self) -> Generator[None]:
        if self._is_busy:
            raise EngineError("this engine is searching already; use one engine for each search at a time")
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False

    async def _ready(self) -> HubProcess:
        """The engine, started if it does not run, and done with the search before."""
        if self._is_closed:
            raise self._error(_CLOSED, "closed")
        process, owed, self._owed = self._process, self._owed, None
        if process is not None and owed is not None:
            try:
                await asyncio.wait_for(asyncio.shield(owed), self._timeout)
            except (TimeoutError, EOFError):
                await self._drop()
        if self._process is not None and not self._process.is_alive:
            await self._drop()
        if self._process is None:
            if self._failures >= _MOST_FAILURES:
                raise self._error(_GAVE_UP, "gave_up", times=self._failures)
            self._process = await self._started()
        return self._process

    async def _started(self) -> HubProcess:
        try:
            created = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._cwd,
                start_new_session=True,  # so that it can be ended as a group, and Ctrl-C is ours
            )
        except (OSError, ValueError) as error:
            self._failures += 1
            what = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise self._error(_NOT_STARTED, "not_started", what=what) from error
        process = self._process = HubProcess(created, self.protocol)
        try:
            if self._is_closed:  # while it was made
                raise EOFError
            async with asyncio.timeout(self._start_timeout):
                wait = process.awaits("wait")
                process.send("hub")
                await wait
                for name, value in self._to_set(process).items():
                    process.send("set-param", name=name, value=value)
                ready = process.awaits("ready")
                process.send("init")
                await ready
        except (TimeoutError, EOFError) as error:
            raise await self._failed(process, error, at_start=True) from None
        except BaseException:
            await self._drop()
            raise
        return process

    def _to_set(self, process: HubProcess) -> Mapping[str, str]:
        """The parameters whose values are to be others than the engine told, in the order of the options."""
        wanted = dict(self._options)
        variant = _VARIANT.get(self.rules, self.rules)
        told = process.parameters.get("variant")
        if told is not None and variant in told.get("values", variant).split():
            wanted["variant"] = variant
        elif variant != "normal":
            raise self._error(_NO_RULES, "no_rules", rules=self.rules)
        if self.protocol == 1:
            return wanted
        for name, value in wanted.items():
            if not is_allowed(process.parameters.get(name), value):
                raise self._error(_NO_OPTION, "no_option", name=name, value=value)
        return {name: value for name, value in wanted.items() if process.parameters[name].get("value") != value}

    async def _drop(self) -> tuple[int | None, tuple[str, ...]]:
        process, self._process = self._process, None
        if process is None:
            return None, ()
        code = await process.end()
        return code, tuple(process.last_lines)

    async def _failed(self, process: HubProcess, error: Exception, *, at_start: bool = False) -> HubEngineError:
        self._failures += 1
        if self._process is process:
            self._process = None
        code, lines = await process.end(), tuple(process.last_lines)
        if self._is_closed:
            return self._error(_CLOSED, "closed", exit_code=code, lines=lines)
        if isinstance(error, EOFError):
            return self._error(_DIED, "died", exit_code=code, lines=lines)
        if isinstance(error, _Complained):
            return self._error(_COMPLAINED, "error", exit_code=code, lines=lines, what=str(error))
        if at_start:
            seconds = f"{self._start_timeout:g}"
            return self._error(_SILENT_AT_START, "silent_at_start", exit_code=code, lines=lines, seconds=seconds)
        return self._error(_SILENT, "silent", exit_code=code, lines=lines, seconds=f"{self._timeout:g}")

    def _error(self, message: str, code: str, **facts: Any) -> HubEngineError:
        return HubEngineError(message, code=code, command=shlex.join(self.command), **facts)

    # --- A search -------------------------------------------------------------------------------------------------

    async def _searched(
        self, process: HubProcess, board: Board, limit: Limit, on_info: Callable[[SearchResult], object] | None
    ) -> SearchResult:
        loop = asyncio.get_running_loop()
        told = Told(board, self.protocol)
        broken: asyncio.Future[None] = loop.create_future()  # by an exception of on_info

        def hear(arguments: Mapping[str, str]) -> None:
            found = told.add(arguments)
            if on_info is not None and found is not None and not broken.done():
                try:
                    on_info(found)
                except BaseException as error:
                    broken.set_exception(error)

        done = process.awaits("done")
        process.on_info = hear
        process.heard, process.complained = time.monotonic(), None
        for line in asking(board, limit):
            process.send(line.command, **line.arguments)
        process.think()
        self._is_searching = True
        try:
            if self._is_stopped:  # told while the engine was started
                process.send("stop")
            answer = await self._awaited(process, done, broken, limit.time)
        except BaseException:
            if self._process is process:  # it was not the engine that failed: it still owes its move
                process.send("stop")
                self._owed = done
            raise
        finally:
            self._is_searching = False
            process.on_info = None
            broken.cancel()
        try:
            best = read_move(board, answer.get("move", ""))
        except DamierError as error:
            self._failures += 1
            code, lines = await self._drop()
            text = answer.get("move", "")
            raise self._error(
                _BAD_MOVE, "bad_move", exit_code=code, lines=lines, answer=text, fen=board.fen()
            ) from error
        return told.result(best)

    async def _awaited(
        self,
        process: HubProcess,
        done: asyncio.Future[Mapping[str, str]],
        broken: asyncio.Future[None],
        seconds: float | None,
    ) -> Mapping[str, str]:
        """The engine's answer: stopped when its time is up, pinged while it says nothing, ended if it stays silent."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        until = math.inf  # when a stopped engine must have answered
        while True:
            now = time.monotonic()
            if now >= end:
                self.stop()
            if self._is_stopped and until == math.inf:
                until = now + self._timeout
            silent = now - process.heard
            if now >= until or (seconds is None and until == math.inf and silent >= self._timeout):
                raise await self._failed(process, TimeoutError())
            if process.complained is not None and now >= process.complained + self._timeout:
                raise await self._failed(process, _Complained(process.complaint))
            if seconds is None and silent >= self._timeout / 2:
                process.send("ping")
            pause = min(until - now, end - now if until == math.inf else math.inf, self._timeout / 4)
            await asyncio.wait((done, broken), timeout=max(pause, 0.0), return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                await broken
            if done.done():
                try:
                    return done.result()
                except EOFError as error:
                    raise await self._failed(process, error) from None


class HubEngine:
    """:class:`AsyncHubEngine` for code without an event loop; takes the same arguments. Has a thread of its own.

    >>> import sys
    >>> from damier import Board
    >>> from damier.engine import HubEngine, Limit
    >>> with HubEngine([sys.executable, "-c", "from damier.cli import main; main()", "hub"]) as engine:
    ...     engine.search(Board("W:W33:B8,18,28"), Limit(depth=8)).best
    Move(33, 2, captured=(8, 18, 28), crowned=True)
    """

    def __init__(self, command: str | Sequence[str], **options: Any) -> None:
        self._engine = AsyncHubEngine(command, **options)
        self._loop = OwnLoop("hub-engine")

    def __enter__(self) -> HubEngine:
        try:
            self._loop.run(self._engine.start())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shlex.join(self._engine.command)!r})"

    @property
    def name(self) -> str:
        """What the engine calls itself, with its version; empty before it was started."""
        return self._engine.name

    @property
    def parameters(self) -> Mapping[str, Mapping[str, str]]:
        """The parameters that the engine has, by name, each as it told it; empty before it was started."""
        return dict(self._engine.parameters)

    def search(
        self, board: Board, limit: Limit, on_info: Callable[[SearchResult], object] | None = None
    ) -> SearchResult:
        """As :meth:`AsyncHubEngine.search`; ``on_info`` is called in the engine's own thread."""
        return self._loop.run(self._engine.search(board, limit, on_info))

    def ping(self) -> float:
        """The seconds that the engine takes to answer. Raises :class:`HubEngineError` if it does not."""
        return self._loop.run(self._engine.ping())

    def clear(self) -> None:
        """Tell the engine that what comes next has nothing to do with what was: a new game."""
        self._loop.run(self._engine.clear())

    def stop(self) -> None:
        """End the search that is running, which then returns what it has; from any thread."""
        self._loop.call(self._engine.stop)

    def close(self) -> None:
        """End the engine, and the thread. Nothing can follow; closing twice does no harm."""
        self._loop.close(self._engine.close)
