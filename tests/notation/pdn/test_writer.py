"""PDN as it is written: by the standard's rules, and so that reading it gives the same game again."""

from __future__ import annotations

import inspect
import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damier import Board
from damier.notation.pdn import (
    Evaluation,
    GameNode,
    PdnGame,
    PdnWriter,
    TreeBuilder,
    UnwritablePdn,
    dumps,
    loads,
    read,
    scan,
    write,
)
from damier.notation.pdn.bounds import LONGEST_COMMENT, LONGEST_TAG
from tests.notation.games import contents, games, unhurried
from tests.notation.pdn.samples import SAMPLES, needs_samples

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "vectors/notation.json").read_text())
ROUND = "W:WK47:B14,19,29,31,42"


def moves_of(game: PdnGame, columns: int | None = None) -> str:
    """What is written after the tags."""
    return write(game, columns=columns).split("\n\n")[-1].removesuffix("\n")


@unhurried
@given(games(), st.one_of(st.none(), st.integers(1, 100)))
def test_what_is_written_is_read_as_the_same_game(game: PdnGame, columns: int | None) -> None:
    text = write(game, columns=columns)
    (again,) = loads(text)
    assert again.errors == []
    assert contents(again) == contents(game)
    assert write(again, columns=columns) == text


@settings(unhurried, max_examples=20)
@given(st.lists(games(most=5), max_size=4))
def test_what_is_written_is_read_as_the_same_games(several: list[PdnGame]) -> None:
    text = dumps(several)
    again = loads(text)
    assert list(map(contents, again)) == list(map(contents, several))
    assert [game.number for game in again] == list(range(1, len(several) + 1))
    file = io.StringIO()
    assert scan(io.StringIO(text), PdnWriter(file)) == len(several)
    assert file.getvalue() == text


@needs_samples
@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*.pdn")))
def test_real_games_are_written_and_read_again(name: str) -> None:
    for game in read(SAMPLES / name):
        if game.skipped is not None:
            continue
        text = write(game)
        (again,) = loads(text)
        assert write(again) == text
        if any(error.code == "bad_fen" for error in game.errors):
            continue  # the tag is written as it was, and read with the same error
        assert again.errors == []
        # The result takes another form, and its tag is there even if it was told after the moves only; a FEN that
        # left the side to move open is told whole.
        assert again.points == game.points
        result = again.result
        for told in ("Result", *(["FEN"] if game.tags.get("FEN", "").startswith("?") else [])):
            game.tags.pop(told, None)
            again.tags.pop(told, None)
        game.result = again.result = result
        assert contents(again) == contents(game)


@settings(unhurried, max_examples=40)
@given(games())
def test_no_line_is_longer_than_it_must_be(game: PdnGame) -> None:
    game.tags.clear()
    for line in write(game, columns=60).splitlines():
        # What cannot be broken: a setup, and what would look like a tag or a line comment at the beginning of a line.
        if len(line) > 60 and "/FEN" not in line:
            assert any(word[0] in "%;[" for word in line.split(" ")[1:]) or len(line.split(" ")) == 1


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["fen"])
def test_captures_are_in_full_where_they_are_ambiguous(vector: dict[str, Any]) -> None:
    board = Board(vector["fen"])
    legal = {(move.from_square, move.to_square, move.captured): move for move in board.legal_moves}
    number = "1." if vector["fen"][0] == "W" else "1..."
    for facts in vector["moves"]:
        game = PdnGame(board=board)
        game.root.attach(legal[facts["from"], facts["to"], tuple(facts["captured"])])
        allowed = facts["long"] if facts["ambiguous"] else [facts["short"]]
        assert moves_of(game) in [f"{number} {text} *" for text in allowed]


