"""A club's database is brought from each release to the next, and back, with all that it holds."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, insert, inspect, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import create_async_engine

from damier import Color
from damier.events import Aborted, Entry, MoveMade, Resigned
from damier.game import Game
from damier.record import Player, Start
from damier.server import database, tables
from damier.server.play.store import open_store
from damier.server.settings import Settings
from tests.services import Postgres

START = Game.start(white=Player("guest", id="anna"), black=Player("computer", level=2))
MOVED = START.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)
RESIGNED = MOVED.apply(Resigned(), at=2.0, by=Color.WHITE)
LIVE = Game.start(white=Player("guest", id="anna"), black=Player("guest", id="bert"))
ABORTED = LIVE.apply(Aborted(), at=3.0, by=Color.BLACK)

FIRST_RELEASE = """
    CREATE TABLE game (
        id TEXT PRIMARY KEY,
        start TEXT NOT NULL,
        created REAL NOT NULL,
        version INTEGER NOT NULL,
        changed REAL NOT NULL,
        fen TEXT NOT NULL,
        plies INTEGER NOT NULL,
        turn TEXT NOT NULL CHECK (turn IN ('white', 'black')),
        score TEXT CHECK (score IN ('2-0', '1-1', '0-2')),
        reason TEXT,
        computer_to_move INTEGER NOT NULL CHECK (computer_to_move IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX game_computer_to_move ON game (changed) WHERE computer_to_move = 1;
    CREATE TABLE event (
        game TEXT NOT NULL REFERENCES game (id) ON DELETE CASCADE,
        version INTEGER NOT NULL,
        entry TEXT NOT NULL,
        PRIMARY KEY (game, version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE seat (
        game TEXT NOT NULL REFERENCES game (id) ON DELETE CASCADE,
        color TEXT NOT NULL CHECK (color IN ('white', 'black')),
        player TEXT NOT NULL,
        PRIMARY KEY (game, color)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX seat_player ON seat (player);
    PRAGMA user_version = 1;
"""

Answer = TypeVar("Answer")


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A club's settings, its database being empty."""
    address = request.getfixturevalue("postgres").new_database() if request.param == "postgres" else None
    return Settings(tmp_path, database=address)


def on(settings: Settings, work: Callable[[Connection], Answer]) -> Answer:
    """Do something in a transaction on a club's database."""
    address = database.address(settings)
    if address is None:
        engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(database.file(settings)))
        with engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")
            done = work(connection)
        engine.dispose()
        return done

    async def ask() -> Answer:
        other = create_async_engine(address.replace("postgresql://", "postgresql+asyncpg://"))
        try:
            async with other.begin() as connection:
                return await connection.run_sync(work)
        finally:
            await other.dispose()

    return asyncio.run(ask())


def keep_as_first_release(connection: Connection, games: dict[str, Game]) -> None:
    """What the first release would have written."""
    for game_id, game in games.items():
        result = game.result
        connection.execute(
            text(
                "INSERT INTO game (id, start, created, version, changed, fen, plies, turn, score, reason,"
                " computer_to_move) VALUES (:id, :start, 0.5, :version, :changed, :fen, :plies, :turn, :score,"
                " :reason, :waits)"
            ),
            {
                "id": game_id,
                "start": json.dumps(game.origin.to_json()),
                "version": game.version,
                "changed": game.events[-1].at,
                "fen": game.board.fen(),
                "plies": game.plies,
                "turn": "white" if game.turn is Color.WHITE else "black",
                "score": None if result is None else result.score,
                "reason": None if result is None else result.reason,
                "waits": result is None,
            },
        )
        for version, entry in enumerate(game.events, 1):
            connection.execute(
                text("INSERT INTO event VALUES (:game, :version, :entry)"),
                {"game": game_id, "version": version, "entry": json.dumps(entry.to_json())},
            )
        connection.execute(text("INSERT INTO seat VALUES (:game, 'white', 'anna')"), {"game": game_id})


def read(connection: Connection) -> dict[str, Game]:
    """Every game in the tables of any release."""
    return {
        game_id: Game.replay(
            Start.from_json(json.loads(start)),
            [
                Entry.from_json(json.loads(entry))
                for (entry,) in connection.execute(
                    text("SELECT entry FROM event WHERE game = :id ORDER BY version"), {"id": game_id}
                )
            ],
        )
        for game_id, start in connection.execute(text("SELECT id, start FROM game"))
    }


ACCOUNT = {"password": "a hash", "role": "moderator", "email": "a@b.nl", "daily": True, "language": "nl", "joined": 1.0}


def fill(connection: Connection) -> None:
    """A row in every table that came with live games."""
    person = {"id": "anna", "kind": "guest", "chat_off": True, "created": 1.0, "seen": 1.0}
    connection.execute(insert(tables.person).values(person))
    connection.execute(
        insert(tables.invitation).values(
            id="i",
            host="anna",
            rules="club",
            clock="300+5",
            color="lot",
            is_public=True,
            state="open",
            created=1.0,
            expires=2.0,
            kind="link",
            rated=False,
        )
    )
    connection.execute(
        insert(tables.chat_line).values(
            game="a", room="players", seq=1, person="anna", name="Anna", preset="hello", at=1.0
        )
    )
    connection.execute(insert(tables.outage).values(id=1, began=1.0, ended=2.0))


def fill_members(connection: Connection) -> None:
    """Somebody who was a guest is a member, and logged in."""
    connection.execute(update(tables.person).values(kind="member", name="Anna", name_key="anna"))
    connection.execute(insert(tables.account).values(ACCOUNT | {"person": "anna"}))
    connection.execute(insert(tables.session).values(token_hash="t", person="anna", device="", created=1.0, seen=1.0))


def differences(connection: Connection) -> list[Any]:
    return compare_metadata(MigrationContext.configure(connection), tables.metadata)


def differences_of_taken_over(connection: Connection) -> list[Any]:
    """The same for a file of the first release, which says what refers to what in a way that is not compared well."""
    for table in ("event", "seat"):
        [found] = connection.exec_driver_sql(f"PRAGMA foreign_key_list({table})").mappings()
        assert (found["table"], found["from"], found["to"], found["on_delete"]) == ("game", "game", "id", "CASCADE")
    return [each for each in differences(connection) if not str(each[0]).endswith("_fk")]


def test_the_migrations_lead_to_the_tables(settings: Settings) -> None:
    database.migrate(settings)
    assert on(settings, differences) == []
    database.migrate(settings)
    assert on(settings, lambda connection: set(inspect(connection).get_table_names())) == {
        *tables.metadata.tables,
        "alembic_version",
    }


def test_the_last_migration_is_the_one_that_is_needed() -> None:
    assert ScriptDirectory(str(database.MIGRATIONS)).get_current_head() == database.HEAD


def test_what_the_first_release_kept_is_there_after_the_way_up_and_down(settings: Settings) -> None:
    games = {"a": MOVED, "b": RESIGNED}
    database.migrate(settings, "0001")
    on(settings, lambda connection: keep_as_first_release(connection, games))
    database.migrate(settings)
    assert on(settings, read) == games
    on(settings, fill)
    row = on(settings, lambda connection: connection.execute(select(tables.game).where(tables.game.c.id == "a")).one())
    assert (row.is_public, row.running, row.due, row.computer_to_move) == (False, False, None, True)
    database.migrate(settings, "0001")
    assert on(settings, read) == games
    on(settings, lambda connection: keep_as_first_release(connection, {"c": MOVED}))
    database.migrate(settings)
    assert on(settings, read) == {**games, "c": MOVED}
    assert on(settings, differences) == []


def test_games_of_this_release_survive_the_way_down(settings: Settings) -> None:
    database.migrate(settings)

    async def keep() -> None:
        store = await open_store(settings)
        await store.create("a", LIVE, at=0.5, is_public=True)
        await store.append("a", ABORTED)
        await store.close()

    asyncio.run(keep())
    on(settings, fill)
    database.migrate(settings, "0001")
    database.migrate(settings)
    assert on(settings, read) == {"a": ABORTED}


def test_members_are_guests_again_on_the_way_down_and_keep_what_is_theirs(settings: Settings) -> None:
    database.migrate(settings, "0001")
    on(settings, lambda connection: keep_as_first_release(connection, {"a": MOVED}))
    database.migrate(settings)
    on(settings, fill)
    on(settings, fill_members)
    database.migrate(settings, "0002")
    people = text("SELECT person.id, person.kind, name FROM person JOIN invitation ON host = person.id")
    assert on(settings, lambda connection: connection.execute(people).all()) == [("anna", "guest", "Anna")]
    assert on(settings, read) == {"a": MOVED}
    database.migrate(settings)
    assert on(settings, lambda connection: connection.execute(people).all()) == [("anna", "guest", "Anna")]
    assert on(settings, differences) == []


def fill_club(connection: Connection) -> None:
    """Those whom the former release does not know, and what they have to do with each other."""
    for name, kind in (("ben", "bot"), ("carl", "member"), ("dora", "gone")):
        row = {"id": name, "kind": kind, "name": name, "name_key": name, "chat_off": False, "created": 1.0, "seen": 1.0}
        connection.execute(insert(tables.person).values(row))
    connection.execute(insert(tables.account).values(ACCOUNT | {"person": "ben"}))
    connection.execute(insert(tables.account).values(ACCOUNT | {"person": "carl", "password": None}))
    invitation = connection.execute(select(tables.invitation)).mappings().one()
    for kind, game in (("challenge", None), ("seek", None), ("pairing", "g")):
        changed = {"id": kind, "kind": kind, "game": game, "guest": "ben", "rated": True, "lowest": 1000}
        connection.execute(insert(tables.invitation).values(dict(invitation) | changed))
    connection.execute(
        insert(tables.rated_game).values(
            game="g", rules="club", speed="blitz", white="anna", black="ben", begun=1.0, state="playing"
        )
    )
    connection.execute(insert(tables.block).values(blocker="anna", blocked="ben", since=1.0))


def test_bots_and_who_has_only_a_passkey_are_what_the_former_release_knows_on_the_way_down(settings: Settings) -> None:
    database.migrate(settings, "0001")
    on(settings, lambda connection: keep_as_first_release(connection, {"a": MOVED}))
    database.migrate(settings)
    for step in (fill, fill_members, fill_club):
        on(settings, step)
    database.migrate(settings, "0003")
    kinds = text("SELECT id, kind, name FROM person ORDER BY id")
    assert on(settings, lambda connection: [tuple(row) for row in connection.execute(kinds)]) == [
        ("anna", "member", "Anna"),
        ("ben", "member", "ben"),
        ("carl", "guest", "carl"),
        ("dora", "guest", "dora"),
    ]
    database.migrate(settings)
    accounts = select(tables.account.c.person, tables.account.c.role, tables.account.c.daily)
    assert on(settings, lambda connection: {tuple(row) for row in connection.execute(accounts)}) == {
        ("anna", "player", False),
        ("ben", "player", False),
    }
    offers = select(tables.invitation.c.id, tables.invitation.c.kind, tables.invitation.c.rated)
    assert on(settings, lambda connection: {tuple(row) for row in connection.execute(offers)}) == {
        ("i", "link", False),
        ("pairing", "link", False),
    }
    assert on(settings, read) == {"a": MOVED}
    assert on(settings, differences) == []


def test_a_game_takes_its_events_along(settings: Settings) -> None:
    database.migrate(settings, "0001")
    on(settings, lambda connection: keep_as_first_release(connection, {"a": MOVED}))
    database.migrate(settings)
    on(settings, lambda connection: connection.execute(text("DELETE FROM game")))
    for table in (tables.event, tables.seat):
        assert on(settings, lambda connection, table=table: connection.execute(select(table)).all()) == []
    with pytest.raises(IntegrityError):
        on(settings, lambda connection: connection.execute(insert(tables.event).values(game="x", version=1, entry="")))


def test_a_file_of_the_first_release_is_taken_over(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    with closing(sqlite3.connect(database.file(settings))) as connection:
        connection.executescript(FIRST_RELEASE)
    on(settings, lambda connection: keep_as_first_release(connection, {"a": MOVED, "b": RESIGNED}))
    database.migrate(settings)
    assert on(settings, differences_of_taken_over) == []

    async def go_on() -> None:
        store = await open_store(settings)
        assert (await store.load("a")).game == MOVED
        assert await store.awaiting_computer() == ["a"]
        assert [game.id for game in await store.unfinished_of("anna", 5)] == ["a"]
        await store.append("a", RESIGNED)
        await store.close()

    asyncio.run(go_on())
    assert on(settings, read) == {"a": RESIGNED, "b": RESIGNED}


def test_a_file_of_the_first_release_that_another_is_writing_to_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tmp_path)
    with closing(sqlite3.connect(database.file(settings), isolation_level=None)) as connection:
        connection.executescript(FIRST_RELEASE)
        connection.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
        with pytest.raises(RuntimeError, match="locked"):
            database.migrate(settings)
        connection.execute("ROLLBACK")
    database.migrate(settings)
    assert on(settings, differences_of_taken_over) == []


def test_a_database_of_a_later_release_is_left_alone(settings: Settings) -> None:
    database.migrate(settings)
    on(settings, lambda connection: connection.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(RuntimeError, match="later release"):
        database.migrate(settings)


def test_the_first_release_leaves_a_file_of_this_one_alone(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    database.migrate(settings)
    with closing(sqlite3.connect(database.file(settings))) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    database.file(Settings(tmp_path)).write_bytes(b"these are not the games that you are looking for" * 100)
    with pytest.raises(RuntimeError, match="not a database"):
        database.migrate(Settings(tmp_path))


async def test_processes_that_start_together_make_the_tables_once(postgres: Postgres, tmp_path: Path) -> None:
    settings = Settings(tmp_path, database=postgres.new_database())
    await asyncio.gather(*(asyncio.to_thread(database.migrate, settings) for _ in range(4)))
    assert await asyncio.to_thread(on, settings, differences) == []


@pytest.mark.parametrize(
    "address", ["mysql://localhost/club", "club.sqlite", "postgresql://a:secret@host:port/club", ""]
)
def test_an_address_that_is_none_is_refused_without_its_password(tmp_path: Path, address: str) -> None:
    with pytest.raises(ValueError, match="postgresql://user:password@host:port/name") as refused:
        database.migrate(Settings(tmp_path, database=address))
    assert "secret" not in str(refused.value)


async def test_an_engine_reads_beside_a_writer_and_writes_at_once(tmp_path: Path) -> None:
    """On SQLite: reading takes no lock, and a transaction that reads before it writes is never refused for that."""
    settings = Settings(tmp_path)
    await asyncio.to_thread(database.migrate, settings)
    engine = database.open_engine(settings)
    person = {"kind": "guest", "chat_off": False, "created": 1.0, "seen": 0.0}

    async def visit(number: int) -> None:
        async with engine.begin() as connection:
            seen = (await connection.execute(select(tables.person.c.seen))).scalars().all()
            await connection.execute(insert(tables.person).values({**person, "id": f"{number}", "seen": len(seen)}))

    await asyncio.gather(*map(visit, range(12)))
    async with engine.begin(), engine.connect() as reader:
        rows = (await reader.execute(select(tables.person.c.seen))).scalars().all()
        assert sorted(rows) == list(range(12))
        assert (await reader.exec_driver_sql("PRAGMA foreign_keys")).scalar() == 1
        assert (await reader.exec_driver_sql("PRAGMA synchronous")).scalar() == 2
    await engine.dispose()


def test_what_moderators_have_closed_and_annulled_is_open_and_void_before_them(settings: Settings) -> None:
    """Back at the release before there were moderators nobody is locked out, and no rating comes of the game."""
    database.migrate(settings)
    person = {"name_key": "anna", "chat_off": False, "created": 0.0, "seen": 0.0}
    played = {"rules": "official", "speed": "blitz", "white": "anna", "black": "ben", "begun": 0.0}

    def fill(connection: Connection) -> None:
        connection.execute(insert(tables.person).values(id="anna", kind="closed", name="Anna", **person))
        connection.execute(insert(tables.rated_game).values(game="g", state="annulled", turn=1, **played))

    on(settings, fill)
    database.migrate(settings, "0005")
    kinds = on(settings, lambda connection: connection.execute(text("SELECT kind, name FROM person")).all())
    states = on(settings, lambda connection: connection.execute(text("SELECT game, state FROM rated_game")).all())
    assert ([tuple(row) for row in kinds], [tuple(row) for row in states]) == ([("member", "Anna")], [("g", "void")])
    database.migrate(settings)
