"""Winning before a count or a repetition ends the game, against minimax over the board with all its draws."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from damier import Board, Color, Move, Outcome, Piece
from damier.engine import Tables, Wdl
from damier.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT = 2  # plies until the count ends the game, at most: what minimax in Python can look through
FAR_ROW = {Color.WHITE: range(1, 6), Color.BLACK: range(46, 51)}


def _wins(board: Board, color: Color, plies: int, known: dict[object, bool]) -> bool:
    """Whether ``color`` wins within ``plies``, by the board's own word on how games end."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.winner is color
    if plies == 0:
        return False
    key = (board.position, board.draw_counts, plies)
    if key not in known:
        results: list[bool] = []
        attacks = board.turn is color
        for move in board.legal_moves:
            board.push(move)
            results.append(_wins(board, color, plies - 1, known))
            board.pop()
            if results[-1] is attacks:
                break
        known[key] = any(results) if attacks else all(results)
    return known[key]


def _scattered(chance: random.Random, material: str, rules: str) -> Board:
    white, _, black = material.partition("v")
    squares = chance.sample(range(1, 51), len(white) + len(black))
    sides: list[str] = []
    for color, kinds in ((Color.WHITE, white), (Color.BLACK, black)):
        held = [(kind, squares.pop()) for kind in kinds]
        if any(kind == "M" and square in FAR_ROW[color] for kind, square in held):
            return _scattered(chance, material, rules)
        sides.append(color.letter + ",".join(f"{'K' * (kind == 'K')}{square}" for kind, square in held))
    return Board(f"{chance.choice('WB')}:{':'.join(sides)}", rules)


def _left(board: Board) -> int:
    """Plies until the nearest count ends the game, if no man moves and nothing is captured."""
    counted = [count for count in board.draw_counts if count.rule in ("king_moves", "three_pieces", "two_pieces")]
    return min(2 * (count.of - count.done) for count in counted)


def _worn(chance: random.Random, material: str, rules: str) -> Iterator[Board]:
    """Games in which a count is about to run out and the tables see a winner."""
    while True:
        board = _scattered(chance, material, rules)
        for _ in range(110):
            if board.outcome() is not None:
                break
            if _left(board) <= LEFT and Tables.default(rules).probe(board) is not Wdl.DRAW:
                yield board
                break
            if not _waits(chance, board):
                break


def _waits(chance: random.Random, board: Board) -> bool:
    """Plays a move by chance that captures nothing and lets nothing be captured, a king's if there is one."""
    quiet = [move for move in board.legal_moves if not move.is_capture and not move.crowned]
    chance.shuffle(quiet)
    for move in sorted(quiet, key=lambda each: each.from_square not in board.pieces(king=True)):
        board.push(move)
        if not any(reply.is_capture for reply in board.legal_moves):
            return True
        board.pop()
    return False


CASES = [
    ("KKvK", "official", 6),
    ("KMvK", "official", 12),
    ("KKMvK", "official", 12),
    ("KMMvK", "official", 4),
    ("KKKvK", "official", 4),
]


@pytest.mark.parametrize(("material", "rules", "games"), CASES)
def test_counts_that_run_out(material: str, rules: str, games: int) -> None:
    chance = random.Random(f"{material} {rules}")
    tables = Tables.default(rules)
    verdicts: list[bool] = []
    for _, board in zip(range(games), _worn(chance, material, rules), strict=False):
        winner = board.turn if tables.probe(board) is Wdl.WIN else board.turn.opponent
        # a man's move or a capture may begin a new count: two plies more are looked at
        expected = _wins(board.copy(), winner, LEFT + 2, {})
        found = tables.is_won_in_time(board)
        if found is True and not expected:
            # beyond minimax's horizon: then the new count must be what won
            distance = tables.distance(board)
            assert distance is not None
            assert distance > LEFT + 2
        else:
            assert found is expected, (board.fen(), board.draw_counts)
        verdicts.append(bool(found))
        if found is True and board.turn is winner:
            move = tables.best_move(board)
            assert move is not None
            board.push(move)
            assert tables.is_won_in_time(board) is True or board.outcome() is not None
    if material in ("KMvK", "KKMvK"):
        assert len(set(verdicts)) == 2, "counts that matter and counts that do not"


def _circle(board: Board, first: Move | None = None) -> bool:
    """Plays two quiet moves of kings, one of each side, and takes both back by the next two, if that can be done."""
    for there in board.legal_moves if first is None else [first]:
        if board[there.from_square] != (king := Piece(board.turn, king=True)) or there.is_capture:
            continue
        board.push(there)
        for reply in board.legal_moves:
            if board[reply.from_square] != Piece(king.color.opponent, king=True) or reply.is_capture:
                continue
            board.push(reply)
            for move in (there, reply):
                back = Move(move.to_square, move.from_square)
                if back not in board.legal_moves:
                    break
                board.push(back)
            else:
                return True
            while board.moves[-1] != reply:
                board.pop()
            board.pop()
        board.pop()
    return False