def test_a_whole_game() -> None:
    game = PdnGame(
        {"Annotator": 'A "B" C', "Result": "1/2-1/2", "Black": "Bram", "Event": "", "White": "Anna", "GameType": "20"}
    )
    game.root.comments.append("A short game.")
    first = game.root.add_main("32-28")
    first.nags.extend([1, 7])
    first.clock = 3599.5
    second = first.add_main("19-23")
    second.nags.append(6)
    third = second.add_main("28x19")
    other = first.add_variation("17-22")
    other.comments_before.append("Or:")
    other.add_main("28x17").add_main("11x22")
    first.add_variation("18-23").evaluation = Evaluation(men=-0.1)
    third.comments_before.append("And now")
    third.add_main("14x23")
    assert write(game, columns=None) == (
        '[Event ""]\n[White "Anna"]\n[Black "Bram"]\n[Result "1-1"]\n[Annotator "A \\"B\\" C"]\n[GameType "20"]\n\n'
        "{A short game.} 1. 32-28! $7 {[%clk 0:59:59.5]} 1... 19-23?! ({Or:} 1... 17-22 2. 28x17 11x22) "
        "(1... 18-23 {[%eval -0.1]}) {And now} 2. 28x19 14x23 *\n"
    )


@pytest.mark.parametrize(
    ("result", "kind", "written"),
    [
        ("1-0", None, "2-0"),
        ("2-0", "20", "2-0"),
        ("0-1", "20,W,10,10,N2,0", "0-2"),
        ("1/2-1/2", "27", "1-1"),
        ("0-0", None, "0-0"),
        ("2-0", "40", "1-0"),
        ("1-1", "25", "1/2-1/2"),
        ("0-2", "40", "0-1"),
    ],
)
def test_results_have_the_form_of_the_kind_of_game(result: str, kind: str | None, written: str) -> None:
    game = PdnGame()
    if kind is not None:
        game.tags["GameType"] = kind
    game.result = result
    assert f'[Result "{written}"]\n' in write(game)
    # Results are not repeated after the moves.
    assert write(game).endswith("*\n")


def test_an_open_result() -> None:
    game = PdnGame({"Result": "2-0"})
    game.result = "*"
    assert '[Result "*"]' in write(game)
    assert "Result" not in write(PdnGame())


def test_numbers_of_black_moves() -> None:
    game = PdnGame(board=Board("B:W31-50:B1-20"))
    first = game.root.add_main("20-25")
    first.add_line(["31-27", "15-20"])
    game.root.add_variation("19-23").comments.append("or")
    assert moves_of(game) == "1... 20-25 (1... 19-23 {or}) 2. 31-27 15-20 *"
    first.comments.append("hm")
    next(first.main_line()).nags.append(9)
    assert moves_of(game) == "1... 20-25 {hm} (1... 19-23 {or}) 2. 31-27 $9 15-20 *"


def test_strengths_are_signs_only_right_behind_the_move() -> None:
    game = PdnGame()
    node = game.root.add_main("32-28")
    node.nags.extend([10, 1, 2])
    assert moves_of(game) == "1. 32-28 $10 $1 $2 *"
    node.nags[:] = [5, 1, 0, 999_999_999]
    assert moves_of(game) == "1. 32-28!? $1 $0 $999999999 *"
    game.root.nags.append(3)
    assert moves_of(game).startswith("$3 1. 32-28!?")


def test_positions_set_up_in_the_body() -> None:
    game = PdnGame()
    jump = game.root.add_main("32-28").add_setup("W:WK46:BK5")
    jump.add_line(["46-41"])
    game.root.variations[0].add_variation("19-23")
    with pytest.raises(UnwritablePdn) as caught:
        write(game)
    assert caught.value.code == "variation"
    game.root.variations[0].variations[1].remove()
    assert moves_of(game) == '1. 32-28 /FEN "W:WK46:BK5"/ 2. 46-41 *'
    # The first in a body would be the start of the game: where a jump comes first, the start is told too.
    game.root.variations[0].remove()
    game.root.add_setup("W:WK46:BK5")
    assert moves_of(game) == '/FEN "W:W31-50:B1-20"/ /FEN "W:WK46:BK5"/ *'
    # So it is where the tags tell another start.
    other = PdnGame(board=Board("W:WK46:BK5"))
    assert write(other) == '[FEN "W:WK46:BK5"]\n\n*\n'
    del other.tags["FEN"]
    assert write(other) == '/FEN "W:WK46:BK5"/ *\n'
    other.tags["FEN"] = "nonsense"
    assert write(other) == '[FEN "nonsense"]\n\n/FEN "W:WK46:BK5"/ *\n'


