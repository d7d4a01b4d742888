"""Phones, languages, schemes; and that no page is wider than its screen or jumps."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.server.conftest import Server

from .conftest import Visit
from .pages import FOR_ALL

pytestmark = pytest.mark.browser


@pytest.fixture
def club(shared_club: Server) -> Server:
    return shared_club


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
    me.page.locator("#languages-button").click()
    me.page.get_by_role("button", name="Nederlands").click()
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


@pytest.mark.parametrize(
    ("width", "height", "locale"), [(320, 568, "en-GB"), (320, 568, "de-DE"), (360, 640, "de-DE"), (390, 844, "fr-FR")]
)
@pytest.mark.parametrize("resuming", [False, True], ids=["new", "resuming"])
def test_nothing_on_the_front_page_covers_anything(
    visit: Callable[..., Visit], width: int, height: int, locale: str, resuming: bool
) -> None:
    me = visit(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True, locale=locale)
    if resuming:
        me.sit_down_at("W:W31-50:B1-20")
    me.page.goto("/")
    assert me.page.evaluate(COVERED) == []
    assert me.page.evaluate("document.documentElement.scrollWidth") <= width
    first = me.page.locator(".resume" if resuming else ".levels")
    expect(first).to_be_in_viewport(ratio=1)
    me.page.locator(".ways .button").last.scroll_into_view_if_needed()
    assert me.page.evaluate(COVERED) == []


@pytest.mark.parametrize("locale", ["en-GB", "nl-NL", "fr-FR", "de-DE"])
def test_no_page_is_wider_than_a_small_phone(visit: Callable[..., Visit], locale: str) -> None:
    me = visit(**SMALL_PHONE, locale=locale)
    found: dict[str, object] = {}
    for path in FOR_ALL:
        me.page.goto(path)
        if (width := me.page.evaluate("document.documentElement.scrollWidth")) > 320:
            found[path] = width, me.page.evaluate(WIDE)
        me.page.locator("main").evaluate("main => main.scrollIntoView({ block: 'end' })")
        if covered := me.page.evaluate(COVERED):
            found[f"{path} is covered"] = covered
    me.errors.clear()  # the page that is not there
    assert found == {}


#: The elements that reach beyond a small phone's right edge.
WIDE = """
[...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > 320)
  .map((element) => element.outerHTML.slice(0, 100))
"""


#: The texts and fields in sight at whose middle something else lies.
COVERED = """
[...document.querySelectorAll("main :is(h1, h2, p, legend, .segments label, .tile, .rules label, .levels button, .resume, .button)")]
  .filter((element) => getComputedStyle(element).clipPath === "none" && element.checkVisibility({ contentVisibilityAuto: true }))
  .filter((element) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (y < 0 || y >= innerHeight) return false;
    const top = document.elementFromPoint(x, y);
    return top !== null && !(element.contains(top) || top.contains(element));
  })
  .map((element) => element.textContent)
"""


def test_a_page_without_a_position_shows_the_start(visit: Callable[..., Visit]) -> None:
    me = visit()

    def without_position(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'data-fen="[^"]*"', 'data-fen=""', answer.text()))

    me.page.route(me.club.address + "/", without_position)
    me.page.goto("/")
    me.until("document.querySelector('draughts-board').position.startsWith('W:W31,')")
    assert me.piece(31) == "white-man"
