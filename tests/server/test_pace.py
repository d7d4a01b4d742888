"""The computer does not answer out of hand, and never lets its clock run out."""

from __future__ import annotations

import time
from pathlib import Path

from damier import Color, Game
from damier.clock import TimeControl
from damier.engine import Limit
from damier.events import MoveMade
from damier.record import Player
from damier.server.play.replies import allowed
from tests.server.conftest import Person, Server


def _begun(control: TimeControl) -> Game:
    """A game in which each side has moved once, a second apart, and White is to move since second 2."""
    game = Game.start(clock=control, white=Player("computer", level=10))
    for at, by, text in ((1.0, Color.WHITE, "32-28"), (2.0, Color.BLACK, "19-23")):
        game = game.apply(MoveMade.of(game.board.parse(text)), at=at, by=by)
    return game


def test_the_clock_of_a_game_says_how_long_the_computer_may_think() -> None:
    game = _begun(TimeControl.fischer(60, 2))
    assert game.clock is not None
    left = game.clock.remaining(Color.WHITE, 5.0)
    assert allowed(game, 5.0) == Limit.clock(left - 0.5, 2)
    nearly_over = allowed(game, 2.0 + game.clock.remaining(Color.WHITE, 2.0))
    assert nearly_over is not None
    assert nearly_over.time == 0.01
    assert allowed(_begun(TimeControl.correspondence(3)), 5.0) is None
    assert allowed(_begun(TimeControl.none()), 5.0) is None


def test_the_computer_takes_its_time(tmp_path: Path) -> None:
    spans: list[float] = []
    for percent in ("0", "300"):
        server = Server(tmp_path / percent, DAMIER_COMPUTER_PACE=percent).start()
        person = Person(server)
        try:
            with person.sit(person.new_game("white", level=1)) as table:
                table.until_own_turn()
                begin = time.monotonic()
                assert table.move()["t"] == "ack"
                while len(table.plies) < 2:
                    table.receive()
                spans.append(time.monotonic() - begin)
        finally:
            person.close()
            server.stop()
    assert spans[1] > 2.0
    assert spans[0] < spans[1]
