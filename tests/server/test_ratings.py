"""Glicko-2: the published example, properties for any input, and a small league whose true strengths are known."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier.clock import TimeControl
from damier.i18n import LANGUAGES
from damier.server.ratings import (
    GAMES_A_DAY,
    HIGHEST,
    LEAST_DEVIATION,
    LEAST_VOLATILITY,
    LOWEST,
    MOST_DEVIATION,
    MOST_VOLATILITY,
    PERIOD_DAYS,
    POOLS,
    START,
    NotRated,
    Pool,
    Rating,
    after_game,
    can_be_rated,
    rated,
)

DAY: Final = 86400.0
BLITZ: Final = TimeControl.fischer(300, 3)

ratings = st.builds(
    Rating,
    st.floats(LOWEST, HIGHEST),
    st.floats(LEAST_DEVIATION, MOST_DEVIATION),
    st.floats(LEAST_VOLATILITY, MOST_VOLATILITY),
)
middling = st.builds(
    Rating,
    st.floats(1000, 2000),
    st.floats(LEAST_DEVIATION, MOST_DEVIATION),
    st.floats(LEAST_VOLATILITY, MOST_VOLATILITY),
)
times = st.floats(0, 1e12)


def test_the_published_example() -> None:
    opponents = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    after = rated(Rating(1500, 200, 0.06), opponents)
    assert after.value == pytest.approx(1464.06, abs=0.011)  # the paper rounds on its way
    assert after.deviation == pytest.approx(151.52, abs=0.005)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_a_period_without_games_adds_the_variance_of_the_volatility() -> None:
    # the paper's step 6, for a player who did not compete
    expected = 173.7178 * math.sqrt((200 / 173.7178) ** 2 + 0.06**2)
    assert rated(Rating(1500, 200, 0.06), []).deviation == pytest.approx(expected)
    assert Rating(1500, 200, 0.06).after(PERIOD_DAYS * DAY).deviation == pytest.approx(expected)


@given(ratings, ratings, times, times)
def test_a_win_never_lowers_and_a_loss_never_lifts(white: Rating, black: Rating, since: float, before: float) -> None:
    won, lost = after_game(white, black, 1, since, before)
    assert won.value >= white.value
    assert lost.value <= black.value
    drawn, _ = after_game(white, black, 0.5, since, before)
    defeated, _ = after_game(white, black, 0, since, before)
    assert defeated.value <= white.value
    # not a matter of course: the volatility, and with it the size of the step, depends on the result too
    assert defeated.value <= drawn.value <= won.value


@given(ratings, ratings, st.sampled_from([0.0, 0.5, 1.0]), times)
def test_every_rating_stays_finite_and_within_bounds(white: Rating, black: Rating, score: float, since: float) -> None:
    for rating in after_game(white, black, score, since, since):  # the value itself refuses what is out of bounds
        assert all(math.isfinite(number) for number in (rating.value, rating.deviation, rating.volatility))


@given(middling, middling, st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1e7))
def test_it_is_the_same_seen_from_the_other_side(white: Rating, black: Rating, score: float, since: float) -> None:
    def mirrored(rating: Rating) -> Rating:
        return Rating(2 * START - rating.value, rating.deviation, rating.volatility)

    one, other = after_game(white, black, score, since, 0)
    exchanged = after_game(black, white, 1 - score, 0, since)
    assert exchanged == (other, one)
    turned = after_game(mirrored(white), mirrored(black), 1 - score, since, 0)
    for rating, twin in zip((one, other), turned, strict=True):
        assert twin.value == pytest.approx(2 * START - rating.value, abs=1e-6)
        assert twin.deviation == pytest.approx(rating.deviation)
        assert twin.volatility == pytest.approx(rating.volatility)


@given(ratings, times, times)
def test_the_deviation_grows_with_time_alone_and_in_any_parts(rating: Rating, first: float, second: float) -> None:
    at_once = rating.after(first + second)
    assert rating.after(first).after(second).deviation == pytest.approx(at_once.deviation)
    assert at_once.deviation >= rating.after(first).deviation >= rating.deviation
    assert at_once.value == rating.value


@given(ratings, ratings, st.sampled_from([0.0, 0.5, 1.0]))
def test_a_game_makes_a_rating_surer(white: Rating, black: Rating, score: float) -> None:
    assert after_game(white, black, score, 0, 0)[0].deviation <= white.deviation


def test_time_that_runs_backwards_is_no_time() -> None:
    assert after_game(Rating(), Rating(), 1, -5, -5) == after_game(Rating(), Rating(), 1, 0, 0)
    assert Rating(1500, 60).after(-5) == Rating(1500, 60)


@pytest.mark.parametrize(
    "wrong", [(math.nan, 100, 0.06), (math.inf, 100, 0.06), (1500, 0, 0.06), (1500, 351, 0.06), (1500, 100, 0.0)]
)
def test_what_is_no_rating_is_refused(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="a rating's"):
        Rating(*wrong)


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_what_is_no_score_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="a score is from 0 to 1"):
        rated(Rating(), [(Rating(), score)])


def test_a_player_is_provisional_until_enough_games_and_again_after_a_year() -> None:
    rating, games = Rating(), 0
    while rating.is_provisional:
        rating, games = rated(rating, [(Rating(1500, 60), games % 2)], 0), games + 1
    assert 5 <= games <= 15
    assert not Rating(1500, 60).after(364 * DAY).is_provisional
    assert Rating(1500, 60).after(366 * DAY).is_provisional


def test_a_league_is_put_in_order_and_its_deviations_are_honest() -> None:
    lot = random.Random(5)
    strengths = [lot.gauss(START, 250) for _ in range(120)]
    members, last = [Rating() for _ in strengths], [0.0] * len(strengths)
    for game in range(9_000):
        now = game * 25 * DAY / 9_000
        white, black = lot.sample(range(len(strengths)), 2)
        chance = 1 / (1 + 10 ** ((strengths[black] - strengths[white]) / 400))
        score = float(lot.random() < chance)
        members[white], members[black] = after_game(
            members[white], members[black], score, now - last[white], now - last[black]
        )
        last[white] = last[black] = now
    within = sum(
        abs(rating.value - strength) <= 2 * rating.deviation
        for rating, strength in zip(members, strengths, strict=True)
    )
    assert 0.89 <= within / len(strengths) <= 1  # 95 in 100, and four standard errors of that
    by_strength = sorted(zip(strengths, members, strict=True), key=lambda pair: pair[0])
    groups = [sum(rating.value for _, rating in by_strength[at : at + 20]) / 20 for at in range(0, 120, 20)]
    assert all(weaker < stronger for weaker, stronger in pairwise(groups))
    assert not any(rating.is_provisional for rating in members)


def test_there_is_a_pool_for_each_rated_rule_set_and_speed_and_none_for_others() -> None:
    assert len(POOLS) == len(set(POOLS)) == 10
    assert Pool.of("official", TimeControl.correspondence(3)) == Pool("official", "correspondence")
    for rules, control in (("official", TimeControl.none()), ("leaflet", BLITZ), ("classic", BLITZ)):
        assert Pool.of(rules, control) is None
    with pytest.raises(ValueError, match="never rated"):
        Pool("official", "unlimited")


def test_why_a_game_is_casual() -> None:
    def why(
        rules: str = "official", control: TimeControl = BLITZ, white: str | None = "anna", black: str | None = "ben"
    ) -> NotRated | None:
        return can_be_rated(rules=rules, control=control, white_member=white, black_member=black)

    assert why() is None
    assert why(rules="club", control=TimeControl.correspondence(2)) is None
    assert why(rules="leaflet") is NotRated.RULES
    assert why(control=TimeControl.none()) is NotRated.UNLIMITED
    assert why(white=None) is why(black=None) is NotRated.GUEST
    assert why(black="anna") is NotRated.SAME_PERSON

    def later(against_computer: bool = False, aborted: bool = False, rated_today: int = 0) -> NotRated | None:
        return can_be_rated(
            rules="official",
            control=BLITZ,
            white_member="anna",
            black_member=None if against_computer else "ben",
            against_computer=against_computer,
            aborted=aborted,
            rated_today=rated_today,
        )

    assert later(against_computer=True) is NotRated.COMPUTER
    assert later(aborted=True) is NotRated.ABORTED
    assert later(rated_today=GAMES_A_DAY - 1) is None
    assert later(rated_today=GAMES_A_DAY) is NotRated.TOO_MANY


@pytest.mark.parametrize("reason", NotRated)
def test_each_reason_is_said_in_each_language(reason: NotRated) -> None:
    assert len({reason.sentence(language) for language in LANGUAGES}) == len(LANGUAGES)
