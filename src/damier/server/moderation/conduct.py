"""What moderators have laid upon people, and what these are to be told at their next visit."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select, update

from damier.i18n import N_
from damier.refusals import GameError
from damier.server.database import insert_if_missing
from damier.server.moderation.log import names_taken
from damier.server.people import BadName, name_key, take_name, valid_member_name
from damier.server.tables import account, conduct, person, warning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

_NOTHING: Final = {"silenced_until": None, "must_rename": False, "warned": False, "looked_at": False}


class Silenced(GameError):
    """Words of somebody who may say nothing for a time."""

    code = "silenced"
    text = N_("A moderator has silenced you for a time: you cannot chat or write.")


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning that has not been read. ``created``: seconds since 1970."""

    words: str
    created: float


@dataclass(frozen=True, slots=True)
class ToRead:
    """What somebody is to be told. ``name``: what the moderators have put for a name that could not stay."""

    warnings: tuple[Warned, ...] = ()
    silenced_until: float | None = None
    must_rename: bool = False
    name: str | None = None


class Conduct:
    """Reads what has been laid upon people, and notes what they have read. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    async def expect_not_silenced(self, who: str) -> None:
        """Raise :class:`Silenced` for somebody who may say nothing now."""
        if await self.silenced_until(who) is not None:
            raise Silenced

    async def silenced_until(self, who: str) -> float | None:
        """Until when somebody may say nothing; None for who may speak."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(conduct.c.silenced_until).where(conduct.c.person == who, conduct.c.silenced_until > self._now())
            )
            return rows.scalar_one_or_none()

    async def to_read(self, who: str) -> ToRead:
        """What somebody is to be told."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(conduct.c.silenced_until, conduct.c.must_rename, person.c.name)
                .join(person, person.c.id == conduct.c.person)
                .where(conduct.c.person == who)
            )
            row = rows.one_or_none()
            if row is None:
                return ToRead()
            unread = await connection.execute(
                select(warning.c.words, warning.c.created)
                .where(warning.c.person == who, warning.c.read.is_(None))
                .order_by(warning.c.created)
            )
            warnings = tuple(Warned(each.words, each.created) for each in unread)
        until = row.silenced_until
        return ToRead(warnings, until if until and until > self._now() else None, row.must_rename, row.name)

    async def have_read(self, who: str) -> None:
        """Note that somebody says that the warnings are read."""
        async with self._engine.begin() as connection:
            await connection.execute(
                update(warning).where(warning.c.person == who, warning.c.read.is_(None)).values(read=self._now())
            )
            await connection.execute(update(conduct).where(conduct.c.person == who).values(warned=False))

    async def have_heard(self, who: str) -> None:
        """Note that somebody knows that what he has reported was looked at."""
        async with self._engine.begin() as connection:
            await connection.execute(update(conduct).where(conduct.c.person == who).values(looked_at=False))

    async def choose_name(self, who: str, text: str) -> str:
        """Give somebody whose name could not stay the one that he chooses now. Raises :class:`BadName`."""
        name = valid_member_name(text)
        async with self._engine.begin() as connection:
            rows = await connection.execute(
                select(conduct.c.must_rename)
                .join(account, account.c.person == conduct.c.person)
                .where(conduct.c.person == who)
            )
            if not rows.scalar_one_or_none():
                raise BadName(N_("A member keeps the name."))
            if name_key(name) in map(name_key, await names_taken(connection, who)):
                raise BadName(N_("This name could not stay. Choose another."))
            await take_name(connection, who, name, self._now())
            await connection.execute(
                update(person).where(person.c.id == who).values(name=name, name_key=name_key(name))
            )
            await lay_upon(connection, [who], must_rename=False)
        return name


async def lay_upon(connection: AsyncConnection, people: Iterable[str], **values: object) -> None:
    """Change what is laid upon people who are in the books."""
    known = await connection.execute(select(person.c.id).where(person.c.id.in_(set(people))).order_by(person.c.id))
    for each in known.scalars().all():
        await connection.execute(insert_if_missing(connection, conduct, person=each, **_NOTHING))
        await connection.execute(update(conduct).where(conduct.c.person == each).values(**values))
