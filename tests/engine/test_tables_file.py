"""Files of endgame tables: written and read again, and damaged in every way."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from damier import Board
from damier._kernel import EndgameTables
from damier.engine import BadTables, Tables, Wdl
from damier.engine.tables_build import build, materials
from damier.engine.tables_file import TableFile, read_tables, write_tables
from damier.errors import EngineError

VALUES = {"KvK": memoryview(bytes(613)), "MvM": memoryview(b"\xa5" * 507)}
TABLES = TableFile("international", "wdl", True, VALUES)


def _written(folder: Path, *, compressed: bool = False) -> Path:
    file = folder / "some.wdl"
    write_tables(file, TABLES, compressed=compressed)
    return file


@pytest.mark.parametrize("compressed", [False, True])
def test_round_trip(tmp_path: Path, compressed: bool) -> None:
    file = _written(tmp_path, compressed=compressed)
    assert read_tables(file, "international", "wdl") == TABLES
    assert [each.name for each in tmp_path.iterdir()] == ["some.wdl"]


def test_differences(tmp_path: Path) -> None:
    other = TableFile("crown-and-continue", "wdl", True, {**VALUES, "KvK": memoryview(b"\x01" * 613)})
    file = tmp_path / "other.wdl"
    write_tables(file, other, compressed=True, base=TABLES)
    assert read_tables(file, "crown-and-continue", "wdl", base=TABLES) == other
    wrong = TableFile("international", "wdl", True, {**VALUES, "MvM": memoryview(bytes(507))})
    for base in (None, wrong, TableFile("international", "wdl", True, {"KvK": VALUES["KvK"]})):
        with pytest.raises(BadTables) as caught:
            read_tables(file, "crown-and-continue", "wdl", base=base)
        assert caught.value.code == "base"


def _fault(file: Path, contents: bytes) -> BadTables:
    file.write_bytes(contents)
    with pytest.raises(BadTables) as caught:
        read_tables(file, "international", "wdl")
    assert str(file) in str(caught.value)
    assert caught.value.file == file
    return caught.value


@pytest.mark.parametrize("compressed", [False, True])
def test_every_truncation(tmp_path: Path, compressed: bool) -> None:
    file = _written(tmp_path, compressed=compressed)
    whole = file.read_bytes()
    codes = {_fault(file, whole[:length]).code for length in range(len(whole))}
    assert codes == {"format", "version", "header", "size"}
    assert _fault(file, whole + b"\0").code == "size"


@pytest.mark.parametrize("compressed", [False, True])
def test_every_damaged_byte(tmp_path: Path, compressed: bool) -> None:
    """Where a bit may flip unnoticed nothing depends on it: the blanks of the header and its checksums' own case."""
    file = _written(tmp_path, compressed=compressed)
    whole = file.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        file.write_bytes(damaged)
        try:
            read = read_tables(file, "international", "wdl")
        except BadTables as error:
            assert 0 <= error.byte <= len(whole)  # noqa: PT017 - what is raised is checked, not that it is raised
        else:
            assert read == TABLES, place


def _with_header(file: Path, **changes: object) -> bytes:
    first, header, rest = file.read_bytes().split(b"\n", 2)
    return b"\n".join((first, json.dumps({**json.loads(header), **changes}).encode(), rest))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"moves": "crown-and-continue"}, "kind"),
        ({"content": "distance"}, "kind"),
        ({"moves": "chess"}, "header"),
        ({"compression": "zip"}, "header"),
        ({"complete": 1}, "header"),
        ({"tables": []}, "header"),
        ({"tables": [["KvX", ""]]}, "header"),
        ({"tables": [["KvK"]]}, "header"),
        ({"tables": [["KvK", "00"], ["MvM", "00"]]}, "checksum"),
        ({"tables": [["KvK", "00"]]}, "size"),
        ({"tables": [["KKKvKKK", "00"]]}, "size"),
        ({"base": "international"}, "base"),
    ],
)
def test_headers_that_promise_other_things(tmp_path: Path, changes: dict[str, object], code: str) -> None:
    file = _written(tmp_path)
    assert _fault(file, _with_header(file, **changes)).code == code
    compressed = _written(tmp_path, compressed=True)
    assert _fault(compressed, _with_header(compressed, **changes)).code == code


