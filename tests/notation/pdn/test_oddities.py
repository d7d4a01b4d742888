"""Each oddity of real files in a small file of our own: what is understood, and what is named as wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from damier.notation.pdn import PdnGame, read

FILES = Path(__file__).parent / "oddities"

# Of each game: the moves of the main line, the result, and the codes of what is wrong or why it is passed over.
EXPECTED: dict[str, list[tuple[str, str, list[str]]]] = {
    "01-no-blank-lines": [
        ("32-28 19-23", "2-0", []),
        ("33-29 17-22", "1-1", []),
        ("31-27 20-24", "0-2", []),
        ("34-30", "*", []),
    ],
    "02-terminators": [
        ("32-28 19-23", "1/2-1/2", []),
        ("33-29 17-22", "", []),
        ("34-30", "0-1", []),
        ("", "0-2", []),
        ("", "", []),
        ("", "2-0", []),
        ("32-28 19-23", "4-6", []),
    ],
    "03-padded-squares": [
        ("33-29 17-22 39-33 11-17 44-39 6-11 50-44 1-6 32-28 20-24", "2-0", []),
        ("34-29 17-22 40-34 11-17 45-40 6-11 50-45 1-6", "1-1", []),
    ],
    "04-move-numbers": [("32-28 19-23 28x19 14x23 33-28 23x32 37x28 10-14 42-37", "1-1", [])],
    "05-captures": [
        ("39x6", "2-0", []),
        ("47x36 14-20 36-47", "2-0", []),
        ("47x36 19-24", "2-0", []),
        ("", "*", ["ambiguous"]),
        ("", "*", ["ambiguous"]),
    ],
    "06-colons-and-strengths": [("32-28 19-23 28x19 14x23 37-32 10-14 41-37 14-19 46-41", "1-1", [])],
    "07-dates-and-foreign-tags": [("28-23 1-6", "2-0", [])],
    "08-quotes-and-brackets": [("32-28 19-23", "1-1", [])],
    "09-nested-comment": [
        ("33-29 19-23", "2-0", []),
        ("32-28 19-23", "1-1", []),
        ("32-28", "", ["unclosed_comment"]),
        ("34-30", "2-0", []),
    ],
    "10-dots-and-open-moves": [
        ("15-20 25x14 7-12", "1-0", []),
        ("32-28 19-23", "*", []),
        ("", "*", []),
    ],
    "11-tags-without-quotes": [("32-28 19-23", "2-0", [])],
    "12-server-export": [
        ("32-28 18-22 37-32 12-18", "2-0", []),
        ("17-21 28-23 19x39", "2-0", []),
        ("", "*", ["game_type"]),
        ("", "*", ["game_type"]),
    ],
    "13-named-variant": [("", "0-1", ["named"]), ("32-28 19-23", "*", [])],
    "15-game-type-missing": [
        ("", "1-0", ["small_board"]),
        ("", "*", ["small_board"]),
        ("", "*", ["lettered"]),
        ("", "*", ["lettered"]),
        ("32-28 19-23", "*", []),
        ("", "*", ["small_board"]),
        ("27-22 20x29", "*", []),
        ("15-20 24x15", "*", []),
        ("", "*", ["small_board"]),
    ],
    "16-lines-and-dashes": [("32-28 19-23 28x19", "1-1", [])],
    "17-forum-and-unsigned": [("32-28 19-23 28x19", "2-0", [])],
    "18-setup-in-the-body": [("32-28 19-23 19-24 28-22", "1-1", ["bad_fen"]), ("28-22 9-13", "*", [])],
}


def games(name: str) -> list[PdnGame]:
    return list(read(FILES / f"{name}.pdn"))


def line(game: PdnGame) -> str:
    return " ".join(str(node.move) for node in game.main_line() if node.move is not None)


def codes(game: PdnGame) -> list[str]:
    return [error.code for error in (*game.errors, *([game.skipped] if game.skipped else []))]


def test_every_file_has_its_expectation() -> None:
    assert {path.stem for path in FILES.glob("*.pdn")} == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_the_oddity_is_understood_or_named(name: str) -> None:
    assert [(line(game), game.result, codes(game)) for game in games(name)] == EXPECTED[name]


def test_tags_in_one_line_glued_or_alone_belong_to_their_game() -> None:
    assert [game.tags.get("Event") for game in games("02-terminators")] == [
        "Own line",
        "Missing",
        "Glued",
        "Only a result",
        "Only tags",
        "Number and result",
        "In tens",
    ]
    assert games("01-no-blank-lines")[1].tags == {"Event": "Summer cup", "Round": "2"}


def test_what_the_short_capture_took_is_told_by_the_moves_after_it() -> None:
    captures = [game.root.variations[0].move for game in games("05-captures")[1:3]]
    assert [move and move.captured for move in captures] == [(19, 29, 31, 42), (14, 29, 31, 42)]


def test_a_capture_that_cannot_be_decided_names_its_choices_and_its_place() -> None:
    either, neither = (game.errors[0] for game in games("05-captures")[3:])
    assert either.choices == neither.choices == ("47x38x20x9x36", "47x38x24x13x36")
    assert (either.game, either.ply, either.line, either.column, either.token) == (4, 1, 14, 4, "47x36")
    assert str(either).startswith("game 4, ply 1, line 14: ")
    assert either.facts["playable"] == 2
    assert neither.facts["playable"] == 0


def test_strengths_become_their_numbers_and_odd_ones_stay_as_comments() -> None:
    nodes = list(games("06-colons-and-strengths")[0].main_line())
    told = [(str(node.move), list(node.nags), list(node.comments)) for node in nodes if node.move is not None]
    assert told[3:] == [
        ("14x23", [2], []),
        ("37-32", [], ["!?!!!"]),
        ("10-14", [5], []),
        ("41-37", [3], []),
        ("14-19", [6, 10], []),
        ("46-41", [1], []),
    ]


def test_quotes_in_values_and_brackets_in_comments_end_nothing() -> None:
    [game] = games("08-quotes-and-brackets")
    assert game.tags == {"Site": '"De Schijf", 1974', "Event": 'The "Open"'}


def test_tags_are_kept_whatever_they_are_called_and_say() -> None:
    [game] = games("07-dates-and-foreign-tags")
    assert game.tags["Bianco"] == "Rossi"
    assert game.tags["Date"] == "13-01-1996"
    assert "FILENAME" in game.tags


def test_tags_without_quotes_have_their_line_as_value() -> None:
    [game] = games("11-tags-without-quotes")
    assert game.tags == {
        "White": "Jansen, Anna",
        "Black": "Bakker",
        "WhiteRating": "1234",
        "Url": "",
        "Result": "2-0",
    }


def test_clocks_belong_to_the_move_before_them() -> None:
    node = games("12-server-export")[0].root.variations[0]
    assert node.clock == 600
