"""Every page: WCAG 2.2 AA as axe checks it, nothing that jumps while it loads, and not much to load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Visit
from tests.browser.pages import FOR_ALL, FOR_MEMBERS, MEMBER
from tests.server.conftest import Server

pytestmark = pytest.mark.browser

AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MOST_BYTES = 100_000
"""Of a page's first load, compressed, besides its fonts."""
MOST_SHIFT = 0.05
"""Cumulative layout shift, of which 0.1 counts as good; news that come by themselves may move a line."""

SCREENS = [
    {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "has_touch": True, "is_mobile": True},
]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("access") / "club").start()
    yield server
    server.kill()


def complaints(visit: Visit) -> list[str]:
    """What axe finds, a line for each element."""
    assert AXE.exists(), "axe is not installed: tools/web_bundle.py npm test installs what the page's tests need"
    visit.page.evaluate(AXE.read_text("utf-8") + ";0")
    found: dict[str, Any] = visit.page.evaluate(
        "tags => axe.run({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })", TAGS
    )
    return [
        f"{each['id']}: {node['target']}: {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


SHIFT = """
() => new Promise((done) => {
  const shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push([value, sources.map(({ node }) => node?.outerHTML?.slice(0, 100) ?? "")]);
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(shifts), 20);
})
"""
BYTES = """
() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(({ name }) => !name.endsWith(".woff2"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
"""


@pytest.mark.parametrize("screen", SCREENS, ids=["desk", "phone"])
def test_every_page(club: Server, chromium: Browser, screen: dict[str, Any]) -> None:
    guest = Visit(club, chromium, **screen)
    found: dict[str, object] = {}

    def look(visit: Visit, path: str, name: str) -> None:
        visit.page.goto(path)
        loaded = visit.page.evaluate(BYTES)
        said = complaints(visit)
        shifts = visit.page.evaluate(SHIFT)  # after what takes long, for the news to have come
        if sum(value for value, _elements in shifts) > MOST_SHIFT:
            found[f"{name} jumps"] = shifts
        if loaded > MOST_BYTES:
            found[f"{name} is large"] = loaded
        if said:
            found[name] = said

    for path in FOR_ALL:
        look(guest, path, path)
    guest.start_at_once()
    look(guest, guest.page.url, "a game")
    guest.page.locator("#settings-button").click()
    found["the settings"] = complaints(guest)
    guest.page.goto("/")
    guest.page.locator("#languages-button").click()
    found["the languages"] = complaints(guest)
    guest.join(f"{MEMBER}-{screen['color_scheme'][0]}")
    for path in FOR_MEMBERS:
        look(guest, path.replace(MEMBER, f"{MEMBER}-{screen['color_scheme'][0]}"), f"{path} of a member")
    guest.errors.clear()  # the page that is not there
    guest.close()
    said = [f"{name}: {what}" for name, what in found.items() if what]
    assert not said, "\n".join(said)
