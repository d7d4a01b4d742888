"""Reasons: each checked for truth on every pair of squares of many positions, against the independent generator."""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING

import pytest

from damier import Board, Color, IllegalMove, Move
from damier.articles import Article, article
from damier.events import MoveMade
from damier.explain import Explainer, Reason, explain, explain_move
from damier.game import Game
from damier.i18n import LANGUAGES
from damier.rules import Rules
from tests import mailbox
from tests.judged import cells_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    Positions: TypeAlias = Callable[[int, str, int], Iterator[Board]]

RULE_SETS = ["official", "leaflet", "classic", "club"]


# --- Single cases: one for each reason ----------------------------------------------------------------------------

CASES = [
    # rules, position, from, to, code, facts (besides from and to), English sentence
    ("official", "W:W:B1", 32, 28, "game_over", {"rule": "no_moves"}, "The game is over; start a new one to play on."),
    (
        "official",
        "W:W31-50:B1-20",
        32,
        51,
        "bad_square",
        {"square": 51},
        "There is no square 51; pieces stand on the squares 1 to 50, the dark ones.",
    ),
    (
        "leaflet touched 31",
        "W:W31-50:B1-20",
        32,
        28,
        "touched_another",
        {"touched": 31, "choices": ("31-26", "31-27")},
        "You touched the piece on 31; that is the one you must move (31-26, 31-27).",
    ),
    ("official", "W:W31-50:B1-20", 28, 23, "no_piece", {}, "There is no piece on 28; move one of your own."),
    (
        "official",
        "W:W31-50:B1-20",
        19,
        23,
        "not_your_piece",
        {},
        "The piece on 19 is your opponent's; move one of your own.",
    ),
    (
        "official",
        "W:W31-50:B1-20",
        32,
        32,
        "same_square",
        {},
        "The piece already stands on 32; move it to another square.",
    ),
    (
        "official",
        "W:W31-50:B1-20",
        37,
        32,
        "occupied",
        {"own": True},
        "Your own piece stands on 32; choose an empty square.",
    ),
    (
        "official",
        "W:W28:B23",
        28,
        23,
        "occupied",
        {"own": False},
        "23 is occupied; a piece is captured by jumping over it to the empty square behind it.",
    ),
    (
        "official",
        "W:W28:B1",
        28,
        33,
        "men_move_forward",
        {},
        "A man moves forward; only when it captures may it go back.",
    ),
    ("official", "W:W28:B1", 28, 19, "man_one_square", {}, "A man moves one square at a time, unless it captures."),
    (
        "official",
        "W:W28:B1",
        28,
        18,
        "not_diagonal",
        {},
        "Pieces move along the diagonals; 18 is not on one with 28.",
    ),
    (
        "official",
        "W:W28,31:B22,23",
        31,
        27,
        "must_capture",
        {"pieces": (28,), "choices": ("28x17", "28x19")},
        "You must capture (28x17, 28x19).",
    ),
    (
        "official",
        "W:W27,K46:B22,41,32",
        27,
        18,
        "must_take_more",
        {"takes": 1, "required": 3, "choices": ("46x6", "46x11", "46x17")},
        "27x18 takes one piece; you must take 3 pieces (46x6, 46x11, 46x17).",
    ),
    (
        "official",
        "W:W35:B19,20,30",
        35,
        24,
        "stop_too_early",
        {"choices": ("35x24x13", "35x24x15")},
        "You may not stop on 24; the capture goes on (35x24x13, 35x24x15).",
    ),
    (
        "official",
        "W:WK10:B19,33,40",  # 10x28x44x35, and on over 19 again as if it were gone
        10,
        2,
        "jumped_twice",
        {"square": 19},
        "No piece is jumped twice; the one on 19 stays there until the capture is over.",
    ),
    (
        "official",
        "W:WK28:B22,17",
        28,
        11,
        "two_in_a_row",
        {"first": 22, "second": 17},
        "22 and 17 stand one behind the other; two in a row cannot be jumped.",
    ),
    (
        "official",
        "W:W32:B28,23",
        32,
        19,
        "two_in_a_row",
        {"first": 28, "second": 23},
        "28 and 23 stand one behind the other; two in a row cannot be jumped.",
    ),
    (
        "official",
        "W:W15:B9,10",
        15,
        18,
        "crowned_at_end",
        {"square": 4},
        "A man is crowned only where its move ends; on 4 it goes on capturing as a man.",
    ),
    (
        "official",
        "W:W32:B28",
        32,
        19,
        "man_lands_behind",
        {"square": 28, "behind": 23},
        "A man that jumps 28 lands on the square right behind it, 23.",
    ),
    (
        "official",
        "W:WK28,22:B1",
        28,
        17,
        "blocked",
        {"square": 22, "own": True, "behind": 0},
        "Your own piece on 22 is in the way; own pieces are not jumped.",
    ),
    (
        "official",
        "W:WK28,17:B22",
        28,
        11,
        "blocked",
        {"square": 22, "own": False, "behind": 17},
        "The piece on 22 cannot be jumped; the square behind it is occupied.",
    ),
]


