"""The guide and the exercise in a browser: by mouse, by keys, with hints, on small screens and in four languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from damier.i18n import LANGUAGES, translator
from damier.server.guide.steps import STEPS

from .conftest import Visit

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
SMALLEST = {"width": 320, "height": 640}
DESK = {"width": 1280, "height": 800}


def said(me: Visit) -> Any:
    return me.page.locator(".word")


def open_step(me: Visit, slug: str) -> None:
    me.page.goto(f"/guide/{slug}")
    me.until("customElements.get('draughts-board') !== undefined")
    if me.page.locator("[data-kind=play]").count():
        me.until("document.querySelector('draughts-board').moves.length > 0")


def solved(me: Visit, slug: str) -> None:
    expect(said(me)).to_have_text(STEPS[slug].learned)
    expect(me.page.locator("#next.primary")).to_be_visible()


def press(me: Visit, *squares: int) -> None:
    for square in squares:
        me.square(square).click()


def test_steps_are_done_by_mouse_and_kept_for_a_guest(visit: Callable[..., Visit]) -> None:
    me = visit(viewport=DESK)
    me.page.goto("/guide")
    me.page.get_by_role("link", name="Begin", exact=True).click()
    me.page.wait_for_url("**/guide/board")
    me.until("document.querySelector('draughts-board').numbers === 'off'")
    press(me, 27)
    expect(said(me)).to_have_text("That is 27. " + STEPS["board"].otherwise)
    press(me, 28)
    solved(me, "board")
    me.page.locator("#next").click()
    me.page.wait_for_url("**/guide/setting-up")
    me.until("document.querySelector('draughts-board').numbers === 'inside'")
    press(me, 38)
    expect(said(me)).to_have_text("Good. Go on.")
    press(me, 13)
    solved(me, "setting-up")
    open_step(me, "second-shot")
    press(me, 40, 34)
    me.until("document.querySelector('draughts-board').moves.length === 1")
    press(me, 44, 22)
    me.until("document.querySelector('draughts-board').moves[0]?.from === 26")
    press(me, 26, 6)
    solved(me, "second-shot")
    me.page.reload()
    expect(me.page.locator("[data-done]")).to_be_visible()
    me.page.goto("/guide")
    expect(me.page.get_by_text("3 of 27 steps done")).to_be_visible()
    expect(me.page.get_by_role("link", name="Go on: A man's move")).to_be_visible()


def test_a_step_is_done_with_keys_alone(visit: Callable[..., Visit]) -> None:
    me = visit(viewport=DESK)
    open_step(me, "backward")
    for square in (23, 34):
        me.walk_to(square)
        me.page.keyboard.press("Enter")
    solved(me, "backward")
    open_step(me, "jumped-once")
    me.walk_to(40)
    me.page.keyboard.press("Enter")
    solved(me, "jumped-once")
    open_step(me, "clock")
    me.page.get_by_role("button", name="Black").focus()
    me.page.keyboard.press("Enter")
    solved(me, "clock")


def test_a_wrong_move_is_answered_and_an_illegal_one_explained(visit: Callable[..., Visit]) -> None:
    me = visit(viewport=DESK)
    open_step(me, "choice")
    before = me.page.locator("#next").bounding_box()
    press(me, 43)
    expect(said(me)).to_have_text("The piece on 43 cannot capture, and capturing is compulsory.")
    press(me, 28, 23)
    expect(said(me)).to_contain_text("occupied")
    expect(said(me)).to_contain_text("article 3.")
    press(me, 28, 10)
    expect(said(me)).to_have_text(STEPS["choice"].otherwise)
    assert me.legal == [], "nothing more is played"
    assert me.page.locator("#next").bounding_box() == before, "nothing is pushed about"
    me.page.get_by_role("button", name="Start again").click()
    me.until("document.querySelector('draughts-board').moves.length === 2")
    press(me, 27, 29)
    solved(me, "choice")


def test_hints_come_one_by_one(visit: Callable[..., Visit]) -> None:
    me = visit(viewport=DESK)
    open_step(me, "shot")
    hints = me.page.locator(".lesson-hints li")
    for number, text in enumerate(STEPS["shot"].hints):
        expect(hints.nth(number)).to_be_hidden()
        me.page.locator("#hint").click()
        expect(hints.nth(number)).to_have_text(text)
        expect(hints.nth(number)).to_be_visible()
    expect(me.page.locator("#hint")).to_be_hidden()
    assert me.page.evaluate("document.activeElement.tagName") == "SUMMARY", "the focus is not lost"


def test_the_draw_by_repetition_is_played(visit: Callable[..., Visit]) -> None:
    me = visit(viewport=DESK)
    open_step(me, "repetition")
    for start, end in ((37, 46), (46, 37)) * 2:
        me.until(f"document.querySelector('draughts-board').moves.some((move) => move.from === {start})")
        press(me, start, end)
        me.until("document.querySelector('draughts-board').moves.length === 0")
    solved(me, "repetition")


def test_the_last_step_leads_to_a_game(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.page.goto("/guide/first-game")
    me.page.get_by_role("button", name="Play against the computer").click()
    me.page.wait_for_url("**/games/*")


def best_and_shortest(me: Visit) -> list[dict[str, Any]]:
    me.until("document.querySelector('draughts-board').moves.length > 0")
    ordered = sorted(me.legal, key=lambda move: len(move["captured"]))
    return [ordered[-1], ordered[0]]


def play(me: Visit, move: dict[str, Any]) -> None:
    """The piece and every square that it stops on, until the move is made."""
    me.square(move["from"]).click()
    for square in move["paths"][0][1:]:
        me.square(square).click()
        if not me.page.locator("draughts-board .selected").count():
            break


def test_a_short_capture_is_answered_and_the_longest_accepted(visit: Callable[..., Visit]) -> None:
    me = visit(viewport=PHONE)
    me.page.goto("/exercise")
    best, shortest = best_and_shortest(me)
    fen = me.fen
    play(me, shortest)
    expect(said(me)).to_have_text(re.compile(r"^That takes .*; there is a capture that takes \d\.$"))
    me.until(f"document.querySelector('draughts-board').position === '{fen}'")
    play(me, best)
    expect(said(me)).to_have_text(re.compile(r"^Right: \d pieces"))
    me.page.get_by_role("link", name="Next position").click()
    me.until(f"(document.querySelector('draughts-board').position ?? '{fen}') !== '{fen}'")
    best, _ = best_and_shortest(me)
    play(me, best)
    expect(me.page.locator("#score")).to_have_text("1")
    me.page.reload()
    expect(me.page.locator("#score")).to_have_text("1")
    me.page.get_by_role("button", name="Show the capture").click()
    expect(said(me)).to_have_text(re.compile(r"^The longest takes \d pieces: [\dx]+\.$"))


def test_the_day_s_exercise_is_the_same_in_two_browsers(visit: Callable[..., Visit]) -> None:
    anna, ben = visit(viewport=DESK), visit(viewport=PHONE, locale="nl-NL")
    for each in (anna, ben):
        each.page.goto("/exercise/daily")
        best_and_shortest(each)
    assert anna.fen == ben.fen
    best, _ = best_and_shortest(anna)
    play(anna, best)
    expect(anna.page.locator("#solvers")).to_have_text("1 person has solved it")
    expect(anna.page.locator("#streak")).to_have_text("1 day in a row")
    ben.page.reload()
    expect(ben.page.locator("#solvers")).to_be_visible()


@pytest.mark.parametrize("viewport", [SMALLEST, PHONE, DESK], ids=["smallest", "phone", "desk"])
def test_nothing_sticks_out(visit: Callable[..., Visit], viewport: dict[str, int]) -> None:
    me = visit(viewport=viewport)
    for path in ("/guide", "/guide/setting-up", "/guide/clock", "/guide/first-game", "/exercise", "/exercise/daily"):
        me.page.goto(path)
        assert me.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path
        if path in ("/guide/setting-up", "/exercise"):
            box = me.page.locator("draughts-board").bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= viewport["height"], "the whole board is seen without scrolling"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_speaks_four_languages(visit: Callable[..., Visit], language: str) -> None:
    me, step = visit(viewport=PHONE), STEPS["capture"]
    _ = translator(language).gettext
    me.page.goto(f"/{language}/guide/capture")
    expect(me.page.locator("h1")).to_have_text(_(step.title))
    me.until("document.querySelector('draughts-board').moves.length > 0")
    press(me, 33, 22)
    expect(said(me)).to_have_text(_(step.learned))
    assert (me.page.locator("#next").get_attribute("href") or "").startswith(f"/{language}/guide/")


def test_steps_and_exercise_can_be_read_and_answered_without_script(visit: Callable[..., Visit]) -> None:
    me = visit(java_script_enabled=False)
    me.page.goto("/guide/longest")
    expect(me.page.locator(".lesson-board svg")).to_be_visible()
    me.page.locator("summary").click()
    expect(me.page.get_by_text("37x19. " + STEPS["longest"].learned)).to_be_visible()
    me.page.goto("/exercise")
    expect(me.page.locator(".lesson-board svg")).to_be_visible()
    me.page.get_by_label("Your capture").fill("1x50")
    me.page.get_by_role("button", name="Answer").click()
    expect(me.page.get_by_text("That is no capture here.")).to_be_visible()
    me.page.get_by_role("button", name="Show the capture").click()
    expect(me.page.get_by_text("The longest takes")).to_be_visible()
