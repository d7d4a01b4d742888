"""The arbiter of the club's games: when it has something to do, and what. Pure; moments are seconds since 1970.

>>> from damier import Color
>>> from damier.clock import TimeControl
>>> from damier.events import MoveMade
>>> from damier.game import Game
>>> game = Game.start(clock=TimeControl.fischer(300, 3))
>>> due(game, created=1000.0), decision(game, created=1000.0, now=1030.0)
(1030.0, Aborted())
>>> game = game.apply(MoveMade(32, 28), at=1002.0, by=Color.WHITE).apply(MoveMade(19, 23), at=1003.0, by=Color.BLACK)
>>> due(game, created=1000.0), decision(game, created=1000.0, now=1302.9)
(1306.5, None)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from damier.clock import DAY, milliseconds
from damier.events import Aborted, FlagFallen, MoveMade, Paused, Resumed, TakeBackAccepted, TookBack
from damier.server.lobby.controls import Speed, speed

if TYPE_CHECKING:
    from damier import Color
    from damier.clock import TimeControl
    from damier.game import Game
    from damier.server.play.store import Outage

MOST_LAG: Final = 0.5
"""Seconds that a move's way through the network is credited at most; a flag waits as long for such a move."""
LAG_BUDGET: Final = 1500
"""Milliseconds that a side is credited at most in a row: who answers late on purpose wins no more than that."""
LAG_REGAINED: Final = 150
"""Milliseconds of it that come back with each of the side's moves: the way of an ordinary connection."""
FIRST_MOVE: Final[Mapping[Speed, float]] = {"bullet": 30, "blitz": 30, "rapid": 60, "classical": 120}
"""Seconds that each side has for its first move, which its clock does not count."""
SHORTEST_WAIT: Final = 15.0
LONGEST_WAIT: Final = 120.0
LOW_FROM: Final = 5
LOW_UP_TO: Final = 60
CORRESPONDENCE_OUTAGE: Final = 3600.0
"""Seconds that the server must have been away before correspondence games are given them back."""


def first_move_seconds(control: TimeControl) -> float | None:
    """How long a side may take for its first move; None where that is its own affair.

    >>> from damier.clock import TimeControl
    >>> first_move_seconds(TimeControl.fischer(900, 5)), first_move_seconds(TimeControl.correspondence(2))
    (60, 172800)
    """
    return control.days * DAY if control.days else FIRST_MOVE.get(speed(control))


def claim_after(control: TimeControl) -> float | None:
    """Seconds that a side must have been away before its opponent may claim; None where nobody may.

    >>> from damier.clock import TimeControl
    >>> [claim_after(TimeControl.fischer(seconds, 0)) for seconds in (30, 300, 4800)]
    [15.0, 40.0, 120.0]
    >>> claim_after(TimeControl.correspondence(3)), claim_after(TimeControl.none())
    (None, 86400.0)
    """
    if not control:
        return float(DAY)
    if control.days:
        return None
    return min(LONGEST_WAIT, max(SHORTEST_WAIT, 10 + control.initial / 10))


def low(control: TimeControl) -> int:
    """Milliseconds under which a side is warned: an eighth of its time, in live games a minute at most.

    >>> from damier.clock import TimeControl
    >>> low(TimeControl.fischer(300, 3)), low(TimeControl.fischer(4800, 60)), low(TimeControl.correspondence(1))
    (37500, 60000, 10800000)
    """
    eighth = control.initial * 125
    return eighth if control.days else min(LOW_UP_TO * 1000, max(LOW_FROM * 1000, eighth))


def first_move_until(game: Game, created: float) -> float | None:
    """The moment until which the side to move must make its first move; None once both have moved.

    It counts from when that side could move; a pause begins it anew.
    """
    seconds = first_move_seconds(game.origin.clock) if game.can_abort and not game.paused else None
    if seconds is None:
        return None
    for entry in reversed(game.events):
        if isinstance(entry.event, MoveMade | TookBack | TakeBackAccepted | Resumed):
            return entry.at + seconds
    return created + seconds


def lag_budget(game: Game, side: Color) -> int:
    """Milliseconds that a side's next move can be credited for its way, whatever was measured.

    >>> from damier import Color
    >>> from damier.game import Game
    >>> game = Game.start().apply(MoveMade(32, 28, lag=500), at=1.0, by=Color.WHITE)
    >>> lag_budget(game, Color.WHITE), lag_budget(game, Color.BLACK)
    (1150, 1500)
    """
    left = LAG_BUDGET
    for entry in game.events:
        if entry.by is side and isinstance(entry.event, MoveMade):
            left = min(LAG_BUDGET, left - entry.event.lag + LAG_REGAINED)
    return left


def credit(game: Game, side: Color, measured: float, now: float) -> int:
    """Milliseconds that a move of a side which arrives now is credited for its way, which was measured in seconds.

    No more than the move has taken: one that was chosen beforehand costs nothing anyway.
    """
    clock = game.clock
    if clock is None or clock.running is not side:
        return 0
    taken = max(0, milliseconds(now) - clock.since)
    return min(milliseconds(min(measured, MOST_LAG)), taken, lag_budget(game, side))


def due(game: Game, created: float) -> float | None:
    """When the arbiter must act if nothing happens before; None: never."""
    if game.result is not None or game.paused:
        return None
    falls_at = None if game.clock is None else game.clock.falls_at
    return first_move_until(game, created) if falls_at is None else falls_at + MOST_LAG


def decision(game: Game, created: float, now: float) -> FlagFallen | Aborted | None:
    """What the arbiter does at a moment: a flag has fallen, the first move was not made, or nothing."""
    moment = due(game, created)
    if moment is None or now < moment:
        return None
    return Aborted() if game.clock is None or game.clock.running is None else FlagFallen()


def amends(game: Game, created: float, outages: Sequence[Outage], now: float) -> tuple[Paused | Resumed, float] | None:
    """What gives a game back the time of the outages, and the moment at which it counts; None: it owes nothing.

    First the game is paused from when the server was last known to run, or its last event; then it is resumed now. Of
    several outages, in order, those that ended before the last event have been given back.
    """
    if game.result is not None:
        return None
    if game.paused:
        pause = next(entry for entry in reversed(game.events) if isinstance(entry.event, Paused))
        return (Resumed(), now) if pause.by is None else None
    last = game.events[-1].at if game.events else created
    outage = next((outage for outage in outages if last < outage.ended), None)
    if outage is None or due(game, created) is None:
        return None
    control = game.origin.clock
    if control.days and outage.ended - outage.began < CORRESPONDENCE_OUTAGE:
        return None
    return Paused(), max(last, outage.began)
