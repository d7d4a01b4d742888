"""The page on which members make and revoke the tokens of their programs.

``tokens.html`` (``GET /account/tokens``) is given, next to what every lobby page has: ``tokens`` (each with ``id``,
``name``, ``scopes``, ``created``, ``expires`` and ``used`` as texts, None for never), ``scopes`` (what can be chosen:
``name`` and ``about``), ``lifetimes`` (``days`` and ``title``), ``made`` (the secret of a token that has just been
made, or None), ``problem`` (a sentence, or None), ``given`` (what was typed as a name) and ``most``.
"""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.exceptions import ClientException
from litestar.response import Redirect
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY

from damier.i18n import N_, NN_, translator
from damier.server.api.tokens import (
    LIFETIMES,
    LONGEST_TOKEN_NAME,
    MOST_TOKENS,
    SCOPES,
    BadToken,
    Scope,
    Token,
    TooManyTokens,
)
from damier.server.club import Club
from damier.server.lobby.web import page_frame
from damier.server.localized import date
from damier.server.people import Who
from damier.server.site import reader_language

Req = Request[Any, Any, Any]

PATH: Final = "/account/tokens"
LOG_IN: Final = "/log-in?next=/account/tokens"

ABOUT: Final[dict[Scope, str]] = {
    "play": N_("Play: make moves, offer and answer, talk at the board."),
    "seek": N_("Seek and challenge: find opponents, and accept."),
    "bot": N_("Bot: make the account a bot’s, for good."),
    "export": N_("Export: fetch your private games too."),
}
NAMES: Final[dict[Scope, str]] = {
    "play": N_("Play"),
    "seek": N_("Seek and challenge"),
    "bot": N_("Bot"),
    "export": N_("Export"),
}


def _member(request: Req, club: Club) -> Who | None:
    who = club.visitors.who(request)
    return who if who is not None and who.is_member else None


@get(PATH)
async def tokens_page(request: Req, club: Club) -> Response[Any]:
    """One's tokens, and the form of a new one."""
    who = _member(request, club)
    return Redirect(LOG_IN, status_code=303) if who is None else await _page(request, club, who)


@post(PATH)
async def create_token(request: Req, club: Club) -> Response[Any]:
    """Make a token, and show its secret this once."""
    who = _member(request, club)
    if who is None:
        return Redirect(LOG_IN, status_code=303)
    form = await request.form()
    name, days = form.get("name"), form.get("days")
    lifetimes = {str(each or "never"): each for each in LIFETIMES}
    if not isinstance(name, str) or not isinstance(days, str) or days not in lifetimes:
        raise ClientException("name and days are missing")
    wanted = [scope for scope in form.getall("scope", []) if isinstance(scope, str)]
    try:
        _, secret = await club.tokens.create(who.id, name[:200], wanted, lifetimes[days])
    except (BadToken, TooManyTokens) as error:
        problem = error.sentence(reader_language(request))
        return await _page(request, club, who, problem=problem, given=name[:LONGEST_TOKEN_NAME])
    return await _page(request, club, who, made=secret)


@post(PATH + "/{token_id:str}/revoke")
async def revoke_token(request: Req, club: Club, token_id: str) -> Redirect:
    """End one of one's own tokens, and return to the others."""
    who = _member(request, club)
    if who is None:
        return Redirect(LOG_IN, status_code=303)
    await club.tokens.revoke(who.id, token_id)
    return Redirect(PATH, status_code=303)


async def _page(
    request: Req, club: Club, who: Who, *, made: str | None = None, problem: str | None = None, given: str = ""
) -> Response[str]:
    language = reader_language(request)
    texts = translator(language)
    _ = texts.gettext
    answer = club.site.page(
        request,
        "tokens.html",
        status_code=HTTP_422_UNPROCESSABLE_ENTITY if problem else 200,
        **await page_frame(request, club, who.id),
        tokens=[_shown(each, language) for each in await club.tokens.of(who.id)],
        scopes=[{"name": scope, "about": _(about)} for scope, about in ABOUT.items()],
        lifetimes=[
            {
                "days": str(days or "never"),
                "title": _(N_("Until revoked"))
                if days is None
                else texts.ngettext(*NN_("{n} day", "{n} days"), days).format(n=days),
            }
            for days in LIFETIMES
        ],
        made=made,
        problem=problem,
        given=given,
        most=MOST_TOKENS,
    )
    answer.headers["cache-control"] = "no-store"
    return answer


def _shown(token: Token, language: str) -> dict[str, object]:
    """A token for a template."""
    _ = translator(language).gettext
    names = [_(NAMES[scope]) for scope in SCOPES if scope in token.scopes]
    return {
        "id": token.id,
        "name": token.name,
        "scopes": ", ".join(names) or _(N_("Read only")),
        "created": date(token.created, language),
        "expires": None if token.expires is None else date(token.expires, language),
        "used": None if token.used is None else date(token.used, language),
    }
