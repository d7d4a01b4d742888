"""When a game of a match is broken off, because both engines agree or because endgame tables know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier.board import Board
    from damier.engine.score import Score

__all__ = ["Adjudication", "Judge", "Probe", "Verdict"]

Probe: TypeAlias = "Callable[[Board], object]"
"""What endgame tables know of a position: ``win``, ``draw`` or ``loss`` for the side to move, None where they know nothing."""


class Verdict(NamedTuple):
    """How a game ends: White's half points, 0 to 2, and why."""

    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game ends before the rules end it; each ``…_moves`` of 0 leaves that way out.

    A draw: from ply ``draw_from`` on, both sides' last ``draw_moves`` scores were within ``draw_score`` hundredths of
    a man of 0. A win: both sides' last ``win_moves`` scores agreed that one side wins, each proven or at least
    ``win_score``. A score that an engine does not tell agrees with nothing. ``most_plies``: then the game is drawn.
    ``tables``: whether endgame tables decide, where there are some.

    >>> Adjudication(win_moves=-1)
    Traceback (most recent call last):
    ...
    ValueError: a number of moves is 0 or more, not -1
    """

    draw_moves: int = 10
    draw_score: int = 5
    draw_from: int = 80
    win_moves: int = 3
    win_score: int = 800
    most_plies: int = 400
    tables: bool = True

    def __post_init__(self) -> None:
        for count in (self.draw_moves, self.draw_score, self.draw_from, self.win_moves, self.most_plies):
            if count < 0:
                raise ValueError(f"a number of moves is 0 or more, not {count}")
        if self.win_score <= self.draw_score:
            raise ValueError(f"a win is worth more than a draw: above {self.draw_score}, not {self.win_score}")


class Judge:
    """Watches one game; told every score, and asked before every move.

    >>> from damier import Board
    >>> from damier.engine import Score
    >>> judge = Judge(Adjudication(win_moves=2))
    >>> for centi_men in (900, -850, 950, -1000):
    ...     judge.heard(Score.centi(centi_men))
    >>> judge.verdict(Board())
    Verdict(points=2, reason='agreed_win')
    """

    def __init__(self, terms: Adjudication, probe: Probe | None = None) -> None:
        self._terms = terms
        self._probe = probe if terms.tables else None
        self._level = [0, 0]  # how many scores in a row were near 0, of the side to move and of the other
        self._won: list[int] = [0, 0]  # how many in a row saw that side win (above 0) or lose (below 0)

    def heard(self, score: Score | None) -> None:
        """The score of the move that is made now, from its own side."""
        level, won = self._level[0], self._won[0]
        sign = 0 if score is None else _sign(score, self._terms.win_score)
        centi_men = None if score is None else score.centi_men
        level = level + 1 if centi_men is not None and abs(centi_men) <= self._terms.draw_score else 0
        won = 0 if sign == 0 else won + sign if won * sign > 0 else sign
        self._level = [self._level[1], level]
        self._won = [self._won[1], won]

    def verdict(self, board: Board) -> Verdict | None:
        """How the game ends in this position, with the scores heard so far; None if it goes on."""
        terms = self._terms
        white_to_move = board.turn.letter == "W"
        if self._probe is not None:
            known = _known(self._probe(board))
            if known == "draw":
                return Verdict(1, "tables")
            if known is not None:
                return Verdict(2 if (known == "win") == white_to_move else 0, "tables")
        if terms.draw_moves and board.ply >= terms.draw_from and min(self._level) >= terms.draw_moves:
            return Verdict(1, "agreed_draw")
        if terms.win_moves:
            mine, other = self._won
            if min(abs(mine), abs(other)) >= terms.win_moves and mine * other < 0:
                return Verdict(2 if (mine > 0) == white_to_move else 0, "agreed_win")
        if terms.most_plies and board.ply >= terms.most_plies:
            return Verdict(1, "too_long")
        return None


def _sign(score: Score, least: int) -> int:
    if score.centi_men is None:
        return 1 if score.win_in is not None else -1
    return 0 if abs(score.centi_men) < least else 1 if score.centi_men > 0 else -1


def _known(told: object) -> Literal["win", "draw", "loss"] | None:
    """What tables tell, as a word: as a text or as an enumeration's member of that name.

    >>> _known("win"), _known(None)
    ('win', None)
    """
    if told is None:
        return None
    text = str(getattr(told, "name", told)).lower()
    if text == "win" or text == "draw" or text == "loss":
        return text
    raise ValueError(f"endgame tables tell win, draw or loss, not {told!r}")
