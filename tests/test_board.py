"""Board: a position with its history, as a newcomer would use it."""

from __future__ import annotations

import copy
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

import damier
from damier import AmbiguousMove, BadFen, Board, Color, IllegalMove, Move, Outcome, Piece, perft
from damier.rules import CLUB, OFFICIAL, Rules

START = "W:W31-50:B1-20"


def test_the_start() -> None:
    board = Board()
    assert (board.fen(), board.turn, board.ply, board.moves, board.rules) == (START, Color.WHITE, 0, (), OFFICIAL)
    moves = {str(move) for move in board.legal_moves}
    assert moves == {"31-26", "31-27", "32-27", "32-28", "33-28", "33-29", "34-29", "34-30", "35-30"}
    assert len(board.legal_moves) == 9
    assert board.outcome() is None


def test_pieces_and_squares() -> None:
    board = Board("B:W31,K46:B7,K50")
    assert board[31] == Piece(Color.WHITE)
    assert board[46] == Piece(Color.WHITE, king=True)
    assert board[50] == Piece(Color.BLACK, king=True)
    assert board[32] is None
    assert board.pieces() == (7, 31, 46, 50)
    assert board.pieces(Color.WHITE) == (31, 46)
    assert board.pieces(Color.BLACK, king=True) == (50,)
    assert board.pieces(king=False) == (7, 31)
    for square in (0, 51, -1):
        with pytest.raises(IndexError, match="there is no square"):
            board[square]


def test_push_and_pop_go_there_and_back() -> None:
    board = Board()
    assert board.push("32-28") == Move(32, 28)
    assert board.push(Move(19, 23)) == Move(19, 23)
    capture = board.push("28x19")
    assert (capture.captured, capture.is_capture, capture.paths) == ((23,), True, ((28, 19),))
    assert board.fen() == "B:W19,31,33-50:B1-18,20"
    assert [str(move) for move in board.moves] == ["32-28", "19-23", "28x19"]
    assert board.ply == 3
    assert [board.pop() for _ in range(3)] == [capture, Move(19, 23), Move(32, 28)]
    assert board.fen() == START
    with pytest.raises(IndexError, match="no move to take back"):
        board.pop()


@pytest.mark.parametrize("move", ["32-33", "20-25", "32x28", "junk", Move(32, 23), Move(32, 28, captured=[23])])
def test_an_illegal_move_changes_nothing(move: str | Move) -> None:
    board = Board()
    before = board.position
    with pytest.raises(IllegalMove) as caught:
        board.push(move)
    assert caught.value.fen == START
    assert (board.position, board.ply) == (before, 0)


def test_an_ambiguous_move_changes_nothing() -> None:
    board = Board("W:WK47:B14,19,29,31,42")
    with pytest.raises(AmbiguousMove):
        board.push("47x36")
    assert board.ply == 0
    assert board.push("47x20x36").captured == (14, 29, 31, 42)


def test_a_bad_fen_is_refused() -> None:
    with pytest.raises(BadFen, match="There is no square 51"):
        Board("W:W51:B1")


def test_rule_sets_by_value_and_by_name() -> None:
    assert Board(rules="club").rules is CLUB
    assert Board(rules=CLUB).rules is CLUB
    with pytest.raises(ValueError, match="there is no rule set 'checkers'; there are official"):
        Board(rules="checkers")
    fen = "W:W15:B9,10"
    assert [str(m) for m in Board(fen).legal_moves] == ["15x13"]
    assert sorted(m.to_square for m in Board(fen, "club").legal_moves) == [13, 18, 22, 27, 31, 36]


def test_a_man_is_crowned_at_the_end() -> None:
    board = Board("W:W6:B45")
    move = board.push("6-1")
    assert move.crowned
    assert board[1] == Piece(Color.WHITE, king=True)
    board.pop()
    assert board[6] == Piece(Color.WHITE, king=False)


def test_a_side_without_a_move_has_lost() -> None:
    assert Board("W:W:B1").outcome() == Outcome(Color.BLACK, "no_moves")
    assert Board("W:W46:B41,37").outcome() == Outcome(Color.BLACK, "no_moves")
    assert Board("B:WK1:B").outcome() == Outcome(Color.WHITE, "no_moves")