def test_a_tag_that_leaves_the_side_to_move_open() -> None:
    (game,) = loads('[FEN "?:W31:B20"] 1... 20-24 *')
    assert write(game) == '[FEN "B:W31:B20"]\n\n1... 20-24 *\n'


def test_a_game_without_anything() -> None:
    assert write(PdnGame()) == '/FEN "W:W31-50:B1-20"/ *\n'
    assert write(PdnGame({"Event": "E"})) == '[Event "E"]\n\n*\n'
    assert dumps([]) == ""


def test_lines_break_between_words() -> None:
    game = PdnGame()
    node = game.root.add_main("32-28")
    node.comments.append("one two % three [Event four ;five six")
    node.clock = 5
    node.add_main("19-23")
    game.root.add_variation("33-29")
    assert moves_of(game, columns=20) == (
        "1. 32-28\n{[%clk 0:00:05] one\ntwo % three [Event\nfour ;five six} (1.\n33-29) 1... 19-23 *"
    )
    assert moves_of(game, columns=1).split("\n")[3:6] == ["one", "two %", "three [Event"]
    for columns in (0, -5):
        with pytest.raises(ValueError, match="at least one column"):
            write(game, columns=columns)


def test_blanks_in_comments() -> None:
    game = PdnGame()
    node = game.root.add_main("32-28")
    node.comments.extend([" a\n\n b\t", "", " \n", "c\u00a0d"])
    assert moves_of(game) == "1. 32-28 {a b} {c\u00a0d} *"


@pytest.mark.parametrize("value", ['"', "\\", '\\"', '"\\', "\\\\", 'a"b\\\\"c', "C:\\games", "\\n", "é½\u2028"])
def test_signs_in_tags(value: str) -> None:
    game = PdnGame({"Event": value})
    assert loads(write(game))[0].tags == {"Event": value}


def test_a_lone_backslash_means_itself() -> None:
    assert write(PdnGame({"Event": "C:\\games"})).startswith('[Event "C:\\games"]\n')


@pytest.mark.parametrize("value", ["a\nb", "\r", "\0", "\x7f", "\ud800"])
def test_tag_values_that_cannot_be_written(value: str) -> None:
    with pytest.raises(UnwritablePdn) as caught:
        write(PdnGame({"Event": value}))
    assert (caught.value.code, caught.value.token) == ("tag_value", value)
    assert "Event" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).code == "tag_value"


@pytest.mark.parametrize("name", ["", "9", "A b", "É", "A-b", "A\n", 'A"', "_a", "Event]"])
def test_tag_names_that_cannot_be_written(name: str) -> None:
    with pytest.raises(UnwritablePdn) as caught:
        write(PdnGame({name: "x"}))
    assert caught.value.code == "tag_name"


def test_tag_names_are_spelled_as_the_standard_does() -> None:
    assert write(PdnGame({"apertura": "x", "white": "y"})).startswith('[White "y"]\n[Apertura "x"]\n')


