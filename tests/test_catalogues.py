"""Every text exists in every language, and none is left that nothing shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_catalogues_are_complete() -> None:
    checked = subprocess.run(
        [sys.executable, "tools/catalogues.py", "check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
