"""Waiting for what happens elsewhere."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait for the condition; TimeoutError when it takes longer."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 (what changes it knows nothing of tests)
            await asyncio.sleep(0.01)
