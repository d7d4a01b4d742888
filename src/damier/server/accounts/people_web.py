"""Members' pages, friends, and what members do with their accounts besides logging in.

What the templates are given, next to what every page has (``play/web.py``) and ``who``, ``your_moves`` and ``messages``
as on the lobby's pages (``lobby/web.py``):

``profile.html`` (``GET /@/{name}``)
    ``member`` (a :class:`~damier.server.people.Who`), ``url`` (its page), ``mine`` (whether it is the reader),
    ``joined`` (a date), ``online``, ``standings`` (what :func:`_standings` makes), ``games`` (cards), ``between`` (how
    the reader stands to the member, for a member), ``can_challenge``.
``friends.html`` (``GET /friends``)
    ``friends`` (name, url, online, bot), ``followers`` (a number), ``given`` and ``problem`` (of an invitation by name).
``account_more.html`` (a part of ``account.html``)
    ``more``: what :func:`more` returns.
``leave.html`` (``GET /account/delete``)
    ``by_name`` (whether the name is to be typed, there being no password), ``problem``.
``letters.html`` (``GET /letters/{token}``)
    ``stopped``, ``token``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

from litestar import Request, Response, get, post
from litestar.exceptions import NotAuthorizedException, NotFoundException, ValidationException
from litestar.params import QueryParameter
from litestar.response import Redirect, Stream
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY, HTTP_429_TOO_MANY_REQUESTS

from damier.i18n import DEFAULT_LANGUAGE, LANGUAGES, N_, language_name, translator
from damier.server.accounts.deletion import OnlyAdministrator
from damier.server.accounts.profile import GAMES
from damier.server.accounts.service import NotAllowed
from damier.server.accounts.sparing import Sparing, store_of
from damier.server.accounts.throttle import TooMany
from damier.server.accounts.ties import TieError, online_first
from damier.server.accounts.web import refusal
from damier.server.club import Club
from damier.server.lobby import lists
from damier.server.lobby.choices import rules_title
from damier.server.lobby.controls import SPEED_NAMES
from damier.server.lobby.web import frame
from damier.server.localized import date
from damier.server.people import LONGEST_TYPED, Who, profile_url
from damier.server.routes import own_path
from damier.server.site import reader_language

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from damier.errors import DamierError
    from damier.server.accounts.profile import Standing

EXPORTS: Final = Sparing("export", 4)
DELETIONS: Final = Sparing("delete", 10)
"""Tries with a password, which may be wrong."""
LONGEST_PATH_NAME: Final = 80

Req = Request[Any, Any, Any]


def _member(request: Req, club: Club) -> Who:
    """The member who asks. Raises NotAuthorizedException for anybody else."""
    who = club.visitors.who(request)
    if who is None or not who.is_member:
        raise NotAuthorizedException
    return who


async def _named(club: Club, name: str, *, closed: bool = False) -> Who:
    """The member of a name; ``closed``: also one whose account has been closed. Raises NotFoundException."""
    found = await club.people.member(name, closed=closed) if len(name) <= LONGEST_PATH_NAME else None
    if found is None:
        raise NotFoundException
    return found


def _refused(request: Req, club: Club, status: int, title: str, message: str) -> Response[str]:
    """A page that says why something was not done, and what to do."""
    _ = translator(reader_language(request)).gettext
    return club.site.page(request, "error.html", status_code=status, status=status, title=_(title), message=_(message))


# --- A member's page -------------------------------------------------------------------------------------------------


@get("/@/{name:str}")
async def profile(request: Req, club: Club, name: str) -> Response[Any]:
    """A member's page, under the name as the member writes it; names that look like it lead there."""
    member = await _named(club, name, closed=True)
    if member.name is None or member.name != name:
        return Redirect(profile_url(member.name or ""), status_code=302)
    language, reader = reader_language(request), club.visitors.who(request)
    reader_id = None if reader is None else reader.id
    mine = reader_id == member.id
    between = None
    if reader is not None and reader.is_member and not mine:
        between = await club.ties.between(reader.id, member.id)
    # to whom somebody has blocked he is not there
    hidden = between is not None and between.is_blocked
    online = not hidden and bool(await club.presence.among([member.id]))
    games = await lists.public_of(club.engine, member.id, GAMES)
    joined = await club.profiles.joined(member.id)
    return club.site.page(
        request,
        "profile.html",
        **await frame(request, club),
        member=member,
        url=profile_url(member.name),
        mine=mine,
        joined=None if joined is None else date(joined, language),
        online=online,
        standings=_standings(await club.profiles.standings(member.id), language),
        games=[lists.card(each, reader_id, language, of=member.id) for each in games],
        between=between,
        can_challenge=between is not None and not between.blocks and not between.is_blocked,
    )


