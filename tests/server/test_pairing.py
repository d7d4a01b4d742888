"""Quick pairing: nobody twice, only those who suit, nobody left beside one who does, and colours that even out."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier.server.lobby.pairing import COLOR_GAMES, Seeker, pairings, suit

NOW = 60.0
PEOPLE = [f"p{number}" for number in range(14)]


@st.composite
def queues(draw: st.DrawFn) -> list[Seeker]:
    people = draw(st.lists(st.sampled_from(PEOPLE), unique=True))
    others = st.sampled_from(PEOPLE)

    def seeker(person: str) -> Seeker:
        lowest = draw(st.one_of(st.just(float("-inf")), st.floats(1000, 1600)))
        return Seeker(
            person,
            rating=draw(st.one_of(st.just(1500.0), st.floats(1000, 2000))),
            since=draw(st.floats(0, NOW)),
            deviation=draw(st.floats(30, 350)),
            last_opponents=tuple(draw(st.lists(others, max_size=3))),
            balance=draw(st.integers(-4, 4)),
            blocked=frozenset(draw(st.lists(others, max_size=3))),
            lowest=lowest,
            highest=draw(st.one_of(st.just(float("inf")), st.floats(1400, 2000))),
        )

    return [seeker(person) for person in people]


@given(queues(), st.randoms(use_true_random=False))
def test_only_those_who_suit_nobody_twice_and_none_left_who_do(queue: list[Seeker], lot: random.Random) -> None:
    games = pairings(queue, NOW)
    by_name = {seeker.person: seeker for seeker in queue}
    paired = [person for game in games for person in game]
    assert len(paired) == len(set(paired))
    assert all(suit(by_name[white], by_name[black], NOW) for white, black in games)
    waiting = [seeker for seeker in queue if seeker.person not in paired]
    assert not any(suit(one, other, NOW) for one, other in combinations(waiting, 2))
    shuffled = queue.copy()
    lot.shuffle(shuffled)
    assert pairings(shuffled, NOW) == games


@given(queues())
def test_who_suits_does_so_both_ways_and_goes_on_doing_so(queue: list[Seeker]) -> None:
    for one, other in combinations(queue, 2):
        assert suit(one, other, NOW) == suit(other, one, NOW)
        if suit(one, other, NOW):
            assert suit(one, other, NOW + 10)


@given(queues())
def test_who_has_waited_longest_is_paired_if_anybody_suits(queue: list[Seeker]) -> None:
    if not queue:
        return
    first = min(queue, key=lambda seeker: (seeker.since, seeker.person))
    anybody = any(suit(first, other, NOW) for other in queue)
    assert any(first.person in game for game in pairings(queue, NOW)) == anybody


def test_nobody_to_pair() -> None:
    assert pairings([], NOW) == []
    assert pairings([Seeker("anna", 1500, 0)], NOW) == []


def test_somebody_twice_in_a_queue_is_an_error() -> None:
    with pytest.raises(ValueError, match="twice"):
        pairings([Seeker("anna", 1500, 0), Seeker("anna", 1500, 1)], NOW)


def test_the_reach_widens_until_the_two_meet() -> None:
    far = [Seeker("anna", 1200, 0), Seeker("ben", 2000, 0)]
    assert pairings(far, 69) == []
    assert pairings(far, 70) == [("anna", "ben")]


def test_the_nearest_in_rating_is_taken() -> None:
    queue = [Seeker("anna", 1500, 0), Seeker("ben", 1590, 1), Seeker("carl", 1460, 2), Seeker("dora", 1580, 3)]
    assert pairings(queue, 3) == [("anna", "carl"), ("ben", "dora")]


def test_not_the_same_opponent_a_third_time_running() -> None:
    ben = Seeker("ben", 1500, 1)
    for before, games in (((), 1), (("ben",), 1), (("ben", "ben"), 0), (("carl", "ben", "ben"), 1)):
        assert len(pairings([Seeker("anna", 1500, 0, last_opponents=before), ben], NOW)) == games
    # the memory of either is enough
    assert pairings([Seeker("anna", 1500, 0), replace(ben, last_opponents=("anna", "anna"))], NOW) == []


def test_a_block_on_either_side_is_enough() -> None:
    anna, ben = Seeker("anna", 1500, 0), Seeker("ben", 1500, 1)
    assert pairings([replace(anna, blocked=frozenset({"ben"})), ben], 1e6) == []
    assert pairings([anna, replace(ben, blocked=frozenset({"anna"}))], 1e6) == []


def test_a_wished_range_holds_however_long_it_takes() -> None:
    choosy = Seeker("anna", 1500, 0, lowest=1600, highest=1700)
    assert pairings([choosy, Seeker("ben", 1599, 0)], 1e6) == []
    assert pairings([choosy, Seeker("ben", 1600, 0)], 1e6) == [("anna", "ben")]


def test_whoever_was_white_more_often_gets_black() -> None:
    anna, ben = Seeker("anna", 1500, 0, balance=2), Seeker("ben", 1500, 1)
    assert pairings([anna, ben], NOW) == [("ben", "anna")]
    assert pairings([replace(anna, balance=-2), ben], NOW) == [("anna", "ben")]


def test_a_better_balance_is_worth_a_little_distance() -> None:
    anna = Seeker("anna", 1500, 0, balance=2)
    alike, apart = Seeker("ben", 1510, 1, balance=2), Seeker("carl", 1530, 2, balance=-2)
    assert pairings([anna, alike, apart], NOW) == [("carl", "anna")]
    assert pairings([anna, alike, replace(apart, rating=1545)], NOW) == [("anna", "ben")]


def test_colours_and_opponents_over_many_rounds() -> None:
    lot = random.Random(3)
    club = [f"member {number}" for number in range(60)]
    strength = {person: lot.gauss(1500, 200) for person in club}
    colors: dict[str, list[int]] = {person: [] for person in club}
    opponents: dict[str, list[str]] = {person: [] for person in club}
    worst = 0
    for number in range(60):
        now = number * 100.0
        queue = [
            Seeker(
                person,
                strength[person],
                since=now - lot.uniform(0, 30),
                last_opponents=tuple(reversed(opponents[person][-3:])),
                balance=sum(colors[person][-COLOR_GAMES:]),
            )
            for person in lot.sample(club, 40)
        ]
        for white, black in pairings(queue, now):
            for person, color, opponent in ((white, 1, black), (black, -1, white)):
                colors[person].append(color)
                opponents[person].append(opponent)
                assert opponents[person][-3:] != [opponent] * 3
                worst = max(worst, abs(sum(colors[person][-COLOR_GAMES:])))
    assert worst <= 4
    assert max(abs(sum(each)) for each in colors.values()) <= 6
