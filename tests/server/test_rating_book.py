"""The books of the ratings: what is rated, that it is rated once, and how many games of two a day."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, insert, select

from damier import Color
from damier.clock import TimeControl
from damier.events import Aborted, DrawAccepted, DrawOffered, Resigned
from damier.rules import OFFICIAL
from damier.server.people import Who
from damier.server.rating_book import Change
from damier.server.ratings import GAMES_A_DAY, NotRated, Pool, Rating, after_game
from damier.server.tables import person, rated_game, rating
from tests.server.house import BLACK, WHITE, House, Moment, Seat, houses

if TYPE_CHECKING:
    from pathlib import Path

BLITZ, POOL = TimeControl.fischer(300, 3), Pool("official", "blitz")
ANNA, BEN = Who("anna", "member", "Anna"), Who("ben", "member", "Ben")
DAY = 86_400.0


async def enter(house: House, *people: Who) -> None:
    async with house.engine.begin() as connection:
        for who in people:
            await connection.execute(
                insert(person).values(
                    id=who.id, kind=who.kind, name=who.name, name_key=who.name, chat_off=False, created=0.0, seen=0.0
                )
            )


async def begin(house: House, host: Who = ANNA, guest: Who = BEN, *, rated: bool = True) -> str:
    """A game in which the host has White."""
    asked = await house.offers.challenge(host, guest, rules=OFFICIAL, control=BLITZ, color="white", rated=rated)
    game_id = (await house.lobby.accept(asked.id, guest.id)).game
    assert game_id is not None
    return game_id


async def end(house: House, game_id: str, loser: Color | None) -> None:
    """End a game after a move of each side: won, or drawn by agreement."""
    if (await house.play.view(game_id)).game.plies < 2:
        await house.move(game_id, times=2)
    if loser is None:
        game = (await house.play.view(game_id)).game
        while game.moves_until_draw_offer(game.turn):
            game = await house.move(game_id)
        await house.do(game_id, DrawOffered(), game.turn)
        await house.do(game_id, DrawAccepted(), game.turn.opponent)
    else:
        await house.do(game_id, Resigned(), loser)
    await house.ratings.close()


async def row(house: House, who: Who) -> Any:
    async with house.engine.connect() as connection:
        return (await connection.execute(select(rating).where(rating.c.person == who.id))).one_or_none()


Script = Callable[..., Any]


@pytest.fixture(params=["sqlite", "postgres"])
def on(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Runs a script in so many processes on each of the two databases."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None

    def run(script: Script, count: int = 1) -> None:
        async def with_houses() -> None:
            moment = Moment()
            async with houses(tmp_path, moment, count, postgres=url) as made:
                await enter(made[0], ANNA, BEN)
                await script(*made, moment)

        asyncio.run(with_houses())

    return run


def test_the_worked_values_through_whole_games(on: Callable[..., None]) -> None:
    async def script(house: House, moment: Moment) -> None:
        expected = (Rating(), Rating())
        last = None
        for loser, pause in ((BLACK, 0.0), (BLACK, 3 * DAY), (None, 3600.0), (WHITE, 90 * DAY)):
            moment.now += pause
            game_id = await begin(house)
            assert (await house.ratings.standing(game_id)).view().is_rated
            await end(house, game_id, loser)
            seconds = 0.0 if last is None else moment.now - last
            last = moment.now
            score = {BLACK: 1.0, WHITE: 0.0, None: 0.5}[loser]
            before, expected = expected, after_game(*expected, score, seconds, seconds)
            for who, wanted in zip((ANNA, BEN), expected, strict=True):
                kept = await row(house, who)
                assert (kept.value, kept.deviation, kept.volatility) == pytest.approx(
                    (wanted.value, wanted.deviation, wanted.volatility), rel=1e-12
                )
            standing = await house.ratings.standing(game_id)
            assert standing.white is not None
            assert (standing.white.before, standing.white.after) == pytest.approx((before[0].value, expected[0].value))
        # the first is the example of after_game
        first = after_game(Rating(), Rating(), 1, 0, 0)
        assert [each.rounded for each in first] == [(1662, 290), (1338, 290)]
        assert {pool: each.games for pool, each in (await house.ratings.all_of("anna")).items()} == {POOL: 4}
        assert (await house.ratings.of(["anna", "ben", "nobody"], POOL)).keys() == {"anna", "ben"}

    on(script)


def test_both_pages_and_a_watcher_hear_it(on: Callable[..., None]) -> None:
    async def script(one: House, other: House, _: Moment) -> None:
        game_id = await begin(one)
        seats = [
            await Seat(one, game_id, WHITE, "anna").join(),
            await Seat(other, game_id, BLACK, "ben").join(),
            await Seat(other, game_id, None, "carl").join(),
        ]
        await end(one, game_id, BLACK)
        await other.ratings.close()
        news = {
            "t": "rating",
            "is_rated": True,
            "white": {"value": 1662, "provisional": True, "change": 162},
            "black": {"value": 1338, "provisional": True, "change": -162},
        }
        for seat in seats:
            await seat.until(lambda seat=seat: seat.of("rating"))
            assert seat.of("rating") == [news]
            seat.leave()

    on(script, 2)


def test_it_is_settled_once(on: Callable[..., None]) -> None:
    async def script(one: House, other: House, _: Moment) -> None:
        game_id = await begin(one)
        await other.play.view(game_id)
        await end(one, game_id, WHITE)
        await asyncio.gather(*(house.ratings.settle(game_id) for house in (one, other) * 10))
        assert (await row(one, ANNA)).games == 1
        assert (await one.ratings.standing(game_id)).black is not None

    on(script, 2)


def test_many_games_of_the_same_people_end_together(on: Callable[..., None]) -> None:
    async def script(one: House, other: House, _: Moment) -> None:
        people = [Who(f"member {number}", "member", f"Member{number}") for number in range(4)]
        await enter(one, *people)
        pairs = [(white, black) for white in people for black in people if white is not black]
        games = [await begin(one, *pair) for pair in pairs]
        one.play._listeners.clear()
        other.play._listeners.clear()
        for game_id in games:
            await end(one, game_id, BLACK)
        await asyncio.gather(*(house.ratings.settle(game_id) for game_id in games for house in (one, other)))
        assert [(await row(one, who)).games for who in people] == [6] * 4
        # each game went on from where another had left off: none was lost
        async with one.engine.connect() as connection:
            rows = (await connection.execute(select(rated_game))).mappings().all()
        for who in people:
            sides = [(each, side) for each in rows for side in ("white", "black") if each[side] == who.id]
            befores = sorted(each[f"{side}_before"] for each, side in sides)
            afters = [each[f"{side}_after"] for each, side in sides]
            afters.remove((await row(one, who)).value)
            assert befores == sorted([1500.0, *afters])

    on(script, 2)


def test_what_a_process_that_died_left(on: Callable[..., None]) -> None:
    async def script(house: House, _: Moment) -> None:
        house.play._listeners.clear()
        games = [await begin(house) for _ in range(3)]
        await end(house, games[0], WHITE)
        await end(house, games[1], None)
        assert await row(house, ANNA) is None
        assert await house.ratings.settle_what_is_left() == 2
        assert (await row(house, ANNA)).games == 2
        assert await house.ratings.settle_what_is_left() == 0
        assert await house.ratings.settle(games[2]) is None
        assert await house.ratings.settle("no such game") is None

    on(script)


def test_broken_off_games_are_void_and_do_not_count(on: Callable[..., None]) -> None:
    async def script(house: House, _: Moment) -> None:
        for _attempt in range(GAMES_A_DAY + 1):
            game_id = await begin(house)
            assert (await house.ratings.standing(game_id)).is_rated
            await house.do(game_id, Aborted(), WHITE)
            await house.ratings.close()
            assert (await house.ratings.standing(game_id)).reason is NotRated.ABORTED
        assert await row(house, ANNA) is None

    on(script)


def test_no_more_than_six_games_of_two_a_day_however_they_are_begun(on: Callable[..., None]) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        terms: dict[str, Any] = {"rules": OFFICIAL, "control": BLITZ, "color": "lot", "rated": True}
        # of seeks for a live game the first that is accepted ends the others
        unhurried: dict[str, Any] = {**terms, "control": TimeControl.correspondence(3)}
        asked = [await one.offers.create_seek(each, **unhurried) for each in (ANNA, BEN)]
        for pair in ((ANNA, BEN), (BEN, ANNA)):
            asked += [await one.offers.challenge(*pair, **terms) for _ in range(3)]
        assert len(asked) == GAMES_A_DAY + 2
        guests = {ANNA.id: BEN.id, BEN.id: ANNA.id}
        accepted = await asyncio.gather(
            *((one, other)[number % 2].lobby.accept(each.id, guests[each.host]) for number, each in enumerate(asked))
        )
        standings = [await one.ratings.standing(each.game or "") for each in accepted]
        assert sum(each.is_rated for each in standings) == GAMES_A_DAY
        casual = [each for each in standings if not each.is_rated]
        assert [each.reason for each in casual] == [NotRated.TOO_MANY] * 2
        # such a game changes nothing
        seventh = next(each for each, standing in zip(accepted, standings, strict=True) if not standing.is_rated)
        await end(one, seventh.game or "", WHITE)
        assert await row(one, ANNA) is None
        moment.now += DAY + 1
        assert (await one.ratings.standing(await begin(one))).is_rated

    on(script, 2)


def test_a_casual_game_changes_nothing(on: Callable[..., None]) -> None:
    async def script(house: House, _: Moment) -> None:
        game_id = await begin(house, rated=False)
        await end(house, game_id, WHITE)
        assert await house.ratings.settle(game_id) is None
        assert await row(house, BEN) is None

    on(script)


def test_who_has_left_the_club_meanwhile(on: Callable[..., None]) -> None:
    async def script(house: House, _: Moment) -> None:
        game_id = await begin(house)
        await house.move(game_id, times=2)
        async with house.engine.begin() as connection:
            await connection.execute(person.update().where(person.c.id == "anna").values(kind="gone", name=None))
            await connection.execute(delete(rating).where(rating.c.person == "anna"))
        await end(house, game_id, WHITE)
        assert await row(house, ANNA) is None
        assert (await row(house, BEN)).games == 1

    on(script)


def test_a_clock_that_was_set_back(on: Callable[..., None]) -> None:
    async def script(house: House, moment: Moment) -> None:
        await end(house, await begin(house), WHITE)
        moment.now -= 30 * DAY
        await end(house, await begin(house), WHITE)
        assert (await row(house, BEN)).games == 2
        assert (await row(house, BEN)).at == pytest.approx(moment.now + 30 * DAY)

    on(script)


def test_nobody_settles_a_game_that_goes_on(on: Callable[..., None]) -> None:
    async def script(house: House, _: Moment) -> None:
        game_id = await begin(house)
        assert await house.ratings.settle(game_id) is None
        async with house.engine.connect() as connection:
            assert (await connection.execute(select(rated_game.c.state))).scalar_one() == "playing"

    on(script)


def test_rounding_is_of_what_is_shown() -> None:
    change = Change(1500.4, 60, 1508.5, 60)
    assert change.points == 8
    view = replace(change, deviation_after=111).view()
    assert json.loads(json.dumps([view.value, view.provisional, view.change])) == [1508, True, 8]
