"""``damier worker``: computer opponents for a club, in a process of their own."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Annotated

import typer

from damier.cli.status import DONE, USAGE, Failure, needs

__all__ = ["worker"]


def worker(
    redis: Annotated[
        str, typer.Option(metavar="URL", envvar="DAMIER_REDIS", help="The club's Redis: redis://HOST:PORT/NUMBER.")
    ],
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, metavar="N", help="How many opponents think at the same time.", show_default="one a core"
        ),
    ] = None,
) -> int:
    """Think for a club whose servers have DAMIER_COMPUTER_THREADS=0, on this machine or another."""
    try:
        from damier.server.observe import log_to_stderr
        from damier.server.settings import REDIS_SCHEMES
        from damier.server.workers import Worker
    except ModuleNotFoundError as missing:
        raise needs("the worker", missing, "server") from missing
    if not redis.startswith(REDIS_SCHEMES):
        raise Failure(f"--redis must be an address such as redis://127.0.0.1:6379/0, not {redis!r}", USAGE)
    log_to_stderr()

    async def work() -> None:
        thinking = Worker(redis, threads or os.cpu_count() or 1)
        loop = asyncio.get_running_loop()

        def stop(_number: int, _frame: object) -> None:
            loop.call_soon_threadsafe(thinking.stop)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        await thinking.run()

    asyncio.run(work())
    return DONE
