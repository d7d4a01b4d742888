"""How an opening book grows: against plain negamax over what was searched, by itself again, and broken off."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from damier import Board
from damier.engine import BadBook, Engine, Limit, Score
from damier.engine.book import key_of, move_codes, position_of, value_of
from damier.engine.book_building import Expansion, backed_up
from damier.engine.book_leaves import Leaves

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from damier.engine.book import Entry

MARGIN = 30_000


class Invented:
    """Values from -40 to 40 that depend on the position alone, and a list of what was asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.calls: list[int] = []

    def __call__(self, boards: Sequence[Board]) -> list[int]:
        self.calls.append(len(boards))
        self.asked += [key_of(board) for board in boards]
        return [self.value(board) for board in boards]

    @staticmethod
    def value(board: Board) -> int:
        return crc32(board.fen().encode()) % 81 - 40 if board.legal_moves else value_of(Score.loss(0))


def _grown(positions: int, breadth: float = 10.0, start: str = "W:W31-50:B1-20") -> tuple[Expansion, Invented]:
    search = Invented()
    book = Expansion(search, breadth=breadth, start=Board(start))
    for _ in range(positions):
        if not book.grow():
            break
    return book, search


def _after(key: int, code: int) -> int:
    board = position_of(key)
    board.push(move_codes(board)[code])
    return key_of(board)


def _negamax(book: Expansion) -> dict[int, list[tuple[int, int]]]:
    """What each position's moves are worth by the plain definition."""
    known = set(book.entries())

    @cache
    def value(key: int) -> int:
        if key not in known:
            return Invented.value(position_of(key))
        return max(backed_up(value(_after(key, code))) for code in move_codes(position_of(key)))

    return {
        key: [(code, backed_up(value(_after(key, code)))) for code in move_codes(position_of(key))] for key in known
    }


@pytest.mark.parametrize("start", ["W:W31-50:B1-20", "W:W28,32,33,38:B12,13,18,19", "W:W16,27:B5,36"])
def test_values_are_those_of_negamax(start: str) -> None:
    book, _ = _grown(120, start=start)
    expected = _negamax(book)
    found = book.entries()
    assert {key: sorted(entry) for key, entry in found.items()} == {key: sorted(each) for key, each in expected.items()}
    for entry in found.values():
        assert [value for _, value in entry] == sorted((value for _, value in entry), reverse=True)


def test_the_next_position_is_that_of_the_cheapest_way() -> None:
    """Against a search of all ways from the start, each time."""
    search = Invented()
    book = Expansion(search, breadth=10.0)
    for _ in range(40):
        before = book.entries()
        cheapest: dict[int, float] = {book.root: 0.0}
        edges: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
        for key, entry in before.items():
            for code, value in entry:
                edges[key].append((_after(key, code), (len(entry) > 1) + (entry[0][1] - value) / 10.0))
        waiting = [book.root]
        while waiting:
            key = waiting.pop()
            for following, cost in edges[key]:
                if cheapest[key] + cost < cheapest.get(following, math.inf) - 1e-9:
                    cheapest[following] = cheapest[key] + cost
                    waiting.append(following)
        least = min((cost for key, cost in cheapest.items() if key not in before), default=0.0)
        assert book.grow()
        [new] = set(book.entries()) - set(before)
        assert cheapest[new] == pytest.approx(least)


def test_ways_to_one_position_come_together() -> None:
    book, search = _grown(160, breadth=60.0)
    assert len(search.asked) == len(set(search.asked))
    entries = book.entries()
    parents: defaultdict[int, set[int]] = defaultdict(set)
    for key, entry in entries.items():
        for code, _ in entry:
            parents[_after(key, code)].add(key)
    merged = [key for key in entries if len(parents[key]) > 1]
    assert len(merged) > 10
    board, other = Board(), Board()
    for moves, target in (("32-28 20-25 31-26", board), ("31-26 20-25 32-28", other)):
        for text in moves.split():
            target.push(text)
    assert key_of(board) == key_of(other)


def test_the_same_answers_make_the_same_book() -> None:
    (first, asked), (second, again) = _grown(80), _grown(80)
    assert (first.entries(), asked.asked) == (second.entries(), again.asked)
    further, _ = _grown(100)
    assert set(first.entries()) < set(further.entries())


def test_breadth() -> None:
    def plies(breadth: float) -> float:
        book, _ = _grown(90, breadth)
        entries, depth, level = book.entries(), {book.root: 0}, [book.root]
        for key in level:
            for code, _ in entries[key]:
                following = _after(key, code)
                if following in entries and following not in depth:
                    depth[following] = depth[key] + 1
                    level.append(following)
        return max(depth.values())

    assert plies(3.0) > plies(60.0)
    for wrong in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="breadth"):
            Expansion(Invented(), breadth=wrong)


