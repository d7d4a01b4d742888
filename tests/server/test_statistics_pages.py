"""The pages of the statistics: who is in the lists and where, what strangers are shown, and what a kill leaves over."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert

from damier.i18n import LANGUAGES
from damier.server import database
from damier.server.people import name_key
from damier.server.ratings import Pool, Rating
from damier.server.settings import Settings
from damier.server.stats.changes import MONTH_DAYS
from damier.server.stats.member import Members, Score
from damier.server.stats.service import Statistics
from damier.server.stats.top import Entry, Top
from damier.server.tables import person, rating, tally
from tests.databases import make_ready
from tests.server.conftest import Person
from tests.server.members import logged_in, read
from tests.server.test_statistics import DAY, Played, keep
from tests.server.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncEngine

    from tests.server.conftest import Server

NOW = 1_800_000_000.0
POOL = Pool("official", "blitz")


@pytest.fixture(params=["sqlite", "postgres"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    address = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    settings = Settings(tmp_path, database=address)
    await asyncio.to_thread(make_ready, settings)
    made = database.open_engine(settings)
    yield made
    await made.dispose()


async def enter(engine: AsyncEngine, *names: str, kind: str = "member") -> None:
    async with engine.begin() as connection:
        for name in names:
            await connection.execute(
                insert(person).values(
                    id=name.lower(),
                    kind=kind,
                    name=name,
                    name_key=name_key(name),
                    chat_off=False,
                    created=0.0,
                    seen=0.0,
                )
            )


async def rate(engine: AsyncEngine, name: str, value: float, games: int = 20, **more: float) -> None:
    values: dict[str, Any] = {"deviation": 60.0, "volatility": 0.06, "at": NOW, **more}
    async with engine.begin() as connection:
        await connection.execute(
            insert(rating).values(
                person=name.lower(), rules="official", speed="blitz", value=value, games=games, **values
            )
        )


async def count(engine: AsyncEngine, name: str, games: int, wins: int, **more: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(
            insert(tally).values(
                **{"person": name.lower(), "span": "all", "rules": "", "speed": "", **more}, games=games, wins=wins
            )
        )


def places(entries: list[Entry]) -> list[tuple[int, str]]:
    return [(each.place, each.name) for each in entries]


# --- The lists -------------------------------------------------------------------------------------------------------


async def test_by_rating_decimals_then_games_decide_and_the_provisional_are_not_in_it(engine: AsyncEngine) -> None:
    await enter(engine, "Anna", "Ben", "Carl", "Dora", "Eve", "Fay")
    await enter(engine, "Gone", kind="gone")
    await rate(engine, "Anna", 1700.2)
    await rate(engine, "Ben", 1700.4)
    await rate(engine, "Carl", 1700.2, games=30)
    await rate(engine, "Dora", 1700.2)
    await rate(engine, "Eve", 2000, deviation=111.0)
    await rate(engine, "Fay", 1900, at=NOW - 380 * DAY)  # sure once, and too long ago
    await rate(engine, "Gone", 1800)
    shown, own = await Top(engine).by_rating(POOL, "all", NOW, "eve")
    assert places(shown) == [(1, "Ben"), (2, "Carl"), (3, "Anna"), (3, "Dora")]
    assert isinstance(own, Rating)
    assert own.is_provisional
    assert await Top(engine).by_rating(POOL, "all", NOW, "nobody") == (shown, None)
    assert await Top(engine).by_rating(Pool("club", "blitz"), "all", NOW, "anna") == ([], None)


async def test_by_rating_over_30_days_only_who_has_played(engine: AsyncEngine) -> None:
    await enter(engine, "Anna", "Ben")
    await rate(engine, "Anna", 1700, at=NOW - (MONTH_DAYS + 1) * DAY)
    await rate(engine, "Ben", 1600, at=NOW - (MONTH_DAYS - 1) * DAY)
    shown, own = await Top(engine).by_rating(POOL, "month", NOW, "anna")
    assert places(shown) == [(1, "Ben")]
    assert own is None


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("wins", [(1, "Ben"), (2, "Anna"), (2, "Carl"), (4, "Dora")]),
        ("games", [(1, "Eve"), (2, "Anna"), (2, "Carl"), (4, "Dora"), (5, "Ben")]),
    ],
)
async def test_by_wins_and_games_ties_are_broken_as_the_page_says(
    engine: AsyncEngine, by: Any, expected: list[tuple[int, str]]
) -> None:
    await enter(engine, "Anna", "Ben", "Carl", "Dora", "Eve")
    for name, games, wins in (("Anna", 9, 5), ("Ben", 8, 5), ("Carl", 9, 5), ("Dora", 9, 4), ("Eve", 10, 0)):
        await count(engine, name, games, wins)
        await count(engine, name, games, 1, span="month")
    shown, own = await Top(engine).by_tally(by, "", "", "all", None)
    assert places(shown) == expected
    assert own is None
    assert (await Top(engine).by_tally(by, "club", "", "all", "anna")) == ([], None)


async def test_ones_own_place_is_shown_outside_the_list_and_the_twentieth_is_shared(engine: AsyncEngine) -> None:
    names = [f"Member{number:02}" for number in range(26)]
    await enter(engine, *names, "Reader")
    for number, name in enumerate(names):
        await count(engine, name, 100, 50 - min(number, 21))
        await rate(engine, name, 2000 - min(number, 21))
    await count(engine, "Reader", 101, 29)
    await rate(engine, "Reader", 1979, games=19)
    shown, own = await Top(engine).by_tally("wins", "", "", "all", "reader")
    assert places(shown)[19:] == [(20, "Member19")]
    assert own is not None
    assert own.place == 27  # as many wins as five others, who needed fewer games
    shown, own = await Top(engine).by_tally("wins", "", "", "all", "member03")
    assert own is not None
    assert own.place == 4
    rated, mine = await Top(engine).by_rating(POOL, "all", NOW, "reader")
    assert len(rated) == 20
    assert isinstance(mine, Entry)
    assert mine.place == 27


async def test_who_shares_the_twentieth_place_is_in_the_list(engine: AsyncEngine) -> None:
    names = [f"Member{number:02}" for number in range(60)]
    await enter(engine, *names)
    for number, name in enumerate(names):
        await count(engine, name, 100, 50 - min(number, 19))
    shown, _ = await Top(engine).by_tally("wins", "", "", "all", None)
    assert len(shown) == 40
    assert {each.place for each in shown[19:]} == {20}


# --- A member --------------------------------------------------------------------------------------------------------


def played(number: int, white: str, black: str, score: str, **more: Any) -> Played:
    return Played(str(number), NOW + number, white, black, score, "resigned", 50, **more)


async def test_with_whom_private_games_were_played_only_the_two_are_told(engine: AsyncEngine) -> None:
    await enter(engine, "Anna", "Ben", "Carl")
    await keep(
        engine,
        [
            played(1, "anna", "ben", "2-0"),
            played(2, "ben", "anna", "2-0", is_public=False),
            played(3, "anna", "carl", "1-1", is_public=False),
        ],
    )
    assert await Statistics(engine, lambda: NOW).take_up() == 3
    async with engine.connect() as connection:
        members = Members(connection)
        public, all_of_them = [await members.opponents("anna", private=private) for private in (False, True)]
        assert [(each.name, each.score) for each in public] == [("Ben", Score(wins=1))]
        assert [(each.name, each.score.games) for each in all_of_them] == [("Ben", 2), ("Carl", 1)]
        assert await members.between("carl", "anna") == Score(draws=1)
        assert (await members.scores("anna"))["kind"]["casual"] == Score(1, 1, 1, 150)


async def test_streaks_are_in_the_order_of_the_ends_whoever_counted_first(engine: AsyncEngine) -> None:
    await enter(engine, "Anna", "Ben")
    scores = ["0-2", "1-1", *["2-0"] * 60]
    games = [played(number, "anna", "ben", score) for number, score in enumerate(scores)]
    games.append(played(99, "anna", "computer", "0-2"))  # is no part of it
    await keep(engine, games)
    statistics = Statistics(engine, lambda: NOW)
    await statistics.count([each.id for each in games[30:]])
    await statistics.count([each.id for each in games[:40]])
    async with engine.connect() as connection:
        members = Members(connection)
        found = {each.kind: each.games for each in await members.streaks("anna")}
        assert found == {"wins": 60, "unbeaten": 61}
        assert [(each.kind, each.games) for each in await members.streaks("ben")] == [("losses", 60)]
        assert await members.streaks("nobody") == []


# --- The pages -------------------------------------------------------------------------------------------------------


def numbers(server: Server) -> dict[str, int]:
    from damier.server.tables import site_count

    found: dict[str, int] = {}
    for row in read(server, site_count.select()):
        found[row.kind] = found.get(row.kind, 0) + row.games
    return found


def lose(somebody: Person) -> None:
    """Play the computer, make a move and resign."""
    with somebody.sit(somebody.new_game()) as table:
        table.until_own_turn()
        assert table.move()["t"] == "ack"
        table.until_own_turn()
        table.ask("resign")


def test_a_game_that_ends_in_the_moment_of_a_kill_is_counted_once(own_server: Server) -> None:
    somebody = Person(own_server)
    lose(somebody)
    own_server.kill()
    own_server.start()
    somebody.moved_to(own_server)
    wait_for(lambda: numbers(own_server) == {"computer": 1})
    lose(somebody)
    wait_for(lambda: numbers(own_server) == {"computer": 2})
    page = somebody.http.get("/statistics").text
    assert "Against the computer" in page
    own_server.stop()
    own_server.start()
    somebody.moved_to(own_server)
    time.sleep(1)
    assert numbers(own_server) == {"computer": 2}
    somebody.close()


def test_an_empty_club_invites(own_server: Server) -> None:
    somebody = Person(own_server)
    name = logged_in(somebody)
    assert "As soon as a game is over it is counted here" in somebody.http.get("/statistics").text
    for by in ("rating", "wins", "games"):
        page = somebody.http.get(f"/top?by={by}").text
        assert "Nobody is in this list yet" in page
        assert 'href="/seeks"' in page
        assert "You are not in this list yet" in page
    assert "After your first game" in somebody.http.get(f"/@/{name}/statistics").text
    stranger = Person(own_server)
    assert f"{name} has not finished a game yet." in stranger.http.get(f"/@/{name}/statistics").text
    for each in (somebody, stranger):
        each.close()


@pytest.fixture
def furnished(own_server: Server) -> Server:
    """A club with games of Anna's, one of them private and one against the computer."""

    async def furnish() -> None:
        engine = database.open_engine(Settings(own_server.data))
        await enter(engine, "Anna", "Ben", "Carl")
        now = time.time() - 100
        games = [
            Played("1", now, "anna", "ben", "2-0", "resigned", 50, rated="rated"),
            Played("2", now + 1, "anna", "ben", "1-1", "agreed", 70),
            Played("3", now + 2, "carl", "anna", "2-0", "flag", 60, is_public=False),
            Played("4", now + 3, "anna", "computer", "2-0", "no_moves", 61, is_public=False),
        ]
        await keep(engine, games)
        await rate(engine, "Anna", 1601, at=now)
        await Statistics(engine).count([each.id for each in games])
        await engine.dispose()

    asyncio.run(furnish())
    return own_server


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_there_in_every_language(furnished: Server, language: str) -> None:
    somebody = Person(furnished)
    for path in (
        "/statistics",
        "/statistics?games=rated&by=month",
        "/statistics?games=bot&by=week",
        "/top",
        "/top?by=wins",
        "/top?by=games&rules=club&speed=rapid&span=month",
        "/@/Anna/statistics",
        "/@/Anna",
    ):
        answer = somebody.http.get(f"/{language}{path}")
        assert answer.status_code == 200, answer.text
        assert f'<html lang="{language}">' in answer.text
        assert f'href="/{language}/' in answer.text
    somebody.close()


