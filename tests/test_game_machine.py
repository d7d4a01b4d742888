"""Whole games played at random by a state machine, against rules written anew from the text."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from damier import Color, IllegalMove
from damier.clock import TimeControl
from damier.events import (
    Abandoned,
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
from damier.record import Player, Start
from damier.refusals import FlagDown, GameError, GameOver

SIDES: Final = list(Color)
FENS: Final = [
    None,
    None,
    None,
    "B:W31-50:B1-20",
    "W:WK46,K47:BK3",  # two pieces against a lone king
    "W:WK46,K47,32:BK3",  # three
    "B:WK46:BK5",
    "W:W6,7:B44,45",  # promotions at hand
    "W:W28,33:B23,19,9",
    "W:WK46,K40:BK5,K36",
]
CONTROLS: Final = ["-", "60", "20+5", "0+3", "30d3", "2/30:1/10:15+1", "3/20", "1/86400", "*40"]
SPANS: Final = (
    st.sampled_from([0.0, 0.001, 0.25, 0.25, 1.0, 3.0]) | st.floats(0, 2) | st.sampled_from([4.9995, 61.0, 9e4])
)
ENDINGS: Final = (Resigned, Aborted, Abandoned, DrawAccepted, FlagFallen)
PLAIN: Final[list[Event]] = [
    DrawOffered(),
    DrawAccepted(),
    DrawDeclined(),
    TakeBackOffered(),
    TakeBackAccepted(1),
    TakeBackAccepted(2),
    TakeBackDeclined(),
    TookBack(1),
    TookBack(2),
    TookBack(3),
    AdjustingSaid(),
    AdjustingUnsaid(),
    Resigned(),
    FlagFallen(),
    Aborted(),
    Abandoned(Color.WHITE),
    Abandoned(Color.BLACK, draw=True),
    Paused(),
    Resumed(),
]
EVENTS: Final = (
    st.sampled_from(PLAIN)
    | st.builds(Touched, st.integers(1, 50))
    | st.builds(TimeAdded, st.integers(1, 30), st.sampled_from(SIDES))
    | st.builds(MoveMade, st.integers(1, 50), st.integers(1, 50))
)
LAGS: Final = st.sampled_from([0, 0, 1, 250, 1000])


def through_json(game: Game) -> Game:
    """The game as somebody makes it who has only read its JSON."""
    text = json.dumps({"start": game.origin.to_json(), "events": [entry.to_json() for entry in game.events]})
    data = json.loads(text)
    return Game.replay(Start.from_json(data["start"]), [Entry.from_json(entry) for entry in data["events"]])


def standing_offer(events: tuple[Entry, ...]) -> Color | None:
    """Who offers a draw: read back to the last offer, unless something has ended it."""
    for number in range(len(events) - 1, -1, -1):
        event, offerer = events[number].event, events[number].by
        if isinstance(event, DrawOffered):
            for later in events[number + 1 :]:
                moved_on = isinstance(later.event, MoveMade) and later.by is not offerer
                if moved_on or isinstance(later.event, DrawDeclined | TookBack | TakeBackAccepted):
                    return None
            return offerer
    return None


def moves_to_wait(events: tuple[Entry, ...], side: Color) -> int:
    """How many moves its opponent has to make before a side may offer a draw again."""
    movers: list[Color | None] | None = None  # of the moves since its last offer that still stand
    wanted = 10
    for entry in events:
        if isinstance(entry.event, DrawOffered):
            movers = [] if entry.by is side else movers
            wanted = 10 if entry.by is side else 1
        elif isinstance(entry.event, MoveMade) and movers is not None:
            movers.append(entry.by)
        elif isinstance(entry.event, (TookBack, TakeBackAccepted)) and movers:
            del movers[-entry.event.plies :]
    return 0 if movers is None else max(0, wanted - movers.count(side.opponent))


class GameMachine(RuleBasedStateMachine):
    game: Game
    now: float

    @initialize(
        rules=st.sampled_from(["official", "leaflet", "leaflet", "classic", "club"]),
        fen=st.sampled_from(FENS),
        control=st.sampled_from(CONTROLS),
        computer=st.sampled_from([None, None, *SIDES]),
        at=st.sampled_from([None, 0.0, 1.7e9]),
    )
    def begin(self, rules: str, fen: str | None, control: str, computer: Color | None, at: float | None) -> None:
        players = {
            color: Player("computer", level=1) if color is computer else Player(id=color.name) for color in SIDES
        }
        clock = TimeControl.from_pdn(control)
        white, black = players[Color.WHITE], players[Color.BLACK]
        self.game = Game.start(rules, fen, white=white, black=black, clock=clock, at=at)
        self.now = at or 0.0

    def do(self, event: Event, span: float, by: Color | None) -> None:
        """Try an event; if it is accepted, look at what it has changed."""
        before, now = self.game, self.now + span
        kept = copy.copy(before._state), before.board.fen(), before.result
        try:
            after = before.apply(event, at=now, by=by)
        except (GameError, IllegalMove):
            pass  # the assertion at the end: nothing has changed
        else:
            assert before.result is None
            assert after.events == (*before.events, Entry(event, now, by))
            self.look_at_time(before, after, event, now, by)
            self.game, self.now = after, now
        assert (before._state, before.board.fen(), before.result) == kept

    def look_at_time(self, before: Game, after: Game, event: Event, now: float, by: Color | None) -> None:
        if before.clock is None or after.clock is None:
            return
        control = before.origin.clock
        lag = event.lag / 1000 if isinstance(event, MoveMade) else 0
        for color in SIDES:
            had, has = before.clock.remaining(color, now), after.clock.remaining(color, now)
            if isinstance(event, TimeAdded) and event.to is color:
                assert has == pytest.approx(had + event.seconds)
            elif isinstance(event, MoveMade) and by is color:
                earned = sum(stage.seconds + stage.increment + stage.delay for stage in control.stages)
                assert has <= max(had + earned + lag, control.initial if control.days else 0) + 0.001
            elif isinstance(event, TookBack | TakeBackAccepted):
                assert has <= max(had, control.initial if control.days else 0)
            elif control.hourglass:
                assert had - lag - 0.001 <= has <= had  # the sand that has not run while a move was on its way
            else:
                assert has == had
        for color in SIDES:
            if not control.hourglass:
                later = after.clock.remaining(color, now + 5)
                assert later <= after.clock.remaining(color, now)

    @rule(number=st.integers(0, 999), span=SPANS, lag=LAGS)
    def move(self, number: int, span: float, lag: int) -> None:
        moves = self.game.legal_moves
        if moves:
            self.do(replace(MoveMade.of(moves[number % len(moves)]), lag=lag), span, self.game.turn)

    @rule(numbers=st.lists(st.integers(0, 999), min_size=5, max_size=30))
    def play_on(self, numbers: list[int]) -> None:
        for number in numbers:
            self.move(number, 0.25, 0)

    @rule(event=EVENTS, span=SPANS, by=st.sampled_from([None, *SIDES]))
    def try_anything(self, event: Event, span: float, by: Color | None) -> None:
        self.do(event, span, by)

    @rule(number=st.integers(0, 999), span=st.sampled_from([0.0, 0.25]), ending=st.sampled_from([False] * 9 + [True]))
    def something_that_is_accepted(self, number: int, span: float, ending: bool) -> None:
        fitting = [
            (event, by)
            for event in PLAIN
            for by in (None, *SIDES)
            if isinstance(event, ENDINGS) == ending and self.is_accepted(event, self.now + span, by)
        ]
        if fitting:
            event, by = fitting[number % len(fitting)]
            self.do(event, span, by)

    def is_accepted(self, event: Event, at: float, by: Color | None) -> bool:
        try:
            self.game.apply(event, at=at, by=by)
        except GameError:
            return False
        return True

    @precondition(lambda self: self.game.result is None and self.game.plies > 0)
    @rule(by=st.sampled_from(SIDES), span=st.sampled_from([0.0, 0.25]))
    def take_back(self, by: Color, span: float) -> None:
        """Against the computer freely, else by agreement; either way the same position comes back."""
        game, plies = self.game, self.game.plies_to_own_move(by)
        if game.player(by.opponent).is_computer:
            self.do(TookBack(plies), span, by)
        else:
            self.do(TakeBackOffered(), span, by)
            self.do(TakeBackAccepted(plies), 0.0, by.opponent)
        if self.game.plies < game.plies:
            board = game.board
            for _ in range(plies):
                board.pop()
            assert self.game.board.position == board.position
            assert self.game.board.draw_counts == board.draw_counts
            assert self.game.turn is by

    @precondition(lambda self: self.game.draw_offer is not None or self.game.take_back_offer is not None)
    @rule(accepts=st.sampled_from([False, False, True]))
    def answer(self, accepts: bool) -> None:
        """Offers are answered more often than they would be at random."""
        game = self.game
        if game.take_back_offer is not None:
            plies = game.plies_to_own_move(game.take_back_offer)
            answer = TakeBackAccepted(plies) if accepts else TakeBackDeclined()
            self.do(answer, 0.25, game.take_back_offer.opponent)
        elif game.draw_offer is not None:
            self.do(DrawAccepted() if accepts else DrawDeclined(), 0.25, game.draw_offer.opponent)

    @precondition(lambda self: self.game.result is None and self.game._board.rules.touch_move)
    @rule(number=st.integers(0, 99), other=st.integers(0, 99))
    def touch_and_move(self, number: int, other: int) -> None:
        """The touched piece moves; another one may move only if the touch bound nobody."""
        game = self.game
        own = game.board.pieces(game.turn)
        square = own[number % len(own)]
        self.do(Touched(square), 0.0, game.turn)
        moves = game.board.legal_moves
        move = moves[other % len(moves)]
        free = self.game.touched in (None, move.from_square) and not self.game.paused
        version = self.game.version
        self.do(MoveMade.of(move), 0.0, game.turn)
        flag_down = game.clock is not None and game.clock.fallen(self.now)
        assert (self.game.version > version) == (free and not flag_down)

    @precondition(lambda self: self.game.result is None and not self.game.version % 5)
    @rule(side=st.sampled_from(SIDES), draw=st.booleans(), by=st.sampled_from([None, None, *SIDES]))
    def let_a_side_leave(self, side: Color, draw: bool, by: Color | None) -> None:
        """Only the arbiter says so, and only once both sides have moved."""
        game, clock = self.game, self.game.clock
        begun = self.both_have_moved(game)
        flag_down = clock is not None and clock.fallen(self.now)
        self.do(Abandoned(side, draw), 0.0, by)
        result = self.game.result
        assert (result is not None) == (by is None and begun and not game.paused and not flag_down)
        if result is not None:
            assert (result.winner, result.reason) == (None if draw else side.opponent, "abandoned")
            assert result.score == ("1-1" if draw else "0-2" if side is Color.WHITE else "2-0")

    @staticmethod
    def both_have_moved(game: Game) -> bool:
        plies = most = 0
        for entry in game.events:
            if isinstance(entry.event, MoveMade):
                plies += 1
            elif isinstance(entry.event, TookBack | TakeBackAccepted):
                plies -= entry.event.plies
            most = max(most, plies)
        return most >= 2

    @precondition(lambda self: self.game.result is None and self.game.clock is not None)
    @rule(by=st.sampled_from([None, *SIDES]))
    def let_the_flag_fall(self, by: Color | None) -> None:
        clock = self.game.clock
        falls_at = None if clock is None else clock.falls_at
        if clock is None or falls_at is None or self.game.version % 3:  # not always: there is more to see
            return
        span = max(0.0, falls_at - self.now)
        loser = clock.running
        assert loser is not None
        with pytest.raises(FlagDown):
            self.game.apply(Resigned(), at=self.now + span + 0.001, by=loser)
        board, rules = self.game.board, self.game.origin.rules
        winners = board.pieces(loser.opponent)
        lone_king = len(winners) == 1 and winners == board.pieces(loser.opponent, king=True)
        against = len(board.pieces(loser))
        drawn = rules == "official" and lone_king and 1 <= against <= 3 and bool(board.pieces(loser, king=True))
        self.do(FlagFallen(), span + 0.001, by)
        result = self.game.result
        assert result is not None
        assert (result.winner, result.reason) == ((None, "flag_lone_king") if drawn else (loser.opponent, "flag"))

    @invariant()
    def no_impossible_state(self) -> None:
        game, board = self.game, self.game.board
        assert game.plies == board.ply
        assert game.draw_offer is standing_offer(game.events)
        for side in SIDES:
            assert game.moves_until_draw_offer(side) == moves_to_wait(game.events, side)
            moved = [entry for entry in game.events if isinstance(entry.event, MoveMade) and entry.by is side]
            assert game.can_abort <= (game.result is None)
            if not moved and game.result is None and board.ply < 2:
                assert game.can_abort
            if game.is_adjusting(side):
                assert board.rules.touch_move
        if game.touched is not None:
            assert board.rules.touch_move
            assert any(move.from_square == game.touched for move in board.legal_moves)
        if game.take_back_offer is not None:
            assert game.plies_to_own_move(game.take_back_offer)
            assert not game.player(game.take_back_offer.opponent).is_computer
        if game.result is None:
            assert board.outcome() is None
            assert bool(game.legal_moves) != game.paused
        else:
            self.finished(game)

    def finished(self, game: Game) -> None:
        assert game.result is not None
        points = {"2-0": "1-0", "1-1": "½-½", "0-2": "0-1", "*": "*"}
        assert game.result.chess_score == points[game.result.score]
        assert not game.legal_moves
        assert not game.can_abort
        assert game.clock is None or game.clock.running is None
        for event in (*PLAIN, Touched(32), TimeAdded(5, Color.WHITE), MoveMade(32, 28)):
            for by in (None, *SIDES):
                with pytest.raises(GameOver):
                    game.apply(event, at=self.now, by=by)

    @invariant()
    def the_clock_fits_the_game(self) -> None:
        game, clock = self.game, self.game.clock
        assert (clock is None) == (not game.origin.clock)
        if clock is None:
            return
        readings = game._state.readings
        assert len(readings) == game.plies + 1
        assert sum(clock.moves) == game.plies
        assert min(clock.white, clock.black) >= 0
        if game.result is None and game._timed and not game.paused:
            assert clock.running is game.turn
        else:
            assert clock.running is None

    @invariant()
    def replayed_it_is_the_same(self) -> None:
        for again in (Game.replay(self.game.origin, self.game.events), through_json(self.game)):
            assert again == self.game
            assert hash(again) == hash(self.game)
            assert again._state == self.game._state
            assert again.result == self.game.result
            assert again.board.moves == self.game.board.moves
            assert again.board.draw_counts == self.game.board.draw_counts


GameMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=30, deadline=None)
TestGameMachine = GameMachine.TestCase
