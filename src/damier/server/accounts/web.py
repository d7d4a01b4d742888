"""The pages where guests become members, and members come in and go.

What the templates are given, next to what every page has (``play/web.py``). All of them: ``who`` (the reader),
``messages`` (the script's texts, as JSON), ``problems`` (what is wrong, by the field that it is wrong in), ``next`` (the
path to go to afterwards).

``join.html`` (``GET /join``), ``log_in.html`` (``GET /log-in``)
    ``given`` (the name that was typed).
``recover.html`` (``GET /recover``)
    ``given``, ``sent`` (whether a letter was asked for), ``sends`` (whether the club has a mail server).
``recover_set.html`` (``GET /recover/{token}``)
    ``token``, ``link`` (a :class:`~damier.server.accounts.letters.Link`; None for one that opens nothing).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from litestar import MediaType, Request, Response, get, post
from litestar.background_tasks import BackgroundTask
from litestar.params import QueryParameter
from litestar.response import Redirect
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_422_UNPROCESSABLE_ENTITY,
    HTTP_429_TOO_MANY_REQUESTS,
)

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.browsers import described
from damier.server.accounts.letters import BadLink
from damier.server.accounts.passkeys import PasskeyRefused, Place
from damier.server.accounts.passwords import LONGEST_PASSWORD, BadPassword, valid_password
from damier.server.accounts.service import LONGEST_DEVICE, ClosedAccount, NotAllowed, token_hash
from damier.server.accounts.throttle import TooMany
from damier.server.club import Club
from damier.server.limits import household
from damier.server.mail import LONGEST_ADDRESS
from damier.server.people import BadName, Who, valid_member_name
from damier.server.routes import own_path
from damier.server.site import reader_language

Req = Request[Any, Any, Any]

WRONG: Final = N_("This name and this password do not go together.")
TAKEN: Final = N_("Somebody here has this name, or one that looks like it. Choose another.")
_DOORS: Final = ("/join", "/log-in", "/recover", "/account/confirm")
Next: TypeAlias = Annotated[str, QueryParameter(name="next", max_length=200)]


class Wrong(DamierError):
    """A name and a password that open nothing."""


# --- What all of these pages share -----------------------------------------------------------------------------------


def typed(form: Mapping[str, Any], name: str) -> str:
    """A field of a form as text; empty for one that is missing or holds a file."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


def target_of(path: str) -> str:
    """Where to go after having come in: a path of this site, but none of those where one comes in.

    >>> target_of("/games/x"), target_of("/log-in?next=/"), target_of("https://else.example"), target_of("")
    ('/games/x', '/', '/', '/')
    """
    target = own_path(path)
    return "/" if target.startswith(_DOORS) else target


def address_of(request: Req) -> str:
    """Whose requests count together."""
    return household(request.client.host if request.client else "")


def club_address(request: Req, club: Club) -> str:
    """The beginning of the club's addresses, for links and passkeys."""
    return (club.settings.address or str(request.base_url)).rstrip("/")


def device_of(request: Req) -> str:
    """What the browser calls itself."""
    return request.headers.get("user-agent", "")[:LONGEST_DEVICE]


def session_of(request: Req, club: Club) -> str:
    """The token of the session that the browser shows; empty without one."""
    return request.cookies.get(club.visitors.session_cookie_name, "")


def member_of(request: Req, club: Club) -> Who | None:
    """The member who is logged in with this browser."""
    who = club.visitors.who(request)
    return who if who is not None and who.is_member else None


def refusal(error: DamierError, language: str) -> tuple[int, dict[str, str], str]:
    """How an error is answered: status, headers, and the sentence."""
    if isinstance(error, TooMany):
        return HTTP_429_TOO_MANY_REQUESTS, {"retry-after": str(error.seconds)}, error.sentence(language)
    return HTTP_422_UNPROCESSABLE_ENTITY, {}, error.sentence(language)


def shown(
    request: Req,
    club: Club,
    template: str,
    error: DamierError | None = None,
    field: str = "",
    **context: Any,
) -> Response[str]:
    """A page of this part of the club. ``error``: why what was sent is refused; ``field``: where it is to be said."""
    language = reader_language(request)
    status, headers, sentence = (HTTP_200_OK, {}, "") if error is None else refusal(error, language)
    page = club.site.page(
        request,
        template,
        status_code=status,
        who=club.visitors.who(request) or Who(""),
        messages=club.site.script_texts(language),
        problems={field: sentence} if error is not None else {},
        **context,
    )
    page.headers.update(headers)
    page.headers["cache-control"] = "no-store"
    return page


