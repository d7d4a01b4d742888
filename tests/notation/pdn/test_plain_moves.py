"""The kernel's way through plain moves: it plays what is certain and leaves everything else where it stands."""

from __future__ import annotations

import random

import pytest

from damier import Board, Move
from damier.notation.pdn import loads


@pytest.mark.parametrize(
    ("text", "is_whole", "read", "ply"),
    [
        ("1. 32-28 19-23 2. 28x19 14x23 ", False, 29, 4),
        ("1.32-28 1...19-23", True, 17, 2),
        ("1.32-28 19-23", False, 7, 1),  # 19-23 may go on, as a capture's way does
        ("1. 32-28 2-0", True, 8, 1),
        ("1. 32-28 1-1", True, 8, 1),
        ("32x28 ", True, 0, 0),  # takes nothing
        ("32-28x19 ", True, 0, 0),
        ("32-28 x19", True, 0, 0),
        ("33-29 17-22 39-33 11-17 44-39 6-11 50-44 1- 6 ", True, 45, 8),
        ("032-28 ", True, 0, 0),
        ("32-51 ", True, 0, 0),
        ("32-28-", True, 0, 0),
        ("1..32-28 ", True, 0, 0),
        ("", True, 0, 0),
        (" \n\t", True, 0, 0),
        ("12345. 32-28", True, 0, 0),
    ],
)
def test_it_stops_before_what_is_not_certain(text: str, is_whole: bool, read: int, ply: int) -> None:
    board = Board()
    assert board._play(text, is_whole) == read
    assert board.ply == ply


def test_a_capture_that_several_moves_fit_is_left() -> None:
    board = Board("W:WK47:B14,19,29,31,42")
    assert board._play("47x36 ", True) == 0


def test_moves_are_told_before_they_are_played() -> None:
    told: list[tuple[int, str, str]] = []

    def tell(board: Board, move: Move, text: str) -> None:
        told.append((board.ply, str(move), text))

    board = Board()
    board._play("1. 32-28 19- 23 2. 28x19 ", True, tell)
    assert told == [(0, "32-28", "32-28"), (1, "19-23", "19-23"), (2, "28x19", "28x19")]


def test_who_is_told_may_raise_and_may_not_play() -> None:
    def refuse(board: Board, move: Move, text: str) -> None:
        raise KeyError(text)

    def meddle(board: Board, move: Move, text: str) -> None:
        board.push("33-28")

    board = Board()
    with pytest.raises(KeyError):
        board._play("32-28 ", True, refuse)
    assert board.ply == 0
    with pytest.raises(ValueError, match="changed"):
        board._play("32-28 ", True, meddle)
    with pytest.raises(ValueError, match="ASCII"):
        board._play("32–28 ", True)


def test_random_games_read_the_same_plainly_and_otherwise() -> None:
    chance = random.Random(7)
    for _ in range(60):
        board = Board()
        texts: list[str] = []
        while board.legal_moves and board.ply < 120:
            move = chance.choice(board.legal_moves)
            texts.append(board.notation(move))
            board.push(move)
        plain, dashed = (loads(" ".join(each)) for each in (texts, [text.replace("-", "–") for text in texts]))
        for [game] in (plain, dashed):
            assert not game.errors
            assert game.end().board().fen() == board.fen()