def attempt(rules: str, fen: str, start: int, target: int) -> Reason:
    name, _, touched = rules.partition(" touched ")
    reason = explain(Board(fen, name), start, target, touched=int(touched) if touched else None)
    assert reason is not None
    return reason


@pytest.mark.parametrize(("rules", "fen", "start", "target", "code", "facts", "sentence"), CASES)
def test_each_reason(
    rules: str, fen: str, start: int, target: int, code: str, facts: dict[str, object], sentence: str
) -> None:
    reason = attempt(rules, fen, start, target)
    assert reason.code == code
    assert reason.facts == {"from": start, "to": target, **facts}
    assert reason.sentence() == sentence


def test_whose_turn_it_is() -> None:
    assert explain(Board(), 32, 28, by=Color.WHITE) is None
    reason = explain(Board(), 20, 25, by=Color.BLACK)
    assert reason is not None
    assert (reason.code, reason.sentence()) == ("not_your_turn", "It is not your turn; wait for your opponent's move.")


@pytest.mark.parametrize(
    ("fen", "start", "target", "takes", "required"),
    [
        ("B:W35,39,41,K7,29,K1,19,K38,26,25:B16,20,8,23,K13", 13, 27, 3, 4),
        ("W:WK36,K2,21,K11:B18,8,K45,15,42,19,33,43", 36, 47, 4, 6),
    ],
)
def test_a_move_that_is_written_as_a_capture_is_explained_as_one(
    fen: str, start: int, target: int, takes: int, required: int
) -> None:
    board = Board(fen)
    with pytest.raises(IllegalMove) as as_capture:
        board.push(f"{start}x{target}")
    with pytest.raises(IllegalMove) as as_slide:
        board.push(f"{start}-{target}")
    assert as_slide.value.reason == explain(board, start, target)
    assert as_capture.value.reason == explain(board, start, target, capture=True)
    assert as_slide.value.reason is not None
    assert as_capture.value.reason is not None
    assert as_slide.value.reason.code == "must_capture"
    assert as_capture.value.reason.code == "must_take_more"
    assert as_capture.value.reason.facts["takes"] == takes
    assert as_capture.value.reason.facts["required"] == required
    captured = board.pieces(board.turn.opponent)[0]
    with pytest.raises(IllegalMove) as as_value:
        board.push(Move(start, target, [captured]))
    assert as_value.value.reason == as_capture.value.reason
    with pytest.raises(IllegalMove) as as_event:
        Game.start(fen=fen).apply(MoveMade(start, target, (captured,)), at=0.0, by=board.turn)
    assert as_event.value.reason == as_capture.value.reason


def test_written_as_a_capture_or_not_makes_no_difference_where_none_can_be_made() -> None:
    board = Board("W:WK46,31:B27,3")
    assert explain(board, 46, 41, capture=True) == explain(board, 46, 41)
    assert explain(Board(), 32, 27, capture=True) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"from_square": 1.5}, "a square is a number from 1 to 50, not float"),
        ({"to_square": "28"}, "a square is a number from 1 to 50, not str"),
        ({"touched": "32"}, "a square is a number from 1 to 50, not str"),
        ({"by": "white"}, "a side is Color.WHITE or Color.BLACK, not str"),
    ],
)
def test_what_is_no_square_and_no_side_is_a_type_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        explain(Board(), **{"from_square": 32, "to_square": 28, **wrong})  # pyright: ignore[reportArgumentType]


