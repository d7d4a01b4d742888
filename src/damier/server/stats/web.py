"""The pages of the statistics.

What the templates are given, next to what every page has (``play/web.py``) and ``who``, ``your_moves`` and
``messages`` as on the lobby's pages:

``statistics.html`` (``GET /statistics``)
    ``kinds`` and ``spans``: links of which one is ``current`` (of the games that are counted, and of what the graph's
    columns are); ``all`` (a :class:`~damier.server.stats.site.Sum`); ``tables`` of rows (``name``, ``sum``, ``bar``);
    ``won`` and ``drawn`` (``name``, ``games``, ``share``); ``graph``, ``legend`` and ``rows`` of the activity;
    ``online``, ``members`` (``name``, ``url``, ``bot``), ``others`` (how many are not named).
``top.html`` (``GET /top``)
    ``lists``, ``spans``: links; ``by``, ``span``; ``rule_sets``, ``speeds`` (``value``, ``title``, ``current``);
    ``entries`` (``place``, ``name``, ``url``, ``value``, ``more``, ``games``, ``mine``); ``own``, an entry below the
    list; ``provisional``: the reader's rating that is not in it; ``about``: which games.
``member.html`` (``GET /@/{name}/statistics``)
    see :mod:`damier.server.stats.member_page`.
"""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar
from urllib.parse import urlencode

from babel.dates import format_skeleton
from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter
from litestar.response import Redirect

from damier.i18n import N_, translator
from damier.server import localized
from damier.server.club import Club
from damier.server.lobby.choices import rules_title
from damier.server.lobby.controls import SPEED_NAMES
from damier.server.lobby.web import frame
from damier.server.people import profile_url
from damier.server.ratings import RATED_RULES, RATED_SPEEDS, Pool, Rating
from damier.server.site import reader_language
from damier.server.stats import graphs, labels, member_page
from damier.server.stats.changes import EVERY, Span
from damier.server.stats.facts import KINDS, SCORES, Kind, day_of
from damier.server.stats.site import By, Row, Sum, activity, all_games, grouped, total
from damier.server.stats.top import By as ListBy
from damier.server.stats.top import Entry, Top

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Req = Request[Any, Any, Any]
T = TypeVar("T", bound=str)
Choice = Annotated[str, QueryParameter(max_length=40)]

ALL: Final = "all"
NAMED: Final = 60
"""Members online who are named."""
LONGEST_PATH_NAME: Final = 80
BY_NAMES: Final[Mapping[By, str]] = {"day": N_("Days"), "week": N_("Weeks"), "month": N_("Months")}
BY_HEADS: Final[Mapping[By, str]] = {"day": N_("Day"), "week": N_("Week from"), "month": N_("Month")}
SKELETONS: Final[Mapping[By, str]] = {"day": "MMMd", "week": "MMMd", "month": "yMMM"}
LISTS: Final[Mapping[ListBy, str]] = {"rating": N_("By rating"), "wins": N_("By wins"), "games": N_("By games played")}
SPANS: Final[Mapping[Span, str]] = {"all": N_("All time"), "month": N_("Last 30 days")}
DEFAULT_POOL: Final = Pool("official", "blitz")


def chosen(value: str, among: Iterable[T], otherwise: T) -> T:
    """What an address asks for, or where it asks for nothing that there is, the usual.

    >>> chosen("week", BY_NAMES, "day"), chosen("year", BY_NAMES, "day")
    ('week', 'day')
    """
    return next((each for each in among if each == value), otherwise)


def links(
    path: str, name: str, choices: Mapping[T, str], current: str, language: str, **others: str
) -> list[dict[str, Any]]:
    """The links of a choice, each leading to the same page with another answer."""
    _ = translator(language).gettext
    return [
        {"title": _(title), "url": f"{path}?{urlencode({**others, name: each})}", "current": each == current}
        for each, title in choices.items()
    ]


# --- The club --------------------------------------------------------------------------------------------------------


