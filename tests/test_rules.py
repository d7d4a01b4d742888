"""The rules, one test each, named after the rule and naming the article or the page that it comes from.

"FMJD" is annex 1 of the federation's rules; the leaflet, the Dutch site's page and the club's page are those of the
rule sets ``leaflet``, ``classic`` and ``club``. A reading is what we made of a place where a document says nothing.
"""

from __future__ import annotations

import inspect
import json
import random
from pathlib import Path
from typing import Any

import pytest

from damier import Board, Color, DrawCount, Move, Outcome, Rules
from damier.explain import explain
from damier.rules import CLASSIC, CLUB, LEAFLET, OFFICIAL, RULE_SETS, by_name
from tests import mailbox
from tests.judged import Judged, cells_of

VECTORS = json.loads((Path(__file__).parent / "vectors" / "draws.json").read_text("utf-8"))

every_rule_set = pytest.mark.parametrize("rules", [rules.name for rules in RULE_SETS])
crowned_at_the_end = pytest.mark.parametrize("rules", ["official", "leaflet", "classic"])


def moves(fen: str, rules: str = "official") -> set[str]:
    """The legal moves as texts; the second generator agrees."""
    board = Board(fen, rules)
    legal = board.legal_moves
    second = mailbox.legal_moves(cells_of(board), board.turn.letter.lower(), rules == "club")
    assert {(move.from_square, move.to_square, move.captured, move.crowned) for move in legal} == second
    return {board.notation(move) for move in legal}


# --- Common ground ------------------------------------------------------------------------------------------------


@every_rule_set
def test_fifty_dark_squares_and_twenty_men_each_and_white_begins(rules: str) -> None:
    """FMJD 2.6, 2.7, 2.8 and 3.3; the leaflet's set-up; both pages."""
    board = Board(rules=rules)
    assert board.turn is Color.WHITE
    assert board.pieces(Color.BLACK, king=False) == tuple(range(1, 21))
    assert board.pieces(Color.WHITE, king=False) == tuple(range(31, 51))
    assert board.pieces(king=True) == ()


@every_rule_set
def test_the_long_diagonal_runs_from_46_to_5(rules: str) -> None:
    """FMJD 2.4 and 2.6.3."""
    along = {f"46-{square}" for square in (41, 37, 32, 28, 23, 19, 14, 10, 5)}
    assert moves("W:WK46:B1", rules) == along


@every_rule_set
def test_a_man_moves_one_square_forward(rules: str) -> None:
    """FMJD 3.4."""
    assert moves("W:W28:B1", rules) == {"28-22", "28-23"}
    assert moves("B:W50:B28", rules) == {"28-32", "28-33"}
    assert moves("W:W26:B1", rules) == {"26-21"}


@every_rule_set
def test_a_man_captures_forward_and_backward(rules: str) -> None:
    """FMJD 4.1 and 4.2."""
    assert moves("W:W28:B22", rules) == {"28x17"}
    assert moves("W:W28:B22,23,32,33", rules) == {"28x17", "28x19", "28x37", "28x39"}
    assert moves("W:W28:B22,17", rules) == {"28-23"}  # the square right behind is held


@every_rule_set
def test_a_king_moves_any_number_of_empty_squares(rules: str) -> None:
    """FMJD 3.9."""
    assert moves("W:WK32,28:B1", rules) >= {"32-27", "32-21", "32-16", "32-37", "32-41", "32-46", "32-38", "32-49"}
    assert "32-23" not in moves("W:WK32,28:B1", rules)


@every_rule_set
def test_a_king_captures_at_any_distance_and_lands_where_it_likes(rules: str) -> None:
    """FMJD 4.3: on any empty square behind, up to the next piece."""
    assert moves("W:WK46:B28", rules) == {"46x23", "46x19", "46x14", "46x10", "46x5"}
    assert moves("W:WK46,14:B28", rules) == {"46x23", "46x19"}


