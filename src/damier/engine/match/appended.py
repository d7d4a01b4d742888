"""Files that are only added to: what was once written is on the disk, whatever happens to who writes."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, Final, cast

from damier.engine.match.specs import MatchError
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["Appended"]

_IN_USE = N_("{file} is being written to by another process; wait for it, or name another file.")
_LONGEST_TAIL: Final = 100


class Appended:
    """A file of JSON documents, one a line, the first of which has ``kind`` among its names.

    A last line that was cut short in the middle is cut away. One process writes at a time, where the system can see to
    that.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Appended(Path(folder, "list.jsonl"), "list")
    ...     file.add({"list": 1}), file.add([1, 2])
    ...     file.close()
    ...     with Path(folder, "list.jsonl").open("ab") as other:
    ...         _ = other.write(b"[3,")
    ...     file = Appended(Path(folder, "list.jsonl"), "list")
    ...     print(file.first, list(file.documents()))
    ...     file.close()
    (None, None)
    {'list': 1} [(2, [1, 2])]
    """

    def __init__(self, path: Path, kind: str) -> None:
        """Open the file, or begin it. Raises MatchError if another process writes, and OSError.

        A file of another kind is left as it is; its :attr:`first` is None.
        """
        self.path = path
        self._kind = kind
        self._file = path.open("a+b")
        try:
            self._lock()
            self.first = self._header()
            if self.first is not None or self._is_cut_short_at_once():
                self._file.truncate(self._end())
        except BaseException:
            self._file.close()
            raise
        self.is_empty = self._file.seek(0, os.SEEK_END) == 0

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # a system that has no such thing
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MatchError(_IN_USE, code="in_use", file=str(self.path)) from None

    def _header(self) -> Mapping[str, Any] | None:
        self._file.seek(0)
        line = self._file.readline()
        with contextlib.suppress(ValueError):
            first: Any = json.loads(line) if line.endswith(b"\n") else None
            return cast("dict[str, Any]", first) if isinstance(first, dict) and self._kind in first else None
        return None

    def _is_cut_short_at_once(self) -> bool:
        """Whether nothing but the beginning of a first line of ours was written."""
        self._file.seek(0)
        return self._file.read(_LONGEST_TAIL).startswith(f'{{"{self._kind}"'.encode()) and self._end() == 0

    def _end(self) -> int:
        """Where the last whole line ends."""
        place = self._file.seek(0, os.SEEK_END)
        while place > 0:
            begin = max(0, place - 65536)
            self._file.seek(begin)
            found = self._file.read(place - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            place = begin
        return 0

    def documents(self) -> Iterator[tuple[int, Any]]:
        """The documents after the first, each with the number of its line; None for a line that is no JSON."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if number > 1:
                    try:
                        document = json.loads(line)
                    except ValueError:
                        document = None
                    yield number, document

    def add(self, document: object) -> None:
        """Add a document: it is on the disk when this returns."""
        self._file.write(json.dumps(document, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def tail(self) -> bytes:
        """The last hundred bytes."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, size - _LONGEST_TAIL))
        return self._file.read()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
