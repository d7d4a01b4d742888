"""``damier match``, ``tournament`` and ``openings`` as processes: what they say, and that they go on after being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from damier.engine.match import read_openings
from damier.notation.pdn import read
from tests.cli.command import MAIN, complaint, lines, on_terminal, run

QUICK = ("--nodes", "100", "--max-plies", "24", "--draw-moves", "0")
PLAYERS = ("damier:hash=1,name=Anna", "damier:hash=1,depth=1,name=Bram")


def test_a_match_and_what_it_says(tmp_path: Path) -> None:
    said = lines("match", *PLAYERS, *QUICK, "--games", "4", "-o", str(tmp_path / "m"))
    assert said[0].startswith("Anna against Bram: 4 games, +")
    assert said[1].startswith("Elo ")
    assert said[2].startswith("Anna: 0.0")
    assert said[-1].startswith("ended by ")
    games = list(read(tmp_path / "m.pdn"))
    assert [game.tags["Round"] for game in games] == ["1.1", "1.2", "2.1", "2.2"]
    answer = run("match", *PLAYERS, *QUICK, "--games", "4", "-o", str(tmp_path / "m"), "--json", "--sprt", "0,400")
    assert answer.stderr == "going on after 2 pairs\n"
    told = json.loads(answer.stdout)
    assert told["games"] == told["won"] + told["drawn"] + told["lost"] == 4
    assert sum(told["pairs"]) == 2
    assert told["sprt"]["accepted"] in (None, "elo0", "elo1")
    assert "another match" in complaint("match", *PLAYERS, "--nodes", "99", "-o", str(tmp_path / "m"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_a_match_that_is_killed_goes_on_and_comes_to_the_same_end(tmp_path: Path) -> None:
    command = ("match", *PLAYERS, *QUICK, "--games", "24", "--concurrency", "2", "-o")
    record = tmp_path / "killed.jsonl"
    kept = 0
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", MAIN, *command, str(tmp_path / "killed")], stderr=subprocess.DEVNULL
        ) as process:
            deadline = time.monotonic() + 60
            while (record.read_bytes().count(b"\n") if record.exists() else 0) < kept + 3:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        lost = record.read_bytes().count(b"\n") - 1
        assert lost > kept
        kept = lost
    assert kept < 12
    said = run(*command, str(tmp_path / "killed"))
    assert said.stderr.startswith(f"going on after {kept} pairs\n")
    whole = lines(*command, str(tmp_path / "whole"))
    assert said.stdout.splitlines()[:2] == whole[:2]

    def played(name: str) -> dict[str, list[str]]:
        return {
            game.tags["Round"]: [str(node.move) for node in game.main_line()] for game in read(tmp_path / f"{name}.pdn")
        }

    assert played("killed") == played("whole")
    assert len(played("whole")) == 24


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_engine_outlives_the_match(tmp_path: Path, number: int) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os\nfrom damier.engine import Engine\n"
        "def make():\n"
        f"    open(os.path.join({str(tmp_path)!r}, str(os.getpid()) + '.pid'), 'w').close()\n    return Engine(1)\n"
    )
    player = f"object:{file}:make"
    command = [sys.executable, "-c", MAIN, "match", player, player, "--time", "30"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("*.pid"))) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
    if number == signal.SIGINT:
        assert (process.returncode, errors) == (130, "damier: stopped\n")
    for path in tmp_path.glob("*.pid"):
        while True:
            try:
                os.kill(int(path.stem), 0)
            except ProcessLookupError:
                break
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_a_picture_on_a_terminal() -> None:
    status, shown = on_terminal("match", *PLAYERS, *QUICK, "--games", "4", "--sprt", "0,10")
    assert status == 0
    assert "2 of 2 pairs" in shown
    assert "goes on" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("damier", "damier", "--games", "3"), "even number"),
        (("damier", "damier", "--sprt", "5,0"), "the smaller one first"),
        (("damier", "damier", "--sprt", "x"), "--sprt x"),
        (("damier", "damier", "--clock", "60", "--nodes", "5"), "--clock is instead of"),
        (("damier", "damier", "--clock", "0"), "a clock has seconds"),
        (("damier", "damier", "--time", "0"), "above 0"),
        (("damier", "damier", "--win-score", "3"), "worth more than a draw"),
        (("damier",), "Missing argument"),
    ],
)
def test_what_cannot_be_asked(arguments: tuple[str, ...], said: str) -> None:
    assert said in complaint("match", *arguments, status=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("damier", "scan"), "names no player"),
        (("damier", "damier:colour=red", "--games", "2"), "has no setting colour"),
        (("damier", "damier", "--openings", "/no/such/file"), "No such file"),
    ],
)
def test_what_cannot_be_played(arguments: tuple[str, ...], said: str) -> None:
    assert said in complaint("match", *arguments)


def test_a_tournament_and_its_table(tmp_path: Path) -> None:
    command = ("tournament", *PLAYERS, "damier:level=1,hash=1,name=Cor", *QUICK, "-o", str(tmp_path / "t"), "--rounds")
    first = lines(*command, "1")
    assert first[0].split() == ["player", "Elo", "±95", "%", "points", "games", "1", "2", "3"]
    assert {line.split()[1] for line in first[1:4]} == {"Anna", "Bram", "Cor"}
    assert len(list(read(tmp_path / "t.pdn"))) == 6
    answer = run(*command, "2", "--json")
    told = json.loads(answer.stdout)
    assert answer.stderr == "going on after 3 pairs\n"
    assert [player["games"] for player in told["players"]] == [8, 8, 8]
    assert sum(player["points"] for player in told["players"]) == 12
    assert sum(player["elo"] for player in told["players"]) == pytest.approx(0, abs=1e-6)
    assert len(list(read(tmp_path / "t.pdn"))) == 12
    assert "two players or more" in complaint("tournament", "damier", status=2)


def test_openings_are_found_again(tmp_path: Path) -> None:
    command = ("openings", "--plies", "2", "--nodes", "500", "--each", "1")
    found = lines(*command)
    assert found[0] == "# damier openings --plies 2 --nodes 500 --most 10 --each 1"
    openings = read_openings("\n".join(found))
    assert 10 < len(openings) < 81
    assert all(abs(opening.score or 0) <= 10 for opening in openings)
    assert lines(*command, "-o", str(tmp_path / "list")) == []
    assert (tmp_path / "list").read_text().splitlines() == found
