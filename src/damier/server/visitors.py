"""Who is at the other end: a guest, known by a signed cookie, or a member, by a session's token in another."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from litestar.connection import ASGIConnection, Request
from litestar.datastructures import Cookie

from damier.server.accounts.news import GUESTS, OF_TOKEN
from damier.server.accounts.service import SESSION_AGE, token_hash
from damier.server.security import API, WHO, cookie_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import ASGIApp, Receive, Scope, Send

    from damier.server.accounts.service import Accounts
    from damier.server.club import Club
    from damier.server.people import People, Who

TOKEN_SHOWN: Final = "damier.token"  # noqa: S105 (a key)

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
        self.session_cookie_name = cookie_name("damier_session", secret)
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

    @staticmethod
    def who(connection: ASGIConnection[Any, Any, Any, Any]) -> Who | None:
        """Who sent a request or opened a socket, as :class:`Identify` has found out."""
        return cast("dict[str, Any]", connection.scope).get(WHO)

    def of(self, connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
        """The id of who sent a request or opened a socket."""
        who = self.who(connection)
        return None if who is None else who.id

    def session_of(self, connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
        """The id of the session in which a request or a socket came, :data:`GUESTS` for a guest's; None without any.

        Where a program has shown a token, the token's, with :data:`OF_TOKEN` before it.
        """
        shown: str | None = cast("dict[str, Any]", connection.scope).get(TOKEN_SHOWN)
        if shown is not None:
            return OF_TOKEN + shown
        who, token = self.who(connection), connection.cookies.get(self.session_cookie_name)
        if who is None or not who.is_member:
            return None if who is None else GUESTS
        return None if token is None else token_hash(token)

    async def identify(self, cookies: Mapping[str, str], accounts: Accounts, people: People) -> Who | None:
        """Who has these cookies. A session comes first; a guest's cookie does not open what a member has made of it."""
        token = cookies.get(self.session_cookie_name)
        if token is not None:
            member = await accounts.person_of(token)
            if member is not None and (who := await people.who(member)).is_member:
                return who
        guest = self.read(cookies.get(self.cookie_name))
        if guest is None:
            return None
        who = await people.who(guest)
        return who if who.kind == "guest" else None

    def set_session_cookie(self, token: str | None, *, secure: bool) -> Cookie:
        """The cookie that logs a browser in, or with None the one that logs it out."""
        return Cookie(
            self.session_cookie_name,
            value=token or "",
            max_age=SESSION_AGE if token else 0,
            httponly=True,
            samesite="lax",
            secure=secure,
        )

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


class Identify:
    """Middleware that finds out who sends a request or opens a socket, before anything is done for them.

    For programs a token tells it instead (:class:`damier.server.api.auth.Authenticate`).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = None
        if not scope["path"].startswith(API):
            cookies = ASGIConnection[Any, Any, Any, Any](scope).cookies
            club: Club = scope["litestar_app"].state.club
            who = await club.visitors.identify(cookies, club.accounts, club.people)
        cast("dict[str, Any]", scope)[WHO] = who
        if who is not None and who.must_read and _is_a_page(scope):
            target = f"/notice?next={quote(scope['path'])}".encode()
            headers = [(b"location", target), (b"cache-control", b"private, no-store"), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 303, "headers": headers})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        await self._app(scope, receive, send)


READ_BEFORE: Final = (
    "/notice",
    "/static/",
    "/account/export",
    "/account/delete",
    "/goodbye",
    "/health",
    "/ready",
    "/metrics",
)
"""Pages for which nothing need be read before: one's own data and the way out are everybody's."""


def _is_a_page(scope: Scope) -> bool:
    """Whether a reader asks for a page before which what moderators have to say can be shown."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(READ_BEFORE):
        return False
    return "text/html" in Request[Any, Any, Any](scope).headers.get("accept", "")
