"""What an engine thinks of a game that was played: each position's worth, and where a move gave something away.

Nothing here searches: :mod:`damier.engine.analyst` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from damier.engine.match.scores import evaluation_of, read_score, score_text
from damier.engine.score import Score
from damier.errors import DamierError
from damier.notation.hub import read_move, write_move

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from damier._kernel import Move
    from damier.board import Board
    from damier.notation.pdn import GameNode, PdnGame

__all__ = ["Insight", "Judgement", "Marked", "annotate", "judge", "positions", "settled", "winning_chance"]

_NAGS: Final = ((0.16, 4, "Blunder"), (0.10, 2, "Mistake"), (0.05, 6, "Doubtful"))
"""From which loss of winning chance on a move is ``??``, ``?`` and ``?!``, and what it is called."""
_STRENGTHS: Final = range(1, 7)
_LONGEST_LINE: Final = 12
_WON: Final = 5000
"""No estimate says so much, but a win that endgame tables tell, whose distance is not known."""


def winning_chance(score: Score) -> float:
    """The part of the point that a side with this score makes on average, a draw being half of it.

    >>> winning_chance(Score.centi(0)), round(winning_chance(Score.centi(100)), 2), winning_chance(Score.loss(8))
    (0.5, 0.66, 0.0)
    """
    shares = score.wdl
    return (1 + shares.win - shares.loss) / 2


@dataclass(frozen=True, slots=True)
class Insight:
    """What a position is worth to the side to move, how deep it was searched, and the best play as Hub texts."""

    score: Score
    depth: int = 0
    line: tuple[str, ...] = ()

    def to_json(self) -> list[object]:
        """As a list."""
        return [score_text(self.score), self.depth, " ".join(self.line)]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Insight:
        """
        >>> insight = Insight(Score.win(3), 9, ("32-28", "23x32x28"))
        >>> Insight.from_json(insight.to_json()) == insight
        True
        """
        text, depth, line = data
        score = read_score(text)
        if score is None or not isinstance(depth, int):
            raise ValueError(f"no insight: {data!r}")
        return cls(score, depth, tuple(line.split()))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a move: the winning chance that it gave away, its glyph if any, and the proven win that it missed."""

    loss: float
    nag: int | None
    name: str
    missed_win: Score | None


def judge(before: Insight, move: Move, after: Insight) -> Judgement | None:
    """What is to be said of a move, from what the position was worth before it and is worth after; None for nothing.

    The move that was found best loses nothing, whatever a deeper look thinks of it.

    >>> from damier import Move
    >>> judge(Insight(Score.centi(10), 9, ("32-28",)), Move(33, 29), Insight(Score.centi(120)))
    Judgement(loss=0.210..., nag=4, name='Blunder', missed_win=None)
    >>> judge(Insight(Score.win(9), 9, ("32-28",)), Move(33, 29), Insight(Score.centi(-400)))
    Judgement(loss=0.042..., nag=None, name='', missed_win=Score.win(9))
    """
    if not before.line or write_move(move) == before.line[0]:
        return None
    loss = winning_chance(before.score) - winning_chance(-after.score)
    missed = before.score if _is_won(before.score) and not _is_won(-after.score) else None
    for least, nag, name in _NAGS:
        if loss >= least:
            return Judgement(loss, nag, name, missed)
    return None if missed is None else Judgement(max(loss, 0.0), None, "", missed)


def _is_won(score: Score) -> bool:
    return score >= Score.centi(_WON)


@dataclass(frozen=True, slots=True)
class Marked:
    """How many moves of a game got each glyph, and how many missed a win."""

    moves: int = 0
    doubtful: int = 0
    mistakes: int = 0
    blunders: int = 0
    missed_wins: int = 0

    def __add__(self, other: Marked) -> Marked:
        return Marked(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def positions(game: PdnGame) -> Iterator[tuple[GameNode, Board]]:
    """The nodes of what was played, the start first, each with its position; the board is the same all the time."""
    board = game.board()
    yield game.root, board
    for node in game.main_line():
        if node.move is None:
            board = node.board()
        else:
            board.push(node.move)
        yield node, board


def settled(board: Board) -> Insight | None:
    """What the rules say of a position, None where the game goes on.

    >>> from damier import Board
    >>> settled(Board("W:W:B1")), settled(Board())
    (Insight(score=Score.loss(0), depth=0, line=()), None)
    """
    outcome = board.outcome()
    if outcome is None:
        return None
    return Insight(Score.centi(0) if outcome.winner is None else Score.loss(0))


def annotate(game: PdnGame, insights: Mapping[int, Insight], analyst: str) -> Marked:
    """Write into the game what the insights say, numbered by the nodes of :func:`positions`.

    Everything that stands in the game stays: evaluations, glyphs, comments and variations are added only where there
    are none of their kind, and a tag for the ``analyst`` only if there is none.
    """
    marked = Marked()
    before: Insight | None = None
    for number, (node, board) in enumerate(list(_kept(positions(game)))):
        insight = insights.get(number)
        if node.move is not None and insight is not None:
            if node.evaluation is None and not (insight.score == Score.loss(0) or board.outcome() is not None):
                node.evaluation = evaluation_of(insight.score, board.turn.letter == "W")
            marked += Marked(moves=1)
            judgement = None if before is None else judge(before, node.move, insight)
            if judgement is not None and before is not None and node.parent is not None:
                marked += _write(node, node.parent, judgement, before, insight)
        before = None if insight is not None and board.outcome() is not None else insight
    game.tags.setdefault("Annotator", analyst)
    return marked


def _kept(found: Iterator[tuple[GameNode, Board]]) -> Iterator[tuple[GameNode, Board]]:
    for node, board in found:
        yield node, board.copy()


def _write(node: GameNode, parent: GameNode, judgement: Judgement, before: Insight, after: Insight) -> Marked:
    if judgement.nag is not None and not any(nag in _STRENGTHS for nag in node.nags):
        node.nags.append(judgement.nag)
    words: list[str] = []
    is_white = parent.turn.letter == "W"
    if judgement.name:
        was, now = evaluation_of(before.score, is_white), evaluation_of(after.score, not is_white)
        words.append(f"{judgement.name}: from {was} to {now}.")
    if judgement.missed_win is not None:
        plies = judgement.missed_win.win_in  # not known of every win that endgame tables tell
        words.append("Misses a win." if plies is None else f"Misses a win in {plies} single moves.")
    node.comments.append(" ".join(words))
    line = _line(parent.board(), before.line)
    if line and all(other.move != line[0] for other in parent.variations):
        first = parent.add_variation(line[0])
        first.evaluation = evaluation_of(before.score, is_white)
        first.add_line(line[1:])
    return Marked(
        0,
        judgement.nag == 6,
        judgement.nag == 2,
        judgement.nag == 4,
        judgement.missed_win is not None,
    )


def _line(board: Board, texts: Sequence[str]) -> list[Move]:
    line: list[Move] = []
    for text in texts[:_LONGEST_LINE]:
        try:
            line.append(board.push(read_move(board, text)))
        except DamierError:
            break
    return line
