"""Matches: players, openings, how games end, and whole matches with their records."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

import damier.engine
from damier import Board
from damier.engine import Engine, Limit, Score
from damier.engine.match import (
    Adjudication,
    Conditions,
    Identity,
    Judge,
    MatchClock,
    MatchError,
    Opening,
    PairPlayed,
    PairTask,
    PlayerSpec,
    Record,
    Setup,
    Sprt,
    Tally,
    identities,
    locally,
    on_dask,
    play,
    play_game,
    play_pair,
    player_of,
    read_openings,
    run,
    shipped,
)
from damier.notation.hub import write_move
from damier.notation.pdn import read
from tests.engine.odd_players import QUICK, Scripted, odd, scripted, setup_of

# --- Openings -------------------------------------------------------------------------------------------------------


def test_the_openings_are_legal_different_and_nearly_even() -> None:
    openings = shipped()
    assert len(openings) >= 150
    boards = [opening.board() for opening in openings]
    assert len({board.position for board in boards}) == len(openings)
    assert {board.ply for board in boards} == {4}
    assert all(opening.score is not None and abs(opening.score) <= 10 for opening in openings)
    assert len({opening.moves[:2] for opening in openings}) > 50
    engine = Engine(hash_mb=1)
    for board in boards[::12]:  # another search, much shorter, must not find anything lost
        assert abs(engine.search(board, Limit(nodes=5000)).score.centi_men or 0) < 80


def test_openings_in_any_notation() -> None:
    [one, two] = read_openings("# a list\n\n1. 32-28 19-23 2. 28x19 14x23 ; even, they say\n33-29 ; -7\n")
    assert (one.moves[2:], one.score, two.score) == (("28x19x23", "14x23x19"), None, -7)
    for text, code in (("32-28 32-28", "bad_opening"), ("nonsense", "bad_opening"), ("# nothing\n", "no_openings")):
        with pytest.raises(MatchError) as error:
            read_openings(text)
        assert error.value.code == code


# --- How games end --------------------------------------------------------------------------------------------------


def heard(terms: Adjudication, scores: list[int | Score | None], board: Board | None = None) -> object:
    judge = Judge(terms)
    for score in scores:
        judge.heard(Score.centi(score) if isinstance(score, int) else score)
    return judge.verdict(board or Board())


def test_draws_and_wins_by_agreement() -> None:
    terms = Adjudication(draw_moves=2, draw_score=5, draw_from=0, win_moves=2, win_score=500)
    assert heard(terms, [5, -5, 0, 3]) == (1, "agreed_draw")
    assert heard(terms, [5, -6, 0, 3]) is None
    assert heard(terms, [0, 0, None, 0]) is None  # what is not told is not agreed
    assert heard(terms, [0, 0, 0]) is None
    assert heard(terms, [600, -700, Score.win(9), Score.loss(8)]) == (2, "agreed_win")
    assert heard(terms, [-600, 700, -600, 700]) == (0, "agreed_win")
    assert heard(terms, [-600, 700, -600, 700], Board("B:W31:B1")) == (2, "agreed_win")
    assert heard(terms, [600, 700, 600, 700]) is None  # they do not agree who wins
    assert heard(terms, [600, -700, -600, -700]) is None
    assert heard(terms, [600, -700, 499, -700]) is None
    assert heard(Adjudication(draw_from=1, draw_moves=1), [0, 0]) is None
    assert heard(Adjudication(draw_moves=0, win_moves=0, draw_from=0), [Score.win(1), Score.loss(1)] * 9) is None


def test_tables_decide_where_they_know() -> None:
    def judge(board: Board, told: object, *, tables: bool = True) -> object:
        return Judge(Adjudication(tables=tables), lambda _: told).verdict(board)

    white, black = Board("W:WK46:B1"), Board("B:WK46:B1")
    assert judge(white, "win") == judge(black, "loss") == (2, "tables")
    assert judge(white, "loss") == judge(black, "win") == (0, "tables")
    assert judge(white, "draw") == (1, "tables")
    assert judge(white, None) is None
    assert judge(white, "win", tables=False) is None
    with pytest.raises(ValueError, match="win, draw or loss"):
        judge(white, "perhaps")


def test_a_game_goes_by_the_rules_and_both_colours_are_played() -> None:
    conditions = Conditions(Limit(depth=1), adjudication=Adjudication(0, 5, 0, 0, 800, 0))
    games = play_pair((scripted(), player_of(Scripted(last=True), "last")), ("32-28", "19-23"), conditions)
    assert [game.white for game in games] == [0, 1]
    for game in games:
        board = Board()
        for text in game.opening + tuple(ply.move for ply in game.plies):
            assert board.outcome() is None
            board.push(text)
        outcome = board.outcome()
        assert outcome is not None
        assert game.reason == outcome.rule
        assert game.points == (1 if outcome.winner is None else 2 if outcome.winner.letter == "W" else 0)
        assert game.points_of(0) + game.points_of(1) == 2
        assert game.board("official").fen() == board.fen()
        assert game.opening == ("32-28", "19-23")


def test_agreement_ends_a_game() -> None:
    conditions = Conditions(Limit(depth=1), adjudication=Adjudication(win_moves=2, win_score=250))
    sure = player_of(Scripted(iter([Score.centi(300)] * 99)), "sure")
    sorry = player_of(Scripted(iter([Score.centi(-300)] * 99), last=True), "sorry")
    game = play_game((sorry, sure), 0, (), conditions)
    assert (game.points, game.reason, len(game.plies), game.loser) == (0, "agreed_win", 4, 0)


def test_who_is_late_loses() -> None:
    slow, quick = player_of(Scripted(seconds=0.15), "slow"), scripted()
    by_move = Conditions(Limit(time=0.01), margin=0.05)
    game = play_game((slow, quick), 1, (), by_move)
    assert (game.points_of(1), game.reason, len(game.plies)) == (2, "time", 1)
    assert (
        play_game((slow, quick), 0, (), Conditions(Limit(time=0.01), adjudication=Adjudication(most_plies=2))).reason
        == "too_long"
    )
    by_clock = Conditions(clock=MatchClock(0.4), margin=0.0)
    game = play_game((slow, quick), 0, (), by_clock)
    assert (game.points_of(1), game.reason, len(game.plies)) == (2, "time", 4)


@pytest.mark.parametrize("text", ["", "0", "-1", "5+-1", "x", "5+", "nan"])
def test_a_clock_that_is_none(text: str) -> None:
    if text == "5+":
        assert MatchClock.read(text) == MatchClock(5)
        return
    with pytest.raises(ValueError):  # noqa: PT011 - float's own message is one of them
        MatchClock.read(text)


# --- Whole matches --------------------------------------------------------------------------------------------------


def games_of(setup: Setup, most: int, source: Callable[..., Any], **options: Any) -> dict[int, PairPlayed]:
    pairs: dict[int, PairPlayed] = {}
    tally = Tally(len(setup.players))
    counted = play(setup, tally, most, source, told=lambda pair: pair and pairs.update({pair.index: pair}), **options)
    assert counted == len(pairs) == len(tally) == most
    return pairs


def moves_of(pairs: dict[int, PairPlayed]) -> dict[int, list[list[str]]]:
    return {index: [[ply.move for ply in game.plies] for game in pair.games] for index, pair in pairs.items()}


def test_a_match_by_nodes_is_the_same_however_many_games_are_played_at_a_time() -> None:
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1", "damier:hash=1,level=1")
    one, three = (games_of(setup, 6, locally(concurrency)) for concurrency in (1, 3))
    assert moves_of(one) == moves_of(three)
    assert [one[index].players for index in range(6)] == [(0, 1), (0, 2), (1, 2)] * 2
    assert one[0].games[0].opening == one[2].games[1].opening != one[3].games[0].opening


def test_a_test_that_decides_ends_the_match_at_the_same_pair_each_time() -> None:
    conditions = Conditions(Limit(nodes=300), adjudication=Adjudication(win_moves=1, win_score=200))
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1,nodes=1", conditions=conditions)
    sprt = Sprt(0, 300)
    counted: list[int] = []
    for concurrency in (1, 3):
        tally = Tally(2)
        counted.append(play(setup, tally, None, locally(concurrency), sprt=sprt))
        assert sprt.verdict(tally.pairs(upto=counted[-1])) == "elo1"
        assert sprt.verdict(tally.pairs(upto=counted[-1] - 1)) is None
    assert counted[0] == counted[1] > 3


def test_an_engine_that_fails_twice_in_a_row_ends_the_match(tmp_path: Path) -> None:
    spec = odd(tmp_path, "os._exit(7)")
    players = (PlayerSpec.read("damier:hash=1"), spec)
    setup = Setup(players, ("ours", "odd"), QUICK, tuple(shipped()))
    record = Record(tmp_path / "games", setup, identities(setup))
    tally = Tally(2)
    with pytest.raises(MatchError, match=r"odd has failed in 2 games in a row.*exit code 7"):
        play(setup, tally, 5, locally(2), record=record)
    record.close()
    assert len(tally) == 0  # such a pair says nothing about strength


def test_two_engines_that_both_fail_end_the_match_too(tmp_path: Path) -> None:
    spec = odd(tmp_path, "raise LookupError('no book' + '\\n' * 3 + 'at all' * 300)")
    setup = Setup((spec, spec), ("one", "two"), QUICK, tuple(shipped()))
    with pytest.raises(MatchError) as error:  # the second never comes to its failure while it is Black
        play(setup, Tally(2), 5, locally(1))
    assert error.value.code == "fails"
    assert "no book" in str(error.value)
    assert len(str(error.value)) < 400
    assert "at all" not in str(error.value)


def test_an_engine_that_fails_once_loses_that_game_and_it_is_told(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    spec = odd(tmp_path, f"if not os.path.exists({str(mark)!r}): open({str(mark)!r}, 'w').close(); os._exit(3)")
    setup = Setup((spec, PlayerSpec.read("damier:hash=1")), ("odd", "ours"), QUICK, tuple(shipped()))
    tally = Tally(2)
    assert play(setup, tally, 2, locally(1)) == 2
    [(player, reason, said)] = tally.failures
    assert (player, reason) == (0, "died")
    assert "exit code 3" in said
    assert tally.games()[2] >= 1


def test_a_match_on_a_cluster() -> None:
    distributed = pytest.importorskip("distributed")
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        there = games_of(setup, 3, on_dask(cluster.scheduler_address))
        with pytest.raises(MatchError, match="has no setting colour"):
            games_of(setup_of("damier:colour=red", "damier"), 1, on_dask(cluster.scheduler_address))
    assert moves_of(there) == moves_of(games_of(setup, 3, locally(1)))


def test_a_cluster_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MatchError, match=r"damier\[lab\]"):
        games_of(setup_of("damier", "damier"), 1, on_dask("tcp://127.0.0.1:1"))


# --- The record -----------------------------------------------------------------------------------------------------


HERE = [Identity("one", "abc"), Identity("two", "")]


def here(setup: Setup, tasks: Iterator[PairTask]) -> Generator[PairPlayed]:
    """Plays without any other process."""
    players = (player_of(Engine(1), "one"), player_of(Scripted(), "two"))
    for task in tasks:
        yield run.played(setup, task, players, None)


def recorded(base: Path, setup: Setup, most: int) -> Tally:
    with contextlib.closing(Record(base, setup, HERE)) as record:
        tally = Tally(len(setup.players))
        play(setup, tally, most, here, record=record)
    return tally


def test_a_record_goes_on_wherever_it_was_cut(tmp_path: Path) -> None:
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1")
    whole = recorded(tmp_path / "whole", setup, 4)
    data = (tmp_path / "whole.jsonl").read_bytes()
    pdn = (tmp_path / "whole.pdn").read_bytes()
    ends = [place for place, byte in enumerate(data) if byte == 10]
    for end, cut in ((ends[2] + 40, True), (ends[1] + 1, False), (len(data) - 1, True), (ends[0] + 1, False)):
        base = tmp_path / f"cut{end}"
        base.with_suffix(".jsonl").write_bytes(data[:end])
        if cut:
            base.with_suffix(".pdn").write_bytes(pdn)  # it may have got further than the record
        tally = recorded(base, setup, 4)
        assert tally.pairs() == whole.pairs()
        games = list(read(base.with_suffix(".pdn")))
        assert [game.tags["Round"] for game in games] == [f"{pair}.{game}" for pair in range(1, 5) for game in (1, 2)]
        assert len(base.with_suffix(".jsonl").read_bytes().splitlines()) == 5


def test_a_record_is_of_one_match_and_of_one_build(tmp_path: Path) -> None:
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1")
    recorded(tmp_path / "match", setup, 1)
    file = tmp_path / "match.jsonl"
    before = file.read_bytes()
    for other in (
        setup_of("damier:hash=2", "damier:hash=1,depth=1"),
        setup_of("damier:hash=1", "damier:hash=1,depth=1", conditions=Conditions(Limit(nodes=201))),
    ):
        with pytest.raises(MatchError) as error:
            Record(tmp_path / "match", other, HERE)
        assert error.value.code == "other_match"
    one, two = HERE
    with pytest.raises(MatchError, match="another build of damier:hash=1 ") as error:
        Record(tmp_path / "match", setup, [Identity(one.name, "0123456789ab"), two])
    assert error.value.code == "other_build"
    assert file.read_bytes() == before
    for text, code in (("{}\n", "no_record"), ("nonsense\n", "no_record"), ("[1]\n", "no_record")):
        file.write_text(text)
        with pytest.raises(MatchError) as error:
            Record(tmp_path / "match", setup, [one, two])
        assert error.value.code == code
    file.write_bytes(before + b'{"pair": 1}\n')
    with pytest.raises(MatchError) as error:
        recorded(tmp_path / "match", setup, 2)
    assert error.value.code == "bad_record"


@pytest.mark.skipif(sys.platform == "win32", reason="locks as POSIX has them")
def test_two_do_not_write_one_record(tmp_path: Path) -> None:
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1")
    with contextlib.closing(Record(tmp_path / "match", setup, HERE)):
        with pytest.raises(MatchError) as error:
            Record(tmp_path / "match", setup, HERE)
        assert error.value.code == "in_use"
    recorded(tmp_path / "match", setup, 1)


def test_a_record_that_was_killed_while_it_began_and_a_file_that_is_none(tmp_path: Path) -> None:
    setup = setup_of("damier:hash=1", "damier:hash=1,depth=1")
    file = tmp_path / "match.jsonl"
    file.write_text('{"damier match":1,"da')
    assert len(recorded(tmp_path / "match", setup, 1)) == 1
    for text in ("a note without a line end", '{"mine": 1}\n[1,', "a note\nand more"):
        file.write_text(text)
        with pytest.raises(MatchError) as error:
            recorded(tmp_path / "match", setup, 1)
        assert error.value.code == "no_record"
        assert file.read_text() == text


def test_the_games_as_pdn_hold_what_was_played_and_thought(tmp_path: Path) -> None:
    setup = setup_of("damier:hash=1,name=Anna", "damier:hash=1,depth=3,name=Bram")
    pairs: list[PairPlayed] = []
    with contextlib.closing(Record(tmp_path / "match", setup, identities(setup))) as record:
        play(setup, Tally(2), 1, locally(1), record=record, told=lambda pair: pair and pairs.append(pair))
    games = list(read(tmp_path / "match.pdn"))
    assert [(game.tags["White"], game.tags["Black"]) for game in games] == [("Anna", "Bram"), ("Bram", "Anna")]
    for game, played in zip(games, pairs[0].games, strict=True):
        assert not game.errors
        nodes = list(game.main_line())
        moves = [write_move(node.move) for node in nodes if node.move is not None]
        assert moves == [*played.opening, *(ply.move for ply in played.plies)]
        assert game.points == (played.points, 2 - played.points)
        assert game.tags["Termination"] == played.reason
        assert game.tags["WhiteLimit"] == ("200 nodes a move" if played.white == 0 else "depth 3 a move")
        assert game.tags["BlackEngine"].startswith("Damier ")
        for node, ply in zip(nodes[4:], played.plies, strict=True):
            assert ply.score is not None
            assert node.evaluation is not None
            sign = 1 if node.turn.letter == "B" else -1  # White has moved
            if ply.score.centi_men is not None:
                assert node.evaluation.men == pytest.approx(sign * ply.score.centi_men / 100)
            else:
                assert (node.evaluation.win_in or 0) * sign * (1 if ply.score.win_in else -1) > 0
            assert f"depth {ply.depth}" in node.comments[0]


def test_no_process_is_left(tmp_path: Path) -> None:
    file = tmp_path / "pids.py"
    file.write_text(
        f"import os\nfrom damier.engine import Engine\ndef make():\n"
        f"    open(os.path.join({str(tmp_path)!r}, f'{{os.getpid()}}.pid'), 'w').close()\n    return Engine(1)\n"
    )
    spec = PlayerSpec.read(f"object:{file}:make")
    setup = Setup((spec, spec), ("a", "b"), QUICK, (Opening(("32-28",)),))
    assert play(setup, Tally(2), 2, locally(2)) == 2
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 4
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# --- What other parts of the package bring ---------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(damier.engine, "Tables"), reason="there are no endgame tables")
def test_a_table_s_win_counts_only_before_a_draw_by_count() -> None:
    probe = run.table_probe("official")
    assert probe is not None

    def told(fen: str, *moves: str) -> str | None:
        board = Board(fen)
        for move in moves:
            board.push(move)
        value: Any = probe(board)
        return None if value is None else str(value.value)

    assert told("W:WK6,K28,39:BK50") == "win"  # in three single moves
    assert told("B:WK6,K28,39:BK50") == "loss"
    assert told("W:W31:B4") is None  # in seventeen, and five moves of each side with a king might come to count
    assert told("W:WK1:BK50") == "draw"
    assert told("W:W31-50:B1-20") is None


@pytest.mark.skipif(not hasattr(damier.engine, "DxpEngine"), reason="there is no DamExchange")
@pytest.mark.skipif(sys.platform == "win32", reason="ends a process as POSIX does")
def test_a_program_that_plays_damexchange() -> None:
    command = [sys.executable, "-c", "from damier.cli import main; main()", "dxp", "--listen", "--port", "0"]
    with subprocess.Popen([*command, "--level", "1"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            setup = setup_of("damier:hash=1", f"dxp[minutes=3]:{address}")
            [pair] = games_of(setup, 1, locally(1)).values()
            assert not {game.reason for game in pair.games} & {"failed", "died", "silent", "time", "bad_move"}
            assert all(len(game.plies) > 10 for game in pair.games)
        finally:
            process.kill()
