"""Members' pages over a real server: joining, coming in and going, the account; and who may not."""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.server.authenticator import Authenticator
from tests.server.conftest import ANSWER_SECONDS, START_SECONDS, Person, Server
from tests.server.waiting import wait_for

PASSWORD = "a shot in the main road"
OTHER = "breakthrough at forty-five"
_numbers = count(1)


def new_name() -> str:
    """A name that nobody has had on the shared server."""
    return f"Anna-{next(_numbers)}"


def logged_in(person: Person) -> bool:
    return person.http.get("/account").status_code == 200


def log_in(person: Person, name: str, password: str = PASSWORD, **fields: str) -> httpx.Response:
    return person.post("/log-in", name=name, password=password, **fields)


def wrong(answer: httpx.Response, field: str) -> str:
    """What is said to be wrong with a field, where a screen reader finds it too."""
    found = re.search(rf'<input[^>]*id="{field}"[^>]*>', answer.text)
    assert found, answer.text
    assert 'aria-invalid="true"' in found[0]
    described = re.search(r'aria-describedby="([^"]*)"', found[0])
    assert described
    assert f"{field}-problem" in described[1].split()
    problem = re.search(rf'id="{field}-problem">([^<]*)<', answer.text)
    assert problem
    return problem[1]


def link_in(server: Server, kind: str) -> str:
    """The path of the last link of a kind that the server has written to its log, having no mail server."""
    pattern = re.compile(rf"(/{kind}/[\w-]{{20,}})")
    wait_for(lambda: any(pattern.search(line) for line in server.log))
    return [found[1] for line in server.log if (found := pattern.search(line))][-1]


def lounge(person: Person) -> ClientConnection:
    """The personal socket of an open page."""
    cookies = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    address = str(person.http.base_url).replace("http", "ws", 1)
    return connect(
        f"{address.rstrip('/')}/socket",
        additional_headers={"cookie": cookies},
        compression=None,
        open_timeout=START_SECONDS,
        close_timeout=1,
    )


def close_code(line: ClientConnection) -> int | None:
    try:
        while True:
            line.recv(timeout=ANSWER_SECONDS)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


# --- Joining ---------------------------------------------------------------------------------------------------------


def test_a_guest_joins_and_keeps_the_games(people: Callable[..., Person]) -> None:
    person, name = people(), new_name()
    game = person.new_game()
    before = person.http.cookies[person.cookie_name("damier_visitor") or ""]
    answer = person.join(name)
    assert before != person.http.cookies[person.cookie_name("damier_visitor") or ""]
    for cookie in answer.headers.get_list("set-cookie"):
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Secure" not in cookie
    mine = person.http.get("/my-games").text
    assert game in mine
    assert f"You play as {name}" in mine
    assert "/name?next" not in mine
    assert person.http.get("/name").headers["location"] == "/account"
    with person.sit(game) as table:
        table.receive()
        assert table.move()["t"] == "ack"
    # what the guest's cookie opened it opens no more
    old = people()
    old.http.cookies.set(person.cookie_name("damier_visitor") or "", before)
    assert game not in old.http.get("/my-games").text
    assert old.page_state(game)["you"] is None


def test_what_a_guest_has_open_comes_back_as_the_members(people: Callable[..., Person]) -> None:
    person = people()
    game = person.new_game()
    with person.sit(game) as table, lounge(person) as line:
        table.receive()
        line.recv(timeout=ANSWER_SECONDS)
        person.join(new_name())
        assert close_code(table.connection) == 4001
        assert close_code(line) == 4001
    with person.sit(game) as table:
        table.receive()
        assert table.move()["t"] == "ack"
        person.post("/log-out")
        assert close_code(table.connection) == 4001


