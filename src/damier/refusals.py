"""Why a game does not accept an event: one class a reason, each with a word for programs and a sentence for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from damier.errors import DamierError, IllegalMove
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Iterable

    from damier import Move
    from damier.events import MoveMade
    from damier.explain import Reason

__all__ = [
    "AdjustingAlready",
    "ArbiterOnly",
    "AskedAlready",
    "BadEvent",
    "DrawTooSoon",
    "FlagDown",
    "FlagUp",
    "GameError",
    "GameOver",
    "GamePaused",
    "NeedsAgreement",
    "NoClock",
    "NoNeedToAsk",
    "NoTimeLeft",
    "NoTouchMove",
    "NotAdjusting",
    "NotBegun",
    "NotPaused",
    "NotYourTime",
    "NotYourTurn",
    "NothingOffered",
    "NothingThere",
    "NothingToTakeBack",
    "OfferStands",
    "PlayersOnly",
    "TimeRunsBack",
    "TooLateToAbort",
]


class GameError(DamierError):
    """An event that does not fit the game as it stands. ``code``: one word for programs; ``text``: the message."""

    code: ClassVar[str] = "game_error"
    text: ClassVar[str] = N_("This does not fit the game as it stands.")

    def __init__(self, **facts: object) -> None:
        super().__init__(self.text, **facts)


class GameOver(GameError):
    """The game has a result; nothing more is accepted."""

    code = "game_over"
    text = N_("The game is over.")


class PlayersOnly(GameError):
    """Something that only a player does, by nobody who plays."""

    code = "players_only"
    text = N_("Only the players can do this.")


class ArbiterOnly(GameError):
    """Something that in a game between people is the arbiter's affair."""

    code = "arbiter_only"
    text = N_("Only the arbiter can do this.")


class NotYourTurn(GameError):
    """A move, or a touch, by the side that is not to move."""

    code = "not_your_turn"
    text = N_("It is not your turn.")


class NothingToTakeBack(GameError):
    """A take-back before one's first move, or of plies that do not lead back to one's own turn."""

    code = "nothing_to_take_back"
    text = N_("You have no move to take back.")


class NeedsAgreement(GameError):
    """A take-back against a person: only a computer lets moves be taken back without being asked."""

    code = "needs_agreement"
    text = N_("A move is taken back only when your opponent agrees.")


class NoNeedToAsk(GameError):
    """An offer to a computer to take back: it is not asked."""

    code = "no_need_to_ask"
    text = N_("The computer lets you take back a move without being asked.")


class OfferStands(GameError):
    """An offer while one of the same kind stands."""

    code = "offer_stands"
    text = N_("There is an offer already; wait for the answer, or answer it.")


class NothingOffered(GameError):
    """An answer to an offer that was not made, or stands no longer."""

    code = "nothing_offered"
    text = N_("Your opponent's offer no longer stands.")


class AskedAlready(GameError):
    """A second offer to take back in the same position."""

    code = "asked_already"
    text = N_("Your opponent has already declined; ask again after the next move.")


class TooLateToAbort(GameError):
    """An abort after both sides have moved."""

    code = "too_late_to_abort"
    text = N_("Both sides have moved; the game can no longer be aborted.")


class NotBegun(GameError):
    """A claim against a side that has left before both sides had moved."""

    code = "not_begun"
    text = N_("Both sides must have moved before a win or a draw can be claimed; until then the game can be aborted.")


class NoClock(GameError):
    """Time for a game without a clock."""

    code = "no_clock"
    text = N_("This game has no clock.")


class NoTimeLeft(GameError):
    """A return to a position for which a side would have no time left: it has used more since than it had there."""

    code = "no_time_left"
    text = N_("There is no time left for that position; take back fewer moves.")


class NotYourTime(GameError):
    """Time that a player gives to itself."""

    code = "not_your_time"
    text = N_("You can give time only to your opponent.")


class FlagUp(GameError):
    """A flag that has not fallen, or a clock that does not run."""

    code = "flag_up"
    text = N_("No flag has fallen.")


class FlagDown(GameError):
    """Anything but saying so, once the flag of the side to move has fallen."""

    code = "flag_down"
    text = N_("The time is up.")


class GamePaused(GameError):
    """What has to wait until the game is resumed, and a second pause."""

    code = "paused"
    text = N_("The game is paused.")


class NotPaused(GameError):
    """A resumption of a game that is not paused."""

    code = "not_paused"
    text = N_("The game is not paused.")


class NoTouchMove(GameError):
    """A touch, or a word about one, in a rule set without touch-move."""

    code = "no_touch_move"
    text = N_("In this game a touch binds nobody.")


class NothingThere(GameError):
    """A touch of a square without a piece. ``square``: which."""

    code = "nothing_there"
    text = N_("There is no piece on {square}.")

    def __init__(self, square: int) -> None:
        super().__init__(square=square)
        self.square = square


class AdjustingAlready(GameError):
    """A second "j'adoube" before the first is unsaid."""

    code = "adjusting_already"
    text = N_("You have already said j'adoube.")


class NotAdjusting(GameError):
    """The end of a "j'adoube" that was not said."""

    code = "not_adjusting"
    text = N_("You have not said j'adoube.")


class DrawTooSoon(GameError):
    """A second offer of a draw before the opponent has moved ten times, or once if it has offered one itself since.

    ``moves``: how many of these are left.
    """

    code = "draw_too_soon"
    text = N_("You have offered a draw already; wait until your opponent has made more moves ({moves}).")

    def __init__(self, moves: int) -> None:
        super().__init__(moves=moves)
        self.moves = moves


class TimeRunsBack(GameError):
    """An event that would come before the one that precedes it. ``at``, ``last``: both moments, in seconds."""

    code = "time_runs_back"
    text = N_("An event at {at} cannot follow one at {last}.")

    def __init__(self, at: float, last: float) -> None:
        super().__init__(at=at, last=last)
        self.at = at
        self.last = last


class BadEvent(GameError):
    """JSON that is no event, no entry or no start, or a value in one that has no meaning. ``part``: its name."""

    code = "bad_event"
    text = N_("{part} is missing or has no meaning here.")

    def __init__(self, part: str) -> None:
        super().__init__(part=part)
        self.part = part


_INCOMPLETE = N_("{move} must say what it takes and whether a man is crowned, as MoveMade.of(move) does: {choices}.")


def refused_move(event: MoveMade, legal: Iterable[Move], fen: str, reason: Reason | None) -> IllegalMove:
    """The error of a move that is none of the ``legal`` ones.

    ``reason``: why there is no move from its start to its target; None if there is, and only what it does differs.
    """
    if reason is not None:
        return IllegalMove(f"{event}: {reason.sentence()}", move=str(event), fen=fen, reason=reason)
    choices = "; ".join(
        f"captured={move.captured}, crowned={move.crowned}"
        for move in legal
        if (move.from_square, move.to_square) == (event.from_square, event.to_square)
    )
    return IllegalMove(_INCOMPLETE, move=str(event), fen=fen, choices=choices)
