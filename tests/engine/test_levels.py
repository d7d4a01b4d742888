"""Levels of strength: quick, varied, reproducible, human in what they overlook, and each stronger than those below."""

from __future__ import annotations

import time

import pytest

from damier import Board, Color, EngineError
from damier.engine import LEVELS, Engine, Limit, choose, pace
from damier.rules import CLASSIC, CLUB, LEAFLET, OFFICIAL, Rules

MIDDLE_GAME = "W:W25,27,28,32,33,35,36,37,38,39,43,45,47,48:B7,8,9,11,12,13,14,16,18,19,20,23,24,26"
NUMBERS = [level.number for level in LEVELS]
TIMED = [level.number for level in LEVELS if level.limit.time is not None]
SHOTS = [
    ("W:W22,31,33,38,39,43,44,46,47:B5-9,13,16,20,26", "22-17"),
    ("W:W22,25,33,34,36,38,39,42,44:B7,9,12,14,15,19,24,26,28", "42-37"),
    ("W:W21,22,26,38,40,42,47,48,50:B6,10,13,18,20,23,25,29,30", "21-17"),
    ("W:W23,31-34,36,38,43,46:B4,8,11-13,17,18,21,22", "43-39"),
    ("W:W21,23,27,32,35,37,40,45,47:B7,8,10,11,16,24-26,30", "23-18"),
]


def test_levels_are_numbered_and_the_last_takes_two_seconds() -> None:
    assert [level.number for level in LEVELS] == list(range(1, 11))
    assert LEVELS[-1].limit.time == 2.0
    assert TIMED == [10]
    ratings = [level.rating for level in LEVELS]
    assert ratings[0] == 1000
    assert ratings == sorted(set(ratings))


@pytest.mark.parametrize("level", range(1, 9))
def test_a_seed_decides(level: int) -> None:
    engine = Engine(hash_mb=1)
    for board in (Board(), Board(MIDDLE_GAME)):
        assert choose(engine, board, level, seed=3) == choose(engine, board, level, seed=3)


@pytest.mark.parametrize("level", [1, 3, 10])
def test_openings_vary(level: int) -> None:
    engine = Engine(hash_mb=1)
    assert len({choose(engine, Board(), level, seed=seed) for seed in range(12)}) > 1


def test_a_forced_move_is_played_at_once() -> None:
    begin = time.perf_counter()
    board = Board("W:W32,47:B28")
    assert choose(Engine(hash_mb=1), board, 10) == board.legal_moves[0]
    assert time.perf_counter() - begin < 0.5


def test_a_won_game_is_won_at_every_level() -> None:
    engine = Engine(hash_mb=1)
    for level in range(1, 10):
        assert str(choose(engine, Board("W:W33,50:B8,18,28"), level, seed=0)) == "33x2"


def test_unknown_levels_and_finished_games_are_refused() -> None:
    for level in (0, 11):
        with pytest.raises(ValueError, match="1 to 10"):
            choose(Engine(hash_mb=1), Board(), level)
        with pytest.raises(ValueError, match="1 to 10"):
            pace(level, Board())
    with pytest.raises(EngineError, match="over"):
        choose(Engine(hash_mb=1), Board("W:W:B1"), 1)


@pytest.mark.parametrize("rules", [OFFICIAL, CLUB, LEAFLET, CLASSIC], ids=lambda rules: rules.name)
@pytest.mark.parametrize("level", NUMBERS)
def test_moves_are_legal_and_within_the_clock(rules: Rules, level: int) -> None:
    engine = Engine(hash_mb=1)
    for seconds in (0.01, 0.1):
        clock = Limit(time=seconds)
        for fen in (Board().fen(), MIDDLE_GAME, "W:WK3,K47:BK5,12,45"):
            board = Board(fen, rules)
            begin = time.thread_time()  # the machine may be busy with others
            assert choose(engine, board, level, seed=1, clock=clock) in board.legal_moves
            assert time.thread_time() - begin < seconds + 0.1


def test_the_strongest_takes_what_the_clock_allows() -> None:
    engine = Engine(hash_mb=1)
    board = Board()
    while board.ply < 8:  # the opening is behind
        board.push(board.legal_moves[0])
    begin = time.thread_time()
    choose(engine, board, 10, clock=Limit.clock(3))
    assert time.thread_time() - begin < 0.9


def _points(strong: int, weak: int, games: int) -> float:
    """What the stronger level scores, by seeds that make every game another."""
    engine = Engine(hash_mb=1)
    points = 0.0
    for seed in range(games):
        strong_color = Color.WHITE if seed % 2 else Color.BLACK
        board = Board()
        while (outcome := board.outcome()) is None and board.ply < 160:
            level = strong if board.turn is strong_color else weak
            board.push(choose(engine, board, level, seed=1000 * seed + board.ply))
        winner = outcome.winner if outcome else None
        points += 0.5 if winner is None else winner is strong_color
    return points


@pytest.mark.parametrize(("weak", "games"), [(1, 6), (2, 6), (3, 6), (4, 6), (5, 4), (6, 2)])
def test_strength_grows(weak: int, games: int) -> None:
    assert _points(weak + 2, weak, games) >= 0.7 * games


def test_weak_levels_overlook_deep_shots_that_strong_ones_see() -> None:
    engine = Engine(hash_mb=4)

    def seen(level: int, seeds: int) -> float:
        """The share of the shots that are found; now and then one is played without being seen."""
        found = [
            str(choose(engine, Board(fen, OFFICIAL), level, seed=seed)) == shot
            for fen, shot in SHOTS
            for seed in range(seeds)
        ]
        return sum(found) / len(found)

    assert max(seen(level, 10) for level in (1, 2, 3)) < 0.4
    assert seen(9, 1) >= 0.8  # among the first moves of a game it varies its play


# --- How long a person would take ------------------------------------------------------------------------------------


def test_the_pace_is_decided_by_the_seed() -> None:
    assert pace(5, Board(), seed=4) == pace(5, Board(), seed=4)
    assert len({pace(5, Board(), seed=seed) for seed in range(20)}) == 20


@pytest.mark.parametrize("fen", [Board().fen(), MIDDLE_GAME, "W:WK3,K47:BK5,12,45", "W:W32,47:B28"])
def test_the_pace_is_bounded_by_the_clock_and_grows_with_it(fen: str) -> None:
    board = Board(fen)
    for level in NUMBERS:
        before = 0.0
        for left in (0.0, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600):
            clock = Limit.clock(left, 0.1)
            assert clock.aim is not None
            spent = pace(level, board, clock, seed=7)
            assert before <= spent <= clock.aim
            before = spent
        assert before == pace(level, board, seed=7) <= 4


def test_the_pace_grows_with_the_level_and_the_choice() -> None:
    for seed in range(5):
        paces = [pace(level, Board(), seed=seed) for level in NUMBERS]
        assert paces == sorted(set(paces))
        assert pace(10, Board("W:W32,47:B28"), seed=seed) < 0.6 < pace(1, Board(), seed=seed)
