"""When a search ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Limit"]


@dataclass(frozen=True, slots=True)
class Limit:
    """At least one of ``time`` (seconds), ``nodes`` and ``depth`` (plies); the first that is reached ends the search.

    Raises ValueError if none is given or one is out of range. With ``nodes`` or ``depth`` alone a search from an
    engine that remembers nothing (a new one, or after :meth:`Engine.clear <damier.engine.Engine.clear>`) always finds
    the same.

    >>> Limit(time=1.5)
    Limit(time=1.5, nodes=None, depth=None)
    >>> Limit()
    Traceback (most recent call last):
    ...
    ValueError: a search needs a limit: time, nodes or depth
    """

    time: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.time is None and self.nodes is None and self.depth is None:
            raise ValueError("a search needs a limit: time, nodes or depth")
        if self.time is not None and not (self.time > 0 and math.isfinite(self.time)):
            raise ValueError(f"a time limit is a number of seconds above 0, not {self.time}")
        if self.nodes is not None and not 1 <= self.nodes < 2**64:
            raise ValueError(f"a node limit is at least 1, not {self.nodes}")
        if self.depth is not None and not 1 <= self.depth < 2**31:
            raise ValueError(f"a depth limit is at least 1, not {self.depth}")
