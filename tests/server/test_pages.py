"""Pages and files: languages, headers, forms, what is refused and how that is said."""

from __future__ import annotations

import json
import re
import secrets
from contextlib import closing
from importlib.metadata import version
from typing import TYPE_CHECKING

import httpx
import pytest

from damier.i18n import LANGUAGES
from tests.server.conftest import Person

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.conftest import Server


def language_of(answer: httpx.Response) -> str:
    found = re.search(r'<html lang="(\w+)"', answer.text)
    assert found
    return found[1]


# --- Languages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "spoken"),
    [
        ("nl", "nl"),
        ("fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        ("ja,de;q=0.5,en;q=0.4", "de"),
        ("en;q=0.1,nl;q=0.2", "nl"),
        ("ja", "en"),
        ("*", "en"),
        ("nl;q=0", "en"),
        (";;q=,,nl;q=x,=", "en"),
        ("", "en"),
        ("x" * 4000, "en"),
    ],
)
def test_the_browsers_language_is_spoken(person: Person, accepted: str, spoken: str) -> None:
    answer = person.http.get("/", headers={"accept-language": accepted})
    assert language_of(answer) == answer.headers["content-language"] == spoken


def test_a_chosen_language_goes_before_the_browsers(people: Callable[..., Person]) -> None:
    person = people("nl")
    game = person.new_game()
    answer = person.post("/language", language="fr", next=game)
    assert (answer.status_code, answer.headers["location"]) == (303, game)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert language_of(person.http.get(game)) == "fr"
    assert person.post("/language", language="tlh", next=game).status_code == 400
    assert language_of(person.http.get("/")) == "fr"


@pytest.mark.parametrize(
    "target", ["https://else.example/", "//else.example", "/\\else.example", "games", "", "/\r\nx: y"]
)
def test_choosing_a_language_never_leads_to_another_site(person: Person, target: str) -> None:
    assert person.post("/language", language="de", next=target).headers["location"] == "/"


def test_every_page_comes_in_every_language(people: Callable[..., Person]) -> None:
    fronts: set[str] = set()
    for language in LANGUAGES:
        person = people(language)
        front = person.http.get("/")
        fronts.add(re.sub(r"<head>.*</head>", "", front.text, flags=re.DOTALL))
        game = person.http.get(person.new_game())
        missing = person.http.get("/nothing")
        assert [language_of(answer) for answer in (front, game, missing)] == [language] * 3
        assert missing.status_code == 404
        messages = re.search(r'id="messages">(.*?)</script>', game.text, re.DOTALL)
        assert messages
        assert all(isinstance(text, str | list) for text in json.loads(messages[1]).values())
    assert len(fronts) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_address_carries_its_language(people: Callable[..., Person], language: str) -> None:
    person = people("fr" if language != "fr" else "nl")
    page = person.http.get(f"/{language}/now")
    assert language_of(page) == language
    assert f'href="/{language}/invite"' in page.text
    assert not re.findall(r'(?:href|action)="/(?!static/|language"|\w\w/)[^"]*"', page.text)
    assert language_of(person.http.get(f"/{language}")) == language
    # and keeps it when a form leads on
    answer = person.post(f"/{language}/games", level="1", rules="official", color="white")
    assert re.fullmatch(rf"/{language}/games/[\w-]+", answer.headers["location"])
    assert language_of(person.http.get(answer.headers["location"])) == language


def test_pages_name_their_addresses_in_each_language(person: Person) -> None:
    for path in ("/now", "/nl/now"):
        page = person.http.get(path).text
        for language in LANGUAGES:
            assert f'<link rel="alternate" hreflang="{language}" href="{person.http.base_url}/{language}/now">' in page
        assert f'<link rel="alternate" hreflang="x-default" href="{person.http.base_url}/now">' in page
    assert "hreflang" not in person.http.get("/nothing").text


