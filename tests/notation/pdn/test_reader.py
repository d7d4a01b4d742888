"""The PDN reader: what it tells, in which order, from which sources, and how much memory it takes."""

from __future__ import annotations

import io
import pickle
import tracemalloc
from pathlib import Path

import pytest

import damier
from damier.notation.pdn import BadPdn, Visitor, loads, read, scan, write
from tests.notation.pdn.samples import SAMPLES, needs_samples


class Journal(Visitor):
    """Notes down everything that it is told."""

    def __init__(self, *, wanted: bool = True) -> None:
        self.wanted = wanted
        self.entries: list[str] = []

    def begin_game(self, number: int) -> bool | None:
        self.entries.append(f"game {number}")
        return self.wanted

    def tag(self, name: str, value: str) -> None:
        self.entries.append(f"{name}={value}")

    def begin_moves(self, board: damier.Board) -> None:
        self.entries.append(f"from {board.fen()}")

    def skipped(self, note: BadPdn) -> None:
        self.entries.append(f"skipped {note.code}")

    def move(self, board: damier.Board, move: damier.Move, text: str) -> None:
        assert move in board.legal_moves
        self.entries.append(text)

    def comment(self, text: str) -> None:
        self.entries.append("{" + text + "}")

    def nag(self, number: int) -> None:
        self.entries.append(f"${number}")

    def begin_variation(self) -> None:
        self.entries.append("(")

    def end_variation(self) -> None:
        self.entries.append(")")

    def setup(self, board: damier.Board) -> None:
        self.entries.append(f"setup {board.fen()}")

    def result(self, text: str) -> None:
        self.entries.append(text)

    def error(self, error: BadPdn) -> None:
        self.entries.append(f"error {error.code} {error.token}")

    def end_game(self) -> None:
        self.entries.append("end")


def told(text: str, *, wanted: bool = True) -> list[str]:
    journal = Journal(wanted=wanted)
    scan(io.StringIO(text), journal)
    return [entry for entry in journal.entries if not entry.startswith("from W:W31-50")]


def test_everything_is_told_in_the_order_of_the_file() -> None:
    text = '[White "A"] {before} 1. 32-28! {why} (1. 33-28 $9 (1. 34-29) 18-22) 19-23 /FEN "W:W28:B1"/ 2. 28-23 2-0'
    assert told(text) == [
        "game 1", "White=A", "{before}", "32-28", "$1", "{why}", "(", "33-28", "$9", "(", "34-29", ")", "18-22", ")",
        "19-23", "setup W:W28:B1", "28-23", "2-0", "end",
    ]  # fmt: skip


def test_a_game_that_is_not_wanted_has_tags_and_a_result_only() -> None:
    assert told('[White "A"] 1. 32-28 (1. 2-0) nonsense {1-1} 2-0', wanted=False) == [
        "game 1", "White=A", "2-0", "end",
    ]  # fmt: skip


def test_after_an_error_the_rest_of_the_variation_is_left_out_and_the_game_goes_on() -> None:
    assert told("1. 32-28 (1. 33-28 33-28 {lost} (1. 1-2) 2. 39-33) 19-23 2. 28-22 (2. 33-29) {lost} 18x27 1-1") == [
        "game 1", "32-28", "(", "33-28", "error illegal_move 33-28", ")", "19-23", "error illegal_move 28-22", "1-1",
        "end",
    ]  # fmt: skip


