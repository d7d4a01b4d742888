"""Looks into the games of a file, several positions at a time, and keeps what it finds so that it can go on.

A game is looked at in pieces of a few moves, each by an engine that has forgotten what it found before. So a limit by
nodes or depth finds the same whatever is done at the same time, or was done before the work was broken off.
"""

from __future__ import annotations

import contextlib
import hashlib
import queue
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from damier.engine.analysis import Insight, positions, settled
from damier.engine.match.appended import Appended
from damier.engine.match.players import open_player
from damier.engine.match.specs import MatchError
from damier.errors import EngineError
from damier.i18n import N_
from damier.notation.hub import write_move

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from damier.board import Board
    from damier.engine.limits import Limit
    from damier.engine.match.players import Identity, Player
    from damier.engine.match.specs import PlayerSpec
    from damier.notation.pdn import PdnGame

__all__ = ["Findings", "Piece", "digest_of", "look_into", "pieces"]

_KIND: Final = "damier analysis"
_FORM: Final = 1
_PIECE: Final = 16
"""How many positions an engine looks at one after the other."""

_NO_FINDINGS = N_("{file} is no record of an analysis; remove it, or name another output.")
_OTHER_FINDINGS = N_("{file} is the record of another analysis ({what}); remove it, or name another output.")
_BAD_FINDINGS = N_("{file}, line {line}: nothing that an analysis wrote.")


class Piece(NamedTuple):
    """A part of a game: the game's number, and its positions with their numbers in it."""

    game: int
    first: int
    boards: tuple[Board, ...]


def pieces(game: PdnGame) -> list[Piece]:
    """The game in pieces of a few positions.

    >>> from damier.notation.pdn import loads
    >>> [game] = loads("1. 32-28 19-23 2. 28x19 14x23 *")
    >>> [(piece.first, len(piece.boards)) for piece in pieces(game)]
    [(0, 5)]
    """
    boards = [board.copy() for _, board in positions(game)]
    return [Piece(game.number, first, tuple(boards[first : first + _PIECE])) for first in range(0, len(boards), _PIECE)]


@dataclass(frozen=True, slots=True)
class _Found:
    piece: Piece
    insights: list[Insight | None]


class Findings:
    """What was found, in a file that grows by a line a piece, so that nothing but the pieces in work can be lost."""

    def __init__(self, path: Path, source: bytes, limit: Limit, analyst: Identity) -> None:
        """Begin the file, or take up one that is there. ``source``: a digest of what is analysed.

        Raises :class:`~damier.engine.match.MatchError` if the file is none of these, or that of another analysis.
        """
        self.path = path
        self._found: dict[int, dict[int, list[Insight | None]]] = {}
        header = {
            _KIND: _FORM,
            "source": source.hex(),
            "limit": [limit.time, limit.nodes, limit.depth],
            "engine": [analyst.name, analyst.build],
        }
        self._log = Appended(path, _KIND)
        try:
            if self._log.is_empty:
                self._log.add(header)
            else:
                self._take_up(header, self._log.first)
        except BaseException:
            self._log.close()
            raise

    def _take_up(self, header: Mapping[str, Any], there: Mapping[str, Any] | None) -> None:
        if there is None:
            raise MatchError(_NO_FINDINGS, code="no_record", file=str(self.path))
        other = [name for name in header if there.get(name) != header[name]]
        if other:
            raise MatchError(_OTHER_FINDINGS, code="other_analysis", file=str(self.path), what=", ".join(other))
        for line, document in self._log.documents():
            try:
                game, place, found = document
                insights = [None if each is None else Insight.from_json(each) for each in found]
                self._found.setdefault(int(game), {})[int(place)] = insights
            except (ValueError, TypeError, AttributeError):
                raise MatchError(_BAD_FINDINGS, code="bad_record", file=str(self.path), line=line) from None

    def __len__(self) -> int:
        return sum(len(insights) for game in self._found.values() for insights in game.values())

    def has(self, piece: Piece) -> bool:
        """Whether this piece was looked into."""
        return piece.first in self._found.get(piece.game, {})

    def add(self, piece: Piece, insights: list[Insight | None]) -> None:
        """Keep what was found: it is on the disk when this returns."""
        self._found.setdefault(piece.game, {})[piece.first] = insights
        found = [None if insight is None else insight.to_json() for insight in insights]
        self._log.add([piece.game, piece.first, found])

    def of(self, game: PdnGame) -> dict[int, Insight]:
        """What was found in a game, by the numbers of its positions."""
        found: dict[int, Insight] = {}
        for first, insights in self._found.get(game.number, {}).items():
            found |= {place: each for place, each in enumerate(insights, first) if each is not None}
        return found

    def close(self) -> None:
        """Close the file."""
        self._log.close()

    def remove(self) -> None:
        """Close the file and remove it: the work is done."""
        self.close()
        self.path.unlink(missing_ok=True)


