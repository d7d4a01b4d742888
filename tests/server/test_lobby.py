"""Getting into a game: names, invitations and who may do what with them, lists, the personal socket, rematches."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from damier import Color
from damier.clock import TimeControl
from damier.events import Resigned
from damier.record import Player
from damier.rules import CLUB, LEAFLET, OFFICIAL
from damier.server import database
from damier.server.bus import LocalBus
from damier.server.lobby import controls
from damier.server.lobby.invitation import (
    AskedOften,
    NotOpen,
    NotYours,
    OwnInvitation,
    Rematch,
    TooManyOpen,
    UnknownInvitation,
)
from damier.server.lobby.invitations import HOURS_OPEN, KEPT_SECONDS, MOST_OPEN, MOST_REMATCHES, Invitations
from damier.server.people import NAME_KEPT, BadName, People, Who, name_key, valid_name
from damier.server.play.hub import Hub
from damier.server.play.opponent import LocalOpponents
from damier.server.play.service import Play
from damier.server.play.store import open_store
from damier.server.rating_book import RatingBook
from damier.server.settings import Settings
from tests.databases import make_ready

from .conftest import ANSWER_SECONDS, START_SECONDS, Person, Server
from .waiting import wait_for

# --- Names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "x" * 21,
        "a\u202eb",  # turns the text behind it round
        "a\u200bb",  # nothing to be seen
        "a\u0000b",
        "a\tb\u0007",
        "a\ufeff",
        "Z" + "\u0301" * 5,  # towers over the next lines
        "\u0301a",
        "p\u0430ul",  # a Cyrillic а
        "\u03bfmega",  # a Greek ο
        "<b>x</b>",
        "a&b",
        "--",
        "a--b",
        "-a",
        "a-",
        "\U0001f600",
        "Computer",
        "C0mputer",
        "cоmputer",  # a Cyrillic о
        "ADM1N",
        "Moderator",
        "Gast",
        "x" * 100_000,
        *("\u3164", "\u115f\u1160", "\uffa0", "\u2800", "a\u3164", "Paul\ufe0f", "Pa\u034ful"),  # nothing to be seen
        *(
            "Paul Wi\u01c0son",
            "Paul W\u0196lson",
            "P\u0251ul",
            "Paul Wils\u1d0fn",
            "P\u1d00ul",
        ),  # pass for a Latin letter
        *("Pau\u029f", "Pau\u2113", "P\u00aaul", "\uff30aul", "\U0001d40fau1", "Pa\ua7aful"),
        *("\u13da\u13aa\u13a2\u13de", "\ua4d1\ua4ee", "\u0501\u051d"),  # whole names out of such letters
        "Paul\u09e6",  # another alphabet's digit
    ],
)
def test_a_name_that_would_mislead_is_refused(text: str) -> None:
    with pytest.raises(BadName):
        valid_name(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ton", "Ton"),
        ("  Jan   Groenendijk ", "Jan Groenendijk"),
        ("O'Neill", "O'Neill"),
        ("J. de Vries", "J. de Vries"),
        ("Élodie", "Élodie"),
        ("E\u0301lodie", "Élodie"),
        ("Ольга", "Ольга"),
        ("張偉", "張偉"),
        ("x" * 20, "x" * 20),
        ("3x4", "3x4"),
        *((name, name) for name in ("Þórður", "Łukasz", "Nguyễn Văn", "Şükrü", "Ștefan", "Ілля", "Γιώργος", "김민준")),
        *((name, name) for name in ("Արմեն", "ひろし", "राम २", "דוד", "Straße", "Ærø")),
    ],
)
def test_a_name_is_kept_as_people_write_it(text: str, kept: str) -> None:
    assert valid_name(text) == kept


def test_letters_that_pass_for_one_another_are_one_in_a_name() -> None:
    for one, other in (("Óðinn", "Odinn"), ("oun", "օսո"), ("Łódź", "Lodz")):
        assert name_key(one) == name_key(other)


def test_a_guest_takes_a_name_and_gives_it_up_again(people: Callable[..., Person]) -> None:
    person = people()
    assert person.post("/name/choose", name="  Wiersma  ").headers["location"] == "/my-games"
    assert "Wiersma" in person.http.get("/my-games").text
    taken = people().post("/name/choose", name="w1ersma")
    assert taken.status_code == 422
    assert "Somebody here has this name" in taken.text
    assert person.post("/name/choose", name="Wiersma").status_code == 303, "one's own name is not taken"
    assert person.post("/name/choose", name="").status_code == 303
    assert "Wiersma" not in person.http.get("/my-games").text
    assert people().post("/name/choose", name="Wiersma").status_code == 303


def test_what_was_typed_is_shown_as_text_only(person: Person) -> None:
    answer = person.post("/name/choose", name='"><script>alert(1)</script>')
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;" in answer.text


# --- Invitations over HTTP ----------------------------------------------------------------------------------------


def invite(host: Person, **changes: str) -> str:
    """Make an invitation; returns its path."""
    fields = {"control": "300+3", "color": "white", "rules": "official", "public": "on", **changes}
    answer = host.post("/invitations", **{name: value for name, value in fields.items() if value})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def accept(guest: Person, path: str, **fields: str) -> str:
    """Accept an invitation; returns the game's path."""
    answer = guest.post(f"{path}/accept", **fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


@pytest.mark.parametrize("rules", ["official", "leaflet", "classic", "club"])
@pytest.mark.parametrize(("color", "guests"), [("white", "black"), ("black", "white"), ("lot", None)])
def test_a_friend_opens_the_link_and_plays(
    people: Callable[..., Person], rules: str, color: str, guests: str | None
) -> None:
    host, friend = people(), people("nl")
    path = invite(host, rules=rules, color=color)
    page = friend.http.get(path)
    assert page.status_code == 200
    assert f"{path}/accept" in page.text
    assert f"{path}/withdraw" not in page.text
    game = accept(friend, path)
    mine, theirs = host.page_state(game), friend.page_state(game)
    assert {mine["you"], theirs["you"]} == {"white", "black"}
    assert guests in (None, theirs["you"])
    assert mine["rules"] == rules
    for each in (host, friend):
        assert each.http.get(path).headers["location"] == game
        assert each.http.get("/my-games").text.count(f'href="{game}"') == 1


def test_looking_at_an_invitation_does_not_accept_it(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    for _ in range(3):
        assert friend.http.get(path).status_code == friend.http.head(path).status_code == 200
    assert f"{path}/withdraw" in host.http.get(path).text


def test_the_host_gets_the_link_and_its_code(people: Callable[..., Person]) -> None:
    host = people()
    path = invite(host)
    page = host.http.get(path).text
    assert f'value="{host.server.address.rstrip("/")}{path}"' in page
    assert '<svg class="qr"' in page
    assert '<svg class="qr"' not in people().http.get(path).text


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("127.0.0.1:8000", True),
        ("localhost", True),
        ("[::1]:8000", True),
        ("damier.localhost", True),
        ("192.168.1.20:8000", False),
        ("club.example", False),
    ],
)
def test_the_host_is_told_that_a_link_opens_on_this_machine_only(person: Person, host: str, told: bool) -> None:
    page = person.http.get(invite(person), headers={"host": host}).text
    assert ("make play HOST=0.0.0.0" in page) is told


