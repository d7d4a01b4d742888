"""The event store: one interface, kept in SQLite or in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.server import database
from damier.server.play.store.base import (
    BEAT_SECONDS,
    OUTAGE_SECONDS,
    EventStore,
    GameSummary,
    Outage,
    StoredGame,
    StoreError,
    UnknownGame,
    VersionConflict,
    computer_to_move,
)

if TYPE_CHECKING:
    from damier.server.settings import Settings

__all__ = [
    "BEAT_SECONDS",
    "OUTAGE_SECONDS",
    "EventStore",
    "GameSummary",
    "Outage",
    "StoreError",
    "StoredGame",
    "UnknownGame",
    "VersionConflict",
    "computer_to_move",
    "open_store",
]


async def open_store(settings: Settings) -> EventStore:
    """The event store of a club, on the database that :func:`damier.server.database.migrate` has made ready.

    Raises :class:`StoreError` when the database cannot be reached.
    """
    address = database.address(settings)
    if address is None:
        from damier.server.play.store.sqlite import SqliteStore

        return SqliteStore(database.file(settings))
    from damier.server.play.store.postgres import PostgresStore

    return await PostgresStore.open(address)
