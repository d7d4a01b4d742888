"""How a command ends: the exit statuses, and failures that are told in one line.

======  ======================================================================================
status  meaning
======  ======================================================================================
0       done, and nothing was wrong with what was read
1       something that was read is wrong, or cannot be read, written or had; stderr says what
2       the command line is wrong
3       ``check`` only: nothing worse than warnings
70      a fault of the program itself; ``DAMIER_TRACEBACK=1`` shows where
130     broken off with Ctrl+C
======  ======================================================================================
"""

from __future__ import annotations

from typing import Final

__all__ = ["BROKEN_OFF", "DONE", "FAULT", "USAGE", "WARNINGS", "WRONG", "Failure", "needs"]

DONE: Final = 0
WRONG: Final = 1
USAGE: Final = 2
WARNINGS: Final = 3
FAULT: Final = 70
BROKEN_OFF: Final = 130


class Failure(Exception):
    """Ends the command with one line on stderr and a status."""

    def __init__(self, message: str, status: int = WRONG) -> None:
        super().__init__(message)
        self.status = status


def needs(what: str, missing: ModuleNotFoundError, extra: str) -> Failure:
    """The failure of a part whose packages are not installed, with what to install; raises what is a fault of ours.

    >>> str(needs("the server", ModuleNotFoundError("no", name="uvicorn.config"), "server"))
    "the server needs more packages (uvicorn is missing): pip install 'damier[server]'"
    """
    name = (missing.name or "damier").partition(".")[0]
    if name == "damier":
        raise missing
    return Failure(
        f"{what} need{'' if what.endswith('s') else 's'} more packages ({name} is missing): pip install 'damier[{extra}]'"
    )