@every_rule_set
def test_a_king_never_passes_its_own_pieces(rules: str) -> None:
    """FMJD 4.1 and 4.7."""
    assert moves("W:WK46,37:B28", rules) == {"46-41", "37-31", "37-32"}


@every_rule_set
def test_a_king_never_passes_two_pieces_one_behind_the_other(rules: str) -> None:
    """FMJD 4.3: there must be an empty square behind."""
    assert moves("W:WK46:B32,28", rules) == {"46-41", "46-37"}


@every_rule_set
def test_capturing_is_compulsory(rules: str) -> None:
    """FMJD 4.2 and 4.3."""
    assert moves("W:W28,31,K50:B22", rules) == {"28x17"}
    assert moves("W:W31,K46:B28", rules) == {"46x23", "46x19", "46x14", "46x10", "46x5"}


@every_rule_set
def test_a_capture_goes_on_as_long_as_it_can(rules: str) -> None:
    """FMJD 4.5 and 4.6."""
    assert moves("W:W28:B22,11", rules) == {"28x6"}
    assert moves("W:WK46:B37,28", rules) == {"46x23", "46x19", "46x14", "46x10", "46x5"}


@every_rule_set
def test_the_capture_of_most_pieces_goes_first(rules: str) -> None:
    """FMJD 4.13."""
    assert moves("W:W28,39:B22,11,33", rules) == {"28x6"}
    assert moves("W:W27,K46:B22,41,32", rules) == {"46x17", "46x11", "46x6"}


@every_rule_set
def test_a_king_counts_as_one_piece(rules: str) -> None:
    """FMJD 4.13: two men go before a king, and one king ties with one man."""
    assert moves("W:W28,39:B22,11,K33", rules) == {"28x6"}
    assert moves("W:W28,44:B22,K40", rules) == {"28x17", "44x35"}


@every_rule_set
def test_a_king_that_captures_has_no_priority(rules: str) -> None:
    """FMJD 4.13 and 4.14: between equals the player chooses, be it with a man or with a king."""
    assert moves("W:WK28,32:B23,27", rules) == {"28x19", "28x14", "28x10", "28x5", "32x21"}


@every_rule_set
def test_between_equal_captures_the_player_chooses(rules: str) -> None:
    """FMJD 4.14."""
    assert moves("W:W35:B19,20,30", rules) == {"35x13", "35x15"}


@every_rule_set
def test_captured_pieces_leave_when_the_capture_is_over(rules: str) -> None:
    """FMJD 4.11; reading: the leaflet is silent, and it is as everywhere. The Turkish stroke: 19 still stands."""
    board = Board("W:WK10:B19,33,40", rules)
    assert moves("W:WK10:B19,33,40", rules) == {"10x35"}
    board.push("10x35")
    assert board.pieces(Color.BLACK) == ()
    # without the standing piece on 19 the king could go on from 44 over 40 or back to the far side
    assert board.fen() == "B:WK35:B"


@every_rule_set
def test_no_piece_is_jumped_twice(rules: str) -> None:
    """FMJD 4.8: the second time over 19 would lead on to 14, 10 and 5."""
    assert [move.captured for move in Board("W:WK10:B19,33,40", rules).legal_moves] == [(19, 33, 40)]


@every_rule_set
def test_an_empty_square_may_be_crossed_again_the_start_included(rules: str) -> None:
    """FMJD 4.8."""
    board = Board("W:W47:B31,32,41,42", rules)
    (round_trip,) = board.legal_moves
    assert (round_trip.from_square, round_trip.to_square, round_trip.captured) == (47, 47, (31, 32, 41, 42))
    board.push(round_trip)
    assert board.fen() == "B:W47:B"


@every_rule_set
def test_a_man_that_ends_its_move_on_the_far_row_is_crowned(rules: str) -> None:
    """FMJD 3.5; leaflet, article 2."""
    board = Board("W:W8,10:B40,45", rules)
    board.push("8-2")
    assert board.pieces(Color.WHITE, king=True) == (2,)
    board.push("45-50")
    assert board.pieces(Color.BLACK, king=True) == (50,)
    assert [move.crowned for move in Board("W:W13:B9", rules).legal_moves] == [True]  # by a capture


