"""Seeks, challenges and their terms: who may make, accept, decline and withdraw them, and what they lead to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert, update

from damier.clock import TimeControl
from damier.events import Resigned
from damier.rules import CLUB, LEAFLET, OFFICIAL
from damier.server.lobby.invitation import (
    Apart,
    BadRange,
    CannotBeRated,
    ChallengedOften,
    InvitationError,
    MembersOnly,
    NotOpen,
    NotYours,
    OutOfRange,
    OwnInvitation,
    TooManyChallenges,
    TooManySeeks,
    UnknownAnswer,
    UnknownInvitation,
)
from damier.server.lobby.invitations import ANSWERS, HELD_SECONDS, HOURS_OPEN
from damier.server.lobby.offers import MOST_CHALLENGES, MOST_SEEKS, MOST_TO_ONE
from damier.server.people import Who
from damier.server.ratings import NotRated
from damier.server.tables import block, person, rating
from damier.server.tables import invitation as invitations
from tests.server.house import WHITE, House, Moment, Seat, houses

if TYPE_CHECKING:
    from pathlib import Path

    from damier.server.lobby.invitation import Invitation

BLITZ, DAYS = TimeControl.fischer(300, 3), TimeControl.correspondence(3)
ANNA, BEN, CARL = (Who(name, "member", name.title()) for name in ("anna", "ben", "carl"))
GUEST, OTHER_GUEST, BOT = Who("guest"), Who("other guest"), Who("bot", "bot", "Robot")


async def enter(house: House, *people: Who) -> None:
    async with house.engine.begin() as connection:
        for who in people:
            await connection.execute(
                insert(person).values(
                    id=who.id, kind=who.kind, name=who.name, name_key=who.name, chat_off=False, created=0.0, seen=0.0
                )
            )


async def keep_apart(house: House, blocker: Who, blocked: Who) -> None:
    async with house.engine.begin() as connection:
        await connection.execute(insert(block).values(blocker=blocker.id, blocked=blocked.id, since=0.0))


async def give_rating(house: House, who: Who, value: float) -> None:
    async with house.engine.begin() as connection:
        row = {"person": who.id, "rules": "official", "speed": "blitz", "value": value, "deviation": 60.0}
        await connection.execute(insert(rating).values(**row, volatility=0.06, games=50, at=house.play.now()))


async def seek(house: House, host: Who = ANNA, **other: Any) -> Invitation:
    terms: dict[str, Any] = {"rules": OFFICIAL, "control": BLITZ, "color": "lot", "rated": host.is_member, **other}
    return await house.offers.create_seek(host, **terms)


async def challenge(house: House, host: Who = ANNA, guest: Who = BEN, **other: Any) -> Invitation:
    terms: dict[str, Any] = {"rules": OFFICIAL, "control": BLITZ, "color": "white", "rated": True, **other}
    return await house.offers.challenge(host, guest, **terms)


async def _on(url: str | None, folder: Path, script: Callable[[House, Moment], Any]) -> None:
    moment = Moment()
    async with houses(folder, moment, postgres=url) as (house,):
        await enter(house, ANNA, BEN, CARL, GUEST, OTHER_GUEST, BOT)
        await script(house, moment)


@pytest.fixture(params=["sqlite", "postgres"])
def on(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Callable[[House, Moment], Any]], None]:
    """Runs a script on each of the two databases."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return lambda script: asyncio.run(_on(url, tmp_path, script))


On = Callable[[Callable[[House, Moment], Any]], None]


