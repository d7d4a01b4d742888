"""What happens when the line, the page or the server goes away in mid-game."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Error, WebSocketRoute, expect

from .conftest import Visit

pytestmark = pytest.mark.browser

SOON = 15_000
"""Milliseconds within which a page says that something is wrong: before a silent line is asked for a sign of life."""


def test_a_reload_in_mid_game_resumes_the_same_game(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.click(me.legal[0])
    assert me.wait_for_turn()
    texts, fen = me.texts, me.fen
    me.page.reload()
    assert me.wait_for_turn()
    assert (me.texts, me.fen) == (texts, fen)
    me.click(me.legal[0])


def test_the_front_page_offers_the_unfinished_game(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    address = me.page.url
    me.page.goto("/")
    me.page.locator("a.resume").click()
    me.page.wait_for_url(address)


def test_a_lost_connection_resumes_and_delivers_the_move(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.context.set_offline(True)
    move = me.legal[0]
    me.square(move["from"]).click()
    me.square(move["to"]).click()
    me.context.set_offline(False)
    me.wait_for_ply(2)
    assert me.wait_for_turn()


def test_a_server_killed_in_mid_game_loses_nothing(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.click(me.legal[0])
    assert me.wait_for_turn()
    me.wait_for_ply(2)
    texts = me.texts
    port = int(me.club.address.rpartition(":")[2])
    me.club.kill()
    move = me.legal[0]
    me.square(move["from"]).click()
    me.square(move["to"]).click()  # shown at once, while nobody is there to take it
    me.club.start(port)
    me.wait_for_ply(4)
    assert me.wait_for_turn()
    assert me.texts[:2] == texts
    assert me.texts[2] in (f"{move['from']}-{move['to']}", f"{move['from']}x{move['to']}")


def push(me: Visit, move: dict[str, Any]) -> None:
    """The person's part of a move: nothing need come of it."""
    me.square(move["from"]).click()
    me.square(move["to"]).click()


def test_a_move_made_offline_is_not_passed_over_in_silence(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.context.set_offline(True)
    push(me, me.legal[0])
    note = me.page.locator("#note")
    expect(note).to_contain_text("Your move will be sent as soon as it is back", timeout=SOON)
    expect(me.page.locator("#far, #near").get_by_text(re.compile("move|thinking"))).to_have_count(0)
    assert me.texts == []
    me.context.set_offline(False)
    me.wait_for_ply(2)
    expect(note).to_be_empty()


def test_being_offline_is_said_soon_and_goes_when_it_is_over(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.context.set_offline(True)
    note = me.page.locator("#note")
    expect(note).to_contain_text("The connection is lost. Your game is kept", timeout=SOON)
    me.page.wait_for_timeout(3_000)
    expect(note).to_contain_text("The connection is lost. Your game is kept")
    me.context.set_offline(False)
    expect(note).to_be_empty()


class Line:
    """The page's socket, from which the network may swallow what the person does, without a sign."""

    def __init__(self, me: Visit) -> None:
        self.swallowed: list[str] = []
        self.swallowing = False
        me.page.route_web_socket(re.compile("/socket"), self._join)

    def _join(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        route.on_message(lambda message: self._pass(server, str(message)))

    def _pass(self, server: WebSocketRoute, message: str) -> None:
        if self.swallowing:
            self.swallowed.append(message)
            return
        with contextlib.suppress(Error):  # a page that leaves closes the line
            server.send(message)


def test_a_move_that_a_dead_line_swallows_is_sent_again(visit: Callable[..., Visit]) -> None:
    me = visit()
    line = Line(me)
    me.start("White")
    line.swallowing = True
    push(me, me.legal[0])
    note = me.page.locator("#note")
    expect(note).to_contain_text("not confirmed yet", timeout=SOON)
    line.swallowing = False
    me.wait_for_ply(2)
    expect(note).to_be_empty()
    assert len(line.swallowed) in (1, 2)


def test_resigning_on_a_dead_line_is_not_passed_over_in_silence(visit: Callable[..., Visit]) -> None:
    me = visit()
    line = Line(me)
    me.start("White")
    line.swallowing = True
    me.page.get_by_role("button", name="Resign").click()
    me.page.locator("#confirm-yes").click()
    expect(me.page.locator("#note")).to_contain_text("That did not reach the game. Try again.")
    assert me.result == ""


def test_the_way_back_says_whether_it_is_ones_move(visit: Callable[..., Visit]) -> None:
    me = visit()
    me.start("White")
    me.click(me.legal[0])
    assert me.wait_for_turn()
    me.context.set_offline(True)
    push(me, me.legal[0])
    me.page.locator("#moves [data-ply='1']").click()
    me.context.set_offline(False)
    me.wait_for_ply(4)
    back = me.page.locator("#note button")
    expect(back).to_have_text("Back to your move")
    back.focus()
    back.press("Enter")
    expect(me.page.locator("#moves [aria-current]")).to_be_focused()
    me.until("document.querySelector('draughts-board').moves.length > 0")
