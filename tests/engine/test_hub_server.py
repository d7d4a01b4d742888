"""Our engine in the Hub protocol: every message, and what is none."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damier import Board, Color
from damier.engine import Book
from damier.engine.hub_server import HubServer
from damier.engine.streams import LONGEST_LINE, Lines
from damier.notation.hub import BadHub, Line, read_line, read_move, write_line, write_move, write_position

START = write_position(Board())
WAIT = 30  # seconds, for a machine that is busy


class Interface:
    """The other side of the conversation."""

    def __init__(self) -> None:
        self._heard: queue.Queue[str] = queue.Queue()
        self.server = HubServer(self._heard.put)

    def say(self, *lines: str) -> None:
        for line in lines:
            assert self.server.receive(line)

    def hear(self) -> Line:
        return read_line(self._heard.get(timeout=WAIT))

    def until(self, command: str) -> list[Line]:
        """What is heard up to this command."""
        heard = [self.hear()]
        while heard[-1].command != command:
            heard.append(self.hear())
        return heard

    def is_silent(self) -> bool:
        """True if nothing was said: an answer comes before the next pong."""
        self.say("ping")
        return self.hear().command == "pong"

    def complaint(self, line: str) -> str:
        """The error with which one line is answered."""
        self.say(line)
        command, arguments = self.hear()
        assert command == "error"
        return arguments["message"]


@pytest.fixture
def gui() -> Iterator[Interface]:
    interface = Interface()
    interface.say("set-param name=tt-size value=16", "set-param name=book value=false", "init")
    assert interface.hear().command == "ready"
    yield interface
    interface.server.close()


def move_of(done: Line, board: Board) -> str:
    assert done.command == "done"
    return str(read_move(board, done.arguments["move"]))


def test_hub_introduces_the_engine() -> None:
    interface = Interface()
    interface.say("hub")
    heard = interface.until("wait")
    assert [line.command for line in heard] == ["id", *["param"] * 5, "wait"]
    assert heard[0].arguments["name"] == "Damier"
    assert {line.arguments["name"]: line.arguments["value"] for line in heard[1:-1]} == {
        "variant": "normal",
        "tt-size": "22",
        "threads": "1",
        "ponder": "false",
        "book": "true",
    }


def test_set_param_sets_and_refuses(gui: Interface) -> None:
    gui.say(
        "set-param name=tt-size value=17", "set-param name=threads value=2", "set-param name=ponder value=true", "hub"
    )
    told = {line.arguments["name"]: line.arguments["value"] for line in gui.until("wait") if line.command == "param"}
    assert (told["tt-size"], told["threads"], told["ponder"]) == ("17", "2", "true")
    assert "16 to 32" in gui.complaint("set-param name=tt-size value=40")
    assert "normal" in gui.complaint("set-param name=variant value=killer")
    assert "1 to 256" in gui.complaint("set-param name=threads value=0")
    assert "true or false" in gui.complaint("set-param name=ponder value=1")
    assert "bb-size" in gui.complaint("set-param name=bb-size value=4")
    assert "true or false" in gui.complaint("set-param name=book value=yes")


def test_variant_is_the_rule_set(gui: Interface) -> None:
    fen = "W:W15:B9,10"
    for variant, choices in (("normal", {"15x13"}), ("club", {"15x13", "15x18", "15x22", "15x27", "15x31", "15x36"})):
        rules = "official" if variant == "normal" else variant
        board = Board(fen, rules)
        assert {str(move) for move in board.legal_moves} == choices
        gui.say(f"set-param name=variant value={variant}", "init")
        assert gui.hear().command == "ready"
        gui.say(f"pos pos={write_position(board)}", "level depth=3", "go think")
        assert move_of(gui.until("done")[-1], board) in choices


@pytest.mark.parametrize(
    "level",
    ["depth=3", "nodes=500", "move-time=0.05", "time=1", "moves=5 time=0.2", "time=1 inc=0.1", "depth=9 nodes=90"],
)
def test_every_level_ends(gui: Interface, level: str) -> None:
    gui.say(f"pos pos={START}", f"level {level}", "go think")
    assert move_of(gui.until("done")[-1], Board())


def test_info_tells_what_is_known(gui: Interface) -> None:
    gui.say(f"pos pos={START}", "level depth=4", "go think")
    *infos, done = gui.until("done")
    assert [line.arguments["depth"] for line in infos] == ["1", "2", "3", "4"]
    last = infos[-1].arguments
    assert set(last) == {"depth", "score", "nodes", "time", "nps", "pv"}
    assert last["pv"].split()[:2] == [done.arguments["move"], done.arguments["ponder"]]
    for name in ("score", "time", "nps"):
        float(last[name])


def test_the_book_answers_at_once_where_a_move_is_to_be_played(gui: Interface) -> None:
    gui.say("set-param name=book value=true", f"pos pos={START}", "level infinite", "go think")
    info, done = gui.until("done")
    assert (info.arguments["depth"], info.arguments["nodes"]) == ("0", "0")
    assert (info.arguments["pv"], set(done.arguments)) == (done.arguments["move"], {"move"})
    assert move_of(done, Board()) in {str(move) for move, _ in Book.default().moves(Board())}
    for mode in ("analyze", "ponder"):
        gui.say("level depth=4", f"go {mode}")
        assert len(gui.until("done")) == 5
    gui.say("set-param name=book value=false", "go think")
    assert len(gui.until("done")) == 5


def test_a_win_is_told_as_its_distance(gui: Interface) -> None:
    gui.say(f"pos pos={write_position(Board('W:W33:B8,18,28'))}", "level depth=4", "go analyze")
    *infos, done = gui.until("done")
    assert infos[-1].arguments["score"] == "99.99"
    assert done == Line("done", {"move": "33x2x8x18x28"})


def test_pos_plays_its_moves(gui: Interface) -> None:
    gui.say(f'pos pos={START} moves="32-28 19-23"', "level depth=2", "go think")
    assert gui.until("done")[-1].arguments["move"] == "28x19x23"


def test_stop_and_ping_are_answered_during_a_search(gui: Interface) -> None:
    gui.say(f"pos pos={START}", "level infinite", "go analyze", "ping")
    gui.until("pong")
    gui.say("stop", "stop")
    assert move_of(gui.until("done")[-1], Board())
    gui.say("stop")
    assert gui.is_silent()


def test_stop_right_after_go_is_not_lost(gui: Interface) -> None:
    for _ in range(20):
        gui.say(f"pos pos={START}", "level infinite", "go think", "stop")
        assert move_of(gui.until("done")[-1], Board())


def test_pondering_waits_for_the_hit(gui: Interface) -> None:
    gui.say(f"pos pos={START}", "level move-time=0.01", "go ponder")
    while gui.hear().arguments["depth"] != "9":  # far beyond what the time would have allowed
        pass
    gui.say("ponder-hit")
    assert move_of(gui.until("done")[-1], Board())
    gui.say("ponder-hit")
    assert gui.is_silent()


def test_a_hit_right_after_go_is_not_lost(gui: Interface) -> None:
    for _ in range(20):
        gui.say(f"pos pos={START}", "level move-time=0.02", "go ponder", "ponder-hit")
        assert move_of(gui.until("done")[-1], Board())


def test_two_threads_find_a_move(gui: Interface) -> None:
    gui.say("set-param name=threads value=2", "init", f"pos pos={START}", "level nodes=20000", "go think")
    assert move_of(gui.until("done")[-1], Board())


def test_a_bullet_clock_never_runs_out(gui: Interface) -> None:
    board, left = Board(), dict.fromkeys(Color, 1.0)
    while board.outcome() is None and board.ply < 40:
        side, moves = board.turn, " ".join(map(write_move, board.moves))
        gui.say(f'pos pos={START} moves="{moves}"', f"level time={left[side]:.3f} inc=0.1")
        begin = time.process_time()  # the machine may be busy with others
        gui.say("go think")
        move = gui.until("done")[-1].arguments["move"]
        spent = time.process_time() - begin
        assert len(board.legal_moves) > 1 or spent < 0.05, "a forced move is instant"
        left[side] -= spent
        assert left[side] > 0
        left[side] += 0.1
        board.push(read_move(board, move))


def test_a_search_that_fails_owes_its_move_all_the_same() -> None:
    heard: queue.Queue[str] = queue.Queue()

    def send(line: str) -> None:
        if line.startswith("info depth=3"):
            raise RuntimeError("out of order")
        heard.put(line)

    server = HubServer(send)
    for line in ("set-param name=book value=false", f"pos pos={START}", "level depth=5", "go think"):
        assert server.receive(line)
    lines = [read_line(heard.get(timeout=WAIT)) for _ in range(4)]
    assert [line.command for line in lines] == ["info", "info", "error", "done"]
    assert "out of order" in lines[2].arguments["message"]
    assert move_of(lines[3], Board())
    server.close()


def test_pondering_ends_at_stop_and_a_new_search_begins(gui: Interface) -> None:
    other = Board()
    other.push("32-28")
    gui.say(f"pos pos={START}", "level move-time=60", "go ponder")
    gui.say("stop", f"pos pos={write_position(other)}", "level depth=2", "go think")
    assert move_of(gui.until("done")[-1], Board())
    assert move_of(gui.until("done")[-1], other)


def test_go_during_a_search_has_both_moves(gui: Interface) -> None:
    gui.say(f"pos pos={START}", "level infinite", "go analyze", "level depth=2", "go think")
    assert gui.until("done")
    assert gui.until("done")


def test_new_game_forgets(gui: Interface) -> None:
    def nodes() -> str:
        gui.say(f"pos pos={START}", "level depth=6", "go think")
        return gui.until("done")[-2].arguments["nodes"]

    first, second = nodes(), nodes()
    gui.say("new-game")
    assert (nodes(), second == first) == (first, False)


def test_quit_and_nothing_else_quits(gui: Interface) -> None:
    assert gui.server.receive("nonsense")
    assert not gui.server.receive("quit")


def test_a_draw_that_only_our_rules_see_is_played_on(gui: Interface) -> None:
    board = Board("W:WK46,K47:BK3,K4")
    moves = "46-41 4-15 41-46 15-4 " * 2
    for text in moves.split():
        board.push(text)
    assert board.outcome() is not None
    gui.say(f'pos pos={write_position(Board(board.start_fen))} moves="{moves}"', "level depth=2", "go think")
    assert move_of(gui.until("done")[-1], board)


def test_what_has_no_meaning_is_an_error_and_goes_on(gui: Interface) -> None:
    assert "pos first" in gui.complaint("go think")
    gui.say(f"pos pos={START}")
    assert "level first" in gui.complaint("go think")
    for line in ("level", "level depth=0", "level depth=x", "level move-time=-1", "level time=nan", "level inc=1"):
        assert gui.complaint(line)
    assert gui.complaint("level depth=" + "9" * 5000)
    gui.say("level depth=1")
    for line in ("go", "go home", "go think ponder"):
        assert "think, ponder or analyze" in gui.complaint(line)
    assert gui.complaint("pos pos=W")
    assert "pos first" in gui.complaint("go think")  # a bad position leaves none
    assert gui.complaint(f'pos pos={START} moves="32-29"')
    assert gui.complaint('pos pos="')
    gui.say(f"pos pos={write_position(Board('W:W:B1'))}")
    assert "no move" in gui.complaint("go think")
    assert "is a command" in gui.complaint("\x00\x01")
    gui.say("", "   ", "unknown name=value")
    assert gui.is_silent()
    assert gui.server.receive(None)
    assert gui.until("error")[-1].arguments["message"] == "the line is too long"


def test_nobody_who_reads_ends_the_search() -> None:
    def gone(_: str) -> None:
        raise BrokenPipeError

    server = HubServer(gone)
    for line in ("set-param name=tt-size value=16", f"pos pos={START}", "level infinite", "go analyze"):
        assert server.receive(line)
    server.close()
    with pytest.raises(BrokenPipeError):
        server.receive("ping")


@given(st.text())
def test_any_line_is_survived(text: str) -> None:
    heard: list[str] = []
    server = HubServer(heard.append)
    assert server.receive(text) or text.split()[:1] == ["quit"]
    assert all(line.isascii() and read_line(line).command for line in heard)


@given(st.lists(st.binary(max_size=40)), st.randoms(use_true_random=False))
def test_lines_come_out_however_the_bytes_arrive(parts: list[bytes], chance: object) -> None:
    whole = b"".join(parts)
    lines = Lines()
    found = [line for part in parts for line in lines.feed(part)]
    assert found == Lines().feed(whole)
    assert len(found) == whole.count(b"\n")


def test_a_line_that_is_too_long_is_told_and_not_kept() -> None:
    lines = Lines()
    assert lines.feed(b"x" * LONGEST_LINE) == []
    assert (lines.feed(b"y"), lines.rest()) == ([], "")
    assert lines.feed(b"\nping\n") == [None, "ping"]


@given(st.dictionaries(st.from_regex(r"[a-z][a-z-]{0,9}", fullmatch=True), st.from_regex(r"[ -!#-~]*", fullmatch=True)))
def test_lines_there_and_back(arguments: dict[str, str]) -> None:
    assert read_line(write_line("info", arguments)) == Line("info", arguments)


@pytest.mark.parametrize("text", ['pos pos="', "=", 'pos "', "a b==", "a b= ="])
def test_what_is_no_line(text: str) -> None:
    with pytest.raises(BadHub) as caught:
        read_line(text)
    assert caught.value.code == "not_a_line"


@pytest.mark.parametrize(
    ("command", "value"), [("error", 'a "quote"'), ("error", "two\nlines"), ("", "x"), ("a b", "x")]
)
def test_what_cannot_be_written(command: str, value: str) -> None:
    with pytest.raises(ValueError, match="Hub protocol"):
        write_line(command, {"message": value})
