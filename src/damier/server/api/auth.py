"""Who asks over the interface, and how often: by a token in ``Authorization``, never by a cookie."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import msgspec
from litestar.connection import ASGIConnection

from damier.i18n import N_
from damier.server.api.problems import NOBODY, TOO_FAST, ApiError, answer, asked_language, bad_input
from damier.server.api.tokens import READ
from damier.server.limits import Allowances, household
from damier.server.security import WHO
from damier.server.visitors import TOKEN_SHOWN

if TYPE_CHECKING:
    from litestar import Request
    from litestar.handlers import BaseRouteHandler
    from litestar.types import ASGIApp, Receive, Scope, Send

    from damier.server.api.tokens import Access
    from damier.server.api.tokens import Scope as TokenScope
    from damier.server.club import Club
    from damier.server.people import Who
    from damier.server.settings import Settings

ACCESS: Final = "damier.access"
OF_ONE_ADDRESS: Final = 3
"""Accounts whose programs may ask from one address as much as each may."""

Needed: TypeAlias = Literal["account:read", "play", "seek", "bot", "export"]

Guard: TypeAlias = Callable[[ASGIConnection[Any, Any, Any, Any], Any], Any]

BEGINS_GAME: Final = "begins_game"
NO_JSON: Final = N_("This is no JSON.")
NOT_FOR_THIS: Final = N_("This token is not for this: it needs the scope {scope}.")


class ApiLimits:
    """How often the interface may be asked, in this process."""

    def __init__(self, settings: Settings) -> None:
        rate, burst = settings.api_requests_per_second, settings.api_request_burst
        self._addresses = Allowances(rate * OF_ONE_ADDRESS, burst * OF_ONE_ADDRESS)
        self._accounts = Allowances(rate, burst)
        most = settings.new_games_per_minute
        self._new_games = Allowances(most / 60, most)
        self._wrong = Allowances(settings.wrong_tokens_per_minute / 60, settings.wrong_tokens_per_minute)

    def came(self, address: str, *, with_token: bool) -> None:
        """Count a request from an address. Raises :class:`ApiError` for one too many."""
        # who has shown so many wrong tokens has no other looked at for a while
        self._refuse(max(self._addresses.take(address), self._wrong.wait(address) if with_token else 0.0))

    def begins_game(self, address: str) -> None:
        """Count a game that may begin from an address. Raises :class:`ApiError` for one too many."""
        self._refuse(self._new_games.take(address))

    def was_wrong(self, address: str) -> None:
        """Count a wrong token."""
        self._wrong.take(address)

    def asks(self, person: str) -> None:
        """Count a request of an account. Raises :class:`ApiError` for one too many."""
        self._refuse(self._accounts.take(person))

    @staticmethod
    def _refuse(wait: float) -> None:
        if wait:
            raise ApiError(429, "too_fast", TOO_FAST, wait=wait)


class Authenticate:
    """Middleware that finds out whose token a request or a socket shows, and refuses a wrong one."""

    def __init__(self, app: ASGIApp, limits: ApiLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection: ASGIConnection[Any, Any, Any, Any] = ASGIConnection(scope)
        state = cast("dict[str, Any]", scope)
        try:
            state[WHO], access = await self._asks(connection)
            state[ACCESS], state[TOKEN_SHOWN] = access, None if access is None else access.token
            if scope["type"] == "websocket" and state[WHO] is None:
                raise ApiError(401, "unauthorized", NOBODY)
        except ApiError as error:
            if scope["type"] == "http":
                raise
            await _refuse_socket(error, connection, receive, send)
            return
        await self._app(scope, receive, send)

    async def _asks(self, connection: ASGIConnection[Any, Any, Any, Any]) -> tuple[Who | None, Access | None]:
        club: Club = connection.scope["litestar_app"].state.club
        address = household(connection.client.host if connection.client else "")
        shown = connection.headers.get("authorization")
        self._limits.came(address, with_token=shown is not None)
        if shown is None:
            return None, None
        kind, _, secret = shown.partition(" ")
        access = await club.tokens.read(secret.strip()) if kind.lower() == "bearer" else None
        if access is None:
            self._limits.was_wrong(address)
            raise ApiError(401, "unauthorized", NOBODY)
        self._limits.asks(access.person)
        if connection.route_handler.opt.get(BEGINS_GAME):
            self._limits.begins_game(address)
        return await club.people.who(access.person), access


async def _refuse_socket(
    error: ApiError, connection: ASGIConnection[Any, Any, Any, Any], receive: Receive, send: Send
) -> None:
    """Answer the request for a socket as one for a page, so that a program reads why there is none."""
    await receive()
    refusal = answer(error, asked_language(connection))
    body = msgspec.json.encode(refusal.content)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [(name.encode(), value.encode()) for name, value in refusal.headers.items()]
    # the two are an extension of ASGI that Litestar's types do not know
    say = cast("Callable[[dict[str, object]], Any]", send)
    await say({"type": "websocket.http.response.start", "status": refusal.status_code, "headers": headers})
    await say({"type": "websocket.http.response.body", "body": body, "more_body": False})


def who_asks(connection: ASGIConnection[Any, Any, Any, Any]) -> Who | None:
    """Whose token was shown; None without one."""
    return cast("dict[str, Any]", connection.scope)[WHO]


def asker(connection: ASGIConnection[Any, Any, Any, Any]) -> Who:
    """Whose token was shown. Raises :class:`ApiError` without one."""
    who = who_asks(connection)
    if who is None:
        raise ApiError(401, "unauthorized", NOBODY)
    return who


def access_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Access | None:
    """What the token opens that was shown; None without one."""
    return cast("dict[str, Any]", connection.scope)[ACCESS]


def is_for(connection: ASGIConnection[Any, Any, Any, Any], scope: TokenScope) -> bool:
    """Whether a token was shown that is for this."""
    access = access_of(connection)
    return access is not None and scope in access.scopes


def needs(scope: Needed, *, body: Any = None, begins_game: bool = False) -> dict[str, Any]:
    """What the decorator of a route is given that only a token with a scope opens.

    ``body``: the type of what the route is sent; Litestar by itself would take 0 for false, and "1" for 1. ``begins_game``: whether
    a game may begin by it, which can be done only so often.
    """
    guards: list[Guard] = []

    def allowed(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        access = access_of(connection)
        if access is None:
            raise ApiError(401, "unauthorized", NOBODY)
        if scope != READ and scope not in access.scopes:
            raise ApiError(403, "scope", NOT_FOR_THIS, scope=scope)

    guards.append(allowed)
    if body is not None:
        guards.append(_is(body))
    return {"guards": guards, "security": [{"token": [scope]}], "opt": {BEGINS_GAME: begins_game}}


def _is(body: Any) -> Guard:
    """What refuses a body that is not just so. An empty one is left to the route."""

    async def checked(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        sent = await cast("Request[Any, Any, Any]", connection).body()
        if not sent:
            return
        try:
            msgspec.convert(whole(msgspec.json.decode(sent)), body)
        except msgspec.ValidationError as error:
            raise bad_input(str(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ApiError(400, "bad_json", NO_JSON) from None

    return checked


def whole(value: Any) -> Any:
    """JSON with its whole numbers as such: for JSON Schema 3.0 is an integer, for msgspec it is none.

    >>> whole({"move": "32-28", "captured": [23.0, 0.5]})
    {'move': '32-28', 'captured': [23, 0.5]}
    """
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [whole(each) for each in cast("list[Any]", value)]
        case dict():
            return {name: whole(each) for name, each in cast("dict[str, Any]", value).items()}
        case _:
            return value
