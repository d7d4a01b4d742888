"""How a search behaves: its limits, its end, its errors."""

from __future__ import annotations

import random
import signal
import threading
import time

import pytest

from damier import Board, EngineError
from damier.engine import Engine, Limit, SearchResult

MIDDLE_GAME = "W:W25,27,28,32,33,35,36,37,38,39,43,45,47,48:B7,8,9,11,12,13,14,16,18,19,20,23,24,26"
MANY_KINGS = "W:WK1,K3,K7,K26,K36,K46,K47,33:BK5,K15,K25,K50,K49,K48,18"
LONG = Limit(time=60)
PROMPT = 0.1  # seconds; the engine means to stop within 0.02, the rest is for a busy machine


@pytest.mark.parametrize("rules", ["official", "leaflet", "classic", "club"])
def test_whole_games_are_legal(rules: str) -> None:
    engine = Engine(hash_mb=1)
    board = Board(rules=rules)
    chance = random.Random(5)
    while board.outcome() is None and board.ply < 160:
        result = engine.search(board, Limit(nodes=300))
        assert result.best == result.pv[0]
        ahead = board.copy()
        for move in result.pv:
            ahead.push(move)  # raises if it is illegal
        board.push(result.best if board.ply > 8 else chance.choice(board.legal_moves))


@pytest.mark.parametrize("fen", [MIDDLE_GAME, MANY_KINGS])
def test_nodes_and_depth_decide_alone(fen: str) -> None:
    def found(limit: Limit) -> tuple[object, ...]:
        result = Engine(hash_mb=1).search(Board(fen), limit)
        return result.best, result.score, result.depth, result.nodes, result.pv

    assert found(Limit(nodes=20_000)) == found(Limit(nodes=20_000))
    assert found(Limit(depth=6)) == found(Limit(depth=6))


def test_a_cleared_engine_is_a_new_one() -> None:
    used = Engine(hash_mb=1)
    first = used.search(Board(MIDDLE_GAME), Limit(nodes=30_000))
    used.search(Board(MANY_KINGS), Limit(nodes=30_000))
    used.clear()
    again = used.search(Board(MIDDLE_GAME), Limit(nodes=30_000))
    assert (again.pv, again.score, again.depth) == (first.pv, first.score, first.depth)


def test_nodes_are_counted_to_the_last() -> None:
    assert Engine(hash_mb=1).search(Board(MIDDLE_GAME), Limit(nodes=12_345)).nodes == 12_345
    assert Engine(hash_mb=1).search(Board(), Limit(nodes=1)).best in Board().legal_moves


def test_time_is_kept() -> None:
    begin = time.perf_counter()
    result = Engine(hash_mb=1).search(Board(MIDDLE_GAME), Limit(time=0.2))
    assert 0.15 < result.time <= time.perf_counter() - begin < 0.2 + PROMPT


@pytest.mark.parametrize("fen", [MIDDLE_GAME, MANY_KINGS])
def test_stop_is_prompt(fen: str) -> None:
    engine = Engine(hash_mb=1)
    results: list[SearchResult] = []
    search = threading.Thread(target=lambda: results.append(engine.search(Board(fen), LONG)))
    search.start()
    time.sleep(0.1)
    begin = time.perf_counter()
    engine.stop()
    search.join()
    assert time.perf_counter() - begin < PROMPT
    assert results[0].best in Board(fen).legal_moves
    assert results[0].depth >= 1


def test_other_threads_run_during_a_search() -> None:
    engine = Engine(hash_mb=1)
    search = threading.Thread(target=engine.search, args=(Board(MIDDLE_GAME), LONG))
    search.start()
    turns = sum(1 for _ in range(1000))
    engine.stop()
    search.join()
    assert turns == 1000


