"""Letters that members are sent about their accounts, and the links in them, each of which opens something once."""

from __future__ import annotations

import logging
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, insert, select, update

from damier.errors import DamierError
from damier.i18n import N_, translator
from damier.server.accounts.news import LoggedOut, encoded
from damier.server.accounts.passwords import valid_password
from damier.server.accounts.service import token_hash
from damier.server.accounts.throttle import Meter, Rate, TooMany
from damier.server.mail import NotSent, valid_address
from damier.server.people import LONGEST_TYPED, name_key
from damier.server.tables import account, letter_link, person, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.accounts.passwords import Passwords
    from damier.server.bus import Bus
    from damier.server.mail import Mailer

CONFIRM_SECONDS: Final = 86_400
RECOVER_SECONDS: Final = 3_600
MOST_OF_AN_ADDRESS: Final = 5
"""Accounts with the same e-mail address that are sent a letter each."""
OF_A_MEMBER: Final = Rate(3, 1_200)
"""How many letters of each kind one member is sent."""

CONFIRM_SUBJECT: Final = N_("Your e-mail address at Damier")
CONFIRM_TEXT: Final = N_(
    "Hello {name},\n\nyou gave this address for your account at the draughts club. Open this link to confirm that it is"
    " yours; it works for 24 hours:\n\n{link}\n\nIf it was not you, do nothing: the address will not be used."
)
RECOVER_SUBJECT: Final = N_("A new password for Damier")
RECOVER_TEXT: Final = N_(
    "Hello {name},\n\nsomebody asked to get back into your account at the draughts club. If it was you, open this link"
    " and choose a new password; it works once, within the hour:\n\n{link}\n\nIf it was not you, do nothing: your"
    " password stays as it is."
)

log = logging.getLogger(__name__)


class BadLink(DamierError):
    """A link of a letter that opens nothing, or no longer."""

    def __init__(self) -> None:
        super().__init__(N_("This link has been used, or it is too old."))


@dataclass(frozen=True, slots=True)
class Link:
    """What a link in a letter is about."""

    person: str
    name: str
    email: str


