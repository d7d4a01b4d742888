"""Headers that tell a browser what our pages may do, and whose pages may open our sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from litestar.datastructures import MutableScopeHeaders
from litestar.middleware.csrf import CSRFMiddleware

if TYPE_CHECKING:
    from litestar.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Final = {
    "content-security-policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class SecurityHeaders:
    """Puts the headers on every answer, errors and unknown addresses included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, send_with_headers)


class FormTokens(CSRFMiddleware):
    """Lets a form through only with the token that this browser was given; see :class:`CSRFMiddleware`."""

    def _decode_csrf_token(self, token: str) -> str | None:
        # the digests' comparison raises TypeError for other letters; to us such a token is simply wrong
        return super()._decode_csrf_token(token) if token.isascii() else None


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a socket is opened by a page of ours. Programs that are no browsers send no origin and may.

    >>> same_origin("https://club.example", "club.example"), same_origin("https://else.example", "club.example")
    (True, False)
    >>> same_origin("null", "club.example"), same_origin(None, "club.example")
    (False, True)
    """
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc.lower() == (host or "").lower()
