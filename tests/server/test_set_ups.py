"""The same club on PostgreSQL and Redis, in one process and in two: people play, and a kill loses nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.conftest import Person, Server
from tests.services import Postgres


@pytest.fixture
def shared_server(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[Server]:
    """A server whose games and news are not its own."""
    running = Server(tmp_path / "club", DAMIER_DATABASE=postgres_url, DAMIER_REDIS=redis_url).start()
    yield running
    running.kill()


def test_a_game_goes_on_after_a_kill(shared_server: Server) -> None:
    person = Person(shared_server)
    path = person.new_game("white")
    acknowledged = 0
    with person.sit(path) as table:
        table.receive()
        for _ in range(3):
            table.until_own_turn()
            answer = table.move()
            assert answer["t"] == "ack"
            acknowledged = answer["version"]
    shared_server.kill()
    shared_server.start()
    person.moved_to(shared_server)
    with person.sit(path) as table:
        table.receive()
        assert table.state["version"] >= acknowledged
        table.until_own_turn()
        assert table.move()["t"] == "ack"
    person.close()


def test_nothing_lies_in_the_folder_but_the_secret(shared_server: Server) -> None:
    assert shared_server.data.joinpath("secret").exists()
    assert list(shared_server.data.glob("*.sqlite*")) == []


def test_two_processes_are_one_club(tmp_path: Path, postgres: Postgres, redis_url: str) -> None:
    """Who plays and who watches are at different processes as often as not, and see the same game."""
    empty = postgres.new_database()
    server = Server(tmp_path / "club", DAMIER_DATABASE=empty, DAMIER_REDIS=redis_url, DAMIER_WORKERS="2").start()
    person, watchers = Person(server), [Person(server) for _ in range(4)]
    try:
        path = person.new_game("white")
        with person.sit(path) as table:
            table.receive()
            for watcher in watchers:
                with watcher.sit(path) as seat:
                    seat.receive()
                    table.until_own_turn()
                    version = table.move()["version"]
                    deadline = time.monotonic() + 10
                    while seat.state["version"] < version:
                        assert time.monotonic() < deadline
                        seat.receive()
                    assert seat.plies[: len(table.plies)] == table.plies[: len(seat.plies)]
    finally:
        for each in (person, *watchers):
            each.close()
        assert server.stop() == 0
    assert not any("Traceback" in line for line in server.log), "".join(server.log)