def test_a_seek_is_listed_and_accepted_once(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        mine = await seek(house, lowest=1400, highest=1600)
        assert [each.id for each in await house.offers.seeks()] == [mine.id]
        answers = await asyncio.gather(
            *(house.lobby.accept(mine.id, each.id) for each in (BEN, CARL)), return_exceptions=True
        )
        refused = [each for each in answers if isinstance(each, BaseException)]
        assert [type(each) for each in refused] == [NotOpen]
        assert not await house.offers.seeks()
        game_id = (await house.lobby.get(mine.id)).game
        assert game_id is not None
        assert (await house.play.view(game_id)).game.result is None
        assert (await house.ratings.standing(game_id)).is_rated

    on(script)


def test_what_guests_may_do(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        with pytest.raises(CannotBeRated) as refusal:
            await seek(house, GUEST, rated=True)
        assert refusal.value.reason is NotRated.GUEST
        assert refusal.value.sentence() == "Only games between members are rated."
        casual = await seek(house, GUEST)
        accepted = await house.lobby.accept(casual.id, OTHER_GUEST.id)
        assert accepted.game is not None
        assert not (await house.ratings.standing(accepted.game)).is_rated
        rated = await seek(house)
        for person_id in (GUEST.id, "somebody new"):
            with pytest.raises(MembersOnly):
                await house.lobby.accept(rated.id, person_id)
        for host, guest in ((GUEST, ANNA), (ANNA, GUEST)):
            with pytest.raises((MembersOnly, NotYours)):
                await challenge(house, host, guest, rated=False)

    on(script)


def test_games_with_a_bot_are_casual(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        for host, guest in ((ANNA, BOT), (BOT, ANNA)):
            with pytest.raises(CannotBeRated) as refusal:
                await challenge(house, host, guest)
            assert refusal.value.reason is NotRated.BOT
        with pytest.raises(CannotBeRated):
            await house.lobby.accept((await seek(house)).id, BOT.id)
        asked = await challenge(house, ANNA, BOT, rated=False)
        game_id = (await house.lobby.accept(asked.id, BOT.id)).game
        assert game_id is not None
        assert not (await house.ratings.standing(game_id)).is_rated

    on(script)


@pytest.mark.parametrize(
    ("terms", "reason"), [({"rules": LEAFLET}, NotRated.RULES), ({"control": TimeControl.none()}, NotRated.UNLIMITED)]
)
def test_what_is_never_rated(on: On, terms: dict[str, Any], reason: NotRated) -> None:
    async def script(house: House, _: Moment) -> None:
        for make in (seek, challenge):
            with pytest.raises(CannotBeRated) as refusal:
                await make(house, **terms)
            assert refusal.value.reason is reason
            assert (await make(house, **terms, rated=False)).is_open

    on(script)


def test_who_has_blocked_whom_do_not_meet(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        await keep_apart(house, BEN, ANNA)
        for host, guest in ((ANNA, BEN), (BEN, ANNA)):
            with pytest.raises(Apart) as refusal:
                await challenge(house, host, guest)
            assert "block" not in str(refusal.value)
            theirs = await seek(house, host)
            assert theirs.id not in [each.id for each in await house.offers.seeks(guest.id)]
            assert theirs.id in [each.id for each in await house.offers.seeks(CARL.id)]
            with pytest.raises(Apart):
                await house.lobby.accept(theirs.id, guest.id)

    on(script)


def test_a_block_after_the_challenge_holds_too(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        asked = await challenge(house)
        await keep_apart(house, ANNA, BEN)
        with pytest.raises(Apart):
            await house.lobby.accept(asked.id, BEN.id)

    on(script)


def test_the_range_is_enforced(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        await give_rating(house, BEN, 1700.4)
        await give_rating(house, CARL, 1700.6)
        for lowest, highest, welcome in (
            (None, 1700, BEN),
            (1701, None, CARL),
            (1700, 1700, BEN),
        ):
            mine = await seek(house, lowest=lowest, highest=highest)
            with pytest.raises(OutOfRange):
                await house.lobby.accept(mine.id, (CARL if welcome is BEN else BEN).id)
            assert (await house.lobby.accept(mine.id, welcome.id)).state == "accepted"
        # who has no rating yet begins in the middle
        around = await seek(house, rated=False, lowest=1600)
        with pytest.raises(OutOfRange):
            await house.lobby.accept(around.id, GUEST.id)

    on(script)


@pytest.mark.parametrize(("lowest", "highest"), [(1600, 1500), (99, None), (None, 3501), (-(10**9), None)])
def test_ranges_that_nobody_is_in(on: On, lowest: int | None, highest: int | None) -> None:
    async def script(house: House, _: Moment) -> None:
        with pytest.raises(BadRange):
            await seek(house, lowest=lowest, highest=highest)

    on(script)


def test_how_many_of_each(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        made = await asyncio.gather(*(seek(house) for _ in range(MOST_SEEKS + 2)), return_exceptions=True)
        assert sum(isinstance(each, TooManySeeks) for each in made) == 2
        to_ben = await asyncio.gather(*(challenge(house) for _ in range(MOST_TO_ONE + 1)), return_exceptions=True)
        assert sum(isinstance(each, ChallengedOften) for each in to_ben) == 1
        others = [Who(f"member {number}", "member", f"Member{number}") for number in range(MOST_CHALLENGES)]
        await enter(house, *others)
        for other in others[: MOST_CHALLENGES - MOST_TO_ONE]:
            await challenge(house, ANNA, other)
        with pytest.raises(TooManyChallenges):
            await challenge(house, ANNA, others[-1])
        assert len(await house.offers.challenges_of(ANNA.id)) == MOST_CHALLENGES
        assert len(await house.offers.challenges_of(BEN.id)) == MOST_TO_ONE

    on(script)


def test_a_live_seek_is_there_while_its_host_is(on: On) -> None:
    async def script(house: House, moment: Moment) -> None:
        leave = house.presence.enter(ANNA.id, "game:any")
        live, slow = await seek(house), await seek(house, control=DAYS)
        for _ in range(10):
            moment.now += HELD_SECONDS / 2
            await house.offers.hold()
        assert {each.id for each in await house.offers.seeks()} == {live.id, slow.id}
        leave()
        await house.presence.close()
        house.presence._people.clear()  # type: ignore[attr-defined]
        for _ in range(3):
            moment.now += HELD_SECONDS / 2
            await house.offers.hold()
        assert [each.id for each in await house.offers.seeks()] == [slow.id]
        with pytest.raises(NotOpen):
            await house.lobby.accept(live.id, BEN.id)
        moment.now += 7 * 86_400
        assert not await house.offers.seeks()

    on(script)


def test_a_live_seek_does_not_stay_for_ever(on: On) -> None:
    async def script(house: House, moment: Moment) -> None:
        house.presence.enter(ANNA.id, "club")
        mine = await seek(house)
        async with house.engine.begin() as connection:
            # as if it had been held open until shortly before a day was over
            moment.now += HOURS_OPEN * 3600 - 5
            await connection.execute(update(invitations).values(expires=moment.now + 1))
        await house.offers.hold()
        assert (await house.lobby.get(mine.id)).is_open
        moment.now += 6
        await house.offers.hold()
        assert not (await house.lobby.get(mine.id)).is_open

    on(script)


def test_who_begins_a_live_game_seeks_no_other(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        first, _second, slow = await seek(house), await seek(house), await seek(house, control=DAYS)
        theirs, carls = await seek(house, BEN), await seek(house, CARL)
        await house.lobby.accept(first.id, BEN.id)
        assert {each.id for each in await house.offers.seeks()} == {slow.id, carls.id}
        assert (await house.lobby.get(theirs.id)).state == "withdrawn"
        # a game without haste leaves the others where they are
        await house.lobby.accept(slow.id, CARL.id)
        assert [each.id for each in await house.offers.seeks()] == [carls.id]
        await house.quick.search(BEN, rules=OFFICIAL, control=BLITZ, rated=True, tell=lambda _: None)
        await house.quick.search(CARL, rules=OFFICIAL, control=BLITZ, rated=True, tell=lambda _: None)
        await house.quick.tick()
        assert not await house.offers.seeks()

    on(script)


@pytest.mark.parametrize("answer", [None, *ANSWERS])
def test_declining_with_a_phrase(on: On, answer: str | None) -> None:
    async def script(house: House, _: Moment) -> None:
        asked = await challenge(house)
        heard: list[bytes] = []
        await house.bus.subscribe(f"person:{ANNA.id}", heard.append)
        declined = await house.lobby.decline(asked.id, BEN.id, answer)
        assert (declined.state, declined.answer) == ("declined", answer)
        assert (await house.lobby.get(asked.id)).answer == answer
        assert heard
        assert not await house.offers.challenges_of(ANNA.id)
        with pytest.raises(NotOpen):
            await house.lobby.accept(asked.id, BEN.id)

    on(script)


def test_phrases_that_are_none(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        asked = await challenge(house)
        for answer in ("", "go away", "not_now ", "<b>"):
            with pytest.raises(UnknownAnswer):
                await house.lobby.decline(asked.id, BEN.id, answer)
        assert (await house.lobby.get(asked.id)).is_open

    on(script)


def test_who_may_answer_and_withdraw(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        asked, offered = await challenge(house), await seek(house)
        lobby = house.lobby
        attempts: list[tuple[Callable[[], Any], type[InvitationError]]] = [
            (lambda: lobby.accept(asked.id, CARL.id), NotYours),
            (lambda: lobby.accept(asked.id, GUEST.id), NotYours),
            (lambda: lobby.accept(asked.id, ANNA.id), OwnInvitation),
            (lambda: lobby.decline(asked.id, CARL.id), NotYours),
            (lambda: lobby.decline(asked.id, ANNA.id), OwnInvitation),
            (lambda: lobby.decline(offered.id, CARL.id), NotYours),
            (lambda: lobby.withdraw(asked.id, BEN.id), NotYours),
            (lambda: lobby.withdraw(asked.id, CARL.id), NotYours),
            (lambda: lobby.withdraw(offered.id, BEN.id), NotYours),
            (lambda: lobby.withdraw(offered.id, ""), NotYours),
            (lambda: lobby.accept(offered.id, ANNA.id), OwnInvitation),
            (lambda: lobby.accept("no such one", BEN.id), UnknownInvitation),
            (lambda: lobby.decline("\0", BEN.id), UnknownInvitation),
            (lambda: challenge(house, ANNA, ANNA), OwnInvitation),
        ]
        for attempt, error in attempts:
            with pytest.raises(error):
                await attempt()
        assert (await lobby.get(asked.id)).is_open
        assert (await lobby.get(offered.id)).is_open
        assert (await lobby.withdraw(offered.id, ANNA.id)).state == "withdrawn"

    on(script)


def test_a_rematch_keeps_rated(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        asked = await challenge(house, rules=CLUB)
        game_id = (await house.lobby.accept(asked.id, BEN.id)).game
        assert game_id is not None
        await house.move(game_id, times=2)
        await house.do(game_id, Resigned(), (await house.play.view(game_id)).game.turn)
        await house.lobby.rematch(game_id, "anna")
        again = (await house.lobby.rematch(game_id, "ben")).game
        assert again is not None
        assert (await house.ratings.standing(again)).is_rated
        casual = await house.lobby.accept((await challenge(house, rated=False)).id, BEN.id)
        assert casual.game is not None
        assert not (await house.ratings.standing(casual.game)).is_rated

    on(script)


def test_a_host_who_sits_at_another_board_is_told(on: On) -> None:
    async def script(house: House, _: Moment) -> None:
        other = await house.game()
        seats = [
            await Seat(house, other, WHITE, "anna").join(),
            await Seat(house, other, None, "ben").join(),
        ]
        accepted = await house.lobby.accept((await seek(house)).id, BEN.id)
        await seats[0].until(lambda: seats[0].of("begun"))
        assert seats[0].of("begun") == [{"t": "begun", "game": accepted.game}]
        assert not seats[1].of("begun")  # who accepts goes there anyway
        for each in seats:
            each.leave()

    on(script)
