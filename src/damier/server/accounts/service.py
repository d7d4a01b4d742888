"""What members can do with their accounts: become one, log in and out, see where, change the password."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, exists, insert, select, update

from damier.errors import DamierError
from damier.i18n import DEFAULT_LANGUAGE, N_
from damier.server.accounts import passkeys
from damier.server.accounts.news import GUESTS, LoggedOut, encoded
from damier.server.accounts.passwords import valid_password
from damier.server.people import LONGEST_TYPED, MEMBER_NAMES, SEEN_EVERY, Who, name_key, take_name, valid_member_name
from damier.server.tables import account, letter_link, passkey, person, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.server.accounts.passkeys import NewPasskey
    from damier.server.accounts.passwords import Passwords
    from damier.server.bus import Bus

SESSION_AGE: Final = 90 * 86_400
"""Seconds after the last visit at which a browser is logged out."""
LONGEST_DEVICE: Final = 200
MOST_SESSIONS: Final = 50
"""Browsers in which one member is logged in; the one that has been away for the longest is logged out first."""


class NotAllowed(DamierError):
    """What somebody asked of an account is not his to do."""


class ClosedAccount(NotAllowed):
    """The account has been closed by moderators: it opens to nobody, and nothing of it is gone."""

    def __init__(self) -> None:
        super().__init__(N_("The moderators have closed this account."))


WRONG: Final = N_("This is not your present password.")


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which a member is logged in. ``id``: names it to its owner, and opens nothing."""

    id: str
    device: str
    created: float
    seen: float


@dataclass(frozen=True, slots=True)
class Account:
    """What a member has beyond a guest. ``email``: known to be the member's own; None without one."""

    person: str
    name: str
    has_password: bool
    email: str | None
    language: str
    joined: float


def token_hash(token: str) -> str:
    """What is kept of a session's token, which has 256 random bits: no salt could make it harder to guess."""
    return hashlib.sha256(token.encode()).hexdigest()


