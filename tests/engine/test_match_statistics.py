"""What a match's results say, against maxima found another way, closed forms, and simulated matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest

from damier.engine.match import Elo, Pairs, Sprt, elo_of, log_likelihood_ratio, ratings, score_of
from damier.engine.match.statistics import PAIR_SCORES

COUNTS = [
    (10, 20, 40, 25, 15),
    (1, 7, 90, 12, 2),
    (500, 2000, 4000, 2100, 560),
    (3, 1, 1, 1, 3),
    (40, 3, 2, 1, 1),
]


def log_likelihood_at(counts: Sequence[float], mean: float) -> float:
    """The greatest log-likelihood of the counts with this mean, by climbing: no equation is solved.

    Three of the five probabilities are free. Coordinate by coordinate the concave function is climbed by thirds.
    """

    def whole(inner: list[float]) -> list[float]:
        one, two, three = inner
        last = mean - 0.25 * one - 0.5 * two - 0.75 * three
        return [1 - one - two - three - last, one, two, three, last]

    def value(inner: list[float]) -> float:
        probabilities = whole(inner)
        if min(probabilities) <= 0:
            return -math.inf
        return sum(count * math.log(each) for count, each in zip(counts, probabilities, strict=True))

    ends = mean  # between nothing and all, mixed so that the mean is right
    inner = [0.1 * min(ends, 1 - ends)] * 3
    assert value(inner) > -math.inf
    random = Random(5)
    before = -math.inf
    for turn in range(2000):
        direction = [random.gauss(0, 1) for _ in range(3)]
        low, high = -0.5, 0.5
        for _ in range(40):
            one, two = low + (high - low) / 3, high - (high - low) / 3
            at = [value([x + step * d for x, d in zip(inner, direction, strict=True)]) for step in (one, two)]
            if at[0] == at[1] == -math.inf:
                low, high = (low / 2, high / 2)
            elif at[0] < at[1]:
                low = one
            else:
                high = two
        moved = [x + (low + high) / 2 * d for x, d in zip(inner, direction, strict=True)]
        if value(moved) > value(inner):
            inner = moved
        if turn % 60 == 59:
            if value(inner) - before < 1e-6:
                break
            before = value(inner)
    return value(inner)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 10), (-40, 25)])
def test_the_ratio_is_that_of_the_likeliest_distributions(
    counts: tuple[int, int, int, int, int], elo0: float, elo1: float
) -> None:
    climbed = log_likelihood_at(counts, score_of(elo1)) - log_likelihood_at(counts, score_of(elo0))
    assert log_likelihood_ratio(Pairs(counts), elo0, elo1) == pytest.approx(climbed, abs=1e-4 * max(1, abs(climbed)))


def test_the_ratio_of_decided_games_has_a_closed_form() -> None:
    won, lost = 37, 21
    one, zero = score_of(30), score_of(-10)
    expected = won * math.log(one / zero) + lost * math.log((1 - one) / (1 - zero))
    # what was never seen counts a little: 0.001 of a pair for each of the three other results
    assert log_likelihood_ratio(Pairs((lost, 0, 0, 0, won)), -10, 30) == pytest.approx(expected, abs=2e-3)


def test_the_ratio_is_near_the_usual_approximation_for_many_pairs() -> None:
    pairs = Pairs((500, 2000, 4000, 2100, 560))
    zero, one = score_of(0), score_of(5)
    about = [
        sum(count * (value - score) ** 2 for count, value in zip(pairs.counts, PAIR_SCORES, strict=True))
        for score in (zero, one)
    ]
    assert log_likelihood_ratio(pairs, 0, 5) == pytest.approx(pairs.total / 2 * math.log(about[0] / about[1]), rel=0.01)


def test_the_ratio_turns_with_the_players() -> None:
    pairs = Pairs((10, 20, 40, 25, 15))
    assert log_likelihood_ratio(-pairs, -10, 5) == pytest.approx(-log_likelihood_ratio(pairs, -5, 10), abs=1e-9)
    assert log_likelihood_ratio(pairs, 3, 3) == 0


@pytest.mark.parametrize(
    "counts", [(0, 0, 0, 0, 9), (9, 0, 0, 0, 0), (0, 0, 9, 0, 0), (0, 0, 1, 0, 0), (0, 1, 0, 0, 0)]
)
def test_results_that_are_all_alike_make_finite_ratios(counts: tuple[int, int, int, int, int]) -> None:
    ratio = log_likelihood_ratio(Pairs(counts), -5, 5)
    assert math.isfinite(ratio)
    assert (ratio > 0.01) == (Pairs(counts).score > 0.5)
    assert (ratio < -0.01) == (Pairs(counts).score < 0.5)


def distribution(elo: float, draws: float = 0.5, bias: float = 60.0) -> list[float]:
    """The chances of a pair's five results, where openings favour White by ``bias`` and a part of games is drawn."""

    def game(lead: float) -> list[float]:
        score = score_of(lead)
        drawn = 2 * draws * min(score, 1 - score)
        return [1 - score - drawn / 2, drawn, score - drawn / 2]

    chances = [0.0] * 5
    for one, first in enumerate(game(elo + bias)):
        for two, second in enumerate(game(elo - bias)):
            chances[one + two] += first * second
    mean = sum(chance * value for chance, value in zip(chances, PAIR_SCORES, strict=True))
    return lead_exactly(chances, mean, score_of(elo))


