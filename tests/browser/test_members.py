"""Members in a real browser: joining with the games that were played, passkeys, logging out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.conftest import Visit
from tests.server.conftest import Server

pytestmark = pytest.mark.browser
PASSWORD = "a shot in the main road"


@pytest.fixture
def at_home(club: Server, chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """As ``visit``, at an address with a name: passkeys belong to one."""
    club.address = club.address.replace("127.0.0.1", "localhost")
    visits: list[Visit] = []

    def make(**options: object) -> Visit:
        visits.append(Visit(club, chromium, **options))
        return visits[-1]

    yield make
    for each in visits:
        each.close()


def device(visit: Visit) -> tuple[CDPSession, str]:
    """Give a browser a device that makes passkeys, and whose owner always agrees."""
    session = visit.context.new_cdp_session(visit.page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def join(page: Page, name: str, path: str = "/join") -> None:
    page.goto(path)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Become a member").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_guest_becomes_a_member_and_plays_on(visit: Callable[..., Visit]) -> None:
    anna = visit()
    anna.start()
    game = anna.page.url
    anna.click(anna.any_move())
    anna.page.goto("/my-games")
    anna.page.get_by_role("link", name="keep your games").click()
    anna.page.get_by_label("Name").fill("Anna")
    anna.page.get_by_label("Password").fill("short")
    anna.page.get_by_role("button", name="Become a member").click()
    password = anna.page.get_by_label("Password")
    expect(password).to_be_focused()
    expect(password).to_have_attribute("aria-invalid", "true")
    expect(password).to_have_accessible_description(re.compile("10 to 200 characters"))
    password.fill(PASSWORD)
    anna.page.get_by_role("button", name="Become a member").click()
    anna.page.wait_for_url("**/my-games")
    expect(anna.page.locator("main")).to_contain_text("You play as Anna")
    anna.errors = [each for each in anna.errors if "422" not in each]
    anna.page.goto(game)
    anna.wait_for_line()
    assert anna.wait_for_turn()
    anna.click(anna.any_move())
    # from another device the game goes on too
    elsewhere = visit()
    elsewhere.page.goto(f"/log-in?next=/games/{game.rpartition('/')[2]}")
    elsewhere.page.get_by_label("Name").fill("anna")
    elsewhere.page.get_by_label("Password").fill(PASSWORD)
    elsewhere.page.get_by_role("button", name="Log in", exact=True).click()
    elsewhere.page.wait_for_url(game)
    elsewhere.wait_for_line()
    assert elsewhere.wait_for_turn()
    elsewhere.click(elsewhere.any_move())


def test_a_passkey_makes_a_member_and_lets_the_member_in(at_home: Callable[..., Visit]) -> None:
    anna = at_home()
    session, authenticator = device(anna)
    page = anna.page
    page.goto("/join")
    page.get_by_label("Name").fill("x")
    page.get_by_role("button", name="Join with a passkey").click()
    expect(page.get_by_label("Name")).to_be_focused()
    expect(page.get_by_label("Name")).to_have_accessible_description(re.compile("3 to 20 letters"))
    page.get_by_label("Name").fill("Anna")
    page.get_by_role("button", name="Join with a passkey").click()
    expect(page.get_by_role("link", name="Anna")).to_be_visible()
    [kept] = session.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]
    assert kept["isResidentCredential"]
    assert kept["rpId"] == "localhost"

    page.goto("/account")
    expect(page.locator("#password")).to_contain_text("You have none")
    # the last way in stays
    page.locator("#passkeys summary").click()
    page.get_by_role("button", name="Remove this passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("This is how you log in")
    page.goto("/account")
    page.locator("#passkeys summary").click()
    page.get_by_label("Name of this passkey").fill("my  phone")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("#passkeys")).to_contain_text("my phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("#passkey-problem")).to_contain_text("has a passkey for you already")

    page.get_by_role("button", name="Log out", exact=True).click()
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    page.goto("/log-in?next=/now")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url("**/now")
    expect(page.get_by_role("link", name="Anna")).to_be_visible()
    page.goto("/account")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("status")).to_contain_text("password is set")
    page.locator("#passkeys summary").click()
    page.get_by_role("button", name="Remove this passkey").click()
    expect(page.get_by_role("status")).to_contain_text("removed")
    page.get_by_role("button", name="Log out", exact=True).click()
    page.goto("/log-in")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("does not know that passkey")
    anna.errors = [each for each in anna.errors if "422" not in each]


def test_logging_out_everywhere_ends_what_is_open(visit: Callable[..., Visit]) -> None:
    here, there = visit(), visit()
    here.start()
    game = here.page.url
    join(here.page, "Anna", "/join")
    there.page.goto("/log-in?next=" + game.partition("/games")[1] + game.partition("/games")[2])
    there.page.get_by_label("Name").fill("Anna")
    there.page.get_by_label("Password").fill(PASSWORD)
    there.page.get_by_role("button", name="Log in", exact=True).click()
    there.page.wait_for_url(game)
    there.wait_for_line()
    assert there.wait_for_turn()
    idle = there.context.new_page()
    idle.goto("/now")
    expect(idle.get_by_role("link", name="Anna")).to_be_visible()
    idle.wait_for_timeout(500)  # its socket opens
    here.page.goto("/account")
    expect(here.page.locator("#sessions li")).to_have_count(2)
    here.page.get_by_role("button", name="Log out everywhere").click()
    expect(here.page.get_by_role("link", name="Log in")).to_be_visible()
    # both pages load anew by themselves, and are a stranger's
    expect(idle.get_by_role("link", name="Log in")).to_be_visible()
    expect(there.page.get_by_role("link", name="Log in")).to_be_visible()
    there.wait_for_line()
    assert there.legal == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_pages_fit(visit: Callable[..., Visit], width: int) -> None:
    anna = visit(viewport={"width": width, "height": 800})
    for path in ("/", "/join", "/log-in", "/recover", "/recover/nothing", "/my-games"):
        anna.page.goto(path)
        assert fits(anna.page), path
    anna.errors.clear()  # the link that opens nothing
    join(anna.page, "A" * 20)
    for path in ("/", "/account", "/my-games"):
        anna.page.goto(path)
        assert fits(anna.page), path
