"""Deleting an account: what goes, what stays, and what happens when it is broken off half-way."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert, select

from damier import Color
from damier.clock import TimeControl
from damier.record import Player
from damier.rules import OFFICIAL
from damier.server.accounts import deletion as module
from damier.server.accounts.deletion import OnlyAdministrator
from damier.server.people import Who
from damier.server.play.hub import CLOSE_RESTARTING
from damier.server.play.messages import SayMessage
from damier.server.settings import Settings
from damier.server.tables import (
    account,
    api_token,
    chat_line,
    daily_exercise,
    exercise,
    game,
    guide_step,
    invitation,
    letter_link,
    metadata,
    offence,
    paired,
    passkey,
    person,
    rated_game,
    rating,
    seeker,
    session,
)
from tests.server.house import BLACK, WHITE, Seat
from tests.server.members import PASSWORD, ClubHouse, club_houses, logged_in, read
from tests.server.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.server.conftest import Person, Server

TRIES = 500
CONTROL = TimeControl.fischer(300, 3)
RATING: dict[str, Any] = {
    "rules": "official",
    "speed": "blitz",
    "value": 1500.0,
    "deviation": 100.0,
    "volatility": 0.06,
    "games": 1,
    "at": 0.0,
}
SEEKER: dict[str, Any] = {
    "rules": "official",
    "clock": "300+3",
    "rated": True,
    "rating": 1500.0,
    "deviation": 100.0,
    "since": 0.0,
    "alive": 0.0,
}


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.01)


@pytest.fixture(params=["sqlite", "postgres"])
async def club(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[ClubHouse]]:
    """Two processes of a club, and two members."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url), 2) as both:
        await both[0].member("anna", "Anna", email="anna@club.example", daily=True)
        await both[0].member("ben", "Ben")
        yield both


async def rows(house: ClubHouse, question: Any) -> list[Any]:
    async with house.engine.connect() as connection:
        return list((await connection.execute(question)).all())


async def everything(house: ClubHouse) -> str:
    """All that is in the database, as text."""
    lines: list[str] = []
    for table in metadata.sorted_tables:
        lines += [repr(tuple(row)) for row in await rows(house, select(table))]
    return "\n".join(lines)


async def between(house: ClubHouse, moves: int, white: str = "Anna", **players: Player) -> str:
    anna, ben = Player("member", white, id="anna"), Player("member", "Ben", id="ben")
    sides = {"white": anna, "black": ben, **players}
    game_id = await house.play.create_between(sides["white"], sides["black"], OFFICIAL, CONTROL, True)
    await house.move(game_id, times=moves)
    return game_id


async def furnish(house: ClubHouse) -> dict[str, str]:
    """Fill every table with something of anna's; returns the games."""
    finished = await between(house, 2)
    await house.do(finished, module.Resigned(), BLACK)
    games = {"finished": finished, "going": await between(house, 2), "fresh": await between(house, 0)}
    games["computer"] = await house.play.create(
        Player("member", "Anna", id="anna"), color=WHITE, rules=OFFICIAL, level=1
    )
    await house.lobby.create("anna", rules=OFFICIAL, control=CONTROL, color="white", is_public=True)
    reader = (await Seat(house, finished, WHITE, "anna").join()).reader
    for message in (SayMessage(1, "players", text="my own words"), SayMessage(2, "players", preset="thanks")):
        await house.rooms.say(finished, reader, message)
    await house.ties.follow("anna", "ben")
    await house.ties.follow("ben", "anna")
    await house.member("carl", "Carl")
    await house.ties.block("carl", "anna")
    assert await house.accounts.log_in("Anna", PASSWORD, "Firefox") is not None
    now = house.time.now
    some = {
        passkey: {"id": "k", "public_key": "p", "sign_count": 0, "name": "Anna's key", "created": now},
        letter_link: {"token_hash": "h", "purpose": "confirm", "email": "anna@club.example", "expires": now},
        api_token: {"id": "t", "token_hash": "th", "name": "Anna's program", "scopes": "play", "created": now},
        rating: RATING,
        seeker: SEEKER,
        paired: {"opponents": "ben", "colors": "W"},
        offence: {"game": finished, "kind": "left", "at": now},
        guide_step: {"step": "board", "at": now},
        exercise: {"number": 3, "missed": False, "score": 1, "best": 2, "solved": 2, "at": now},
        daily_exercise: {"day": "2026-11-30", "solved": True, "at": now},
    }
    async with house.engine.begin() as connection:
        for table, values in some.items():
            await connection.execute(insert(table).values(person="anna", **values))
        await connection.execute(
            insert(rated_game).values(
                game=finished, rules="official", speed="blitz", white="anna", black="ben", begun=now, state="rated"
            )
        )
    return games


