"""From scores to shares of wins, draws and losses: the curve that :attr:`damier.engine.Score.wdl` follows.

A score of v is won with σ((v - a) / b) and lost with σ((-v - a) / b), σ being the logistic function: an ordered
logit, alike for both sides. Its likelihood is concave in a / b and 1 / b (Pratt, "Concavity of the log likelihood",
1981), so scoring by Fisher's information finds the one maximum.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from damier.i18n import N_
from damier.lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from damier.lab.samples import Samples

__all__ = ["Calibration", "Counts", "calibrate", "count", "shares"]

_STEPS: Final = 200
_EXACT: Final = 1e-10
_LEAST: Final = 1e-300
_ONE_SIDED = N_("The curve cannot be fitted to these samples: they need wins, draws and losses at various scores.")


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each score was lost, drawn and won, from the side that has it."""

    scores: NDArray[np.float64]
    results: NDArray[np.float64]
    """A row a score: lost, drawn, won."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curve. ``margin`` is a and ``spread`` is b, in hundredths of a man; ``loss`` the mean cross-entropy."""

    margin: float
    spread: float
    loss: float
    positions: int


def count(samples: Iterable[Samples]) -> Counts:
    """The counts of samples; every one also counts for the other side, with the opposite score and result."""
    counter: Counter[tuple[int, int]] = Counter()
    for some in samples:
        keys, times = np.unique(np.stack([some["score"], some["result"]]).astype(np.int64), axis=1, return_counts=True)
        for (score, result), number in zip(keys.T.tolist(), times.tolist(), strict=True):
            counter[score, result] += number
            counter[-score, -result] += number
    scores = sorted({score for score, _ in counter})
    results = [[counter[score, result] for result in (-1, 0, 1)] for score in scores]
    return Counts(np.array(scores, np.float64), np.array(results, np.float64).reshape(-1, 3))


def shares(scores: NDArray[np.float64], margin: float, spread: float) -> NDArray[np.float64]:
    """The shares of losses, draws and wins by the curve, a row a score.

    >>> shares(np.array([0.0]), 100.0, 50.0).round(3).tolist()
    [[0.119, 0.762, 0.119]]
    """
    return _chances(margin / spread, 1 / spread, scores)


def calibrate(counts: Counts) -> Calibration:
    """The likeliest curve. Raises :class:`LabError` if there is none."""
    total = counts.results.sum()
    if not total or not np.all(counts.results.sum(axis=0)) or len(counts.scores) < 3:
        raise LabError(_ONE_SIDED, code="one_sided")
    of_score = counts.results.sum(axis=1)
    unit = float(np.sqrt((of_score * counts.scores**2).sum() / total)) or 1.0
    values = counts.scores / unit
    cut, slope = 1.0, 1.0  # a / b and 1 / b, in units
    loss = _loss(cut, slope, values, counts.results)
    for _ in range(_STEPS):
        chances, slopes = _slopes(cut, slope, values)
        upward = (np.einsum("vr,vrp->p", counts.results, slopes) / total).tolist()
        (aa, ab), (_, bb) = (np.einsum("v,vr,vrp,vrq->pq", of_score, chances, slopes, slopes) / total).tolist()
        determinant = aa * bb - ab * ab
        if not determinant > 0:
            raise LabError(_ONE_SIDED, code="one_sided")
        by_cut = (bb * upward[0] - ab * upward[1]) / determinant
        by_slope = (aa * upward[1] - ab * upward[0]) / determinant
        while max(abs(by_cut), abs(by_slope)) > _EXACT:
            after = _loss(cut + by_cut, slope + by_slope, values, counts.results)
            if after <= loss:
                break
            by_cut, by_slope = by_cut / 2, by_slope / 2
        else:
            break
        cut, slope, loss = cut + by_cut, slope + by_slope, after
    if slope <= 0:
        raise LabError(_ONE_SIDED, code="one_sided")
    spread = unit / slope
    return Calibration(cut * spread, spread, loss, int(total) // 2)


def _loss(cut: float, slope: float, values: NDArray[np.float64], results: NDArray[np.float64]) -> float:
    """The mean cross-entropy; endless where draws would be less than impossible."""
    if cut <= 0:
        return float("inf")
    return float(-(results * np.log(_chances(cut, slope, values))).sum() / results.sum())


def _chances(cut: float, slope: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares, none of them 0."""
    win = 0.5 + 0.5 * np.tanh((slope * values - cut) / 2)
    loss = 0.5 + 0.5 * np.tanh((-slope * values - cut) / 2)
    return np.maximum(np.stack([loss, 1 - win - loss, win], axis=1), _LEAST)


def _slopes(cut: float, slope: float, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The chances, and the slopes of their logarithms by both numbers: score, result, number."""
    chances = _chances(cut, slope, values)
    loss, draw, win = chances.T
    ones = np.ones_like(values)
    of_win = np.stack([-ones, values], axis=1)  # of the argument of σ
    of_loss = np.stack([-ones, -values], axis=1)
    by_win, by_loss = (win * (1 - win))[:, None] * of_win, (loss * (1 - loss))[:, None] * of_loss
    return chances, np.stack(
        [(1 - loss)[:, None] * of_loss, -(by_win + by_loss) / draw[:, None], (1 - win)[:, None] * of_win], axis=1
    )
