"""Writes `src/damier/_kernel.pyi` from the compiled kernel; with `--check`, fails when the one in the tree is stale."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "src" / "damier" / "_kernel.pyi"


def _generate(target: Path) -> None:
    stubgen = ["-m", "nanobind.stubgen", "--quiet", "--include-private", "--module", "damier._kernel"]
    patterns = ["--pattern-file", str(ROOT / "tools" / "kernel_stub.txt"), "--output-file", str(target)]
    subprocess.run([sys.executable, *stubgen, *patterns], check=True, cwd=ROOT)
    ruff = str(Path(sys.executable).parent / "ruff")
    config = ["--config", str(ROOT / "pyproject.toml")]
    subprocess.run([ruff, "check", "--quiet", "--fix", *config, str(target)], check=True)
    subprocess.run([ruff, "format", "--quiet", *config, str(target)], check=True)


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / STUB.name
        _generate(made)
        if "--check" not in arguments:
            STUB.write_text(made.read_text())
        elif not STUB.is_file() or STUB.read_text() != made.read_text():
            print("src/damier/_kernel.pyi does not describe the kernel any more: run `make stubs`", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
