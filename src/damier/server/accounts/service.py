"""What members can do with their accounts: become one, log in and out, see where, change the password."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select, update

from damier.errors import DamierError
from damier.i18n import DEFAULT_LANGUAGE, N_
from damier.server.accounts.passwords import valid_password
from damier.server.people import LONGEST_TYPED, SEEN_EVERY, Who, name_key, take_name, valid_member_name
from damier.server.tables import account, person, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.accounts.passwords import Passwords

SESSION_AGE: Final = 90 * 86_400
"""Seconds after the last visit at which a browser is logged out."""
LONGEST_DEVICE: Final = 200


class NotAllowed(DamierError):
    """What somebody asked of an account is not his to do."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which a member is logged in. ``id``: names it to its owner, and opens nothing."""

    id: str
    device: str
    created: float
    seen: float


def token_hash(token: str) -> str:
    """What is kept of a session's token, which has 256 random bits: no salt could make it harder to guess."""
    return hashlib.sha256(token.encode()).hexdigest()


class Accounts:
    """The members' accounts."""

    def __init__(self, engine: AsyncEngine, passwords: Passwords, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._passwords = passwords
        self._now = now

    async def join(self, person_id: str, name: str, password: str, language: str = DEFAULT_LANGUAGE) -> Who:
        """Make a guest, who is in the books, a member; the id stays, and with it all games.

        ``language``: of the letters that the member may be sent.

        Raises BadName, BadPassword, and NotAllowed for who is no guest.
        """
        name = valid_member_name(name)
        kept = await self._passwords.hash(valid_password(password, name))
        async with self._engine.begin() as connection:
            await take_name(connection, person_id, name, self._now())
            changed = await connection.execute(
                update(person)
                .where(person.c.id == person_id, person.c.kind == "guest")
                .values(kind="member", name=name, name_key=name_key(name))
            )
            if changed.rowcount != 1:
                raise NotAllowed(N_("Only a guest can become a member."))
            await connection.execute(
                insert(account).values(
                    person=person_id, password=kept, role="player", daily=False, language=language, joined=self._now()
                )
            )
        return Who(person_id, "member", name)

    async def log_in(self, name: str, password: str, device: str) -> str | None:
        """A new session's token for a member's right password, and None for anything else, whether known or not."""
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(person.c.id, account.c.password)
                .join(account, account.c.person == person.c.id)
                .where(person.c.name_key == name_key(name[:LONGEST_TYPED]), person.c.kind.in_(("member", "bot")))
            )
            row = found.one_or_none()
        verdict = await self._passwords.check(password, None if row is None else row.password)
        if row is None or not verdict.genuine:
            return None
        token, now = secrets.token_urlsafe(32), self._now()
        async with self._engine.begin() as connection:
            # not if the password was changed while this one was compared
            kept = await connection.execute(
                update(account)
                .where(account.c.person == row.id, account.c.password == row.password)
                .values(password=verdict.renewed or row.password)
            )
            if kept.rowcount != 1:
                return None
            await connection.execute(
                insert(session).values(
                    token_hash=token_hash(token), person=row.id, device=device[:LONGEST_DEVICE], created=now, seen=now
                )
            )
        return token

    async def person_of(self, token: str) -> str | None:
        """The id of the member who is logged in with a token; None when it opens nothing, or no longer."""
        now, hashed = self._now(), token_hash(token)
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(session.c.person, session.c.seen).where(
                    session.c.token_hash == hashed, session.c.seen > now - SESSION_AGE
                )
            )
            row = found.one_or_none()
        if row is None:
            return None
        if row.seen < now - SEEN_EVERY:
            async with self._engine.begin() as connection:
                await connection.execute(update(session).where(session.c.token_hash == hashed).values(seen=now))
        return row.person

    async def sessions(self, person_id: str) -> list[Session]:
        """Where a member is logged in, the last visit first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(session)
                .where(session.c.person == person_id, session.c.seen > self._now() - SESSION_AGE)
                .order_by(session.c.seen.desc(), session.c.created.desc())
            )
            return [Session(row.token_hash, row.device, row.created, row.seen) for row in rows]

    async def log_out(self, person_id: str, session_id: str) -> bool:
        """End one of a member's own sessions. Returns whether there was one."""
        async with self._engine.begin() as connection:
            ended = await connection.execute(
                delete(session).where(session.c.person == person_id, session.c.token_hash == session_id)
            )
            return ended.rowcount == 1

    async def log_out_everywhere(self, person_id: str) -> None:
        """End all of a member's sessions."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(session).where(session.c.person == person_id))

    async def change_password(self, person_id: str, old: str, new: str, token: str) -> None:
        """Set another password and end every session but the one whose token is given.

        Raises BadPassword for a new one that is refused, and NotAllowed when the old one is not right.
        """
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(person.c.name, account.c.password)
                .join(account, account.c.person == person.c.id)
                .where(person.c.id == person_id)
            )
            row = found.one_or_none()
        verdict = await self._passwords.check(old, None if row is None else row.password)
        if row is None or not verdict.genuine:
            raise NotAllowed(N_("This is not your present password."))
        kept = await self._passwords.hash(valid_password(new, row.name))
        async with self._engine.begin() as connection:
            changed = await connection.execute(
                update(account)
                .where(account.c.person == person_id, account.c.password == row.password)
                .values(password=kept)
            )
            if changed.rowcount != 1:
                raise NotAllowed(N_("This is not your present password."))
            await connection.execute(
                delete(session).where(session.c.person == person_id, session.c.token_hash != token_hash(token))
            )

    async def has_password(self, person_id: str) -> bool:
        """Whether a member can log in with a password."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(account.c.password).where(account.c.person == person_id))
            return found.scalar_one_or_none() is not None

    async def confirms(self, person_id: str, password: str) -> bool:
        """Whether this is the password of a member, who is logged in, for what a session alone is not enough."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(account.c.password).where(account.c.person == person_id))
            kept = found.scalar_one_or_none()
        return (await self._passwords.check(password, kept)).genuine
