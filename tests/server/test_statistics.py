"""The numbers of the club: exact after whatever happens to games and people, on both databases and in any order."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.exc import NoResultFound

from damier.clock import TimeControl
from damier.events import MoveMade, Resigned, TookBack
from damier.record import Player, Start
from damier.rules import OFFICIAL
from damier.server import database
from damier.server.api.standing import become_bot
from damier.server.people import Who
from damier.server.ratings import Pool
from damier.server.settings import Settings
from damier.server.stats import service
from damier.server.stats.changes import MONTH_DAYS
from damier.server.stats.member import Members, Score
from damier.server.stats.service import Statistics, forget
from damier.server.stats.site import activity
from damier.server.stats.top import Top
from damier.server.tables import (
    account,
    event,
    game,
    person,
    person_count,
    person_day,
    person_opponent,
    rated_game,
    rating_day,
    seat,
    site_count,
    site_day,
    statistics_state,
    tally,
    tally_day,
)
from tests.databases import make_ready
from tests.server.house import BLACK, WHITE, Moment
from tests.server.members import ClubHouse, club_houses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncEngine

DAY = 86_400
TODAY = 20_000
NOON = TODAY * DAY + DAY / 2
USUAL = "W:W31-50:B1-20"
MEMBERS = ("anna", "ben", "carl", "dora")
KINDS = dict.fromkeys(MEMBERS, "member") | {"robot": "bot", "guest1": "guest", "nobody": ""}
CLOCKS = {"60+0": "bullet", "300+3": "blitz", "900+5": "rapid", "-": "unlimited"}


@dataclass(frozen=True)
class Played:
    """A game as a test plays it. ``rated``: as its row of ``rated_game`` says, None for none."""

    id: str
    ended: float
    white: str
    black: str
    score: str
    reason: str
    plies: int
    rules: str = "official"
    clock: str = "300+3"
    first: tuple[int, int] | None = (32, 28)
    fen: str | None = None
    rated: str | None = None
    is_public: bool = True

    def player(self, who: str) -> Player:
        if who == "computer":
            return Player("computer", level=1)
        return Player(KINDS[who] or "guest", who.title(), id=who)


def usual() -> str:
    from damier import Board

    return Board().fen()


async def keep(engine: AsyncEngine, games: list[Played]) -> None:
    """Put games into the books as if they had been played."""
    async with engine.begin() as connection:
        for each in games:
            clock = TimeControl.from_pdn(each.clock)
            assert clock is not None
            white, black = each.player(each.white), each.player(each.black)
            start = Start(each.rules, each.fen or usual(), white, black, clock)
            await connection.execute(
                insert(game).values(
                    id=each.id,
                    start=json.dumps(start.to_json()),
                    is_public=each.is_public,
                    created=each.ended - 60,
                    version=3,
                    changed=each.ended,
                    fen=usual(),
                    plies=each.plies,
                    turn="white",
                    score=each.score,
                    reason=each.reason,
                    computer_to_move=False,
                    running=False,
                )
            )
            entries: list[dict[str, Any]] = []
            if each.first is not None:
                # a first move that was taken back does not count
                entries = [
                    MoveMade(31, 26).to_json(),
                    TookBack(1).to_json(),
                    MoveMade(*each.first).to_json(),
                ][0 if int(each.id) % 5 == 0 else 2 :]
            entries.append(Resigned().to_json())
            for version, entry in enumerate(entries, 1):
                text = json.dumps(entry | {"at": 1.0, "by": "white"}, separators=(",", ":"))
                await connection.execute(insert(event).values(game=each.id, version=version, entry=text))
            for color, who in (("white", each.white), ("black", each.black)):
                if who != "computer":
                    await connection.execute(insert(seat).values(game=each.id, color=color, player=who))
            if each.rated is not None:
                after = {
                    f"{side}_{name}": number
                    for side, points in (("white", 1600.0), ("black", 1400.0))
                    for name, number in (("after", points + int(each.id)), ("deviation_after", 70.0))
                }
                await connection.execute(
                    insert(rated_game).values(
                        game=each.id,
                        rules=each.rules,
                        speed=CLOCKS[each.clock],
                        white=each.white,
                        black=each.black,
                        begun=each.ended - 60,
                        state=each.rated,
                        at=each.ended if each.rated == "rated" else None,
                        **(after if each.rated == "rated" else {}),
                    )
                )


def some_games(chance: random.Random, count: int, first: int = 0) -> list[Played]:
    games: list[Played] = []
    for number in range(first, first + count):
        white, black = chance.sample([*MEMBERS, *MEMBERS, "robot", "guest1", "nobody", "computer"], 2)
        while white == black:
            black = chance.choice(MEMBERS)
        score = chance.choice(["2-0", "1-1", "0-2", "2-0", "0-2", "*"])
        both = white in MEMBERS and black in MEMBERS
        rules = chance.choice(["official", "club"])
        clock = chance.choice(["60+0", "300+3", "900+5"])
        rated = chance.choice([None, "rated", "rated", "void"]) if both and score != "*" else None
        if rated is None and not both:
            rules, clock = chance.choice(["official", "leaflet", "classic"]), chance.choice(list(CLOCKS))
        games.append(
            Played(
                str(number),
                NOON - DAY * chance.choice([0, 0, 1, 5, 28, 29, 30, 31, 400]) - chance.random() * DAY / 2,
                white,
                black,
                score,
                chance.choice(["resigned", "no_moves"]) if score in ("2-0", "0-2") else "agreed",
                chance.choice([0, 3, 39, 40, 79, 80, 120, 121]),
                rules,
                clock,
                chance.choice([(32, 28), (34, 29), None]),
                chance.choice([None, None, None, "W:W31:B1"]),
                rated,
                chance.random() < 0.7 and "computer" not in (white, black),
            )
        )
    return games


# --- The naive recount: what the tables are to say, by adding up games -----------------------------------------------


def expected(games: list[Played], *, gone: set[str], bots: set[str], today: int) -> dict[str, dict[Any, Any]]:
    tables: dict[str, dict[Any, Any]] = {
        name: defaultdict(Counter)
        for name in ("site_count", "site_day", "person_count", "person_day", "person_opponent", "tally", "tally_day")
    }
    ratings: dict[Any, tuple[float, float, float]] = {}
    for one in games:
        if one.score == "*" or one.rated in ("playing", "annulled"):
            continue
        pair = (one.white, one.black)
        kind = "computer" if "computer" in pair else "bot" if "robot" in pair else "casual"
        kind = "rated" if one.rated == "rated" else kind
        speed, day = CLOCKS[one.clock], int(one.ended // DAY)
        tables["site_count"][kind, one.rules, speed, one.score, one.reason].update(games=1, plies=one.plies)
        tables["site_day"][day, kind].update(games=1)
        for side, who, other in (("white", *pair), ("black", *reversed(pair))):
            if who == "computer" or who in gone:
                continue
            won = {"2-0": "white", "0-2": "black"}.get(one.score)
            result = "draws" if won is None else "wins" if won == side else "losses"
            facets = [("kind", kind)]
            if kind != "computer":
                length = 0 if one.plies < 40 else 1 if one.plies < 80 else 2 if one.plies < 120 else 3
                facets += [("color", side), ("length", str(length)), ("pool", f"{one.rules}/{speed}")]
                if one.first is not None and one.fen is None:
                    facets.append((f"{side}_opening", "{}-{}".format(*one.first)))
            for facet in facets:
                tables["person_count"][who, *facet].update({result: 1, "plies": one.plies})
            tables["person_day"][who, day, kind].update(games=1)
            if other in (*MEMBERS, "robot") and other not in gone:
                tables["person_opponent"][who, other].update({result: 1})
                if one.is_public:
                    tables["person_opponent"][who, other].update({f"public_{result}": 1})
            if who in MEMBERS and other in MEMBERS and who not in bots:
                recent = day > today - MONTH_DAYS
                for span in ("all", "month") if recent else ("all",):
                    for rules in ("", one.rules):
                        for pace in ("", speed):
                            tables["tally"][who, span, rules, pace].update(games=1, wins=result == "wins")
                if recent:
                    tables["tally_day"][day, who, one.rules, speed].update(games=1, wins=result == "wins")
            if one.rated == "rated":
                points = (1600.0 if side == "white" else 1400.0) + int(one.id)
                key = (who, one.rules, speed, day)
                ratings[key] = max(ratings.get(key, (0.0, 0.0, 0.0)), (one.ended, points, 70.0))
    wanted = {name: _without_nothing(rows) for name, rows in tables.items()}
    wanted["rating_day"] = {key: (value, deviation, at) for key, (at, value, deviation) in ratings.items()}
    return wanted


def _without_nothing(rows: dict[Any, Any]) -> dict[Any, Any]:
    counted = {key: {name: number for name, number in row.items() if number} for key, row in rows.items()}
    return {key: row for key, row in counted.items() if row}


async def kept(engine: AsyncEngine) -> dict[str, dict[Any, Any]]:
    found: dict[str, dict[Any, Any]] = {}
    async with engine.connect() as connection:
        for table in (site_count, site_day, person_count, person_day, person_opponent, tally, tally_day, rating_day):
            names = [column.name for column in table.primary_key]
            rows = (await connection.execute(select(table))).mappings().all()
            if table is rating_day:
                found[table.name] = {
                    tuple(row[name] for name in names): (row["value"], row["deviation"], row["at"]) for row in rows
                }
                continue
            assert all(number >= 0 for row in rows for name, number in row.items() if name not in names), table.name
            found[table.name] = _without_nothing(
                {
                    tuple(row[name] for name in names): {name: row[name] for name in row if name not in names}
                    for row in rows
                }
            )
    return found


async def enter(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        for who, kind in KINDS.items():
            if kind:
                values = {"id": who, "kind": kind, "chat_off": False, "created": 0.0, "seen": 0.0}
                await connection.execute(insert(person).values(name=who.title(), name_key=who, **values))
                if kind != "guest":
                    await connection.execute(
                        insert(account).values(person=who, role="player", daily=False, language="en", joined=0.0)
                    )


@pytest.fixture(params=["sqlite", "postgres"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    address = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    settings = Settings(tmp_path, database=address)
    await asyncio.to_thread(make_ready, settings)
    made = database.open_engine(settings)
    await enter(made)
    yield made
    await made.dispose()


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "REST_SECONDS", 0.0)
    monkeypatch.setattr(service, "GATHER_SECONDS", 0.0)


async def annul(engine: AsyncEngine, game_id: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(update(rated_game).where(rated_game.c.game == game_id).values(state="void", at=NOON))


async def go(engine: AsyncEngine, who: str) -> None:
    """As the deletion of an account does it."""
    async with engine.begin() as connection:
        await connection.execute(update(person).where(person.c.id == who).values(kind="gone", name=None, name_key=None))
    async with engine.begin() as connection:
        await forget(connection, who)


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happens_the_numbers_are_those_of_a_naive_recount(engine: AsyncEngine, seed: int) -> None:
    chance = random.Random(seed)
    moment = Moment()
    moment.now = NOON
    one, other = Statistics(engine, moment), Statistics(engine, moment)
    games: dict[str, Played] = {}
    gone: set[str] = set()
    bots: set[str] = set()
    for _ in range(6):
        new = some_games(chance, 25, len(games))
        await keep(engine, new)
        games |= {each.id: each for each in new}
        some = [chance.sample(sorted(games), 20) for _ in range(3)]
        await one.move_on()
        await asyncio.gather(one.count(some[0]), other.count(some[1]), one.count(some[2]), other.take_up(7))
        rated = [each.id for each in games.values() if each.rated == "rated"]
        for each in chance.sample(rated, min(2, len(rated))):
            await annul(engine, each)
            games[each] = replace(games[each], rated="annulled")
            await asyncio.gather(one.recount(each), other.recount(each), one.count([each]))
        await one.recount(chance.choice(sorted(games)))
        if chance.random() < 0.2 and len(gone) < 2:
            who = chance.choice([each for each in MEMBERS if each not in gone])
            gone.add(who)
            await go(engine, who)
        if chance.random() < 0.2 and not bots:
            who = chance.choice([each for each in MEMBERS if each not in gone])
            bots.add(who)
            async with engine.begin() as connection:
                await connection.execute(update(person).where(person.c.id == who).values(kind="bot"))
                await forget(connection, who, listed_only=True)
        moment.now += DAY * chance.choice([0, 0, 1, 2, 40])
    async with engine.begin() as connection:  # games that ended long ago have been put in later
        await connection.execute(update(statistics_state).values(since=0.0))
    await asyncio.gather(one.take_up(), other.take_up())
    await other.move_on()
    wanted = expected(list(games.values()), gone=gone, bots=bots, today=int(moment.now // DAY))
    found = await kept(engine)
    for name, rows in wanted.items():
        assert found[name] == rows, (name, gone, bots)


# --- Beside the rest of the club -------------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgres"])
async def club(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[ClubHouse]]:
    """Two processes of a club, and two members."""
    address = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=address), 2) as both:
        await both[0].member("anna", "Anna")
        await both[0].member("ben", "Ben")
        yield both


async def rated_game_of(house: ClubHouse) -> str:
    """A rated game that anna has won; it is not rated yet."""
    asked = await house.offers.challenge(
        Who("anna", "member", "Anna"),
        Who("ben", "member", "Ben"),
        rules=OFFICIAL,
        control=TimeControl.fischer(300, 3),
        color="white",
        rated=True,
    )
    game_id = (await house.lobby.accept(asked.id, "ben")).game
    assert game_id is not None
    await house.move(game_id, times=2)
    return game_id


async def scores(house: ClubHouse, who: str) -> dict[str, Score]:
    async with house.engine.connect() as connection:
        return (await Members(connection).scores(who)).get("kind", {})


async def test_a_rated_game_is_counted_once_by_all_who_saw_it_end_and_not_before_it_is_rated(
    club: list[ClubHouse],
) -> None:
    house, other = club
    both = [Statistics(each.engine, each.time) for each in club]
    for each, statistics in zip(club, both, strict=True):
        statistics.watch(each.play)
    game_id = await rated_game_of(house)
    await other.play.view(game_id)
    async with house.engine.begin() as connection:
        # as if the process that rates it had died
        await connection.execute(update(rated_game).values(game="away"))
    await house.do(game_id, Resigned(), BLACK)
    await house.ratings.close()
    async with house.engine.begin() as connection:
        await connection.execute(update(rated_game).values(game=game_id))
    assert [await each.count_ended() for each in both] == [0, 0]
    await house.ratings.settle(game_id)
    counted = await asyncio.gather(*(each.take_up() for each in both), *(each.count([game_id]) for each in both))
    assert sum(counted) == 1
    assert await scores(house, "anna") == {"rated": Score(wins=1, plies=2)}
    assert await scores(house, "ben") == {"rated": Score(losses=1, plies=2)}
    async with house.engine.connect() as connection:
        (point,) = await Members(connection).ratings("anna", Pool("official", "blitz"), int(house.time.now // DAY))
    assert round(point.value) == 1662


async def test_who_has_deleted_the_account_or_became_a_bot_is_in_no_list(club: list[ClubHouse]) -> None:
    house, _ = club
    statistics = Statistics(house.engine, house.time)
    white, black = Player("member", "Anna", id="anna"), Player("member", "Ben", id="ben")
    for _ in range(2):
        game_id = await house.play.create_between(white, black, OFFICIAL, TimeControl.fischer(300, 3), True)
        await house.move(game_id, times=2)
        await house.do(game_id, Resigned(), BLACK)
    await statistics.take_up()
    top = Top(house.engine)
    assert [each.name for each in (await top.by_tally("games", "", "", "month", None))[0]] == ["Anna", "Ben"]
    await become_bot(house.engine, "ben")
    assert [each.name for each in (await top.by_tally("games", "", "", "month", None))[0]] == ["Anna"]
    assert (await scores(house, "ben"))["casual"].losses == 2
    await house.departures.leave("anna")
    assert (await top.by_tally("games", "", "", "all", None))[0] == []
    assert await scores(house, "anna") == {}
    async with house.engine.connect() as connection:
        assert await Members(connection).opponents("ben", private=True) == []
    assert (await scores(house, "ben"))["casual"].losses == 2
    async with house.engine.connect() as connection:
        for table in (person_count, person_day, person_opponent, rating_day, tally, tally_day):
            assert (await connection.execute(select(table).where(table.c.person == "anna"))).first() is None, table.name


async def test_what_went_wrong_is_tried_again(club: list[ClubHouse]) -> None:
    house, _ = club
    statistics = Statistics(house.engine, house.time)
    statistics.watch(house.play)
    white, black = Player("guest", id="x"), Player("guest", id="y")
    game_id = await house.play.create_between(white, black, OFFICIAL, TimeControl.fischer(300, 3), True)
    await house.move(game_id, times=2)
    await house.do(game_id, Resigned(), WHITE)
    async with house.engine.begin() as connection:
        row = (await connection.execute(select(statistics_state))).one()
        await connection.execute(statistics_state.delete())
    with pytest.raises(NoResultFound):
        await statistics.count_ended()
    async with house.engine.begin() as connection:
        await connection.execute(insert(statistics_state).values(id=row.id, since=row.since, day=row.day))
    assert await statistics.count_ended() == 1
    assert await statistics.count_ended() == 0
    assert await scores(house, "y") == {"casual": Score(wins=1, plies=2)}


@pytest.mark.parametrize("by", ["day", "week", "month"])
async def test_the_activity_is_that_of_the_games(engine: AsyncEngine, by: Any) -> None:
    games = [replace(each, rated=None) for each in some_games(random.Random(9), 200)]
    await keep(engine, games)
    await Statistics(engine, lambda: NOON).take_up()
    columns = await activity(engine, by, TODAY)
    first = (columns[0][0] - date(1970, 1, 1)).days
    counted = [each for each in games if each.score != "*" and each.ended >= first * DAY]
    assert sum(sum(column.values()) for _, column in columns) == len(counted) > 50
    begins = [(begin - date(1970, 1, 1)).days for begin, _ in columns] + [TODAY + 1]
    for number, (_, column) in enumerate(columns):
        days = range(begins[number], begins[number + 1])
        assert sum(column.values()) == sum(int(each.ended // DAY) in days for each in counted)
