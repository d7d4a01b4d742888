"""The pages that lead to a board.

What the templates are given, next to what every page has (``play/web.py``). All of them: ``who`` (the reader),
``your_moves`` (how many games wait for the reader), ``online`` and ``playing`` (numbers), ``messages`` (the script's
texts, as JSON).

``front.html`` (``GET /``)
    ``big`` (a :class:`~damier.server.lobby.lists.Card` or None: the game on the big board), ``big_is`` ("live", "own"
    or "last") and its ``picture``; ``own`` (cards of the reader's unfinished games, those that wait for the reader
    first) and ``more_own`` (how many there are besides); ``friends`` (name and url of those whom the reader follows and
    who are online) and ``follows`` (how many the reader follows); ``now`` (cards of what is being played, at most ``most`` of
    them); ``levels``, ``rule_sets``, ``sides`` and ``chosen`` (what to preselect); ``quick`` (the time controls of quick
    pairing, each with ``value``, ``text`` and ``speed``), ``can_rate`` (whether the reader can play rated games) and
    ``newcomer`` (whether the reader has never played here).
``now.html`` (``GET /now``)
    ``games`` (cards, at most ``most`` of them).
``mine.html`` (``GET /my-games``)
    ``your_move``, ``their_move``, ``finished`` (cards), ``invitations`` (the open ones), ``challenges`` (also open, in
    and out) and ``answers`` (what one may be declined with, by its key), ``earlier`` (the address of the
    next page of finished games, or None), ``first_page`` (whether this is the first).
``invite.html`` (``GET /invite``)
    ``live`` (the controls offered, by speed), ``days``, ``limits``, ``rule_sets``, ``sides``, ``chosen``, ``problem``.
``invitation.html`` (``GET /i/{id}``)
    ``invitation``, ``mine`` (whether the reader is the host), ``host`` (a name), ``host_is_here``, ``link`` and ``qr``
    (for the host), ``this_machine_only`` (whether no other machine can open that link), ``watch`` (the address of a public game that has begun), ``given`` (what was typed as a name),
    ``problem``.
``name.html`` (``GET /name``)
    ``given`` (what was typed), ``problem``, ``next`` (the path to go to afterwards).
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter
from litestar.response import Redirect
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY

from damier import Color
from damier.clock import BadTimeControl, TimeControl
from damier.engine.levels import LEVELS
from damier.i18n import translator
from damier.record import Start
from damier.rules import OFFICIAL
from damier.server.accounts.ties import online_first
from damier.server.club import Club
from damier.server.guide import rules_text
from damier.server.lobby import controls, lists
from damier.server.lobby.choices import RULE_SETS, SIDE_NAMES, chosen, levels, quick, rule_sets, sides
from damier.server.lobby.desk import phrases
from damier.server.lobby.invitation import Invitation, InvitationError, UnknownInvitation
from damier.server.lobby.qr import qr_svg
from damier.server.people import BadName, Who, profile_url
from damier.server.routes import own_path
from damier.server.site import reader_language

ON_THE_FRONT: Final = 6
"""Small boards beneath the big one."""
RESUMED: Final = 3
"""Own games that the front page shows; all are on their own page."""

Req = Request[Any, Any, Any]


# --- The front page and the lists ------------------------------------------------------------------------------------


@get("/")
async def front(request: Req, club: Club) -> Response[str]:
    """The front page."""
    language = reader_language(request)
    reader = club.visitors.of(request)
    live = [lists.card(each, reader, language) for each in await lists.being_played(club.store, ON_THE_FRONT + 1)]
    own = await _unfinished(club, reader, language)
    big, big_is = await _on_the_big_board(club, reader, language, live, own)
    who = club.visitors.who(request)
    last = await club.store.last_of(reader) if reader else None
    friends = await online_first(club.ties, club.presence, who.id) if who is not None and who.is_member else []
    return club.site.page(
        request,
        "front.html",
        **await page_frame(request, club, reader, own),
        big=big,
        big_is=big_is,
        picture=lists.start_picture(language) if big is None else big.picture(language),
        own=own[:RESUMED],
        more_own=max(0, len(own) - RESUMED),
        now=[each for each in live if big is None or each.id != big.id][:ON_THE_FRONT],
        most=ON_THE_FRONT,
        friends=[
            {"name": each.who.name, "url": profile_url(each.who.name or ""), "is_bot": each.who.kind == "bot"}
            for each, online in friends
            if online
        ],
        follows=len(friends),
        levels=levels(language),
        rule_sets=rule_sets(language),
        sides=sides(language),
        chosen=_last_choice(last, reader),
        quick=quick(language),
        newcomer=last is None,
        can_rate=(club.visitors.who(request) or Who("")).kind == "member",
    )


async def _on_the_big_board(
    club: Club, reader: str | None, language: str, live: list[lists.Card], own: list[lists.Card]
) -> tuple[lists.Card | None, str]:
    """What waits for the reader goes first, then what is worth watching, then what the reader has played."""
    if own and own[0].your_turn:
        return own[0], "own"
    watchable = [each for each in live if each.you is None]
    if watchable:
        return watchable[0], "live"
    if own:
        return own[0], "own"
    finished = await lists.finished_of(club.engine, reader) if reader else []
    return (lists.card(finished[0], reader, language), "last") if finished else (None, "")


async def _unfinished(club: Club, reader: str | None, language: str) -> list[lists.Card]:
    """The reader's unfinished games: those that wait for the reader first, and of these the longest wait first."""
    if reader is None:
        return []
    cards = [lists.card(each, reader, language) for each in await club.store.unfinished_of(reader, lists.OWN_MOST)]
    waiting = sorted((each for each in cards if each.your_turn), key=lambda each: (not each.people, -each.changed))
    return waiting + [each for each in cards if not each.your_turn]


