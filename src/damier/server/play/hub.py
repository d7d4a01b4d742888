"""The hub: every socket that looks at a game, and what is sent to it.

Each socket has a bounded queue and a task that empties it, so nobody waits for a slow reader: one whose queue is full
is cut off, and resumes by its version when it comes back. A state is encoded once for all who see the same.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from typing import TYPE_CHECKING, Final

from damier.server.observe import numbers
from damier.server.play.messages import encode
from damier.server.play.view import common_plies

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from damier import Color
    from damier.server.play.messages import ServerMessage
    from damier.server.play.view import View

QUEUE_LENGTH: Final = 64
"""Frames that wait for one socket before it is cut off."""
FAREWELL_SECONDS: Final = 2.0
"""How long a socket that is cut off has to take what was already on its way."""

CLOSE_RESTARTING: Final = 1012
CLOSE_TOO_SLOW: Final = 4008


class Reader:
    """One socket's end of the hub, with the task that writes to it.

    ``viewer``: the side that it plays, None for one that watches. ``send`` writes a frame; it may take its time.
    ``write``: writes one at once, and says whether it did; most frames go that way, and wake nobody.
    ``person``: the id of who sits at it, None for somebody without our cookie.
    """

    __slots__ = (
        "_closing",
        "_frames",
        "_sending",
        "_waiting",
        "_write",
        "blocked",
        "chat_on",
        "is_known",
        "language",
        "person",
        "said",
        "switches",
        "task",
        "version",
        "viewer",
    )

    def __init__(
        self,
        viewer: Color | None,
        language: str,
        send: Callable[[str], Awaitable[None]],
        person: str | None = None,
        write: Callable[[str], bool] | None = None,
    ) -> None:
        self.viewer = viewer
        self.language = language
        self.is_known = person is not None
        self.person = person or f"nobody {secrets.token_hex(8)}"
        self.version = -1
        """The version of the last state that was put into the queue."""
        self.chat_on = False
        """Whether this person wants to see chat; nothing is shown until that is known."""
        self.blocked: frozenset[str] = frozenset()
        """Those whose lines this person does not want to see, by id."""
        self.switches = 0
        """How often chat has been switched on or off since this socket came, at whatever board."""
        self.said: dict[str, int] = {}
        """The number of the last line that was put into the queue, of each room that it has been shown."""
        self._frames: deque[str] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._sending = False
        self._closing: int | None = None
        self._write = write
        self.task = asyncio.create_task(self._empty(send))
        """Ends when the socket is to be closed, with the code to close it with; cancelled when it takes no more."""

    def put(self, frame: str) -> None:
        """Write a frame, or queue it if the socket takes none now; cuts the socket off when the queue is full."""
        if self._closing is not None:
            return
        if self._write is not None and not self._frames and not self._sending and self._write(frame):
            return
        if len(self._frames) >= QUEUE_LENGTH:
            self._frames.clear()
            self.close(CLOSE_TOO_SLOW)
            numbers.cut_readers += 1
            return
        self._frames.append(frame)
        self._wake()

    @property
    def queued(self) -> int:
        """Frames that wait for the socket to take them."""
        return len(self._frames)

    def close(self, code: int) -> None:
        """Let the socket be closed with this code after what is queued, or without it if that takes too long."""
        if self._closing is None:
            self._closing = code
            self._wake()
            asyncio.get_running_loop().call_later(FAREWELL_SECONDS, self.task.cancel)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def _empty(self, send: Callable[[str], Awaitable[None]]) -> int:
        frames, loop = self._frames, asyncio.get_running_loop()
        while True:
            self._sending = True
            while frames:
                await send(frames.popleft())
            self._sending = False
            if self._closing is not None:
                return self._closing
            self._waiting = loop.create_future()
            await self._waiting


class Hub:
    """The readers of every game. All methods are called in the event loop, and none of them waits."""

    def __init__(self) -> None:
        self._rooms: dict[str, set[Reader]] = {}

    def readers(self, game_id: str) -> Collection[Reader]:
        """Everybody who looks at a game here."""
        return self._rooms.get(game_id, ())

    @property
    def longest_queue(self) -> int:
        """Frames that wait for the slowest reader."""
        return max((reader.queued for room in self._rooms.values() for reader in room), default=0)

    @property
    def games(self) -> Collection[str]:
        """The games that somebody looks at here."""
        return self._rooms.keys()

    def join(
        self, game_id: str, reader: Reader, view: View, version: int, now: float, first: str | None = None
    ) -> None:
        """Add a reader that knows the game as it was at a version (-1: not at all), and queue the state for it.

        ``first``: what is queued instead, a frame that says more.
        """
        if first is None:
            known = 0 <= version <= view.game.version
            from_ply = common_plies(view.game, version) if known else 0
            first = view.frame(reader.viewer, reader.language, now, from_ply)
        reader.version = view.game.version
        reader.put(first)
        self._rooms.setdefault(game_id, set()).add(reader)

    def leave(self, game_id: str, reader: Reader) -> None:
        """Forget a reader."""
        room = self._rooms.get(game_id)
        if room is not None:
            room.discard(reader)
            if not room:
                del self._rooms[game_id]

    def publish(self, game_id: str, view: View, now: float) -> None:
        """Queue a game's new state for everybody who looks at it; a state older than what a reader has is dropped."""
        frames: dict[tuple[int, Color | None, str], str] = {}
        common: dict[int, int] = {}
        version = view.game.version
        for reader in self._rooms.get(game_id, ()):
            if reader.version >= version:
                continue
            key = (reader.version, reader.viewer, reader.language)
            frame = frames.get(key)
            if frame is None:
                from_ply = common.get(reader.version)
                if from_ply is None:
                    from_ply = common[reader.version] = common_plies(view.game, reader.version)
                frame = frames[key] = view.frame(reader.viewer, reader.language, now, from_ply)
            reader.version = version
            reader.put(frame)

    def tell(self, game_id: str, message: Callable[[Color | None], ServerMessage | None]) -> None:
        """Queue for everybody who looks at a game what ``message`` says to the player of a side, or to a watcher."""
        frames: dict[Color | None, str | None] = {}
        for reader in self._rooms.get(game_id, ()):
            viewer = reader.viewer
            if viewer not in frames:
                said = message(viewer)
                frames[viewer] = None if said is None else encode(said)
            frame = frames[viewer]
            if frame is not None:
                reader.put(frame)

    def dismiss(self, person: str) -> None:
        """Send somebody away from all boards: the page that comes back is somebody else's."""
        for room in self._rooms.values():
            for reader in room:
                if reader.person == person:
                    reader.close(CLOSE_RESTARTING)

    def close(self) -> None:
        """Send everybody away; their pages come back to the next server."""
        for room in self._rooms.values():
            for reader in room:
                reader.close(CLOSE_RESTARTING)
