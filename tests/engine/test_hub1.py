"""Version 1 of the Hub protocol: its lines, our engine that speaks it, and engines that do, each a real process."""

from __future__ import annotations

import queue
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import Board
from damier.engine import HubEngine, HubEngineError, Limit, Score, SearchResult
from damier.engine.hub_messages import asking
from damier.engine.hub_server import HubServer1
from damier.notation import hub1
from damier.notation.hub import Line, read_move, read_position, write_position
from tests.engine.test_hub import OURS

WAIT = 30  # seconds, for a machine that is busy
OURS_1 = [*OURS, "--protocol", "1"]
START = write_position(Board(), version=1)
SHOT = "W:W33:B8,18,28"

# An engine as an older one is: it echoes what it hears during a search, tells a mean ply, and plays what it is given.
OLD = """
import sys
def say(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush()
heard = []
for line in sys.stdin:
    words = line.split()
    heard.append(line.strip())
    if words[0] == "hub":
        say("name Old 2.0"); say("author nobody"); say("country nowhere"); say("wait")
    elif words[0] == "init":
        say("ready")
    elif words[0] == "ping":
        say("pong")
    elif words[0] == "quit":
        break
    elif words[0] == "go":
        say('input "nonsense"')
        {think}
"""


def old(think: str) -> list[str]:
    return [sys.executable, "-c", OLD.format(think=think)]


# --- Lines -----------------------------------------------------------------------------------------------------------


def test_what_an_engine_says() -> None:
    assert hub1.from_engine("name Scan 2.0") == Line("id", {"name": "Scan 2.0"})
    info = hub1.from_engine("info 3 4.5 -135 373 0.001 0.406 31-26 20-25 32x23").arguments
    assert (info["depth"], info["mean-depth"], info["score"], info["nodes"]) == ("3", "4.5", "-1.35", "373")
    assert (info["time"], info["nps"], info["pv"]) == ("0.001", "0.406", "31-26 20-25 32x23")
    assert hub1.from_engine("move 28x19x23") == Line("done", {"move": "28x19x23"})
    assert hub1.from_engine("error illegal move") == Line("error", {"message": "illegal move"})
    for line in ("wait", "ready", "pong"):
        assert hub1.from_engine(line) == Line(line, {})
    assert hub1.from_engine("") == Line("", {})


def test_what_an_interface_says() -> None:
    board = Board()
    board.push("32-28")
    text = write_position(Board())
    assert hub1.to_engine("pos", {"pos": text, "moves": "32-28 19-23"}) == [f"pos {START}", "move 32-28", "move 19-23"]
    assert hub1.to_engine("level", {"moves": "40", "time": "1200", "inc": "0.5"}) == ["level 40 1200000 500"]
    assert hub1.to_engine("set-param", {"name": "book", "value": "true"}) == ["set book true"]
    assert [hub1.to_engine("go", {mode: ""}) for mode in ("think", "ponder", "analyze")] == [
        ["go"],
        ["ponder"],
        ["analyse"],
    ]
    assert hub1.to_engine("new-game", {}) == ["new"]
    for command, arguments in (("level", {"nodes": "9"}), ("done", {"move": "32-28"})):
        with pytest.raises(ValueError, match="version 1"):
            hub1.to_engine(command, arguments)


_WORDS = st.from_regex(r"[a-z0-9-]{1,9}", fullmatch=True)
_SECONDS = st.integers(1, 10**7).map(lambda milliseconds: f"{milliseconds / 1000:.12g}")
_SAID_BY_INTERFACES = st.one_of(
    st.sampled_from(["hub", "init", "ping", "ponder-hit", "stop", "quit", "new-game"]).map(
        lambda word: Line(word, dict[str, str]())
    ),
    st.builds(lambda name, value: Line("set-param", {"name": name, "value": value}), _WORDS, _WORDS),
    st.sampled_from(["think", "ponder", "analyze"]).map(lambda mode: Line("go", {mode: ""})),
    st.integers(1, 99).map(lambda depth: Line("level", {"depth": str(depth)})),
    st.builds(
        lambda moves, time, inc: Line("level", {"moves": str(moves), "time": time, "inc": inc}),
        st.integers(0, 99),
        _SECONDS,
        _SECONDS,
    ),
)


@given(_SAID_BY_INTERFACES)
def test_an_interfaces_lines_there_and_back(line: Line) -> None:
    assert [hub1.from_interface(text) for text in hub1.to_engine(*line)] == [line]


@given(st.integers(-10000, 10000), st.integers(1, 99), st.lists(_WORDS, max_size=7))
def test_an_engines_lines_there_and_back(score: int, depth: int, moves: list[str]) -> None:
    told = {"depth": str(depth), "mean-depth": "4.5", "score": f"{score / 100:.2f}", "nodes": "9", "time": "0.5"}
    line = Line("info", {**told, "nps": "0.1", "pv": " ".join(moves)})
    (text,) = hub1.to_interface(*line)
    assert text.split()[3] == str(score)
    assert hub1.from_engine(text) == line


@given(st.text())
def test_any_line_is_read(text: str) -> None:
    for read in (hub1.from_engine, hub1.from_interface):
        assert isinstance(read(text).command, str)


# --- Our engine ------------------------------------------------------------------------------------------------------


class Interface:
    """The other side of the conversation."""

    def __init__(self) -> None:
        self._heard: queue.Queue[str] = queue.Queue()
        self.server = HubServer1(self._heard.put)
        self.say("set tt-size 16", "set book false", "init")
        assert self.hear() == "ready"

    def say(self, *lines: str) -> None:
        for line in lines:
            assert self.server.receive(line)

    def hear(self) -> str:
        return self._heard.get(timeout=WAIT)

    def until(self, command: str) -> str:
        while not (line := self.hear()).startswith(command):
            pass
        return line


