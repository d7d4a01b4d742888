"""What somebody may ask for only a few times an hour, whichever process is asked."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from litestar import Litestar
    from litestar.stores.base import Store

STORE: Final = "rate_limit"
"""The store of Litestar's own limits, whose forgotten entries the club drops."""
HOUR: Final = 3600


def store_of(app: Litestar) -> Store:
    """Where the counts are kept."""
    return app.stores.get(STORE)


class Sparing:
    """So many times an hour for each who asks. ``what``: names it in the store.

    >>> from litestar.stores.memory import MemoryStore
    >>> store, exports = MemoryStore(), Sparing("export", 2)
    >>> [asyncio.run(exports.may(store, "anna")) for _ in range(3)], asyncio.run(exports.may(store, "ben"))
    ([True, True, False], True)
    """

    def __init__(self, what: str, most: int) -> None:
        self._what = what
        self._most = most
        self._counting = asyncio.Lock()

    async def may(self, store: Store, who: str) -> bool:
        """Whether somebody may ask once more; if so, it counts."""
        key, now = f"sparing:{self._what}:{who}", time.time()
        async with self._counting:
            kept = await store.get(key)
            moments = [moment for moment in json.loads(kept or b"[]") if moment > now - HOUR]
            if len(moments) >= self._most:
                return False
            await store.set(key, json.dumps([*moments, now]).encode(), expires_in=HOUR)
        return True
