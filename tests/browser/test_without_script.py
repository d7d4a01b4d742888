"""The pages in a browser that runs no script: everything can be looked at, though not played."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .conftest import Visit

pytestmark = pytest.mark.browser

SCREENS = [{"width": 1280, "height": 800}, {"width": 360, "height": 640}]


@pytest.mark.parametrize("viewport", SCREENS, ids=["desk", "phone"])
def test_a_game_shows_its_position_and_moves(visit: Callable[..., Visit], viewport: dict[str, int]) -> None:
    me = visit()
    me.start("Black")
    assert me.wait_for_turn()
    me.click(me.legal[0])
    me.wait_for_ply(3)
    assert me.wait_for_turn()
    plain = visit(java_script_enabled=False, storage_state=me.context.storage_state(), viewport=viewport)
    plain.page.goto(me.page.url)
    picture = plain.page.get_by_role("img", name="Draughts board, Black to move")
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] == box["height"] >= 0.9 * min(viewport["width"], viewport["height"] - 64)
    first, second, third = me.texts
    moves = plain.page.locator(".told p").last
    expect(moves).to_be_visible()
    assert moves.inner_text() == f"1. {first} {second} 2. {third}"
    below = moves.bounding_box()
    assert below is not None
    assert below["x"] >= box["x"] + box["width"] or below["y"] >= box["y"] + box["height"], "nothing lies on the board"
    assert plain.page.locator(".told h2").inner_text() == "You against the computer, level 1"


def test_the_front_page_shows_the_latest_game(visit: Callable[..., Visit]) -> None:
    plain = visit(java_script_enabled=False)
    plain.page.goto("/")
    expect(plain.page.locator(".board-place svg")).to_be_visible()
    plain.page.get_by_role("radio", name="Black").check(force=True)
    plain.page.locator("button[name=level]").first.click()
    plain.page.wait_for_url("**/games/*")
    plain.page.goto("/")
    picture = plain.page.locator("a.board-place svg")
    expect(picture).to_be_visible()
    uses = picture.locator("use")
    assert uses.last.get_attribute("href") == "#damier-BM", "Black sits at the bottom"
    plain.page.locator("a.board-place").click()
    plain.page.wait_for_url("**/games/*")
