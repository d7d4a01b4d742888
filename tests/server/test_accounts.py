"""Members: their names, their passwords, and where they are logged in."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError
from argon2.profiles import CHEAPEST
from sqlalchemy import select

from damier.game import Game
from damier.record import Player
from damier.server import database
from damier.server.accounts import passwords as module
from damier.server.accounts.passwords import BadPassword, Passwords, Verdict, valid_password
from damier.server.accounts.service import SESSION_AGE, Accounts, NotAllowed
from damier.server.people import BadName, People, Who, name_key, valid_member_name
from damier.server.play.store import open_store
from damier.server.settings import Settings
from damier.server.tables import account, session
from tests.databases import make_ready

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncEngine

PASSWORD = "a shot in the main road"


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    hashing = Passwords(CHEAPEST)
    yield hashing
    hashing.close()


@pytest.mark.parametrize("name", ["", "ab", "a" * 21, "a b c", "a.b.c", "O'Neill", "_abc", "abc-", "a--b", "p\u0430ul"])
def test_a_name_that_a_member_cannot_have(name: str) -> None:
    with pytest.raises(BadName):
        valid_member_name(name)


def test_names_of_members_that_look_alike_have_one_key() -> None:
    names = [valid_member_name(name) for name in ("Paul_1", "PAUL-1", "pau1i", "paull")]
    assert len({name_key(name) for name in names}) == 1


@pytest.mark.parametrize(
    "password", ["", "123456789", "a" * 201, "\u212b" * 201, "1234567890", "QWERTYUIOP", "zzzzzzzzzzz", "Van_der_Wal"]
)
def test_a_password_that_is_refused(password: str) -> None:
    with pytest.raises(BadPassword):
        valid_password(password, "van-der-wal")


def test_a_ligature_that_unfolds_beyond_the_longest_is_refused() -> None:
    with pytest.raises(BadPassword, match="10 to 200"):
        valid_password("\ufdfa" * 200, "Paul")


def test_the_same_password_from_another_keyboard(passwords: Passwords) -> None:
    kept = asyncio.run(passwords.hash("dame \u00e9troite"))
    assert asyncio.run(passwords.check("dame e\u0301troite", kept)) == Verdict(genuine=True)


def test_what_is_kept_is_a_salted_hash(passwords: Passwords) -> None:
    one, other = (asyncio.run(passwords.hash(PASSWORD)) for _ in range(2))
    assert one != other
    assert PASSWORD not in one
    assert one.startswith("$argon2id$")
    assert asyncio.run(passwords.check(PASSWORD, one)).genuine
    assert not asyncio.run(passwords.check(PASSWORD + "!", one)).genuine
    assert not asyncio.run(passwords.check("a" * 100_000, one)).genuine


def test_a_name_that_nobody_has_costs_the_same_work(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Parameters] = []
    verify = PasswordHasher.verify

    def noted(self: PasswordHasher, kept: str | bytes, password: str | bytes) -> bool:
        compared.append(extract_parameters(kept if isinstance(kept, str) else kept.decode()))
        return verify(self, kept, password)

    monkeypatch.setattr(PasswordHasher, "verify", noted)
    kept = asyncio.run(passwords.hash(PASSWORD))
    known = asyncio.run(passwords.check("not the password", kept))
    unknown = asyncio.run(passwords.check("not the password", None))
    assert known == unknown == Verdict(genuine=False)
    assert compared == [CHEAPEST, CHEAPEST]


def test_a_hash_of_weaker_parameters_is_renewed_by_the_right_password_only(passwords: Passwords) -> None:
    kept = asyncio.run(passwords.hash(PASSWORD))
    stronger = Passwords(replace(CHEAPEST, time_cost=CHEAPEST.time_cost + 1))
    try:
        assert asyncio.run(stronger.check("not the password", kept)) == Verdict(genuine=False)
        verdict = asyncio.run(stronger.check(PASSWORD, kept))
        assert verdict.renewed is not None
        assert extract_parameters(verdict.renewed).time_cost == CHEAPEST.time_cost + 1
        assert asyncio.run(stronger.check(PASSWORD, verdict.renewed)) == Verdict(genuine=True)
    finally:
        stronger.close()


def test_what_is_no_hash_is_an_error_and_no_wrong_password(passwords: Passwords) -> None:
    with pytest.raises(InvalidHashError):
        asyncio.run(passwords.check(PASSWORD, "plain text"))


def test_a_few_are_hashed_at_once_and_none_on_the_event_loop(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[int] = set()
    hashed = PasswordHasher.hash

    def noted(self: PasswordHasher, password: str | bytes, *, salt: bytes | None = None) -> str:
        threads.add(threading.get_ident())
        return hashed(self, password, salt=salt)

    monkeypatch.setattr(PasswordHasher, "hash", noted)

    async def many() -> None:
        await asyncio.gather(*(passwords.hash(PASSWORD) for _ in range(20)))

    asyncio.run(many())
    assert threading.get_ident() not in threads
    assert 1 <= len(threads) <= module.THREADS


class House:
    """The books of a club, and its clock, which stands still."""

    def __init__(self, engine: AsyncEngine, passwords: Passwords) -> None:
        self.time = 1_000_000.0
        self.engine = engine
        self.people = People(engine, lambda: self.time)
        self.accounts = Accounts(engine, passwords, lambda: self.time)

    async def member(self, person_id: str, name: str) -> Who:
        await self.people.keep(person_id)
        return await self.accounts.join(person_id, name, PASSWORD)

    async def token(self, name: str) -> str:
        token = await self.accounts.log_in(name, PASSWORD, "Firefox")
        assert token is not None
        return token


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path, passwords: Passwords) -> AsyncIterator[House]:
    settings = Settings(
        tmp_path, database=request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    )
    await asyncio.to_thread(make_ready, settings)
    engine = database.open_engine(settings)
    yield House(engine, passwords)
    await engine.dispose()


async def test_a_guest_becomes_a_member_and_is_the_same_person(house: House) -> None:
    assert await house.member("anna", "Anna") == Who("anna", "member", "Anna")
    assert await house.people.who("anna") == await house.people.keep("anna") == Who("anna", "member", "Anna")
    with pytest.raises(NotAllowed):
        await house.accounts.join("anna", "Anna2", PASSWORD)
    with pytest.raises(NotAllowed):
        await house.accounts.join("a stranger", "Bert", PASSWORD)
    with pytest.raises(BadName):
        await house.people.rename("anna", "Bert")


async def test_a_running_game_is_kept(tmp_path: Path, passwords: Passwords) -> None:
    settings = Settings(tmp_path)
    await asyncio.to_thread(make_ready, settings)
    engine, store = database.open_engine(settings), await open_store(settings)
    game = Game.start(white=Player("guest", id="anna"), black=Player("guest", id="bert"))
    await store.create("a", game, at=0.5)
    await House(engine, passwords).member("anna", "Anna")
    assert [each.id for each in await store.unfinished_of("anna", 5)] == ["a"]
    assert (await store.load("a")).game == game
    await store.close()
    await engine.dispose()


async def test_the_name_of_a_member_is_nobody_elses_ever(house: House) -> None:
    await house.member("anna", "Anna")
    house.time += 10 * 365 * 86_400
    for name in ("anna", "A-n_n-a", "ANNA"):
        with pytest.raises(BadName):
            await house.member("bert", name)
        with pytest.raises(BadName):
            await house.people.rename("bert", name)
    assert await house.people.who("bert") == Who("bert")


async def test_of_many_who_want_a_name_at_once_one_has_it(house: House) -> None:
    outcomes = await asyncio.gather(*(house.member(f"p{n}", "Anna") for n in range(6)), return_exceptions=True)
    assert sum(isinstance(outcome, Who) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, BadName) for outcome in outcomes) == 5


async def test_logging_in_gives_a_token_that_is_not_kept(house: House) -> None:
    await house.member("anna", "Anna")
    token = await house.token("anna")
    assert await house.accounts.person_of(token) == "anna"
    assert await house.accounts.person_of(token[:-1]) is None
    async with house.engine.connect() as connection:
        rows = [*(await connection.execute(select(session))), *(await connection.execute(select(account)))]
    assert token not in str(rows)
    assert PASSWORD not in str(rows)


async def test_a_wrong_name_and_a_wrong_password_have_one_answer(house: House) -> None:
    await house.member("anna", "Anna")
    await house.people.rename("bert", "Bert")
    for name, password in (("Anna", "not the password"), ("Nobody", PASSWORD), ("Bert", PASSWORD), ("", "")):
        assert await house.accounts.log_in(name, password, "") is None


async def test_a_member_sees_and_ends_his_own_sessions_only(house: House) -> None:
    await house.member("anna", "Anna")
    await house.member("bert", "Bert")
    first, second, other = await house.token("Anna"), await house.token("Anna"), await house.token("Bert")
    mine = await house.accounts.sessions("anna")
    assert [each.device for each in mine] == ["Firefox", "Firefox"]
    assert not await house.accounts.log_out("bert", mine[0].id)
    assert await house.accounts.log_out("anna", mine[0].id)
    assert [await house.accounts.person_of(each) for each in (first, second)].count("anna") == 1
    assert await house.accounts.person_of(mine[0].id) is None  # the id opens nothing
    await house.accounts.log_out_everywhere("anna")
    assert await house.accounts.sessions("anna") == []
    assert await house.accounts.person_of(other) == "bert"


async def test_a_session_ends_when_its_browser_stays_away(house: House) -> None:
    await house.member("anna", "Anna")
    token = await house.token("Anna")
    house.time += SESSION_AGE - 1
    assert await house.accounts.person_of(token) == "anna"
    house.time += SESSION_AGE - 1
    assert await house.accounts.person_of(token) == "anna"
    house.time += SESSION_AGE
    assert await house.accounts.person_of(token) is None
    assert await house.accounts.sessions("anna") == []


async def test_another_password_ends_all_other_sessions(house: House) -> None:
    await house.member("anna", "Anna")
    here, there = await house.token("Anna"), await house.token("Anna")
    with pytest.raises(NotAllowed):
        await house.accounts.change_password("anna", "not the password", "breakthrough at 45", here)
    with pytest.raises(BadPassword):
        await house.accounts.change_password("anna", PASSWORD, "anna", here)
    assert await house.accounts.person_of(there) == "anna"
    await house.accounts.change_password("anna", PASSWORD, "breakthrough at 45", here)
    assert await house.accounts.person_of(here) == "anna"
    assert await house.accounts.person_of(there) is None
    assert await house.accounts.log_in("Anna", PASSWORD, "") is None
    assert await house.accounts.log_in("Anna", "breakthrough at 45", "") is not None
