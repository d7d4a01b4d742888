"""``damier dxp`` as processes: ours against ours, all four ways round, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from damier.notation.pdn import PdnGame, loads
from tests.cli.command import MAIN, complaint, lines, run

WAIT = 60
SHOT = "W:W33:B8,18,28"


@contextlib.contextmanager
def running(*arguments: str) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, "dxp", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    ) as process:
        overdue = threading.Timer(WAIT, process.kill)
        overdue.start()
        try:
            yield process
        finally:
            overdue.cancel()
            process.kill()


def listening(process: subprocess.Popen[str]) -> str:
    """The port at which it listens."""
    assert process.stdout is not None
    return process.stdout.readline().rpartition(":")[2].strip()


def told(process: subprocess.Popen[str]) -> list[str]:
    """What it says until it ends, with nothing to complain about."""
    said, complaints = process.communicate(timeout=WAIT)
    assert (process.returncode, complaints) == (0, "")
    return said.splitlines()


def games_in(path: Path) -> list[PdnGame]:
    games = loads(path.read_text("utf-8"))
    assert not any(game.errors for game in games)
    return games


@pytest.mark.parametrize("asks", ["listener", "connector"])
@pytest.mark.parametrize("color", ["white", "black"])
def test_a_game_all_ways_round(tmp_path: Path, asks: str, color: str) -> None:
    terms = ["--initiate", "--color", color, "--minutes", "1", SHOT]
    files = [tmp_path / "listener.pdn", tmp_path / "connector.pdn"]
    ours = [] if asks == "connector" else terms
    theirs = terms if asks == "connector" else ["--follow"]
    with running(
        "--listen", "--port", "0", "--games", "1", "--name", "Rosa", "--save", str(files[0]), *ours
    ) as listener:
        port = listening(listener)
        said = lines(
            "dxp", "--connect", "127.0.0.1", "--port", port, "--save", str(files[1]), "--name", "Karl", *theirs
        )
        heard = told(listener)
    white, black = ("Karl", "Rosa") if (asks == "connector") == (color == "white") else ("Rosa", "Karl")
    begin = f"game 1: {white} (White) against {black} (Black), 1 minute, from {SHOT}"
    end = "game 1: 2-0 after 1 single move: White has won (no moves)"
    for report in (said, heard):
        assert report[0] == "connected"
        assert report[1] == begin
        assert report[2].startswith("  1. 33x2  (")
        assert report[3:] == [end, "the connection is closed"]
    for (game,) in map(games_in, files):
        assert (game.tags["White"], game.tags["Black"], game.tags["Result"]) == (white, black, "2-0")
        assert game.tags["TimeControl"] == "60"
        assert [str(node.move) for node in game.main_line()] == ["33x2"]


def test_several_games_with_both_colours_levels_and_limits(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    with running("--listen", "--port", "0", "--level", "1", "--save", str(file), "--games", "3") as listener:
        port = listening(listener)
        many = ("--games", "3", "--color", "alternate", "--moves", "4", "--after", "32-28", "--move-time", "0.05")
        said = lines("dxp", "--connect", "127.0.0.1", "--port", port, *many)
        heard = told(listener)
    assert [line for line in heard if line.startswith("game")] == [line for line in said if line.startswith("game")]
    games = games_in(file)
    assert [game.tags["Round"] for game in games] == ["1", "2", "3"]
    assert all(game.tags["FEN"].startswith("B:") for game in games)
    assert [len(list(game.main_line())) for game in games] == [8, 8, 8]
    assert "  1... " in "\n".join(said)
    assert run("check", str(file)).stderr == "3 games in 1 file: all in order\n"


def test_one_that_listens_goes_on_after_bad_and_good_opponents() -> None:
    with running("--listen", "--port", "0", "--games", "2", "--level", "1", "--timeout", "5") as listener:
        assert listener.stdout is not None
        port = int(listening(listener))
        with socket.create_connection(("127.0.0.1", port)) as bad:
            bad.sendall(b"GET / HTTP/1.1\r\n\r\n\0")
            assert b"Cerror: " in b"".join(iter(lambda: bad.recv(4096), b""))
        for expected in ("connected", "listening on"):
            while not (said := listener.stdout.readline()).startswith(expected):
                assert said
        with socket.create_connection(("127.0.0.1", port)) as other:
            other.sendall(b"R01" + b"Other\x1b[2J".ljust(32) + b"W000000A\0Chi\x07\0")
            assert other.recv(4096).startswith(b"ADamier")
        for expected in ("connected", "the opponent says: hi\\x07", "game 1: Damier", "game 1: *", "listening on"):
            while not (said := listener.stdout.readline()).startswith(expected):
                assert said
            assert "\x1b" not in said
        assert lines("dxp", "--connect", "127.0.0.1", "--port", str(port), SHOT)[0] == "connected"
        _, complaints = listener.communicate(timeout=WAIT)
        assert listener.returncode == 0
        first, second = complaints.splitlines()
        assert first.startswith("damier: ")
        assert "no message of DamExchange" in first
        assert second == "damier: Other\\x1b[2J has closed the connection."


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as POSIX has it")
@pytest.mark.parametrize("when", ["nobody has come", "it thinks", "the other thinks"])
def test_ctrl_c(when: str, tmp_path: Path) -> None:
    file = tmp_path / "game.pdn"
    with running("--listen", "--port", "0", "--save", str(file)) as listener:
        assert listener.stdout is not None
        port = int(listening(listener))
        if when == "nobody has come":
            listener.send_signal(signal.SIGINT)
            assert told(listener)[-1] == "stopped"
            return
        with socket.create_connection(("127.0.0.1", port)) as other:
            color = b"W" if when == "it thinks" else b"Z"
            other.sendall(b"R01" + b"Other".ljust(32) + color + b"999000A\0")
            while not (line := listener.stdout.readline()).startswith("game 1"):
                assert line
            listener.send_signal(signal.SIGINT)
            said = told(listener)
            assert said[-1] == "stopped"
            assert said[-2].startswith("game 1: * after 0 single moves")
            heard = b"".join(iter(lambda: other.recv(4096), b""))
            assert heard.endswith(b"0\0E01\0" if when == "it thinks" else b"0\0")
    (game,) = games_in(file)
    assert (game.tags["Result"], game.tags["Termination"]) == ("*", "stopped")


@pytest.fixture
def free_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_what_cannot_be_done(free_port: int, tmp_path: Path) -> None:
    assert "--listen" in complaint("dxp", status=2)
    assert "--connect HOST" in complaint("dxp", "--listen", "--connect", "127.0.0.1", status=2)
    assert "is over" in complaint("dxp", "--connect", "127.0.0.1", "W:W:B1", status=2)
    assert "level" in complaint("dxp", "--listen", "--level", "99", status=2)
    assert "no connection with 127.0.0.1" in complaint("dxp", "--listen", "--port", str(free_port))
    assert "no connection with 127.0.0.1:1" in complaint("dxp", "--connect", "127.0.0.1", "--port", "1")
    silent = run("dxp", "--connect", "127.0.0.1", "--port", str(free_port), "--timeout", "0.3")
    assert (silent.returncode, silent.stdout) == (1, "connected\n")
    assert silent.stderr == f"damier: 127.0.0.1:{free_port} has not answered for 0.3 seconds.\n"


def test_a_file_that_cannot_be_written_is_found_before_the_game(tmp_path: Path) -> None:
    assert "nowhere" in complaint("dxp", "--listen", "--port", "0", "--save", str(tmp_path / "nowhere" / "game.pdn"))
