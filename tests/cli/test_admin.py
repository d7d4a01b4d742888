"""`damier admin`: roles and recovery, on either database, with a server beside and without."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from damier.server import database
from damier.server.accounts.service import token_hash
from damier.server.people import Who
from damier.server.settings import Settings
from damier.server.tables import letter_link
from tests.cli.command import complaint, run
from tests.server.conftest import Person, Server
from tests.server.members import club_houses, logged_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Club:
    """A club with members anna and ben, and the options that name it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.options = ("--data", str(settings.data))
        if settings.database is not None:
            self.options += ("--database", settings.database)

    def admin(self, *arguments: str, **environment: str) -> list[str]:
        answer = run("admin", *arguments, *self.options, **environment)
        assert (answer.returncode, answer.stderr) == (0, ""), answer
        return answer.stdout.splitlines()

    def who(self, person_id: str) -> Who:
        async def ask() -> Who:
            async with club_houses(self.settings) as [house]:
                return await house.people.who(person_id)

        return asyncio.run(ask())


@pytest.fixture(params=["sqlite", "postgres"])
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Club:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    made = Club(Settings(tmp_path / "club", database=url))
    made.settings.data.mkdir()

    async def furnish() -> None:
        async with club_houses(made.settings) as [house]:
            await house.member("anna", "Anna", email="anna@club.example")
            await house.member("ben", "Ben-2")

    asyncio.run(furnish())
    return made


def test_the_first_administrator_is_appointed_here(club: Club) -> None:
    assert club.admin("list") == []
    assert club.admin("appoint", "ANNA", "administrator") == ["Anna\tadministrator"]
    assert club.admin("appoint", "ben2", "moderator") == ["Ben-2\tmoderator"]
    assert club.admin("list") == ["Anna\tadministrator", "Ben-2\tmoderator"]
    assert club.who("anna") == Who("anna", "member", "Anna", "administrator")
    assert club.admin("appoint", "Anna", "player") == ["Anna\tplayer"]
    assert club.admin("list") == ["Ben-2\tmoderator"]


def test_what_cannot_be_done_is_told_in_one_line(club: Club, tmp_path: Path) -> None:
    assert complaint("admin", "appoint", "Nobody", "moderator", *club.options) == "No member has the name Nobody."
    assert complaint("admin", "reset", "\x1b[2J", *club.options).startswith("No member has the name \\x1b[2J")
    assert "emperor" in complaint("admin", "appoint", "Anna", "emperor", *club.options, status=2)
    assert "there is no club in" in complaint("admin", "list", "--data", str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()
    assert "postgresql://" in complaint("admin", "list", "--database", "mysql://x", status=2)
    assert "cannot use the database" in complaint("admin", "list", "--database", "postgresql://a:b@127.0.0.1:1/c")


def test_a_link_to_a_new_password_is_kept_as_a_hash_for_an_hour(club: Club) -> None:
    async def kept() -> list[tuple[str, str, str, str, float]]:
        engine = database.open_engine(club.settings)
        async with engine.connect() as connection:
            found = [tuple(row) for row in await connection.execute(select(letter_link))]
        await engine.dispose()
        return found

    before = time.time()
    club.admin("reset", "Anna")
    [line] = club.admin("reset", "anna")
    assert re.fullmatch(r"/recover/[\w-]{43}", line)
    [(hashed, who, purpose, email, expires)] = asyncio.run(kept())
    assert hashed == token_hash(line.removeprefix("/recover/"))
    assert (who, purpose, email) == ("anna", "recover", "anna@club.example")
    assert before + 3600 <= expires <= time.time() + 3600
    [line] = club.admin("reset", "Ben-2", DAMIER_ADDRESS="https://club.example/")
    assert line.startswith("https://club.example/recover/")


def test_an_older_database_is_left_alone(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    database.migrate(settings, "0003")
    assert "start the server of this release once" in complaint("admin", "list", "--data", str(tmp_path))


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[Server, Person]]:
    server = Server(tmp_path / "club").start()
    person = Person(server)
    yield server, person
    person.close()
    server.kill()


def test_a_server_may_run_beside_and_heeds_it_at_once(serving: tuple[Server, Person]) -> None:
    own_server, own_server_person = serving
    name = logged_in(own_server_person)
    club = Club(Settings(own_server.data))
    assert "Administrator" not in own_server_person.http.get(f"/@/{name}").text
    assert club.admin("appoint", name, "administrator") == [f"{name}\tadministrator"]
    assert "Administrator" in own_server_person.http.get(f"/@/{name}").text
    # and it has lost nothing by that
    assert own_server_person.new_game().startswith("/games/")
    assert own_server_person.http.get("/ready").status_code == 200
    own_server.stop()
    assert club.admin("list") == [f"{name}\tadministrator"]
    own_server.start()
    own_server_person.moved_to(own_server)
    assert "Administrator" in own_server_person.http.get(f"/@/{name}").text
