"""What the results of a match say: scores of game pairs, differences in strength, and the test that ends a match.

Each opening is played twice, with both colours, and the two games together are one observation: what the opening gives
to one side it takes back in the other game, so that pairs vary less than single games do. A pair has five results, from
none to all of its points, hence "pentanomial".

The strength that is compared here is logistic Elo: a difference of *d* means an expected score of 1 / (1 + 10^(-d/400)).

Source: M. Van den Bergh's note on the theory of Stockfish's testing framework, proposition 1.1
(http://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf): the likeliest distribution with a given expectation,
and so the ratio of two such likelihoods, which makes a generalized sequential probability ratio test (GSPRT) with A.
Wald's bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["PAIR_SCORES", "Elo", "Pairs", "Sprt", "elo_of", "log_likelihood_ratio", "score_of"]

PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What the five results of a pair are worth to the first player: the part of its points."""

_NORMAL_95: Final = 1.959963984540054
_NEVER_SEEN: Final = 1e-3
"""How often a result that was never seen counts in the likelihood: it is possible all the same."""


def score_of(elo: float) -> float:
    """The expected score at a difference of ``elo``.

    >>> score_of(0), round(score_of(100), 4), round(score_of(-100), 4)
    (0.5, 0.6401, 0.3599)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The difference at which this score is expected; infinite for a score of 0 or 1.

    >>> round(elo_of(0.75), 1), elo_of(1.0), elo_of(0.0)
    (190.8, inf, -inf)
    """
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


@dataclass(frozen=True, slots=True)
class Elo:
    """A difference in strength with its 95 % interval, ``low`` to ``high``; each may be infinite.

    >>> print(Elo(12.34, 2.0, 22.5)), print(Elo(math.inf, 420.0, math.inf)), print(Elo(0.0, -math.inf, math.inf))
    +12.3 [+2.0, +22.5]
    +inf [+420.0, +inf]
    +0.0 [-inf, +inf]
    (None, None, None)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.1f} [{self.low:+.1f}, {self.high:+.1f}]"


@dataclass(frozen=True, slots=True)
class Pairs:
    """How often pairs of games had each result, from 0 to 4 half points for the first player.

    >>> pairs = Pairs.of([4, 3, 2, 2, 1])
    >>> pairs.counts, pairs.total, pairs.score, round(pairs.elo().value, 1)
    ((0, 1, 2, 1, 1), 5, 0.6, 70.4)
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or any(count < 0 for count in self.counts):
            raise ValueError(f"pairs have five results, each seen never or more often, not {self.counts}")

    @classmethod
    def of(cls, results: Iterable[int]) -> Pairs:
        """Count results, each the half points that the first player made in a pair. Raises ValueError for others."""
        counts = [0] * 5
        for result in results:
            if not 0 <= result <= 4:
                raise ValueError(f"a pair of games has 0 to 4 half points, not {result}")
            counts[result] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __neg__(self) -> Pairs:
        """The same from the second player's side."""
        zero, one, two, three, four = self.counts
        return Pairs((four, three, two, one, zero))

    @property
    def total(self) -> int:
        """The number of pairs."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """The first player's part of the points, 0 to 1; a half before any pair."""
        return _mean(self.counts) if self.total else 0.5

    @property
    def variance(self) -> float:
        """The variance of a pair's score."""
        return _variance(self.counts) if self.total else 0.0

    def elo(self) -> Elo:
        """The first player's lead in strength, with the interval that follows from the variance of the pairs.

        Where all pairs had the same result their variance tells nothing; the interval is the one that a further pair
        with the next result would give.

        >>> print(Pairs((10, 20, 40, 25, 15)).elo())
        +23.7 [-13.3, +61.3]
        >>> print(Pairs((0, 0, 50, 0, 0)).elo()), print(Pairs((0, 0, 0, 0, 50)).elo()), print(Pairs().elo())
        +0.0 [-10.0, +10.0]
        +inf [+734.0, +inf]
        +0.0 [-inf, +inf]
        (None, None, None)
        """
        if not self.total:
            return Elo(0.0, -math.inf, math.inf)
        value = elo_of(self.score)
        seen = [place for place, count in enumerate(self.counts) if count]
        if len(seen) > 1:
            reach = _reach(self.counts)
            return Elo(value, elo_of(self.score - reach), elo_of(self.score + reach))
        bounds: list[float] = [self.score]
        for neighbour in (seen[0] - 1, seen[0] + 1):
            if 0 <= neighbour < 5:
                counts = [*self.counts]
                counts[neighbour] += 1
                bounds += (_mean(counts) - _reach(counts), _mean(counts) + _reach(counts))
        return Elo(value, elo_of(min(bounds)), elo_of(max(bounds)))

    def superiority(self) -> float:
        """The likelihood that the first player is the stronger one.

        >>> Pairs().superiority(), round(Pairs((10, 20, 40, 25, 15)).superiority(), 3)
        (0.5, 0.895)
        """
        if self.variance == 0:
            return 0.5 if self.score == 0.5 else float(self.score > 0.5)
        return 0.5 * math.erfc((0.5 - self.score) / math.sqrt(2 * self.variance / self.total))


