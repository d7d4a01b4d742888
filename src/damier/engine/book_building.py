"""How an opening book grows: best-first, towards the positions that good play comes to.

Each position of the book knows all its moves. A move is worth what the position behind it is: found by a search for a
leaf, backed up from its own moves for a position of the book. The next leaf to be taken in is the one that costs least:
a ply for each move on the way there to which there is a choice, and more for each that is worse than the best, whoever
makes it (drop-out expansion: T. R. Lincke, "Strategies for the Automatic Construction of Opening Books", Computers and
Games 2000). Where a line turns out badly its cost rises, and others take its place.

Ways to the same position come together, also where the sides have changed their parts. No play without kings leads
back: a move without a capture brings a man forward, and a capture leaves fewer pieces. So the positions stand in an
order, in which a change goes back towards the start and meets each of them once.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from damier.board import Board
from damier.engine.book import key_of, move_codes, position_of
from damier.engine.score import Score
from damier.rules import CLUB

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from damier.engine.book import Entry

__all__ = ["BREADTH", "Expansion", "backed_up"]

BREADTH: Final = 4.0
"""How many hundredths of a man worse a way may be, all its moves together, for each ply that it is shorter."""

_SQUARES: Final = 50


@dataclass(slots=True)
class _Node:
    """A position of the book: its moves as codes with keys of where they lead, its value, and its cheapest leaf's cost."""

    moves: tuple[tuple[int, int], ...]
    value: int = 0
    cost: float = 0.0


def backed_up(value: int) -> int:
    """What a move is worth that leads to a position of this value; both as numbers that :class:`Score` is made from.

    >>> from damier.engine.book import value_of
    >>> backed_up(-12), Score(backed_up(value_of(Score.loss(0)))), Score(backed_up(value_of(Score.win(3))))
    (12, Score.win(1), Score.loss(4))
    """
    if Score(value).win_in is not None:
        return 1 - value
    if Score(value).loss_in is not None:
        return -1 - value
    return -value


class Expansion:
    """A book that grows.

    ``search``: says what positions are worth to the side to move, White in all of them, as numbers that :class:`Score`
    is made from. It is asked for those behind the moves of one position at a time, and never twice for the same; the
    same answers make the same book. ``breadth``: see :data:`BREADTH`; with more the book becomes broader and less deep.
    ``start``: where the book begins.

    >>> book = Expansion(lambda boards: [0 for _ in boards])
    >>> book.grow(), len(book), len(book.entries()[book.root])
    (True, 1, 9)
    """

    def __init__(
        self,
        search: Callable[[Sequence[Board]], Sequence[int]],
        *,
        breadth: float = BREADTH,
        start: Board | None = None,
    ) -> None:
        if not 0 < breadth < math.inf:
            raise ValueError(f"the breadth of a book is a number above 0, not {breadth}")
        self.root: int = key_of(start or Board())
        self._search = search
        self._breadth = breadth
        self._nodes: dict[int, _Node] = {}
        self._leaves: dict[int, int] = {}
        self._parents: dict[int, set[int]] = {self.root: set()}
        self._closed: set[int] = {self.root} if _is_closed(self.root) else set()

    def __len__(self) -> int:
        return len(self._nodes)

    def grow(self) -> bool:
        """Takes the next position in; False if there is none any more."""
        key = self._next()
        if key is None:
            return False
        board = position_of(key)
        moves: list[tuple[int, int]] = []
        for code, move in move_codes(board).items():
            board.push(move)
            moves.append((code, key_of(board)))
            board.pop()
        new = [following for following in dict.fromkeys(each for _, each in moves) if following not in self._parents]
        for following, value in zip(new, self._search([position_of(each) for each in new]), strict=True):
            self._leaves[following] = value
            self._parents[following] = set()
            if Score(value).is_decided or _is_closed(following):
                self._closed.add(following)
        for _, following in moves:
            self._parents[following].add(key)
        self._nodes[key] = _Node(tuple(moves))
        self._back_up(key)
        return True

    def entries(self, margin: int | None = None) -> dict[int, Entry]:
        """The positions taken in, by their keys, with their moves, the best first.

        ``margin``: moves that are worse than the best by more hundredths of a man are left out.
        """
        found: dict[int, Entry] = {}
        for key, node in self._nodes.items():
            rated = sorted(((code, backed_up(self._value(each))) for code, each in node.moves), key=lambda one: -one[1])
            floor = -math.inf if margin is None else node.value - margin
            found[key] = tuple(each for each in rated if each[1] >= floor)
        return found

    def _next(self) -> int | None:
        """The leaf at the end of the cheapest moves."""
        key = self.root
        if self._cost(key) == math.inf:
            return None
        while node := self._nodes.get(key):
            key = self._cheapest(node)
        return key

    def _cheapest(self, node: _Node) -> int:
        """Where the move of a position leads that its cheapest leaf lies behind."""
        return min((following for _, following in node.moves), key=lambda each: self._cost_by(node, each))

    def _back_up(self, key: int) -> None:
        """Brings the position up to date, and what leads there as far as it changes."""
        waiting = [(_order(key), key)]
        seen = {key}
        while waiting:
            _, key = heapq.heappop(waiting)
            node = self._nodes[key]
            before = node.value, node.cost
            node.value = max(backed_up(self._value(each)) for _, each in node.moves)
            node.cost = min(self._cost_by(node, each) for _, each in node.moves)
            if before == (node.value, node.cost) and len(seen) > 1:
                continue
            for parent in self._parents[key] - seen:
                seen.add(parent)
                heapq.heappush(waiting, (_order(parent), parent))

    def _value(self, key: int) -> int:
        node = self._nodes.get(key)
        return self._leaves[key] if node is None else node.value

    def _cost(self, key: int) -> float:
        node = self._nodes.get(key)
        if node is not None:
            return node.cost
        return math.inf if key in self._closed else 0.0

    def _cost_by(self, node: _Node, following: int) -> float:
        """What the cheapest leaf costs by way of one of a position's moves."""
        error = node.value - backed_up(self._value(following))
        return (len(node.moves) > 1) + error / self._breadth + self._cost(following)


def _is_closed(key: int) -> bool:
    """Whether nothing comes after a position in any book: with a king, with no move, or with moves that the rules differ on."""
    if key >> 2 * _SQUARES:
        return True
    board = position_of(key)
    moves = board.legal_moves
    return not moves or set(moves) != set(Board(board.fen(), CLUB).legal_moves)


def _order(key: int) -> tuple[int, int]:
    """Less for each position that comes later in a game without kings."""
    pieces = advance = 0
    for square in range(_SQUARES):
        if key >> square & 1:
            pieces += 1
            advance += 9 - square // 5
        elif key >> _SQUARES + square & 1:
            pieces += 1
            advance += square // 5
    return pieces, -advance
