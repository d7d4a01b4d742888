"""HTTP and WebSocket as uvicorn speaks them, quieter about those who do not speak them well, and lighter when idle."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, cast

import h11
from litestar.types import Empty
from litestar.utils.scope.state import ScopeState
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

try:
    from websockets.speedups import apply_mask
except ImportError:  # where it was installed without a compiler
    from websockets.utils import apply_mask

if TYPE_CHECKING:
    from collections.abc import Callable

    from litestar import WebSocket
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

WRITE_NOW: Final = "damier.write_now"
MOST_WAITING: Final = 32
"""Messages of one socket that wait to be taken in before no more are read from it."""


class HttpProtocol(H11Protocol):
    """Takes a request that breaks off into nonsense for what it is: a visitor who has gone.

    As uvicorn has it, the nonsense is answered though the page has answered already, or the page though the nonsense
    has; either way the log gets a traceback for what is not our fault.
    """

    def send_400_response(self, msg: str) -> None:
        """Answer with 400 where no answer has begun; the page that was making one is told that nobody waits for it."""
        # None before the first request, whatever its type says
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Keeps little for a socket that lies idle, as most do: no handshake, and no room for messages that wait.

    An :class:`asyncio.Queue` and an :class:`asyncio.Event` have four deques with room for 64 entries each.

    A text that comes as one whole frame, as nearly all do, is taken in directly; whatever else comes goes the long way.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._inbox = _Inbox()
        self.queue = cast("asyncio.Queue[Any]", self._inbox)
        self.writable = cast("asyncio.Event", _Gate())
        self._between_frames = False
        """Whether all that has come so far were whole frames, so that the next thing to come begins one."""

    def data_received(self, data: bytes) -> None:
        """Take in what the client sends."""
        if self._between_frames:
            text = whole_text(data) if len(data) <= self.config.ws_max_size else None
            if text is not None and self.conn.state is State.OPEN and not (self.frames or self.close_sent):
                self.queue.put_nowait({"type": "websocket.receive", "text": text})
                if len(self._inbox) >= MOST_WAITING and not self.read_paused:
                    self.read_paused = True
                    self.transport.pause_reading()
                return
            self._between_frames = ends_a_frame(data)
        super().data_received(data)

    def start_keepalive(self) -> None:
        """The handshake is done: forget it."""
        super().start_keepalive()
        self._between_frames = not self.conn.reader.buffer
        self.request.headers.clear()  # the parser, which has not returned, has the request as well
        del self.request, self.response

    async def run_asgi(self) -> None:
        """Serve the socket; its application may write to it without waiting for its turn."""
        cast("dict[str, Any]", self.scope)["extensions"][WRITE_NOW] = self.write
        await super().run_asgi()

    def write(self, text: str) -> bool:
        """Send a text at once, or say that it has to wait (as :meth:`send` does): the socket takes nothing now."""
        if not self.writable.is_set() or self.conn.state is not State.OPEN or self.transport.is_closing():
            return False
        self.transport.write(text_frame(text.encode()))
        return True


def write_now(socket: WebSocket[Any, Any, Any]) -> Callable[[str], bool] | None:
    """How to write to a socket at once (:meth:`WebSocketProtocol.write`), where it can be done."""
    return cast("dict[str, Any]", socket.scope["extensions"]).get(WRITE_NOW)


def text_frame(payload: bytes) -> bytes:
    """A whole text as the one frame in which a server sends it (RFC 6455, 5.2).

    >>> text_frame(b"hello"), text_frame(b"x" * 1000)[:4]
    (b'\\x81\\x05hello', b'\\x81~\\x03\\xe8')
    """
    length = len(payload)
    if length < 126:
        return bytes((0x81, length)) + payload
    if length < 65_536:
        return b"\x81\x7e" + length.to_bytes(2, "big") + payload
    return b"\x81\x7f" + length.to_bytes(8, "big") + payload


def whole_text(data: bytes) -> str | None:
    """The text, where a client has sent just that in one frame of less than 64 KiB; None for anything else.

    >>> masked = bytes((0x81, 0x85, 1, 2, 3, 4)) + apply_mask(b"hello", bytes((1, 2, 3, 4)))
    >>> whole_text(masked), whole_text(masked[:-1]), whole_text(masked * 2), whole_text(b"")
    ('hello', None, None, None)
    """
    size = len(data)
    if size < 6 or data[0] != 0x81:
        return None
    length, begin = data[1] - 0x80, 2
    if length == 126:
        length, begin = int.from_bytes(data[2:4], "big"), 4
    if not 0 <= length == size - begin - 4:
        return None
    try:
        return apply_mask(data[begin + 4 :], data[begin : begin + 4]).decode()
    except UnicodeDecodeError:
        return None


def ends_a_frame(data: bytes) -> bool:
    """Whether data that begins with a frame ends with one, so far as its lengths tell.

    >>> frame = bytes((0x89, 0x80, 1, 2, 3, 4))
    >>> ends_a_frame(frame), ends_a_frame(frame * 3), ends_a_frame(frame + frame[:3]), ends_a_frame(frame[:1])
    (True, True, False, False)
    """
    at, size = 0, len(data)
    while at + 2 <= size:
        length, at = data[at + 1] & 0x7F, at + 2
        if length > 125:
            wide = 2 if length == 126 else 8
            length, at = int.from_bytes(data[at : at + wide], "big"), at + wide
        at += 4 + length
    return at == size


def forget_headers(socket: WebSocket[Any, Any, Any]) -> None:
    """Let go of the headers of a socket's request, once they have told what they can."""
    socket.scope["headers"] = []
    ScopeState.from_scope(socket.scope).headers = Empty


class _Inbox:
    """What an :class:`asyncio.Queue` does for its one reader."""

    __slots__ = ("_entries", "_reader")

    def __init__(self) -> None:
        self._entries: list[Any] = []
        self._reader: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def empty(self) -> bool:
        return not self._entries

    def put_nowait(self, entry: object) -> None:
        self._entries.append(entry)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def get(self) -> Any:
        while not self._entries:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._entries.pop(0)


class _Gate:
    """What an :class:`asyncio.Event` does, for few who wait; it is open at first."""

    __slots__ = ("_closed",)

    def __init__(self) -> None:
        self._closed: asyncio.Future[None] | None = None

    def set(self) -> None:
        if self._closed is not None:
            closed, self._closed = self._closed, None
            if not closed.done():
                closed.set_result(None)

    def is_set(self) -> bool:
        return self._closed is None

    def clear(self) -> None:
        if self._closed is None:
            self._closed = asyncio.get_running_loop().create_future()

    async def wait(self) -> None:
        while self._closed is not None:
            await asyncio.shield(self._closed)
