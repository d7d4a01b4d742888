"""How far away a player is: the way of a message to the page and back, measured again and again."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Final

from damier.server.play.arbiter import MOST_LAG

if TYPE_CHECKING:
    from collections.abc import Callable

MEASUREMENTS: Final = 5
"""The last ones, of which the median counts: one late answer does not matter."""


class Lag:
    """The round trips of one socket. ``clock``: seconds from any beginning.

    >>> moments = iter([0.0, 0.1, 4.0, 4.3, 8.0, 8.1, 12.0, 15.0]).__next__
    >>> lag = Lag(moments)
    >>> lag.seconds
    0.0
    >>> for _ in range(3):
    ...     lag.answered(lag.sent())
    >>> lag.seconds
    0.1
    >>> lag.answered(99), lag.seconds  # the answer to nothing that was sent
    (None, 0.1)
    """

    __slots__ = ("_clock", "_number", "_sent", "_trips", "seconds")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._number = 0
        self._sent: float | None = None
        self._trips: list[float] = []
        self.seconds = 0.0
        """What a move of this player is credited."""

    def sent(self) -> int:
        """A ping goes out; returns its number. One that was not answered by now is given up."""
        self._number += 1
        self._sent = self._clock()
        return self._number

    def answered(self, number: int) -> None:
        """A pong has come."""
        if number != self._number or self._sent is None:
            return
        self._trips = [*self._trips[1 - MEASUREMENTS :], round(self._clock() - self._sent, 3)]
        self._sent = None
        self.seconds = min(MOST_LAG, median(self._trips))