def test_a_drawn_game_is_over_but_can_be_looked_into() -> None:
    board = Board("W:WK46:BK4")
    for text in ("46-41", "4-9", "41-46", "9-4") * 2:
        board.push(text)
    assert explain(board, 46, 41) == Reason(
        "game_over", {"from": 46, "to": 41, "rule": "repetition"}, Article("official", "6.1")
    )
    assert explain_move(board, 46, 41) is None


def test_a_reason_is_a_value() -> None:
    reason = explain(Board("W:W28,31:B22,23"), 31, 27)
    assert reason == explain(Board("W:W28,31:B22,23"), 31, 27)
    assert len({reason, explain(Board("W:W28,31:B22,23"), 31, 27)}) == 1
    assert reason != explain(Board("W:W28,31:B22,23"), 31, 26)
    assert pickle.loads(pickle.dumps(reason)) == reason
    with pytest.raises(AttributeError, match="frozen"):
        setattr(reason, "code", "other")  # noqa: B010 (the checker forbids the plain form too)


# --- Articles, touch-move and the end of the game -----------------------------------------------------------------

ANNEX_1 = [
    # position, from, to, code, article
    ("W:W31-50:B1-20", 32, 51, "bad_square", "2.6"),
    ("W:W31-50:B1-20", 28, 23, "no_piece", "3.3"),
    ("W:W31-50:B1-20", 19, 23, "not_your_piece", "3.3"),
    ("W:W31-50:B1-20", 32, 32, "same_square", "3.4"),
    ("W:WK32:B1", 32, 32, "same_square", "3.9"),
    ("W:W31-50:B1-20", 37, 32, "occupied", "3.4"),
    ("W:WK37,32:B1", 37, 32, "occupied", "3.9"),
    ("W:W28:B1", 28, 33, "men_move_forward", "3.4"),
    ("W:W28:B1", 28, 39, "men_move_forward", "3.4"),
    ("W:W28:B1", 28, 19, "man_one_square", "3.4"),
    ("W:W28:B1", 28, 18, "not_diagonal", "3.4"),
    ("W:WK28:B1", 28, 18, "not_diagonal", "3.9"),
    ("W:W28,31:B22,23", 31, 27, "must_capture", "4.2"),
    ("W:WK28,31:B22,23", 31, 27, "must_capture", "4.3"),
    ("W:W27,K46:B22,41,32", 27, 18, "must_take_more", "4.13"),
    ("W:W35:B19,20,30", 35, 24, "stop_too_early", "4.5"),
    ("W:WK35:B19,30", 35, 24, "stop_too_early", "4.6"),
    ("W:WK10:B19,33,40", 10, 2, "jumped_twice", "4.8"),
    ("W:W32:B28,23", 32, 19, "two_in_a_row", "4.2"),
    ("W:WK28:B22,17", 28, 11, "two_in_a_row", "4.3"),
    ("W:W15:B9,10", 15, 18, "crowned_at_end", "4.15"),
    ("W:W32:B28", 32, 19, "man_lands_behind", "4.2"),
    ("W:WK28,22:B1", 28, 17, "blocked", "4.1"),
    ("W:WK28,17:B22", 28, 11, "blocked", "4.3"),
    ("W:W28,17:B22", 28, 11, "blocked", "4.2"),
    ("W:W:B1", 32, 28, "game_over", "7.2.3"),
    ("W:W6:B1", 6, 1, "game_over", "7.2.2"),
]


@pytest.mark.parametrize(("fen", "start", "target", "code", "number"), ANNEX_1)
def test_each_reason_names_its_article_of_annex_1(fen: str, start: int, target: int, code: str, number: str) -> None:
    reason = explain(Board(fen), start, target)
    assert reason is not None
    assert (reason.code, reason.article) == (code, Article("official", number))


