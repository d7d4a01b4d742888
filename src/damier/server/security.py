"""What a browser may do with our pages, and which forms and sockets are our pages' own."""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import secrets
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.exceptions import (
    ClientException,
    InternalServerException,
    PermissionDeniedException,
    TooManyRequestsException,
)

from damier.server.limits import Allowances, household

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from litestar import Request
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
            "manifest-src 'self'",
            "worker-src 'self'",
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


HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?P<port>[0-9]{0,5}))?")
HIGHEST_PORT: Final = 65_535
NO_HOST: Final = b"The Host header of this request names no host.\n"


def is_host(header: str) -> bool:
    """Whether a Host header names a host, which addresses on our pages may then begin with.

    >>> is_host("club.example"), is_host("127.0.0.1:8000"), is_host("[::1]:8000")
    (True, True, True)
    >>> is_host("x:99999999"), is_host("a b"), is_host("x" * 3000), is_host("")
    (False, False, False, False)
    """
    found = HOST.fullmatch(header)
    return found is not None and int(found["port"] or 0) <= HIGHEST_PORT


class HostCheck:
    """Refuses requests and sockets whose Host header names no host: no address can be made of it, nor an error page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # the server's start and end come by here too, without headers
        headers: Iterable[tuple[bytes, bytes]] = cast("Mapping[str, Any]", scope).get("headers", ())
        if all(is_host(value.decode("latin-1")) for name, value in headers if name == b"host"):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(NO_HOST))]
            await send({"type": "http.response.start", "status": 400, "headers": answer})
            await send({"type": "http.response.body", "body": NO_HOST, "more_body": False})
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})


def cookie_name(name: str, secret: bytes) -> str:
    """A cookie's name that no other club has: browsers send a host's cookies to all its ports.

    >>> cookie_name("damier_visitor", b"a secret of the club")
    'damier_visitor_7ab2b2b8'
    """
    return f"{name}_{hmac.digest(secret, b'cookie name', hashlib.sha256).hex()[:8]}"


SAFE_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
NONCE_LETTERS: Final = 32


class FormTokens:
    """The tokens of a club's forms: a browser has one in a cookie, and our pages put the same into their forms.

    >>> tokens = FormTokens(b"a secret of the club")
    >>> token = tokens.new()
    >>> tokens.read({tokens.cookie_name: token}) == token
    True
    >>> tokens.read({tokens.cookie_name: token[:-1] + "!"}), tokens.read({tokens.cookie_name: "é"}), tokens.read({})
    (None, None, None)
    """

    def __init__(self, secret: bytes) -> None:
        self.cookie_name = cookie_name("damier_form", secret)
        self._key = hmac.digest(secret, b"form", hashlib.sha256)

    def new(self) -> str:
        """A token for a browser that has none."""
        nonce = secrets.token_hex(NONCE_LETTERS // 2)
        return nonce + self._signature(nonce)

    def read(self, cookies: Mapping[str, str]) -> str | None:
        """The token of the browser that sent these cookies; None when it has none, or one that is not ours."""
        token = cookies.get(self.cookie_name, "")
        nonce, signature = token[:NONCE_LETTERS], token[NONCE_LETTERS:]
        return token if hmac.compare_digest(signature.encode(), self._signature(nonce).encode()) else None

    def cookie(self, token: str, *, secure: bool) -> Cookie:
        """The cookie that gives a browser its token."""
        return Cookie(self.cookie_name, value=token, httponly=True, samesite="lax", secure=secure)

    def _signature(self, nonce: str) -> str:
        return hmac.digest(self._key, nonce.encode(), hashlib.sha256).hex()


WHO: Final = "damier.who"
"""Where a scope says who has sent the request or opened the socket."""
API: Final = "/api/"
"""What the paths begin with that programs use: a token is looked at there, and no cookie."""


class FormLimits:
    """How many forms there may be: of one person so many a second on average and at once, of one address three times that."""

    def __init__(self, per_second: int, burst: int) -> None:
        self._of_person = Allowances(per_second, burst)
        self._of_address = Allowances(3 * per_second, 3 * burst)

    def count(self, scope: Scope) -> None:
        """Count a form. Raises TooManyRequestsException for one too many."""
        client, who = scope["client"], cast("dict[str, Any]", scope).get(WHO)
        wait = self._of_address.take(household(client[0] if client else ""))
        if who is not None:
            wait = max(wait, self._of_person.take(who.id))
        if wait:
            raise TooManyRequestsException(headers={"Retry-After": str(math.ceil(wait))})


class FormCheck:
    """Middleware that lets a form through only with its browser's token, in the form or in ``X-CSRFToken``.

    What is for programs goes by: no cookie opens anything there, so no other site can have a browser do it.
    """

    def __init__(self, app: ASGIApp, tokens: FormTokens, limits: FormLimits) -> None:
        self._app = app
        self._tokens = tokens
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and not scope["path"].startswith(API):
            self._limits.count(scope)
            request: Request[Any, Any, Any] = scope["litestar_app"].request_class(scope=scope, receive=receive)
            try:
                form = await request.form()
            except InternalServerException as error:
                raise ClientException("the visitor left before the form was here") from error
            given = request.headers.get("x-csrftoken") or form.get("_csrf_token")
            token = self._tokens.read(request.cookies)
            genuine = token is not None and isinstance(given, str)
            if not genuine or not hmac.compare_digest(given.encode(), token.encode()):
                raise PermissionDeniedException("the form has not the token of its browser")
        await self._app(scope, receive, send)


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
