"""The pause from quick pairing: it grows with repetition, fades with time, and says why."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier.i18n import LANGUAGES
from damier.server.fairplay import HALF_LIFE, LONGEST_PAUSE, REMEMBERED, Offence, Pause, pause

NOW = 1e9
offences = st.builds(Offence, st.floats(NOW - 60 * 86400, NOW), st.sampled_from(["left", "stalled"]))


def seconds(times: list[float]) -> float:
    """How long the pause is in which the last of some offences ends."""
    found = pause([Offence(at, "left") for at in times], now=max(times))
    return 0.0 if found is None else found.until - max(times)


def test_the_first_costs_nothing_and_each_further_one_twice_as_much() -> None:
    row = [seconds([NOW] * count) for count in range(1, 9)]
    assert row == [0, 120, 240, 480, 960, 1920, LONGEST_PAUSE, LONGEST_PAUSE]


def test_what_is_long_ago_weighs_less() -> None:
    row = [seconds([NOW - ago, NOW - ago, NOW - ago, NOW]) for ago in (0.0, 0.5 * HALF_LIFE, HALF_LIFE, 3 * HALF_LIFE)]
    assert all(earlier > later for earlier, later in pairwise(row))
    assert row[-1] == 0


def test_a_pause_ends_and_does_not_come_back_by_itself() -> None:
    known = [Offence(NOW, "left"), Offence(NOW, "stalled")]
    assert pause(known, NOW + 119) == Pause(NOW + 120, left=1, stalled=1)
    assert pause(known, NOW + 120) is None
    assert pause([], NOW) is None


def test_any_number_of_offences_is_counted() -> None:
    assert seconds([NOW] * 100_000) == LONGEST_PAUSE


@given(st.lists(offences), offences)
def test_one_more_never_shortens(known: list[Offence], further: Offence) -> None:
    def until(each: list[Offence], now: float) -> float:
        found = pause(each, now)
        return found.until if found else now

    now = max(offence.at for offence in (*known, further))
    latest = Offence(now, further.kind)
    assert until([*known, latest], now) >= until(known, now)


@given(st.lists(offences), st.floats(0, 1e7))
def test_a_pause_is_at_most_an_hour_after_the_last(known: list[Offence], later: float) -> None:
    found = pause(known, NOW + later)
    if found is not None:
        assert NOW + later < found.until <= max(offence.at for offence in known) + LONGEST_PAUSE
        assert 2 <= found.left + found.stalled <= len(known)


@given(st.lists(offences))
def test_what_may_be_forgotten_changes_nothing_for_who_offends_now(known: list[Offence]) -> None:
    now = [Offence(NOW, "left")]
    kept = [offence for offence in known if NOW - offence.at < REMEMBERED]
    assert pause([*known, *now], NOW) == pause([*kept, *now], NOW)


@pytest.mark.parametrize("left", [0, 1, 3])
@pytest.mark.parametrize("stalled", [0, 2])
def test_a_member_is_told_why_in_each_language(left: int, stalled: int) -> None:
    told = [Pause(NOW + 300, left, stalled).sentence(NOW, language) for language in LANGUAGES]
    assert len(set(told)) == len(LANGUAGES)
    assert all("5" in sentence for sentence in told)
    assert all(("3" in sentence) == (left == 3) and ("2" in sentence) == (stalled == 2) for sentence in told)
