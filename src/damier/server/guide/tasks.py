"""What a step of the guide asks for, and whether an answer does it. Pure: the kernel decides, nothing is kept.

A task is asked in one of three ways: :class:`Touch` (squares), :class:`Choose` (one of some sentences) or
:class:`Play` (moves, until an aim is reached). In :class:`Play` the other side answers by itself: with the move that is
written down for it where that is legal, else with the one that holds out longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from damier import Board
from damier.errors import DamierError
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Sequence

    from damier import Color, Move

State: TypeAlias = Literal["solved", "on", "missed"]


class BadAnswer(DamierError, ValueError):
    """An answer that cannot be read, or that goes on after the end."""

    def __init__(self) -> None:
        super().__init__(N_("That is no answer to this step. Load the page again."))


# --- Aims ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnyMove:
    """Any legal move."""


@dataclass(frozen=True, slots=True)
class Takes:
    """A capture of so many pieces."""

    pieces: int


@dataclass(frozen=True, slots=True)
class Lands:
    """A move that ends on one of some squares, where the piece cannot be captured."""

    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Safe:
    """A capture after which the other side can capture nothing."""


@dataclass(frozen=True, slots=True)
class Crowns:
    """A man becomes a king."""


@dataclass(frozen=True, slots=True)
class Gains:
    """After the last capture, when none is left for the other side, one is so many pieces better off than before.

    ``given``: how many pieces it costs at least; 0 pieces gained for one given is an exchange.
    """

    pieces: int
    given: int = 1


@dataclass(frozen=True, slots=True)
class Wins:
    """The other side has no move left."""


@dataclass(frozen=True, slots=True)
class Draws:
    """The game is drawn by the rules, once the other side has made its move."""


Aim: TypeAlias = AnyMove | Takes | Lands | Safe | Crowns | Gains | Wins | Draws


# --- Tasks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Touch:
    """Touch some squares, in any order."""

    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose one of some sentences; ``right`` counts from 0."""

    options: tuple[str, ...]
    right: int


@dataclass(frozen=True, slots=True)
class Play:
    """Reach an aim within so many moves of one's own. ``replies``: what the other side answers, where it is legal."""

    aim: Aim
    moves: int = 1
    replies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WholeGame:
    """Play a game to its end: nothing that is answered here."""


