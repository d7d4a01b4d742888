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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from damier import Board, Color, Move, Outcome
from damier.clock import Clock, TimeControl
from damier.errors import IllegalMove
from damier.events import (
    LATEST,
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
    json_moment,
    json_whole,
)
from damier.i18n import N_
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
    NoTouchMove,
    NotPaused,
    NotYourTime,
    NotYourTurn,
    OfferStands,
    PlayersOnly,
    TimeRunsBack,
    TooLateToAbort,
)

if TYPE_CHECKING:
    from damier.explain import Reason

__all__ = ["MOVES_BETWEEN_OFFERS", "Game"]

MOVES_BETWEEN_OFFERS: Final = 10
"""Moves that the opponent makes before a side may offer a draw again, unless the opponent has offered one."""


# What may be done while a game is paused.
_WHILE_PAUSED: Final = (
    *(Resumed, Paused, Resigned, Aborted, TimeAdded),
    *(DrawOffered, DrawAccepted, DrawDeclined, TakeBackDeclined),
)
# What the arbiter does, who is no side.
_BY_THE_ARBITER: Final = (FlagFallen, Aborted, Abandoned, TimeAdded, Paused, Resumed)


@dataclass(slots=True)
class _State:
    """What the events have led to, next to the board. Nobody changes one; to freeze it would double the cost of a move."""

    clock: Clock | None
    readings: tuple[Clock, ...] = ()
    """The clock when each position that led to the present one first stood; the start's first."""
    begun: bool = False
    """Whether both sides have moved, be it moves that were taken back."""
    paused: bool = False
    draw_offer: Color | None = None
    draw_waits: tuple[int, int] = (0, 0)
    """Moves that the opponent of White, and of Black, has to make before they may offer a draw again."""
    take_back_offer: Color | None = None
    take_backs_asked: frozenset[Color] = frozenset()
    """Who has asked for a take-back since the last move."""
    touched: int | None = None
    """The square of the piece that the side to move must move."""
    adjusting: frozenset[Color] = frozenset()


