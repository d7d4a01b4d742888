"""Positions: show, moves, explain, perft."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest

from damier import Board
from tests.cli.command import MAIN, complaint, lines, on_terminal, run

VECTORS = Path(__file__).parents[1] / "vectors"
TWO_WAYS = "W:WK47:B14,19,29,31,42"
GAME = '[White "Anna"]\n[Black "Bram"]\n\n1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 2-0\n\n1. 34-30 20-25 1-1\n'


def test_a_position_as_text() -> None:
    shown = lines("show", "W:W31,32,K50:B1,K20")
    assert shown[0] == " 1     b   .   .   .   .    5"
    assert shown[-2:] == ["White to move, 13 legal moves", "W:W31,32,K50:B1,K20"]
    assert lines("show", "W:W31,32,K50:B1,K20", "--orientation", "black")[0] == "50     W   .   .   .   .   46"


def test_moves_are_played_first() -> None:
    shown = lines("show", "--after", "1. 32-28 19-23 2. 28x19")
    assert shown[0] == "1. 32-28 19-23 2. 28x19"
    assert shown[-1] == "B:W19,31,33-50:B1-18,20"
    assert complaint("show", "--after", "32-28 32-27").startswith("32-27: ")


def test_a_position_for_programs() -> None:
    told = json.loads(lines("show", "--after", "32-28 19-23", "--json")[0])
    assert (told["fen"], told["moves"], told["legal_moves"]) == (
        "W:W28,31,33-50:B1-18,20,23",
        ["32-28", "19-23"],
        ["28x19"],
    )
    assert told["outcome"] is None
    won = json.loads(lines("show", "W:W:B1", "--json")[0])
    assert won["outcome"] == {"winner": "black", "rule": "no_moves"}
    counted = json.loads(lines("show", "W:WK46,K47:BK3", "--json")[0])
    assert {"rule": "two_pieces", "done": 0, "of": 5} in counted["draw_counts"]


def test_counts_towards_a_draw_and_the_end_are_shown() -> None:
    assert lines("show", "W:WK46,K47:BK3", "--after", "46-41 3-8")[-2].endswith(
        "; towards a draw: king moves 1 of 25, two pieces 1 of 5"
    )
    assert lines("show", "W:W:B1")[-2] == "Black has won (no moves)"


def test_pictures(tmp_path: Path) -> None:
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    assert lines("show", TWO_WAYS, "--svg", str(svg), "--png", str(png), "--size", "300", "--numbers", "edge") == []
    assert svg.read_text("utf-8") == Board(TWO_WAYS).svg(size=300, numbers="edge")
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (300, 300)
    assert lines("show", TWO_WAYS, "--svg", "-")[0].startswith("<svg ")
    assert "No such file" in complaint("show", "--svg", str(tmp_path / "no" / "board.svg"))


def test_a_picture_and_json_may_be_had_together(tmp_path: Path) -> None:
    png = tmp_path / "board.png"
    assert json.loads(lines("show", TWO_WAYS, "--png", str(png), "--json")[0])["fen"] == TWO_WAYS
    assert png.read_bytes().startswith(b"\x89PNG")
    for both in (("--png", "-", "--json"), ("--svg", "-", "--json"), ("--svg", "-", "--png", "-")):
        assert "standard output" in complaint("show", *both, status=2)


def test_the_numbers_are_in_the_png_on_machines_without_typefaces(tmp_path: Path) -> None:
    """The same pixels but for the numbers' corners: with none, the empty dark squares are of one colour."""
    inside, off = tmp_path / "inside.png", tmp_path / "off.png"
    lines("show", "W:W31:B1", "--png", str(inside))
    lines("show", "W:W31:B1", "--png", str(off), "--numbers", "off")
    assert len(_pixels(inside)) == len(_pixels(off))
    assert _pixels(inside) != _pixels(off)


def _pixels(path: Path) -> bytes:
    data = path.read_bytes()
    packed = bytearray()
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += 12 + size
    return zlib.decompress(packed)


def test_without_the_pictures_packages_it_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['resvg_py'] = None\n" + MAIN
    answer = run("show", "--png", str(tmp_path / "board.png"), script=hidden)
    assert (answer.returncode, answer.stderr) == (
        1,
        "damier: PNG pictures need more packages (resvg_py is missing): pip install 'damier[cli]'\n",
    )


def test_a_wrong_position_is_told_in_one_line() -> None:
    assert complaint("moves", "W:W51:B1") == "There is no square 51; squares are numbered 1 to 50."
    told = "nowhere.pdn: there is no such file; a position is written as W:W31-50:B1-20"
    assert complaint("moves", "nowhere.pdn") == told