@crowned_at_the_end
def test_a_man_that_passes_the_far_row_stays_a_man(rules: str) -> None:
    """FMJD 4.15; leaflet, article 2; the Dutch site's page."""
    assert moves("W:W15:B9,10", rules) == {"15x13"}
    assert not Board("W:W15:B9,10", rules).legal_moves[0].crowned
    assert moves("W:W15:B9,10,22", rules) == {"15x13"}  # 22 could be had by a king only


def test_club_a_man_that_reaches_the_far_row_goes_on_as_a_king() -> None:
    """The club's page: crown and continue; it stays a king wherever the capture ends."""
    assert moves("W:W15:B9,10", "club") == {"15x13", "15x18", "15x22", "15x27", "15x31", "15x36"}
    board = Board("W:W15:B9,10", "club")
    board.push("15x18")
    assert board.pieces(Color.WHITE, king=True) == (18,)


def test_club_the_longest_capture_counts_what_it_takes_as_a_king() -> None:
    """The club's page: whole captures are compared, the crowned part included."""
    fen = "W:W15,48:B10,9,22,43,32,44"
    assert moves(fen) == {"15x13", "48x50"}
    assert moves(fen, "club") == {"15x35", "15x40"}
    assert {len(move.captured) for move in Board(fen).legal_moves} == {2}
    assert {len(move.captured) for move in Board(fen, "club").legal_moves} == {6}


@every_rule_set
@pytest.mark.parametrize(
    "fen",
    ["W:W:B1", "W:W6:B1", "W:W36:B31,27", "W:WK46:B41,37", "B:W50:B"],
    ids=["no piece", "blocked man", "held man", "shut king", "no piece of Black"],
)
def test_who_cannot_move_loses(rules: str, fen: str) -> None:
    """FMJD 7.2.2 and 7.2.3."""
    assert moves(fen, rules) == set()
    winner = Color.BLACK if fen.startswith("W") else Color.WHITE
    assert Board(fen, rules).outcome() == Outcome(winner, "no_moves")


@every_rule_set
def test_ways_to_the_same_end_over_the_same_pieces_are_one_move(rules: str) -> None:
    """RULES, common ground: a move is its start, its end and the pieces it captures."""
    (round_trip,) = Board("W:W47:B31,32,41,42", rules).legal_moves
    assert len(round_trip.paths) == 2
    apart = Board("W:WK47:B14,19,29,31,42", rules).legal_moves
    assert {(move.from_square, move.to_square) for move in apart} == {(47, 36)}
    assert len({move.captured for move in apart}) == len(apart) == 2


def test_club_whether_the_piece_was_crowned_tells_moves_apart() -> None:
    """RULES, common ground: in ``club`` two ways are two moves if one of them crowns the piece and the other does not.

    On this board that settles itself: a man is crowned on the way by what it takes on the row before the last, and
    there is no other way for a man to take that.
    """
    assert Move(15, 13, (9, 10), crowned=True) != Move(15, 13, (9, 10))
    source = random.Random(10)
    for _ in range(300):
        men = source.sample(range(6, 31), 9)
        board = Board(f"W:W{men[0]}:B{','.join(map(str, men[1:]))}", "club")
        crowned = {(move.to_square, move.captured): move.crowned for move in board.legal_moves}
        assert len(crowned) == len(board.legal_moves)


# --- official: the federation's draws -----------------------------------------------------------------------------


# A king and a man each, the men out of reach on the edge; no ending that is counted. And moves that change nothing.
TWO_AGAINST_TWO = "W:WK47,25:BK4,26"
TO_AND_FRO = ["47-42", "4-10", "42-47", "10-4"]
FEW_SQUARES = {47, 42, 48, 4, 5, 10, 15}


