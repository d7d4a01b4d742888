"""What happens when the line, the page or the server goes away in mid-game."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Visit

pytestmark = pytest.mark.browser


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
