"""DamExchange: its messages there and back, the published examples, and everything that is no message."""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import Board, Color, IllegalMove, Move
from damier.notation.dxp import (
    LONGEST_CHAT,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    Answer,
    BackAnswer,
    BackRequest,
    BadDxp,
    Chat,
    GameAnswer,
    GameEnd,
    GameRequest,
    Inbox,
    Message,
    MoveMessage,
    Reason,
    plain,
    read_message,
    write_message,
    write_position,
)
from tests.notation.positions import boards

_SIGNS = st.characters(min_codepoint=1, max_codepoint=127)
_NAMES = st.text(_SIGNS, max_size=LONGEST_NAME).map(lambda name: name.strip(" "))
_COLORS = st.sampled_from(Color)
_SQUARES = st.integers(1, 50)

messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(
        GameRequest,
        _NAMES,
        _COLORS,
        st.integers(0, 999),
        st.integers(0, 999),
        st.one_of(st.just(""), boards().map(write_position)),
    ),
    st.builds(GameAnswer, _NAMES, st.sampled_from(Answer)),
    st.builds(
        MoveMessage,
        st.integers(0, 9999),
        _SQUARES,
        _SQUARES,
        st.sets(_SQUARES, max_size=20).map(lambda squares: tuple(sorted(squares))),
    ),
    st.builds(GameEnd, st.sampled_from(Reason), st.booleans()),
    st.builds(Chat, st.text(_SIGNS, max_size=LONGEST_CHAT)),
    st.builds(BackRequest, st.integers(0, 999), _COLORS),
    st.builds(BackAnswer, st.integers(0, 9)),
)


@given(messages)
def test_messages_there_and_back(message: Message) -> None:
    text = write_message(message)
    assert 1 <= len(text) <= LONGEST_MESSAGE
    assert read_message(text) == message


@given(st.lists(messages, max_size=6), st.lists(st.integers(1, 40), max_size=40))
def test_messages_come_out_however_the_bytes_arrive(said: list[Message], sizes: list[int]) -> None:
    data = b"".join(write_message(message).encode() + b"\0" for message in said)
    inbox, heard = Inbox(), list[Message]()
    for size in [*sizes, len(data)]:
        inbox.feed(data[:size])
        data = data[size:]
        while (text := inbox.take()) is not None:
            heard.append(read_message(text))
    assert heard == said
    assert inbox.is_empty


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R01Tornado voor Windows 4.0        W060065A", GameRequest("Tornado voor Windows 4.0", Color.WHITE, 60, 65)),
        ("ATornado voor Windows 4.0        0", GameAnswer("Tornado voor Windows 4.0")),
        ("M0012061100", MoveMessage(12, 6, 11)),
        ("M001205250422122320", MoveMessage(12, 5, 25, (12, 20, 22, 23))),
        ("E00", GameEnd()),
        ("B005Z", BackRequest(5, Color.BLACK)),
        ("K1", BackAnswer(1)),
        ("E21", GameEnd(Reason.DRAW, is_last=True)),
        ("Cerror: illegal move", Chat("error: illegal move")),
    ],
)
def test_published_messages(text: str, message: Message) -> None:
    assert read_message(text) == message
    if text != "M001205250422122320":  # whose captured squares are in another order
        assert write_message(message) == text


