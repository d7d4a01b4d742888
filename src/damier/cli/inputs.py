"""Positions and games from the command line, from files and from standard input."""

from __future__ import annotations

import io
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Literal, TextIO, TypeAlias, cast

from damier import BadFen, BadPdn, Board
from damier.cli.status import USAGE, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from damier.notation.pdn import PdnGame

__all__ = [
    "STANDARD",
    "Form",
    "Place",
    "Watched",
    "form_of",
    "games_in",
    "is_fen",
    "opened",
    "position_from",
    "size_of",
    "standard_input",
]

STANDARD = "-"
"""The name of standard input and output among files."""

Form: TypeAlias = Literal["pdn", "json", "fen"]

_SUFFIXES: Mapping[str, Form] = {".pdn": "pdn", ".json": "json", ".jsonl": "json", ".fen": "fen"}
_HEAD = 4096
_FEN = re.compile(r"\s*[WwBb?][\s_]*:")
# An opening brace may begin a PDN comment as well, an opening bracket a tag.
_JSON = re.compile(r'\s*(?:\{\s*(?:"[^"]*"\s*:|\})|\[\s*[\[{\]])')
_POSITION = "; a position is written as W:W31-50:B1-20"
_MOVE_NUMBER = re.compile(r"\b[0-9]+\.+")


@dataclass(frozen=True)
class Place:
    """A position to work on, and the tags of the game that it is taken from."""

    board: Board
    tags: Mapping[str, str] = field(default_factory=dict[str, str])


def is_fen(text: str) -> bool:
    """Whether a text is meant as a FEN: it begins with a side and a colon.

    >>> is_fen("W:W31-50:B1-20"), is_fen("games.pdn")
    (True, False)
    """
    return _FEN.match(text) is not None


def position_from(source: str, *, game: int | None, ply: int | None, after: str, rules: str) -> Place:
    """The position that a command's arguments name; an empty ``source`` is the start of a game.

    Raises Failure for a game that is not in the file or not readable so far, and the errors of reading.
    """
    if not source or is_fen(source):
        if game is not None or ply is not None:
            raise Failure(f"{'--ply' if game is None else '--game'} is for files of games; name one", USAGE)
        place = Place(Board(source, rules) if source else Board(rules=rules))
    else:
        place = _place_in(source, game or 1, ply, rules)
    for text in _MOVE_NUMBER.sub(" ", after).split():
        place.board.push(text)
    return place


def _place_in(name: str, number: int, ply: int | None, rules: str) -> Place:
    found: PdnGame | None = None
    with opened(name, instead=_POSITION) as file:
        for found in games_in(file, name, rules=rules):
            if found.number == number:
                break
    if found is None:
        raise Failure(f"{name}: there is no game in it{_POSITION}")
    if found.number != number:
        raise Failure(f"{name}: there is no game {number}; the last is {found.number}")
    if found.skipped is not None:
        raise Failure(f"{name}: {found.skipped}")
    unread = found.errors and found.errors[0].ply is None and not (found.tags or found.root.variations)
    if unread or not found.has_start:
        raise Failure(f"{name}: {found.errors[0]}")
    nodes = [found.root, *found.main_line()]
    node = nodes[-1] if ply is None else next((node for node in nodes if node.ply == ply), None)
    if found.errors and (ply is None or node is None):
        raise Failure(f"{name}: {found.errors[0]} (--ply {nodes[-1].ply} shows what is before it)")
    if node is None:
        raise Failure(f"{name}: game {number} has {nodes[-1].ply} single moves, so there is no --ply {ply}")
    return Place(node.board(), found.tags)


# --- Files ----------------------------------------------------------------------------------------------------------


class Watched(io.RawIOBase):
    """A binary file that tells how much is read from it, and whose beginning can be looked at first."""

    def __init__(self, file: IO[bytes], tell: Callable[[int], object]) -> None:
        self._file = file
        self._tell = tell
        self._head = b""

    def head(self) -> bytes:
        """The beginning; it is read once more."""
        self._head = self._file.read(_HEAD)
        return self._head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        data = self._head[: len(buffer)] or self._file.read(len(buffer))
        self._head = self._head[len(data) :]
        buffer[: len(data)] = data
        self._tell(len(data))
        return len(data)


