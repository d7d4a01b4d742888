"""What the engine proves, against plain minimax over ``Board``: it finds every near win, at its true distance."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from damier import Board, Color
from damier.engine import Engine, Limit, Score, SearchResult

if TYPE_CHECKING:
    from collections.abc import Iterator

NEAR = 5  # plies
FAR_ROW = {Color.WHITE: range(1, 6), Color.BLACK: range(46, 51)}


def _value(board: Board, plies: int, alpha: int = -99, beta: int = 99) -> int:
    """99 - n for a win in n plies, n - 99 for a loss in n, 0 for a draw or what ``plies`` plies do not decide."""
    outcome = board.outcome()
    if outcome is not None:
        return -99 if outcome.winner is not None else 0
    if plies == 0:
        return 0
    best = -99
    for move in board.legal_moves:
        board.push(move)
        value = -_value(board, plies - 1, -beta - 1, -alpha + 1)
        board.pop()
        value -= (value > 0) - (value < 0)
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


def _score(value: int) -> Score | None:
    return Score.win(99 - value) if value > 0 else Score.loss(99 + value) if value < 0 else None


def _positions(chance: random.Random, rules: str, largest: int) -> Iterator[Board]:
    while True:
        squares = chance.sample(range(1, 51), 2 * largest)
        sides: list[str] = []
        for color in Color:
            own = [squares.pop() for _ in range(chance.randint(1, largest))]
            king_share = chance.random() * 0.4
            sides.append(
                color.letter
                + ",".join(
                    f"K{square}" if square in FAR_ROW[color] or chance.random() < king_share else str(square)
                    for square in own
                )
            )
        board = Board(f"{chance.choice('WB')}:{':'.join(sides)}", rules)
        if board.outcome() is None:
            yield board


def _check(engine: Engine, board: Board) -> int:
    """The engine's verdict is the true one; returns the distance of the near win or loss, 0 if there is none."""
    expected = _score(_value(board, NEAR))
    engine.clear()
    result = engine.search(board, Limit(depth=NEAR + 11))
    if expected is None:
        assert (result.score.win_in or 99) > NEAR, board
        assert (result.score.loss_in or 99) > NEAR, board
        return 0
    assert result.score == expected, board
    _check_line(board, result)
    return result.score.win_in or result.score.loss_in or 0


def _check_line(board: Board, result: SearchResult) -> None:
    """The line of a proven win is as long as it says and ends with the loser out of moves."""
    end = board.copy()
    for move in result.pv:
        end.push(move)
    assert len(result.pv) == (result.score.win_in or result.score.loss_in), board
    outcome = end.outcome()
    assert outcome is not None
    assert outcome.winner == (board.turn if result.score.win_in else board.turn.opponent)


@pytest.mark.parametrize("rules", ["official", "club"])
def test_near_wins_are_found_exactly(rules: str) -> None:
    chance = random.Random(2024)
    engine = Engine(hash_mb=1, tables=False)  # what it finds by itself
    positions = _positions(chance, rules, largest=3)
    distances = [_check(engine, next(positions)) for _ in range(100)]
    assert sum(distance > 1 for distance in distances) >= 20, "the positions were too quiet to show anything"


def test_wins_that_a_count_cuts_off_are_none() -> None:
    """Two kings against one under a running count: a win must come before the count is full."""
    chance = random.Random(7)
    engine = Engine(hash_mb=1)
    near_the_end = 0
    while near_the_end < 25:
        squares = chance.sample(range(1, 51), 3)
        board = Board("W:WK{},K{}:BK{}".format(*squares))
        for _ in range(chance.randint(4, 9)):
            if board.outcome() is None:
                board.push(chance.choice(board.legal_moves))
        if board.outcome() is None and any(count.done >= 2 for count in board.draw_counts):
            _check(engine, board)
            near_the_end += 1


@pytest.mark.parametrize("fen", ["W:W21,43,40:B14,29", "W:W44,36,43:B10,6"])
def test_a_far_win_is_played_out(fen: str) -> None:
    """With every move of best play the win comes nearer, and nothing is lost on the way."""
    board = Board(fen)
    engine = Engine(hash_mb=4, tables=False)
    distance = 99
    while board.outcome() is None:
        result = engine.search(board, Limit(depth=20))
        nearer = result.score.win_in or result.score.loss_in
        assert nearer is not None, board
        assert nearer < distance, board
        distance = nearer
        _check_line(board, result)
        board.push(result.best)
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner is Color.WHITE


@pytest.mark.parametrize("rules", ["official", "club"])
def test_what_the_tables_know_is_played_out(rules: str) -> None:
    """From a few pieces more than they have, and from as many: the score says win, and the game is won."""
    engine = Engine(hash_mb=4)
    for fen in ("W:W21,43,40:B14,29", "W:W36,44,43:B10,6", "W:WK12,K40,50:BK11", "B:WK5:BK46,K14,K10,13"):
        board = Board(fen, rules)
        result = engine.search(board, Limit(depth=20))
        assert result.score.wins, board
        winner = board.turn
        while board.outcome() is None:
            result = engine.search(board, Limit(depth=20))
            assert result.score.is_decided, board
            board.push(result.best)
        outcome = board.outcome()
        assert outcome is not None
        assert outcome.winner is winner
