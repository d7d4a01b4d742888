"""Endgame tables: who wins with few pieces on the board, and how soon.

Tables for up to four pieces come with the package, for every rule set. More can be made by ``damier tables build``.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from damier._kernel import EndgameTables
from damier.board import Board
from damier.engine.tables_file import BadTables, read_tables
from damier.errors import EngineError
from damier.i18n import N_
from damier.rules import OFFICIAL, Rules, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from damier._kernel import Move
    from damier.engine.tables_file import Content, Moves, TableFile

    _Longest = tuple[int, int, tuple[int, int, int]]

__all__ = ["BadTables", "RankedMove", "Tables", "Wdl", "moves_of", "shipped", "tables_folder"]

_DATA = Path(__file__).parent / "data"
_NO_DISTANCE = 255
_NODES = 200_000


class Wdl(Enum):
    """What a position is worth to the side to move under best play."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"

    @property
    def reverse(self) -> Wdl:
        """The same seen by the opponent.

        >>> Wdl.WIN.reverse
        Wdl.LOSS
        """
        return _VALUES[-_RANKS[self]]

    def __repr__(self) -> str:
        return f"Wdl.{self.name}"


_VALUES = {1: Wdl.WIN, 0: Wdl.DRAW, -1: Wdl.LOSS}
_RANKS = {value: number for number, value in _VALUES.items()}


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A legal move with what it leads to, from who plays it; ``distance`` counts single moves, this one included, until
    the loser has none, and is None for a draw or where it is not known."""

    move: Move
    value: Wdl
    distance: int | None


def moves_of(rules: Rules | str) -> Moves:
    """Which tables are those of a rule set: these know nothing of its draws by count or repetition.

    >>> moves_of("leaflet"), moves_of("club")
    ('international', 'crown-and-continue')
    """
    rules = by_name(rules) if isinstance(rules, str) else rules
    return "crown-and-continue" if rules.crowned_in_passing else "international"


def tables_folder() -> Path:
    """Where ``damier tables build`` keeps tables unless it is told: ``DAMIER_TABLES``, or the user's folder for data."""
    if named := os.environ.get("DAMIER_TABLES"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "damier" / "tables"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "damier" / "tables"


class Tables:
    """What is known of the positions with few pieces. Any number of threads may ask at the same time.

    The tables see the position alone: no draw by repetition or by count.

    >>> from damier import Board
    >>> tables = Tables.default()
    >>> tables.pieces
    4
    >>> board = Board("W:WK6,K28,39:BK50")
    >>> tables.probe(board), tables.distance(board), tables.best_move(board)
    (Wdl.WIN, 3, Move(39, 34))
    >>> tables.probe(Board())
    """

    def __init__(self, moves: Moves, folder: Path | None = None, *, check: bool = True) -> None:
        """Use :meth:`default` or :meth:`open`."""
        self.moves: Moves = moves
        self.folder = folder
        self._check = check
        in_passing = moves == "crown-and-continue"
        #: The kernel's own tables of values, for searches.
        self.kernel = EndgameTables(in_passing)
        self._exact = EndgameTables(in_passing)
        self._exact_loaded = False
        self._lock = threading.Lock()
        for tables in (shipped(moves, "wdl"), *self._in_folder("wdl")):
            _add(self.kernel, tables)

    @staticmethod
    def default(rules: Rules | str = OFFICIAL) -> Tables:
        """The tables that come with the package, for the way to move of ``rules``; read once and kept.

        Raises :class:`BadTables` if the package is damaged.
        """
        return _default(moves_of(rules))

    @staticmethod
    def open(folder: str | os.PathLike[str], rules: Rules | str = OFFICIAL, *, check: bool = True) -> Tables:
        """The tables of the package and those that ``damier tables build`` has left in ``folder``, mapped into memory.

        ``check``: whether to compare checksums, for which every file is read once, about a second for five pieces;
        without it a damaged file may answer wrongly. Raises :class:`BadTables` for a file that cannot be used, and
        :class:`~damier.EngineError` if there is none in the folder.
        """
        tables = Tables(moves_of(rules), Path(folder), check=check)
        if next(tables._files("wdl"), None) is None:
            raise EngineError(
                N_("{folder} holds no endgame tables for these rules; damier tables build makes them"), folder=folder
            )
        return tables

    @property
    def pieces(self) -> int:
        """Positions with so many pieces or fewer are all known."""
        return self.kernel.pieces

    @property
    def pieces_with_distance(self) -> int:
        """Positions with so many pieces or fewer have a known distance."""
        return self._with_distances().pieces_with_distance

    def probe(self, board: Board) -> Wdl | None:
        """What the board's position is worth to the side to move; None if there are too many pieces or other rules.

        >>> from damier import Board
        >>> Tables.default().probe(Board("B:WK6,K28,39:BK50"))
        Wdl.LOSS
        """
        value = self.kernel.probe(board)
        return None if value is None else _VALUES[value]

    def distance(self, board: Board) -> int | None:
        """Single moves until the loser has none, under best play of both; None for a draw or if it is not known.

        >>> from damier import Board
        >>> Tables.default().distance(Board("W:W31:B4"))
        17
        """
        distance = self._with_distances().distance(board)
        return None if distance == _NO_DISTANCE else distance

    def rank(self, board: Board) -> list[RankedMove] | None:
        """The legal moves, the best first: quick wins, slow wins, draws, slow losses, quick losses.

        Where distances are not known, moves of one value stand in the generator's order. None if the tables do not
        know the position.

        >>> from damier import Board
        >>> Tables.default().rank(Board("W:W6:BK3"))
        [RankedMove(move=Move(6, 1, crowned=True), value=Wdl.DRAW, distance=None)]
        """
        if self.kernel.probe(board) is None:
            return None
        after = board.copy()
        ranked: list[RankedMove] = []
        for move in board.legal_moves:
            after.push(move)
            if (value := self.probe(after)) is not None:  # as it is: there are no more pieces than before
                distance = self.distance(after)
                ranked.append(RankedMove(move, value.reverse, None if distance is None else distance + 1))
            after.pop()
        return sorted(ranked, key=_order)

    def best_move(self, board: Board, *, nodes: int = _NODES) -> Move | None:
        """The best move against best defence under the rules of the board's game, its history included.

        A win is played so that no draw by count or repetition comes before its end, if there is such a way; what is
        lost is played so that one does, or else as long as can be. None if the tables do not know the position's
        distance, or it has no move. ``nodes``: positions looked at, at most, for a move where counts are about to end
        the game; where these do not suffice, the quickest win is tried.

        >>> from damier import Board
        >>> Tables.default().best_move(Board("W:WK6,K28,39:BK50"))
        Move(39, 34)
        """
        if self.probe(board) is Wdl.DRAW:
            ranked = self.rank(board)
            return ranked[0].move if ranked else None
        found = self._with_distances().best_move(board, nodes)
        return None if found is None else found[0]

    def is_won_in_time(self, board: Board, *, nodes: int = _NODES) -> bool | None:
        """Whether the side that wins by the tables does so before a count or a repetition makes the game a draw.

        None for a position that nobody wins or that is not known, and where ``nodes`` positions for each move do not
        decide it.

        >>> from damier import Board
        >>> board = Board("W:WK12,K40,50:BK11")
        >>> Tables.default().distance(board), Tables.default().is_won_in_time(board)
        (31, True)
        """
        if board.outcome() is not None:
            return None
        found = self._with_distances().best_move(board, nodes)
        return None if found is None else found[1]

    def find_fault(
        self, name: str, exact: bool, tell: Callable[[float], object] | None = None
    ) -> tuple[int, int, int] | None:
        """A position, White to move, whose value does not follow from those after its moves, None if there is none.

        ``name``: of its material, such as "KMvKK". ``exact``: its distance instead of its value. ``tell`` is called
        now and then with the share that is done. The position is told as the squares of the white pieces, the black
        ones and the kings, each as an integer with bit n - 1 set for square n.

        >>> Tables.default().find_fault("KvM", exact=True)
        """
        return self._for(exact).find_fault(name, exact, tell)

    def census(
        self, name: str, exact: bool, tell: Callable[[float], object] | None = None
    ) -> tuple[int, int, int, int, _Longest | None, _Longest | None]:
        """How many positions of a material there are, and how many the side to move wins, draws and loses.

        With ``exact`` also the longest win and the longest loss: single moves, how many positions, and one of these.
        The arguments are those of :meth:`find_fault`.

        >>> Tables.default().census("KvM", exact=True)
        (2205, 1924, 281, 0, (7, 71, (2097152, 2, 2097152)), None)
        """
        return self._for(exact).census(name, exact, tell)

    def __repr__(self) -> str:
        where = "" if self.folder is None else f", {str(self.folder)!r}"
        return f"Tables({self.moves!r}{where})"

    def _for(self, exact: bool) -> EndgameTables:
        return self._with_distances() if exact else self.kernel

    def _with_distances(self) -> EndgameTables:
        """The kernel's tables with distances, read when they are first asked for."""
        with self._lock:
            if not self._exact_loaded:
                for content in ("wdl", "distance"):
                    for tables in (shipped(self.moves, content), *self._in_folder(content)):
                        _add(self._exact, tables)
                self._exact_loaded = True
        return self._exact

    def _files(self, content: Content) -> Iterator[Path]:
        if self.folder is not None:
            yield from sorted((self.folder / self.moves).glob(f"*.{content}"))

    def _in_folder(self, content: Content) -> Iterator[TableFile]:
        for file in self._files(content):
            yield read_tables(file, self.moves, content, check=self._check)


def _order(ranked: RankedMove) -> tuple[int, int]:
    rank = _RANKS[ranked.value]
    return -rank, rank * (ranked.distance or 0)


def _add(kernel: EndgameTables, tables: TableFile) -> None:
    for name, table in tables.tables.items():
        kernel.add(name, table, distances=tables.content == "distance", complete=tables.complete)


@cache
def _default(moves: Moves) -> Tables:
    return Tables(moves)


@cache
def shipped(moves: Moves, content: Content) -> TableFile:
    """The tables of the package, decompressed."""
    base = None if moves == "international" else shipped("international", content)
    return read_tables(_DATA / f"{moves}.{content}", moves, content, base=base)
