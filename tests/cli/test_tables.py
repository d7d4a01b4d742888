"""`damier tables`: built, verified, asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import MAIN, complaint, lines, on_terminal

HEEDING = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {MAIN}"


def test_a_position_is_asked() -> None:
    told = lines("tables", "probe", "W:WK12,K40,50:BK11")
    assert told[0] == "White to move: win in 31"
    assert told[1:3] == ["12-1: win in 31", "40-44: win in 31"]
    assert len(told) > 20
    assert lines("tables", "probe", "B:WK12,K40,50:BK11", "--rules", "club")[0] == "Black to move: draw"


def test_an_answer_for_programs() -> None:
    answer = json.loads(lines("tables", "probe", "W:W31:B4", "--json")[0])
    assert (answer["value"], answer["distance"], answer["in_time"]) == ("win", 17, True)
    assert answer["moves"][0] == {"move": "31-26", "value": "win", "distance": 17}


def test_what_is_not_known() -> None:
    assert complaint("tables", "probe", "W:W31-50:B1-20") == (
        "there are tables for up to 4 pieces here, and this position has 40"
    )
    assert "51" in complaint("tables", "probe", "W:W31,51:B4")


def test_build_verify_and_damage(tmp_path: Path) -> None:
    folder = str(tmp_path)
    built = lines("tables", "build", "--pieces", "3", "--all", "--distance", "--folder", folder)
    assert built[0].startswith("9 materials, 822,545 entries, in ")
    whole = lines("tables", "verify", "--pieces", "3", "--folder", folder, "--counts")
    assert "MvMM: 42,790 positions, 3,343 won, 19,298 drawn, 20,149 lost, longest win 33, longest loss 22" in whole
    assert whole[-1] == "12 tables, 813,660 entries: 0 faults"
    file = tmp_path / "international" / "KvMM.wdl"
    file.write_bytes(file.read_bytes()[:-10])
    said = complaint("tables", "verify", "--pieces", "3", "--folder", folder)
    assert str(file) in said
    assert "bytes" in said


def test_nothing_to_build() -> None:
    assert lines("tables", "build", "--pieces", "4")[0].startswith("the package brings all tables for up to 4 pieces")
    assert complaint("tables", "build", "--pieces", "9", status=2)
    assert complaint("tables", "verify", "--pieces", "5").startswith("there are tables for up to 4 pieces here")
    assert "damier tables build" in complaint("tables", "verify", "--folder", "nowhere")


def test_verification_finds_a_wrong_value(tmp_path: Path) -> None:
    """A file that is whole, with its checksum, and wrong."""
    from damier.engine.tables_build import build
    from damier.engine.tables_file import TableFile, read_tables, write_tables

    build(2, "international", tmp_path, all_materials=True)
    file = tmp_path / "international" / "MvM.wdl"
    tables = read_tables(file, "international", "wdl")
    wrong = bytearray(tables.tables["MvM"])
    wrong[200] ^= 0b0101
    write_tables(file, TableFile("international", "wdl", True, {"MvM": memoryview(bytes(wrong))}))
    told = lines("tables", "verify", "--pieces", "2", "--folder", str(tmp_path), status=1)
    assert told[0].startswith("MvM: wrong at W:W")
    assert told[-1].endswith("1 fault")


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    status, shown = on_terminal("tables", "build", "--pieces", "3", "--all", "--folder", str(tmp_path))
    assert status == 0
    assert "3 pieces" in shown
    assert "9 materials" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")
def test_ctrl_c_and_on(tmp_path: Path) -> None:
    arguments = ("tables", "build", "--pieces", "4", "--all", "--jobs", "1", "--folder", str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-c", HEEDING, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    folder = tmp_path / "international"
    until = time.monotonic() + 60
    while len(list(folder.glob("*.wdl"))) < 18 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "damier: stopped\n")
    made = sorted(folder.glob("*.wdl"))
    times = {each: os.stat(each).st_mtime_ns for each in made}
    lines("tables", "build", "--pieces", "3", "--all", "--folder", str(tmp_path))
    assert {each: os.stat(each).st_mtime_ns for each in made} == times
