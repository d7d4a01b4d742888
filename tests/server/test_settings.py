"""The data folder: its secret is whole or not there, and it is one server's alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from damier.server.lock import FolderLock
from damier.server.settings import read_secret

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.conftest import Server


def test_the_secret_is_made_once(tmp_path: Path) -> None:
    secret = read_secret(tmp_path)
    assert len(secret) == 32
    assert read_secret(tmp_path) == secret
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_start_that_is_killed_while_it_makes_the_secret_can_be_repeated(tmp_path: Path, call: str) -> None:
    patches = {
        "write": "os.fdopen = open = lambda *_, **__: os._exit(9); settings.open = open",
        "fsync": "os.fsync = lambda *_: os._exit(9)",
        "replace": "pathlib.Path.replace = lambda *_: os._exit(9)",
    }
    script = f"import os, pathlib; from damier.server import settings; {patches[call]}; "
    script += f"settings.read_secret(pathlib.Path({str(tmp_path)!r}))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    assert len(read_secret(tmp_path)) == 32


@pytest.mark.parametrize("contents", [b"", b"00" * 31, b"junk", "é".encode() * 40, b"\xff" * 40])
def test_a_secret_that_is_none_is_named_by_its_path(tmp_path: Path, contents: bytes) -> None:
    (tmp_path / "secret").write_bytes(contents)
    with pytest.raises(RuntimeError, match=rf"^{re.escape(str(tmp_path / 'secret'))} is damaged: [^\n]*$"):
        read_secret(tmp_path)


def test_a_folder_is_held_until_it_is_released(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    with pytest.raises(RuntimeError, match="another server"):
        FolderLock(tmp_path)
    first.release()
    FolderLock(tmp_path).release()


def test_a_second_server_on_a_folder_is_refused_in_one_line(own_server: Server) -> None:
    command = [sys.executable, "-c", "import sys; from damier.cli import main; sys.exit(main())", "serve"]
    command += ["--port", "0", "--data", str(own_server.data)]
    second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ})
    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == f"damier: cannot use {own_server.data}: another server has this folder open\n"
    own_server.kill()
    own_server.start()
