"""The command: its version, its help, and one-line errors."""

from __future__ import annotations

import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import pytest

from damier.cli import status
from damier.cli.options import RuleSet
from damier.rules import RULE_SETS
from tests.cli.command import MAIN, complaint, lines, run

COMMANDS = ("show", "moves", "explain", "perft", "convert", "check", "play", "hub", "serve", "worker", "admin")


def test_version() -> None:
    answer = run("--version")
    assert (answer.returncode, answer.stdout) == (0, f"damier {version('damier')}\n")


def test_without_a_command_the_help_is_shown() -> None:
    shown = "\n".join(lines())
    assert all(name in shown for name in COMMANDS)


def test_every_command_has_its_help() -> None:
    for name in COMMANDS:
        assert f"damier {name} " in "\n".join(lines(name, "-h"))


def test_a_wrong_command_line_is_told_in_one_line() -> None:
    assert "nonsense" in complaint("nonsense", status=2)
    assert "--nonsense" in complaint("moves", "--nonsense", status=2)
    assert "official" in complaint("moves", "--rules", "mine", status=2)
    assert "DEPTH" in complaint("perft", status=2).upper()


def test_the_rule_sets_are_those_of_the_library() -> None:
    assert get_args(RuleSet) == tuple(rules.name for rules in RULE_SETS)


def test_every_command_and_status_is_documented() -> None:
    documentation = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"| `damier {name}" not in documentation] == []
    statuses = (status.DONE, status.WRONG, status.USAGE, status.WARNINGS, status.FAULT, status.BROKEN_OFF)
    assert [number for number in statuses if f"\n| {number} | " not in documentation] == []


def test_a_shell_completes_commands_and_values() -> None:
    def completed(words: str, number: int) -> list[str]:
        answer = run(_DAMIER_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(number))
        return answer.stdout.split()

    assert completed("damier mo", 1) == ["moves"]
    assert completed("damier moves --rules cl", 3) == ["classic", "club"]


def test_without_the_commands_packages_it_says_what_to_install() -> None:
    hidden = "import sys; sys.modules['typer'] = None\n" + MAIN
    assert run("--version", script=hidden).returncode == 0
    answer = run("moves", script=hidden)
    assert answer.returncode == 1
    assert answer.stderr == "damier: the command needs more packages (typer is missing): pip install 'damier[cli]'\n"


def test_a_fault_of_the_program_is_one_line_and_on_request_a_traceback() -> None:
    broken = "import sys, damier; damier.Board.legal_moves = property(lambda self: 1 / 0)\n" + MAIN
    answer = run("moves", script=broken)
    assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (70, "", 1)
    assert "ZeroDivisionError" in answer.stderr
    assert "Traceback" in run("moves", script=broken, DAMIER_TRACEBACK="1").stderr


def test_who_reads_the_output_may_stop_reading() -> None:
    script = "import os, sys; r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n" + MAIN
    answer = run("moves", script=script)
    assert (answer.returncode, answer.stderr) == (1, "")


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams as POSIX does")
@pytest.mark.parametrize(
    ("arguments", "closed", "told"),
    [
        ("show", ">&-", "standard output is closed"),
        ("--version", ">&-", "standard output is closed"),
        ("show --png -", ">&-", "standard output is closed"),
        ("show -", "<&-", "standard input is closed"),
        ("convert", "<&-", "standard input is closed"),
        ("play", "<&-", "standard input is closed"),
        ("show", "2>&-", ""),
        ("check nowhere.pdn", "2>&-", ""),
        ("convert - -o nowhere.pdn", ">&- 2>&-", ""),
    ],
)
def test_a_closed_stream_is_told_in_one_line(arguments: str, closed: str, told: str) -> None:
    command = f'"$0" -c "$1" {arguments} {closed}'
    answer = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, MAIN], capture_output=True, text=True, check=False, timeout=60
    )
    assert (answer.returncode, answer.stderr) == (1, told and f"damier: {told}\n")


def test_nothing_of_the_server_is_loaded_for_other_commands() -> None:
    script = (
        "import sys; from damier.cli import main; main()\n"
        "print(sorted({'litestar', 'uvicorn', 'rich', 'damier.server', 'damier.engine'} & set(sys.modules)))"
    )
    assert run("moves", script=script).stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_ctrl_c_ends_a_long_count_in_one_line() -> None:
    # A test run in the background is started with this signal ignored, and its children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen([sys.executable, "-c", MAIN, "perft", "30"], stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(8)  # on a busy machine the command takes seconds to begin
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, said) == (130, "damier: stopped\n")


def test_a_wrong_port_is_refused_in_one_line(tmp_path: Path) -> None:
    for port in ("x", "-1", "65536"):
        answer = run("serve", "--port", port, "--data", str(tmp_path))
        assert answer.returncode == 2
        assert f"a port is a number from 0 to 65535, not '{port}'" in answer.stderr


def test_a_port_that_is_taken_is_named_in_one_line(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        answer = run("serve", "--port", port, "--data", str(tmp_path))
    assert answer.returncode == 1
    assert re.fullmatch(rf"damier: cannot listen on 127.0.0.1 port {port}: .*\n", answer.stderr)


def test_a_folder_that_cannot_be_used_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = run("serve", "--port", "0", "--data", str(tmp_path / "file" / "folder"))
    assert answer.returncode == 1
    assert re.fullmatch(r"damier: .*file.*\n", answer.stderr)


@pytest.mark.parametrize("contents", [b"", b"x" * 20_000])
def test_a_database_that_cannot_be_used_is_named_in_one_line(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "club.sqlite"
    path.write_bytes(contents)
    if not contents:
        with closing(sqlite3.connect(path)) as database:
            database.executescript(
                "CREATE TABLE alembic_version (version_num TEXT NOT NULL); INSERT INTO alembic_version VALUES ('9999');"
            )
    answer = run("serve", "--port", "0", "--data", str(tmp_path))
    assert answer.returncode == 1
    assert re.fullmatch(rf"damier: cannot use {tmp_path}: .*\n", answer.stderr)


def test_a_setting_with_no_meaning_is_named_in_one_line(tmp_path: Path) -> None:
    answer = run("serve", "--port", "0", "--data", str(tmp_path), DAMIER_COMPUTER_THREADS="none")
    assert (answer.returncode, answer.stderr) == (
        2,
        "damier: DAMIER_COMPUTER_THREADS must be a whole number from 0 to 1024, not 'none'\n",
    )
    answer = run("serve", "--port", "0", "--data", str(tmp_path), "--workers", "2")
    assert answer.returncode == 2
    assert re.fullmatch(r"damier: several server processes need --database .*\n", answer.stderr)


def test_without_the_servers_packages_it_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['uvicorn'] = None\n" + MAIN
    answer = run("serve", "--data", str(tmp_path), script=hidden)
    assert answer.returncode == 1
    assert (
        answer.stderr == "damier: the server needs more packages (uvicorn is missing): pip install 'damier[server]'\n"
    )
