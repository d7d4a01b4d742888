"""Runs clang-tidy over the translation units of compilation databases, several at once; a warning fails the run.

`python tools/clang_tidy.py --jobs 2 build/lint …`: each folder holds a `compile_commands.json`. The headers of the
kernel are checked where they are included. Nothing is checked again when nothing has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / "build" / "clang-tidy-passed"


def _sources(folder: Path) -> list[Path]:
    commands: list[dict[str, str]] = json.loads((folder / "compile_commands.json").read_text())
    found = {Path(command["directory"], command["file"]).resolve() for command in commands}
    return sorted(file for file in found if file.is_relative_to(ROOT / "kernel") or file.is_relative_to(ROOT / "tests"))


def _state() -> str:
    """A digest of all that a unit may include from this project, and of the checks."""
    digest = hashlib.sha256()
    for folder in ("kernel", "tests/kernel"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in {".hpp", ".cpp"}:
                digest.update(file.as_posix().encode() + file.read_bytes())
    digest.update((ROOT / ".clang-tidy").read_bytes())
    return digest.hexdigest()


def _check(unit: tuple[Path, Path]) -> bool:
    folder, source = unit
    command = [str(Path(sys.executable).parent / "clang-tidy"), "-p", str(folder), "--quiet", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        print(f"+ {shlex.join(command)}\n{done.stdout}{done.stderr}", flush=True)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    state = _state()
    if PASSED.is_file() and PASSED.read_text() == state:
        return 0
    units = [(folder.resolve(), source) for folder in arguments.folders for source in _sources(folder)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        passed = list(pool.map(_check, units))
    if not all(passed):
        return 1
    print(f"clang-tidy: {len(units)} units are clean")
    PASSED.write_text(state)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