async def expect_gone(house: ClubHouse) -> None:
    text = await everything(house)
    for trace in ("Anna", "anna@", "my own words", "thanks", "Firefox"):
        assert trace not in text, trace
    assert await rows(house, select(person.c.kind, person.c.name, person.c.name_key).where(person.c.id == "anna")) == [
        ("gone", None, None)
    ]
    opened_by = (session, passkey, letter_link, api_token, account)
    for table in (*opened_by, rating, seeker, paired, offence, guide_step, exercise, daily_exercise):
        assert await rows(house, select(table).where(table.c.person == "anna")) == [], table.name
    assert await house.ties.followed("ben") == await house.ties.blocked("carl") == []


# --- What goes and what stays ------------------------------------------------------------------------------------


async def test_nothing_is_left_but_games_without_the_name(club: list[ClubHouse]) -> None:
    house, _ = club
    games = await furnish(house)
    plies = {name: (await house.play.view(each)).game.plies for name, each in games.items()}
    await house.departures.leave("anna")
    await expect_gone(house)
    for name, each in games.items():
        present = (await house.store.load(each)).game
        assert present.origin.white == Player("gone", id="anna"), name
        assert present.plies >= plies[name]
    ends = {name: (await house.store.load(each)).game.result for name, each in games.items()}
    assert ends["finished"] is not None
    assert (ends["finished"].winner, ends["finished"].reason) == (Color.WHITE, "resigned")
    assert ends["going"] is not None
    assert (ends["going"].winner, ends["going"].reason) == (Color.BLACK, "resigned")
    assert ends["fresh"] is not None
    assert ends["fresh"].reason == "aborted"
    # the opponent keeps what is the opponent's
    assert await house.people.who("ben") == Who("ben", "member", "Ben")
    assert [row.white for row in await rows(house, select(rated_game))] == ["anna"]
    assert len(await rows(house, select(chat_line))) == 2
    assert await rows(house, select(invitation)) == []


async def test_going_again_changes_nothing(club: list[ClubHouse]) -> None:
    house, other = club
    await furnish(house)
    await asyncio.gather(house.departures.leave("anna"), other.departures.leave("anna"))
    await expect_gone(house)
    await house.departures.leave("anna")
    await house.departures.leave("nobody")
    assert not await house.departures.begin("anna")
    await house.people.keep("guest")
    assert not await house.departures.begin("guest")
    assert await house.people.who("guest") == Who("guest")


async def test_the_name_is_free_and_the_account_opens_to_nobody(club: list[ClubHouse]) -> None:
    house, _ = club
    token = await house.accounts.log_in("Anna", PASSWORD, "Firefox")
    assert token is not None
    await house.departures.leave("anna")
    assert await house.accounts.person_of(token) is None
    assert await house.accounts.log_in("Anna", PASSWORD, "Firefox") is None
    assert await house.accounts.log_in("Anna", PASSWORD, "") is None
    assert await house.people.member("Anna") is None
    assert await house.member("dora", "Anna") == Who("dora", "member", "Anna")
    with pytest.raises(Exception, match="Only a guest"):
        await house.accounts.join("anna", "Anna2", PASSWORD)


# --- In the memory of all processes ------------------------------------------------------------------------------


def names(house: ClubHouse, game_id: str) -> list[str | None]:
    view = house.play.known(game_id)
    assert view is not None
    return [view.game.origin.white.name, view.game.origin.black.name]


async def test_every_process_forgets_the_name(club: list[ClubHouse]) -> None:
    house, other = club
    game_id = await between(house, 2)
    await other.play.view(game_id)
    anna = await Seat(other, game_id, WHITE, "anna").join()
    watcher = await Seat(other, game_id, None, "carl").join()
    await other.rooms.say(game_id, anna.reader, SayMessage(1, "players", text="my own words"))
    await house.departures.leave("anna")
    assert names(house, game_id) == names(other, game_id) == [None, "Ben"]
    state = (await other.play.view(game_id)).first_state(game_id, None, "en", 0.0)
    assert (state.players.white.name, state.players.white.url) == ("Former member", None)
    # the member's own sockets are closed, and nothing can be said by one that was not yet
    assert await anna.reader.task == CLOSE_RESTARTING
    with pytest.raises(Exception, match="cookie"):
        await other.rooms.say(game_id, anna.reader, SayMessage(2, "players", text="one word more"))
    # the game is over, so all hear what was said
    late = await Seat(other, game_id, None, "dora").join()
    await late.until(lambda: late.of("chat"))
    [line] = late.of("chat")[0]["lines"]
    assert (line["name"], line["text"]) == ("Former member", "(removed)")
    for seat in (anna, watcher, late):
        seat.leave()


