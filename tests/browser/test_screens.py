"""Phones, languages, schemes; and that no page is wider than its screen or jumps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .conftest import Visit

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL_PHONE = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("screen", [PHONE, SMALL_PHONE], ids=["390", "320"])
def test_a_phone_plays_by_touch(visit: Callable[..., Visit], screen: dict[str, object]) -> None:
    me = visit(**screen)
    me.start("White")
    width = me.page.evaluate("document.documentElement.clientWidth")
    assert me.page.evaluate("document.documentElement.scrollWidth") <= width
    board = me.page.locator("draughts-board").bounding_box()
    assert board is not None
    assert board["width"] >= 0.9 * width
    move = me.legal[0]
    me.square(move["from"]).tap()
    me.square(move["to"]).tap()
    me.wait_for_ply(2)
    after = me.page.locator("draughts-board").bounding_box()
    assert after == board, "the board stays where it is"


@pytest.mark.parametrize(
    ("locale", "language", "text"),
    [
        ("nl-NL", "nl", "Speel tegen de computer"),
        ("fr-FR", "fr", "ordinateur"),
        ("de-DE", "de", "Computer"),
        ("ja-JP", "en", "Play the computer"),
    ],
)
def test_the_browsers_language_then_ones_choice(
    visit: Callable[..., Visit], locale: str, language: str, text: str
) -> None:
    me = visit(locale=locale)
    me.page.goto("/")
    expect(me.page.locator("html")).to_have_attribute("lang", language)
    expect(me.page.locator("main")).to_contain_text(text)
    me.page.locator(".languages button[value='nl']").click()
    expect(me.page.locator("html")).to_have_attribute("lang", "nl")
    me.page.reload()
    expect(me.page.locator("html")).to_have_attribute("lang", "nl")


def test_squares_and_moves_have_names_for_those_who_listen(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    for square in range(1, 51):
        name = me.square(square).get_attribute("aria-label") or ""
        assert str(square) in name
    live = me.page.locator("draughts-board [aria-live]").first
    # The answer may come before a look at the region: what was said is written down.
    live.evaluate(
        """region => {
          window.said = [];
          new MutationObserver(() => window.said.push(region.textContent)).observe(region, { childList: true });
        }"""
    )
    me.click({"from": 32, "to": 28, "paths": [[32, 28]]})
    expect(live).to_contain_text("Black")
    assert any("28" in text for text in me.page.evaluate("window.said"))
