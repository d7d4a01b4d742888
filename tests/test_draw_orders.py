"""Every order of captures and promotions between the endgames that count, judged by the second counter."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from damier import Board, Color, Move
from damier.rules import RULE_SETS
from tests.judged import Judged

Material = tuple[int, int, int, int]  # White's kings and men, Black's kings and men

Line = list[Move]


def material(board: Board) -> Material:
    def number(color: Color, king: bool) -> int:
        return len(board.pieces(color, king))

    return (
        number(Color.WHITE, True),
        number(Color.WHITE, False),
        number(Color.BLACK, True),
        number(Color.BLACK, False),
    )


def following(now: Material) -> set[Material]:
    """What one promotion or the capture of one piece makes of a material, the last piece of a side excepted."""
    wk, wm, bk, bm = now
    after: set[Material] = set()
    if wm:
        after |= {(wk + 1, wm - 1, bk, bm), (wk, wm - 1, bk, bm)}
    if bm:
        after |= {(wk, wm, bk + 1, bm - 1), (wk, wm, bk, bm - 1)}
    if wk:
        after.add((wk - 1, wm, bk, bm))
    if bk:
        after.add((wk, wm, bk - 1, bm))
    return {m for m in after if m[0] + m[1] and m[2] + m[3]}


def lines_to_events(
    board: Board, wanted: set[Material], source: random.Random, tries: int = 600, each: int = 6
) -> dict[Material, list[Line]]:
    """Lines to each wanted material by its first change, found by trying; those first that leave nothing to capture."""
    now = material(board)
    open_ended: dict[Material, list[Line]] = {then: [] for then in wanted}
    forced: dict[Material, list[Line]] = {then: [] for then in wanted}
    for number in range(tries):
        if number >= 60 and all(len(lines) >= each for lines in open_ended.values()):
            break
        like_men = number % 3  # of three tries in one men move where they can, in one they stay where they can
        line: Line = []
        while len(line) < 10 and material(board) == now and (legal := board.legal_moves):
            by_men = [move for move in legal if move.from_square in board.pieces(king=False)]
            rest = [move for move in legal if move not in by_men]
            choice = [legal, by_men or legal, rest or legal][like_men]
            line.append(board.push(source.choice(choice)))
        then, replies = material(board), board.legal_moves
        for _ in line:
            board.pop()
        if then in wanted and replies:
            (forced if replies[0].is_capture else open_ended)[then].append(line)
    lines = {then: sorted(open_ended[then], key=len)[:each] + forced[then] for then in wanted}
    return {then: found[:each] for then, found in lines.items() if found}


class Orders:
    """Plays every order of events from a position, and after each event on to the end that the counts bring."""

    def __init__(self, fen: str, rules: str) -> None:
        self.game = Judged(fen, rules)
        self.source = random.Random(fen)
        self.orders: set[tuple[Material, ...]] = set()
        self.missed: list[tuple[Material, Material]] = []
        self.endings: Counter[str] = Counter()

    def grow(self, path: tuple[Material, ...], lines: dict[Material, list[Line]]) -> None:
        self.orders.add(path)
        self.missed += [(path[-1], then) for then in following(path[-1]) - set(lines)]
        self.to_the_end()
        for then, ways in lines.items():
            line, onward = self.best(ways)
            self.game.play(line)
            self.grow((*path, then), onward)
            for _ in line:
                self.game.pop()

    def best(self, ways: list[Line]) -> tuple[Line, dict[Material, list[Line]]]:
        """The way from whose end most events can follow, and the lines to them."""
        board = self.game.board
        best: tuple[Line, dict[Material, list[Line]]] = ways[0], {}
        for line in ways:
            for move in line:
                board.push(move)
            wanted = following(material(board))
            lines = lines_to_events(board, wanted, self.source)
            for _ in line:
                board.pop()
            if len(lines) > len(best[1]):
                best = line, lines
            if len(lines) == len(wanted):
                break
        return best

    def to_the_end(self) -> None:
        ply = self.game.board.ply
        outcome = self.game.wander(51, self.source)
        self.endings[outcome.rule if outcome else "none"] += 1
        while self.game.board.ply > ply:
            self.game.pop()


def mirrored(fen: str) -> str:
    """The same with the colors changed."""
    turn, white, black = fen.split(":")
    turned = [
        ",".join(re.sub(r"\d+", lambda square: str(51 - int(square[0])), item) for item in side[1:].split(","))
        for side in (white, black)
    ]
    return f"{'B' if turn == 'W' else 'W'}:W{turned[1]}:B{turned[0]}"


def number_of_orders(kings: int, men: int) -> int:
    """How many orders of promotions and captures, the empty one included, pieces against a lone king can go through."""
    if kings + men == 0:
        return 0
    number = 1
    if men:
        number += number_of_orders(kings + 1, men - 1) + number_of_orders(kings, men - 1)
    if kings:
        number += number_of_orders(kings - 1, men)
    return number


def played(fen: str, rules: str = "official") -> Orders:
    orders = Orders(fen, rules)
    first = material(orders.game.board)
    orders.grow((first,), lines_to_events(orders.game.board, following(first), orders.source))
    return orders


@pytest.mark.parametrize(
    ("fen", "men", "orders_in_all"), [("W:W11,12,18,19:BK3", 4, 167), (mirrored("W:W11,12,18:BK3"), 3, 38)]
)
def test_every_order_of_captures_and_promotions_against_a_lone_king(fen: str, men: int, orders_in_all: int) -> None:
    """FMJD, annex 1, 6.3 and 6.4: from men alone against a king, through all endings, to a king against a king."""
    orders = played(fen)
    assert orders.missed == []
    assert len(orders.orders) == number_of_orders(0, men) == orders_in_all
    assert orders.endings["two_pieces"] > orders_in_all // 3
    assert orders.endings["three_pieces"] > 0


@pytest.mark.parametrize("fen", ["W:W18,K46,19:B33", "W:WK46,K47,11:BK3,K4", "W:WK46,18:B33,K3"])
def test_orders_in_which_a_side_becomes_a_lone_king(fen: str) -> None:
    """FMJD, annex 1, 6.3 and 6.4: by its man's promotion, or by the loss of its other piece."""
    orders = played(fen)
    assert len(orders.orders) >= 40
    assert orders.endings["two_pieces"] > 20


