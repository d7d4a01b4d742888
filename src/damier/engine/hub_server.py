"""Our engine as one that speaks the Hub protocol: lines in, lines out. Version 1 has what is its own in a class below.

Where they come from and go to is the caller's affair (``damier hub``: standard input and output). docs/hub.md shows
every message with an example. Source: the protocol's own description, and Scan 2.0 and 3.1,
which speak versions 1 and 2.
"""

from __future__ import annotations

import contextlib
import math
import threading
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from damier.engine.book import Book
from damier.engine.engine import Engine, from_book
from damier.engine.limits import Limit
from damier.engine.score import Score
from damier.errors import DamierError
from damier.notation import hub1
from damier.notation.hub import Line, read_line, read_move, read_moves, read_position, write_line, write_move

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from damier._kernel import Move
    from damier.board import Board
    from damier.engine.engine import SearchResult

__all__ = ["HubServer", "HubServer1", "men"]

VARIANTS: Final = {"normal": "official", "leaflet": "leaflet", "classic": "classic", "club": "club"}
"""The rule sets by the names that the parameter ``variant`` has for them; the first is the protocol's own."""

_TABLE_SIZES: Final = range(16, 33)
"""Of ``tt-size``: the binary logarithm of the number of positions that the engine remembers, each in 16 bytes."""
_DEFAULT_TABLE_SIZE: Final = 22

_MOST_THREADS: Final = 256

_NO_LIMIT: Final = Limit(depth=2**31 - 1)
_FORCED_DEPTH: Final = 4
"""What a single legal move is searched for in a game: enough to expect an answer to it."""

_SHORTEST_SECONDS: Final = 0.01
_GOODBYE_SECONDS: Final = 2.0


def men(score: Score) -> str:
    """A score in men, as ``info`` lines tell it; a win in n plies is 100 - n / 100, as Scan writes it, a loss its opposite.

    >>> men(Score.centi(-35)), men(Score.win(3)), men(Score.loss(2))
    ('-0.35', '99.97', '-99.98')
    """
    if score.win_in is not None:
        return f"{100 - score.win_in / 100:.2f}"
    if score.loss_in is not None:
        return f"{score.loss_in / 100 - 100:.2f}"
    return f"{(score.centi_men or 0) / 100:.2f}"


class _Refused(DamierError):
    """A line that cannot be obeyed, and why."""


