"""The opening book: its file, what it answers, and who plays from it."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import Board, Color
from damier.engine import BadBook, Book, Engine, Limit, Score, SearchResult
from damier.engine.book import key_of, margin_of, move_codes, position_of, value_of

if TYPE_CHECKING:
    from pathlib import Path

RULE_SETS = ("official", "leaflet", "classic", "club")
SHIPPED = Book.default()


def _code(board: Board, text: str) -> int:
    return next(code for code, move in move_codes(board).items() if move == board.parse(text))


def _small() -> Book:
    start = Board()
    after = Board()
    after.push("32-28")
    return Book(
        {
            key_of(start): ((_code(start, "32-28"), 10), (_code(start, "31-26"), 6), (_code(start, "34-30"), -20)),
            key_of(after): ((_code(after, "19-23"), -3),),
        },
        {"nodes": 5},
    )


def _turned(board: Board) -> Board:
    """The same with the colours changed and the board turned round."""
    pieces = {
        color: ",".join(
            ("K" if king else "") + str(51 - square)
            for king in (False, True)
            for square in board.pieces(color.opponent, king)
        )
        for color in Color
    }
    return Board(f"{board.turn.opponent.letter}:W{pieces[Color.WHITE]}:B{pieces[Color.BLACK]}")


def _played(seed: int, plies: int) -> Board:
    board, random = Board(), Random(seed)
    for _ in range(plies):
        if not board.legal_moves:
            break
        board.push(random.choice(board.legal_moves))
    return board


# --- Positions and moves as numbers -------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(0, 80))
def test_a_position_and_it_turned_round_are_one(seed: int, plies: int) -> None:
    board = _played(seed, plies)
    turned = _turned(board)
    assert key_of(board) == key_of(turned)
    white = position_of(key_of(board))
    assert white.turn is Color.WHITE
    assert white.position in {board.position, turned.position}
    ours, theirs = move_codes(board), move_codes(turned)
    assert list(ours) == list(theirs)
    assert set(ours.values()) == set(board.legal_moves)
    assert len(ours) == len(board.legal_moves)
    for code, move in ours.items():  # the same code leads to the same position
        after, turned_after = board.copy(), turned.copy()
        after.push(move)
        turned_after.push(theirs[code])
        assert key_of(after) == key_of(turned_after)


@pytest.mark.parametrize("score", [Score.win(1), Score.loss(0), Score.loss(8), Score.centi(-7), -Score.table_win()])
def test_values_are_what_scores_are_made_from(score: Score) -> None:
    assert Score(value_of(score)) == score


# --- Its file -----------------------------------------------------------------------------------------------------------


def _fault(file: Path, contents: bytes) -> str:
    file.write_bytes(contents)
    with pytest.raises(BadBook) as error:
        Book.read(file)
    assert str(file) in str(error.value)
    return error.value.code


def _sealed(rest: bytes, version: str = "1") -> bytes:
    return f"damier opening book {version} {sha256(rest).hexdigest()}\n".encode() + rest


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for book in (_small(), Book({}), SHIPPED):
        book.write(tmp_path / "books" / "one.book")
        read = Book.read(tmp_path / "books" / "one.book")
        assert (read.entries, read.recipe) == (book.entries, book.recipe)
    assert [each.name for each in (tmp_path / "books").iterdir()] == ["one.book"]
    with pytest.raises(FileNotFoundError):
        Book.read(tmp_path / "none.book")


def test_every_cut_and_every_damaged_byte(tmp_path: Path) -> None:
    file = tmp_path / "small.book"
    _small().write(file)
    whole = file.read_bytes()
    codes = {_fault(file, whole[:length]) for length in range(len(whole))}
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        codes.add(_fault(file, bytes(damaged)))
    assert codes == {"format", "version", "checksum"}
    assert _fault(file, whole + b"\0") == "checksum"


def test_files_with_a_true_checksum_that_are_no_book(tmp_path: Path) -> None:
    file = tmp_path / "odd.book"
    header = json.dumps({"positions": 1, "recipe": {}}).encode() + b"\n"
    entry = key_of(Board()).to_bytes(13, "little") + b"\x02" + b"\x01\x00\x05\x00\x02\x00\x05\x00"
    file.write_bytes(_sealed(header + lzma.compress(entry)))
    assert len(Book.read(file)) == 1
    assert _fault(file, _sealed(header, "2")) == "version"
    kings = (1 << 100 | 1).to_bytes(13, "little") + entry[13:]
    worse_first = entry[:14] + b"\x01\x00\x05\x00\x02\x00\x06\x00"
    for head, data in (
        (b"", entry),
        (b"[]\n", entry),
        (b"[" * 100_000 + b"\n", entry),
        (b"\xff\n", entry),
        (b'{"positions": 2, "recipe": {}}\n', entry),
        (b'{"positions": "1", "recipe": {}}\n', entry),
        (header, b""),
        (header, entry[:-1]),
        (header, entry[:13]),
        (header, entry[:13] + b"\0"),
        (header, entry + entry),
        (header, kings),
        (header, worse_first),
    ):
        assert _fault(file, _sealed(head + lzma.compress(data))) == "contents", (head[:40], data)
    assert _fault(file, _sealed(header + b"no xz")) == "contents"


# --- What it answers ----------------------------------------------------------------------------------------------------


def test_moves_are_told_for_either_side_and_every_rule_set() -> None:
    book = _small()
    for rules in RULE_SETS:
        board = Board(rules=rules)
        assert [(str(move), score) for move, score in book.moves(board)] == [
            ("32-28", Score.centi(10)),
            ("31-26", Score.centi(6)),
            ("34-30", Score.centi(-20)),
        ]
        board.push("32-28")
        assert [str(move) for move, _ in book.moves(board)] == ["19-23"]
    turned = Board("B:W31-50:B1-20")
    assert [str(move) for move, _ in book.moves(turned)] == ["19-23", "20-25", "17-21"]
    assert book.moves(Board("W:W31:B20")) == ()
    assert book.choose(Board("W:W31:B20"), 30) is None


def test_a_wide_margin_varies_and_a_narrow_one_does_not() -> None:
    book = _small()
    picked = {
        margin: Counter(str(book.choose(Board(), margin, seed)) for seed in range(300)) for margin in (0, 3, 5, 30)
    }
    assert set(picked[0]) == set(picked[3]) == {"32-28"}
    assert set(picked[5]) == {"32-28", "31-26"}
    assert [move for move, _ in picked[30].most_common()] == ["32-28", "31-26", "34-30"]
    assert picked[30] == Counter(str(book.choose(Board(), 30, Random(seed))) for seed in range(300))
    with pytest.raises(ValueError, match="margin"):
        book.choose(Board(), -1)


def test_low_levels_vary_more() -> None:
    margins = [margin_of(level, 10) for level in range(1, 11)]
    assert margins == sorted(margins, reverse=True)
    assert margins[0] > 5 * margins[-1] > 0
    assert margin_of(1, 1) > 0


def test_the_book_of_the_package() -> None:
    """It is small, every move in it can be played under every rule set, and chance plays differently at both ends."""
    assert sum(each.stat().st_size for each in _package_file()) < 200_000
    for key, entry in SHIPPED.entries.items():
        board = position_of(key)
        legal = move_codes(board)
        assert {code for code, _ in entry} <= set(legal)
        assert set(Board(board.fen(), "club").legal_moves) == set(legal.values())
    sound, varied = (
        len({SHIPPED.choose(Board(), margin_of(level, 8), seed) for seed in range(200)}) for level in (8, 1)
    )
    assert varied > sound >= 1


def _package_file() -> list[Path]:
    from pathlib import Path

    from damier import engine

    return list((Path(engine.__file__).parent / "data").glob("*.book"))


# --- The engine ---------------------------------------------------------------------------------------------------------


def test_an_engine_with_a_book_plays_from_it_at_once() -> None:
    told: list[SearchResult] = []
    engine = Engine(hash_mb=1, book=_small())
    for limit in (Limit(depth=200), Limit(time=1000), Limit(nodes=10**12)):
        found = engine.search(Board(), limit, told.append)
        assert (str(found.best), found.score, found.depth, found.nodes) == ("32-28", Score.centi(10), 0, 0)
        assert found.pv == found.lines[0].moves == (found.best,)
    assert len(told) == 3
    assert engine.search(Board(), Limit(depth=2), multipv=2).depth == 2
    assert engine.search(Board(), Limit(depth=2), ponder=True).depth == 2
    board = Board()
    board.push("31-26")
    assert engine.search(board, Limit(depth=2)).depth == 2


def test_an_engine_searches_unless_it_is_told_to_use_the_book() -> None:
    assert Engine(hash_mb=1).search(Board(), Limit(depth=2)).depth == 2
    assert Engine(hash_mb=1, book=False).search(Board(), Limit(depth=2)).depth == 2
    assert Engine(hash_mb=1, book=True).search(Board(), Limit(depth=2)).depth == 0