@pytest.mark.parametrize(
    "path",
    ["/xx/now", "/nl/static/manifest.json", "/nl/api/v1/account", "/nl/health", "/nl//now", "/nl//api/v1/account"],
)
def test_what_is_no_page_has_no_language(person: Person, path: str) -> None:
    assert person.http.get(path).status_code == 404


def test_a_members_language_goes_before_the_browsers(people: Callable[..., Person]) -> None:
    member = people("nl")
    password = "a long password of mine"
    name = f"Lingua-{secrets.token_hex(4)}"
    assert member.post("/join", name=name, password=password).status_code == 303
    assert member.post("/language", language="fr", next="/").status_code == 303
    elsewhere = people("de")
    assert language_of(elsewhere.http.get("/now")) == "de"
    assert elsewhere.post("/log-in", name=name, password=password).status_code == 303
    assert language_of(elsewhere.http.get("/now")) == "fr"
    # and what is chosen in this browser goes before both
    assert elsewhere.post("/language", language="nl", next="/").status_code == 303
    assert language_of(elsewhere.http.get("/now")) == "nl"


# --- What the pages hold ------------------------------------------------------------------------------------------


def test_unfinished_games_are_offered_and_finished_ones_are_not(own_server_person: Person) -> None:
    person = own_server_person  # where nobody else plays
    assert "/games/" not in person.http.get("/").text
    games = [person.new_game("white"), person.new_game("white")]
    front = person.http.get("/").text
    assert front.index(games[1]) < front.index(games[0])
    with person.sit(games[1]) as table:
        table.receive()
        table.ask("resign")
    front = person.http.get("/").text
    assert games[0] in front
    assert games[1] not in front


def test_nobody_is_offered_the_games_of_others(people: Callable[..., Person]) -> None:
    game = people().new_game()
    assert game not in people().http.get("/").text


def test_the_page_holds_the_state_that_the_socket_sends(person: Person) -> None:
    game = person.new_game("white", "club", 3)
    state = person.page_state(game)
    assert state["id"] == game.rpartition("/")[2]
    assert (state["rules"], state["you"], state["start_fen"]) == ("club", "white", "W:W31-50:B1-20")
    assert state["players"]["black"] == {"kind": "computer", "name": "Computer", "level": 3, "url": None}
    assert state["players"]["white"]["kind"] == "guest"
    with person.sit(game) as table:
        assert table.receive().items() <= state.items()


# --- Headers and forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/health", "/nothing", "/games/nothing", "/static/nothing.js"])
def test_every_answer_has_the_security_headers(person: Person, path: str) -> None:
    headers = person.http.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in headers


def test_no_page_holds_script_or_style_that_the_policy_forbids(person: Person) -> None:
    for path in ("/", person.new_game(), "/nothing"):
        page = person.http.get(path).text
        for attributes, body in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL):
            assert "application/json" in attributes or ('src="/static/' in attributes and not body.strip())
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)


def test_the_visitors_cookie_is_out_of_reach_of_scripts_and_other_sites(person: Person) -> None:
    answer = person.post("/games", color="white", rules="official", level="1")
    cookie = next(each for each in answer.headers.get_list("set-cookie") if each.startswith("damier_visitor_"))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie


@pytest.mark.parametrize("path", ["/games", "/language"])
def test_a_form_without_our_token_is_refused(people: Callable[..., Person], path: str) -> None:
    person, stranger = people(), people()
    fields = {"color": "white", "rules": "official", "level": "1", "language": "nl", "next": "/"}
    assert person.http.post(path, data=fields).status_code == 403
    person.csrf_token()
    assert person.http.post(path, data=fields).status_code == 403
    for token in ("", "x", "é" * 200, stranger.csrf_token()):
        answer = person.http.post(path, data={**fields, "_csrf_token": token})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def junk(genuine: str) -> list[str]:
    """Values of a token's cookie that do not verify."""
    return [
        "",
        "x",
        genuine[:-1],
        genuine[:-2] + "zz",
        genuine[::-1],
        "0" * len(genuine),
        "%C3%A9",
        "\xe9" * 96,
        '"\\351"',
    ]


