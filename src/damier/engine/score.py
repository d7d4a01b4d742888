"""The value of a position, from the side to move."""

from __future__ import annotations

import math
from functools import total_ordering
from typing import Final, NamedTuple

from damier._kernel import HIGHEST_ESTIMATE, LONGEST_WIN, TABLE_WIN, WIN_VALUE

__all__ = ["Score", "Shares"]

DRAW_MARGIN: Final = 126.7
"""The score, in hundredths of a man, from which on half the games or more are won.

Fitted, as :data:`WIN_SPREAD`, by ``damier lab calibrate`` to 894,729 quiet positions of generation 3: the engine against
itself at 1000 nodes a move. docs/lab.md has the curve.
"""
WIN_SPREAD: Final = 110.3
"""How much more raises the odds of a win by a factor of e."""


class Shares(NamedTuple):
    """How probable the results are, from the side to move; together they are 1."""

    win: float
    draw: float
    loss: float


@total_ordering
class Score:
    """A proven win or loss, mostly with its distance, or an estimate in hundredths of a man; more is better.

    Distances are in plies (single moves): after that many the loser has no move. A near win is more than a far one,
    and a far loss more than a near one. Of a win that endgame tables tell far ahead the distance is not known; it is
    less than one whose distance is. Frozen, ordered, hashable; ``-score`` is the opponent's view of it.

    >>> Score.win(3) > Score.win(9) > Score.centi(250) > Score.centi(-20) > Score.loss(8) > Score.loss(2)
    True
    >>> print(Score.centi(35), -Score.centi(35), Score.win(3), -Score.win(3), sep=", ")
    +0.35, -0.35, win in 3, loss in 3
    """

    __slots__ = ("_value",)
    _value: int

    def __init__(self, value: int) -> None:
        """Of the kernel's value; use :meth:`win`, :meth:`loss` and :meth:`centi`."""
        object.__setattr__(self, "_value", value)

    @classmethod
    def centi(cls, centi_men: int) -> Score:
        """An estimate in hundredths of a man. Raises ValueError beyond ±5000.

        >>> Score.centi(35).centi_men
        35
        """
        if type(centi_men) is not int:
            raise TypeError(f"an estimate is a whole number of hundredths of a man, not {centi_men!r}")
        if abs(centi_men) > HIGHEST_ESTIMATE:
            raise ValueError(f"an estimate is at most ±{HIGHEST_ESTIMATE} hundredths of a man, not {centi_men}")
        return cls(centi_men)

    @classmethod
    def win(cls, in_plies: int) -> Score:
        """A win for the side to move: after ``in_plies`` the opponent has no move. Raises ValueError if below 1.

        >>> Score.win(1).win_in, Score.win(1).centi_men
        (1, None)
        """
        return cls(WIN_VALUE - _distance(in_plies, 1))

    @classmethod
    def loss(cls, in_plies: int) -> Score:
        """A loss for the side to move: after ``in_plies`` it has no move. Raises ValueError if below 0."""
        return cls(_distance(in_plies, 0) - WIN_VALUE)

    @classmethod
    def table_win(cls) -> Score:
        """A win for the side to move by the endgame tables, at a distance that is not known.

        >>> Score.win(300) > Score.table_win() > Score.centi(5000), Score.table_win().is_decided
        (True, True)
        >>> print(-Score.table_win(), Score.table_win().win_in)
        loss None
        """
        return cls(TABLE_WIN)

    @property
    def centi_men(self) -> int | None:
        """The estimate in hundredths of a man; None for a proven win or loss, ±5000 if its distance is not known."""
        if abs(self._value) > LONGEST_WIN:
            return None
        return max(-HIGHEST_ESTIMATE, min(self._value, HIGHEST_ESTIMATE))

    @property
    def win_in(self) -> int | None:
        """Plies to the proven win, or None."""
        return WIN_VALUE - self._value if self._value > LONGEST_WIN else None

    @property
    def loss_in(self) -> int | None:
        """Plies to the proven loss, or None."""
        return WIN_VALUE + self._value if self._value < -LONGEST_WIN else None

    @property
    def is_decided(self) -> bool:
        """True for a proven win or loss."""
        return abs(self._value) > HIGHEST_ESTIMATE

    @property
    def wins(self) -> bool:
        """True for a proven win."""
        return self._value > HIGHEST_ESTIMATE

    @property
    def loses(self) -> bool:
        """True for a proven loss."""
        return self._value < -HIGHEST_ESTIMATE

    @property
    def wdl(self) -> Shares:
        """How probable a win, a draw and a loss are for the side to move, as the engine plays against itself.

        An estimate of v hundredths of a man is won with σ((v - a) / b) and lost with σ((-v - a) / b), σ being the
        logistic function, a :data:`DRAW_MARGIN` and b :data:`WIN_SPREAD`; a proven win is one.

        >>> Score.win(3).wdl, (-Score.table_win()).wdl
        (Shares(win=1.0, draw=0.0, loss=0.0), Shares(win=0.0, draw=0.0, loss=1.0))
        >>> even, ahead = Score.centi(0).wdl, Score.centi(150).wdl
        >>> even.win == even.loss < even.draw, ahead.win > ahead.draw > ahead.loss, round(sum(ahead), 9)
        (True, True, 1.0)
        """
        if self.is_decided:
            return Shares(1.0, 0.0, 0.0) if self.wins else Shares(0.0, 0.0, 1.0)
        win, loss = (_logistic((value - DRAW_MARGIN) / WIN_SPREAD) for value in (self._value, -self._value))
        return Shares(win, 1.0 - win - loss, loss)

    def __neg__(self) -> Score:
        return Score(-self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Score) and self._value == other._value

    def __lt__(self, other: object) -> bool:
        return self._value < other._value if isinstance(other, Score) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a score is frozen: {name} cannot be set")

    def __reduce__(self) -> tuple[type[Score], tuple[int]]:
        return Score, (self._value,)

    def __str__(self) -> str:
        if self.win_in is not None:
            return f"win in {self.win_in}"
        if self.loss_in is not None:
            return f"loss in {self.loss_in}"
        if self.is_decided:
            return "win" if self.wins else "loss"
        return f"{self._value / 100:+.2f}"

    def __repr__(self) -> str:
        if self.win_in is not None:
            return f"Score.win({self.win_in})"
        if self.loss_in is not None:
            return f"Score.loss({self.loss_in})"
        if self.is_decided:
            return "Score.table_win()" if self.wins else "-Score.table_win()"
        return f"Score.centi({self._value})"


def _logistic(value: float) -> float:
    return 0.5 + 0.5 * math.tanh(value / 2)


def _distance(plies: int, least: int) -> int:
    if not least <= plies < WIN_VALUE - LONGEST_WIN:
        raise ValueError(f"a distance is {least} to {WIN_VALUE - LONGEST_WIN - 1} plies, not {plies}")
    return plies
