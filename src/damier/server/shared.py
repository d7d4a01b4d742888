"""What the processes of a club share: in memory where there is one, in Redis where there may be several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from litestar.stores.registry import StoreRegistry

from damier.server.bus import LocalBus
from damier.server.play.opponent import LocalOpponents
from damier.server.presence import LocalPresence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from damier.server.bus import Bus
    from damier.server.observe import Shelf
    from damier.server.play.opponent import Opponents
    from damier.server.presence import Presence
    from damier.server.settings import Settings


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Shared:
    """The parts of one process through which it is in touch with the others."""

    bus: Bus
    presence: Presence
    opponents: Opponents
    shelf: Shelf | None = None
    _close: Callable[[], Awaitable[None]] = _nothing

    @classmethod
    def open(cls, settings: Settings) -> Shared:
        """Open them, in the event loop. A Redis that is away is waited for in the background."""
        if settings.redis is None:
            return cls(LocalBus(), LocalPresence(), LocalOpponents(settings.computer_threads))

        # loaded here, so that a club without Redis does not load its client at every start
        from damier.server import redis_client
        from damier.server.redis_bus import RedisBus
        from damier.server.redis_presence import RedisPresence

        redis = redis_client.connect(settings.redis)
        bus = RedisBus(settings.redis)
        opponents: Opponents
        if settings.computer_threads:
            opponents = LocalOpponents(settings.computer_threads)
        else:
            from damier.server.workers import RemoteOpponents

            opponents = RemoteOpponents(settings.redis)
        return cls(bus, RedisPresence(redis, bus), opponents, redis_client.NumbersShelf(redis), redis.aclose)

    async def close(self) -> None:
        """Take leave of the others."""
        await self.opponents.close()
        await self.presence.close()
        await self.bus.close()
        await self._close()


def open_stores(settings: Settings) -> StoreRegistry:
    """Litestar's stores, of its rate limits among others."""
    if settings.redis is None:
        return StoreRegistry()
    from damier.server import redis_client

    limits = redis_client.Limits(redis_client.connect(settings.redis), "damier", handle_client_shutdown=True)
    return StoreRegistry(default_factory=limits.with_namespace)
