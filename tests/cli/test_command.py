"""The command: its version, its help, and one-line errors."""

from __future__ import annotations

import re
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "import sys; from damier.cli import main; sys.exit(main())"


def run(*arguments: str, script: str = MAIN, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={"PATH": "", **environment}
    )


def test_version() -> None:
    answer = run("--version")
    assert (answer.returncode, answer.stdout) == (0, f"damier {version('damier')}\n")


def test_without_a_command_the_help_is_shown() -> None:
    answer = run()
    assert answer.returncode == 0
    assert "serve" in answer.stdout


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
            database.execute("PRAGMA user_version = 999")
    answer = run("serve", "--port", "0", "--data", str(tmp_path))
    assert answer.returncode == 1
    assert re.fullmatch(rf"damier: cannot use {tmp_path}: .*\n", answer.stderr)


def test_a_setting_with_no_meaning_is_named_in_one_line(tmp_path: Path) -> None:
    answer = run("serve", "--port", "0", "--data", str(tmp_path), DAMIER_COMPUTER_THREADS="none")
    assert (answer.returncode, answer.stderr) == (
        1,
        "damier: DAMIER_COMPUTER_THREADS must be a whole number from 1 on, not 'none'\n",
    )


def test_without_the_servers_packages_it_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['uvicorn'] = None\n" + MAIN
    answer = run("serve", "--data", str(tmp_path), script=hidden)
    assert answer.returncode == 1
    assert (
        answer.stderr == "damier: the server needs more packages (uvicorn is missing): pip install 'damier[server]'\n"
    )
