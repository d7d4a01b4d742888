"""Files of games: check and convert."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from damier.notation.pdn import dumps, loads
from tests.cli.command import complaint, lines, on_terminal, run
from tests.notation.pdn.samples import SAMPLES, needs_samples

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '[Event "e"]\n[White "Anna"]\n[Result "2-0"]\n\n1. 32-28 {early} 19-23 (1... 18-23 2. 33-29) 2. 28x19 14x23 *\n'
BAD = "1. 32-28 19-23 2. 33-29 *\n\n1. 34-30 *\n"
AMERICAN = '[GameType "21"]\n\n1. 11-15 23-19 *\n'
CONTRADICTORY = '[Result "0-2"]\n[PlyCount "9"]\n\n1. 32-28 2-0\n'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("good", GOOD), ("bad", BAD), ("american", AMERICAN), ("contradictory", CONTRADICTORY)):
        (tmp_path / f"{name}.pdn").write_text(text, encoding="utf-8")
    return tmp_path


# --- check ----------------------------------------------------------------------------------------------------------


def test_files_in_order(files: Path) -> None:
    answer = run("check", str(files / "good.pdn"))
    assert (answer.returncode, answer.stdout) == (0, "")
    assert answer.stderr == "1 game in 1 file: all in order\n"


def test_an_error_is_a_line_with_file_game_and_ply(files: Path) -> None:
    good, bad = str(files / "good.pdn"), str(files / "bad.pdn")
    answer = run("check", good, bad)
    assert answer.returncode == 1
    assert answer.stdout == f"{bad}:1:3: 33-29: You must capture (28x19).\n"
    assert answer.stderr == "3 games in 2 files: 1 error\n"
    assert lines("check", "-", typed=BAD, status=1) == ["-:1:3: 33-29: You must capture (28x19)."]


def test_a_game_of_another_variant_is_a_note(files: Path) -> None:
    answer = run("check", str(files / "american.pdn"))
    assert answer.returncode == 0
    assert answer.stdout.startswith(f"{files / 'american.pdn'}:1:0: note: ")
    assert answer.stderr == "1 game in 1 file: 1 note\n"
    assert lines("check", "--quiet", str(files / "american.pdn")) == []


def test_contradictions_are_warnings_with_a_status_of_their_own(files: Path) -> None:
    name = str(files / "contradictory.pdn")
    assert lines("check", name, status=3) == [
        f"{name}:1:0: warning: the Result tag says 0-2, the moves end with 2-0",
        f"{name}:1:0: warning: the PlyCount tag says 9, the game has 1 single move",
    ]
    assert lines("check", "--quiet", name, status=3) == []
    assert len(lines("check", name, str(files / "bad.pdn"), status=1)) == 3


def test_a_result_against_the_last_position_is_a_warning() -> None:
    lost = '[FEN "W:W33:B28"]\n\n1. 33x22 0-2\n'
    assert lines("check", "-", typed=lost, status=3) == [
        "-:1:1: warning: the last position is won for White (no moves), the result is 0-2"
    ]
    assert lines("check", "-q", "-", typed=lost.replace("0-2", "2-0")) == []
    assert run("check", "-", typed=lost.replace("0-2", "2-0")).returncode == 0


def test_positions_are_checked_too() -> None:
    assert lines("check", "-", typed="W:W31:B1\n\nB:W51:B1\n", status=1) == [
        "-:2:0: B:W51:B1: There is no square 51; squares are numbered 1 to 50."
    ]


def test_findings_for_programs(files: Path) -> None:
    [line] = lines("check", "--json", str(files / "bad.pdn"), status=1)
    told = json.loads(line)
    assert {name: told[name] for name in ("game", "ply", "line", "severity", "code", "token")} == {
        "game": 1,
        "ply": 3,
        "line": 1,
        "severity": "error",
        "code": "illegal_move",
        "token": "33-29",
    }


def test_a_file_that_is_not_there_is_told_in_one_line(files: Path) -> None:
    assert complaint("convert", str(files / "no.pdn")) == f"{files / 'no.pdn'}: there is no such file"
    assert "irectory" in complaint("convert", str(files)) or "ermission" in complaint("convert", str(files))


def test_files_that_cannot_be_read_do_not_keep_the_others_from_being_checked(files: Path) -> None:
    names = [str(files / name) for name in ("good.pdn", "no.pdn", "bad.pdn", "", "good.pdn")]
    answer = run("check", *names)
    assert answer.returncode == 1
    missing, bad, folder = answer.stdout.splitlines()
    assert missing == f"{names[1]}:0:0: there is no such file"
    assert bad.startswith(f"{names[2]}:1:")
    assert folder.startswith(f"{names[3]}:0:0: ")
    assert answer.stderr.endswith("in 5 files: 3 errors\n")
    broken = files / "broken.json"
    broken.write_text("{", encoding="utf-8")
    (finding,) = map(json.loads, lines("check", "-q", "--json", str(broken), names[0], status=1))
    assert (finding["file"], finding["game"], finding["code"]) == (str(broken), 0, "unreadable")
    assert finding["message"].startswith("line 1, column 2: no JSON")


def test_quiet_changes_no_status(files: Path) -> None:
    text = '[Result "2-0"] 1. 32-28 0-2\n'
    for options, said in ((["-q"], 0), ([], 1)):
        answer = run("check", *options, "-", typed=text)
        assert (answer.returncode, len(answer.stdout.splitlines())) == (3, said)


REQUIRED = ("format", "version", "rules", "start", "tags", "result", "nodes")
CONTROLS = "a\nb\x1b[2J\x07\x85\u2028c"
ESCAPED = r"a\nb\x1b[2J\x07\x85\u2028c"


@pytest.mark.parametrize(
    ("arguments", "typed", "told"),
    [
        (["show", CONTROLS], "", ESCAPED),
        (["show", f"W:W{CONTROLS}:B1"], "", r"\x1b[2J"),
        (["moves", "--after", CONTROLS.replace("\n", "")], "", r"\x1b[2J"),
        (["explain", CONTROLS], "", ESCAPED),
        (["check", CONTROLS], "", ESCAPED),
        (["check", "-"], f'1. 32-28 /FEN "W:W{CONTROLS}:B1"/ *', r"\x1b[2J"),
        (["check", "-"], json.dumps({**dict.fromkeys(REQUIRED, 0), CONTROLS: 1}), ESCAPED),
        (["convert"], f'/FEN "W:W{CONTROLS}:B1"/ *', r"\x1b[2J"),
        (["show", "--game", CONTROLS], "", r"\x1b[2J"),
    ],
)
def test_what_is_told_is_one_line_whatever_stands_in_it(arguments: list[str], typed: str, told: str) -> None:
    answer = run(*arguments, typed=typed)
    assert answer.returncode in (1, 2)
    said = (answer.stdout + answer.stderr).removesuffix("\n")
    assert told in said
    for line in said.split("\n"):
        assert line.isprintable(), line
    summary = answer.stderr.count(" in 1 file: ")
    assert said.count("\n") == summary


def test_tags_are_shown_without_their_control_characters() -> None:
    assert lines("show", "-", typed='[White "a\x1b[2Jb"] 1. 32-28 *')[0] == r"White: a\x1b[2Jb"


@pytest.mark.parametrize("command", [["show"], ["check"], ["convert"], ["convert", "--to", "json"]])
def test_half_a_character_is_told_with_its_place(command: list[str]) -> None:
    (game,) = json.loads(run("convert", "--to", "json", typed=GOOD).stdout)[:1]
    game["tags"]["White"] = "\ud800"
    answer = run(*command, "-", typed=json.dumps(game))
    assert answer.returncode == 1
    assert "/tags/White: expected here: a text without half characters" in answer.stdout + answer.stderr


def test_a_game_whose_position_cannot_be_read_has_none_in_any_form() -> None:
    text = '[FEN "W:W99:B1"] [White "Anna"] *\n\n[White "Bram"] 1. 32-28 *\n'
    for which, count in (("start", 1), ("end", 1), ("all", 2)):
        answer = run("convert", "--to", "fen", "--positions", which, typed=text)
        assert (answer.returncode, len(answer.stdout.splitlines())) == (1, count)
        assert answer.stderr.startswith("-:1:0: W:W99:B1: ")
    answer = run("convert", "--to", "json", typed=text)
    first, second = json.loads(answer.stdout)
    assert (first["start"], first["errors"][0]["code"]) == (None, "bad_fen")
    assert second["start"] is not None
    assert run("convert", typed=answer.stdout).stdout == run("convert", typed=text).stdout
    for source in (text, "W:W99:B1\n", "{}"):
        for options in ([], ["--ply", "0"]):
            told = complaint("show", "-", *options, typed=source)
            assert "--ply" not in told


def test_a_game_of_other_rules_is_legal_after_it_was_converted() -> None:
    text = '[FEN "W:W12:B8,9,19"] 1. 12x46 *'
    assert run("check", "-", typed=text).returncode == 1
    written = run("convert", "--rules", "club", typed=text).stdout
    assert '[Rules "club"]' in written
    assert lines("check", "-q", "-", typed=written) == []
    through_json = run("convert", "--to", "json", typed=written).stdout
    assert run("convert", typed=through_json).stdout == written
    assert json.loads(lines("explain", "--json", "46-41", "-", typed=written)[0])["rules"] == "club"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions, and links for few")
def test_a_file_that_is_written_anew_keeps_its_permissions_and_its_links(files: Path) -> None:
    target, link = files / "target.pdn", files / "link.pdn"
    target.write_text("", encoding="utf-8")
    target.chmod(0o600)
    link.symlink_to("target.pdn")
    assert lines("convert", str(files / "good.pdn"), "-o", str(link)) == []
    assert link.is_symlink()
    assert target.read_text("utf-8") == dumps(loads(GOOD))
    assert target.stat().st_mode & 0o777 == 0o600
    nowhere = files / "nowhere.pdn"
    nowhere.symlink_to("new.pdn")
    assert lines("convert", str(files / "good.pdn"), "-o", str(nowhere)) == []
    assert nowhere.is_symlink()
    assert (files / "new.pdn").is_file()
    assert not [path for path in files.iterdir() if path.name.endswith(".part")]


def test_a_terminal_gets_a_bar_while_files_are_read(files: Path) -> None:
    many = files / "many.pdn"
    many.write_text(GOOD * 3000, encoding="utf-8")
    status, shown = on_terminal("check", str(many))
    assert status == 0
    assert "checking" in shown
    assert shown.rstrip().endswith("3,000 games in 1 file: all in order")


# --- convert --------------------------------------------------------------------------------------------------------


def test_pdn_to_pdn_is_what_the_writer_writes(files: Path) -> None:
    converted = run("convert", str(files / "good.pdn")).stdout
    assert converted == dumps(loads(GOOD))
    assert run("convert", typed=GOOD + GOOD).stdout == dumps(loads(GOOD + GOOD))
    assert run("convert", "--columns", "0", typed=GOOD).stdout == dumps(loads(GOOD), columns=None)


def test_files_and_pipes_are_utf8_whatever_the_locale() -> None:
    named = '[White "Žydrūnas"]\n\n1. 32-28 *\n'
    answer = run("convert", typed=named, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (answer.returncode, answer.stdout) == (0, named)


def test_a_file_may_be_converted_into_itself(files: Path) -> None:
    path = files / "good.pdn"
    path.write_text("1. 32-28{glued}19-23*", encoding="utf-8")
    assert lines("convert", str(path), "-o", str(path)) == []
    assert path.read_text("utf-8") == "1. 32-28 {glued} 1... 19-23 *\n"
    assert sorted(each.name for each in files.iterdir()) == sorted(
        ["good.pdn", "bad.pdn", "american.pdn", "contradictory.pdn"]
    )


def test_what_is_wrong_or_left_out_is_told_and_the_rest_converted(files: Path) -> None:
    answer = run("convert", str(files / "bad.pdn"), str(files / "american.pdn"))
    assert answer.returncode == 1
    assert answer.stdout == "1. 32-28 19-23 *\n\n1. 34-30 *\n"
    first, second = answer.stderr.splitlines()
    assert first == f"{files / 'bad.pdn'}:1:3: 33-29: You must capture (28x19)."
    assert second.startswith(f"{files / 'american.pdn'}:1:0: note: ")


@pytest.mark.parametrize("name", ["bad", "american", "nothing"])
def test_no_file_loses_what_it_holds_by_being_converted_into_itself(files: Path, name: str) -> None:
    path = files / "games.pdn"
    text = GOOD + {"bad": BAD, "american": AMERICAN, "nothing": "1. banana *\n"}[name]
    path.write_text(text, encoding="utf-8")
    (files / "other.pdn").symlink_to(path)
    for source, target in ((path, path), (files / "other.pdn", path)):
        answer = run("convert", str(source), "-o", str(target))
        assert (answer.returncode, answer.stdout) == (1, "")
        told, last = answer.stderr.splitlines()
        assert told.startswith(f"{source}:2:")
        assert (
            last == f"damier: {target}: what is told above would be lost from it; nothing is written; name another file"
        )
        assert path.read_text("utf-8") == text
    assert run("convert", str(path), "-o", str(files / "new.pdn")).returncode == 1
    assert (files / "new.pdn").read_text("utf-8").startswith(dumps(loads(GOOD)))


def test_games_are_not_written_over_by_their_positions(files: Path) -> None:
    path = files / "good.pdn"
    assert "nothing is written" in complaint("convert", str(path), "--to", "fen", "-o", str(path))
    assert path.read_text("utf-8") == GOOD
    fens = files / "list.fen"
    fens.write_text("W:W28:B1\n\nB : W28 : B1\n", encoding="utf-8")
    assert lines("convert", str(fens), "-o", str(fens)) == []
    assert fens.read_text("utf-8") == "W:W28:B1\nB:W28:B1\n"


@pytest.mark.parametrize("text", ["", AMERICAN, "1. banana *\n"])
@pytest.mark.parametrize("suffix", ["pdn", "json", "fen"])
def test_without_a_game_no_file_is_written(files: Path, text: str, suffix: str) -> None:
    out = files / f"out.{suffix}"
    answer = run("convert", "-o", str(out), typed=text)
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == f"damier: {out}: there is no game to be written there"
    assert not out.exists()


def test_the_output_has_a_suffix_that_tells_what_to_write(files: Path) -> None:
    good = str(files / "good.pdn")
    for name in ("out.txt", "out", "out.pdn.gz"):
        out = files / name
        told = complaint("convert", good, "-o", str(out), status=2)
        assert told == f"{out}: what is to be written? a suffix tells it (.pdn, .json, .jsonl, .fen), or --to does"
        assert not out.exists()
        assert lines("convert", good, "-o", str(out), "--to", "pdn") == []
        assert out.read_text("utf-8") == dumps(loads(GOOD))


def test_strict_writes_nothing_anywhere(files: Path) -> None:
    for text in (GOOD + BAD, GOOD + AMERICAN):
        assert complaint("convert", "--strict", typed=text).startswith("game 2, ")
        assert complaint("convert", "--strict", "-o", str(files / "out.pdn"), typed=text).startswith("game 2, ")
        assert not (files / "out.pdn").exists()
    assert run("convert", "--strict", typed=GOOD).stdout == dumps(loads(GOOD))


def test_strict_stops_and_writes_nothing(files: Path) -> None:
    out = files / "out.pdn"
    out.write_text("as it was", encoding="utf-8")
    assert complaint("convert", "--strict", str(files / "bad.pdn"), "-o", str(out)).startswith(
        "game 1, ply 3, line 1: "
    )
    assert out.read_text("utf-8") == "as it was"


def test_positions_out_of_games_and_back() -> None:
    assert lines("convert", "--to", "fen", typed=GOOD) == ["W:W31,33-50:B1-13,15-18,20,23"]
    assert lines("convert", "--to", "fen", "--positions", "start", typed=GOOD) == ["W:W31-50:B1-20"]
    every = lines("convert", "--to", "fen", "--positions", "all", typed=GOOD)
    assert len(every) == 5
    assert lines("convert", "--to", "fen", typed="\n".join(every)) == every
    assert '[FEN "W:W31,33-50:B1-13,15-18,20,23"]' in lines("convert", typed=every[-1])


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_and_back_is_the_same_game(files: Path, form: str) -> None:
    out = files / f"games.{form}"
    assert lines("convert", str(files / "good.pdn"), str(files / "good.pdn"), "-o", str(out)) == []
    text = out.read_text("utf-8")
    games = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
    assert len(games) == 2
    assert run("convert", str(out)).stdout == dumps(loads(GOOD + GOOD))
    assert run("convert", "--from", "json", typed=text).stdout == dumps(loads(GOOD + GOOD))
    assert run("convert", typed=text).stdout == dumps(loads(GOOD + GOOD))


def test_no_games_are_an_empty_list() -> None:
    assert json.loads("".join(lines("convert", "--to", "json", typed=""))) == []
    assert lines("convert", "--to", "pdn", typed="") == []


def test_a_wrong_game_in_json_is_told_and_the_others_converted(files: Path) -> None:
    good = lines("convert", "--to", "jsonl", typed=GOOD)[0]
    text = f'[{{"moves": 3}}, {good}, 7]'
    answer = run("convert", "--from", "json", typed=text)
    assert (answer.returncode, answer.stdout) == (1, dumps(loads(GOOD)))
    assert [line[:5] for line in answer.stderr.splitlines()] == ["-:1:0", "-:3:0"]
    assert [line[:5] for line in lines("check", "-", typed=text, status=1)] == ["-:1:0", "-:3:0"]
    assert complaint("convert", "--strict", "--from", "json", typed=text).startswith("game 1, ")


def test_errors_that_json_has_kept_are_told_with_the_games_number_there(files: Path) -> None:
    kept = run("convert", "--to", "json", str(files / "good.pdn"), str(files / "bad.pdn")).stdout
    assert lines("check", "-", typed=kept, status=1) == ["-:2:3: 33-29: You must capture (28x19)."]


def test_what_is_no_json_is_told_in_one_line() -> None:
    assert complaint("convert", "-f", "json", typed='{"a": ', status=1).startswith("-: line 1, column 7: no JSON: ")
    assert complaint("convert", "-f", "json", typed='{}\n{}\n{"a"}').startswith("-: line 3, column 5: no JSON: ")
    assert complaint("convert", "-f", "json", typed="[" * 200_000).startswith("-: no JSON that can be read: ")
    assert complaint("convert", "-f", "json", typed="[" + "9" * 9999 + "]").startswith("-: no JSON that can be read: ")


# --- Real files -----------------------------------------------------------------------------------------------------


@needs_samples
def test_real_files_are_the_same_by_way_of_json(tmp_path: Path) -> None:
    names = [str(path) for path in sorted(SAMPLES.glob("*.pdn"))]
    straight, by_json, around = tmp_path / "straight.pdn", tmp_path / "games.json", tmp_path / "around.pdn"
    assert run("convert", *names, "-o", str(straight)).stdout == ""
    assert run("convert", *names, "-o", str(by_json)).stdout == ""
    assert run("convert", str(by_json), "-o", str(around)).stdout == ""
    assert straight.read_text("utf-8").count("\n") > 1000
    assert straight.read_text("utf-8") == around.read_text("utf-8")
