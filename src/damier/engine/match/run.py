"""Playing a match: locally by several games at a time, or on the machines of a Dask cluster."""

from __future__ import annotations

import contextlib
import math
import queue
import threading
from collections import Counter
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import damier.engine
from damier.engine.limits import Limit
from damier.engine.match.play import LOST_REASONS, PairPlayed, Stopped, play_pair
from damier.engine.match.players import open_player
from damier.engine.match.specs import MatchError
from damier.engine.match.statistics import Pairs
from damier.engine.pool import collected, taken
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from damier.board import Board
    from damier.engine.match.adjudication import Probe
    from damier.engine.match.players import Identity, Player
    from damier.engine.match.record import Record
    from damier.engine.match.schedule import PairTask, Setup, Tally
    from damier.engine.match.statistics import Sprt

__all__ = ["identities", "locally", "on_dask", "play", "table_probe"]


_MOST_FAILURES: Final = 2
_UNLIMITED: Final = Limit(depth=2**31 - 1)
_MOST_SEATED: Final = 8
"""How many engines stay where games are played, so that they need not be started for each."""
_FAILS_AGAIN = N_("{name} has failed in {times} games in a row, and the match is ended: {said}")
_NO_DASK = N_("A match on a cluster needs more packages (distributed is missing): pip install 'damier[lab]'")


def table_probe(rules: str) -> Probe | None:
    """What the endgame tables that are there for a rule set say, None if there are none.

    The tables know no counts: a win is told only where it comes before any draw by count can.
    """
    make: Any = getattr(damier.engine, "Tables", None)
    tables = None if make is None else make.default(rules)
    if tables is None:
        return None

    def probe(board: Board) -> object:
        told = tables.probe(board)
        if told is None or str(told.value) == "draw":
            return told
        distance: int | None = tables.distance(board)
        return told if distance is not None and distance <= _plies_to_draw(board) else None

    return probe


def _plies_to_draw(board: Board) -> float:
    """For how many single moves at least no count can end the game, those included that begin with a later capture.

    >>> from damier import Board
    >>> _plies_to_draw(Board("W:WK46,31:BK5")), _plies_to_draw(Board("W:WK46,31:BK5", "club"))
    (10, 100)
    """
    counts = [
        2 * (count.of - count.done) for count in board.draw_counts if count.rule not in ("repetition", "same_move")
    ]
    rules = board.rules
    counts += [2 * count for count in (rules.king_moves, rules.three_pieces, rules.two_pieces) if count]
    return min(counts, default=math.inf)


def identities(setup: Setup) -> list[Identity]:
    """What the engines say they are: each is started once, for a moment. Raises :class:`MatchError` for one that is not."""
    found: list[Identity] = []
    for spec in setup.players:
        player = open_player(spec, setup.conditions.rules)
        found.append(player.identity)
        player.close()
    return found


def play(
    setup: Setup,
    tally: Tally,
    most: int | None,
    source: Callable[[Setup, Iterator[PairTask]], Generator[PairPlayed]],
    *,
    record: Record | None = None,
    sprt: Sprt | None = None,
    told: Callable[[PairPlayed | None], object] = lambda _: None,
) -> int:
    """Play what the tally does not have yet, up to ``most`` pairs or until the test decides; how many pairs count.

    The test looks at the pairs in the order of their numbers and waits for one that takes long. So what it decides
    does not depend on which games end first, and a match of searches by nodes ends alike however many games are
    played at a time. ``told`` is called with each pair, and first with None.

    Raises :class:`MatchError` for an engine that fails twice in a row.
    """
    if record is not None:
        for pair in record.pairs():
            tally.add(pair)
    told(None)
    watch = _Watch(tally, sprt)
    if watch.decides():
        return watch.looked
    if most is not None and tally.unbroken >= most:
        return most
    tasks = (setup.task(index) for index in (count() if most is None else range(most)) if index not in tally)
    failures: Counter[int] = Counter()
    with contextlib.closing(source(setup, tasks)) as playing:
        for pair in playing:
            _expect_alive(pair, setup, failures)
            if record is not None:
                record.add(pair)
            tally.add(pair)
            told(pair)
            if watch.decides():
                return watch.looked
    return tally.unbroken


class _Watch:
    """Looks at the pairs in the order of their numbers until the test decides."""

    def __init__(self, tally: Tally, sprt: Sprt | None) -> None:
        self._tally, self._sprt = tally, sprt
        self._counts = [0] * 5
        self.looked = 0

    def decides(self) -> bool:
        """Whether the test decides by what is there now; ``looked`` then are the pairs that it took."""
        while self._sprt is not None and self.looked < self._tally.unbroken:
            self._counts[self._tally.half_points(self.looked)] += 1
            self.looked += 1
            zero, one, two, three, four = self._counts
            if self._sprt.verdict(Pairs((zero, one, two, three, four))) is not None:
                return True
        return False