def test_other_documents_are_named_as_their_rule_sets() -> None:
    for rules in ("classic", "club"):
        assert attempt(rules, "W:W28:B1", 28, 33).article == Article(rules)
    assert attempt("leaflet", "W:W28:B1", 28, 33).article == Article("leaflet")
    assert attempt("leaflet", "W:W15:B9,10", 15, 18).article == Article("leaflet", "2")
    assert attempt("leaflet touched 31", "W:W31-50:B1-20", 32, 28).article == Article("leaflet", "6")
    mine = Rules("mine")
    reason = explain(Board(rules=mine), 32, 33)
    assert reason is not None
    assert (reason.code, reason.article, article(mine, "occupied")) == ("occupied", None, None)
    with pytest.raises(ValueError, match="there is no source 'mine'; there are official, leaflet"):
        Article("mine")


def test_an_article_is_named_in_every_language() -> None:
    for made in (Article("official"), Article("official", "4.13"), Article("leaflet", "6"), *map(Article, RULE_SETS)):
        names = {made.sentence(language) for language in LANGUAGES}
        assert len(names) == len(LANGUAGES)
        assert all(made.number in name and "{" not in name for name in names)


def test_touch_move_binds_only_where_the_rules_have_it_and_the_piece_can_move() -> None:
    """Leaflet, article 6, and its reading: a touch of a piece that cannot move binds nobody."""
    touched = Board(rules="leaflet")
    assert explain(touched, 31, 27, touched=31) is None
    bound = explain(touched, 31, 32, touched=31)
    assert bound is not None
    assert bound.code == "occupied"
    for square in (37, 19, 28):  # shut in, the opponent's, empty
        assert explain(touched, 32, 28, touched=square) is None
    for rules in ("official", "classic", "club"):
        assert explain(Board(rules=rules), 32, 28, touched=31) is None


def test_with_a_touched_piece_only_its_own_captures_are_told() -> None:
    """Leaflet, article 6."""
    board = Board("W:W28,32,33,41:B22,29", "leaflet")
    assert {str(move) for move in board.legal_moves} == {"28x17", "33x24"}
    reason = explain(board, 28, 23, touched=28)
    assert reason is not None
    assert (reason.code, reason.facts["choices"], reason.facts["pieces"]) == ("must_capture", ("28x17",), (28,))
    touch_without_capture = explain(board, 33, 24, touched=41)
    assert touch_without_capture is None


@pytest.mark.parametrize("ended", ["resigned", "agreed", "flag"])
def test_nothing_is_legal_after_an_end_off_the_board(ended: str) -> None:
    reason = explain(Board(), 32, 28, ended=ended)
    assert reason == Reason("game_over", {"from": 32, "to": 28, "rule": ended}, Article("official", "7"))


# --- Every pair of squares ----------------------------------------------------------------------------------------


def games(seed: int, rules: str, count: int) -> Iterator[Board]:
    """One position each of ``count`` random games."""
    source = random.Random(seed)
    for number in range(count):
        board = Board(rules=rules)
        for _ in range(5 + number % 100):
            legal = board.legal_moves
            if not legal or board.outcome():
                break
            board.push(source.choice(legal))
        yield board


def scattered(seed: int, rules: str, count: int) -> Iterator[Board]:
    """Random pieces of all kinds, few and many."""
    source = random.Random(seed)
    for _ in range(count):
        squares = source.sample(range(1, 51), 50)
        lists: list[str] = []
        for letter, low, high in (("W", 6, 50), ("B", 1, 45)):
            held = [squares.pop() for _ in range(source.randint(1, source.choice((3, 8, 16))))]
            kings = source.choice((0.1, 0.4))
            items = [f"{'' if low <= s <= high and source.random() > kings else 'K'}{s}" for s in held]
            lists.append(letter + ",".join(items))
        yield Board(f"{source.choice('WB')}:{lists[0]}:{lists[1]}", rules)