def test_where_a_book_ends() -> None:
    """Not beyond a king, the end of a game, or where rule sets differ; and a win is counted in moves."""
    book, _ = _grown(1000, start="W:W33:B8,18,28")  # a shot that ends the game at once
    [[(_, value)]] = book.entries().values()
    assert Score(value) == Score.win(1)
    for start in ("W:WK28:B1", "W:W15:B9,10", "W:W:B1"):
        book, search = _grown(5, start=start)
        assert (len(book), search.asked) == (0, [])
    book, _ = _grown(10_000, start="W:W11:B45")
    assert not book.grow()
    assert all(not key >> 100 for key in book.entries())


def test_moves_that_are_much_worse_are_left_out() -> None:
    book, _ = _grown(30)
    whole, some = book.entries(), book.entries(margin=15)
    assert sum(map(len, some.values())) < sum(map(len, whole.values()))
    for key, entry in some.items():
        best = whole[key][0][1]
        assert entry == tuple(each for each in whole[key] if each[1] >= best - 15)


# --- Searches in a file -------------------------------------------------------------------------------------------------


def _built(folder: Path, positions: int, jobs: int = 1) -> tuple[dict[int, Entry], int]:
    with Leaves(folder / "leaves.txt", 300, jobs) as leaves:
        book = Expansion(leaves.values)
        for _ in range(positions):
            book.grow()
        return book.entries(), leaves.searched


def test_searches_are_those_of_the_engine_and_the_same_again(tmp_path: Path) -> None:
    entries, searched = _built(tmp_path / "one", 4)
    assert _built(tmp_path / "two", 4, jobs=3) == (entries, searched)
    assert (tmp_path / "one" / "leaves.txt").read_bytes() == (tmp_path / "two" / "leaves.txt").read_bytes()
    key = key_of(Board())
    code, value = entries[key][-1]
    after = position_of(_after(key, code))
    assert backed_up(value_of(Engine(hash_mb=4).search(after, Limit(nodes=300)).score)) == value


def test_a_build_goes_on_from_every_place_where_it_was_cut(tmp_path: Path) -> None:
    entries, searched = _built(tmp_path, 3)
    file = tmp_path / "leaves.txt"
    whole = file.read_bytes()
    assert _built(tmp_path, 3) == (entries, 0)
    for length in (0, 1, whole.index(b"\n"), whole.index(b"\n") + 1, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        again, more = _built(tmp_path, 3)
        assert again == entries
        assert more == searched - max(0, whole[:length].count(b"\n") - 1)
        assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())
    further, more = _built(tmp_path, 5)
    assert further == _built(tmp_path / "fresh", 5)[0]
    assert 0 < more < _built(tmp_path / "other", 5)[1]


def test_a_build_that_is_killed_goes_on(tmp_path: Path) -> None:
    command = ["book", "build", "--positions", "40", "--nodes", "20000", "--folder", str(tmp_path)]
    script = "import sys; from damier.cli import main; sys.exit(main())"
    file = tmp_path / "leaves.txt"
    with subprocess.Popen([sys.executable, "-c", script, *command]) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (file.exists() and file.read_bytes().count(b"\n") > 10):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        process.wait()
    kept = file.read_bytes()
    assert not (tmp_path / "opening.book").exists()
    with Leaves(file, 20_000) as leaves:
        assert len(leaves) >= 10
        book = Expansion(leaves.values)
        book.grow()
        assert leaves.searched == 0
    assert file.read_bytes() == kept[: kept.rindex(b"\n") + 1]


def test_a_file_that_is_another_one(tmp_path: Path) -> None:
    file = tmp_path / "leaves.txt"
    _built(tmp_path, 1)
    whole = file.read_bytes()
    with pytest.raises(BadBook) as error, Leaves(file, 301):
        pass
    assert error.value.code == "other"
    for contents in (b"\n", b"{}\n", b"[1]\n", b"[" * 100_000 + b"\n", b"a letter to mother", b"\xff\n"):
        file.write_bytes(contents)
        with pytest.raises(BadBook) as error, Leaves(file, 300):
            pass
        assert error.value.code == "format"
        assert file.read_bytes() == contents
    for line in (b"", b"1f", b"1f 2 3", b"xyz 3", b"1f 1.5"):
        file.write_bytes(whole + line + b"\n1f 3\n")
        with pytest.raises(BadBook) as error, Leaves(file, 300):
            pass
        assert (error.value.code, error.value.facts["line"]) == ("contents", whole.count(b"\n") + 1)
