"""Games on a real server: moves, the computer's replies, taking back, resigning, watching."""

from __future__ import annotations

from collections.abc import Callable

from tests.server.conftest import Person


def test_a_move_is_acknowledged_and_answered_by_the_computer(person: Person) -> None:
    game = person.new_game("white")
    with person.sit(game) as table:
        first = table.receive()
        assert (first["version"], first["from_ply"], first["turn"], len(first["legal"])) == (0, 0, "white", 9)
        assert first["can"] == {"take_back": False, "resign": True}
        answer = table.move()
        assert answer == {"t": "ack", "ref": 1, "version": 1}
        table.until_own_turn()
        assert table.state["version"] == 2
        assert [ply["move"]["from"] for ply in table.plies][0] == first["legal"][0]["from"]
        assert len(table.plies) == 2
    assert person.page_state(game)["plies"] == table.plies