class Accounts:
    """The members' accounts. ``bus``: on which the sockets are told whose sessions have ended."""

    def __init__(
        self,
        engine: AsyncEngine,
        passwords: Passwords,
        now: Callable[[], float] = time.time,
        bus: Bus | None = None,
    ) -> None:
        self._engine = engine
        self._passwords = passwords
        self._now = now
        self._bus = bus

    # --- Becoming a member, and coming in ---

    async def join(
        self,
        person_id: str,
        name: str,
        password: str | None,
        language: str = DEFAULT_LANGUAGE,
        key: NewPasskey | None = None,
        line: str = "",
    ) -> Who:
        """Make a guest, who is in the books, a member; the id stays, and with it all games.

        ``password``: None for who logs in by the passkey ``key``. ``language``: of the letters that the member may be
        sent. ``line``: in which the password waits for its turn.

        Raises BadName, BadPassword, PasskeyRefused, NotAllowed for who is no guest, and TooMany.
        """
        name = valid_member_name(name)
        if password is None and key is None:
            raise NotAllowed(N_("A member needs a password or a passkey."))
        kept = None if password is None else await self._passwords.hash(valid_password(password, name), line)
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
            if key is not None:
                await passkeys.keep(connection, person_id, key, self._now())
        # what the guest has open comes back as the member's
        await self._tell(person_id, LoggedOut(ended=GUESTS))
        return Who(person_id, "member", name)

    async def log_in(
        self, name: str, password: str, device: str, line: str = "", *, friend: bool = False
    ) -> str | None:
        """A new session's token for a member's right password, and None for anything else, whether known or not.

        ``line``: in which the password waits for its turn; ``friend``: whether it comes from where that member has
        logged in lately. Raises TooMany, and :class:`ClosedAccount` for the right password of one that is closed.
        """
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(person.c.id, account.c.password)
                .join(account, account.c.person == person.c.id)
                .where(person.c.name_key == name_key(name[:LONGEST_TYPED]), person.c.kind.in_(MEMBER_NAMES))
            )
            row = found.one_or_none()
        verdict = await self._passwords.check(password, None if row is None else row.password, line, friend=friend)
        if row is None or not verdict.genuine:
            return None
        async with self._engine.begin() as connection:
            # not if the password was changed while this one was compared
            kept = await connection.execute(
                update(account)
                .where(account.c.person == row.id, account.c.password == row.password)
                .values(password=verdict.renewed or row.password)
            )
            return await self._open(connection, row.id, device) if kept.rowcount == 1 else None

    async def begin_session(self, person_id: str, device: str) -> str:
        """A new session's token for a member who has shown a passkey, or has just joined.

        Raises :class:`ClosedAccount`.
        """
        async with self._engine.begin() as connection:
            return await self._open(connection, person_id, device)

    async def _open(self, connection: AsyncConnection, person_id: str, device: str) -> str:
        token, now = secrets.token_urlsafe(32), self._now()
        kind = await connection.execute(select(person.c.kind).where(person.c.id == person_id))
        if kind.scalar_one_or_none() == "closed":
            raise ClosedAccount
        await connection.execute(
            insert(session).values(
                token_hash=token_hash(token), person=person_id, device=device[:LONGEST_DEVICE], created=now, seen=now
            )
        )
        # also those that have run out, which nobody else removes
        oldest = (
            select(session.c.token_hash)
            .where(session.c.person == person_id)
            .order_by(session.c.seen.desc(), session.c.created.desc())
            .limit(MOST_SESSIONS)
        )
        await connection.execute(
            delete(session).where(
                session.c.person == person_id,
                (session.c.seen <= now - SESSION_AGE) | session.c.token_hash.not_in(oldest),
            )
        )
        return token

    # --- Sessions ---

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

    async def speak(self, person_id: str, language: str) -> None:
        """Use a language from now on: for pages, where a browser has chosen none, and for letters."""
        async with self._engine.begin() as connection:
            await connection.execute(update(account).where(account.c.person == person_id).values(language=language))

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
        if not session_id.isalnum():
            return False
        async with self._engine.begin() as connection:
            ended = await connection.execute(
                delete(session).where(session.c.person == person_id, session.c.token_hash == session_id)
            )
        if ended.rowcount == 1:
            await self._tell(person_id, LoggedOut(ended=session_id))
        return ended.rowcount == 1

    async def log_out_everywhere(self, person_id: str) -> None:
        """End all of a member's sessions."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(session).where(session.c.person == person_id))
        await self._tell(person_id, LoggedOut())

    async def _tell(self, person_id: str, news: LoggedOut) -> None:
        if self._bus is not None:
            await self._bus.publish(f"person:{person_id}", encoded(news))

    # --- The account itself ---

    async def of(self, person_id: str) -> Account | None:
        """A member's account; None for who is no member."""
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(person.c.name, account)
                .join(account, account.c.person == person.c.id)
                .where(person.c.id == person_id)
            )
            row = found.one_or_none()
        if row is None:
            return None
        return Account(person_id, row.name or "", row.password is not None, row.email, row.language, row.joined)

    async def prove(self, person_id: str, password: str) -> None:
        """Raise NotAllowed unless this is the member's present password, or the member has none."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(account.c.password).where(account.c.person == person_id))
            row = found.one_or_none()
        if row is not None and row.password is None:
            return
        verdict = await self._passwords.check(password, None if row is None else row.password, person_id, friend=True)
        if not verdict.genuine:
            raise NotAllowed(WRONG)

    async def change_password(self, person_id: str, old: str, new: str, token: str) -> None:
        """Set another password and end every session but the one whose token is given.

        ``old``: not looked at where the member has had none. Raises BadPassword for a new one that is refused,
        NotAllowed when the old one is not right, and TooMany.
        """
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(person.c.name, account.c.password)
                .join(account, account.c.person == person.c.id)
                .where(person.c.id == person_id)
            )
            row = found.one_or_none()
        if row is None:
            raise NotAllowed(WRONG)
        if (
            row.password is not None
            and not (await self._passwords.check(old, row.password, person_id, friend=True)).genuine
        ):
            raise NotAllowed(WRONG)
        kept = await self._passwords.hash(valid_password(new, row.name), person_id)
        unchanged = account.c.password.is_(None) if row.password is None else account.c.password == row.password
        async with self._engine.begin() as connection:
            changed = await connection.execute(
                update(account).where(account.c.person == person_id, unchanged).values(password=kept)
            )
            if changed.rowcount != 1:
                raise NotAllowed(WRONG)
            # an address that waits to be confirmed may be that of whoever has known the old password
            await connection.execute(delete(letter_link).where(letter_link.c.person == person_id))
            await connection.execute(
                delete(session).where(session.c.person == person_id, session.c.token_hash != token_hash(token))
            )
        await self._tell(person_id, LoggedOut(kept=token_hash(token)))

    async def remove_password(self, person_id: str) -> None:
        """Let a member log in by passkey alone from now on. Raises NotAllowed where there is none."""
        async with self._engine.begin() as connection:
            await connection.execute(select(account.c.person).where(account.c.person == person_id).with_for_update())
            removed = await connection.execute(
                update(account)
                .where(and_(account.c.person == person_id, exists().where(passkey.c.person == person_id)))
                .values(password=None)
            )
            if removed.rowcount != 1:
                raise NotAllowed(N_("Add a passkey first: without one you could not log in any more."))

    async def remove_email(self, person_id: str) -> None:
        """Forget a member's e-mail address; links that were sent to any open nothing any more."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(letter_link).where(letter_link.c.person == person_id))
            await connection.execute(
                update(account).where(account.c.person == person_id).values(email=None, daily=False)
            )

    async def has_password(self, person_id: str) -> bool:
        """Whether a member can log in with a password."""
        async with self._engine.connect() as connection:
            found = await connection.execute(select(account.c.password).where(account.c.person == person_id))
            return found.scalar_one_or_none() is not None
