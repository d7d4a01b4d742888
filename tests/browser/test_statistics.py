"""The pages of the statistics in the browser: on a phone, in the dark, by keyboard, without script."""

from __future__ import annotations

import asyncio
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from damier.server import database
from damier.server.settings import Settings
from damier.server.stats.service import Statistics
from tests.browser.test_people import PHONES, fits
from tests.server.test_statistics import Played, enter, keep
from tests.server.test_statistics_pages import rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Visit
    from tests.server.conftest import Server

pytestmark = pytest.mark.browser

PAGES = (
    "/statistics",
    "/statistics?games=computer&by=month",
    "/top",
    "/top?by=games",
    "/@/Anna/statistics",
)


def furnish(club: Server) -> None:
    """Games of a year, made beside Playwright's own event loop."""

    async def play() -> None:
        engine = database.open_engine(Settings(club.data))
        await enter(engine)
        chance, now = random.Random(1), time.time()
        games = [
            Played(
                str(number),
                now - number * 86_400,
                "anna",
                chance.choice(["ben", "carl", "robot", "computer"]),
                chance.choice(["2-0", "1-1", "0-2"]),
                "agreed",
                chance.randrange(150),
                rules=chance.choice(["official", "club", "leaflet", "classic"]),
                clock=chance.choice(["60+0", "300+3", "-"]),
            )
            for number in range(300)
        ]
        games += [
            Played(str(number), now - number * 86_400, "anna", "ben", "2-0", "resigned", 60, rated="rated")
            for number in range(300, 330)
        ]
        await keep(engine, games)
        await rate(engine, "Anna", 1712)
        await Statistics(engine).count([each.id for each in games])
        await engine.dispose()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, play()).result()


#: The elements that reach beyond the right edge.
WIDE = """
[...document.querySelectorAll("main *, body > * > *")]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
  .map((element) => `${element.getBoundingClientRect().right} ${element.outerHTML.slice(0, 90)}`)
"""


@pytest.mark.parametrize(("scheme", "locale"), [("light", "de-DE"), ("dark", "en-GB")])
def test_every_page_fits_a_phone(club: Server, visit: Callable[..., Visit], scheme: str, locale: str) -> None:
    furnish(club)
    for size in PHONES:
        own = visit(viewport=size, color_scheme=scheme, locale=locale)
        for path in PAGES:
            own.page.goto(path)
            assert fits(own), (path, size, own.page.evaluate(WIDE))
            for details in own.page.locator("details summary").all():
                details.click()
            assert fits(own), (path, size, own.page.evaluate(WIDE))


def test_the_choices_are_made_by_keyboard_and_the_numbers_open(club: Server, visit: Callable[..., Visit]) -> None:
    furnish(club)
    page = visit().page
    page.goto("/top")
    page.get_by_role("link", name="By wins").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**by=wins**")
    page.get_by_role("columnheader", name="Won").wait_for()
    page.get_by_label("Speed").select_option(label="Blitz")
    page.get_by_role("button", name="Show").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**speed=blitz**")
    assert page.get_by_label("Speed").input_value() == "blitz"
    page.get_by_role("row", name="Anna").get_by_role("link").click()
    page.get_by_role("heading", name="Statistics of Anna").wait_for()
    assert page.get_by_role("img", name="The rating over time").is_visible()
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("columnheader", name="Rating").is_visible()


def test_graphs_are_there_without_script_and_are_drawn(club: Server, visit: Callable[..., Visit]) -> None:
    furnish(club)
    page = visit(java_script_enabled=False).page
    page.goto("/statistics")
    parts = page.locator("svg.columns rect.part")
    assert parts.count() >= 60
    box = page.locator("svg.columns").bounding_box()
    first = parts.first.bounding_box()
    assert box is not None
    assert first is not None
    assert first["height"] > 2
    assert box["x"] <= first["x"] <= box["x"] + box["width"]