def test_cookies_are_for_tls_alone_where_the_proxy_says_so(tmp_path: Path) -> None:
    server = Server(tmp_path / "club", DAMIER_PROXIES="127.0.0.1").start()
    try:
        person = Person(server)
        person.http.headers["x-forwarded-proto"] = "https"
        token = person.csrf_token()
        # a client that keeps to the rules would not send them back over plain HTTP
        cookies = "; ".join(f"{each.name}={each.value}" for each in person.http.cookies.jar)
        answer = httpx.post(
            f"{server.address}/join",
            data={"_csrf_token": token, "name": "Anna", "password": PASSWORD},
            headers={"cookie": cookies, "x-forwarded-proto": "https"},
        )
        assert answer.status_code == 303, answer.text
        assert all("Secure" in cookie for cookie in answer.headers.get_list("set-cookie"))
        person.close()
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("name", "password", "field"),
    [
        ("", PASSWORD, "name"),
        ("ab", PASSWORD, "name"),
        ("Moderator", PASSWORD, "name"),
        ("<b>Anna</b>", PASSWORD, "name"),
        ("x" * 5000, PASSWORD, "name"),
        ("Someone", "", "password"),
        ("Someone", "short", "password"),
        ("Someone", "some-one", "password"),
        ("Some-Person", "Some_Person", "password"),
        ("Someone", "x" * 5000, "password"),
    ],
)
def test_what_makes_no_member_is_said_at_its_field(person: Person, name: str, password: str, field: str) -> None:
    answer = person.post("/join", name=name, password=password)
    assert answer.status_code == 422
    assert wrong(answer, field)
    assert "<b>Anna" not in answer.text
    assert not logged_in(person)
    if len(password) >= 5:
        assert password not in answer.text or password == PASSWORD


def test_no_form_gives_a_password_back(person: Person) -> None:
    for answer in (person.post("/join", name="x", password=PASSWORD), log_in(person, "Nobody-here")):
        assert PASSWORD not in answer.text
        assert answer.headers["cache-control"] == "no-store"


def test_a_taken_name_is_said_where_one_joins(people: Callable[..., Person]) -> None:
    name = new_name()
    people().join(name)
    answer = people().post("/join", name=name.upper(), password=PASSWORD)
    assert answer.status_code == 422
    assert "looks like it" in wrong(answer, "name")


def test_a_form_with_files_or_without_fields_is_no_fault_of_ours(person: Person) -> None:
    token = person.csrf_token()
    for path in ("/join", "/log-in", "/log-in/passkey", "/recover"):
        empty = person.http.post(path, data={"_csrf_token": token})
        files = {"name": b"x", "password": b"x", "credential": b"x", "account": b"x", "next": b"x"}
        filled = person.http.post(path, data={"_csrf_token": token}, files=files)
        assert (empty.status_code, filled.status_code) == (422, 422), path


def test_joining_has_an_end_for_an_address(own_server_person: Person) -> None:
    answers = [own_server_person.post("/join", name=f"Anna-{n}", password="short") for n in range(12)]
    assert {answer.status_code for answer in answers} == {422}  # mistakes are free
    people = [Person(own_server_person.server) for _ in range(11)]
    answers = [each.post("/join", name=f"Anna-{n}", password=PASSWORD) for n, each in enumerate(people)]
    assert [answer.status_code for answer in answers] == [303] * 10 + [429]
    assert 300 <= int(answers[-1].headers["retry-after"]) <= 360
    assert "Many have joined" in answers[-1].text
    for each in people:
        each.close()


def test_taken_names_use_up_no_joins_of_an_address(own_server_person: Person) -> None:
    own_server_person.join("Anna")
    guest, other = Person(own_server_person.server), Person(own_server_person.server)
    for _ in range(57):
        answer = guest.post("/join", name="Anna", password=PASSWORD)
        assert answer.status_code == 422
        assert "looks like it" in wrong(answer, "name")
    other.join("Bert")
    answers = [guest.post("/join", name="Anna", password=PASSWORD) for _ in range(3)]
    assert [answer.status_code for answer in answers][-1] == 429  # but tries have an end of their own
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert "Many have tried to join" in wrong(answers[-1], "name")
    for each in (guest, other):
        each.close()


# --- Coming in and going ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "path"),
    [("/now", "/now"), ("https://else.example", "/"), ("//else.example", "/"), ("/log-in?next=/", "/"), ("", "/")],
)
def test_who_logs_in_goes_where_that_was_wanted(people: Callable[..., Person], wanted: str, path: str) -> None:
    name = new_name()
    people().join(name)
    person = people()
    assert log_in(person, name.lower(), next=wanted).headers["location"] == path
    assert logged_in(person)
    assert person.http.get("/log-in", params={"next": wanted}).headers["location"] == path
    assert person.http.get("/join", params={"next": wanted}).headers["location"] == path