def test_each_depth_is_reported() -> None:
    reports: list[SearchResult] = []
    result = Engine(hash_mb=1).search(Board(MIDDLE_GAME), Limit(depth=6), reports.append)
    assert [report.depth for report in reports] == [1, 2, 3, 4, 5, 6]
    assert [report.nodes for report in reports] == sorted(report.nodes for report in reports)
    assert (reports[-1].score, reports[-1].pv) == (result.score, result.pv)


def test_an_error_of_the_callback_comes_out() -> None:
    def fail(info: SearchResult) -> None:
        raise LookupError(info.depth)

    engine = Engine(hash_mb=1)
    with pytest.raises(LookupError, match="1"):
        engine.search(Board(), LONG, fail)
    assert engine.search(Board(), Limit(depth=2)).depth == 2


def test_the_callback_can_stop() -> None:
    engine = Engine(hash_mb=1)
    result = engine.search(Board(MIDDLE_GAME), LONG, lambda info: engine.stop() if info.depth == 4 else None)
    assert result.depth == 4


def test_one_search_at_a_time() -> None:
    engine = Engine(hash_mb=1)
    refused: list[str] = []

    def again(_: SearchResult) -> None:
        for use in (lambda: engine.search(Board(), Limit(depth=1)), engine.clear):
            with pytest.raises(EngineError) as caught:
                use()
            refused.append(str(caught.value))

    engine.search(Board(), Limit(depth=1), again)
    assert len(refused) == 2
    assert "already" in refused[0]


@pytest.mark.parametrize("fen", ["W:W:B1", "W:W50:B45,44,39"])
def test_a_finished_game_is_refused(fen: str) -> None:
    for use in (Engine(hash_mb=1).search, Engine(hash_mb=1).rate):
        with pytest.raises(EngineError, match="over"):
            use(Board(fen), Limit(depth=1))


def test_the_board_is_free_during_a_search() -> None:
    board = Board()
    result = Engine(hash_mb=1).search(board, Limit(depth=5), lambda _: board.push(board.legal_moves[0]))
    assert board.ply == 5
    assert result.best in Board().legal_moves


def test_ctrl_c_ends_a_search() -> None:
    # Event loops of other tests in this process may have put a handler of their own in its place.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begin = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            Engine(hash_mb=1).search(Board(MIDDLE_GAME), LONG)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - begin < 0.2 + 5 * PROMPT


def test_a_full_memory_does_not_mislead() -> None:
    """A table that is written over and over changes what is remembered, never what is proven."""
    engine = Engine(hash_mb=1)
    engine.search(Board(MIDDLE_GAME), Limit(nodes=300_000))
    assert engine.search(Board("W:W21,43,40:B14,29"), Limit(depth=20)).score.wins


def test_rule_sets_share_no_memory() -> None:
    """Crown and continue: the same position is worth something else, whatever was searched before."""
    engine = Engine(hash_mb=1)
    fen = "W:W12:B7,K8"
    scores = {
        rules: Engine(hash_mb=1).search(Board(fen, rules), Limit(depth=6)).score for rules in ("official", "club")
    }
    for rules in ("official", "club", "official"):
        assert engine.search(Board(fen, rules), Limit(depth=6)).score == scores[rules]


def test_a_repetition_is_seen_as_a_draw() -> None:
    """A lone king that can only go to and fro holds; the stronger side is not told that it wins."""
    board = Board("W:WK46:B20,K5,K10")
    result = Engine(hash_mb=2).search(board, Limit(depth=10))
    assert result.score.win_in is None


def test_every_move_is_rated() -> None:
    board = Board(MIDDLE_GAME)
    rated = Engine(hash_mb=1).rate(board, Limit(depth=5))
    assert {move for move, _ in rated} == set(board.legal_moves)
    assert [score for _, score in rated] == sorted((score for _, score in rated), reverse=True)
    assert Engine(hash_mb=1).rate(board, Limit(nodes=1)) == []


@pytest.mark.parametrize("size", [0, -1, 65537])
def test_an_impossible_memory_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="hash_mb"):
        Engine(hash_mb=size)