Task: TypeAlias = Touch | Choose | Play | WholeGame


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an answer has done what was asked, "on" while it is on the way.

    ``moves``: those played, the other side's too, each as the notation has it; ``squares``: those rightly touched.
    """

    state: State
    moves: tuple[str, ...] = ()
    squares: tuple[int, ...] = ()


def judge(task: Task, fen: str, answer: Sequence[str]) -> Judgement:
    """Whether an answer does what a task asks: squares touched, the number of a sentence, or one's own moves so far.

    Raises :class:`BadAnswer`, or :class:`~damier.IllegalMove` and its like for moves that are none.

    >>> judge(Touch((13, 38)), "W:W1:B2", ["13"])
    Judgement(state='on', moves=(), squares=(13,))
    >>> judge(Play(Takes(1)), "W:W28:B22", ["28-17"]).state
    'solved'
    >>> judge(Play(Wins(), 3), "W:W42:B18", ["42-37"]).state
    'missed'
    """
    if isinstance(task, Play):
        return _judge_moves(task, fen, answer)
    if isinstance(task, WholeGame):
        raise BadAnswer
    try:
        numbers = [int(each) for each in answer]
    except ValueError:
        raise BadAnswer from None
    if isinstance(task, Choose):
        if len(numbers) != 1 or not 0 <= numbers[0] < len(task.options):
            raise BadAnswer
        return Judgement("solved" if numbers[0] == task.right else "missed")
    touched = tuple(dict.fromkeys(number for number in numbers if number in task.squares))
    if len(touched) < len(set(numbers)):
        return Judgement("missed", squares=touched)
    return Judgement("solved" if len(touched) == len(task.squares) else "on", squares=touched)


def _judge_moves(task: Play, fen: str, answer: Sequence[str]) -> Judgement:
    if not 1 <= len(answer) <= task.moves:
        raise BadAnswer
    board = Board(fen)
    line = _Line(task, board)
    played: list[str] = []
    state: State = "on"
    for text in answer:
        if state != "on":
            raise BadAnswer
        move = board.parse(text)
        played.append(board.notation(move))
        line.push(move)
        state = line.state()
        if state == "on":
            reply = line.reply()
            played.append(board.notation(reply))
            line.push(reply)
            if isinstance(task.aim, Draws):
                state = line.state()
    return Judgement(state, tuple(played))


def way(task: Play, fen: str) -> tuple[str, ...] | None:
    """A line that solves a task, the replies in it; None if none does against every reply.

    >>> way(Play(Wins(), 3), "W:W42:B18")
    ('42-38', '18-22', '38-32', '22-27', '32x21')
    """
    board = Board(fen)
    line = _Line(task, board)
    texts: list[str] = []
    while True:
        best = line.best()
        if best is None:
            return None
        texts.append(board.notation(best))
        line.push(best)
        if line.reached():
            return tuple(texts)
        reply = line.reply()
        texts.append(board.notation(reply))
        line.push(reply)
        if isinstance(task.aim, Draws) and line.reached():
            return tuple(texts)


class _Line:
    """A line that is being played towards an aim. ``board`` is its own."""

    def __init__(self, task: Play, board: Board) -> None:
        self.task = task
        self.board = board
        self.own: Color = board.turn
        self.before = self._pieces()
        self.last: Move | None = None

    def push(self, move: Move) -> None:
        self.board.push(move)
        self.last = move

    @property
    def own_moves(self) -> int:
        return (self.board.ply + 1) // 2

    def state(self) -> State:
        if self.reached():
            return "solved"
        if self.own_moves >= self.task.moves and not (isinstance(self.task.aim, Draws) and self._is_theirs()):
            return "missed"
        if isinstance(self.task.aim, Draws):
            return "on" if self.board.pieces(self.own) and self.board.legal_moves else "missed"
        return "on" if self._holds(self.task.moves - self.own_moves) is not None else "missed"

    def reply(self) -> Move:
        """The other side's move: the one written down, else the one that holds out longest."""
        moves = self.board.legal_moves
        number = self.board.ply // 2
        if number < len(self.task.replies):
            written = [move for move in moves if str(move) == self.task.replies[number]]
            if written:
                return written[0]
        left = self.task.moves - self.own_moves
        return max(moves, key=lambda move: self._after(move, left) or 0)

    def best(self) -> Move | None:
        """The own move that leads to the aim soonest against every reply."""
        left = self.task.moves - self.own_moves
        found: list[tuple[int, Move]] = []
        for move in self.board.legal_moves:
            needed = self._own(move, left)
            if needed is not None:
                found.append((needed, move))
        return min(found, key=lambda each: each[0], default=(0, None))[1]

    # How many more own moves it takes, against every reply; None where it cannot be forced with those left.

    def _own(self, move: Move, left: int) -> int | None:
        if left == 0:
            return None
        last = self.last
        self.push(move)
        needed = 0 if self.reached() else self._holds(left - 1)
        self.board.pop()
        self.last = last
        return None if needed is None else needed + 1

    def _holds(self, left: int) -> int | None:
        """After an own move: the longest that any reply lets it take."""
        if left == 0 and not isinstance(self.task.aim, Draws):
            return None
        longest = 0
        moves = self.board.legal_moves
        for move in [self.reply()] if isinstance(self.task.aim, Draws) and moves else moves:
            needed = self._after(move, left)
            if needed is None:
                return None
            longest = max(longest, needed)
        return longest if moves else None

    def _after(self, move: Move, left: int) -> int | None:
        """After a reply."""
        last = self.last
        self.push(move)
        if isinstance(self.task.aim, Draws) and self.reached():
            needed: int | None = 0
        else:
            ways = [self._own(each, left) for each in self.board.legal_moves] if left else []
            needed = min((each for each in ways if each is not None), default=None)
        self.board.pop()
        self.last = last
        return needed

    # Aims.

    def reached(self) -> bool:
        """Whether the aim is reached: after an own move, or for a draw after the other side's."""
        aim, last = self.task.aim, self.last
        if last is None:
            return False
        match aim:
            case Draws():
                outcome = self.board.outcome()
                return not self._is_theirs() and outcome is not None and outcome.winner is None
            case AnyMove():
                return True
            case Takes(pieces):
                return len(last.captured) == pieces
            case Lands(squares):
                return last.to_square in squares and not any(
                    last.to_square in move.captured for move in self.board.legal_moves
                )
            case Safe():
                return last.is_capture and not self._is_attacked()
            case Crowns():
                return last.crowned
            case Gains(pieces, given):
                own, theirs = self._pieces()
                cost, taken = self.before[0] - own, self.before[1] - theirs
                return cost >= given and taken - cost >= pieces and not self._is_attacked()
            case Wins():
                return not self.board.legal_moves

    def _is_theirs(self) -> bool:
        return self.board.turn is not self.own

    def _is_attacked(self) -> bool:
        moves = self.board.legal_moves
        return bool(moves) and moves[0].is_capture

    def _pieces(self) -> tuple[int, int]:
        return len(self.board.pieces(self.own)), len(self.board.pieces(self.own.opponent))