@get("/statistics")
async def statistics_page(request: Req, club: Club, games: Choice = ALL, by: Choice = "day") -> Response[str]:
    """The numbers of the club."""
    language = reader_language(request)
    _ = translator(language).gettext
    kind: str = chosen(games, (ALL, *KINDS), ALL)
    span: By = chosen(by, BY_NAMES, "day")
    every = await all_games(club.engine)
    rows = [each for each in every if kind in (ALL, each.kind)]
    together = total(rows)
    today = day_of(time.time())
    online = max(1, await club.presence.online())
    reader, seen = club.visitors.of(request), await club.presence.some(NAMED)
    # for whom somebody has blocked, he is not there
    apart = frozenset[str]() if reader is None else await club.ties.blocked_between(reader, seen)
    members = [each for each in (await club.people.named(seen)).values() if each.is_member and each.id not in apart]
    kinds: dict[str, str] = {ALL: N_("All games"), **labels.KIND_NAMES}
    return club.site.page(
        request,
        "statistics.html",
        **await frame(request, club),
        kinds=links("/statistics", "games", kinds, kind, language, by=span),
        spans=links("/statistics", "by", BY_NAMES, span, language, games=kind),
        any=bool(every),
        all=together,
        tables=[
            {
                "title": _(N_("By rule set")),
                "rows": _rows(grouped(rows, lambda one: one.rules), lambda name: rules_title(name, language)),
            },
            {
                "title": _(N_("By speed")),
                "rows": _rows(grouped(rows, lambda one: one.speed), lambda name: labels.speed_name(name, language)),
            },
        ],
        bar=graphs.shares(together.shares, SIDES),
        won=_reasons([each for each in rows if each.score != SCORES[1]], labels.WON, language),
        drawn=_reasons([each for each in rows if each.score == SCORES[1]], labels.DRAWN, language),
        **_activity(await activity(club.engine, span, today), kind, span, language),
        online=online,
        members=sorted(
            ({"name": each.name, "url": profile_url(each.name or ""), "bot": each.kind == "bot"} for each in members),
            key=lambda one: str(one["name"]).casefold(),
        ),
        others=max(0, online - len(members)),
    )


SIDES: Final = ("side-white", "side-drawn", "side-black")


def _rows(sums: Mapping[str, Sum], name: Callable[[str], str]) -> list[dict[str, Any]]:
    return [{"name": name(each), "sum": one, "bar": graphs.shares(one.shares, SIDES)} for each, one in sums.items()]


def _reasons(rows: Sequence[Row], names: Mapping[str, str], language: str) -> list[dict[str, Any]]:
    """How games ended, the most frequent way first."""
    _ = translator(language).gettext
    games = total(rows).games
    return [
        {"name": _(names[each]) if each in names else each, "games": one.games, "share": one.games / games}
        for each, one in grouped(rows, lambda row: row.reason).items()
    ]


def _activity(found: Sequence[tuple[date, Mapping[Kind, int]]], kind: str, by: By, language: str) -> dict[str, Any]:
    """The graph of the activity, its legend and its table."""
    _ = translator(language).gettext
    shown: list[Kind] = list(KINDS) if kind == ALL else [one for one in KINDS if one == kind]
    columns = [[games[each] if each in shown else 0 for each in KINDS] for _day, games in found]
    most = max((sum(each) for each in columns), default=0)
    levels = graphs.steps(max(most, 1))
    count = len(found)
    marked = sorted({round(part * (count - 1) / 3) for part in range(4)}) if count else []
    feet = [((number + 0.5) / count, _moment(found[number][0], SKELETONS[by], language)) for number in marked]
    if feet:  # the outer ones stand at the edges
        feet[0], feet[-1] = (0.0, feet[0][1]), (1.0, feet[-1][1])
    words = [localized.number(each, language) for each in levels]
    label = _(N_("Games played over time; the numbers stand in the table beneath."))
    return {
        "graph": graphs.columns(columns, levels, words, feet, label) if most else None,
        "legend": [
            {"name": _(labels.KIND_NAMES[each]), "swatch": graphs.swatch(labels.KIND_PATTERNS[each])} for each in shown
        ],
        "head": _(BY_HEADS[by]),
        "rows": [
            {
                "name": _moment(day, "yMMM" if by == "month" else "yMMMd", language),
                "games": [games[each] for each in shown],
                "sum": sum(games[each] for each in shown),
            }
            for day, games in reversed(found)
        ],
    }


