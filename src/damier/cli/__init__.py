"""The ``damier`` command.

Exit statuses, for every command: see :mod:`damier.cli.status`. This module itself stays light, so that ``--version``
and the advice on what to install need no other package.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (the process's own by default); returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if sys.stderr is None:
        return 1  # and there is nowhere to say why
    if sys.stdout is None:
        print("damier: standard output is closed", file=sys.stderr)
        return 1
    if arguments == ["--version"]:
        from importlib.metadata import version

        print(f"damier {version('damier')}")
        return 0
    try:
        from damier.cli.app import run
    except ModuleNotFoundError as missing:
        if (missing.name or "damier").partition(".")[0] == "damier":
            raise
        advice = f"the command needs more packages ({missing.name} is missing): pip install 'damier[cli]'"
        print(f"damier: {advice}", file=sys.stderr)
        return 1
    return run(arguments)
