"""What is said to an engine that speaks the Hub protocol to have a position searched, and what it says of it."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from damier.engine.engine import SearchResult
from damier.engine.score import Score
from damier.errors import DamierError
from damier.notation.hub import Line, read_move, write_move, write_position
from damier.notation.moves import parse_move

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier._kernel import Move
    from damier.board import Board
    from damier.engine.limits import Limit

__all__ = ["Told", "asking", "is_allowed", "option_text", "score_of"]


class Told:
    """What an engine tells of a search on its way."""

    def __init__(self, board: Board, protocol: Literal[1, 2]) -> None:
        self._board = board
        self._protocol = protocol
        self._begin = time.monotonic()
        self._found: SearchResult | None = None

    def add(self, arguments: Mapping[str, str]) -> SearchResult | None:
        """Take in an ``info`` line; what is known now, None for a line without a legal move."""
        board = self._board.copy()
        line: list[Move] = []
        with contextlib.suppress(DamierError):  # the legal part of it counts
            for text in arguments.get("pv", "").split():
                move = read_move(board, text) if self._protocol == 2 else parse_move(board, text)
                line.append(board.push(move))
        if not line:
            return None
        self._found = SearchResult(
            line[0],
            score_of(arguments.get("score", "")),
            int(_number(arguments.get("depth", ""))),
            int(_number(arguments.get("nodes", ""))),
            time.monotonic() - self._begin,
            tuple(line),
        )
        return self._found

    def result(self, best: Move) -> SearchResult:
        """What was found in the end, ``best`` being the move that the engine plays."""
        spent = time.monotonic() - self._begin
        if self._found is None or self._found.best != best:
            return SearchResult(best, Score.centi(0), 0, 0, spent, (best,))
        return replace(self._found, time=spent)


def asking(board: Board, limit: Limit) -> list[Line]:
    """What a search is asked by, in version 2: the last position that cannot come again, the moves since, and the limit."""
    start = board.copy()
    moves: list[Move] = []
    while start.ply:
        move = start.pop()
        piece = start[move.from_square]
        if move.captured or piece is None or not piece.king:
            start.push(move)
            break
        moves.append(move)
    position = {"pos": write_position(start)}
    if moves:
        position["moves"] = " ".join(write_move(move) for move in reversed(moves))
    # a clock's share has no name of its own; no engine need think beyond it, and ours stops at `time` in any case
    seconds = min((each for each in (limit.aim, limit.time) if each is not None), default=None)
    level = {"move-time": seconds, "nodes": limit.nodes, "depth": limit.depth}
    given = {name: f"{value:.3f}" if name == "move-time" else str(value) for name, value in level.items() if value}
    return [Line("pos", position), Line("level", given)]


def _number(text: str) -> float:
    """A number that an engine tells; 0 for what is none, or below it."""
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if 0 <= number < 2**64 else 0.0


def score_of(text: str) -> Score:
    """A score in men, as engines tell it; 0 for what is none.

    >>> score_of("0.35"), score_of("-99.90"), score_of("99.97"), score_of("much")
    (Score.centi(35), Score.loss(10), Score.win(3), Score.centi(0))
    """
    try:
        men = float(text)
    except ValueError:
        men = 0.0
    if not math.isfinite(men):
        men = 0.0
    if 99 <= abs(men) <= 100:
        plies = round((100 - abs(men)) * 100)
        return Score.win(max(plies, 1)) if men > 0 else Score.loss(plies)
    return Score.centi(max(-29_000, min(29_000, round(men * 100))))


def option_text(value: str | float | bool) -> str:
    """A value as the protocol writes it.

    >>> option_text(True), option_text(24), option_text("normal")
    ('true', '24', 'normal')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_allowed(told: Mapping[str, str] | None, value: str) -> bool:
    """Whether an engine that told this of a parameter takes the value.

    >>> is_allowed({"type": "int", "min": "16", "max": "32"}, "33"), is_allowed({"type": "bool"}, "true")
    (False, True)
    """
    if told is None:
        return False
    kind = told.get("type", "string")
    if kind == "bool":
        return value in ("true", "false")
    if kind == "enum":
        return value in told.get("values", "").split()
    if kind in ("int", "real"):
        try:
            number = int(value) if kind == "int" else float(value)
            least, most = float(told.get("min", "-inf")), float(told.get("max", "inf"))
        except ValueError:
            return False
        return least <= number <= most
    return True
