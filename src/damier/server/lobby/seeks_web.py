"""The pages of open games and of challenges.

``seeks.html`` (``GET /seeks``)
    ``seeks`` (:class:`~damier.server.lobby.desk.OfferView` each), ``can_rate`` (whether the reader may play rated
    games), and what ``terms.html`` wants: ``live``, ``days``, ``rule_sets``, ``sides``, ``chosen``, ``problem``.
``challenge.html`` (``GET /challenge/{name}``)
    ``opponent`` (:class:`~damier.server.people.Who`), and the same for the form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY

from damier.clock import BadTimeControl, TimeControl
from damier.i18n import translator
from damier.rules import OFFICIAL
from damier.server.club import Club
from damier.server.lobby import controls
from damier.server.lobby.choices import RULE_SETS, SIDE_NAMES, chosen, rule_sets, sides
from damier.server.lobby.invitation import BadRange, InvitationError, UnknownInvitation
from damier.server.lobby.web import go, page_frame
from damier.server.people import Who
from damier.server.routes import own_path
from damier.server.site import reader_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier.errors import DamierError
    from damier.server.lobby.invitation import Invitation

Req = Request[Any, Any, Any]
PRESET: dict[str, object] = {
    "control": controls.DEFAULT.to_pdn(),
    "days": controls.DEFAULT_DAYS,
    "color": "lot",
    "rules": OFFICIAL.name,
    "rated": True,
    "lowest": "",
    "highest": "",
}


def terms(language: str) -> dict[str, object]:
    """What a form of a game's terms offers."""
    _ = translator(language).gettext
    by_speed: dict[str, list[dict[str, str]]] = {}
    for control in controls.LIVE:
        name = _(controls.SPEED_NAMES[controls.speed(control)])
        by_speed.setdefault(name, []).append({"value": control.to_pdn(), "text": controls.text(control)})
    days = [
        {"value": days, "text": controls.label(TimeControl.correspondence(days), language)} for days in controls.DAYS
    ]
    return {"live": by_speed, "days": days, "rule_sets": rule_sets(language), "sides": sides(language)}


def _picked(form: Mapping[str, Any]) -> dict[str, object]:
    """A form that says what was chosen before, as far as that can be."""
    picked = dict(PRESET)
    offered = {control.to_pdn() for control in controls.LIVE} | {"days"}
    if form.get("control") in offered:
        picked["control"] = form["control"]
    if form.get("rules") in RULE_SETS:
        picked["rules"] = form["rules"]
    if form.get("color") in SIDE_NAMES:
        picked["color"] = form["color"]
    picked["days"] = next((each for each in controls.DAYS if str(each) == form.get("days")), controls.DEFAULT_DAYS)
    picked["rated"] = form.get("rated", "on") in ("on", "1")
    for name in ("lowest", "highest"):
        text = form.get(name, "")
        picked[name] = text if isinstance(text, str) and text.isdecimal() and len(text) <= 4 else ""
    return picked


def _rating(form: Mapping[str, Any], name: str) -> int | None:
    """A bound of the opponent's rating that a form names."""
    text = form.get(name, "")
    if not isinstance(text, str) or not text.strip():
        return None
    if not (text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) <= 4):
        raise BadRange
    return int(text)


# --- Open games ------------------------------------------------------------------------------------------------------


@get("/seeks")
async def seeks_page(request: Req, club: Club) -> Response[str]:
    """The games that somebody waits for, and the form of another."""
    return await _seeks_page(request, club, _picked(request.query_params))


async def _seeks_page(
    request: Req, club: Club, picked: Mapping[str, object], error: DamierError | None = None
) -> Response[str]:
    language, who = reader_language(request), club.visitors.who(request) or Who("")
    return club.site.page(
        request,
        "seeks.html",
        status_code=HTTP_422_UNPROCESSABLE_ENTITY if error else 200,
        **await page_frame(request, club, who.id or None),
        **terms(language),
        seeks=(await club.desk.seeks()).views(who.id or None, language),
        can_rate=who.kind == "member",
        chosen=picked,
        problem=None if error is None else error.sentence(language),
    )


@post("/seeks/offer")
async def create_seek(request: Req, club: Club) -> Response[Any]:
    """Put a game on the list."""
    form = await request.form()
    rules, _title, _about = chosen(form, "rules", RULE_SETS)
    color = chosen(form, "color", SIDE_NAMES)
    who = club.visitors.who(request) or Who(club.visitors.new_id())
    try:
        seek = await club.offers.create_seek(
            who,
            rules=rules,
            control=controls.from_form(form),
            color=color,
            rated=form.get("rated") is not None,
            lowest=_rating(form, "lowest"),
            highest=_rating(form, "highest"),
        )
    except (BadTimeControl, InvitationError) as error:
        return await _seeks_page(request, club, _picked({"rated": "", **form}), error)
    return go(request, club, _with_sent("/seeks", seek), who.id)


