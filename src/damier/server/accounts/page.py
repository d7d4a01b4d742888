"""A member's own page: how one logs in, where one is logged in, the e-mail address.

``account.html`` (``GET /account``) is given, next to what ``web.py`` names: ``account``
(:class:`~damier.server.accounts.service.Account`), ``passkeys`` and ``sessions`` (what the lists show), ``done`` (what
has just been done, as a sentence, or empty), ``given`` (the e-mail address that was typed), ``sends`` (whether the club
has a mail server), ``more`` (what the part ``account_more.html`` is given). ``confirm.html`` (``GET /account/confirm/{token}``): ``token``, ``link``
(:class:`~damier.server.accounts.letters.Link`; None for one that opens nothing), ``done``.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Final

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter
from litestar.response import Redirect

from damier.errors import DamierError
from damier.i18n import N_, NN_, translator
from damier.server.accounts.browsers import described
from damier.server.accounts.letters import BadLink
from damier.server.accounts.passkeys import PasskeyRefused, Place
from damier.server.accounts.passwords import BadPassword
from damier.server.accounts.people_web import more
from damier.server.accounts.service import NotAllowed, token_hash
from damier.server.accounts.throttle import TooMany
from damier.server.accounts.web import (
    Req,
    address_of,
    club_address,
    device_of,
    gone,
    json_answer,
    member_of,
    session_of,
    shown,
    typed,
)
from damier.server.club import Club
from damier.server.mail import BadAddress, NotSent
from damier.server.people import Who
from damier.server.site import reader_language

HOUR: Final = 3600
DAY: Final = 86_400

DONE: Final = {
    "password": N_("Your new password is set, and your other browsers are logged out."),
    "no-password": N_("Your password is gone: you log in by passkey."),
    "letter": N_("A letter is on its way to you. Open the link in it within 24 hours."),
    "logged-letter": N_("This club has no mail server. The letter is in the server's log: ask whoever runs the club."),
    "no-email": N_("Your e-mail address is forgotten."),
    "passkey": N_("Your passkey is added."),
    "passkey-name": N_("Your passkey has its new name."),
    "no-passkey": N_("Your passkey is removed here. Remove it from your device too."),
    "session": N_("That browser is logged out."),
    "letters": N_("Kept: your choice of letters."),
}
UNKNOWN_BROWSER: Final = N_("Unknown browser")


def ago(seconds: float, language: str) -> str:
    """How long ago something was, in a few words.

    >>> ago(20, "en"), ago(7_300, "en"), ago(86_400, "en"), ago(10 * 86_400, "en")
    ('just now', '2 hours ago', '1 day ago', '10 days ago')
    """
    texts = translator(language)
    if seconds < HOUR:
        return texts.gettext(N_("just now"))
    if seconds < DAY:
        hours = int(seconds // HOUR)
        return texts.ngettext(*NN_("{n} hour ago", "{n} hours ago"), hours).format(n=hours)
    days = int(seconds // DAY)
    return texts.ngettext(*NN_("{n} day ago", "{n} days ago"), days).format(n=days)


def _to_log_in() -> Redirect:
    """What somebody is told who is no member: nothing has been done."""
    return Redirect("/log-in?next=/account", status_code=303)


def _back(done: str) -> Redirect:
    """To the top of the member's page, where it says what has been done."""
    return Redirect(f"/account?done={done}", status_code=303)


async def account_page(
    request: Req,
    club: Club,
    member: Who,
    error: DamierError | None = None,
    field: str = "",
    *,
    done: str = "",
    given: str = "",
) -> Response[Any]:
    """The page of a member. ``error``: why something was refused; ``field``: where on the page that is said."""
    language, now = reader_language(request), time.time()
    _ = translator(language).gettext
    account = await club.accounts.of(member.id)
    if account is None:
        raise NotFoundException
    here = token_hash(session_of(request, club))
    return shown(
        request,
        club,
        "account.html",
        error,
        field,
        account=account,
        passkeys=[
            {
                "id": each.id,
                "name": each.name,
                "created": ago(now - each.created, language),
                "used": None if each.used is None else ago(now - each.used, language),
            }
            for each in await club.passkeys.of(member.id)
        ],
        sessions=[
            {
                "id": each.id,
                "device": described(each.device) or _(UNKNOWN_BROWSER),
                "seen": ago(now - each.seen, language),
                "here": each.id == here,
            }
            for each in await club.accounts.sessions(member.id)
        ],
        done=_(DONE[done]) if done in DONE else "",
        given=given,
        sends=club.mailer.sends,
        more=await more(club, member),
        next="/account",
    )


@get("/account")
async def own_page(
    request: Req, club: Club, done: Annotated[str, QueryParameter(name="done", max_length=40)] = ""
) -> Response[Any]:
    """A member's page."""
    member = member_of(request, club)
    return _to_log_in() if member is None else await account_page(request, club, member, done=done)


# --- The password ----------------------------------------------------------------------------------------------------


