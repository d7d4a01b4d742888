"""What a message of a player means for the game as it stands: the event, or the reason why there is none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from damier.events import (
    Aborted,
    AdjustingSaid,
    AdjustingUnsaid,
    DrawAccepted,
    DrawDeclined,
    DrawOffered,
    MoveMade,
    Resigned,
    TakeBackAccepted,
    TakeBackDeclined,
    TakeBackOffered,
    TimeAdded,
    TookBack,
    Touched,
)
from damier.i18n import N_
from damier.refusals import GameError
from damier.server.play.messages import (
    AbortMessage,
    AcceptDrawMessage,
    AcceptTakeBackMessage,
    AddTimeMessage,
    AdjustMessage,
    DeclineDrawMessage,
    DeclineTakeBackMessage,
    MoveMessage,
    OfferDrawMessage,
    OfferTakeBackMessage,
    ResignMessage,
    TakeBackMessage,
    TouchMessage,
    UnsayMessage,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier import Color
    from damier.events import Event
    from damier.game import Game
    from damier.server.play.messages import GameMessage

ADDED_SECONDS: Final = 15
MOST_BETWEEN_MOVES: Final = 30
"""Times that a side may touch, adjust or give time from one move to the next: a game must not grow without end."""


class PositionChanged(GameError):
    """What was asked concerns a position that is no longer on the board."""

    code = "position_changed"
    text = N_("The game has moved on meanwhile.")


class NotWithComputer(GameError):
    """What only a person can be asked for."""

    code = "not_with_computer"
    text = N_("The computer does not answer this.")


class NoTimeToGive(GameError):
    """Time for a game in which each move has days of its own."""

    code = "no_time_to_give"
    text = N_("In a correspondence game every move has its own days; no time is given.")


class TooOften(GameError):
    """More touches and the like than anybody needs between two moves."""

    code = "too_often"
    text = N_("You have done this too often; wait for the next move.")


def decision(message: GameMessage, viewer: Color) -> Callable[[Game], Event | None]:
    """What the player of a side asks, as :meth:`damier.server.play.service.Play.submit` wants it.

    What it gives is None for something that would change nothing.
    """
    return partial(_event, message, viewer)


def _event(message: GameMessage, viewer: Color, game: Game) -> Event | None:
    match message:
        case MoveMessage():
            _expect_position(message.ply, game)
            return message.move.event()
        case TouchMessage():
            _expect_position(message.ply, game)
            return _touch(message.square, viewer, game)
        case TakeBackMessage():
            # where there is nothing to take back the game itself says why
            return TookBack(game.can_take_back(viewer) or 1)
        case AcceptTakeBackMessage():
            return TakeBackAccepted(game.plies_to_own_move(viewer.opponent) or 1)
        case OfferDrawMessage():
            _expect_person(viewer, game)
            return DrawOffered()
        case AddTimeMessage():
            _expect_person(viewer, game)
            if game.origin.clock.days and game.result is None:
                raise NoTimeToGive
            return _few(TimeAdded(ADDED_SECONDS, viewer.opponent), viewer, game)
        case AdjustMessage():
            return _few(AdjustingSaid(), viewer, game)
        case UnsayMessage():
            return _few(AdjustingUnsaid(), viewer, game)
        case ResignMessage():
            return Resigned()
        case AcceptDrawMessage():
            return DrawAccepted()
        case DeclineDrawMessage():
            return DrawDeclined()
        case OfferTakeBackMessage():
            return TakeBackOffered()
        case DeclineTakeBackMessage():
            return TakeBackDeclined()
        case AbortMessage():
            return Aborted()


def _expect_position(ply: int, game: Game) -> None:
    # a page that sends a move again after a lost connection must not have it made twice
    if game.result is None and ply != game.plies:
        raise PositionChanged


def _expect_person(viewer: Color, game: Game) -> None:
    if game.player(viewer.opponent).is_computer:
        raise NotWithComputer


def _touch(square: int, viewer: Color, game: Game) -> Event | None:
    """The touch of a piece, unless it binds nobody: another piece is bound, or the player sets pieces straight."""
    wanted = game.result is None and not game.paused and game.turn is viewer
    if wanted and not game.can_touch(viewer) and (game.touched is not None or game.is_adjusting(viewer)):
        return None
    return _few(Touched(square), viewer, game)


def _few(event: Event, viewer: Color, game: Game) -> Event:
    done = 0
    for entry in reversed(game.events):
        if isinstance(entry.event, MoveMade):
            break
        done += entry.by is viewer
    if done >= MOST_BETWEEN_MOVES and game.result is None:
        raise TooOften
    return event
