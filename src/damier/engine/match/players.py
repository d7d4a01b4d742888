"""The players of a match at work: each in a process of its own, watched over."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from damier.engine.hub import HubEngine, HubEngineError
from damier.engine.match.specs import MatchError
from damier.engine.score import Score
from damier.errors import DamierError, EngineError
from damier.i18n import N_
from damier.notation.hub import read_move, write_move

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier._kernel import Move
    from damier.board import Board
    from damier.engine.engine import SearchResult
    from damier.engine.limits import Limit
    from damier.engine.match.specs import PlayerSpec

__all__ = ["Found", "Identity", "Player", "PlayerFailed", "Searches", "open_player", "player_of"]

_HOST: Final = Path(__file__).with_name("host.py")
_START_SECONDS: Final = 60.0
_LONGEST_MOVE_SECONDS: Final = 3600.0
"""How long a search that no time ends may take: an engine that hangs must not hang the match."""
_GOODBYE_SECONDS: Final = 1.0

_DIED = N_("{name} has ended (exit code {exit_code}).")
_SILENT = N_("{name} has not answered for {seconds} seconds and was ended.")
_FAILED = N_("{name} failed: {what}.")
_BAD_MOVE = N_("{name} answered “{answer}”, which is no legal move in {fen}.")
_NOT_STARTED = N_("{name} cannot be started: {what}.")


class PlayerFailed(EngineError):
    """An engine that failed in a game, which it loses.

    ``code``: ``died``, ``silent``, ``failed`` (with an error of its own) or ``bad_move``.
    """

    def __init__(self, message: str, *, code: str, **facts: object) -> None:
        super().__init__(message, **facts)
        self.code = code


class Found(NamedTuple):
    """A player's move: its score if it told one, from its own side; depth and nodes, 0 where not told; seconds by our clock.

    ``line``: the play that it expects, from the move on, where that was asked for.
    """

    move: Move
    score: Score | None
    depth: int
    nodes: int
    time: float
    line: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """What an engine says it is, and a digest of what it plays with: another build has another one."""

    name: str
    build: str


class Searches(Protocol):
    """What our engine has, and what any object has to have to play."""

    def search(self, board: Board, limit: Limit) -> SearchResult:
        """The best move that is found within the limit."""
        ...


class Player(Protocol):
    """A player at work. :meth:`move` raises :class:`PlayerFailed`, and what comes next finds it in order again."""

    @property
    def identity(self) -> Identity:
        """What it is."""
        ...

    def clear(self) -> None:
        """A new game: what earlier ones left in memory is forgotten."""
        ...

    def move(self, board: Board, limit: Limit, seed: int, *, line: bool = False) -> Found:
        """Its move. ``seed``: for players that play by chance. ``line``: whether to tell what it expects to follow."""
        ...

    def close(self) -> None:
        """End it, in the midst of a search too; nothing can follow."""
        ...


def open_player(spec: PlayerSpec, rules: str = "official", timeout: float = 5.0) -> Player:
    """Start the player that ``spec`` names.

    ``timeout``: for how many seconds beyond its time it may stay silent. Raises :class:`MatchError` if it cannot be
    started, or not with these settings.
    """
    return _HubPlayer(spec, rules, timeout) if spec.kind == "hub" else _HostPlayer(spec, rules, timeout)


def player_of(engine: Searches, name: str) -> Player:
    """An object with ``search`` as a player, here in this process."""
    return _ObjectPlayer(engine, name)


# --- In this process ------------------------------------------------------------------------------------------------


class _ObjectPlayer:
    def __init__(self, engine: Searches, name: str) -> None:
        self._engine = engine
        self._name = name

    @property
    def identity(self) -> Identity:
        return Identity(self._name, "")

    def clear(self) -> None:
        clear = getattr(self._engine, "clear", None)
        if clear is not None:
            clear()

    def move(self, board: Board, limit: Limit, seed: int, *, line: bool = False) -> Found:
        del seed, line
        begin = time.monotonic()
        try:
            found = self._engine.search(board.copy(), limit)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise PlayerFailed(_FAILED, code="failed", name=self._name, what=what) from error
        return _found(board, found, begin, self._name)

    def close(self) -> None:
        pass


def _found(board: Board, found: SearchResult, begin: float, name: str) -> Found:
    if found.best not in board.legal_moves:
        answer = str(found.best)
        raise PlayerFailed(_BAD_MOVE, code="bad_move", name=name, answer=answer, fen=board.fen())
    # an engine that tells no line, as for a move out of its book, tells no score either
    score = found.score if found.depth or found.score.is_decided else None
    return Found(found.best, score, found.depth, found.nodes, time.monotonic() - begin, found.pv)


# --- Hub engines ----------------------------------------------------------------------------------------------------


class _HubPlayer:
    def __init__(self, spec: PlayerSpec, rules: str, timeout: float) -> None:
        self._spec, self._rules, self._timeout = spec, rules, timeout
        self._engine = self._made()
        try:
            self._engine.__enter__()
        except HubEngineError as error:
            raise _not_started(spec, error) from error
        self._identity = Identity(self._engine.name, _digest_of_program(spec.target))

    def _made(self) -> HubEngine:
        return HubEngine(self._spec.target, options=self._spec.settings, rules=self._rules, timeout=self._timeout)

    @property
    def identity(self) -> Identity:
        return self._identity

    def clear(self) -> None:
        self._engine.clear()

    def move(self, board: Board, limit: Limit, seed: int, *, line: bool = False) -> Found:
        del seed, line
        begin = time.monotonic()
        try:
            found = self._engine.search(board, limit)
        except HubEngineError as error:
            self._engine.close()  # whatever state it was in, the next game begins with another process
            self._engine = self._made()
            code = error.code if error.code in ("died", "silent", "bad_move") else "failed"
            said = f" ({' | '.join(error.lines[-3:])})" if error.lines else ""
            what = f"{error}{said}".removesuffix(".")
            raise PlayerFailed(_FAILED, code=code, name=self._spec.name, what=what) from error
        return _found(board, found, begin, self._spec.name)

    def close(self) -> None:
        self._engine.close()


def _not_started(spec: PlayerSpec, error: Exception) -> MatchError:
    return MatchError(_NOT_STARTED, code="not_started", name=spec.name, what=str(error).removesuffix("."))


def _digest_of_program(command: str) -> str:
    path = shutil.which(shlex.split(command)[0])
    with contextlib.suppress(OSError):
        if path is not None:
            return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]
    return ""


# --- Ours, and other Python objects ---------------------------------------------------------------------------------


class _HostPlayer:
    """Talks to ``host.py``, which says what."""

    def __init__(self, spec: PlayerSpec, rules: str, timeout: float) -> None:
        self._spec, self._rules, self._timeout = spec, rules, timeout
        self._told: tuple[Move, ...] = ()  # the moves that the host's board has
        self._start: str | None = None  # and the position that it began with
        self._host: _Host | None = None
        self._is_closed = False
        self._identity = self._running().identity

    @property
    def identity(self) -> Identity:
        return self._identity

    def clear(self) -> None:
        host = self._running()
        host.send({"clear": True})
        with self._watched(host):
            host.answer("cleared", _START_SECONDS)

    def move(self, board: Board, limit: Limit, seed: int, *, line: bool = False) -> Found:
        host = self._running()
        begin = time.monotonic()
        host.send({"search": {**self._asked(board, limit, seed), "line": line}})
        with self._watched(host):
            seconds = _LONGEST_MOVE_SECONDS if limit.time is None else limit.time + self._timeout
            found = host.answer("found", seconds)
            try:
                move = read_move(board, found["move"])
            except DamierError as error:
                answer = str(found["move"])
                raise PlayerFailed(
                    _BAD_MOVE, code="bad_move", name=self._spec.name, answer=answer, fen=board.fen()
                ) from error
        spent = time.monotonic() - begin
        return Found(
            move, _score(found["score"]), found["depth"], found["nodes"], spent, _read_line(board, found["line"])
        )

    def _asked(self, board: Board, limit: Limit, seed: int) -> dict[str, object]:
        moves = board.moves
        asked: dict[str, object] = {
            "limit": {"time": limit.time, "aim": limit.aim, "nodes": limit.nodes, "depth": limit.depth},
            "seed": seed,
        }
        if self._start != board.start_fen:
            self._start, self._told = board.start_fen, ()
            asked |= {"fen": self._start, "rules": self._rules}
        same = 0
        for told, played in zip(self._told, moves, strict=False):
            if told != played:
                break
            same += 1
        self._told = moves
        return {**asked, "ply": same, "moves": [write_move(move) for move in moves[same:]]}

    @contextlib.contextmanager
    def _watched(self, host: _Host) -> Any:
        try:
            yield
        except PlayerFailed:
            host.end()
            self._host = None
            raise

    def _running(self) -> _Host:
        if self._is_closed:
            raise PlayerFailed(_DIED, code="died", name=self._spec.name, exit_code=None)
        if self._host is None:
            self._start, self._told = None, ()
            host = self._host = _Host(self._spec)
            try:
                host.greet()
            except MatchError:
                host.end()
                self._host = None
                raise
        return self._host

    def close(self) -> None:
        self._is_closed = True
        if self._host is not None:
            self._host.end()


class _Host:
    """The process, and the documents that it writes."""

    def __init__(self, spec: PlayerSpec) -> None:
        self._spec = spec
        told = {"kind": spec.kind, "target": spec.target, "settings": dict(spec.settings)}
        command = [spec.python or sys.executable, "-P", str(_HOST), json.dumps(told)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user names the interpreter
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # so that it can be ended as a group, and Ctrl-C is ours
            )
        except OSError as error:
            raise _not_started(spec, error) from error
        self._answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._complaints: list[str] = []
        self._readers = [
            threading.Thread(target=read, daemon=True, name=f"player {read.__name__}")
            for read in (self._read, self._read_errors)
        ]
        for reader in self._readers:
            reader.start()
        self.identity = Identity("", "")

    def greet(self) -> None:
        """Wait until it is ready. Raises MatchError if it cannot be."""
        try:
            answer = self.answer("ready", _START_SECONDS)
        except PlayerFailed as error:
            said = " ".join(self._complaints[-1:])
            raise MatchError(_NOT_STARTED, code="not_started", name=self._spec.name, what=said or str(error)) from error
        self.identity = Identity(answer["name"], answer["build"])

    def send(self, document: Mapping[str, object]) -> None:
        data = json.dumps(document).encode() + b"\n"
        with contextlib.suppress(OSError):  # that it has ended is found out by who waits for the answer
            stdin = self._process.stdin
            if stdin is not None:
                stdin.write(data)
                stdin.flush()

    def answer(self, what: str, seconds: float) -> dict[str, Any]:
        """What it answers under this name. Raises PlayerFailed."""
        name = self._spec.name
        try:
            document = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise PlayerFailed(_SILENT, code="silent", name=name, seconds=f"{seconds:g}") from None
        if document is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GOODBYE_SECONDS)
            raise PlayerFailed(_DIED, code="died", name=name, exit_code=self._process.returncode)
        if what in document:
            answer: dict[str, Any] | bool = document[what]
            return answer if isinstance(answer, dict) else {}
        if "refused" in document:
            raise MatchError(_NOT_STARTED, code="refused", name=name, what=document["refused"])
        said = str(document.get("failed", document))
        raise PlayerFailed(_FAILED, code="failed", name=name, what=said)

    def _read(self) -> None:
        output = self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            for line in output or ():
                self._answers.put(json.loads(line))
        self._answers.put(None)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._process.stderr or ():
                self._complaints = [*self._complaints[-9:], line.decode(errors="backslashreplace").strip()]

    def end(self) -> None:
        """End the process, with what it has started, and wait for it."""
        process = self._process
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for reader in self._readers:
            reader.join(_GOODBYE_SECONDS)
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _read_line(board: Board, texts: list[str]) -> tuple[Move, ...]:
    """The legal part of a line."""
    line: list[Move] = []
    board = board.copy() if texts else board
    with contextlib.suppress(DamierError):
        for text in texts:
            line.append(board.push(read_move(board, text)))  # noqa: PERF401 - what came before the fault counts
    return tuple(line)


def _score(told: tuple[str, int] | None) -> Score | None:
    """
    >>> _score(("centi", -35)), _score(("win", 3)), _score(None)
    (Score.centi(-35), Score.win(3), None)
    """
    if told is None:
        return None
    kind, value = told
    return {"centi": Score.centi, "win": Score.win, "loss": Score.loss}[kind](value)
