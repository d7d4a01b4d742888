"""The daily letter: to whom, when, in which language, once, and how it ends."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from damier.clock import TimeControl
from damier.record import Player
from damier.rules import OFFICIAL
from damier.server.accounts.daily import DAY, DailyLetters, letter
from damier.server.database import open_engine
from damier.server.mail import Mailer, NotSent
from damier.server.settings import Settings, read_secret
from damier.server.tables import account, person
from tests.server.members import ClubHouse, club_houses, logged_in, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from tests.server.conftest import Person, Server

ADDRESS = "https://club.example"


def days(number: int) -> str:
    """The time control of a game by correspondence."""
    return TimeControl.correspondence(number).to_pdn()


class Post(Mailer):
    """A post office that keeps the letters. ``away``: it takes none."""

    def __init__(self) -> None:
        super().__init__(None, "Damier <club@club.example>")
        self.letters: list[tuple[str, str, str, Mapping[str, str]]] = []
        self.away = False

    async def send(self, to: str, subject: str, text: str, headers: Mapping[str, str] | None = None) -> None:
        await asyncio.sleep(0.01)
        if self.away:
            raise NotSent("The letter could not be sent. Try again later.")
        self.letters.append((to, subject, text, headers or {}))


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ClubHouse]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url)) as [only]:
        await only.member("anna", "Anna", email="anna@club.example", daily=True)
        yield only


@pytest.fixture
def post() -> Post:
    return Post()


def letters(house: ClubHouse, post: Post, address: str | None = ADDRESS) -> DailyLetters:
    return DailyLetters(house.engine, post, address, b"a secret of the club", house.time)


async def test_who_is_to_move_by_correspondence_is_written_to(house: ClubHouse, post: Post) -> None:
    game_id = await house.game(days(3))
    daily = letters(house, post)
    assert await daily.send_all() == 1
    [(to, subject, text, headers)] = post.letters
    assert to == "anna@club.example"
    assert subject == "A game waits for your move"
    assert "Hello Anna," in text
    assert f"{ADDRESS}/games/{game_id}" in text
    assert "Guest · move 1 · 3 days left" in text
    stop = f"{ADDRESS}{daily.stop_path('anna')}"
    assert text.rstrip().endswith(stop)
    assert headers["List-Unsubscribe"] == f"<{stop}>"


async def test_there_is_one_letter_a_day(house: ClubHouse, post: Post) -> None:
    await house.game(days(3))
    daily = letters(house, post)
    assert [await daily.send_all() for _ in range(2)] == [1, 0]
    house.time.now += DAY - 1
    assert await daily.send_all() == 0
    house.time.now += 1
    assert await daily.send_all() == 1


async def test_of_several_processes_one_writes(house: ClubHouse, post: Post) -> None:
    await house.game(days(3))
    several = [letters(house, post) for _ in range(4)]
    assert sum(await asyncio.gather(*(each.send_all() for each in several))) == 1
    assert len(post.letters) == 1


@pytest.mark.parametrize(
    ("columns", "clock", "moves"),
    [
        ({"daily": False}, days(3), 0),
        ({"email": None}, days(3), 0),
        ({}, "300+3", 0),
        ({}, "-", 0),
        ({}, days(3), 1),  # it is the opponent's move
    ],
)
async def test_who_is_not_written_to(
    house: ClubHouse, post: Post, columns: dict[str, object], clock: str, moves: int
) -> None:
    if columns:
        async with house.engine.begin() as connection:
            await connection.execute(update(account).where(account.c.person == "anna").values(**columns))
    game_id = await house.game(clock)
    await house.move(game_id, times=moves)
    assert await letters(house, post).send_all() == 0
    # nor was a letter claimed that would have been due later
    async with house.engine.connect() as connection:
        assert (await connection.execute(select(account.c.daily_sent))).scalar_one() is None


async def test_a_letter_that_was_not_taken_is_sent_later(house: ClubHouse, post: Post) -> None:
    await house.game(days(3))
    daily = letters(house, post)
    post.away = True
    assert await daily.send_all() == 0
    post.away = False
    assert await daily.send_all() == 1


async def test_without_an_address_there_are_none_and_one_warning(
    house: ClubHouse, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    await house.game(days(3))
    daily = letters(house, post, address=None)
    with caplog.at_level(logging.WARNING):
        assert [await daily.send_all() for _ in range(3)] == [0, 0, 0]
    assert [record.getMessage() for record in caplog.records if "DAMIER_ADDRESS" in record.getMessage()] == [
        "Members want daily letters, but DAMIER_ADDRESS does not say where their links lead"
    ]
    assert post.letters == []


async def test_all_members_have_their_turn(house: ClubHouse, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("damier.server.accounts.daily.PAGE", 2)
    for number in range(5):
        await house.member(f"p{number}", f"Player{number}", email=f"p{number}@club.example", daily=True)
        await house.play.create_between(
            Player(id=f"p{number}"), Player(id="ben"), OFFICIAL, TimeControl.correspondence(2), is_public=False
        )
    assert await letters(house, post).send_all() == 5
    assert len({to for to, *_ in post.letters}) == 5


async def test_a_letter_names_the_most_urgent_and_counts_the_others(
    house: ClubHouse, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("damier.server.accounts.daily.MOST_GAMES", 2)
    slow, quick = await house.game(days(9)), await house.game(days(1))
    for _ in range(2):
        await house.game(days(14))
    waiting = await letters(house, post).waiting("anna")
    assert [each.id for each in waiting[:2]] == [quick, slow]
    subject, text = letter("Anna", waiting, ADDRESS, "/letters/x", "en", house.time.now)
    assert subject == "4 games wait for your move"
    assert text.index(quick) < text.index(slow) < text.index("and 2 more games:")


def test_the_links_that_end_letters_are_the_clubs_own(tmp_path: Path) -> None:
    daily = DailyLetters(open_engine(Settings(tmp_path)), Post(), None, b"a secret")
    token = daily.stop_path("anna").removeprefix("/letters/")
    assert daily.reader_of(token) == "anna"
    for forged in ("", ".", "anna", "anna.", token[:-1], token.replace("anna", "ben"), "é" + token, token + "."):
        assert daily.reader_of(forged) is None


# --- On the pages ------------------------------------------------------------------------------------------------


def of(server: Server, name: str) -> tuple[bool, str]:
    [row] = read(
        server,
        select(account.c.daily, account.c.language)
        .join(person, person.c.id == account.c.person)
        .where(person.c.name == name),
    )
    return row.daily, row.language


def test_letters_are_chosen_in_the_account(people: Callable[..., Person], server: Server) -> None:
    member = people()
    name = logged_in(member, email="a@club.example")
    assert "there is none in your account" not in member.http.get("/account").text
    answer = member.post("/account/letters", daily="on", language="nl", next="/account")
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?done=letters")
    assert of(server, name) == (True, "nl")
    assert member.post("/account/letters", daily="on", language="tlh").status_code == 400
    assert of(server, name) == (True, "nl")
    assert member.post("/account/letters", language="fr", next="//else.example").headers["location"] == (
        "/account?done=letters"
    )
    assert of(server, name) == (False, "fr")


def test_guests_and_strangers_choose_no_letters(people: Callable[..., Person]) -> None:
    guest, stranger = people(), people()
    guest.new_game()
    for each in (guest, stranger):
        assert each.post("/account/letters", daily="on", language="nl").status_code == 401
        assert each.http.get("/account").headers["location"] == "/log-in?next=/account"


def test_the_link_in_a_letter_ends_them_without_logging_in(people: Callable[..., Person], server: Server) -> None:
    member, stranger = people(), people()
    name = logged_in(member, email="a@club.example", daily=True)
    [row] = read(server, select(person.c.id).where(person.c.name == name))
    daily = DailyLetters(open_engine(Settings(server.data)), Post(), None, read_secret(server.data))
    path = daily.stop_path(row.id)
    assert "No more letters" in stranger.http.get(path).text
    assert of(server, name)[0]  # looking changes nothing: programs look at links in letters
    assert stranger.http.post(path).status_code == 403
    assert of(server, name)[0]
    answer = stranger.post(path)
    assert "There will be no more daily letters." in answer.text
    assert not of(server, name)[0]
    for forged in (path + "x", "/letters/x.y", f"/letters/{row.id}"):
        assert stranger.http.get(forged).status_code == 404
        assert stranger.post(forged).status_code == 404
