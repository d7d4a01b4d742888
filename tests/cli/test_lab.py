"""``damier lab`` as a process: what it says, and that it goes on after being killed."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import MAIN, complaint, lines, on_terminal, run

QUICK = ("--hand-made", "--nodes", "40", "--games", "4", "--jobs", "2")


def kill_when(condition: Callable[[], bool], *arguments: str) -> None:
    """The command, killed as soon as the condition holds."""
    with subprocess.Popen([sys.executable, "-c", MAIN, *arguments], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not condition():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))


def files_of(folder: Path) -> int:
    manifest = folder / "manifest.json"
    return len(json.loads(manifest.read_bytes())["files"]) if manifest.exists() else 0


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.bin")}


def test_the_pipeline_killed_and_whole(tmp_path: Path) -> None:
    def generated(folder: Path, positions: int = 6000) -> tuple[str, ...]:
        return ("lab", "generate", "-g", "3", "--folder", str(folder), "--positions", str(positions), *QUICK)

    one, other = tmp_path / "one", tmp_path / "other"
    kept = 0
    for _ in range(2):
        enough = kept + 3
        kill_when(lambda enough=enough: files_of(one / "generation-3") >= enough, *generated(one, 10_000_000))
        kept = files_of(one / "generation-3")
        assert kept >= enough
    before = contents(one / "generation-3")
    [said] = lines(*generated(one))
    assert re.match(rf"{re.escape(str(one / 'generation-3'))}: 6,\d\d\d positions of ", said)
    assert " % of them won" in said
    lines(*generated(other))
    after = contents(one / "generation-3")
    assert all(after[name] == data for name, data in before.items() if name in after)
    whole = contents(other / "generation-3")
    shared = before.keys() & whole.keys()
    assert shared
    assert all(after[name] == whole[name] for name in after.keys() & whole.keys())

    def fitted(folder: Path) -> tuple[str, ...]:
        return ("lab", "fit", "--generations", "3", "--folder", str(folder), "--epochs", "2")

    fit = one / "fits" / "3"
    kill_when((fit / "checkpoint-0001.bin").exists, *fitted(one))
    assert not (fit / "weights.xz").exists()
    said, *_, last = lines(*fitted(one))
    assert said.startswith("epoch 1: rate 0.009, loss 0.")
    assert last.startswith(f"{fit / 'weights.xz'}: ")
    lines(*fitted(other))
    assert (fit / "weights.xz").read_bytes() == (other / "fits" / "3" / "weights.xz").read_bytes()
    assert b"games held back" in (fit / "loss.svg").read_bytes()

    match = ("lab", "match", str(fit / "weights.xz"), "hand-made", "--folder", str(one), "--nodes", "50")
    told = run(*match, "--games", "2", HOME=str(tmp_path))
    assert told.returncode == 0, told
    assert told.stdout.startswith("3 against hand-made: 2 games, +")
    assert "against hand-made, 50 nodes a move" in (one / "strength.svg").read_text()
    assert json.loads((one / "strength.jsonl").read_text())["label"] == "3"

    plot = tmp_path / "curve.svg"
    [found] = lines("lab", "calibrate", "--generations", "3", "--folder", str(one), "--plot", str(plot), "--json")
    assert json.loads(found)["positions"] >= 6000
    assert plot.exists()


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    status, shown = on_terminal("lab", "generate", "-g", "0", "--folder", str(tmp_path), "--positions", "500", *QUICK)
    assert status == 0
    assert "/500" in shown
    assert "generation 0" in shown


def test_complaints(tmp_path: Path) -> None:
    folder = ("--folder", str(tmp_path))
    assert "no generation" in complaint("lab", "fit", "--generations", "0", *folder)
    for wrong in ("1,1", "x"):
        assert "name each once" in complaint("lab", "fit", f"--generations={wrong}", *folder, status=2)
    assert "share of results" in complaint("lab", "fit", "--generations", "0", "--rate", "0", *folder, status=2)
    (tmp_path / "x.xz").write_bytes(b"nothing")
    assert "no weights" in complaint("lab", "match", str(tmp_path / "x.xz"), *folder)
    assert "instead of" in complaint(
        "lab", "generate", "-g", "1", "--hand-made", "--weights", str(tmp_path / "x.xz"), *folder, status=2
    )
    assert "no samples" in complaint("lab", "calibrate", str(tmp_path / "x.xz"))


@pytest.mark.parametrize("missing", ["numpy", "matplotlib"])
def test_without_its_packages(tmp_path: Path, missing: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; {MAIN.removeprefix('import sys; ')}"
    said = run("lab", "fit", "--generations", "0", "--folder", str(tmp_path), script=script)
    assert (said.returncode, said.stdout) == (1, "")
    assert f"{missing} is missing): pip install 'damier[lab]'" in said.stderr
