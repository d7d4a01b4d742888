"""The log of what moderators have done: read here, written by :mod:`damier.server.moderation.deeds`, changed by nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import msgspec
from sqlalchemy import exists, select

from damier.i18n import N_
from damier.server.tables import deed, person

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.server.moderation.subjects import What

Action: TypeAlias = Literal["show", "hide", "rename", "warn", "silence", "close", "annul", "dismiss", "undo"]

ACTION_NAMES: Final[dict[Action, str]] = {
    "show": N_("Let stand"),
    "hide": N_("Hidden"),
    "rename": N_("Name taken away"),
    "warn": N_("Warned"),
    "silence": N_("Silenced"),
    "close": N_("Account closed"),
    "annul": N_("Game annulled"),
    "dismiss": N_("Looked at, nothing to do"),
    "undo": N_("Taken back"),
}
PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Deed:
    """What a moderator has done. ``person``, ``moderator``: names as they are now, None for who is gone or has none.

    ``before``: what was there before, for people to read; ``undone``: whether it was taken back; ``undoes``: what this
    one has taken back.
    """

    id: int
    at: float
    moderator: str | None
    action: Action
    what: What
    subject: str
    person: str | None
    words: str
    before: str
    undone: bool
    undoes: Action | None


class Log:
    """Reads what moderators have done."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def page(self, number: int = 1) -> tuple[list[Deed], bool]:
        """So many deeds, the latest first, and whether there are more after them."""
        found = await self._read(select(deed).offset((number - 1) * PAGE).limit(PAGE + 1))
        return found[:PAGE], len(found) > PAGE

    async def about(self, what: What, subject: str, people: list[str]) -> list[Deed]:
        """What was done about something before, and about these people, the latest first."""
        here = (deed.c.what == what) & (deed.c.subject == subject)
        return await self._read(select(deed).where(here | deed.c.person.in_(people)).limit(PAGE))

    async def _read(self, question: Any) -> list[Deed]:
        other, moderator, about = deed.alias("other"), person.alias("moderator"), person.alias("about")
        columns = (
            moderator.c.name.label("by"),
            about.c.name.label("of"),
            exists().where(other.c.undoes == deed.c.id).label("undone"),
            select(other.c.action).where(other.c.id == deed.c.undoes).scalar_subquery().label("undid"),
        )
        question = (
            question.add_columns(*columns)
            .outerjoin(moderator, moderator.c.id == deed.c.moderator)
            .outerjoin(about, about.c.id == deed.c.person)
            .order_by(deed.c.id.desc())
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(question)).all()
        return [
            Deed(
                row.id,
                row.at,
                row.by,
                row.action,
                row.what,
                row.subject,
                row.of,
                row.words,
                _readable(row.before),
                bool(row.undone),
                cast("Action | None", row.undid),
            )
            for row in rows
        ]


def _readable(before: str | None) -> str:
    """What a deed has taken away, where that is words or a name."""
    kept: dict[str, Any] = msgspec.json.decode(before or "{}")
    return next((str(kept[name]) for name in ("words", "name") if kept.get(name)), "")


async def names_taken(connection: AsyncConnection, who: str) -> list[str]:
    """The names that moderators have taken from somebody and not given back."""
    other = deed.alias("other")
    rows = await connection.execute(
        select(deed.c.before).where(
            deed.c.person == who, deed.c.action == "rename", ~exists().where(other.c.undoes == deed.c.id)
        )
    )
    kept: list[dict[str, Any]] = [msgspec.json.decode(each or "{}") for each in rows.scalars()]
    return [each["name"] for each in kept if each.get("name")]
