"""The board as text, from both sides."""

from __future__ import annotations

import pytest

from damier import Board, Color
from damier.draw.text import board_text

FEN = "W:W31,32,K50:B1,K20"


def test_from_white() -> None:
    assert board_text(Board(FEN)).splitlines() == [
        "  b   .   .   .   .",
        ".   .   .   .   .",
        "  .   .   .   .   .",
        ".   .   .   .   B",
        "  .   .   .   .   .",
        ".   .   .   .   .",
        "  w   w   .   .   .",
        ".   .   .   .   .",
        "  .   .   .   .   .",
        ".   .   .   .   W",
    ]
    assert str(Board(FEN)) == board_text(Board(FEN))


@pytest.mark.parametrize("orientation", ["black", Color.BLACK])
def test_from_black(orientation: Color) -> None:
    turned = board_text(Board(FEN), orientation=orientation, numbers=True).splitlines()
    assert turned[0] == "50     W   .   .   .   .   46"
    assert turned[-1] == " 5   .   .   .   .   b      1"
    plain = board_text(Board(FEN), numbers=True).splitlines()
    assert turned[3][5:24] == plain[6][5:24][::-1]


def test_discs() -> None:
    text = board_text(Board(FEN), discs=True)
    assert [text.count(sign) for sign in "⛀⛁⛂⛃"] == [2, 1, 1, 1]


def test_orientation_is_checked() -> None:
    with pytest.raises(ValueError, match='orientation is "white" or "black", not \'north\''):
        board_text(Board(), orientation="north")  # pyright: ignore[reportArgumentType]
