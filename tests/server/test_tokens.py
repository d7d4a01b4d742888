"""Personal access tokens: how they are kept, what opens something, and the page on which they are made."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, select

from damier.server import database
from damier.server.accounts.service import token_hash
from damier.server.api.tokens import MOST_TOKENS, TOKEN, USED_EVERY, BadToken, Tokens, TooManyTokens
from damier.server.people import People
from damier.server.settings import Settings
from damier.server.tables import account, api_token, person
from tests.databases import make_ready
from tests.server.house import Moment
from tests.server.programs import Program

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncEngine

    from tests.server.conftest import Person, Server


@pytest.fixture(params=["sqlite", "postgres"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    address = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    settings = Settings(tmp_path, database=address)
    made = await _ready(settings)
    yield made
    await made.dispose()


async def _ready(settings: Settings) -> AsyncEngine:
    await asyncio.to_thread(make_ready, settings)
    engine = database.open_engine(settings)
    for name in ("anna", "ben"):
        await People(engine).keep(name)
        async with engine.begin() as connection:
            await connection.execute(
                account.insert().values(person=name, role="player", daily=False, language="en", joined=0.0)
            )
    return engine


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
def tokens(engine: AsyncEngine, moment: Moment) -> Tokens:
    return Tokens(engine, moment)


async def test_of_a_token_its_hash_is_kept(tokens: Tokens, engine: AsyncEngine) -> None:
    token, secret = await tokens.create("anna", "  my   bot ", ["seek", "play"], None)
    assert TOKEN.fullmatch(secret)
    assert (token.name, token.scopes, token.expires) == ("my bot", {"play", "seek"}, None)
    async with engine.connect() as connection:
        (row,) = (await connection.execute(select(api_token))).all()
    assert secret not in map(str, row)
    assert row.token_hash == token_hash(secret)
    access = await tokens.read(secret)
    assert access is not None
    assert (access.token, access.person, access.scopes) == (token.id, "anna", {"play", "seek"})


async def test_what_is_no_token_opens_nothing(tokens: Tokens) -> None:
    _, secret = await tokens.create("anna", "bot", [], None)
    for wrong in (
        "",
        "dmr_",
        secret[:-1],
        secret + "x",
        secret.swapcase(),
        secret.removeprefix("dmr_"),
        "é" * 47,
        "\0",
    ):
        assert await tokens.read(wrong) is None, wrong


async def test_a_token_ends(tokens: Tokens, moment: Moment) -> None:
    brief, secret = await tokens.create("anna", "brief", ["play"], 30)
    lasting, lasting_secret = await tokens.create("anna", "lasting", ["play"], None)
    moment.now += 30 * 86_400 - 1
    assert await tokens.read(secret) is not None
    moment.now += 1
    assert await tokens.read(secret) is None
    assert [each.id for each in await tokens.of("anna")] == [lasting.id]
    assert not await tokens.revoke("ben", lasting.id)
    assert await tokens.revoke("anna", lasting.id)
    assert not await tokens.revoke("anna", lasting.id)
    assert not await tokens.revoke("anna", "\0")
    assert await tokens.read(lasting_secret) is None
    assert brief.expires == brief.created + 30 * 86_400


async def test_the_last_use_is_noted(tokens: Tokens, moment: Moment) -> None:
    _, secret = await tokens.create("anna", "bot", [], 365)
    assert (await tokens.of("anna"))[0].used is None
    first = moment.now
    await tokens.read(secret)
    moment.now += USED_EVERY - 1
    await tokens.read(secret)
    assert (await tokens.of("anna"))[0].used == first
    moment.now += 2
    await tokens.read(secret)
    assert (await tokens.of("anna"))[0].used == moment.now


async def test_there_is_an_end_to_tokens(tokens: Tokens, moment: Moment) -> None:
    for number in range(MOST_TOKENS):
        await tokens.create("anna", f"bot {number}", [], 30)
    with pytest.raises(TooManyTokens):
        await tokens.create("anna", "one more", [], None)
    await tokens.create("ben", "his first", [], None)
    moment.now += 31 * 86_400
    await tokens.create("anna", "those that have ended do not count", [], None)
    assert len(await tokens.of("anna")) == 1


@pytest.mark.parametrize(
    ("name", "scopes", "days"),
    [("", [], None), (" ", [], None), ("x" * 41, [], None), ("a\0b", [], None), ("a", ["all"], None), ("a", [], 31)],
)
async def test_a_token_that_cannot_be_made(tokens: Tokens, name: str, scopes: list[str], days: int | None) -> None:
    with pytest.raises(BadToken):
        await tokens.create("anna", name, scopes, days)


async def test_tokens_go_with_the_account(tokens: Tokens, engine: AsyncEngine) -> None:
    _, secret = await tokens.create("anna", "bot", [], None)
    async with engine.begin() as connection:
        await connection.execute(delete(account).where(account.c.person == "anna"))
        assert (await connection.execute(select(person.c.id).where(person.c.id == "anna"))).one()
    assert await tokens.read(secret) is None


# --- The page ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def member(server: Server) -> Iterator[Program]:
    made = Program(server)
    yield made
    made.close()


def test_a_token_is_made_shown_once_and_revoked(member: Program) -> None:
    page = member.page
    made = page.post("/account/tokens", name="My <bot>", scope="play", days="90")
    assert made.status_code == 200
    assert made.headers["cache-control"] == "no-store"
    found = re.search(r'value="(dmr_[^"]+)"', made.text)
    assert found
    assert member.http.get("/account", headers={"authorization": f"Bearer {found[1]}"}).json()["scopes"] == [
        "account:read",
        "play",
    ]
    shown = page.http.get("/account/tokens").text
    assert "dmr_" not in shown
    assert "My &lt;bot&gt;" in shown
    paths = re.findall(r'action="(/account/tokens/\w+/revoke)"', shown)
    assert len(paths) == 2, "the newest first"
    assert page.post(paths[0]).headers["location"] == "/account/tokens"
    assert member.http.get("/account", headers={"authorization": f"Bearer {found[1]}"}).status_code == 401
    assert member.http.get("/account").status_code == 200


def test_what_is_wrong_is_said_on_the_page(member: Program) -> None:
    page = member.page
    refused = page.post("/account/tokens", name="   ", days="never")
    assert refused.status_code == 422
    assert "Give the token a name" in refused.text
    assert page.post("/account/tokens", name="x", days="7").status_code == 400
    assert page.post("/account/tokens", days="30").status_code == 400
    assert page.http.post("/account/tokens", data={"name": "x", "days": "30"}).status_code == 403


def test_guests_and_tokens_have_no_tokens(person: Person, member: Program, people: Callable[..., Person]) -> None:
    answers = [person.http.get("/account/tokens"), person.post("/account/tokens", name="x", days="30")]
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [
        (303, "/log-in?next=/account/tokens")
    ] * 2
    stranger = people()
    shown = stranger.http.get("/account/tokens", headers=dict(member.http.headers))
    assert shown.status_code == 303, "no token opens a page"