def test_one_sees_under_what_name_one_plays_and_chooses_another_on_the_way(person: Person) -> None:
    for path in ("/", "/invite", "/my-games"):
        page = person.http.get(path).text
        assert "You play as Guest" in page
        assert f'href="/name?next={path}"' in page
    assert 'name="next" value="/invite"' in person.http.get("/name?next=/invite").text
    assert 'name="next" value="/"' in person.http.get("/name?next=//evil.example/").text
    assert person.post("/name/choose", name="Baljakin", next="/invite").headers["location"] == "/invite"
    assert person.post("/name/choose", name="Baljakin", next="https://evil.example/").headers["location"] == "/"
    assert "You play as Baljakin" in person.http.get("/invite").text


def test_accepting_twice_leads_to_one_game(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    assert accept(friend, path) == accept(friend, path)


def test_the_name_that_a_guest_types_is_seen_by_the_host(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    host.post("/name/choose", name="Deslauriers")
    path = invite(host)
    assert "Deslauriers" in friend.http.get(path).text
    refused = friend.post(f"{path}/accept", name="Computer")
    assert refused.status_code == 422
    assert "This name is kept for the club itself." in refused.text
    game = accept(friend, path, name="Raichenbach")
    players = host.page_state(game)["players"]
    assert {players["white"]["name"], players["black"]["name"]} == {"Deslauriers", "Raichenbach"}


@pytest.mark.parametrize(
    ("fields", "control"),
    [
        ({"control": "60+0"}, "1+0"),
        ({"control": "own", "minutes": "7", "increment": "8"}, "7+8"),
        ({"control": "own", "minutes": "0,5", "increment": "1"}, "½+1"),
        ({"control": "days", "days": "14"}, "14 d"),
        ({"control": "-"}, "∞"),
    ],
)
def test_every_kind_of_time_control_reaches_the_game(
    people: Callable[..., Person], fields: dict[str, str], control: str
) -> None:
    host, friend = people(), people()
    assert host.page_state(accept(friend, invite(host, **fields)))["control"] == control


def texts(page: str) -> set[str]:
    """What a page shows: its texts, without what surrounds them."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return {text for part in re.split(r"<[^>]*>|[·\n]", shown) if (text := part.strip())}


@pytest.mark.parametrize("language", ["nl", "fr", "de"])
@pytest.mark.parametrize(
    "fields",
    [
        {"control": "300+3"},
        {"control": "4800+60"},
        {"control": "days", "days": "1"},
        {"control": "days", "days": "3"},
        {"control": "-"},
    ],
)
def test_no_time_control_is_told_in_english_to_who_reads_another_language(
    people: Callable[..., Person], language: str, fields: dict[str, str]
) -> None:
    host, friend = people(language), people()
    english = r"day|move|[Uu]nlimited|[Cc]lassical|[Cc]orrespondence|No clock|left"
    path = invite(host, **fields)
    for page in ("/invite", path, "/my-games"):
        assert not [text for text in texts(host.http.get(page).text) if re.search(rf"\b(?:{english})", text)]
    game = accept(friend, path)
    for page in ("/", "/now", "/my-games", game):
        assert not [text for text in texts(host.http.get(page).text) if re.search(rf"\b(?:{english})", text)]
    assert not re.search(english, host.page_state(game)["control_label"])


@pytest.mark.parametrize(
    "fields",
    [
        {"control": ""},
        {"control": "99999+0"},
        {"control": "300d3"},
        {"control": "40/7200"},
        {"control": "*60"},
        {"control": "0"},
        {"control": "2+0"},
        {"control": "own", "minutes": "181", "increment": "0"},
        {"control": "own", "minutes": "0", "increment": "1"},
        {"control": "own", "minutes": "nan", "increment": "1"},
        {"control": "own", "minutes": "inf", "increment": "1"},
        {"control": "own", "minutes": "1e300", "increment": "1"},
        {"control": "own", "minutes": "-5", "increment": "1"},
        {"control": "own", "minutes": "5", "increment": "181"},
        {"control": "own", "minutes": "", "increment": ""},
        {"control": "own", "minutes": "5", "increment": "9" * 5000},
        {"control": "days", "days": "0"},
        {"control": "days", "days": "15"},
        {"control": "days", "days": "three"},
    ],
)
def test_a_time_control_beyond_the_limits_is_refused_and_said(person: Person, fields: dict[str, str]) -> None:
    chosen = {"color": "black", "rules": "club", "public": "on", **fields}
    answer = person.post("/invitations", **chosen)
    assert answer.status_code == 422
    assert "1 to 14 days a move" in answer.text
    assert re.search(r'value="club" checked', answer.text), "what else was chosen is still chosen"


@pytest.mark.parametrize("fields", [{"color": "green"}, {"rules": "giveaway"}, {"color": ""}])
def test_an_invitation_with_a_wrong_choice_is_refused(person: Person, fields: dict[str, str]) -> None:
    chosen = {"control": "300+3", "color": "white", "rules": "official", **fields}
    assert person.post("/invitations", **chosen).status_code == 400


def test_the_form_comes_back_as_it_was_last_filled_in(person: Person) -> None:
    invite(person, control="own", minutes="7", increment="8", rules="leaflet", color="black", public="")
    page = person.http.get("/invite").text
    for expected in (
        'value="own" checked',
        'value="7"',
        'value="8"',
        'value="leaflet" checked',
        'value="black" checked',
    ):
        assert expected in page
    assert 'name="public" checked' not in page


def test_only_the_host_withdraws(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    friend.post(f"{path}/withdraw")
    assert f"{path}/accept" in friend.http.get(path).text, "it is still open"
    assert host.post(f"{path}/withdraw", next="/my-games").headers["location"] == "/my-games"
    assert "withdrawn" in friend.http.get(path).text
    assert friend.post(f"{path}/accept").headers["location"] == path
    assert "/games/" not in friend.http.get("/my-games").text
    assert path not in host.http.get("/my-games").text


def test_the_host_can_neither_accept_nor_decline(people: Callable[..., Person]) -> None:
    host = people()
    path = invite(host)
    for answer in ("accept", "decline"):
        assert host.post(f"{path}/{answer}", name="Springer").headers["location"] == path
        assert f"{path}/withdraw" in host.http.get(path).text, "it is still open"
    assert "/games/" not in host.http.get("/my-games").text
    assert "Springer" not in host.http.get("/my-games").text


def test_a_guest_declines(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    friend.post(f"{path}/decline")
    assert "declined" in host.http.get(path).text
    assert friend.post(f"{path}/accept").headers["location"] == path


@pytest.mark.parametrize("public", ["on", ""])
def test_who_comes_too_late_watches_only_what_is_public(people: Callable[..., Person], public: str) -> None:
    host, friend, late = people(), people(), people()
    path = invite(host, public=public)
    game = accept(friend, path)
    late.post(f"{path}/accept")
    page = late.http.get(path).text
    assert (game in page) == bool(public)
    assert (game in people().http.get("/now").text) == bool(public)
    assert late.post(f"{path}/decline").status_code == 303
    assert late.post(f"{path}/withdraw").status_code == 303
    assert host.http.get(path).headers["location"] == game


def test_nobody_has_more_than_ten_open(people: Callable[..., Person]) -> None:
    host = people()
    paths = [invite(host) for _ in range(MOST_OPEN)]
    refused = host.post("/invitations", control="300+3", color="white", rules="official")
    assert refused.status_code == 422
    assert "ten invitations open" in refused.text
    host.post(f"{paths[0]}/withdraw")
    invite(host)
    invite(people())


def test_forms_of_the_lobby_need_their_token(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    for person, action in ((friend, "accept"), (friend, "decline"), (host, "withdraw")):
        assert person.http.post(f"{path}/{action}").status_code == 403
    assert host.http.post("/invitations", data={"control": "300+3"}).status_code == 403
    assert host.http.post("/name/choose", data={"name": "Weiss"}).status_code == 403
    assert f"{path}/withdraw" in host.http.get(path).text


def test_there_is_no_invitation_that_was_never_made(person: Person) -> None:
    assert person.http.get("/i/nothing").status_code == 404
    for action in ("accept", "decline", "withdraw"):
        assert person.post(f"/i/nothing/{action}").status_code == 404


def test_withdrawing_never_leads_to_another_site(person: Person) -> None:
    for target in ("https://else.example/", "//else.example"):
        assert person.post(f"{invite(person)}/withdraw", next=target).headers["location"] == "/"


def test_too_many_invitations_from_one_address_are_refused(own_server_person: Person) -> None:
    fields = {"control": "bad", "color": "white", "rules": "official"}
    statuses = {own_server_person.post("/invitations", **fields).status_code for _ in range(31)}
    assert statuses == {422, 429}


# --- Lists --------------------------------------------------------------------------------------------------------


def test_my_games_are_sorted_by_whose_turn_it_is(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    mine, theirs = accept(friend, invite(host, color="white")), accept(friend, invite(host, color="black"))
    page = host.http.get("/my-games").text
    assert page.index("Your move</h2>") < page.index(mine) < page.index("Your opponent&#39;s move") < page.index(theirs)
    assert re.search(r'id="your-moves" class="count"><span class="unseen">Your move: </span><span>1<', page)
    with host.sit(mine) as table:
        table.receive()
        table.ask("resign")
    page = host.http.get("/my-games").text
    assert page.index(theirs) < page.index("Finished</h2>") < page.index(mine)
    assert "You lost" in page
    assert "You won" in friend.http.get("/my-games").text
    assert mine not in people().http.get("/my-games").text


@pytest.mark.parametrize("before", ["0", "1e9", "nan", "x", "-1"])
def test_earlier_games_are_asked_for_by_a_number(person: Person, before: str) -> None:
    assert person.http.get("/my-games", params={"before": before}).status_code in (200, 400)


def test_a_game_that_has_ended_is_no_longer_played_now(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    game = accept(friend, invite(host))
    assert game in people().http.get("/now").text
    with host.sit(game) as table:
        table.receive()
        table.ask("resign")
    assert game not in people().http.get("/now").text


def test_the_front_page_shows_the_game_that_waits_for_the_reader(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    game = accept(friend, invite(host, color="white"))
    assert re.search(rf'class="board-place" href="{game}"', host.http.get("/").text)
    assert f'class="resume yours" href="{game}"' in host.http.get("/").text
    assert f'class="resume" href="{game}"' in friend.http.get("/").text


def test_a_correspondence_game_shows_how_long_there_is_for_the_move(people: Callable[..., Person]) -> None:
    host, friend = people(), people("de")
    game = accept(friend, invite(host, control="days", days="3"))
    assert re.search(r"2\xa0days\xa0left · 3 days a move", host.http.get("/my-games").text)
    # the list is read anew once a second
    wait_for(lambda: re.search(r"noch\xa02\xa0Tage · 3 Tage pro Zug", friend.http.get("/now").text))
    state = host.page_state(game)
    assert state["first_move_in"] is None, "the clock tells it"
    assert state["clock"]["running"] == "white"
    assert 3 * 86_400_000 - 60_000 < state["clock"]["white"] <= 3 * 86_400_000 == state["clock"]["black"]
    with host.sit(game) as table:
        table.receive()
        assert table.move()["t"] == "ack"
    assert host.page_state(game)["clock"]["running"] == "black"


def test_games_that_were_broken_off_before_a_move_are_not_listed(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    game = accept(friend, invite(host))
    with host.sit(game) as table:
        table.receive()
        assert table.ask("abort")["t"] == "ack"
    assert game not in host.http.get("/my-games").text
    assert host.page_state(game)["result"]["text"] == "White broke the game off before both sides had moved."


def test_a_games_page_tells_of_other_games_that_wait(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    first, second = accept(friend, invite(host, color="white")), accept(friend, invite(host, color="white"))
    assert re.search(r'id="your-moves" class="count"><.*?<span>1<', host.http.get(first).text)
    assert re.search(r'id="your-moves" class="count" hidden>', friend.http.get(second).text)
    assert re.search(r'id="your-moves" class="count" hidden>', people().http.get(second).text)


# --- The personal socket ------------------------------------------------------------------------------------------


class Line:
    """A personal socket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def until(self, kind: str, wanted: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(self.connection.recv(timeout=ANSWER_SECONDS))
            if message["t"] == kind and wanted(message):
                return message


@contextmanager
def listening(person: Person, **headers: str) -> Generator[Line]:
    """Open a personal socket."""
    person.http.get("/")  # gives the visitor an id
    address = str(person.http.base_url).rstrip("/").replace("http", "ws", 1)
    cookies = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    every = {"cookie": cookies, "accept-language": person.http.headers["accept-language"], **headers}
    with connect(
        f"{address}/socket",
        additional_headers=every,
        compression=None,
        open_timeout=START_SECONDS,
        close_timeout=1,
    ) as connection:
        yield Line(connection)


def test_the_host_hears_that_the_game_has_begun(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    with listening(host) as line:
        line.connection.send(json.dumps({"t": "watch", "games": False, "invitation": path[3:]}))
        assert line.until("invitation")["state"] == "open"
        game = accept(friend, path)
        news = line.until("invitation", lambda message: message["state"] == "accepted")
        assert (news["id"], f"/games/{news['game']}") == (path[3:], game)
        assert line.until("your_move", lambda message: message["count"] == 1)


@pytest.mark.parametrize("public", ["on", ""])
def test_only_the_two_who_play_are_told_where_a_private_game_is(people: Callable[..., Person], public: str) -> None:
    host, friend, other = people(), people(), people()
    path = invite(host, public=public)
    watch = json.dumps({"t": "watch", "games": False, "invitation": path[3:]})
    with listening(host) as hosts, listening(friend) as friends, listening(other) as others:
        for line in (hosts, friends, others):
            line.connection.send(watch)
            assert line.until("invitation")["game"] is None
        game = accept(friend, path).rpartition("/")[2]
        for line in (hosts, friends):
            assert line.until("invitation", lambda message: message["state"] == "accepted")["game"] == game
        told = others.until("invitation", lambda message: message["state"] == "accepted")
        assert told == {"t": "invitation", "id": path[3:], "state": "accepted", "game": game if public else None}
    with listening(other) as others, listening(friend) as friends:
        for line, wanted in ((others, game if public else None), (friends, game)):
            line.connection.send(watch)
            assert line.until("invitation")["game"] == wanted


def test_the_guest_hears_that_it_was_withdrawn(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    path = invite(host)
    with listening(friend) as line:
        line.connection.send(json.dumps({"t": "watch", "games": False, "invitation": path[3:]}))
        assert line.until("invitation")["state"] == "open"
        host.post(f"{path}/withdraw")
        assert line.until("invitation")["state"] == "withdrawn"


def test_people_are_counted_and_not_their_tabs(own_server: Server) -> None:
    first, second = Person(own_server), Person(own_server)
    with listening(first) as line, listening(first), listening(second):
        assert line.until("club", lambda message: message["online"] == 2)
    with listening(first) as line:
        assert line.until("club", lambda message: message["online"] == 1)
    first.close()
    second.close()


def test_small_boards_follow_their_games(people: Callable[..., Person]) -> None:
    host, friend, watcher = people(), people(), people("de")
    game = accept(friend, invite(host, color="white"))
    game_id = game.rpartition("/")[2]
    with listening(watcher) as line, host.sit(game) as table:
        line.connection.send(json.dumps({"t": "watch", "games": True, "invitation": None}))
        news = line.until("now", lambda message: game_id in message["ids"])
        (card,) = (each for each in news["games"] if each["id"] == game_id)
        assert (card["move"], card["last"], card["turn"]) == (1, None, "white")
        table.until_own_turn()
        assert table.move()["t"] == "ack"
        news = line.until("now", lambda message: any(each["id"] == game_id for each in message["games"]))
        (card,) = (each for each in news["games"] if each["id"] == game_id)
        assert (card["fen"], card["turn"]) == (table.plies[-1]["fen"], "black")
        assert card["last"] == [table.plies[-1]["move"]["from"], table.plies[-1]["move"]["to"]]
        table.ask("resign")
        news = line.until("now", lambda message: game_id not in message["ids"])
        (card,) = (each for each in news["games"] if each["id"] == game_id)
        assert card["score"] == "0–2"


def test_a_private_game_is_not_told_to_those_who_watch(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    private, public = accept(friend, invite(host, public="")), accept(friend, invite(host))
    with listening(people()) as line:
        line.connection.send(json.dumps({"t": "watch", "games": True, "invitation": None}))
        news = line.until("now", lambda message: public.rpartition("/")[2] in message["ids"])
        assert private.rpartition("/")[2] not in news["ids"]


def test_another_sites_page_gets_no_personal_socket(people: Callable[..., Person]) -> None:
    with pytest.raises(Exception, match="403"), listening(people(), origin="https://else.example"):
        pass


def flood(connection: ClientConnection) -> None:
    for _ in range(500):
        connection.send('{"t":"ping"}')
    while True:
        connection.recv(timeout=ANSWER_SECONDS)


def test_a_flood_ends_the_socket_and_nonsense_does_not(people: Callable[..., Person]) -> None:
    with listening(people()) as line:
        for text in ("", "[]", '{"t":"no"}', '{"t":"watch","games":1}', "\x00"):
            line.connection.send(text)
        line.connection.send('{"t":"ping"}')
        line.until("pong")
        with pytest.raises(ConnectionClosed) as closed:
            flood(line.connection)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4029


# --- The service itself -------------------------------------------------------------------------------------------


class Clockwork:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class House:
    """A lobby without pages, in which the hours pass as one likes."""

    def __init__(self, lobby: Invitations, people: People, play: Play, bus: LocalBus, clock: Clockwork) -> None:
        self.lobby = lobby
        self.people = people
        self.play = play
        self.bus = bus
        self.clock = clock

    async def invite(self, host: str = "host", control: TimeControl = controls.DEFAULT) -> str:
        made = await self.lobby.create(host, rules=CLUB, control=control, color="white", is_public=True)
        return made.id

    async def finished(self) -> str:
        """A finished game of "host" (White) and "guest"."""
        game = (await self.lobby.accept(await self.invite(), "guest")).game
        assert game
        await self.play.submit(game, Color.BLACK, lambda _: Resigned())
        return game


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    address = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    settings = Settings(tmp_path, database=address)
    await asyncio.to_thread(make_ready, settings)
    clock = Clockwork()
    store, engine, bus = await open_store(settings), database.open_engine(settings), LocalBus()
    opponents = LocalOpponents(1)
    play = Play(store, bus, opponents, Hub(), clock)
    people = People(engine, clock)
    yield House(Invitations(engine, people, play, bus, RatingBook(engine, bus, clock), clock), people, play, bus, clock)
    await play.close()
    await opponents.close()
    await engine.dispose()
    await store.close()


@pytest.mark.parametrize(
    ("control", "hours"),
    [
        (controls.DEFAULT, 24),
        (TimeControl.correspondence(3), 7 * 24),
        (TimeControl.none(), 7 * 24),
    ],
)
async def test_invitations_expire(house: House, control: TimeControl, hours: int) -> None:
    made = await house.invite(control=control)
    house.clock.now += hours * 3600 - 1
    assert (await house.lobby.get(made)).state == "open"
    house.clock.now += 1
    assert (await house.lobby.get(made)).state == "expired"
    for answer in (house.lobby.accept(made, "guest"), house.lobby.decline(made, "guest")):
        with pytest.raises(NotOpen):
            await answer
    with pytest.raises(NotOpen):
        await house.lobby.withdraw(made, "host")
    await house.lobby.tidy()
    assert (await house.lobby.get(made)).state == "expired"
    house.clock.now += KEPT_SECONDS + 1
    await house.lobby.tidy()
    with pytest.raises(UnknownInvitation):
        await house.lobby.get(made)


async def test_of_many_who_want_a_name_at_once_one_gets_it(house: House) -> None:
    await asyncio.gather(*(house.people.keep(str(number)) for number in range(6)))
    for turn in range(8):
        names = ("Wiersma", "w1ersma") if turn % 2 else ("Ton", "Ton")
        answers = await asyncio.gather(
            *(house.people.rename(str(number), f"{names[number % 2]}{turn}") for number in range(6)),
            return_exceptions=True,
        )
        assert sum(isinstance(each, Who) for each in answers) == 1
        assert sum(isinstance(each, BadName) for each in answers) == 5


async def test_who_comes_back_after_long_does_not_share_a_name(house: House) -> None:
    await house.people.rename("first", "Wiersma")
    house.clock.now += NAME_KEPT + 1
    await house.people.rename("second", "Wiersma")
    assert (await house.people.keep("first")).name is None
    assert (await house.people.who("second")).name == "Wiersma"
    with pytest.raises(BadName):
        await house.people.rename("first", "Wiersma")


async def test_expired_ones_do_not_count_among_the_ten(house: House) -> None:
    for _ in range(MOST_OPEN):
        await house.invite()
    with pytest.raises(TooManyOpen):
        await house.invite()
    assert len(await house.lobby.open_of("host")) == MOST_OPEN
    house.clock.now += HOURS_OPEN * 3600
    await house.invite()
    assert len(await house.lobby.open_of("host")) == 1


async def test_ten_at_most_though_all_come_at_once(house: House) -> None:
    made = await asyncio.gather(*(house.invite() for _ in range(MOST_OPEN + 5)), return_exceptions=True)
    assert sum(isinstance(each, str) for each in made) == MOST_OPEN
    assert sum(isinstance(each, TooManyOpen) for each in made) == 5


async def test_of_many_who_accept_at_once_one_plays(house: House) -> None:
    made = await house.invite()
    answers = await asyncio.gather(
        *(house.lobby.accept(made, f"guest {number % 4}") for number in range(8)), return_exceptions=True
    )
    games = {each.game for each in answers if not isinstance(each, BaseException)}
    assert len(games) == 1
    assert all(isinstance(each, NotOpen) for each in answers if isinstance(each, BaseException))
    assert sum(isinstance(each, NotOpen) for each in answers) == 6, "who won did so twice"


async def test_a_game_that_was_not_started_is_started_by_who_looks_next(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await house.invite()

    async def dies(*_: object, **__: object) -> str:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(house.play, "create_between", dies)
        with pytest.raises(RuntimeError):
            await house.lobby.accept(made, "guest")
    left = await house.lobby.get(made)
    assert left.state == "accepted"
    for _ in range(2):
        await house.lobby.start(left)
    assert left.game
    view = await house.play.view(left.game)
    assert (view.game.origin.white.id, view.game.origin.black.id) == ("host", "guest")
    assert (view.game.origin.rules, view.is_public) == ("club", True)


async def test_strangers_can_do_nothing_with_what_is_for_somebody_else(house: House) -> None:
    game = await house.finished()
    for stranger in ("stranger", None):
        with pytest.raises(NotYours):
            await house.lobby.rematch(game, stranger)
    await house.lobby.rematch(game, "host")
    for stranger in ("stranger", None):
        with pytest.raises(NotYours):
            await house.lobby.decline_rematch(game, stranger)
    assert (await house.lobby.rematch_state(game)).offered_by is Color.WHITE


async def test_a_rematch_exchanges_the_colors(house: House) -> None:
    first = await house.finished()
    assert await house.lobby.rematch(first, "host") == Rematch(offered_by=Color.WHITE)
    assert await house.lobby.rematch(first, "host") == Rematch(offered_by=Color.WHITE), "asking again changes nothing"
    assert await house.lobby.rematch_state(first) == Rematch(offered_by=Color.WHITE)
    agreed = await house.lobby.rematch(first, "guest")
    assert agreed.game
    before, after = (await house.play.view(first)).game.origin, (await house.play.view(agreed.game)).game.origin
    assert (after.white.id, after.black.id) == (before.black.id, before.white.id)
    assert (after.rules, after.clock) == (before.rules, before.clock)
    for who in ("host", "guest"):
        assert await house.lobby.rematch(first, who) == agreed
    with pytest.raises(NotOpen):
        await house.lobby.decline_rematch(first, "host")


async def test_both_who_want_a_rematch_at_once_get_one(house: House) -> None:
    game = await house.finished()
    answers = await asyncio.gather(*(house.lobby.rematch(game, who) for who in ("host", "guest")))
    agreed = await house.lobby.rematch_state(game)
    assert agreed.game
    assert agreed in answers


@pytest.mark.parametrize("who", ["host", "guest"])
async def test_a_rematch_can_be_declined_and_withdrawn(house: House, who: str) -> None:
    game = await house.finished()
    with pytest.raises(NotOpen):
        await house.lobby.decline_rematch(game, who)
    await house.lobby.rematch(game, "host")
    assert await house.lobby.decline_rematch(game, who) == Rematch()
    assert await house.lobby.rematch_state(game) == Rematch()
    assert await house.lobby.rematch(game, "guest") == Rematch(offered_by=Color.BLACK), "it can be offered anew"


async def test_a_rematch_is_not_offered_without_end(house: House) -> None:
    game = await house.finished()
    for who in ("host", "guest"):
        for _ in range(MOST_REMATCHES):
            await house.lobby.rematch(game, who)
            await house.lobby.decline_rematch(game, who)
        for _ in range(2):
            with pytest.raises(AskedOften):
                await house.lobby.rematch(game, who)
    assert await house.lobby.rematch_state(game) == Rematch()


async def test_who_may_not_offer_a_rematch_any_more_accepts_one(house: House) -> None:
    game = await house.finished()
    for _ in range(MOST_REMATCHES):
        await house.lobby.rematch(game, "host")
        await house.lobby.decline_rematch(game, "guest")
    await house.lobby.rematch(game, "guest")
    assert (await house.lobby.rematch(game, "host")).game is not None


async def test_no_rematch_while_the_game_goes_on_nor_against_the_computer(house: House) -> None:
    running = (await house.lobby.accept(await house.invite(), "guest")).game
    assert running
    with pytest.raises(NotOpen):
        await house.lobby.rematch(running, "host")
    alone = await house.play.create(Player(id="host"), color=Color.WHITE, rules=OFFICIAL, level=1)
    with pytest.raises(NotYours):
        await house.lobby.rematch(alone, "host")
    with pytest.raises(NotYours):
        await house.lobby.rematch(alone, None)


async def test_the_host_is_no_guest_of_his_own(house: House) -> None:
    made = await house.invite()
    for answer in (house.lobby.accept(made, "host"), house.lobby.decline(made, "host")):
        with pytest.raises(OwnInvitation):
            await answer
    with pytest.raises(NotYours):
        await house.lobby.withdraw(made, "guest")


async def test_those_concerned_are_told(house: House) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []
    made = await house.invite()
    for topic in ("person:host", "person:guest", f"room:{made}"):
        await house.bus.subscribe(topic, lambda payload, topic=topic: heard.append((topic, json.loads(payload))))
    accepted = await house.lobby.accept(made, "guest")
    news = {
        "t": "invitation",
        "id": made,
        "state": "accepted",
        "game": accepted.game,
        "host": "host",
        "guest": "guest",
        "is_public": True,
        "kind": "link",
        "answer": None,
        "live": True,
    }
    for topic in ("person:host", "person:guest", f"room:{made}"):
        assert (topic, news) in heard


def test_leaflet_is_among_the_rules_of_the_computer_too(person: Person) -> None:
    assert person.page_state(person.new_game(rules=LEAFLET.name))["rules"] == "leaflet"


def test_an_invitations_page_says_nothing_about_who_looks(people: Callable[..., Person]) -> None:
    """Whoever has the link sees the same page: no id of a person is in it."""
    host, friend = people(), people()
    path = invite(host)
    cookie = host.http.cookies[host.cookie_name("damier_visitor") or ""]
    page: httpx.Response = friend.http.get(path)
    assert cookie.partition(".")[0] not in page.text
