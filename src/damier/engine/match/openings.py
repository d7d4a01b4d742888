"""The openings of matches: short beginnings that give neither side too much, each played with both colours.

The list that comes with the package was made by search: :func:`candidates` gives every beginning of a length, one for
each position, and :func:`balanced` keeps those that a search finds nearly even. ``damier openings`` does it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING

from damier.board import Board
from damier.engine.match.specs import MatchError
from damier.errors import DamierError
from damier.i18n import N_
from damier.notation.hub import write_move

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Opening", "balanced", "candidates", "read_openings", "shipped", "shuffled", "written"]

_BAD_OPENING = N_("Line {line} of the openings cannot be played: {what}")
_NO_OPENINGS = N_("There is no opening in the list.")


@dataclass(frozen=True, slots=True)
class Opening:
    """The moves of a beginning, as Hub texts, and what a search gave it, in hundredths of a man for White."""

    moves: tuple[str, ...]
    score: int | None = None

    def board(self) -> Board:
        """The position after the moves."""
        board = Board()
        for move in self.moves:
            board.push(move)
        return board


def candidates(plies: int) -> list[Opening]:
    """Every beginning of this many single moves, the first of those that lead to the same position.

    >>> len(candidates(1)), len(candidates(2)), candidates(2)[0].moves
    (9, 81, ('31-26', '16-21'))
    """
    found: dict[object, tuple[str, ...]] = {Board().position: ()}
    for _ in range(plies):
        following: dict[object, tuple[str, ...]] = {}
        for moves in found.values():
            board = Opening(moves).board()
            for move in sorted(board.legal_moves, key=write_move, reverse=False):
                board.push(move)
                following.setdefault(board.position, (*moves, write_move(move)))
                board.pop()
        found = following
    return [Opening(moves) for moves in found.values()]


def balanced(
    openings: Iterable[Opening],
    judge: Callable[[Board], int],
    *,
    most: int,
    per_beginning: int,
    told: Callable[[int], object] = lambda _: None,
) -> list[Opening]:
    """Those that ``judge`` (the score of the side to move, in hundredths of a man) finds within ``most`` of even.

    Of those that share their first two moves only the ``per_beginning`` nearest to even stay, so that the list is
    varied. ``told`` is called with 1 after each.
    """
    families: dict[tuple[str, ...], list[tuple[int, Opening]]] = {}
    for place, opening in enumerate(openings):
        board = opening.board()
        score = judge(board) * (1 if board.turn.letter == "W" else -1)
        if abs(score) <= most:
            families.setdefault(opening.moves[:2], []).append((place, Opening(opening.moves, score)))
        told(1)
    kept: list[tuple[int, Opening]] = []
    for family in families.values():
        family.sort(key=lambda each: (abs(each[1].score or 0), each[0]))
        kept += family[:per_beginning]
    return [opening for _, opening in sorted(kept, key=lambda each: each[0])]


def shuffled(openings: Sequence[Opening], seed: int) -> list[Opening]:
    """The same in an order that the seed decides.

    >>> shuffled(candidates(1), 1) == shuffled(candidates(1), 1) != candidates(1)
    True
    """
    order = list(openings)
    Random(seed).shuffle(order)  # noqa: S311 - an order of play, no secret
    return order


def written(openings: Iterable[Opening], recipe: str) -> str:
    """The list as text: the recipe behind ``#``, then an opening a line, its score behind ``;``."""
    lines = [f"# {line}".rstrip() for line in recipe.splitlines()]
    lines += [" ".join(each.moves) + ("" if each.score is None else f" ; {each.score}") for each in openings]
    return "\n".join(lines) + "\n"


def read_openings(text: str) -> list[Opening]:
    """The openings of a list: moves in short, long or Hub notation, numbered or not, one opening a line.

    What is behind ``#`` is passed over, and so is what is no number behind ``;``. Raises :class:`MatchError` for a
    move that is not legal and for a list without any opening.

    >>> read_openings("# two\\n1. 32-28 19-23 2. 28x19 ; 12\\n33-29\\n")
    [Opening(moves=('32-28', '19-23', '28x19x23'), score=12), Opening(moves=('33-29',), score=None)]
    """
    openings: list[Opening] = []
    for number, line in enumerate(text.splitlines(), 1):
        moves, _, score = line.partition("#")[0].partition(";")
        words = [word for word in moves.split() if not word.rstrip(".").isdecimal() or not word.endswith(".")]
        if not words:
            continue
        board = Board()
        try:
            played = tuple(write_move(board.push(word)) for word in words)
        except DamierError as error:
            raise MatchError(_BAD_OPENING, code="bad_opening", line=number, what=str(error)) from error
        score = score.strip()
        openings.append(Opening(played, int(score) if score.lstrip("-").isdecimal() else None))
    if not openings:
        raise MatchError(_NO_OPENINGS, code="no_openings")
    return openings


def shipped() -> list[Opening]:
    """The list that comes with the package.

    >>> len(shipped()) >= 150
    True
    """
    return read_openings(files("damier.engine.match").joinpath("openings.txt").read_text("utf-8"))
