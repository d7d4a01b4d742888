"""Two people at one board, and those who watch them: each a browser of their own."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from damier import Board, Color
from damier.clock import TimeControl
from damier.game import Game
from damier.record import Player
from damier.server import database
from damier.server.play.store.sqlite import SqliteStore
from damier.server.settings import read_secret
from damier.server.visitors import Visitors

from .conftest import Visit

pytestmark = pytest.mark.browser

Visits = Callable[..., Visit]
PHONE = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True}
FORCED = "W:W23,27,32,35-38,40,43,45-49:B1,4,5,7,9-11,13,15"
"""After 23-18 Black has one move: four pieces, 13x33."""
TWO_WAYS = "B:WK47:B1,14,19,29,31,42"
"""After 1-6 White captures four pieces from 47 to 36 in two ways, which take 14 or 19."""


def invite(host: Visit, guest: Visit, *, control: str = "300+3", rules: str = "official", color: str = "white") -> str:
    """One invites the other, who gives a name and accepts; returns the game's address."""
    page = host.page
    page.goto("/invite")
    for name, value in (("control", control), ("color", color), ("rules", rules)):
        page.locator(f"input[name={name}][value='{value}']").check(force=True)
    page.locator("main form button.primary").click()
    guest.page.goto(page.locator("#link").input_value())
    guest.page.locator("#accept input[name=name]").fill("Hilde")
    guest.page.locator("#accept button.primary").click()
    for each in (guest, host):
        each.page.wait_for_url("**/games/*")
        each.wait_for_line()
    return page.url


def sit_down(white: Visit, black: Visit, fen: str, rules: str = "official") -> str:
    """Both at a board that starts from a position."""
    visitors = Visitors(read_secret(white.club.data))
    for each, visitor in ((white, "white-at-the-board"), (black, "black-at-the-board")):
        each.context.add_cookies(
            [{"name": visitors.cookie_name, "value": visitors.cookie(visitor), "url": each.club.address}]
        )
    players = (Player("guest", id="white-at-the-board"), Player("guest", id="black-at-the-board"))
    game = Game.start(rules, fen, clock=TimeControl.fischer(300, 3), white=players[0], black=players[1])
    game_id = secrets.token_urlsafe(9)

    async def keep() -> None:
        store = SqliteStore(white.club.data / database.FILE_NAME)
        await store.create(game_id, game, at=time.time(), is_public=True)
        await store.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, keep()).result()
    for each in (white, black):
        each.page.goto(f"/games/{game_id}")
        each.wait_for_line()
    return white.page.url


def push(visit: Visit, *squares: int) -> None:
    """Touch squares one after another: nothing need come of it."""
    for square in squares:
        visit.square(square).click()


def play(visit: Visit, *squares: int) -> None:
    """Make a move, and see it in the list."""
    plies = len(visit.texts)
    push(visit, *squares)
    visit.wait_for_ply(plies + 1)


def button(visit: Visit, name: str) -> None:
    visit.page.get_by_role("button", name=name, exact=True).click()


def test_a_game_between_guests_from_the_invitation_to_the_rematch(visit: Visits) -> None:
    host, guest = visit(), visit()
    address = invite(host, guest)
    expect(host.page.locator("#far")).to_contain_text("Hilde")
    expect(host.page.get_by_role("button", name="Break off")).to_be_visible()
    expect(host.page.locator("#near .doing")).to_contain_text("first move in")
    play(host, 32, 28)
    guest.wait_for_ply(1)
    play(guest, 19, 23)
    host.wait_for_ply(2)
    expect(host.page.locator("#near .clock")).to_have_class(re.compile("running"))
    expect(guest.page.locator("#near .clock")).not_to_have_class(re.compile("running"))
    play(host, 28, 19)
    guest.wait_for_ply(3)
    play(guest, 14, 23)
    host.wait_for_ply(4)

    button(host, "Offer draw")
    button(host, "Offer")
    offer = guest.page.locator("#asks")
    expect(offer).to_contain_text("offers a draw")
    assert guest.page.evaluate("document.activeElement?.closest('#asks')") is None, "the focus is not taken"
    button(guest, "Decline")
    expect(offer).to_be_empty()
    expect(host.page.get_by_role("button", name="Offer draw")).to_be_disabled()

    button(guest, "Take back")
    expect(host.page.locator("#asks")).to_contain_text("Hilde would like to take back")
    button(host, "Allow")
    guest.until("document.querySelectorAll('#moves [data-ply]').length === 3")
    play(guest, 13, 24)

    button(guest, "Give 15 seconds more (+15)")
    host.until("/5:(1|2)/.test(document.querySelector('#near .clock').textContent)")
    expect(host.page.locator("#note")).to_contain_text("Hilde gave you 15 seconds")
    expect(guest.page.locator("#note")).to_contain_text("15 seconds")
    host.page.get_by_role("button", name="Offer draw").click(force=True)
    expect(host.page.locator("#note")).to_contain_text("You can offer a draw again after 9 more moves")

    button(host, "Resign")
    button(host, "Play on")
    assert host.result == ""
    button(host, "Resign")
    host.page.locator("#confirm-yes").click()
    expect(guest.page.locator("#result")).to_contain_text("You won")
    expect(host.page.locator("#result")).to_contain_text("White resigned")

    button(host, "Rematch")
    expect(guest.page.locator("#asks")).to_contain_text("would like a rematch")
    expect(guest.page.locator("#rematch")).to_be_hidden()
    button(guest, "Play again")
    for each in (host, guest):
        each.page.wait_for_url(lambda url: url != address and "/games/" in url)
        each.wait_for_line()
    assert host.page.url == guest.page.url
    guest.until("document.querySelector('draughts-board').moves.length > 0")
    assert host.legal == [], "the colours are exchanged"
    host.page.goto(address)
    expect(host.page.locator("#asks")).to_contain_text("You are playing again")
    assert host.page.url == address, "who looks back at a game stays there"


