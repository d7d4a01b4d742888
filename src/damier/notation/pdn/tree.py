"""A game from a file as a whole: its tags, its tree of moves and its result; and what builds one while reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier import BadFen, Board
from damier.board import START_FEN
from damier.notation.pdn import tags as pdn_tags
from damier.notation.pdn.commands import STRENGTHS, one_line, take_commands, without_commands
from damier.notation.pdn.node import GameNode
from damier.notation.pdn.visitor import Visitor
from damier.rules import OFFICIAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from damier import BadPdn, Move, Rules

__all__ = ["PdnGame", "TreeBuilder"]


class PdnGame:
    """One game of a PDN file, or one that is to be written to such a file.

    >>> game = PdnGame({"White": "Anna", "Black": "Bram", "Result": "1-1"})
    >>> last = game.root.add_line(["32-28", "19-23", "28x19"])
    >>> print(game.result, game.points, last.board().fen())
    1-1 (1, 1) B:W19,31,33-50:B1-18,20
    """

    __slots__ = {
        "_untagged": "The result of a game that has no tag for it.",
        "errors": "What in the file could not be read; the tree ends before it.",
        "number": "Its number in the file, from 1; 0 for a game that comes from no file.",
        "root": "The start, from which the moves follow.",
        "skipped": "Why there are no moves, if the game is of another variant.",
        "tags": "The tags in the order of the file; of a name that repeats, the first.",
    }

    number: int
    tags: dict[str, str]
    root: GameNode
    errors: list[BadPdn]
    skipped: BadPdn | None
    _untagged: str

    def __init__(
        self, tags: dict[str, str] | None = None, board: Board | None = None, *, rules: Rules | str | None = None
    ) -> None:
        """A game without moves, in the position of ``board``, else of the FEN tag, else the start position.

        For a position that is neither, a FEN tag is added, and a Rules tag for rules that no tag tells. The rules are those of ``board``, else ``rules``, else
        those of a tag such as ``[Rules "club"]``, else the official ones. Raises :class:`~damier.BadFen`.
        """
        self.number = 0
        self.tags = dict(tags or {})
        self.errors = []
        self.skipped = None
        self._untagged = ""
        if board is None:
            rules = rules or pdn_tags.rule_set(self.tags.get("Rules", "")) or OFFICIAL
            board = Board(self.tags["FEN"], rules=rules) if "FEN" in self.tags else Board(rules=rules)
        self.root = GameNode.root(board)
        fen = self.root.setup or ""
        if fen != said_start(self.tags):
            self.tags["FEN"] = fen
        pdn_tags.tell_rules(self.tags, self.rules)

    @property
    def result(self) -> str:
        """The result as written: what the tag ``Result`` says, if there is one; ``*`` if open, empty if not given.

        Setting it sets the tag too, where there is one. Of a file that tells another result after the moves, that
        one is taken into the tag.

        >>> game = PdnGame({"Result": "*"})
        >>> game.result = "2-0"
        >>> game.tags
        {'Result': '2-0'}
        """
        return self.tags.get("Result") or self._untagged

    @result.setter
    def result(self, result: str) -> None:
        if "Result" in self.tags:
            self.tags["Result"] = result
        else:
            self._untagged = result

    @property
    def rules(self) -> Rules:
        """The rule set under which the moves are legal."""
        return self.root.rules

    @property
    def points(self) -> tuple[int, int] | None:
        """The points of White and Black by the result, two for a game; None if it is open."""
        return pdn_tags.points(self.result)

    @property
    def date(self) -> pdn_tags.PdnDate | None:
        """The day of the Date tag; None if there is none, or none that has one clear meaning."""
        return pdn_tags.date(self.tags.get("Date", ""))

    def board(self) -> Board:
        """The position at the start; the caller's own."""
        return self.root.board()

    def main_line(self) -> Iterator[GameNode]:
        """The nodes of what was played."""
        return self.root.main_line()

    def end(self) -> GameNode:
        """The last node of what was played."""
        return self.root.end()

    def accept(self, visitor: Visitor) -> None:
        """Tell the visitor the whole game, as a reader would who reads it from a file."""
        wanted = visitor.begin_game(self.number) is not False
        for name, value in self.tags.items():
            visitor.tag(name, value)
        if self.skipped is not None:
            visitor.skipped(self.skipped)
        elif wanted and self.has_start:
            visitor.begin_moves(self.board())
            self.root.accept(visitor)
        for error in self.errors:
            visitor.error(error)
        if self.result:
            visitor.result(self.result)
        visitor.end_game()

    @property
    def has_start(self) -> bool:
        """False if the FEN tag cannot be read and no other position was set up: then the game has no position at all.

        :meth:`board` gives the start of the game then.
        """
        return said_start(self.tags) is not None or bool(self.root.variations) or self.root.setup != START_FEN

    def __repr__(self) -> str:
        players = " – ".join(self.tags.get(color, "?") for color in ("White", "Black"))
        return f"<PdnGame {self.number}: {players} {self.result or '*'}, {self.end().ply} plies>"


def said_start(tags: Mapping[str, str]) -> str | None:
    """The start position that the tags tell, as a FEN; None where they tell none that can be set up."""
    if "FEN" not in tags:
        return START_FEN
    try:
        return Board(tags["FEN"]).start_fen
    except BadFen:
        return None


