"""Ratings by Glicko-2: one for each rule set and speed that is rated. Pure.

Source: Mark E. Glickman, "Example of the Glicko-2 system" (glicko.net/glicko/glicko2.pdf); the numbers of its steps
stand in the comments.

The paper collects the games of a rating period and rates them together. Here each game is rated as it ends, and the
time since the player's last game is a part of a period: the deviation grows by that part of the variance, and the
volatility moves by that part of its freedom. With one whole period both are the paper's.

>>> rated(Rating(1500, 200), [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]).rounded
(1464, 152)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from damier.i18n import N_, NN_, translator
from damier.server.lobby.controls import Speed, speed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from damier.clock import TimeControl

LOWEST: Final = 100.0
HIGHEST: Final = 3500.0
START: Final = 1500.0
LEAST_DEVIATION: Final = 30.0
"""So that a rating still follows its player after a thousand games (Glickman advises this figure for Glicko)."""
MOST_DEVIATION: Final = 350.0
"""That of a player of whom nothing is known."""
PROVISIONAL_ABOVE: Final = 110.0
LEAST_VOLATILITY: Final = 0.01
START_VOLATILITY: Final = 0.06
MOST_VOLATILITY: Final = 0.1
TAU: Final = 0.5
"""How freely the volatility moves in a period; the paper's example has the same, and advises 0.3 to 1.2."""
PERIOD_DAYS: Final = 4.665
"""So long that a player of ordinary volatility whose rating was sure (deviation 60) is provisional again after a year
without a game: 365 × 0.06² ÷ ((110² − 60²) ÷ 173.7178²)."""
GAMES_A_DAY: Final = 6
"""Rated games between the same two; further ones are casual, so that nobody is fed points by a friend."""