def test_to_the_last_move_of_a_game(visit: Visits) -> None:
    white, black = visit(), visit()
    sit_down(white, black, "W:W29,35:B19")
    play(white, 29, 24)
    black.wait_for_ply(1)
    play(black, 19, 30)
    white.wait_for_ply(2)
    play(white, 35, 24)
    expect(white.page.locator("#result")).to_contain_text("You won")
    expect(black.page.locator("#result")).to_contain_text("Black has no move left")
    assert black.legal == []


def test_a_watcher_sees_all_and_can_do_nothing(visit: Visits) -> None:
    white, black, watcher = visit(), visit(), visit()
    address = invite(white, black)
    watcher.page.goto(address)
    watcher.wait_for_line()
    expect(white.page.locator("#watchers-count")).to_have_text("1")
    play(white, 32, 28)
    watcher.wait_for_ply(1)
    expect(watcher.page.locator("#resign")).to_be_hidden()
    push(watcher, 19, 23)
    assert watcher.texts == ["32-28"]

    for each, text in ((white, "Hello Hilde"), (watcher, "Nice opening")):
        each.page.locator("#talk-field").fill(text)
        each.page.locator("#talk-field").press("Enter")
    expect(black.page.locator("#talk-log")).to_contain_text("Hello Hilde")
    expect(watcher.page.locator("#talk-log")).to_contain_text("Nice opening")
    expect(watcher.page.locator("#talk-log")).not_to_contain_text("Hello Hilde")
    expect(black.page.locator("#talk-log")).not_to_contain_text("Nice opening")

    button(black, "Break off")
    expect(watcher.page.locator("#result")).to_contain_text("Black broke the game off")
    button(watcher, "Players")
    expect(watcher.page.locator("#talk-log")).to_contain_text("Hello Hilde")
    button(white, "Watchers")
    expect(white.page.locator("#talk-log")).to_contain_text("Nice opening")
    watcher.page.context.close()
    expect(white.page.locator("#watchers")).to_be_hidden()


def test_what_is_said_is_text_and_chat_can_be_switched_off(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black)
    line = "<img src=x onerror=alert(1)><b>hi</b>"
    white.page.locator("#talk-field").fill(line)
    white.page.locator("#talk-field").press("Enter")
    log = black.page.locator("#talk-log")
    expect(log).to_contain_text(line)
    expect(log.locator("img")).to_have_count(0)
    button(white, "Good luck!")
    expect(log).to_contain_text("Good luck!")
    expect(log.locator("p")).to_have_count(2)

    tab = black.context.new_page()
    tab.goto(black.page.url)
    expect(tab.locator("#talk-log")).to_contain_text(line)
    switch = black.page.get_by_role("switch", name="Chat")
    expect(switch).to_have_text("on")
    switch.click()
    expect(switch).to_have_text("off")
    for each in (black.page, tab):
        expect(each.locator("#talk-log")).to_be_empty()
        expect(each.locator("#talk-form")).to_be_hidden()
    black.page.reload()
    expect(switch).not_to_be_checked()
    switch.click()
    for each in (black.page, tab):
        expect(each.locator("#talk-log")).to_contain_text(line)
    tab.close()

    for _ in range(5):
        white.page.locator("#talk-field").fill("again and again")
        white.page.locator("#talk-field").press("Enter")
        white.page.wait_for_timeout(50)
    expect(white.page.locator("#talk-note")).to_contain_text("wait a moment")
    expect(white.page.locator("#talk-field")).to_have_value("again and again")