def test_a_conversation() -> None:
    gui = Interface()
    gui.say("hub")
    assert gui.hear().startswith("name Damier ")
    assert gui.hear() == "wait"
    gui.say("start", "move 32-28", "move 19-23", "depth 3", "go")
    board = Board()
    for text in ("32-28", "19-23"):
        board.push(text)
    _, depth, _mean, score, nodes, _time, _nps, first, *_ = gui.until("info 3").split()
    assert (depth, int(score) == float(score), int(nodes) > 0) == ("3", True, True)
    assert board.parse(first) in board.legal_moves
    assert read_move(board, gui.until("move").split()[1]) in board.legal_moves
    gui.say(f"pos {write_position(Board(SHOT), version=1)}", "depth 4", "analyse")
    assert gui.until("info").split()[3] == "9999"
    assert gui.hear() == "move 33x2x8x18x28"
    gui.say("ping")
    assert gui.hear() == "pong"
    assert not gui.server.receive("quit")


@pytest.mark.parametrize("limits", [["time 50"], ["level 5 200 0"], ["level 0 1000 100"], ["depth 9", "time 20"]])
def test_every_limit_ends(limits: list[str]) -> None:
    gui = Interface()
    gui.say("start", *limits, "go")
    assert gui.until("move")
    gui.server.close()


def test_without_a_limit_any_line_stops() -> None:
    gui = Interface()
    for line in ("stop", "nonsense", "new", "start"):
        gui.say("start", "go")
        gui.until("info 2")
        gui.say("ping", line)
        gui.until("pong")
        assert gui.until("move")
    gui.say("start", "time 10", "ponder")
    gui.until("info 6")
    gui.say("ponder-hit")
    assert gui.until("move")


def test_what_has_no_meaning_is_an_error_and_goes_on() -> None:
    gui = Interface()
    for line, what in (
        ("go", "pos first"),
        ("move 32-28", "no position"),
        ("pos w", "51 characters"),
        ("start\ndepth x", "whole number"),
        ("go", "level first"),
        ("time", "seconds"),
        ("level 1 2", "inc"),
        ("set", "no parameter"),
    ):
        gui.say(*line.split("\n"))
        assert what in gui.until("error"), line
    gui.say("start", "move 32-23")
    assert gui.until("error")
    gui.say("", "ping")
    assert gui.hear() == "pong"


@given(st.text())
def test_any_line_is_survived(text: str) -> None:
    heard: list[str] = []
    server = HubServer1(heard.append)
    assert server.receive(text) or text.split()[:1] == ["quit"]
    assert all(line.isascii() and line.isprintable() for line in heard)


# --- Engines that speak it -------------------------------------------------------------------------------------------


def test_our_engine_through_version_1_finds_what_it_finds_without() -> None:
    told: list[SearchResult] = []
    with HubEngine(OURS_1, protocol=1, options={"tt-size": 18, "book": False}) as engine:
        found = engine.search(Board(SHOT), Limit(depth=6), told.append)
        assert (str(found.best), found.score) == ("33x2", Score.win(1))
        assert told
        assert engine.name.startswith("Damier")
        assert engine.parameters == {}
        assert engine.ping() > 0
        board = Board()
        for _ in range(4):
            board.push(engine.search(board, Limit(depth=3)).best)
        engine.clear()
        assert engine.search(board, Limit(time=0.05)).depth > 0
        with pytest.raises(HubEngineError) as error:
            engine.search(board, Limit(nodes=1000, depth=3))
        assert error.value.code == "no_nodes"


def test_an_older_engine_and_what_it_hears() -> None:
    think = (
        "say('info 9 12.5 35 5000 0.1 0.05 32-28 nonsense'); say('error ' + '|'.join(heard)); say('move 32-28 19-23')"
    )
    with HubEngine(old(think), protocol=1, options={"book": False}) as engine:
        found = engine.search(Board(), Limit(depth=9, time=1.5))
        assert engine.name == "Old 2.0"
        assert (str(found.best), found.score, found.depth, found.nodes) == ("32-28", Score.centi(35), 9, 5000)
        assert engine._engine._process is not None
        heard = next(line for line in engine._engine._process.last_lines if line.startswith("error"))
    assert heard == f"error hub|set book false|init|pos {START}|depth 9|time 1500|go"


def test_an_older_engine_hears_the_moves_of_kings() -> None:
    board = Board("W:WK47:BK4")
    for move in ("47-41", "4-9"):
        board.push(move)
    position, _ = asking(board, Limit(depth=1))
    first, *moves = hub1.to_engine(*position)
    assert read_position(first.removeprefix("pos ")).fen() == "W:WK47:BK4"
    assert moves == ["move 47-41", "move 4-9"]


@pytest.mark.parametrize(
    ("think", "code"),
    [("sys.exit(7)", "died"), ("import time; time.sleep(60)", "silent"), ("say('move 32-23')", "bad_move")],
)
def test_an_older_engine_that_fails(think: str, code: str) -> None:
    with HubEngine(old(think), protocol=1, timeout=0.6) as engine, pytest.raises(HubEngineError) as error:
        engine.search(Board(), Limit(time=0.2))
    assert error.value.code == code


def test_what_version_1_cannot() -> None:
    with pytest.raises(HubEngineError) as error, HubEngine(old("pass"), protocol=1, rules="club"):
        pass
    assert error.value.code == "no_rules"
    with pytest.raises(ValueError, match="versions 1 and 2"):
        HubEngine(old("pass"), protocol=3)
