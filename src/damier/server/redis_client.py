"""What one process keeps in Redis beside its bus: limits, sessions and numbers."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, Final, cast

from litestar.stores.redis import RedisStore
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

ANSWER_SECONDS: Final = 5.0
"""How long Redis has to answer."""
ANOTHER_CANCEL_SECONDS: Final = 0.2
NUMBERS: Final = "damier:numbers"
FRESH_SECONDS: Final = 15.0
"""A process that has left no numbers for so long has gone."""

log = logging.getLogger(__name__)


def connect(url: str, *, wait: float = 0.0) -> Redis:
    """A client whose user sees to it that things are tried again. ``wait``: seconds for which its commands may block.

    Raises ValueError for what is no address of a Redis.
    """
    return Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
        url,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=ANSWER_SECONDS,
        socket_timeout=wait + ANSWER_SECONDS,
    )


async def end(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait for their ends. Once is not enough: redis-py loses a cancellation now and then."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=ANOTHER_CANCEL_SECONDS)


class Limits(RedisStore):
    """A store for what may be lost, such as the counters of rate limits: without Redis it is empty, and nobody waits."""

    async def get(self, key: str, renew_for: int | timedelta | None = None) -> bytes | None:
        """The value; None without Redis."""
        try:
            return await super().get(key, renew_for)
        except RedisError as error:
            log.warning("Redis is away, limits do not hold: %s", error)
            return None

    async def set(self, key: str, value: str | bytes, expires_in: int | timedelta | None = None) -> None:
        """Keep a value, if there is a Redis."""
        try:
            await super().set(key, value, expires_in)
        except RedisError as error:
            log.warning("Redis is away, limits do not hold: %s", error)


class NumbersShelf:
    """Where the processes leave their numbers (:class:`damier.server.observe.Shelf`)."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    async def leave(self, process: str, numbers: bytes) -> None:
        """Put a process' numbers there, in place of its former ones."""
        try:
            await self._redis.hset(NUMBERS, process, f"{time.time()} ".encode() + numbers)
        except RedisError as error:
            log.warning("Redis is away, the other processes do not get our numbers: %s", error)

    async def all(self) -> dict[str, bytes]:
        """The numbers of every process that has left some lately; none without Redis."""
        try:
            found = cast("dict[bytes, bytes]", await self._redis.hgetall(NUMBERS))
            fresh: dict[str, bytes] = {}
            for process, content in found.items():
                moment, _, numbers = content.partition(b" ")
                if time.time() - float(moment) <= FRESH_SECONDS:
                    fresh[process.decode()] = numbers
                else:
                    await self._redis.hdel(NUMBERS, process)
        except RedisError as error:
            log.warning("Redis is away, the other processes' numbers are missing: %s", error)
            return {}
        return fresh