@post("/seeks/{invitation_id:str}/accept")
async def accept_seek(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """Accept a game of the list, and go to it."""
    who = club.visitors.who(request) or Who(club.visitors.new_id())
    try:
        accepted = await club.lobby.accept(invitation_id, who.id)
    except UnknownInvitation:
        raise NotFoundException from None
    except InvitationError as error:
        return await _seeks_page(request, club, PRESET, error)
    return go(request, club, f"/games/{accepted.game}", who.id)


@post("/seeks/{invitation_id:str}/withdraw")
async def withdraw_seek(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """Take a game off the list."""
    try:
        await club.lobby.withdraw(invitation_id, club.visitors.of(request) or "")
    except UnknownInvitation:
        raise NotFoundException from None
    except InvitationError as error:
        return await _seeks_page(request, club, PRESET, error)
    return go(request, club, "/seeks")


# --- Challenges ------------------------------------------------------------------------------------------------------


@get("/challenge/{name:str}")
async def challenge_page(request: Req, club: Club, name: str) -> Response[str]:
    """The form of a challenge to a member."""
    return await _challenge_page(request, club, await _member(club, name), _picked(request.query_params))


async def _member(club: Club, name: str) -> Who:
    opponent = await club.people.member(name)
    if opponent is None:
        raise NotFoundException
    return opponent


async def _challenge_page(
    request: Req, club: Club, opponent: Who, picked: Mapping[str, object], error: DamierError | None = None
) -> Response[str]:
    language, who = reader_language(request), club.visitors.who(request) or Who("")
    return club.site.page(
        request,
        "challenge.html",
        status_code=HTTP_422_UNPROCESSABLE_ENTITY if error else 200,
        **await page_frame(request, club, who.id or None),
        **terms(language),
        opponent=opponent,
        can_rate=who.kind == opponent.kind == "member",
        chosen=picked,
        problem=None if error is None else error.sentence(language),
    )


@post("/challenge/{name:str}/send")
async def create_challenge(request: Req, club: Club, name: str) -> Response[Any]:
    """Challenge a member."""
    opponent = await _member(club, name)
    form = await request.form()
    rules, _title, _about = chosen(form, "rules", RULE_SETS)
    color = chosen(form, "color", SIDE_NAMES)
    who = club.visitors.who(request) or Who("")
    try:
        challenge = await club.offers.challenge(
            who,
            opponent,
            rules=rules,
            control=controls.from_form(form),
            color=color,
            rated=form.get("rated") is not None,
        )
    except (BadTimeControl, InvitationError) as error:
        return await _challenge_page(request, club, opponent, _picked({"rated": "", **form}), error)
    return go(request, club, _with_sent("/my-games", challenge))


def _with_sent(path: str, offer: Invitation) -> str:
    """A page's address that tells its script what was just sent.

    It may be answered before that page is connected, or made: the script then asks how it ended.
    """
    return f"{path}#sent={offer.id}"


@post("/challenges/{invitation_id:str}/accept")
async def accept_challenge(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """Accept a challenge, and go to the game."""
    try:
        accepted = await club.lobby.accept(invitation_id, club.visitors.of(request) or "")
    except UnknownInvitation:
        raise NotFoundException from None
    except InvitationError as error:
        sentence = error.sentence(reader_language(request))
        return club.site.page(
            request, "error.html", status_code=HTTP_422_UNPROCESSABLE_ENTITY, status=422, title=sentence, message=""
        )
    return go(request, club, f"/games/{accepted.game}")


@post("/challenges/{invitation_id:str}/decline")
async def decline_challenge(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """Decline a challenge with one of the set phrases, or without."""
    form = await request.form()
    answer = form.get("answer") or None
    try:
        await club.lobby.decline(invitation_id, club.visitors.of(request) or "", str(answer) if answer else None)
    except UnknownInvitation:
        raise NotFoundException from None
    except InvitationError:
        pass  # the page shows how things stand
    return go(request, club, own_path(form.get("next") or "/my-games"))


@post("/challenges/{invitation_id:str}/withdraw")
async def withdraw_challenge(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """Take a challenge back."""
    try:
        await club.lobby.withdraw(invitation_id, club.visitors.of(request) or "")
    except UnknownInvitation:
        raise NotFoundException from None
    except InvitationError:
        pass
    return go(request, club, "/my-games")
