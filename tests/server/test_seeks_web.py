"""The pages of open games and challenges, and what the personal socket says of them: for strangers, guests and members."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from argon2.profiles import CHEAPEST

from damier.server import database
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.service import Accounts
from damier.server.people import People
from damier.server.settings import Settings, read_secret
from damier.server.visitors import Visitors
from tests.server.conftest import ANSWER_SECONDS, Person
from tests.server.test_lobby import Line, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import httpx

    from tests.server.conftest import Server

PASSWORD = "a long enough password for tests"
SEEK = {"control": "600+5", "rules": "official", "color": "lot"}
SEE_OTHER, REFUSED = 303, 422


def become_member(person: Person, name: str) -> None:
    """Make a member of this name, and have the browser logged in."""

    async def join() -> str:
        engine = database.open_engine(Settings(person.server.data))
        passwords = Passwords(CHEAPEST)
        accounts = Accounts(engine, passwords)
        await People(engine).keep(f"id-of-{name}")
        await accounts.join(f"id-of-{name}", name, PASSWORD)
        token = await accounts.log_in(name, PASSWORD, "a browser of tests")
        passwords.close()
        await engine.dispose()
        assert token is not None
        return token

    cookie = Visitors(read_secret(person.server.data)).session_cookie_name
    person.http.cookies.set(cookie, asyncio.run(join()))


@pytest.fixture(scope="module")
def members(server: Server) -> Iterator[tuple[Person, Person]]:
    made = (Person(server), Person(server))
    for person, name in zip(made, ("Offerer", "Answerer"), strict=True):
        become_member(person, name)
    yield made
    for person in made:
        person.close()


@pytest.fixture(autouse=True)
def nothing_open(members: tuple[Person, Person]) -> Iterator[None]:
    yield
    for person in members:
        page = person.http.get("/my-games").text + person.http.get("/seeks").text
        for part in page.split('data-offer="')[1:]:
            for kind in ("seeks", "challenges"):
                person.post(f"/{kind}/{part[: part.index(chr(34))]}/withdraw")


def just_sent(answer: httpx.Response, page: str) -> str:
    """The id of the offer that was just sent, from the address of the page that it leads to."""
    assert answer.status_code == SEE_OTHER
    path, _, offer = answer.headers["location"].partition("#sent=")
    assert path == page
    return offer


def offer_of(page: httpx.Response) -> str:
    """The id of the first offer of a page."""
    return page.text.split('data-offer="')[1].split('"')[0]


def test_a_seek_of_a_member_and_who_may_do_what(members: tuple[Person, Person], people: Callable[..., Person]) -> None:
    one, other = members
    guest, stranger = people(), people()
    answer = one.post("/seeks/offer", **SEEK, rated="on", lowest="1400", highest="1600")
    page = one.http.get("/seeks")
    assert "1400–1600" in page.text
    assert "Withdraw" in page.text
    seek = just_sent(answer, "/seeks")
    assert seek == offer_of(page)
    for who in (guest, stranger, other):
        refused = who.post(f"/seeks/{seek}/withdraw")
        assert refused.status_code == REFUSED
        assert "for somebody else" in refused.text
    refused = guest.post(f"/seeks/{seek}/accept")
    assert refused.status_code == REFUSED
    assert "Only members can do this" in refused.text
    assert "your own invitation" in one.post(f"/seeks/{seek}/accept").text
    accepted = other.post(f"/seeks/{seek}/accept")
    assert accepted.headers["location"].startswith("/games/")
    first = one.page_state(accepted.headers["location"])
    assert first["rating"]["is_rated"]
    assert first["rating"]["white"] == {"value": 1500, "provisional": True, "change": None}
    # twice gives the same game, and nobody else gets in
    assert other.post(f"/seeks/{seek}/accept").headers["location"] == accepted.headers["location"]
    assert "no longer open" in guest.post(f"/seeks/{seek}/accept").text


def test_a_guest_offers_a_casual_game(people: Callable[..., Person]) -> None:
    host, guest = people(), people()
    assert "Only games between members are rated." in host.post("/seeks/offer", **SEEK, rated="on").text
    assert host.post("/seeks/offer", **SEEK).status_code == SEE_OTHER
    seek = offer_of(host.http.get("/seeks"))
    path = guest.post(f"/seeks/{seek}/accept").headers["location"]
    assert not guest.page_state(path)["rating"]["is_rated"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"control": "x"}, "Choose 3 seconds to 180 minutes"),
        ({"control": "99999999+1"}, "Choose 3 seconds to 180 minutes"),
        ({"control": "days", "days": "99"}, "Choose 3 seconds to 180 minutes"),
        ({"lowest": "1600", "highest": "1500"}, "must not be above"),
        ({"lowest": "-5"}, "must not be above"),
        ({"lowest": "99999999999999999999"}, "must not be above"),
        ({"highest": "²³"}, "must not be above"),
        ({"rules": "leaflet", "rated": "on"}, "not rated"),
    ],
)
def test_terms_that_cannot_be(members: tuple[Person, Person], changed: dict[str, str], says: str) -> None:
    answer = members[0].post("/seeks/offer", **{**SEEK, **changed})
    assert answer.status_code == REFUSED
    assert says in answer.text
    assert 'class="offer mine"' not in answer.text


@pytest.mark.parametrize("field", ["rules", "color"])
def test_choices_that_were_not_offered(members: tuple[Person, Person], field: str) -> None:
    for path in ("/seeks/offer", "/challenge/Answerer/send"):
        assert members[0].post(path, **{**SEEK, field: "<script>"}).status_code == 400


@pytest.mark.parametrize(
    "query", ["control=%00", "control=<b>", "rules=x&color=y&lowest=z&days=7&rated=2", "a=" + "b" * 2000]
)
def test_a_page_with_any_query(person: Person, query: str) -> None:
    page = person.http.get(f"/seeks?{query}")
    assert page.status_code == 200
    assert "<b>" + "</b>" not in page.text


def test_what_is_not_there(members: tuple[Person, Person]) -> None:
    for path in ("/seeks/nothing/accept", "/seeks/nothing/withdraw", "/challenges/nothing/accept"):
        assert members[0].post(path).status_code == 404
    for path in ("/challenges/nothing/decline", "/challenges/nothing/withdraw", "/challenge/Nobody/send"):
        assert members[0].post(path, **SEEK).status_code == 404
    assert members[0].http.get("/challenge/Nobody").status_code == 404
    assert members[0].http.get(f"/challenge/{'x' * 900}").status_code == 404


def test_without_the_forms_token_nothing_is_done(members: tuple[Person, Person]) -> None:
    for path in ("/seeks/offer", "/challenge/Answerer/send"):
        assert members[0].http.post(path, data=SEEK).status_code == 403
    assert "Nobody waits" in members[0].http.get("/seeks").text


def test_a_challenge_and_who_may_answer_it(members: tuple[Person, Person], people: Callable[..., Person]) -> None:
    one, other = members
    guest = people()
    assert "Only members can challenge" in guest.http.get("/challenge/Answerer").text
    assert "Only members can do this" in guest.post("/challenge/Answerer/send", **SEEK).text
    assert "your own invitation" in one.post("/challenge/Offerer/send", **SEEK).text
    challenge = just_sent(one.post("/challenge/Answerer/send", **SEEK, rated="on"), "/my-games")
    assert challenge == offer_of(one.http.get("/my-games"))
    assert "Offerer challenges you" in other.http.get("/my-games").text
    for deed in ("accept", "decline", "withdraw"):
        guest.post(f"/challenges/{challenge}/{deed}")
    assert "for somebody else" in guest.post(f"/challenges/{challenge}/accept").text
    one.post(f"/challenges/{challenge}/accept")
    one.post(f"/challenges/{challenge}/decline")
    other.post(f"/challenges/{challenge}/withdraw")
    other.post(f"/challenges/{challenge}/decline", answer="<b>no</b>")
    assert offer_of(other.http.get("/my-games")) == challenge
    elsewhere = other.post(f"/challenges/{challenge}/decline", answer="later", next="//evil.example/")
    assert elsewhere.headers["location"].startswith("/")
    assert not elsewhere.headers["location"].startswith("//")
    assert "Offerer challenges you" not in other.http.get("/my-games").text


def test_the_socket_tells_of_challenges_and_of_the_answer(members: tuple[Person, Person]) -> None:
    one, other = members
    with listening(one) as host, listening(other) as guest:
        assert guest.until("challenges")["received"] == []
        one.post("/challenge/Answerer/send", **SEEK)
        told = guest.until("challenges")
        assert [each["name"] for each in told["received"]] == ["Offerer"]
        assert told["answers"]["too_fast"].startswith("That is too fast")
        challenge = told["received"][0]["id"]
        other.post(f"/challenges/{challenge}/decline", answer="too_fast")
        declined = host.until("declined")
        assert (declined["name"], declined["text"]) == ("Answerer", told["answers"]["too_fast"])
        assert guest.until("challenges")["received"] == []
        one.post("/challenge/Answerer/send", **SEEK)
        challenge = guest.until("challenges")["received"][0]["id"]
        path = other.post(f"/challenges/{challenge}/accept").headers["location"]
        begun = {"t": "paired", "game": path.removeprefix("/games/"), "mine": False, "offer": challenge}
        assert host.until("paired") == begun


def test_what_was_answered_before_the_page_was_connected_is_told_it(members: tuple[Person, Person]) -> None:
    one, other = members
    accepted = just_sent(one.post("/challenge/Answerer/send", **SEEK), "/my-games")
    game = other.post(f"/challenges/{accepted}/accept").headers["location"].removeprefix("/games/")
    declined = just_sent(one.post("/challenge/Answerer/send", **SEEK), "/my-games")
    other.post(f"/challenges/{declined}/decline", answer="later")
    still_open = just_sent(one.post("/challenge/Answerer/send", **SEEK), "/my-games")
    seek = just_sent(one.post("/seeks/offer", **{**SEEK, "control": "days", "days": "3"}), "/seeks")
    asked = {"t": "sent", "ids": [accepted, declined, still_open, seek, "unknown", ""]}
    with listening(one) as host:
        send(host, asked)
        news = [told_next(host, "paired", "declined", "invitation") for _ in range(2)]
        paired, refused = sorted(news, key=lambda each: each["t"], reverse=True)
        assert paired == {"t": "paired", "game": game, "mine": False, "offer": accepted}
        assert (refused["t"], refused["id"], refused["name"]) == ("declined", declined, "Answerer")
        # what was open then is told when it ends
        answer = other.post(f"/challenges/{still_open}/decline", answer="later")
        assert told_next(host, "paired", "declined", "invitation")["id"] == still_open
        answer = other.post(f"/seeks/{seek}/accept").headers["location"]
        assert told_next(host, "paired", "declined", "invitation")["game"] == answer.removeprefix("/games/")
    # nobody else is, and a game that is over begins no more
    with one.sit(f"/games/{game}") as table:
        table.receive()
        table.ask("abort")
    for person in (other, one):
        with listening(person) as line:
            send(line, {**asked, "ids": [accepted, still_open] if person is other else [accepted]})
            line.until("challenges")
            send(line, {"t": "ping"})
            assert told_next(line, "paired", "declined", "invitation", "pong")["t"] == "pong"


@pytest.mark.parametrize("ids", [None, "x", [1], ["x" * 65], ["x"] * 21, {"x": 1}])
def test_what_is_no_list_of_offers_is_passed_over(members: tuple[Person, Person], ids: Any) -> None:
    with listening(members[0]) as line:
        send(line, {"t": "sent", "ids": ids})
        send(line, {"t": "ping"})
        line.until("pong")


def own_seeks(watcher: Any) -> list[Any]:
    """Those of this file's members, of the next list: others share the server."""
    return [each for each in watcher.until("seeks")["seeks"] if each["name"] == "Offerer"]