@pytest.mark.parametrize("rules", ["leaflet", "classic", "club"])
def test_endgames_of_few_pieces_are_not_counted_elsewhere(rules: str) -> None:
    """Only annex 1 counts a lone king's moves: 51 moves on, the others draw by nothing of the kind."""
    orders = played("W:WK46,K47,11:BK3,K4", rules)
    assert not {"two_pieces", "three_pieces"} & set(orders.endings)


@pytest.mark.parametrize("rules", [rules.name for rules in RULE_SETS])
def test_games_of_kings_at_random(rules: str) -> None:
    """Any rule set: outcome and counts at every move of games in which kings go to and fro."""
    source = random.Random(rules)
    rules_that_ended: Counter[str] = Counter()
    for _ in range(60):
        squares = source.sample(range(6, 46), source.randint(2, 6))
        pieces = [f"{source.choice(('K', 'K', ''))}{square}" for square in squares]
        middle = source.randint(1, len(pieces) - 1)
        game = Judged(f"{source.choice('WB')}:W{','.join(pieces[:middle])}:B{','.join(pieces[middle:])}", rules)
        outcome = game.board.outcome()
        while outcome is None and game.board.ply < 130:
            legal = game.board.legal_moves
            good = [move for move in legal if leaves_nothing_to_capture(game.board, move)] or legal
            back = [move for move in good if game.board.ply > 1 and reverses(move, game.board.moves[-2])]
            outcome = game.push(source.choice(back if back and source.random() < 0.6 else good))
        rules_that_ended[outcome.rule if outcome else "none"] += 1
    expected = {
        "official": {"no_moves", "repetition", "two_pieces"},
        "leaflet": {"no_moves", "repetition", "same_move"},
        "classic": {"no_moves", "none"},
        "club": {"no_moves", "king_moves"},
    }
    assert expected[rules] <= set(rules_that_ended)


def reverses(move: Move, earlier: Move) -> bool:
    return (move.from_square, move.to_square) == (earlier.to_square, earlier.from_square)


def leaves_nothing_to_capture(board: Board, move: Move) -> bool:
    board.push(move)
    replies = board.legal_moves
    board.pop()
    return not (replies and replies[0].is_capture)
