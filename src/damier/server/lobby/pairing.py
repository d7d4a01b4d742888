"""Quick pairing: who of those that wait in one queue plays whom, and with which colour. Pure.

A queue holds people who want the same rule set and the same time control. The one who has waited longest chooses
first: of those who suit, the one nearest in rating, somewhat further if the colours come out better. So nobody is left
waiting beside one who suits them, and each turn of choosing costs no more than a look at the neighbours in rating.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

REACH: Final = 100.0
"""Points of rating that a seeker takes at once: a score of about 64 % for the stronger."""
REACH_A_SECOND: Final = 10.0
"""Points more for each second of waiting: about a minute reaches from a beginner to a strong player."""
REACH_OF_DEVIATION: Final = 0.5
"""Points more for each point of the rating's deviation: who is hardly known suits more opponents."""
RUNNING: Final = 2
"""Games running against the same opponent, after which another one is wanted."""
COLOR_GAMES: Final = 10
"""The last games over which colours are balanced."""
COLOR_COST: Final = 15.0
"""Points of rating that one game's better balance of colours is worth."""


@dataclass(frozen=True, slots=True)
class Seeker:
    """Somebody in a queue.

    ``since``: when the search began, in seconds. ``last_opponents``: by id, the most recent first. ``balance``: White
    minus Black over the last :data:`COLOR_GAMES` games. ``blocked``: those whom this person does not play, by id; one
    side is enough. ``lowest`` and ``highest``: the opponents' ratings wished for.
    """

    person: str
    rating: float
    since: float
    deviation: float = 0.0
    last_opponents: tuple[str, ...] = ()
    balance: int = 0
    blocked: frozenset[str] = field(default=frozenset())
    lowest: float = -math.inf
    highest: float = math.inf

    def reach(self, now: float) -> float:
        """How far in rating an opponent may be by now.

        >>> Seeker("anna", 1500, since=0).reach(0), Seeker("anna", 1500, since=0).reach(10)
        (100.0, 200.0)
        """
        return REACH + REACH_A_SECOND * max(now - self.since, 0.0) + REACH_OF_DEVIATION * self.deviation

    def takes(self, other: Seeker) -> bool:
        """Whether this person would play the other one, however far apart they are."""
        return (
            other.person != self.person
            and other.person not in self.blocked
            and self.lowest <= other.rating <= self.highest
            and not (
                len(self.last_opponents) >= RUNNING
                and all(person == other.person for person in self.last_opponents[:RUNNING])
            )
        )


def suit(one: Seeker, other: Seeker, now: float) -> bool:
    """Whether two may be paired: each takes the other, and they are no further apart than the mean of their reaches.

    >>> suit(Seeker("anna", 1500, since=0), Seeker("ben", 1650, since=9), now=10)
    True
    >>> suit(Seeker("anna", 1500, since=0), Seeker("ben", 1690, since=9), now=10)
    False
    """
    return (
        2 * abs(one.rating - other.rating) <= one.reach(now) + other.reach(now)
        and one.takes(other)
        and other.takes(one)
    )


def pairings(seekers: Iterable[Seeker], now: float) -> list[tuple[str, str]]:
    """The games to be begun, each as (White, Black) by id, those who waited longest first.

    No two who are left over suit each other. The same seekers, in whatever order, give the same games. Raises
    ValueError for a person who is in the queue twice.

    >>> anna, ben, carl = Seeker("anna", 1500, 0), Seeker("ben", 1570, 1), Seeker("carl", 1520, 2, balance=-1)
    >>> pairings([anna, ben, carl], now=3)
    [('carl', 'anna')]
    """
    ladder = sorted(seekers, key=lambda seeker: (seeker.rating, seeker.person))
    if len({seeker.person for seeker in ladder}) < len(ladder):
        raise ValueError("somebody is in the queue twice")
    # the neighbours in rating who still wait, as two chains through the ladder; -1 and its length are the ends
    below, above = list(range(-1, len(ladder) - 1)), list(range(1, len(ladder) + 1))
    waiting = [True] * len(ladder)
    furthest = max((seeker.reach(now) for seeker in ladder), default=0.0)
    ratings = [seeker.rating for seeker in ladder]
    games: list[tuple[str, str]] = []

    def leave(place: int) -> None:
        waiting[place] = False
        if below[place] >= 0:
            above[below[place]] = above[place]
        if above[place] < len(ladder):
            below[above[place]] = below[place]

    def nearest(place: int) -> int | None:
        """The place of the best opponent: outwards in both directions, until none further off can be better."""
        seeker = ladder[place]
        best, least = None, (seeker.reach(now) + furthest) / 2
        # whom a wished range leaves out between is passed over at once
        down = min(below[place], bisect_right(ratings, seeker.highest) - 1)
        up = max(above[place], bisect_left(ratings, seeker.lowest))
        while down >= 0 and not waiting[down]:
            down = below[down]
        while up < len(ladder) and not waiting[up]:
            up = above[up]
        while True:
            lower = ratings[place] - ratings[down] if down >= 0 and ratings[down] >= seeker.lowest else math.inf
            higher = ratings[up] - ratings[place] if up < len(ladder) and ratings[up] <= seeker.highest else math.inf
            if min(lower, higher) > least:
                break
            if lower <= higher:
                at, distance, down = down, lower, below[down]
            else:
                at, distance, up = up, higher, above[up]
            cost = distance + COLOR_COST * _color_conflict(seeker, ladder[at])
            if (best is None or cost < least) and suit(seeker, ladder[at], now):
                best, least = at, cost
        return best

    for seeker in sorted(ladder, key=lambda seeker: (seeker.since, seeker.person)):
        place = bisect_left(ladder, (seeker.rating, seeker.person), key=lambda each: (each.rating, each.person))
        if not waiting[place]:
            continue
        found = nearest(place)
        if found is not None:
            leave(place)
            leave(found)
            games.append(_colored(seeker, ladder[found]))
    return games


def _color_conflict(one: Seeker, other: Seeker) -> int:
    """By how many games the balance of the worse served of two gets worse than it need: both were White, or Black."""
    return min(abs(one.balance), abs(other.balance)) if one.balance * other.balance > 0 else 0


def _colored(one: Seeker, other: Seeker) -> tuple[str, str]:
    """White and Black: White for whom Black has been more often, and of two alike for the one who waited longer."""
    return (other.person, one.person) if other.balance < one.balance else (one.person, other.person)
