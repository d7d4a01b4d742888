"""How a command ends: the exit statuses, and failures that are told in one line.

======  ======================================================================================
status  meaning
======  ======================================================================================
0       done, and nothing was wrong with what was read
1       something that was read is wrong, or cannot be read, written or had; stderr says what
2       the command line is wrong, or a setting of the environment
3       ``check`` only: nothing worse than warnings
70      a fault of the program itself; ``DAMIER_TRACEBACK=1`` shows where
130     broken off with Ctrl+C
======  ======================================================================================
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BROKEN_OFF", "DONE", "FAULT", "USAGE", "WARNINGS", "WRONG", "Failure", "needs", "shown"]

DONE: Final = 0
WRONG: Final = 1
USAGE: Final = 2
WARNINGS: Final = 3
FAULT: Final = 70
BROKEN_OFF: Final = 130


# All of Unicode's control characters and line ends, and half characters; the halves from U+DC80 to U+DCFF are how
# Python spells the bytes of file names that are no UTF-8, and become these bytes again.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udc7f\udd00-\udfff]")


def shown(text: str) -> str:
    """A text of a file or of the command line as part of one line: control characters as Python escapes them.

    >>> print(shown("W:W31\\n:B\\x1b[2J"))
    W:W31\\n:B\\x1b[2J
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


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