@pytest.mark.parametrize("path", ["/", "/nothing", "/games/nothing"])
def test_a_browser_whose_token_is_not_ours_gets_another_with_the_page(people: Callable[..., Person], path: str) -> None:
    person = people()
    genuine = person.csrf_token()
    name = person.cookie_name("damier_form")
    assert name
    assert "set-cookie" not in person.http.get(path).headers
    for bad in junk(genuine):
        answer = person.http.get(path, headers={b"cookie": f"{name}={bad}".encode("latin-1")})
        (cookie,) = (each for each in answer.headers.get_list("set-cookie") if each.startswith(name))
        fresh = re.search(r"=(\w+);", cookie)
        assert fresh
        assert f'name="_csrf_token" value="{fresh[1]}"' in answer.text
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        person.http.cookies.clear()
        sent = {"cookie": f"{name}={fresh[1]}"}
        fields = {"_csrf_token": fresh[1], "language": "nl", "next": "/"}
        assert person.http.post("/language", headers=sent, data=fields).status_code == 303
        bad_sent = {b"cookie": f"{name}={bad}".encode("latin-1")}
        refused = person.http.post("/language", headers=bad_sent, data={**fields, "_csrf_token": bad})
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers


def test_files_set_no_cookies(people: Callable[..., Person]) -> None:
    found = re.search(r'href="(/static/damier-\w+\.css)"', people().http.get("/").text)
    assert found, "the web bundle has not been made"
    for path in (found[1], "/health"):
        assert "set-cookie" not in people().http.get(path).headers


def test_clubs_on_one_host_do_not_take_each_others_cookies(person: Person, own_server: Server) -> None:
    """A browser sends the cookies of a host to all its ports."""
    first = person.new_game("white")
    here = person.http.base_url
    person.moved_to(own_server)
    second = person.new_game("black")
    assert person.page_state(second)["you"] == "black"
    person.http.base_url = here
    assert person.page_state(first)["you"] == "white"
    assert person.post("/language", language="nl", next="/").status_code == 303
    person.moved_to(own_server)
    assert person.page_state(second)["you"] == "black"


@pytest.mark.parametrize(
    "change",
    [
        {"color": "green"},
        {"color": ""},
        {"rules": "giveaway"},
        {"rules": "../official"},
        {"level": "0"},
        {"level": "11"},
        {"level": "1.0"},
        {"level": "x" * 1000},
    ],
)
def test_a_form_with_a_wrong_choice_starts_no_game(person: Person, change: dict[str, str]) -> None:
    answer = person.post("/games", **{"color": "white", "rules": "official", "level": "1", **change})
    assert answer.status_code == 400
    assert "/games/" not in person.http.get("/my-games").text


def test_a_form_of_another_kind_or_none_is_refused(person: Person) -> None:
    token = {"x-csrftoken": person.csrf_token()}
    assert person.http.post("/games", headers=token).status_code == 400
    assert person.http.post("/games", headers=token, json={"color": "white"}).status_code == 400
    files = {"color": ("color", b"white")}
    assert person.http.post("/games", headers=token, files=files).status_code == 400


def test_a_request_that_is_too_large_is_refused(person: Person) -> None:
    answer = person.post("/games", color="white", rules="official", level="1", more="x" * 100_000)
    assert answer.status_code == 413
    assert person.http.get("/health").status_code == 200


def test_errors_are_pages_to_people_and_json_to_programs(person: Person) -> None:
    page = person.http.get("/games/nothing")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    data = person.http.get("/games/nothing", headers={"accept": "application/json"})
    assert data.json() == {
        "status": 404,
        "title": "There is nothing here",
        "message": "The address is wrong, or what was here is gone.",
    }
    wrong_method = person.http.get("/games")
    assert wrong_method.status_code == 405
    assert person.http.get("/%ff%00<script>").status_code == 404