@lru_cache(maxsize=localized.REMEMBERED)
def _moment(day: date, skeleton: str, language: str) -> str:
    return format_skeleton(
        skeleton, datetime(day.year, day.month, day.day, tzinfo=UTC), locale=localized.locale(language)
    )


# --- The lists -------------------------------------------------------------------------------------------------------


@get("/top")
async def top_page(
    request: Req,
    club: Club,
    by: Choice = "rating",
    rules: Choice = "",
    speed: Choice = "",
    span: Choice = ALL,
) -> Response[str]:
    """The best twenty."""
    language = reader_language(request)
    _ = translator(language).gettext
    list_by: ListBy = chosen(by, LISTS, "rating")
    over: Span = chosen(span, SPANS, "all")
    reader = club.visitors.who(request)
    reader_id = reader.id if reader is not None and reader.is_member else None
    top, now = Top(club.engine), time.time()
    rule_sets: tuple[str, ...] = RATED_RULES if list_by == "rating" else (EVERY, *labels.rule_set_names())
    speeds: tuple[str, ...] = RATED_SPEEDS if list_by == "rating" else (EVERY, *SPEED_NAMES)
    provisional: Rating | None = None
    if list_by == "rating":
        pool = Pool(chosen(rules, RATED_RULES, DEFAULT_POOL.rules), chosen(speed, RATED_SPEEDS, DEFAULT_POOL.speed))
        of_rules, of_speed = pool.rules, str(pool.speed)
        shown, own = await top.by_rating(pool, over, now, reader_id)
        if isinstance(own, Rating):
            provisional, own = own, None
    else:
        of_rules, of_speed = chosen(rules, rule_sets, EVERY), chosen(speed, speeds, EVERY)
        shown, own = await top.by_tally(list_by, of_rules, of_speed, over, reader_id)
    entries = [_entry(each, list_by, reader_id, language) for each in shown]
    return club.site.page(
        request,
        "top.html",
        **await frame(request, club),
        by=list_by,
        span=over,
        lists=links("/top", "by", LISTS, list_by, language, rules=of_rules, speed=of_speed, span=over),
        spans=links("/top", "span", SPANS, over, language, by=list_by, rules=of_rules, speed=of_speed),
        rule_sets=[
            {
                "value": each,
                "title": rules_title(each, language) if each else _(N_("All rule sets")),
                "current": each == of_rules,
            }
            for each in rule_sets
        ],
        speeds=[
            {
                "value": each,
                "title": labels.speed_name(each, language) if each else _(N_("All speeds")),
                "current": each == of_speed,
            }
            for each in speeds
        ],
        entries=entries,
        own=None if own is None or any(each["mine"] for each in entries) else _entry(own, list_by, reader_id, language),
        provisional=None if provisional is None else provisional.rounded[0],
    )


def _entry(entry: Entry, by: ListBy, reader: str | None, language: str) -> dict[str, Any]:
    value, more = entry.games, entry.wins
    if by == "rating":
        value, more = round(entry.first), round(entry.deviation)
    elif by == "wins":
        value, more = entry.wins, entry.games
    return {
        "place": entry.place,
        "name": entry.name,
        "url": profile_url(entry.name),
        "value": str(value) if by == "rating" else localized.number(value, language),
        "more": f"±{2 * more}" if by == "rating" else localized.number(more, language),
        "games": localized.number(entry.games, language),
        "mine": entry.person == reader,
    }


# --- A member --------------------------------------------------------------------------------------------------------


@get("/@/{name:str}/statistics")
async def member_statistics(request: Req, club: Club, name: str, pool: Choice = "") -> Response[Any]:
    """A member's numbers."""
    member = await club.people.member(name) if len(name) <= LONGEST_PATH_NAME else None
    if member is None or member.name is None:
        raise NotFoundException
    if member.name != name:
        return Redirect(f"{profile_url(member.name)}/statistics", status_code=302)
    reader = club.visitors.who(request)
    standings = await club.profiles.standings(member.id)
    async with club.engine.connect() as connection:
        numbers = await member_page.context(
            connection,
            standings,
            member,
            None if reader is None else reader.id,
            day_of(time.time()),
            pool,
            reader_language(request),
        )
    return club.site.page(request, "member.html", **await frame(request, club), **numbers)


ROUTES: Final = (statistics_page, top_page, member_statistics)
