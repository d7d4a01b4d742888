"""The tree of a game's moves: what was played, what might have been, and what was said about it.

Nothing here calls itself, so that neither a long game nor deeply nested variations meet Python's recursion limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from damier import Board, Color, Move
from damier.values import expect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from damier import Rules
    from damier.notation.pdn.visitor import Visitor

__all__ = ["Evaluation", "GameNode", "Notes"]


class Evaluation(NamedTuple):
    """What a position is worth for White: in men, or as a forced win.

    ``win_in``: moves to the win, negative where Black wins; None for an estimate in ``men``.

    >>> str(Evaluation(men=-0.35)), str(Evaluation(win_in=5))
    ('-0.35', '#5')
    """

    men: float | None = None
    win_in: int | None = None

    def __str__(self) -> str:
        if self.win_in is not None:
            return f"#{self.win_in}"
        from damier.notation.pdn.commands import decimal_text

        return decimal_text(self.men or 0.0)


class Notes:
    """What is said about a move: kept apart from the node, since few nodes have any."""

    __slots__ = ("clock", "comments", "comments_before", "elapsed", "evaluation", "nags", "opponent_clock")

    def __init__(self) -> None:
        self.comments_before: list[str] = []
        self.comments: list[str] = []
        self.nags: list[int] = []
        self.clock: float | None = None
        self.opponent_clock: float | None = None
        self.elapsed: float | None = None
        self.evaluation: Evaluation | None = None

    def __getstate__(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            setattr(self, name, value)


class GameNode:
    """A point in a game: its start (:meth:`root`), a move, or a position set up in the midst of the moves.

    The first of :attr:`variations` is what was played; the others are alternatives to it.

    >>> root = GameNode.root()
    >>> opening = root.add_main("32-28")
    >>> opening.add_main("19-23").add_main("28x19").end().board().fen()
    'B:W19,31,33-50:B1-18,20'
    >>> root.add_variation("33-29").comments.append("Holds back.")
    >>> [str(node.move) for node in root.main_line()], len(root.variations)
    (['32-28', '19-23', '28x19'], 2)
    """

    __slots__ = {
        "_half": "The half moves before, White's even.",
        "_notes": "What is said about it, if anything.",
        "_run": "A board whose last moves follow here and have no nodes yet, and how many they are.",
        "_start": "The position, if one is set up here.",
        "_variations": "What follows, as far as it has nodes.",
        "move": "The move that leads here; None at the start and where a position is set up.",
        "parent": "The node before this one; None at the start.",
        "ply": "The number of moves that lead here.",
    }

    parent: GameNode | None
    move: Move | None
    ply: int

    def __init__(self, parent: GameNode | None, move: Move | None, start: Board | None = None) -> None:
        """Use :meth:`root` and the ``add_…`` methods: this one does not check whether the move is legal."""
        self.parent = parent
        self.move = move
        self._variations: list[GameNode] = []
        self._run: tuple[Board, int] | None = None
        self._start = start
        self._notes: Notes | None = None
        if parent is None:
            self.ply = self._half = 0
        else:
            self.ply = parent.ply + (move is not None)
            self._half = parent._half + (move is not None)
        # Counted in half moves so that White's are even; a position set up may pass over one.
        if start is not None and (self._half & 1) != (start.turn is Color.BLACK):
            self._half += 1

    @classmethod
    def root(cls, board: Board | None = None) -> GameNode:
        """The start of a game in the position of ``board`` (its earlier moves are left out)."""
        return cls(None, None, Board() if board is None else _fresh(board))

    # --- Where it stands --------------------------------------------------------------------------------------

    @property
    def turn(self) -> Color:
        """The side to move."""
        return Color.BLACK if self._half & 1 else Color.WHITE

    @property
    def move_number(self) -> int:
        """The number that a game record gives to this move; of a start, to the move that follows."""
        half = self._half if self.move is None else self._half - 1
        return half // 2 + 1

    @property
    def setup(self) -> str | None:
        """The FEN of a position that is set up here; None where a move leads here."""
        return None if self._start is None else self._start.start_fen

    @property
    def rules(self) -> Rules:
        """The rule set of the game."""
        return self._origin()[0].rules

    def board(self) -> Board:
        """The position, with the moves that led to it since a position was last set up; the caller's own."""
        start, moves = self._origin()
        board = start.copy()
        for move in reversed(moves):
            board.push(move)
        return board

    def _origin(self) -> tuple[Board, list[Move]]:
        """The nearest position that was set up, and the moves since, the last first."""
        node = self
        moves: list[Move] = []
        while node._start is None and node.parent is not None:
            if node.move is not None:
                moves.append(node.move)
            node = node.parent
        return node._start or Board(), moves

    # --- What is said about it ----------------------------------------------------------------------------------

    @property
    def notes(self) -> Notes:
        """All that is said about the move, as one object."""
        if self._notes is None:
            self._notes = Notes()
        return self._notes

    @notes.setter
    def notes(self, notes: Notes) -> None:
        self._notes = notes

    @property
    def has_notes(self) -> bool:
        """Whether anything was ever said about the move."""
        return self._notes is not None

    @property
    def comments(self) -> list[str]:
        """The comments after the move; at the start, those on the game."""
        return self.notes.comments

    @property
    def comments_before(self) -> list[str]:
        """The comments before the move: at the beginning of a variation, or after the variations on the move before.

        Elsewhere PDN cannot tell them from comments after the move before, and a reader will take them for such.
        """
        return self.notes.comments_before

    @property
    def nags(self) -> list[int]:
        """Numeric annotation glyphs: 1 is ``!``, 2 ``?``, 3 ``!!``, 4 ``??``, 5 ``!?``, 6 ``?!``, 7 a forced move."""
        return self.notes.nags

    @property
    def clock(self) -> float | None:
        """Seconds on the clock of the side that moved, after the move (``[%clk]``, ``[%clock]``).

        At the start, and where a position is set up: of the side that is not to move.
        """
        return None if self._notes is None else self._notes.clock

    @clock.setter
    def clock(self, seconds: float | None) -> None:
        self.notes.clock = seconds

    @property
    def opponent_clock(self) -> float | None:
        """Seconds on the other side's clock (``[%clock]``)."""
        return None if self._notes is None else self._notes.opponent_clock

    @opponent_clock.setter
    def opponent_clock(self, seconds: float | None) -> None:
        self.notes.opponent_clock = seconds

    @property
    def elapsed(self) -> float | None:
        """Seconds that the move took (``[%emt]``)."""
        return None if self._notes is None else self._notes.elapsed

    @elapsed.setter
    def elapsed(self, seconds: float | None) -> None:
        self.notes.elapsed = seconds

    @property
    def evaluation(self) -> Evaluation | None:
        """What the position is worth (``[%eval]``)."""
        return None if self._notes is None else self._notes.evaluation

    @evaluation.setter
    def evaluation(self, evaluation: Evaluation | None) -> None:
        self.notes.evaluation = evaluation

    # --- What follows -------------------------------------------------------------------------------------------

    @property
    def variations(self) -> list[GameNode]:
        """What follows, the main line first."""
        if self._run is not None:
            self._unfold(*self._run)
        return self._variations

    def follow(self, board: Board, plies: int) -> None:
        """Let the last moves of ``board`` follow here, where nothing does yet: for readers, which have checked them.

        The nodes are made when they are asked for. Most games of a large file are read for their tags or their end
        alone, and a board takes less room than its nodes.
        """
        self._run = (board.copy(), plies)

    def _unfold(self, board: Board, plies: int) -> None:
        self._run = None
        node = self
        for move in reversed([board.pop() for _ in range(plies)]):
            node = node.attach(move)

    # --- Walking ------------------------------------------------------------------------------------------------

    def main_line(self) -> Iterator[GameNode]:
        """The nodes that follow this one in the main line."""
        node = self
        while node.variations:
            node = node.variations[0]
            yield node

    def end(self) -> GameNode:
        """The last node of the line, this one if nothing follows."""
        node = self
        while node.variations:
            node = node.variations[0]
        return node

    def line(self) -> list[GameNode]:
        """The nodes that lead from the start to this one, both included."""
        nodes: list[GameNode] = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        nodes.reverse()
        return nodes

    def descendants(self) -> Iterator[GameNode]:
        """This node and all that follow: each before what follows it, the main line first."""
        waiting: list[GameNode] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.variations))

    def is_main_line(self) -> bool:
        """Whether every choice on the way here was the first."""
        node = self
        while (parent := node.parent) is not None:
            if not parent.variations or parent.variations[0] is not node:
                return False
            node = parent
        return True

    def accept(self, visitor: Visitor) -> None:
        """Tell the visitor this node and what follows it, as a reader would who reads them from a file."""
        from damier.notation.pdn.walk import walk

        walk(self, visitor)

    # --- Changing -----------------------------------------------------------------------------------------------

    def add_variation(self, move: Move | str) -> GameNode:
        """Add a move after those that follow here already.

        Raises :class:`~damier.IllegalMove`. A move that is there already is added once more.
        """
        return self.attach(self.board().push(move))

    def add_main(self, move: Move | str) -> GameNode:
        """Add a move as the main line, before those that follow here already.

        Raises :class:`~damier.IllegalMove`.

        >>> root = GameNode.root()
        >>> old, new = root.add_main("32-28"), root.add_main("33-29")
        >>> old.is_main_line(), new.is_main_line()
        (False, True)
        """
        node = self.add_variation(move)
        node.promote_to_main()
        return node

    def add_line(self, moves: Iterable[Move | str]) -> GameNode:
        """Add moves one after another as a variation, and return the last node (this one if there are no moves).

        Raises :class:`~damier.IllegalMove`, and then nothing has changed.

        >>> GameNode.root().add_line(["32-28", "19-23", "28x19"]).ply
        3
        """
        board = self.board()
        node = self
        for move in [board.push(move) for move in moves]:
            node = node.attach(move)
        return node

    def add_setup(self, board: Board | str) -> GameNode:
        """Add a position that is set up here, given as a board or a FEN, after what follows here already.

        Raises :class:`~damier.BadFen`, and TypeError for what is neither.
        """
        start = Board(board, rules=self.rules) if isinstance(board, str) else _fresh(board)
        return self.attach(None, start)

    def attach(self, move: Move | None, start: Board | None = None) -> GameNode:
        """Add a node without asking whether the move is legal here: for readers, which have asked."""
        node = GameNode(self, move, start)
        self.variations.append(node)
        return node

    def promote(self) -> None:
        """Move one place up among the alternatives; the first stays where it is. Raises ValueError at the start.

        >>> root = GameNode.root()
        >>> one, two = root.add_variation("32-28"), root.add_variation("33-29")
        >>> two.promote()
        >>> root.variations == [two, one]
        True
        """
        self._move_to(max(0, self._place() - 1))

    def demote(self) -> None:
        """Move one place down among the alternatives; the last stays where it is. Raises ValueError at the start."""
        self._move_to(self._place() + 1)

    def promote_to_main(self) -> None:
        """Make this the first of the alternatives. Raises ValueError at the start."""
        self._move_to(0)

    def remove(self) -> None:
        """Take this node, with all that follows it, out of the tree. Raises ValueError at the start."""
        place = self._place()
        del self._siblings()[place]

    def _siblings(self) -> list[GameNode]:
        if self.parent is None:
            raise ValueError("the start of a game is no variation")
        return self.parent.variations

    def _place(self) -> int:
        for place, node in enumerate(self._siblings()):
            if node is self:
                return place
        raise ValueError("this node was removed from its game")

    def _move_to(self, place: int) -> None:
        siblings = self._siblings()
        del siblings[self._place()]
        siblings.insert(place, self)

    # --- As a value -----------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self._start is not None:
            return f"<GameNode {self.setup}, {len(self.variations)} variations>"
        dots = "." if self.turn is Color.BLACK else "..."
        return f"<GameNode {self.move_number}{dots} {self.move}, {len(self.variations)} variations>"

    def __reduce__(self) -> tuple[object, ...]:
        # A list, since pickling node by node would call itself as deep as the tree is.
        nodes = list(self.line()[0].descendants())
        numbers = {id(node): number for number, node in enumerate(nodes)}
        if id(self) not in numbers:
            raise ValueError("this node was removed from its game")
        flat = [
            (-1 if node.parent is None else numbers[id(node.parent)], node.move, node._start, node._notes)
            for node in nodes
        ]
        return _rebuilt, (flat, numbers[id(self)])


def _rebuilt(flat: list[tuple[int, Move | None, Board | None, Notes | None]], wanted: int) -> GameNode:
    nodes: list[GameNode] = []
    for parent, move, start, notes in flat:
        node = GameNode(None, move, start) if parent < 0 else nodes[parent].attach(move, start)
        if notes is not None:
            node.notes = notes
        nodes.append(node)
    return nodes[wanted]


def _fresh(board: Board) -> Board:
    """A board in the same position, without its history."""
    expect(board, Board, "a position is a Board or a FEN")
    return board.copy() if board.ply == 0 else Board(board.fen(), rules=board.rules)