class HubServer:
    """The engine's side of a conversation in version 2. ``send`` is called with one line at a time, also while a search runs.

    It searches in a thread of its own, so that :meth:`receive` never waits long: for a moment at most, when a search
    that was told to stop has to tell its move first. An OSError that ``send`` raises (nobody reads any more) ends a
    search, and comes out of :meth:`receive` where that was to answer.
    """

    def __init__(self, send: Callable[[str], object]) -> None:
        self._send_line = send
        self._sending = threading.Lock()
        self._variant = "normal"
        self._table_size = _DEFAULT_TABLE_SIZE
        self._threads = 1
        self._ponders = False
        self._uses_book = True
        self._engine: Engine | None = None
        self._board: Board | None = None
        self._level: Limit | None = None
        self._search: _Search | None = None

    def receive(self, text: str | None) -> bool:
        """Obey a line from the interface, None for one that was too long; False when it asks to quit.

        Unknown commands and arguments are passed over, as the protocol wants it; what has no meaning is answered with
        ``error``.
        """
        try:
            if text is None:
                raise _Refused("the line is too long")
            line = self._read(text)
            if line.command == "quit":
                return False
            self._obey(line)
        except DamierError as error:
            self._complain(str(error))
        return True

    def close(self) -> None:
        """End the search that is running, if one is; its move is told if somebody still reads."""
        if self._search is not None:
            self._search.stop()
            self._search.join(_GOODBYE_SECONDS)  # it cannot end while nobody takes its lines

    def _obey(self, line: Line) -> None:
        obey = self._commands().get(line.command)
        if obey is not None:
            obey(line.arguments)

    def _commands(self) -> Mapping[str, Callable[[Mapping[str, str]], None]]:
        return {
            "hub": self._introduce,
            "set-param": self._set,
            "init": self._initialise,
            "pos": self._set_up,
            "level": self._limit,
            "go": self._go,
            "stop": self._stop,
            "ponder-hit": self._ponder_hit,
            "ping": lambda _: self._send("pong"),
            "new-game": self._new_game,
        }

    def _send(self, command: str, **arguments: str) -> None:
        lines = self._written(command, {name.replace("_", "-"): value for name, value in arguments.items()})
        with self._sending:
            for line in lines:
                self._send_line(line)

    def _read(self, text: str) -> Line:
        return read_line(text)

    def _written(self, command: str, arguments: Mapping[str, str]) -> list[str]:
        return [write_line(command, arguments)]

    def _complain(self, message: str) -> None:
        # what the protocol has no way to write, and what not every interface can read
        plain = message.translate(str.maketrans({"“": "'", "”": "'", '"': "'", "…": "..."}))
        printable = "".join(letter if letter.isprintable() else " " for letter in plain)
        self._send("error", message=printable.encode("ascii", "backslashreplace").decode())

    # --- Before the first search ----------------------------------------------------------------------------------

    def _introduce(self, _: Mapping[str, str]) -> None:
        self._send("id", name="Damier", version=version("damier"))
        self._send("param", name="variant", value=self._variant, type="enum", values=" ".join(VARIANTS))
        size, least, most = str(self._table_size), str(_TABLE_SIZES[0]), str(_TABLE_SIZES[-1])
        self._send("param", name="tt-size", value=size, type="int", min=least, max=most)
        self._send("param", name="threads", value=str(self._threads), type="int", min="1", max=str(_MOST_THREADS))
        # the interface asks for it, or does not
        self._send("param", name="ponder", value=str(self._ponders).lower(), type="bool")
        self._send("param", name="book", value=str(self._uses_book).lower(), type="bool")
        self._send("wait")

    def _set(self, arguments: Mapping[str, str]) -> None:
        name, value = arguments.get("name", ""), arguments.get("value", "")
        if name == "variant":
            if value not in VARIANTS:
                raise _Refused("variant is one of {known}, not {value}", known=", ".join(VARIANTS), value=repr(value))
            self._variant = value
        elif name == "tt-size":
            self._table_size = _whole(name, value, _TABLE_SIZES[0], _TABLE_SIZES[-1])
        elif name == "threads":
            self._threads = _whole(name, value, 1, _MOST_THREADS)
        elif name == "ponder":
            if value not in ("true", "false"):
                raise _Refused("ponder is true or false, not {value}", value=repr(value[:40]))
            self._ponders = value == "true"
        elif name == "book":
            if value not in ("true", "false"):
                raise _Refused("book is true or false, not {value}", value=repr(value))
            self._uses_book = value == "true"
        else:
            raise _Refused("there is no parameter {name}", name=repr(name))

    def _initialise(self, _: Mapping[str, str]) -> None:
        self._finish()
        self._engine = self._board = None
        self._engine = self._made()
        self._send("ready")

    def _made(self) -> Engine:
        size = self._table_size
        try:
            return Engine(hash_mb=2 ** (size - _TABLE_SIZES[0]), threads=self._threads)
        except MemoryError:
            raise _Refused("there is not memory enough for tt-size={size}", size=size) from None

    # --- A search -------------------------------------------------------------------------------------------------

    def _set_up(self, arguments: Mapping[str, str]) -> None:
        self._board = None  # a position that was not understood leaves none, rather than the one before
        board = read_position(arguments.get("pos", ""), rules=VARIANTS[self._variant])
        for move in read_moves(board, arguments.get("moves", "")):
            board.push(move)
        self._board = board

    def _limit(self, arguments: Mapping[str, str]) -> None:
        self._level = None
        most = 2**63 - 1
        depth = _whole("depth", arguments["depth"], 1, most) if "depth" in arguments else None
        nodes = _whole("nodes", arguments["nodes"], 1, most) if "nodes" in arguments else None
        most_seconds = aim = None
        if "time" in arguments:
            increment = _seconds("inc", arguments.get("inc", "0"))
            moves = _whole("moves", arguments.get("moves", "0"), 0, most)
            share = Limit.clock(_seconds("time", arguments["time"]), increment, moves or None)
            most_seconds, aim = share.time, share.aim
        if "move-time" in arguments:
            own = max(_SHORTEST_SECONDS, _seconds("move-time", arguments["move-time"]))
            most_seconds = own if most_seconds is None else min(own, most_seconds)
        if depth is None and nodes is None and most_seconds is None:
            if "infinite" not in arguments:
                raise _Refused("a level is depth, nodes, move-time, time (with moves or inc) or infinite")
            self._level = _NO_LIMIT
        else:
            self._level = Limit(most_seconds, nodes, None if depth is None else min(depth, 2**31 - 1), aim)

    def _go(self, arguments: Mapping[str, str]) -> None:
        modes = [mode for mode in ("think", "ponder", "analyze") if mode in arguments]
        if len(modes) != 1:
            raise _Refused("go is followed by think, ponder or analyze")
        self._finish()
        if self._board is None:
            raise _Refused("there is no position to search; send pos first")
        if self._level is None:
            raise _Refused("there is no level to search at; send level first")
        board = self._board.copy()
        ending = board.outcome()
        if ending is not None and ending.rule == "no_moves":
            raise _Refused("the side to move has no move: there is nothing to search")
        if ending is not None:  # the interface plays on through a draw that our rules see
            board = type(board)(board.fen(), board.rules)
        if self._engine is None:
            self._engine = self._made()
        book = Book.default() if self._uses_book and modes[0] == "think" else None
        self._search = _Search(self, self._engine, board, self._level, modes[0], book)
        self._search.start()

    def _stop(self, _: Mapping[str, str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponder_hit(self, _: Mapping[str, str]) -> None:
        if self._search is not None:  # which may have ended meanwhile: then the move is told already
            self._search.ponder_hit()

    def _new_game(self, _: Mapping[str, str]) -> None:
        self._finish()
        if self._engine is not None:
            self._engine.clear()

    def _finish(self) -> None:
        """Wait for the move of a search that was stopped, and stop one that runs: its move is owed all the same."""
        if self._search is not None:
            self._search.stop()
            self._search.join()
            self._search = None

    def report(self, found: SearchResult) -> None:
        """Tell what a search knows on its way."""
        speed = f"{found.nodes / found.time / 1e6 if found.time > 0 else 0:.3f}"
        self._send(
            "info",
            depth=str(found.depth),
            score=men(found.score),
            nodes=str(found.nodes),
            time=f"{found.time:.3f}",
            nps=speed,
            pv=" ".join(map(self._move_text, found.pv)),
        )

    def _move_text(self, move: Move) -> str:
        return write_move(move)

    def conclude(self, found: SearchResult) -> None:
        """Tell the move of a search, and the answer that it expects."""
        answer = {"ponder": write_move(found.pv[1])} if len(found.pv) > 1 else {}
        self._send("done", move=write_move(found.best), **answer)

    def give_up(self, error: Exception, move: Move) -> None:
        """Tell that a search failed, and the move that is owed all the same: who asked would wait for it for ever."""
        with contextlib.suppress(OSError):  # nobody reads any more
            self._complain(f"the search failed: {type(error).__name__}: {error}")
            self._send("done", move=write_move(move))


class HubServer1(HubServer):
    """The engine's side of a conversation in version 1.

    A position takes the limits with it, moves are played one by one on the position, limits add up, and without one a
    search goes on until it is told to stop; every line but ``ping`` and ``ponder-hit`` stops a search.
    """

    def __init__(self, send: Callable[[str], object]) -> None:
        super().__init__(send)
        self._limits: dict[str, str] = {}

    def _read(self, text: str) -> Line:
        return hub1.from_interface(text)

    def _written(self, command: str, arguments: Mapping[str, str]) -> list[str]:
        return hub1.to_interface(command, arguments)

    def _move_text(self, move: Move) -> str:
        return str(move)

    def _obey(self, line: Line) -> None:
        if line.command not in ("ping", "ponder-hit", "stop"):
            self._finish()
        super()._obey(line)

    def _commands(self) -> Mapping[str, Callable[[Mapping[str, str]], None]]:
        return {**super()._commands(), "move": self._play}

    def _set_up(self, arguments: Mapping[str, str]) -> None:
        self._limits = {}
        self._level = _NO_LIMIT
        super()._set_up(arguments)

    def _play(self, arguments: Mapping[str, str]) -> None:
        board, self._board = self._board, None
        if board is None:
            raise _Refused("there is no position to play a move in; send pos or start first")
        board.push(read_move(board, arguments["move"]))
        self._board = board

    def _limit(self, arguments: Mapping[str, str]) -> None:
        limits = {**self._limits, **arguments}
        super()._limit(limits)
        self._limits = limits


class _Search(threading.Thread):
    """One search, and what it may be told while it runs."""

    def __init__(
        self, server: HubServer, engine: Engine, board: Board, level: Limit, mode: str, book: Book | None
    ) -> None:
        super().__init__(name="hub search", daemon=True)
        self._server, self._engine, self._board, self._level = server, engine, board, level
        self._mode = mode
        self._book = book
        self._lock = threading.Lock()
        self._best: Move | None = None
        self._is_over = False
        self._is_stopped = False
        self._told: SearchResult | None = None
        self._is_hit = False

    def run(self) -> None:
        try:
            found = from_book(self._book, self._board)
            if found is None:
                found = self._engine.search(self._board, self._limit(), self._on_info, ponder=self._mode == "ponder")
            with self._lock:
                self._is_over = True
            if found != self._told:  # what was found since the last depth that was finished
                self._server.report(found)
            self._server.conclude(found)
        except OSError:
            pass  # nobody reads any more
        except Exception as error:
            self._server.give_up(error, self._best or self._board.legal_moves[0])

    def _limit(self) -> Limit:
        level = self._level
        if self._mode == "think" and level.time is not None and len(self._board.legal_moves) == 1:
            return replace(level, depth=min(level.depth or _FORCED_DEPTH, _FORCED_DEPTH))
        return level

    def _on_info(self, found: SearchResult) -> None:
        self._told = found
        is_first, self._best = self._best is None, found.best
        if is_first and self._is_hit:  # told before the engine had begun, which then does not know of it
            self._engine.ponder_hit()
        self._server.report(found)
        if self._is_stopped:  # the same
            self._engine.stop()

    def stop(self) -> None:
        """End the search, which then tells its move; from any thread, and at any time."""
        with self._lock:
            self._is_stopped = True
            if not self._is_over:
                self._engine.stop()

    def ponder_hit(self) -> None:
        """The expected move was played: the clock runs from now on."""
        with self._lock:
            if self._mode == "ponder" and not self._is_hit and not self._is_over:
                self._is_hit = True
                self._engine.ponder_hit()


def _whole(name: str, text: str, least: int, most: int) -> int:
    # no number of 20 digits is in any range, and Python refuses to read thousands of them
    value = int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else -1
    if not least <= value <= most:
        raise _Refused(
            "{name} is a whole number from {least} to {most}, not {text}",
            name=name,
            least=least,
            most=most,
            text=repr(text[:40]),
        )
    return value


def _seconds(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise _Refused("{name} is a number of seconds, not {text}", name=name, text=repr(text[:40]))
    return value
