"""How often passwords may be tried: nobody too often, and nobody kept out by others."""

from __future__ import annotations

import asyncio
import random
import time

import pytest
from argon2 import PasswordHasher
from argon2.profiles import CHEAPEST
from hypothesis import given
from hypothesis import strategies as st

from damier.server.accounts.browsers import KnownBrowsers
from damier.server.accounts.passwords import MOST_WAITING, THREADS, Passwords
from damier.server.accounts.throttle import (
    ENTRIES_OF_A_NAME,
    ENTRIES_OF_AN_ADDRESS,
    OF_A_FRIEND,
    OF_A_MEMBERS_BROWSERS,
    OF_A_NAME,
    OF_AN_ADDRESS,
    Meter,
    Rate,
    Throttle,
    TooMany,
)
from damier.server.accounts.turns import Turns


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@given(
    burst=st.integers(1, 5),
    seconds=st.floats(0.1, 100),
    steps=st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 300)), max_size=60),
)
def test_no_stretch_of_time_holds_more_than_its_share(
    burst: int, seconds: float, steps: list[tuple[str, float]]
) -> None:
    clock = Clock()
    meter = Meter(Rate(burst, seconds), now=clock)
    taken: dict[str, list[float]] = {}
    for key, pause in steps:
        clock.now += pause
        wait = meter.wait(key)
        assert meter.take(key) == wait
        if not wait:
            taken.setdefault(key, []).append(clock.now)
            continue
        assert wait <= seconds * 1.001
        clock.now += wait * 1.001  # by then it is allowed again
        assert meter.take(key) == 0
        taken.setdefault(key, []).append(clock.now)
    for moments in taken.values():
        for index, first in enumerate(moments):
            for count, last in enumerate(moments[index:], 1):
                assert count <= burst + (last - first) / seconds + 1e-6


@given(st.lists(st.sampled_from("abcdefgh"), max_size=100))
def test_what_is_given_back_was_never_taken(keys: list[str]) -> None:
    meter = Meter(Rate(1, 60), most=4, now=Clock())
    for key in keys:
        assert meter.take(key) == 0
        meter.give_back(key)
        assert len(meter) == 0


def test_memory_is_bounded_and_the_quietest_are_forgotten() -> None:
    meter = Meter(Rate(1, 60), most=100, now=Clock())
    for number in range(1_000):
        meter.take(f"address {number}")
    assert len(meter) == 100
    assert meter.wait("address 0") == 0
    assert meter.wait("address 999") == 60
    throttle = Throttle(most=10, now=Clock())
    for number in range(100):
        throttle.succeeded(throttle.begin(f"name{number}", f"address {number}"))
        throttle.begin(f"other{number}", f"elsewhere {number}")
    assert len(throttle._known) == 10
    assert len(throttle._names) <= 10


def tries(throttle: Throttle, name: str, address: str, browser: str | None = None) -> int:
    """How many wrong passwords somebody can try now."""
    for count in range(1_000):
        try:
            throttle.begin(name, address, browser)
        except TooMany:
            return count
    raise AssertionError("there is no limit")


def test_an_address_tries_so_many_whatever_the_names() -> None:
    clock = Clock()
    throttle = Throttle(now=clock)
    for number in range(OF_AN_ADDRESS.burst):
        throttle.begin(f"name{number}", "192.0.2.1")
    with pytest.raises(TooMany) as refused:
        throttle.begin("one more", "192.0.2.1")
    assert refused.value.seconds == OF_AN_ADDRESS.seconds
    clock.now += OF_AN_ADDRESS.seconds
    throttle.begin("another", "192.0.2.1")


def test_a_name_is_tried_so_often_from_wherever_and_also_one_that_nobody_has() -> None:
    throttle = Throttle(now=Clock())
    counts = [tries(throttle, "A-n-n-a", f"192.0.2.{number}") for number in range(50)]
    assert sum(counts) == OF_A_NAME.burst


def test_a_member_is_not_kept_out_by_an_attack_from_elsewhere() -> None:
    throttle = Throttle(now=Clock())
    throttle.succeeded(throttle.begin("Anna", "192.0.2.1"))
    assert tries(throttle, "Anna", "192.0.2.99") == OF_A_NAME.burst
    throttle.succeeded(throttle.begin("anna", "192.0.2.1"))  # where she has been
    throttle.succeeded(throttle.begin("anna", "198.51.100.7", "her telephone"))  # with what she has been
    with pytest.raises(TooMany):
        throttle.begin("Anna", "203.0.113.5")