def digest_of(path: Path) -> bytes:
    """What tells one file from another."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def look_into(
    spec: PlayerSpec,
    limit: Limit,
    rules: str,
    tasks: Iterable[Piece],
    jobs: int,
) -> Generator[tuple[Piece, list[Insight | None]]]:
    """Each piece with what ``jobs`` engines of this kind find in its positions, as they get ready.

    Raises MatchError if an engine cannot be started, and PlayerFailed if one fails twice in the same position.
    """
    results: queue.SimpleQueue[_Found | BaseException | None] = queue.SimpleQueue()
    waiting = iter(tasks)
    lock = threading.Lock()
    stop = threading.Event()

    def following() -> Piece | None:
        with lock:
            return None if stop.is_set() else next(waiting, None)

    workers = [_Worker(spec, limit, rules, following, results.put) for _ in range(jobs)]
    working = jobs
    try:
        for worker in workers:
            worker.start()
        while working:
            with contextlib.suppress(queue.Empty):  # a wait without end could not be ended with Ctrl-C everywhere
                found = results.get(timeout=1.0)
                if found is None:
                    working -= 1
                elif isinstance(found, BaseException):
                    raise found
                else:
                    yield found.piece, found.insights
    finally:
        stop.set()
        for worker in workers:
            worker.end()
        for worker in workers:
            worker.join()


class _Worker(threading.Thread):
    """An engine at work on one piece after the other."""

    def __init__(
        self,
        spec: PlayerSpec,
        limit: Limit,
        rules: str,
        following: Callable[[], Piece | None],
        tell: Callable[[_Found | BaseException | None], object],
    ) -> None:
        super().__init__(name="analyst", daemon=True)
        self._spec, self._limit, self._rules = spec, limit, rules
        self._following, self._tell = following, tell
        self._player: Player | None = None
        self._lock = threading.Lock()
        self._is_ended = False

    def run(self) -> None:
        try:
            player = open_player(self._spec, self._rules)
            with self._lock:
                self._player = player
            while not self._is_ended and (piece := self._following()) is not None:
                player.clear()
                self._tell(_Found(piece, list(self._insights(player, piece.boards))))
        except BaseException as error:
            if not self._is_ended:
                self._tell(error)
        finally:
            self.end()
            self._tell(None)

    def _insights(self, player: Player, boards: tuple[Board, ...]) -> Iterator[Insight | None]:
        for board in boards:
            known = settled(board)
            if known is not None:
                yield known
                continue
            try:
                found = player.move(board, self._limit, 0, line=True)
            except EngineError:
                found = player.move(board, self._limit, 0, line=True)  # once more, with an engine that is new
            line = tuple(write_move(move) for move in found.line or (found.move,))
            yield None if found.score is None else Insight(found.score, found.depth, line)

    def end(self) -> None:
        """End the engine, in the midst of a search too."""
        self._is_ended = True
        with self._lock:
            if self._player is not None:
                self._player.close()
