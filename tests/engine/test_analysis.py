"""What is said of games: judgements as values, and what annotating adds and leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from damier import Board, Move
from damier.engine import Limit, Score
from damier.engine.analysis import Insight, Marked, annotate, judge, positions, settled, winning_chance
from damier.engine.analyst import Findings, look_into, pieces
from damier.engine.match import Identity, MatchError, PlayerSpec
from damier.notation.pdn import PdnGame, Visitor, loads, write

RICH = """[Event "Club evening"]
[Site "Gouda"]
[White "Anna"]
[Black "Bram"]
[Result "1-1"]
[Annotator "Cor"]
[Mood "fair"]

{A game with everything.} 1. 32-28! {[%clk 0:04:50] [%eval 0.2] main road} 19-23? (1... 17-22 {solid} 2. 28x17 11x22
(2... 12x21)) (1... 20-25 $7) 2. 28x19 $14 14x23 3. 33-28 {[%eval 0.1]} 23x32 4. 37x28 {[%foo bar] fine} 16-21 1-1
"""
ANALYST = Identity("Somebody", "abc")


class Stream(Visitor):
    """All that a game says, in order."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def tag(self, name: str, value: str) -> None:
        self.said.append((name, value))

    def move(self, board: Board, move: Move, text: str) -> None:
        self.said.append(move)

    def comment(self, text: str) -> None:
        self.said += text.split()

    def nag(self, number: int) -> None:
        self.said.append(number)

    def begin_variation(self) -> None:
        self.said.append("(")

    def end_variation(self) -> None:
        self.said.append(")")

    def result(self, text: str) -> None:
        self.said.append(("result", text))


def said(game: PdnGame) -> list[object]:
    stream = Stream()
    game.accept(stream)
    return stream.said


def is_within(inner: list[object], outer: list[object]) -> bool:
    rest = iter(outer)
    return all(any(each == other for other in rest) for each in inner)


def insights_of(game: PdnGame, limit: Limit, jobs: int = 1) -> dict[int, Insight]:
    found: dict[int, Insight] = {}
    for piece, insights in look_into(PlayerSpec.read("damier:hash=1"), limit, "official", pieces(game), jobs):
        found |= {place: each for place, each in enumerate(insights, piece.first) if each is not None}
    return found


def test_a_chance_grows_with_the_score() -> None:
    scores = [Score.loss(3), Score.centi(-200), Score.centi(0), Score.centi(50), Score.centi(300), Score.win(9)]
    chances = [winning_chance(score) for score in scores]
    assert chances == sorted(chances)
    assert (chances[0], chances[2], chances[-1]) == (0, 0.5, 1)
    for score in scores:
        assert winning_chance(score) + winning_chance(-score) == pytest.approx(1)


@pytest.mark.parametrize(
    ("before", "after", "nag", "missed"),
    [
        (Score.centi(10), Score.centi(-10), None, None),
        (Score.centi(10), Score.centi(30), 6, None),
        (Score.centi(10), Score.centi(60), 2, None),
        (Score.centi(10), Score.centi(120), 4, None),
        (Score.centi(600), Score.centi(-400), None, None),  # less, but won all the same
        (Score.win(9), Score.loss(20), None, None),  # a longer way
        (Score.win(9), Score.centi(-700), None, 9),
        (Score.win(9), Score.centi(0), 4, 9),
        (Score.loss(8), Score.win(2), None, None),  # lost anyhow
        (Score.centi(10), Score.centi(-300), None, None),
    ],
)
def test_what_is_said_of_a_move(before: Score, after: Score, nag: int | None, missed: int | None) -> None:
    judgement = judge(Insight(before, 9, ("32-28", "19-23")), Move(33, 28), Insight(after))
    if nag is None and missed is None:
        assert judgement is None
    else:
        assert judgement is not None
        assert (judgement.nag, judgement.missed_win) == (nag, missed and Score.win(missed))
    assert judge(Insight(before, 9, ("33-28",)), Move(33, 28), Insight(after)) is None  # it was the best


def test_what_stands_in_a_game_stays_and_what_is_added_is_read_back() -> None:
    [game] = loads(RICH)
    before = said(game)
    marked = annotate(game, insights_of(game, Limit(nodes=3000)), "Somebody")
    after = said(game)
    assert marked.moves == 8
    assert is_within(before, after)
    assert game.tags["Annotator"] == "Cor"
    [again] = loads(write(game))
    assert not again.errors
    assert said(again) == after
    nodes = list(again.main_line())
    assert nodes[0].evaluation is not None
    assert nodes[0].evaluation.men == 0.2
    assert all(node.evaluation is not None for node in nodes)
    assert nodes[1].nags == [2]  # its own, and no second one