def _standings(standings: Sequence[Standing], language: str) -> list[dict[str, object]]:
    """Ratings for a template: where, how strong, after how many games."""
    _ = translator(language).gettext
    return [
        {
            "speed": _(SPEED_NAMES[each.pool.speed]),
            "rules": rules_title(each.pool.rules, language),
            "rating": each.text,
            "provisional": each.rating.is_provisional,
            "games": each.games,
        }
        for each in standings
    ]


async def _tie(request: Req, club: Club, name: str, tie: Callable[[str, str], Awaitable[None]]) -> Response[Any]:
    """Tie the reader to a member, or untie them, and lead back to where that was asked."""
    who, other = _member(request, club), await _named(club, name)
    try:
        await tie(who.id, other.id)
    except TieError as error:
        return _refused(request, club, HTTP_422_UNPROCESSABLE_ENTITY, N_("This was not done"), error.text)
    target = own_path((await request.form()).get("next"))
    return Redirect(profile_url(other.name or "") if target == "/" else target, status_code=303)


@post("/@/{name:str}/follow")
async def follow(request: Req, club: Club, name: str) -> Response[Any]:
    """Follow a member."""
    return await _tie(request, club, name, club.ties.follow)


@post("/@/{name:str}/unfollow")
async def unfollow(request: Req, club: Club, name: str) -> Response[Any]:
    """Follow a member no longer."""
    return await _tie(request, club, name, club.ties.unfollow)


@post("/@/{name:str}/block")
async def block(request: Req, club: Club, name: str) -> Response[Any]:
    """Block a member."""
    return await _tie(request, club, name, club.ties.block)


@post("/@/{name:str}/unblock")
async def unblock(request: Req, club: Club, name: str) -> Response[Any]:
    """Block a member no longer."""
    return await _tie(request, club, name, club.ties.unblock)


# --- Friends ---------------------------------------------------------------------------------------------------------


@get("/friends")
async def friends(request: Req, club: Club) -> Response[str]:
    """Those whom the reader follows."""
    _member(request, club)
    return await _friends_page(request, club)


async def _friends_page(request: Req, club: Club, problem: str | None = None, given: str = "") -> Response[str]:
    who = _member(request, club)
    return club.site.page(
        request,
        "friends.html",
        status_code=HTTP_422_UNPROCESSABLE_ENTITY if problem else 200,
        **await frame(request, club),
        friends=[
            {
                "name": each.who.name,
                "url": profile_url(each.who.name or ""),
                "challenge": f"/challenge/{quote(each.who.name or '')}",
                "online": online,
                "bot": each.who.kind == "bot",
            }
            for each, online in await online_first(club.ties, club.presence, who.id)
        ],
        followers=await club.ties.followers(who.id),
        given=given,
        problem=problem,
    )


@get("/friends/invite")
async def invite_by_name(
    request: Req, club: Club, name: Annotated[str, QueryParameter(name="name", max_length=LONGEST_TYPED)] = ""
) -> Response[Any]:
    """Go to the challenge of the member whose name was typed."""
    who = _member(request, club)
    found = await club.people.member(name.strip())
    if found is not None and found.id != who.id:
        return Redirect(f"/challenge/{quote(found.name or '')}", status_code=303)
    problem = N_("Nobody here has this name.") if found is None else N_("This is you.")
    return await _friends_page(request, club, translator(reader_language(request)).gettext(problem), name[:80])


# --- The account -----------------------------------------------------------------------------------------------------


async def more(club: Club, who: Who) -> dict[str, object]:
    """What a member's account page shows below what logging in takes: for ``account_more.html``."""
    settings = await club.profiles.letters(who.id)
    return {
        "url": profile_url(who.name or ""),
        "daily": settings.daily,
        "email": settings.email,
        "language": settings.language,
        "languages": [{"code": code, "name": language_name(code)} for code in LANGUAGES],
        "blocked": [
            {"name": each.who.name, "url": profile_url(each.who.name or "")} for each in await club.ties.blocked(who.id)
        ],
        "next": "/account",
    }


