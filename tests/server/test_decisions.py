"""What a page is told that its player can do, and what the server takes: the same in every game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from damier import Color
from damier.clock import TimeControl
from damier.errors import DamierError
from damier.events import DrawDeclined, DrawOffered, MoveMade, Paused, Resigned, TakeBackDeclined, TakeBackOffered
from damier.game import Game
from damier.record import Player
from damier.server.play import messages
from damier.server.play.decisions import NoTimeToGive, decision
from damier.server.play.view import View

if TYPE_CHECKING:
    from damier.events import Event

WHITE, BLACK = Color.WHITE, Color.BLACK
CLOCKS: Final = ("-", "60", "300+3", "1/86400")
WHAT_HAPPENED: Final[dict[str, list[tuple[Event, Color | None]]]] = {
    "nothing": [],
    "draw offered": [(DrawOffered(), WHITE)],
    "draw declined": [(DrawOffered(), WHITE), (DrawDeclined(), BLACK)],
    "both declined": [(DrawOffered(), WHITE), (DrawDeclined(), BLACK), (DrawOffered(), BLACK), (DrawDeclined(), WHITE)],
    "take-back asked": [(TakeBackOffered(), WHITE)],
    "take-back declined": [(TakeBackOffered(), WHITE), (TakeBackDeclined(), BLACK)],
    "paused": [(Paused(), None)],
    "over": [(Resigned(), WHITE)],
}
ASKED: Final[dict[str, messages.GameMessage]] = {
    "take_back": messages.TakeBackMessage(1),
    "resign": messages.ResignMessage(1),
    "offer_draw": messages.OfferDrawMessage(1),
    "accept_draw": messages.AcceptDrawMessage(1),
    "offer_take_back": messages.OfferTakeBackMessage(1),
    "accept_take_back": messages.AcceptTakeBackMessage(1),
    "abort": messages.AbortMessage(1),
    "add_time": messages.AddTimeMessage(1),
}


def game_with(
    clock: str, moves: int, events: list[tuple[Event, Color | None]], *, computer: bool = False
) -> Game | None:
    """The game, None where that cannot happen in it."""
    black = Player("computer", level=1) if computer else Player(id="ben")
    game = Game.start("leaflet", white=Player(id="anna"), black=black, clock=TimeControl.from_pdn(clock))
    for _ in range(moves):
        game = game.apply(MoveMade.of(game.legal_moves[0]), at=1.0, by=game.turn)
    for event, by in events:
        try:
            game = game.apply(event, at=2.0, by=by)
        except DamierError:
            return None
    return game


def is_taken(game: Game, message: messages.GameMessage, viewer: Color) -> bool:
    try:
        event = decision(message, viewer)(game)
        assert event is not None
        game.apply(event, at=3.0, by=viewer)
    except DamierError:
        return False
    return True


def test_the_list_names_all_that_a_page_is_told() -> None:
    assert {*ASKED, "touch", "offer_draw_in"} == set(messages.Can.__struct_fields__)


@pytest.mark.parametrize("what", WHAT_HAPPENED)
@pytest.mark.parametrize("moves", [0, 1, 2, 3])
def test_what_a_player_can_do_is_taken_and_nothing_else(moves: int, what: str) -> None:
    for clock in CLOCKS:
        for computer in (False, True):
            game = game_with(clock, moves, WHAT_HAPPENED[what], computer=computer)
            if game is None:
                continue
            for viewer in (WHITE,) if computer else (WHITE, BLACK):
                can = View(game, 0.0)._own(viewer).can
                for name, message in ASKED.items():
                    told = getattr(can, name)
                    assert is_taken(game, message, viewer) == told, (clock, computer, viewer, name, told)


def test_no_time_is_given_where_each_move_has_its_own() -> None:
    game = game_with("1/86400", 2, [])
    assert game is not None
    with pytest.raises(NoTimeToGive) as refused:
        decision(ASKED["add_time"], WHITE)(game)
    assert len({refused.value.sentence(language) for language in ("nl", "fr", "de", "en")}) == 4
