"""Time controls and the draughts clock, as pure values: nothing here reads the time of day.

A :class:`TimeControl` says how much time there is, a :class:`Clock` what is left of it. Moments are seconds on whatever
scale the game is kept in. Inside, both count whole milliseconds, so that the same moments give the same clock on every
machine.

>>> from damier import Color
>>> clock = Clock.of(TimeControl.fischer(300, 5)).started(Color.WHITE, at=0.0)
>>> clock.remaining(Color.WHITE, at=12.5)
287.5
>>> clock = clock.moved(at=12.5)
>>> clock.running, clock.remaining(Color.WHITE, at=20.0), clock.remaining(Color.BLACK, at=20.0)
(Color.BLACK, 292.5, 292.5)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from damier import Color
from damier.errors import DamierError
from damier.i18n import N_
from damier.values import expect

__all__ = ["BadTimeControl", "Clock", "Stage", "TimeControl"]

_A_SIDE: Final = "a side is Color.WHITE or Color.BLACK"
_WHITE: Final = Color.WHITE  # looked up at every move of every game
DAY: Final = 86_400
"""Seconds."""
_MOST: Final = 999_999_999
"""The largest number in a time control; as seconds it is more than thirty years."""

_STAGE = re.compile(r"(?:([0-9]{1,9})/)?([0-9]{1,9})(?:\+([0-9]{1,9})|d([0-9]{1,9}))?")
_HOURGLASS = re.compile(r"\*([0-9]{1,9})")


class BadTimeControl(DamierError, ValueError):
    """A time control that has no clear meaning. ``text``: the whole of it. ``token``: the part that is wrong.

    >>> try:
    ...     TimeControl.from_pdn("40/7200:1h")
    ... except BadTimeControl as error:
    ...     print(error.token, "|", error)
    1h | “1h” is not a time control; write seconds (3600), seconds+increment (300+5) or moves/seconds (40/7200).
    """

    def __init__(self, message: str, *, text: str = "", token: str = "") -> None:
        shown = token if len(token) <= 40 else token[:40] + "…"
        super().__init__(message, token=shown)
        self.text = text
        self.token = token


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a game's time: ``seconds`` for ``moves`` moves, or for the rest of the game where that is None.

    ``increment``: seconds added after each move (Fischer). ``delay``: seconds of each move that are given back after
    it, as far as it took that long (Bronstein). A stage has one of the two at most. All are whole numbers.
    """

    seconds: int
    moves: int | None = None
    increment: int = 0
    delay: int = 0

    def __post_init__(self) -> None:
        numbers = (self.seconds, self.increment, self.delay, 1 if self.moves is None else self.moves)
        if any(type(number) is not int or not 0 <= number <= _MOST for number in numbers) or self.moves == 0:
            raise BadTimeControl(N_("Times and numbers of moves are whole numbers of at most nine digits."))
        if self.increment and self.delay:
            raise BadTimeControl(N_("A time control has an increment or a delay, not both."))
        if not (self.seconds or self.increment or self.delay):
            raise BadTimeControl(N_("A time control without any time cannot be played; give at least a second."))

    def __str__(self) -> str:
        moves = "" if self.moves is None else f"{self.moves}/"
        extra = f"+{self.increment}" if self.increment else f"d{self.delay}" if self.delay else ""
        return f"{moves}{self.seconds}{extra}"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time each side has; without an argument: as much as it likes.

    Of ``stages`` (one after the other; a last one for a number of moves repeats), ``days`` (for each move, as in
    correspondence) and ``hourglass`` (seconds; what one side uses the other gets) at most one is given. Made by name:

    >>> for control in (
    ...     TimeControl.none(),
    ...     TimeControl.sudden_death(3600),
    ...     TimeControl.fischer(4800, 60),
    ...     TimeControl.bronstein(300, 3),
    ...     TimeControl.sessions(Stage(7200, moves=40), Stage(3600)),
    ...     TimeControl.correspondence(3),
    ... ):
    ...     print(control.to_pdn())
    -
    3600
    4800+60
    300d3
    40/7200:3600
    1/259200
    """

    stages: tuple[Stage, ...] = ()
    days: int = 0
    hourglass: int = 0

    def __post_init__(self) -> None:
        if any(type(number) is not int or number < 0 for number in (self.days, self.hourglass)):
            raise BadTimeControl(N_("Times and numbers of moves are whole numbers of at most nine digits."))
        if self.days * DAY > _MOST or self.hourglass > _MOST:
            raise BadTimeControl(N_("Times and numbers of moves are whole numbers of at most nine digits."))
        if (len(self.stages) > 0) + (self.days > 0) + (self.hourglass > 0) > 1:
            raise BadTimeControl(N_("Stages, days for each move and an hourglass do not go together."))
        if any(stage.moves is None for stage in self.stages[:-1]):
            raise BadTimeControl(N_("Only the last stage of a time control is for the rest of the game."))
        if _days_of(self.stages):
            raise BadTimeControl(N_("Days for each move are correspondence; what is not used of them does not add up."))

    # --- By name ---------------------------------------------------------------------------------------------------

    @classmethod
    def none(cls) -> TimeControl:
        """No clock."""
        return cls()

    @classmethod
    def sudden_death(cls, seconds: int) -> TimeControl:
        """So much time for the whole game."""
        return cls((Stage(seconds),))

    @classmethod
    def fischer(cls, seconds: int, increment: int) -> TimeControl:
        """So much time, and an increment after each move. With 0 seconds a game begins with one increment."""
        return cls((Stage(seconds, increment=increment),))

    @classmethod
    def bronstein(cls, seconds: int, delay: int) -> TimeControl:
        """So much time, and after each move what it took is given back, up to the delay."""
        return cls((Stage(seconds, delay=delay),))

    @classmethod
    def sessions(cls, *stages: Stage) -> TimeControl:
        """Stages one after the other; what is left of one is kept for the next."""
        return cls(stages)

    @classmethod
    def correspondence(cls, days: int) -> TimeControl:
        """So many days for each move."""
        return cls(days=days)

    # --- PDN -------------------------------------------------------------------------------------------------------

    @classmethod
    def from_pdn(cls, text: str) -> TimeControl | None:
        """The time control that a PDN tag ``TimeControl`` tells; None where it says that it is not known ("?").

        One move in a whole number of days is correspondence, as the sites write it. PDN has no sign for a Bronstein
        delay: we write and read ``300d5``. Raises :class:`BadTimeControl`, and TypeError for what is no text.

        >>> TimeControl.from_pdn("40/7200:3600").stages
        (Stage(seconds=7200, moves=40, increment=0, delay=0), Stage(seconds=3600, moves=None, increment=0, delay=0))
        >>> TimeControl.from_pdn("1/86400").days, TimeControl.from_pdn("*120").hourglass
        (1, 120)
        """
        expect(text, str, "a time control is read from a text")
        stripped = text.strip()
        if stripped in ("?", ""):
            return None
        if stripped == "-":
            return cls()
        try:
            if glass := _HOURGLASS.fullmatch(stripped):
                if int(glass[1]) == 0:
                    raise BadTimeControl(
                        N_("A time control without any time cannot be played; give at least a second.")
                    )
                return cls(hourglass=int(glass[1]))
            stages = tuple(_read_stage(part.strip(), text) for part in stripped.split(":"))
            if days := _days_of(stages):
                return cls(days=days)
            return cls(stages)
        except BadTimeControl as error:
            raise BadTimeControl(error.message, text=text, token=error.token or stripped) from None

    def to_pdn(self) -> str:
        """The value of a PDN tag ``TimeControl``; :meth:`from_pdn` reads it as the same control."""
        if self.hourglass:
            return f"*{self.hourglass}"
        if self.days:
            return f"1/{self.days * DAY}"
        return ":".join(map(str, self.stages)) or "-"

    def __str__(self) -> str:
        return self.to_pdn()

    def __bool__(self) -> bool:
        """Whether there is a clock at all."""
        return bool(self.stages or self.days or self.hourglass)

    # --- What it gives ---------------------------------------------------------------------------------------------

    @property
    def initial(self) -> int:
        """Each side's seconds at the start; 0 without a clock."""
        if not self.stages:
            return self.days * DAY or self.hourglass
        first = self.stages[0]
        return first.seconds or first.increment or first.delay

    def _stage(self, move: int) -> tuple[Stage, Stage | None]:
        """The stage of a side's move (1 is its first), and the stage that begins after it, if one does."""
        for stage, following in zip(self.stages, (*self.stages[1:], self.stages[-1]), strict=True):
            if stage.moves is None:
                return stage, None
            if move <= stage.moves:
                return stage, following if move == stage.moves else None
            move -= stage.moves
        last = self.stages[-1]
        return last, last if last.moves and move % last.moves == 0 else None

    def earned(self, move: int, spent: int) -> int:
        """What a side's move (1 is its first) that took ``spent`` milliseconds adds to its time, in milliseconds.

        >>> TimeControl.bronstein(300, 3).earned(1, 2_000), TimeControl.from_pdn("40/7200:3600").earned(40, 2_000)
        (2000, 3600000)
        """
        if not self.stages:
            return 0
        stage, following = self._stage(move)
        more = 0 if following is None else following.seconds
        return (stage.increment + more) * 1000 + min(spent, stage.delay * 1000)