def _last_choice(last: Start | None, reader: str | None) -> Mapping[str, object]:
    """What to preselect for a game against the computer: as the reader's last one was."""
    if last is None or not (last.white.is_computer or last.black.is_computer):
        return {"color": "white", "rules": OFFICIAL.name, "level": None}
    own, computer = ("white", last.black) if last.white.id == reader else ("black", last.white)
    return {"color": own, "rules": last.rules, "level": computer.level}


@get("/now")
async def now(request: Req, club: Club) -> Response[str]:
    """What is being played."""
    language, reader = reader_language(request), club.visitors.of(request)
    games = [lists.card(each, reader, language) for each in await lists.being_played(club.store)]
    return club.site.page(
        request, "now.html", **await page_frame(request, club, reader), games=games, most=lists.NOW_MOST
    )


@get("/my-games")
async def my_games(
    request: Req, club: Club, before: Annotated[float | None, QueryParameter(name="before", ge=0)] = None
) -> Response[str]:
    """The reader's games."""
    language, reader = reader_language(request), club.visitors.of(request)
    unfinished = await _unfinished(club, reader, language)
    ended = await lists.finished_of(club.engine, reader, before) if reader else []
    finished = [lists.card(each, reader, language) for each in ended[: lists.FINISHED_PAGE]]
    more = len(ended) > lists.FINISHED_PAGE
    open_ones: Sequence[Invitation] = await club.lobby.open_of(reader) if reader else ()
    challenges = (await club.desk.challenges(reader)).views(reader, language) if reader else ()
    return club.site.page(
        request,
        "mine.html",
        **await page_frame(request, club, reader, unfinished),
        your_move=[each for each in unfinished if each.your_turn],
        their_move=[each for each in unfinished if not each.your_turn],
        finished=finished,
        invitations=[_shown(each, language) for each in open_ones],
        challenges=challenges,
        answers=phrases(language),
        earlier=f"/my-games?before={finished[-1].changed!r}" if more else None,
        first_page=before is None,
    )


async def frame(request: Req, club: Club) -> dict[str, Any]:
    """What the frame of every page shows: the reader, and how many games wait."""
    who = club.visitors.who(request) or Who("")
    games = await club.store.unfinished_of(who.id, lists.OWN_MOST) if who.id else []
    return {
        "who": who,
        "messages": club.site.script_texts(reader_language(request)),
        "your_moves": sum(lists.is_to_move(each, who.id) for each in games),
    }


async def page_frame(
    request: Req, club: Club, reader: str | None, unfinished: Sequence[lists.Card] | None = None
) -> dict[str, Any]:
    """What the frame of a lobby page shows: the reader's name, and the numbers that its socket keeps up to date."""
    if unfinished is None:
        unfinished = await _unfinished(club, reader, reader_language(request))
    return {
        "who": club.visitors.who(request) or Who(""),
        "messages": club.site.script_texts(reader_language(request)),
        "your_moves": sum(each.your_turn for each in unfinished),
        # the reader, who is not connected yet, is there too
        "online": max(1, await club.presence.online()),
        "playing": await lists.count_being_played(club.store),
    }


# --- Playing the computer --------------------------------------------------------------------------------------------


@post("/games")
async def play_computer(request: Req, club: Club) -> Redirect:
    """Start a game against the computer as the form says, and go to it."""
    form = await request.form()
    colors = {"white": Color.WHITE, "black": Color.BLACK, "lot": random.choice(list(Color))}  # noqa: S311
    color = chosen(form, "color", colors)
    rules, _title, _about = chosen(form, "rules", RULE_SETS)
    level = chosen(form, "level", {str(level.number): level.number for level in LEVELS})
    who = club.visitors.who(request) or Who(club.visitors.new_id())
    game_id = await club.play.create(who.player(), color=color, rules=rules, level=level)
    return go(request, club, f"/games/{game_id}", who.id)


