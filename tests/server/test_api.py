"""The interface for programs: what members' programs can do, and how they are told what they cannot."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from damier.notation.pdn import loads
from tests.server.conftest import ANSWER_SECONDS, Server
from tests.server.programs import Program, new_game
from tests.server.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def programs(server: Server) -> Iterator[Callable[..., Program]]:
    """Makes members of the shared server, with programs."""
    made: list[Program] = []

    def make(*arguments: Any, **options: Any) -> Program:
        made.append(Program(server, *arguments, **options))
        return made[-1]

    yield make
    for program in made:
        program.close()


@pytest.fixture
def two(programs: Callable[..., Program]) -> tuple[Program, Program]:
    return programs(), programs()


# --- The account ------------------------------------------------------------------------------------------------------


def test_a_program_learns_whose_it_is(programs: Callable[..., Program]) -> None:
    program = programs(["seek", "play"])
    assert program.get("/account") == {
        "id": program.id,
        "name": program.name,
        "kind": "member",
        "role": "player",
        "scopes": ["account:read", "play", "seek"],
        "ratings": [],
    }


def test_everybody_sees_members_and_not_their_ids(programs: Callable[..., Program], server: Server) -> None:
    program = programs()
    found = httpx.get(f"{server.address}/api/v1/members/{program.name.upper()}").json()
    assert found.pop("joined") == pytest.approx(time.time(), abs=60)
    assert found == {"name": program.name, "kind": "member", "online": False, "ratings": []}
    with program.listen():
        assert httpx.get(f"{server.address}/api/v1/members/{program.name}").json()["online"]
    answer = httpx.get(f"{server.address}/api/v1/members/nobody-at-all", headers={"accept-language": "en"})
    assert (answer.status_code, answer.json()) == (
        404,
        {"code": "unknown_member", "message": "There is no member of this name.", "field": None},
    )


def test_a_member_becomes_a_bot_for_good(two: tuple[Program, Program]) -> None:
    bot, other = two
    running = new_game(bot, other)
    assert bot.post("/account/bot", 409)["code"] == "games_running"
    bot.post(f"/games/{running}/abort")
    assert bot.post("/account/bot")["kind"] == "bot"
    assert bot.post("/account/bot")["kind"] == "bot"
    assert other.get(f"/members/{bot.name}")["kind"] == "bot"
    game = new_game(bot, other)
    assert other.get(f"/games/{game}")["white"] == {"name": bot.name, "kind": "bot", "level": None, "id": None}
    state = other.page.page_state(f"/games/{game}")
    assert state["players"]["white"] == {
        "kind": "bot",
        "name": bot.name,
        "level": None,
        "url": f"/@/{bot.name}",
    }


# --- Games ------------------------------------------------------------------------------------------------------------


def test_a_game_is_played_to_its_end(two: tuple[Program, Program]) -> None:
    white, black = two
    game = new_game(white, black)
    assert [each["id"] for each in white.get("/games")] == [game]
    (own,) = black.get("/games")
    assert (own["color"], own["your_turn"], own["opponent"]["name"]) == ("black", False, white.name)
    done = white.post(f"/games/{game}/moves", move="32-28", ply=0)
    assert done["version"] == 1
    assert done["fen"].startswith("B:W28,")
    assert black.get("/games")[0]["your_turn"]
    assert black.get("/games")[0]["last_move"] == [32, 28]
    black.post(f"/games/{game}/moves", move="19-23")
    white.post(f"/games/{game}/moves", move="28x19")
    black.post(f"/games/{game}/moves", move="14x23", captured=[19])
    shown = white.get(f"/games/{game}")
    assert shown["moves"] == ["32-28", "19-23", "28x19", "14x23"]
    assert (shown["white"]["id"], shown["black"]["id"]) == (white.id, None)
    assert (shown["clock"], shown["rules"], shown["rated"], shown["public"]) == ("300+3", "official", False, True)
    assert shown["clocks"]["running"] == "white"
    assert black.post(f"/games/{game}/accept_draw", 409)["code"] == "nothing_offered"
    white.post(f"/games/{game}/offer_draw")
    black.post(f"/games/{game}/accept_draw")
    assert black.get(f"/games/{game}")["result"] == {"winner": None, "score": "1-1", "reason": "agreed"}
    assert white.get("/games") == []
    assert white.post(f"/games/{game}/moves", 409, move="37-32")["code"] == "game_over"
    (read_back,) = loads(white.http.get(f"/games/{game}.pdn").text)
    assert read_back.tags["White"] == white.name
    assert read_back.tags["Result"] == "1-1"


def test_what_is_wrong_with_a_move_is_said(two: tuple[Program, Program]) -> None:
    white, black = two
    game = new_game(white, black)
    path = f"/games/{game}/moves"
    refused = white.post(path, 422, move="32-33")
    assert (refused["code"], refused["field"]) == ("illegal_move", "move")
    dutch = white.http.post(path, json={"move": "32-33"}, headers={"accept-language": "nl"}).json()
    assert dutch["message"] != refused["message"]
    assert white.post(path, 422, move="hello")["code"] == "illegal_move"
    assert white.post(path, 422, move="32-28", captured=[23])["field"] == "captured"
    assert white.post(path, 409, move="32-28", ply=2)["code"] == "position_changed"
    assert black.post(path, 409, move="19-23")["code"] == "not_your_turn"
    missing = white.http.post(path, json={"to": "32-28"})
    assert (missing.status_code, missing.json()["code"]) == (400, "bad_input")
    assert white.post(path, 400, move="32-28", ply="0")["field"] == "ply", "a text is no number"
    bad_square = white.post(path, 400, move="32-28", captured=[51])
    assert bad_square["field"] == "captured[0]"
    broken = white.http.post(path, content=b'{"move": ', headers={"content-type": "application/json"})
    assert (broken.status_code, set(broken.json())) == (400, {"code", "message", "field"})
    assert white.get(f"/games/{game}")["version"] == 0


def test_take_backs_and_claims(two: tuple[Program, Program]) -> None:
    white, black = two
    game = new_game(white, black)
    white.post(f"/games/{game}/moves", move="32-28")
    black.post(f"/games/{game}/moves", move="20-25")
    black.post(f"/games/{game}/offer_take_back")
    white.post(f"/games/{game}/decline_take_back")
    assert black.post(f"/games/{game}/offer_take_back", 409)["code"] == "asked_already"
    white.post(f"/games/{game}/offer_take_back")
    black.post(f"/games/{game}/accept_take_back")
    assert white.get(f"/games/{game}")["moves"] == []
    assert white.post(f"/games/{game}/claim_win", 409)["code"] == "not_gone"
    assert white.http.post(f"/games/{game}/give_up").status_code == 400
    assert black.post(f"/games/{game}/abort", 409)["code"] == "too_late_to_abort"
    black.post(f"/games/{game}/resign")
    assert white.get(f"/games/{game}")["result"] == {"winner": "white", "score": "2-0", "reason": "resigned"}


def test_the_computers_games_are_played_too(programs: Callable[..., Program]) -> None:
    program = programs()
    game = program.page.new_game().removeprefix("/games/")
    program.post(f"/games/{game}/moves", move="32-28")
    with program.sit(game) as table:
        table.receive()
        while len(table.plies) < 2:
            table.receive()
    shown = program.get(f"/games/{game}")
    assert shown["black"]["kind"] == "computer"
    assert shown["clocks"] is None
    assert program.post(f"/games/{game}/offer_draw", 409)["code"] == "not_with_computer"


# --- Finding an opponent ----------------------------------------------------------------------------------------------


def test_a_seek_is_accepted(two: tuple[Program, Program]) -> None:
    host, guest = two
    with host.listen() as listener:
        seek = host.post("/seeks", 201, clock="180+2", color="white", rated=True)
        assert (seek["own"], seek["rules"], seek["clock"], seek["rated"]) == (True, "official", "180+2", True)
        (found,) = [each for each in guest.get("/seeks") if each["id"] == seek["id"]]
        assert (found["own"], found["host"]) == (False, {"name": host.name, "kind": "member"})
        assert host.post(f"/seeks/{seek['id']}/accept", 409)["code"] == "own_invitation"
        game = guest.post(f"/seeks/{seek['id']}/accept")["game"]
        assert listener.until("game_start") == {"t": "game_start", "game": game, "color": "white"}
    assert guest.get(f"/games/{game}")["rated"]
    assert host.http.delete(f"/seeks/{seek['id']}").status_code == 409
    host.post(f"/games/{game}/moves", move="32-28")
    guest.post(f"/games/{game}/moves", move="20-25")
    guest.post(f"/games/{game}/resign")
    wait_for(lambda: host.get("/account")["ratings"])
    (rating,) = host.get("/account")["ratings"]
    assert (rating["rules"], rating["speed"], rating["games"], rating["provisional"]) == ("official", "blitz", 1, True)
    assert rating["value"] > 1500
    assert host.post("/account/bot", 409)["code"] == "has_played_rated"


def test_a_seek_is_withdrawn(programs: Callable[..., Program]) -> None:
    program = programs()
    seek = program.post("/seeks", 201, clock="correspondence 3", lowest=1400, highest=1600)
    assert (seek["clock"], seek["lowest"], seek["highest"]) == ("1/259200", 1400, 1600)
    assert program.http.delete(f"/seeks/{seek['id']}").status_code == 204
    assert seek["id"] not in [each["id"] for each in program.get("/seeks")]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"clock": "1"}, 422, "bad_clock", "clock"),
        ({"clock": "correspondence 15"}, 422, "bad_clock", "clock"),
        ({"clock": "correspondence 0"}, 422, "bad_clock", "clock"),
        ({"clock": "three minutes"}, 400, "bad_input", "clock"),
        ({}, 400, "bad_input", "clock"),
        ({"clock": "300+3", "rules": "leaflet", "rated": True}, 422, "cannot_be_rated", "rated"),
        ({"clock": "-", "rated": True}, 422, "cannot_be_rated", "rated"),
        ({"clock": "300+3", "lowest": 1600, "highest": 1400}, 422, "bad_range", "lowest"),
        ({"clock": "300+3", "lowest": 99}, 400, "bad_input", "lowest"),
        ({"clock": "300+3", "level": 3}, 400, "bad_input", "level"),
    ],
)
def test_a_seek_that_is_refused(
    programs: Callable[..., Program], body: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    answer = programs().http.post("/seeks", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.json()["field"] == field


def test_a_challenge_is_answered(two: tuple[Program, Program]) -> None:
    host, guest = two
    with host.listen() as hosts, guest.listen() as guests:
        made = host.post(f"/members/{guest.name}/challenges", 201, clock="600+5", color="black")
        told = guests.until("challenge")
        assert told == {**made, "t": "challenge", "incoming": True}
        assert hosts.until("challenge") == {**made, "t": "challenge"}
        assert guest.get("/challenges") == {"incoming": [{**made, "incoming": True}], "outgoing": []}
        assert guest.post(f"/challenges/{made['id']}/decline", answer="too_slow") == {
            "id": made["id"],
            "answer": "too_slow",
        }
        ended = {"t": "challenge_ended", "id": made["id"], "state": "declined", "game": None, "answer": "too_slow"}
        assert hosts.until("challenge_ended") == ended
        assert guests.until("challenge_ended") == ended
        again = host.post(f"/members/{guest.name}/challenges", 201, clock="600+5", color="black")["id"]
        with guest.listen() as late:
            assert late.until("challenge")["id"] == again
        assert host.post(f"/challenges/{again}/accept", 409)["code"] == "own_invitation"
        game = guest.post(f"/challenges/{again}/accept")["game"]
        assert hosts.until("challenge_ended", id=again)["game"] == game
        assert guests.until("game_start") == {"t": "game_start", "game": game, "color": "white"}
        third = host.post(f"/members/{guest.name}/challenges", 201, clock="600+5")["id"]
        guests.until("challenge", id=third)
        assert host.http.delete(f"/challenges/{third}").status_code == 204
        assert guests.until("challenge_ended", id=third)["state"] == "withdrawn"
        fourth = host.post(f"/members/{guest.name}/challenges", 201, clock="600+5")["id"]
        assert guest.post(f"/challenges/{fourth}/decline")["answer"] is None
    assert host.post(f"/members/{host.name}/challenges", 409, clock="600+5")["code"] == "own_invitation"
    assert guest.post(f"/challenges/{third}/accept", 409)["code"] == "not_open"
    assert host.post("/challenges/none/accept", 404)["code"] == "unknown_invitation"


def test_a_link_is_neither_a_seek_nor_a_challenge(two: tuple[Program, Program]) -> None:
    host, guest = two
    link = host.page.post("/invitations", control="300+3", rules="official", color="white").headers["location"][3:]
    for path in (f"/seeks/{link}/accept", f"/challenges/{link}/accept", f"/challenges/{link}/decline"):
        assert guest.post(path, 404)["code"] == "unknown_invitation"
    assert host.http.delete(f"/seeks/{link}").status_code == 404


def test_a_bots_games_are_never_rated(two: tuple[Program, Program]) -> None:
    bot, other = two
    offer = bot.post("/seeks", 201, clock="300+3", rated=True)["id"]
    bot.post("/account/bot")
    assert other.post(f"/seeks/{offer}/accept", 409)["code"] == "not_open"
    assert bot.post("/seeks", 422, clock="300+3", rated=True)["code"] == "cannot_be_rated"
    assert other.post(f"/members/{bot.name}/challenges", 422, clock="300+3", rated=True)["code"] == "cannot_be_rated"
    seek = other.post("/seeks", 201, clock="300+3", rated=True)["id"]
    assert bot.post(f"/seeks/{seek}/accept", 422)["code"] == "cannot_be_rated"
    made = other.post(f"/members/{bot.name}/challenges", 201, clock="300+3")["id"]
    game = bot.post(f"/challenges/{made}/accept")["game"]
    assert not other.get(f"/games/{game}")["rated"]


# --- Files ------------------------------------------------------------------------------------------------------------


def test_a_members_games_come_as_one_file(two: tuple[Program, Program]) -> None:
    white, black = two
    games = [new_game(white, black, public=number != 1) for number in range(3)]
    for game in games:
        white.post(f"/games/{game}/moves", move="32-28")
        white.post(f"/games/{game}/resign")
    path = f"/members/{white.name}/games.pdn"
    stranger = httpx.get(str(white.http.base_url).rstrip("/") + path)
    assert stranger.headers["content-type"].startswith("application/x-pdn")
    assert len(loads(stranger.text)) == 2
    assert len(loads(black.http.get(path).text)) == 2, "another's private games are not exported"
    assert len(loads(white.http.get(path).text)) == 3
    with white.with_scopes("play") as other:
        assert len(loads(other.get(path).text)) == 2
    assert len(loads(white.http.get(path, params={"max": 1}).text)) == 1
    assert white.http.get(path, params={"until": time.time() - 3600}).text == ""
    assert white.http.get(path, params={"since": time.time() + 3600}).text == ""
    assert white.http.get(path, params={"max": 0}).status_code == 400


# --- Sockets ----------------------------------------------------------------------------------------------------------


def test_a_game_is_played_over_its_socket(two: tuple[Program, Program]) -> None:
    white, black = two
    game = new_game(white, black)
    with white.sit(game) as first, black.sit(game) as second:
        state = first.receive()
        assert (state["you"], state["id"], state["players"]["black"]["name"]) == ("white", game, black.name)
        second.receive()
        assert first.move()["t"] == "ack"
        second.until_own_turn()
        assert second.move()["t"] == "ack"
        black.post(f"/games/{game}/moves", 409, move="20-25")
        first.until_own_turn()
        assert first.ask("resign")["t"] == "ack"
    with white.sit(game) as again:
        assert again.receive()["result"]["winner"] == "black"


def test_without_leave_to_play_one_only_watches(two: tuple[Program, Program]) -> None:
    white, black = two
    game = new_game(white, black)
    with white.with_scopes("seek") as other:
        token = other.headers["authorization"].removeprefix("Bearer ")
    with white.sit(game, token) as table:
        assert table.receive()["you"] is None
        assert table.ask("resign")["code"] == "not_yours"
        assert table.ask("say", room="watchers", preset="hello")["code"] == "unknown_person"
    assert white.get(f"/games/{game}")["version"] == 0


def test_sockets_are_for_tokens(programs: Callable[..., Program]) -> None:
    program = programs()
    game = program.page.new_game().removeprefix("/games/")
    for path in (f"/games/{game}/socket", "/socket"):
        with pytest.raises(InvalidStatus) as refused, program.socket(path, "dmr_" + "x" * 43):
            pass
        assert refused.value.response.status_code == 401
        assert json.loads(refused.value.response.body or b"")["code"] == "unauthorized"


def test_the_personal_socket_tells_of_games(two: tuple[Program, Program]) -> None:
    white, black = two
    earlier = new_game(white, black)
    with white.listen() as listener:
        assert listener.until("game_start")["game"] == earlier
        listener.until("your_move", count=1)
        game = new_game(white, black)
        assert listener.until("game_start") == {"t": "game_start", "game": game, "color": "white"}
        listener.until("your_move", count=2)
        white.post(f"/games/{game}/moves", move="32-28")
        listener.until("your_move", count=1)
        listener.connection.send('{"t":"ping"}')
        listener.until("pong")


# --- Limits and errors ------------------------------------------------------------------------------------------------


def test_a_cookie_opens_nothing(programs: Callable[..., Program], server: Server) -> None:
    program = programs()
    assert program.page.http.get("/api/v1/account").status_code == 401
    answer = program.page.http.post("/api/v1/account/bot")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert httpx.get(f"{server.address}/my-games", headers=program.http.headers).text.count(program.name) == 0


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("PUT", "/account", 405)])
def test_errors_are_for_programs(server: Server, method: str, path: str, status: int) -> None:
    answer = httpx.request(method, f"{server.address}/api/v1{path}")
    assert (answer.status_code, set(answer.json())) == (status, {"code", "message", "field"})


@pytest.fixture
def strict_server(tmp_path: Path) -> Iterator[Server]:
    """A server of which a program may ask once a second, and five times at once."""
    limits = {"DAMIER_API_REQUESTS_PER_SECOND": "1", "DAMIER_API_REQUEST_BURST": "5"}
    running = Server(tmp_path / "club", **limits).start()
    yield running
    running.kill()


def test_wrong_tokens_and_hasty_programs_wait(strict_server: Server) -> None:
    address = strict_server.address + "/api/v1/account"
    program = Program(strict_server)
    try:
        answers = [program.http.get("/account") for _ in range(12)]
        assert [answer.status_code for answer in answers[:5]] == [200] * 5
        late = next(answer for answer in answers if answer.status_code == 429)
        assert late.json()["code"] == "too_fast"
        assert late.headers["retry-after"] == "1"
        assert program.page.http.get("/").status_code == 200, "pages are not programs"
        time.sleep(4)
        wrong = [httpx.get(address, headers={"authorization": f"Bearer dmr_{n:043}"}) for n in range(11)]
        assert [answer.status_code for answer in wrong] == [401] * 10 + [429]
        assert int(wrong[-1].headers["retry-after"]) in range(1, 7)
        time.sleep(1)
        assert program.http.get("/account").status_code == 429, "nor is a right one looked at"
        assert httpx.get(f"{strict_server.address}/api/v1/members/{program.name}").status_code == 200
    finally:
        program.close()


def test_a_token_hears_of_what_it_is_for_and_searches_for_nobody(two: tuple[Program, Program]) -> None:
    anna, ben = two
    ben.post(f"/members/{anna.name}/challenges", 201, clock="300+3")
    with anna.with_scopes() as plain:
        token = plain.headers["authorization"].removeprefix("Bearer ")
    with anna.socket("/socket", token) as connection:
        connection.send('{"t":"search","rules":"official","clock":"300+3","rated":true}')
        connection.send('{"t":"ping"}')
        kinds = set[str]()
        while "pong" not in kinds:
            kinds.add(json.loads(connection.recv(timeout=ANSWER_SECONDS))["t"])
        with suppress(TimeoutError):
            while True:
                kinds.add(json.loads(connection.recv(timeout=1.5))["t"])
    assert not kinds & {"searching", "paired", "challenge", "challenges"}
