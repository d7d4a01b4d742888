"""``damier hub`` as a process: its pipes, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from damier import Board
from damier.notation.hub import write_position
from tests.cli.command import MAIN, complaint, lines

SET_UP = f"set-param name=tt-size value=16\ninit\npos pos={write_position(Board())}\n"


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, "hub"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def until(process: subprocess.Popen[bytes], command: bytes) -> bytes:
    assert process.stdout is not None
    while not (line := process.stdout.readline()).startswith(command):
        assert line
    return line


def say(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


def test_a_conversation_through_a_pipe() -> None:
    said = lines("hub", typed=f"hub\n{SET_UP}level depth=3\ngo think\n")
    assert said[0].startswith("id name=Damier")
    assert said[-1].startswith("done move=")
    assert lines("hub", typed="quit\nping\n") == []
    assert lines("hub", typed="ping") == ["pong"]  # the last line may lack its end


def test_it_reads_while_it_thinks_and_stops_when_told(process: subprocess.Popen[bytes]) -> None:
    say(process, SET_UP.encode() + b"level infinite\ngo analyze\n")
    until(process, b"info depth=6")
    say(process, b"pi")  # a line may come in parts
    say(process, b"ng\nstop\n")
    until(process, b"pong")
    until(process, b"done move=")
    say(process, b"quit\n")
    assert process.wait(30) == 0


def test_the_end_of_its_input_ends_it_in_the_middle_of_a_search(process: subprocess.Popen[bytes]) -> None:
    say(process, SET_UP.encode() + b"set-param name=book value=false\nlevel infinite\ngo think\n")
    until(process, b"info depth=5")
    assert process.stdin is not None
    process.stdin.close()
    until(process, b"done move=")
    assert process.wait(30) == 0


def test_bytes_that_are_no_text_and_long_lines_are_survived(process: subprocess.Popen[bytes]) -> None:
    say(process, b"\xff\xfe\x00\npos pos=\xff\n" + b"x" * 300_000 + b"\nping\n")
    for what in (b"is a command", b"51 characters", b"too long"):
        assert what in until(process, b"error")
    until(process, b"pong")


def test_who_reads_may_go(process: subprocess.Popen[bytes]) -> None:
    say(process, SET_UP.encode())
    until(process, b"ready")
    assert process.stdout is not None
    process.stdout.close()
    say(process, b"level infinite\ngo analyze\nping\n")
    assert process.wait(30) == 1


def test_it_takes_no_arguments() -> None:
    assert "nonsense" in complaint("hub", "nonsense", status=2)


def test_version_1_through_a_pipe() -> None:
    said = lines("hub", "--protocol", "1", typed="hub\nset tt-size 16\ninit\nstart\ndepth 3\ngo\nping\n")
    assert said[0].startswith("name Damier")
    assert said[1:3] == ["wait", "ready"]
    assert "pong" in said
    assert said[-1].startswith("move ") or said[-1] == "pong"
    assert "2" in complaint("hub", "--protocol", "3", status=2)
