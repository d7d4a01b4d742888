"""Combinations: men are given, more are taken. The opponent has to take, so that the line itself is the proof."""

from __future__ import annotations

import pytest

from damier import Board, Color
from damier.engine import Engine, Limit


def _men_ahead(board: Board, color: Color) -> int:
    """Material, a king counting for three men."""
    worth = {side: len(board.pieces(side, king=False)) + 3 * len(board.pieces(side, king=True)) for side in Color}
    return worth[color] - worth[color.opponent]


@pytest.mark.parametrize(
    ("fen", "shot", "gain"),
    [
        ("W:W22,31,33,38,39,43,44,46,47:B5-9,13,16,20,26", "22-17 26x37 17-11 6x17 38-32 37x28 33x2", 2),
        ("W:W22,25,33,34,36,38,39,42,44:B7,9,12,14,15,19,24,26,28", "42-37 28x17 37-31 26x37 38-32 37x28 33x2", 2),
        ("W:W21,22,26,38,40,42,47,48,50:B6,10,13,18,20,23,25,29,30", "21-17 18x27 38-32 27x38 42x4", 4),
        ("W:W23,31-34,36,38,43,46:B4,8,11-13,17,18,21,22", "43-39 18x40 31-27 22x31 36x9", 2),
        ("W:W21,23,27,32,35,37,40,45,47:B7,8,10,11,16,24-26,30", "23-18 26x17 18-13 8x19 27-22 17x28 32x5", 2),
    ],
)
def test_a_shot_is_found(fen: str, shot: str, gain: int) -> None:
    board = Board(fen)
    before = _men_ahead(board, Color.WHITE)
    result = Engine(hash_mb=4).search(board, Limit(depth=9))
    moves = shot.split()
    assert [str(move) for move in result.pv[: len(moves)]] == moves
    for ply, move in enumerate(result.pv[: len(moves)]):
        if ply % 2 == 1:
            assert all(reply.is_capture for reply in board.legal_moves)
        board.push(move)
    assert _men_ahead(board, Color.WHITE) - before == gain