# --- Games in files -------------------------------------------------------------------------------------------------


@pytest.fixture
def game(tmp_path: Path) -> str:
    path = tmp_path / "games.pdn"
    path.write_text(GAME, encoding="utf-8")
    return str(path)


def test_a_game_of_a_file(game: str) -> None:
    shown = lines("show", game)
    assert shown[:4] == ["White: Anna", "Black: Bram", "", "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14"]
    assert lines("show", game, "--ply", "2")[-1] == "W:W28,31,33-50:B1-18,20,23"
    assert lines("moves", game, "--ply", "2") == ["28x19"]
    assert lines("show", game, "--game", "2")[0] == "1. 34-30 20-25"
    assert lines("show", "-", "-g", "2", typed=GAME)[0] == "1. 34-30 20-25"
    assert lines("moves", "-", typed=" w:w31:b26\n") == lines("moves", "W:W31:B26")


def test_a_game_or_move_that_is_not_there(game: str) -> None:
    assert complaint("show", game, "--game", "3") == f"{game}: there is no game 3; the last is 2"
    assert complaint("show", game, "--ply", "9").endswith("game 1 has 6 single moves, so there is no --ply 9")
    assert "there is no game in it" in complaint("show", "-", typed="")


def test_a_game_that_breaks_off_says_where_and_can_be_seen_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "bad.pdn"
    path.write_text("1. 32-28 19-23 2. 33-29 *", encoding="utf-8")
    said = complaint("show", str(path))
    assert said.startswith(f"{path}: game 1, ply 3, line 1: 33-29: ")
    assert said.endswith("(--ply 2 shows what is before it)")
    assert lines("moves", str(path), "--ply", "2") == ["28x19"]


def test_a_long_game_is_folded_between_moves(tmp_path: Path) -> None:
    path = tmp_path / "long.pdn"
    moves = "32-28 18-23 38-32 12-18 31-27 7-12 37-31 1-7 42-38 17-21 41-37 21-26 34-30 20-24 40-34 14-20 30-25 24-29"
    path.write_text(moves, encoding="utf-8")
    shown = lines("show", str(path))
    assert all(len(line) <= 80 for line in shown)
    assert not any(line.endswith(".") for line in shown[: shown.index("")])
    assert " ".join(shown[: shown.index("")]).split()[1::3] == moves.split()[::2]


# --- Moves, explanations, counts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["pdn", "long", "hub"])
def test_moves_as_the_vectors_say(form: str) -> None:
    for each in json.loads((VECTORS / "legal_moves.json").read_text("utf-8"))[::15]:
        board = Board(each["fen"])
        assert len(lines("moves", each["fen"], "--form", form)) == len(board.legal_moves)


def test_moves_in_their_forms_and_for_programs() -> None:
    assert lines("moves", TWO_WAYS) == ["47x38x20x9x36", "47x38x24x13x36"]
    assert lines("moves", TWO_WAYS, "--form", "hub") == ["47x36x14x29x31x42", "47x36x19x29x31x42"]
    assert lines("moves", "W:W15:B9,10", "--rules", "club", "--form", "long")[0] == "15x4x13"
    [first, _] = json.loads(lines("moves", TWO_WAYS, "--json")[0])
    assert (first["from"], first["to"], first["captured"]) == (47, 36, [14, 29, 31, 42])


def test_why_a_move_is_illegal() -> None:
    assert lines("explain", "32-23") == [
        "A man moves one square at a time, unless it captures.",
        "Rules of the FMJD, annex 1, article 3.4",
    ]
    assert lines("explain", "27x16", "W:W27,35:B20,21,30")[0].startswith("27x16 takes one piece; you must take")
    assert lines("explain", "32-28") == ["32-28 is a legal move."]
    assert lines("explain", "47x36", TWO_WAYS)[0].startswith("47x36 fits 2 moves")
    assert lines("explain", "32-99")[0].startswith("32-99: there is no square 99")
    slide_or_capture = "B:W35,39,41,K7,29,K1,19,K38,26,25:B16,20,8,23,K13"
    assert lines("explain", "13x27", slide_or_capture)[0].startswith("13x27 takes 3 pieces; you must take 4")
    assert lines("explain", "13-27", slide_or_capture)[0].startswith("You must capture")
    assert "20" not in lines("explain", "20-25", "--by", "black")[0]
    assert lines("explain", "32-28", "--touched", "31", "--rules", "leaflet")[0].startswith("You touched")


