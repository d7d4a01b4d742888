"""A computer opponent and analyst."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from damier._kernel import EngineCore
from damier.board import Board
from damier.engine.book import Book
from damier.engine.evaluation import evaluation as shipped_evaluation
from damier.engine.limits import Limit
from damier.engine.score import Score
from damier.engine.tables import Tables, Wdl, moves_of
from damier.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from damier._kernel import Evaluation, Move

    _Found = tuple[tuple[tuple[int, tuple[Move, ...]], ...], int, int, float]  # lines, depth, nodes, seconds

__all__ = ["Engine", "Line", "SearchResult", "from_book"]

_BOOK_MARGIN = 3  # hundredths of a man: what no search of a move's length can tell apart


@dataclass(frozen=True, slots=True)
class Line:
    """Best play of both sides as far as it is known, and what it is worth to the side that begins."""

    score: Score
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found, at its end or on the way.

    ``best``: the best move. ``score``: what the position is worth to the side to move. ``depth``: the last depth
    that was finished, in plies; 0 if none was, as for a move of the opening book. ``nodes``: positions looked at. ``time``: seconds since the start.
    ``pv``: the principal variation, best play of both sides as far as it is known; it starts with ``best``, and leads
    to the end of a proven win unless the search was stopped in the middle of a depth. ``lines``: the best moves with
    their lines, as many as were asked for, the best first.
    """

    best: Move
    score: Score
    depth: int
    nodes: int
    time: float
    pv: tuple[Move, ...]
    lines: tuple[Line, ...] = ()


class Engine:
    """Searches positions of every rule set; draws by repetition and by count are part of what it sees.

    ``hash_mb``: the size of its memory of positions, in mebibytes, 1 to 65536; it carries over from search to
    search. ``threads``: how many search together, 1 to 256. ``learned``: values positions by what was learned from
    games; False for the hand-made evaluation. ``evaluation``: with other weights than the package's, see
    :func:`damier.engine.evaluation.read_evaluation`. ``tables``: looks few pieces up in the endgame tables of the
    package, and plays them without a flaw; False to do without, or :class:`Tables` of one's own. ``book``: plays moves
    of the package's opening book at once, whatever the limit, or of a :class:`Book` of one's own, by chance among those
    that are as good as the best. Raises ValueError for a number out of range and MemoryError if there is not so much.

    An engine searches one position at a time; for several at once make several.

    >>> from damier import Board
    >>> from damier.engine import Engine, Limit
    >>> engine = Engine(hash_mb=1)
    >>> result = engine.search(Board("W:W33:B8,18,28"), Limit(depth=8))
    >>> result.best, result.score
    (Move(33, 2, captured=(8, 18, 28), crowned=True), Score.win(1))
    """

    def __init__(
        self,
        hash_mb: int = 64,
        *,
        threads: int = 1,
        learned: bool = True,
        evaluation: Evaluation | None = None,
        tables: Tables | bool = True,
        book: Book | bool = False,
    ) -> None:
        if not 1 <= hash_mb <= 65536:
            raise ValueError(f"hash_mb is 1 to 65536 mebibytes, not {hash_mb}")
        if not 1 <= threads <= 256:
            raise ValueError(f"threads are 1 to 256, not {threads}")
        self.hash_mb = hash_mb
        self.threads = threads
        self.learned = learned
        self._tables = tables
        self._book = book if isinstance(book, Book) else Book.default() if book else None
        self._core = EngineCore(hash_mb, threads, (evaluation or shipped_evaluation()) if learned else None)
        self._searching = threading.Lock()

    def search(
        self,
        board: Board,
        limit: Limit,
        on_info: Callable[[SearchResult], object] | None = None,
        *,
        multipv: int = 1,
        ponder: bool = False,
    ) -> SearchResult:
        """The best move that can be found within ``limit``.

        ``on_info`` is called with what is known after each depth, in the searching thread; an exception that it
        raises ends the search and comes out of it. ``multipv``: how many moves are told, each with its line; with more
        than one, and with ``ponder``, the opening book is left alone. Other
        Python threads run on meanwhile; ``board`` is copied first. With ``ponder`` limits of time count only from
        :meth:`ponder_hit` on.

        Raises :class:`~damier.EngineError` if the game is over, or if this engine is searching already. Ctrl-C ends a
        search in the main thread with KeyboardInterrupt.

        >>> from damier import Board
        >>> from damier.engine import Engine, Limit
        >>> result = Engine(hash_mb=1).search(Board("W:W33,47:B23,13,K3"), Limit(depth=5), multipv=2)
        >>> [line.moves[0] for line in result.lines][0] == result.best, len(result.lines)
        (True, 2)
        """
        _expect(board, limit)
        if type(multipv) is not int or multipv < 1:
            raise ValueError(f"multipv is a whole number from 1 on, not {multipv!r}")
        report: Callable[[_Found], object] | None = None if on_info is None else lambda info: on_info(_result(*info))
        with self._to_itself(board):
            tables = self._tables_for(board)
            known = from_book(self._book, board) if multipv == 1 and not ponder else None
            if known or (multipv == 1 and (known := _looked_up(tables, board))):
                if on_info is not None:
                    on_info(known)
                return known
            return _result(
                *self._core.search(
                    board,
                    tables.kernel if tables is not None else None,
                    limit.time,
                    limit.aim,
                    limit.nodes,
                    limit.depth,
                    limit.win,
                    multipv,
                    ponder,
                    report,
                    _takes_signals(),
                )
            )

    def ponder_hit(self) -> None:
        """The move that was expected has been played: limits of time count from now on; from any thread."""
        self._core.start_clock()

    def rate(self, board: Board, limit: Limit, *, tables: bool = True) -> list[tuple[Move, Score]]:
        """Every legal move with what it is worth to the side to move, the best first.

        All moves are looked at equally deep, to the last depth that ``limit`` allows for all of them; the list is
        empty if it does not allow even one ply. ``tables``: False to do without them this once. Raises as
        :meth:`search` does.

        >>> from damier import Board
        >>> from damier.engine import Engine, Limit
        >>> rated = Engine(hash_mb=1, tables=False).rate(Board("W:W33,47:B23,13,K3"), Limit(depth=12))
        >>> len(rated), rated[-1]
        (4, (Move(47, 42), Score.loss(6)))
        """
        _expect(board, limit)
        with self._to_itself(board):
            known = self._tables_for(board) if tables else None
            kernel = known.kernel if known is not None else None
            rated = self._core.rate(board, kernel, limit.time or limit.aim, limit.nodes, limit.depth, _takes_signals())
        return [(move, Score(value)) for move, value in rated]

    def stop(self) -> None:
        """Ends the search that is running, which then returns the best that it has found; from any thread.

        Without a running search this does nothing.
        """
        self._core.stop()

    def clear(self) -> None:
        """Forgets all that earlier searches found out. Raises :class:`~damier.EngineError` during a search."""
        with self._to_itself():
            self._core.clear()

    def _tables_for(self, board: Board) -> Tables | None:
        if isinstance(self._tables, Tables):
            return self._tables if self._tables.moves == moves_of(board.rules) else None
        return Tables.default(board.rules) if self._tables else None

    @contextmanager
    def _to_itself(self, board: Board | None = None) -> Generator[None]:
        outcome = None if board is None else board.outcome()
        if outcome is not None:
            raise EngineError("the game is over ({rule}): there is nothing to search", rule=outcome.rule)
        if not self._searching.acquire(blocking=False):
            raise EngineError("this engine is searching already; use one engine for each search at a time")
        try:
            yield
        finally:
            self._searching.release()

    def __repr__(self) -> str:
        return f"Engine(hash_mb={self.hash_mb}, threads={self.threads}, learned={self.learned})"


