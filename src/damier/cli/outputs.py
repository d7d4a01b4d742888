"""Files that are written by a command."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["replaced"]


@contextmanager
def replaced(path: Path) -> Generator[TextIO]:
    """A file that is there as a whole or, if the block fails, as it was, so that it may be read from meanwhile.

    One that is there already keeps its permissions, and a symbolic link goes on leading to it.
    """
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            if path.exists():
                part.chmod(S_IMODE(path.stat().st_mode))  # before anything that is not for everybody stands in it
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
