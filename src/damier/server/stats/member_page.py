"""What the page of a member's numbers (``member.html``) is given.

``member``, ``url``, ``mine`` (whether it is the reader); ``any``: whether there is anything to tell;
``pools``: links to the ratings that there are, one of them ``current``, its ``graph`` and the ``points`` of its table;
``tables``: each with ``title``, ``head`` (of the first column) and ``rows`` (``name``, ``url``, ``sign``, ``score``,
``bar``); ``streaks``; ``calendar``, ``months`` (its table) and ``year`` (games in it); ``against``: the reader's own
results against the member.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from babel.dates import format_skeleton

from damier.i18n import N_, translator
from damier.server import localized
from damier.server.lobby.choices import rules_title
from damier.server.people import profile_url
from damier.server.ratings import HIGHEST, LOWEST
from damier.server.stats import graphs, labels
from damier.server.stats.facts import DAY_SECONDS, KINDS
from damier.server.stats.member import Members, Score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection

    from damier.server.accounts.profile import Standing
    from damier.server.people import Who
    from damier.server.stats.member import Opponent, Point

RESULTS: Final = ("won", "drawn", "lost")
YEAR: Final = 365
MOST_POINTS: Final = 60
"""Of a rating's history day by day."""
OPENINGS: Final = 9
"""Which is how many first moves there are."""


async def context(
    connection: AsyncConnection,
    standings: Sequence[Standing],
    member: Who,
    reader: str | None,
    today: int,
    pool: str,
    language: str,
) -> dict[str, Any]:
    """Everything for the template. ``pool``: of which rating the history is wanted, as "official/blitz"."""
    members, mine = Members(connection), reader == member.id
    url = profile_url(member.name or "")
    scores = await members.scores(member.id)
    kinds = {each: scores.get("kind", {}).get(each, Score()) for each in KINDS}
    if not mine:
        del kinds["computer"]
    opponents = await members.opponents(member.id, private=mine)
    shown = next((each for each in standings if str(each.pool) == pool), None)
    if shown is None and standings:
        shown = max(standings, key=lambda each: each.games)
    points = [] if shown is None else await members.ratings(member.id, shown.pool, today)
    return {
        "member": member,
        "url": url,
        "mine": mine,
        "any": any(each.games for each in kinds.values()),
        "pools": [
            {
                "title": f"{labels.speed_name(each.pool.speed, language)} · {rules_title(each.pool.rules, language)}",
                "rating": each.text,
                "url": f"{url}/statistics?pool={each.pool}",
                "current": each is shown,
            }
            for each in standings
        ],
        **_history(points, today, language),
        "tables": _tables(kinds, scores, opponents, mine=mine, language=language),
        "streaks": [
            {
                "games": f"{each.games}{'+' if each.more else ''}",
                "name": translator(language).gettext(labels.STREAKS[each.kind]),
            }
            for each in await members.streaks(member.id)
        ],
        **_calendar(await members.days(member.id, today - YEAR, computer=mine), today, language),
        "against": None if mine or reader is None else _against(await members.between(reader, member.id)),
    }


def _against(score: Score) -> dict[str, Any] | None:
    return _row("", score) if score.games else None


# --- Tables ----------------------------------------------------------------------------------------------------------


def _row(name: str, score: Score, **more: object) -> dict[str, Any]:
    return {
        "name": name,
        "score": score,
        "bar": graphs.shares(score.shares, RESULTS),
        "url": None,
        "sign": None,
        **more,
    }


