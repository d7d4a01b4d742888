"""FEN: each form that people and programs write, each error by its name and place, and the writer's stable form."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import BadFen, Color
from damier.notation.fen import MAX_LENGTH, Setup, read_fen, write_fen

if TYPE_CHECKING:
    from random import Random

START = Setup(Color.WHITE, tuple(range(31, 51)), (), tuple(range(1, 21)), ())
SMALL = Setup(Color.WHITE, (31, 32), (5,), (9,), (20, 47))

# Each row of the table of forms in the notation facts, and what people write besides.
FORMS = {
    "as written by us": "W:WK5,31,32:B9,K20,K47",
    "Black's list first": "W:B9,K20,K47:WK5,31,32",
    "several lists of one colour": "W:W31:B9:W32:BK20:WK5:BK47",
    "unordered": "W:W32,K5,31:BK47,9,K20",
    "ranges": "W:W31-32,K5:B9-9,K20,K47",
    "K ranges": "W:W31,32,K5-5:B9,K20-20,K47",
    "K at both ends of a range": "W:W31,32,K5-K5:B9,K20,K47",
    "leading zeros": "W:WK05,031,0032:B09,K020,K47",
    "final dot": "W:WK5,31,32:B9,K20,K47.",
    "blanks": "  W : W K5 , 31 ,32 : B 9, K 20 ,K47 . ",
    "line ends and tabs": "W:WK5,31,\r\n32:\tB9,K20,K47\n",
    "underscores as blanks": "W:W_K5,31,32:B_9,K20,K47_",
    "no-break blanks": "W:W\u00a0K5,31,32:B9,K20,K47",
    "lower case": "w:wk5,31,32:b9,k20,k47",
    "mixed case": "w:WK5,31,32:b9,K20,k47",
    "half-move and move counters": "W:WK5,31,32:B9,K20,K47:H0:F1",
    "counters in lower case": "W:WK5,31,32:B9,K20,K47:h12:f34",
    "typographic dash in a range": "W:WK5,31\u201332:B9,K20,K47",
    "no-break hyphen in a range": "W:WK5,31\u201132:B9,K20,K47",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_reads_every_clear_form(text: str) -> None:
    assert read_fen(text) == SMALL


def test_reads_the_start_position() -> None:
    assert read_fen("W:W31-50:B1-20") == START


@pytest.mark.parametrize(
    ("text", "setup"),
    [
        ("W:W:B1", Setup(Color.WHITE, (), (), (1,), ())),
        ("B:W31:B", Setup(Color.BLACK, (31,), (), (), ())),
        ("B:B:W31", Setup(Color.BLACK, (31,), (), (), ())),
        ("W:W31", Setup(Color.WHITE, (31,), (), (), ())),  # the standard's only way to leave a side empty
        ("B:W:B", Setup(Color.BLACK, (), (), (), ())),
        ("W:WK31-33:B4", Setup(Color.WHITE, (), (31, 32, 33), (4,), ())),
        ("W:WK1-5,K46-50:B", Setup(Color.WHITE, (), (1, 2, 3, 4, 5, 46, 47, 48, 49, 50), (), ())),
    ],
)
def test_reads_empty_sides_and_king_ranges(text: str, setup: Setup) -> None:
    assert read_fen(text) == setup


ERRORS = [
    # text, code, token, position
    ("", "empty", "", 0),
    (" _.", "empty", "", 0),
    ("?:W31:B1", "unknown_side", "?", 0),
    ("W31:B1", "no_side", "W31", 0),
    (":W31:B1", "no_side", "", 0),
    ("31-50", "no_side", "31-50", 0),
    ("  white:W31:B1", "no_side", "white", 2),
    ("Z:W31:B1", "no_side", "Z", 0),
    ("W", "no_pieces", "W", 0),
    ("B.", "no_pieces", "B", 0),
    ("B::", "no_color", "", 2),  # the proposed null move is not a position
    ("W:31:B1", "no_color", "31", 2),
    ("W:W31:B1:", "no_color", "", 9),
    ("W:W31:B1:+1+0", "no_color", "+1+0", 9),  # the counters of Frisian draughts
    ("W:W31:B1:H", "no_color", "H", 9),
    ("W:W31,51:B1", "off_board", "51", 6),
    ("W:W0:B1", "off_board", "0", 3),
    ("W:W00:B1", "off_board", "00", 3),
    ("W:W31-99:B1", "off_board", "31-99", 3),
    ("W:W31:BK 123", "off_board", "K 123", 7),
    ("W:W" + "9" * 1500 + ":B1", "off_board", "9" * 1500, 3),
    ("W:W31,32, 31:B1", "held_twice", "31", 10),
    ("W:W31,K31:B1", "held_twice", "K31", 6),
    ("W:W31-33,32:B1", "held_twice", "32", 9),
    ("W:W31:B30-32", "held_twice", "30-32", 7),
    ("W:W31,5:B1", "man_on_far_row", "5", 6),
    ("W:B46:W31", "man_on_far_row", "46", 3),
    ("b:w31:b45-46", "man_on_far_row", "45-46", 7),
    ("W:W30-50:B1", "too_many", "30-50", 3),
    ("W:W50:B1-20,K21", "too_many", "K21", 12),
    ("W:W33-31:B1", "bad_range", "33-31", 3),
    ("W:W31,,32:B1", "not_a_square", "", 6),
    ("W:W31,:B1", "not_a_square", "", 6),
    ("W:W31 32:B1", "not_a_square", "31 32", 3),  # 31, 32 or 3132: not for us to say
    ("W:W3 1:B1", "not_a_square", "3 1", 3),
    ("W:W31-:B1", "not_a_square", "31-", 3),
    ("W:WKK31:B1", "not_a_square", "KK31", 3),
    ("W:WM31:B1", "not_a_square", "M31", 3),
    ("W:W31:B1..", "not_a_square", "1.", 7),
    ("W:W٣١:B1", "not_a_square", "٣١", 3),
    ("W:Wa1,c3:Bb8", "lettered_square", "a1", 3),
    ("W:WKa1:Bb8", "lettered_square", "Ka1", 3),
    ("W:WK47,G14:B9", "half_capture", "G14", 7),
    ("W:WK47,G3:B9", "half_capture", "G3", 7),
    ("W:W31-K33:B1", "not_a_square", "31-K33", 3),
]


@pytest.mark.parametrize(("text", "code", "token", "position"), ERRORS)
def test_names_what_is_wrong_and_where(text: str, code: str, token: str, position: int) -> None:
    with pytest.raises(BadFen) as caught:
        read_fen(text)
    error = caught.value
    assert (error.code, error.token, error.position, error.text) == (code, token, position, text)
    assert text[position : position + len(token)] == token
    assert len(str(error)) < 200
    assert "{" not in str(error)


def test_long_input_is_refused_unread() -> None:
    with pytest.raises(BadFen) as caught:
        read_fen("W:W31" + " " * MAX_LENGTH)
    assert caught.value.code == "too_long"
    assert caught.value.position is None


def test_an_error_survives_pickling() -> None:
    with pytest.raises(BadFen) as caught:
        read_fen("W:W31,51:B1")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.code, copy.token, copy.position, copy.text) == (
        "There is no square 51; squares are numbered 1 to 50.",
        "off_board",
        "51",
        6,
        "W:W31,51:B1",
    )


def test_bad_fen_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="is not a square"):
        read_fen("W:Wx:B1")


@pytest.mark.parametrize(
    ("setup", "fen"),
    [
        (START, "W:W31-50:B1-20"),
        (SMALL, "W:WK5,31,32:B9,K20,K47"),
        (Setup(Color.BLACK, (31, 32, 33), (34, 35), (), ()), "B:W31-33,K34,K35:B"),
        (Setup(Color.BLACK, (), (1, 2, 3, 4), (5, 6, 8), (7,)), "B:WK1-4:B5,6,K7,8"),
        (Setup(Color.WHITE, (), (), (), ()), "W:W:B"),
    ],
)
def test_writes_one_form(setup: Setup, fen: str) -> None:
    assert write_fen(setup) == fen


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    squares = draw(st.permutations(range(1, 51)))
    white = squares[: draw(st.integers(0, 20))]
    black = squares[20 : 20 + draw(st.integers(0, 20))]
    kings = draw(st.sets(st.integers(1, 50)))
    return Setup(
        draw(st.sampled_from(list(Color))),
        tuple(sorted(s for s in white if s not in kings and s > 5)),
        tuple(sorted(s for s in white if s in kings or s <= 5)),
        tuple(sorted(s for s in black if s not in kings and s < 46)),
        tuple(sorted(s for s in black if s in kings or s >= 46)),
    )


@given(setups())
def test_what_is_written_is_read_back(setup: Setup) -> None:
    text = write_fen(setup)
    assert read_fen(text) == setup
    assert write_fen(read_fen(text)) == text


@given(setups(), st.randoms(use_true_random=False))
def test_any_layout_of_the_same_lists_reads_the_same(setup: Setup, random: Random) -> None:
    lists: list[str] = []
    for color, men, kings in (("W", setup.white_men, setup.white_kings), ("B", setup.black_men, setup.black_kings)):
        lists += [f"{color}{square:03}" for square in men] + [f"{color.lower()} k{square}" for square in kings]
    random.shuffle(lists)
    text = ":".join([setup.turn.letter, *lists, "W", "B"]) + "."
    assert read_fen(text) == setup


@given(st.text() | st.text(alphabet="WBKwbk?:,-.0123456789 HFGP_", max_size=60))
def test_arbitrary_text_reads_or_raises_bad_fen(text: str) -> None:
    fault: BadFen | None = None
    setup: Setup | None = None
    try:
        setup = read_fen(text)
    except BadFen as error:
        fault = error
    if fault is not None:
        place = fault.position
        assert place is None or text[place : place + len(fault.token)] == fault.token
    elif setup is not None:
        assert read_fen(write_fen(setup)) == setup
