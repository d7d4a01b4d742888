"""The rules in a browser: each can be tried, by mouse and by keys, and the page fits wherever it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .conftest import Visit

pytestmark = pytest.mark.browser

SMALL_PHONE = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True}


class Try:
    """One board of the page. ``at``: which of its article's."""

    def __init__(self, visit: Visit, article: int, at: int = 0) -> None:
        self.page = visit.page
        self.place: Locator = visit.page.locator(f"#article-{article} .trial").nth(at)
        self.board = self.place.locator("draughts-board")
        self.word = self.place.locator(".word")
        expect(self.word).not_to_be_empty()

    def click(self, *squares: int) -> None:
        for square in squares:
            self.board.locator(f"[data-square='{square}']").click()

    def type(self, *squares: int) -> None:
        """By keys: a square's number takes the cursor there."""
        self.board.evaluate("board => board.focus()")
        for square in squares:
            # a second digit within a second belongs to the first
            self.page.wait_for_timeout(1050)
            self.page.keyboard.type(str(square))
            self.page.keyboard.press("Enter")

    def piece(self, square: int) -> str | None:
        piece = self.board.locator(f"[data-square='{square}'] [data-piece]")
        return piece.get_attribute("data-piece") if piece.count() else None

    def refused(self, article: int) -> None:
        expect(self.place.locator("[data-kind=refused]")).to_be_visible()
        expect(self.word.get_by_role("link", name=f"Article {article}")).to_have_attribute(
            "href", f"#article-{article}"
        )


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_a_wrong_try_is_answered_with_its_article_and_a_right_one_is_made(
    visit: Callable[..., Visit], how: str
) -> None:
    me = visit(reduced_motion="reduce")
    me.page.goto("/rules")
    trying = Try(me, 5)
    make: Callable[..., None] = trying.click if how == "mouse" else trying.type
    make(28, 17)
    trying.refused(5)
    expect(trying.word).to_contain_text("28x17 takes one piece; you must take 2 pieces")
    expect(trying.word).to_contain_text("(Rules of the FMJD, annex 1, article 4.13)")
    assert trying.piece(28) == "white-man"
    # by keys the piece is still in hand
    make(*((28, 10) if how == "mouse" else (10,)))
    expect(trying.word).to_have_text("28x10. Black to move.")
    assert (trying.piece(10), trying.piece(23)) == ("white-man", None)
    trying.place.get_by_role("button", name="Start again").click()
    expect(trying.word).to_have_text("White to move.")
    assert trying.piece(28) == "white-man"


def test_every_board_is_answered_with_the_article_that_it_stands_beside(visit: Callable[..., Visit]) -> None:
    me = visit(reduced_motion="reduce")
    me.page.goto("/rules")
    for article, at, wrong in [
        (1, 0, (20,)),
        (2, 0, (28, 32)),
        (2, 1, (12, 20)),
        (3, 0, (32, 16)),
        (4, 0, (48, 30)),
        (5, 0, (41,)),
        (6, 0, (31, 32)),
    ]:
        trying = Try(me, article, at)
        trying.click(*wrong)
        trying.refused(article)
    # what was touched stays in hand until it has moved
    touched = Try(me, 6)
    touched.click(27)
    expect(touched.word).to_have_text("31-27. Black to move.")


def test_after_the_end_nothing_moves_and_the_board_says_why(visit: Callable[..., Visit]) -> None:
    me = visit(reduced_motion="reduce")
    for rules, article, move, says in [
        ("official", 7, (37, 46), "Draw: 5 moves of each side with a lone king against at most two pieces."),
        ("leaflet", 7, (46, 41), "Draw: the same move made three times, with only its return in between."),
        ("club", 7, (41, 46), "Draw: 50 moves of each side with kings only and without a capture."),
        ("classic", 8, (33, 28), "White wins: Black has no move left."),
    ]:
        me.page.goto(f"/rules/{rules}")
        trying = Try(me, article)
        trying.click(*move)
        expect(trying.word).to_have_text(says)
        trying.click(move[1])
        trying.refused(article)
    trying.place.get_by_role("button", name="Start again").click()
    expect(trying.word).to_have_text("White to move.")
    trying.type(*move)
    expect(trying.word).to_have_text(says)
    trying.page.keyboard.press("Enter")
    trying.refused(article)