def test_a_comment_on_the_line_of_the_result_belongs_to_the_game() -> None:
    assert told("1. 32-28 1-0 {on the line}\n{of the next} 1. 33-28 *")[1:] == [
        "32-28", "1-0", "{on the line}", "end", "game 2", "{of the next}", "33-28", "*", "end",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "token"),
    [
        ("1. 32-28 and now", "unreadable", "and"),
        ("1. c3-d4 *", None, None),
        ('[GameType "20"] 1. c3-d4 *', "lettered", "c3-d4"),
        ("1. 32x28 *", "illegal_move", "32x28"),
        ("1. - - 2. 33-29 *", "unknown_move", "- -"),
        ("1. 32-28 - - (1... 19-23) *", "unknown_move", "- -"),
        ("1. 32-28 { a { b } 19-23 } 2. 28x19 *", "nested_comment", "}"),
        ("1. 32-28 { a { b } {c} } 19-23 *", "nested_comment", "}"),
        ("1. 32-99 *", "illegal_move", "32-99"),
        ("( 1. 32-28 ) 1. 33-28", "replaces_nothing", "("),
        ("1. 32-28 ) 19-23", "closes_nothing", ")"),
        ("1. 32-28 ( 1. 33-28", "unclosed_variation", "("),
        ("1. 32-28 } 19-23", "unreadable", "}"),
        ("1. 32-28 [better] 19-23", "unreadable", "[better] 19-23"),
        ("[White no end\n1. 32-28", "bad_tag", "[White no end"),
        ('[FEN "W:W61:B1"]\n1. 32-28', "bad_fen", "W:W61:B1"),
        ("{ never closed", "unclosed_comment", "{"),
        ("1. 32-28" + "(1. 33-28" * 10_001, "too_deep", "("),
    ],
)
def test_what_is_wrong_is_named(text: str, code: str | None, token: str | None) -> None:
    [game] = loads(text)
    found = [(error.code, error.token) for error in game.errors]
    if code is None:
        assert found == []
        assert game.skipped is not None
        return
    assert (code, token) in found
    with pytest.raises(BadPdn):
        loads(text, strict=True)


def test_a_move_left_open_ends_the_line_without_an_error() -> None:
    assert told("1. 32-28 - - {[%clk 0:05:00] lost} $3 2. - - /FEN \"W:W28:B1\"/ 3. 28-23 *") == [
        "game 1", "32-28", "{- -}", "{lost}", "setup W:W28:B1", "28-23", "*", "end",
    ]  # fmt: skip
    assert told('[Result "4-6"] 1. 32-28 (1. - -) 19-23 2. - - 4-6') == [
        "game 1", "Result=4-6", "32-28", "(", "{- -}", ")", "19-23", "{- -}", "4-6", "end",
    ]  # fmt: skip


def test_the_error_for_moves_after_an_open_one_stands_where_that_is() -> None:
    [game] = loads("1. 32-28\n  - -\n2. 33-29")
    assert [(error.code, error.line, error.column, error.ply) for error in game.errors] == [("unknown_move", 2, 3, 2)]


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("{ a { b } c }", "a ( b ) c"),
        ("{ a { b { c } } }", "a ( b ( c ) )"),
        ("{{a}}", "(a)"),
        ("{ a { b \n } 1) }", "a ( b ) 1)"),
    ],
)
def test_a_comment_may_hold_comments_whose_braces_balance(text: str, comment: str) -> None:
    [game] = loads(f"1. 32-28 {text} 19-23 2-0")
    assert (game.errors, game.end().ply) == ([], 2)
    assert game.root.variations[0].comments == [comment]
    assert write(loads(write(game))[0]) == write(game)


def test_what_a_move_has_that_cannot_be_played_goes_to_no_other() -> None:
    [game] = loads("1. 32-28 (1. {[%eval 0.3][%clk 0:05:00] said} $3 33-99 {[%eval 2]}) 19-23 (1... {[%eval 1]})")
    [again] = loads(write(game))
    for each in (game, again):
        for node in each.root.descendants():
            assert (node.clock, node.evaluation, list(node.nags)) == (None, None, [])
        assert each.root.variations[0].comments == ["said"]
        assert each.end().comments == []


def test_moves_go_on_after_a_setup_though_those_before_it_were_wrong() -> None:
    assert told('[FEN "W:W99:B1"] 1. 32-28 {lost} /FEN "W:W28:B1"/ 1. 28-23 *')[2:] == [
        "error bad_fen W:W99:B1", "from W:W28:B1", "28-23", "*", "end",
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["nl", "fr", "de", "en"])
def test_an_error_says_its_place_and_its_reason_in_every_language(language: str) -> None:
    [game] = loads("1. 32-28 19-23\n2. 28x18 *")
    [error] = game.errors
    assert (error.line, error.column, error.ply, error.game) == (2, 4, 3, 1)
    assert "28x18" in error.sentence(language)
    assert error.cause is not None
    assert error.cause.sentence(language) in error.sentence(language)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_file_goes_on_after_a_comment_that_nobody_closed() -> None:
    text = '1. 32-28 { open\n[Event "in it"]\n1. 33-29 { closed } 2-0'
    assert [game.end().ply for game in loads(text)] == [1, 1]
    quoted = '1. 32-28 { a tag is written so:\n[Event "in it"]\nas you see } 19-23 2-0'
    assert [game.end().ply for game in loads(quoted)] == [2]


# --- Sources ------------------------------------------------------------------------------------------------------

