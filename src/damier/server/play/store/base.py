"""What an event store does, whatever keeps it: games as their start and their events, each event at its version.

The store is the truth of the club. An event is acknowledged when it is committed, never before; two events at one
version of a game cannot both be kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import msgspec

from damier.events import Entry, MoveMade, Paused, color_to_json
from damier.game import Game
from damier.record import Start

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from damier import Move

__all__ = [
    "BEAT_SECONDS",
    "OUTAGE_SECONDS",
    "EventStore",
    "GameSummary",
    "Outage",
    "StoreError",
    "StoredGame",
    "Summary",
    "UnknownGame",
    "VersionConflict",
    "computer_to_move",
    "summary",
]

CHECK_SECONDS: Final = 2.0
"""How long a store may take to say that it can write."""
BEAT_SECONDS: Final = 0.5
"""Between two calls of :meth:`EventStore.beat`."""
OUTAGE_SECONDS: Final = 1.0
"""A silence of all servers that is longer than this was an outage; a shorter one costs nobody more than this."""

_encode = msgspec.json.Encoder().encode


class StoreError(Exception):
    """The store could not keep or give what was asked."""


class UnknownGame(StoreError):
    """There is no game with this id."""


class VersionConflict(StoreError):
    """The game has moved on since it was read: read it again and decide anew."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game, whether everybody may find and watch it, and when it was made (seconds since 1970)."""

    game: Game
    is_public: bool
    created: float


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game in a list.

    ``turn``: "white" or "black". ``changed``: seconds since 1970 of its last event. ``score`` and ``reason``: as
    :class:`damier.record.Result` has them, None while the game goes on. ``last_move``: the squares from and to which
    the last move on the board led, None before the first. ``due``: when the arbiter has to act next if nothing happens,
    such as for a move that was not made in time; None: never.
    """

    id: str
    start: Start
    fen: str
    plies: int
    turn: str
    changed: float
    score: str | None = None
    reason: str | None = None
    is_public: bool = False
    last_move: tuple[int, int] | None = None
    due: float | None = None


class Outage(NamedTuple):
    """A time in which no server ran, in seconds since 1970."""

    began: float
    ended: float


class EventStore(Protocol):
    """The games of a club. The methods are called in one event loop, the one in which the store was opened.

    All of them raise :class:`StoreError` when the database cannot do what is asked.
    """

    async def close(self) -> None:
        """Commit what waits, then stop. Nothing may be asked afterwards."""
        ...

    async def check(self) -> bool:
        """Whether the store can take events now."""
        ...

    async def create(
        self, game_id: str, game: Game, *, at: float, is_public: bool = False, due: float | None = None
    ) -> None:
        """Keep a new game that has no events yet, made at a moment; ``due`` as for :meth:`append`."""
        ...

    async def append(self, game_id: str, game: Game, *, due: float | None = None) -> None:
        """Keep the last event of a game that has one event more than the store knows.

        ``due``: when the arbiter has to act next if nothing happens; None: never. Raises :class:`VersionConflict`
        when another event came first, and :class:`UnknownGame`. A caller that is cancelled does not cancel the event.
        """
        ...

    async def load(self, game_id: str) -> StoredGame:
        """A game as it stands. Raises :class:`UnknownGame`."""
        ...

    async def entries(self, game_id: str, after_version: int) -> list[Entry]:
        """A game's events after a version, in order; none for a game that is not there."""
        ...

    async def due(self, until: float, most: int) -> list[str]:
        """The games in which the arbiter has to act by a moment, the most urgent first."""
        ...

    async def running(self) -> list[str]:
        """The unfinished games in which a time runs (the arbiter is due), or stands still for a pause of the arbiter's."""
        ...

    async def awaiting_computer(self) -> list[str]:
        """The games in which a computer is to move, the one that has waited longest first."""
        ...

    async def unfinished_of(self, player: str, limit: int) -> list[GameSummary]:
        """A player's unfinished games, those that changed last first."""
        ...

    async def last_of(self, player: str) -> Start | None:
        """How the player's newest game started; None for somebody who has played none."""
        ...

    async def playing(self, most: int, since: float = 0.0) -> list[GameSummary]:
        """The public games that go on and have changed since a moment, those that changed last first."""
        ...

    async def count_playing(self, since: float = 0.0) -> int:
        """How many public games go on and have changed since a moment."""
        ...

    async def beat(self, at: float) -> None:
        """Note that a server runs. Cheap, and not waited for by the disk."""
        ...

    async def take_outages(self, now: float) -> tuple[Outage, ...]:
        """The time for which no server ran, if that has just ended; of several who ask, only the first is told.

        To be asked once by each server that starts, before its first :meth:`beat`. The time is to be given back to the
        :meth:`running` games, and then :meth:`outages_over` to be called: when the server that was told dies before,
        the next that starts is told, of this outage and of the one that has just ended, in order.
        """
        ...

    async def outages(self, now: float) -> tuple[Outage, ...]:
        """The outages that another server has taken, or is about to take, and has not got through yet."""
        ...

    async def outages_over(self) -> None:
        """The time of the outages has been given back to all games."""
        ...


