"""How much one socket may ask for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Allowance:
    """So many messages a second on average, and so many at once.

    >>> clock = iter([0.0, 0.0, 0.0, 0.5]).__next__
    >>> allowance = Allowance(per_second=2, burst=1, clock=clock)
    >>> allowance.take(), allowance.take(), allowance.take()
    (True, False, True)
    """

    __slots__ = ("_burst", "_clock", "_left", "_per_second", "_since")

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left = float(burst)
        self._since = clock()

    def take(self) -> bool:
        """Whether one more is allowed now; if so, it counts."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._since) * self._per_second)
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