def _tables(
    kinds: Mapping[Any, Score],
    scores: Mapping[Any, Mapping[str, Score]],
    opponents: Sequence[Opponent],
    *,
    mine: bool,
    language: str,
) -> list[dict[str, Any]]:
    _ = translator(language).gettext
    colors = {"white": _(N_("White")), "black": _(N_("Black"))}
    tables = [
        (
            _(N_("By kind of game")),
            _(N_("Only you see your games against the computer.")) if mine and kinds["computer"].games else None,
            [_row(_(labels.KIND_NAMES[each]), score) for each, score in kinds.items()],
        ),
        (
            _(N_("By colour")),
            None,
            [_row(name, scores.get("color", {}).get(each, Score())) for each, name in colors.items()],
        ),
        (
            _(N_("By opponent")),
            _(N_("With private games, which only you and the opponent see.")) if mine else _(N_("Public games only.")),
            [
                _row(each.name, each.score, url=profile_url(each.name), sign="BOT" if each.kind == "bot" else None)
                for each in opponents
            ],
        ),
        *(
            (title, None, _by_opening(scores.get(facet, {})))
            for facet, title in (
                ("white_opening", _(N_("First move with White"))),
                ("black_opening", _(N_("White’s first move, with Black"))),
            )
        ),
        (
            _(N_("By length")),
            None,
            [
                _row(labels.length_name(int(each), language), score)
                for each, score in sorted(scores.get("length", {}).items())
            ],
        ),
    ]
    made = [
        {"title": title, "note": note, "rows": [row for row in rows if row["score"].games]}
        for title, note, rows in tables
    ]
    return [each for each in made if each["rows"]]


def _by_opening(scores: Mapping[str, Score]) -> list[dict[str, Any]]:
    ordered = sorted(scores.items(), key=lambda each: (-each[1].games, each[0]))
    return [_row(move.replace("-", "–"), score) for move, score in ordered[:OPENINGS]]


# --- The history of a rating -----------------------------------------------------------------------------------------


def _history(points: Sequence[Point], today: int, language: str) -> dict[str, Any]:
    _ = translator(language).gettext
    if len(points) > MOST_POINTS:  # of each week the last
        points = list({each.day // 7: each for each in points}.values())
    rows = [
        {
            "name": localized.date(each.day * DAY_SECONDS, language),
            "rating": round(each.value),
            "off": 2 * round(each.deviation),
        }
        for each in reversed(points)
    ]
    if not points:
        return {"graph": None, "points": rows}
    first = min(points[0].day, today - 6)
    width = today - first
    drawn = [((each.day - first) / width, each.value, 2 * each.deviation) for each in points]
    low = max(LOWEST, min(value - off for _at, value, off in drawn))
    high = min(HIGHEST, max(value + off for _at, value, off in drawn))
    levels = graphs.steps(high, least=low)
    drawn.append((1.0, drawn[-1][1], drawn[-1][2]))
    feet = [(part / 2, localized.date((first + round(width * part / 2)) * DAY_SECONDS, language)) for part in range(3)]
    label = _(N_("The rating over time, and how sure it is; the numbers stand in the table beneath."))
    graph = graphs.band(drawn, levels, [f"{each:.0f}" for each in levels], feet, label)
    return {"graph": graph, "points": rows}


# --- The calendar ----------------------------------------------------------------------------------------------------


def _calendar(days: Mapping[int, int], today: int, language: str) -> dict[str, Any]:
    _ = translator(language).gettext
    first = today - YEAR + 1
    monday = first - _date(first).weekday()
    shown = today + 1 - monday
    weeks = (shown + 6) // 7
    months: dict[date, int] = {}
    feet: list[tuple[float, str]] = []
    for day in range(first, today + 1):
        month = _date(day).replace(day=1)
        if month not in months:
            months[month] = 0
            at = ((day - monday) // 7) / weeks
            if len(months) % 2 == 0 and at < 0.95:
                feet.append((at, _month(month, "MMM", language)))
        months[month] += days.get(day, 0)
    year = {day: games for day, games in days.items() if first <= day <= today}
    played = sum(year.values())
    label = _(N_("Games a day in the last twelve months; the months stand in the table beneath."))
    return {
        "calendar": graphs.calendar(year, monday, shown, feet, label) if played else None,
        "year": played,
        "months": [
            {"name": _month(month, "yMMMM", language), "games": games} for month, games in reversed(months.items())
        ],
    }


def _date(day: int) -> date:
    return date(1970, 1, 1) + timedelta(days=day)


@lru_cache(maxsize=localized.REMEMBERED)
def _month(month: date, skeleton: str, language: str) -> str:
    moment = datetime(month.year, month.month, 1, tzinfo=UTC)
    return format_skeleton(skeleton, moment, locale=localized.locale(language))
