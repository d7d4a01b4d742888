"""The board element by itself, on the front page, where no game tells it what to show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from damier import Board

from .conftest import Visit

pytestmark = pytest.mark.browser

PLAY_ALL = """
async ([fen, moves]) => {
  const board = document.querySelector("draughts-board");
  board.position = fen;
  await Promise.all(moves.map(([move, after]) => board.play(move, after)));
}
"""


def play_all(me: Visit, fen: str, texts: tuple[str, ...]) -> Board:
    """Gives the element these moves at once, each while the one before is still being shown."""
    board = Board(fen)
    moves: list[tuple[object, str]] = []
    for text in texts:
        move = board.push(text)
        shown = {"from": move.from_square, "to": move.to_square, "captured": move.captured, "paths": move.paths}
        moves.append((shown, board.fen()))
    me.page.goto("/")
    me.page.evaluate(PLAY_ALL, [fen, moves])
    return board


def visible(me: Visit) -> set[int]:
    """The squares on which a piece is seen."""
    return {
        square
        for square in range(1, 51)
        if me.piece(square)
        and float(me.square(square).locator("svg").evaluate("svg => getComputedStyle(svg).opacity")) == 1
    }


def test_an_answer_that_lands_where_a_piece_was_taken_stays_on_the_board(visit: Callable[..., Visit]) -> None:
    me = visit()
    board = play_all(me, "W:W40,50:B5,15,24,34", ("40x20", "15x24"))
    assert visible(me) == set(board.pieces()) == {5, 24, 50}


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_moves_that_follow_each_other_fast_all_arrive(visit: Callable[..., Visit], motion: str) -> None:
    me = visit(reduced_motion=motion)
    board = play_all(me, Board().fen(), ("32-28", "19-23", "28x19", "14x23", "33-28", "23x32", "37x28"))
    assert visible(me) == set(board.pieces())