class Letters:
    """Sends letters about accounts and does what their links are for. ``now``: seconds since 1970."""

    def __init__(
        self,
        engine: AsyncEngine,
        passwords: Passwords,
        mailer: Mailer,
        bus: Bus | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._passwords = passwords
        self._mailer = mailer
        self._bus = bus
        self._now = now
        self._confirmations = Meter(OF_A_MEMBER, now=now)
        self._recoveries = Meter(OF_A_MEMBER, now=now)

    # --- An address is the member's own ---

    async def ask(self, person_id: str, email: str, club: str, language: str) -> str:
        """Send a letter to what a member says is his address, which is kept when its link has been opened.

        ``club``: the beginning of the club's addresses. Returns the address as it will be kept. Raises BadAddress,
        NotSent, and TooMany.
        """
        email = valid_address(email)
        wait = self._confirmations.take(person_id)
        if wait:
            raise TooMany(N_("You have been sent enough letters. Try again in {minutes} min."), wait)
        async with self._engine.connect() as connection:
            found = await connection.execute(select(person.c.name).where(person.c.id == person_id))
            name = found.scalar_one()
        token = await self._link(person_id, "confirm", email, CONFIRM_SECONDS, alone=True)
        await self._send(email, CONFIRM_SUBJECT, CONFIRM_TEXT, language, name, f"{club}/account/confirm/{token}")
        return email

    async def asked(self, token: str) -> Link:
        """What a link of :meth:`ask` is about. Raises :class:`BadLink`."""
        return await self._read(token, "confirm")

    async def confirm(self, token: str) -> Link:
        """Keep the address that the link was sent to. Raises :class:`BadLink`."""
        link = await self._read(token, "confirm")
        async with self._engine.begin() as connection:
            used = await connection.execute(delete(letter_link).where(letter_link.c.token_hash == token_hash(token)))
            if used.rowcount != 1:
                raise BadLink
            await connection.execute(update(account).where(account.c.person == link.person).values(email=link.email))
        return link

    # --- A password is forgotten ---

    async def forgotten(self, text: str, club: str) -> None:
        """Send a letter to the member of this name, or to those with this e-mail address, if there are any.

        Never says whether there are. To be done when whoever asked has been answered: the time would tell.
        """
        if not text.isprintable():
            return
        if "@" in text:
            wanted = account.c.email == text.strip().lower()
        else:
            wanted = person.c.name_key == name_key(text[:LONGEST_TYPED])
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(person.c.id, person.c.name, account.c.email, account.c.language)
                .join(account, account.c.person == person.c.id)
                .where(wanted, account.c.email.is_not(None), person.c.kind.in_(("member", "bot")))
                .order_by(account.c.joined)
                .limit(MOST_OF_AN_ADDRESS)
            )
            found = rows.all()
        for row in found:
            if self._recoveries.take(row.id):
                continue
            token = await self._link(row.id, "recover", row.email, RECOVER_SECONDS)
            try:
                link = f"{club}/recover/{token}"
                await self._send(row.email, RECOVER_SUBJECT, RECOVER_TEXT, row.language, row.name, link)
            except NotSent:
                continue  # the log says so

    async def recovering(self, token: str) -> Link:
        """Whose password a link is to set anew. Raises :class:`BadLink`."""
        return await self._read(token, "recover")

    async def recover(self, token: str, password: str) -> Link:
        """Set a new password, end all sessions, and make all links like this one useless; passkeys stay.

        Raises :class:`BadLink`, BadPassword, and TooMany.
        """
        link = await self._read(token, "recover")
        kept = await self._passwords.hash(valid_password(password, link.name), link.person)
        async with self._engine.begin() as connection:
            used = await connection.execute(delete(letter_link).where(letter_link.c.token_hash == token_hash(token)))
            if used.rowcount != 1:
                raise BadLink
            changed = await connection.execute(
                update(account)
                .where(account.c.person == link.person, func.coalesce(account.c.email, "") == link.email)
                .values(password=kept)
            )
            if changed.rowcount != 1:
                raise BadLink
            # an address that waits to be confirmed may be that of whoever has known the old password
            await connection.execute(delete(letter_link).where(letter_link.c.person == link.person))
            await connection.execute(delete(session).where(session.c.person == link.person))
        if self._bus is not None:
            await self._bus.publish(f"person:{link.person}", encoded(LoggedOut()))
        return link

    # --- Links and letters ---

    async def _link(self, person_id: str, purpose: str, email: str, seconds: float, *, alone: bool = False) -> str:
        """The token of a new link. ``alone``: those before it open nothing any more."""
        token, now = secrets.token_urlsafe(32), self._now()
        async with self._engine.begin() as connection:
            old = letter_link.c.expires <= now
            if alone:
                old |= (letter_link.c.person == person_id) & (letter_link.c.purpose == purpose)
            await connection.execute(delete(letter_link).where(old))
            await connection.execute(
                insert(letter_link).values(
                    token_hash=token_hash(token), person=person_id, purpose=purpose, email=email, expires=now + seconds
                )
            )
        return token

    async def _read(self, token: str, purpose: str) -> Link:
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(letter_link.c.person, letter_link.c.email, person.c.name, account.c.email.label("present"))
                .join(person, person.c.id == letter_link.c.person)
                .join(account, account.c.person == letter_link.c.person)
                .where(
                    letter_link.c.token_hash == token_hash(token),
                    letter_link.c.purpose == purpose,
                    letter_link.c.expires > self._now(),
                )
            )
            row = rows.one_or_none()
        # who has taken the address away from the account has taken its letters' power too
        if row is None or (purpose == "recover" and (row.present or "") != row.email):
            raise BadLink
        return Link(row.person, row.name or "", row.email)

    async def _send(self, to: str, subject: str, text: str, language: str, name: str, link: str) -> None:
        _ = translator(language).gettext
        await self._mailer.send(to, _(subject), _(text).format(name=name, link=link) + "\n")