def test_a_touched_piece_must_move_in_the_boxed_game(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black, rules="leaflet")
    push(white, 32)
    expect(white.square(32)).to_have_class(re.compile("touched"))
    expect(black.square(32)).to_have_class(re.compile("touched"))
    assert {move["from"] for move in white.legal} == {32}
    push(white, 33)
    expect(white.page.locator("#note")).to_contain_text("You have touched the piece on 32")
    white.page.reload()
    white.until("document.querySelector('draughts-board').moves.length > 0")
    assert {move["from"] for move in white.legal} == {32}
    expect(white.square(28)).to_have_class(re.compile("target"))
    expect(white.page.get_by_role("button", name="J’adoube")).to_be_disabled()
    push(white, 38)
    expect(white.page.locator("#note")).to_contain_text("You have touched the piece on 32")
    push(white, 23)
    expect(white.page.locator("#note")).to_contain_text("A man moves one square")
    play(white, 28)  # the touched piece is still in hand

    black.wait_for_ply(1)
    button(black, "J’adoube")
    expect(white.page.locator("#far .doing")).to_contain_text("j’adoube")
    expect(white.page.locator("#far .doing")).to_contain_text("first move in")
    push(black, 19)
    black.page.wait_for_timeout(300)
    assert len({move["from"] for move in black.legal}) > 1
    push(black, 19)
    button(black, "J’adoube")
    expect(white.page.locator("#far .doing")).not_to_contain_text("j’adoube")
    black.walk_to(18)
    black.page.keyboard.press("Enter")
    expect(white.square(18)).to_have_class(re.compile("touched"))
    black.walk_to(23)
    black.page.keyboard.press("Enter")
    white.wait_for_ply(2)
    assert white.texts == ["32-28", "18-23"]


def test_a_piece_is_dragged_through_its_own_touch(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black, rules="leaflet")
    white.square(32).drag_to(white.square(28))
    black.wait_for_ply(1)
    assert black.texts == ["32-28"]


def test_crown_and_continue_between_people(visit: Visits) -> None:
    white, black = visit(), visit()
    sit_down(white, black, "W:W15:B9,10,1", rules="club")
    play(white, 15, 36)
    black.wait_for_ply(1)
    for each in (white, black):
        expect(each.square(36).locator("[data-piece='white-king']")).to_have_count(1)
        expect(each.square(10).locator("[data-piece]")).to_have_count(0)


def test_a_premoved_capture_of_four_pieces(visit: Visits) -> None:
    white, black = visit(), visit()
    sit_down(white, black, FORCED)
    push(black, 13, 33)
    expect(black.page.locator("#note")).to_contain_text("Premove: 13x33")
    expect(black.square(33)).to_have_class(re.compile("premove"))
    push(white, 23, 18)
    white.wait_for_ply(2)
    black.wait_for_ply(2)
    assert white.texts == ["23-18", "13x33"]
    expect(black.page.locator("#note")).to_be_empty()
    for each in (white, black):
        for square in (18, 27, 37, 38):
            expect(each.square(square).locator("[data-piece]")).to_have_count(0)
        expect(each.square(33).locator("[data-piece='black-man']")).to_have_count(1)


def test_a_premove_may_name_its_way(visit: Visits) -> None:
    white, black = visit(), visit()
    sit_down(white, black, TWO_WAYS)
    push(white, 47, 38, 24, 13, 36)
    expect(white.page.locator("#note")).to_contain_text("47x38x24x13x36")
    push(black, 1, 6)
    white.wait_for_ply(2)
    white.until("document.querySelector('draughts-board').position.startsWith('B:')")
    assert Board(white.fen).pieces(Color.BLACK) == (6, 14)


def test_a_premove_that_several_moves_fit_is_left_to_the_person(visit: Visits) -> None:
    white, black = visit(), visit()
    sit_down(white, black, TWO_WAYS)
    push(white, 47, 36)
    push(black, 1, 6)
    expect(white.page.locator("#note")).to_contain_text("Several moves fit your premove 47x36")
    assert white.texts == ["1-6"]
    play(white, 47, 38, 24, 13, 36)


