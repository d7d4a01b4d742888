"""One's data as a file: all of it, nobody else's, and no more in memory than a little."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert

from damier.events import Resigned
from damier.notation.pdn import loads
from damier.server.accounts import export as module
from damier.server.play.messages import SayMessage
from damier.server.settings import Settings
from damier.server.tables import (
    api_token,
    daily_exercise,
    exercise,
    guide_step,
    invitation,
    offence,
    passkey,
    rated_game,
    rating,
)
from tests.server.house import BLACK, WHITE, Seat
from tests.server.members import PASSWORD, ClubHouse, club_houses, logged_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.server.conftest import Person


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ClubHouse]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url)) as [only]:
        await only.member("anna", "Anna", email="anna@club.example")
        await only.member("ben", "Ben")
        yield only


async def archive(house: ClubHouse, who: str) -> dict[str, str]:
    """The files of somebody's archive."""
    whole = b"".join([piece async for piece in house.exports.archive(who, "https://club.example")])
    with zipfile.ZipFile(io.BytesIO(whole)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name).decode() for name in opened.namelist()}


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


async def test_all_that_is_kept_is_in_it(house: ClubHouse) -> None:
    now = house.time.now
    game_id = await house.game()
    await house.move(game_id, times=3)
    anna = await Seat(house, game_id, WHITE, "anna").join()
    await house.rooms.say(game_id, anna.reader, SayMessage(1, "players", text="één zet"))
    anna.leave()
    await house.do(game_id, Resigned(), BLACK)
    await house.ties.follow("anna", "ben")
    await house.ties.follow("ben", "anna")
    token = await house.accounts.log_in("Anna", PASSWORD, "Firefox")
    async with house.engine.begin() as connection:
        for table, values in (
            (passkey, {"id": "k", "public_key": "the key", "sign_count": 0, "name": "My telephone", "created": now}),
            (api_token, {"id": "t", "token_hash": "the hash", "name": "A bot", "scopes": "play", "created": now}),
            (offence, {"game": "x", "kind": "left", "at": now}),
            (guide_step, {"step": "board", "at": now}),
            (exercise, {"number": 3, "missed": False, "score": 1, "best": 2, "solved": 2, "at": now}),
            (daily_exercise, {"day": "2026-11-30", "solved": True, "at": now}),
        ):
            await connection.execute(insert(table).values(person="anna", **values))
        await connection.execute(
            insert(rating).values(
                person="anna",
                rules="official",
                speed="blitz",
                value=1662.3,
                deviation=290.0,
                volatility=0.06,
                games=1,
                at=now,
            )
        )
        await connection.execute(
            insert(rated_game).values(
                game=game_id,
                rules="official",
                speed="blitz",
                white="anna",
                black="ben",
                begun=now,
                state="rated",
                at=now,
                score=1.0,
                white_before=1500.0,
                white_after=1662.3,
            )
        )
        await connection.execute(
            insert(invitation).values(
                id="i",
                host="anna",
                rules="official",
                clock="300+3",
                color="lot",
                is_public=True,
                state="open",
                created=now,
                expires=now + 5,
                kind="link",
                rated=False,
            )
        )
    files = await archive(house, "anna")
    [own] = lines(files["account.jsonl"])
    assert (own["name"], own["email"], own["role"], own["has_password"]) == (
        "Anna",
        "anna@club.example",
        "player",
        True,
    )
    assert (own["followers"], own["joined"]) == (1, "2023-11-14T22:13:20+00:00")
    assert [each["name"] for each in lines(files["followed.jsonl"])] == ["Ben"]
    assert lines(files["blocked.jsonl"]) == []
    assert [each["device"] for each in lines(files["sessions.jsonl"])] == ["Firefox"]
    assert [each["name"] for each in lines(files["passkeys.jsonl"])] == ["My telephone"]
    assert [each["scopes"] for each in lines(files["programs.jsonl"])] == ["play"]
    assert [each["value"] for each in lines(files["ratings.jsonl"])] == [1662.3]
    assert [(each["white_after"], each["color"]) for each in lines(files["rated_games.jsonl"])] == [(1662.3, "white")]
    assert [each["text"] for each in lines(files["chat.jsonl"])] == ["één zet"]
    assert [(each["id"], each["as"]) for each in lines(files["invitations.jsonl"])] == [("i", "host")]
    assert [each["kind"] for each in lines(files["offences.jsonl"])] == ["left"]
    assert [each["step"] for each in lines(files["guide.jsonl"])] == ["board"]
    assert [(each["number"], each["best"]) for each in lines(files["exercise.jsonl"])] == [(3, 2)]
    assert [(each["day"], each["solved"]) for each in lines(files["daily_exercises.jsonl"])] == [("2026-11-30", True)]
    [game] = loads(files["games.pdn"])
    assert game.tags["Site"] == f"https://club.example/games/{game_id}"
    assert (game.tags["White"], game.tags["Result"]) == ("Anna", "2-0")
    # nothing that opens anything, and nothing of others but what they are called
    text = "".join(files.values())
    assert token is not None
    for secret in (token, PASSWORD, "argon2", "the key", "the hash", "password_hash"):
        assert secret not in text
    other = await archive(house, "ben")
    assert "anna@club.example" not in "".join(other.values())
    assert lines(other["chat.jsonl"]) == lines(other["sessions.jsonl"]) == []
    assert len(list(loads(other["games.pdn"]))) == 1


async def test_of_much_a_little_is_in_memory(house: ClubHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 3)
    monkeypatch.setattr(module, "CHUNK", 100)
    made = [await house.game() for _ in range(8)]
    for each in made:
        await house.move(each)
    pieces = [piece async for piece in house.exports.archive("anna", "https://club.example")]
    assert len(pieces) > 1
    files = await archive(house, "anna")
    found = {game.tags["Site"].rpartition("/")[2] for game in loads(files["games.pdn"])}
    assert found == set(made)


async def test_of_nobody_there_is_nothing(house: ClubHouse) -> None:
    assert set((await archive(house, "nobody")).values()) == {""}


def test_a_member_fetches_the_own_data_now_and_then(people: Callable[..., Person]) -> None:
    member, other = people(), people()
    name = logged_in(member)
    logged_in(other)
    answers = [member.http.get("/account/export") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429]
    assert answers[0].headers["content-type"] == "application/zip"
    assert "content-encoding" not in answers[0].headers
    assert answers[0].headers["cache-control"] == "private, no-store"
    assert f"damier-{name}.zip" in answers[0].headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answers[0].content)) as opened:
        assert json.loads(opened.read("account.jsonl"))["name"] == name
    assert "Try again in an hour." in answers[4].text
    # the limit is each member's own
    assert other.http.get("/account/export").status_code == 200


def test_guests_and_strangers_have_no_archive(people: Callable[..., Person]) -> None:
    guest, stranger = people(), people()
    guest.new_game()
    assert guest.http.get("/account/export").status_code == 401
    assert stranger.http.get("/account/export").status_code == 401
