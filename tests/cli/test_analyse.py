"""``damier analyse`` as a process: bad games, being killed, and its own file as its output."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from damier.notation.pdn import read
from tests.cli.command import MAIN, complaint, lines, run

GOOD = '[White "A"]\n\n1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 16-21 *\n\n'
BAD = '[White "B"]\n\n1. 32-28 19-23 2. 28x18 *\n\n'


def test_games_are_annotated_and_bad_ones_told(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(GOOD + BAD + GOOD)
    answer = run("analyse", str(file), "--depth", "3")
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"{file}:2:3: 28x18")
    assert answer.stderr.count("\n") == 1
    assert answer.stdout.startswith("2 games, 16 moves: ")
    games = list(read(tmp_path / "games.analysed.pdn"))
    assert [len(list(game.main_line())) for game in games] == [8, 2, 8]
    assert [game.tags.get("Annotator", "")[:6] for game in games] == ["Damier", "", "Damier"]
    assert all(node.evaluation is not None for node in games[2].main_line())
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_file_is_its_own_output_only_if_nothing_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(GOOD + BAD)
    answer = run("analyse", str(file), "--depth", "2", "-o", str(file))
    assert "would be lost" in answer.stderr
    assert (answer.returncode, file.read_text()) == (1, GOOD + BAD)
    file.write_text(GOOD)
    [said] = lines("analyse", str(file), "--depth", "2", "-o", str(file), "--json")
    assert json.loads(said)["games"][0]["moves"] == 8
    [game] = read(file)
    assert game.tags["Annotator"].startswith("Damier")


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_an_analysis_that_is_killed_goes_on(tmp_path: Path) -> None:
    file, output = tmp_path / "games.pdn", tmp_path / "out.pdn"
    file.write_text(GOOD * 16)
    command = ("analyse", str(file), "--nodes", "3000", "--jobs", "2", "-o")
    record = tmp_path / "out.pdn.jsonl"
    with subprocess.Popen([sys.executable, "-c", MAIN, *command, str(output)]) as process:
        deadline = time.monotonic() + 60
        while (record.read_bytes().count(b"\n") if record.exists() else 0) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    assert not output.exists()
    kept = record.read_bytes().count(b"\n") - 1
    assert kept < 16
    answer = run(*command, str(output))
    assert answer.stderr == f"going on after {9 * kept} of 144 positions\n"
    assert answer.returncode == 0
    lines(*command, str(tmp_path / "whole.pdn"))
    assert output.read_text() == (tmp_path / "whole.pdn").read_text()
    assert not record.exists()


def test_what_cannot_be_analysed(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pdn"
    empty.write_text("")
    assert "there is no game" in complaint("analyse", str(empty))
    assert "no such file" in complaint("analyse", str(tmp_path / "none.pdn"))
    empty.write_text(GOOD)
    assert "above 0" in complaint("analyse", str(empty), "--time", "0", status=2)
    assert "names no player" in complaint("analyse", str(empty), "--engine", "scan")
    assert "has no setting" in complaint("analyse", str(empty), "--engine", "damier:colour=red")


def test_another_engine_analyses(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(GOOD)
    hub = f"hub[book=false]:{sys.executable} -c 'from damier.cli import main; main()' hub"
    lines("analyse", str(file), "--depth", "4", "--engine", hub)
    ours = tmp_path / "ours.pdn"
    lines("analyse", str(file), "--depth", "4", "--engine", "damier", "-o", str(ours))
    theirs = [node.evaluation for game in read(tmp_path / "games.analysed.pdn") for node in game.main_line()]
    assert theirs == [node.evaluation for game in read(ours) for node in game.main_line()]
