"""Waiting for what happens elsewhere."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for the condition; TimeoutError when it takes longer."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 (what changes it knows nothing of tests)
            await asyncio.sleep(0.01)


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """The same where no event loop runs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
