"""The fast way through plainly written FENs says what the reader of all FENs says, or leaves the text to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import BadFen, Color
from damier.notation.fen import plain_masks, read_fen

pieces = st.lists(st.tuples(st.booleans(), st.integers(0, 52)), min_size=1, max_size=22)


def listed(side: list[tuple[bool, int]]) -> str:
    return ",".join(f"{'K' if king else ''}{square}" for king, square in side)


def mask(*squares: tuple[int, ...]) -> int:
    return sum(1 << (square - 1) for some in squares for square in some)


@given(st.sampled_from("WB"), pieces, pieces, st.sampled_from(["", "."]))
def test_it_says_what_the_reader_says_or_nothing(
    side: str, white: list[tuple[bool, int]], black: list[tuple[bool, int]], end: str
) -> None:
    text = f"{side}:W{listed(white)}:B{listed(black)}{end}"
    fast = plain_masks(text)
    try:
        setup = read_fen(text)
    except BadFen:
        assert fast is None
        return
    assert fast == (
        mask(setup.white_men, setup.white_kings),
        mask(setup.black_men, setup.black_kings),
        mask(setup.white_kings, setup.black_kings),
        setup.turn is Color.BLACK,
    )


@pytest.mark.parametrize("text", ["W:W31-33:B1", "W:B1:W31", "w:w31:b1", "W:W031:B1", "W:W31:B", "", "W:W31:B1:H0:F1"])
def test_what_is_not_plain_is_left_to_the_reader(text: str) -> None:
    assert plain_masks(text) is None