@contextmanager
def opened(name: str, tell: Callable[[int], object] = lambda _: None, *, instead: str = "") -> Generator[Watched]:
    """A file by its name, standard input by ``-``; ``tell`` is called with each number of bytes that are read.

    ``instead``: what is said besides if there is no such file.
    """
    if name == STANDARD:
        yield Watched(standard_input().buffer, tell)
        return
    try:
        file = open(name, "rb")  # noqa: SIM115 - closed below; only what opening it raises is said otherwise
    except FileNotFoundError:
        raise Failure(f"{name}: there is no such file{instead}") from None
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from error
    with file:
        yield Watched(file, tell)


def standard_input() -> TextIO:
    """Standard input; raises Failure if whoever started the command has closed it."""
    if sys.stdin is None:
        raise Failure("standard input is closed")
    return sys.stdin


def size_of(names: list[str]) -> int:
    """Bytes in these files together, as far as they are files with a size."""
    import os

    return sum(os.path.getsize(name) for name in names if os.path.isfile(name))


def games_in(
    file: Watched, name: str, *, form: Form | None = None, rules: str = "official", strict: bool = False
) -> Iterator[PdnGame]:
    """The games of a PDN or JSON file, or the positions of a list of FEN as games without moves, one after the other.

    Without ``form`` the name's suffix tells it, or else how the file begins. What is wrong is in a game's ``errors``;
    with ``strict`` the first of these is raised.
    """
    form = form or form_of(file, name)
    if form == "fen":
        yield from _positions(file, rules, strict)
    elif form == "json":
        yield from _from_json(file, name, strict)
    else:
        from damier.notation.pdn import read

        yield from read(io.BufferedReader(file), strict=strict, rules=rules)


def form_of(file: Watched, name: str) -> Form:
    """What a file holds, by its name's suffix or else by how it begins."""
    by_name = _SUFFIXES.get(PurePath(name).suffix.lower())
    if by_name is not None:
        return by_name
    head = file.head().decode("utf-8-sig", "replace")
    return "fen" if is_fen(head) else "json" if _JSON.match(head) else "pdn"


def _positions(file: Watched, rules: str, strict: bool) -> Iterator[PdnGame]:
    from damier.notation.pdn import PdnGame

    number = 0
    lines = io.TextIOWrapper(io.BufferedReader(file), "utf-8-sig", errors="replace")
    for line_number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        number += 1
        try:
            game = PdnGame(board=Board(text, rules))
        except BadFen as error:
            fault = BadPdn(code="bad_fen", game=number, token=text, line=line_number, cause=error)
            if strict:
                raise fault from error
            game = PdnGame(rules=rules)
            game.errors.append(fault)
        game.number = number
        yield game


def _from_json(file: Watched, name: str, strict: bool) -> Iterator[PdnGame]:
    from damier.notation.json import BadJson, game_from_json
    from damier.notation.pdn import PdnGame

    for number, data in enumerate(_documents(file, name), 1):
        try:
            game = game_from_json(data)
        except BadJson as error:
            fault = BadPdn(code=error.code, game=number, cause=error)
            if strict:
                raise fault from error
            game = PdnGame()
            game.errors.append(fault)
        game.number = number
        for fault in game.errors:
            fault.game = number  # those of another file have kept their number there
        yield game


def _documents(file: Watched, name: str) -> list[object]:
    """The games in JSON: one, a list of them, or one a line."""
    from json import JSONDecodeError

    try:
        text = io.TextIOWrapper(io.BufferedReader(file), "utf-8-sig").read()
        try:
            data = _document(text)
        except JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            lines = enumerate(text.splitlines(), 1)
            return [_document(line, number) for number, line in lines if line.strip()]
    except JSONDecodeError as error:
        raise Failure(f"{name}: line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, numbers without end, or brackets without end
        raise Failure(f"{name}: no JSON that can be read: {error}") from error
    return cast("list[object]", data) if isinstance(data, list) else [data]


def _document(text: str, line: int = 1) -> object:
    """The JSON in a text that begins in this line of its file."""
    from json import JSONDecodeError, loads

    try:
        return loads(text)
    except JSONDecodeError as error:
        error.lineno += line - 1
        raise
