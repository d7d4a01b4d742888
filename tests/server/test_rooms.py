"""Around a board: who is there, claims against who has left, chat, and another game."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from damier.events import Abandoned, Resigned
from damier.record import Player
from damier.refusals import GameError, GameOver, NotBegun
from damier.server import presence as presence_module
from damier.server.lobby.invitation import InvitationError
from damier.server.play import chat
from damier.server.play.chat import BadLine, ChatIsOff, NoRoom, NotHere, TooFast, valid_line
from damier.server.play.messages import SayMessage
from damier.server.play.rooms import NobodyKnown, NotGone
from damier.server.redis_bus import RedisBus
from damier.server.redis_client import connect
from damier.server.redis_presence import RedisPresence
from tests.server.house import BLACK, WHITE, Moment, Seat, houses
from tests.server.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.house import House
    from tests.services import Redis


@pytest.fixture(autouse=True)
def leaving_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence_module, "LEAVING_SECONDS", 0.01)


def says(text: str | None = None, preset: Any = None, room: Any = "players", ref: int = 1) -> SayMessage:
    return SayMessage(ref, room, text, preset)


def heard(seat: Seat, room: str) -> list[Any]:
    """What a page has heard in a room; each line once and in order."""
    lines = [line for message in seat.of("chat") if message["room"] == room for line in message["lines"]]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    return [line["text"] or line["preset"] for line in lines]


def last(seat: Seat) -> dict[str, Any]:
    return {name: value for name, value in seat.of("presence")[-1].items() if name != "t"}


# --- Who is there ------------------------------------------------------------------------------------------------------


async def test_people_are_counted_not_sockets(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time) as (house,):
        game_id = await house.game()
        white = await Seat(house, game_id, WHITE, "anna").join()
        await white.until(lambda: white.of("presence"))
        assert last(white) == {"white": True, "black": False, "watchers": 0, "claim_in": None}
        tabs = [await Seat(house, game_id, None, "vera").join() for _ in range(3)]
        nobody = await Seat(house, game_id, None, None).join()
        await white.until(lambda: last(white)["watchers"] == 2)
        for seat in (*tabs[:2], nobody):
            seat.leave()
        await white.until(lambda: last(white)["watchers"] == 1)
        black = await Seat(house, game_id, BLACK, "ben").join()
        await white.until(lambda: last(white)["black"])
        black.leave()
        await white.until(lambda: not last(white)["black"])


# --- Claims ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [False, True])
async def test_who_stays_may_claim_against_who_has_left_when_the_time_has_come(tmp_path: Path, draw: bool) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game("300+3")
        white = await Seat(house, game_id, WHITE, "anna").join()
        black = await Seat(house, game_id, BLACK, "ben").join()
        await house.move(game_id)
        with pytest.raises(NotBegun):
            await house.rooms.claim(game_id, BLACK, draw=draw)
        await house.move(game_id)
        with pytest.raises(NotGone):
            await house.rooms.claim(game_id, WHITE, draw=draw)
        black.leave()
        await white.until(lambda: last(white)["claim_in"] is not None)
        assert last(white)["claim_in"] == 40_000  # 10 s and a tenth of the time
        moment.now += 39.9
        with pytest.raises(NotGone):
            await house.rooms.claim(game_id, WHITE, draw=draw)
        moment.now += 0.2
        game = await house.rooms.claim(game_id, WHITE, draw=draw)
        assert (game.events[-1].event, game.events[-1].by) == (Abandoned(BLACK, draw), None)
        assert game.result is not None
        assert game.result.score == ("1-1" if draw else "2-0")
        with pytest.raises(GameOver):
            await house.rooms.claim(game_id, WHITE, draw=draw)


async def test_who_comes_back_in_time_cannot_be_claimed_against(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game("60")
        await house.move(game_id, times=2)
        white = await Seat(house, game_id, WHITE, "anna").join()
        await white.until(lambda: white.of("presence"))
        assert last(white)["claim_in"] == 16_000  # never seen: away since the server is up
        moment.now += 20
        await Seat(house, game_id, BLACK, "ben").join()
        await white.until(lambda: last(white)["black"])
        assert last(white)["claim_in"] is None
        with pytest.raises(NotGone):
            await house.rooms.claim(game_id, WHITE, draw=False)


async def test_nobody_is_claimed_against_before_it_is_known_that_he_is_away(
    tmp_path: Path, redis: Redis, redis_url: str
) -> None:
    moment = Moment()
    moment.now = time.time()
    buses = [RedisBus(redis_url) for _ in range(2)]
    clients = [connect(redis_url) for _ in range(2)]
    presences = [RedisPresence(client, bus) for client, bus in zip(clients, buses, strict=True)]
    async with houses(tmp_path, moment, presences=presences) as (one, other):
        game_id = await one.game("300+3")
        await one.move(game_id, times=2)
        moment.now += 200  # whoever is away has been so for long
        black = await Seat(other, game_id, BLACK, "ben").join()
        await until(lambda: presences[0]._complete and presences[1]._complete)
        white = await Seat(one, game_id, WHITE, "anna").join()
        with pytest.raises(NotGone):
            await one.rooms.claim(game_id, WHITE, draw=False)
        await white.until(lambda: white.of("presence"))
        assert [(each["black"], each["claim_in"]) for each in white.of("presence")] == [(True, None)]
        black.leave()
        await white.until(lambda: last(white)["claim_in"] == 0)
        assert not last(white)["black"]
        redis.kill()
        try:
            await white.until(lambda: last(white)["black"] and last(white)["claim_in"] is None)
            with pytest.raises(NotGone):
                await one.rooms.claim(game_id, WHITE, draw=False)
        finally:
            redis.start()
    for bus, client in zip(buses, clients, strict=True):
        await bus.close()
        await client.aclose()


@pytest.mark.parametrize(("clock", "claim_in"), [("1/86400", None), ("-", 86_400_000)])
async def test_a_game_without_haste_is_not_claimed_soon(tmp_path: Path, clock: str, claim_in: int | None) -> None:
    moment = Moment()
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game(clock)
        await house.move(game_id, times=2)
        white = await Seat(house, game_id, WHITE, "anna").join()
        watcher = await Seat(house, game_id, None, "vera").join()
        await white.until(lambda: white.of("presence"))
        await watcher.until(lambda: watcher.of("presence"))
        assert last(white)["claim_in"] == claim_in
        assert last(watcher)["claim_in"] is None


# --- Chat --------------------------------------------------------------------------------------------------------------


async def test_players_and_watchers_hear_their_own_until_the_game_is_over(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        white = await Seat(left, game_id, WHITE, "anna").join()
        black = await Seat(right, game_id, BLACK, "ben", "nl").join()
        vera = await Seat(right, game_id, None, "vera").join()
        await right.people.rename("vera", "Vera")
        await left.rooms.say(game_id, white.reader, says("hi <b>there</b>"))
        await right.rooms.say(game_id, black.reader, says(preset="good_luck"))
        await right.rooms.say(game_id, vera.reader, says("who wins?", room="watchers"))
        for seat, room in ((white, "watchers"), (black, "watchers"), (vera, "players")):
            with pytest.raises(NotHere):
                await seat.house.rooms.say(game_id, seat.reader, says("psst", room=room))
        await white.until(lambda: len(heard(white, "players")) == 2)
        await vera.until(lambda: heard(vera, "watchers"))
        assert heard(white, "players") == ["hi <b>there</b>", "good_luck"]
        assert (heard(white, "watchers"), heard(vera, "players")) == ([], [])
        lines = [line for message in black.of("chat") for line in message["lines"]]
        assert [(line["name"], line["side"]) for line in lines] == [("Gast", "white"), ("Gast", "black")]
        (line,) = vera.of("chat")[0]["lines"]
        assert (line["name"], line["side"]) == ("Vera", None)

        await left.do(game_id, Resigned(), WHITE)
        await white.until(lambda: heard(white, "watchers"))
        await black.until(lambda: heard(black, "watchers"))
        await vera.until(lambda: len(heard(vera, "players")) == 2)
        await left.rooms.say(game_id, white.reader, says("well, you do", room="watchers"))
        await right.rooms.say(game_id, vera.reader, says("good game", room="players"))
        for seat in (white, black, vera):
            await seat.until(lambda seat=seat: len(heard(seat, "players")) == 3 and len(heard(seat, "watchers")) == 2)


async def test_lines_that_were_missed_come_once_and_in_order(tmp_path: Path) -> None:
    moment = Moment()
    async with houses(tmp_path, moment, 2) as (left, right):
        game_id = await left.game()
        white = await Seat(left, game_id, WHITE, "anna").join()
        black = await Seat(right, game_id, BLACK, "ben").join()
        for number in range(4):
            await left.rooms.say(game_id, white.reader, says(f"line {number}"))
        await black.until(lambda: len(heard(black, "players")) == 4)
        black.leave()
        moment.now += 60
        await left.rooms.say(game_id, white.reader, says("missed"))
        again = await Seat(right, game_id, BLACK, "ben").join(version=0, said={"players": 4})
        await again.until(lambda: again.of("chat"))
        assert [line["seq"] for line in again.of("chat")[0]["lines"]] == [5]
        left.bus.wire.cut = True
        await left.rooms.say(game_id, white.reader, says("lost"))
        left.bus.wire.mend()
        await again.until(lambda: again.reader.said["players"] == 6)
        left.bus.wire.cut = True
        await left.rooms.say(game_id, white.reader, says("lost too"))
        left.bus.wire.cut = False
        await left.rooms.say(game_id, white.reader, says("heard"))
        await again.until(lambda: again.reader.said["players"] == 8)
        texts = [line["text"] for message in again.of("chat") for line in message["lines"]]
        assert texts == ["missed", "lost", "lost too", "heard"]


async def test_all_who_speak_at_once_get_numbers_of_their_own(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as both:
        game_id = await both[0].game()
        seats = [await Seat(both[number % 2], game_id, None, f"watcher {number}").join() for number in range(8)]
        await asyncio.gather(
            *(seat.house.rooms.say(game_id, seat.reader, says("hello", room="watchers")) for seat in seats)
        )
        for seat in seats:
            await seat.until(lambda seat=seat: len(heard(seat, "watchers")) == 8)


async def test_nobody_says_too_much_too_fast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = Moment()
    monkeypatch.setattr(chat, "ROOM_HOLDS", 7)
    async with houses(tmp_path, moment) as (house,):
        game_id = await house.game()
        white = await Seat(house, game_id, WHITE, "anna").join()
        tab = await Seat(house, game_id, WHITE, "anna").join()
        for number in range(5):
            await house.rooms.say(game_id, (white, tab)[number % 2].reader, says("hello"))
        for seat in (white, tab):
            with pytest.raises(TooFast):
                await house.rooms.say(game_id, seat.reader, says("hello"))
        black = await Seat(house, game_id, BLACK, "ben").join()
        await house.rooms.say(game_id, black.reader, says("hello"))
        moment.now += 21
        await house.rooms.say(game_id, white.reader, says("hello"))
        with pytest.raises(chat.RoomFull):
            await house.rooms.say(game_id, white.reader, says("hello"))


async def test_a_line_is_either_words_or_a_preset(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time) as (house,):
        game_id = await house.game()
        white = await Seat(house, game_id, WHITE, "anna").join()
        for message in (says(), says("a", "hello"), says(""), says("x" * 141), says("a\x00b"), says("\u202eabc")):
            with pytest.raises(BadLine):
                await house.rooms.say(game_id, white.reader, message)
        assert await house.chat.lines(game_id, "players") == []


@pytest.mark.parametrize(
    "text",
    ["x" * 140, "één zet — goed!", "👍🏽", "👩\u200d👧", "हिन्दी", "שלום", "<script>alert(1)</script>", "a  b\nc"],
)
def test_ordinary_words_of_any_language_are_taken(text: str) -> None:
    assert valid_line(text) == " ".join(text.split())


@pytest.mark.parametrize("text", ["\u3164", "\u115f \u1160", "\u2800" * 9, "\u200d", "\ufe0f", "\uffa0\u034f"])
def test_a_line_in_which_there_is_nothing_to_be_seen_is_refused(text: str) -> None:
    with pytest.raises(BadLine):
        valid_line(text)


async def test_whoever_switches_chat_off_hears_and_says_nothing_until_it_is_on(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time) as (house,):
        game_id = await house.game()
        white = await Seat(house, game_id, WHITE, "anna").join()
        black = await Seat(house, game_id, BLACK, "ben").join()
        await house.rooms.switch_chat(black.reader, on=False)
        await house.rooms.say(game_id, white.reader, says("hello?"))
        with pytest.raises(ChatIsOff):
            await house.rooms.say(game_id, black.reader, says("hello!"))
        tab = await Seat(house, game_id, BLACK, "ben").join()  # a preference of the person
        await white.until(lambda: heard(white, "players"))
        assert (black.of("chat"), tab.of("chat")) == ([], [])
        await house.rooms.switch_chat(black.reader, on=True)
        await black.until(lambda: heard(black, "players") == ["hello?"])


async def test_chat_is_switched_for_the_person_at_every_board_and_in_every_process(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        first, second = await left.game(), await right.game()
        here = await Seat(left, first, BLACK, "ben").join()
        tab = await Seat(left, first, BLACK, "ben").join()
        elsewhere = await Seat(right, second, BLACK, "ben").join()
        talker = await Seat(left, second, WHITE, "anna").join()
        own = (here, tab, elsewhere)

        async def switches(on: bool) -> None:
            await left.rooms.switch_chat(here.reader, on=on)
            for seat in own:
                await seat.until(lambda seat=seat: seat.of("chat_on")[-1:] == [{"t": "chat_on", "on": on}])
                assert seat.reader.chat_on is on

        await switches(False)
        assert [message["on"] for message in talker.of("chat_on")] == [True]
        await left.rooms.say(second, talker.reader, says("hello?"))
        await talker.until(lambda: heard(talker, "players"))
        for house, game_id, seat in ((left, first, tab), (right, second, elsewhere)):
            with pytest.raises(ChatIsOff):
                await house.rooms.say(game_id, seat.reader, says("hello!"))
        assert all(seat.of("chat") == [] for seat in own)
        await switches(True)
        await elsewhere.until(lambda: heard(elsewhere, "players") == ["hello?"])
        await right.rooms.say(second, elsewhere.reader, says("hello!"))
        elsewhere.leave()
        await switches_without(left, here, elsewhere)


async def switches_without(house: House, seat: Seat, gone: Seat) -> None:
    """A socket that has left is told nothing more."""
    told = len(gone.of("chat_on"))
    await house.rooms.switch_chat(seat.reader, on=False)
    await seat.until(lambda: seat.of("chat_on")[-1]["on"] is False)
    assert (len(gone.of("chat_on")), gone.reader.chat_on) == (told, True)


async def test_a_switch_that_was_missed_is_made_good(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game()
        here = await Seat(left, game_id, BLACK, "ben").join()
        there = await Seat(right, game_id, BLACK, "ben").join()
        left.bus.wire.cut = True
        await left.rooms.switch_chat(here.reader, on=False)
        assert there.reader.chat_on
        left.bus.wire.mend()
        await there.until(lambda: there.of("chat_on")[-1]["on"] is False)
        assert not there.reader.chat_on


async def test_the_computer_is_not_talked_to_and_who_has_no_cookie_does_not_talk(tmp_path: Path) -> None:
    from damier.rules import OFFICIAL

    async with houses(tmp_path, time.time) as (house,):
        game_id = await house.play.create(Player(id="anna"), color=WHITE, rules=OFFICIAL, level=1)
        white = await Seat(house, game_id, WHITE, "anna").join()
        watcher = await Seat(house, game_id, None, "vera").join()
        nobody = await Seat(house, game_id, None, None).join()
        with pytest.raises(NoRoom):
            await house.rooms.say(game_id, white.reader, says("hello"))
        await house.rooms.say(game_id, watcher.reader, says("hello", room="watchers"))
        await nobody.until(lambda: heard(nobody, "watchers"))
        with pytest.raises(NobodyKnown):
            await house.rooms.say(game_id, nobody.reader, says("hello", room="watchers"))
        with pytest.raises(NobodyKnown):
            await house.rooms.switch_chat(nobody.reader, on=False)


@pytest.mark.parametrize("language", ["nl", "fr", "de", "en"])
def test_presets_and_refusals_are_said_in_every_language(language: str) -> None:
    texts = [preset.text for preset in chat.presets(language)]
    assert len(set(texts)) == len(texts) == 8
    errors: list[GameError] = [BadLine(), NotHere(), NoRoom(), ChatIsOff(), TooFast(), chat.RoomFull(), NotGone()]
    for error in errors:
        assert (error.sentence(language) == error.sentence("en")) == (language == "en")


# --- Another game ------------------------------------------------------------------------------------------------------


async def test_a_rematch_is_offered_and_accepted_with_the_colors_exchanged(tmp_path: Path) -> None:
    async with houses(tmp_path, time.time, 2) as (left, right):
        game_id = await left.game("300+3", "leaflet", is_public=False)
        white = await Seat(left, game_id, WHITE, "anna").join()
        black = await Seat(right, game_id, BLACK, "ben").join()
        watcher = await Seat(right, game_id, None, "vera").join()
        with pytest.raises(InvitationError):
            await left.rooms.rematch(game_id, white.reader, wanted=True)
        await left.do(game_id, Resigned(), WHITE)
        for seat in (watcher,):
            with pytest.raises(InvitationError):
                await right.rooms.rematch(game_id, seat.reader, wanted=True)
        await left.rooms.rematch(game_id, white.reader, wanted=True)
        await black.until(lambda: black.of("rematch"))
        assert black.of("rematch") == [{"t": "rematch", "offered_by": "white", "game": None}]
        await right.rooms.rematch(game_id, black.reader, wanted=False)
        await white.until(lambda: white.of("rematch")[-1]["offered_by"] is None)
        await right.rooms.rematch(game_id, black.reader, wanted=True)
        late = await Seat(left, game_id, WHITE, "anna").join()
        await late.until(lambda: late.of("rematch"))
        assert late.of("rematch")[0]["offered_by"] == "black"
        await left.rooms.rematch(game_id, white.reader, wanted=True)
        await watcher.until(lambda: watcher.of("rematch")[-1]["game"])
        again = watcher.of("rematch")[-1]["game"]
        view = await right.play.view(again)
        assert (view.game.origin.white.id, view.game.origin.black.id) == ("ben", "anna")
        assert (view.game.origin.rules, view.game.origin.clock.to_pdn(), view.is_public) == ("leaflet", "300+3", False)