def test_a_missed_win_and_a_blunder_are_shown_with_what_was_better() -> None:
    game = PdnGame(board=Board("W:W24,42,40:B13,35"))  # 40-34 wins in nine single moves, 42-38 loses a man
    game.root.add_line(["42-38", "35x44"])
    game.root.variations[0].variations.clear()
    marked = annotate(game, insights_of(game, Limit(depth=13)), "Somebody")
    assert marked == Marked(1, 0, 0, 1, 1)
    [played, better] = game.root.variations
    assert (played.nags, str(better.move)) == ([4], "40-34")
    assert "Misses a win" in played.comments[0]
    assert better.evaluation is not None
    if better.evaluation.men is None:  # no endgame table knew it earlier
        assert "in 9 single moves" in played.comments[0]
        assert better.evaluation.win_in == 5
        assert better.end().board().outcome() is not None  # the line goes to the end
    assert game.tags["Annotator"] == "Somebody"
    assert not annotate(game, {}, "Somebody").moves


def test_a_line_that_stands_there_is_not_said_twice() -> None:
    game = PdnGame(board=Board("W:W24,42,40:B13,35"))
    game.root.add_line(["42-38"])
    game.root.add_variation("40-34").comments.append("wins")
    annotate(game, insights_of(game, Limit(depth=13)), "Somebody")
    assert [str(node.move) for node in game.root.variations] == ["42-38", "40-34"]
    assert game.root.variations[1].comments == ["wins"]


def test_positions_that_are_over_and_positions_set_up() -> None:
    [game] = loads('1. 32-28 /FEN "W:W33:B28"/ 1. 33x22 *')
    found = insights_of(game, Limit(depth=3))
    assert [board.fen() for _, board in positions(game)][-1] == "B:W22:B"
    assert found[3] == Insight(Score.loss(0)) == settled(Board("B:W22:B"))
    assert annotate(game, found, "Somebody").moves == 2
    assert game.end().evaluation is None
    drawn = PdnGame(board=Board("W:WK1:BK50"))
    drawn.root.add_line(["1-6", "50-45", "6-1", "45-50"] * 2 + ["1-7"])  # it stood there for the third time
    found = insights_of(drawn, Limit(depth=3))
    assert found[8] == Insight(Score.centi(0))
    assert annotate(drawn, found, "Somebody") == Marked(9)


def test_several_engines_find_what_one_does() -> None:
    [game] = loads(RICH)
    [piece] = pieces(game)
    assert (piece.game, piece.first, len(piece.boards)) == (1, 0, 9)
    long = PdnGame()
    board, moves = Board(), list[Move]()
    for _ in range(40):
        moves.append(board.push(board.legal_moves[0]))
    long.root.add_line(moves)
    assert [len(piece.boards) for piece in pieces(long)] == [16, 16, 9]
    assert insights_of(long, Limit(nodes=300)) == insights_of(long, Limit(nodes=300), jobs=3)


def test_findings_are_taken_up_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    [game] = loads(RICH)
    [piece] = pieces(game)
    insights = [Insight(Score.centi(5), 3, ("32-28",)), None, Insight(Score.win(3), 9)]
    findings = Findings(path, b"1", Limit(depth=3), ANALYST)
    findings.add(piece, [*insights])
    findings.close()
    with path.open("ab") as file:
        file.write(b'[2,0,[["5",3')  # killed in the middle of a line
    findings = Findings(path, b"1", Limit(depth=3), ANALYST)
    assert findings.has(piece)
    assert len(findings) == 3
    assert findings.of(game) == {0: insights[0], 2: insights[2]}
    findings.close()
    assert path.read_bytes().count(b"\n") == 2
    for other in (
        (b"2", Limit(depth=3), ANALYST),
        (b"1", Limit(depth=4), ANALYST),
        (b"1", Limit(depth=3), Identity("Somebody", "abd")),
    ):
        with pytest.raises(MatchError) as error:
            Findings(path, *other)
        assert error.value.code == "other_analysis"
    for text, code in ((json.dumps({"a": 1}), "no_record"), (path.read_text() + "[3]", "bad_record")):
        path.write_text(text + "\n")
        with pytest.raises(MatchError) as error:
            Findings(path, b"1", Limit(depth=3), ANALYST)
        assert error.value.code == code
    findings.remove()
    assert not path.exists()
