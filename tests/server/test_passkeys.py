"""Passkeys, letters and what else an account has, on both databases."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2.profiles import CHEAPEST
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncEngine

from damier.server import database
from damier.server.accounts.letters import CONFIRM_SECONDS, RECOVER_SECONDS, BadLink, Letters
from damier.server.accounts.news import ends
from damier.server.accounts.passkeys import (
    CHALLENGE_SECONDS,
    MOST_PASSKEYS,
    NewPasskey,
    PasskeyRefused,
    Passkeys,
    Place,
)
from damier.server.accounts.passwords import BadPassword, Passwords
from damier.server.accounts.roles import Roles
from damier.server.accounts.service import MOST_SESSIONS, Accounts, NotAllowed, token_hash
from damier.server.accounts.throttle import TooMany
from damier.server.bus import LocalBus
from damier.server.mail import BadAddress, Mailer
from damier.server.people import BadName, People, Who
from damier.server.settings import Settings
from damier.server.tables import account, letter_link
from tests.databases import make_ready
from tests.server.authenticator import Authenticator, encoded

PASSWORD = "a shot in the main road"
PLACE = Place.of("http://localhost")
SECRET = b"a secret of the club"


class House:
    """The members of a club, and its clock, which stands still."""

    def __init__(self, engine: AsyncEngine, passwords: Passwords) -> None:
        self.time = 1_000_000.0
        self.engine = engine
        self.bus = LocalBus()
        self.people = People(engine, self.now)
        self.accounts = Accounts(engine, passwords, self.now, self.bus)
        self.passkeys = Passkeys(engine, SECRET, self.now)
        self.letters = Letters(engine, passwords, Mailer(None, "club@club.example"), self.bus, self.now)

    def now(self) -> float:
        return self.time

    async def member(self, person_id: str, name: str, device: Authenticator | None = None) -> Who:
        """Somebody who joins: with a password, or with a device."""
        await self.people.keep(person_id)
        if device is None:
            return await self.accounts.join(person_id, name, PASSWORD)
        return await self.accounts.join(person_id, name, None, key=await self.made(device, person_id, name))

    async def made(self, device: Authenticator, person_id: str, name: str) -> NewPasskey:
        asked = await self.passkeys.asked_to_make(person_id, name, PLACE)
        return await self.passkeys.made(device.make(asked), person_id, "my phone", PLACE)

    async def shown(self, device: Authenticator, key_id: bytes | None = None) -> str:
        self.time += 1
        return await self.passkeys.shown(
            device.show(await self.passkeys.asked_to_show("a browser", PLACE), key_id), "a browser", PLACE
        )

    async def heard(self, person_id: str) -> list[bytes]:
        """What sockets of this person are told from now on."""
        news: list[bytes] = []
        await self.bus.subscribe(f"person:{person_id}", news.append)
        return news


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    hashing = Passwords(CHEAPEST)
    yield hashing
    hashing.close()


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path, passwords: Passwords) -> AsyncIterator[House]:
    settings = Settings(
        tmp_path, database=request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    )
    await asyncio.to_thread(make_ready, settings)
    engine = database.open_engine(settings)
    yield House(engine, passwords)
    await engine.dispose()


# --- Passkeys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [False, True])
async def test_a_passkey_makes_a_member_and_lets_the_member_in(house: House, counts: bool) -> None:
    device = Authenticator(counts=counts)
    assert await house.member("anna", "Anna", device) == Who("anna", "member", "Anna")
    for _ in range(3):
        assert await house.shown(device) == "anna"
    [key] = await house.passkeys.of("anna")
    assert (key.name, key.created, key.used) == ("my phone", 1_000_000.0, house.time)
    assert await house.accounts.log_in("Anna", "", "") is None  # there is no password to be right
    kept = await house.accounts.of("anna")
    assert kept is not None
    assert not kept.has_password


async def test_a_challenge_is_answered_once_by_whom_it_was_for_and_in_time(house: House) -> None:
    device = Authenticator()
    await house.member("anna", "Anna", device)
    answer = device.show(await house.passkeys.asked_to_show("a browser", PLACE))
    for browser in ("another browser", ""):
        with pytest.raises(PasskeyRefused):
            await house.passkeys.shown(answer, browser, PLACE)
    with pytest.raises(PasskeyRefused):
        await house.passkeys.shown(answer, "a browser", Place.of("https://else.example"))
    assert await house.passkeys.shown(answer, "a browser", PLACE) == "anna"
    with pytest.raises(PasskeyRefused):
        await house.passkeys.shown(answer, "a browser", PLACE)
    late = device.show(await house.passkeys.asked_to_show("a browser", PLACE))
    house.time += CHALLENGE_SECONDS
    with pytest.raises(PasskeyRefused):
        await house.passkeys.shown(late, "a browser", PLACE)
    made = device.make(await house.passkeys.asked_to_make("anna", "Anna", PLACE))
    with pytest.raises(PasskeyRefused):
        await house.passkeys.made(made, "bert", "his", PLACE)


async def test_of_the_same_answer_sent_many_times_at_once_one_counts(house: House) -> None:
    device = Authenticator()
    await house.member("anna", "Anna", device)
    answer = device.show(await house.passkeys.asked_to_show("a browser", PLACE))
    outcomes = await asyncio.gather(
        *(house.passkeys.shown(answer, "a browser", PLACE) for _ in range(8)), return_exceptions=True
    )
    assert outcomes.count("anna") == 1


async def test_another_ones_key_and_another_sites_page_open_nothing(house: House) -> None:
    device, other = Authenticator(), Authenticator()
    await house.member("anna", "Anna", device)
    await house.member("bert", "Bert", other)
    annas, berts = next(iter(device.keys)), next(iter(other.keys))
    # Bert's key under the name of Anna's, and as Anna's own
    other.keys[annas] = (other.keys[berts][0], b"anna", "localhost")
    with pytest.raises(PasskeyRefused):
        await house.shown(other, annas)
    other.keys[berts] = (other.keys[berts][0], b"anna", "localhost")
    with pytest.raises(PasskeyRefused):
        await house.shown(other, berts)
    device.origin = "http://localhost.else.example"
    with pytest.raises(PasskeyRefused):
        await house.shown(device)
    with pytest.raises(PasskeyRefused):
        await house.made(device, "anna", "Anna")


async def test_a_copied_key_that_counts_less_is_refused(house: House) -> None:
    device = Authenticator(counts=True)
    await house.member("anna", "Anna", device)
    assert await house.shown(device) == "anna"
    device.count = 0
    with pytest.raises(PasskeyRefused):
        await house.shown(device)


async def test_the_last_way_in_is_not_removed(house: House) -> None:
    device = Authenticator()
    await house.member("anna", "Anna", device)
    await house.member("bert", "Bert")
    [key] = await house.passkeys.of("anna")
    with pytest.raises(PasskeyRefused):
        await house.passkeys.remove("anna", key.id)
    assert not await house.passkeys.remove("bert", key.id)
    assert not await house.passkeys.rename("bert", key.id, "mine")
    assert await house.passkeys.rename("anna", key.id, " the  tablet ")
    await house.passkeys.add("anna", await house.made(device, "anna", "Anna"))
    second = (await house.passkeys.of("anna"))[1]
    outcomes = await asyncio.gather(
        *(house.passkeys.remove("anna", each) for each in (key.id, second.id)), return_exceptions=True
    )
    assert sum(outcome is True for outcome in outcomes) == 1
    with pytest.raises(NotAllowed):
        await house.accounts.remove_password("bert")  # the other way round
    await house.accounts.change_password("anna", "", PASSWORD, "")
    [left] = await house.passkeys.of("anna")
    assert await house.passkeys.remove("anna", left.id)
    with pytest.raises(PasskeyRefused):
        await house.shown(device)
    assert await house.accounts.log_in("Anna", PASSWORD, "") is not None


async def test_of_password_and_passkey_removed_at_once_one_stays(house: House) -> None:
    device = Authenticator()
    await house.member("anna", "Anna")
    for _ in range(5):
        await house.passkeys.add("anna", await house.made(device, "anna", "Anna"))
        key = (await house.passkeys.of("anna"))[0]
        await asyncio.gather(
            house.accounts.remove_password("anna"), house.passkeys.remove("anna", key.id), return_exceptions=True
        )
        kept, held = await house.accounts.of("anna"), await house.passkeys.of("anna")
        assert kept is not None
        assert kept.has_password or held
        if not kept.has_password:
            await house.accounts.change_password("anna", "", PASSWORD, "")
        for each in held:
            await house.passkeys.remove("anna", each.id)


async def test_a_passkey_is_one_members_and_they_are_not_without_end(house: House) -> None:
    device = Authenticator()
    await house.member("anna", "Anna")
    await house.member("bert", "Bert")
    new = await house.made(device, "anna", "Anna")
    await house.passkeys.add("anna", new)
    for person in ("anna", "bert"):
        with pytest.raises(PasskeyRefused):
            await house.passkeys.add(person, new)
    for _ in range(MOST_PASSKEYS - 1):
        await house.passkeys.add("anna", await house.made(device, "anna", "Anna"))
    with pytest.raises(PasskeyRefused):
        await house.passkeys.add("anna", await house.made(device, "anna", "Anna"))
    asked = json.loads(await house.passkeys.asked_to_make("anna", "Anna", PLACE))
    assert len(asked["excludeCredentials"]) == MOST_PASSKEYS
    assert asked["authenticatorSelection"]["residentKey"] == "required"
    assert asked["authenticatorSelection"]["userVerification"] == "preferred"


async def test_a_name_that_is_taken_makes_no_member_with_a_passkey(house: House) -> None:
    await house.member("anna", "Anna")
    with pytest.raises(BadName):
        await house.member("bert", "A-n-n-a", Authenticator())
    assert await house.people.who("bert") == Who("bert")
    with pytest.raises(NotAllowed):
        await house.accounts.join("bert", "Bert", None)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.binary(max_size=40).map(encoded),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(["id", "rawId", "type", "response", "clientDataJSON", "attestationObject"]), junk=JUNK)
def test_what_no_device_has_made_is_refused(tmp_path: Path, place: str, junk: Any) -> None:
    keys = Passkeys(database.open_engine(Settings(tmp_path)), SECRET)

    async def send() -> None:
        challenge = encoded(keys._challenges.new("make anna", keys._now()))
        asked = {"rp": {"id": "localhost"}, "user": {"id": encoded(b"anna")}, "challenge": challenge}
        whole = Authenticator().make(json.dumps(asked))
        assert (await keys.made(whole, "anna", "her phone", PLACE)).name == "her phone"
        answer: dict[str, Any] = json.loads(whole)
        (answer if place in answer else answer["response"])[place] = junk
        for text in (json.dumps(answer), json.dumps(junk), str(junk), whole[:-1], whole + " " * 20_000):
            try:
                await keys.made(text, "anna", "her phone", PLACE)
            except PasskeyRefused:
                continue
            assert place == "type" or json.loads(text) == json.loads(whole), text

    asyncio.run(send())


# --- Sessions --------------------------------------------------------------------------------------------------------


async def test_sockets_are_told_which_sessions_end(house: House) -> None:
    await house.member("anna", "Anna")
    here, there = [await house.accounts.begin_session("anna", "Firefox") for _ in range(2)]
    news = await house.heard("anna")
    await house.accounts.log_out("anna", token_hash(there))
    assert [(ends(each, token_hash(here)), ends(each, token_hash(there))) for each in news] == [(False, True)]
    news.clear()
    await house.accounts.log_out("anna", token_hash(there))
    assert news == []
    await house.accounts.change_password("anna", PASSWORD, "breakthrough at 45", here)
    assert [(ends(each, token_hash(here)), ends(each, token_hash(there))) for each in news] == [(False, True)]
    news.clear()
    await house.accounts.log_out_everywhere("anna")
    assert [ends(each, token_hash(here)) for each in news] == [True]


async def test_the_session_that_was_away_for_longest_makes_room(house: House) -> None:
    await house.member("anna", "Anna")
    tokens: list[str] = []
    for _ in range(MOST_SESSIONS + 2):
        house.time += 1
        tokens.append(await house.accounts.begin_session("anna", "Firefox"))
    assert len(await house.accounts.sessions("anna")) == MOST_SESSIONS
    assert [await house.accounts.person_of(each) for each in tokens[:3]] == [None, None, "anna"]


# --- Letters ---------------------------------------------------------------------------------------------------------


def link_in(caplog: pytest.LogCaptureFixture, kind: str) -> list[str]:
    """The tokens of the letters that have been written so far."""
    return re.findall(rf"https://club\.example/{kind}/([\w-]+)", caplog.text)


CLUB = "https://club.example"


async def test_an_address_is_kept_once_its_letter_has_been_opened(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.member("anna", "Anna")
    with caplog.at_level(logging.WARNING):
        assert await house.letters.ask("anna", " Anna@Club.example ", CLUB, "nl") == "anna@club.example"
        await house.letters.ask("anna", "anna@home.example", CLUB, "en")
    first, second = link_in(caplog, "account/confirm")
    assert (await house.letters.asked(second)).email == "anna@home.example"
    kept = await house.accounts.of("anna")
    assert kept is not None
    assert kept.email is None
    for token in (first, second[:-1], "", "x" * 5000):
        with pytest.raises(BadLink):
            await house.letters.confirm(token)
    with pytest.raises(BadLink):
        await house.letters.recover(second, "breakthrough at 45")  # not what it is for
    assert (await house.letters.confirm(second)).name == "Anna"
    kept = await house.accounts.of("anna")
    assert kept is not None
    assert kept.email == "anna@home.example"
    with pytest.raises(BadLink):
        await house.letters.confirm(second)
    async with house.engine.connect() as connection:
        assert second not in str([*(await connection.execute(select(letter_link)))])


async def test_letters_are_few_and_their_links_do_not_last(house: House, caplog: pytest.LogCaptureFixture) -> None:
    await house.member("anna", "Anna")
    with pytest.raises(BadAddress):
        await house.letters.ask("anna", "anna", CLUB, "en")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await house.letters.ask("anna", "anna@club.example", CLUB, "en")
        with pytest.raises(TooMany):
            await house.letters.ask("anna", "anna@club.example", CLUB, "en")
    house.time += CONFIRM_SECONDS
    with pytest.raises(BadLink):
        await house.letters.confirm(link_in(caplog, "account/confirm")[-1])


async def with_address(house: House, caplog: pytest.LogCaptureFixture, person: str, email: str) -> None:
    with caplog.at_level(logging.WARNING):
        await house.letters.ask(person, email, CLUB, "en")
    await house.letters.confirm(link_in(caplog, "account/confirm")[-1])
    caplog.clear()


@pytest.mark.parametrize("said", ["Anna", "a-n_n-a", " ANNA@club.example"])
async def test_a_forgotten_password_is_set_anew(house: House, caplog: pytest.LogCaptureFixture, said: str) -> None:
    device = Authenticator()
    await house.member("anna", "Anna")
    await house.passkeys.add("anna", await house.made(device, "anna", "Anna"))
    await with_address(house, caplog, "anna", "anna@club.example")
    session, news = await house.accounts.begin_session("anna", "Firefox"), await house.heard("anna")
    with caplog.at_level(logging.WARNING):
        await house.letters.forgotten(said, CLUB)
        await house.letters.forgotten(said, CLUB)
    first, second = link_in(caplog, "recover")
    assert (await house.letters.recovering(first)).name == "Anna"
    with pytest.raises(BadPassword):
        await house.letters.recover(first, "anna")
    await house.letters.recover(first, "breakthrough at 45")
    for token in (first, second):
        with pytest.raises(BadLink):
            await house.letters.recover(token, "breakthrough at 46")
    assert await house.accounts.person_of(session) is None
    assert [ends(each, token_hash(session)) for each in news] == [True]
    assert await house.accounts.log_in("Anna", PASSWORD, "") is None
    assert await house.accounts.log_in("Anna", "breakthrough at 45", "") is not None
    assert await house.shown(device) == "anna"


async def test_nothing_is_written_to_nobody(house: House, caplog: pytest.LogCaptureFixture) -> None:
    await house.member("anna", "Anna")  # has no address
    with caplog.at_level(logging.WARNING):
        for said in ("Anna", "Nobody", "nobody@club.example", "@", "", "x" * 10_000):
            await house.letters.forgotten(said, CLUB)
    assert caplog.text == ""


async def test_a_link_is_worth_nothing_when_the_address_has_gone_or_time_has(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.member("anna", "Anna")
    await with_address(house, caplog, "anna", "anna@club.example")
    with caplog.at_level(logging.WARNING):
        await house.letters.forgotten("Anna", CLUB)
        [token] = link_in(caplog, "recover")
        house.time += RECOVER_SECONDS
        with pytest.raises(BadLink):
            await house.letters.recover(token, "breakthrough at 45")
        caplog.clear()
        await house.letters.forgotten("Anna", CLUB)
    [token] = link_in(caplog, "recover")
    await house.accounts.remove_email("anna")
    with pytest.raises(BadLink):
        await house.letters.recover(token, "breakthrough at 45")


async def test_of_one_link_used_many_times_at_once_one_use_counts(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.member("anna", "Anna")
    await with_address(house, caplog, "anna", "anna@club.example")
    with caplog.at_level(logging.WARNING):
        await house.letters.forgotten("Anna", CLUB)
    [token] = link_in(caplog, "recover")
    outcomes = await asyncio.gather(
        *(house.letters.recover(token, f"breakthrough at {number}") for number in range(40, 46)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, BadLink) for each in outcomes) == 5


async def test_all_of_it_goes_with_the_account(house: House, caplog: pytest.LogCaptureFixture) -> None:
    device = Authenticator()
    await house.member("anna", "Anna", device)
    token = await house.accounts.begin_session("anna", "Firefox")
    with caplog.at_level(logging.WARNING):
        await house.letters.ask("anna", "anna@club.example", CLUB, "en")
    async with house.engine.begin() as connection:
        await connection.execute(delete(account).where(account.c.person == "anna"))
    assert await house.accounts.person_of(token) is None
    assert await house.passkeys.of("anna") == []
    with pytest.raises(PasskeyRefused):
        await house.shown(device)
    with pytest.raises(BadLink):
        await house.letters.confirm(link_in(caplog, "account/confirm")[0])


# --- What others have begun ------------------------------------------------------------------------------------------


async def test_a_changed_password_ends_what_its_thief_has_begun(house: House, caplog: pytest.LogCaptureFixture) -> None:
    await house.member("anna", "Anna")
    await house.letters.ask("anna", "thief@else.example", "http://localhost", "en")
    [link] = re.findall(r"account/confirm/([\w-]+)", caplog.text)
    await house.accounts.change_password("anna", PASSWORD, "another shot in the road", "")
    with pytest.raises(BadLink):
        await house.letters.confirm(link)


async def test_who_has_no_address_is_let_in_by_a_link_of_the_administrators(house: House) -> None:
    await house.member("anna", "Anna")
    name, path = await Roles(house.engine, house.now).recovery("anna")
    assert name == "Anna"
    assert (await house.letters.recover(path.rpartition("/")[2], "another shot in the road")).person == "anna"
    assert await house.accounts.log_in("Anna", "another shot in the road", "") is not None


async def test_what_no_database_can_hold_names_nothing(house: House) -> None:
    await house.member("anna", "Anna")
    assert not await house.accounts.log_out("anna", "a\0b")
    assert not await house.passkeys.rename("anna", "a\0b", "my phone")
    await house.letters.forgotten("a@\0.b", "http://localhost")
