"""Members find each other: by quick pairing, by the list of open games, by a challenge; and their ratings change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2.profiles import CHEAPEST
from playwright.sync_api import Route, expect

from damier.server import database
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.service import Accounts
from damier.server.people import People
from damier.server.settings import Settings, read_secret
from damier.server.visitors import Visitors

from .conftest import Visit

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PASSWORD = "a long enough password for tests"


def log_in(visit: Visit, name: str) -> None:
    """Make a member of this name, and have the browser logged in."""

    async def join() -> str:
        engine = database.open_engine(Settings(visit.club.data))
        passwords = Passwords(CHEAPEST)
        accounts = Accounts(engine, passwords)
        await People(engine).keep(f"id-of-{name}")
        await accounts.join(f"id-of-{name}", name, PASSWORD)
        token = await accounts.log_in(name, PASSWORD, "a browser of tests")
        passwords.close()
        await engine.dispose()
        assert token is not None
        return token

    # Playwright's own event loop runs in this thread.
    with ThreadPoolExecutor(1) as thread:
        token = thread.submit(asyncio.run, join()).result()
    name_of_cookie = Visitors(read_secret(visit.club.data)).session_cookie_name
    visit.context.add_cookies([{"name": name_of_cookie, "value": token, "url": visit.club.address}])


def test_two_members_are_paired_and_their_ratings_change(visit: Callable[..., Visit]) -> None:
    anna, ben, watcher = visit(), visit(**PHONE), visit()
    log_in(anna, "Anna")
    log_in(ben, "Ben-Bakker")
    for each in (anna, ben):
        each.page.goto("/")
    anna.page.get_by_role("button", name="5+3").click()
    expect(anna.page.locator("#searching")).to_contain_text("Searching: 5+3")
    expect(anna.page.locator("#searching-count")).to_have_text("Nobody else is searching for this yet.")
    expect(anna.page.get_by_role("button", name="Cancel")).to_be_focused()
    # another queue, and back
    ben.page.get_by_role("button", name="3+2").click()
    ben.page.get_by_role("button", name="Cancel").click()
    expect(ben.page.locator("#searching")).to_be_hidden()
    ben.page.get_by_role("button", name="5+3").click()
    for each in (anna, ben):
        each.page.wait_for_url("**/games/*")
        each.wait_for_line()
    assert anna.page.url == ben.page.url
    watcher.page.goto(anna.page.url)
    for each in (anna, ben, watcher):
        expect(each.page.locator("#kind")).to_contain_text("Rated")
        expect(each.page.locator("#near .rating")).to_contain_text("1500?")
    white, black = (anna, ben) if anna.legal else (ben, anna)
    white.click(white.legal[0])
    black.wait_for_turn()
    black.click(black.legal[0])
    white.wait_for_turn()
    white.page.get_by_role("button", name="Resign").click()
    white.page.locator("#confirm-yes").click()
    for each in (anna, ben, watcher):
        expect(each.page.locator(".rating .change.lost")).to_have_text("−162")
        expect(each.page.locator(".rating .change:not(.lost)")).to_have_text("+162")
        each.page.reload()
        expect(each.page.locator(".rating .change.lost")).to_have_text("−162")
    expect(black.page.locator("#near .rating")).to_contain_text("1662?")


def test_a_challenge_is_declined_with_a_phrase(visit: Callable[..., Visit]) -> None:
    anna, ben = visit(), visit(**PHONE)
    log_in(anna, "Anna")
    log_in(ben, "Ben-Bakker")
    ben.page.goto("/now")
    anna.page.goto("/challenge/Ben-Bakker")
    anna.page.locator("label.tile", has_text="15+5").click()
    anna.page.get_by_role("button", name="Challenge").click()
    anna.page.wait_for_url("**/my-games")
    expect(anna.page.locator(".offers")).to_contain_text("You challenge Ben-Bakker")
    notice = ben.page.locator(".notice")
    expect(notice).to_contain_text("Anna challenges you")
    expect(notice).to_contain_text("Rapid 15+5 · International · Rated")
    notice.get_by_label("Answer").select_option(label="That is too slow for me: let us play faster.")
    notice.get_by_role("button", name="Decline").click()
    expect(anna.page.locator(".notice")).to_contain_text("Ben-Bakker has declined your challenge.")
    expect(anna.page.locator(".notice q")).to_have_text("That is too slow for me: let us play faster.")
    expect(ben.page.locator(".notice")).to_have_count(0)


@pytest.mark.parametrize("how", ["accept", "decline"])
def test_a_challenge_that_is_answered_before_the_page_can_hear_of_it(visit: Callable[..., Visit], how: str) -> None:
    """A bot is that fast."""
    anna, ben = visit(), visit()
    log_in(anna, "Anna")
    log_in(ben, "Ben-Bakker")
    held: list[Route] = []
    anna.page.goto("/challenge/Ben-Bakker")
    anna.page.route("**/lobby*.js", lambda route: held.append(route))  # noqa: PLW0108 (Playwright wants a function of its own)
    anna.page.get_by_role("button", name="Challenge").click(no_wait_after=True)
    ben.page.goto("/my-games")
    offer = ben.page.locator(f"form[action$='/{how}']")
    expect(offer).to_have_count(1)
    if how == "decline":
        offer.locator("select").select_option("later")
    offer.get_by_role("button").click()
    expect(ben.page.locator(".offers form")).to_have_count(0)
    assert held
    for each in held:
        each.continue_()
    anna.page.unroute_all()
    if how == "accept":
        anna.page.wait_for_url("**/games/*")
        anna.wait_for_line()
        # who leaves the game is not led back to it
        anna.page.goto("/my-games")
        assert anna.page.evaluate("sessionStorage.getItem('damier-sent')") == "[]"
    expect(anna.page.locator(".notice")).to_have_count(0 if how == "accept" else 1)
    if how == "decline":
        expect(anna.page.locator(".notice q")).to_have_text("Perhaps later: ask me again.")
    assert anna.page.url == anna.club.address + "/my-games"


def test_an_open_game_is_accepted_by_a_guest(visit: Callable[..., Visit]) -> None:
    anna, guest = visit(), visit()
    log_in(anna, "Anna")
    guest.page.goto("/seeks")
    expect(guest.page.locator("#no-seeks")).to_be_visible()
    anna.page.goto("/seeks")
    anna.page.get_by_label("Rated").uncheck()
    anna.page.get_by_role("button", name="Put it on the list").click()
    offer = guest.page.locator("#seeks .offer")
    expect(offer).to_contain_text("Rapid 10+5")
    expect(offer).to_contain_text("Anna")
    expect(anna.page.locator("#seeks .offer")).to_contain_text("Your own")
    offer.get_by_role("button", name="Play").click()
    for each in (anna, guest):
        each.page.wait_for_url("**/games/*")
        each.wait_for_line()
    expect(anna.page.locator("#kind")).to_contain_text("Casual")


def test_without_script_the_buttons_lead_to_the_list(visit: Callable[..., Visit]) -> None:
    guest = visit(java_script_enabled=False)
    guest.page.goto("/")
    guest.page.get_by_role("button", name="5+3").click()
    guest.page.wait_for_url("**/seeks?*")
    expect(guest.page.locator("input[name=control]:checked")).to_have_value("300+3")
    guest.page.get_by_role("button", name="Put it on the list").click()
    expect(guest.page.locator("#seeks .offer")).to_contain_text("Blitz 5+3")
    guest.page.get_by_role("button", name="Withdraw").click()
    expect(guest.page.locator("#seeks .offer")).to_have_count(0)
