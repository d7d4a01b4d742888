"""Finds a Chromium or Chrome for the browser tests and prints its path; with `--install`, installs Debian's if needed.

Installing is tried only where it can work: as root, with apt-get, for a package named `chromium`. Without a browser
it says on the error stream what is missing and exits with 1; the browser tests are then skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)


def find() -> str | None:
    """The path of a browser: the one that DAMIER_BROWSER names, else the first found."""
    if named := os.environ.get("DAMIER_BROWSER"):
        return shutil.which(named)
    for name in NAMES:
        if found := shutil.which(name):
            return found
    return next((str(place) for place in PLACES if place.is_file()), None)


def install() -> None:
    """Install Debian's chromium, where this may be done."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return
    print("Installing chromium for the browser tests …", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"'{' '.join(command)}' failed:\n{done.stderr.strip()}", file=sys.stderr)
            return


def main(arguments: list[str]) -> int:
    browser = find()
    if browser is None and "--install" in arguments:
        install()
        browser = find()
    if browser is None:
        print(
            "damier: no Chromium or Chrome was found, so the browser tests are skipped. Install one "
            "(Debian: apt-get install chromium), or name it: DAMIER_BROWSER=/path/to/chrome",
            file=sys.stderr,
        )
        return 1
    print(browser)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
