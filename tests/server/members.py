"""Members for tests: in the books of a club, at its boards, and with a browser that is logged in."""

from __future__ import annotations

import asyncio
import itertools
import re
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from argon2.profiles import CHEAPEST
from sqlalchemy import update

from damier.server import database
from damier.server.accounts.deletion import Departures
from damier.server.accounts.export import Exports
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.profile import Profiles
from damier.server.accounts.service import Accounts
from damier.server.moderation import renames
from damier.server.moderation.deeds import Moderation
from damier.server.moderation.log import Log
from damier.server.moderation.reports import Reports
from damier.server.moderation.subjects import Subjects
from damier.server.people import People
from damier.server.play.store import open_store
from damier.server.questions.service import Forum
from damier.server.settings import Settings, read_secret
from damier.server.stats.service import Statistics
from damier.server.tables import account
from damier.server.visitors import Visitors
from tests.databases import make_ready
from tests.server.house import House, Moment, Wire

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from damier.server.people import Who
    from tests.server.conftest import Person, Server

PASSWORD = "a shot in the main road"
_numbers = itertools.count(1)


class ClubHouse(House):
    """One process of a club with members."""

    def __init__(self, settings: Settings, store: Any, wire: Wire, now: Moment, passwords: Passwords) -> None:
        super().__init__(settings, store, wire, now, None)
        self.time = now
        self.accounts = Accounts(self.engine, passwords, now)
        self.profiles = Profiles(self.engine, now)
        self.exports = Exports(self.engine, store)
        self.forum = Forum(self.engine, now)
        self.subjects = Subjects(self.engine)
        self.reports = Reports(self.engine, now)
        self.log = Log(self.engine)
        self.moderation = Moderation(
            self.engine, self.bus, self.ratings, self.rooms, self.lobby, Statistics(self.engine, now), now
        )
        forget = (self.play.forget, self.rooms.forget, self.hub.dismiss)
        self.departures = Departures(self.engine, store, self.play, self.lobby, self.bus, forget, now)

    async def member(self, person_id: str, name: str, **columns: Any) -> Who:
        """Somebody new who is a member at once."""
        await self.people.keep(person_id)
        who = await self.accounts.join(person_id, name, PASSWORD)
        if columns:
            async with self.engine.begin() as connection:
                await connection.execute(update(account).where(account.c.person == person_id).values(**columns))
        return who

    async def close(self) -> None:
        await self.departures.close()
        await super().close()


@asynccontextmanager
async def club_houses(settings: Settings, count: int = 1) -> AsyncGenerator[list[ClubHouse]]:
    """So many processes of a club on one database, with one clock."""
    await asyncio.to_thread(make_ready, settings)
    passwords, wire, now = Passwords(CHEAPEST), Wire(), Moment()
    made = [ClubHouse(settings, await open_store(settings), wire, now, passwords) for _ in range(count)]
    try:
        for each in made:
            await each.departures.start()
            await renames.listen(each.bus, (each.play.rename, each.rooms.rename))
        yield made
    finally:
        for each in made:
            await each.close()
        passwords.close()


def decide(keeper: Person, what: str, of: str, **form: str) -> Any:
    """Send what a moderator does about something, having read its page."""
    page = keeper.http.get("/moderation/case", params={"what": what, "of": of}).text
    [mark] = set(re.findall(r'name="mark" value="(\w+)"', page))
    return keeper.post("/moderation/case", what=what, of=of, mark=mark, **form)


def logged_in(person: Person, name: str | None = None, **columns: Any) -> str:
    """Make somebody at a server that runs a member, whose browser is logged in; returns the name."""
    server = person.server
    name = name or f"Member{next(_numbers)}{secrets.token_hex(3)}"

    async def join() -> str:
        engine, passwords = database.open_engine(Settings(server.data)), Passwords(CHEAPEST)
        try:
            accounts, person_id = Accounts(engine, passwords), secrets.token_urlsafe(15)
            await People(engine).keep(person_id)
            await accounts.join(person_id, name, PASSWORD)
            token = await accounts.log_in(name, PASSWORD, "Firefox")
            assert token is not None
            if columns:
                async with engine.begin() as connection:
                    await connection.execute(update(account).where(account.c.person == person_id).values(**columns))
            return token
        finally:
            passwords.close()
            await engine.dispose()

    person.http.cookies.set(Visitors(read_secret(server.data)).session_cookie_name, asyncio.run(join()))
    return name


def read(server: Server, question: Any) -> list[Any]:
    """What a server's database answers."""

    async def ask() -> list[Any]:
        engine = database.open_engine(Settings(server.data))
        try:
            async with engine.connect() as connection:
                return list((await connection.execute(question)).all())
        finally:
            await engine.dispose()

    return asyncio.run(ask())
