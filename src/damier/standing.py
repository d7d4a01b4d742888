"""A game as it stands: what can be asked of it. What can happen in it is in :mod:`damier.game`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from damier import Board, Color, Move
from damier.clock import Clock
from damier.record import Player, Result, Start
from damier.values import expect

if TYPE_CHECKING:
    from damier.events import Entry
    from damier.explain import Reason

__all__ = ["MOVES_BETWEEN_OFFERS", "Standing", "State"]

MOVES_BETWEEN_OFFERS: Final = 10
"""Moves that the opponent makes before a side may offer a draw again; one is enough if it has offered one itself."""


@dataclass(slots=True)
class State:
    """What the events have led to, next to the board. Nobody changes one; to freeze it would double the cost of a move."""

    clock: Clock | None
    readings: tuple[Clock, ...] = ()
    """The clock when each position that led to the present one first stood; the start's first."""
    begun: bool = False
    """Whether both sides have moved, be it moves that were taken back."""
    paused: bool = False
    draw_offer: Color | None = None
    draw_offers: tuple[int | None, int | None] = (None, None)
    """The ply of White's, and of Black's, last offer of a draw."""
    last_draw_offer: Color | None = None
    """Who has made the last of them."""
    take_back_offer: Color | None = None
    take_backs_asked: frozenset[Color] = frozenset()
    """Who has asked for a take-back since the last move."""
    touched: int | None = None
    """The square of the piece that the side to move must move."""
    adjusting: frozenset[Color] = frozenset()

    def __reduce__(self) -> tuple[object, ...]:
        # the oldest pickle protocols know nothing of slots
        return State, tuple(getattr(self, each.name) for each in fields(self))


class Standing:
    """A game at one moment; immutable. See :class:`damier.Game`."""

    __slots__ = {
        "_board": "The position with its moves.",
        "_fen": "The position as a FEN, once somebody has asked for it.",
        "_state": "The rest of what the events have led to.",
        "events": "All that happened since, in order.",
        "origin": "What the game started from.",
        "result": "How it ended; None while the game goes on.",
    }

    origin: Start
    events: tuple[Entry, ...]
    result: Result | None
    _board: Board
    _state: State

    def __init__(
        self, origin: Start, events: tuple[Entry, ...], board: Board, state: State, result: Result | None
    ) -> None:
        put = object.__setattr__
        put(self, "origin", origin)
        put(self, "events", events)
        put(self, "result", result)
        put(self, "_board", board)
        put(self, "_state", state)
        put(self, "_fen", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a game is frozen: {name} cannot be set; apply an event to get another game")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a game is frozen: {name} cannot be deleted")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.origin, self.events, self._board, self._state, self.result)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Standing):
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
            fen = self._board.fen()
            object.__setattr__(self, "_fen", fen)
            return fen
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
        expect_side(color)
        return self.origin.white if color is Color.WHITE else self.origin.black

    def is_adjusting(self, color: Color) -> bool:
        """Whether a side has said "j'adoube" and not unsaid it."""
        expect_side(color)
        return color in self._state.adjusting

    def can_take_back(self, by: Color) -> int:
        """The plies that undo a side's last move and what followed it; 0 where it may not or there is none.

        >>> from damier import Game
        >>> from damier.events import MoveMade
        >>> game = Game.start(white=Player(), black=Player("computer", level=1))
        >>> game.can_take_back(Color.WHITE)
        0
        >>> game.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE).can_take_back(Color.WHITE)
        1
        """
        plies = self.plies_to_own_move(by)
        free = self.player(by.opponent).is_computer and self.result is None and not self._state.paused
        return plies if free else 0

    def plies_to_own_move(self, by: Color) -> int:
        """The plies from the position before a side's last move to the present one; 0 before its first move."""
        expect_side(by)
        plies = 2 if self.turn is by else 1
        return plies if plies <= self.plies else 0

    def moves_until_draw_offer(self, by: Color) -> int:
        """How many moves the opponent has yet to make before a side may offer a draw again; 0: it may now.

        So offers and refusals alone cannot go on for ever.
        """
        expect_side(by)
        offered = self._state.draw_offers[by.value]
        if offered is None:
            return 0
        wait = MOVES_BETWEEN_OFFERS if self._state.last_draw_offer is by else 1
        # Of the moves since, the opponent made every other one, and the last one if it is not to move now.
        made = (self.plies - offered + (self.turn is by)) // 2
        return max(0, wait - made)

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

    def explain(
        self, from_square: int, to_square: int, by: Color | None = None, *, capture: bool = False
    ) -> Reason | None:
        """Why there is no move from one square to another, as :func:`damier.explain.explain` says; None if there is one.

        >>> from damier import Game
        >>> print(Game.start().explain(32, 33).sentence())
        Your own piece stands on 33; choose an empty square.
        """
        from damier.explain import explain

        ended = None if self.result is None else self.result.reason
        touched = self._state.touched
        return explain(self._board, from_square, to_square, by, capture=capture, touched=touched, ended=ended)

    @property
    def _timed(self) -> bool:
        """Whether the clock runs when the game is not paused."""
        return self._state.begun or self.origin.at is not None

    def _is_lone_king(self, color: Color) -> bool:
        """Whether a side is the lone king of an ending that the rule set counts: it could not have won."""
        # a count runs only against a lone king, so a side that is one piece is that king
        counted = any(count.rule in ("three_pieces", "two_pieces") for count in self._board.draw_counts)
        return counted and len(self._board.pieces(color)) == 1


def expect_side(color: object) -> None:
    expect(color, Color, "a side is Color.WHITE or Color.BLACK (for the arbiter, by is None)")