def test_other_files(tmp_path: Path) -> None:
    file = tmp_path / "some.wdl"
    for contents in (b"", b"\0" * 100, b"PK\3\4", b"damier endgame tables"):
        assert _fault(file, contents).code == "format"
    error = _fault(file, b"damier endgame tables 2\n{}\n")
    assert (error.code, error.facts["version"], error.byte) == ("version", "2", 22)
    for header in (b"[]", b"1", b"{", b"{}", b"[" * 60_000, b"\xff"):
        assert _fault(file, b"damier endgame tables 1\n" + header + b"\n").code == "header"
    with pytest.raises(FileNotFoundError):
        read_tables(tmp_path / "none.wdl", "international", "wdl")


def test_a_kernel_that_is_given_the_wrong_thing() -> None:
    known = EndgameTables(False)
    for name, table in (("KvK", bytes(612)), ("KvX", bytes(613)), ("", b"")):
        with pytest.raises(ValueError, match=r"another size|no material"):
            known.add(name, table)
    for name in ("KKvK", "KvM", "KvMM"):
        with pytest.raises(ValueError, match="missing"):
            known.solve(name, False)
    for ask in (known.find_fault, known.census):
        with pytest.raises(ValueError, match="missing"):
            ask("KvK", False)
    with pytest.raises(ValueError, match="missing"):
        known.smoothed("KvK", True)


# --- Building ---------------------------------------------------------------------------------------------------------


def test_build_and_open(tmp_path: Path) -> None:
    build(3, "international", tmp_path, distances=True, all_materials=True, jobs=2)
    files = {each.name for each in (tmp_path / "international").iterdir()}
    names = {one.name for count in (2, 3) for group in materials(count) for each in group for one in each.pair}
    assert files == {f"{name}.{content}" for name in names for content in ("wdl", "distance")}
    tables = Tables.open(tmp_path)
    assert (tables.pieces, tables.pieces_with_distance) == (4, 4)
    board = Board("W:WK1:B9,K29")
    assert (tables.probe(board), tables.distance(board)) == (Wdl.WIN, 9)


def test_a_folder_with_nothing_or_with_damage(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="damier tables build"):
        Tables.open(tmp_path)
    build(2, "international", tmp_path, all_materials=True)
    with pytest.raises(EngineError, match="damier tables build"):
        Tables.open(tmp_path, "club")
    file = tmp_path / "international" / "KvK.wdl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BadTables, match=r"KvK\.wdl"):
        Tables.open(tmp_path)
    Tables.open(tmp_path, check=False)
    build(2, "international", tmp_path, all_materials=True)  # makes anew what is damaged
    assert file.read_bytes() == whole


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    build(3, "international", tmp_path, all_materials=True)
    before = {each: each.stat().st_mtime_ns for each in (tmp_path / "international").iterdir()}
    gone = tmp_path / "international" / "KvKM.wdl"
    gone.unlink()
    build(3, "international", tmp_path, all_materials=True)
    after = {each: each.stat().st_mtime_ns for each in (tmp_path / "international").iterdir()}
    assert {each for each in after if after[each] != before[each]} == {gone, gone.with_name("KMvK.wdl")}


class _Enough(Exception):
    pass


def test_a_build_that_is_broken_off(tmp_path: Path) -> None:
    """What Python raises on the way comes out, no thread is left, and the next build goes on."""
    told: list[str] = []

    def tell(material: object, share: float) -> None:
        told.append(str(material))
        if share == 1.0 and len(set(told)) > 4:
            raise _Enough

    threads = threading.active_count()
    with pytest.raises(_Enough):
        build(3, "international", tmp_path, all_materials=True, jobs=1, tell=tell)
    assert threading.active_count() == threads
    done = {each.name for each in (tmp_path / "international").glob("*.wdl")}
    assert 0 < len(done) < 16
    build(3, "international", tmp_path, all_materials=True, jobs=1)
    assert len(list((tmp_path / "international").iterdir())) == 16


def _build_four(folder: str) -> None:
    build(4, "international", Path(folder), all_materials=True, jobs=1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")
def test_a_build_that_is_killed(tmp_path: Path) -> None:
    """However it ends, every file under its name is whole."""
    process = multiprocessing.get_context("spawn").Process(target=_build_four, args=(str(tmp_path),))
    process.start()
    try:
        folder = tmp_path / "international"
        until = time.monotonic() + 60
        while len(list(folder.glob("*.wdl"))) < 18 and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    files = list(folder.glob("*.wdl"))
    assert 18 <= len(files) < 40
    for file in files:
        read_tables(file, "international", "wdl")
