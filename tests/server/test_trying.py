"""A board to try moves on: what is legal, how it ends, and why something is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from damier import Board
from damier.rules import RULE_SETS
from damier.server.guide.trying import MOST_MOVES, attempt
from tests.server.conftest import Person

START = Board().fen()


def test_moves_are_tried_one_after_another(people: Callable[..., Person]) -> None:
    person = people()
    first = person.http.get("/try/official", params={"fen": START}).json()
    assert (first["turn"], len(first["legal"]), first["plies"], first["why"]) == ("white", 9, 0, None)
    after = person.http.get("/try/official", params={"fen": START, "moves": "32-28 19-23"}).json()
    assert (after["notation"], after["last"]["to"], after["turn"]) == ("19-23", 23, "white")
    assert [each["captured"] for each in after["legal"]] == [[23]]


def test_a_wrong_try_is_answered_with_its_article_in_the_readers_language(people: Callable[..., Person]) -> None:
    asked = {"fen": "W:W28,31:B22,23", "from": 31, "to": 27}
    why = people().http.get("/nl/try/official", params=asked).json()["why"]
    assert (why["code"], why["number"]) == ("must_capture", "4.2")
    assert "slaan" in why["text"]
    assert "4.2" in why["source"]


def test_a_piece_that_is_only_picked_up_is_told_what_keeps_it() -> None:
    for fen, square, code in [
        ("W:W28,31:B22,23", 31, "must_capture"),
        ("W:W28,37:B14,22,23,31", 37, "must_take_more"),
        ("W:W31,36,41:B1", 36, "same_square"),
    ]:
        why = attempt("official", fen, asked=(square, square)).why
        assert why is not None
        assert why.code == code, why.text


def test_a_wrong_try_is_answered_with_the_article_of_our_page_too(people: Callable[..., Person]) -> None:
    for rules, address in [("official", "/rules#article-4"), ("club", "/rules/club#article-4")]:
        asked = {"fen": "W:WK48:B17,34,37,39", "from": 48, "to": 30}
        why = people().http.get(f"/try/{rules}", params=asked).json()["why"]
        assert (why["code"], why["article"], why["address"]) == ("two_in_a_row", 4, address)


def test_whether_a_touch_binds_is_said() -> None:
    assert [attempt(each.name, START).binding for each in RULE_SETS] == [each.touch_move for each in RULE_SETS]


def test_what_was_touched_binds_only_where_the_rules_say_so() -> None:
    touched = attempt("leaflet", START, asked=(32, 28), touched=31).why
    assert touched is not None
    assert (touched.code, touched.number) == ("touched_another", "6")
    assert attempt("official", START, asked=(32, 28), touched=31).why is None


@pytest.mark.parametrize("rules", [each.name for each in RULE_SETS])
def test_endings_are_said(rules: str) -> None:
    for language in ("nl", "fr", "de", "en"):
        assert attempt(rules, "W:W28:B22", ("28x17",), language=language).says
    shuffle = "W:WK46:BK45"
    moves = ("46-41", "45-50", "41-46", "50-45") * 2
    ended = attempt(rules, shuffle, moves)
    assert ended.over == {"official": "repetition", "leaflet": "repetition"}.get(rules)
    assert ended.legal == () if ended.over else ended.legal != ()


@pytest.mark.parametrize(
    ("rules", "asked", "status"),
    [
        ("official", {}, 400),
        ("official", {"fen": "W:W99:B1"}, 400),
        ("official", {"fen": "x" * 301}, 400),
        ("official", {"fen": START, "moves": "32-23"}, 400),
        ("official", {"fen": START, "moves": "32-28 " * (MOST_MOVES + 1)}, 400),
        ("official", {"fen": START, "from": "51", "to": "1"}, 400),
        ("official", {"fen": START, "from": "a", "to": "1"}, 400),
        ("chess", {"fen": START}, 404),
    ],
)
def test_what_is_no_try_is_refused(
    people: Callable[..., Person], rules: str, asked: dict[str, str], status: int
) -> None:
    assert people().http.get(f"/try/{rules}", params=asked).status_code == status
