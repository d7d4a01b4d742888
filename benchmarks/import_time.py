"""`import damier` against `import draughts` (py-draughts), each in new interpreters: `python benchmarks/import_time.py`.

The interpreter's own start, measured in the same round, is taken off both.
"""

from __future__ import annotations

import subprocess
import sys

from compare import report, seconds


def importing(statement: str) -> float:
    # -I: no user site and no local folder; an editable install's hook would be paid by both.
    return seconds(lambda: subprocess.run([sys.executable, "-I", "-c", statement], check=True))


def ours() -> float:
    return max(importing("import damier") - importing("pass"), 1e-6)


def theirs() -> float:
    return importing("import draughts") - importing("pass")


if __name__ == "__main__":
    report("import damier", ours, "py-draughts' import draughts", theirs, 20, rounds=21)