def _result(found: tuple[tuple[int, tuple[Move, ...]], ...], depth: int, nodes: int, time: float) -> SearchResult:
    lines = tuple(Line(Score(value), moves) for value, moves in found)
    best = lines[0]
    return SearchResult(best.moves[0], best.score, depth, nodes, time, best.moves, lines)


def from_book(book: Book | None, board: Board) -> SearchResult | None:
    """A move of an opening book that is as good as its best, as a search of no depth; None where it has none.

    >>> from damier import Board
    >>> from damier.engine import Book
    >>> found = from_book(Book.default(), Board())
    >>> found.depth, found.nodes, found.best in Board().legal_moves
    (0, 0, True)
    """
    best = None if book is None else book.choose(board, _BOOK_MARGIN)
    if book is None or best is None:
        return None
    score = dict(book.moves(board))[best]
    return SearchResult(best, score, 0, 0, 0.0, (best,), (Line(score, (best,)),))


def _looked_up(tables: Tables | None, board: Board) -> SearchResult | None:
    """What the tables say of a won or lost position, unless a draw by count or repetition comes first."""
    if tables is None or tables.probe(board) in {None, Wdl.DRAW} or not tables.is_won_in_time(board):
        return None
    distance = tables.distance(board)
    if distance is None:
        return None
    line: list[Move] = []
    ahead = board.copy()
    while ahead.outcome() is None and (best := tables.best_move(ahead)) is not None:
        line.append(ahead.push(best))
    if not line:
        return None
    # In a game with a count the way to the win may be longer than the tables' own.
    score = Score.win(len(line)) if distance % 2 == 1 else Score.loss(len(line))
    return SearchResult(line[0], score, len(line), len(line), 0.0, tuple(line), (Line(score, tuple(line)),))


def _takes_signals() -> bool:
    return threading.current_thread() is threading.main_thread()


def _expect(board: object, limit: object) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"a Board is searched, not {type(board).__name__}")
    if not isinstance(limit, Limit):
        raise TypeError(f"a search ends at a Limit, such as Limit(time=1), not at {limit!r}")