def test_the_rule_set_chosen_changes_text_and_boards(visit: Callable[..., Visit]) -> None:
    me = visit(reduced_motion="reduce")
    me.page.goto("/rules")
    me.page.get_by_role("navigation", name="Rule sets").get_by_role("link", name="Crown and continue").click()
    me.page.wait_for_url("**/rules/club")
    expect(me.page.locator("#article-2")).to_contain_text("becomes a king there and then")
    trying = Try(me, 2, 1)
    trying.click(12, 20)
    expect(trying.word).to_have_text("12x20. Black to move.")
    assert trying.piece(20) == "white-king"


def test_the_contents_are_always_at_hand(visit: Callable[..., Visit]) -> None:
    for viewport in ({"width": 1280, "height": 800}, {"width": 390, "height": 844}):
        me = visit(viewport=viewport)
        me.page.goto("/rules")
        contents = me.page.get_by_role("navigation", name="Contents")
        contents.get_by_role("link", name="Draw").click()
        expect(me.page.get_by_role("heading", name="Draw")).to_be_in_viewport(ratio=1)
        contents.get_by_role("link", name="Capturing", exact=False).first.click()
        heading = me.page.get_by_role("heading", name="Article 3: Capturing")
        expect(heading).to_be_in_viewport(ratio=1)
        expect(contents.get_by_role("link").first).to_be_in_viewport(ratio=1)
        top, bottom = (box(each)["y"] for each in (heading, contents))
        if viewport["width"] == 390:
            assert top >= bottom + box(contents)["height"], "the strip does not lie on the heading"


def box(element: Locator) -> dict[str, Any]:
    found = element.bounding_box()
    assert found is not None
    return dict(found)


def test_the_page_fits_a_small_phone_in_each_language(visit: Callable[..., Visit]) -> None:
    me = visit(**SMALL_PHONE)
    for language, rules in [("nl", ""), ("fr", "/leaflet"), ("de", "/club"), ("en", "/classic"), ("de", "")]:
        me.page.goto(f"/{language}/rules{rules}")
        expect(me.page.locator("#article-1 .word")).not_to_be_empty()
        assert me.page.evaluate("document.documentElement.scrollWidth") <= 320
        assert me.page.evaluate("document.documentElement.lang") == language
    cells = me.page.locator(".differences td[data-of]")
    assert cells.count() == 32
    for cell in (cells.first, cells.last):
        cell.scroll_into_view_if_needed()
        edges = box(cell)
        assert edges["x"] >= 0
        assert edges["x"] + edges["width"] <= 320


def test_headings_have_their_serif_and_no_other_page_fetches_it(visit: Callable[..., Visit]) -> None:
    me = visit(reduced_motion="reduce")
    fetched: list[str] = []
    me.page.on("request", lambda request: fetched.append(request.url))
    me.page.goto("/")
    me.page.wait_for_load_state("networkidle")
    assert not any("serif" in url for url in fetched)
    me.page.goto("/rules")
    me.page.wait_for_load_state("networkidle")
    assert sum("serif" in url for url in fetched) == 1


def test_all_is_told_without_script_and_on_paper(visit: Callable[..., Visit]) -> None:
    plain = visit(java_script_enabled=False)
    plain.page.goto("/rules")
    for diagram in plain.page.locator(".diagram svg").all():
        expect(diagram).to_be_visible()
    assert plain.page.locator(".diagram svg").count() == 3
    expect(plain.page.locator("#article-8 p").first).to_be_visible()
    expect(plain.page.locator(".try").first).to_be_hidden()
    plain.page.emulate_media(media="print")
    for hidden in (".site", ".foot", ".contents", ".to-print"):
        expect(plain.page.locator(hidden)).to_be_hidden()
    expect(plain.page.locator(".diagram svg").first).to_be_visible()
    expect(plain.page.locator(".rule-sets [aria-current]")).to_be_visible()
    expect(plain.page.locator("#differences")).to_be_visible()
