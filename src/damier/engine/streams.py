"""Lines out of the bytes that come from another program."""

from __future__ import annotations

from typing import Final

__all__ = ["LONGEST_LINE", "Lines"]

LONGEST_LINE: Final = 65536
"""In bytes. A position with every move since the last capture takes a tenth of that; what is longer is no message."""


class Lines:
    """Puts lines together from bytes as they arrive; holds no more than one line of :data:`LONGEST_LINE` bytes.

    Lines end with LF or CR LF. Bytes that are no UTF-8 are escaped. A line that is too long comes out as None.

    >>> lines = Lines()
    >>> lines.feed(b"ping\\r\\nqu"), lines.feed(b"it\\n\\xff\\n"), lines.feed(b"x" * 70000), lines.feed(b"x\\nping\\n")
    (['ping'], ['quit', '\\\\xff'], [], [None, 'ping'])
    """

    def __init__(self) -> None:
        self._begun = bytearray()
        self._is_too_long = False

    def feed(self, data: bytes) -> list[str | None]:
        """The lines that ``data`` ends, in their order."""
        *ends, rest = data.split(b"\n")
        found: list[str | None] = []
        for end in ends:
            self._add(end)
            found.append(None if self._is_too_long else _text(bytes(self._begun)))
            self._begun.clear()
            self._is_too_long = False
        self._add(rest)
        return found

    def rest(self) -> str:
        """What has come since the last line's end; empty if there is nothing, or more than a line may have."""
        return _text(bytes(self._begun))

    def _add(self, data: bytes) -> None:
        if self._is_too_long or len(self._begun) + len(data) > LONGEST_LINE:
            self._is_too_long = True
            self._begun.clear()
        else:
            self._begun += data


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "backslashreplace")
