"""Computer opponents: a few threads outside the event loop that think for all games.

A guest with many games waits behind a guest with one: the players whose games wait are served in turn, each with the
game that has waited longest. A search whose move nobody wants any more is stopped.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from damier.engine import Engine, choose

if TYPE_CHECKING:
    from damier import Board, Move
    from damier.engine import Limit

HASH_MEGABYTES: Final = 16
"""Of each thread's engine."""


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    owner: str
    board: Board
    level: int
    clock: Limit | None
    move: asyncio.Future[Move]


class Opponents(Protocol):
    """Who plays the computer's moves. All methods are called from one event loop."""

    async def choose(self, board: Board, level: int, owner: str, clock: Limit | None = None) -> Move:
        """A move of the computer of this level. The board is the opponents' own from now on.

        ``owner``: whose game it is; owners are served in turn. ``clock``: what the game's clock allows. Cancelling the
        call stops the search.
        """
        ...

    @property
    def queued(self) -> int:
        """How many moves are asked for and not found yet."""
        ...

    async def close(self) -> None:
        """Stop every search."""
        ...


class LocalOpponents:
    """A bounded pool of thinking threads. Its methods are called from one event loop."""

    def __init__(self, threads: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: OrderedDict[str, deque[_Task]] = OrderedDict()
        self._changed = threading.Condition()
        self._thinking: dict[_Task, Engine] = {}
        self._open = True
        self._threads = [
            threading.Thread(target=self._think, name=f"opponent-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    async def choose(self, board: Board, level: int, owner: str, clock: Limit | None = None) -> Move:
        """A move of the computer of this level. The board is the pool's own from now on.

        ``owner``: whose game it is; owners are served in turn. ``clock``: what the game's clock allows. Cancelling the
        call stops the search.
        """
        task = _Task(owner, board, level, clock, self._loop.create_future())
        with self._changed:
            self._waiting.setdefault(owner, deque()).append(task)
            self._changed.notify()
        try:
            return await task.move
        finally:
            self._forget(task)

    @property
    def queued(self) -> int:
        """How many moves are waited for or thought about."""
        with self._changed:
            return len(self._thinking) + sum(len(tasks) for tasks in self._waiting.values())

    async def close(self) -> None:
        """Stop every search and end the threads."""
        with self._changed:
            self._open = False
            self._waiting.clear()
            for engine in self._thinking.values():
                engine.stop()
            self._changed.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _forget(self, task: _Task) -> None:
        with self._changed:
            engine = self._thinking.get(task)
            if engine is not None:
                engine.stop()
                return
            tasks = self._waiting.get(task.owner)
            if tasks is not None and task in tasks:
                tasks.remove(task)
                if not tasks:
                    del self._waiting[task.owner]

    def _next(self, engine: Engine) -> _Task | None:
        with self._changed:
            while self._open and not self._waiting:
                self._changed.wait()
            if not self._open:
                return None
            owner, tasks = self._waiting.popitem(last=False)
            task = tasks.popleft()
            if tasks:
                self._waiting[owner] = tasks  # behind the others
            self._thinking[task] = engine
            return task

    def _think(self) -> None:
        engine = Engine(hash_mb=HASH_MEGABYTES)
        while (task := self._next(engine)) is not None:
            try:
                move: Move | None = choose(engine, task.board, task.level, clock=task.clock)
                error = None
            except Exception as raised:  # reported to who asked; the thread lives on for the others
                move, error = None, raised
            with self._changed:
                del self._thinking[task]
                if not self._open:
                    return
            self._loop.call_soon_threadsafe(_settle, task.move, move, error)


def _settle(future: asyncio.Future[Move], move: Move | None, error: Exception | None) -> None:
    if future.done():
        return
    if move is None:
        future.set_exception(error or RuntimeError("the engine found no move"))
    else:
        future.set_result(move)
