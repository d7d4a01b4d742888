"""Quick pairing: nobody is paired twice, whatever happens to the processes, and who leaves games waits a while."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, insert, select, update

from damier.clock import TimeControl
from damier.events import Abandoned, Aborted, FlagFallen
from damier.rules import CLUB, LEAFLET, OFFICIAL
from damier.server.fairplay import REMEMBERED
from damier.server.lobby.invitation import MembersOnly, from_row
from damier.server.lobby.offences import offence_in
from damier.server.lobby.quick import (
    BEAT_SECONDS,
    GONE_SECONDS,
    Found,
    NoBots,
    NoSuchQueue,
    Paused,
    Searching,
    Stopped,
)
from damier.server.people import Who
from damier.server.play.store import StoreError
from damier.server.ratings import GAMES_A_DAY, NotRated
from damier.server.tables import block, offence, person, rated_game, rating, seat, seeker
from damier.server.tables import game as games
from damier.server.tables import invitation as invitations
from tests.server.house import BLACK, WHITE, House, Moment, houses

if TYPE_CHECKING:
    from pathlib import Path

    from damier.server.lobby.quick import News, Search

BLITZ, RAPID = TimeControl.fischer(300, 3), TimeControl.fischer(600, 5)
ANNA, BEN, CARL = (Who(name, "member", name.title()) for name in ("anna", "ben", "carl"))
GUEST, OTHER_GUEST = Who("guest"), Who("other guest")
CROWD = 200


class Seeking:
    """Somebody who searches, and what is heard of that."""

    def __init__(self, house: House, who: Who) -> None:
        self.house = house
        self.who = who
        self.news: list[News] = []
        self.made: Search | None = None

    async def begin(self, **terms: Any) -> Seeking:
        every: dict[str, Any] = {"rules": OFFICIAL, "control": BLITZ, "rated": True, **terms}
        self.made = await self.house.quick.search(self.who, **every, tell=self.news.append)
        return self

    async def stop(self) -> str | None:
        assert self.made is not None
        return await self.house.quick.stop(self.made)

    @property
    def game(self) -> str | None:
        found = [each.game for each in self.news if isinstance(each, Found)]
        assert len(found) <= 1
        return found[0] if found else None

    @property
    def count(self) -> int:
        return [each.count for each in self.news if isinstance(each, Searching)][-1]


async def enter(house: House, *people: Who) -> None:
    async with house.engine.begin() as connection:
        rows = [
            {"id": who.id, "kind": who.kind, "name": who.name, "name_key": who.name, "chat_off": False}
            | {"created": 0.0, "seen": 0.0}
            for who in people
        ]
        await connection.execute(insert(person), rows)


async def count(house: House, table: Any) -> int:
    async with house.engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar_one()


Script = Callable[..., Any]


@pytest.fixture(params=["sqlite", "postgres"])
def on(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Runs a script in so many processes on each of the two databases."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None

    def run(script: Script, processes: int = 1) -> None:
        async def with_houses() -> None:
            moment = Moment()
            async with houses(tmp_path, moment, processes, postgres=url) as made:
                await enter(made[0], ANNA, BEN, CARL, GUEST, OTHER_GUEST)
                await script(*made, moment)

        asyncio.run(with_houses())

    return run


On = Callable[..., None]


def test_two_are_paired_across_processes(on: On) -> None:
    async def script(one: House, other: House, _: Moment) -> None:
        anna, ben = await Seeking(one, ANNA).begin(), await Seeking(other, BEN).begin()
        await one.quick.tick()
        assert anna.game is not None
        assert anna.game == ben.game
        view = await one.play.view(anna.game)
        assert {view.game.origin.white.name, view.game.origin.black.name} == {"Anna", "Ben"}
        assert (await one.ratings.standing(anna.game)).is_rated
        assert await count(one, seeker) == 0
        assert not one.quick._local
        assert not other.quick._local

    on(script, 2)


def test_queues_are_apart(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        for who, terms in (
            (ANNA, {}),
            (BEN, {"rated": False}),
            (CARL, {"control": RAPID}),
            (GUEST, {"rules": CLUB}),
        ):
            await Seeking(house, who).begin(**terms)
        assert not await house.quick.tick()
        # a guest who asks for a rated game waits with those who play casual ones
        guest = await Seeking(house, OTHER_GUEST).begin()
        assert len(await house.quick.tick()) == 1
        assert guest.game is not None
        assert not (await house.ratings.standing(guest.game)).is_rated

    on(script)


def test_rules_without_ratings(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        anna, guest = await Seeking(house, ANNA).begin(rules=LEAFLET), await Seeking(house, GUEST).begin(rules=LEAFLET)
        await house.quick.tick()
        assert anna.game == guest.game is not None

    on(script)


@pytest.mark.parametrize(
    "control", [TimeControl.none(), TimeControl.correspondence(3), TimeControl.fischer(61, 0), TimeControl(hourglass=9)]
)
def test_queues_that_are_not_offered(on: On, control: TimeControl) -> None:
    async def script(house: House, _: Moment) -> None:
        with pytest.raises(NoSuchQueue):
            await Seeking(house, ANNA).begin(control=control)

    on(script)


def test_everybody_is_paired_once_by_two_at_it(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        crowd = [Who(f"member {number}", "member", f"Member{number}") for number in range(CROWD)]
        await enter(one, *crowd)
        lot = random.Random(4)
        async with one.engine.begin() as connection:
            rows = [
                {"person": who.id, "rules": "official", "speed": "blitz", "value": lot.gauss(1500, 200)}
                | {"deviation": 60.0, "volatility": 0.06, "games": 9, "at": moment.now}
                for who in crowd
            ]
            await connection.execute(insert(rating), rows)
        seeking = [Seeking(lot.choice((one, other)), who) for who in crowd]

        async def come() -> None:
            for each in seeking:
                await each.begin()

        async def look(house: House) -> None:
            while not all(each.game for each in seeking):
                await house.quick.tick()
                moment.now += 0.1
                await asyncio.sleep(0.01)

        await asyncio.wait_for(asyncio.gather(come(), look(one), look(other)), 120)
        assert len({each.game for each in seeking}) == CROWD // 2
        async with one.engine.connect() as connection:
            sides = Counter((await connection.execute(select(seat.c.player))).scalars())
        assert sides == Counter(who.id for who in crowd)
        for table in (games, invitations, rated_game):
            assert await count(one, table) == CROWD // 2
        assert await count(one, seeker) == 0
        assert not any(isinstance(news, Stopped) for each in seeking for news in each.news)

    on(script, 2)


def test_the_process_that_paired_them_dies(on: On, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(one: House, other: House, _: Moment) -> None:
        anna, ben = await Seeking(other, ANNA).begin(), await Seeking(other, BEN).begin()
        # it has agreed for them, and no more is heard of it
        (agreed,) = await one.quick._agree()
        assert agreed.game is not None
        assert await count(one, games) == 0
        await other.quick.tick()
        assert anna.game == ben.game == agreed.game
        assert (await other.play.view(agreed.game)).game.result is None
        assert await count(one, games) == 1

    on(script, 2)


def test_both_come_back_to_another_process(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        await Seeking(one, ANNA).begin()
        await Seeking(one, BEN).begin()
        (agreed,) = await one.quick._agree()
        moment.now += 3
        anna = await Seeking(other, ANNA).begin()
        assert anna.game == agreed.game
        assert not other.quick._local
        # whose game has begun searches for another one
        ben = await Seeking(other, BEN).begin()
        assert ben.game is None
        await ben.stop()

    on(script, 2)


def test_a_game_that_nobody_started_is_not_started_late(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        await Seeking(one, ANNA).begin()
        await Seeking(one, BEN).begin()
        await one.quick._agree()
        moment.now += 120
        assert (await Seeking(other, ANNA).begin()).game is None

    on(script, 2)


def test_a_start_that_fails_is_tried_again(on: On, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(house: House, moment: Moment) -> None:
        anna, ben = await Seeking(house, ANNA).begin(), await Seeking(house, BEN).begin()

        async def fail(*_: object, **__: object) -> None:
            raise StoreError("the disk is full")

        with monkeypatch.context() as broken:
            broken.setattr(house.lobby, "start", fail)
            await house.quick.tick()
        assert anna.game is None
        moment.now += 1
        await house.quick.tick()
        assert anna.game == ben.game is not None

    on(script)


def test_who_leaves_is_out_at_once(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        anna = await Seeking(house, ANNA).begin()
        assert await anna.stop() is None
        ben = await Seeking(house, BEN).begin()
        assert not await house.quick.tick()
        assert await count(house, seeker) == 1
        carl = await Seeking(house, CARL).begin()
        await house.quick.tick()
        assert ben.game is not None
        # too late to leave: the game is there
        assert await carl.stop() == ben.game

    on(script)


def test_searchers_of_a_dead_process_are_dropped(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        await Seeking(one, ANNA).begin()
        moment.now += GONE_SECONDS + 0.1
        ben = await Seeking(other, BEN).begin()
        assert not await other.quick.tick()
        carl = await Seeking(other, CARL).begin()
        await other.quick.tick()
        assert ben.game == carl.game is not None
        assert await count(one, seeker) == 0

    on(script, 2)


def test_a_living_process_keeps_its_searchers(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        anna = await Seeking(one, ANNA).begin()
        for _ in range(10):
            moment.now += BEAT_SECONDS + 0.1
            await one.quick.tick()
        ben = await Seeking(other, BEN).begin()
        await other.quick.tick()
        assert anna.game == ben.game is not None
        # and one that was held up for a while takes them up again
        moment.now += 1
        again = await Seeking(one, ANNA).begin()
        moment.now += 10 * GONE_SECONDS
        await one.quick.tick()
        await one.quick.tick()
        assert again.count == 1
        assert not [each for each in again.news if isinstance(each, Stopped)]

    on(script, 2)


def test_the_latest_search_of_a_person_counts(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        first = await Seeking(one, ANNA).begin()
        moment.now += 1
        second = await Seeking(one, ANNA).begin(control=RAPID)
        assert first.news == [Stopped()]
        moment.now += 1
        third = await Seeking(other, ANNA).begin(rated=False)
        assert await count(one, seeker) == 1
        await one.quick.tick()
        assert second.news[-1] == Stopped()
        await other.quick.tick()
        assert third.news == [Searching(1)]
        # an end that comes late does not end the new one
        await first.stop()
        await second.stop()
        assert await count(one, seeker) == 1

    on(script, 2)


def test_who_comes_back_has_waited_all_the_time(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        before = (await Seeking(one, ANNA).begin()).made
        moment.now += 5
        after = (await Seeking(other, ANNA).begin()).made
        assert before is not None
        assert after is not None
        assert after.since == pytest.approx(before.since, abs=1e-3, rel=0)

    on(script, 2)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_page_that_has_lost_its_search_does_not_end_the_other_ones(on: On, processes: int) -> None:
    async def script(*made: Any) -> None:
        one, other, moment = made[0], made[-2], made[-1]
        first = await Seeking(one, ANNA).begin()
        moment.now += 5
        second = await Seeking(other, ANNA).begin()
        # the other process sees it at its next look
        await one.quick.tick()
        assert first.news == [Stopped()]
        assert await first.stop() is None
        assert await count(one, seeker) == 1
        ben = await Seeking(one, BEN).begin()
        await other.quick.tick()
        assert second.game == ben.game is not None
        # what it has found is no affair of the first page
        assert first.news == [Stopped()]
        assert not one.quick._local
        assert not other.quick._local

    on(script, processes)


def test_a_page_that_has_lost_its_search_is_not_told_of_a_game(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        first = await Seeking(house, ANNA).begin()
        second, ben = await Seeking(house, ANNA).begin(), await Seeking(house, BEN).begin()
        # they are paired, and the page has not heard of it yet
        (agreed,) = await house.quick._agree()
        assert await first.stop() is None
        await house.quick.tick()
        assert second.game == ben.game == agreed.game

    on(script)


def test_searches_that_come_together(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        pages = [Seeking(house, ANNA) for _ in range(4)]
        await asyncio.gather(*(each.begin() for each in pages))
        assert sorted(len(each.news) for each in pages) == [0, 1, 1, 1]
        assert {news for each in pages for news in each.news} == {Stopped()}
        assert len(house.bus._receivers[f"person:{ANNA.id}"]) == 1
        (last,) = (each for each in pages if not each.news)
        for each in pages:
            if each is not last:
                await each.stop()
        assert await count(house, seeker) == 1
        await last.stop()
        assert await count(house, seeker) == 0
        assert not house.bus._receivers.get(f"person:{ANNA.id}")
        assert not house.quick._local

    on(script)


def test_searches_that_come_together_to_two_processes(on: On) -> None:
    async def script(one: House, other: House, _: Moment) -> None:
        pages = [Seeking(house, ANNA) for house in (one, other) * 4]
        await asyncio.gather(*(each.begin() for each in pages))
        assert await count(one, seeker) == 1
        await one.quick.tick()
        await other.quick.tick()
        assert sum(Stopped() in each.news for each in pages) == len(pages) - 1

    on(script, 2)


# --- Who may search --------------------------------------------------------------------------------------------------


async def become(house: House, who: Who, kind: str) -> None:
    async with house.engine.begin() as connection:
        await connection.execute(update(person).where(person.c.id == who.id).values(kind=kind))


@pytest.mark.parametrize(("kind", "refusal"), [("bot", NoBots), ("gone", MembersOnly)])
def test_who_is_no_player_any_more_does_not_search(on: On, kind: str, refusal: type[Exception]) -> None:
    async def script(house: House, _: Moment) -> None:
        await become(house, ANNA, kind)
        with pytest.raises(refusal):
            await Seeking(house, ANNA).begin()
        assert await count(house, seeker) == 0
        assert not house.quick._local

    on(script)


@pytest.mark.parametrize("kind", ["bot", "gone"])
def test_who_ceases_to_be_a_player_is_not_paired(on: On, kind: str) -> None:
    async def script(house: House, _: Moment) -> None:
        anna, ben = await Seeking(house, ANNA).begin(), await Seeking(house, BEN).begin()
        await become(house, ANNA, kind)
        assert not await house.quick._agree()
        assert not await house.quick.tick()
        assert anna.news == [Stopped()]
        assert ben.count == 1
        assert await count(house, seeker) == 1
        # nor is the search taken up again where its row has gone
        await house.quick.tick()
        assert await count(house, seeker) == 1

    on(script)


def test_a_guest_who_has_become_a_member_plays_rated(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        await become(house, GUEST, "member")
        search = (await Seeking(house, GUEST).begin()).made
        assert search is not None
        assert search.queue.rated

    on(script)


def test_the_number_of_those_who_search_is_told(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        async with house.engine.begin() as connection:
            await connection.execute(insert(block).values(blocker="ben", blocked="anna", since=0.0))
        anna = await Seeking(house, ANNA).begin()
        await house.quick.tick()
        assert anna.count == 1
        ben = await Seeking(house, BEN).begin()
        assert not await house.quick.tick()
        await house.quick.tick()
        assert anna.news == [Searching(1), Searching(2)]
        assert ben.news == [Searching(2)]

    on(script)


def test_ranges_and_blocks_and_the_last_opponents(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        await Seeking(house, ANNA).begin(lowest=1600)
        await Seeking(house, BEN).begin()
        assert not await house.quick.tick()
        for number in range(3):
            anna, ben = await Seeking(house, ANNA).begin(), await Seeking(house, BEN).begin()
            paired = await house.quick.tick()
            assert len(paired) == (1 if number < 2 else 0)
            if paired:
                # the colours change
                assert paired[0].host == ("anna" if number == 0 else "ben")
                assert anna.game == ben.game

    on(script)


def test_the_seventh_game_of_a_day_is_casual(on: On) -> None:
    async def script(house: House, moment: Moment) -> None:
        for number in range(GAMES_A_DAY):
            async with house.engine.begin() as connection:
                row = {"game": f"game {number}", "rules": "official", "speed": "blitz", "white": "ben", "black": "anna"}
                await connection.execute(insert(rated_game).values(**row, begun=moment.now - 60, state="rated"))
        anna, _ben = await Seeking(house, ANNA).begin(), await Seeking(house, BEN).begin()
        await house.quick.tick()
        assert (await house.ratings.standing(anna.game or "")).reason is NotRated.TOO_MANY

    on(script)


# --- Fair play -------------------------------------------------------------------------------------------------------


async def pair(house: House) -> str:
    """A game of Anna and Ben, by quick pairing."""
    await house.quick.search(ANNA, rules=OFFICIAL, control=BLITZ, rated=True, tell=lambda _: None)
    await house.quick.search(BEN, rules=OFFICIAL, control=BLITZ, rated=True, tell=lambda _: None)
    (agreed,) = await house.quick.tick()
    return agreed.game or ""


async def on_its_side(house: House, game_id: str, color: Any) -> str:
    return (await house.play.view(game_id)).game.player(color).id or ""


def test_who_does_not_begin_the_game(on: On) -> None:
    async def script(house: House, moment: Moment) -> None:
        game_id = await pair(house)
        await house.do(game_id, Aborted(), None)
        await house.offences.close()
        white = await on_its_side(house, game_id, WHITE)
        assert [each.kind for each in await house.offences.of(white)] == ["left"]
        assert not await house.offences.of(await on_its_side(house, game_id, BLACK))
        assert await house.offences.pause_of(white) is None
        # the second time has a pause, which says why
        moment.now += 60
        async with house.engine.begin() as connection:
            await connection.execute(insert(offence).values(person=white, game="another", kind="left", at=moment.now))
        with pytest.raises(Paused) as refusal:
            await Seeking(house, ANNA if white == "anna" else BEN).begin()
        assert "left 2 games" in refusal.value.sentence()
        assert await count(house, seeker) == 0
        moment.now += 3600
        await Seeking(house, ANNA if white == "anna" else BEN).begin()
        moment.now += REMEMBERED
        await house.offences.forget()
        assert await count(house, offence) == 0

    on(script)


def test_a_game_with_a_friend_may_be_let_be(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        game_id = await house.game()
        await house.do(game_id, Aborted(), None)
        assert not await house.offences.note(game_id, (await house.play.view(game_id)).game)
        assert await count(house, offence) == 0

    on(script)


def test_who_leaves_is_noted_once_by_all_processes(on: On) -> None:
    async def script(one: House, other: House, moment: Moment) -> None:
        game_id = await one.game()
        await one.move(game_id, times=2)
        await other.play.view(game_id)
        moment.now += 60
        await one.do(game_id, Abandoned(BLACK), None)
        await asyncio.gather(one.offences.close(), other.offences.close())
        assert [each.kind for each in await one.offences.of("ben")] == ["left"]
        assert await count(one, offence) == 1

    on(script, 2)


@pytest.mark.parametrize(("moves_apart", "stalled"), [(0.0, True), (160.0, False)])
def test_who_lets_the_time_run(on: On, moves_apart: float, stalled: bool) -> None:
    async def script(house: House, moment: Moment) -> None:
        game_id = await house.game()
        await house.move(game_id, times=4)
        moment.now += moves_apart
        await house.move(game_id, times=2)
        moment.now += 310 - moves_apart
        game = await house.do(game_id, FlagFallen(), None)
        await house.offences.close()
        assert await count(house, offence) == int(stalled)
        assert offence_in(game) == ((WHITE, "stalled") if stalled else None)

    on(script)


def test_what_they_agreed_on_reads_back(on: On) -> None:
    async def script(house: House, moment: Moment) -> None:
        await pair(house)
        async with house.engine.connect() as connection:
            row = (await connection.execute(select(invitations))).mappings().one()
        kept = from_row(row, moment.now)
        assert (kept.kind, kept.state, kept.rated, kept.color) == ("pairing", "accepted", True, "white")

    on(script)
