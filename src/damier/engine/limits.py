"""When a search ends."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Final

__all__ = ["Limit"]

_MOST: Final = {"node": 2**64 - 1, "depth": 2**31 - 1, "win": 1000}

_MOVES_AHEAD: Final = 28  # for how many moves what remains must do, where no control is nearer
_SPENT: Final = 0.8  # of an increment: what is saved makes up for what a busy machine takes of a clock that is low
_RESERVE: Final = 0.05  # seconds that the way to the clock and back takes
_SHORTEST: Final = 0.01  # seconds


@dataclass(frozen=True, slots=True)
class Limit:
    """What ends a search: the first that is reached.

    ``time``: seconds, never more. ``aim``: seconds that a move should take: fewer where the choice is clear or there is
    none, more, but not above ``time``, where it is not. ``nodes``: positions looked at. ``depth``: plies. ``win``: a
    proven win or loss within so many plies. At least one of them is given; ``win`` alone would not end every search.

    Raises ValueError if none is given or one is out of range. With ``nodes`` or ``depth`` alone a search by one thread
    from an engine that remembers nothing (a new one, or after :meth:`Engine.clear <damier.engine.Engine.clear>`)
    always finds the same.

    >>> Limit(time=1.5)
    Limit(time=1.5)
    >>> Limit.clock(60, increment=2)
    Limit(time=12.71, aim=3.74)
    >>> Limit()
    Traceback (most recent call last):
    ...
    ValueError: a search needs a limit: time, aim, nodes or depth
    """

    time: float | None = None
    nodes: int | None = None
    depth: int | None = None
    aim: float | None = None
    win: int | None = None

    def __post_init__(self) -> None:
        if self.time is None and self.aim is None and self.nodes is None and self.depth is None:
            raise ValueError("a search needs a limit: time, aim, nodes or depth")
        for name, seconds in (("time limit", self.time), ("time to aim at", self.aim)):
            if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
                raise ValueError(f"a {name} is a number of seconds above 0, not {seconds}")
        for name, value in (("node", self.nodes), ("depth", self.depth), ("win", self.win)):
            if value is None:
                continue
            if type(value) is not int:
                raise TypeError(f"a {name} limit is a whole number, not {value!r}")
            if not 1 <= value <= _MOST[name]:
                raise ValueError(f"a {name} limit is 1 to {_MOST[name]}, not {value}")

    @classmethod
    def clock(cls, remaining: float, increment: float = 0.0, moves: int | None = None) -> Limit:
        """For a move of a game on a clock: a fair share of what remains, and never so much that the clock runs out.

        ``remaining``: seconds on the clock, at least 0. ``increment``: seconds that each move adds *after* it was
        made. ``moves``: moves until more time comes; None if it is all for the rest of the game.
        """
        if not (0 <= remaining < math.inf and 0 <= increment < math.inf):
            raise ValueError(f"a clock has a number of seconds from 0 on, not {remaining} and {increment} more a move")
        ahead = _MOVES_AHEAD if moves is None else max(1, min(moves, _MOVES_AHEAD))
        usable = max(0.0, remaining - _RESERVE)
        most = usable if ahead == 1 else min(usable, usable / ahead * 5 + increment, usable * 0.6)
        aim = min(usable / ahead + increment * _SPENT, most)
        return cls(time=max(round(most, 2), _SHORTEST), aim=max(round(aim, 2), _SHORTEST))

    def __repr__(self) -> str:
        given = ((each.name, getattr(self, each.name)) for each in fields(self))
        return f"Limit({', '.join(f'{name}={value}' for name, value in given if value is not None)})"