def test_the_socket_tells_the_open_games(members: tuple[Person, Person], people: Callable[..., Person]) -> None:
    with listening(people()) as watcher:
        send(watcher, {"t": "watch", "seeks": True})
        assert own_seeks(watcher) == []
        members[0].post("/seeks/offer", **SEEK)
        (seek,) = own_seeks(watcher)
        assert (seek["name"], seek["time"], seek["mine"], seek["rated"]) == ("Offerer", "Rapid 10+5", False, False)
        members[0].post(f"/seeks/{seek['id']}/withdraw")
        assert own_seeks(watcher) == []


def send(line: Line, message: dict[str, Any]) -> None:
    line.connection.send(json.dumps(message))


def told_next(line: Line, *kinds: str) -> dict[str, Any]:
    """The next message of any of these kinds."""
    while True:
        message: dict[str, Any] = json.loads(line.connection.recv(timeout=ANSWER_SECONDS))
        if message["t"] in kinds:
            return message


def search(**other: Any) -> dict[str, Any]:
    return {"t": "search", "rules": "official", "clock": "60", "rated": True, **other}


def test_quick_pairing_over_the_socket(people: Callable[..., Person]) -> None:
    one, other = people(), people()
    with listening(one) as first, listening(other) as second:
        send(first, search())
        assert first.until("searching")["count"] == 1
        send(first, {"t": "stop_search"})
        send(second, search())
        assert second.until("searching")["count"] == 1
        send(first, search())
        game = first.until("paired")
        assert game["mine"]
        assert second.until("paired") == game
    assert one.page_state(f"/games/{game['game']}")["you"] != other.page_state(f"/games/{game['game']}")["you"]