def lead_exactly(chances: list[float], mean: float, wanted: float) -> list[float]:
    """The chances shifted a little from one end to the other, so that the mean is what it should be."""
    shift = wanted - mean
    moved = list(chances)
    moved[4] += shift
    moved[0] -= shift
    return moved


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "elo1"), (40.0, "elo0")])
def test_the_test_errs_as_rarely_as_it_says(truth: float, wrong: str) -> None:
    random, test = Random(11), Sprt(0, 40, alpha=0.05, beta=0.1)
    chances = distribution(truth)
    errors, matches, lengths = 0, 300, 0
    for _ in range(matches):
        counts = [0] * 5
        verdict = None
        while verdict is None:
            for result in random.choices(range(5), chances, k=4):  # it looks at every fourth pair
                counts[result] += 1
            verdict = test.verdict(Pairs((counts[0], counts[1], counts[2], counts[3], counts[4])))
        errors += verdict == wrong
        lengths += sum(counts)
    allowed = 0.05 if wrong == "elo1" else 0.1
    # three standard errors of what may be, and far from an error that never happens or always
    assert 0.1 * allowed < errors / matches < allowed + 3 * math.sqrt(allowed * (1 - allowed) / matches)
    assert 20 < lengths / matches < 400


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random, chances = Random(3), distribution(35.0)
    held = 0
    for _ in range(1000):
        elo = Pairs.of(random.choices(range(5), chances, k=200)).elo()
        held += elo.low <= 35 <= elo.high
    assert 930 <= held <= 970


def test_elo_of_nothing_and_of_everything() -> None:
    assert Pairs().elo() == Elo(0.0, -math.inf, math.inf)
    shut_out = Pairs((0, 0, 0, 0, 50)).elo()
    assert shut_out.value == shut_out.high == math.inf
    assert 400 < shut_out.low < Pairs((0, 0, 0, 0, 500)).elo().low
    assert elo_of(score_of(123.4)) == pytest.approx(123.4)
    even = Pairs((0, 0, 400, 0, 0)).elo()
    assert even.low < 0 == even.value < even.high < 5


@pytest.mark.parametrize("text", ["", "1", "a,b", "5,0", "0,5,0.6", "0,5,0.05,0", "0,5,0.05,0.05,1", "0,inf", "nan,1"])
def test_a_test_that_is_none(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - float's own message is one of them
        Sprt.read(text)


@pytest.mark.parametrize("results", [[5], [-1]])
def test_a_pair_has_four_half_points(results: list[int]) -> None:
    with pytest.raises(ValueError, match="half points"):
        Pairs.of(results)


# --- Ratings --------------------------------------------------------------------------------------------------------


def test_ratings_of_two_are_the_match_between_them() -> None:
    pairs = Pairs((10, 20, 40, 25, 15))
    one, two = ratings(2, {(0, 1): pairs})
    elo = pairs.elo()
    assert one.elo - two.elo == pytest.approx(elo.value)
    assert 2 * one.error == pytest.approx((elo.high - elo.low) / 2, rel=0.02)


def test_ratings_do_not_depend_on_who_is_told_first() -> None:
    games = {(0, 1): Pairs((3, 9, 20, 14, 8)), (1, 2): Pairs((1, 2, 9, 12, 7)), (0, 2): Pairs((0, 2, 5, 9, 30))}
    turned = {(two, one): -pairs for (one, two), pairs in games.items()}
    for one, two in zip(ratings(3, games), ratings(3, turned), strict=True):
        assert (one.elo, one.error) == pytest.approx((two.elo, two.error))


def test_ratings_are_where_no_other_is_likelier() -> None:
    games = {(0, 1): Pairs((3, 9, 20, 14, 8)), (1, 2): Pairs((1, 2, 9, 12, 7)), (0, 2): Pairs((0, 2, 5, 9, 30))}

    def likelihood(elos: Sequence[float]) -> float:
        total = 0.0
        for (one, two), pairs in games.items():
            chance = score_of(elos[one] - elos[two])
            total += pairs.total * (pairs.score * math.log(chance) + (1 - pairs.score) * math.log(1 - chance))
        return total

    best = [rating.elo for rating in ratings(3, games)]
    assert sum(best) == pytest.approx(0, abs=1e-9)
    for place in range(3):
        for step in (-0.5, 0.5):
            other = list(best)
            other[place] += step
            assert likelihood(other) < likelihood(best)


def test_rating_errors_are_what_simulated_tournaments_scatter() -> None:
    random, truth = Random(8), (60.0, 0.0, -60.0)
    chances = {(a, b): distribution(truth[a] - truth[b]) for a in range(3) for b in range(a + 1, 3)}
    held = 0
    for _ in range(300):
        games = {pair: Pairs.of(random.choices(range(5), each, k=80)) for pair, each in chances.items()}
        held += sum(
            abs(rating.elo - true) <= rating.error for rating, true in zip(ratings(3, games), truth, strict=True)
        )
    assert 0.92 <= held / 900 <= 0.98


def test_ratings_where_one_won_all() -> None:
    found = ratings(3, {(0, 1): Pairs((0, 0, 0, 0, 10)), (1, 2): Pairs((2, 2, 3, 2, 1))})
    assert not found[0].is_bounded
    assert found[0].elo > found[1].elo + 200
    assert all(math.isfinite(rating.elo) and math.isfinite(rating.error) for rating in found)


def test_ratings_of_players_who_never_met() -> None:
    with pytest.raises(ValueError, match="connected"):
        ratings(4, {(0, 1): Pairs((1, 1, 1, 1, 1)), (2, 3): Pairs((1, 1, 1, 1, 1))})
    with pytest.raises(ValueError, match="not two of"):
        ratings(2, {(0, 2): Pairs((1, 1, 1, 1, 1))})