def test_the_lengths_of_a_request() -> None:
    assert len(write_message(GameRequest("", Color.WHITE))) == 43
    request = GameRequest("x" * 32, Color.BLACK, 999, 999, write_position(Board("B:WK28:B1")))
    assert len(write_message(request)) == 94
    assert request.board().fen() == "B:WK28:B1"
    assert read_message("R00" + " " * 32 + "W000000A") == GameRequest("", Color.WHITE)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", "empty", 0),
        ("C" + "x" * 127, "too_long", 127),
        ("Cd\xe9j\xe0", "not_ascii", 2),
        ("C\0", "not_ascii", 1),
        ("X", "no_type", 0),
        ("r01", "no_type", 0),
        ("R", "wrong_length", 1),
        ("R02anything", "other_version", 1),
        ("R0x" + " " * 32 + "W060065A", "other_version", 1),
        ("R01" + " " * 31 + "W060065A", "bad_field", 35),
        ("R01" + " " * 32 + "B060065A", "bad_field", 35),
        ("R01" + " " * 32 + "W 60065A", "bad_field", 36),
        ("R01" + " " * 32 + "W06006-A", "bad_field", 39),
        ("R01" + " " * 32 + "W060065C", "bad_field", 42),
        ("R01" + " " * 32 + "W060065A ", "wrong_length", 43),
        ("R01" + " " * 32 + "W060065B", "wrong_length", 43),
        ("R01" + " " * 32 + "W060065BW" + "e" * 49, "wrong_length", 43),
        ("R01" + " " * 32 + "W060065BW" + "e" * 51, "wrong_length", 94),
        ("R01" + " " * 32 + "W060065BB" + "e" * 50, "no_side", 0),
        ("R01" + " " * 32 + "W060065BW" + "e" * 49 + "z", "man_on_far_row", 50),
        ("R01" + " " * 32 + "W060065BW" + "W" * 50, "too_many", None),
        ("A", "wrong_length", 1),
        ("A" + " " * 32, "wrong_length", 33),
        ("A" + " " * 32 + "4", "bad_field", 33),
        ("A" + " " * 32 + "00", "wrong_length", 34),
        ("M", "not_a_move", 0),
        ("M00120611", "not_a_move", 0),
        ("M0012061101", "wrong_count", 9),
        ("M0012065100", "off_board", 7),
        ("M000032280223", "wrong_count", 9),
        ("M00003228022323", "taken_twice", 13),
        ("E", "wrong_length", 1),
        ("E0", "wrong_length", 2),
        ("E40", "bad_field", 1),
        ("E02", "bad_field", 2),
        ("E000", "wrong_length", 3),
        ("B05Z", "bad_field", 1),
        ("B005", "wrong_length", 4),
        ("B005B", "bad_field", 4),
        ("K", "wrong_length", 1),
        ("K10", "wrong_length", 2),
        ("Kx", "bad_field", 1),
    ],
)
def test_what_is_no_message(text: str, code: str, position: int | None) -> None:
    with pytest.raises(BadDxp) as caught:
        read_message(text)
    assert (caught.value.code, caught.value.position) == (code, position)
    assert len(str(caught.value)) < 300
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code) == (str(caught.value), code)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\0", "empty"),
        (b"C" + b"x" * 127, "too_long"),  # before its end comes
        (b"C" + b"x" * 127 + b"\0", "too_long"),
        (b"Cd\xe9j", "not_ascii"),
        (b"\xff" * 1_000_000, "too_long"),
    ],
)
def test_bytes_that_begin_no_message(data: bytes, code: str) -> None:
    inbox = Inbox()
    inbox.feed(b"E00\0" + data)
    assert inbox.take() == "E00"
    with pytest.raises(BadDxp) as caught:
        inbox.take()
    assert caught.value.code == code


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    inbox = Inbox()
    inbox.feed(data)
    with contextlib.suppress(BadDxp):
        while (text := inbox.take()) is not None:
            write_message(read_message(text))


@given(st.sampled_from("RAMECBKX"), st.text(st.sampled_from("0129WZABwze \x01"), max_size=130))
def test_any_text_is_read_or_refused(kind: str, rest: str) -> None:
    try:
        message = read_message(kind + rest)
    except BadDxp as error:
        assert error.position is None or 0 <= error.position <= len(kind + rest)  # noqa: PT017 - any will do
        return
    assert read_message(write_message(message)) == message


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (GameRequest, ("x" * 33, Color.WHITE)),
        (GameRequest, ("Müller", Color.WHITE)),
        (GameRequest, (" x", Color.WHITE)),
        (GameRequest, ("x\0", Color.WHITE)),
        (GameRequest, ("x", Color.WHITE, 1000)),
        (GameRequest, ("x", Color.WHITE, -1)),
        (GameRequest, ("x", Color.WHITE, 0, 1000)),
        (GameRequest, ("x", Color.WHITE, 0, 0, "W")),
        (GameAnswer, ("x" * 33,)),
        (MoveMessage, (10_000, 1, 2)),
        (MoveMessage, (0, 0, 2)),
        (MoveMessage, (0, 1, 51)),
        (MoveMessage, (0, 1, 2, (4, 3))),
        (MoveMessage, (0, 1, 2, (3, 3))),
        (Chat, ("x" * 127,)),
        (Chat, ("né",)),
        (BackRequest, (1000, Color.WHITE)),
        (BackAnswer, (10,)),
    ],
)
def test_what_the_protocol_has_no_way_to_say(kind: Any, arguments: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"."):
        kind(*arguments)


def test_a_move_on_a_board() -> None:
    (move,) = (board := Board("W:W28:B23")).legal_moves
    assert MoveMessage.of(move, 7.9) == MoveMessage(7, 28, 19, (23,))
    assert MoveMessage(7, 28, 19, (23,)).on(board) == move
    with pytest.raises(IllegalMove) as refused:
        MoveMessage(0, 32, 23).on(Board())
    assert refused.value.reason is not None
    assert MoveMessage.of(Move(32, 28), float("inf")).seconds == 9999


@given(st.text(), st.integers(1, LONGEST_CHAT))
def test_any_text_is_made_plain(text: str, longest: int) -> None:
    told = plain(text, longest)
    assert len(told) <= longest
    assert Chat(told).text == told
    assert GameAnswer(plain(text, LONGEST_NAME)).name == plain(text, LONGEST_NAME)
