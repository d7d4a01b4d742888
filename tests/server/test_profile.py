"""A member's own page, and where names of members lead to it."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from sqlalchemy import insert, update

from damier.record import Player
from damier.server import database
from damier.server.lobby import lists
from damier.server.localized import date
from damier.server.play.view import player_name
from damier.server.settings import Settings
from damier.server.tables import person as persons
from damier.server.tables import rating
from tests.server.members import ClubHouse, club_houses, logged_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.server.conftest import Person, Server

DAY = 86_400.0


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ClubHouse]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url)) as [only]:
        await only.member("anna", "Anna")
        yield only


def rated(who: str, rules: str, speed: str, **values: Any) -> dict[str, Any]:
    fields = {"value": 1812.4, "deviation": 60.0, "volatility": 0.06, "games": 40, "at": 0.0}
    return {"person": who, "rules": rules, "speed": speed, **fields, **values}


async def test_ratings_are_shown_as_they_stand_today(house: ClubHouse) -> None:
    now = house.time.now
    async with house.engine.begin() as connection:
        for row in (
            rated("anna", "official", "rapid", at=now - 2 * 365 * DAY),
            rated("anna", "official", "blitz", at=now),
            rated("anna", "club", "blitz", at=now, deviation=200.0, games=2, value=1499.6),
            rated("anna", "club", "rapid", at=now, games=0),
        ):
            await connection.execute(insert(rating).values(**row))
    standings = await house.profiles.standings("anna")
    # one that is old is sure no longer, one without games is none
    assert [(str(each.pool), each.text) for each in standings] == [
        ("official/blitz", "1812"),
        ("official/rapid", "1812?"),
        ("club/blitz", "1500?"),
    ]
    assert await house.profiles.standings("nobody") == []
    assert await house.profiles.joined("anna") == now
    assert await house.profiles.joined("nobody") is None


async def test_only_public_games_with_moves_are_on_the_page(house: ClubHouse) -> None:
    shown = await house.game()
    private, unmoved = await house.game(is_public=False), await house.game()
    for each in (shown, private):
        await house.move(each)
    assert [each.id for each in await lists.public_of(house.engine, "anna", 8)] == [shown]
    assert [each.id for each in await lists.public_of(house.engine, "ben", 8)] == [shown]
    assert unmoved not in [each.id for each in await lists.public_of(house.engine, "anna", 8)]
    [summary] = await lists.public_of(house.engine, "ben", 8)
    assert lists.card(summary, None, "en", of="ben").orientation == "black"
    assert lists.card(summary, None, "en", of="anna").orientation == "white"


# --- The page ----------------------------------------------------------------------------------------------------


def test_everybody_sees_a_members_page(people: Callable[..., Person]) -> None:
    member, guest = people(), people()
    name = logged_in(member, role="moderator")
    page = guest.http.get(f"/@/{name}")
    assert page.status_code == 200
    assert f"<h1>{name}</h1>" in page.text
    assert "Moderator" in page.text
    assert f"Member since {date(time.time(), 'en')}" in page.text
    assert "No rated game yet." in page.text
    assert "not online" in page.text
    # what is for members alone
    assert "/follow" not in page.text
    assert "/challenge/" not in page.text
    mine = member.http.get(f"/@/{name}").text
    assert 'href="/account"' in mine
    assert "/follow" not in mine


def test_names_that_look_alike_lead_to_the_right_spelling(people: Callable[..., Person]) -> None:
    member, guest = people(), people()
    name = logged_in(member)
    for typed in (name.lower(), name.upper(), name.replace("m", "\u217f"), f"{name[:3]}-{name[3:]}"):
        answer = guest.http.get(f"/@/{quote(typed)}")
        assert (answer.status_code, answer.headers["location"]) == (302, f"/@/{name}"), typed


def test_a_name_in_another_alphabet_has_an_address(people: Callable[..., Person]) -> None:
    member = people()
    name = logged_in(member, "Щашки")
    page = member.http.get(f"/@/{quote(name)}")
    assert page.status_code == 200
    assert f"<h1>{name}</h1>" in page.text
    answer = member.http.get(f"/@/{quote(name.lower())}")
    assert answer.headers["location"] == f"/@/{quote(name)}"


@pytest.mark.parametrize("name", ["nobody-here", "%00", "..%2f..", "%ff%fe", "<script>", "x" * 3000, " ", "-", "@"])
def test_of_nobody_there_is_no_page(person: Person, name: str) -> None:
    answer = person.http.get(f"/@/{name}")
    assert answer.status_code in (400, 404)
    assert "<script>alert" not in answer.text


def test_a_guests_name_is_no_page(person: Person) -> None:
    name = f"Guest{time.time_ns() % 10**9}"
    person.post("/name/choose", name=name)
    assert person.http.get(f"/@/{name}").status_code == 404


def test_a_bot_bears_a_sign_everywhere(people: Callable[..., Person], server: Server) -> None:
    owner, guest = people(), people()
    name = logged_in(owner)

    async def make_bot() -> None:
        engine = database.open_engine(Settings(server.data))
        async with engine.begin() as connection:
            await connection.execute(update(persons).where(persons.c.name == name).values(kind="bot"))
        await engine.dispose()

    asyncio.run(make_bot())
    invitation = owner.post("/invitations", control="300+3", rules="official", color="white", public="on")
    game = guest.post(f"{invitation.headers['location']}/accept").headers["location"]
    page = guest.http.get(f"/@/{name}").text
    assert ">BOT</b>" in page
    state = guest.page_state(game)
    assert state["players"]["white"] == {"kind": "bot", "name": name, "level": None, "url": f"/@/{name}"}
    assert state["players"]["black"]["url"] is None
    mini = re.search(r'<span class="who bot">[^<]*</span><b class="sign">BOT</b>', guest.http.get("/my-games").text)
    assert mini


def test_a_former_member_is_called_so() -> None:
    assert player_name(Player("gone", id="x"), "en") == "Former member"


def test_the_date_of_joining_is_told(people: Callable[..., Person]) -> None:
    member = people()
    name = logged_in(member, joined=86_400.0 * 365)
    assert "Member since 1 Jan 1971" in member.http.get(f"/@/{name}").text