def test_an_attack_from_the_same_address_leaves_a_known_browser_alone() -> None:
    throttle = Throttle(now=Clock())
    throttle.succeeded(throttle.begin("Anna", "192.0.2.1"))
    assert tries(throttle, "Anna", "192.0.2.1") == OF_A_FRIEND.burst
    throttle.begin("Anna", "192.0.2.1", "her telephone")
    assert tries(throttle, "Anna", "192.0.2.1", "her telephone") == OF_A_FRIEND.burst - 1


def entries(throttle: Throttle, name: str, address: str, browser: str | None = None) -> int:
    """How often somebody can log in now."""
    for count in range(1_000):
        try:
            throttle.succeeded(throttle.begin(name, address, browser))
        except TooMany:
            return count
    raise AssertionError("there is no limit")


def test_right_passwords_have_an_end_for_a_member_with_whatever_browsers_from_wherever() -> None:
    clock = Clock()
    throttle = Throttle(now=clock)
    counts = [entries(throttle, "Anna", f"192.0.2.{number}", f"browser {number}") for number in range(50)]
    assert sum(counts) == ENTRIES_OF_A_NAME.burst
    with pytest.raises(TooMany, match="many log-ins") as refused:
        throttle.begin("anna", "198.51.100.7")
    assert refused.value.seconds == ENTRIES_OF_A_NAME.seconds
    clock.now += ENTRIES_OF_A_NAME.seconds
    assert entries(throttle, "Anna", "192.0.2.1") == 1
    assert entries(throttle, "Bert", "192.0.2.1") > 0


def test_right_passwords_have_an_end_for_an_address_and_known_browsers_come_in_all_the_same() -> None:
    throttle = Throttle(now=Clock())
    counts = [entries(throttle, f"name{number}", "192.0.2.1") for number in range(10)]
    assert sum(counts) == ENTRIES_OF_AN_ADDRESS.burst
    assert entries(throttle, "Anna", "192.0.2.2") > 0
    assert entries(throttle, "Bert", "192.0.2.1", "his telephone") == ENTRIES_OF_A_NAME.burst


def test_who_begins_many_at_once_waits_for_all_of_them() -> None:
    clock = Clock()
    throttle = Throttle(now=clock)
    begun = [throttle.begin("Anna", f"192.0.2.{number}", f"browser {number}") for number in range(20)]
    for each in begun:
        throttle.succeeded(each)
    with pytest.raises(TooMany) as refused:
        throttle.begin("Anna", "192.0.2.1")
    assert refused.value.seconds == 11 * ENTRIES_OF_A_NAME.seconds


def test_wrong_passwords_are_no_entries() -> None:
    throttle = Throttle(now=Clock())
    for number in range(5):
        tries(throttle, "Anna", f"192.0.2.{number}")
    assert entries(throttle, "Anna", "192.0.2.9", "her telephone") == ENTRIES_OF_A_NAME.burst


def test_a_member_with_many_known_browsers_tries_no_more_for_it() -> None:
    throttle = Throttle(now=Clock())
    counts = [tries(throttle, "Anna", f"192.0.2.{number}", f"browser {number}") for number in range(50)]
    assert sum(counts) == OF_A_MEMBERS_BROWSERS.burst
    assert tries(throttle, "Bert", "192.0.2.1", "his telephone") == OF_A_FRIEND.burst


def test_the_lines_are_an_addresss_or_a_members() -> None:
    throttle = Throttle(now=Clock())
    throttle.met("Anna", "192.0.2.1")
    throttle.met("Bert", "192.0.2.1")
    assert throttle.begin("Anna", "192.0.2.1").line == throttle.begin("Bert", "192.0.2.1").line
    telephones = [throttle.begin("Anna", f"192.0.2.{number}", f"telephone {number}") for number in range(3)]
    assert len({each.line for each in telephones}) == 1
    assert throttle.begin("Bert", "192.0.2.1", "his telephone").line != telephones[0].line
    strangers = [throttle.begin(f"name{number}", "203.0.113.5") for number in range(3)]
    assert len({each.line for each in strangers}) == 1


