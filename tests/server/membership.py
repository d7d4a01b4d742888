"""Members of a club, made as its own pages make them, in its data folder beside the server that runs on it."""

from __future__ import annotations

import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from argon2.profiles import CHEAPEST

from damier.server import database
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.service import Accounts
from damier.server.api.tokens import SCOPES, Tokens
from damier.server.people import People
from damier.server.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

PASSWORD = "turned discs of box wood"


class Membership:
    """Makes members, and what they need to get in."""

    def __init__(self, settings: Settings) -> None:
        self._engine = database.open_engine(settings)
        self._passwords = Passwords(CHEAPEST)
        self._people = People(self._engine)
        self._accounts = Accounts(self._engine, self._passwords)
        self._tokens = Tokens(self._engine)

    @classmethod
    @asynccontextmanager
    async def of(cls, data: Path) -> AsyncGenerator[Membership]:
        """Of the club in a data folder."""
        made = cls(Settings(data))
        try:
            yield made
        finally:
            made._passwords.close()
            await made._engine.dispose()

    async def join(self, name: str) -> str:
        """A new member; returns the id."""
        person = secrets.token_urlsafe(15)
        await self._people.keep(person)
        await self._accounts.join(person, name, PASSWORD)
        return person

    async def session(self, name: str) -> str:
        """The token of a new session of a member."""
        token = await self._accounts.log_in(name, PASSWORD, "a browser")
        assert token is not None
        return token

    async def token(self, person: str) -> str:
        """A personal access token for everything."""
        _token, secret = await self._tokens.create(person, "test", SCOPES, None)
        return secret