def idle(game: Judged, plies: int) -> Outcome | None:
    """So many moves of kings by which nothing is captured and no position comes back; the outcome after them."""
    ply = game.board.ply
    for seed in range(50):
        outcome = game.wander(plies, random.Random(seed))
        by_kings = game.counter.king_plies()
        if game.board.ply == ply + plies and by_kings >= plies:
            return outcome
        while game.board.ply > ply:
            game.pop()
    raise AssertionError("no such moves were found")


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_official_draws_of_the_vectors(vector: dict[str, Any]) -> None:
    """FMJD 6.2, 6.3 and 6.4, on lines that are played on past the draw."""
    game = Judged(vector["fen"])
    drawn_at = [game.board.ply for move in vector["moves"] if game.push(move)]
    assert drawn_at[0] == vector["draw_at_ply"]


def test_official_a_position_that_stands_for_the_third_time_is_a_draw() -> None:
    """FMJD 6.1: with the same player to move; the start position counts."""
    game = Judged(TWO_AGAINST_TWO)
    assert game.play([*TO_AND_FRO, *TO_AND_FRO[:3]]) is None
    assert game.push(TO_AND_FRO[3]) == Outcome(None, "repetition")


def test_official_a_position_that_began_later_is_counted_from_there() -> None:
    """FMJD 6.1: the three times need not follow each other at once."""
    game = Judged(TWO_AGAINST_TWO)
    game.play(["47-42", "4-10"])  # stands for the first time
    assert game.play(["42-47", "10-4", "47-42", "4-10", "42-48", "10-5", "48-42"]) is None
    assert game.push("5-10") == Outcome(None, "repetition")


def test_repetition_wants_the_same_side_to_move() -> None:
    """FMJD 6.1: the same pieces with the other side to move are another position."""
    game = Judged(TWO_AGAINST_TWO)
    start = game.board.position
    # White loses a move on 47-42-38-47, Black does not: twice with White to move, twice with Black to move
    assert game.play(["47-42", "4-10", "42-38", "10-4", "38-47"]) is None
    now = game.board.position
    assert (now.white, now.black, now.kings) == (start.white, start.black, start.kings)
    assert now.turn is not start.turn
    assert game.play(["4-10", "47-42", "10-4", "42-38", "4-10", "38-47", "10-4"]) is None
    assert game.board.position == start
    assert game.play(["47-42", "4-10", "42-47"]) is None
    assert game.push("10-4") == Outcome(None, "repetition")


@pytest.mark.parametrize("rules", ["official", "leaflet"])
def test_repetition_compares_whole_positions(rules: str) -> None:
    """FMJD 6.1; leaflet, article 7: every piece, its kind and the side to move, as the second counter compares them."""
    source = random.Random(61)
    endings: set[str] = set()
    for _ in range(20):
        game = Judged("W:WK47,K48,25:BK4,K5,26", rules)
        outcome = None
        while outcome is None and game.board.ply < 60:
            quiet = [move for move in game.board.legal_moves if {move.from_square, move.to_square} <= FEW_SQUARES]
            outcome = game.push(source.choice(quiet or game.board.legal_moves))
        endings.add(outcome.rule if outcome else "none")
    assert "repetition" in endings


def test_a_repetition_is_counted_before_it_draws() -> None:
    """FMJD 6.1: whoever asks for the counts is warned of the third time."""
    game = Judged("W:WK46,K47:BK3,K4")
    told = [game.board.draw_counts[1:]]
    for text in ["46-41", "4-15", "41-46", "15-4"] * 2:
        game.push(text)
        told.append(game.board.draw_counts[1:])
    twice, thrice = (DrawCount("repetition", times, 3) for times in (2, 3))
    assert told == [(), (), (), (), (twice,), (twice,), (twice,), (twice,), (thrice,)]
    assert game.board.outcome() == Outcome(None, "repetition")


