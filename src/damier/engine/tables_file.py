"""The files that endgame tables are kept in.

A file begins with a line that names the format and its version, and a line of JSON, the header; the tables follow, one
after the other. The header says how pieces move (``moves``: "international" or "crown-and-continue"), what the tables
hold (``content``: "wdl" or "distance"), whether they hold it of every position (``complete``), how they are stored
(``compression``: "none" or "xz"), which file's tables they are to be combined with by exclusive or (``base``: its
``moves`` and the checksum of its header's ``tables``, or null), and names each table's material with the SHA-256 of its
bytes as they are used (``tables``). How long a table is follows from its material; its entries are numbered as
``kernel/endgame/index.hpp`` says. Values are packed four to a byte, the first in the lowest bits: 0 a draw, 1 a win,
2 a loss of the side to move. Distances take a byte each: single moves until a side has none, 255 for a draw.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import mmap
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from damier._kernel import table_positions
from damier.errors import EngineError
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["BadTables", "Content", "Moves", "TableFile", "read_tables", "table_bytes", "write_tables"]

Moves: TypeAlias = Literal["international", "crown-and-continue"]
Content: TypeAlias = Literal["wdl", "distance"]

VERSION = 1
_FORMAT = b"damier endgame tables "
_LONGEST_LINE = 1 << 16
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]


class BadTables(EngineError, ValueError):
    """A file of endgame tables that cannot be used.

    ``file``: its path. ``byte``: the place in it, from 0. ``code``: a name for programs: ``"format"``, ``"version"``,
    ``"header"``, ``"kind"`` (other tables than asked for), ``"base"``, ``"size"``, ``"checksum"`` or ``"contents"``.
    """

    def __init__(self, message: str, *, code: str, file: Path, byte: int = 0, **facts: object) -> None:
        super().__init__(message, file=str(file), byte=byte, **facts)
        self.code = code
        self.file = file
        self.byte = byte


@dataclass(frozen=True, slots=True)
class TableFile:
    """Tables of one kind by their materials' names, such as "KMvKK", and where they came from."""

    moves: Moves
    content: Content
    complete: bool
    tables: Mapping[str, memoryview]

    def digest(self) -> str:
        """A checksum of them all, by which a file of differences names its base."""
        return _digest_of([(name, hashlib.sha256(table).hexdigest()) for name, table in self.tables.items()])


@dataclass(frozen=True, slots=True)
class _Header:
    moves: Moves
    content: Content
    complete: bool
    compression: Literal["none", "xz"]
    base: str | None
    tables: list[tuple[str, str]]  # names and checksums


def table_bytes(name: str, content: Content) -> int:
    """How many bytes the table of a material has. Raises ValueError for what names no material.

    >>> table_bytes("KvK", "wdl"), table_bytes("KvK", "distance")
    (613, 2450)
    """
    positions = table_positions(name)
    return positions if content == "distance" else (positions + 3) // 4


def read_tables(
    file: Path, moves: Moves, content: Content, *, check: bool = True, base: TableFile | None = None
) -> TableFile:
    """The tables of a file, mapped into memory if they are not compressed.

    ``check``: whether the checksums are compared, for which all of the file is read. ``base``: the tables that a file
    of differences is about. Raises :class:`BadTables`, and OSError if the file cannot be read.
    """
    with file.open("rb") as source:
        header, start = _read_header(file, source.read(2 * _LONGEST_LINE))
        _expect(file, header, moves, content, base)
        length = os.fstat(source.fileno()).st_size - start
        sizes = [table_bytes(name, content) for name, _ in header.tables]
        if header.compression == "xz":
            source.seek(start)
            data = memoryview(_decompressed(file, source.read(), start, sum(sizes)))
        elif length != sum(sizes):
            raise _wrong_size(file, start + min(length, sum(sizes)), length, sum(sizes))
        else:
            data = memoryview(mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ))[start:]
    tables: dict[str, memoryview] = {}
    at = 0
    for (name, checksum), size in zip(header.tables, sizes, strict=True):
        table = data[at : at + size]
        if header.base is not None and base is not None:
            table = memoryview(_combined(table, base.tables[name]))
        if check and hashlib.sha256(table).hexdigest() != checksum:
            raise BadTables(
                N_("{file}, from byte {byte} on: the table {name} does not have the checksum that the header states"),
                code="checksum",
                file=file,
                byte=start if header.compression == "xz" else start + at,
                name=name,
            )
        tables[name] = table
        at += size
    return TableFile(moves, content, header.complete, tables)


