"""``damier bot``: what it says when it cannot begin. That it plays is shown with a whole club in tests/server."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

from tests.cli.command import complaint, run

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_token_it_says_where_one_belongs(tmp_path: Path) -> None:
    assert "DAMIER_TOKEN is empty" in complaint("bot", "--club", "http://127.0.0.1:9", status=2)
    empty = tmp_path / "token"
    empty.write_text("\n")
    assert str(empty) in complaint("bot", "--club", "http://127.0.0.1:9", "--token-file", str(empty), status=2)
    assert "token.txt" in complaint("bot", "--club", "http://127.0.0.1:9", "--token-file", "token.txt")


def test_what_is_wrong_in_the_command_line(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("dmr_x\n")
    to = ("bot", "--token-file", str(token), "--club")
    assert "https://club.example" in complaint(*to, "club.example", status=2)
    assert "--rules must be one of" in complaint(*to, "http://127.0.0.1:9", "--rules", "russian", status=2)
    assert "NAME=VALUE" in complaint(*to, "http://127.0.0.1:9", "--param", "tt-size", status=2)
    token.write_text("d\x1b[2J")
    assert "no token" in complaint(*to, "http://127.0.0.1:9", status=2)


def test_an_engine_that_does_not_start_is_said_before_the_club_hears_of_it(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("dmr_x\n")
    to = ("bot", "--token-file", str(token), "--club", "http://127.0.0.1:9", "--hub")
    assert "cannot be started" in complaint(*to, str(tmp_path / "engine"))
    assert "has ended" in complaint(*to, f"{sys.executable} -c pass")


def test_a_club_that_is_away_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    answer = run("bot", "--club", address, DAMIER_TOKEN="dmr_x")
    assert answer.returncode == 1
    assert answer.stdout.startswith("engine: Damier")
    assert answer.stderr.startswith(f"damier: The club at {address} cannot be reached")
    assert answer.stderr.count("\n") == 1
