"""The event store with 64 waiting writers, against SQLAlchemy's ORM on aiosqlite.

`PYTHONPATH=benchmarks python benchmarks/server/store.py [postgresql://user:password@host:port/name]`

Both write the same rows of the same tables, wait for the disk (``synchronous=FULL``), and check the version of the
game. The ORM has one connection, which is the best that it can have with SQLite: several would only wait for each other.
Given an empty PostgreSQL database, the store in that is measured too.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compare import report
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import registry

from damier.events import MoveMade
from damier.game import Game
from damier.record import Player
from damier.server import database, tables
from damier.server.play.store import EventStore, VersionConflict, open_store
from damier.server.play.store.base import encode, summary
from damier.server.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

WRITERS = 64
EVENTS = 40
"""Of each writer in a round."""
ORM_EVENTS = 4
"""The same for the ORM, which needs as long for these."""
ROUNDS = 7


class GameRow:
    """The ORM's view of a game."""

    version: int


class EventRow:
    """The ORM's view of an event."""

    def __init__(self, game: str, version: int, entry: str) -> None:
        self.game, self.version, self.entry = game, version, entry


mapping = registry()
mapping.map_imperatively(GameRow, tables.game)
mapping.map_imperatively(EventRow, tables.event)


def random_game(seed: int, events: int) -> list[Game]:
    """A game after each of its events."""
    chance = random.Random(seed)
    while True:
        game = Game.start(white=Player(name="Anna", id="anna"), black=Player(id="bert"))
        course = [game]
        while game.result is None and game.version < events:
            move = MoveMade.of(chance.choice(game.legal_moves))
            game = game.apply(move, at=1_700_000_000.0 + game.version, by=game.turn)
            course.append(game)
        if game.version == events:
            return course


COURSES = [random_game(seed, EVENTS) for seed in range(WRITERS)]


async def play(
    create: Callable[[str, Game], Awaitable[None]], append: Callable[[str, Game], Awaitable[None]], events: int
) -> float:
    """Seconds for each event when all writers play a new game at the same time."""
    name = f"{time.monotonic_ns():x}"
    for number, course in enumerate(COURSES):
        await create(f"{name}-{number}", course[0])

    async def write(number: int) -> None:
        for game in COURSES[number][1 : events + 1]:
            await append(f"{name}-{number}", game)

    begin = time.perf_counter()
    await asyncio.gather(*map(write, range(WRITERS)))
    return (time.perf_counter() - begin) / (WRITERS * events)


def through_store(
    store: EventStore,
) -> tuple[Callable[[str, Game], Awaitable[None]], Callable[[str, Game], Awaitable[None]]]:
    async def create(game_id: str, game: Game) -> None:
        await store.create(game_id, game, at=1.0, is_public=True, due=1e10)

    async def append(game_id: str, game: Game) -> None:
        await store.append(game_id, game, due=1e10 + game.version)

    return create, append


def through_orm(sessions: async_sessionmaker[AsyncSession]) -> Callable[[str, Game], Awaitable[None]]:
    async def append(game_id: str, game: Game) -> None:
        entry = game.events[-1]
        async with sessions() as session, session.begin():
            row = (await session.execute(select(GameRow).where(tables.game.c.id == game_id))).scalar_one()
            if row.version != game.version - 1:
                raise VersionConflict(game_id)
            for column, value in summary(game, changed=entry.at, due=1e10 + game.version)._asdict().items():
                setattr(row, column, value)
            session.add(EventRow(game_id, game.version, encode(entry.to_json())))

    return append


def measure(loop: asyncio.AbstractEventLoop, folder: Path, postgres: str | None) -> None:
    settings = Settings(folder)
    database.migrate(settings)

    async def prepare() -> tuple[EventStore, Any]:
        return await open_store(settings), database.open_engine(settings, connections=1)

    store, engine = loop.run_until_complete(prepare())
    create, append = through_store(store)
    orm_append = through_orm(async_sessionmaker(engine))
    report(
        f"events kept with {WRITERS} waiting, SQLite",
        lambda: loop.run_until_complete(play(create, append, EVENTS)),
        "SQLAlchemy's ORM on aiosqlite",
        lambda: loop.run_until_complete(play(create, orm_append, ORM_EVENTS)),
        30,
        ROUNDS,
    )
    if postgres is not None:
        address = Settings(folder, database=postgres)
        database.migrate(address)
        other = loop.run_until_complete(open_store(address))
        other_create, other_append = through_store(other)
        report(
            f"events kept with {WRITERS} waiting, PostgreSQL",
            lambda: loop.run_until_complete(play(other_create, other_append, EVENTS)),
            "SQLAlchemy's ORM on aiosqlite",
            lambda: loop.run_until_complete(play(create, orm_append, ORM_EVENTS)),
            15,
            ROUNDS,
        )
        loop.run_until_complete(other.close())
    loop.run_until_complete(store.close())
    loop.run_until_complete(engine.dispose())


def main() -> None:
    postgres = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=_new_loop) as runner:
        measure(runner.get_loop(), Path(folder), postgres)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ModuleNotFoundError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


if __name__ == "__main__":
    main()
