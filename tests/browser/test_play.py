"""Whole games through the page, as a person plays them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import WebSocketRoute, expect

from damier import Board, Color
from tests.server.conftest import Server

from .conftest import Visit

pytestmark = pytest.mark.browser


@pytest.fixture
def club(shared_club: Server) -> Server:
    return shared_club


#: Three ways to capture four pieces from 47 to 36, two of them with the same end: only the way tells them apart.
AMBIGUOUS = "W:WK47:B14,19,29,31,42"


def replayed(visit: Visit) -> Board:
    """The moves of the list, played on a board of the library's own."""
    board = Board()
    for text in visit.texts:
        board.push(text)
    return board


def test_a_whole_game_by_mouse(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White", level=1)
    while me.wait_for_turn():
        me.click(me.any_move())
    board = replayed(me)
    outcome = board.outcome()
    assert outcome is not None
    score = "1-1" if outcome.winner is None else "2-0" if outcome.winner is Color.WHITE else "0-2"
    assert score.replace("-", "–") in me.result.replace("-", "–")
    assert me.legal == []


def test_a_whole_game_by_keyboard(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("Black", level=1)
    while me.wait_for_turn():
        me.type(me.any_move())
    assert replayed(me).outcome() is not None
    assert me.result


def test_a_forced_capture_of_several_pieces_is_one_click(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.sit_down_at("W:W48:B24,K31,34,K42,43")
    (move,) = me.legal
    me.square(move["from"]).click()
    me.square(move["to"]).click()
    me.wait_for_ply(1)
    assert me.texts[0] == "48x19"
    me.until("document.querySelector('draughts-board').position.includes('19')")
    for square in move["captured"]:
        expect(me.square(square).locator("[data-piece]")).to_have_count(0)


def test_an_ambiguous_capture_is_stepped_through(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.sit_down_at(AMBIGUOUS + ",5")
    assert len({(move["from"], move["to"]) for move in me.legal}) < len(me.legal)
    me.square(47).click()
    for square in (38, 24, 13, 36):
        me.square(square).click()
    me.wait_for_ply(1)
    assert me.texts[0] == "47x38x24x13x36"
    me.page.locator("#moves [data-ply='1']").click()
    me.until("document.querySelector('draughts-board').position.startsWith('B:')")
    assert Board(me.fen).pieces(Color.BLACK) == (5, 14)


def test_crown_and_continue_in_the_clubs_rules(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.sit_down_at("W:W15:B9,10,1", rules="club")
    assert {move["to"] for move in me.legal} == {13, 18, 22, 27, 31, 36}
    me.square(15).click()
    me.square(36).click()
    me.wait_for_ply(1)
    expect(me.square(36).locator("[data-piece='white-king']")).to_have_count(1)


def test_drag_and_drop(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.square(32).drag_to(me.square(28))
    me.wait_for_ply(1)
    assert me.texts[0] == "32-28"


def test_an_illegal_attempt_says_why_and_changes_nothing(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    before = me.fen
    me.square(32).click()
    me.square(23).click()
    expect(me.page.locator("#note")).to_contain_text("square")
    assert me.fen == before
    assert me.texts == []


def test_take_back_undoes_the_last_move_and_its_answer(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.click(me.legal[0])
    assert me.wait_for_turn()
    me.wait_for_ply(2)
    me.page.get_by_role("button", name="Take back").click()
    me.until("document.querySelectorAll('#moves [data-ply]').length === 0")
    assert me.wait_for_turn()
    assert Board(me.fen).position == Board().position


def test_a_double_click_takes_back_once(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    for _ in range(2):
        me.click(me.legal[0])
        assert me.wait_for_turn()
    me.wait_for_ply(4)
    me.page.get_by_role("button", name="Take back").dblclick()
    me.until("document.querySelectorAll('#moves [data-ply]').length === 2")
    me.page.wait_for_timeout(500)
    assert len(me.texts) == 2


def test_resigning_is_asked_once_and_ends_the_game(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.page.get_by_role("button", name="Resign").click()
    me.page.locator("#confirm-no").click()
    assert me.result == ""
    me.page.get_by_role("button", name="Resign").click()
    me.page.locator("#confirm-yes").click()
    expect(me.page.locator("#result")).to_be_visible()
    assert "0" in me.result
    expect(me.page.get_by_role("button", name="Rematch")).to_be_visible()
    me.page.get_by_role("button", name="Rematch").click()
    me.until("document.querySelector('#result').hidden")


def test_the_moves_can_be_looked_through(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    for _ in range(2):
        me.click(me.legal[0])
        assert me.wait_for_turn()
    present = me.fen
    me.page.locator("#moves [data-ply='1']").click()
    once = Board()
    once.push(me.texts[0])
    me.until(f"document.querySelector('draughts-board').position !== '{present}'")
    assert Board(me.fen).position == once.position
    assert me.legal == []
    me.page.keyboard.press("End")
    me.until("document.querySelector('draughts-board').moves.length > 0")
    assert me.fen == present


def test_the_focus_stays_where_the_person_is(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.click(me.legal[0])
    assert me.wait_for_turn()
    me.wait_for_ply(2)

    def press(name: str, key: str = "Enter") -> None:
        me.page.get_by_role("button", name=name, exact=True).focus()
        me.page.keyboard.press(key)

    def focused(name: str) -> None:
        expect(me.page.get_by_role("button", name=name, exact=True)).to_be_focused()

    press("First position")
    focused("One move on")
    press("Present position")
    focused("One move back")
    press("Take back")
    focused("Resign")
    press("Resign")
    focused("Play on")
    me.page.keyboard.press("Escape")
    focused("Resign")
    me.page.keyboard.press("Enter")
    me.page.keyboard.press("Shift+Tab")
    me.page.keyboard.press("Enter")
    focused("Rematch")


def test_a_reason_stays_until_something_is_done(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    note = me.page.locator("#note")

    def wrong() -> None:
        me.square(1).click()
        expect(note).to_contain_text("1 is your opponent")

    wrong()
    me.square(25).click()
    expect(note).to_contain_text("1 is your opponent")
    me.square(32).click()
    expect(note).to_be_empty()
    me.square(32).click()  # put down again
    wrong()
    me.walk_to(25)
    me.page.keyboard.press("Enter")
    expect(note).to_contain_text("1 is your opponent")
    me.page.keyboard.press("Escape")
    expect(note).to_be_empty()


def test_who_must_capture_is_told_with_which_pieces(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.sit_down_at("W:W17,32,33,43:B1,12,28,29")
    note = me.page.locator("#note")
    must = me.page.locator("draughts-board .urged")
    # As anyone does: the piece, and at once its target.
    me.square(43).click()
    me.square(38).click()
    expect(note).to_contain_text("You must capture")
    expect(note).to_contain_text("the piece on 43 cannot")
    expect(must).to_have_count(len({move["from"] for move in me.legal}))
    me.page.wait_for_timeout(1_000)
    expect(note).to_contain_text("You must capture")
    me.square(me.legal[0]["from"]).click()
    expect(note).to_be_empty()
    expect(must).to_have_count(0)


def test_a_reason_that_comes_after_a_piece_was_picked_up_is_not_said(visit: Callable[..., Visit]) -> None:
    me = visit()
    held: list[tuple[WebSocketRoute, str]] = []

    def join(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda text: held.append((route, str(text))) if '"reason"' in str(text) else route.send(text))

    me.page.route_web_socket(re.compile("/socket"), join)
    me.start("White")
    me.square(1).click()
    for _ in range(50):
        me.page.wait_for_timeout(20)
        if held:
            break
    me.square(32).click()
    for route, text in held:
        route.send(text)
    me.page.wait_for_timeout(300)
    assert held
    expect(me.page.locator("#note")).to_be_empty()
