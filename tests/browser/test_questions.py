"""Questions, reports and moderation in the browser: by keyboard, on the phone, and across several people's pages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.server.conftest import Person
from tests.server.members import logged_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Visit
    from tests.server.conftest import Server

PHONES = ({"width": 390, "height": 844}, {"width": 320, "height": 640})


def enter(visit: Visit, club: Server, **columns: Any) -> str:
    """Log a browser in as somebody who has been a member for long."""
    person = Person(club)
    with ThreadPoolExecutor(1) as thread:  # beside Playwright's own event loop
        name = thread.submit(logged_in, person, None, **{"joined": 0.0, **columns}).result()
    cookies = [{"name": key, "value": value, "url": club.address} for key, value in person.http.cookies.items()]
    visit.context.add_cookies(cookies)  # pyright: ignore[reportArgumentType]
    person.close()
    return name


def fits(visit: Visit) -> bool:
    return visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_asked_let_through_answered_voted_marked_reported_hidden_and_back(
    club: Server, visit: Callable[..., Visit]
) -> None:
    asker, keeper, reader = visit(), visit(), visit()
    enter(asker, club)
    enter(keeper, club, role="moderator")
    enter(reader, club)

    # asked by keyboard alone
    page = asker.page
    page.goto("/questions?topic=rules")
    page.get_by_text("Ask a question").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Your question, in one sentence").focus()
    page.keyboard.type("May a king stop behind the piece it takes?")
    page.keyboard.press("Tab")
    page.keyboard.type("Anywhere behind it, or next to it?")
    page.get_by_role("button", name="Send the question", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("A moderator reads it")
    address = page.url.partition("?")[0]
    reader.page.goto(address)
    expect(reader.page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    reader.errors.clear()  # the browser says so too

    # let through
    desk = keeper.page
    desk.goto("/moderation")
    desk.get_by_role("listitem").filter(has_text="stop behind").get_by_role("link").click()
    desk.get_by_label("Let it stand").check()
    desk.get_by_role("button", name="Do this").click()
    expect(desk.get_by_text("Let stand", exact=True)).to_be_visible()

    # answered, found good, marked
    desk.goto(address)
    desk.get_by_label("Your answer").fill("Anywhere behind it, as far as the way is free.")
    desk.get_by_role("button", name="Send the answer", exact=True).click()
    reader.page.reload()
    vote = reader.page.get_by_role("button", name="Helpful").last
    vote.focus()
    reader.page.keyboard.press("Enter")
    expect(reader.page.get_by_role("button", name="Helpful").last).to_have_attribute("aria-pressed", "true")
    page.goto(address)
    page.get_by_role("button", name="Mark as answered").click()
    expect(page.get_by_text("Answered", exact=True)).to_be_visible()

    # reported, hidden, and back
    reader.page.get_by_role("link", name="Report").last.click()
    reader.page.get_by_label("It does not belong here").check()
    reader.page.get_by_role("button", name="Report").click()
    expect(reader.page.get_by_role("status")).to_contain_text("A moderator will look at it")
    # the answer is the moderator's own: another one has to look at it
    desk.goto("/moderation")
    expect(desk.get_by_text("Nothing waits")).to_be_visible()
    other = visit()
    enter(other, club, role="administrator")
    second = other.page
    second.goto("/moderation")
    second.get_by_role("listitem").filter(has_text="as far as").get_by_role("link").click()
    second.get_by_label("Hide it").check()
    second.get_by_role("button", name="Do this").click()
    reader.page.goto(address)
    expect(reader.page.get_by_text("as far as the way is free")).to_have_count(0)
    expect(reader.page.get_by_role("status")).to_contain_text("has been looked at")
    reader.page.get_by_role("button", name="Close").click()
    expect(reader.page.get_by_text("has been looked at")).to_have_count(0)
    second.goto("/moderation/log")
    second.get_by_role("button", name="Undo Hidden").first.click()
    reader.page.goto(address)
    expect(reader.page.get_by_text("as far as the way is free")).to_be_visible()


def test_a_warning_is_read_before_anything_else(club: Server, visit: Callable[..., Visit]) -> None:
    member, keeper = visit(), visit()
    name = enter(member, club)
    enter(keeper, club, role="moderator")
    keeper.page.goto(f"/@/{name}")
    keeper.page.get_by_role("link", name="Moderate").click()
    for action in ("Warn", "Take the name away"):
        keeper.page.get_by_label(action).check()
    keeper.page.get_by_label("Words to whom").fill("Please choose a name that nobody minds.")
    keeper.page.get_by_role("button", name="Do this").click()
    page = member.page
    page.goto("/questions")
    expect(page.get_by_text("Please choose a name")).to_be_visible()
    page.get_by_role("button", name="I have read this").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Take this name").click()
    expect(page.get_by_role("alert")).to_contain_text("could not stay")
    member.errors.clear()
    page.get_by_label("Name", exact=True).fill(f"N{name}"[:20])
    page.get_by_role("button", name="Take this name").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Questions")


@pytest.mark.parametrize("language", ["nl", "fr", "de"])
def test_the_pages_fit_the_phone(club: Server, visit: Callable[..., Visit], language: str) -> None:
    for size in PHONES:
        keeper = visit(viewport=size)
        name = enter(keeper, club, role="moderator")
        other = visit()
        known = enter(other, club)
        for path in (
            "/questions",
            f"/report?what=member&of={known}",
            "/moderation",
            "/moderation/log",
            f"/@/{known}",
            "/account",
        ):
            keeper.page.goto(f"/{language}{path}")
            assert fits(keeper), (path, size, name)
