"""The server's clocks: flags, first moves, the way through the network, and time without a server given back."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from damier.clock import TimeControl
from damier.events import Aborted, DrawOffered, FlagFallen, MoveMade, Paused, Resumed, TakeBackAccepted, TakeBackOffered
from damier.game import Game
from damier.refusals import FlagDown
from damier.server.play import arbiter
from damier.server.play.arbiter import MOST_LAG
from damier.server.play.store import Outage
from tests.server.house import BLACK, WHITE, Moment, Seat, houses

if TYPE_CHECKING:
    from pathlib import Path

CREATED = 1000.0


def started(clock: str, *moments: float) -> Game:
    """A game with a move at each of these moments."""
    game = Game.start(clock=TimeControl.from_pdn(clock))
    for at in moments:
        game = game.apply(MoveMade.of(game.legal_moves[0]), at=at, by=game.turn)
    return game


@pytest.mark.parametrize(
    ("clock", "moments", "due", "event"),
    [
        ("60", (), CREATED + 30, Aborted()),
        ("300+3", (), CREATED + 30, Aborted()),
        ("900+5", (), CREATED + 60, Aborted()),
        ("4800+60", (), CREATED + 120, Aborted()),
        ("1/86400", (), CREATED + 86_400, Aborted()),
        ("-", (), None, None),
        ("60", (1010.0,), 1040.0, Aborted()),
        ("60", (1010.0, 1011.0), 1071.0 + MOST_LAG, FlagFallen()),
        ("60+2", (1010.0, 1011.0, 1021.0), 1021.0 + 62 + MOST_LAG, FlagFallen()),
        ("1/86400", (1010.0, 1011.0), 1011.0 + 86_400 + MOST_LAG, FlagFallen()),
        ("-", (1010.0, 1011.0), None, None),
    ],
)
def test_the_arbiter_knows_when_to_act_and_how(
    clock: str, moments: tuple[float, ...], due: float | None, event: Aborted | FlagFallen | None
) -> None:
    game = started(clock, *moments)
    assert arbiter.due(game, CREATED) == due
    if due is None:
        assert arbiter.decision(game, CREATED, 1e11) is None
        return
    assert arbiter.decision(game, CREATED, due - 0.001) is None
    assert arbiter.decision(game, CREATED, due) == event
    assert event is not None
    over = game.apply(event, at=due, by=None)
    assert arbiter.due(over, CREATED) is None
    assert arbiter.decision(over, CREATED, due + 1) is None


def test_an_offer_does_not_put_off_the_first_move_but_a_move_and_its_return_do() -> None:
    game = started("60").apply(DrawOffered(), at=1020.0, by=WHITE)
    assert arbiter.due(game, CREATED) == 1030.0
    game = game.apply(MoveMade.of(game.legal_moves[0]), at=1029.0, by=WHITE)
    game = game.apply(TakeBackOffered(), at=1030.0, by=WHITE)
    assert arbiter.due(game, CREATED) == 1059.0
    game = game.apply(TakeBackAccepted(1), at=1031.0, by=BLACK)
    assert arbiter.due(game, CREATED) == 1061.0


def test_a_paused_game_waits_for_nobody() -> None:
    for moments in ((), (1010.0, 1011.0)):
        game = started("60", *moments).apply(Paused(), at=1012.0, by=None)
        assert arbiter.due(game, CREATED) is None
        assert arbiter.first_move_until(game, CREATED) is None
        assert arbiter.due(game.apply(Resumed(), at=1500.0, by=None), CREATED) is not None


def done(game: Game, given: tuple[Paused | Resumed, float] | None) -> Game:
    assert given is not None
    return game.apply(given[0], at=given[1], by=None)


def test_a_game_is_given_back_an_outage_once() -> None:
    game, outage = started("60", 1010.0, 1011.0), Outage(1020.0, 1200.0)
    given = arbiter.amends(game, CREATED, [outage], 1200.5)
    assert given == (Paused(), 1020.0)
    game = done(game, given)
    given = arbiter.amends(game, CREATED, [], 1200.5)  # by a server that knows nothing of the outage, too
    assert given == (Resumed(), 1200.5)
    game = done(game, given)
    assert arbiter.amends(game, CREATED, [outage], 1201.0) is None
    assert game.clock is not None
    assert game.clock.remaining(WHITE, 1200.5) == 51.0


def test_a_game_that_was_given_time_back_is_given_only_what_came_after() -> None:
    """The server that gave time back died before it had got through all games."""
    before, later = Outage(1020.0, 1200.0), Outage(1210.0, 1300.0)
    game = untouched = started("60", 1010.0, 1011.0)
    for _ in range(2):
        game = done(game, arbiter.amends(game, CREATED, [before], 1200.5))
    assert arbiter.amends(game, CREATED, [before, later], 1300.5) == (Paused(), 1210.0)
    assert arbiter.amends(untouched, CREATED, [before, later], 1300.5) == (Paused(), 1020.0)
    assert arbiter.amends(game, CREATED, [before], 1300.5) is None  # another server went on meanwhile


@pytest.mark.parametrize(
    ("clock", "moments", "outage", "first"),
    [
        ("60", (1010.0, 1025.0), Outage(1020.0, 1200.0), (Paused(), 1025.0)),  # kept after the last beat
        ("60", (), Outage(1020.0, 1200.0), (Paused(), 1020.0)),  # its first move is waited for anew
        ("60", (1010.0, 1300.0), Outage(1020.0, 1200.0), None),  # it went on afterwards
        ("-", (1010.0, 1011.0), Outage(1020.0, 1200.0), None),
        ("1/86400", (1010.0, 1011.0), Outage(1020.0, 1200.0), None),  # minutes of days
        ("1/86400", (1010.0, 1011.0), Outage(1020.0, 9000.0), (Paused(), 1020.0)),
    ],
)
def test_what_an_outage_means_for_a_game(
    clock: str, moments: tuple[float, ...], outage: Outage, first: tuple[Paused, float] | None
) -> None:
    assert arbiter.amends(started(clock, *moments), CREATED, [outage], 9001.0) == first


def test_a_game_that_its_player_has_paused_stays_so() -> None:
    from damier.record import Player

    game = Game.start(clock=TimeControl.fischer(60, 0), black=Player("computer", level=1))
    game = game.apply(Paused(), at=1010.0, by=WHITE)
    assert arbiter.amends(game, CREATED, [Outage(1020.0, 1200.0)], 1200.0) is None


async def test_a_flag_falls_by_itself_within_the_lag_and_everybody_sees_it(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time) as (house,):
        await house.start()
        game_id = await house.game("1")
        seat = await Seat(house, game_id, BLACK, "ben").join()
        game = await house.move(game_id, times=2)
        assert game.clock is not None
        falls_at = game.clock.falls_at
        assert falls_at is not None
        await seat.until(lambda: seat.of("state")[-1]["result"])
        assert seat.of("state")[-1]["result"]["rule"] == "flag"
        assert seat.of("state")[-1]["clock"] == {"white": 0, "black": 1000, "running": None, "low": 5000}
        entry = (await house.play.view(game_id)).game.events[-1]
        assert (entry.event, entry.by) == (FlagFallen(), None)
        assert falls_at + MOST_LAG <= entry.at < falls_at + MOST_LAG + 1


async def test_a_flag_falls_though_the_process_that_saw_the_last_move_is_gone(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time) as (first,):
        game_id = await first.game("1")
        await first.move(game_id, times=2)
        await first.store.beat(time.time())
    async with houses(tmp_path, time.time, 2) as both:
        for house in both:
            await house.start()
        for house in both:
            seat = await Seat(house, game_id, None, "vera").join()
            await seat.until(lambda seat=seat: seat.of("state") and seat.of("state")[-1]["result"])
        game = (await both[0].play.view(game_id)).game
        assert game.result is not None
        assert game.result.reason == "flag"
        assert [entry.event for entry in game.events].count(FlagFallen()) == 1
        seen = (await both[1].play.view(game_id)).game
        assert seen == game


async def test_who_does_not_make_the_first_move_breaks_the_game_off(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        await house.start()
        game_id = await house.game("300+3")
        seat = await Seat(house, game_id, WHITE, "anna").join()
        assert seat.heard == [] or seat.of("state")[0]["first_move_in"] == 30_000
        moment.now += 31
        await seat.until(lambda: seat.of("state") and seat.of("state")[-1]["result"])
        assert (seat.of("state")[-1]["result"]["rule"], seat.of("state")[-1]["result"]["score"]) == ("aborted", "*")
        assert seat.of("state")[-1]["result"]["text"] == "Broken off: White did not make the first move in time."


async def test_a_move_is_credited_its_way_through_the_network(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game("60")
        await house.move(game_id, times=2)
        moment.now += 10
        game = await house.move(game_id, lag=0.4)
        assert game.clock is not None
        assert game.clock.white == 60_000 - 9_600
        assert (game.clock.running, game.clock.since) == (BLACK, 1000 * moment.now)
        game = await house.move(game_id, lag=0.5)  # no more than it took
        assert game.events[-1].event == replace(MoveMade.of(game.board.moves[-1]), lag=0)
        assert game.clock is not None
        assert game.clock.black == 60_000
        moment.now += 50.7  # White had 50.4 s
        with pytest.raises(FlagDown):
            await house.move(game_id, lag=0.0)
        with pytest.raises(FlagDown):
            await house.move(game_id, lag=0.3)
        game = await house.move(game_id, lag=0.4)
        assert game.clock is not None
        assert game.clock.white == 100


async def test_late_answers_take_nothing_from_the_opponent_and_win_little(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game("60")
        await house.move(game_id, times=2)
        gained, used = [], 0
        for _ in range(30):
            moment.now += 0.55
            game = await house.move(game_id, lag=0.5)
            assert game.clock is not None
            gained.append(60_000 + 550 * (len(gained) + 1) - 60_000 - (60_000 - game.clock.white) - sum(gained))
            assert game.clock.remaining(BLACK, moment.now) == (60_000 - used) / 1000
            moment.now += 0.02
            used += 20
            game = await house.move(game_id)
            assert game.clock is not None
            assert game.clock.black == 60_000 - used
        assert gained[:3] == [500, 500, 500]
        assert set(gained[6:]) == {arbiter.LAG_REGAINED}
        assert sum(gained) <= arbiter.LAG_BUDGET + 31 * arbiter.LAG_REGAINED


async def test_every_process_credits_the_same_way(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment, 2) as both:
        game_id = await both[0].game("60")
        for house in (*both, *both, *both, *both):
            moment.now += 1
            await house.move(game_id, lag=0.5)
        games = [(await house.play.view(game_id)).game for house in both]
        assert games[0] == games[1]
        assert games[0].clock == games[1].clock
        assert arbiter.lag_budget(games[0], WHITE) == arbiter.lag_budget(games[1], WHITE)


async def test_only_moves_are_credited_their_way(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game("60")
        await house.move(game_id, lag=0.5, times=2)  # no clock runs yet
        moment.now += 5
        game = await house.do(game_id, DrawOffered(), WHITE, lag=0.5)
        assert [entry.event.lag for entry in game.events if isinstance(entry.event, MoveMade)] == [0, 0]
        assert game.events[-1].at == moment.now


async def test_the_time_that_no_server_ran_is_given_back_to_all_games(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        await house.start()
        running = [await house.game("300+3") for _ in range(20)]
        for game_id in running:
            await house.move(game_id, times=3)
        fresh, untimed = await house.game("60"), await house.game("-")
        await house.move(untimed, times=2)
        moment.now += 10
        assert house.keeping is not None
        house.keeping.cancel()
        await house.store.beat(moment.now)
    moment.now += 7200
    async with houses(tmp_path, moment, 2) as (house, other):
        await house.start()
        await other.start()
        # whoever comes first, the sweep or a player, the time is there
        seat = await Seat(other, running[0], BLACK, "ben").join()
        await seat.until(lambda: seat.of("state"))
        assert seat.of("state")[0]["clock"]["black"] == 293_000
        for game_id in running:
            game = (await house.play.view(game_id)).game
            assert game.clock is not None
            assert game.clock.remaining(BLACK, moment.now) == 293.0
            assert [type(entry.event) for entry in game.events[-2:]] == [Paused, Resumed]
        assert (await house.play.view(untimed)).game.version == 2
        view = await house.play.view(fresh)
        assert arbiter.first_move_until(view.game, view.created) == moment.now + 30
        moment.now += 5
    versions = {}
    async with houses(tmp_path, moment) as (house,):
        await house.start()
        for game_id in running:
            versions[game_id] = (await house.play.view(game_id)).game.version
        await house.timekeeper.make_amends()
        for game_id in running:
            game = (await house.play.view(game_id)).game
            assert game.version == versions[game_id] <= 7
            assert not game.paused


async def test_a_server_that_dies_while_it_gives_time_back_leaves_no_game_paused(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game("300+3")
        await house.move(game_id, times=3)
        moment.now += 10
        await house.store.beat(moment.now)
        await house.do(game_id, Paused(), None)
    moment.now += 3600
    async with houses(tmp_path, moment) as (house,):
        await house.start()
        game = (await house.play.view(game_id)).game
        assert not game.paused
        assert game.clock is not None
        assert game.clock.remaining(BLACK, moment.now) == 293.0
