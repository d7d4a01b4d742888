"""The engines of other packages as players of our matches: `damier match damier object:benchmarks/peers.py:DameRs`.

Each keeps a board of its package's own and plays on it what was played, so that it sees repetitions as it likes to.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

import dame
import draughts
from draughts.engines import turbo

from damier import Board, Move
from damier.engine import Limit, Score, SearchResult
from damier.notation.hub import read_move, write_move


class DameRs:
    """dame-rs' engine; its table holds ``hash_mb`` mebibytes."""

    name = "dame-rs"

    def __init__(self, hash_mb: int = 64) -> None:
        self._engine: Any = dame.Engine(hash_mb=hash_mb)
        self._mirror = _Mirror(dame.Board, lambda board, move: board.push(write_move(move)))

    def search(self, board: Board, limit: Limit) -> SearchResult:
        begin = time.monotonic()
        limits = {name: getattr(limit, name) for name in ("time", "nodes", "depth") if getattr(limit, name) is not None}
        found = self._engine.search(self._mirror.of(board), **limits)
        if found.best_move is None:  # its rules call this drawn: without what came before it is not
            found = self._engine.search(dame.Board(board.fen()), **limits)
        best = read_move(board, found.best_move.hub())
        if found.mate is not None and found.mate != 0:
            score = Score.win(2 * found.mate - 1) if found.mate > 0 else Score.loss(-2 * found.mate)
        else:
            score = Score.centi(max(-5_000, min(5_000, round(found.score))))
        return SearchResult(best, score, found.depth, found.nodes, time.monotonic() - begin, (best,))

    def clear(self) -> None:
        self._engine.clear()

    def stop(self) -> None:
        self._engine.stop()


class PyDraughts:
    """py-draughts' quickest engine, which knows limits of time and depth."""

    name = "py-draughts"

    def __init__(self) -> None:
        self.clear()
        self._mirror = _Mirror(draughts.StandardBoard.from_fen, _push)

    def search(self, board: Board, limit: Limit) -> SearchResult:
        begin = time.monotonic()
        self._engine.time_limit, self._engine.depth_limit = limit.time, limit.depth
        peer = self._mirror.of(board)
        score = Score.centi(0)
        if len(peer.legal_moves) > 1:
            move, men = self._engine.get_best_move(peer, with_evaluation=True)
            score = _score(round(100 * men))
        else:
            move = peer.legal_moves[0]
        best = next(each for each in board.legal_moves if _is_same(each, move))
        return SearchResult(
            best, score, self._engine.completed_depth, self._engine.nodes, time.monotonic() - begin, (best,)
        )

    def clear(self) -> None:
        self._engine: Any = draughts.TurboEngine(depth_limit=None)


class _Make(Protocol):
    def __call__(self, fen: str, /) -> Any: ...


class _Push(Protocol):
    def __call__(self, board: Any, move: Move, /) -> object: ...


class _Mirror:
    """Another package's board that follows ours."""

    def __init__(self, make: _Make, push: _Push) -> None:
        self._make, self._push = make, push
        self._board: Any = None
        self._start = ""
        self._moves: tuple[Move, ...] = ()

    def of(self, board: Board) -> Any:
        moves = board.moves
        if self._start != board.start_fen or self._moves != moves[: len(self._moves)]:
            self._start, self._moves = board.start_fen, ()
            self._board = self._make(self._start)
        for move in moves[len(self._moves) :]:
            self._push(self._board, move)
        self._moves = moves
        return self._board


def _push(board: Any, move: Move) -> None:
    board.push(next(each for each in board.legal_moves if _is_same(move, each)))


def _is_same(ours: Move, theirs: Any) -> bool:
    squares = theirs.square_list
    return (ours.from_square, ours.to_square) == (squares[0] + 1, squares[-1] + 1) and ours.captured == tuple(
        sorted(square + 1 for square in theirs.captured_list)
    )


def _score(value: int) -> Score:
    if abs(value) > turbo.MATE - 256:
        plies = turbo.MATE - abs(value)
        return Score.win(max(1, plies)) if value > 0 else Score.loss(max(0, plies))
    return Score.centi(max(-5_000, min(5_000, value)))
