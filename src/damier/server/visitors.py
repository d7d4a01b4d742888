"""Who is at the other end: a guest, known by a signed cookie."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Any, Final

from litestar.datastructures import Cookie

from damier.server.security import cookie_name

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection

COOKIE_AGE: Final = 2 * 365 * 86_400
"""Seconds that a browser keeps the cookie after the last game was started with it."""


class Visitors:
    """Gives visitors their ids and knows them again.

    >>> visitors = Visitors(b"a secret of the club")
    >>> cookie = visitors.cookie("q3Fz")
    >>> visitors.read(cookie), visitors.read(cookie[:-1] + "!"), visitors.read(None)
    ('q3Fz', None, None)
    """

    def __init__(self, secret: bytes) -> None:
        self.cookie_name = cookie_name("damier_visitor", secret)
        # a key of its own, so that no other signature made with the secret can pass for a visitor's
        self._key = hmac.digest(secret, b"visitor", hashlib.sha256)

    def new_id(self) -> str:
        """An id that nobody has had."""
        return secrets.token_urlsafe(15)

    def cookie(self, visitor: str) -> str:
        """The cookie's value for a visitor."""
        return f"{visitor}.{self._signature(visitor)}"

    def read(self, cookie: str | None) -> str | None:
        """The visitor whom a cookie names; None for no cookie and for one that is not ours."""
        visitor, _, signature = (cookie or "").rpartition(".")
        genuine = hmac.compare_digest(signature.encode(), self._signature(visitor).encode())
        return visitor if visitor and genuine else None

    def of(self, connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
        """The visitor who sent a request or opened a socket."""
        return self.read(connection.cookies.get(self.cookie_name))

    def set_cookie(self, visitor: str, *, secure: bool) -> Cookie:
        """The cookie by which a browser shows who its visitor is."""
        return Cookie(
            self.cookie_name,
            value=self.cookie(visitor),
            max_age=COOKIE_AGE,
            httponly=True,
            samesite="lax",
            secure=secure,
        )

    def _signature(self, visitor: str) -> str:
        digest = hmac.digest(self._key, visitor.encode(), hashlib.sha256)
        return urlsafe_b64encode(digest).rstrip(b"=").decode()
