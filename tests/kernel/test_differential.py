"""The kernel against the second generator, on positions by chance: the same moves, none missing and none twice."""

from __future__ import annotations

import os
import random
import time

import pytest

from damier._kernel import BoardBase
from tests import mailbox

CHUNKS, POSITIONS = 20, 5_000  # 100,000 positions, each under both capture rules
BOTH_RULES = (False, True)  # crowned at the end of a capture, or in passing
NO_DRAWS = (0,) * 6


def _put(board: mailbox.Board, letter: str, squares: list[int], kings: float, chance: random.Random) -> None:
    for square in squares:
        crowned = square in mailbox.FAR_ROW[letter] or chance.random() < kings
        board[square] = letter.upper() if crowned else letter


def _scattered(chance: random.Random) -> mailbox.Board:
    """Any number of pieces a side from one to twenty, from all men to all kings."""
    squares = chance.sample(range(1, 51), 50)
    few = chance.random() < 0.3
    counts = [chance.randint(1, 5 if few else 20) for _ in "wb"]
    board = ["."] * 51
    _put(board, "w", squares[: counts[0]], chance.choice((0.0, 0.2, 0.5, 1.0)), chance)
    _put(board, "b", squares[50 - counts[1] :], chance.choice((0.0, 0.2, 0.5, 1.0)), chance)
    return board


def _spaced(chance: random.Random) -> mailbox.Board:
    """Few against many that stand apart with room behind them, so that captures are long and go many ways."""
    many, few = chance.sample("wb", 2)
    free = chance.sample(range(1, 51), 50)
    apart: list[int] = []
    for square in free:
        beside = {ray[0] for ray in mailbox.RAYS[square] if ray}
        if len(beside) == 4 and len(apart) < 20 and (not beside & set(apart) or chance.random() < 0.05):
            apart.append(square)
    rest = [square for square in free if square not in apart]
    board = ["."] * 51
    _put(board, many, apart, chance.choice((0.0, 0.3)), chance)
    _put(board, few, rest[: chance.randint(1, 4)], chance.choice((0.0, 0.5, 1.0)), chance)
    return board


def _fen(board: mailbox.Board, turn: str) -> str:
    sides = []
    for letter in "wb":
        held = (square for square in range(1, 51) if board[square].lower() == letter)
        sides.append(letter.upper() + ",".join(("K" if board[s].isupper() else "") + str(s) for s in held))
    return f"{turn.upper()}:{':'.join(sides)}"


def _mask(board: mailbox.Board, pieces: str) -> int:
    return sum(1 << (square - 1) for square in range(1, 51) if board[square] in pieces)


def _compare(board: mailbox.Board, turn: str, in_passing: bool) -> set[mailbox.Move]:
    expected = mailbox.legal_moves(board, turn, in_passing)
    white, black, kings = _mask(board, "wW"), _mask(board, "bB"), _mask(board, "WB")
    kernel = BoardBase(white, black, kings, turn == "b", in_passing, *NO_DRAWS)
    found = [(move.from_square, move.to_square, move.captured, move.crowned) for move in kernel.legal_moves]
    assert sorted(found) == sorted(expected), f"{_fen(board, turn)}, {in_passing=}"
    return expected


def _compare_many(seed: str, positions: int) -> None:
    chance = random.Random(seed)
    for count in range(positions):
        board = (_scattered if count % 3 else _spaced)(chance)
        turn = chance.choice("wb")
        for in_passing in BOTH_RULES:
            _compare(board, turn, in_passing)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_positions(chunk: int) -> None:
    _compare_many(f"positions {chunk}", POSITIONS)


@pytest.mark.parametrize("in_passing", BOTH_RULES)
def test_random_games(in_passing: bool) -> None:
    chance = random.Random(f"games {in_passing}")
    for _ in range(30):
        board, turn = ["."] * 51, "w"
        board[1:21], board[31:51] = "b" * 20, "w" * 20
        for _ in range(200):
            moves = _compare(board, turn, in_passing)
            if not moves:
                break
            board = mailbox.play(board, chance.choice(sorted(moves)))
            turn = "wb"[turn == "w"]


def test_second_generator_counts_right() -> None:
    """The judge is judged too: perft figures that no part of the kernel has had a hand in."""
    board = ["."] * 51
    board[1:21], board[31:51] = "b" * 20, "w" * 20
    assert [mailbox.perft(board, "w", depth, False) for depth in range(1, 6)] == [9, 81, 658, 4265, 27117]
    kings = ["."] * 51
    kings[1:21], kings[31:51] = "B" * 20, "W" * 20
    assert [mailbox.perft(kings, "w", depth, False) for depth in range(1, 5)] == [17, 79, 352, 1399]
    promoting = ["."] * 51
    promoting[6:11], promoting[41:46] = "w" * 5, "b" * 5
    assert [mailbox.perft(promoting, "w", depth, False) for depth in range(1, 5)] == [9, 81, 795, 7578]


@pytest.mark.long
@pytest.mark.parametrize("worker", range(os.cpu_count() or 1))
def test_fuzz(worker: int) -> None:
    seed = os.environ.get("DAMIER_FUZZ_SEED") or random.SystemRandom().getrandbits(32)
    until = time.monotonic() + 60 * float(os.environ.get("DAMIER_FUZZ_MINUTES", "10"))
    rounds = 0
    while time.monotonic() < until:
        _compare_many(f"{seed} {worker} {rounds}", 1_000)
        rounds += 1
    assert rounds > 0, "no time to compare anything"
