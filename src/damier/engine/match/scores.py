"""Scores as one word, for files of ours, and as PDN has them."""

from __future__ import annotations

from damier.engine.score import Score
from damier.notation.pdn import Evaluation

__all__ = ["evaluation_of", "read_score", "score_text"]


def score_text(score: Score | None) -> str:
    """
    >>> score_text(Score.centi(-35)), score_text(Score.win(3)), score_text(None)
    ('-35', 'win 3', '')
    """
    if score is None:
        return ""
    if score.win_in is not None:
        return f"win {score.win_in}"
    return f"loss {score.loss_in}" if score.loss_in is not None else f"{score.centi_men}"


def read_score(text: str) -> Score | None:
    """What :func:`score_text` wrote. Raises ValueError for anything else."""
    if not text:
        return None
    kind, _, plies = text.rpartition(" ")
    if not kind:
        return Score.centi(int(plies))
    if kind not in ("win", "loss"):
        raise ValueError(f"no score: {text!r}")
    return Score.win(int(plies)) if kind == "win" else Score.loss(int(plies))


def evaluation_of(score: Score, is_white: bool) -> Evaluation:
    """The score of a side as PDN has it: for White, and a win in moves, not plies.

    >>> str(evaluation_of(Score.centi(35), False)), str(evaluation_of(Score.loss(4), True))
    ('-0.35', '#-2')
    """
    sign = 1 if is_white else -1
    if score.centi_men is not None:
        return Evaluation(men=sign * score.centi_men / 100)
    plies = score.win_in if score.win_in is not None else score.loss_in or 0
    moves = max(1, (plies + 1) // 2)
    return Evaluation(win_in=sign * (moves if score.win_in is not None else -moves))
