"""A socket to the club that is opened again when it breaks."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from damier.client.errors import ClubError, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

_Message = TypeVar("_Message")

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
_OPEN_SECONDS: Final = 30.0
"""For which a club may take to answer, as with what is asked over HTTP."""
_PING_SECONDS: Final = 15.0
"""Between two messages to find out whether the club is still there."""
_SILENT_SECONDS: Final = 45.0
_FINAL: Final = {4001: "logged_out", 4003: "refused", 4004: "unknown_game", 4029: "too_fast"}
"""Codes with which the club closes a socket for good."""


class Wire:
    """Messages from and to one address. Opened by :meth:`messages`."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = dict(headers)
        self._connection: ClientConnection | None = None
        self._closed = False

    def decoded(self, message: str | bytes | object, kind: type[_Message]) -> _Message:
        """A message, or a part of one, as what it should be. Raises :class:`Unreachable` for what no club sends."""
        try:
            if isinstance(message, str | bytes):
                return msgspec.json.decode(message, type=kind)
            return msgspec.convert(message, kind)
        except msgspec.MsgspecError as error:
            raise Unreachable(self._url, str(error)) from error

    async def close(self) -> None:
        """Close the connection that there is; whoever iterates comes to an end."""
        self._closed = True
        if self._connection is not None:
            await self._connection.close()

    async def send(self, message: Mapping[str, object]) -> None:
        """Send a message. Raises :class:`ClubError` while there is no connection."""
        if self._connection is None:
            raise ClubError("broken_off", "there is no connection at the moment")
        try:
            await self._connection.send(json.dumps(message))
        except ConnectionClosed:
            raise ClubError("broken_off", "the connection broke") from None

    async def messages(self) -> AsyncGenerator[dict[str, Any] | None]:
        """The messages as they come, and None each time that the connection broke."""
        pause, known = _FIRST_PAUSE, False
        while not self._closed:
            try:
                async with connect(
                    self._url,
                    additional_headers=self._headers,
                    max_size=2**22,
                    open_timeout=_OPEN_SECONDS,
                    ping_interval=_PING_SECONDS,
                    ping_timeout=_SILENT_SECONDS,
                ) as connection:
                    self._connection, pause, known = connection, _FIRST_PAUSE, True
                    async for text in connection:
                        yield self.decoded(text, dict[str, Any])
                code, reason = connection.close_code, connection.close_reason
                if code in _FINAL:
                    raise ClubError(_FINAL[code], reason or _FINAL[code].replace("_", " "))
            except InvalidStatus as error:
                status = error.response.status_code
                if status not in (429, 502, 503, 504):
                    raise ClubError("refused", _told(error), status=status) from None
                if not known:
                    raise Unreachable(self._url, f"HTTP status {status}") from None
            except ConnectionClosed as error:
                code = None if error.rcvd is None else error.rcvd.code
                if code in _FINAL:
                    raise ClubError(_FINAL[code], _FINAL[code].replace("_", " ")) from None
            except (OSError, InvalidHandshake, InvalidURI, TimeoutError) as error:
                if not known:
                    raise Unreachable(self._url, str(error) or type(error).__name__) from error
            finally:
                self._connection = None
            yield None
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 (so that not all come back at once)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _told(error: InvalidStatus) -> str:
    body = error.response.body or b""
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP status {error.response.status_code}"
