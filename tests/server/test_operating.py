"""What an operator does with a club: sets it up, watches it, stops it, and loses parts of it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from damier.cli.status import USAGE, WRONG
from damier.server.settings import Settings
from tests.server.conftest import Person, Server, Table
from tests.server.serving import start_damier
from tests.server.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a token of this test"
COMMAND = [sys.executable, "-c", "import sys; from damier.cli import main; sys.exit(main())"]


def read_to_the_end(table: Table) -> int | None:
    """Read what a socket says until it is closed; returns the code, None when there was no goodbye."""
    try:
        while True:
            table.receive()
    except ConnectionClosed as closed:
        return None if closed.rcvd is None else closed.rcvd.code


@pytest.fixture
def watched_server(tmp_path: Path) -> Iterator[Server]:
    running = Server(
        tmp_path / "club", DAMIER_METRICS_TOKEN=TOKEN, DAMIER_SOCKETS_PER_ADDRESS="3", DAMIER_PROXIES="127.0.0.1"
    ).start()
    yield running
    running.kill()


@pytest.fixture
def several(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[Server]:
    """Two server processes, one club."""
    if not Path("/proc").exists():
        pytest.skip("who is whose child is read from /proc")
    settings = {"DAMIER_DATABASE": postgres_url, "DAMIER_REDIS": redis_url, "DAMIER_WORKERS": "2"}
    running = Server(tmp_path / "club", **settings, DAMIER_METRICS_TOKEN=TOKEN).start()
    yield running
    running.kill()


# --- Settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "2"], "--database"),
        (["--workers", "2", "--redis", "redis://127.0.0.1:1/0"], "--database"),
        (["--workers", "2", "--database", "postgresql://u:secret@127.0.0.1:1/c"], "--redis"),
        (["--redis", "127.0.0.1:6379"], "redis://"),
        (["--database", "mysql://u:secret@127.0.0.1:1/c"], "postgresql://"),
        (["--database", "postgresql://u:secret@127.0.0.1:1/c"], "cannot use the database"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(tmp_path: Path, options: list[str], said: str) -> None:
    arguments = ("serve", "--port", "0", "--data", str(tmp_path / "club"), *options)
    process, connection = start_damier(arguments, {**os.environ})
    with connection, open(os.dup(connection.fileno()), encoding="utf-8") as output:
        told = output.read()
    process.join(60)
    assert process.exitcode == (WRONG if said.startswith("cannot use") else USAGE)
    lines = [line for line in told.splitlines() if not line.startswith("{")]
    assert len(lines) == 1, told
    assert lines[0].startswith("damier: ")
    assert said in lines[0]
    assert "secret@" not in told


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DAMIER_WORKERS", "0"),
        ("DAMIER_COMPUTER_THREADS", "-1"),
        ("DAMIER_COMPUTER_THREADS", "0"),
        ("DAMIER_COMPUTER_THREADS", "1025"),
        ("DAMIER_COMPUTER_THREADS", "9" * 5000),
        ("DAMIER_MESSAGE_BURST", "9" * 5000),
        ("DAMIER_SOCKETS_PER_ADDRESS", "1000000001"),
        ("DAMIER_PROXIES", "*"),
        ("DAMIER_PROXIES", "10.0.0.0/8, example.org"),
        ("DAMIER_METRICS_TOKEN", "short"),
        ("DAMIER_SECRET", "abc"),
        ("DAMIER_REDIS", "http://127.0.0.1"),
    ],
)
def test_a_setting_that_is_wrong_is_named(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"DAMIER_|Redis") as refused:
        Settings.from_environment(tmp_path, {variable: value})
    assert len(str(refused.value)) < 200


def test_options_come_before_the_environment(tmp_path: Path) -> None:
    environment = {"DAMIER_REDIS": "redis://one/0", "DAMIER_DATABASE": "postgresql://one/c"}
    settings = Settings.from_environment(tmp_path, environment, redis="redis://two/0", database=None, workers=None)
    assert (settings.redis, settings.database, settings.workers) == ("redis://two/0", "postgresql://one/c", 1)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_what_is_kept_is_its_owners_alone(tmp_path: Path) -> None:
    server = Server(tmp_path / "club")
    server.from_nothing = True
    server.start()
    try:
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in server.data.iterdir()}
        assert {"secret", "club.sqlite"} <= modes.keys()
        assert set(modes.values()) == {0o600}
        assert stat.S_IMODE(server.data.stat().st_mode) == 0o700
    finally:
        server.kill()


# --- One process ---------------------------------------------------------------------------------------------------


def test_the_log_is_one_json_object_a_line(own_server: Server) -> None:
    own_server.stop()
    lines = [line for line in own_server.log if own_server.address not in line]
    assert all({"time", "level", "logger", "message", "process"} <= json.loads(line).keys() for line in lines)


def test_why_a_socket_was_closed_is_in_the_log(own_server: Server) -> None:
    person = Person(own_server)
    path = person.new_game("white")
    with closing(sqlite3.connect(own_server.data / "club.sqlite")) as database:
        database.execute("DROP TABLE chat_line")
    with person.sit(path) as table:
        read_to_the_end(table)
        assert table.connection.close_code == 4500
    person.close()
    own_server.stop()
    (line,) = [line for line in own_server.log if "chat_line" in line]
    assert json.loads(line)["message"] == f"The socket {path}/socket failed"


def test_numbers_are_for_who_has_the_token(watched_server: Server, server: Server) -> None:
    assert httpx.get(f"{server.address}/metrics").status_code == 404
    address = f"{watched_server.address}/metrics"
    for headers in ("", "Bearer wrong", TOKEN, "Bearer é"):
        assert httpx.get(address, headers=[(b"authorization", headers.encode())] if headers else []).status_code == 401
    person = Person(watched_server)
    path = person.new_game("white")
    with person.sit(path) as table:
        table.receive()
        assert table.move()["t"] == "ack"
        table.until_own_turn()
        answer = httpx.get(address, headers={"authorization": f"Bearer {TOKEN}"})
    person.close()
    assert answer.headers["content-type"].startswith("text/plain")
    numbers = dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#"))
    named = {name.partition("{")[0]: float(value) for name, value in numbers.items()}
    assert named["damier_events_total"] == 2
    assert named["damier_commit_seconds_count"] == 2
    assert named["damier_computer_move_seconds_count"] == 1
    assert named["damier_sockets"] == 1
    assert named["damier_bus_connected"] == 1
    assert named["damier_cut_readers_total"] == 0
    assert named["damier_requests_total"] > 0


def test_one_address_has_so_many_sockets(watched_server: Server) -> None:
    person = Person(watched_server)
    path = person.new_game("white")
    with ExitStack() as open_sockets:
        for _ in range(3):
            open_sockets.enter_context(person.sit(path)).receive()
        with pytest.raises(InvalidStatus), person.sit(path):
            pass
        # the proxy's word tells of another address, and that somebody is at the same in another room
        with person.sit(path, -1, **{"x-forwarded-for": "192.0.2.1"}) as other:
            assert other.receive()["t"] == "state"

    def is_let_in() -> bool:
        try:
            with person.sit(path) as table:
                return table.receive()["t"] == "state"
        except InvalidStatus:
            return False

    wait_for(is_let_in, 5)  # as soon as the server knows that the others have gone
    person.close()


def test_only_a_proxy_that_is_named_is_believed(watched_server: Server, server: Server) -> None:
    forwarded = {"x-forwarded-proto": "https"}
    named = httpx.get(watched_server.address, headers=forwarded).headers.get_list("set-cookie")
    assert named
    assert all("secure" in cookie.lower() for cookie in named)
    unnamed = httpx.get(server.address, headers=forwarded).headers.get_list("set-cookie")
    assert unnamed
    assert not any("secure" in cookie.lower() for cookie in unnamed)


# --- Several processes ---------------------------------------------------------------------------------------------


def test_an_ipv6_network_starts_games_as_one_visitor(tmp_path: Path) -> None:
    running = Server(tmp_path / "club", DAMIER_NEW_GAMES_PER_MINUTE="3", DAMIER_PROXIES="127.0.0.1").start()
    person = Person(running)
    form = {"_csrf_token": person.csrf_token(), "color": "white", "rules": "official", "level": "1"}

    def start_from(address: str) -> int:
        return person.http.post("/games", data=form, headers={"x-forwarded-for": address}).status_code

    try:
        answers = [start_from(f"2001:db8:1:2:{number}::7") for number in range(1, 6)]
        assert answers == [303, 303, 303, 429, 429]
        assert start_from("2001:db8:1:3::7") == 303
        assert [start_from(f"192.0.2.{number}") for number in range(1, 6)] == [303] * 5
    finally:
        person.close()
        running.kill()


def test_a_process_that_dies_is_replaced_and_its_people_come_back(several: Server) -> None:
    person = Person(several)
    path = person.new_game("white")
    workers = several.workers
    assert len(workers) == 2
    with person.sit(path) as table:
        table.receive()
        assert table.move()["t"] == "ack"
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        read_to_the_end(table)
    wait_for(lambda: len(several.workers - workers) == 2)
    person.moved_to(several)
    with person.sit(path) as table:
        table.receive()
        assert table.state["version"] >= 1
        table.until_own_turn()
        assert table.move()["t"] == "ack"
    person.close()
    assert sum("another takes its place" in line for line in several.log) == 2


def test_a_stop_sends_everybody_to_come_back(several: Server) -> None:
    person = Person(several)
    path = person.new_game("white")
    workers = several.workers
    with person.sit(path) as table:
        table.receive()
        assert several.stop() == 0
        assert read_to_the_end(table) == 1012
    person.close()
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    assert not any("Traceback" in line or "traceback" in line for line in several.log), "".join(several.log)


def test_no_process_outlives_the_one_that_watches_over_them(several: Server) -> None:
    workers = several.workers
    os.kill(several.pid, signal.SIGKILL)
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def test_whichever_process_is_asked_tells_the_numbers_of_all(several: Server) -> None:
    def processes() -> set[str]:
        answer = httpx.get(f"{several.address}/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        started = [line for line in answer.text.splitlines() if line.startswith("damier_start_time_seconds{")]
        return {line.partition('process="')[2].partition('"')[0] for line in started}

    wait_for(lambda: len(processes()) == 2)


def test_computers_think_in_other_processes(tmp_path: Path, redis_url: str) -> None:
    server = Server(tmp_path / "club", DAMIER_REDIS=redis_url, DAMIER_COMPUTER_THREADS="0").start()
    worker = subprocess.Popen([*COMMAND, "worker", "--threads", "1"], env={**os.environ, "DAMIER_REDIS": redis_url})
    person = Person(server)
    try:
        with person.sit(person.new_game("black", level=4)) as table:
            table.until_own_turn()
            assert len(table.plies) == 1
            assert table.move()["t"] == "ack"
            table.until_own_turn()
    finally:
        person.close()
        worker.terminate()
        assert worker.wait(20) == 0
        server.stop()
    assert not any("Traceback" in line for line in server.log), "".join(server.log)
