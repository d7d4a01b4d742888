"""``damier book``, and playing with and without one."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from damier import Board
from damier.engine import LEVELS, Book, Engine, choose
from damier.engine.book import margin_of
from tests.cli.command import complaint, lines

if TYPE_CHECKING:
    from pathlib import Path


def test_a_book_is_built_gone_on_with_and_shown(tmp_path: Path) -> None:
    build = ("book", "build", "--nodes", "200", "--folder", str(tmp_path), "--positions")
    file = tmp_path / "opening.book"
    assert lines(*build, "3")[0].startswith("3 positions, ")
    first = Book.read(file)
    assert lines(*build, "3") == [f"3 positions, 0 searches more: {file}"]
    assert Book.read(file).entries == first.entries
    lines(*build, "8", "--jobs", "2")
    book = Book.read(file)
    assert (len(book), book.recipe["nodes"]) == (8, 200)
    assert first.entries.keys() < book.entries.keys()
    best, score = book.moves(Board())[0]
    said = lines("book", "show", "--file", str(file))
    assert said[0].startswith(f"{score}  1. {best}")
    assert len(said) == len(book.moves(Board()))
    told = json.loads(lines("book", "show", "--file", str(file), "--json")[0])
    assert told["moves"][0] == {"move": str(best), "score": str(score)}
    assert told["fen"] == "W:W31-50:B1-20"
    assert "other settings" in complaint(*build[:3], "201", *build[4:], "3")


def test_the_book_of_the_package_after_some_moves() -> None:
    best, _ = Book.default().moves(Board())[0]
    board = Board()
    board.push(best)
    assert len(lines("book", "show", str(best))) == len(Book.default().moves(board))


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    assert "not among" in complaint("book", "show", "34-29 19-23 40-34 23-28")
    assert complaint("book", "show", "32-29")
    assert "No such file" in complaint("book", "show", "--file", str(tmp_path / "none.book"))
    (tmp_path / "odd.book").write_text("no book")
    assert "is no opening book" in complaint("book", "show", "--file", str(tmp_path / "odd.book"))
    assert complaint("book", "build", "--positions", "0", status=2)
    assert complaint("book", "build", "--breadth", "0", status=2)


def test_play_uses_the_book_unless_it_is_told_not_to() -> None:
    level, opened = 1, set[tuple[str, str]]()
    for seed in range(5):
        bits = Random(seed).getrandbits(32)
        by_book = Book.default().choose(Board(), margin_of(level, len(LEVELS)), bits)
        expected = str(by_book), str(choose(Engine(hash_mb=16), Board(), level, bits))
        game = ("play", "--color", "black", "--level", str(level), "--seed", str(seed))
        played = tuple(_first_move(lines(*game, *options, typed="quit\n")) for options in ((), ("--no-book",)))
        assert played == expected
        opened.add(expected)
    assert any(with_book != without for with_book, without in opened)
    assert len({with_book for with_book, _ in opened}) > 1  # a low level varies


def _first_move(said: list[str]) -> str:
    return next(line.rsplit(" ", 1)[-1] for line in said if line.startswith("The computer plays "))
