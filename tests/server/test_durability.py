"""A server killed at any instant loses nothing that it acknowledged, and owes no computer move for long."""

from __future__ import annotations

import json
import random
import resource
import sqlite3
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from websockets.exceptions import WebSocketException

from damier.events import Entry
from damier.game import Game
from damier.record import Start
from tests.server import conftest
from tests.server.conftest import Person, Server

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 20


def stored(server: Server) -> dict[str, Game]:
    """Every game in the database, replayed; each must fit its own summary."""
    games: dict[str, Game] = {}
    with closing(sqlite3.connect(server.data / "club.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for game_id, start, version, fen in database.execute("SELECT id, start, version, fen FROM game").fetchall():
            rows = database.execute("SELECT version, entry FROM event WHERE game = ? ORDER BY version", (game_id,))
            versions, entries = zip(*rows.fetchall(), strict=True) if version else ((), ())
            assert versions == tuple(range(1, version + 1))
            game = Game.replay(Start.from_json(json.loads(start)), [Entry.from_json(json.loads(e)) for e in entries])
            assert game.board.fen() == fen
            games[game_id] = game
    return games


def test_no_acknowledged_move_is_lost_when_the_server_is_killed(own_server: Server) -> None:
    """One game goes on over all the kills, each at a random instant around a move and its answer."""
    server = own_server
    chance = random.Random(6)
    person = Person(server)
    path = person.new_game("white")
    acknowledged = sent = 0
    over = False
    for _ in range(KILLS):
        if over:
            path, acknowledged = person.new_game("white"), 0
        killer = threading.Timer(chance.uniform(0.0, 0.03), server.kill)
        with person.sit(path) as table:
            table.receive()
            table.until_own_turn()
            killer.start()
            with suppress(WebSocketException, OSError, TimeoutError):
                while not table.state["result"]:
                    sent += 1
                    answer = table.move(chance.choice(table.state["legal"]))
                    assert answer["t"] == "ack", answer
                    acknowledged = answer["version"]
                    table.until_own_turn()
        killer.join()
        game = stored(server)[path.rpartition("/")[2]]
        assert game.version >= acknowledged
        server.start()
        person.moved_to(server)
        with person.sit(path) as table:
            table.receive()
            assert len(table.plies) == table.state["version"] >= game.version
            over = bool(table.until_own_turn()["result"])
    assert sent >= KILLS
    person.close()


def test_many_games_are_whole_after_a_kill_under_load(own_server: Server) -> None:
    server = own_server
    people = [Person(server) for _ in range(8)]
    acknowledged: dict[str, int] = {}

    def play(person: Person) -> None:
        with suppress(WebSocketException, OSError, TimeoutError):
            path = person.new_game("white")
            with person.sit(path) as table:
                table.receive()
                while not table.state["result"]:
                    answer = table.move()
                    if answer["t"] == "ack":
                        acknowledged[path.rpartition("/")[2]] = answer["version"]
                    table.until_own_turn()

    players = [threading.Thread(target=play, args=(person,)) for person in people]
    for player in players:
        player.start()
    time.sleep(1.0)
    server.kill()
    for player in players:
        player.join()
    games = stored(server)
    assert len(acknowledged) == len(people)
    for game_id, version in acknowledged.items():
        assert games[game_id].version >= version
    for person in people:
        person.close()


def test_the_computers_move_that_was_owed_is_played_after_a_restart(own_server: Server) -> None:
    server = own_server
    person = Person(server)
    path = person.new_game("white", level=10)  # thinks for long enough to be killed at it
    with person.sit(path) as table:
        table.receive()
        table.set_thinking()
        version = table.state["version"]
    server.kill()
    server.start()
    person.moved_to(server)
    # nobody looks at the game, and still it goes on
    deadline = time.monotonic() + 20
    while person.page_state(path)["version"] == version:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    state = person.page_state(path)
    assert (state["turn"], state["you"], state["thinking"]) == ("white", "white", False)
    person.close()


def test_a_move_counts_though_its_player_is_gone_before_the_answer(own_server: Server) -> None:
    person = Person(own_server)
    for _ in range(5):
        path = person.new_game("white")
        with person.sit(path) as table:
            table.receive()
            table.send("move", ply=0, move={"from": 32, "to": 28, "captured": [], "crowned": False})
        with person.sit(path) as table:
            table.receive()
            while table.state["version"] < 2:
                table.receive()
            assert table.plies[0]["text"] == "32-28"
    person.close()


def test_a_server_that_is_told_to_stop_sends_its_visitors_away_and_stops(own_server: Server) -> None:
    person = Person(own_server)
    path = person.new_game("white", level=10)
    with person.sit(path) as table:
        table.receive()
        table.set_thinking()
        started = time.monotonic()
        own_server.stop()
        assert time.monotonic() - started < 5
        with suppress(WebSocketException):
            while True:
                table.receive()
        assert table.connection.close_code == 1012
    assert not any("Traceback" in line for line in own_server.log), "".join(own_server.log)
    person.close()


def test_cookies_and_games_outlive_the_server(own_server: Server) -> None:
    person = Person(own_server)
    path = person.new_game("black")
    own_server.stop()
    own_server.start()
    person.moved_to(own_server)
    assert person.page_state(path)["you"] == "black"
    assert path in person.http.get("/").text
    assert (own_server.data / "secret").stat().st_mode & 0o777 == 0o600
    assert own_server.data.stat().st_mode & 0o777 == 0o700
    person.close()


def test_a_server_that_does_not_start_in_time_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "START_SECONDS", 0)
    server = Server(tmp_path / "club")
    with pytest.raises(AssertionError, match="did not start"):
        server.start()
    assert not server.running


def test_a_database_that_is_removed_takes_no_moves_and_the_server_is_not_ready(own_server: Server) -> None:
    person = Person(own_server)
    with person.sit(person.new_game("white")) as table:
        table.receive()
        assert person.http.get("/ready").status_code == 200
        (own_server.data / "club.sqlite").unlink()
        answer = person.http.get("/ready")
        assert (answer.status_code, answer.json()) == (503, {"database": False, "bus": True})
        assert person.http.get("/health").status_code == 200
        assert table.move()["code"] == "not_kept"
    person.close()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the disk of another process is filled on Linux only")
def test_a_disk_that_is_full_takes_no_moves_until_there_is_room(own_server: Server) -> None:
    person = Person(own_server)
    with person.sit(person.new_game("white")) as table:
        table.receive()
        before = resource.prlimit(own_server.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        assert table.move()["code"] == "not_kept"
        assert person.http.get("/ready").status_code == 503
        resource.prlimit(own_server.pid, resource.RLIMIT_FSIZE, before)
        assert person.http.get("/ready").status_code == 200
        assert table.move()["t"] == "ack"
    person.close()


def test_time_runs_for_nobody_while_the_server_is_away(own_server: Server) -> None:
    """Games between people go on where they stood, though nobody was told that the server would go."""
    white, black = Person(own_server), Person(own_server)
    paths: list[str] = []
    falls: dict[str, float] = {}
    for _ in range(3):
        invitation = white.post("/invitations", control="300+3", rules="official", color="white").headers["location"]
        path = black.post(f"{invitation}/accept").headers["location"]
        with white.sit(path) as first, black.sit(path) as second:
            first.receive()
            second.receive()
            assert first.move()["t"] == "ack"
            second.until_own_turn()
            assert second.move()["t"] == "ack"
            first.until_own_turn()
            falls[path] = time.time() + first.state["clock"]["white"] / 1000
        paths.append(path)
    own_server.kill()
    killed = time.time()
    time.sleep(3)
    own_server.start()
    back = time.time()
    for person in (white, black):
        person.moved_to(own_server)
    for path in paths:
        with white.sit(path) as table:
            state = table.receive()
            given_back = time.time() + state["clock"]["white"] / 1000 - falls[path]
            assert abs(given_back - (back - killed)) < 1
            assert (state["paused"], state["clock"]["running"]) == (False, "white")
            assert table.move()["t"] == "ack"
    white.close()
    black.close()
