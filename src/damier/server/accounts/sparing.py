"""What somebody may ask for only a few times an hour, whichever process is asked."""

from __future__ import annotations

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


async def may(store: Store, what: str, who: str, most: int) -> bool:
    """Whether somebody may ask for something once more within the hour; if so, it counts.

    >>> import asyncio
    >>> from litestar.stores.memory import MemoryStore
    >>> store = MemoryStore()
    >>> [asyncio.run(may(store, "export", "anna", 2)) for _ in range(3)]
    [True, True, False]
    >>> asyncio.run(may(store, "export", "ben", 2))
    True
    """
    key, now = f"sparing:{what}:{who}", time.time()
    kept = await store.get(key)
    moments = [moment for moment in json.loads(kept or b"[]") if moment > now - HOUR]
    if len(moments) >= most:
        return False
    await store.set(key, json.dumps([*moments, now]).encode(), expires_in=HOUR)
    return True