_SCALE: Final = 173.7178
_CLOSE: Final = 1e-9
_SECONDS_A_PERIOD: Final = PERIOD_DAYS * 86400
GROWTH: Final = _SCALE**2 / _SECONDS_A_PERIOD
"""By how much the square of a deviation grows in a second without a game, times the square of the volatility."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What is known of a player's strength in one pool.

    ``value``: the strength, 200 points more being a score of about three in four. ``deviation``: the standard error of
    ``value``: the strength lies within two deviations of it for 95 players in 100. ``volatility``: how far the strength
    itself is expected to move in a rating period, on the paper's inner scale. Raises ValueError outside the bounds.

    >>> Rating()
    Rating(value=1500.0, deviation=350.0, volatility=0.06)
    """

    value: float = START
    deviation: float = MOST_DEVIATION
    volatility: float = START_VOLATILITY

    def __post_init__(self) -> None:
        for name, least, number, most in (
            ("value", LOWEST, self.value, HIGHEST),
            ("deviation", LEAST_DEVIATION, self.deviation, MOST_DEVIATION),
            ("volatility", LEAST_VOLATILITY, self.volatility, MOST_VOLATILITY),
        ):
            if not least <= number <= most:  # what is not a number is not either
                raise ValueError(f"a rating's {name} is from {least:g} to {most:g}, not {number!r}")

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known of the player, or what was known is too old.

        >>> Rating().is_provisional, Rating(1800, 70).is_provisional
        (True, False)
        """
        return self.deviation > PROVISIONAL_ABOVE

    @property
    def rounded(self) -> tuple[int, int]:
        """The value and the deviation as they are shown."""
        return round(self.value), round(self.deviation)

    def after(self, seconds: float) -> Rating:
        """The rating after so many seconds without a game: less is known. A negative time counts as none.

        >>> Rating(1800, 60).after(365 * 86400).rounded
        (1800, 110)
        """
        return _bounded(
            self.value,
            math.hypot(self.deviation, _SCALE * self.volatility * math.sqrt(_periods(seconds))),
            self.volatility,
        )


Result: TypeAlias = tuple[Rating, float]
"""An opponent, and the score against them: 1 won, 0.5 drawn, 0 lost."""


def rated(rating: Rating, results: Sequence[Result], periods: float = 1.0) -> Rating:
    """The rating after games that are rated together. ``periods``: the time since ``rating`` was made, in rating
    periods; a negative time counts as none. Raises ValueError for a score that is not from 0 to 1.

    >>> rated(Rating(1500, 60), [(Rating(1500, 60), 0.5)]).value
    1500.0
    """
    periods = max(periods, 0.0)
    mu, phi = _scaled(rating)  # step 2
    information = surprise = 0.0
    for opponent, score in results:  # steps 3 and 4
        if not 0 <= score <= 1:
            raise ValueError(f"a score is from 0 to 1, not {score!r}")
        opponent_mu, opponent_phi = _scaled(opponent)
        weight = 1 / math.sqrt(1 + 3 * (opponent_phi / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-weight * (mu - opponent_mu)))
        information += weight * weight * expected * (1 - expected)
        surprise += weight * (score - expected)
    volatility = rating.volatility
    if results:
        volatility = _volatility(phi, volatility, 1 / information, surprise / information, periods)
    variance = phi * phi + volatility * volatility * periods  # step 6
    variance = 1 / (1 / variance + information)  # step 7
    return _bounded(rating.value + _SCALE * variance * surprise, _SCALE * math.sqrt(variance), volatility)


def after_game(
    white: Rating, black: Rating, white_score: float, white_seconds: float, black_seconds: float
) -> tuple[Rating, Rating]:
    """Both ratings after a game, White's first.

    ``white`` and ``black``: as they stood after each one's last rated game in the pool, so many seconds ago.
    ``white_score``: 1, 0.5 or 0.

    >>> [each.rounded for each in after_game(Rating(), Rating(), 1, 0, 0)]
    [(1662, 290), (1338, 290)]
    >>> [each.rounded for each in after_game(Rating(1500, 50), Rating(1700, 50), 0.5, 86400, 86400)]
    [(1504, 50), (1696, 50)]
    """
    return (
        rated(white, [(black.after(black_seconds), white_score)], _periods(white_seconds)),
        rated(black, [(white.after(white_seconds), 1 - white_score)], _periods(black_seconds)),
    )


def _scaled(rating: Rating) -> tuple[float, float]:
    return (rating.value - START) / _SCALE, rating.deviation / _SCALE


def _periods(seconds: float) -> float:
    return max(seconds, 0.0) / _SECONDS_A_PERIOD


def _bounded(value: float, deviation: float, volatility: float) -> Rating:
    return Rating(
        min(max(value, LOWEST), HIGHEST),
        min(max(deviation, LEAST_DEVIATION), MOST_DEVIATION),
        min(max(volatility, LEAST_VOLATILITY), MOST_VOLATILITY),
    )


def _volatility(phi: float, before: float, variance: float, delta: float, periods: float) -> float:
    """Step 5: where the derivative of the logarithm of the posterior density of ``x = ln σ²`` is nought.

    The bounds of the volatility hold the zero between them, or the nearer bound is the answer; so the search needs no
    bracket of its own and ends for every input. The Illinois rule, as in the paper.
    """
    known = phi * phi + variance
    prior = math.log(before * before)
    freedom = TAU * TAU * periods

    def slope(x: float) -> float:
        moved = math.exp(x) * periods
        total = known + moved
        # both of its terms times ``freedom``, by which nothing could be divided after an instant
        return freedom * moved * (delta * delta - total) / (2 * total * total) - (x - prior)

    low, high = 2 * math.log(LEAST_VOLATILITY), 2 * math.log(MOST_VOLATILITY)
    at_low, at_high = slope(low), slope(high)
    if at_low <= 0:
        return LEAST_VOLATILITY
    if at_high >= 0:
        return MOST_VOLATILITY
    for _ in range(100):
        x = low + (low - high) * at_low / (at_high - at_low)
        at_x = slope(x)
        if at_x * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        moved_by, high, at_high = abs(x - high), x, at_x
        if min(abs(high - low), moved_by) <= _CLOSE:
            break
    return math.exp(high / 2)


RATED_RULES: Final = ("official", "club")
RATED_SPEEDS: Final[tuple[Speed, ...]] = tuple(name for name in get_args(Speed) if name != "unlimited")


@dataclass(frozen=True, slots=True, order=True)
class Pool:
    """Games whose players are rated among each other: a rule set, by name, and a speed. Raises ValueError for those
    that are never rated.

    >>> str(Pool("official", "blitz"))
    'official/blitz'
    """

    rules: str
    speed: Speed

    def __post_init__(self) -> None:
        if self.rules not in RATED_RULES or self.speed not in RATED_SPEEDS:
            raise ValueError(f"{self.rules}/{self.speed} is never rated")

    def __str__(self) -> str:
        return f"{self.rules}/{self.speed}"

    @classmethod
    def of(cls, rules: str, control: TimeControl) -> Pool | None:
        """The pool of games by a rule set and a time control, None where they are never rated.

        >>> from damier.clock import TimeControl
        >>> Pool.of("club", TimeControl.fischer(300, 3)), Pool.of("leaflet", TimeControl.fischer(300, 3))
        (Pool(rules='club', speed='blitz'), None)
        """
        of = speed(control)
        return cls(rules, of) if rules in RATED_RULES and of in RATED_SPEEDS else None


POOLS: Final = tuple(Pool(rules, name) for rules in RATED_RULES for name in RATED_SPEEDS)


class NotRated(Enum):
    """Why a game is casual: ``value`` for programs, :meth:`sentence` for people."""

    RULES = "rules"
    UNLIMITED = "unlimited"
    COMPUTER = "computer"
    BOT = "bot"
    GUEST = "guest"
    SAME_PERSON = "same_person"
    TOO_MANY = "too_many"
    ABORTED = "aborted"
    ANNULLED = "annulled"

    def sentence(self, language: str = "en") -> str:
        """The reason in ``language``.

        >>> NotRated.GUEST.sentence()
        'Only games between members are rated.'
        """
        texts = translator(language)
        if self is NotRated.TOO_MANY:
            return texts.ngettext(*_TOO_MANY, GAMES_A_DAY).format(n=GAMES_A_DAY)
        return texts.gettext(_SENTENCES[self])


_SENTENCES: Final = {
    NotRated.RULES: N_("Games by these rules are not rated."),
    NotRated.UNLIMITED: N_("Games without a clock are not rated."),
    NotRated.COMPUTER: N_("Games against the computer are not rated."),
    NotRated.BOT: N_("Games against a bot are not rated."),
    NotRated.GUEST: N_("Only games between members are rated."),
    NotRated.SAME_PERSON: N_("A game against yourself is not rated."),
    NotRated.ABORTED: N_("An aborted game is not rated."),
    NotRated.ANNULLED: N_("A moderator has annulled this game: it counts for no rating."),
}
_TOO_MANY: Final = NN_(
    "The same two players have one rated game a day; this one is casual.",
    "The same two players have at most {n} rated games a day; this one is casual.",
)


def can_be_rated(
    *,
    rules: str,
    control: TimeControl,
    white_member: str | None,
    black_member: str | None,
    against_computer: bool = False,
    aborted: bool = False,
    rated_today: int = 0,
) -> NotRated | None:
    """None for a game that can be rated, else the first reason why it cannot.

    ``white_member`` and ``black_member``: their ids, None for a guest. ``rated_today``: the rated games that the two
    have begun with each other in the last 24 hours, without this one and those aborted. Ask before a game is
    begun, and with ``aborted`` when it is over.

    >>> from damier.clock import TimeControl
    >>> can_be_rated(rules="official", control=TimeControl.fischer(300, 3), white_member="anna", black_member="ben")
    >>> can_be_rated(rules="official", control=TimeControl.none(), white_member="anna", black_member=None)
    <NotRated.UNLIMITED: 'unlimited'>
    """
    if rules not in RATED_RULES:
        return NotRated.RULES
    if speed(control) not in RATED_SPEEDS:
        return NotRated.UNLIMITED
    if against_computer:
        return NotRated.COMPUTER
    if white_member is None or black_member is None:
        return NotRated.GUEST
    if white_member == black_member:
        return NotRated.SAME_PERSON
    if aborted:
        return NotRated.ABORTED
    if rated_today >= GAMES_A_DAY:
        return NotRated.TOO_MANY
    return None