def _expect_alive(pair: PairPlayed, setup: Setup, failures: Counter[int]) -> None:
    for game in pair.games:
        if game.reason not in LOST_REASONS - {"time"} or game.loser is None:
            for player in pair.players:
                failures[player] = 0
            continue
        player = pair.players[game.loser]  # the other one may have had no chance to fail
        failures[player] += 1
        if failures[player] >= _MOST_FAILURES:
            raise MatchError(
                _FAILS_AGAIN, code="fails", name=setup.names[player], times=failures[player], said=game.said
            )


# --- On this machine ------------------------------------------------------------------------------------------------


def locally(concurrency: int) -> Callable[[Setup, Iterator[PairTask]], Generator[PairPlayed]]:
    """Plays ``concurrency`` games at a time, each with engines of its own; to be given to :func:`play`."""

    def source(setup: Setup, tasks: Iterator[PairTask]) -> Generator[PairPlayed]:
        results: queue.SimpleQueue[PairPlayed | BaseException | None] = queue.SimpleQueue()
        lock = threading.Lock()
        stop = threading.Event()

        def following() -> PairTask | None:
            with lock:
                return None if stop.is_set() else next(tasks, None)

        tables = [_Table(setup, following, results, stop) for _ in range(concurrency)]

        def end() -> None:
            stop.set()
            for table in tables:
                table.end()

        yield from collected(tables, results, end)

    return source


class _Table(threading.Thread):
    """Where one game at a time is played."""

    def __init__(
        self,
        setup: Setup,
        following: Callable[[], PairTask | None],
        results: queue.SimpleQueue[PairPlayed | BaseException | None],
        stop: threading.Event,
    ) -> None:
        super().__init__(name="match table", daemon=True)
        self._setup, self._following, self._results, self._stop_event = setup, following, results, stop
        self._players: dict[int, Player] = {}
        self._lock = threading.Lock()

    def run(self) -> None:
        try:
            probe = table_probe(self._setup.conditions.rules)
            while (task := self._following()) is not None:
                pair = played(
                    self._setup, task, self._seated(task.players), probe, lambda: not self._stop_event.is_set()
                )
                self._results.put(pair)
        except Stopped:
            pass
        except BaseException as error:
            self._results.put(error)
        finally:
            self.end()
            self._results.put(None)

    def _seated(self, places: tuple[int, int]) -> tuple[Player, Player]:
        """The two players, started if they are not here; who has waited longest may have to leave."""
        for place in places:
            player = self._players.pop(place, None) or open_player(
                self._setup.players[place], self._setup.conditions.rules
            )
            with self._lock:
                self._players[place] = player
                if self._stop_event.is_set():
                    raise Stopped
                while len(self._players) > _MOST_SEATED:
                    self._players.pop(next(iter(self._players))).close()
        return self._players[places[0]], self._players[places[1]]

    def end(self) -> None:
        """End its engines."""
        with self._lock:
            while self._players:
                self._players.popitem()[1].close()


def played(
    setup: Setup,
    task: PairTask,
    players: tuple[Player, Player],
    probe: Probe | None,
    go_on: Callable[[], bool] = lambda: True,
) -> PairPlayed:
    """The two games of a task."""
    first, second = task.players
    # a program that plays DamExchange knows no limit but the minutes of the game, and keeps them itself
    one, two = (
        _UNLIMITED if setup.players[place].kind == "dxp" else setup.players[place].limit for place in (first, second)
    )
    games = play_pair(
        players, task.opening, setup.conditions, limits=(one, two), seed=task.seed, probe=probe, go_on=go_on
    )
    return PairPlayed(task.number, task.players, games)


# --- On a cluster ---------------------------------------------------------------------------------------------------


def on_dask(address: str) -> Callable[[Setup, Iterator[PairTask]], Generator[PairPlayed]]:
    """Plays each pair of games as a task of the Dask cluster whose scheduler is at ``address``.

    As many are in work as the cluster has threads: start its workers with as many as are to play at a time.
    """

    def source(setup: Setup, tasks: Iterator[PairTask]) -> Generator[PairPlayed]:
        try:
            dask: Any = import_module("distributed")
        except ModuleNotFoundError:
            raise MatchError(_NO_DASK, code="no_dask") from None
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with dask.Client(address, set_as_default=False) as client:
            running: set[Any] = set()  # a task that nobody refers to is forgotten

            def more() -> None:
                task = next(tasks, None)
                if task is not None:
                    future = client.submit(remotely, setup, task, pure=False)
                    running.add(future)
                    future.add_done_callback(done.put)

            for _ in range(max(1, sum(client.nthreads().values()))):
                more()
            while running:
                future = taken(done)
                running.discard(future)
                more()
                yield future.result()

    return source


def remotely(setup: Setup, task: PairTask) -> PairPlayed:
    """A task with engines that are started for it, on the machine where this is called."""
    players: list[Player] = []
    try:
        players.extend(open_player(setup.players[place], setup.conditions.rules) for place in task.players)
        return played(setup, task, (players[0], players[1]), table_probe(setup.conditions.rules))
    finally:
        for player in players:
            player.close()
