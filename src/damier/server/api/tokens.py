"""Personal access tokens: what a member's programs show. Of each only its hash is kept."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from sqlalchemy import delete, func, insert, or_, select, update

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.news import OF_TOKEN, LoggedOut, encoded
from damier.server.accounts.service import token_hash
from damier.server.play.service import new_id
from damier.server.tables import account, api_token
from damier.server.tables import person as person_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.bus import Bus

Scope: TypeAlias = Literal["play", "seek", "bot", "export"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
READ: Final = "account:read"
"""What every token is for."""
LIFETIMES: Final[tuple[int | None, ...]] = (30, 90, 365, None)
"""Days that a token opens something; None: until it is revoked."""

BEGINNING: Final = "dmr_"
TOKEN: Final = re.compile(BEGINNING + r"[A-Za-z0-9_-]{43}")
MOST_TOKENS: Final = 20
LONGEST_TOKEN_NAME: Final = 40
USED_EVERY: Final = 60
"""Seconds between two notes of when a token was last used."""


class TooManyTokens(DamierError):
    """A member cannot have more tokens."""


class BadToken(DamierError, ValueError):
    """A token cannot be made as it was asked for."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it. Moments are seconds since 1970."""

    id: str
    name: str
    scopes: frozenset[Scope]
    created: float
    expires: float | None
    used: float | None


@dataclass(frozen=True, slots=True)
class Access:
    """What a token opens: whose it is, and for what."""

    token: str
    person: str
    scopes: frozenset[Scope]


class Tokens:
    """The tokens of a club's members. ``now``: seconds since 1970. ``bus``: tells the sockets of what has ended."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time, bus: Bus | None = None) -> None:
        self._engine = engine
        self._bus = bus
        self._now = now

    async def create(self, person: str, name: str, scopes: Iterable[str], days: int | None) -> tuple[Token, str]:
        """A new token of a member, and the secret that opens it, which nobody can read again.

        Raises :class:`BadToken` for a name, scopes or a lifetime that cannot be, and :class:`TooManyTokens`.
        """
        name = " ".join(name.split())
        if not 1 <= len(name) <= LONGEST_TOKEN_NAME or not name.isprintable():
            raise BadToken(N_("Give the token a name of 1 to 40 characters, so that you know it again."))
        wanted = frozenset(scopes)
        known = frozenset[Scope](scope for scope in SCOPES if scope in wanted)
        if wanted != known or days not in LIFETIMES:
            raise BadToken(N_("Choose what the token is for, and how long it lasts, from what is offered."))
        now = self._now()
        expires = None if days is None else now + days * 86_400
        token = Token(new_id(), name, known, now, expires, None)
        secret = BEGINNING + secrets.token_urlsafe(32)
        async with self._engine.begin() as connection:
            # whoever makes two at the same moment waits for himself here
            await connection.execute(select(account.c.person).where(account.c.person == person).with_for_update())
            await connection.execute(delete(api_token).where(api_token.c.person == person, api_token.c.expires <= now))
            counted = await connection.execute(
                select(func.count()).select_from(api_token).where(api_token.c.person == person)
            )
            if counted.scalar_one() >= MOST_TOKENS:
                raise TooManyTokens(N_("You have twenty tokens. Revoke one that you no longer need."))
            await connection.execute(
                insert(api_token).values(
                    id=token.id,
                    token_hash=token_hash(secret),
                    person=person,
                    name=name,
                    scopes=_text(known),
                    created=now,
                    expires=expires,
                    used=None,
                )
            )
        return token, secret

    async def of(self, person: str) -> list[Token]:
        """A member's tokens that open something, the newest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(api_token)
                .where(
                    api_token.c.person == person,
                    or_(api_token.c.expires.is_(None), api_token.c.expires > self._now()),
                )
                .order_by(api_token.c.created.desc())
            )
            return [Token(row.id, row.name, _scopes(row.scopes), row.created, row.expires, row.used) for row in rows]

    async def revoke(self, person: str, token_id: str) -> bool:
        """End one of a member's own tokens, and the sockets that it has opened. Returns whether there was one."""
        if not token_id.isascii() or not token_id.isalnum():
            return False
        async with self._engine.begin() as connection:
            ended = await connection.execute(
                delete(api_token).where(api_token.c.person == person, api_token.c.id == token_id)
            )
        if ended.rowcount == 1 and self._bus is not None:
            await self._bus.publish(f"person:{person}", encoded(LoggedOut(OF_TOKEN + token_id)))
        return ended.rowcount == 1

    async def read(self, secret: str) -> Access | None:
        """What a token opens; None when it opens nothing, or no longer."""
        if TOKEN.fullmatch(secret) is None:
            return None
        now, hashed = self._now(), token_hash(secret)
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(api_token)
                .join(person_table, person_table.c.id == api_token.c.person)
                .where(
                    person_table.c.kind != "closed",
                    api_token.c.token_hash == hashed,
                    or_(api_token.c.expires.is_(None), api_token.c.expires > now),
                )
            )
            row = found.one_or_none()
        if row is None:
            return None
        if row.used is None or row.used < now - USED_EVERY:
            async with self._engine.begin() as connection:
                await connection.execute(update(api_token).where(api_token.c.id == row.id).values(used=now))
        return Access(row.id, row.person, _scopes(row.scopes))


def _text(scopes: frozenset[Scope]) -> str:
    return " ".join(scope for scope in SCOPES if scope in scopes)


def _scopes(text: str) -> frozenset[Scope]:
    """
    >>> sorted(_scopes("play seek")), _scopes("")
    (['play', 'seek'], frozenset())
    """
    words = text.split()
    return frozenset[Scope](scope for scope in SCOPES if scope in words)
