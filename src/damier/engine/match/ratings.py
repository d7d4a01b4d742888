"""Ratings of several players from the games among them: Bradley and Terry's model by maximum likelihood.

A player's chance against another is 1 / (1 + 10^(-d/400)) at a lead of *d*; a draw counts as half a win and half a
loss. The likelihood is maximised by Newton's method. The errors come from the "sandwich" of the second derivatives
and the pairs' own variance (P. J. Huber, 1967): a pair of games from one opening is one observation, so that draws and
openings that favour a side are in them as they are, not as the model would have them.

The maximum exists if and only if the players cannot be parted into two groups one of which made no half point against
the other (L. R. Ford, 1957). Where they can, one drawn game is added between every two who met.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from damier.engine.match.statistics import PAIR_SCORES, score_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from damier.engine.match.statistics import Pairs

__all__ = ["Rating", "ratings"]

_NORMAL_95: Final = 1.959963984540054
_ELO: Final = 400 / math.log(10)
_MOST_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating in Elo, the mean of all being 0, and half the width of its 95 % interval.

    ``is_bounded``: False where a drawn game was added between every two who met, since without them some rating would
    be infinite.
    """

    elo: float
    error: float
    is_bounded: bool = True


def ratings(players: int, meetings: Mapping[tuple[int, int], Pairs]) -> list[Rating]:
    """The ratings of players 0, 1, … from the pairs of games between them, each told as the first of the two sees it.

    Raises ValueError for meetings of others, and where the players are not all connected by games.

    >>> from damier.engine.match import Pairs
    >>> found = ratings(2, {(0, 1): Pairs((10, 20, 40, 25, 15))})
    >>> round(found[0].elo - found[1].elo, 1), round(found[0].error + found[1].error, 1)
    (23.7, 37.2)
    """
    for pair in meetings:
        if len(set(pair)) != 2 or not all(0 <= place < players for place in pair):
            raise ValueError(f"players {pair} are not two of {players}")
    met = {pair: pairs for pair, pairs in meetings.items() if pairs.total}
    if len(_reached(players, {(one, two) for pair in met for one, two in (pair, pair[::-1])})) < players:
        raise ValueError("not all players are connected by games")
    is_bounded = _is_bounded(players, met)
    # in games: the points of the first, and how many there were
    points = {pair: (2 * pairs.score * pairs.total, 2.0 * pairs.total) for pair, pairs in met.items()}
    if not is_bounded:
        points = {pair: (made + 0.5, games + 1) for pair, (made, games) in points.items()}
    strengths = _maximum(players, points)
    errors = _errors(strengths, met, points)
    return [
        Rating(_ELO * strength, _NORMAL_95 * _ELO * error, is_bounded)
        for strength, error in zip(strengths, errors, strict=True)
    ]


def _is_bounded(players: int, met: Mapping[tuple[int, int], Pairs]) -> bool:
    edges: set[tuple[int, int]] = set()  # who made at least half a point against whom
    for (one, two), pairs in met.items():
        if pairs.score > 0:
            edges.add((one, two))
        if pairs.score < 1:
            edges.add((two, one))
    back = {(two, one) for one, two in edges}
    return len(_reached(players, edges)) == len(_reached(players, back)) == players


def _reached(players: int, edges: set[tuple[int, int]]) -> set[int]:
    """The players to whom ways lead from player 0."""
    del players
    reached, waiting = {0}, [0]
    while waiting:
        place = waiting.pop()
        for one, two in edges:
            if one == place and two not in reached:
                reached.add(two)
                waiting.append(two)
    return reached


def _chance(lead: float) -> float:
    return score_of(_ELO * lead)


def _maximum(players: int, points: Mapping[tuple[int, int], tuple[float, float]]) -> list[float]:
    """The strengths at which these points are likeliest, natural logarithms with the mean 0."""
    strengths = [0.0] * players
    for _ in range(_MOST_STEPS):
        slope = [0.0] * players
        for (one, two), (made, games) in points.items():
            rest = made - games * _chance(strengths[one] - strengths[two])
            slope[one] += rest
            slope[two] -= rest
        step = _solved(_curvature(strengths, points), slope)
        longest = max(map(abs, step))
        shorter = min(1.0, 1.0 / longest) if longest else 1.0  # far from the maximum Newton's step goes too far
        strengths = [strength + shorter * each for strength, each in zip(strengths, step, strict=True)]
        if longest < 1e-12:
            break
    mean = sum(strengths) / players
    return [strength - mean for strength in strengths]


def _curvature(strengths: Sequence[float], points: Mapping[tuple[int, int], tuple[float, float]]) -> list[list[float]]:
    """The second derivatives, turned round, with 1 added everywhere: that holds the mean, which no game tells."""
    players = len(strengths)
    matrix = [[1.0] * players for _ in range(players)]
    for (one, two), (_, games) in points.items():
        chance = _chance(strengths[one] - strengths[two])
        weight = games * chance * (1 - chance)
        matrix[one][one] += weight
        matrix[two][two] += weight
        matrix[one][two] -= weight
        matrix[two][one] -= weight
    return matrix


def _errors(
    strengths: Sequence[float],
    met: Mapping[tuple[int, int], Pairs],
    points: Mapping[tuple[int, int], tuple[float, float]],
) -> list[float]:
    """The standard error of each strength."""
    players = len(strengths)
    curvature = _curvature(strengths, points)
    unit = [[float(row == column) for row in range(players)] for column in range(players)]
    inverse = [_solved(curvature, column) for column in unit]
    squares = [0.0] * players
    for (one, two), pairs in met.items():
        chance = _chance(strengths[one] - strengths[two])
        # by how much a pair's points differ from what the ratings make likely, squared: two games a pair
        square = sum(
            count * (2 * (score - chance)) ** 2 for count, score in zip(pairs.counts, PAIR_SCORES, strict=True)
        )
        for place in range(players):
            squares[place] += square * (inverse[place][one] - inverse[place][two]) ** 2
    return [math.sqrt(square) for square in squares]


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination with pivots."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            if factor:
                rows[row] = [value - factor * above for value, above in zip(rows[row], rows[column], strict=True)]
    solution = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][column] * solution[column] for column in range(row + 1, size))
        solution[row] = (rows[row][size] - known) / rows[row][row]
    return solution
