"""When a search ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Limit"]

_MOST = {"node": 2**64 - 1, "depth": 2**31 - 1}


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
        for name, value in (("node", self.nodes), ("depth", self.depth)):
            if value is None:
                continue
            if type(value) is not int:
                raise TypeError(f"a {name} limit is a whole number, not {value!r}")
            if not 1 <= value <= _MOST[name]:
                raise ValueError(f"a {name} limit is 1 to {_MOST[name]}, not {value}")