def write_tables(file: Path, tables: TableFile, *, compressed: bool = False, base: TableFile | None = None) -> None:
    """Writes tables to a file, whole or not at all: a file of this name that was there before is replaced at the end.

    ``base``: tables of the same materials, of which only the differences are stored.
    """
    checksums = [(name, hashlib.sha256(table).hexdigest()) for name, table in tables.tables.items()]
    header = {
        "moves": tables.moves,
        "content": tables.content,
        "complete": tables.complete,
        "compression": "xz" if compressed else "none",
        "base": None if base is None else base.digest(),
        "tables": checksums,
    }
    parts: Iterable[bytes | memoryview] = tables.tables.values()
    if base is not None:
        parts = [_combined(table, base.tables[name]) for name, table in tables.tables.items()]
    if compressed:
        parts = [lzma.compress(b"".join(parts), format=lzma.FORMAT_XZ, filters=_FILTERS)]
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.part")
    with part.open("wb") as stream:
        stream.write(_FORMAT + b"%d\n" % VERSION)
        stream.write(json.dumps(header).encode() + b"\n")
        for each in parts:
            stream.write(each)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


def _read_header(file: Path, head: bytes) -> tuple[_Header, int]:
    """The header, and where the tables begin."""
    first, _, rest = head.partition(b"\n")
    if not first.startswith(_FORMAT):
        raise BadTables(N_("{file} is no file of endgame tables"), code="format", file=file)
    version = first[len(_FORMAT) :].decode("ascii", "replace")
    if version != str(VERSION):
        raise BadTables(
            N_("{file} has version {version} of the format; this program reads version {known}"),
            code="version",
            file=file,
            byte=len(_FORMAT),
            version=version,
            known=VERSION,
        )
    line, end, _ = rest.partition(b"\n")
    at = len(first) + 1
    try:
        if not end:
            raise ValueError("it has no end")
        header = _header(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise BadTables(
            N_("{file}, byte {byte}: the header cannot be read: {why}"),
            code="header",
            file=file,
            byte=at,
            why=error,
        ) from error
    return header, at + len(line) + 1


def _header(data: Any) -> _Header:
    """Raises ValueError for what is no header."""
    if not isinstance(data, dict):
        raise ValueError("it is no object")
    fields = cast("dict[str, Any]", data)
    tables: list[tuple[str, str]] = []
    listed = fields.get("tables")
    for each in cast("list[Any]", listed) if isinstance(listed, list) else []:
        match each:
            case [str(name), str(checksum)]:
                table_positions(name)
                tables.append((name, checksum))
            case _:
                raise ValueError("a table is a name and a checksum")
    match fields:
        case {
            "moves": ("international" | "crown-and-continue") as moves,
            "content": ("wdl" | "distance") as content,
            "complete": bool(complete),
            "compression": ("none" | "xz") as compression,
            "base": (str() | None) as base,
        } if tables:
            return _Header(moves, content, complete, compression, base, tables)
        case _:
            raise ValueError("something in it is missing")


def _expect(file: Path, header: _Header, moves: Moves, content: Content, base: TableFile | None) -> None:
    if (header.moves, header.content) != (moves, content):
        raise BadTables(
            N_("{file} holds tables {found}, not {wanted}"),
            code="kind",
            file=file,
            found=f"{header.moves} {header.content}",
            wanted=f"{moves} {content}",
        )
    if header.base is not None:
        named = None if base is None else _digest_of([(name, "") for name in base.tables])
        same = named == _digest_of([(name, "") for name, _ in header.tables])
        if base is None or not same or base.digest() != header.base:
            raise BadTables(
                N_("{file} holds differences from other tables than those that are here"), code="base", file=file
            )


def _decompressed(file: Path, data: bytes, start: int, size: int) -> bytes:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        # one byte more than there should be tells a stream that goes on
        tables = decompressor.decompress(data, size + 1)
    except lzma.LZMAError as error:
        raise BadTables(
            N_("{file}, from byte {byte} on: the tables cannot be decompressed: {why}"),
            code="contents",
            file=file,
            byte=start,
            why=error,
        ) from error
    if len(tables) != size or not decompressor.eof or decompressor.unused_data:
        raise _wrong_size(file, start + len(data), len(tables), size)
    return tables


def _wrong_size(file: Path, byte: int, found: int, size: int) -> BadTables:
    return BadTables(
        N_("{file}, byte {byte}: the tables take {size} bytes, and here are {found}"),
        code="size",
        file=file,
        byte=byte,
        found=found,
        size=size,
    )


def _combined(table: memoryview, base: memoryview) -> bytes:
    size = len(table)
    return (int.from_bytes(table, "little") ^ int.from_bytes(base, "little")).to_bytes(size, "little")


def _digest_of(tables: list[tuple[str, str]]) -> str:
    return hashlib.sha256(json.dumps(tables).encode()).hexdigest()
