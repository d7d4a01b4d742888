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

if TYPE_CHECKING:
    from collections.abc import Callable

    from litestar import WebSocket
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

WRITE_NOW: Final = "damier.write_now"


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
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.queue = cast("asyncio.Queue[Any]", _Inbox())
        self.writable = cast("asyncio.Event", _Gate())

    def start_keepalive(self) -> None:
        """The handshake is done: forget it."""
        super().start_keepalive()
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
