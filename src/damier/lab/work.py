"""Where files of games are played: on the cores of this machine, or on those of a Dask cluster."""

from __future__ import annotations

import queue
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from damier.engine.pool import collected, taken
from damier.i18n import N_
from damier.lab.errors import LabError
from damier.lab.selfplay import FileMade, Stopped, evaluation_of, play_file

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from damier.lab.selfplay import SelfPlay

    Source: TypeAlias = Callable[[SelfPlay, bytes | None, Iterator[int]], Generator[FileMade]]

__all__ = ["Source", "locally", "on_dask"]

_NO_DASK: Final = N_("A cluster needs the package distributed, which is not installed: pip install 'damier[cluster]'.")
_NO_CLUSTER: Final = N_("No Dask scheduler answers at {address}: {what}.")
_PATIENCE: Final = "30s"


def locally(jobs: int) -> Source:
    """Plays ``jobs`` files at a time. The kernel needs no Python while it plays, so threads do, and none is left behind."""

    def source(recipe: SelfPlay, weights: bytes | None, numbers: Iterator[int]) -> Generator[FileMade]:
        if weights is not None:
            evaluation_of(weights)  # unpacked once, before all threads ask for it
        results: queue.SimpleQueue[FileMade | BaseException | None] = queue.SimpleQueue()
        lock = threading.Lock()
        stop = threading.Event()

        def following() -> int | None:
            with lock:
                return None if stop.is_set() else next(numbers, None)

        def work() -> None:
            try:
                while (number := following()) is not None:
                    results.put(play_file(recipe, number, weights, lambda: not stop.is_set()))
            except Stopped:
                pass
            except BaseException as error:
                results.put(error)
            finally:
                results.put(None)

        threads = [threading.Thread(target=work, name="self-play", daemon=True) for _ in range(jobs)]
        yield from collected(threads, results, stop.set)

    return source


def on_dask(address: str) -> Source:
    """Plays each file as a task of the Dask cluster whose scheduler is at ``address``.

    As many are in work as the cluster has threads, and one more for each, so that nobody waits. Its machines need this
    version of the package, and no folder in common: samples come back as the tasks' results.
    """

    def source(recipe: SelfPlay, weights: bytes | None, numbers: Iterator[int]) -> Generator[FileMade]:
        try:
            dask: Any = import_module("distributed")
        except ModuleNotFoundError:
            raise LabError(_NO_DASK, code="no_dask") from None
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        try:
            client = dask.Client(address, set_as_default=False, timeout=_PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            raise LabError(_NO_CLUSTER, code="no_cluster", address=address, what=error) from None
        with client:
            there = None if weights is None else client.scatter(weights, broadcast=True, hash=False)
            running: set[Any] = set()  # a task that nobody refers to is forgotten

            def more() -> None:
                number = next(numbers, None)
                if number is not None:
                    future = client.submit(play_file, recipe, number, there, pure=False)
                    running.add(future)
                    future.add_done_callback(done.put)

            for _ in range(2 * max(1, sum(client.nthreads().values()))):
                more()
            while running:
                future = taken(done)
                running.discard(future)
                more()
                yield future.result()

    return source
