"""The players of matches: as texts, and as processes, among them some that misbehave."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

import damier.engine
from damier import Board, Move
from damier.engine import Engine, Limit, Score
from damier.engine.match import (
    MatchError,
    PlayerFailed,
    PlayerSpec,
    open_player,
)
from tests.engine.odd_players import odd
from tests.engine.test_hub import bad

# --- Players as texts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("", "no_player"),
        ("scan", "no_player"),
        ("Damier", "no_player"),
        ("hub", "no_command"),
        ("hub: ", "no_command"),
        ("object:", "no_command"),
        ("python:", "no_command"),
        ("hub1:", "no_command"),
        ("dxp:", "no_command"),
        ("dxp:localhost", "no_command"),
        ("dxp:localhost:x", "no_command"),
        ("damier:hash", "no_setting"),
        ("damier:hash=1,hash=2", "no_setting"),
        ("hub[a b=1]:./scan", "no_setting"),
        ("damier:nodes=0", "bad_limit"),
        ("damier:nodes=many", "bad_limit"),
        ("damier:time=-1", "bad_limit"),
    ],
)
def test_a_text_that_names_no_player(spec: str, code: str) -> None:
    with pytest.raises(MatchError) as error:
        PlayerSpec.read(spec)
    assert error.value.code == code
    assert spec.strip() in str(error.value)


def test_a_player_with_all_that_can_be_said() -> None:
    spec = PlayerSpec.read("hub[name=Scan,book=false,time=0.5,bb-size=5]:./scan hub --fast=1,2")
    assert (spec.name, spec.target) == ("Scan", "./scan hub --fast=1,2")
    assert (spec.settings, spec.limit) == ({"book": False, "bb-size": 5}, Limit(time=0.5))
    other = PlayerSpec.read("python:/opt/x/bin/python,hash=1,depth=9")
    assert (other.kind, other.python) == ("damier", "/opt/x/bin/python")
    assert (other.settings, other.limit) == ({"hash": 1}, Limit(depth=9))
    assert other.name == "python:/opt/x/bin/python,hash=1,depth=9"
    assert PlayerSpec.read("damier[hash=1]:threads=2").settings == {"hash": 1, "threads": 2}


# --- Engines as processes -------------------------------------------------------------------------------------------


def test_our_engine_in_a_process_plays_as_here() -> None:
    player = open_player(PlayerSpec.read("damier:hash=1"))
    try:
        board, here = Board(), Engine(hash_mb=1)
        for _ in range(12):
            found = player.move(board, Limit(nodes=3000), 0)
            same = here.search(board, Limit(nodes=3000))
            assert (found.move, found.score, found.depth, found.nodes) == (
                same.best,
                same.score,
                same.depth,
                same.nodes,
            )
            board.push(found.move)
        forced = Board("W:W33,48,49,50:B28,1,2,3,4")
        begin = time.monotonic()
        assert player.move(forced, Limit(time=5), 0).depth <= 4  # there is no choice
        assert time.monotonic() - begin < 4
        assert player.move(forced, Limit(time=0.05), 0, line=True).depth > 4
        for _ in range(3):
            board.pop()  # it takes back what is taken back
        assert player.move(board, Limit(depth=2), 0).move in board.legal_moves
        player.clear()
        other = Board("B:W27,28,32:B8,12,18", rules="official")
        assert player.move(other, Limit(depth=9), 0).move == Engine(hash_mb=1).search(other, Limit(depth=9)).best
        assert player.identity.name.startswith("Damier")
        assert len(player.identity.build) == 12
    finally:
        player.close()


def test_our_engine_through_the_hub_protocol_plays_the_same_and_tells_the_same() -> None:
    command = f"{sys.executable} -c 'from damier.cli import main; main()' hub"
    one, two = (
        open_player(PlayerSpec.read(f"hub[tt-size=16,book=false]:{command}")),
        open_player(PlayerSpec.read("damier:hash=1")),
    )
    try:
        board = Board()
        for _ in range(12):  # most searches by nodes end in the midst of a depth
            found, same = (player.move(board, Limit(nodes=3000), 0) for player in (one, two))
            assert (found.move, found.score, found.depth, found.nodes) == (same.move, same.score, same.depth, 3000)
            board.push(found.move)
        times = [one.move(Board(), Limit(time=0.2), 0).time for _ in range(5)]
        assert 0.1 < min(times) < 0.3
    finally:
        one.close()
        two.close()


def test_levels_play_by_chance_that_a_seed_decides() -> None:
    player = open_player(PlayerSpec.read("damier:level=1,hash=1"))
    try:
        moves = [player.move(Board(), Limit(depth=1), seed).move for seed in (*range(8), *range(8))]
        assert moves[:8] == moves[8:]
        assert len(set(moves)) > 1
        assert player.move(Board(), Limit(depth=1), 0).score is None
    finally:
        player.close()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("damier:colour=red", "has no setting colour; it has hash_mb"),
        ("damier:hash=0", "hash_mb is 1 to 65536"),
        ("damier:level=99", "no level 99"),
        ("python:/no/such/python", "No such file"),
        ("object:/no/such/file.py:Engine", "there is no file"),
        ("object:json:Engine", "json has no Engine"),
        ("object:engine.py", "is no file or module"),
        ("hub:/no/such/engine hub", "cannot be started"),
        ("hub[size=9]:{hub}", "no parameter size"),
        ("python:{true}", "has ended"),
    ],
)
def test_a_player_that_cannot_be_started_says_why(spec: str, said: str) -> None:
    hub = f"{sys.executable} -c 'from damier.cli import main; main()' hub"
    with pytest.raises(MatchError) as error:
        open_player(PlayerSpec.read(spec.format(hub=hub, true="/bin/true")))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("then", "code", "said"),
    [
        ("os._exit(7)", "died", "7"),
        ("os.kill(os.getpid(), 9)", "died", "-9"),
        ("raise LookupError('no book')", "failed", "no book"),
        ("time.sleep(60)", "silent", "0.6 seconds"),
        ("board = type(board)('W:W33:B28')", "bad_move", "33x22"),
        ("return None", "failed", "AttributeError"),
    ],
)
def test_an_engine_that_fails_loses_and_plays_on(tmp_path: Path, then: str, code: str, said: str) -> None:
    player = open_player(odd(tmp_path, then), timeout=0.5)
    try:
        for _ in range(2):  # the second time it is a new process
            for _ in range(2):
                assert player.move(Board(), Limit(time=0.1), 0).move == Board().legal_moves[0]
            with pytest.raises(PlayerFailed) as error:
                player.move(Board(), Limit(time=0.1), 0)
            assert error.value.code == code
            assert said in str(error.value)
    finally:
        player.close()


@pytest.mark.parametrize(("think", "code"), [("os._exit(7)", "died"), ("say('done move=1-2')", "bad_move")])
def test_a_hub_engine_that_fails_loses_each_time(think: str, code: str) -> None:
    command = " ".join(f"'{part}'" if " " in part else part for part in bad(think.replace("'", '"'))[:2])
    script = bad(think.replace("'", '"'))[2].replace("'", '"')
    player = open_player(PlayerSpec.read(f"hub:{command} '{script}'"))
    try:
        for _ in range(5):  # more often than a single HubEngine would be started
            with pytest.raises(PlayerFailed) as error:
                player.move(Board(), Limit(time=0.1), 0)
            assert error.value.code == code
    finally:
        player.close()


def test_closing_ends_a_search() -> None:
    import threading

    player = open_player(PlayerSpec.read("damier:hash=1"))
    threading.Timer(0.3, player.close).start()
    begin = time.monotonic()
    with pytest.raises(PlayerFailed):
        player.move(Board(), Limit(time=60), 0)
    assert time.monotonic() - begin < 20


@pytest.mark.skipif(not hasattr(damier.engine, "DxpEngine"), reason="there is no version 1 of the Hub protocol")
def test_a_program_that_speaks_hub_version_1() -> None:
    command = f"{sys.executable} -c 'from damier.cli import main; main()' hub --protocol 1"
    player = open_player(PlayerSpec.read(f"hub1:{command}"))
    try:
        assert player.identity.name.startswith("Damier")
        assert player.move(Board("W:W33:B8,18,28"), Limit(depth=4), 0)[:2] == (
            Move(33, 2, (8, 18, 28), True),
            Score.win(1),
        )
    finally:
        player.close()
