"""Two people, each with a browser: one invites, the other opens the link; and what the pages before a game show."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def invite(page: Page, control: str = "5+3", rules: str = "Crown and continue", side: str = "White") -> str:
    """Fill in the form; returns the link."""
    page.goto("/")
    page.get_by_role("link", name="Invite a friend").click()
    page.locator("label.tile", has_text=control).click()
    page.locator(".rules label", has_text=rules).first.click()
    page.locator(".sides label", has_text=side).click()
    page.get_by_role("button", name="Make the link").click()
    page.wait_for_url("**/i/*")
    return page.get_by_label("Link of the invitation").input_value()


def test_a_friend_accepts_on_a_phone_and_both_are_at_the_board(visit: Callable[..., Visit]) -> None:
    host, friend = visit(), visit(**PHONE)
    link = invite(host.page)
    assert host.page.locator("svg.qr path").last.get_attribute("d")
    friend.page.goto(link)
    expect(friend.page.locator("main")).to_contain_text("Blitz 5+3")
    expect(friend.page.locator("main")).to_contain_text("Crown and continue")
    friend.page.get_by_label("Your name").fill("Moderator")
    friend.page.get_by_role("button", name="Play").click()
    expect(friend.page.get_by_role("alert")).to_contain_text("kept for the club")
    friend.errors.clear()  # the browser says so too
    friend.page.get_by_label("Your name").fill("Tsizhov")
    friend.page.get_by_role("button", name="Play").click()
    friend.page.wait_for_url("**/games/*")
    host.page.wait_for_url("**/games/*")
    assert host.page.url == friend.page.url
    host.wait_for_line()
    expect(host.page.locator("main")).to_contain_text("Tsizhov")
    assert host.legal
    host.click(host.legal[0])
    friend.wait_for_ply(1)


def test_the_guest_sees_at_once_that_it_was_withdrawn(visit: Callable[..., Visit]) -> None:
    host, friend = visit(), visit()
    friend.page.goto(invite(host.page))
    expect(friend.page.get_by_role("button", name="Play")).to_be_visible()
    host.page.get_by_role("button", name="Withdraw").click()
    host.page.wait_for_url("**/invite")
    expect(friend.page.get_by_role("heading", level=1)).to_have_text("The invitation was withdrawn")
    expect(friend.page.get_by_role("button", name="Play")).to_have_count(0)


def test_the_host_sees_at_once_that_it_was_declined(visit: Callable[..., Visit]) -> None:
    host, friend = visit(), visit()
    friend.page.goto(invite(host.page))
    friend.page.get_by_role("button", name="No, thank you").click()
    expect(host.page.get_by_role("heading", level=1)).to_have_text("The invitation was declined")


def test_a_host_who_looks_elsewhere_is_led_to_the_game(visit: Callable[..., Visit]) -> None:
    host, friend = visit(), visit()
    link = invite(host.page)
    host.page.goto("/now")
    expect(host.page.locator("#numbers")).to_contain_text("0 games")
    friend.page.goto(link)
    friend.page.get_by_role("button", name="Play").click()
    friend.page.wait_for_url("**/games/*")
    expect(host.page.locator(".mini")).to_have_count(1)
    expect(host.page.locator("#numbers")).to_contain_text("1 game being played")
    expect(host.page.locator("#your-moves")).to_have_text("Your move: 1")
    assert host.page.title().startswith("(1) ")
    host.page.get_by_role("alert").get_by_role("link").click()
    assert host.page.url == friend.page.url


def test_the_link_can_be_copied(visit: Callable[..., Visit]) -> None:
    host = visit()
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = invite(host.page)
    host.page.get_by_role("button", name="Copy").click()
    expect(host.page.get_by_role("button", name="Copied")).to_be_visible()
    assert host.page.evaluate("navigator.clipboard.readText()") == link


def test_the_boards_of_a_watcher_follow_the_games(visit: Callable[..., Visit]) -> None:
    host, friend, watcher = visit(), visit(), visit()
    friend.page.goto(invite(host.page))
    friend.page.get_by_role("button", name="Play").click()
    host.page.wait_for_url("**/games/*")
    host.wait_for_line()
    watcher.page.goto("/")
    expect(watcher.page.locator(".featured")).to_contain_text("Guest – Guest")
    host.click(host.legal[0])
    friend.wait_for_ply(1)
    friend.click(friend.legal[0])
    host.wait_for_ply(2)
    watcher.until(f"document.querySelector('#board').position === {host.fen!r}")
    watcher.page.goto("/now")
    watcher.page.locator(".mini").click()
    watcher.page.wait_for_url(host.page.url)


def test_the_whole_way_without_script(visit: Callable[..., Visit]) -> None:
    host, friend = visit(java_script_enabled=False), visit(java_script_enabled=False)
    link = invite(host.page, control="Correspondence")
    assert re.fullmatch(r"http://\S+/i/\w{12}", link)
    expect(host.page.get_by_role("button", name="Copy")).to_have_count(0)
    friend.page.goto(link)
    friend.page.get_by_role("button", name="Play").click()
    friend.page.wait_for_url("**/games/*")
    host.page.wait_for_url("**/games/*")  # its page asks every few seconds
    host.page.goto("/my-games")
    expect(host.page.locator(".mini svg")).to_be_visible()
    expect(host.page.locator(".mini")).to_contain_text("Your move · 2 days left · 3 days a move")
    host.page.goto("/now")
    expect(host.page.locator(".mini svg")).to_be_visible()


def test_my_games_are_sorted_anew_when_the_opponent_has_moved(visit: Callable[..., Visit]) -> None:
    host, friend = visit(), visit()
    friend.page.goto(invite(host.page, control="No clock", side="Black"))
    friend.page.get_by_role("button", name="Play").click()
    friend.page.wait_for_url("**/games/*")
    friend.wait_for_line()
    host.page.wait_for_url("**/games/*")
    host.page.goto("/my-games")
    expect(host.page.locator("#theirs")).to_be_visible()
    friend.click(friend.legal[0])
    expect(host.page.locator("#yours")).to_be_visible()
    expect(host.page.locator("#theirs")).to_have_count(0)
    assert host.page.evaluate("document.querySelector('.mini draughts-board').position") == friend.fen


def test_the_form_is_filled_in_by_keyboard(visit: Callable[..., Visit]) -> None:
    host = visit()
    host.page.goto("/invite")
    host.page.locator("input[name=control]:checked").focus()
    for _ in range(4):
        host.page.keyboard.press("ArrowRight")  # past the last of those offered
    expect(host.page.get_by_label("Minutes")).to_be_visible()
    host.page.keyboard.press("Tab")
    host.page.keyboard.type("7")
    host.page.get_by_label("Minutes").press("Enter")
    host.page.wait_for_url("**/i/*")


def test_a_page_says_what_is_wrong_with_a_time(visit: Callable[..., Visit]) -> None:
    host = visit(java_script_enabled=False)
    host.page.goto("/invite")
    host.page.locator("label.tile", has_text="Your own").click()
    host.page.get_by_label("Minutes").fill("0")
    host.page.get_by_label("Seconds a move").fill("0")
    host.page.get_by_role("button", name="Make the link").click()
    expect(host.page.get_by_role("alert")).to_contain_text("3 seconds to 180 minutes")
    expect(host.page.get_by_label("Minutes")).to_have_value("0")
    host.errors.clear()


@pytest.mark.parametrize("locale", ["en-GB", "nl-NL", "fr-FR", "de-DE"])
def test_at_a_desk_the_whole_form_is_seen_without_scrolling(visit: Callable[..., Visit], locale: str) -> None:
    me = visit(locale=locale, viewport={"width": 1440, "height": 900})
    me.page.goto("/invite")
    me.page.locator("input[value='own']").check(force=True)
    expect(me.page.locator("main form .primary")).to_be_in_viewport(ratio=1)
