"""Following and blocking: what they are between members, on the pages, and in the chat."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from damier.server.accounts import ties as module
from damier.server.accounts.ties import Apart, Between, NoMember, Oneself, TooMany, online_first
from damier.server.play.messages import SayMessage
from damier.server.settings import Settings
from tests.server.house import BLACK, WHITE, Seat
from tests.server.members import ClubHouse, club_houses, logged_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.server.conftest import Person


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ClubHouse]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url)) as [only]:
        for person_id, name in (("anna", "Anna"), ("ben", "Ben"), ("carl", "Carl")):
            await only.member(person_id, name)
        yield only


# --- Between members ---------------------------------------------------------------------------------------------


async def test_following_is_one_way_and_can_be_taken_back(house: ClubHouse) -> None:
    for _ in range(2):
        await house.ties.follow("anna", "ben")
    assert await house.ties.between("anna", "ben") == Between(follows=True)
    assert await house.ties.between("ben", "anna") == Between()
    assert [(each.who.name, each.since) for each in await house.ties.followed("anna")] == [("Ben", house.time.now)]
    assert (await house.ties.followers("ben"), await house.ties.followers("anna")) == (1, 0)
    for _ in range(2):
        await house.ties.unfollow("anna", "ben")
    assert await house.ties.followed("anna") == []


async def test_blocking_ends_following_both_ways(house: ClubHouse) -> None:
    await house.ties.follow("anna", "ben")
    await house.ties.follow("ben", "anna")
    await house.ties.follow("ben", "carl")
    await house.ties.block("ben", "anna")
    assert await house.ties.between("anna", "ben") == Between(is_blocked=True)
    assert await house.ties.between("ben", "anna") == Between(blocks=True)
    assert [each.who.id for each in await house.ties.followed("ben")] == ["carl"]
    for who, other in (("anna", "ben"), ("ben", "anna")):
        with pytest.raises(Apart):
            await house.ties.follow(who, other)
    await house.ties.unblock("ben", "anna")
    await house.ties.follow("anna", "ben")


async def test_who_is_kept_apart(house: ClubHouse) -> None:
    await house.ties.block("anna", "ben")
    await house.ties.block("carl", "anna")
    assert await house.ties.blocked_between("anna", ["ben", "carl", "dora"]) == {"ben", "carl"}
    assert await house.ties.blocked_between("ben", ["anna", "carl"]) == {"anna"}
    assert await house.ties.blocked_between("ben", ["carl"]) == await house.ties.blocked_between("ben", []) == set()
    assert await house.ties.blocked_by("anna") == {"ben"}
    assert [each.who.name for each in await house.ties.blocked("anna")] == ["Ben"]


async def test_only_two_members_are_tied(house: ClubHouse) -> None:
    await house.people.keep("guest")
    for tie in (house.ties.follow, house.ties.block):
        with pytest.raises(Oneself):
            await tie("anna", "anna")
        for who, other in (("anna", "guest"), ("guest", "anna"), ("anna", "nobody"), ("nobody", "anna")):
            with pytest.raises(NoMember):
                await tie(who, other)


async def test_a_list_has_an_end(house: ClubHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FOLLOWED", 1)
    monkeypatch.setattr(module, "MOST_BLOCKED", 1)
    for tie in (house.ties.follow, house.ties.block):
        await tie("anna", "ben")
        await tie("anna", "ben")
        with pytest.raises(TooMany):
            await tie("anna", "carl")


async def test_of_many_at_once_no_more_than_the_most_are_followed(
    house: ClubHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FOLLOWED", 2)
    for number in range(4):
        await house.member(f"p{number}", f"Player{number}")
    tries = (house.ties.follow("anna", f"p{number}") for number in range(4))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, TooMany) for outcome in outcomes) == 2
    assert len(await house.ties.followed("anna")) == 2


async def test_following_and_blocking_at_the_same_moment_leaves_no_follower(house: ClubHouse) -> None:
    for _ in range(5):
        await asyncio.gather(house.ties.follow("anna", "ben"), house.ties.block("ben", "anna"), return_exceptions=True)
        assert await house.ties.between("anna", "ben") == Between(is_blocked=True)
        await house.ties.unblock("ben", "anna")


async def test_those_online_come_first_and_who_blocked_is_never_online(house: ClubHouse) -> None:
    for other in ("ben", "carl"):
        await house.ties.follow("anna", other)
    house.presence.enter("carl", "club")
    listed = await online_first(house.ties, house.presence, "anna")
    assert [(each.who.name, online) for each, online in listed] == [("Carl", True), ("Ben", False)]
    await house.ties.block("carl", "ben")
    assert await house.presence.among(["ben", "carl", "dora"]) == {"carl"}


# --- In the chat -------------------------------------------------------------------------------------------------


async def said_to(seat: Seat) -> list[str]:
    return [line["text"] for message in seat.of("chat") for line in message["lines"]]


def say(text: str) -> Any:
    return SayMessage(ref=1, room="watchers", text=text)


async def test_what_the_blocked_say_does_not_reach_who_blocks(house: ClubHouse) -> None:
    game = await house.game()
    anna, ben, carl = [await Seat(house, game, None, each).join() for each in ("w1", "ben", "carl")]
    await house.member("w1", "Watcher")
    await house.rooms.say(game, ben.reader, say("one"))
    await house.ties.block("carl", "ben")
    await carl.until(lambda: carl.reader.blocked)
    await house.rooms.say(game, ben.reader, say("two"))
    await house.rooms.say(game, anna.reader, say("three"))
    await carl.until(lambda: len(carl.of("chat")) == 2)
    assert await said_to(carl) == ["one", "three"]
    assert await said_to(ben) == await said_to(anna) == ["one", "two", "three"]
    assert "person" not in str(carl.of("chat"))
    # nor when the page is opened anew
    again = await Seat(house, game, None, "carl").join()
    await again.until(lambda: again.of("chat"))
    assert await said_to(again) == ["three"]
    await house.ties.unblock("carl", "ben")
    await again.until(lambda: not again.reader.blocked)
    await house.rooms.say(game, ben.reader, say("four"))
    await again.until(lambda: len(again.of("chat")) == 2)
    for seat in (anna, ben, carl, again):
        seat.leave()


async def test_a_blocked_opponent_is_not_heard_either(house: ClubHouse) -> None:
    await house.ties.block("anna", "ben")
    game = await house.game()
    anna, ben = await Seat(house, game, WHITE, "anna").join(), await Seat(house, game, BLACK, "ben").join()
    await house.rooms.say(game, ben.reader, SayMessage(ref=1, room="players", text="hello"))
    await house.rooms.say(game, anna.reader, SayMessage(ref=1, room="players", text="good luck"))
    await anna.until(lambda: anna.of("chat"))
    assert await said_to(anna) == ["good luck"]
    assert await said_to(ben) == ["hello", "good luck"]
    anna.leave()
    ben.leave()


# --- On the pages ------------------------------------------------------------------------------------------------


def test_a_member_follows_and_blocks_on_the_other_ones_page(people: Callable[..., Person]) -> None:
    anna, ben = people(), people()
    name, other = logged_in(anna), logged_in(ben)
    page = anna.http.get(f"/@/{other}").text
    assert f'action="/@/{other}/follow"' in page
    answer = anna.post(f"/@/{other}/follow", next=f"/@/{other}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/@/{other}")
    assert f'action="/@/{other}/unfollow"' in anna.http.get(f"/@/{other}").text
    assert other in anna.http.get("/friends").text
    assert "1 member follows you." in ben.http.get("/friends").text
    assert ben.post(f"/@/{name}/block", next="/friends").headers["location"] == "/friends"
    assert f'action="/@/{other}/follow"' not in anna.http.get(f"/@/{other}").text
    assert anna.post(f"/@/{other}/follow").status_code == 422
    assert other not in anna.http.get("/friends").text
    assert name in ben.http.get("/account").text
    assert ben.post(f"/@/{name}/unblock", next="https://else.example/").headers["location"] == f"/@/{name}"
    assert anna.post(f"/@/{other}/follow").status_code == 303
    assert anna.post(f"/@/{other}/unfollow").status_code == 303
    assert anna.post(f"/@/{name}/follow").status_code == 422


@pytest.mark.parametrize("what", ["follow", "unfollow", "block", "unblock"])
def test_guests_and_strangers_tie_nobody(people: Callable[..., Person], what: str) -> None:
    member, guest, stranger = people(), people(), people()
    name = logged_in(member)
    guest.new_game()
    assert guest.post(f"/@/{name}/{what}").status_code == 401
    assert stranger.post(f"/@/{name}/{what}").status_code == 401
    assert stranger.http.post(f"/@/{name}/{what}").status_code == 403  # without the form's token
    assert member.post(f"/@/{name}x/{what}").status_code == 404


def test_the_friends_page_is_for_members(people: Callable[..., Person]) -> None:
    guest = people()
    answer = guest.http.get("/friends")
    assert answer.status_code == 401
    assert "This is for members" in answer.text
    assert guest.http.get("/friends/invite?name=x").status_code == 401


def test_who_is_challenged_by_name(people: Callable[..., Person]) -> None:
    anna, ben = people(), people()
    name, other = logged_in(anna), logged_in(ben)
    answer = anna.http.get("/friends/invite", params={"name": f" {other.upper()} "})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/challenge/{other}")
    for nobody in ("", "nobody-of-this-name", "<b>", "\u0000", "x" * 150):
        answer = anna.http.get("/friends/invite", params={"name": nobody})
        assert answer.status_code == 422
        assert "Nobody here has this name." in answer.text
        assert "<b>" not in answer.text.partition("<main")[2]
    assert "This is you." in anna.http.get("/friends/invite", params={"name": name}).text
    assert anna.http.get("/friends/invite", params={"name": "x" * 300}).status_code == 400


def test_to_whom_one_has_blocked_one_is_not_there(people: Callable[..., Person]) -> None:
    anna, ben = people(), people()
    name, other = logged_in(anna), logged_in(ben)
    with ben.sit(ben.new_game()):
        assert '<span class="is-online">online' in anna.http.get(f"/@/{other}").text
        ben.post(f"/@/{name}/block")
        page = anna.http.get(f"/@/{other}").text
        assert "not online" in page
        assert "/challenge/" not in page


def test_the_front_page_names_friends_who_are_online(people: Callable[..., Person]) -> None:
    anna, ben = people(), people()
    logged_in(anna)
    other = logged_in(ben)
    assert "Your friends" in anna.http.get("/").text
    anna.post(f"/@/{other}/follow")
    assert "Friends online" not in anna.http.get("/").text
    with ben.sit(ben.new_game()):
        page = anna.http.get("/").text
        assert "Friends online" in page
        assert f'href="/@/{other}"' in page
        assert '<span class="is-online">online' in anna.http.get(f"/@/{other}").text