def computer_to_move(game: Game) -> bool:
    """Whether the game waits for a computer's move."""
    return game.result is None and game.player(game.turn).is_computer


class Summary(NamedTuple):
    """The columns of a game's row that change with its events."""

    version: int
    changed: float
    fen: str
    plies: int
    turn: str
    score: str | None
    reason: str | None
    last_from: int | None
    last_to: int | None
    computer_to_move: bool
    running: bool
    due: float | None


def summary(game: Game, *, changed: float, due: float | None) -> Summary:
    """What a game's row says of its present state."""
    result = game.result
    last = _last_move(game)
    return Summary(
        version=game.version,
        changed=changed,
        fen=game.fen(),
        plies=game.plies,
        turn=color_to_json(game.turn),
        score=None if result is None else result.score,
        reason=None if result is None else result.reason,
        last_from=None if last is None else last.from_square,
        last_to=None if last is None else last.to_square,
        computer_to_move=computer_to_move(game),
        running=_is_running(game, due),
        due=None if result is not None else due,
    )


def _last_move(game: Game) -> Move | MoveMade | None:
    if not game.plies:
        return None
    event = game.events[-1].event
    return event if isinstance(event, MoveMade) else game.board.pop()


def _is_running(game: Game, due: float | None) -> bool:
    if game.result is not None:
        return False
    if not game.paused:
        return due is not None
    pause = next(entry for entry in reversed(game.events) if isinstance(entry.event, Paused))
    return pause.by is None


def encode(data: object) -> str:
    """JSON as it is kept."""
    return _encode(data).decode()


def start_of(text: str) -> Start:
    """The start that was kept as JSON."""
    return Start.from_json(msgspec.json.decode(text))


def entry_of(text: str) -> Entry:
    """The entry that was kept as JSON."""
    return Entry.from_json(msgspec.json.decode(text))


def replayed(start: str, entries: Iterable[str]) -> Game:
    """The game that was kept as JSON."""
    return Game.replay(start_of(start), map(entry_of, entries))


def seats(game: Game) -> list[tuple[str, str]]:
    """Which sides are whose: "white" or "black", and the player's id, of those who have one."""
    players = (("white", game.origin.white.id), ("black", game.origin.black.id))
    return [(color, player) for color, player in players if player is not None]


def summary_of(row: Sequence[Any]) -> GameSummary:
    """The summary that a row of id, start, …, last_from, last_to, due makes."""
    game_id, start, fen, plies, turn, changed, score, reason, is_public, last_from, last_to, due = row
    last_move = None if last_from is None else (last_from, last_to)
    return GameSummary(
        game_id, start_of(start), fen, plies, turn, changed, score, reason, bool(is_public), last_move, due
    )