def test_a_premove_is_cancelled_by_hand_or_by_what_comes(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black)
    note = black.page.locator("#note")
    chosen = "document.querySelector('draughts-board').premove.length"

    def choose() -> None:
        push(black, 19, 23)
        expect(note).to_contain_text("Premove: 19-23")

    choose()
    black.page.keyboard.press("Escape")
    expect(note).to_be_empty()
    choose()
    button(black, "Cancel")
    expect(note).to_be_empty()
    choose()
    push(black, 23)
    expect(note).to_be_empty()
    choose()
    push(black, 18, 22)
    expect(note).to_contain_text("Premove: 18-22")
    push(black, 26)
    expect(note).to_be_empty()
    assert black.page.evaluate(chosen) == 0
    black.square(19).drag_to(black.square(23))
    expect(note).to_contain_text("Premove: 19-23")
    play(white, 32, 28)
    white.wait_for_ply(2)
    black.wait_for_ply(2)
    push(black, 17, 21)
    push(white, 28, 19)
    black.wait_for_ply(3)
    expect(note).to_contain_text("Your premove 17-21 is not possible here")
    assert black.texts == ["32-28", "19-23", "28x19"]


def test_a_lost_connection_between_people(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black)
    play(white, 32, 28)
    black.wait_for_ply(1)
    black.context.set_offline(True)
    push(black, 19, 23)
    expect(black.page.locator("#note")).to_contain_text("Your move will be sent", timeout=15_000)
    white.page.locator("#talk-field").fill("Are you there?")
    white.page.locator("#talk-field").press("Enter")
    assert white.texts == ["32-28"]
    black.context.set_offline(False)
    white.wait_for_ply(2)
    expect(black.page.locator("#note")).to_be_empty()
    expect(black.page.locator("#talk-log p")).to_have_count(1)
    play(white, 28, 19)
    black.wait_for_ply(3)
    play(black, 14, 23)
    white.wait_for_ply(4)
    assert white.texts == black.texts == ["32-28", "19-23", "28x19", "14x23"]


def test_a_server_killed_between_a_move_and_its_answer(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black)
    play(white, 32, 28)
    black.wait_for_ply(1)
    play(black, 19, 23)
    white.wait_for_ply(2)
    club = white.club
    port = int(club.address.rpartition(":")[2])
    os.kill(club.pid, signal.SIGSTOP)  # the move reaches the machine, and nobody reads it
    push(white, 28, 19)
    white.page.wait_for_timeout(300)
    club.kill()
    expect(black.page.locator("#note")).to_contain_text("The connection is lost", timeout=15_000)
    club.start(port)
    black.wait_for_ply(3)
    white.wait_for_ply(3)
    play(black, 14, 23)
    white.wait_for_ply(4)
    assert white.texts == black.texts == ["32-28", "19-23", "28x19", "14x23"]
    expect(white.page.locator("#note")).to_be_empty()


def test_who_leaves_can_be_claimed_against(visit: Visits) -> None:
    white, black = visit(), visit()
    invite(white, black, control="60")
    play(white, 32, 28)
    black.wait_for_ply(1)
    play(black, 19, 23)
    white.wait_for_ply(2)
    play(white, 28, 19)
    black.page.goto("about:blank")
    asks = white.page.locator("#asks")
    expect(asks).to_contain_text("Hilde has left. You may claim the game in")
    expect(white.page.locator("#far .dot")).to_have_class(re.compile("away"))
    expect(asks).to_contain_text("Claim a draw")
    button(white, "Claim the win")
    expect(white.page.locator("#result")).to_contain_text("Black left the game")


def test_time_that_runs_out_is_told_and_ends_the_game(visit: Visits) -> None:
    white, black = visit(), visit()
    page = white.page
    page.goto("/invite")
    page.locator("input[name=control][value=own]").check(force=True)
    page.locator("input[name=minutes]").fill("0.25")
    page.locator("input[name=increment]").fill("0")
    page.locator("input[name=color][value=white]").check(force=True)
    page.locator("main form button.primary").click()
    black.page.goto(page.locator("#link").input_value())
    black.page.locator("#accept button.primary").click()
    for each in (white, black):
        each.page.wait_for_url("**/games/*")
        each.wait_for_line()
    play(white, 32, 28)
    black.wait_for_ply(1)
    play(black, 19, 23)
    clock = page.locator("#near .clock")
    expect(clock).to_have_text(re.compile(r"^0:0\d\.\d$"))
    expect(clock).to_have_class(re.compile("low"))
    expect(page.locator("#told")).to_contain_text("seconds left")
    expect(page.locator("#result")).to_contain_text("White's time is up")
    expect(black.page.locator("#result")).to_contain_text("You won")
    expect(page.locator("#told")).to_be_empty()
    expect(black.page.locator("#far .clock")).to_have_text("0:00.0")


