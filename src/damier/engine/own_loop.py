"""An event loop in a thread of its own, for engines that are used without one."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from damier.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

__all__ = ["OwnLoop"]

_Answer = TypeVar("_Answer")


class OwnLoop:
    """Runs coroutines for whoever has no loop, until it is closed. ``name``: of the thread."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _Answer]) -> _Answer:
        """What the coroutine returns or raises; it is cancelled if waiting for it is broken off.

        Raises :class:`~damier.EngineError` if the loop is closed.
        """
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise EngineError("this engine is closed") from None
        try:
            return future.result()
        except BaseException:
            future.cancel()  # Ctrl-C, say
            raise

    def call(self, what: Callable[[], object]) -> None:
        """Have something called on the loop, from any thread; nothing if it is closed."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)

    def close(self, last: Callable[[], Awaitable[object]]) -> None:
        """Do a last thing and end the thread, once all who wait have been told. Closing twice does no harm."""
        if self._loop.is_closed():
            return

        async def end() -> None:
            await last()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*others, return_exceptions=True)

        self.run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
