"""Members: their names and their passwords."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError
from argon2.profiles import CHEAPEST

from damier.server.accounts import passwords as module
from damier.server.accounts.passwords import BadPassword, Passwords, Verdict, valid_password
from damier.server.people import BadName, name_key, valid_member_name

if TYPE_CHECKING:
    from collections.abc import Iterator

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