def json_answer(body: str | DamierError, language: str, field: str = "") -> Response[Any]:
    """What the script asked for a passkey, or why it cannot have that."""
    headers = {"cache-control": "no-store"}
    if isinstance(body, str):
        return Response(body.encode(), media_type=MediaType.JSON, headers=headers)
    status, more, sentence = refusal(body, language)
    return Response({"problem": sentence, "field": field}, status_code=status, headers=headers | more)


async def _let_in(request: Req, club: Club, person: str, name: str, token: str, target: str) -> Redirect:
    """Send somebody on who has just come in. ``token``: of the new session; the browser's former one ends."""
    before, former = session_of(request, club), member_of(request, club)
    if before and former is not None:
        await club.accounts.log_out(former.id, token_hash(before))
    secure = request.url.scheme == "https"
    answer = Redirect(target, status_code=303)
    answer.cookies.append(club.visitors.set_session_cookie(token, secure=secure))
    known = club.entrance.known
    before_this = request.cookies.get(known.cookie_name)
    answer.cookies.append(known.cookie(name, time.time(), before_this, secure=secure))
    if club.visitors.of(request) in (None, person):  # the guest who was here is a member now
        answer.cookies.append(club.visitors.set_cookie(club.visitors.new_id(), secure=secure))
    return answer


# --- Joining ---------------------------------------------------------------------------------------------------------


@get("/join")
async def join_page(request: Req, club: Club, target: Next = "/") -> Response[Any]:
    """The form of those who want to become members."""
    if member_of(request, club) is not None:
        return Redirect(target_of(target))
    who = club.visitors.who(request)
    return shown(request, club, "join.html", given=(who and who.name) or "", next=target_of(target))


@get("/join/passkey")
async def passkey_to_join(
    request: Req, club: Club, name: Annotated[str, QueryParameter(name="name", max_length=200)] = ""
) -> Response[Any]:
    """What a device is to be asked whose owner wants to become a member without a password."""
    language, who = reader_language(request), club.visitors.who(request)
    try:
        if who is None or who.is_member:
            raise NotAllowed(N_("Only a guest can become a member."))
        place = Place.of(club_address(request, club))
        return json_answer(await club.passkeys.asked_to_make(who.id, valid_member_name(name), place), language)
    except (BadName, NotAllowed) as error:
        return json_answer(error, language, "name")


@post("/join")
async def join(request: Req, club: Club) -> Response[Any]:
    """Become a member, with a password or with the passkey that the device has made."""
    form = await request.form()
    name, password, answer = typed(form, "name"), typed(form, "password"), typed(form, "credential")
    target = target_of(typed(form, "next"))
    if member_of(request, club) is not None:
        return Redirect(target, status_code=303)
    person, address = club.visitors.of(request) or club.visitors.new_id(), address_of(request)
    field = "name"
    try:
        name = valid_member_name(name)
        if answer:
            place = Place.of(club_address(request, club))
            key = await club.passkeys.made(answer, person, described(device_of(request)) or "Passkey", place)
        else:
            key = None
            valid_password(password, name)
        with club.entrance.joining(address):
            if await club.people.member(name) is not None:  # said before there is work with the password
                raise BadName(TAKEN)
            await club.people.keep(person)
            language, chosen = reader_language(request), None if key else password
            who = await club.accounts.join(person, name, chosen, language, key, address)
    except (BadName, NotAllowed, TooMany, BadPassword, PasskeyRefused) as error:
        if isinstance(error, BadPassword):
            field = "password"
        elif isinstance(error, PasskeyRefused):
            field = "passkey"
        return shown(request, club, "join.html", error, field, given=name[:80], next=target)
    club.entrance.knows(name, address)
    token = await club.accounts.begin_session(who.id, device_of(request))
    return await _let_in(request, club, who.id, name, token, target)


# --- Coming in and going ---------------------------------------------------------------------------------------------


@get("/log-in")
async def log_in_page(request: Req, club: Club, target: Next = "/") -> Response[Any]:
    """Where members come in."""
    if member_of(request, club) is not None:
        return Redirect(target_of(target))
    return shown(request, club, "log_in.html", given="", next=target_of(target))


@post("/log-in")
async def log_in(request: Req, club: Club) -> Response[Any]:
    """Come in with name and password."""
    form = await request.form()
    name, password, target = typed(form, "name"), typed(form, "password"), target_of(typed(form, "next"))
    try:
        token = await club.entrance.log_in(
            name,
            password[: LONGEST_PASSWORD + 1],
            device=device_of(request),
            address=address_of(request),
            cookie=request.cookies.get(club.entrance.known.cookie_name),
        )
        person = None if token is None else await club.accounts.person_of(token)
        if token is None or person is None:
            raise Wrong(WRONG)
    except (TooMany, Wrong, ClosedAccount) as error:
        return shown(request, club, "log_in.html", error, "password", given=name[:80], next=target)
    return await _let_in(request, club, person, name, token, target)