def _mean(counts: Sequence[float]) -> float:
    return sum(count * score for count, score in zip(counts, PAIR_SCORES, strict=True)) / sum(counts)


def _variance(counts: Sequence[float]) -> float:
    mean = _mean(counts)
    return sum(count * (score - mean) ** 2 for count, score in zip(counts, PAIR_SCORES, strict=True)) / sum(counts)


def _reach(counts: Sequence[float]) -> float:
    """Half the width of the 95 % interval of the score."""
    return _NORMAL_95 * math.sqrt(_variance(counts) / sum(counts))


# --- The sequential test --------------------------------------------------------------------------------------------


def log_likelihood_ratio(pairs: Pairs, elo0: float, elo1: float) -> float:
    """How much likelier these pairs are if the lead is ``elo1`` than if it is ``elo0``, as a natural logarithm.

    The likelihood under a lead is that of the distribution of pair results that explains them best among those with
    the expected score of that lead (Van den Bergh's proposition 1.1): with frequencies *f* of the results *a*, and
    *s* the score, it is *f* / (1 + *t* (*a* - *s*)), where *t* makes its mean *s*.

    >>> round(log_likelihood_ratio(Pairs((10, 20, 40, 25, 15)), 0, 10), 3)
    0.518
    >>> log_likelihood_ratio(Pairs(), 0, 10)
    0.0
    """
    if not pairs.total:
        return 0.0
    counts = [count or _NEVER_SEEN for count in pairs.counts]
    return _best_likelihood(counts, score_of(elo1)) - _best_likelihood(counts, score_of(elo0))


def _best_likelihood(counts: Sequence[float], score: float) -> float:
    """The logarithm of the likelihood of the counts under the best distribution with this mean, up to a constant."""
    away = [value - score for value in PAIR_SCORES]
    weight = _root(counts, away)
    return -sum(count * math.log1p(weight * each) for count, each in zip(counts, away, strict=True))


def _root(counts: Sequence[float], away: Sequence[float]) -> float:
    """Where the sum of counts * away / (1 + t * away) is 0: by Newton's steps, halving where one leaves the bracket.

    The sum falls in t, and between the poles, where the bracket begins, all probabilities are positive.
    """
    low, high = -1 / max(away), -1 / min(away)
    at = 0.0
    for _ in range(100):
        terms = [each / (1 + at * each) for each in away]
        value = sum(count * term for count, term in zip(counts, terms, strict=True))
        if value > 0:
            low = at
        else:
            high = at
        following = at + value / sum(count * term * term for count, term in zip(counts, terms, strict=True))
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - at) <= 1e-13:
            break
        at = following
    return at


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of the hypotheses that the first player leads by ``elo0`` or by ``elo1``.

    ``alpha``: how often ``elo1`` is accepted where ``elo0`` is true; ``beta``: how often ``elo0`` where ``elo1`` is. A.
    Wald's bounds keep both nearly. Raises ValueError for values out of range.

    >>> test = Sprt(0, 10)
    >>> round(test.lower, 3), round(test.upper, 3), test.verdict(Pairs((10, 20, 40, 25, 15)))
    (-2.944, 2.944, None)
    >>> test.verdict(Pairs((100, 200, 400, 300, 200)))
    'elo1'
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.elo0, self.elo1))) or self.elo0 >= self.elo1:
            raise ValueError(f"a test is between two leads, the smaller one first, not {self.elo0} and {self.elo1}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"an error's probability is between 0 and 0.5, not {self.alpha} and {self.beta}")

    @classmethod
    def read(cls, text: str) -> Sprt:
        """The test that a text such as ``0,5`` or ``0,5,0.05,0.05`` asks for. Raises ValueError.

        >>> Sprt.read("-3,1")
        Sprt(elo0=-3.0, elo1=1.0, alpha=0.05, beta=0.05)
        """
        numbers = [float(part) for part in text.split(",")]
        if not 2 <= len(numbers) <= 4:
            raise ValueError("a test is given as elo0,elo1 or elo0,elo1,alpha,beta")
        return cls(*numbers)

    @property
    def lower(self) -> float:
        """At this ratio or below ``elo0`` is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At this ratio or above ``elo1`` is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Pairs) -> float:
        """:func:`log_likelihood_ratio` of what was seen."""
        return log_likelihood_ratio(pairs, self.elo0, self.elo1)

    def verdict(self, pairs: Pairs) -> Literal["elo0", "elo1"] | None:
        """The hypothesis that is accepted, or None if the match has to go on."""
        ratio = self.ratio(pairs)
        if ratio <= self.lower:
            return "elo0"
        return "elo1" if ratio >= self.upper else None