def test_copies_live_their_own_lives() -> None:
    board = Board(rules="club")
    board.push("32-28")
    for twin in (board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert (twin.fen(), twin.moves, twin.rules, twin.position) == (board.fen(), board.moves, CLUB, board.position)
        twin.push("19-23")
        assert board.ply == 1
        assert twin.pop() == Move(19, 23)


def test_positions_compare_whole() -> None:
    board = Board()
    start = board.position
    board.push("32-28")
    assert board.position != start
    assert len({start, Board().position, Board("B:" + START[2:]).position}) == 2
    board.pop()
    assert hash(board.position) == hash(start)


def test_moves_are_values() -> None:
    assert Move(32, 28) == Board().parse("32-28")
    assert len({Move(32, 28), Move(32, 28), Move(32, 27)}) == 2
    assert Move(47, 36, captured=[42, 14]) == Move(47, 36, captured=(14, 42))
    assert repr(Move(28, 19, captured=[23])) == "Move(28, 19, captured=(23,))"
    for square in (0, 51):
        with pytest.raises(ValueError, match="no square"):
            Move(square, 28)


def test_a_move_survives_pickling_with_its_ways() -> None:
    move = Board("W:W39:B32,33,42,43").legal_moves[0]
    twin = pickle.loads(pickle.dumps(move))
    assert (twin, twin.paths) == (move, move.paths)
    assert len(move.paths) == 2
    assert pickle.loads(pickle.dumps(Move(32, 28))) == Move(32, 28)


@pytest.mark.parametrize("rules", ["official", "leaflet", "classic", "club"])
def test_random_games_go_forth_and_back(rules: str) -> None:
    for seed in range(30):
        source = random.Random(seed)
        board = Board(rules=rules)
        fens: list[str] = []
        while board.ply < 150 and board.outcome() is None:
            fens.append(board.fen())
            move = source.choice(board.legal_moves)
            text = board.notation(move)
            assert board.push(text) == move
            assert Board(board.fen(), rules).position == board.position
        while fens:
            board.pop()
            assert board.fen() == fens.pop()


def test_perft_from_the_start() -> None:
    assert [perft(Board(), depth) for depth in range(6)] == [1, 9, 81, 658, 4265, 27117]


def test_public_names_exist() -> None:
    assert all(hasattr(damier, name) for name in damier.__all__)


def test_every_module_is_reached_from_the_package() -> None:
    modules = [
        *(
            "articles",
            "board",
            "clock",
            "draw.svg",
            "draw.text",
            "engine.levels",
            "errors",
            "events",
            "explain",
            "game",
        ),
        *("i18n", "notation.dxp", "notation.fen", "notation.hub", "notation.json", "notation.moves", "notation.pdn"),
        *("record", "refusals", "rules"),
    ]
    for name in modules:
        package = name.partition(".")[0]
        code = f"import damier; damier.{name}; assert {package!r} in dir(damier), dir(damier)"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert (
            f"damier.{name}" in (damier.__doc__ or "")
            or f"damier.{package}`" in (damier.__doc__ or "")
            or name == "board"
        )
    assert set(damier.__all__) <= set(dir(damier))
    for package in (damier, damier.notation, damier.draw):
        assert not hasattr(package, "nothing")


def test_import_is_light() -> None:
    # What an editable installation has imported before is taken away first, so that it counts if it is asked for again.
    code = """
import sys
heavy = {"asyncio", "collections.abc", "dataclasses", "gettext", "inspect", "json", "litestar", "re", "typing"}
for name in heavy & set(sys.modules):
    del sys.modules[name]
import damier
damier.Board().push(damier.Move(32, 28))
print(sorted(heavy & set(sys.modules)))
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"


@pytest.mark.parametrize("duplicates", [False, True])
def test_a_perft_that_would_take_for_ever_can_be_interrupted(duplicates: bool) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            perft(Board(), 60, duplicates)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.parametrize("depth", [-1, 101, 10**6])
def test_a_perft_that_cannot_be_counted_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="0 to 100"):
        perft(Board("W:WK1:BK50"), depth)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: Board(5),  # pyright: ignore[reportArgumentType]
        lambda: Board(None),  # pyright: ignore[reportArgumentType]
        lambda: Board(rules=None),  # pyright: ignore[reportArgumentType]
        lambda: Board().push(None),  # pyright: ignore[reportArgumentType]
        lambda: Board().notation("32-28"),  # pyright: ignore[reportArgumentType]
        lambda: Board().push(5),  # pyright: ignore[reportArgumentType]
        lambda: Board().pieces("white"),  # pyright: ignore[reportArgumentType]
        lambda: Board()["28"],  # pyright: ignore[reportArgumentType]
        lambda: list(Board()),  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
        lambda: 5 in Board(),  # pyright: ignore[reportOperatorIssue]
        lambda: Move(1, 7, captured="ab"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_a_value_of_the_wrong_type_is_a_type_error(misuse: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        misuse()


@pytest.mark.parametrize("other", [None, 5, "32-28", (32, 28), object()])
def test_a_move_equals_no_other_kind_of_value(other: object) -> None:
    move = Board().legal_moves[0]
    assert (move == other, move != other, other == move) == (False, True, False)
    assert other not in Board().legal_moves


def test_a_board_keeps_its_rules() -> None:
    with pytest.raises(AttributeError):
        Board().rules = CLUB  # pyright: ignore[reportAttributeAccessIssue]


def test_rules_of_ones_own_survive_pickling_and_compare_by_value() -> None:
    mine = Rules("mine", repetition=2, king_moves=3)
    assert mine == Rules("mine", repetition=2, king_moves=3) != Rules("mine", repetition=2)
    board = Board("W:WK46:BK5,K1,K2,K3,K4", rules=mine)
    again = pickle.loads(pickle.dumps(board))
    assert again.rules == mine
    assert again.draw_counts == board.draw_counts
    with pytest.raises(ValueError, match="0 or more"):
        Rules("mine", repetition=-1)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda board: pickle.loads(pickle.dumps(board))])
def test_a_board_shows_itself_alike_after_a_copy(again: Callable[[Board], Board]) -> None:
    assert repr(again(Board())) == repr(Board()) == "Board('W:W31-50:B1-20')"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_move_goes_to_other_processes(protocol: int) -> None:
    for move in (Move(32, 28), *Board("W:WK47:B14,19,29,31,42").legal_moves):
        again = pickle.loads(pickle.dumps(move, protocol))
        assert (again, again.paths) == (move, move.paths)


class NamedBoard(Board):
    name = "nameless"


@pytest.mark.parametrize("again", [copy.copy, Board.copy, lambda board: pickle.loads(pickle.dumps(board))])
def test_a_subclass_is_copied_whole(again: Callable[[Board], Board]) -> None:
    board = NamedBoard()
    board.name = "Ann's"
    board.push("32-28")
    other = again(board)
    assert isinstance(other, NamedBoard)
    assert (other.name, other.moves) == ("Ann's", board.moves)
