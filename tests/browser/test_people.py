"""Members in the browser: their pages, friends and blocked ones, and their names at the board."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.server.conftest import Person
from tests.server.members import PASSWORD, logged_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.browser.conftest import Visit
    from tests.server.conftest import Server

PHONES = ({"width": 390, "height": 844}, {"width": 320, "height": 640})


def made(person: Person) -> str:
    """A member, made beside Playwright's own event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(logged_in, person).result()


@pytest.fixture
def other(club: Server) -> Iterator[tuple[Person, str]]:
    person = Person(club)
    yield person, made(person)
    person.close()


def enter(visit: Visit, club: Server) -> str:
    """Log a browser in as somebody new."""
    person = Person(club)
    name = made(person)
    cookies = [{"name": key, "value": value, "url": club.address} for key, value in person.http.cookies.items()]
    visit.context.add_cookies(cookies)  # pyright: ignore[reportArgumentType]
    person.close()
    return name


def fits(visit: Visit) -> bool:
    return visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_by_keyboard_alone_somebody_is_followed_found_and_followed_no_longer(
    club: Server, visit: Callable[..., Visit], other: tuple[Person, str]
) -> None:
    own = visit()
    enter(own, club)
    page, name = own.page, other[1]
    page.goto(f"/@/{name.lower()}")
    assert page.url.endswith(f"/@/{name}")
    page.get_by_role("button", name=f"Follow {name}", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name=f"Unfollow {name}").wait_for()
    page.goto("/")
    page.get_by_role("link", name="Your friends").click()
    page.get_by_role("link", name=name, exact=True).wait_for()
    page.get_by_role("button", name=f"Unfollow {name}").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Those whom you follow will stand here").wait_for()


def test_an_opponents_name_leads_to_the_page_and_not_away_from_the_game(
    club: Server, visit: Callable[..., Visit], other: tuple[Person, str]
) -> None:
    own = visit()
    enter(own, club)
    person, name = other
    invitation = person.post("/invitations", control="300+3", rules="official", color="white", public="on")
    page = own.page
    page.goto(invitation.headers["location"])
    page.get_by_role("button", name="Play").first.click()
    page.wait_for_url("**/games/*")
    own.wait_for_line()
    assert page.locator("#near .name").get_attribute("href") is None
    with own.context.expect_page() as opened:
        page.locator("#far").get_by_role("link", name=name).click()
    opened.value.get_by_role("heading", name=name).wait_for()
    assert "/games/" in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone(
    club: Server, visit: Callable[..., Visit], other: tuple[Person, str], scheme: str
) -> None:
    own = visit(viewport=PHONES[0], color_scheme=scheme)
    name = enter(own, club)
    own.page.goto(f"/@/{other[1]}")
    own.page.get_by_role("button", name=f"Follow {other[1]}", exact=True).click()
    own.page.get_by_role("button", name=f"Unfollow {other[1]}").wait_for()
    for size in PHONES:
        own.page.set_viewport_size(size)  # pyright: ignore[reportArgumentType]
        for path in (f"/@/{name}", f"/@/{other[1]}", "/friends", "/account", "/account/delete", "/goodbye", "/"):
            own.page.goto(path)
            assert fits(own), (path, size)


def test_an_account_ends_with_its_password(club: Server, visit: Callable[..., Visit]) -> None:
    own = visit()
    name = enter(own, club)
    page = own.page
    page.goto("/account")
    page.get_by_role("link", name="Delete my account …").click()
    page.get_by_label("To confirm, your password").fill(PASSWORD)
    page.get_by_role("button", name="Delete my account").click()
    page.get_by_role("heading", name="Your account is deleted").wait_for()
    page.get_by_role("link", name="To the front page").click()
    page.get_by_text("You play as Guest").wait_for()
    assert name not in page.content()
