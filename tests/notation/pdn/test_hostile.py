"""Texts that are made to break a reader, or are no games at all: read in time that grows with their length alone."""

from __future__ import annotations

import io
import time
import tracemalloc

import pytest

from damier.notation.pdn import BadPdn, Visitor, loads, scan, write
from damier.notation.pdn.tokens import Window
from tests.notation.pdn.test_tree import nested

SIGNS = (*'(){}[]"\\;$!?.*0x-:%/', "\n", " ", "a", "½", "1 ")
PIECES = (
    *('{\n[A "b"]', '}\n[A "b"]', '[A "b', '[A "b"\n', "[A b\n", "[A b]\n", "[A b", '[A "b"]\n'),
    *(
        '/FEN "',
        '/FEN ""/',
        "/FEN ",
        "a1x",
        "a1-",
        "46x",
        "46  ",
        "(1. 33-28 99-98 ",
        "(1. 33-28) ",
        "(!",
        "{{}",
        "- - ",
    ),
)
SLOW = 15.0
"""Seconds for what takes about one on a quiet machine, and many minutes if the time grows with the square."""


class Waste(io.StringIO):
    """A text over and over again, made while it is read."""

    def __init__(self, piece: str, length: int) -> None:
        super().__init__()
        self.piece = piece * (60_000 // len(piece))
        self.left = length

    def read(self, size: int | None = -1, /) -> str:
        self.left -= len(self.piece)
        return self.piece if self.left > 0 else ""


class Errors(Visitor):
    def __init__(self) -> None:
        self.codes: list[str] = []

    def error(self, error: BadPdn) -> None:
        self.codes.append(error.code)


def seconds(text: str) -> float:
    begin = time.perf_counter()
    scan(io.StringIO(text), Visitor())
    return time.perf_counter() - begin


@pytest.mark.parametrize("piece", [*SIGNS, *(sign + "\n" for sign in SIGNS), *PIECES])
def test_one_thing_over_and_over_is_read_in_time(piece: str) -> None:
    for before in ("", "1. 32-28 "):
        assert seconds(before + piece * (60_000 // len(piece))) < SLOW


@pytest.mark.parametrize("first", SIGNS)
def test_pairs_of_signs_are_read_in_time(first: str) -> None:
    taken = 0.0
    for second in SIGNS:
        taken += seconds("1. 32-28 " + (first + second) * 3_000)
    assert taken < 2 * SLOW


@pytest.mark.parametrize("piece", ["[", ")", "(", '[A "b', "[A b\n", '{\n[A "b"]', '}\n[A "b"]', "} ", '[A "b"]\n'])
def test_no_part_of_a_text_is_searched_again_and_again(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = 0
    find, place = Window.find, Window.place

    def counted_find(window: Window, what: str, start: int, limit: int) -> int:
        nonlocal searched
        begin, end = window._without.get(what, (0, 0))
        known = end if begin <= window._dropped + start <= end else window._dropped + start
        found = find(window, what, start, limit)
        searched += window._without[what][1] - known
        return found

    def counted_place(window: Window, pos: int) -> tuple[int, int]:
        nonlocal searched
        searched += pos - (window._last_place[0] if window._last_place[0] <= pos else 0)
        return place(window, pos)

    monkeypatch.setattr(Window, "find", counted_find)
    monkeypatch.setattr(Window, "place", counted_place)
    text = piece * (300_000 // len(piece))
    scan(io.StringIO(text), Visitor())
    assert searched < 8 * len(text)


@pytest.mark.parametrize("piece", [") ", "[A b\n", '/FEN "x"/ ', "(1. 33-28 99-98) "])
def test_of_very_many_errors_in_a_game_a_hundred_are_told(piece: str) -> None:
    errors = Errors()
    assert scan(Waste(piece, 130_000), errors) == 1
    assert len(errors.codes) == 101
    assert errors.codes[-1] == "more_faults"
    assert "more_faults" not in errors.codes[:-1]
    with pytest.raises(BadPdn):
        scan(Waste(piece, 100_000), Visitor(), strict=True)


@pytest.mark.parametrize("piece", [") ", "} ", "[", "[A b\n", "x", '}\n[A "b"]', "( ", "(1. 33-28 99-98) "])
def test_memory_stays_flat_whatever_is_wrong(piece: str) -> None:
    tracemalloc.start()
    try:
        scan(Waste(piece, 130_000), Visitor())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


def test_the_text_of_an_error_is_bounded() -> None:
    for text in ("1. 32-28 [" + "x" * 100_000, "[A " + "x" * 100_000, "1. 32-28 " + "x" * 100_000):
        [game] = loads(text)
        assert 0 < len(game.errors[0].token) <= 1_024


def test_variations_nested_ten_thousand_deep_are_read_and_written() -> None:
    game = nested(10_000)
    text = write(game)
    [again] = loads(text, rules="classic")
    assert again.errors == []
    assert write(again) == text


def test_looking_ahead_again_and_again_has_an_end() -> None:
    # Each of these captures can only be decided by what follows after all the variations in it.
    deep = 3_000
    text = '[FEN "W:WK47:B14,19,29,31,42"] ' + "47x36 (" * deep + "47x36 14-20" + ") 14-20" * deep
    begin = time.perf_counter()
    [game] = loads(text)
    assert time.perf_counter() - begin < 2 * SLOW
    assert {error.code for error in game.errors} <= {"ambiguous"}


def test_tags_after_a_blank_line_begin_a_game_wherever_the_pieces_of_the_file_end() -> None:
    text = '[White "A"]\n\n\n[White "B"]\n\n\n'
    for length in range(1, len(text)):

        class Pieces(io.StringIO):
            def read(self, size: int | None = -1, /, length: int = length) -> str:
                return super().read(length)

        padded = "%" + "x" * 2_000 + "\n" + text
        assert scan(Pieces(padded), Visitor()) == 2


def test_padded_moves_without_end_are_read_in_time() -> None:
    kings = '[FEN "W:WK46:BK1"] ' + "46-41  1- 7 41-46  7- 1 " * 2_000
    [game] = loads(kings)
    assert game.end().ply == 8_000


def test_text_without_blanks_or_line_ends_is_read_in_time() -> None:
    [game] = loads("1. 32-28 " + "x" * 1_000_000 + " 19-23 2-0")
    assert ([error.code for error in game.errors], game.result) == (["unreadable"], "2-0")
    assert loads("[" * 50_000)[0].errors
    assert loads("(" * 50_000)[0].errors
