"""Annulling rated games: the ratings are those that would be there had the game never been rated, and come back."""

from __future__ import annotations

import asyncio
import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, insert, select, update

from damier.server import annulment, database
from damier.server.annulment import NotAnnulled, annul, restore
from damier.server.bus import LocalBus
from damier.server.rating_book import RatingBook
from damier.server.ratings import NotRated, Rating
from damier.server.settings import Settings
from damier.server.tables import game, person, rated_game, rating
from tests.databases import make_ready

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncEngine

PEOPLE = ("anna", "ben", "cora", "dirk", "eva")
START = 1_700_000_000.0
DAY = 86_400.0


@dataclass(frozen=True)
class Played:
    """A rated game that is over. It was settled in its place in the list, which its moment need not fit."""

    id: str
    white: str
    black: str
    score: str
    at: float
    speed: str = "blitz"


@pytest.fixture(params=["sqlite", "postgres"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    settings = Settings(tmp_path, database=url)
    await asyncio.to_thread(make_ready, settings)
    opened = database.open_engine(settings)
    yield opened
    await opened.dispose()


async def clear(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        for table in (rating, rated_game, game, person):
            await connection.execute(delete(table))
        await connection.execute(
            insert(person),
            [
                {
                    "id": each,
                    "kind": "member",
                    "name": each,
                    "name_key": each,
                    "chat_off": False,
                    "created": 0,
                    "seen": 0,
                }
                for each in PEOPLE
            ],
        )


async def play(engine: AsyncEngine, games: Sequence[Played]) -> None:
    """Settle these games, one after the other."""
    book = RatingBook(engine, LocalBus())
    for each in games:
        await enter(engine, each)
        await book.settle(each.id)


async def enter(engine: AsyncEngine, played: Played) -> None:
    async with engine.begin() as connection:
        await connection.execute(
            insert(game).values(
                id=played.id,
                start="{}",
                is_public=True,
                created=played.at,
                version=1,
                changed=played.at,
                fen="",
                plies=2,
                turn="white",
                score=played.score,
                computer_to_move=False,
                running=False,
            )
        )
        await connection.execute(
            insert(rated_game).values(
                game=played.id,
                rules="official",
                speed=played.speed,
                white=played.white,
                black=played.black,
                begun=played.at,
                state="playing",
            )
        )


async def books(engine: AsyncEngine, *, turns: bool = True) -> tuple[list[Any], dict[str, Any]]:
    """All that the books say: everybody's rating, and what each game has made of them. ``turns``: and in what turn."""
    async with engine.connect() as connection:
        ratings = await connection.execute(select(rating).order_by(*rating.primary_key.columns))
        games = await connection.execute(select(rated_game))
        rows = {
            row["game"]: {name: value for name, value in row.items() if turns or name != "turn"}
            for row in games.mappings()
        }
        return [tuple(row) for row in ratings], rows


def season(seed: int, count: int = 30) -> list[Played]:
    """Games of a few people in two pools, some of them settled later than others that ended after them."""
    chance, now = random.Random(seed), START
    games: list[Played] = []
    for number in range(count):
        now += chance.choice((0.0, 600.0, DAY, 40 * DAY))
        white, black = chance.sample(PEOPLE, 2)
        score, speed = chance.choice(("2-0", "1-1", "0-2")), chance.choice(("blitz", "blitz", "blitz", "rapid"))
        late = chance.choice((0.0, 0.0, 0.0, 2 * DAY))
        games.append(Played(f"{chance.randrange(1000):03}-{number}", white, black, score, now - late, speed))
    return games


@pytest.mark.parametrize("seed", range(6))
async def test_ratings_are_as_if_the_game_had_not_been(
    engine: AsyncEngine, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annulment, "PAGE", 7)
    games, chance = season(seed), random.Random(1000 + seed)
    await clear(engine)
    await play(engine, games[:20])
    before = await books(engine)
    out = [each.id for each in chance.sample(games[:20], 3)]
    for each in out:
        async with engine.begin() as connection:
            await annul(connection, each)
    # undone in another order than done
    taken_back, kept_out = out[1], {out[0], out[2]}
    async with engine.begin() as connection:
        await restore(connection, taken_back)
    await play(engine, games[20:])
    ratings, rows = await books(engine, turns=False)

    await clear(engine)
    await play(engine, [each for each in games if each.id not in kept_out])
    expected_ratings, expected_rows = await books(engine, turns=False)
    assert ratings == expected_ratings
    assert {name: row for name, row in rows.items() if name not in kept_out} == expected_rows
    assert {rows[each]["state"] for each in kept_out} == {"annulled"}
    assert all(rows[each][f"{side}_after"] is None for each in kept_out for side in ("white", "black"))

    await clear(engine)
    await play(engine, games[:20])
    for each in out:
        async with engine.begin() as connection:
            await annul(connection, each)
    for each in chance.sample(out, 3):
        async with engine.begin() as connection:
            await restore(connection, each)
    assert await books(engine) == before


async def test_the_only_game_of_somebody_leaves_no_rating(engine: AsyncEngine) -> None:
    await clear(engine)
    await play(engine, [Played("g", "anna", "ben", "2-0", START)])
    async with engine.begin() as connection:
        await annul(connection, "g")
    assert (await books(engine))[0] == []
    standing = await RatingBook(engine, LocalBus()).standing("g")
    assert (standing.is_rated, standing.reason) == (False, NotRated.ANNULLED)
    # and the next is a first one, long as it is after
    await play(engine, [Played("h", "anna", "ben", "2-0", START + 365 * DAY)])
    assert [row[3] for row in (await books(engine))[0]] == pytest.approx([1662.2, 1337.8], abs=0.2)


async def test_who_is_gone_is_written_into_no_books_again(engine: AsyncEngine) -> None:
    await clear(engine)
    await play(engine, [Played("g", "anna", "ben", "2-0", START), Played("h", "ben", "cora", "2-0", START + DAY)])
    async with engine.begin() as connection:
        await connection.execute(update(person).where(person.c.id == "ben").values(kind="gone", name=None))
        await connection.execute(delete(rating).where(rating.c.person == "ben"))
        await annul(connection, "g")
    ratings, rows = await books(engine)
    assert [row[0] for row in ratings] == ["cora"]
    # cora has lost to somebody whose first game that was
    assert rows["h"]["black_after"] == pytest.approx(1337.8, abs=0.2)


async def test_what_cannot_be_annulled(engine: AsyncEngine) -> None:
    await clear(engine)
    await play(engine, [Played("g", "anna", "ben", "2-0", START), Played("v", "anna", "ben", "*", START)])
    await enter(engine, Played("p", "anna", "ben", "2-0", START))
    async with engine.begin() as connection:
        old = {
            "game": "old",
            "state": "rated",
            "score": 1.0,
            "at": START,
            "begun": START,
            "white": "anna",
            "black": "ben",
        }
        await connection.execute(insert(rated_game).values(rules="official", speed="blitz", **old))
    before = await books(engine)
    for each, what in (("v", annul), ("p", annul), ("none", annul), ("old", annul), ("g", restore)):
        with pytest.raises(NotAnnulled):
            async with engine.begin() as connection:
                await what(connection, each)
    assert await books(engine) == before
    async with engine.begin() as connection:
        await annul(connection, "g")
    with pytest.raises(NotAnnulled):
        async with engine.begin() as connection:
            await annul(connection, "g")
    # the arbiter of games does not come back to it
    assert await RatingBook(engine, LocalBus()).settle("g") is None


async def test_games_that_are_settled_meanwhile(engine: AsyncEngine) -> None:
    """Annulled while others of the same pool are being settled, in whatever order the two come to pass."""
    games = [Played(f"g{number}", *PEOPLE[:2], "2-0", START + number) for number in range(12)]
    await clear(engine)
    await play(engine, games[:2])
    book = RatingBook(engine, LocalBus())
    for each in games[2:]:
        await enter(engine, each)

    async def out() -> None:
        async with engine.begin() as connection:
            await annul(connection, "g0")

    await asyncio.gather(
        *(book.settle(each.id) for each in games[2:7]), out(), *(book.settle(each.id) for each in games[7:])
    )
    ratings, rows = await books(engine)
    order = sorted((row for row in rows.values() if row["state"] == "rated"), key=lambda row: row["turn"])
    assert len({row["turn"] for row in order}) == len(order) == 11
    assert order[0]["white_before"] == Rating().value
    for one, two in itertools.pairwise(order):
        assert (one["white_after"], one["black_after"]) == (two["white_before"], two["black_before"])
    assert ratings[0][3] == order[-1]["white_after"]
    assert ratings[0][6] == 11