@get("/log-in/passkey")
async def passkey_to_log_in(request: Req, club: Club) -> Response[Any]:
    """What a device is to be asked whose owner comes in with a passkey."""
    browser, place = club.visitors.of(request) or "", Place.of(club_address(request, club))
    return json_answer(await club.passkeys.asked_to_show(browser, place), reader_language(request))


@post("/log-in/passkey")
async def log_in_with_passkey(request: Req, club: Club) -> Response[Any]:
    """Come in with a passkey, which says whose it is."""
    form = await request.form()
    target = target_of(typed(form, "next"))
    browser, place = club.visitors.of(request) or "", Place.of(club_address(request, club))
    try:
        person = await club.passkeys.shown(typed(form, "credential"), browser, place)
    except PasskeyRefused as error:
        return shown(request, club, "log_in.html", error, "passkey", given="", next=target)
    name = (await club.people.who(person)).name or ""
    club.entrance.knows(name, address_of(request))
    try:
        token = await club.accounts.begin_session(person, device_of(request))
    except ClosedAccount as error:
        return shown(request, club, "log_in.html", error, "passkey", given="", next=target)
    return await _let_in(request, club, person, name, token, target)


@post("/log-out")
async def log_out(request: Req, club: Club) -> Redirect:
    """Go: this browser is a stranger's from now on."""
    member = member_of(request, club)
    if member is not None:
        await club.accounts.log_out(member.id, token_hash(session_of(request, club)))
    return gone(request, club)


def gone(request: Req, club: Club) -> Redirect:
    """Send a browser to the front page as nobody whom the club knows."""
    secure = request.url.scheme == "https"
    answer = Redirect("/", status_code=303)
    answer.cookies.append(club.visitors.set_session_cookie(None, secure=secure))
    answer.cookies.append(club.visitors.set_cookie(club.visitors.new_id(), secure=secure))
    return answer


# --- A password is forgotten -----------------------------------------------------------------------------------------


@get("/recover")
async def recover_page(request: Req, club: Club) -> Response[Any]:
    """Where a letter is asked for by who cannot come in."""
    return shown(request, club, "recover.html", given="", sent=False, sends=club.mailer.sends)


@post("/recover")
async def send_letter(request: Req, club: Club) -> Response[Any]:
    """Say that a letter is on its way if there is such an account, and only then look whether there is."""
    form = await request.form()
    text = typed(form, "account")[:LONGEST_ADDRESS].strip()
    try:
        if not text:
            raise Wrong(N_("Write your name or your e-mail address."))
        club.entrance.asking_for_a_letter(address_of(request))
    except (TooMany, Wrong) as error:
        return shown(
            request, club, "recover.html", error, "account", given=text[:80], sent=False, sends=club.mailer.sends
        )
    page = shown(request, club, "recover.html", given="", sent=True, sends=club.mailer.sends)
    page.background = BackgroundTask(club.letters.forgotten, text, club_address(request, club))
    return page


@get("/recover/{token:str}")
async def new_password_page(request: Req, club: Club, token: str) -> Response[Any]:
    """Where a letter's link leads: a new password is chosen here."""
    try:
        link = await club.letters.recovering(token)
    except BadLink as error:
        return shown(request, club, "recover_set.html", error, "link", link=None, token="")
    return shown(request, club, "recover_set.html", link=link, token=token)


@post("/recover/{token:str}")
async def set_new_password(request: Req, club: Club, token: str) -> Response[Any]:
    """Set the new password, end all sessions, and come in."""
    form = await request.form()
    try:
        link = await club.letters.recovering(token)
    except BadLink as error:
        return shown(request, club, "recover_set.html", error, "link", link=None, token="")
    try:
        await club.letters.recover(token, typed(form, "password"))
    except (BadPassword, TooMany) as error:
        return shown(request, club, "recover_set.html", error, "password", link=link, token=token)
    except BadLink as error:
        return shown(request, club, "recover_set.html", error, "link", link=None, token="")
    try:
        session = await club.accounts.begin_session(link.person, device_of(request))
    except ClosedAccount as error:
        return shown(request, club, "recover_set.html", error, "link", link=None, token="")
    return await _let_in(request, club, link.person, link.name, session, "/account?done=password")


ROUTES: Final = (
    join_page,
    join,
    passkey_to_join,
    log_in_page,
    log_in,
    passkey_to_log_in,
    log_in_with_passkey,
    log_out,
    recover_page,
    send_letter,
    new_password_page,
    set_new_password,
)
