"""A board beside the counter that judges it: every move is played on both, and both must agree."""

from __future__ import annotations

import random
from collections.abc import Iterable

from damier import Board, Color, Move, Outcome
from damier.board import Position
from tests import draw_counter, mailbox

LETTERS = {(Color.WHITE, False): "w", (Color.WHITE, True): "W", (Color.BLACK, False): "b", (Color.BLACK, True): "B"}


def cells_of(board: Board) -> mailbox.Board:
    """The position in the second generator's form."""
    pieces = [board[square] for square in range(1, 51)]
    return [" ", *("." if piece is None else LETTERS[piece.color, piece.king] for piece in pieces)]


class Judged:
    """A game under way. Every method that moves compares outcome and counts after each move."""

    def __init__(self, fen: str, rules: str = "official") -> None:
        self.board = Board(fen, rules)
        self.counter = draw_counter.Game(cells_of(self.board), self.board.turn.letter.lower())
        self.stood: list[Position] = [self.board.position]
        self.compare()

    def push(self, move: Move | str) -> Outcome | None:
        move = self.board.push(move)
        self.counter.play((move.from_square, move.to_square, move.captured, move.crowned))
        self.stood.append(self.board.position)
        return self.compare()

    def pop(self) -> None:
        self.board.pop()
        self.counter.take_back()
        self.stood.pop()

    def compare(self) -> Outcome | None:
        """The board's outcome, which the counter agrees with."""
        rules = self.board.rules
        outcome = self.board.outcome()
        draws = self.counter.draws(rules.name)
        if not self.board.legal_moves:
            assert outcome == Outcome(self.board.turn.opponent, "no_moves")
        elif draws:
            assert outcome is not None
            assert outcome.winner is None
            assert outcome.rule in draws
        else:
            assert outcome is None
        expected: dict[str, tuple[int, int]] = {}
        if rules.king_moves:
            expected["king_moves"] = self.counter.king_plies() // 2, rules.king_moves
        if rules.name == "official" and self.counter.endgame():
            rule = {16: "three_pieces", 5: "two_pieces"}[self.counter.endgame()]
            expected[rule] = self.counter.endgame_plies() // 2, self.counter.endgame()
        if rules.move_limit:
            expected["move_limit"] = len(self.counter.moves) // 2, rules.move_limit
        if rules.repetition and self.counter.times_stood() >= 2:
            expected["repetition"] = self.counter.times_stood(), rules.repetition
        if rules.same_move and (times := max(self.counter.same_move(1), self.counter.same_move(2))) >= 2:
            expected["same_move"] = times, rules.same_move
        assert {count.rule: (count.done, count.of) for count in self.board.draw_counts} == expected
        return outcome

    def play(self, moves: Iterable[Move | str]) -> Outcome | None:
        """Plays on, past a draw too, and gives the outcome after the last move."""
        outcome = self.board.outcome()
        for move in moves:
            outcome = self.push(move)
        return outcome

    def wander(self, plies: int, source: random.Random) -> Outcome | None:
        """Up to ``plies`` moves that change no material and leave nothing to capture, to positions that are new.

        Men move only where no king can. Ends early with the game, or where there is no such move.
        """
        outcome = self.board.outcome()
        for _ in range(plies):
            if outcome is not None or (move := self._idle_move(source)) is None:
                break
            outcome = self.push(move)
        return outcome

    def _idle_move(self, source: random.Random) -> Move | None:
        legal = [move for move in self.board.legal_moves if not move.is_capture and not move.crowned]
        source.shuffle(legal)
        kings = self.board.pieces(king=True)
        for move in sorted(legal, key=lambda move: move.from_square not in kings):
            self.board.push(move)
            replies = self.board.legal_moves
            good = bool(replies) and not replies[0].is_capture and self.board.position not in self.stood
            self.board.pop()
            if good:
                return move
        return None