@pytest.mark.parametrize("text", ["up", "", "32", "32-", "x28", "32-28-23"])
def test_what_is_no_move_is_not_explained(text: str) -> None:
    for options in ([], ["--json"]):
        assert complaint("explain", text, *options).startswith(f"“{text}” is not a move")


@pytest.mark.parametrize("position", [[], ["W:W32:B1"]])
@pytest.mark.parametrize("command", [["show"], ["moves"], ["explain", "32-28"], ["perft", "1"], ["play"]])
def test_a_position_has_no_games_and_plies(command: list[str], position: list[str]) -> None:
    for option in ("--game", "--ply"):
        told = complaint(*command, *position, option, "1", status=2)
        assert told == f"{option} is for files of games; name one"


def test_explanations_in_four_languages() -> None:
    said = {language: lines("explain", "32-28", "-l", language)[0] for language in ("nl", "fr", "de", "en")}
    assert len(set(said.values())) == 4
    said = {language: lines("explain", "32-23", "-l", language)[0] for language in ("nl", "fr", "de", "en")}
    assert len(set(said.values())) == 4


def test_an_explanation_is_in_the_language_of_the_environment() -> None:
    said = {language: lines("explain", "32-23", "-l", language) for language in ("nl", "fr", "de", "en")}
    for environment, language in (
        ({"LANG": "nl_NL.UTF-8"}, "nl"),
        ({"LANG": "nl_NL.UTF-8", "LC_ALL": "fr_CA"}, "fr"),
        ({"LANG": "nl", "LC_MESSAGES": "de_AT@euro"}, "de"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "br:de"}, "de"),
        ({"LANG": "nl_NL.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "sv_SE.UTF-8"}, "en"),
    ):
        assert run("explain", "32-23", **environment).stdout.splitlines() == said[language], environment
    assert run("explain", "32-23", "-l", "en", LANG="nl_NL").stdout.splitlines() == said["en"]


def test_an_explanation_for_programs() -> None:
    told = json.loads(lines("explain", "31-27", "W:W28,31:B22,23", "--json")[0])
    assert (told["legal"], told["code"], told["facts"]["choices"]) == (False, "must_capture", ["28x17", "28x19"])
    assert json.loads(lines("explain", "32-28", "--json")[0])["legal"] is True


def test_perft_as_the_vectors_say() -> None:
    assert lines("perft", "0")[0] == "perft(0) = 1"
    assert lines("perft", "7")[0] == "perft(7) = 1049442"
    divided = lines("perft", "6", "--divide")
    assert sum(int(line.split(": ")[1]) for line in divided[:-2]) == 167140
    told = json.loads(lines("perft", "3", TWO_WAYS, "--json", "--divide")[0])
    assert told["nodes"] == sum(told["moves"].values())


def test_perft_with_duplicates_counts_ways(tmp_path: Path) -> None:
    around = "W:W39:B32,33,42,43"
    for depth in ("1", "6"):
        whole = json.loads(lines("perft", depth, around, "--duplicates", "--json")[0])["nodes"]
        divided = json.loads(lines("perft", depth, around, "--duplicates", "--divide", "--json")[0])
        assert whole == divided["nodes"] == sum(divided["moves"].values())
    assert json.loads(lines("perft", "1", around, "--duplicates", "--json")[0])["nodes"] == 2


# --- On a terminal --------------------------------------------------------------------------------------------------


def test_a_terminal_gets_colours_and_each_squares_number() -> None:
    status, shown = on_terminal("show", "W:W31:BK50")
    assert status == 0
    assert "\x1b[" in shown
    assert all(f"{square:2}" in shown for square in range(1, 51))
    assert (shown.count("●"), shown.count("◉")) == (1, 1)
    flipped = on_terminal("show", "W:W31:BK50", "--orientation", "black")[1]
    assert flipped.index("◉") < flipped.index("●")


def test_a_terminal_without_colours_gets_letters() -> None:
    shown = on_terminal("show", "W:W31:BK50", NO_COLOR="1", TERM="dumb")[1]
    assert "\x1b[" not in shown
    assert "31     w   .   .   .   .   35" in shown


def test_long_counts_have_a_bar_on_a_terminal_only() -> None:
    status, shown = on_terminal("perft", "8")
    assert status == 0
    assert "━" in shown
    assert "perft(8) = 6483961" in shown
    answer = run("perft", "8")
    assert answer.stderr == ""
