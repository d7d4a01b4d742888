"""Looks up the installed packages for known vulnerabilities, and fails where there are any.

Where the advisories cannot be reached, which is no fault of ours, it says so on one line and goes on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SECONDS = 600
COMMAND = (
    *(sys.executable, "-m", "pip_audit", "--local", "--skip-editable"),
    *("--format", "json", "--progress-spinner", "off", "--timeout", "15"),
)


def report(output: str) -> tuple[int, list[str]]:
    """How many packages could be looked up, and what was found, from what pip-audit writes.

    >>> report('{"dependencies": [{"name": "a", "skip_reason": "not on PyPI"}]}')
    (0, [])
    >>> report('{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}]}')
    (1, ['a 1: X-1, mended in 2'])
    >>> report("")
    (0, [])
    """
    try:
        found: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return 0, []
    looked_up = [each for each in found if "vulns" in each]
    return len(looked_up), [
        f"{each['name']} {each['version']}: {one['id']}, mended in {' or '.join(one['fix_versions']) or 'no release'}"
        for each in looked_up
        for one in each["vulns"]
    ]


def main() -> int:
    try:
        done = subprocess.run(COMMAND, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        count, found = 0, list[str]()
    else:
        count, found = report(done.stdout)
    if found:
        print("\n".join(found))
        return 1
    if not count:
        print("The advisories cannot be reached from here: nothing was looked up.")
    else:
        print(f"{count} packages looked up, no known vulnerability.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