PLAYED = '[White "Pärn – 1½"]\r\n1. 32-28 19-23\r\n{ über } 2-0\r\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings_are_told_apart(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_bytes(PLAYED.encode(encoding))
    for source in (path, str(path), io.BytesIO(PLAYED.encode(encoding))):
        [game] = read(source)
        assert game.tags["White"] == "Pärn – 1½"
        assert game.end().comments == ["über"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("piece", [1, 2, 3, 5])
def test_it_does_not_matter_in_which_pieces_the_bytes_come(encoding: str, piece: int) -> None:
    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return super().read1(piece)

    [game] = read(Slow(PLAYED.encode(encoding)))
    assert game.tags["White"] == "Pärn – 1½"
    assert (game.end().ply, game.result) == (2, "2-0")


def test_a_file_pasted_into_one_of_another_encoding_is_read_too() -> None:
    data = '[White "Zoë"] 1. 32-28 2-0 '.encode() + '[White "Zoë"] 1. 32-28 2-0'.encode("cp1252")
    assert [game.tags["White"] for game in read(io.BytesIO(data))] == ["Zoë", "Zoë"]


@pytest.mark.parametrize("text", ["", " \n", "%\n", "{only a comment}", "\ufeff"])
def test_a_source_without_a_game_has_none(text: str) -> None:
    assert loads(text) == []


def test_a_file_opened_by_its_path_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_text("1. 32-28 * 1. 33-28 *")
    games = read(path)
    next(games)
    games.close()  # pyright: ignore[reportAttributeAccessIssue]  # an iterator of this kind can be closed
    with pytest.raises(FileNotFoundError):
        next(read(tmp_path / "none.pdn"))


def test_lines_are_counted_across_the_pieces_of_a_long_file() -> None:
    text = "1. 32-28 { a line\n of talk } 19-23 *\n" * 5_000 + "1. 32-27\n"
    errors = [error for game in read(io.StringIO(text)) for error in game.errors]
    assert errors == []
    journal = [error for game in read(io.StringIO(text + "  1. 32-33")) for error in game.errors]
    assert [(error.line, error.column) for error in journal] == [(10_002, 6)]


def test_memory_stays_flat(tmp_path: Path) -> None:
    path = tmp_path / "many.pdn"
    game = '[White "A"]\n[Black "B"]\n1. 32-28 19-23 2. 28x19 14x23 { a comment } (2... 13x24) 3. 37-32 2-0\n\n'
    path.write_text(game * 6_000)

    tracemalloc.start()
    try:
        assert scan(path, Visitor()) == 6_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 400_000


# --- Real files ---------------------------------------------------------------------------------------------------


@needs_samples
def test_every_international_game_of_the_sample_files_is_legal_to_its_end() -> None:
    games = plies = 0
    wrong: list[BadPdn] = []
    for path in sorted(SAMPLES.glob("*.pdn")):
        for game in read(path):
            played = sum(node.move is not None for node in game.main_line())
            games += played > 0
            plies += played
            wrong += [error for error in game.errors if error.code != "bad_fen"]
    assert wrong == []
    assert games >= 352
    assert plies >= 19_200


@needs_samples
def test_the_sample_files_read_the_same_in_small_pieces_of_their_text() -> None:
    class Slow(io.StringIO):
        def read(self, size: int | None = -1, /) -> str:
            return super().read(97)

    for name in ("wiegerw-pdn__succeed__schildpad.pdn", "wiegerw-pdn__succeed__nk_ronde_01.pdn"):
        text = (SAMPLES / name).read_text(encoding="utf-8")
        whole, pieces = Journal(), Journal()
        assert scan(io.StringIO(text), whole) == scan(Slow(text), pieces)
        assert whole.entries == pieces.entries


def test_a_variation_that_nobody_closes_does_not_take_the_next_game_along() -> None:
    games = loads("1. 32-28 (33-28 1-0\n\n1. 33-28 (31-27) 19-23 1-0\n\n1. 34-28 *\n")
    assert [game.end().ply for game in games] == [1, 2, 0]
    assert [game.result for game in games] == ["1-0", "1-0", "*"]
    assert [[error.code for error in game.errors] for game in games] == [["unclosed_variation"], [], ["illegal_move"]]
    (whole,) = loads("1. 32-28 (33-28 1-0\n1... 18-23) 18-22 1-1")
    assert (whole.end().ply, whole.result, whole.errors) == (2, "1-1", [])