async def test_an_event_that_was_on_its_way_brings_no_name_back(
    club: list[ClubHouse], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = club
    game_id = await between(house, 1, white="Carl", black=Player("member", "Anna", id="anna"))
    append, held = house.store.append, asyncio.Event()

    async def slow(*given: Any, **more: Any) -> None:
        await append(*given, **more)
        await held.wait()

    monkeypatch.setattr(house.store, "append", slow)
    moving = asyncio.create_task(house.move(game_id))
    await asyncio.sleep(0.1)
    house.play.forget("anna")
    held.set()
    await moving
    assert names(house, game_id)[1] is None
    assert (await house.play.view(game_id)).game.plies == 2


async def test_what_was_being_read_and_what_is_begun_has_no_name(club: list[ClubHouse]) -> None:
    house, other = club
    game_id = await between(house, 2)
    other.play.forget("anna")  # heard while the store still has it
    assert (await other.play.view(game_id)).game.origin.white.name is None
    begun = await between(other, 0)
    assert (await house.store.load(begun)).game.origin.white == Player("gone", id="anna")


async def test_after_lost_news_those_who_went_are_asked_for(club: list[ClubHouse]) -> None:
    house, other = club
    game_id = await between(house, 2)
    await other.play.view(game_id)
    wire = house.bus.wire
    wire.cut = True
    await house.departures.leave("anna")
    assert names(other, game_id) == ["Anna", "Ben"]
    wire.mend()
    await until(lambda: names(other, game_id) == [None, "Ben"])


# --- Broken off --------------------------------------------------------------------------------------------------

STEPS = ["_withdraw", "_leave_games", "_is_awaited", "_unname_games", "_delete_rest"]


@pytest.mark.parametrize("step", STEPS)
async def test_what_is_broken_off_the_next_process_finishes(
    club: list[ClubHouse], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    house, other = club
    await furnish(house)

    async def die(*_: object) -> None:
        raise ConnectionError("the process died here")

    monkeypatch.setattr(house.departures, step, die)
    with pytest.raises(ConnectionError):
        await house.departures.leave("anna")
    # at once nobody is called so any more, and nobody gets in
    assert await house.people.who("anna") == Who("anna", "gone")
    assert await house.accounts.log_in("Anna", PASSWORD, "") is None
    assert await other.departures.unfinished() == ["anna"]
    running = asyncio.create_task(other.departures.run())
    for _ in range(TRIES):
        if not await other.departures.unfinished():
            break
        await asyncio.sleep(0.02)
    running.cancel()
    await expect_gone(other)


async def test_what_is_written_of_somebody_afterwards_is_swept_away(club: list[ClubHouse]) -> None:
    house, _ = club
    await house.departures.leave("anna")
    for who in ("anna", "ben"):
        async with house.engine.begin() as connection:
            await connection.execute(insert(rating).values(person=who, **RATING))
    running = asyncio.create_task(house.departures.run())
    left: list[str] = []
    for _ in range(TRIES):
        left = [row.person for row in await rows(house, select(rating))]
        if left == ["ben"]:
            break
        await asyncio.sleep(0.02)
    running.cancel()
    assert left == ["ben"]


async def test_many_games_are_gone_through_page_by_page(club: list[ClubHouse], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 3)
    house, _ = club
    made = [await between(house, 0) for _ in range(10)]
    await house.departures.leave("anna")
    assert "Anna" not in await everything(house)
    results = [(await house.store.load(each)).game.result for each in made]
    assert all(result is not None and result.reason == "aborted" for result in results)


async def test_both_players_of_a_game_go_at_the_same_moment(club: list[ClubHouse]) -> None:
    house, other = club
    made = [await between(house, 2) for _ in range(4)]
    await asyncio.gather(house.departures.leave("anna"), other.departures.leave("ben"))
    starts = [json.loads(row.start) for row in await rows(house, select(game.c.start))]
    assert len(starts) == len(made)
    assert all(start[side]["name"] is None for start in starts for side in ("white", "black"))


# --- Administrators ----------------------------------------------------------------------------------------------


async def test_the_only_administrator_stays(club: list[ClubHouse]) -> None:
    house, other = club
    await house.member("ada", "Ada", role="administrator")
    with pytest.raises(OnlyAdministrator):
        await house.departures.leave("ada")
    assert await house.people.who("ada") == Who("ada", "member", "Ada", "administrator")
    await house.member("eva", "Eva", role="administrator")
    outcomes = await asyncio.gather(
        house.departures.leave("ada"), other.departures.leave("eva"), return_exceptions=True
    )
    assert sum(isinstance(outcome, OnlyAdministrator) for outcome in outcomes) == 1
    assert len(await rows(house, select(account).where(account.c.role == "administrator"))) == 1


# --- On the pages ------------------------------------------------------------------------------------------------


def test_the_account_is_deleted_with_the_password(people: Callable[..., Person], server: Server) -> None:
    member, guest = people(), people()
    name = logged_in(member)
    invited = member.post("/invitations", control="300+3", rules="official", color="white", public="on")
    path = guest.post(f"{invited.headers['location']}/accept").headers["location"]
    assert guest.page_state(path)["players"]["white"]["name"] == name
    assert 'type="password"' in member.http.get("/account/delete").text
    for proof in ("", "not the password", name):
        answer = member.post("/account/delete", proof=proof)
        assert answer.status_code == 422
        assert "This is not your present password." in answer.text
    assert member.http.get("/account").status_code == 200
    answer = member.post("/account/delete", proof=PASSWORD)
    assert (answer.status_code, answer.headers["location"]) == (303, "/goodbye")
    assert "Your account is deleted" in member.http.get("/goodbye").text
    assert member.http.get("/account").status_code == 303
    assert guest.http.get(f"/@/{name}").status_code == 404
    state: dict[str, Any] = {}
    for _ in range(TRIES):
        state = guest.page_state(path)
        if state["players"]["white"]["kind"] == "gone" and state["result"]:
            break
        time.sleep(0.02)
    assert state["players"]["white"] == {"kind": "gone", "name": "Former member", "level": None, "url": None}
    assert state["result"]["rule"] == "aborted"
    assert name not in guest.http.get(path + ".pdn").text
    # the browser is a new guest's now
    assert member.new_game().startswith("/games/")
    assert read(server, select(person).where(person.c.name == name)) == []


def test_without_a_password_the_name_is_written(people: Callable[..., Person]) -> None:
    member = people()
    name = logged_in(member, password=None)
    assert f"write your name: {name}" in member.http.get("/account/delete").text
    for proof in ("", name.lower(), PASSWORD):
        assert "This is not your name as it is written here." in member.post("/account/delete", proof=proof).text
    assert member.post("/account/delete", proof=f" {name} ").headers["location"] == "/goodbye"


def test_only_oneself_deletes_an_account(people: Callable[..., Person]) -> None:
    guest, stranger = people(), people()
    guest.new_game()
    for each in (guest, stranger):
        assert each.http.get("/account/delete").status_code == 401
        assert each.post("/account/delete", proof=PASSWORD).status_code == 401
    member = people()
    logged_in(member)
    assert member.http.post("/account/delete", data={"proof": PASSWORD}).status_code == 403
    assert member.http.get("/account").status_code == 200


def test_passwords_are_not_tried_for_ever(people: Callable[..., Person]) -> None:
    member = people()
    logged_in(member)
    answers = [member.post("/account/delete", proof="a guess").status_code for _ in range(11)]
    assert answers == [422] * 10 + [429]
    assert member.post("/account/delete", proof=PASSWORD).status_code == 429
    assert "Your account is as it was." in member.post("/account/delete", proof=PASSWORD).text


def test_whoever_comes_too_often_is_asked_to_wait_and_keeps_the_account(own_server_person: Person) -> None:
    member = own_server_person
    logged_in(member)
    for _ in range(10):
        member.post("/account/password/remove", password="a guess, a guess")
    answer = member.post("/account/delete", proof=PASSWORD)
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert "Too many wrong passwords" in answer.text
    assert member.http.get("/account").status_code == 200


def test_the_only_administrator_is_told_so(own_server_person: Person) -> None:
    logged_in(own_server_person, role="administrator")
    answer = own_server_person.post("/account/delete", proof=PASSWORD)
    assert answer.status_code == 422
    assert "only administrator" in answer.text