def test_too_many_new_games_from_one_address_are_refused_for_a_while(own_server_person: Person) -> None:
    token = own_server_person.csrf_token()
    fields = {"_csrf_token": token, "color": "white", "rules": "official", "level": "1"}
    answers = [own_server_person.http.post("/games", data=fields).status_code for _ in range(35)]
    assert answers == [303] * 30 + [429] * 5
    for accept in ("text/html", "application/json"):
        refused = own_server_person.http.post("/games", data=fields, headers={"accept": accept})
        assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert own_server_person.http.get("/").status_code == 200


# --- Files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("accepted", "encoding"), [("br, gzip", "br"), ("gzip;q=1.0", "gzip"), ("identity", None)])
def test_the_bundle_comes_compressed_and_is_kept_for_good(person: Person, accepted: str, encoding: str | None) -> None:
    page = person.http.get("/").text
    found = re.search(r'href="(/static/damier-\w+\.css)"', page)
    assert found, "the web bundle has not been made"
    with person.http.stream("GET", found[1], headers={"accept-encoding": accepted}) as answer:
        assert answer.headers.get("content-encoding") == encoding
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"] == "text/css; charset=utf-8"
        assert answer.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("name", ["manifest.json", "../app.py", "..%2fapp.py", "%2e%2e/app.py", ".", "x.css.br"])
def test_only_files_of_the_bundle_are_served(person: Person, name: str) -> None:
    assert person.http.get(f"/static/{name}").status_code == 404


def test_pages_come_compressed(person: Person) -> None:
    for path in ("/", person.new_game()):
        with person.http.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
            assert answer.headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("path", ["/", "/health", "/nothing"])
def test_head_is_answered_as_get_without_the_body(person: Person, path: str) -> None:
    head, whole = person.http.head(path), person.http.get(path)
    assert (head.status_code, head.headers["content-type"]) == (whole.status_code, whole.headers["content-type"])
    assert head.content == b""


def test_an_error_repeats_nothing_of_its_address(person: Person) -> None:
    assert "tell-tale" not in person.http.get("/tell-tale").text


def test_pages_are_not_kept_by_others(person: Person) -> None:
    assert person.http.get("/").headers["cache-control"].startswith("private")


def test_health(person: Person) -> None:
    answer = person.http.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_programs_are_told_which_addresses_are_theirs(server: Server) -> None:
    answer = httpx.get(server.address + "/schema/openapi.json")
    assert answer.headers["content-type"] == "application/vnd.oai.openapi+json"
    schema = answer.json()
    assert schema["info"] == {"title": "Damier", "version": version("damier")}
    assert {"/health", "/ready", "/metrics"} <= set(schema["paths"])
    assert "/games/{game_id}" not in schema["paths"], "a page"
    for path, methods in schema["paths"].items():
        if path.startswith("/api/"):
            continue  # the interface's own tests try all of that
        told = {int(code) for code in methods["get"]["responses"]}
        assert httpx.get(server.address + path).status_code in told
    for page in ("/schema", "/schema/swagger"):
        assert "<script" not in httpx.get(server.address + page).text


def test_nobody_sends_forms_without_end(own_server_person: Person) -> None:
    token = own_server_person.csrf_token()
    codes: list[int] = []
    for _ in range(200):
        answer = own_server_person.http.post("/language", data={"_csrf_token": token, "language": "nl", "next": "/"})
        codes.append(answer.status_code)
        if answer.status_code == 429:
            assert int(answer.headers["retry-after"]) >= 1
            break
    assert codes[:60] == [303] * 60
    assert codes[-1] == 429
    # the others go on
    with closing(Person(own_server_person.server)) as other:
        assert other.post("/language", language="de", next="/").status_code == 303
