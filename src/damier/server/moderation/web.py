"""Reporting, the moderators' pages, and what moderators have to say to a person.

What the templates are given, next to what every page has (``play/web.py``) and ``who``, ``messages`` and ``problems`` as
on the account's pages (``accounts/web.py``):

``report.html`` (``GET /report``)
    ``context`` (what is reported, a :class:`~damier.server.moderation.subjects.Context`), ``public`` (what it is called
    in the form), ``reasons`` (value, title), ``given`` (reason, words), ``sent``.
``moderation.html`` (``GET /moderation``)
    ``cases`` (each with ``case``, ``reasons`` in words, ``path``).
``case.html`` (``GET /moderation/case``)
    ``context`` (as it is now; None when it is gone), ``reports``, ``deeds``, ``actions`` (what can be done to it),
    ``people`` (whom it can be done to), ``own`` (why the reader can do nothing here), ``mark`` (of the words that are read), ``silences`` (days), ``what``, ``of``, ``given``.
``moderation_log.html`` (``GET /moderation/log``)
    ``deeds``, ``number``, ``more``.
``notice.html`` (``GET /notice``)
    ``to_read`` (a :class:`~damier.server.moderation.conduct.ToRead`), ``next``, ``given``.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, cast, get_args

import msgspec
from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter
from litestar.response import Redirect

from damier.errors import DamierError
from damier.i18n import N_, translator
from damier.server.accounts.sparing import Sparing, store_of
from damier.server.accounts.web import Req, address_of, shown, typed
from damier.server.annulment import NotAnnulled
from damier.server.club import Club
from damier.server.moderation.deeds import OWN_CASE, SILENCES, DeedError, NotRead
from damier.server.moderation.log import ACTION_NAMES, Action, Deed
from damier.server.moderation.reports import REASON_NAMES, ReportError, fitting
from damier.server.moderation.subjects import LONGEST_SUBJECT, WHATS, Context, What, case_path, chat_of
from damier.server.people import BadName, Who
from damier.server.play.chat import PRESETS, rooms_of
from damier.server.play.store import UnknownGame
from damier.server.play.web import side_of
from damier.server.routes import own_path
from damier.server.site import reader_language
from damier.server.words import BadWords

REPORTS: Final = Sparing("reports", 20)
"""Of one address, whoever reports."""
LAST_PAGE: Final = 10_000
LAST_ENTRY: Final = 2**31 - 1
"""The highest number that a deed can have."""
CAN_BE_DONE: Final[dict[What, tuple[Action, ...]]] = {
    "post": ("show", "hide", "warn", "silence", "close"),
    "member": ("rename", "warn", "silence", "close"),
    "chat": ("hide", "rename", "warn", "silence", "close"),
    "game": ("annul", "rename", "warn", "silence", "close"),
}
DOINGS: Final[dict[Action, str]] = {
    "show": N_("Let it stand"),
    "hide": N_("Hide it"),
    "rename": N_("Take the name away: another has to be chosen"),
    "warn": N_("Warn: the words below have to be read at the next visit"),
    "silence": N_("Silence: no chat and no posts"),
    "close": N_("Close the account"),
    "annul": N_("Annul the game: all ratings as if it had not been played"),
}

WhatParameter = Annotated[str, QueryParameter(name="what", max_length=10)]
Of = Annotated[str, QueryParameter(name="of", max_length=LONGEST_SUBJECT)]


# --- Reporting -------------------------------------------------------------------------------------------------------


async def _reported(request: Req, club: Club, what: str, of: str) -> Context:
    """What somebody wants to report, as this one may see it. Raises NotFoundException."""
    if what not in WHATS or not of.isprintable():
        raise NotFoundException
    kind, reader = what, club.visitors.who(request)
    if kind == "member":  # pages call members by their names
        member = await club.people.member(of)
        context = None if member is None else await club.subjects.look(kind, member.id)
    else:
        context = await club.subjects.look(kind, of)
    if context is None or context.state in ("held", "hidden"):
        raise NotFoundException
    if kind == "post" and not await club.forum.sees(reader, of):
        raise NotFoundException
    place = chat_of(of) if kind == "chat" else None
    if place is not None:
        try:
            game = (await club.play.view(place[0])).game
        except UnknownGame:
            raise NotFoundException from None
        if place[1] not in rooms_of(game, side_of(game, None if reader is None else reader.id)):
            raise NotFoundException
    return context


def _report_page(
    request: Req,
    club: Club,
    context: Context,
    of: str,
    error: DamierError | None = None,
    *,
    given: dict[str, str] | None = None,
    sent: bool = False,
) -> Response[str]:
    language = reader_language(request)
    _ = translator(language).gettext
    return shown(
        request,
        club,
        "report.html",
        error,
        "report",
        context=in_words(context, language),
        public=of,
        reasons=[{"value": each, "title": _(REASON_NAMES[each])} for each in fitting(context.what)],
        given=given or {"reason": "", "words": ""},
        sent=sent,
    )


def in_words(context: Context, language: str) -> Context:
    """The same with the presets of its chat in words."""
    _ = translator(language).gettext
    words = {name: _(text) for name, text in PRESETS.items()}
    return msgspec.structs.replace(
        context,
        words=words.get(cast("Any", context.words), context.words) if context.what == "chat" else context.words,
        lines=tuple(
            msgspec.structs.replace(each, words=words.get(cast("Any", each.words), each.words))
            for each in context.lines
        ),
    )


@get("/report")
async def report_page(request: Req, club: Club, what: WhatParameter = "", of: Of = "") -> Response[str]:
    """Where something is reported."""
    return _report_page(request, club, await _reported(request, club, what, of), of)


@post("/report")
async def send_report(request: Req, club: Club) -> Response[Any]:
    """Report something."""
    form = await request.form()
    what, of = typed(form, "what")[:10], typed(form, "of")[:LONGEST_SUBJECT]
    context = await _reported(request, club, what, of)
    given = {name: typed(form, name) for name in ("reason", "words")}
    reporter = club.visitors.of(request)
    try:
        if reporter is None:
            raise ReportError(N_("Your browser must accept our cookie for this."))
        if not await REPORTS.may(store_of(request.app), address_of(request)):
            raise ReportError(N_("Much has been reported from your address. Try again in an hour."))
        await club.people.keep(reporter)
        await club.reports.file(reporter, context, given["reason"], given["words"])
    except (ReportError, BadWords) as error:
        return _report_page(request, club, context, of, error, given=given)
    return _report_page(request, club, context, of, sent=True)


@post("/report/heard")
async def have_heard(request: Req, club: Club) -> Redirect:
    """Who has reported something knows that it was looked at."""
    who = club.visitors.of(request)
    if who is not None:
        await club.conduct.have_heard(who)
    return Redirect(own_path((await request.form()).get("next")), status_code=303)


# --- For moderators --------------------------------------------------------------------------------------------------


def _keeper(request: Req, club: Club) -> Who:
    """The moderator who asks. Raises NotFoundException for anybody else: these pages are not there for them."""
    who = club.visitors.who(request)
    if who is None or not who.keeps_order:
        raise NotFoundException
    return who


@get("/moderation")
async def queue(request: Req, club: Club) -> Response[str]:
    """What waits to be looked at."""
    keeper = _keeper(request, club)
    language = reader_language(request)
    _ = translator(language).gettext
    cases = [
        {
            "case": each,
            "context": in_words(each.context, language),
            "reasons": [(_(REASON_NAMES.get(reason, reason)), count) for reason, count in each.reasons],
            "path": case_path(each.what, each.subject),
        }
        for each in await club.reports.cases(keeper.id)
    ]
    return shown(request, club, "moderation.html", cases=cases)


@get("/moderation/case")
async def case_page(request: Req, club: Club, what: WhatParameter = "", of: Of = "") -> Response[str]:
    """Something that can be moderated, all that is reported about it, and what can be done."""
    _keeper(request, club)
    return await _case(request, club, what, of)


async def _case(
    request: Req,
    club: Club,
    what: str,
    of: str,
    error: DamierError | None = None,
    given: dict[str, Any] | None = None,
) -> Response[str]:
    if what not in WHATS or not of.isprintable():
        raise NotFoundException
    kind, language = what, reader_language(request)
    _ = translator(language).gettext
    context, reports = await club.subjects.look(kind, of), await club.reports.of(kind, of)
    if context is None and not reports:
        raise NotFoundException
    people = () if context is None else context.people
    deeds = await club.log.about(kind, of, [each.id for each in people])
    can = () if context is None else CAN_BE_DONE[kind]
    own = await club.reports.concern(_keeper(request, club).id, kind, of)
    if own:  # nor is it for him to read who has reported what
        can, reports = (), []
    if not people:
        can = tuple(each for each in can if each in ("show", "hide", "annul"))
    state = "" if context is None else context.state
    can = tuple(
        each for each in can if not (each == "show" and state == "shown") and not (each == "hide" and state == "hidden")
    )
    return shown(
        request,
        club,
        "case.html",
        error,
        "case",
        what=what,
        of=of,
        own=_(OWN_CASE) if own else "",
        mark="" if context is None else context.mark,
        context=None if context is None else in_words(context, language),
        reports=[
            {
                "report": each,
                "reason": _(REASON_NAMES.get(each.reason, each.reason)),
                "context": in_words(each.context, language),
            }
            for each in reports
        ],
        deeds=_deeds(deeds, language),
        actions=[{"value": each, "title": _(DOINGS[each])} for each in can if each in DOINGS],
        people=people,
        silences=SILENCES,
        given=given or {"actions": [], "person": "", "words": "", "days": 1},
    )


@post("/moderation/case")
async def decide(request: Req, club: Club) -> Response[Any]:
    """Do something about it."""
    keeper, form = _keeper(request, club), await request.form()
    what, of = typed(form, "what")[:10], typed(form, "of")[:LONGEST_SUBJECT]
    if what not in WHATS or not of.isprintable():
        raise NotFoundException
    asked = [each for each in form.getall("action", []) if isinstance(each, str)]
    actions = [each for each in get_args(Action) if each in asked and each != "undo"]
    number = typed(form, "days")
    days = int(number) if number.isascii() and number.isdecimal() and len(number) < 4 else 0
    words, person = typed(form, "words"), typed(form, "person")
    try:
        await club.moderation.do(
            keeper, what, of, actions, person_id=person or None, words=words, days=days, mark=typed(form, "mark")
        )
    except NotRead as error:
        return await _case(request, club, what, of, error)
    except (DeedError, NotAnnulled, BadWords) as error:
        return await _case(
            request, club, what, of, error, {"actions": actions, "person": person, "words": words, "days": days}
        )
    return Redirect("/moderation" if actions == ["dismiss"] else case_path(what, of), status_code=303)


@get("/moderation/log")
async def log_page(
    request: Req, club: Club, number: Annotated[int, QueryParameter(name="page", ge=1, le=LAST_PAGE)] = 1
) -> Response[str]:
    """What moderators have done."""
    _keeper(request, club)
    return await _log(request, club, number)


async def _log(request: Req, club: Club, number: int = 1, error: DamierError | None = None) -> Response[str]:
    deeds, more = await club.log.page(number)
    return shown(
        request,
        club,
        "moderation_log.html",
        error,
        "log",
        deeds=_deeds(deeds, reader_language(request)),
        number=number,
        more=more,
    )


def _deeds(deeds: list[Deed], language: str) -> list[dict[str, object]]:
    _ = translator(language).gettext
    return [
        {
            "deed": each,
            "title": _(ACTION_NAMES[each.action]),
            "undid": "" if each.undoes is None else _(ACTION_NAMES[each.undoes]),
            "path": case_path(each.what, each.subject),
        }
        for each in deeds
    ]


@post("/moderation/log/{entry:int}/undo")
async def undo(request: Req, club: Club, entry: int) -> Response[Any]:
    """Take back what was done."""
    keeper = _keeper(request, club)
    if not 0 < entry <= LAST_ENTRY:
        raise NotFoundException
    try:
        await club.moderation.undo(keeper, entry)
    except (DeedError, NotAnnulled) as error:
        return await _log(request, club, error=error)
    return Redirect("/moderation/log", status_code=303)


# --- What somebody has to read ---------------------------------------------------------------------------------------


@get("/notice")
async def notice_page(
    request: Req, club: Club, target: Annotated[str, QueryParameter(name="next", max_length=200)] = "/"
) -> Response[Any]:
    """What the moderators have to say to the reader."""
    return await _notice(request, club, target)


async def _notice(
    request: Req, club: Club, target: str, error: DamierError | None = None, given: str = ""
) -> Response[Any]:
    who = club.visitors.of(request)
    if who is None:
        raise NotFoundException
    to_read = await club.conduct.to_read(who)
    if not to_read.warnings and not to_read.must_rename and to_read.silenced_until is None:
        return Redirect(own_path(target), status_code=303)
    return shown(request, club, "notice.html", error, "name", to_read=to_read, next=own_path(target), given=given[:80])


@post("/notice")
async def have_read(request: Req, club: Club) -> Redirect:
    """The reader has read the warnings."""
    who, form = club.visitors.of(request), await request.form()
    if who is not None:
        await club.conduct.have_read(who)
    return Redirect(own_path(form.get("next")), status_code=303)


@post("/notice/name")
async def choose_name(request: Req, club: Club) -> Response[Any]:
    """Choose another name for one that could not stay."""
    who, form = club.visitors.who(request), await request.form()
    if who is None or not who.is_member:
        raise NotFoundException
    target = own_path(form.get("next"))
    try:
        await club.conduct.choose_name(who.id, typed(form, "name"))
    except BadName as error:
        if not (await club.conduct.to_read(who.id)).must_rename:
            raise NotFoundException from None
        return await _notice(request, club, target, error, typed(form, "name"))
    return Redirect(target, status_code=303)


ROUTES: Final = (
    report_page,
    send_report,
    have_heard,
    queue,
    case_page,
    decide,
    log_page,
    undo,
    notice_page,
    have_read,
    choose_name,
)
