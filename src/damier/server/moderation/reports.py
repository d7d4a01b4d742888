"""Reports: who finds what wrong, with how it was at that moment; and the moderators' queue of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from sqlalchemy import func, insert, select

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.moderation.subjects import Context, What, concerned, decode, look
from damier.server.play.service import new_id
from damier.server.tables import person, report
from damier.server.words import valid_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

Reason: TypeAlias = Literal["insult", "spam", "cheating", "name", "off_topic", "other"]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
HELD: Final = "held"
"""The reason of the club's own reports: a new member's words wait for a moderator."""
REASON_NAMES: Final[dict[str, str]] = {
    "insult": N_("Insults or threats"),
    "spam": N_("Advertising"),
    "cheating": N_("Cheating: help of a program, or a game that was not played in earnest"),
    "name": N_("A name that offends or deceives"),
    "off_topic": N_("It does not belong here"),
    "other": N_("Something else"),
    HELD: N_("By a new member: waits to be let through"),
}
FITTING: Final[dict[What, tuple[Reason, ...]]] = {
    "post": ("insult", "spam", "off_topic", "other"),
    "member": ("name", "insult", "spam", "cheating", "other"),
    "chat": ("insult", "spam", "name", "other"),
    "game": ("cheating", "insult", "name", "other"),
}
LONGEST_WORDS: Final = 500
DAY: Final = 86_400.0
MOST_A_DAY: Final = 10
"""Reports of one person."""
QUEUE: Final = 100
"""Things that the queue shows at once; there is room as they are dealt with."""


class ReportError(DamierError):
    """Why something was not reported."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report as moderators read it. ``reporter``: the name; None for a guest, and for the club itself."""

    reporter: str | None
    reason: str
    words: str
    context: Context
    created: float


@dataclass(frozen=True, slots=True)
class Case:
    """All that is reported about one thing and not yet looked at. ``reasons``: each with how often, most often first."""

    what: What
    subject: str
    reports: int
    reasons: tuple[tuple[str, int], ...]
    since: float
    context: Context


class Reports:
    """A club's reports. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    async def file(self, reporter: str, context: Context, reason: str, words: str) -> None:
        """Report something. Who reports the same thing again before it was looked at is thanked, and nothing is added.

        Raises :class:`ReportError` and BadWords.
        """
        if reason not in FITTING[context.what]:
            raise ReportError(N_("Choose what is wrong."))
        words = valid_words(words, LONGEST_WORDS, least=1 if reason == "other" else 0)
        if reporter in (each.id for each in context.people) and context.what != "game":
            raise ReportError(N_("This is your own."))
        now = self._now()
        async with self._engine.begin() as connection:
            # whoever sends two at the same moment waits for himself here
            await connection.execute(select(person.c.id).where(person.c.id == reporter).with_for_update())
            same = await connection.execute(
                select(report.c.id).where(
                    report.c.what == context.what,
                    report.c.subject == context.subject,
                    report.c.reporter == reporter,
                    report.c.closed.is_(None),
                )
            )
            if same.first() is not None:
                return
            lately = await connection.execute(
                select(func.count())
                .select_from(report)
                .where(report.c.reporter == reporter, report.c.created > now - DAY)
            )
            if lately.scalar_one() >= MOST_A_DAY:
                raise ReportError(N_("You have reported much today. What is left can wait until tomorrow."))
            await enter(connection, context, reporter, reason, words, now)

    async def cases(self, keeper: str | None = None) -> list[Case]:
        """What waits to be looked at, what has waited longest first; without what concerns the moderator who asks."""
        async with self._engine.connect() as connection:
            first = func.min(report.c.created)
            groups = await connection.execute(
                select(report.c.what, report.c.subject, func.count().label("reports"), first.label("since"))
                .where(report.c.closed.is_(None))
                .group_by(report.c.what, report.c.subject)
                .order_by(first, report.c.subject)
                .limit(QUEUE)
            )
            cases: list[Case] = []
            for group in groups.all():
                found = await _open(connection, group.what, group.subject)
                if not found:  # looked at this instant
                    continue
                if keeper is not None and keeper in await concerned_by(connection, group.what, group.subject):
                    continue
                counts: dict[str, int] = {}
                for each in found:
                    counts[each.reason] = counts.get(each.reason, 0) + 1
                reasons = tuple(sorted(counts.items(), key=lambda pair: -pair[1]))
                cases.append(Case(group.what, group.subject, group.reports, reasons, group.since, found[-1].context))
        return cases

    async def of(self, what: What, subject: str) -> list[Report]:
        """The reports about something that nobody has looked at, the first one first."""
        async with self._engine.connect() as connection:
            return await _open(connection, what, subject)

    async def concern(self, keeper: str, what: What, subject: str) -> bool:
        """Whether something, or what is reported about it, concerns this moderator, who is not to judge it then."""
        async with self._engine.connect() as connection:
            return keeper in await concerned_by(connection, what, subject)


async def concerned_by(connection: AsyncConnection, what: What, subject: str) -> set[str]:
    """The ids of all whom something concerns as it is now, or did when it was reported."""
    present = await look(connection, what, subject)
    people = set[str]() if present is None else await concerned(connection, present)
    rows = await connection.execute(
        select(report.c.person, report.c.context).where(
            report.c.what == what, report.c.subject == subject, report.c.closed.is_(None)
        )
    )
    for each in rows.all():
        people |= {named.id for named in decode(each.context).people}
        people |= set() if each.person is None else {each.person}
    return people


async def _open(connection: AsyncConnection, what: What, subject: str) -> list[Report]:
    rows = await connection.execute(
        select(report, person.c.name)
        .outerjoin(person, person.c.id == report.c.reporter)
        .where(report.c.what == what, report.c.subject == subject, report.c.closed.is_(None))
        .order_by(report.c.created, report.c.id)
        .limit(QUEUE)
    )
    return [Report(row.name, row.reason, row.words, decode(row.context), row.created) for row in rows]


async def enter(
    connection: AsyncConnection, context: Context, reporter: str | None, reason: str, words: str, now: float
) -> None:
    """Enter a report; ``reporter``: None for the club itself."""
    await connection.execute(
        insert(report).values(
            id=new_id(),
            what=context.what,
            subject=context.subject,
            person=context.person,
            reporter=reporter,
            reason=reason,
            words=words,
            context=context.encode(),
            created=now,
        )
    )


def fitting(what: What) -> Sequence[Reason]:
    """The reasons that something of a kind is reported for."""
    return FITTING[what]