def test_a_wrong_name_and_a_wrong_password_get_one_answer(people: Callable[..., Person]) -> None:
    name, keyed = new_name(), new_name()
    people().join(name)
    join_with(people(), Authenticator(), keyed)
    people().post("/name/choose", name="Some guest")
    answers: list[tuple[int, str]] = []
    for tried in (name, keyed, "Nobody-at-all", "Some guest", "", "<b>", "x" * 4000):
        person = people()
        answer = log_in(person, tried, "not the password")
        assert not logged_in(person)
        answers.append((answer.status_code, wrong(answer, "password")))
    assert len(set(answers)) == 1


def test_the_time_that_a_wrong_password_takes_does_not_tell_whether_the_name_is_known(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server = Server(tmp_path / "club")
    server.real_passwords = True
    request.addfinalizer(server.start().kill)
    person = Person(server)
    request.addfinalizer(person.close)
    person.join("Anna")
    person.post("/log-out")
    times: dict[str, list[float]] = {"Anna": [], "Nobody": []}
    token = person.csrf_token()
    for number in range(18):  # as many as an address may try
        name = ("Anna", "Nobody")[number % 2]
        began = time.perf_counter()
        person.http.post("/log-in", data={"_csrf_token": token, "name": name, "password": f"wrong {number}"})
        times[name].append(time.perf_counter() - began)
    known, unknown = (statistics.median(each[1:]) for each in times.values())
    assert 0.4 < known / unknown < 2.5  # without the same work it would be a hundredth


def test_who_goes_leaves_a_stranger_behind(people: Callable[..., Person]) -> None:
    person = people()
    person.join(new_name())
    game = person.new_game()
    before = dict(person.http.cookies)
    assert person.post("/log-out").headers["location"] == "/"
    assert not logged_in(person)
    assert person.page_state(game)["you"] is None
    assert person.http.cookies[person.cookie_name("damier_visitor") or ""] not in before.values()
    thief = people()
    for key, value in before.items():
        thief.http.cookies.set(key, value)
    assert not logged_in(thief)
    assert person.post("/log-out").status_code == 303  # once more does no harm


def test_a_second_log_in_ends_the_first_of_the_same_browser(people: Callable[..., Person]) -> None:
    person, name, other = people(), new_name(), new_name()
    people().join(other)
    person.join(name)
    before = dict(person.http.cookies)
    assert log_in(person, other).status_code == 303
    assert other in person.http.get("/account").text
    thief = people()
    for key, value in before.items():
        thief.http.cookies.set(key, value)
    assert not logged_in(thief)


def test_wrong_passwords_have_an_end_and_a_known_browser_has_its_own(own_server_person: Person) -> None:
    person = own_server_person
    person.join("Anna")
    person.post("/log-out")
    attacker = Person(person.server)
    answers = [log_in(attacker, "Anna", f"wrong {number}") for number in range(12)]
    # from where Anna has joined they are counted apart: ten at once
    assert [answer.status_code for answer in answers] == [422] * 10 + [429] * 2
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert "Too many wrong passwords" in wrong(answers[-1], "password")
    assert log_in(attacker, "Anna").status_code == 429  # not even with the right one
    answers = [log_in(attacker, f"Nobody-{number}", "wrong") for number in range(22)]
    assert [answer.status_code for answer in answers] == [422] * 20 + [429] * 2
    # the browser that was logged in is not kept out
    assert log_in(person, "Anna").status_code == 303
    attacker.close()
    assert not any(PASSWORD in line or "wrong 1" in line for line in person.server.log)


def test_right_passwords_have_an_end_too(own_server_person: Person) -> None:
    person = own_server_person
    person.join("Anna")
    visitor = Person(person.server)
    answers = [log_in(visitor, "Anna") for _ in range(12)]
    assert {answer.status_code for answer in answers[:10]} == {303}
    assert answers[-1].status_code == 429
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 30
    assert "many log-ins" in wrong(answers[-1], "password")
    visitor.close()


# --- Passkeys --------------------------------------------------------------------------------------------------------


def device_of(person: Person) -> Authenticator:
    return Authenticator(str(person.http.base_url).rstrip("/"))


def join_with(person: Person, device: Authenticator, name: str) -> None:
    person.http.get("/join")
    device.origin = str(person.http.base_url).rstrip("/")
    asked = person.http.get("/join/passkey", params={"name": name})
    assert asked.status_code == 200, asked.text
    answer = person.post("/join", name=name, credential=device.make(asked.text))
    assert answer.status_code == 303, answer.text


def test_a_member_without_a_password(people: Callable[..., Person]) -> None:
    person, name, device = people(), new_name(), Authenticator()
    game = person.new_game()
    join_with(person, device, name)
    assert game in person.http.get("/my-games").text
    assert "You have none" in person.http.get("/account").text
    other = people()
    other.http.get("/log-in")
    answer = device.show(other.http.get("/log-in/passkey").text)
    thief = people()
    thief.http.get("/log-in")
    assert thief.post("/log-in/passkey", credential=answer).status_code == 422
    assert other.post("/log-in/passkey", credential=answer, next="/now").headers["location"] == "/now"
    assert name in other.http.get("/account").text
    other.post("/log-out")
    assert other.post("/log-in/passkey", credential=answer).status_code == 422
    for junk in ("", "{}", "null", "[]", '"x"', answer[:-5], "{" * 3000, answer.replace('"response"', '"else"')):
        assert other.post("/log-in/passkey", credential=junk).status_code == 422, junk
        assert other.post("/join", name=new_name(), credential=junk or "x").status_code == 422, junk
    assert not logged_in(other)


def test_what_a_device_is_asked_is_said_to_guests_who_may_join(people: Callable[..., Person]) -> None:
    person = people()
    answer = person.http.get("/join/passkey", params={"name": "Anna"})
    assert (answer.status_code, answer.json()["field"]) == (422, "name")  # no page has been shown yet: nobody to join
    person.http.get("/join")
    answer = person.http.get("/join/passkey", params={"name": "x"})
    assert (answer.status_code, answer.json()["field"]) == (422, "name")
    asked = person.http.get("/join/passkey", params={"name": new_name()})
    assert asked.headers["cache-control"] == "no-store"
    assert asked.json()["rp"]["id"] == "127.0.0.1"
    person.join(new_name())
    assert person.http.get("/join/passkey", params={"name": new_name()}).status_code == 422


def test_passkeys_are_added_named_and_removed(people: Callable[..., Person]) -> None:
    person = people()
    person.http.headers["user-agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    person.join(new_name())
    device = device_of(person)
    answer = device.make(person.http.get("/account/passkey").text)
    assert "done=passkey" in person.post("/account/passkeys", credential=answer).headers["location"]
    assert person.post("/account/passkeys", credential=answer).status_code == 422
    page = person.http.get("/account?done=passkey").text
    assert "Your passkey is added." in page
    assert "<b>Firefox, Linux</b>" in page
    [path] = set(re.findall(r"/account/passkeys/[\w-]+(?=/remove)", page))
    for name in ("", "x" * 41, "a\u0000b"):
        assert person.post(f"{path}/name", name=name).status_code == 422
    person.post(f"{path}/name", name="<i>my</i> key")
    assert "<b>&lt;i&gt;my&lt;/i&gt; key</b>" in person.http.get("/account").text
    assert person.post("/account/password/remove", password="not it").status_code == 422
    assert person.post("/account/password/remove", password=PASSWORD).status_code == 303
    answer2 = person.post(f"{path}/remove")
    assert answer2.status_code == 422
    assert "This is how you log in" in answer2.text
    assert person.post("/account/password", password=OTHER).status_code == 303
    assert person.post(f"{path}/remove").status_code == 303
    assert person.post(f"{path}/remove").status_code == 404
    assert person.post("/account/password/remove", password=OTHER).status_code == 422


# --- The account -----------------------------------------------------------------------------------------------------


def test_another_password_logs_the_other_browsers_out(people: Callable[..., Person]) -> None:
    here, there, name = people(), people(), new_name()
    here.join(name)
    log_in(there, name)
    with lounge(there) as line:
        line.recv(timeout=ANSWER_SECONDS)
        for old, new, field in (("not it", OTHER, "old"), (PASSWORD, "short", "new-password")):
            answer = here.post("/account/password", old=old, password=new)
            assert answer.status_code == 422
            assert wrong(answer, field)
        assert logged_in(there)
        assert here.post("/account/password", old=PASSWORD, password=OTHER).status_code == 303
        assert close_code(line) == 4001
    assert logged_in(here)
    assert not logged_in(there)
    assert log_in(there, name).status_code == 422
    assert log_in(there, name, OTHER).status_code == 303


def test_the_present_password_is_not_to_be_found_by_trying(people: Callable[..., Person]) -> None:
    person = people()
    person.join(new_name())
    paths = ("/account/password", "/account/email", "/account/password/remove")
    answers = [
        person.post(paths[number % 3], old="not it", password="not it, not it", email="a@club.example")
        for number in range(11)
    ]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429]


def test_sessions_are_listed_and_ended_one_by_one(people: Callable[..., Person]) -> None:
    here, there, name = people(), people(), new_name()
    there.http.headers["user-agent"] = (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"
    )
    here.join(name)
    log_in(there, name)
    page = here.http.get("/account").text
    assert "Safari, iPhone" in page
    [path] = set(re.findall(r"/account/sessions/\w+/end", page))
    with lounge(there) as line, lounge(here) as own:
        line.recv(timeout=ANSWER_SECONDS)
        assert here.post(path).status_code == 303
        assert close_code(line) == 4001
        own.send(json.dumps({"t": "ping"}))
        while json.loads(own.recv(timeout=ANSWER_SECONDS))["t"] != "pong":
            pass
    assert not logged_in(there)
    assert here.post(path).status_code == 404
    assert logged_in(here)


def test_logging_out_everywhere_ends_what_sockets_may_do(people: Callable[..., Person]) -> None:
    here, there, name = people(), people(), new_name()
    here.join(name)
    game = here.new_game()
    log_in(there, name)
    with there.sit(game) as table, lounge(there) as line:
        table.receive()
        assert table.state["legal"]
        line.recv(timeout=ANSWER_SECONDS)
        assert here.post("/account/log-out-everywhere").status_code == 303
        assert close_code(table.connection) == 4001
        assert close_code(line) == 4001
    assert not logged_in(here)
    assert not logged_in(there)


def test_going_leaves_the_other_browsers_and_the_guests_alone(people: Callable[..., Person]) -> None:
    here, there, guest, name = people(), people(), people(), new_name()
    here.join(name)
    game = here.new_game()
    log_in(there, name)
    guest.http.get("/")
    with there.sit(game) as table, guest.sit(game) as watching, here.sit(game) as own:
        for each in (table, watching, own):
            each.receive()
        here.post("/log-out")
        assert close_code(own.connection) == 4001
        assert table.move()["t"] == "ack"
        assert watching.ask("chat", on=True)["t"] == "ack"


# --- E-mail ----------------------------------------------------------------------------------------------------------


def test_an_address_is_confirmed_and_gets_a_member_back_in(own_server_person: Person) -> None:
    person, server = own_server_person, own_server_person.server
    person.join("Anna")
    for email, password, field in (
        ("a@b.nl\nbcc: c@d.nl", PASSWORD, "email-address"),
        ("anna@club.example", "not it", "email_password"),
    ):
        answer = person.post("/account/email", email=email, password=password)
        assert answer.status_code == 422
        assert wrong(answer, field)
    answer = person.post("/account/email", email="Anna@club.example", password=PASSWORD)
    assert "in the server&#39;s log" in person.http.get(answer.headers["location"].partition("#")[0]).text
    confirm = link_in(server, "account/confirm")
    assert "anna@club.example" not in person.http.get("/account").text
    # on another device, by whoever reads the letter; looking at it does nothing
    reader = Person(server)
    assert "anna@club.example" in reader.http.get(confirm).text
    assert "anna@club.example" not in person.http.get("/account").text
    assert reader.http.post(confirm).status_code == 403
    assert reader.post(confirm).status_code == 200
    assert reader.post(confirm).status_code == 422
    assert "anna@club.example" in person.http.get("/account").text

    answers = [reader.post("/recover", account=said) for said in ("Anna", "Nobody", "anna@club.example")]
    assert len({(answer.status_code, re.sub(r'value="\w+"', "", answer.text)) for answer in answers}) == 1
    recover = link_in(server, "recover")
    assert reader.http.get(recover).status_code == 200
    assert reader.http.post(recover, data={"password": OTHER}).status_code == 403
    answer = reader.post(recover, password="short")
    assert answer.status_code == 422
    assert wrong(answer, "password")
    assert logged_in(person)
    assert reader.post(recover, password=OTHER).status_code == 303
    assert logged_in(reader)
    assert not logged_in(person)
    assert reader.post(recover, password=OTHER).status_code == 422
    assert person.http.get(recover).status_code == 422
    assert log_in(person, "Anna", OTHER).status_code == 303
    assert person.post("/account/email/remove").status_code == 303
    assert "anna@club.example" not in person.http.get("/account").text
    assert not any(OTHER in line or PASSWORD in line for line in server.log)
    reader.close()


def test_letters_have_an_end_for_an_address(own_server_person: Person) -> None:
    answers = [own_server_person.post("/recover", account=f"Anna-{number}") for number in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert wrong(answers[-1], "account")
    assert own_server_person.post("/recover", account="  ").status_code == 422


# --- Who may what ----------------------------------------------------------------------------------------------------

OWN = (
    "/account/password",
    "/account/password/remove",
    "/account/passkeys",
    "/account/passkeys/{passkey}/name",
    "/account/passkeys/{passkey}/remove",
    "/account/email",
    "/account/email/remove",
    "/account/sessions/{session}/end",
    "/account/log-out-everywhere",
)
ANYBODYS = ("/join", "/log-in", "/log-in/passkey", "/log-out", "/recover", "/recover/token", "/account/confirm/token")


@pytest.fixture
def member(people: Callable[..., Person]) -> Iterator[tuple[Person, dict[str, str]]]:
    """A member with all that a member can have, which must be there afterwards."""
    person, device = people(), Authenticator()
    person.join(new_name())
    device.origin = str(person.http.base_url).rstrip("/")
    person.post("/account/passkeys", credential=device.make(person.http.get("/account/passkey").text))
    elsewhere = people()
    log_in(elsewhere, f"Anna-{next(_numbers) - 1}")
    page = person.http.get("/account").text
    ids = {
        "passkey": re.findall(r"/account/passkeys/([\w-]+)/remove", page)[0],
        "session": next(iter(re.findall(r"/account/sessions/(\w+)/end", page)), "0" * 64),
    }
    before = re.sub(r"\d+ \w+ ago|just now", "", page)
    yield person, ids
    assert re.sub(r"\d+ \w+ ago|just now", "", person.http.get("/account").text) == before


def test_nothing_is_done_without_the_forms_own_token(
    people: Callable[..., Person], member: tuple[Person, dict[str, str]]
) -> None:
    person, ids = member
    stranger = people()
    for path in (*OWN, *ANYBODYS):
        fields = {"name": "Anna", "password": PASSWORD, "old": PASSWORD, "email": "a@club.example"}
        for who in (person, stranger):
            for token in ({}, {"_csrf_token": people().csrf_token()}):
                assert who.http.post(path.format(**ids), data=fields | token).status_code == 403, path


def test_guests_and_other_members_do_nothing_to_an_account(
    people: Callable[..., Person], member: tuple[Person, dict[str, str]]
) -> None:
    _, ids = member
    guest, other = people(), people()
    name = new_name()
    other.join(name)
    fields = {"name": "mine", "password": PASSWORD, "old": PASSWORD, "email": "nonsense", "credential": "{}"}
    for path in OWN:
        answer = guest.post(path.format(**ids), **fields)
        assert (answer.status_code, answer.headers["location"]) == (303, "/log-in?next=/account"), path
        if "{" in path:
            assert other.post(path.format(**ids), **fields).status_code == 404, path
    assert guest.http.get("/account/passkey").status_code == 422
    assert guest.http.get("/account").headers["location"] == "/log-in?next=/account"
    # on one's own account, which those above have not touched
    assert other.post("/account/email/remove").status_code == 303
    assert other.post("/account/log-out-everywhere").status_code == 303
    assert log_in(other, name).status_code == 303


@pytest.mark.parametrize("language", ["nl", "fr", "de", "en"])
def test_every_page_comes_in_every_language(people: Callable[..., Person], language: str) -> None:
    person = people(language)
    for path in ("/join", "/log-in", "/recover", "/my-games"):
        answer = person.http.get(path)
        assert answer.status_code == 200
        assert f'<html lang="{language}"' in answer.text
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", answer.text)
    person.join(new_name())
    page = person.http.get("/account").text
    assert f'<html lang="{language}"' in page
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