def test_leaflet_the_same_move_is_counted_before_it_draws() -> None:
    """Leaflet, article 7: of either player, whoever has moved last."""
    game = Judged("W:WK47,25:B1,2,26", "leaflet")
    game.play(["47-42", "2-7", "42-47", "7-11"])
    assert game.board.draw_counts == ()
    game.push("47-42")
    assert game.board.draw_counts == (DrawCount("same_move", 2, 3),)
    game.push("1-6")
    assert game.board.draw_counts == (DrawCount("same_move", 2, 3),)
    game.play(["42-38", "11-16"])
    assert game.board.draw_counts == ()


def test_a_board_goes_on_after_a_draw_and_a_game_does_not() -> None:
    game = Judged("W:WK46,K47:BK3,K4")
    game.play(["46-41", "4-15", "41-46", "15-4"] * 2)
    assert game.board.outcome() is not None
    assert game.board.push("46-41") in Board("W:WK46,K47:BK3,K4").legal_moves
    for name in ("push", "legal_moves"):
        assert "outcome()" in (inspect.getdoc(getattr(Board, name)) or "")


def test_rules_show_what_they_are() -> None:
    assert [repr(rules) for rules in RULE_SETS] == [
        "<Rules official: repetition 3, king_moves 25, three_pieces 16, two_pieces 5>",
        "<Rules leaflet: touch_move, repetition 3, same_move 3>",
        "<Rules classic: move_limit 500>",
        "<Rules club: crowned_in_passing, king_moves 50>",
    ]
    assert repr(Rules("mine")) == "<Rules mine: no draws>"


