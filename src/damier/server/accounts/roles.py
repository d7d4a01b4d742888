"""Who keeps order in the club: moderators and administrators; what the operator does for members by hand."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select, update

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.service import token_hash
from damier.server.people import LONGEST_TYPED, Role, name_key
from damier.server.tables import account, letter_link, person

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

LINK_SECONDS: Final = 3600
"""For which a link to a new password opens."""


class NoSuchMember(DamierError):
    """A name that no member has."""

    def __init__(self, name: str) -> None:
        super().__init__(N_("No member has the name {name}."), name=name[:LONGEST_TYPED])


class NoRoleForBots(DamierError):
    """A program is to keep order among people."""

    def __init__(self, name: str) -> None:
        super().__init__(N_("{name} is a bot, which can only be a player."), name=name)


@dataclass(frozen=True, slots=True)
class Member:
    """A member with a role. ``joined``: seconds since 1970."""

    name: str
    role: Role
    joined: float


class Roles:
    """The roles of a club's members. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    async def staff(self) -> list[Member]:
        """The administrators and the moderators, in the order of their names."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(person.c.name, account.c.role, account.c.joined)
                .join(account, account.c.person == person.c.id)
                .where(account.c.role != "player", person.c.kind == "member")
                .order_by(account.c.role, person.c.name_key)
            )
            return [Member(row.name, row.role, row.joined) for row in rows]

    async def appoint(self, name: str, role: Role) -> str:
        """Give a member a role, which holds from the next page on; returns the name as it is written.

        Raises :class:`NoSuchMember` and :class:`NoRoleForBots`.
        """
        async with self._engine.begin() as connection:
            row = await self._find(connection, name)
            if row["kind"] == "bot" and role != "player":
                raise NoRoleForBots(row["name"])
            await connection.execute(update(account).where(account.c.person == row["id"]).values(role=role))
        return row["name"]

    async def recovery(self, name: str) -> tuple[str, str]:
        """The name as it is written, and the path of a link that opens the account once, to a new password.

        It holds for an hour; those given before do not any more. Raises :class:`NoSuchMember`.
        """
        token, now = secrets.token_urlsafe(32), self._now()
        async with self._engine.begin() as connection:
            row = await self._find(connection, name)
            mine = letter_link.c.person == row["id"], letter_link.c.purpose == "recover"
            await connection.execute(delete(letter_link).where(*mine))
            await connection.execute(
                insert(letter_link).values(
                    token_hash=token_hash(token),
                    person=row["id"],
                    purpose="recover",
                    email=row["email"] or "",
                    expires=now + LINK_SECONDS,
                )
            )
        return row["name"], f"/recover/{token}"

    @staticmethod
    async def _find(connection: AsyncConnection, name: str) -> RowMapping:
        rows = await connection.execute(
            select(person.c.id, person.c.kind, person.c.name, account.c.email)
            .join(account, account.c.person == person.c.id)
            .where(person.c.name_key == name_key(name[:LONGEST_TYPED]), person.c.kind.in_(("member", "bot")))
        )
        row = rows.mappings().one_or_none()
        if row is None:
            raise NoSuchMember(name)
        return row