class Facts:
    """What the independent generator knows of a position."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.cells = cells_of(board)
        self.turn = board.turn.letter.lower()
        self.in_passing = board.rules.crowned_in_passing
        self.moves = mailbox.legal_moves(self.cells, self.turn, self.in_passing)
        self.pairs = {move[:2] for move in self.moves}
        self.required = max((len(move[2]) for move in self.moves), default=0)
        self.reached: dict[tuple[int, bool], dict[int, int]] = {}

    def own(self, square: int) -> bool:
        return self.cells[square].lower() == self.turn

    def enemy(self, square: int) -> bool:
        return self.cells[square] != "." and not self.own(square)

    def is_man(self, square: int) -> bool:
        return self.cells[square].islower()

    def quiet(self, start: int, target: int) -> bool:
        return any(move[1] == target for move in mailbox._quiet_moves(self.cells, start, self.turn))

    def ray(self, start: int, target: int) -> tuple[int, ...]:
        """The squares after start up to and with target; empty if they share no line."""
        return next((ray[: ray.index(target) + 1] for ray in mailbox.RAYS[start] if target in ray), ())

    def is_forward(self, start: int, target: int) -> bool:
        return any(target in ray for ray in mailbox.RAYS[start][mailbox.FORWARD[self.turn]])

    def takes(self, start: int, in_passing: bool) -> dict[int, int]:
        """The most that a capture takes from start to each square that one can end on, however short."""
        key = start, in_passing
        if key not in self.reached:
            found: dict[int, int] = {}
            for jumps, states in enumerate(self.states(start, in_passing, again=False)):
                found |= {square: jumps for square, *_ in states}
            self.reached[key] = found
        return self.reached[key]

    def jumps_twice(self, start: int, target: int, victim: int) -> bool:
        layers = self.states(start, self.in_passing, again=True)
        return any((square, twice) == (target, victim) for states in layers for square, _, _, twice in states)

    def states(self, start: int, in_passing: bool, again: bool) -> Iterator[set[tuple[int, int, bool, int]]]:
        cells = [*self.cells[:start], ".", *self.cells[start + 1 :]]
        enemies = "bB" if self.turn == "w" else "wW"
        states = {(start, 0, self.cells[start].isupper(), 0)}
        seen = set(states)
        while True:
            after: set[tuple[int, int, bool, int]] = set()
            for square, taken, king, twice in states:
                leaps = mailbox._king_leaps if king else mailbox._man_leaps
                for victim, target in leaps(cells, square, 0 if again else taken, enemies):
                    crowned = king or (in_passing and target in mailbox.FAR_ROW[self.turn])
                    first = twice or (victim if taken >> victim & 1 else 0)
                    after.add((target, taken | 1 << victim, crowned, first))
            states = after - seen
            seen |= states
            if not states:
                return
            yield states


def check(facts: Facts, start: int, target: int, reason: Reason | None) -> None:
    """Fails unless the reason is true."""
    cells = facts.cells
    if reason is None:
        assert (start, target) in facts.pairs
        return
    assert (start, target) not in facts.pairs
    told = reason.facts
    assert (told.pop("from"), told.pop("to")) == (start, target)
    match reason.code:
        case "game_over":
            assert not facts.moves
            return
        case "no_piece":
            assert cells[start] == "."
            return
        case "not_your_piece":
            assert facts.enemy(start)
            return
        case _:
            assert facts.own(start)
    ends = facts.takes(start, facts.in_passing)
    if reason.code == "occupied":
        assert cells[target] != "."
        assert start != target
        assert told["own"] is facts.own(target)
        return
    assert cells[target] == "." or start == target
    ray = facts.ray(start, target)
    if reason.code in ("must_take_more", "stop_too_early"):
        assert target in ends
    elif reason.code != "must_capture":
        assert target not in ends
        assert not facts.quiet(start, target)
    check_particulars(facts, start, target, reason.code, told, ray)


def check_particulars(
    facts: Facts, start: int, target: int, code: str, told: dict[str, Any], ray: tuple[int, ...]
) -> None:
    board = facts.board
    is_man = facts.is_man(start)
    match code:
        case "same_square":
            assert start == target
        case "men_move_forward":
            assert is_man
            assert ray
            assert not facts.is_forward(start, target)
        case "man_one_square":
            assert is_man
            assert len(ray) > 1
            assert facts.is_forward(start, target)
        case "not_diagonal":
            assert not ray
        case "must_capture":
            assert facts.quiet(start, target)
            assert facts.required > 0
            assert [board.parse(text) for text in told["choices"]] == board.legal_moves
            assert set(told["pieces"]) == {move[0] for move in facts.moves}
        case "must_take_more":
            takes = facts.takes(start, facts.in_passing)[target] + 1
            assert (told["takes"], told["required"]) == (takes, facts.required)
            assert takes < facts.required
            assert [board.parse(text) for text in told["choices"]] == board.legal_moves
        case "stop_too_early":
            assert told["choices"]
            for text in told["choices"]:
                move = board.parse(text)
                assert move.from_square == start
                assert target in [int(square) for square in text.split("x")[1:-1]]
        case "jumped_twice":
            assert facts.jumps_twice(start, target, told["square"])
        case "two_in_a_row":
            first = ray.index(told["first"])
            assert ray[first + 1] == told["second"] != target
            assert facts.enemy(told["first"])
            assert facts.enemy(told["second"])
        case "crowned_at_end":
            assert is_man
            assert not facts.in_passing
            assert target in facts.takes(start, in_passing=True)
            assert told["square"] in mailbox.FAR_ROW[facts.turn]
            assert told["square"] in facts.takes(start, in_passing=False)
        case "man_lands_behind":
            assert is_man
            assert ray[:2] == (told["square"], told["behind"])
            assert len(ray) > 2
            assert facts.enemy(told["square"])
            assert facts.cells[told["behind"]] == "."
        case "blocked":
            place = ray.index(told["square"])
            assert place < len(ray) - 1
            assert facts.own(told["square"]) is told["own"]
            if told["own"]:
                assert told["behind"] == 0
            else:
                assert ray[place + 1] == told["behind"]
                assert facts.cells[told["behind"]] != "."
        case _:
            pytest.fail(f"an unknown reason: {code}")


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("positions", [games, scattered])
def test_every_pair_has_one_true_reason_or_is_legal(rules: str, positions: Positions, part: int) -> None:
    """All 2,500 pairs of squares in 50 positions a part: 2,000 positions in all."""
    codes: set[str] = set()
    for board in positions(part, rules, 50):
        facts = Facts(board)
        explainer = Explainer(board)
        for start in range(1, 51):
            for target in range(1, 51):
                reason = explainer.reason(start, target)
                try:
                    check(facts, start, target, reason)
                except Exception as fault:
                    fault.add_note(f"{board!r}, {start} to {target}: {reason}")
                    raise
                if reason is not None and reason.code not in codes:
                    codes.add(reason.code)
                    assert "{" not in reason.sentence()
                    assert reason.article is not None
                    assert reason.article.source == rules
    assert len(codes) >= 10


@pytest.mark.parametrize("rules", RULE_SETS)
def test_an_explainer_says_what_explain_says(rules: str) -> None:
    for board in (*games(8, rules, 3), *scattered(8, rules, 3)):
        explainer = Explainer(board)
        for start in range(1, 51):
            for target in range(1, 51):
                assert explain_move(board, start, target) == explainer.reason(start, target)


def test_a_touched_piece_binds_in_every_pair() -> None:
    """Leaflet, article 6: of every touched piece only the moves are legal, and the rest has one true reason."""
    bound = 0
    for board in (*games(9, "leaflet", 4), *scattered(9, "leaflet", 8)):
        everything = Explainer(board)
        for touched in (*board.pieces(board.turn), *board.pieces(board.turn.opponent)[:1]):
            mine = {(m.from_square, m.to_square) for m in board.legal_moves if m.from_square == touched}
            explainer = Explainer(board, touched=touched)
            for start in board.pieces(board.turn):
                for target in range(1, 51):
                    reason = explainer.reason(start, target)
                    if not mine:  # such a touch binds nobody
                        assert reason == everything.reason(start, target)
                    elif (start, target) in mine:
                        assert reason is None
                    else:
                        assert reason is not None
                        assert (reason.code == "touched_another") == (start != touched)
                        if reason.code in ("touched_another", "must_capture", "must_take_more"):
                            choices = reason.facts["choices"]
                            assert isinstance(choices, tuple)
                            assert {board.parse(str(text)).from_square for text in choices} == {touched}
                        bound += reason.code == "touched_another"
    assert bound > 1000


def test_the_sentences_exist_in_every_language() -> None:
    for rules, fen, start, target, *_ in CASES:
        reason = attempt(rules, fen, start, target)
        sentences = [reason.sentence(language) for language in LANGUAGES]
        assert len(set(sentences)) == len(LANGUAGES)
        assert not any("{" in sentence for sentence in sentences)