def go(request: Req, club: Club, path: str, visitor: str | None = None) -> Redirect:
    """Send the reader on; a guest who has done something is remembered anew."""
    answer = Redirect(path, status_code=303)
    who = club.visitors.who(request)
    if visitor is not None and (who is None or not who.is_member):
        answer.cookies.append(club.visitors.set_cookie(visitor, secure=request.url.scheme == "https"))
    return answer


# --- Playing a friend ------------------------------------------------------------------------------------------------


@get("/invite")
async def invite(request: Req, club: Club) -> Response[str]:
    """The form of an invitation."""
    reader = club.visitors.of(request)
    last = await club.lobby.last_of(reader) if reader else None
    picked: dict[str, object] = {
        "control": controls.DEFAULT.to_pdn(),
        "days": controls.DEFAULT_DAYS,
        "minutes": "10",
        "increment": "5",
        "color": "lot",
        "rules": OFFICIAL.name,
        "public": True,
    }
    if last is not None:
        picked |= _picked(last)
    return await _invite_page(request, club, picked)


def _picked(last: Invitation) -> dict[str, object]:
    """A form that says what an invitation said."""
    fields: dict[str, object] = {"color": last.color, "rules": last.rules.name, "public": last.is_public}
    control = last.control
    if control.days:
        return fields | {"control": "days", "days": control.days}
    if not control or control in controls.LIVE:
        return fields | {"control": control.to_pdn()}
    stage = control.stages[0]
    return fields | {"control": "own", "minutes": f"{stage.seconds / 60:g}", "increment": str(stage.increment)}


async def _invite_page(
    request: Req, club: Club, picked: Mapping[str, object], problem: str | None = None
) -> Response[str]:
    language, reader = reader_language(request), club.visitors.of(request)
    _ = translator(language).gettext
    by_speed: dict[str, list[dict[str, str]]] = {}
    for control in controls.LIVE:
        name = _(controls.SPEED_NAMES[controls.speed(control)])
        by_speed.setdefault(name, []).append({"value": control.to_pdn(), "text": controls.text(control)})
    return club.site.page(
        request,
        "invite.html",
        status_code=HTTP_422_UNPROCESSABLE_ENTITY if problem else 200,
        **await page_frame(request, club, reader),
        live=by_speed,
        days=[
            {"value": days, "text": controls.label(TimeControl.correspondence(days), language)}
            for days in controls.DAYS
        ],
        limits=controls,
        rule_sets=rule_sets(language),
        sides=sides(language),
        chosen=picked,
        problem=problem,
    )


@post("/invitations")
async def create_invitation(request: Req, club: Club) -> Response[Any]:
    """Make an invitation as the form says, and go to its page."""
    form = await request.form()
    rules, _title, _about = chosen(form, "rules", RULE_SETS)
    color = chosen(form, "color", SIDE_NAMES)
    is_public = form.get("public") is not None
    language = reader_language(request)
    host = club.visitors.of(request) or club.visitors.new_id()
    try:
        invitation = await club.lobby.create(
            host, rules=rules, control=controls.from_form(form), color=color, is_public=is_public
        )
    except (BadTimeControl, InvitationError) as error:
        kept = {name: form.get(name, "") for name in ("control", "days", "minutes", "increment")}
        days = next((each for each in controls.DAYS if str(each) == kept["days"]), controls.DEFAULT_DAYS)
        picked = {"color": color, "rules": rules.name, "public": is_public, **kept, "days": days}
        return await _invite_page(request, club, picked, error.sentence(language))
    return go(request, club, f"/i/{invitation.id}", host)


