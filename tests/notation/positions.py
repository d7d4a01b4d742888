"""Positions made up by Hypothesis: any pieces on any squares where they may stand, and games played at random."""

from __future__ import annotations

from hypothesis import strategies as st

from damier import Board

__all__ = ["boards", "played_boards"]

_PIECES = (None, None, None, "W", "B", "WK", "BK")


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """A position with up to 20 pieces a side, none of the men on its far row."""
    lists: dict[str, list[str]] = {"W": [], "B": []}
    for square, piece in enumerate(draw(st.lists(st.sampled_from(_PIECES), max_size=50)), start=1):
        if piece is None or len(lists[piece[0]]) == 20:
            continue
        is_far = square <= 5 if piece[0] == "W" else square >= 46
        lists[piece[0]].append(f"K{square}" if is_far or piece.endswith("K") else str(square))
    turn = draw(st.sampled_from("WB"))
    return Board(f"{turn}:W{','.join(lists['W'])}:B{','.join(lists['B'])}")


@st.composite
def played_boards(draw: st.DrawFn) -> Board:
    """The start position after some legal moves."""
    board = Board()
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=60)):
        moves = board.legal_moves
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    return board
