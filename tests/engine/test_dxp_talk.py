"""DamExchange without the wire: who may say what when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import Board, Color, IllegalMove, Move
from damier.engine.dxp_talk import DxpError, DxpTalk, Heard, Phase
from damier.notation.dxp import (
    Answer,
    BackAnswer,
    BackRequest,
    Chat,
    DxpMove,
    GameAnswer,
    GameEnd,
    GameRequest,
    Message,
    Reason,
    write_message,
    write_position,
)
from tests.notation.test_dxp import messages

ASKED = "R01" + "Other".ljust(32) + "W060065A"
ACCEPTED = "A" + "Other".ljust(32) + "0"


def follower() -> DxpTalk:
    talk = DxpTalk("Damier", "127.0.0.1:1")
    talk.hear(ASKED)
    talk.answer(Answer.ACCEPTED)
    return talk


def initiator() -> DxpTalk:
    talk = DxpTalk("Damier", "127.0.0.1:1")
    talk.ask(GameRequest("Damier", Color.WHITE, 5))
    talk.hear(ACCEPTED)
    return talk


def fault(talk: DxpTalk, text: str) -> str:
    with pytest.raises(DxpError) as caught:
        talk.hear(text)
    assert caught.value.sentence("nl")
    return caught.value.code


def test_a_game_as_follower() -> None:
    talk = follower()
    assert (talk.other, talk.ours, talk.is_our_turn, talk.moves_left) == ("Other", Color.WHITE, True, 65)
    assert write_message(talk.move(Move(32, 28), 1.9)) == "M0001322800"
    assert not talk.is_our_turn
    assert talk.hear("M0002192300") == Heard(DxpMove(Move(19, 23), 2))
    assert (talk.is_our_turn, talk.moves_left) == (True, 64)
    assert write_message(talk.end(GameEnd(Reason.I_LOSE))) == "E10"
    assert talk.hear("E00") == Heard(GameEnd())
    assert talk.phase is Phase.IDLE
    assert talk.hear(ASKED).news is not None  # and another one
    assert write_message(talk.answer(Answer.NOT_THIS_GAME)) == "A" + "Damier".ljust(32) + "2"
    assert talk.phase is Phase.IDLE


def test_a_game_as_initiator() -> None:
    talk = initiator()
    assert (talk.ours, talk.is_our_turn, talk.moves_left) == (Color.BLACK, False, None)
    assert talk.hear("M0000322800").news == DxpMove(Move(32, 28), 0)
    talk.move(Move(19, 23))
    assert talk.hear("E31") == Heard(GameEnd(Reason.I_WIN, is_last=True), (GameEnd(is_last=True),))
    with pytest.raises(DxpError) as refused:
        talk.ask(GameRequest("Damier", Color.WHITE))
    assert refused.value.code == "no_more"


def test_a_game_that_is_not_accepted() -> None:
    talk = DxpTalk("Damier")
    talk.ask(GameRequest("Damier", Color.WHITE))
    assert talk.hear("A" + "Other".ljust(32) + "2").news == GameAnswer("Other", Answer.NOT_THIS_GAME)
    talk.ask(GameRequest("Damier", Color.BLACK))
    assert talk.hear(ACCEPTED).news == GameAnswer("Other")
    assert talk.ours is Color.WHITE


def test_an_end_is_taken_at_any_time() -> None:
    talk = follower()  # this side thinks
    assert talk.hear("E20") == Heard(GameEnd(Reason.DRAW), (GameEnd(),))
    assert talk.hear("E00") == Heard(None)  # no game is on: not answered, or two such would never stop
    talk = follower()
    talk.end(GameEnd())
    assert talk.hear("E30").news == GameEnd(Reason.I_WIN)  # both have said so at once
    talk = follower()
    talk.move(Move(32, 28))
    talk.end(GameEnd())  # while the other side thinks
    assert talk.hear("M0002192300") == Heard(None)
    assert talk.hear("E00").news == GameEnd()


def test_words_and_wishes() -> None:
    for talk in (DxpTalk("Damier"), follower(), initiator()):
        assert talk.hear("Chello") == Heard(Chat("hello"))
        assert talk.hear("B005Z") == Heard(BackRequest(5, Color.BLACK), (BackAnswer(1),))
        assert talk.hear("K1") == Heard(None)


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("R02", Answer.OTHER_VERSION),
        ("R01" + " " * 32 + "W060065BWw" + "e" * 49, Answer.NOT_THIS_GAME),  # a man on its far row
        ("R01" + " " * 32 + "W060065BW" + "w" * 50, Answer.NOT_THIS_GAME),
        ("R01" + " " * 32 + "W060065B" + write_position(Board("W:W:B1")), Answer.NOT_THIS_GAME),  # it is over
    ],
)
def test_games_that_cannot_be_played(request_text: str, answer: Answer) -> None:
    talk = DxpTalk("Damier")
    assert talk.hear(request_text).replies == (GameAnswer("Damier", answer),)
    assert talk.phase is Phase.IDLE
    assert talk.hear(ASKED).news is not None


def test_what_may_not_be_said_now() -> None:
    asking, asked = DxpTalk("Damier"), DxpTalk("Damier")
    asking.ask(GameRequest("Damier", Color.WHITE))
    asked.hear(ASKED)
    ending = follower()
    ending.end(GameEnd())
    for talk, text, code in (
        (DxpTalk("Damier"), ACCEPTED, "out_of_order"),
        (DxpTalk("Damier"), "M0000322800", "out_of_order"),
        (asking, ASKED, "both_ask"),
        (asking, "M0000322800", "out_of_order"),
        (asked, ASKED, "out_of_order"),
        (asked, ACCEPTED, "out_of_order"),
        (asked, "M0000322800", "out_of_order"),
        (follower(), "M0000322800", "out_of_order"),  # it is not the other's turn
        (follower(), ASKED, "out_of_order"),
        (initiator(), ACCEPTED, "out_of_order"),
        (ending, ASKED, "out_of_order"),
        (initiator(), "M0000322300", "illegal_move"),
        (initiator(), "M0000322801", "bad_message"),
        (initiator(), "nonsense", "bad_message"),
        (initiator(), "R02", "bad_message"),
    ):
        assert fault(talk, text) == code, text


def test_what_this_side_may_not_say() -> None:
    idle, asked, playing, waiting = DxpTalk("Damier"), DxpTalk("Damier"), follower(), initiator()
    asked.hear(ASKED)
    request = GameRequest("Damier", Color.WHITE)
    for say in (
        lambda: idle.answer(Answer.ACCEPTED),
        lambda: idle.move(Move(32, 28)),
        lambda: idle.end(GameEnd()),
        lambda: idle.ours,
        lambda: asked.ask(request),
        lambda: asked.move(Move(32, 28)),
        lambda: playing.ask(request),
        lambda: playing.answer(Answer.ACCEPTED),
        lambda: waiting.move(Move(32, 28)),
    ):
        with pytest.raises(DxpError) as caught:
            say()
        assert caught.value.code == "not_now"
    with pytest.raises(IllegalMove):
        playing.move(Move(32, 23))
    assert playing.is_our_turn


@given(st.lists(st.one_of(messages.map(write_message), st.sampled_from([ASKED, ACCEPTED, "E00", "M0000322800"]))))
def test_whatever_is_heard(heard: list[str]) -> None:
    """Either it means something, or it ends the conversation; what is answered can be written."""
    for talk in (DxpTalk("Damier"), follower(), initiator()):
        said: list[Message] = []
        for text in heard:
            try:
                said += talk.hear(text).replies
            except DxpError:
                break
        assert all(write_message(message) for message in said)
        assert talk.phase is not Phase.PLAYING or talk.board is not None
