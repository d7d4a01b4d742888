"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Browser


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests out, unless they are asked for by their mark (`make fuzz`)."""
    if "long" in config.getoption("markexpr"):
        return
    chosen = [item for item in items if item.get_closest_marker("long") is None]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = chosen


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A Chromium of the test's own, headless; the test is skipped where DAMIER_BROWSER names none."""
    program = os.environ.get("DAMIER_BROWSER")
    if not program:
        pytest.skip("no Chromium: `python tools/find_browser.py` says what is missing")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        # Chromium's sandbox does not work for root, whom containers and CI often are.
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        started = await playwright.chromium.launch(executable_path=program, args=sandbox)
        yield started
        await started.close()