def test_a_game_on_phones(visit: Visits) -> None:
    white, black = visit(**PHONE), visit(**PHONE)
    invite(white, black)
    boxes = [each.page.locator("draughts-board").bounding_box() for each in (white, black)]
    white.square(32).tap()
    white.square(28).tap()
    black.wait_for_ply(1)
    black.square(19).tap()
    black.square(23).tap()
    white.wait_for_ply(2)

    black.page.locator("#talk-open").tap()
    black.page.locator("#talk-field").fill("Have fun")
    black.page.locator("#talk-field").press("Enter")
    expect(white.page.locator("#talk-unseen")).to_have_text("1")
    white.page.get_by_role("button", name="Chat, 1 new").tap()
    expect(white.page.locator("#talk-log")).to_contain_text("Have fun")
    white.page.keyboard.press("Escape")
    expect(white.page.locator("#talk")).to_be_hidden()
    expect(white.page.locator("#talk-unseen")).to_be_hidden()
    black.page.locator("#talk-close").tap()

    white.page.get_by_role("button", name="Offer draw").tap()
    white.page.get_by_role("button", name="Offer", exact=True).tap()
    accept = black.page.get_by_role("button", name="Accept")
    expect(accept).to_be_in_viewport(ratio=1)
    for each, box in zip((white, black), boxes, strict=True):
        assert each.page.locator("draughts-board").bounding_box() == box, "the board stays where it is"
        assert each.page.evaluate("document.documentElement.scrollWidth") <= 390
    accept.tap()
    expect(white.page.locator("#result")).to_contain_text("Draw by agreement")
    white.page.get_by_role("button", name="Rematch").tap()
    expect(black.page.get_by_role("button", name="Play again")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("locale", ["nl-NL", "fr-FR", "de-DE"])
def test_an_offer_fits_a_small_phone(visit: Visits, locale: str) -> None:
    white = visit()
    black = visit(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True, locale=locale)
    invite(white, black)
    play(white, 32, 28)
    black.wait_for_ply(1)
    button(white, "Offer draw")
    button(white, "Offer")
    answers = black.page.locator("#asks button")
    expect(answers).to_have_count(2)
    bar = black.page.locator("#actions").bounding_box()
    assert bar is not None
    for answer in answers.all():
        box = answer.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 320
        assert box["y"] + box["height"] <= bar["y"], "no answer lies under the actions"
    assert black.page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("locale", ["nl-NL", "fr-FR", "de-DE", "en-GB"])
def test_who_is_to_move_first_and_how_soon_can_be_read_on_a_small_phone(visit: Visits, locale: str) -> None:
    white = visit()
    black = visit(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True, locale=locale)
    invite(white, black)
    doing = black.page.locator(".strip.to-move .doing")
    expect(doing).to_contain_text(":")
    for part in (doing, black.page.locator(".strip.to-move .name")):
        assert part.evaluate("it => it.scrollWidth <= it.clientWidth"), part.inner_text()


@pytest.mark.parametrize(("width", "height"), [(390, 664), (320, 568)])
def test_two_questions_come_one_after_the_other_on_a_phone(visit: Visits, width: int, height: int) -> None:
    white = visit()
    black = visit(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True, locale="nl-NL")
    invite(white, black)
    play(white, 32, 28)
    black.wait_for_ply(1)
    button(white, "Offer draw")
    button(white, "Offer")
    button(white, "Take back")
    expect(black.page.locator("#asks .ask")).to_have_count(2)
    answers = black.page.locator("#asks button:visible")
    expect(answers).to_have_count(2)
    score, bar = (black.page.locator(place).bounding_box() for place in (".score", "#actions"))
    assert score is not None
    assert bar is not None

    def fits() -> None:
        for answer in answers.all():
            box = answer.bounding_box()
            assert box is not None
            assert score["y"] <= box["y"], "no higher than the moves"
            assert box["y"] + box["height"] <= bar["y"], "no answer lies under the actions"
            assert box["x"] + box["width"] <= width

    fits()
    answers.nth(1).tap()
    expect(black.page.locator("#asks .ask")).to_have_count(1)
    expect(black.page.locator("#asks")).to_contain_text("terugnemen")
    fits()
    answers.nth(0).tap()
    white.until("document.querySelectorAll('#moves [data-ply]').length === 0")
