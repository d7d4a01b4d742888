"""A game between two parties as a pure value: its start and the events that followed.

A :class:`Game` reads no clock and does no input or output. Applying an event gives a new game, or an error and no
game; applying the same events to the same start gives the same game, today and on another machine. That is how games
are stored: the start once, then one event after another.

>>> from damier import Color
>>> game = Game.start("official")
>>> game = game.apply(MoveMade(32, 28), at=10.0, by=Color.WHITE)
>>> game = game.apply(Resigned(), at=12.5, by=Color.BLACK)
>>> game.result.score, game.result.reason
('2-0', 'resigned')
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from damier import Board, Color
from damier.clock import Clock, TimeControl
from damier.events import (
    LATEST,
    LONGEST_LAG,
    MOST_SECONDS,
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
    expect_event,
    json_moment,
    json_whole,
)
from damier.record import Player, Result, Start
from damier.refusals import (
    AdjustingAlready,
    ArbiterOnly,
    AskedAlready,
    DrawTooSoon,
    FlagDown,
    FlagUp,
    GameOver,
    GamePaused,
    NeedsAgreement,
    NoClock,
    NoNeedToAsk,
    NotAdjusting,
    NotBegun,
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
    refused_move,
)
from damier.rules import by_name
from damier.standing import MOVES_BETWEEN_OFFERS, Standing, State, expect_side
from damier.values import expect

if TYPE_CHECKING:
    from damier import Rules

__all__ = ["MOVES_BETWEEN_OFFERS", "Game"]

# What may be done while a game is paused.
_WHILE_PAUSED: Final = (
    Resumed,
    Paused,
    Resigned,
    Aborted,
    DrawOffered,
    DrawAccepted,
    DrawDeclined,
    TakeBackDeclined,
    TimeAdded,
)
# What the arbiter does, who is no side.
_BY_THE_ARBITER: Final = (FlagFallen, Aborted, Abandoned, TimeAdded, Paused, Resumed)


class Game(Standing):
    """A game at one moment; immutable. Made by :meth:`start`, continued by :meth:`apply`."""

    __slots__ = ()

    @classmethod
    def start(
        cls,
        rules: Rules | str = "official",
        fen: str | None = None,
        *,
        white: Player | None = None,
        black: Player | None = None,
        clock: TimeControl | None = None,
        at: float | None = None,
    ) -> Game:
        """A new game; :class:`Start` explains ``clock`` and ``at``.

        Raises :class:`damier.errors.BadFen` for a position that cannot be set up, ValueError for a rule set that is
        not in :data:`damier.rules.RULE_SETS`: a game is kept under the name of its rules.

        >>> Game.start("official", "W:W32:B1").board.fen()
        'W:W32:B1'
        """
        board = Board(rules=rules) if fen is None else Board(fen, rules=rules)
        if by_name(board.rules.name) != board.rules:
            raise ValueError(
                f"a game is kept under the name of its rules, and {board.rules} are not those of that name"
            )
        if at is not None:
            at = json_moment(at, "at")
        white, black = (Player() if player is None else player for player in (white, black))
        clock = TimeControl.none() if clock is None else clock
        origin = Start(board.rules.name, board.fen(), white, black, clock, at)
        result = Result.of(board.outcome())
        ticking = Clock.of(origin.clock) if origin.clock else None
        if ticking is not None and at is not None and result is None:
            ticking = ticking.started(board.turn, at)
        return cls(origin, (), board, State(ticking, () if ticking is None else (ticking,)), result)

    @classmethod
    def replay(cls, origin: Start, events: Iterable[Entry]) -> Game:
        """The game that these events make of this start; raises what :meth:`apply` raises at the first misfit.

        >>> game = Game.start().apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)
        >>> Game.replay(game.origin, game.events) == game
        True
        """
        expect(origin, Start, "a game is replayed from a Start")
        game = cls.start(
            origin.rules, origin.fen, white=origin.white, black=origin.black, clock=origin.clock, at=origin.at
        )
        for entry in events:
            expect(entry, Entry, "what happened in a game is an Entry")
            game = game.apply(entry.event, at=entry.at, by=entry.by)
        return game

    def to_json(self) -> dict[str, object]:
        """The start and the events; :func:`damier.notation.json.schema` has the schema, ``record``.

        >>> Game.from_json(Game.start("club").to_json()) == Game.start("club")
        True
        """
        from damier.notation.json import record_to_json

        return record_to_json(self)

    @classmethod
    def from_json(cls, data: object) -> Game:
        """The game that JSON tells; raises :class:`damier.notation.json.BadJson` with the place of what is wrong."""
        from damier.notation.json import record_from_json

        return record_from_json(data)

    # --- Events ----------------------------------------------------------------------------------------------------

    def apply(self, event: Event, *, at: float, by: Color | None) -> Game:
        """The game after one more event, by its author at the moment at which it counts (in seconds).

        ``by`` is None for the arbiter, who may say that a flag has fallen or a side has left, abort, add time, pause and
        resume.

        Raises what :mod:`damier.refusals` lists, :class:`damier.errors.IllegalMove` with the reason why, or TypeError
        for what is no event or no side.
        """
        expect_event(event)
        if by is not None:
            expect_side(by)
        if self.result is not None:
            raise GameOver
        self._check_moment(at)
        clock = self._state.clock
        lag = json_whole(event.lag, "lag", 0, LONGEST_LAG) if isinstance(event, MoveMade) else 0
        if clock is not None and clock.fallen(at, lag) and not isinstance(event, FlagFallen):
            raise FlagDown
        if self._state.paused and not isinstance(event, _WHILE_PAUSED):
            raise GamePaused
        if by is not None:
            board, state, result = self._by_player(event, at, by)
        elif isinstance(event, _BY_THE_ARBITER):
            board, state, result = self._board, *self._by_anybody(event, at, None)
        else:
            raise PlayersOnly
        if result is not None and state.clock is not None:
            state = replace(state, clock=state.clock.stopped(at))
        return Game(self.origin, (*self.events, Entry(event, float(at), by)), board, state, result)

    def between(self, white: Player, black: Player) -> Game:
        """The same game, its players called otherwise.

        >>> game = Game.start("official", white=Player(name="Anna"))
        >>> game.between(Player("gone"), game.origin.black).player(Color.WHITE)
        Player(kind='gone', name=None, level=None, id=None)
        """
        origin = replace(self.origin, white=white, black=black)
        return Game(origin, self.events, self._board, self._state, self.result)

    def _check_moment(self, at: float) -> None:
        at = json_moment(at, "at")
        last = self.events[-1].at if self.events else -LATEST if self.origin.at is None else self.origin.at
        if at < last:
            raise TimeRunsBack(at, last)

    def _by_player(self, event: Event, at: float, by: Color) -> tuple[Board, State, Result | None]:
        state, result, board = self._state, None, self._board
        match event:
            case MoveMade():
                board = self._after_move(event, by)
                state, result = self._moved(board, at, by, event.lag), Result.of(board.outcome())
            case TookBack() | TakeBackAccepted():
                board = self._before(self._plies_taken_back(event, by))
                state = self._returned(board, at)
            case DrawOffered():
                state = self._draw_offered(by)
            case DrawAccepted():
                result = self._draw_accepted(by)
            case DrawDeclined():
                self._draw_accepted(by)
                state = replace(state, draw_offer=None)
            case TakeBackOffered():
                state = self._take_back_offered(by)
            case TakeBackDeclined():
                if state.take_back_offer is not by.opponent:
                    raise NothingOffered
                state = replace(state, take_back_offer=None)
            case Touched():
                state = self._after_touch(event.square, by)
            case AdjustingSaid() | AdjustingUnsaid():
                state = self._adjusted(by, begins=isinstance(event, AdjustingSaid))
            case Resigned():
                result = Result(by.opponent, "resigned")
            case FlagFallen() | Aborted() | Abandoned() | TimeAdded() | Paused() | Resumed():
                state, result = self._by_anybody(event, at, by)
        return board, state, result

    def _by_anybody(
        self, event: FlagFallen | Aborted | Abandoned | TimeAdded | Paused | Resumed, at: float, by: Color | None
    ) -> tuple[State, Result | None]:
        match event:
            case FlagFallen():
                return self._state, self._flag_fallen(at)
            case Aborted():
                if self._state.begun:
                    raise TooLateToAbort
                return self._state, Result(None, "aborted")
            case Abandoned():
                if by is not None:
                    raise ArbiterOnly
                if not self._state.begun:
                    raise NotBegun
                return self._state, Result(None if event.draw else event.side.opponent, "abandoned")
            case TimeAdded():
                return self._time_added(event, by), None
            case Paused() | Resumed():
                if by is not None and not self.player(by.opponent).is_computer:
                    raise ArbiterOnly
                return (self._halted(at) if isinstance(event, Paused) else self._resumed(at)), None

    # --- Moves -----------------------------------------------------------------------------------------------------

    def _after_move(self, event: MoveMade, by: Color) -> Board:
        if self._board.turn is not by:
            raise NotYourTurn
        for square in (event.from_square, event.to_square):
            expect(square, int, "a square is a number from 1 to 50")
        legal = self.legal_moves
        for move in legal:
            if (
                move.from_square == event.from_square
                and move.to_square == event.to_square
                and move.captured == event.captured
                and move.crowned == event.crowned
            ):
                board = self._board.copy()
                board.push(move)
                return board
        reason = self.explain(event.from_square, event.to_square, capture=bool(event.captured))
        raise refused_move(event, legal, self._board.fen(), reason)

    def _moved(self, board: Board, at: float, by: Color, lag: int) -> State:
        state = self._state
        begun = state.begun or board.ply >= 2
        clock, readings = state.clock, state.readings
        if clock is not None:
            if clock.running is None:
                clock = clock.moved_untimed(by)
                if begun and board.outcome() is None:
                    clock = clock.started(board.turn, at)
            else:
                clock = clock.moved(at, lag)
            readings = (*readings, clock)
        return State(
            clock,
            readings,
            begun,
            draw_offer=None if state.draw_offer is by.opponent else state.draw_offer,
            draw_offers=state.draw_offers,
            last_draw_offer=state.last_draw_offer,
            adjusting=state.adjusting,
        )

    # --- Taking back -----------------------------------------------------------------------------------------------

    def _take_back_offered(self, by: Color) -> State:
        state = self._state
        if self.player(by.opponent).is_computer:
            raise NoNeedToAsk
        if not self.plies_to_own_move(by):
            raise NothingToTakeBack
        if state.take_back_offer is not None:
            raise OfferStands
        if by in state.take_backs_asked:
            raise AskedAlready
        return replace(state, take_back_offer=by, take_backs_asked=state.take_backs_asked | {by})

    def _plies_taken_back(self, event: TookBack | TakeBackAccepted, by: Color) -> int:
        if isinstance(event, TakeBackAccepted):
            if self._state.take_back_offer is not by.opponent:
                raise NothingOffered
            if event.plies != self.plies_to_own_move(by.opponent):
                raise NothingToTakeBack
            return event.plies
        if not self.player(by.opponent).is_computer:
            raise NeedsAgreement
        leads_to_author = (event.plies % 2 == 0) == (self._board.turn is by)
        if not 1 <= event.plies <= self.plies or not leads_to_author:
            raise NothingToTakeBack
        return event.plies

    def _before(self, plies: int) -> Board:
        board = self._board.copy()
        for _ in range(plies):
            board.pop()
        return board

    def _returned(self, board: Board, at: float) -> State:
        """The state after a return to an earlier position: what was offered, asked and touched is past."""
        state = self._state
        clock, readings = state.clock, state.readings[: board.ply + 1]
        if clock is not None:
            clock = clock.taken_back(readings[-1], at)
            if not (clock.white and clock.black):
                raise NoTimeLeft
            if self._timed:
                clock = clock.started(board.turn, at)
        white, black = (None if ply is None else min(ply, board.ply) for ply in state.draw_offers)
        return replace(
            state,
            clock=clock,
            readings=readings,
            draw_offer=None,
            draw_offers=(white, black),
            take_back_offer=None,
            take_backs_asked=frozenset(),
            touched=None,
        )

    # --- Draws by agreement ----------------------------------------------------------------------------------------

    def _draw_offered(self, by: Color) -> State:
        state = self._state
        if state.draw_offer is not None:
            raise OfferStands
        wait = self.moves_until_draw_offer(by)
        if wait:
            raise DrawTooSoon(wait)
        white, black = state.draw_offers
        offers = (self.plies, black) if by is Color.WHITE else (white, self.plies)
        return replace(state, draw_offer=by, draw_offers=offers, last_draw_offer=by)

    def _draw_accepted(self, by: Color) -> Result:
        if self._state.draw_offer is not by.opponent:
            raise NothingOffered
        return Result(None, "agreed")

    # --- Touch-move ------------------------------------------------------------------------------------------------

    def _after_touch(self, square: int, by: Color) -> State:
        state = self._state
        if not self._board.rules.touch_move:
            raise NoTouchMove
        if self._board.turn is not by:
            raise NotYourTurn
        square = json_whole(square, "square", 1, 50)
        if self._board[square] is None:
            raise NothingThere(square)
        movable = any(move.from_square == square for move in self._board.legal_moves)
        if by in state.adjusting or state.touched is not None or not movable:
            return state  # it binds nobody, or another piece is bound already
        return replace(state, touched=square)

    def _adjusted(self, by: Color, *, begins: bool) -> State:
        adjusting = self._state.adjusting
        if not self._board.rules.touch_move:
            raise NoTouchMove
        if begins and by in adjusting:
            raise AdjustingAlready
        if not begins and by not in adjusting:
            raise NotAdjusting
        return replace(self._state, adjusting=adjusting ^ {by})

    # --- Time ------------------------------------------------------------------------------------------------------

    def _flag_fallen(self, at: float) -> Result:
        fallen = None if self._state.clock is None else self._state.clock.fallen(at)
        if fallen is None:
            raise FlagUp
        if self._is_lone_king(fallen.opponent):
            return Result(None, "flag_lone_king")
        return Result(fallen.opponent, "flag")

    def _time_added(self, event: TimeAdded, by: Color | None) -> State:
        state = self._state
        if state.clock is None:
            raise NoClock
        expect_side(event.to)
        if by is event.to:
            raise NotYourTime
        seconds = json_whole(event.seconds, "seconds", 1, MOST_SECONDS)
        # a gift stays one when moves are taken back
        readings = tuple(reading.added(event.to, seconds) for reading in state.readings)
        return replace(state, clock=state.clock.added(event.to, seconds), readings=readings)

    def _halted(self, at: float) -> State:
        if self._state.paused:
            raise GamePaused
        clock = self._state.clock
        return replace(self._state, paused=True, clock=None if clock is None else clock.stopped(at))

    def _resumed(self, at: float) -> State:
        if not self._state.paused:
            raise NotPaused
        clock = self._state.clock
        if clock is not None and self._timed:
            clock = clock.started(self.turn, at)
        return replace(self._state, paused=False, clock=clock)
