"""The tree of a game: growing, changing and walking it, and building it from what a reader tells."""

from __future__ import annotations

import copy
import pickle

import pytest

from damier import BadFen, Board, Color, IllegalMove, Move
from damier.notation.pdn import Evaluation, GameNode, PdnGame, TreeBuilder, Visitor, loads

DEPTH = 10_000


class Told(Visitor):
    """Writes down what it is told, moves with their numbers."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.boards: list[str] = []

    def begin_game(self, number: int) -> bool | None:
        self.events.append(f"game {number}")

    def tag(self, name: str, value: str) -> None:
        self.events.append(f"{name}={value}")

    def begin_moves(self, board: Board) -> None:
        self.events.append("moves")

    def move(self, board: Board, move: Move, text: str) -> None:
        self.events.append(text)
        self.boards.append(board.fen())

    def comment(self, text: str) -> None:
        self.events.append(f"{{{text}}}")

    def nag(self, number: int) -> None:
        self.events.append(f"${number}")

    def begin_variation(self) -> None:
        self.events.append("(")

    def end_variation(self) -> None:
        self.events.append(")")

    def setup(self, board: Board) -> None:
        self.events.append(board.fen())

    def result(self, text: str) -> None:
        self.events.append(f"result {text}")

    def end_game(self) -> None:
        self.events.append("end")


def back_and_forth(plies: int) -> list[str]:
    """A game of kings that has no end under the rules without draws."""
    return [["46-41", "1-6", "41-46", "6-1"][ply % 4] for ply in range(plies)]


def shuttle(plies: int) -> PdnGame:
    game = PdnGame(board=Board("W:WK46:BK1", rules="classic"))
    game.root.add_line(back_and_forth(plies))
    return game


def nested(depth: int) -> PdnGame:
    """A game in which each move has an alternative, and that one again, and so on."""
    game = PdnGame(board=Board("W:WK46:BK1", rules="classic"))
    board = game.board()
    node = game.root
    for text in back_and_forth(depth):
        first, second = board.parse(text), next(move for move in board.legal_moves if str(move) != text)
        node.attach(second)
        node = node.attach(first)
        board.push(first)
    return game


def test_a_line_grows_and_is_walked() -> None:
    root = GameNode.root()
    end = root.add_line(["32-28", "19-23", "28x19"])
    assert [str(node.move) for node in root.main_line()] == ["32-28", "19-23", "28x19"]
    assert root.end() is end
    assert end.line() == [root, *root.main_line()]
    assert [node.ply for node in end.line()] == [0, 1, 2, 3]
    assert [node.move_number for node in root.main_line()] == [1, 1, 2]
    assert [node.turn for node in end.line()] == [Color.WHITE, Color.BLACK, Color.WHITE, Color.BLACK]
    assert end.board().fen() == "B:W19,31,33-50:B1-18,20"
    assert end.board().ply == 3
    assert end.is_main_line()
    assert end.end() is end
    assert list(end.main_line()) == []


def test_an_illegal_move_changes_nothing() -> None:
    root = GameNode.root()
    with pytest.raises(IllegalMove):
        root.add_variation("32-23")
    with pytest.raises(IllegalMove):
        root.add_main(Move(20, 25))
    with pytest.raises(IllegalMove):
        root.add_line(["32-28", "32-28"])
    assert root.variations == []
    with pytest.raises(BadFen):
        root.add_setup("W:W99:B1")


def test_variations_change_places() -> None:
    root = GameNode.root()
    one, two, three = (root.add_variation(text) for text in ("32-28", "33-29", "34-30"))
    three.promote()
    assert root.variations == [one, three, two]
    one.demote()
    assert root.variations == [three, one, two]
    two.demote()
    three.promote()
    assert root.variations == [three, one, two]
    two.promote_to_main()
    assert root.variations == [two, three, one]
    assert two.is_main_line()
    assert not one.add_main("19-23").is_main_line()
    three.remove()
    assert root.variations == [two, one]
    assert not three.is_main_line()
    for change in (three.remove, three.promote, three.demote):
        with pytest.raises(ValueError, match="removed"):
            change()
    for change in (root.remove, root.promote, root.demote, root.promote_to_main):
        with pytest.raises(ValueError, match="start of a game"):
            change()


def test_a_variation_can_be_the_same_move_again() -> None:
    root = GameNode.root()
    one, two = root.add_variation("32-28"), root.add_variation("32-28")
    two.promote()
    assert root.variations[0] is two
    assert root.variations[1] is one


def test_a_position_set_up_in_the_midst() -> None:
    root = GameNode.root()
    first = root.add_main("32-28")
    jump = first.add_setup("W:WK46:BK5")
    last = jump.add_main("46-41")
    assert jump.setup == "W:WK46:BK5"
    assert first.setup is None
    assert (jump.ply, last.ply) == (1, 2)
    # Black's first move was passed over.
    assert (first.move_number, last.move_number) == (1, 2)
    assert last.board().fen() == "B:WK41:BK5"
    assert last.rules is root.rules
    assert root.add_setup(last.board()).board().ply == 0


def test_only_boards_and_texts_are_set_up_and_read() -> None:
    for wrong in (None, 5, b"W:W32:B1"):
        with pytest.raises(TypeError, match="a position is a Board or a FEN"):
            GameNode.root().add_setup(wrong)  # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match="games are read from a text"):
            loads(wrong)  # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match="a move to be read is a text"):
            Board().parse(wrong)  # pyright: ignore[reportArgumentType]


def test_a_game_that_black_begins() -> None:
    game = PdnGame({"FEN": "B:W31-50:B1-20"})
    node = game.root.add_line(["20-25", "31-27"])
    assert [each.move_number for each in node.line()] == [1, 1, 2]
    assert game.root.turn is Color.BLACK


def test_rules_go_with_the_game() -> None:
    game = PdnGame(rules="club")
    assert game.rules.name == game.root.add_main("32-28").board().rules.name == "club"


def test_a_game_knows_its_start() -> None:
    assert PdnGame().tags == {}
    assert PdnGame(board=Board("W:W32:B1")).tags == {"FEN": "W:W32:B1"}
    assert PdnGame({"FEN": " w : w 32 : b 1 . "}).tags == {"FEN": " w : w 32 : b 1 . "}
    assert PdnGame({"FEN": "W:W32:B1"}, Board()).tags == {"FEN": "W:W31-50:B1-20"}
    with pytest.raises(BadFen):
        PdnGame({"FEN": "W:W32:B32"})
    moved = Board()
    moved.push("32-28")
    assert PdnGame(board=moved).board().ply == 0


def test_a_visitor_is_told_a_tree_in_the_order_of_a_file() -> None:
    game = PdnGame({"White": "A", "Result": "*"})
    game.number = 7
    game.root.comments.append("on the game")
    first = game.root.add_main("32-28")
    first.nags.extend([1, 7])
    first.comments.append("good")
    first.clock = 300
    other = game.root.add_variation("33-29")
    other.comments_before.append("or")
    deep = other.add_main("19-23")
    other.add_variation("20-24")
    deep.add_main("35-30")
    game.root.add_variation("34-29")
    first.add_line(["19-23", "28x19"])
    told = Told()
    game.accept(told)
    assert " ".join(told.events) == (
        "game 7 White=A Result=* moves {on the game} 32-28 $1 $7 {[%clk 0:05:00] good}"
        " ( {or} 33-29 19-23 ( 20-24 ) 35-30 ) ( 34-29 ) 19-23 28x19 result * end"
    )
    # The board is the one before the move, in variations too.
    start, after_28, after_29 = "W:W31-50:B1-20", "B:W28,31,33-50:B1-20", "B:W29,31,32,34-50:B1-20"
    assert told.boards[:4] == [start, start, after_29, after_29]
    assert told.boards[5:7] == [start, after_28]


def test_one_variation_alone_can_be_told() -> None:
    root = GameNode.root()
    root.add_line(["32-28", "19-23"])
    other = root.add_variation("33-29")
    other.add_line(["19-23", "35-30"])
    told = Told()
    other.accept(told)
    assert told.events == ["33-29", "19-23", "35-30"]


def test_a_game_told_to_a_builder_is_the_same_game() -> None:
    game = nested(12)
    game.root.add_setup("B:WK46:BK1").add_line(["1-6", "46-41"])
    builder = TreeBuilder(rules="classic")
    game.accept(builder)
    one, two = Told(), Told()
    game.accept(one)
    builder.game.accept(two)
    assert one.events == two.events
    assert builder.game.rules.name == "classic"


def test_ten_thousand_plies() -> None:
    game = shuttle(DEPTH)
    assert game.end().ply == DEPTH
    assert game.end().board().ply == DEPTH
    assert sum(1 for _ in game.root.descendants()) == DEPTH + 1
    builder = TreeBuilder(rules="classic")
    game.accept(builder)
    assert builder.game.end().move == game.end().move
    assert repr(game.end()).startswith("<GameNode 5000... 6-1")


def test_ten_thousand_variations_in_one_another() -> None:
    game = nested(DEPTH)
    for again in (game, pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
        builder = TreeBuilder(rules="classic")
        again.accept(builder)
        deepest = builder.game.root
        levels = 0
        while deepest.variations:
            deepest = deepest.variations[-1]
            levels += 1
        assert levels == DEPTH
        assert not deepest.is_main_line()
        assert deepest.board().ply == DEPTH


def test_a_pickled_node_keeps_its_place_and_notes() -> None:
    root = GameNode.root()
    first = root.add_main("32-28")
    first.comments.append("good")
    first.evaluation = Evaluation(men=0.5)
    last = first.add_main("19-23")
    again = pickle.loads(pickle.dumps(last))
    assert again.board() == last.board() or again.board().fen() == last.board().fen()
    assert again.parent.comments == ["good"]
    assert again.parent.evaluation == Evaluation(men=0.5)
    last.remove()
    with pytest.raises(ValueError, match="removed"):
        pickle.dumps(last)


# --- Building from events ---------------------------------------------------------------------------------------


def build(*events: str, start: str = "W:W31-50:B1-20") -> PdnGame:
    """The game that a reader would tell by these events: ( ) {comment} $1 =FEN and moves."""
    builder = TreeBuilder()
    builder.begin_game(1)
    board = Board(start)
    builder.begin_moves(board)
    stack: list[tuple[Board, Board]] = []
    before = board.copy()
    for event in events:
        if event == "(":
            stack.append((board, before))
            builder.begin_variation()
            board = before.copy()
        elif event == ")":
            builder.end_variation()
            board, before = stack.pop()
        elif event.startswith("{"):
            builder.comment(event[1:-1])
        elif event.startswith("$"):
            builder.nag(int(event[1:]))
        elif event.startswith("="):
            before = board.copy()
            board = Board(event[1:])
            builder.setup(board)
        else:
            before = board.copy()
            builder.move(board, board.parse(event), event)
            board.push(event)
    builder.end_game()
    return builder.game


def test_comments_find_their_move() -> None:
    game = build(
        *("{game}", "32-28", "{a  b\n c}", "{two}", "(", "{or}", "33-29", "{hm}", ")", "{so}", "19-23", "{ }", "{end}")
    )
    first, second = game.main_line()
    assert game.root.comments == ["game"]
    assert first.comments == ["a b c", "two"]
    assert game.root.variations[1].comments_before == ["or"]
    assert game.root.variations[1].comments == ["hm"]
    assert second.comments_before == ["so"]
    assert second.comments == ["end"]


def test_what_is_said_without_a_move_goes_to_the_move_before() -> None:
    game = build("32-28", "(", "{prose}", "$3", ")", "(", "33-29", ")", "{last}")
    (first,) = game.main_line()
    assert first.comments == ["prose", "last"]
    assert first.nags == [3]


def test_nags_before_a_move() -> None:
    game = build("$7", "32-28", "(", "$2", "33-29", ")", "$1")
    assert game.root.nags == [7]
    assert [node.nags for node in game.root.variations] == [[1], [2]]


def test_a_variation_before_the_first_move_is_an_alternative_to_it() -> None:
    game = build("(", "33-29", ")", "32-28")
    assert [str(node.move) for node in game.root.variations] == ["32-28", "33-29"]


def test_positions_set_up_in_the_body() -> None:
    game = build("46-41", "=B:WK46:BK5", "5-10", start="W:WK46:BK1")
    assert game.root.setup == "W:WK46:BK1"
    assert [node.setup for node in game.main_line()] == [None, "B:WK46:BK5", None]
    jump = build("=W:WK46:BK5", "{jump}")
    assert jump.root.setup == "W:W31-50:B1-20"
    assert [node.comments for node in jump.main_line()] == [["jump"]]
    inside = build("32-28", "(", "=W:WK46:BK1", "46-41", ")")
    assert [node.setup for node in inside.root.variations] == [None, "W:WK46:BK1"]


def test_variations_that_nobody_closed_are_closed() -> None:
    builder = TreeBuilder()
    builder.begin_game(1)
    board = Board()
    builder.begin_moves(board)
    builder.move(board, board.parse("32-28"), "32-28")
    builder.begin_variation()
    builder.comment("open")
    builder.end_game()
    assert next(builder.game.main_line()).comments == ["open"]


def test_clocks_times_and_evaluations_are_values() -> None:
    game = build(
        *("32-28", "{[%clock w0:09:57 B0:10:00]}", "19-23", "{[%clk 0:01:02.5] [%emt 0:00:03] fine [%eval -0.35]}"),
        *("28x19", "{[%eval #-5][%clock W0:00:01]}"),
    )
    first, second, third = game.main_line()
    assert (first.clock, first.opponent_clock, first.comments) == (597, 600, [])
    assert (second.clock, second.elapsed, second.comments) == (62.5, 3, ["fine"])
    assert second.evaluation == Evaluation(men=-0.35)
    assert third.evaluation == Evaluation(win_in=-5)
    assert third.clock == 1


@pytest.mark.parametrize(
    "text",
    [
        "[%clk]",
        "[%clk 5]",
        "[%clk 0:61:00]",
        "[%clk -0:01:00]",
        "[%clock w0:01:00 w0:01:00]",
        "[%clock 0:01:00]",
        "[%clock x0:01:00]",
        "[%eval]",
        "[%eval #0]",
        "[%eval 1e5]",
        "[%eval nan]",
        "[%eval 0.3,12]",
        "[%emt three seconds]",
        "[%egt 0:01:00]",
        "[%drgnode 1 2][%depth 9]",
        "%clk 0:01:00",
        "[%clk 0:01:00",
    ],
)
def test_commands_of_other_forms_stay_in_the_comment(text: str) -> None:
    (node,) = build("32-28", "{" + text + "}").main_line()
    assert node.comments == [text]
    assert (node.clock, node.opponent_clock, node.elapsed, node.evaluation) == (None, None, None, None)


def test_a_second_value_stays_in_the_comment() -> None:
    (node,) = build("32-28", "{[%clk 0:01:00]}", "{[%clk 0:02:00]}", "{[%clock w0:03:00 B0:04:00]}").main_line()
    assert node.clock == 60
    assert node.opponent_clock is None
    assert node.comments == ["[%clk 0:02:00]", "[%clock w0:03:00 B0:04:00]"]


def test_clocks_at_a_start_are_of_the_side_that_does_not_move() -> None:
    game = build("{[%clk 0:01:00] [%eval 0.1]}")
    assert game.root.clock == 60
    assert game.root.evaluation == Evaluation(men=0.1)
    assert game.root.comments == []
    (game,) = loads('{[%clock W0:01:00 b0:02:00]} 1. 32-28 /FEN "B:W32:B19"/ {[%clk 0:03:00]} 1... 19-23 *')
    assert (game.root.clock, game.root.opponent_clock) == (120, 60)
    _, setup, _ = game.main_line()
    assert setup.clock == 180


def test_a_sign_that_is_left_of_a_comment_is_the_move_s_strength() -> None:
    (game,) = loads("1. 32-28 {x} {[%eval 0.5] !} 1... 19-23 {?!} *")
    first, second = game.main_line()
    assert (first.comments, first.nags, first.evaluation) == (["x"], [1], Evaluation(men=0.5))
    assert (second.comments, second.nags) == ([], [6])


def test_a_clock_after_the_variations_is_the_move_s() -> None:
    game = build("32-28", "(", "33-29", ")", "{[%clk 0:01:00] then}", "19-23")
    first, second = game.main_line()
    assert first.clock == 60
    assert second.comments_before == ["then"]


@pytest.mark.parametrize(
    ("tag", "said", "result", "points"),
    [
        (None, None, "", None),
        (None, "*", "*", None),
        ("*", "*", "*", None),
        ("2-0", "*", "2-0", (2, 0)),
        (None, "1/2-1/2", "1/2-1/2", (1, 1)),
        ("*", "0-1", "0-1", (0, 2)),
        ("1-0", "0-1", "0-1", (0, 2)),
        ("", None, "", None),
    ],
)
def test_the_result_is_that_of_the_moves_or_the_tag(
    tag: str | None, said: str | None, result: str, points: tuple[int, int] | None
) -> None:
    builder = TreeBuilder()
    builder.begin_game(1)
    if tag is not None:
        builder.tag("Result", tag)
    if said is not None:
        builder.result(said)
    builder.end_game()
    assert builder.game.result == result
    assert builder.game.points == points


def test_a_builder_begins_anew_with_each_game() -> None:
    builder = TreeBuilder(rules="club")
    for number in (1, 2):
        builder.begin_game(number)
        builder.tag("event", str(number))
        builder.tag("Event", "again")
        board = Board(rules="club")
        builder.begin_moves(board)
        builder.move(board, Move(32, 28), "32-28")
        builder.end_game()
        assert builder.game.number == number
        assert builder.game.tags == {"Event": str(number)}
        assert builder.game.end().ply == 1
        assert builder.game.rules.name == "club"
