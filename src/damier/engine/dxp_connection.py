"""A connection in DamExchange: bytes in, messages out, and no more of them than can be meant."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from typing import TYPE_CHECKING, Final

from damier.notation.dxp import Inbox, write_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier.notation.dxp import Message

__all__ = ["DxpConnection", "TooMuch"]

_CHUNK: Final = 4096
_MOST_UNREAD: Final = 65536
"""Bytes that the other side may leave unread of what it is told."""
_MOST_AT_ONCE: Final = 200
_MOST_A_SECOND: Final = 20
"""Messages that nobody waits for; a person who types is far below it."""
_GOODBYE_SECONDS: Final = 1.0


class TooMuch(Exception):
    """The other side sends more than can be meant, or reads nothing."""


class DxpConnection:
    """Reads until the connection ends.

    ``hear`` is called with the text of each message and says whether that was one in its turn, such as a move, of which
    there can be as many as are answered; it may raise to end the connection. ``lost`` is called once, when it has ended by itself: with what was raised, EOFError when the other side has closed
    it, OSError when it broke, BadDxp for what is no message, :class:`TooMuch` for too many.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        hear: Callable[[str], bool],
        lost: Callable[[Exception], None],
    ) -> None:
        self._reader, self._writer = reader, writer
        self._hear, self._lost = hear, lost
        self._inbox = Inbox()
        self._allowed = float(_MOST_AT_ONCE)
        self._counted = time.monotonic()
        with contextlib.suppress(OSError):  # so that one who has vanished is missed some day
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._reading = asyncio.create_task(self._read())

    def send(self, message: Message) -> None:
        """Say something; that the other side has gone is found out by who reads."""
        if self._writer.transport.get_write_buffer_size() > _MOST_UNREAD:
            self._writer.transport.abort()
        elif not self._writer.is_closing():
            self._writer.write(write_message(message).encode("ascii") + b"\0")

    def hang_up(self) -> None:
        """Begin to close it: what was said goes first."""
        self._writer.close()

    async def close(self) -> None:
        """Close it once what was said has gone, or after a second."""
        self._reading.cancel()
        await asyncio.wait([self._reading])
        self._writer.close()
        try:
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            self._writer.transport.abort()

    async def _read(self) -> None:
        try:
            while data := await self._reader.read(_CHUNK):
                self._inbox.feed(data)
                while (text := self._inbox.take()) is not None:
                    if not self._hear(text):
                        self._count()
                await asyncio.sleep(0)  # one who never pauses must not have the loop to himself
            raise EOFError
        except Exception as error:  # whatever it is, who waits has to know
            self._lost(error)

    def _count(self) -> None:
        now = time.monotonic()
        self._allowed = min(_MOST_AT_ONCE, self._allowed + (now - self._counted) * _MOST_A_SECOND) - 1
        self._counted = now
        if self._allowed < 0:
            raise TooMuch