class _Line:
    """A line that is being read: where it stands, and what was said since that belongs to the next move."""

    __slots__ = ("begin", "comments", "nags", "node", "open", "runs")

    def __init__(self, begin: GameNode) -> None:
        self.begin = begin
        self.node = begin
        self.comments: list[str] = []
        self.nags: list[int] = []
        self.open = True  # what is said now belongs to the next move
        self.runs = False  # moves follow the node that have no nodes yet


class TreeBuilder(Visitor):
    """Builds the game that it is told; :attr:`game` holds it after ``end_game``.

    Comments lose their line ends and double blanks, which the writer chooses anew. What is said in a variation
    without moves goes to the move before it, but not what only a move can have: clocks, times and evaluations.
    """

    __slots__ = {
        "_lines": "The lines that are open, the main line first.",
        "_rules": "The rule set of every game.",
        "_said_result": "The result after the moves.",
        "game": "The game told last, or the one that is being told.",
    }

    game: PdnGame

    def __init__(self, *, rules: Rules | str = "official") -> None:
        self._rules = rules
        self.game = PdnGame(rules=rules)
        self._begin(self.game.root)

    def _begin(self, root: GameNode) -> None:
        self.game.root = root
        self._lines = [_Line(root)]
        self._lines[0].open = False
        self._said_result = ""

    def begin_game(self, number: int) -> bool | None:
        self.game = PdnGame(rules=self._rules)
        self.game.number = number
        self.game.tags.clear()  # those of the file are told
        self._begin(self.game.root)
        return None

    def tag(self, name: str, value: str) -> None:
        self.game.tags.setdefault(pdn_tags.spelled(name), value)

    def begin_moves(self, board: Board) -> None:
        self._begin(GameNode.root(board))

    def skipped(self, note: BadPdn) -> None:
        self.game.skipped = note

    def run(self, board: Board, plies: int) -> None:
        """Tells the last moves of the board at once: readers that know this builder tell plain moves so."""
        line = self._line()
        if line.open or line.node.variations:
            moves = [board.pop() for _ in range(plies)]
            while moves:
                self._append(GameNode(self._lines[-1].node, moves[-1]))
                board.push(moves.pop())
        else:
            line.node.follow(board, plies)
            line.runs = True

    def _line(self) -> _Line:
        """The line that is being read, at its last node."""
        line = self._lines[-1]
        if line.runs:
            line.runs = False
            line.node = line.node.end()
        return line

    def move(self, board: Board, move: Move, text: str) -> None:
        self._append(GameNode(self._line().node, move))

    def setup(self, board: Board) -> None:
        self._append(GameNode(self._line().node, None, GameNode.root(board).board()))

    def _append(self, node: GameNode) -> None:
        line = self._lines[-1]
        siblings = line.node.variations
        if siblings and (line.node is not line.begin or len(self._lines) == 1):
            siblings.insert(0, node)  # its alternatives came before it
        else:
            siblings.append(node)
        if line.comments:
            node.comments_before.extend(line.comments)
            line.comments = []
        if line.nags:
            node.nags.extend(line.nags)
            line.nags = []
        line.node = node
        line.open = False

    def comment(self, text: str) -> None:
        line = self._line()
        begins = line.open and line.node is line.begin
        # A clock belongs to the move before it, even if variations stand in between.
        text = one_line(text) if begins else take_commands(line.node, text)
        if text in STRENGTHS:
            self.nag(STRENGTHS.index(text) + 1)
        elif text:
            (line.comments if line.open else line.node.comments).append(text)

    def nag(self, number: int) -> None:
        line = self._line()
        begins = line.open and line.node is line.begin
        (line.nags if begins else line.node.nags).append(number)

    def begin_variation(self) -> None:
        line = self._line()
        replaced = line.node
        before = line.begin if replaced is line.begin or replaced.parent is None else replaced.parent
        self._lines.append(_Line(before))

    def end_variation(self) -> None:
        if len(self._lines) > 1:
            variation = self._line()
            self._lines.pop()
            line = self._lines[-1]
            if variation.node is variation.begin:
                line.node.nags.extend(variation.nags)
                for comment in variation.comments:
                    # A clock or an evaluation is that of the move that is not there.
                    self.comment(without_commands(comment))
            else:
                _close(variation)
                line.open = True

    def result(self, text: str) -> None:
        self._said_result = text

    def error(self, error: BadPdn) -> None:
        self.game.errors.append(error)
        line = self._lines[-1]
        if len(self._lines) > 1 and line.node is line.begin:
            line.nags.clear()  # they were given to the move that cannot be read

    def end_game(self) -> None:
        while len(self._lines) > 1:
            self.end_variation()
        if self._lines[0].comments or self._lines[0].nags:
            _close(self._line())
        said, tag = self._said_result, self.game.tags.get("Result", "")
        # A star only ends the game where the tag has told the result.
        if not tag or (pdn_tags.points(said) not in (None, pdn_tags.points(tag))):
            self.game.result = said


def _close(line: _Line) -> None:
    line.node.comments.extend(line.comments)
    line.node.nags.extend(line.nags)
    line.comments, line.nags = [], []