def test_the_documentation_tells_the_rule_sets_as_they_are() -> None:
    lines = (Path(__file__).parents[1] / "docs" / "library.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    head, _, _, passing, touch, *draws = rows
    assert [name.strip("`") for name in head[1:]] == [rules.name for rules in RULE_SETS]
    assert [cell == "goes on as a king" for cell in passing[1:]] == [rules.crowned_in_passing for rules in RULE_SETS]
    assert [cell == "yes" for cell in touch[1:]] == [rules.touch_move for rules in RULE_SETS]
    names = ["repetition", "same_move", "king_moves", "three_pieces", "two_pieces", "move_limit"]
    for name, row in zip(names, draws, strict=True):
        told = [0 if cell == "–" else int(cell.split()[0]) for cell in row[1:]]
        assert told == [getattr(rules, name) for rules in RULE_SETS], name


@pytest.mark.parametrize("turn", ["W", "B"])
def test_official_25_moves_of_kings_alone_are_a_draw(turn: str) -> None:
    """FMJD 6.2: 25 moves of each side in a row, whoever began; men may be on the board as long as they stand."""
    game = Judged(turn + TWO_AGAINST_TWO[1:])
    idle(game, 49)
    assert (game.board.outcome(), game.board.draw_counts[0].done) == (None, 24)
    assert idle(game, 1) == Outcome(None, "king_moves")


def test_official_a_man_that_moves_starts_the_25_moves_anew() -> None:
    """FMJD 6.2."""
    game = Judged("W:WK47,25,50:BK4,26")
    idle(game, 44)
    assert game.board.draw_counts[0].done == 22
    game.push("50-45")
    assert game.board.draw_counts[0].done == 0
    assert idle(game, 49) is None
    assert idle(game, 1) == Outcome(None, "king_moves")


def test_official_a_capture_starts_the_25_moves_anew() -> None:
    """FMJD 6.2: a king's capture is no move of a king alone."""
    game = Judged("W:WK47,25:BK4,26,28")
    game.play(["47-42", "4-10", "42-37", "10-4"])
    assert game.board.draw_counts[0].done == 2
    game.push("37x14")
    assert game.counter.king_plies() == game.board.draw_counts[0].done == 0


THREE = ["K46,K47,K48", "K46,K47,45", "K46,45,44"]
TWO_OR_ONE = ["K46,K47", "K46,45", "K46"]


@pytest.mark.parametrize("turn", ["W", "B"])
@pytest.mark.parametrize("several", THREE)
def test_official_16_moves_against_a_lone_king(several: str, turn: str) -> None:
    """FMJD 6.3: three kings, two kings and a man, or a king and two men; 32 single moves, whoever began."""
    game = Judged(f"{turn}:W{several}:BK3")
    assert idle(game, 31) is None
    assert (game.board.ply, game.board.draw_counts[1].done) == (31, 15)
    assert idle(game, 1) == Outcome(None, "three_pieces")


@pytest.mark.parametrize("turn", ["W", "B"])
@pytest.mark.parametrize("several", TWO_OR_ONE)
def test_official_5_moves_against_a_lone_king(several: str, turn: str) -> None:
    """FMJD 6.4: two kings, a king and a man, or one king; ten single moves, whoever began."""
    game = Judged(f"{turn}:W{several}:BK3")
    assert idle(game, 9) is None
    assert (game.board.ply, game.board.draw_counts[1].done) == (9, 4)
    assert idle(game, 1) == Outcome(None, "two_pieces")


@pytest.mark.parametrize(
    "fen",
    [
        "W:WK46,K47,K48,K49:BK3",
        "W:W46,47,48:BK3",
        "W:W46,47:BK3",
        "W:WK46,K47:BK3,K4",
        "W:WK46,K47,K48:B3",
        "W:W45:BK3",
    ],
)
def test_official_other_endings_are_not_counted(fen: str) -> None:
    """FMJD 6.3 and 6.4 name their endings: four pieces, men alone, two against two and a lone man are none of them."""
    assert [count.rule for count in Board(fen).draw_counts] == ["king_moves"]


def test_official_all_moves_count_towards_16_a_mans_too() -> None:
    """FMJD 6.3; vector E."""
    game = Judged("W:WK46,45,35:BK3")
    game.play(["46-23", "3-21", "45-40", "21-27"])
    assert {count.rule: count.done for count in game.board.draw_counts} == {"king_moves": 0, "three_pieces": 2}


def test_official_a_promotion_inside_the_class_does_not_start_the_count_anew() -> None:
    """FMJD 6.3: two kings and a man that becomes three kings is the same ending."""
    game = Judged("W:WK46,K47,10:BK50")
    game.play(["10-5", "50-45"])
    assert [count.done for count in game.board.draw_counts if count.rule == "three_pieces"] == [1]
    assert idle(game, 29) is None
    assert idle(game, 1) == Outcome(None, "three_pieces")


def test_official_the_count_starts_after_the_capture_or_promotion_that_brought_it_about() -> None:
    """FMJD 6.3: another sixteen moves, the one that made the ending not among them."""
    game = Judged("W:WK46,K47,K48,14:BK3")
    game.play(["46-41", "3x25"])
    assert [(count.rule, count.done) for count in game.board.draw_counts] == [("king_moves", 0), ("three_pieces", 0)]
    assert idle(game, 31) is None
    assert idle(game, 1) == Outcome(None, "three_pieces")
    promoted = Judged("W:W6,46,47:BK50")
    promoted.push("6-1")
    assert [(c.rule, c.done) for c in promoted.board.draw_counts] == [("king_moves", 0), ("three_pieces", 0)]


def test_official_a_capture_that_leads_from_three_to_two_starts_the_five_moves() -> None:
    """FMJD 6.4; reading: sources disagree, and this is the majority's; vector F."""
    vector = next(vector for vector in VECTORS if vector["id"] == "F")
    game = Judged(vector["fen"])
    game.play(vector["moves"][:26])
    assert [(c.rule, c.done, c.of) for c in game.board.draw_counts] == [("king_moves", 0, 25), ("two_pieces", 0, 5)]
    assert game.play(vector["moves"][26:35]) is None
    assert game.push(vector["moves"][35]) == Outcome(None, "two_pieces")


def test_official_a_capture_from_two_to_one_goes_on_counting() -> None:
    """FMJD 6.4; reading: two kings, a king and a man, and one king are one ending, as the three of 6.3 are."""
    game = Judged("W:WK46,45:BK3")
    game.play(["46-41", "3-12", "45-40", "12x45"])
    assert [(count.rule, count.done) for count in game.board.draw_counts] == [("king_moves", 0), ("two_pieces", 2)]


def test_official_the_longest_loss_of_a_king_falls_on_the_last_move_and_stands() -> None:
    """FMJD 6.3 and 7.2: a king loses against two kings and a man in 32 single moves, with the 16th of the winner.

    A sacrifice on the way leads to the five moves of 6.4, and the game is won before these are over.
    """
    game = Judged("W:WK44:B1,K6,K11")
    *line, last = LONGEST_LOSS.split()
    assert game.play(line) is None
    assert game.board.ply == 31
    assert game.push(last) == Outcome(Color.BLACK, "no_moves")


@pytest.mark.parametrize(
    ("fen", "plies", "rule"), [("W:WK47:BK4,K3,16", 32, "three_pieces"), ("W:WK47:BK4,K3", 10, "two_pieces")]
)
def test_official_a_win_on_the_last_counted_move_stands(fen: str, plies: int, rule: str) -> None:
    """FMJD 6.3, 6.4 and 7.2: the last of the 16 or 5 moves captures the lone king; any other would be the draw."""
    game = Judged(fen)
    idle(game, plies - 2)
    for blunder in game.board.legal_moves:
        game.push(blunder)
        for reply in game.board.legal_moves:
            outcome = game.push(reply)
            lost = not game.board.pieces(Color.WHITE)
            assert outcome == (Outcome(Color.BLACK, "no_moves") if lost else Outcome(None, rule))
            game.pop()
            if lost:
                return
        game.pop()
    pytest.fail("the lone king has no blunder here")


# --- leaflet ------------------------------------------------------------------------------------------------------


def test_leaflet_a_position_returned_to_twice_is_a_draw() -> None:
    """Leaflet, article 7: the same position with the same side to move for the third time."""
    game = Judged(TWO_AGAINST_TWO, "leaflet")
    # another way there the second time, so that nobody makes the same move three times
    assert game.play([*TO_AND_FRO, "47-38", "4-15", "38-47"]) is None
    assert game.push("15-4") == Outcome(None, "repetition")


def test_leaflet_three_times_the_same_move_is_a_draw() -> None:
    """Leaflet, article 7; reading: the opponent's moves meanwhile do not matter."""
    game = Judged("W:WK47,25:B1,2,26", "leaflet")
    assert game.play(["47-42", "2-7", "42-47", "7-11", "47-42", "1-6", "42-47", "11-16"]) is None
    assert game.push("47-42") == Outcome(None, "same_move")


def test_leaflet_another_move_in_between_breaks_the_row() -> None:
    """Leaflet, article 7: with only its exact reversal in between."""
    game = Judged("W:WK47,25:B1,2,3,26", "leaflet")
    assert game.play(["47-42", "2-7", "42-47", "7-11", "47-42", "1-6", "42-38", "11-16", "38-47", "3-8"]) is None
    assert game.play(["47-42", "8-12"]) is None


def test_leaflet_does_not_count_the_moves_of_kings() -> None:
    """Leaflet, article 7 has two draws; neither 25 moves nor the endings of few pieces are among them."""
    game = Judged(TWO_AGAINST_TWO, "leaflet")
    assert idle(game, 60) is None
    assert (game.counter.king_plies(), game.board.draw_counts) == (60, ())
    few = Judged("W:WK46,K47,K48:BK3", "leaflet")
    assert idle(few, 40) is None


def test_leaflet_a_touched_piece_that_can_move_must_move() -> None:
    """Leaflet, article 6; reading: touching a piece that has no legal move binds nobody."""
    board = Board(rules="leaflet")
    reason = explain(board, 32, 28, touched=31)
    assert reason is not None
    assert reason.code == "touched_another"
    assert explain(board, 32, 28, touched=32) is None
    assert explain(board, 32, 28, touched=46) is None
    assert [rules.name for rules in RULE_SETS if rules.touch_move] == ["leaflet"]


# --- classic ------------------------------------------------------------------------------------------------------


def test_classic_has_no_draw_by_repetition_or_by_counts() -> None:
    """The Dutch site's page: a draw by agreement only."""
    game = Judged("W:WK47:BK4", "classic")
    assert game.play(TO_AND_FRO * 30) is None
    assert [count.rule for count in game.board.draw_counts] == ["move_limit"]


@pytest.mark.parametrize("turn", ["W", "B"])
def test_classic_ends_as_a_draw_after_500_moves_of_each_side(turn: str) -> None:
    """RULES, classic: a game that nobody can win would go on for ever."""
    there_and_back = TO_AND_FRO if turn == "W" else [TO_AND_FRO[index] for index in (1, 0, 3, 2)]
    board = Board(f"{turn}:WK47:BK4", "classic")
    for move in there_and_back * 250:
        assert board.outcome() is None
        board.push(move)
    assert (board.ply, board.outcome()) == (1000, Outcome(None, "move_limit"))
    board.pop()
    assert (board.outcome(), board.draw_counts[0].done) == (None, 499)


# --- club ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", ["W", "B"])
def test_club_50_moves_without_progress_are_a_draw(turn: str) -> None:
    """The club's page; reading: of each side, as draughts counts moves."""
    game = Judged(turn + TWO_AGAINST_TWO[1:], "club")
    assert idle(game, 99) is None
    assert (game.board.ply, game.board.draw_counts[0].done) == (99, 49)
    assert idle(game, 1) == Outcome(None, "king_moves")


def test_club_a_mans_move_or_a_capture_is_progress() -> None:
    """The club's page."""
    game = Judged("W:WK47,25:BK4,26,28", "club")
    game.play(["47-42", "4-10", "42-48", "26-31"])
    assert game.counter.king_plies() == 0
    game = Judged("W:WK47,25:BK4,26,28", "club")
    game.play(["47-42", "4-10", "42-37", "10-4"])
    assert [count.done for count in game.board.draw_counts] == [2]
    game.push("37x14")
    assert [count.done for count in game.board.draw_counts] == [0]


def test_club_a_position_may_return_as_often_as_it_likes() -> None:
    """The club's page knows no repetition."""
    assert Judged("W:WK47:BK4", "club").play(TO_AND_FRO * 10) is None


# --- The draws end the game by themselves -------------------------------------------------------------------------


def test_nobody_claims_a_draw() -> None:
    """RULES, the four rule sets: these draws end the game by themselves, and the result says which one did."""
    board = Board("W:WK46:BK4")
    for move in ("46-41", "4-9", "41-46", "9-4") * 2:
        assert explain(board, board.parse(move).from_square, board.parse(move).to_square) is None
        board.push(move)
    reason = explain(board, 46, 41)
    assert reason is not None
    assert (reason.code, reason.facts["rule"]) == ("game_over", "repetition")


def test_rule_sets_are_frozen_values() -> None:
    """RULES: a rule set is data, one frozen value."""
    assert RULE_SETS == (OFFICIAL, LEAFLET, CLASSIC, CLUB)
    assert [by_name(rules.name) for rules in RULE_SETS] == list(RULE_SETS)
    with pytest.raises(AttributeError, match="frozen"):
        OFFICIAL.repetition = 2


# 32 single moves of best play on both sides, from tables of these endings.
LONGEST_LOSS = (
    "44-40 11-7 40-35 7-2 35-49 2-16 49-35 6-17 35-49 17-12 49-44 1-6 44-49 16-2 49-35 6-11 35-44 12-17 44-40 "
    "17-50 40-49 11-17 49-35 17-22 35-40 2-7 40x1 50-45 1-6 45-50 6x28 50x6"
)
