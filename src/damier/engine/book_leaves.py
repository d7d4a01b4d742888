"""The searches that an opening book is built from, kept in a file so that a build goes on where it was broken off.

The file begins with a line of JSON that says how the positions were searched; each other line is a position's key
(:func:`damier.engine.book.key_of`) in hexadecimal, a blank and its value. The rest of a build follows from these.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.resources import files
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Self

from damier.engine.book import BadBook, key_of, value_of
from damier.engine.engine import Engine
from damier.engine.limits import Limit
from damier.engine.score import Score
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from damier.board import Board

__all__ = ["Leaves"]

_FORMAT: Final = "damier book leaves 1"
_HASH_MB: Final = 4


class Leaves:
    """Searches positions with a fixed number of ``nodes`` each, ``jobs`` at once, and remembers them in ``file``.

    What each is worth depends on nothing but the position and the number of nodes. Use it in a ``with`` block. Raises
    :class:`BadBook` if the file is another one, or was made with other settings; a last line that was not written to
    its end is forgotten.
    """

    def __init__(self, file: Path, nodes: int, jobs: int = 1) -> None:
        self._file = file
        self._limit = Limit(nodes=nodes)
        self.settings: dict[str, object] = {"format": _FORMAT, "nodes": nodes, "evaluation": _fingerprint()}
        self.searched = 0
        """How many searches were made here, rather than found in the file."""
        self._known: dict[int, int] = {}
        self._engines: SimpleQueue[Engine] = SimpleQueue()
        for _ in range(jobs):
            self._engines.put(Engine(hash_mb=_HASH_MB))
        self._jobs = jobs
        self._open = ExitStack()

    def __enter__(self) -> Self:
        whole = self._load()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._stream = self._open.enter_context(self._file.open("ab"))
        self._stream.truncate(whole)
        if not whole:
            self._stream.write(json.dumps(self.settings).encode() + b"\n")
            self._stream.flush()
        self._pool = self._open.enter_context(ThreadPoolExecutor(self._jobs))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __len__(self) -> int:
        return len(self._known)

    def values(self, boards: Sequence[Board]) -> list[int]:
        """What positions are worth to the side to move, as numbers that :class:`Score` is made from."""
        keys = [key_of(board) for board in boards]
        unknown = {key: board for key, board in zip(keys, boards, strict=True) if key not in self._known}
        if unknown:
            found = list(self._pool.map(self._searched, unknown.values()))
            lines = "".join(f"{key:x} {value}\n" for key, value in zip(unknown, found, strict=True))
            self._stream.write(lines.encode())
            self._stream.flush()
            self._known.update(zip(unknown, found, strict=True))
            self.searched += len(found)
        return [self._known[key] for key in keys]

    def _searched(self, board: Board) -> int:
        if not board.legal_moves:
            return value_of(Score.loss(0))
        engine = self._engines.get()
        try:
            engine.clear()
            return value_of(engine.search(board, self._limit).score)
        finally:
            self._engines.put(engine)

    def _load(self) -> int:
        """Takes in what the file holds; how many bytes of it are whole lines."""
        try:
            data = self._file.read_bytes()
        except FileNotFoundError:
            return 0
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].splitlines()
        if not lines:
            if data and not json.dumps(self.settings).encode().startswith(data):
                raise BadBook(N_("{file} holds no searches for an opening book"), code="format", file=self._file)
            return 0
        try:
            settings: Any = json.loads(lines[0])
            if not isinstance(settings, dict) or settings.get("format") != _FORMAT:  # pyright: ignore[reportUnknownMemberType]
                raise ValueError
        except (ValueError, RecursionError) as error:
            raise BadBook(N_("{file} holds no searches for an opening book"), code="format", file=self._file) from error
        if settings != self.settings:
            raise BadBook(
                N_("{file} was made with other settings; take another folder, or the same number of nodes"),
                code="other",
                file=self._file,
            )
        for number, line in enumerate(lines[1:], 2):
            try:
                key, value = line.split(b" ")
                self._known[int(key, 16)] = int(value)
            except ValueError as error:
                raise BadBook(
                    N_("{file}, line {line}: this is no position with its value"),
                    code="contents",
                    file=self._file,
                    line=number,
                ) from error
        return whole


def _fingerprint() -> str:
    """Which evaluation the searches use."""
    packed = files("damier.engine").joinpath("data", "evaluation.xz").read_bytes()
    return hashlib.sha256(packed).hexdigest()[:12]
