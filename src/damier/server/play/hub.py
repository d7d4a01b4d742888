"""The hub: every socket that looks at a game, and what is sent to it.

Each socket has a bounded queue and a task that empties it, so nobody waits for a slow reader: one whose queue is full
is cut off, and resumes by its version when it comes back. A state is encoded once for all who see the same.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from damier.server.play.messages import encode
from damier.server.play.view import common_plies

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from damier import Color
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
    """

    __slots__ = ("_closing", "_frames", "_waiting", "language", "task", "version", "viewer")

    def __init__(self, viewer: Color | None, language: str, send: Callable[[str], Awaitable[None]]) -> None:
        self.viewer = viewer
        self.language = language
        self.version = -1
        """The version of the last state that was put into the queue."""
        self._frames: deque[str] = deque()
        self._waiting = asyncio.Event()
        self._closing: int | None = None
        self.task = asyncio.create_task(self._write(send))
        """Ends when the socket is to be closed, with the code to close it with; cancelled when it takes no more."""

    def put(self, frame: str) -> None:
        """Queue a frame; cuts the socket off when the queue is full."""
        if self._closing is not None:
            return
        if len(self._frames) >= QUEUE_LENGTH:
            self._frames.clear()
            self.close(CLOSE_TOO_SLOW)
            return
        self._frames.append(frame)
        self._waiting.set()

    def close(self, code: int) -> None:
        """Let the socket be closed with this code after what is queued, or without it if that takes too long."""
        if self._closing is None:
            self._closing = code
            self._waiting.set()
            asyncio.get_running_loop().call_later(FAREWELL_SECONDS, self.task.cancel)

    async def _write(self, send: Callable[[str], Awaitable[None]]) -> int:
        while True:
            await self._waiting.wait()
            self._waiting.clear()
            while self._frames:
                await send(self._frames.popleft())
            if self._closing is not None:
                return self._closing


class Hub:
    """The readers of every game. All methods are called in the event loop, and none of them waits."""

    def __init__(self) -> None:
        self._rooms: dict[str, set[Reader]] = {}

    def join(self, game_id: str, reader: Reader, view: View, version: int) -> None:
        """Add a reader that knows the game as it was at a version (-1: not at all), and queue the state for it."""
        known = 0 <= version <= view.game.version
        from_ply = common_plies(view.game, version) if known else 0
        reader.version = view.game.version
        reader.put(encode(view.state(reader.viewer, reader.language, time.time(), from_ply)))
        self._rooms.setdefault(game_id, set()).add(reader)

    def leave(self, game_id: str, reader: Reader) -> None:
        """Forget a reader."""
        room = self._rooms.get(game_id)
        if room is not None:
            room.discard(reader)
            if not room:
                del self._rooms[game_id]

    def publish(self, game_id: str, view: View) -> None:
        """Queue a game's new state for everybody who looks at it; a state older than what a reader has is dropped."""
        frames: dict[tuple[int, Color | None, str], str] = {}
        for reader in self._rooms.get(game_id, ()):
            if reader.version >= view.game.version:
                continue
            key = (reader.version, reader.viewer, reader.language)
            frame = frames.get(key)
            if frame is None:
                from_ply = common_plies(view.game, reader.version)
                frame = frames[key] = encode(view.state(reader.viewer, reader.language, time.time(), from_ply))
            reader.version = view.game.version
            reader.put(frame)

    def close(self) -> None:
        """Send everybody away; their pages come back to the next server."""
        for room in self._rooms.values():
            for reader in room:
                reader.close(CLOSE_RESTARTING)
