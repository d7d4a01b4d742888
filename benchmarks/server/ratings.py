"""Ratings of players whose true strengths are known: `python benchmarks/server/ratings.py`.

100,000 games of 1,000 players, over a year, each paired with one of those nearest in rating. The scores follow the
strengths by the logistic curve, a third of the games between equals being drawn. Printed is how well the order of the
ratings is that of the strengths, and how often a strength lies within one and within two deviations of its rating (68
and 95 % if the deviations say what they mean): once for strengths that drift as the volatility says, and once for
strengths that stay, of which the ratings are then surer than they claim.
"""

from __future__ import annotations

import random
import time
from statistics import correlation, fmean, median

from damier.server.ratings import PERIOD_DAYS, START, START_VOLATILITY, Rating, after_game

PLAYERS = 1_000
GAMES = 100_000
DAYS = 365
SPREAD = 300.0
NEIGHBOURS = 50
DRAWS = 1 / 3
DRIFT = START_VOLATILITY * 173.7178 * (DAYS / PERIOD_DAYS / (2 * GAMES / PLAYERS)) ** 0.5
"""Points that a drifting strength moves from game to game (standard deviation): what the ordinary volatility says of the
time between them, about 92 points in the year. For such players the deviations are made."""


def played(better_by: float, lot: random.Random) -> float:
    """A score of White, whose expectation is that of the logistic curve."""
    expected = 1 / (1 + 10 ** (-better_by / 400))
    drawn = 2 * DRAWS * min(expected, 1 - expected)
    chance = lot.random()
    return 1.0 if chance < expected - drawn / 2 else 0.5 if chance < expected + drawn / 2 else 0.0


def simulate(drift: float, checks: tuple[int, ...], seed: int = 1) -> None:
    """Plays the games and prints what the ratings are worth after each number of games among ``checks``."""
    lot = random.Random(seed)
    strengths = [lot.gauss(START, SPREAD) for _ in range(PLAYERS)]
    ratings, last = [Rating() for _ in strengths], [0.0] * PLAYERS
    order: list[int] = []
    began = time.perf_counter()
    for game in range(1, GAMES + 1):
        if game % PLAYERS == 1:
            order = sorted(range(PLAYERS), key=lambda player: ratings[player].value)
        now = game * DAYS * 86400 / GAMES
        place = lot.randrange(PLAYERS)
        near = place + lot.choice((-1, 1)) * lot.randint(1, NEIGHBOURS)
        white, black = order[place], order[near if 0 <= near < PLAYERS else 2 * place - near]
        for player in (white, black):
            strengths[player] += lot.gauss(0, drift)
        ratings[white], ratings[black] = after_game(
            ratings[white],
            ratings[black],
            played(strengths[white] - strengths[black], lot),
            now - last[white],
            now - last[black],
        )
        last[white] = last[black] = now
        if game in checks:
            show(game, strengths, [rating.after(now - since) for rating, since in zip(ratings, last, strict=True)])
    print(f"   {(time.perf_counter() - began) / GAMES * 1e6:.0f} µs a game, the simulation's own part in it")


def ranks(numbers: list[float]) -> list[int]:
    """Each number's place in their order."""
    places = [0] * len(numbers)
    for place, index in enumerate(sorted(range(len(numbers)), key=numbers.__getitem__)):
        places[index] = place
    return places


def show(games: int, strengths: list[float], ratings: list[Rating]) -> None:
    """One line of figures."""
    off = [abs(rating.value - strength) for rating, strength in zip(ratings, strengths, strict=True)]
    shares = [
        sum(error <= many * rating.deviation for error, rating in zip(off, ratings, strict=True)) / PLAYERS
        for many in (1, 2)
    ]
    order = correlation(ranks(strengths), ranks([rating.value for rating in ratings]))
    print(
        f"{games:>7,} games, {2 * games // PLAYERS:>3} a player: order {order:.3f} (rank correlation), "
        f"within one deviation {shares[0]:.1%}, within two {shares[1]:.1%}; median deviation "
        f"{median(rating.deviation for rating in ratings):.0f}, mean error {fmean(off):.0f}, "
        f"mean volatility {fmean(rating.volatility for rating in ratings):.4f}",
        flush=True,
    )


if __name__ == "__main__":
    for title, drift in ((f"Strengths that drift by {DRIFT:.1f} points a game", DRIFT), ("Strengths that stay", 0.0)):
        print(title)
        simulate(drift, checks=(5_000, 20_000, 50_000, GAMES))