@post("/account/password")
async def change_password(request: Req, club: Club) -> Response[Any]:
    """Change the password, or set the first one; all other browsers are logged out."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    form = await request.form()
    old, new = typed(form, "old"), typed(form, "password")
    try:
        await club.entrance.change_password(member.id, old, new, session_of(request, club))
    except (BadPassword, NotAllowed, TooMany) as error:
        return await account_page(
            request, club, member, error, "new-password" if isinstance(error, BadPassword) else "old"
        )
    return _back("password")


@post("/account/password/remove")
async def remove_password(request: Req, club: Club) -> Response[Any]:
    """Log in by passkey alone from now on."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    form = await request.form()
    try:
        await club.entrance.prove(member.id, typed(form, "password"))
        await club.accounts.remove_password(member.id)
    except (NotAllowed, TooMany) as error:
        return await account_page(request, club, member, error, "remove_password")
    return _back("no-password")


# --- Passkeys --------------------------------------------------------------------------------------------------------


@get("/account/passkey")
async def passkey_to_add(request: Req, club: Club) -> Response[Any]:
    """What a member's device is to be asked for another passkey."""
    member, language = member_of(request, club), reader_language(request)
    if member is None:
        return json_answer(NotAllowed(N_("Log in first.")), language)
    place = Place.of(club_address(request, club))
    return json_answer(await club.passkeys.asked_to_make(member.id, member.name or "", place), language)


@post("/account/passkeys")
async def add_passkey(request: Req, club: Club) -> Response[Any]:
    """Add the passkey that the device has made."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    form = await request.form()
    name = typed(form, "name").strip() or described(device_of(request)) or "Passkey"
    try:
        place = Place.of(club_address(request, club))
        new = await club.passkeys.made(typed(form, "credential"), member.id, name, place)
        await club.passkeys.add(member.id, new)
    except PasskeyRefused as error:
        return await account_page(request, club, member, error, "passkey")
    return _back("passkey")


@post("/account/passkeys/{passkey_id:str}/name")
async def name_passkey(request: Req, club: Club, passkey_id: str) -> Response[Any]:
    """Call a passkey something else."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    form = await request.form()
    try:
        if not await club.passkeys.rename(member.id, passkey_id, typed(form, "name")):
            raise NotFoundException
    except PasskeyRefused as error:
        return await account_page(request, club, member, error, "passkey")
    return _back("passkey-name")


@post("/account/passkeys/{passkey_id:str}/remove")
async def remove_passkey(request: Req, club: Club, passkey_id: str) -> Response[Any]:
    """Remove a passkey, unless it is the only way in."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    try:
        if not await club.passkeys.remove(member.id, passkey_id):
            raise NotFoundException
    except PasskeyRefused as error:
        return await account_page(request, club, member, error, "passkey")
    return _back("no-passkey")


# --- The e-mail address ----------------------------------------------------------------------------------------------


@post("/account/email")
async def give_email(request: Req, club: Club) -> Response[Any]:
    """Send a letter to the address; it is kept when the link in that letter has been opened."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    form = await request.form()
    given = typed(form, "email")
    try:
        await club.entrance.prove(member.id, typed(form, "password"))
        club.entrance.asking_for_a_letter(address_of(request))
        await club.letters.ask(member.id, given, club_address(request, club), reader_language(request))
    except (NotAllowed, BadAddress, NotSent, TooMany) as error:
        field = "email_password" if isinstance(error, NotAllowed) else "email-address"
        return await account_page(request, club, member, error, field, given=given[:80])
    return _back("letter" if club.mailer.sends else "logged-letter")


@post("/account/email/remove")
async def remove_email(request: Req, club: Club) -> Response[Any]:
    """Forget the address."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    await club.accounts.remove_email(member.id)
    return _back("no-email")


@get("/account/confirm/{token:str}")
async def confirm_page(request: Req, club: Club, token: str) -> Response[Any]:
    """Where a letter's link leads. Nothing is done yet: programs that look at letters open links too."""
    try:
        link = await club.letters.asked(token)
    except BadLink as error:
        return shown(request, club, "confirm.html", error, "link", link=None, token="", done=False)
    return shown(request, club, "confirm.html", link=link, token=token, done=False)


@post("/account/confirm/{token:str}")
async def confirm_email(request: Req, club: Club, token: str) -> Response[Any]:
    """Keep the address that the letter went to. Whoever has the letter need not be logged in."""
    try:
        link = await club.letters.confirm(token)
    except BadLink as error:
        return shown(request, club, "confirm.html", error, "link", link=None, token="", done=False)
    return shown(request, club, "confirm.html", link=link, token="", done=True)


# --- Sessions --------------------------------------------------------------------------------------------------------


@post("/account/sessions/{session_id:str}/end")
async def end_session(request: Req, club: Club, session_id: str) -> Response[Any]:
    """Log another browser out."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    if not await club.accounts.log_out(member.id, session_id):
        raise NotFoundException
    if session_id == token_hash(session_of(request, club)):
        return gone(request, club)
    return _back("session")


@post("/account/log-out-everywhere")
async def log_out_everywhere(request: Req, club: Club) -> Response[Any]:
    """Log every browser out, this one too."""
    member = member_of(request, club)
    if member is None:
        return _to_log_in()
    await club.accounts.log_out_everywhere(member.id)
    return gone(request, club)


ROUTES: Final = (
    own_page,
    change_password,
    remove_password,
    passkey_to_add,
    add_passkey,
    name_passkey,
    remove_passkey,
    give_email,
    remove_email,
    confirm_page,
    confirm_email,
    end_session,
    log_out_everywhere,
)