@get("/i/{invitation_id:str}")
async def invitation_page(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """An invitation: its host waits here, its guest answers here; once accepted it leads both to the game."""
    invitation = await _invitation(club, invitation_id)
    reader = club.visitors.of(request)
    if invitation.is_open and invitation.kind in ("seek", "challenge"):
        return go(request, club, "/seeks" if invitation.kind == "seek" else "/my-games")
    if invitation.state == "accepted" and reader in (invitation.host, invitation.guest):
        await club.lobby.start(invitation)
        return go(request, club, f"/games/{invitation.game}")
    return await _invitation_page(request, club, invitation)


async def _invitation_page(
    request: Req, club: Club, invitation: Invitation, problem: str | None = None, given: str = ""
) -> Response[str]:
    language, reader = reader_language(request), club.visitors.of(request)
    mine = reader == invitation.host
    link = f"{str(request.base_url).rstrip('/')}/i/{invitation.id}"
    host = await club.people.who(invitation.host)
    return club.site.page(
        request,
        "invitation.html",
        status_code=HTTP_422_UNPROCESSABLE_ENTITY if problem else 200,
        **await page_frame(request, club, reader),
        invitation=_shown(invitation, language),
        mine=mine,
        host=host.name,
        host_is_here=invitation.host in club.presence.here("club"),
        link=link if mine else None,
        this_machine_only=_is_loopback(request.url.hostname),
        qr=qr_svg(link) if mine and invitation.is_open else None,
        watch=f"/games/{invitation.game}" if invitation.state == "accepted" and invitation.is_public else None,
        problem=problem,
        given=given,
    )


def _is_loopback(host: str | None) -> bool:
    """Whether a host's name or address means the machine itself, whichever that is."""
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host is not None and (host == "localhost" or host.endswith(".localhost"))


def _shown(invitation: Invitation, language: str) -> dict[str, object]:
    """An invitation for a template."""
    _rules, title, about = RULE_SETS[invitation.rules.name]
    _ = translator(language).gettext
    return {
        "id": invitation.id,
        "url": f"/i/{invitation.id}",
        "state": invitation.state,
        "control": controls.label(invitation.control, language),
        "described": controls.described(invitation.control, language),
        "rules": _(title),
        "rules_url": rules_text.address(invitation.rules),
        "rules_about": _(about),
        "color": invitation.color,
        "guests_color": invitation.guests_color,
        "is_public": invitation.is_public,
        "hours_left": max(1, round((invitation.expires - time.time()) / 3600)),
    }


async def _invitation(club: Club, invitation_id: str) -> Invitation:
    try:
        return await club.lobby.get(invitation_id)
    except UnknownInvitation:
        raise NotFoundException from None


@post("/i/{invitation_id:str}/accept")
async def accept_invitation(request: Req, club: Club, invitation_id: str) -> Response[Any]:
    """Accept, under the name that was typed if one was, and go to the game."""
    invitation = await _invitation(club, invitation_id)
    who = club.visitors.who(request) or Who(club.visitors.new_id())
    guest, form = who.id, await request.form()
    # a member has a name, and keeps it
    given = None if who.is_member else form.get("name")
    language = reader_language(request)
    try:
        # before anything is accepted: nobody plays under a name that was not meant
        if isinstance(given, str) and given.strip() and guest != invitation.host:
            await club.people.rename(guest, given)
        accepted = await club.lobby.accept(invitation_id, guest)
    except BadName as error:
        return await _invitation_page(request, club, invitation, error.sentence(language), str(given)[:80])
    except InvitationError:
        return go(request, club, f"/i/{invitation_id}")
    return go(request, club, f"/games/{accepted.game}", guest)


@post("/i/{invitation_id:str}/decline")
async def decline_invitation(request: Req, club: Club, invitation_id: str) -> Redirect:
    """Decline; the page then says how things stand."""
    await _invitation(club, invitation_id)
    with suppress(InvitationError):  # the page says why not
        await club.lobby.decline(invitation_id, club.visitors.of(request) or "")
    return go(request, club, f"/i/{invitation_id}")


@post("/i/{invitation_id:str}/withdraw")
async def withdraw_invitation(request: Req, club: Club, invitation_id: str) -> Redirect:
    """Take an invitation back, and return to where that was done."""
    await _invitation(club, invitation_id)
    form = await request.form()
    try:
        await club.lobby.withdraw(invitation_id, club.visitors.of(request) or "")
    except InvitationError:
        return go(request, club, f"/i/{invitation_id}")
    return go(request, club, own_path(form.get("next") or f"/i/{invitation_id}"))


# --- One's name ------------------------------------------------------------------------------------------------------


@get("/name")
async def name_page(
    request: Req, club: Club, target: Annotated[str, QueryParameter(name="next", max_length=200)] = "/my-games"
) -> Response[Any]:
    """The form of one's name, which leads back to where the reader came from. A member keeps the name."""
    who = club.visitors.who(request)
    if who is not None and who.is_member:
        return Redirect("/account")
    reader = club.visitors.of(request)
    frame = await page_frame(request, club, reader)
    return club.site.page(request, "name.html", **frame, given=None, problem=None, next=own_path(target))


@post("/name/choose")
async def choose_name(request: Req, club: Club) -> Response[Any]:
    """Take a name, or go without when none was typed."""
    form = await request.form()
    given = form.get("name")
    text = given.strip() if isinstance(given, str) else ""
    target = own_path(form.get("next") or "/my-games")
    visitor = club.visitors.of(request) or club.visitors.new_id()
    try:
        await club.people.rename(visitor, text or None)
    except BadName as error:
        frame = await page_frame(request, club, visitor)
        problem = error.sentence(reader_language(request))
        return club.site.page(
            request,
            "name.html",
            status_code=HTTP_422_UNPROCESSABLE_ENTITY,
            **frame,
            given=text[:80],
            problem=problem,
            next=target,
        )
    return go(request, club, target, visitor)
