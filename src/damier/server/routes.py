"""Routes that belong to no part of the club: health, the bundle's files, the choice of a language."""

from __future__ import annotations

import hmac
from typing import Any, cast

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException, ValidationException
from litestar.openapi import ResponseSpec
from litestar.response import Redirect
from litestar.types import ASGIApp, Receive, Scope, Send

from damier.i18n import LANGUAGES
from damier.server import language
from damier.server.club import Club


class HeadRequests:
    """Answers a HEAD request as a GET; the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = cast("Scope", {**scope, "method": "GET"})
        await self._app(scope, receive, send)


@get("/health", media_type=MediaType.JSON, include_in_schema=True)
async def health() -> dict[str, str]:
    """Whether the process is alive: it answers."""
    return {"status": "ok"}


@get(
    "/ready",
    media_type=MediaType.JSON,
    include_in_schema=True,
    responses={503: ResponseSpec(dict[str, bool], generate_examples=False, description="What is false is missing.")},
)
async def ready(club: Club) -> Response[dict[str, bool]]:
    """Whether moves can be taken and reach everybody: 200 if so, else 503 and what is missing."""
    parts = {"database": await club.store.check(), "bus": club.bus.connected}
    return Response(parts, status_code=200 if all(parts.values()) else 503)


@get(
    "/metrics",
    media_type=MediaType.TEXT,
    include_in_schema=True,
    responses={
        401: ResponseSpec(None, generate_examples=False, description="The token is missing or wrong."),
        404: ResponseSpec(None, generate_examples=False, description="This club shows its numbers to nobody."),
    },
)
async def metrics(request: Request[Any, Any, Any], club: Club) -> Response[bytes]:
    """The club's numbers for Prometheus, to who shows ``DAMIER_METRICS_TOKEN`` as a bearer token."""
    token = club.settings.metrics_token
    if token is None:
        raise NotFoundException
    if not hmac.compare_digest(request.headers.get("authorization", "").encode(), f"Bearer {token}".encode()):
        return Response(b"", status_code=401, headers={"www-authenticate": "Bearer"})
    page, content_type = await club.observer.page()
    return Response(page, media_type=content_type)


@get("/static/{name:str}")
async def static_file(request: Request[Any, Any, Any], club: Club, name: str) -> Response[bytes]:
    """A file of the web bundle."""
    answer = club.site.bundle.response(name, request.headers.get("accept-encoding", ""))
    if answer is None:
        raise NotFoundException
    return answer


@post("/language")
async def choose_language(request: Request[Any, Any, Any], club: Club) -> Redirect:
    """Remember the language that a visitor chose, in this browser and for a member everywhere, and go back to where that was."""
    form, who = await request.form(), club.visitors.who(request)
    code, target = form.get("language"), form.get("next")
    if code not in LANGUAGES:
        raise ValidationException(f"language must be one of {', '.join(LANGUAGES)}")
    if who is not None and who.is_member:
        await club.accounts.speak(who.id, code)
    answer = Redirect(own_path(target), status_code=303)
    answer.set_cookie(
        language.COOKIE,
        code,
        max_age=language.COOKIE_AGE,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def own_path(target: object) -> str:
    """A form's target if that is a path of this site, and the front page for the address of another.

    >>> own_path("/games/x"), own_path("//else.example"), own_path("/\\\\else.example"), own_path(None)
    ('/games/x', '/', '/', '/')
    """
    if not isinstance(target, str) or not target.startswith("/") or target.startswith("//"):
        return "/"
    return target if target.isascii() and target.isprintable() and "\\" not in target else "/"
