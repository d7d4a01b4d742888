"""Databases with a club's tables in them: made once in a process of tests, and copied for whoever needs one."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from damier.server import database
from damier.server.settings import Settings


@cache
def _ready_file() -> bytes:
    with TemporaryDirectory() as folder:
        settings = Settings(Path(folder))
        database.migrate(settings)
        return database.file(settings).read_bytes()


def make_ready(settings: Settings) -> None:
    """Make the SQLite file of a new club where there is none, as :func:`damier.server.database.migrate` makes it.

    A PostgreSQL database of :func:`tests.services.postgres_url` has the tables already.
    """
    if database.address(settings) is not None or database.file(settings).exists():
        return
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(database.file(settings), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(_ready_file())
