"""What threads make, one thing after another as it is ready, until the last has ended."""

from __future__ import annotations

import contextlib
import queue
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator, Sequence

__all__ = ["collected", "taken"]

_Made = TypeVar("_Made")


def collected(
    threads: Sequence[threading.Thread],
    results: queue.SimpleQueue[_Made | BaseException | None],
    stop: Callable[[], object],
) -> Generator[_Made]:
    """Start ``threads`` and yield what they put into ``results``, in the order in which it is ready.

    Each puts None when it ends; an exception that one puts is raised. However this ends, ``stop`` is called, which tells
    the threads to end, and they are waited for.

    >>> import queue, threading
    >>> results = queue.SimpleQueue()
    >>> def work():
    ...     for each in (1, 2, None):
    ...         results.put(each)
    >>> list(collected([threading.Thread(target=work)], results, lambda: None))
    [1, 2]
    """
    playing = len(threads)
    started: list[threading.Thread] = []
    try:
        for thread in threads:
            thread.start()
            started.append(thread)
        while playing:
            result = taken(results)
            if result is None:
                playing -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        stop()
        for thread in started:
            thread.join()


def taken(results: queue.SimpleQueue[_Made]) -> _Made:
    """The next of ``results``, waited for so that Ctrl-C ends it everywhere."""
    while True:  # a wait without end could not be ended with Ctrl-C on every system
        with contextlib.suppress(queue.Empty):
            return results.get(timeout=1.0)
