"""Games on a real server: moves, the computer's replies, taking back, resigning, watching."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from damier import Board, Color
from damier.events import Entry
from damier.game import Game
from damier.notation.pdn import loads
from damier.record import Start

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.conftest import Person, Server, Table


def test_a_move_is_acknowledged_and_answered_by_the_computer(person: Person) -> None:
    game = person.new_game("white")
    with person.sit(game) as table:
        first = table.receive()
        assert (first["version"], first["from_ply"], first["turn"], len(first["legal"])) == (0, 0, "white", 9)
        assert {name for name, may in first["can"].items() if may} == {"resign", "abort"}
        assert table.move() == {"t": "ack", "ref": 1, "version": 1}
        table.until_own_turn()
        assert (table.state["version"], len(table.plies)) == (2, 2)
        assert table.plies[0]["move"]["from"] == first["legal"][0]["from"]
    assert person.page_state(game)["plies"] == table.plies


def test_the_computer_opens_when_it_has_white(person: Person) -> None:
    with person.sit(person.new_game("black")) as table:
        table.receive()
        table.until_own_turn()
        assert (table.state["turn"], len(table.plies)) == ("black", 1)


def test_by_lot_both_colors_come_up(person: Person) -> None:
    colors: set[str] = set()
    while len(colors) < 2:
        colors.add(person.page_state(person.new_game("lot"))["you"])


@pytest.mark.parametrize("rules", ["official", "club"])
def test_a_whole_game_is_played_to_its_end(person: Person, rules: str) -> None:
    game = person.new_game("white", rules)
    board = Board(rules=rules)
    with person.sit(game) as table:
        table.receive()
        while not table.state["result"]:
            assert legal_keys(table.state["legal"]) == [
                (move.from_square, move.to_square, list(move.captured), move.crowned) for move in board.legal_moves
            ]
            # by turns the first and the last of them, so that the game opens up
            assert table.move(table.state["legal"][-(table.state["version"] // 2 % 2)])["t"] == "ack"
            table.until_own_turn()
            for ply in table.plies[board.ply :]:
                board.push(ply["text"])
                assert board.fen() == ply["fen"]
        outcome = board.outcome()
        assert outcome is not None
        assert table.state["result"]["rule"] == outcome.rule
        assert table.state["result"]["text"]
        assert table.state["legal"] == []
        assert not any(table.state["can"].values())
        answer = table.ask("move", ply=len(table.plies), move={"from": 32, "to": 28, "captured": [], "crowned": False})
        assert (answer["t"], answer["code"]) == ("error", "game_over")
        for kind in ("take_back", "resign"):
            assert table.ask(kind)["code"] == "game_over"


def legal_keys(legal: list[dict[str, Any]]) -> list[tuple[int, int, list[int], bool]]:
    return [(move["from"], move["to"], move["captured"], move["crowned"]) for move in legal]


def test_taking_back_undoes_the_own_move_and_the_reply(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        start = table.receive()
        assert table.ask("take_back")["code"] == "nothing_to_take_back"
        for _ in range(2):
            table.move()
            table.until_own_turn()
        assert table.state["can"]["take_back"]
        for left in (2, 0):
            assert table.ask("take_back")["t"] == "ack"
            assert len(table.plies) == left
        assert table.state["fen"] == start["fen"]
        assert table.state["legal"] == start["legal"]
        assert table.state["version"] == 6


def test_taking_back_while_the_computer_thinks_stops_it(person: Person) -> None:
    with person.sit(person.new_game("white", level=10)) as table:
        table.receive()
        table.set_thinking()
        version, plies = table.state["version"], list(table.plies)
        started = time.monotonic()
        for number in range(3):
            answer = table.ask("take_back")
            assert (answer["t"], answer["version"]) == ("ack", version + 1 + 2 * number)
            assert (table.plies, table.state["turn"], table.state["thinking"]) == (plies[:-1], "white", False)
            table.move(next(move for move in table.state["legal"] if move["from"] == plies[-1]["move"]["from"]))
        assert time.monotonic() - started < 1, "a search that nobody waited for was not stopped"


def test_resigning_ends_the_game_even_while_the_computer_thinks(person: Person) -> None:
    with person.sit(person.new_game("white", level=10)) as table:
        table.receive()
        table.set_thinking()
        plies = len(table.plies)
        assert table.ask("resign")["t"] == "ack"
        assert table.state["result"] == {
            "winner": "black",
            "score": "0-2",
            "rule": "resigned",
            "text": "Black wins: White resigned.",
        }
        assert (len(table.plies), table.state["thinking"]) == (plies, False)


def test_why_a_move_is_not_legal_is_said_in_the_readers_language(people: Callable[..., Person]) -> None:
    texts: set[str] = set()
    for language in ("en", "nl", "fr", "de"):
        person = people(language)
        with person.sit(person.new_game("white")) as table:
            table.receive()
            reason = table.ask("explain", ply=0, **{"from": 32, "to": 38})
            assert (reason["t"], reason["code"], reason["facts"]["from"]) == ("reason", "occupied", 32)
            texts.add(reason["text"])
            assert table.ask("explain", ply=0, **{"from": 32, "to": 28})["code"] == "legal"
            assert table.ask("explain", ply=5, **{"from": 32, "to": 28})["code"] == "position_changed"
    assert len(texts) == 4


def test_a_player_is_told_that_it_is_not_the_turn(person: Person) -> None:
    with person.sit(person.new_game("white", level=10)) as table:
        table.receive()
        table.set_thinking()
        ply = len(table.plies)
        answer = table.ask("move", ply=ply, move={"from": 31, "to": 26, "captured": [], "crowned": False})
        assert answer["code"] == "not_your_turn"
        assert table.ask("explain", ply=ply, **{"from": 31, "to": 26})["code"] == "not_your_turn"
        table.ask("resign")


def test_a_move_that_is_sent_again_is_made_once(person: Person) -> None:
    with person.sit(person.new_game("white")) as table:
        table.receive()
        move = {"from": 32, "to": 28, "captured": [], "crowned": False}
        first, second = table.send("move", ply=0, move=move), table.send("move", ply=0, move=move)
        answers: dict[int, dict[str, Any]] = {}
        while len(answers) < 2:
            message = table.until(lambda message: "ref" in message)
            answers[message["ref"]] = message
        assert answers[first]["t"] == "ack"
        assert answers[second]["code"] == "position_changed"


# --- Several sockets ----------------------------------------------------------------------------------------------


def test_all_who_look_at_a_game_see_every_move(people: Callable[..., Person]) -> None:
    player, watcher = people(), people("nl")
    game = player.new_game("white")
    with player.sit(game) as table, player.sit(game) as second_tab, watcher.sit(game) as gallery:
        for seat in (table, second_tab, gallery):
            seat.receive()
        for number in range(3):
            mover, other = (table, second_tab) if number % 2 else (second_tab, table)
            mover.move()
            mover.until_own_turn()
            catch_up(other, mover)
            catch_up(gallery, mover)
        assert table.plies == second_tab.plies == gallery.plies
        assert table.state["legal"] == second_tab.state["legal"]
        assert gallery.state["legal"] == []
        assert gallery.state["can"] == dict.fromkeys(table.state["can"], False)
        table.ask("resign")
        catch_up(gallery, table)
        assert gallery.state["result"]["text"] != table.state["result"]["text"]


def catch_up(table: Table, other: Table) -> None:
    while table.state["version"] < other.state["version"]:
        table.receive()


def test_a_watcher_moves_nothing(people: Callable[..., Person]) -> None:
    player, stranger, other_player = people(), people(), people()
    other_player.new_game()
    game = player.new_game("white")
    state = player.page_state(game)
    for watcher in (stranger, other_player):
        assert watcher.page_state(game)["you"] is None
        with watcher.sit(game) as gallery:
            gallery.receive()
            move = {"from": 32, "to": 28, "captured": [], "crowned": False}
            answers = [
                gallery.ask("move", ply=0, move=move),
                gallery.ask("take_back"),
                gallery.ask("resign"),
                gallery.ask("explain", ply=0, **{"from": 32, "to": 28}),
            ]
            assert {answer["code"] for answer in answers} == {"not_yours"}
    assert player.page_state(game) == state


def test_a_forged_cookie_makes_nobody_a_player(people: Callable[..., Person]) -> None:
    player, forger = people(), people()
    game = player.new_game("white")
    name = player.cookie_name("damier_visitor")
    assert name
    genuine = player.http.cookies[name]
    visitor, _, signature = genuine.rpartition(".")
    for forged in (visitor, f"{visitor}.", f"{visitor}.{signature[::-1]}", f".{signature}", f"{visitor}x.{signature}"):
        forger.http.cookies.clear()
        forger.http.cookies.set(name, forged)
        assert forger.page_state(game)["you"] is None
    forger.http.cookies.clear()
    forger.http.cookies.set(name, genuine)
    assert forger.page_state(game)["you"] == "white"


def test_a_page_that_was_away_gets_exactly_what_it_missed(person: Person) -> None:
    game = person.new_game("white")
    with person.sit(game) as table:
        states = [table.receive()]
        for _ in range(3):
            table.move()
            table.until_own_turn()
            states.append(table.state)
        for version, missed_from in ((0, 0), (1, 1), (4, 4), (6, 6)):
            with person.sit(game, version) as returned:
                returned.plies = table.plies[:missed_from]
                message = returned.receive()
                assert (message["version"], message["from_ply"]) == (6, missed_from)
                assert returned.plies == table.plies
        for version in (-1, 7, 10**30):
            with person.sit(game, version) as returned:
                assert returned.receive()["from_ply"] == 0
        # what was taken back and played anew is part of what was missed
        before = list(table.plies)
        table.ask("take_back")
        table.ask("take_back")
        table.move(table.state["legal"][-1])
        table.until_own_turn()
        with person.sit(game, 6) as returned:
            returned.plies = before
            assert returned.receive()["from_ply"] == 2
            assert returned.plies == table.plies


def test_what_is_stored_replays_to_what_is_shown(person: Person, server: Server) -> None:
    game = person.new_game("black")
    with person.sit(game) as table:
        table.receive()
        for _ in range(3):
            table.until_own_turn()
            table.move()
        table.until_own_turn()
        table.ask("take_back")
    with closing(sqlite3.connect(server.data / "club.sqlite")) as database:
        game_id = game.rpartition("/")[2]
        (start,) = database.execute("SELECT start FROM game WHERE id = ?", (game_id,)).fetchone()
        rows = database.execute("SELECT entry FROM event WHERE game = ? ORDER BY version", (game_id,)).fetchall()
    replayed = Game.replay(Start.from_json(json.loads(start)), [Entry.from_json(json.loads(row)) for (row,) in rows])
    assert replayed.version == table.state["version"]
    assert replayed.board.fen() == table.state["fen"]
    assert replayed.player(Color.WHITE).is_computer


def test_a_game_is_downloaded_as_pdn_with_what_its_clocks_showed(people: Callable[..., Person]) -> None:
    host, friend = people(), people()
    host.post("/name/choose", name="Roozenburg")
    path = host.post("/invitations", control="300+3", color="white", rules="leaflet").headers["location"]
    game = friend.post(f"{path}/accept").headers["location"]
    with host.sit(game) as white, friend.sit(game) as black:
        for table in (white, black):
            table.until_own_turn()
            assert table.move()["t"] == "ack"
        assert white.ask("resign")["t"] == "ack"
    assert f'href="{game}.pdn"' in host.http.get(game).text
    answer = people("nl").http.get(f"{game}.pdn")
    assert answer.headers["content-type"].startswith("application/x-pdn")
    assert answer.headers["content-disposition"].startswith("attachment")
    [pdn] = loads(answer.text)
    assert not pdn.errors
    assert (pdn.tags["White"], pdn.tags["Black"], pdn.result) == ("Roozenburg", "Guest", "0-2")
    assert (pdn.tags["TimeControl"], pdn.tags["Rules"]) == ("300+3", "leaflet")
    assert [node.clock for node in pdn.main_line()] == [303.0, 303.0], "the increment is on it"
    assert people().http.get("/games/none.pdn").status_code == 404