def _played_out(board: Board, attacker: Color, chance: random.Random, care: float) -> bool:
    """Whether the attacker wins the game against a defender who takes the best move with this probability."""
    tables = Tables.default(board.rules)
    board = board.copy()
    while (outcome := board.outcome()) is None:
        move = tables.best_move(board)
        assert move is not None
        if board.turn is not attacker and chance.random() > care:
            move = chance.choice(board.legal_moves)
        board.push(move)
    return outcome.winner is attacker


def test_a_position_that_must_not_come_a_third_time() -> None:
    """The quickest win may lead where the board has been twice already: then another is played."""
    tables = Tables.default()
    chance = random.Random("third time")
    seen = {True: 0, False: 0}
    for _ in range(6000):
        board = _scattered(chance, chance.choice(["KKMvK", "KKvKM"]), "official")
        ranked = tables.rank(board)
        if not ranked or ranked[0].value is not Wdl.WIN or not _circle(board, ranked[0].move):
            continue
        quickest, *others = board.moves
        for _ in others:
            board.pop()
        game = Board(board.fen())  # begins after the quickest move, comes there once more, and is about to again
        for move in (*others, quickest, *others):
            game.push(move)
        won = tables.is_won_in_time(game, nodes=5000) is True
        seen[won] += 1
        if won:
            assert tables.best_move(game, nodes=5000) != quickest
            for _ in range(3):
                assert _played_out(game, game.turn, chance, chance.random()), (game.fen(), game.moves)
        if seen[True] >= 3:
            break
    assert seen[True] >= 3, seen


def test_fresh_counts_never_cost_a_win() -> None:
    """Under the official rules whatever the tables call won is won in time, if the counts begin with the position."""
    chance = random.Random("fresh")
    tables = Tables.default()
    for material in ("KKMvK", "KMMvK", "KKKvK", "KKvKM", "MMvMM", "KMvMM", "MMMvK"):
        for _ in range(150):
            board = _scattered(chance, material, "official")
            if board.outcome() is None and tables.probe(board) in (Wdl.WIN, Wdl.LOSS):
                assert tables.is_won_in_time(board) is True, board.fen()


def test_the_longest_win_is_just_in_time() -> None:
    """The loser begins, and the thirty-second single move of three pieces against a king is the last."""
    tables = Tables.default()
    board = Board("W:WK44:B1,K6,K11")
    assert (tables.distance(board), tables.is_won_in_time(board)) == (32, True)
    while board.outcome() is None:
        move = tables.best_move(board)
        assert move is not None
        board.push(move)
    assert board.ply == 32
    assert board.outcome() == Board("W:W:B1").outcome()


def test_a_count_that_has_begun() -> None:
    """With four of the 32 single moves gone the quickest way is too long, and another is found that does it."""
    board = Board("W:WK12,K40,50:BK11")
    for text in ("12-1", "11-2", "1-12", "2-11"):
        board.push(text)
    tables = Tables.default()
    assert (tables.distance(board), tables.is_won_in_time(board)) == (31, True)
    chance = random.Random("begun")
    for care in (1.0, 1.0, 0.9, 0.5, 0.0):
        assert _played_out(board, board.turn, chance, care)


@pytest.mark.parametrize(
    "fen", ["B:W16,K45:BK7", "B:WK1,K16:BK7", "B:WK45,50:BK1", "B:WK1,6:BK45", "B:WK1,K11:BK45", "W:WK44:BK35,K50"]
)
def test_the_defence_lets_the_count_run_out(fen: str) -> None:
    """A side that the tables call lost takes the way on which the count comes first."""
    board = Board(fen, Rules("short", repetition=3, two_pieces=2))
    tables = Tables.default(board.rules)
    assert (tables.probe(board), tables.is_won_in_time(board)) == (Wdl.LOSS, False)
    while board.outcome() is None:
        move = tables.best_move(board)
        assert move is not None
        board.push(move)
    assert board.outcome() == Outcome(None, "two_pieces")


@pytest.mark.parametrize(
    "rules", [Rules("strict", repetition=3, king_moves=4, three_pieces=3, two_pieces=2), Rules("leaf", same_move=2)]
)
def test_other_draws(rules: Rules) -> None:
    """Counts that are shorter than the longest wins, and draws that tables cannot foresee."""
    chance = random.Random(rules.name)
    tables = Tables.default(rules)
    verdicts: set[bool | None] = set()
    for _ in range(60):
        board = Board(_scattered(chance, chance.choice(["KKvK", "KMvK", "KKMvK"]), "official").fen(), rules)
        distance = tables.distance(board)
        if board.outcome() is not None or distance is None or distance > 4:
            continue
        winner = board.turn if distance % 2 else board.turn.opponent
        found = tables.is_won_in_time(board, nodes=2000)
        if _wins(board.copy(), winner, 4, {}):
            assert found is not False, board.fen()
        elif rules.name == "strict":
            assert found is not True, board.fen()
        verdicts.add(found)
    assert True in verdicts
