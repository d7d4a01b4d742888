"""The game as a pure value: events, results, taking back, JSON, replay."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damier import Color, IllegalMove
from damier.errors import BadFen
from damier.events import Entry, Event, MoveMade, Resigned, TookBack, event_from_json
from damier.game import Game
from damier.record import Player, Result, Start
from damier.refusals import BadEvent, GameOver, NeedsAgreement, NothingToTakeBack, NotYourTurn, TimeRunsBack

if TYPE_CHECKING:
    from collections.abc import Callable

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


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"event": "castle"},
        {"event": "move"},
        {"event": "move", "from": 32},
        {"event": "move", "from": 0, "to": 28},
        {"event": "move", "from": 32, "to": 51},
        {"event": "move", "from": True, "to": 28},
        {"event": "move", "from": "32", "to": 28},
        {"event": "move", "from": 32, "to": 28, "captured": "23"},
        {"event": "move", "from": 32, "to": 28, "captured": [99]},
        {"event": "move", "from": 32, "to": 28, "crowned": 1},
        {"event": "take_back"},
        {"event": "take_back", "plies": 0},
        {"event": "take_back", "plies": 1.5},
    ],
)
def test_json_that_is_no_event_is_refused(data: object) -> None:
    with pytest.raises(BadEvent):
        event_from_json(data)


@pytest.mark.parametrize("field", ["at", "by"])
@pytest.mark.parametrize("value", ["", "later", [], math.nan, True])
def test_json_that_is_no_entry_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadEvent) as refused:
        Entry.from_json({"event": "resign", "at": 1.0, "by": "white", field: value})
    assert refused.value.part == field


@pytest.mark.parametrize(
    "change",
    [{"rules": None}, {"fen": 3}, {"white": None}, {"white": {"kind": 1}}, {"black": {"kind": "guest", "level": "x"}}],
)
def test_json_that_is_no_start_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadEvent):
        Start.from_json({**Game.start().origin.to_json(), **change})


def test_every_refusal_says_itself_in_every_language() -> None:
    for error in (GameOver(), NotYourTurn(), NothingToTakeBack(), NeedsAgreement(), TimeRunsBack(1, 2), BadEvent("at")):
        for language in ("nl", "fr", "de", "en"):
            assert error.sentence(language)


# --- Properties ---------------------------------------------------------------------------------------------------


def steps() -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 2**16), max_size=120)


def next_event(game: Game, number: int) -> tuple[Event, Color]:
    """One of what may happen now, moves most of the time."""
    white_back = game.can_take_back(Color.WHITE)
    if number % 13 == 0 and white_back:
        return TookBack(white_back), Color.WHITE
    if number % 499 == 0:
        return Resigned(), Color.BLACK if number % 2 else Color.WHITE
    legal = game.board.legal_moves
    return MoveMade.of(legal[number % len(legal)]), game.turn


def grown(rules: str, numbers: list[int], look: Callable[[Game], None] = lambda game: None) -> Game:
    game = against_computer(rules=rules)
    look(game)
    for number in numbers:
        if game.result is not None:
            break
        event, by = next_event(game, number)
        game = game.apply(event, at=game.version / 4, by=by)
        look(game)
    return game


@given(st.sampled_from(["official", "leaflet", "classic", "club"]), steps())
@settings(max_examples=150, deadline=None)
def test_replaying_gives_the_same_game(rules: str, numbers: list[int]) -> None:
    game = grown(rules, numbers)
    text = json.dumps({"start": game.origin.to_json(), "events": [entry.to_json() for entry in game.events]})
    data = json.loads(text)
    again = Game.replay(Start.from_json(data["start"]), [Entry.from_json(entry) for entry in data["events"]])
    assert again == game
    assert hash(again) == hash(game)
    assert again.result == game.result
    assert again.board.fen() == game.board.fen()
    assert again.board.moves == game.board.moves
    assert again.board.draw_counts == game.board.draw_counts


@given(st.sampled_from(["official", "leaflet", "classic", "club"]), steps())
@settings(max_examples=100, deadline=None)
def test_no_sequence_of_events_reaches_an_impossible_state(rules: str, numbers: list[int]) -> None:
    versions: list[int] = []

    def look(game: Game) -> None:
        versions.append(game.version)
        assert game.plies == len(game.board.moves) <= game.version
        assert (game.result is None) or not game.can_take_back(Color.WHITE)
        if game.result is None:
            assert game.board.legal_moves
            assert game.board.outcome() is None
        plies = game.can_take_back(Color.WHITE)
        if plies:
            assert game.apply(TookBack(plies), at=1e9, by=Color.WHITE).turn is Color.WHITE

    grown(rules, numbers, look)
    assert versions == list(range(len(versions)))


@given(steps(), st.sampled_from([Resigned(), TookBack(1), TookBack(2), MoveMade(32, 28)]), st.sampled_from(list(Color)))
@settings(max_examples=100, deadline=None)
def test_a_finished_game_accepts_nothing(numbers: list[int], event: Event, by: Color) -> None:
    game = grown("official", numbers)
    if game.result is None:
        game = game.apply(Resigned(), at=1e9, by=Color.BLACK)
    with pytest.raises(GameOver):
        game.apply(event, at=2e9, by=by)
