"""Runs the real command in a process of its own.

Where neither a terminal nor the environment has a say the process is a fork of one that has imported everything.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.server.serving import forked

SECONDS = 60
MAIN = "import sys; from damier.cli import main; sys.exit(main())"


def run(*arguments: str, script: str = MAIN, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command with these arguments, ``typed`` on its standard input and nothing in its environment but this."""
    if script == MAIN and not environment and "--help" not in arguments:
        return _run_forked(arguments, typed)
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=SECONDS,
        env={"PATH": "", "PYTHONUTF8": "1", **environment},
    )


def _run_forked(arguments: Sequence[str], typed: str) -> subprocess.CompletedProcess[str]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "0").write_text(typed, "utf-8", newline="")
        process = forked.Process(target=_command, args=(arguments, folder))
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), SECONDS)
        out, err = ((folder / stream).read_text("utf-8") for stream in "12")
        return subprocess.CompletedProcess(list(arguments), process.exitcode, out, err)


def _command(arguments: Sequence[str], folder: Path) -> None:
    """What the fork does, its standard streams being files of these numbers."""
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)):
        opened = os.open(folder / str(number), flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(PATH="", PYTHONUTF8="1")
    sys.argv = ["damier", *arguments]
    from damier.cli import main

    sys.exit(main())


def lines(*arguments: str, typed: str = "", status: int = 0) -> list[str]:
    """The lines of a command that has nothing to complain about, or ends with this status."""
    answer = run(*arguments, typed=typed)
    assert (answer.returncode, answer.stderr if not status else "") == (status, ""), answer
    return answer.stdout.splitlines()


def complaint(*arguments: str, typed: str = "", status: int = 1) -> str:
    """The one line on stderr of a command that fails with this status and writes nothing else."""
    answer = run(*arguments, typed=typed)
    assert (answer.returncode, answer.stdout) == (status, ""), answer
    assert answer.stderr.startswith("damier: ")
    assert answer.stderr.count("\n") == 1
    return answer.stderr.removeprefix("damier: ").rstrip("\n")


def on_terminal(*arguments: str, typed: str = "", **environment: str) -> tuple[int, str]:
    """The status of the command and all that it shows on a terminal of 80 columns with all colours."""
    if sys.platform == "win32":
        pytest.skip("needs the terminals of POSIX")
    import pty
    import termios

    ours, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (40, 80))
    known = {"PATH": "", "PYTHONUTF8": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=known,
        start_new_session=True,
    )
    os.close(terminal)
    shown = bytearray()
    try:
        os.write(ours, typed.encode())
        with contextlib.suppress(OSError):  # how a terminal says that nobody is there any more
            while data := os.read(ours, 65536):
                shown += data
        return process.wait(60), shown.decode()
    finally:
        os.close(ours)
        process.kill()
        process.wait()
