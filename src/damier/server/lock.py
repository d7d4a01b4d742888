"""One server to a data folder: two would each hold games in memory that the other changes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

LOCK_FILE: Final = "lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """A data folder held for this process alone; the folder is made where there is none.

    The system lets go of it when the process ends, however it ends. Raises RuntimeError when another has the folder.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._descriptor)
        except (BlockingIOError, PermissionError):
            os.close(self._descriptor)
            raise RuntimeError("another server has this folder open") from None
        except OSError:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Let another have the folder."""
        os.close(self._descriptor)