def test_a_browser_that_comes_again_is_known_by_the_same() -> None:
    browsers = KnownBrowsers(b"a secret of the club")
    first = browsers.cookie("Anna", 1_000.0, secure=False).value
    again = browsers.cookie("Anna", 2_000.0, first, secure=False).value
    other = browsers.cookie("Bert", 2_000.0, first, secure=False).value
    assert browsers.read(again, "Anna", 3_000.0) == browsers.read(first, "Anna", 3_000.0)
    assert browsers.read(other, "Bert", 3_000.0) != browsers.read(first, "Anna", 3_000.0)


@given(st.text(max_size=80), st.text(max_size=30))
def test_what_no_club_has_given_makes_no_browser_known(value: str, name: str) -> None:
    browsers = KnownBrowsers(b"a secret of the club")
    assert browsers.read(value, name, 1_000.0) is None


async def test_those_who_wait_for_their_passwords_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords(CHEAPEST)
    kept = await passwords.hash("a shot in the main road")
    work = PasswordHasher.verify

    def slow(self: PasswordHasher, hashed: str, password: str) -> bool:
        time.sleep(0.02)
        return work(self, hashed, password)

    monkeypatch.setattr(PasswordHasher, "verify", slow)
    outcomes = await asyncio.gather(
        *(passwords.check("a wrong password", kept, "an attacker") for _ in range(100)),
        *(passwords.check("a shot in the main road", kept, f"friend {n}", friend=True) for n in range(100)),
        *(passwords.check("a shot in the main road", kept, f"somebody {n}") for n in range(5)),
        return_exceptions=True,
    )
    answered = [each for each in outcomes if not isinstance(each, BaseException)]
    assert len(answered) == THREADS + 2 * MOST_WAITING
    assert sum(each.genuine for each in answered) == MOST_WAITING + 5
    assert all(not isinstance(each, BaseException) for each in outcomes[-5:])
    assert all(isinstance(each, TooMany) for each in outcomes if isinstance(each, BaseException))
    assert (await passwords.check("a shot in the main road", kept)).genuine  # all is as before
    passwords.close()


async def test_strangers_have_every_second_turn_however_many_friends_come() -> None:
    turns, order = Turns(at_once=1, most=10, patience=5), list[str]()

    async def come_again_and_again(line: str) -> None:
        while "stranger 2" not in order and len(order) < 100:
            async with turns.turn(line, friend=True):
                order.append(line)
                await asyncio.sleep(0)

    async def come(line: str) -> None:
        async with turns.turn(line):
            order.append(line)
            await asyncio.sleep(0)

    await asyncio.gather(
        *(come_again_and_again(f"friend {number}") for number in range(5)), *(come(f"stranger {n}") for n in range(3))
    )
    assert [order.index(f"stranger {number}") for number in range(3)] == [2, 4, 6]
    assert turns.waiting == 0


async def test_the_lines_are_served_in_turn_and_a_friend_first() -> None:
    turns, order = Turns(at_once=1, most=10, patience=5), list[str]()

    async def come(line: str, *, friend: bool = False) -> None:
        async with turns.turn(line, friend=friend):
            order.append(line)
            await asyncio.sleep(0)

    await asyncio.gather(
        *(come("a") for _ in range(4)), *(come("b") for _ in range(2)), come("c"), come("d", friend=True)
    )
    assert order == ["a", "d", "a", "b", "c", "a", "b", "a"]
    assert turns.waiting == 0


@pytest.mark.parametrize("seed", range(20))
async def test_who_goes_away_while_waiting_takes_nobodys_turn(seed: int) -> None:
    turns, lot, inside = Turns(at_once=2, most=6, patience=5), random.Random(seed), list[int]()

    async def come(number: int) -> None:
        async with turns.turn(f"line {number % 4}", friend=number % 5 == 0):
            inside.append(number)
            try:
                assert len(inside) <= 2
                await asyncio.sleep(0)
            finally:
                inside.remove(number)

    tasks: list[asyncio.Task[None]] = []
    for number in range(200):
        tasks.append(asyncio.create_task(come(number)))
        if lot.random() < 0.5:
            lot.choice(tasks).cancel()
        if lot.random() < 0.6:
            await asyncio.sleep(0)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(each is None or isinstance(each, TooMany | asyncio.CancelledError) for each in outcomes)
    assert turns.waiting == 0
    async with turns.turn("a"), turns.turn("b"):
        assert turns._free == 0
    assert turns._free == 2