def test_whose_socket_closes_is_out_of_the_queue(people: Callable[..., Person]) -> None:
    one, other = people(), people()
    with listening(one) as first:
        send(first, search(clock="120+1"))
        assert first.until("searching")["count"] == 1
    time.sleep(0.5)
    with listening(other) as second:
        send(second, search(clock="120+1"))
        assert second.until("searching")["count"] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"rules": "chess"},
        {"clock": "x"},
        {"clock": "61"},
        {"clock": "-"},
        {"clock": "9" * 400},
        {"rated": "yes"},
        {"more": 1},
        {"clock": None},
    ],
)
def test_searches_for_what_there_is_not(people: Callable[..., Person], wrong: dict[str, Any]) -> None:
    with listening(people()) as visitor:
        send(visitor, search(**wrong))
        send(visitor, {"t": "ping"})
        visitor.until("pong")
        # it is still served
        send(visitor, search(clock="180+2"))
        assert visitor.until("searching")["count"] == 1


def test_the_file_of_a_rated_game_has_the_ratings_before_it(members: tuple[Person, Person]) -> None:
    one, other = members
    one.post("/seeks/offer", **{**SEEK, "control": "180+2"}, rated="on")
    path = other.post(f"/seeks/{offer_of(one.http.get('/seeks'))}/accept").headers["location"]
    assert "[WhiteRating" not in one.http.get(f"{path}.pdn").text
    with one.sit(path) as first, other.sit(path) as second:
        first.receive()
        second.receive()
        white, black = (first, second) if first.state["legal"] else (second, first)
        white.move()
        black.until_own_turn()
        black.move()
        black.ask("resign")
        told = white.until(lambda message: message["t"] == "rating")
    assert told["white"]["change"] == -told["black"]["change"] > 0
    pdn = one.http.get(f"{path}.pdn").text
    assert '[WhiteRating "1500"]' in pdn
    assert '[BlackRating "1500"]' in pdn
    # who comes back is told, and so is who has the page made anew
    with one.sit(path) as table:
        assert table.until(lambda message: message["t"] == "rating") == told
    assert one.page_state(path)["rating"] == told