class Game:
    """A game at one moment; immutable. Made by :meth:`start`, continued by :meth:`apply`."""

    __slots__ = ("_board", "_fen", "_state", "events", "origin", "result")

    origin: Start
    """What the game started from."""
    events: tuple[Entry, ...]
    """All that happened since, in order."""
    result: Result | None
    """None while the game goes on."""
    _board: Board
    _state: _State

    def __init__(
        self, origin: Start, events: tuple[Entry, ...], board: Board, state: _State, result: Result | None
    ) -> None:
        self.origin = origin
        self.events = events
        self.result = result
        self._board = board
        self._state = state
        self._fen: str | None = None

    @classmethod
    def start(
        cls,
        rules: str = "official",
        fen: str | None = None,
        *,
        white: Player | None = None,
        black: Player | None = None,
        clock: TimeControl | None = None,
        at: float | None = None,
    ) -> Game:
        """A new game; :class:`Start` explains ``clock`` and ``at``.

        Raises :class:`damier.errors.BadFen` for a position that cannot be set up, ValueError for an unknown rule set.

        >>> Game.start("official", "W:W32:B1").board.fen()
        'W:W32:B1'
        """
        board = Board(rules=rules) if fen is None else Board(fen, rules=rules)
        if at is not None:
            at = json_moment(at, "at")
        origin = Start(rules, board.fen(), white or Player(), black or Player(), clock or TimeControl.none(), at)
        result = _result_of(board.outcome())
        ticking = Clock.of(origin.clock) if origin.clock else None
        if ticking is not None and at is not None and result is None:
            ticking = ticking.started(board.turn, at)
        return cls(origin, (), board, _State(ticking, () if ticking is None else (ticking,)), result)

    @classmethod
    def replay(cls, origin: Start, events: Iterable[Entry]) -> Game:
        """The game that these events make of this start; raises what :meth:`apply` raises at the first misfit.

        >>> game = Game.start().apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)
        >>> Game.replay(game.origin, game.events) == game
        True
        """
        game = cls.start(
            origin.rules, origin.fen, white=origin.white, black=origin.black, clock=origin.clock, at=origin.at
        )
        for entry in events:
            game = game.apply(entry.event, at=entry.at, by=entry.by)
        return game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.origin == other.origin and self.events == other.events

    def __hash__(self) -> int:
        return hash((self.origin, self.events))

    def __repr__(self) -> str:
        return f"<Game {self.origin.rules} {self._board.fen()} after {len(self.events)} events, result {self.result}>"

    # --- The game as it stands -------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The number of events so far; grows by one with each."""
        return len(self.events)

    @property
    def board(self) -> Board:
        """The position with the moves that led to it; the caller's own, to do with as wanted."""
        return self._board.copy()

    def fen(self) -> str:
        """The position in Forsyth-Edwards notation."""
        if self._fen is None:
            self._fen = self._board.fen()
        return self._fen

    @property
    def turn(self) -> Color:
        """The side to move (of a finished game: that would be)."""
        return self._board.turn

    @property
    def plies(self) -> int:
        """The number of moves on the board: those made, less those taken back."""
        return self._board.ply

    @property
    def legal_moves(self) -> list[Move]:
        """The moves that may be made: none in a finished or paused game, those of the touched piece if it is bound."""
        if self.result is not None or self._state.paused:
            return []
        touched = self._state.touched
        return [move for move in self._board.legal_moves if touched in (None, move.from_square)]

    @property
    def clock(self) -> Clock | None:
        """The clock, None in a game without one; of a finished game it stands still."""
        return self._state.clock

    @property
    def paused(self) -> bool:
        """Whether the game waits to be resumed."""
        return self._state.paused

    @property
    def draw_offer(self) -> Color | None:
        """Who offers a draw that is not answered yet."""
        return self._state.draw_offer

    @property
    def take_back_offer(self) -> Color | None:
        """Who asks to take back a move and has no answer yet."""
        return self._state.take_back_offer

    @property
    def touched(self) -> int | None:
        """The square of the piece that the side to move has touched and must move."""
        return self._state.touched

    def player(self, color: Color) -> Player:
        """Who plays a side."""
        return self.origin.white if color is Color.WHITE else self.origin.black

    def is_adjusting(self, color: Color) -> bool:
        """Whether a side has said "j'adoube" and not unsaid it."""
        return color in self._state.adjusting

    def can_take_back(self, by: Color) -> int:
        """The plies that undo a side's last move and what followed it; 0 where it may not or there is none.

        >>> game = Game.start(white=Player(), black=Player("computer", level=1))
        >>> game.can_take_back(Color.WHITE)
        0
        >>> game.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE).can_take_back(Color.WHITE)
        1
        """
        free = self.player(by.opponent).is_computer and self.result is None and not self._state.paused
        return self.plies_to_own_move(by) if free else 0

    def plies_to_own_move(self, by: Color) -> int:
        """The plies from the position before a side's last move to the present one; 0 before its first move."""
        plies = 2 if self.turn is by else 1
        return plies if plies <= self.plies else 0

    def moves_until_draw_offer(self, by: Color) -> int:
        """How many moves the opponent has yet to make before a side may offer a draw again; 0: it may now."""
        return self._state.draw_waits[by.value]

    def can_offer_take_back(self, by: Color) -> bool:
        """Whether a side may ask a person to let it take back its last move."""
        state = self._state
        if self.result is not None or state.paused or self.player(by.opponent).is_computer:
            return False
        return state.take_back_offer is None and by not in state.take_backs_asked and self.plies_to_own_move(by) > 0

    def can_touch(self, by: Color) -> bool:
        """Whether a side's touch of a piece that can move would bind it."""
        state = self._state
        if not self._board.rules.touch_move or self.result is not None or state.paused:
            return False
        return state.touched is None and by not in state.adjusting and self.turn is by

    @property
    def can_abort(self) -> bool:
        """Whether the game may still be broken off without a result."""
        return self.result is None and not self._state.begun

    def explain(self, from_square: int, to_square: int, by: Color | None = None) -> Reason | None:
        """Why there is no move from one square to another, as :func:`damier.explain.explain` says; None if there is one.

        >>> print(Game.start().explain(32, 33).sentence())
        Your own piece stands on 33; choose an empty square.
        """
        from damier.explain import explain

        ended = None if self.result is None else self.result.reason
        return explain(self._board, from_square, to_square, by, touched=self._state.touched, ended=ended)

    # --- Events ----------------------------------------------------------------------------------------------------

    def apply(self, event: Event, *, at: float, by: Color | None) -> Game:
        """The game after one more event, by its author at the moment at which it counts (in seconds).

        ``by`` is None for the arbiter, who may say that a flag has fallen or a side has left, abort, add time, pause and
        resume.

        Raises what :mod:`damier.refusals` lists, or :class:`damier.errors.IllegalMove` with the reason why.
        """
        if self.result is not None:
            raise GameOver
        self._check_moment(at)
        clock = self._state.clock
        if clock is not None and clock.fallen(at) and not isinstance(event, FlagFallen):
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

    def _check_moment(self, at: float) -> None:
        at = json_moment(at, "at")
        last = self.events[-1].at if self.events else -LATEST if self.origin.at is None else self.origin.at
        if at < last:
            raise TimeRunsBack(at, last)

    def _by_player(self, event: Event, at: float, by: Color) -> tuple[Board, _State, Result | None]:
        state, result, board = self._state, None, self._board
        match event:
            case MoveMade():
                board = self._after_move(event, by)
                state, result = self._moved(board, at, by), _result_of(board.outcome())
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
    ) -> tuple[_State, Result | None]:
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
        for move in self.legal_moves:
            if (
                move.from_square == event.from_square
                and move.to_square == event.to_square
                and move.captured == event.captured
                and move.crowned == event.crowned
            ):
                board = self._board.copy()
                board.push(move)
                return board
        raise IllegalMove(
            N_("{move} is not a legal move here."),
            move=str(event),
            fen=self._board.fen(),
            reason=self.explain(event.from_square, event.to_square),
        )

    def _moved(self, board: Board, at: float, by: Color) -> _State:
        state = self._state
        begun = state.begun or board.ply >= 2
        clock, readings = state.clock, state.readings
        if clock is not None:
            if clock.running is None:
                clock = clock.moved_untimed(by)
                if begun and board.outcome() is None:
                    clock = clock.started(board.turn, at)
            else:
                clock = clock.moved(at)
            readings = (*readings, clock)
        waits = state.draw_waits
        if any(waits):
            waits = _with_side(waits, by.opponent, max(0, waits[by.opponent.value] - 1))
        return _State(
            clock,
            readings,
            begun,
            draw_offer=None if state.draw_offer is by.opponent else state.draw_offer,
            draw_waits=waits,
            adjusting=state.adjusting,
        )

    # --- Taking back -----------------------------------------------------------------------------------------------

    def _take_back_offered(self, by: Color) -> _State:
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

    def _returned(self, board: Board, at: float) -> _State:
        """The state after a return to an earlier position: what was offered, asked and touched is past."""
        state = self._state
        clock, readings = state.clock, state.readings[: board.ply + 1]
        if clock is not None:
            clock = clock.taken_back(readings[-1], at)
            if self._timed:
                clock = clock.started(board.turn, at)
        return replace(
            state,
            clock=clock,
            readings=readings,
            draw_offer=None,
            take_back_offer=None,
            take_backs_asked=frozenset(),
            touched=None,
        )

    # --- Draws by agreement ----------------------------------------------------------------------------------------

    def _draw_offered(self, by: Color) -> _State:
        state = self._state
        if state.draw_offer is not None:
            raise OfferStands
        wait = state.draw_waits[by.value]
        if wait:
            raise DrawTooSoon(wait)
        waits = _with_side(_with_side(state.draw_waits, by, MOVES_BETWEEN_OFFERS), by.opponent, 0)
        return replace(state, draw_offer=by, draw_waits=waits)

    def _draw_accepted(self, by: Color) -> Result:
        if self._state.draw_offer is not by.opponent:
            raise NothingOffered
        return Result(None, "agreed")

    # --- Touch-move ------------------------------------------------------------------------------------------------

    def _after_touch(self, square: int, by: Color) -> _State:
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

    def _adjusted(self, by: Color, *, begins: bool) -> _State:
        adjusting = self._state.adjusting
        if not self._board.rules.touch_move:
            raise NoTouchMove
        if begins and by in adjusting:
            raise AdjustingAlready
        if not begins and by not in adjusting:
            raise NotAdjusting
        return replace(self._state, adjusting=adjusting ^ {by})

    # --- Time ------------------------------------------------------------------------------------------------------

    @property
    def _timed(self) -> bool:
        """Whether the clock runs when the game is not paused."""
        return self._state.begun or self.origin.at is not None

    def _flag_fallen(self, at: float) -> Result:
        fallen = None if self._state.clock is None else self._state.clock.fallen(at)
        if fallen is None:
            raise FlagUp
        if self._is_lone_king(fallen.opponent):
            return Result(None, "flag_lone_king")
        return Result(fallen.opponent, "flag")

    def _is_lone_king(self, color: Color) -> bool:
        """Whether a side is the lone king of an ending that the rule set counts: it could not have won."""
        # a count runs only against a lone king, so a side that is one piece is that king
        counted = any(count.rule in ("three_pieces", "two_pieces") for count in self._board.draw_counts)
        return counted and len(self._board.pieces(color)) == 1

    def _time_added(self, event: TimeAdded, by: Color | None) -> _State:
        state = self._state
        if state.clock is None:
            raise NoClock
        if by is event.to:
            raise NotYourTime
        seconds = json_whole(event.seconds, "seconds", 1, MOST_SECONDS)
        # a gift stays one when moves are taken back
        readings = tuple(reading.added(event.to, seconds) for reading in state.readings)
        return replace(state, clock=state.clock.added(event.to, seconds), readings=readings)

    def _halted(self, at: float) -> _State:
        if self._state.paused:
            raise GamePaused
        clock = self._state.clock
        return replace(self._state, paused=True, clock=None if clock is None else clock.stopped(at))

    def _resumed(self, at: float) -> _State:
        if not self._state.paused:
            raise NotPaused
        clock = self._state.clock
        if clock is not None and self._timed:
            clock = clock.started(self.turn, at)
        return replace(self._state, paused=False, clock=clock)


def _with_side(both: tuple[int, int], color: Color, value: int) -> tuple[int, int]:
    return (value, both[1]) if color is Color.WHITE else (both[0], value)


def _result_of(outcome: Outcome | None) -> Result | None:
    return None if outcome is None else Result(outcome.winner, outcome.rule)
