"""Other people's engines: ours as a process, and small ones that behave badly, each a real process."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from damier import Board, EngineError
from damier.engine import AsyncHubEngine, HubEngine, HubEngineError, Limit, Score, SearchResult
from damier.engine.hub_messages import asking, score_of
from damier.engine.hub_server import men
from damier.notation.hub import write_position

OURS = [sys.executable, "-c", "from damier.cli import main; main()", "hub"]
NO_BOOK = {"book": False}
SHOT = "W:W33:B8,18,28"

# An engine that says what it must until it is asked to think; then {think} happens.
BAD = """
import os, sys, time
def say(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush()
for line in sys.stdin:
    words = line.split()
    if words[0] == "hub":
        say("id name=Bad version=1")
        say("param name=size value=3 type=int min=1 max=9")
        say("wait")
    elif words[0] == "init":
        say("ready")
    elif words[0] == "ping":
        say("pong")
    elif words[0] == "quit":
        break
    elif words[0] == "go":
        {think}
"""


def bad(think: str) -> list[str]:
    return [sys.executable, "-c", BAD.format(think=think)]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def error_of(engine: HubEngine) -> HubEngineError:
    with pytest.raises(HubEngineError) as error:
        engine.search(Board(), Limit(time=0.2))
    return error.value


# --- An engine that does what it should ----------------------------------------------------------------------------


def test_our_engine_through_the_protocol_finds_what_it_finds_without() -> None:
    told: list[SearchResult] = []
    with HubEngine(OURS, options=NO_BOOK) as engine:
        found = engine.search(Board(SHOT), Limit(depth=8), told.append)
        assert (str(found.best), found.score) == ("33x2", Score.win(1))
        assert found.pv[0] == found.best
        assert told
        assert all(each.pv for each in told)
        assert engine.name.startswith("Damier")
        assert engine.ping() > 0
        board = Board()
        for _ in range(6):
            board.push(engine.search(board, Limit(depth=3)).best)
        engine.clear()
        assert engine.search(board, Limit(nodes=2000)).best in board.legal_moves
        assert engine.search(board, Limit(time=0.05)).depth > 0


def test_a_position_is_told_with_the_moves_since_it_could_not_come_again() -> None:
    board = Board("W:W32,K47:BK4")
    for move in ("32-28", "4-9", "47-41", "9-4"):
        board.push(move)
    position, level = asking(board, Limit(time=1.5, depth=9))
    assert position == ("pos", {"pos": write_position(Board("B:W28,K47:BK4")), "moves": "4-9 47-41 9-4"})
    assert level == ("level", {"move-time": "1.500", "depth": "9"})
    assert "moves" not in asking(Board(), Limit(depth=1))[0].arguments


def test_what_a_clock_allows_is_told_as_the_time_to_aim_at() -> None:
    for limit, told in ((Limit.clock(60, 2), "3.740"), (Limit(aim=0.5), "0.500"), (Limit(time=1, aim=3), "1.000")):
        assert asking(Board(), limit)[1] == ("level", {"move-time": told})


@pytest.mark.parametrize("rules", ["official", "leaflet", "classic", "club"])
def test_every_rule_set_that_the_engine_has(rules: str) -> None:
    with HubEngine(OURS, rules=rules) as engine:
        board = Board(rules=rules)
        assert engine.search(board, Limit(depth=2)).best in board.legal_moves


def test_a_search_is_stopped_from_another_thread() -> None:
    with HubEngine(OURS, options=NO_BOOK) as engine:
        threading.Timer(0.5, engine.stop).start()
        assert engine.search(Board(), Limit(depth=200)).best in Board().legal_moves
        assert engine.search(Board(), Limit(depth=2)).best in Board().legal_moves


def test_what_on_info_raises_comes_out_and_the_engine_goes_on() -> None:
    def refuse(_found: SearchResult) -> None:
        raise LookupError("enough")

    with HubEngine(OURS, options=NO_BOOK) as engine:
        with pytest.raises(LookupError, match="enough"):
            engine.search(Board(), Limit(depth=200), refuse)
        assert engine.search(Board(), Limit(depth=2)).best in Board().legal_moves


async def test_a_cancelled_search_leaves_an_engine_that_can_be_used() -> None:
    async with AsyncHubEngine(OURS, options=NO_BOOK) as engine:
        searching = asyncio.create_task(engine.search(Board(), Limit(depth=200)))
        await asyncio.sleep(0.5)
        with pytest.raises(EngineError, match="searching already"):
            await engine.search(Board(), Limit(depth=1))
        searching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await searching
        assert (await engine.search(Board(SHOT), Limit(depth=4))).score == Score.win(1)


def test_what_cannot_be_asked() -> None:
    with HubEngine(OURS, options=NO_BOOK) as engine:
        with pytest.raises(EngineError, match="the game is over"):
            engine.search(Board("W:W:B1"), Limit(depth=1))
        with pytest.raises(HubEngineError) as refused:
            engine.search(Board(rules="club"), Limit(depth=1))
        assert refused.value.code == "other_rules"
    with pytest.raises(EngineError, match="closed"):
        engine.search(Board(), Limit(depth=1))
    engine.close()


@pytest.mark.parametrize("what", ["a search", "the start"])
def test_closing_in_the_midst_tells_who_waits(what: str) -> None:
    command = OURS if what == "a search" else [sys.executable, "-c", "import time; time.sleep(60)"]
    engine, codes = HubEngine(command, options=NO_BOOK), list[str]()

    def wait() -> None:
        try:
            engine.search(Board(), Limit(depth=200))
        except HubEngineError as error:
            codes.append(error.code)

    if what == "a search":
        engine.ping()
    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.5)
    engine.close()
    waiting.join(20)
    assert codes == ["closed"]


def test_an_error_of_another_engine_in_on_info_leaves_this_one_in_order() -> None:
    def refuse(_found: SearchResult) -> None:
        raise HubEngineError("another one has failed", code="died")

    with HubEngine(OURS, options=NO_BOOK) as engine:
        with pytest.raises(HubEngineError, match="another one"):
            engine.search(Board(), Limit(depth=200), refuse)
        assert engine.search(Board(SHOT), Limit(depth=4)).score == Score.win(1)


@pytest.mark.parametrize("score", [Score.win(1), Score.win(42), Score.loss(2), Score.centi(-35), Score.centi(0)])
def test_a_score_comes_back_as_it_was_told(score: Score) -> None:
    assert score_of(men(score)) == score


# --- Engines that do not ---------------------------------------------------------------------------------------------


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(HubEngineError) as error, HubEngine("./no-such-engine hub"):
        pass
    assert error.value.code == "not_started"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ([sys.executable, "-c", "import time; time.sleep(60)"], "silent_at_start"),
        ([sys.executable, "-c", "import sys; print('no licence', file=sys.stderr); sys.exit(3)"], "died"),
    ],
)
def test_an_engine_that_never_gets_ready(command: list[str], code: str) -> None:
    with pytest.raises(HubEngineError) as error, HubEngine(command, start_timeout=1.5):
        pass
    assert error.value.code == code
    if code == "died":
        assert (error.value.exit_code, error.value.lines) == (3, ("no licence",))
        assert error.value.sentence("de") != str(error.value)


@pytest.mark.parametrize(
    ("think", "code"),
    [
        ("os._exit(7)", "died"),
        ("os.kill(os.getpid(), 9)", "died"),
        ("time.sleep(60)", "silent"),
        ("say('done move=32-23 ponder=1-2')", "bad_move"),
        ("say('done')", "bad_move"),
        ("say('done move=nonsense')", "bad_move"),
    ],
)
def test_a_search_that_fails_says_how_and_the_next_one_starts_anew(think: str, code: str) -> None:
    with HubEngine(bad(think), timeout=0.6) as engine:
        errors = [error_of(engine) for _ in range(4)]
    assert [error.code for error in errors] == [code, code, code, "gave_up"]
    if think == "os._exit(7)":
        assert errors[0].exit_code == 7
    if "32-23" in think:
        assert errors[0].answer == "32-23"


def test_a_search_without_a_time_limit_ends_when_the_engine_falls_silent() -> None:
    with HubEngine(bad("time.sleep(60)"), timeout=0.6) as engine, pytest.raises(HubEngineError) as error:
        engine.search(Board(), Limit(depth=4))
    assert error.value.code == "silent"


@pytest.mark.parametrize("limit", [Limit(depth=4), Limit(time=60)])
def test_an_error_with_nothing_after_it_ends_the_search(limit: Limit) -> None:
    with HubEngine(bad("say('error message=\"out of order\"')"), timeout=0.6) as engine:
        begin = time.monotonic()
        with pytest.raises(HubEngineError, match="out of order") as error:
            engine.search(Board(), limit)
        assert time.monotonic() - begin < 30
    assert error.value.code == "error"


def test_an_error_that_the_search_goes_on_after_is_passed_over() -> None:
    think = (
        "say('error message=odd'); time.sleep(0.3); say('info depth=1 pv=32-28'); time.sleep(1); say('done move=32-28')"
    )
    with HubEngine(bad(think), timeout=0.8) as engine:
        assert str(engine.search(Board(), Limit(time=10)).best) == "32-28"


def test_an_engine_that_floods_is_heard_all_the_same() -> None:
    lines = "[say('info depth=%d score=0.1 pv=\"32-28\"' % n) for n in range(30000)]"
    flood = f"{lines}; say('x' * 200000); say('done move=32-28')"
    noise = "sys.stderr.write('noise ' * 200000); sys.stderr.flush(); say('done move=32-28')"
    for think in (flood, noise):
        with HubEngine(bad(think), timeout=20) as engine:
            assert str(engine.search(Board(), Limit(time=10)).best) == "32-28"


def test_what_is_told_in_part_is_taken_in_part() -> None:
    think = "say('info depth=nine score=much nodes=-3 pv=\"32-28 1-2\"'); say('done move=32-28')"
    with HubEngine(bad(think)) as engine:
        found = engine.search(Board(), Limit(depth=3))
    assert (found.depth, found.nodes, found.score, len(found.pv)) == (0, 0, Score.centi(0), 1)


def test_options_are_those_that_the_engine_has() -> None:
    with HubEngine(bad("say('done move=32-28')"), options={"size": 9}) as engine:
        assert engine.parameters["size"]["max"] == "9"
        assert engine.search(Board(), Limit(depth=1)).depth == 0
    for options in ({"size": 10}, {"colour": "red"}):
        with pytest.raises(HubEngineError) as error, HubEngine(bad("pass"), options=options):
            pass
        assert error.value.code == "no_option"
    with pytest.raises(HubEngineError) as error, HubEngine(bad("pass"), rules="club"):
        pass
    assert error.value.code == "no_rules"


@pytest.mark.skipif(sys.platform == "win32", reason="processes are looked for as POSIX has them")
def test_no_process_and_no_thread_is_left(tmp_path: Path) -> None:
    threads = threading.active_count()
    think = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    with HubEngine(bad(think), timeout=0.5) as engine, pytest.raises(HubEngineError):
        engine.search(Board(), Limit(time=0.1))
    assert not is_running(int((tmp_path / "pid").read_text()))
    deadline = time.monotonic() + 10
    while threading.active_count() > threads:
        assert time.monotonic() < deadline
        time.sleep(0.05)