def test_a_stranger_is_not_told_of_private_games_and_bad_addresses_do_no_harm(furnished: Server) -> None:
    somebody = Person(furnished)
    page = somebody.http.get("/@/Anna/statistics").text
    assert "Ben" in page
    assert "Carl" not in page
    assert "Against the computer" not in page
    assert somebody.http.get("/@/anna/statistics").headers["location"] == "/@/Anna/statistics"
    assert somebody.http.get("/@/nobody/statistics").status_code == 404
    assert somebody.http.get(f"/@/{'x' * 200}/statistics").status_code == 404
    for path in ("/statistics?games=%00&by=year", "/top?by=age&rules='&speed=<&span=x", "/@/Anna/statistics?pool=//"):
        assert somebody.http.get(path).status_code == 200, path
    assert somebody.http.get(f"/top?by={'x' * 1000}").status_code == 400
    somebody.close()


def test_graphs_have_names_tables_and_no_styles_of_their_own(furnished: Server) -> None:
    somebody = Person(furnished)
    for path in ("/statistics", "/@/Anna/statistics"):
        page = somebody.http.get(path).text
        graphs = re.findall(r"<svg[^>]*class=\"graph[^>]*>", page)
        assert graphs
        assert all('role="img"' in each and "aria-label=" in each for each in graphs)
        assert page.count("<details>") == len(graphs)
        assert "style=" not in page
        assert "<style" not in page
    somebody.close()


def test_who_is_online_is_named_and_counted(server: Server, people: Callable[..., Person]) -> None:
    somebody = people()
    name = logged_in(somebody)
    with somebody.sit(somebody.new_game()):
        wait_for(lambda: name in people().http.get("/statistics").text)


def test_who_has_blocked_somebody_is_not_named_to_them(people: Callable[..., Person]) -> None:
    somebody, blocked = people(), people()
    name, other = logged_in(somebody), logged_in(blocked)
    assert somebody.post(f"/@/{other}/block", next="/friends").status_code == 303
    with somebody.sit(somebody.new_game()):
        wait_for(lambda: name in people().http.get("/statistics").text)
        assert name not in blocked.http.get("/statistics").text.partition("<main")[2]
