"""Looks at games as they are read and reports what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.cli.findings import Finding
from damier.cli.screen import counted
from damier.notation.pdn import Visitor
from damier.notation.pdn.tags import points

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier import BadPdn, Board, Move, Outcome

__all__ = ["Inspector"]


class Inspector(Visitor):
    """Reports errors, games of other variants (notes), and games that contradict themselves (warnings):

    ==============  ==========================================================================
    ``result``      the Result tag and the result after the moves differ
    ``outcome``     the result is not what the last position says
    ``ply_count``   the PlyCount tag is not the number of moves
    ==============  ==========================================================================
    """

    __slots__ = ("_board", "_depth", "_faulty", "_file", "_last", "_number", "_plies", "_report", "_said", "_tags")

    def __init__(self, file: str, report: Callable[[Finding], object]) -> None:
        self._file = file
        self._report = report
        self.begin_game(0)

    def begin_game(self, number: int) -> bool | None:
        self._number = number
        self._tags: dict[str, str] = {}
        self._said = ""
        self._board: Board | None = None
        self._last: Move | None = None
        self._plies = 0
        self._depth = 0
        self._faulty = False

    def tag(self, name: str, value: str) -> None:
        self._tags.setdefault(name.lower(), value)

    def skipped(self, note: BadPdn) -> None:
        self._faulty = True
        self._report(Finding.of(self._file, note, "note"))

    def begin_variation(self) -> None:
        self._depth += 1

    def end_variation(self) -> None:
        self._depth -= 1

    def move(self, board: Board, move: Move, text: str) -> None:
        if self._depth == 0:
            self._board = board
            self._last = move
            self._plies += 1

    def setup(self, board: Board) -> None:
        if self._depth == 0:
            self._last = None  # what follows has not been played from here

    def result(self, text: str) -> None:
        self._said = text

    def error(self, error: BadPdn) -> None:
        self._faulty = True
        self._report(Finding.of(self._file, error))

    def end_game(self) -> None:
        if self._faulty:
            return  # what is not whole contradicts itself anyhow
        tag = self._tags.get("result", "")
        in_tag, said = points(tag), points(self._said)
        if in_tag is not None and said is not None and in_tag != said:
            self._warn("result", f"the Result tag says {tag}, the moves end with {self._said}")
        outcome, result = self._outcome(), said or in_tag
        if outcome is not None and result is not None and result != _points_of(outcome):
            how = "is drawn" if outcome.winner is None else f"is won for {outcome.winner.name.capitalize()}"
            rule = outcome.rule.replace("_", " ")
            self._warn("outcome", f"the last position {how} ({rule}), the result is {self._said or tag}", self._plies)
        count = self._tags.get("plycount", "")
        if count.isdecimal() and count != str(self._plies):
            self._warn(
                "ply_count", f"the PlyCount tag says {count}, the game has {counted(self._plies, 'single move')}"
            )

    def _outcome(self) -> Outcome | None:
        """How the game ended on the board, if the reader's board still stands at the end of what was played."""
        board = self._board
        if board is None or self._last is None or not board.moves or board.moves[-1] != self._last:
            return None
        return board.outcome()

    def _warn(self, code: str, message: str, ply: int = 0) -> None:
        self._report(Finding(self._file, self._number, ply, 0, 0, "warning", code, message))


def _points_of(outcome: Outcome) -> tuple[int, int]:
    if outcome.winner is None:
        return 1, 1
    return (2, 0) if outcome.winner.letter == "W" else (0, 2)