@pytest.mark.parametrize("text", ["}", "a } b", "\ud800"])
def test_comments_that_cannot_be_written(text: str) -> None:
    for place in ("comments", "comments_before"):
        game = PdnGame()
        getattr(game.root.add_main("32-28"), place).append(text)
        with pytest.raises(UnwritablePdn) as caught:
            write(game)
        assert caught.value.code == "comment"
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("sign", ["!", "?", "!!", "??", "!?", "?!"])
@pytest.mark.parametrize("clock", [None, 60.0])
def test_a_comment_that_would_be_read_as_a_strength_cannot_be_written(sign: str, clock: float | None) -> None:
    game = PdnGame()
    node = game.root.add_main("32-28")
    node.comments.append(sign)
    node.clock = clock
    with pytest.raises(UnwritablePdn, match="as the strength of the move") as caught:
        write(game)
    assert (caught.value.code, caught.value.token) == ("comment", sign)
    node.comments.insert(0, "a")
    node.comments[1] += " a"
    (again,) = loads(write(game))
    assert contents(again) == contents(game)


def test_what_is_longer_than_can_be_read_cannot_be_written() -> None:
    game = PdnGame({"Event": "x" * (LONGEST_TAG - len('[Event ""]'))})
    game.root.comments.append("y" * (LONGEST_COMMENT - 1))
    for columns in (80, None):
        (again,) = loads(write(game, columns=columns))
        assert not again.errors
        assert contents(again) == contents(game)
    game.tags["Event"] += "x"
    with pytest.raises(UnwritablePdn) as caught:
        write(game)
    assert (caught.value.code, len(str(caught.value)) < 200) == ("too_long", True)
    game.tags["Event"] = "\\" * (LONGEST_TAG // 2)  # each is written as two
    with pytest.raises(UnwritablePdn):
        write(game)
    del game.tags["Event"]
    game.root.comments[0] += "y"
    with pytest.raises(UnwritablePdn) as caught:
        write(game)
    assert (caught.value.code, len(str(caught.value)) < 200) == ("too_long", True)


@pytest.mark.parametrize("rules", ["official", "leaflet", "classic", "club"])
def test_rules_that_are_not_the_official_ones_stand_in_a_tag(rules: str) -> None:
    game = PdnGame({"White": "Anna"}, rules=rules)
    game.root.add_line(["32-28", "19-23"])
    text = write(game)
    assert (f'[Rules "{rules}"]' in text) == (rules != "official")
    (again,) = loads(text)
    assert (again.rules.name, again.errors) == (rules, [])
    assert write(again) == text
    assert PdnGame(again.tags).rules.name == rules
    tagged = PdnGame({"Rules": "club"}, rules=rules)
    assert loads(write(tagged))[0].rules.name == rules


def test_a_capture_that_only_the_club_knows_is_legal_where_the_tag_says_so() -> None:
    fen = "W:W12:B8,9,19"
    game = PdnGame(board=Board(fen, "club"))
    move = game.board().parse("12x46")
    assert move not in Board(fen).legal_moves
    game.root.add_main(move)
    (again,) = loads(write(game))
    assert (again.errors, again.end().move) == ([], move)
    (without,) = loads(write(game).replace("[Rules", "[Remark"))
    assert [error.code for error in without.errors] == ["illegal_move"]
    (home,) = loads('[Rules "as at home"] 1. 32-28 *')
    assert home.rules.name == "official"
    assert '[Rules "as at home"]' in write(home)


@pytest.mark.parametrize("number", [-1, 10**9])
def test_nags_that_cannot_be_written(number: int) -> None:
    game = PdnGame()
    game.root.add_main("32-28").nags.append(number)
    with pytest.raises(UnwritablePdn) as caught:
        write(game)
    assert caught.value.code == "nag"


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_times_that_cannot_be_written(seconds: float) -> None:
    for name in ("clock", "opponent_clock", "elapsed"):
        game = PdnGame()
        setattr(game.root.add_main("32-28"), name, seconds)
        with pytest.raises(ValueError, match="number of seconds"):
            write(game)


@pytest.mark.parametrize("men", [float("nan"), float("inf"), 1e9])
def test_evaluations_that_cannot_be_written(men: float) -> None:
    game = PdnGame()
    game.root.add_main("32-28").evaluation = Evaluation(men=men)
    with pytest.raises(ValueError, match="number of men"):
        write(game)


def shuttle(plies: int) -> PdnGame:
    """A long game of two kings, under rules without draws."""
    game = PdnGame(board=Board("W:WK46:BK1", rules="classic"))
    game.root.add_line(["46-41", "1-6", "41-46", "6-1"][ply % 4] for ply in range(plies))
    return game


def deep(levels: int) -> PdnGame:
    """Variations within variations: the second move of each replaced by another."""
    game = shuttle(2 * levels)
    board = game.board()
    node = game.root
    for main in list(game.main_line()):
        other = next(move for move in board.legal_moves if move != main.move)
        assert main.move is not None
        if node.ply % 2:
            node.attach(other).promote_to_main()  # so that the long line goes on in a variation
        node = main
        board.push(main.move)
    return game


def test_ten_thousand_plies() -> None:
    game = shuttle(10_000)
    (again,) = loads(write(game), rules="classic")
    assert again.errors == []
    assert contents(again) == contents(game)


def test_variations_in_one_another() -> None:
    game = deep(150)
    (again,) = loads(write(game), rules="classic")
    assert again.errors == []
    assert contents(again) == contents(game)
    text = moves_of(deep(10_000))
    assert text.count("(") == text.count(")") == 10_000
    assert text.endswith(")" * 10_000 + " *")


# --- Results ------------------------------------------------------------------------------------------------------


def test_a_game_has_one_result() -> None:
    game = PdnGame({"Result": "*"})
    game.result = "2-0"
    assert game.tags["Result"] == "2-0"
    game.tags["Result"] = "0-2"
    assert (game.result, game.points) == ("0-2", (0, 2))
    assert '[Result "0-2"]' in write(game)
    untagged = PdnGame()
    untagged.result = "1-1"
    assert (untagged.tags, untagged.result) == ({}, "1-1")
    untagged.tags["Result"] = "2-0"
    assert untagged.result == "2-0"
    assert '[Result "2-0"]' in write(untagged)


def test_a_result_after_the_moves_is_taken_into_the_tag() -> None:
    (game,) = loads('[Result "0-2"] 1. 32-28 2-0')
    assert (game.tags["Result"], game.result) == ("2-0", "2-0")
    (game,) = loads('[Result "1/2-1/2"] 1. 32-28 1-1')
    assert (game.tags["Result"], game.result) == ("1/2-1/2", "1/2-1/2")


@pytest.mark.parametrize("result", ["banana", "3", "2-0!", "won"])
@pytest.mark.parametrize("tags", [{}, {"Result": "*"}])
def test_what_is_no_result_is_not_written(result: str, tags: dict[str, str]) -> None:
    game = PdnGame(tags)
    game.result = result
    with pytest.raises(ValueError, match="2-0, 1-1, 0-2") as refused:
        dumps([game])
    assert isinstance(refused.value, UnwritablePdn)
    assert (refused.value.code, refused.value.token) == ("result", result)


@pytest.mark.parametrize("result", ["*", "?", "", "4-6", "2-0", "½-½"])
def test_results_open_unknown_and_of_matches_are_written(result: str) -> None:
    assert write(PdnGame({"Result": result})).startswith("[Result ")


def test_help_tells_what_attributes_are() -> None:
    from damier.game import Game

    for kind, name in [
        *((PdnGame, name) for name in ("tags", "root", "number", "errors", "skipped", "result")),
        *((GameNode, name) for name in ("parent", "move", "ply", "variations")),
        *((Game, name) for name in ("origin", "events", "result")),
        (PdnWriter, "text"),
        (TreeBuilder, "game"),
    ]:
        assert inspect.getdoc(getattr(kind, name)), (kind, name)
    assert "2-0" in (inspect.getdoc(write) or "")
    assert "parts the games" in (inspect.getdoc(write) or "")