@post("/account/letters")
async def choose_letters(request: Req, club: Club) -> Redirect:
    """Choose whether there is a letter a day, and the language of all letters."""
    who, form = _member(request, club), await request.form()
    language = form.get("language", DEFAULT_LANGUAGE)
    if language not in LANGUAGES:
        raise ValidationException(f"language must be one of {', '.join(LANGUAGES)}")
    await club.daily.choose(who.id, daily=form.get("daily") is not None, language=language)
    target = own_path(form.get("next"))
    return Redirect("/account?done=letters" if target in ("/", "/account") else target, status_code=303)


@get("/account/export")
async def export(request: Req, club: Club) -> Response[Any]:
    """All that is kept of the member, as a ZIP."""
    who = _member(request, club)
    if not await EXPORTS.may(store_of(request.app), who.id):
        return _refused(
            request,
            club,
            HTTP_429_TOO_MANY_REQUESTS,
            N_("That was often"),
            N_("You have fetched your data several times already. Try again in an hour."),
        )
    site = str(request.base_url).rstrip("/")
    name = f"damier-{who.name}.zip"
    headers = {
        "cache-control": "private, no-store",
        "content-disposition": f"attachment; filename=\"damier.zip\"; filename*=UTF-8''{quote(name)}",
    }
    return Stream(club.exports.archive(who.id, site), media_type="application/zip", headers=headers)


@get("/account/delete")
async def leave_page(request: Req, club: Club) -> Response[str]:
    """What goes with the account, and the form that ends it."""
    _member(request, club)
    return await _leave_page(request, club)


async def _leave_page(request: Req, club: Club, error: DamierError | None = None) -> Response[str]:
    who = _member(request, club)
    status, headers, sentence = (200, {}, None) if error is None else refusal(error, reader_language(request))
    page = club.site.page(
        request,
        "leave.html",
        status_code=status,
        **await frame(request, club),
        by_name=not await club.accounts.has_password(who.id),
        problem=sentence,
    )
    page.headers.update(headers)
    return page


@post("/account/delete")
async def leave(request: Req, club: Club) -> Response[Any]:
    """Delete the account of who says that it is really he."""
    who, form = _member(request, club), await request.form()
    if not await DELETIONS.may(store_of(request.app), who.id):
        return _refused(
            request,
            club,
            HTTP_429_TOO_MANY_REQUESTS,
            N_("That was often"),
            N_("Your account is as it was. Try again in an hour."),
        )
    given = form.get("proof")
    proof = given if isinstance(given, str) else ""
    try:
        if await club.accounts.has_password(who.id):
            await club.entrance.prove(who.id, proof)
        elif proof.strip() != who.name:
            raise NotAllowed(N_("This is not your name as it is written here."))
        await club.departures.begin(who.id)
    except (NotAllowed, TooMany, OnlyAdministrator) as error:
        return await _leave_page(request, club, error)
    answer = Redirect("/goodbye", status_code=303)
    secure = request.url.scheme == "https"
    answer.cookies.append(club.visitors.set_session_cookie(None, secure=secure))
    # the old id is somebody who is gone
    answer.cookies.append(club.visitors.set_cookie(club.visitors.new_id(), secure=secure))
    return answer


@get("/goodbye")
async def goodbye(request: Req, club: Club) -> Response[str]:
    """After the account was deleted."""
    return club.site.page(request, "goodbye.html", **await frame(request, club))


# --- The daily letter ------------------------------------------------------------------------------------------------


@get("/letters/{token:str}")
async def letters_page(request: Req, club: Club, token: str) -> Response[str]:
    """Asks whoever followed the link in a letter whether there shall be no more of them; logging in is not needed."""
    if club.daily.reader_of(token) is None:
        raise NotFoundException
    return club.site.page(request, "letters.html", **await frame(request, club), token=token, stopped=False)


@post("/letters/{token:str}")
async def stop_letters(request: Req, club: Club, token: str) -> Response[str]:
    """No more daily letters."""
    reader = club.daily.reader_of(token)
    if reader is None:
        raise NotFoundException
    await club.daily.stop(reader)
    return club.site.page(request, "letters.html", **await frame(request, club), token=token, stopped=True)


ROUTES: Final = (
    profile,
    follow,
    unfollow,
    block,
    unblock,
    friends,
    invite_by_name,
    choose_letters,
    export,
    leave_page,
    leave,
    goodbye,
    letters_page,
    stop_letters,
)
