"""Levels of strength: quick, varied, reproducible, and each stronger than those far below."""

from __future__ import annotations

import time

import pytest

from damier import Board, Color, EngineError
from damier.engine import LEVELS, Engine, choose

MIDDLE_GAME = "W:W25,27,28,32,33,35,36,37,38,39,43,45,47,48:B7,8,9,11,12,13,14,16,18,19,20,23,24,26"
TIMED = [level.number for level in LEVELS if level.limit.time is not None]


def test_levels_are_numbered_and_the_last_takes_two_seconds() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert LEVELS[-1].limit.time == 2.0
    assert TIMED == [8]


@pytest.mark.parametrize("level", range(1, 8))
def test_a_seed_decides(level: int) -> None:
    engine = Engine(hash_mb=1)
    for board in (Board(), Board(MIDDLE_GAME)):
        assert choose(engine, board, level, seed=3) == choose(engine, board, level, seed=3)


@pytest.mark.parametrize("level", [1, 3, 8])
def test_openings_vary(level: int) -> None:
    engine = Engine(hash_mb=1)
    assert len({choose(engine, Board(), level, seed=seed) for seed in range(12)}) > 1


def test_a_forced_move_is_played_at_once() -> None:
    begin = time.perf_counter()
    board = Board("W:W32,47:B28")
    assert choose(Engine(hash_mb=1), board, 8) == board.legal_moves[0]
    assert time.perf_counter() - begin < 0.5


def test_a_won_game_is_won_at_every_level() -> None:
    engine = Engine(hash_mb=1)
    for level in range(1, 8):
        assert str(choose(engine, Board("W:W33,50:B8,18,28"), level, seed=0)) == "33x2"


def test_unknown_levels_and_finished_games_are_refused() -> None:
    for level in (0, 9):
        with pytest.raises(ValueError, match="1 to 8"):
            choose(Engine(hash_mb=1), Board(), level)
    with pytest.raises(EngineError, match="over"):
        choose(Engine(hash_mb=1), Board("W:W:B1"), 1)


@pytest.mark.parametrize(("weak", "strong"), [(1, 4), (3, 5)])
def test_strength_grows(weak: int, strong: int) -> None:
    engine = Engine(hash_mb=1)
    points = 0.0
    for seed in range(6):
        strong_color = Color.WHITE if seed % 2 else Color.BLACK
        board = Board()
        while (outcome := board.outcome()) is None and board.ply < 200:
            board.push(
                choose(engine, board, strong if board.turn is strong_color else weak, seed=100 * seed + board.ply)
            )
        winner = outcome.winner if outcome else None
        points += 0.5 if winner is None else winner is strong_color
    assert points >= 4.5
