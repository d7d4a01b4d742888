"""The game as a pure value: events, results, taking back, JSON, replay."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from damier import Board, Color, IllegalMove, Move, Rules
from damier.clock import TimeControl
from damier.errors import BadFen
from damier.events import (
    Aborted,
    AdjustingSaid,
    AdjustingUnsaid,
    DrawAccepted,
    DrawDeclined,
    DrawOffered,
    Entry,
    Event,
    FlagFallen,
    MoveMade,
    Paused,
    Resigned,
    Resumed,
    TakeBackAccepted,
    TakeBackDeclined,
    TakeBackOffered,
    TimeAdded,
    TookBack,
    Touched,
)
from damier.game import Game
from damier.record import Player, Result, Start
from damier.refusals import (
    AdjustingAlready,
    ArbiterOnly,
    AskedAlready,
    BadEvent,
    DrawTooSoon,
    FlagDown,
    FlagUp,
    GamePaused,
    NeedsAgreement,
    NoClock,
    NoNeedToAsk,
    NotAdjusting,
    NothingOffered,
    NothingThere,
    NothingToTakeBack,
    NoTimeLeft,
    NoTouchMove,
    NotPaused,
    NotYourTime,
    NotYourTurn,
    OfferStands,
    PlayersOnly,
    TimeRunsBack,
    TooLateToAbort,
)
from damier.rules import CLUB

PERSON, COMPUTER = Player("guest", id="q3Fz"), Player("computer", level=3)


def against_computer(fen: str | None = None, rules: str = "official") -> Game:
    return Game.start(rules, fen, white=PERSON, black=COMPUTER)


def play(game: Game, *texts: str) -> Game:
    for text in texts:
        game = game.apply(MoveMade.of(game.board.parse(text)), at=float(game.version), by=game.turn)
    return game


def test_a_new_game_has_its_start_and_nothing_else() -> None:
    game = Game.start("club")
    assert (game.version, game.plies, game.result, game.turn) == (0, 0, None, Color.WHITE)
    assert game.origin == Start("club", "W:W31-50:B1-20", Player(), Player())


def test_a_start_that_cannot_be_set_up_is_refused() -> None:
    with pytest.raises(BadFen):
        Game.start(fen="W:W51:B1")
    with pytest.raises(ValueError, match="no rule set 'chess'"):
        Game.start("chess")


def test_applying_an_event_leaves_the_game_before_it_as_it_was() -> None:
    game = play(against_computer(), "32-28")
    after = play(game, "19-23")
    assert (game.plies, after.plies) == (1, 2)
    game.board.push("20-24")
    assert game.board.fen() == play(against_computer(), "32-28").board.fen()


def test_only_the_side_to_move_moves() -> None:
    with pytest.raises(NotYourTurn):
        against_computer().apply(MoveMade(19, 23), at=0.0, by=Color.BLACK)


@pytest.mark.parametrize(
    "move",
    [
        MoveMade(32, 33),
        MoveMade(32, 27, captured=(1,)),
        MoveMade(32, 28, crowned=True),
        MoveMade(1, 7),
        MoveMade(28, 23),
    ],
)
def test_an_illegal_move_is_refused_and_says_why(move: MoveMade) -> None:
    with pytest.raises(IllegalMove) as refused:
        against_computer().apply(move, at=0.0, by=Color.WHITE)
    assert refused.value.fen == "W:W31-50:B1-20"
    assert str(refused.value)


def test_captures_that_share_start_and_target_are_told_apart_by_what_they_take() -> None:
    game = Game.start(fen="W:WK47:B14,19,29,31,42")
    one = game.apply(MoveMade(47, 36, (14, 29, 31, 42)), at=0.0, by=Color.WHITE)
    other = game.apply(MoveMade(47, 36, (19, 29, 31, 42)), at=0.0, by=Color.WHITE)
    assert (one.board.pieces(Color.BLACK), other.board.pieces(Color.BLACK)) == ((19,), (14,))


def test_who_cannot_move_loses() -> None:
    game = play(Game.start(fen="W:W28:B23"), "28x19")
    assert game.result == Result(Color.WHITE, "no_moves")


def test_a_position_without_a_move_is_over_from_the_start() -> None:
    assert Game.start(fen="W:W:B1").result == Result(Color.BLACK, "no_moves")


def test_draws_end_the_game_by_themselves() -> None:
    game = play(Game.start(fen="W:WK46:BK36"), *["46-5", "36-4", "5-46", "4-36"] * 2)
    assert game.result == Result(None, "repetition")
    assert Result(None, "repetition").score == "1-1"


def test_resigning_loses_on_either_turn() -> None:
    for by, score in ((Color.WHITE, "0-2"), (Color.BLACK, "2-0")):
        result = against_computer().apply(Resigned(), at=0.0, by=by).result
        assert result == Result(by.opponent, "resigned")
        assert result is not None
        assert result.score == score


def test_taking_back_undoes_the_own_move_and_the_reply() -> None:
    start = against_computer()
    own = play(start, "32-28")
    replied = play(own, "19-23")
    assert (start.can_take_back(Color.WHITE), own.can_take_back(Color.WHITE), replied.can_take_back(Color.WHITE)) == (
        0,
        1,
        2,
    )
    for game in (own, replied):
        back = game.apply(TookBack(game.can_take_back(Color.WHITE)), at=9.0, by=Color.WHITE)
        assert back.board.position == start.board.position
        assert (back.plies, back.version) == (0, game.version + 1)


def test_only_what_leads_back_to_the_own_turn_is_taken_back() -> None:
    game = play(against_computer(), "32-28", "19-23")
    for plies in (1, 3, 4):
        with pytest.raises(NothingToTakeBack):
            game.apply(TookBack(plies), at=9.0, by=Color.WHITE)
    computer_began = Game.start(white=COMPUTER, black=PERSON)
    computer_began = play(computer_began, "32-28")
    assert computer_began.can_take_back(Color.BLACK) == 0
    with pytest.raises(NothingToTakeBack):
        computer_began.apply(TookBack(1), at=9.0, by=Color.BLACK)


def test_a_person_is_asked_before_a_move_is_taken_back() -> None:
    game = play(Game.start(), "32-28")
    assert game.can_take_back(Color.WHITE) == 0
    with pytest.raises(NeedsAgreement):
        game.apply(TookBack(1), at=9.0, by=Color.WHITE)


def test_time_does_not_run_back() -> None:
    game = against_computer().apply(MoveMade(32, 28), at=5.0, by=Color.WHITE)
    with pytest.raises(TimeRunsBack):
        game.apply(Resigned(), at=4.9, by=Color.WHITE)
    for at in (math.nan, math.inf, -math.inf, 1e13):
        with pytest.raises(BadEvent):
            game.apply(Resigned(), at=at, by=Color.WHITE)
    assert game.apply(Resigned(), at=5.0, by=Color.WHITE).result


# --- Draws by agreement -------------------------------------------------------------------------------------------


def do(game: Game, event: Event, by: Color | None) -> Game:
    return game.apply(event, at=float(game.version), by=by)


def two_kings() -> Game:
    return Game.start("classic", "W:WK46:BK15")


def to_and_fro(game: Game) -> Game:
    """A move of each side that decides nothing."""
    return play(game, *(["46-41", "15-20"] if game.board[46] else ["41-46", "20-15"]))


def test_an_accepted_offer_is_a_draw() -> None:
    game = do(play(Game.start(), "32-28"), DrawOffered(), Color.WHITE)
    assert game.draw_offer is Color.WHITE
    with pytest.raises(NothingOffered):
        do(game, DrawAccepted(), Color.WHITE)
    result = do(game, DrawAccepted(), Color.BLACK).result
    assert result is not None
    assert result == Result(None, "agreed")
    assert (result.is_draw, result.score, result.chess_score) == (True, "1-1", "½-½")


def test_an_offer_lapses_when_the_opponent_moves_but_not_when_the_offerer_does() -> None:
    game = do(Game.start(), DrawOffered(), Color.WHITE)
    game = play(game, "32-28")
    assert game.draw_offer is Color.WHITE
    game = play(game, "19-23")
    assert game.draw_offer is None
    for answer in (DrawAccepted(), DrawDeclined()):
        with pytest.raises(NothingOffered):
            do(game, answer, Color.BLACK)


def test_a_declined_offer_is_gone_and_so_is_one_about_a_position_taken_back() -> None:
    game = do(do(Game.start(), DrawOffered(), Color.WHITE), DrawDeclined(), Color.BLACK)
    assert game.draw_offer is None
    game = do(play(against_computer(), "32-28"), DrawOffered(), Color.WHITE)
    assert do(game, TookBack(1), Color.WHITE).draw_offer is None


def test_one_offer_at_a_time() -> None:
    game = do(Game.start(), DrawOffered(), Color.WHITE)
    for by in Color:
        with pytest.raises(OfferStands):
            do(game, DrawOffered(), by)


def test_no_second_offer_before_the_opponent_has_moved_ten_times() -> None:
    game = do(do(two_kings(), DrawOffered(), Color.WHITE), DrawDeclined(), Color.BLACK)
    for left in range(10, 0, -1):
        assert game.moves_until_draw_offer(Color.WHITE) == left
        with pytest.raises(DrawTooSoon) as refused:
            do(game, DrawOffered(), Color.WHITE)
        assert refused.value.moves == left
        game = to_and_fro(game)
    assert do(game, DrawOffered(), Color.WHITE).draw_offer is Color.WHITE


def test_moves_taken_back_do_not_count_between_two_offers() -> None:
    game = play(against_computer(), "32-28", "19-23")
    game = do(do(game, DrawOffered(), Color.WHITE), DrawDeclined(), Color.BLACK)
    for _ in range(12):
        game = do(play(game, "28x19", "14x23"), TookBack(2), Color.WHITE)
    assert game.moves_until_draw_offer(Color.WHITE) == 10
    assert play(game, "28x19", "14x23").moves_until_draw_offer(Color.WHITE) == 9
    earlier = do(play(game, "28x19", "14x23"), TookBack(4), Color.WHITE)
    assert earlier.moves_until_draw_offer(Color.WHITE) == 10
    assert play(earlier, "32-28", "19-23").moves_until_draw_offer(Color.WHITE) == 9


def test_one_is_enough_when_the_opponent_has_offered_since() -> None:
    game = two_kings()
    for by in (Color.WHITE, Color.BLACK):
        game = do(do(game, DrawOffered(), by), DrawDeclined(), by.opponent)
    assert [game.moves_until_draw_offer(color) for color in Color] == [1, 10]
    game = to_and_fro(game)
    assert [game.moves_until_draw_offer(color) for color in Color] == [0, 9]
    game = do(do(game, DrawOffered(), Color.WHITE), DrawDeclined(), Color.BLACK)
    assert [game.moves_until_draw_offer(color) for color in Color] == [10, 0]


def test_offers_without_a_move_come_to_an_end() -> None:
    for start in (two_kings(), to_and_fro(two_kings())):
        game, offers = start, 0
        while able := [color for color in Color if not game.moves_until_draw_offer(color)]:
            game = do(do(game, DrawOffered(), able[0]), DrawDeclined(), able[0].opponent)
            offers += 1
            assert offers <= 2
        for color in Color:
            with pytest.raises(DrawTooSoon):
                do(game, DrawOffered(), color)


# --- Taking back by agreement -------------------------------------------------------------------------------------


def test_a_person_who_agrees_lets_a_move_be_taken_back() -> None:
    game = play(Game.start(), "32-28", "19-23")
    for by, plies in ((Color.WHITE, 2), (Color.BLACK, 1)):
        asked = do(game, TakeBackOffered(), by)
        assert (asked.take_back_offer, asked.plies) == (by, 2)
        back = do(asked, TakeBackAccepted(plies), by.opponent)
        assert (back.plies, back.turn, back.take_back_offer) == (2 - plies, by, None)
        with pytest.raises(NothingToTakeBack):
            do(asked, TakeBackAccepted(3 - plies), by.opponent)
        with pytest.raises(NothingOffered):
            do(asked, TakeBackAccepted(plies), by)
        with pytest.raises(OfferStands):
            do(asked, TakeBackOffered(), by.opponent)


def test_who_has_declined_is_not_asked_again_in_the_same_position() -> None:
    game = do(play(Game.start(), "32-28"), TakeBackOffered(), Color.WHITE)
    with pytest.raises(NothingOffered):
        do(game, TakeBackDeclined(), Color.WHITE)
    game = do(game, TakeBackDeclined(), Color.BLACK)
    assert game.take_back_offer is None
    with pytest.raises(AskedAlready):
        do(game, TakeBackOffered(), Color.WHITE)
    assert do(play(game, "19-23"), TakeBackOffered(), Color.WHITE).take_back_offer is Color.WHITE


def test_a_wish_to_take_back_lapses_with_any_move() -> None:
    for texts in (["19-23"], ["19-23", "28x19"]):
        game = play(Game.start(), "32-28")
        if len(texts) == 2:
            game = play(game, texts[0])
        game = play(do(game, TakeBackOffered(), Color.WHITE), texts[-1])
        assert game.take_back_offer is None
        with pytest.raises(NothingOffered):
            do(game, TakeBackAccepted(1), Color.BLACK)


def test_nobody_asks_before_a_first_move_or_asks_a_computer() -> None:
    with pytest.raises(NothingToTakeBack):
        do(play(Game.start(), "32-28"), TakeBackOffered(), Color.BLACK)
    with pytest.raises(NoNeedToAsk):
        do(play(against_computer(), "32-28"), TakeBackOffered(), Color.WHITE)


# --- Touch-move ---------------------------------------------------------------------------------------------------


def test_leaflet_article_6_a_touched_piece_that_can_move_must_move() -> None:
    game = do(Game.start("leaflet"), Touched(32), Color.WHITE)
    assert game.touched == 32
    assert {move.from_square for move in game.legal_moves} == {32}
    with pytest.raises(IllegalMove) as refused:
        do(game, MoveMade(31, 27), Color.WHITE)
    assert refused.value.reason is not None
    assert refused.value.reason.code == "touched_another"
    assert do(game, Touched(31), Color.WHITE).touched == 32
    game = play(game, "32-28")
    assert game.touched is None
    assert game.legal_moves


def test_leaflet_article_6_a_piece_without_a_legal_move_binds_nobody() -> None:
    game = Game.start("leaflet")
    for square in (50, 36, 1):  # blocked, blocked, and the opponent's
        game = do(game, Touched(square), Color.WHITE)
    assert game.touched is None
    must_capture = do(Game.start("leaflet", "W:W28,31:B23,1"), Touched(31), Color.WHITE)
    assert must_capture.touched is None


def test_leaflet_article_6_no_touch_counts_between_jadoube_and_its_end() -> None:
    game = do(Game.start("leaflet"), AdjustingSaid(), Color.WHITE)
    assert game.is_adjusting(Color.WHITE)
    assert not game.is_adjusting(Color.BLACK)
    with pytest.raises(AdjustingAlready):
        do(game, AdjustingSaid(), Color.WHITE)
    game = do(game, Touched(32), Color.WHITE)
    assert game.touched is None
    game = do(game, AdjustingUnsaid(), Color.WHITE)
    with pytest.raises(NotAdjusting):
        do(game, AdjustingUnsaid(), Color.WHITE)
    game = do(game, Touched(32), Color.WHITE)
    assert do(game, AdjustingSaid(), Color.WHITE).touched == 32  # too late for that one


def test_a_touch_is_for_the_side_to_move_and_for_a_piece() -> None:
    game = Game.start("leaflet")
    with pytest.raises(NotYourTurn):
        do(game, Touched(20), Color.BLACK)
    with pytest.raises(NothingThere):
        do(game, Touched(28), Color.WHITE)
    with pytest.raises(BadEvent):
        do(game, Touched(51), Color.WHITE)


@pytest.mark.parametrize("event", [Touched(32), AdjustingSaid(), AdjustingUnsaid()])
def test_other_rule_sets_know_no_touch_move(event: Event) -> None:
    for rules in ("official", "classic", "club"):
        with pytest.raises(NoTouchMove):
            do(Game.start(rules), event, Color.WHITE)


# --- Abort, pause, and who does what ------------------------------------------------------------------------------


def test_a_game_is_aborted_only_before_both_have_moved() -> None:
    for game in (Game.start(), play(Game.start(), "32-28")):
        assert game.can_abort
        for by in (None, *Color):
            result = do(game, Aborted(), by).result
            assert result is not None
            assert result == Result(None, "aborted")
            assert (result.is_draw, result.score, result.chess_score) == (False, "*", "*")
    game = play(against_computer(), "32-28", "19-23")
    back = do(game, TookBack(2), Color.WHITE)
    for moved in (game, back, play(back, "31-27")):
        assert not moved.can_abort
        with pytest.raises(TooLateToAbort):
            do(moved, Aborted(), Color.WHITE)


def test_the_arbiter_plays_no_side() -> None:
    for event in (MoveMade(32, 28), Resigned(), DrawOffered(), DrawAccepted(), TookBack(1), AdjustingSaid()):
        with pytest.raises(PlayersOnly):
            do(Game.start(), event, None)


def test_the_arbiter_pauses_a_game_between_people() -> None:
    game = play(Game.start(), "32-28")
    for event in (Paused(), Resumed()):
        with pytest.raises(ArbiterOnly):
            do(game, event, Color.WHITE)
    with pytest.raises(NotPaused):
        do(game, Resumed(), None)
    game = do(game, Paused(), None)
    assert game.paused
    assert game.legal_moves == []
    for event, by in ((MoveMade(19, 23), Color.BLACK), (Paused(), None), (TakeBackOffered(), Color.WHITE)):
        with pytest.raises(GamePaused):
            do(game, event, by)
    assert do(game, Resigned(), Color.BLACK).result == Result(Color.WHITE, "resigned")
    assert play(do(game, Resumed(), None), "19-23").plies == 2


def test_against_the_computer_a_person_pauses() -> None:
    game = do(play(against_computer(), "32-28", "19-23"), Paused(), Color.WHITE)
    assert game.can_take_back(Color.WHITE) == 0
    assert not do(game, Resumed(), Color.WHITE).paused


# --- Time ---------------------------------------------------------------------------------------------------------


def timed(control: str, fen: str | None = None, *, at: float | None = 0.0, rules: str = "official") -> Game:
    return Game.start(rules, fen, clock=TimeControl.from_pdn(control), at=at)


def left(game: Game, at: float) -> tuple[float, float]:
    assert game.clock is not None
    return game.clock.remaining(Color.WHITE, at), game.clock.remaining(Color.BLACK, at)


def test_the_clock_runs_from_the_start_where_that_has_a_moment() -> None:
    game = timed("60+5", at=100.0)
    assert left(game, 110.0) == (50, 60)
    with pytest.raises(TimeRunsBack):
        game.apply(MoveMade(32, 28), at=99.0, by=Color.WHITE)
    game = game.apply(MoveMade(32, 28), at=110.0, by=Color.WHITE)
    assert left(game, 120.0) == (55, 50)


def test_otherwise_the_first_moves_cost_no_time() -> None:
    game = timed("60", at=None).apply(MoveMade(32, 28), at=1000.0, by=Color.WHITE)
    assert left(game, 5000.0) == (60, 60)
    game = game.apply(MoveMade(19, 23), at=5000.0, by=Color.BLACK)
    assert left(game, 5010.0) == (50, 60)


def test_a_fallen_flag_loses_and_nothing_else_is_heard_any_more() -> None:
    game = timed("60")
    for by in (None, *Color):
        with pytest.raises(FlagUp):
            game.apply(FlagFallen(), at=59.9, by=by)
        assert game.apply(FlagFallen(), at=60.0, by=by).result == Result(Color.BLACK, "flag")
    for event in (MoveMade(32, 28), Resigned(), Aborted(), TimeAdded(60, Color.WHITE)):
        with pytest.raises(FlagDown):
            game.apply(event, at=60.0, by=Color.WHITE)
    ended = game.apply(FlagFallen(), at=99.0, by=None)
    assert left(ended, 1e6) == (0, 60)


def test_no_flag_falls_without_a_clock_or_before_it_runs() -> None:
    for game in (Game.start(), timed("60", at=None)):
        with pytest.raises(FlagUp):
            game.apply(FlagFallen(), at=1e6, by=Color.BLACK)


@pytest.mark.parametrize(
    ("fen", "rules", "reason"),
    [
        ("W:WK46,K47,K48:BK3", "official", "flag_lone_king"),  # RULES, official (c)
        ("W:WK46,31,32:BK3", "official", "flag_lone_king"),
        ("W:WK46,31:BK3", "official", "flag_lone_king"),  # (d)
        ("W:WK46:BK3", "official", "flag_lone_king"),
        ("W:W31,32,33:BK3", "official", "flag"),  # no king among the three
        ("W:WK46,K47,K48,K49:BK3", "official", "flag"),  # four
        ("W:WK46,K47:BK3,20", "official", "flag"),  # not alone
        ("W:WK46,K47:B3", "official", "flag"),  # no king
        ("W:WK46:BK3,K4", "official", "flag"),  # it is the one that is out of time that stands alone
        ("W:WK46,K47:BK3", "leaflet", "flag"),
        ("W:WK46,K47:BK3", "classic", "flag"),
        ("W:WK46,K47:BK3", "club", "flag"),
    ],
)
def test_time_is_up_against_a_lone_king(fen: str, rules: str, reason: str) -> None:
    result = timed("60", fen, rules=rules).apply(FlagFallen(), at=60.0, by=None).result
    assert result == Result(None if reason == "flag_lone_king" else Color.BLACK, reason)


def test_a_pause_stops_the_clock() -> None:
    game = timed("60").apply(Paused(), at=10.0, by=None)
    assert left(game, 1e6) == (50, 60)
    game = game.apply(Resumed(), at=1e6, by=None)
    assert left(game, 1e6 + 5) == (45, 60)
    early = timed("60", at=None).apply(Paused(), at=0.0, by=None).apply(Resumed(), at=50.0, by=None)
    assert left(early, 1e6) == (60, 60)


def test_time_is_given_by_the_opponent_or_the_arbiter() -> None:
    game = timed("60")
    assert left(game.apply(TimeAdded(15, Color.BLACK), at=5.0, by=Color.WHITE), 5.0) == (55, 75)
    assert left(game.apply(TimeAdded(15, Color.WHITE), at=5.0, by=None), 5.0) == (70, 60)
    with pytest.raises(NotYourTime):
        game.apply(TimeAdded(15, Color.WHITE), at=5.0, by=Color.WHITE)
    with pytest.raises(NoClock):
        do(Game.start(), TimeAdded(15, Color.BLACK), Color.WHITE)
    for seconds in (0, -5, 10**9, 0.5):
        with pytest.raises(BadEvent):
            game.apply(TimeAdded(seconds, Color.BLACK), at=5.0, by=None)  # pyright: ignore[reportArgumentType]


def test_taking_back_gives_no_time_but_leaves_a_gift() -> None:
    game = timed("60+5")
    for at, text in ((2.0, "32-28"), (12.0, "19-23")):
        game = game.apply(MoveMade.of(game.board.parse(text)), at=at, by=game.turn)
    assert left(game, 12.0) == (63, 55)
    gift = game.apply(TimeAdded(30, Color.BLACK), at=12.0, by=Color.WHITE)
    for before, clocks in ((game, (58, 50)), (gift, (58, 80))):
        asked = before.apply(TakeBackOffered(), at=12.0, by=Color.WHITE)
        back = asked.apply(TakeBackAccepted(2), at=12.0, by=Color.BLACK)
        assert left(back, 12.0) == clocks
        assert back.clock is not None
        assert (back.clock.running, back.clock.moves) == (Color.WHITE, (0, 0))


def test_the_clock_stands_still_when_the_game_is_over() -> None:
    game = timed("60").apply(Resigned(), at=10.0, by=Color.BLACK)
    assert left(game, 1e6) == (50, 60)
    assert left(timed("60", "W:W:B1"), 1e6) == (60, 60)


# --- What is no event and no start --------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["32-28", Move(32, 28), None, 5, DrawOffered])
def test_what_is_no_event_is_refused_with_what_would_be_one(event: Any) -> None:
    game = Game.start()
    with pytest.raises(TypeError, match=r"MoveMade\.of\(move\)|DrawOffered\(…\)"):
        game.apply(event, at=1.0, by=Color.WHITE)
    with pytest.raises(TypeError):
        Game.replay(game.origin, [Entry(event, 1.0, Color.WHITE)])
    with pytest.raises(TypeError):
        Game.replay(game.origin, [event])


@pytest.mark.parametrize("side", ["white", 0, True])
def test_what_is_no_side_is_refused(side: Any) -> None:
    game = timed("300+5")
    for ask in (
        lambda: game.apply(MoveMade(32, 28), at=1.0, by=side),
        lambda: game.apply(TimeAdded(5, side), at=1.0, by=None),
        lambda: game.player(side),
        lambda: game.explain(32, 28, side),
        lambda: game.clock and game.clock.remaining(side, at=1.0),
        lambda: game.clock and game.clock.stopped(0.0).started(side, at=1.0),
        lambda: game.clock and game.clock.added(side, 5),
        lambda: game.is_adjusting(side),
        lambda: game.can_take_back(side),
        lambda: game.plies_to_own_move(side),
        lambda: game.moves_until_draw_offer(side),
    ):
        with pytest.raises(TypeError, match=r"Color\.WHITE"):
            ask()


def test_a_moves_squares_are_numbers() -> None:
    for move in (MoveMade("32", "28"), MoveMade(32.0, 28)):  # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match="a square is a number"):
            Game.start().apply(move, at=1.0, by=Color.WHITE)


@pytest.mark.parametrize("name", ["white", "black", "clock", "fen", "rules"])
@pytest.mark.parametrize("value", [5, 0, b"", ["Anna"]])
def test_what_is_no_start_is_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        Game.start(**{name: value})


def test_players_and_clocks_are_no_texts() -> None:
    with pytest.raises(TypeError, match=r"Player\(name="):
        Game.start(white="Anna")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"TimeControl\.fischer"):
        Start("club", "W:W31-50:B1-20", clock="300+5")  # pyright: ignore[reportArgumentType]


def test_rules_are_a_value_or_its_name() -> None:
    game = Game.start(CLUB)
    assert game == Game.start("club")
    assert Game.replay(game.origin, ()) == game
    for own in (Rules("mine"), Rules("club", king_moves=3)):  # a game keeps the name alone
        with pytest.raises(ValueError, match="rule"):
            Game.start(own)


def test_an_illegal_move_says_why_as_the_board_does() -> None:
    game, board = Game.start(), Board()
    with pytest.raises(IllegalMove) as in_game:
        game.apply(MoveMade(32, 33), at=1.0, by=Color.WHITE)
    with pytest.raises(IllegalMove) as on_board:
        board.push("32-33")
    assert str(in_game.value) == str(on_board.value) == "32-33: Your own piece stands on 33; choose an empty square."


def test_a_capture_that_does_not_say_what_it_takes_is_told_so() -> None:
    game = Game.start(fen="W:WK47:B14,19,29,31,42")
    with pytest.raises(IllegalMove) as refused:
        game.apply(MoveMade(47, 36), at=1.0, by=Color.WHITE)
    assert str(refused.value) == (
        "47-36 must say what it takes and whether a man is crowned, as MoveMade.of(move) does: "
        "captured=(14, 29, 31, 42), crowned=False; captured=(19, 29, 31, 42), crowned=False."
    )


@pytest.mark.parametrize(("control", "left"), [("300+5", 295_000), ("300d5", 295_000), ("1/300:1/10:5", 295_000)])
def test_what_a_move_used_stays_used_when_it_is_taken_back(control: str, left: int) -> None:
    game = Game.start(clock=TimeControl.from_pdn(control), at=0.0)
    game = game.apply(MoveMade(32, 28), at=5.0, by=Color.WHITE).apply(TakeBackOffered(), at=5.0, by=Color.WHITE)
    game = game.apply(TakeBackAccepted(1), at=5.0, by=Color.BLACK)
    assert game.clock is not None
    assert (game.clock.white, game.clock.black) == (left, 300_000)


def test_no_move_is_taken_back_to_where_a_side_has_no_time_left() -> None:
    game = Game.start(black=COMPUTER, clock=TimeControl.bronstein(10, 5), at=0.0)
    game = game.apply(MoveMade(32, 28), at=5.0, by=Color.WHITE).apply(MoveMade(19, 23), at=6.0, by=Color.BLACK)
    game = game.apply(MoveMade(28, 19, (23,)), at=12.0, by=Color.WHITE)
    with pytest.raises(NoTimeLeft):
        game.apply(TookBack(3), at=12.0, by=Color.WHITE)
    nearer = game.apply(TookBack(1), at=12.0, by=Color.WHITE)
    assert nearer.clock is not None
    assert nearer.clock.white == 4_000


def test_a_game_is_frozen() -> None:
    game = play(Game.start(), "32-28")
    for name in ("result", "events", "origin", "_board", "other"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(game, name, None)
    with pytest.raises(AttributeError, match="frozen"):
        del game.result


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_game_goes_to_other_processes(protocol: int) -> None:
    game = play(Game.start(clock=TimeControl.fischer(300, 5), at=0.0), "32-28", "19-23", "28x19")
    again = pickle.loads(pickle.dumps(game, protocol))
    assert again == game
    assert (again.clock, again.board.moves) == (game.clock, game.board.moves)