def _read_stage(part: str, text: str) -> Stage:
    found = _STAGE.fullmatch(part)
    if found is None:
        raise BadTimeControl(
            N_(
                "“{token}” is not a time control; write seconds (3600), seconds+increment (300+5) or "
                "moves/seconds (40/7200)."
            ),
            text=text,
            token=part,
        )
    moves, seconds, increment, delay = found.groups()
    try:
        return Stage(int(seconds), None if moves is None else int(moves), int(increment or 0), int(delay or 0))
    except BadTimeControl as error:
        raise BadTimeControl(error.message, text=text, token=part) from None


def _days_of(stages: tuple[Stage, ...]) -> int:
    """The days for each move, if that is what the stages say: one move in whole days, again and again."""
    if len(stages) != 1 or stages[0].moves != 1 or stages[0].increment or stages[0].delay:
        return 0
    days, rest = divmod(stages[0].seconds, DAY)
    return 0 if rest else days


def milliseconds(moment: float) -> int:
    """A moment or a span of time in whole milliseconds, the nearest."""
    return round(moment * 1000)


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides' time at one moment, and whose runs. Every method gives a new clock.

    ``white`` and ``black``: milliseconds left, of the side that runs: when it began to. ``running``: None while the
    clock stands still. ``since``: when the side that runs began to, in milliseconds. ``moves``: how many moves White
    and Black have made. ``used``: milliseconds that White and Black have used in all, for moves taken back too.
    """

    control: TimeControl
    white: int
    black: int
    running: Color | None = None
    since: int = 0
    moves: tuple[int, int] = (0, 0)
    used: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, control: TimeControl) -> Clock:
        """A clock that is set and stands still. Raises ValueError for a control without time."""
        if not control:
            raise ValueError("there is no clock without a time control")
        return cls(control, control.initial * 1000, control.initial * 1000)

    def _left(self, color: Color) -> int:
        return self.white if color is _WHITE else self.black

    def _with(self, color: Color, left: int) -> Clock:
        white, black = (left, self.black) if color is _WHITE else (self.white, left)
        return Clock(self.control, white, black, self.running, self.since, self.moves, self.used)

    def _spent(self, color: Color, at: float) -> int:
        """How long the side that runs has been running; 0 for the other, or before it began."""
        return max(0, milliseconds(at) - self.since) if color is self.running else 0

    def remaining(self, color: Color, at: float) -> float:
        """A side's time at a moment, in seconds; 0 once its flag has fallen."""
        expect(color, Color, _A_SIDE)
        left = self._left(color) - self._spent(color, at)
        if self.control.hourglass and self.running is color.opponent:
            left += min(self._spent(color.opponent, at), self._left(color.opponent))
        return max(0, left) / 1000

    def fallen(self, at: float, lag: int = 0) -> Color | None:
        """The side whose flag has fallen by a moment: the one that runs, once it has used up its time.

        ``lag``: milliseconds before that moment that do not count, as for :meth:`moved`.

        >>> clock = Clock.of(TimeControl.sudden_death(60)).started(Color.BLACK, at=100.0)
        >>> clock.fallen(at=159.9), clock.fallen(at=160.0), clock.falls_at
        (None, Color.BLACK, 160.0)
        """
        running = self.running
        if running is None or self._spent(running, at) - lag < self._left(running):
            return None
        return running

    @property
    def falls_at(self) -> float | None:
        """The moment at which the flag falls if nothing happens; None while the clock stands still."""
        return None if self.running is None else (self.since + self._left(self.running)) / 1000

    def started(self, color: Color, at: float) -> Clock:
        """The clock after a side's time begins to run. Raises ValueError if one runs already."""
        expect(color, Color, _A_SIDE)
        if self.running is not None:
            raise ValueError("the clock is running")
        return Clock(self.control, self.white, self.black, color, milliseconds(at), self.moves, self.used)

    def stopped(self, at: float) -> Clock:
        """The clock as it stands still from a moment on. What was used is used."""
        if self.running is None:
            return self
        white, black, used = self._stopped_at(self.running, self._spent(self.running, at))
        return Clock(self.control, white, black, None, 0, self.moves, used)

    def _stopped_at(self, color: Color, spent: int) -> tuple[int, int, tuple[int, int]]:
        """What is left of both sides' time, and what they have used, when the side that runs has spent so much."""
        used = min(spent, self._left(color))
        gained = used if self.control.hourglass else 0
        white_used, black_used = self.used
        if color is _WHITE:
            return self.white - used, self.black + gained, (white_used + used, black_used)
        return self.white + gained, self.black - used, (white_used, black_used + used)

    def moved(self, at: float, lag: int = 0) -> Clock:
        """The clock after the side that runs has made its move at a moment: its opponent's runs from then on.

        ``lag``: milliseconds that the move has been on its way. They are not spent by its side, and by nobody else
        either: the opponent has as much time as before. (Of an hourglass, where what one side spends the other gains,
        no sand has run meanwhile.)

        Raises ValueError when none runs, or when the flag had fallen before the move.

        >>> clock = Clock.of(TimeControl.sudden_death(60)).started(Color.WHITE, at=0.0).moved(at=10.0, lag=400)
        >>> clock.remaining(Color.WHITE, at=10.0), clock.remaining(Color.BLACK, at=10.0)
        (50.4, 60.0)
        """
        color = self.running
        if color is None:
            raise ValueError("the clock stands still")
        if self.fallen(at, lag):
            raise ValueError("the flag fell before this move")
        spent = max(0, self._spent(color, at) - lag)
        white, black, used = self._stopped_at(color, spent)
        white, black, moves = self._counted(color, spent, white, black)
        return Clock(self.control, white, black, color.opponent, milliseconds(at), moves, used)

    def moved_untimed(self, color: Color) -> Clock:
        """The clock after a side's move that was made while it stood still: it costs nothing, and counts and earns."""
        white, black, moves = self._counted(color, 0, self.white, self.black)
        return Clock(self.control, white, black, self.running, self.since, moves, self.used)

    def _counted(self, color: Color, spent: int, white: int, black: int) -> tuple[int, int, tuple[int, int]]:
        """Both sides' time, and how many moves they have made, after a move that took so long."""
        white_moves, black_moves = self.moves
        number = 1 + (white_moves if color is _WHITE else black_moves)
        if self.control.days:
            left = self.control.initial * 1000
        else:
            left = (white if color is _WHITE else black) + self.control.earned(number, spent)
        if color is _WHITE:
            return left, black, (number, black_moves)
        return white, left, (white_moves, number)

    def added(self, color: Color, seconds: int) -> Clock:
        """The clock after a side has been given time."""
        expect(color, Color, _A_SIDE)
        return self._with(color, self._left(color) + seconds * 1000)

    def taken_back(self, earlier: Clock, at: float) -> Clock:
        """The clock, standing still, after a return to the position in which it was ``earlier``.

        What was used since stays used, and nothing that the moves taken back have earned is kept: no increment, delay
        or next session's time, and of an hourglass no sand. In correspondence, where each move has its own days, they
        begin anew. A side that has used more than it had then has no time left.
        """
        stopped = self.stopped(at)
        if self.control.days:
            white = black = self.control.initial * 1000
        else:
            white = max(0, earlier.white - (stopped.used[0] - earlier.used[0]))
            black = max(0, earlier.black - (stopped.used[1] - earlier.used[1]))
        return replace(stopped, white=white, black=black, moves=earlier.moves)
