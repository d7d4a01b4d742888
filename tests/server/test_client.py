"""``damier.client`` and ``damier bot`` at a real club: what a program can do, and a bot that plays a whole game."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import asynccontextmanager, closing
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from damier import Color
from damier.client import ChallengeEnded, ChallengeMade, Client, ClubError, GameStarted
from damier.notation.pdn import read
from tests.cli.command import MAIN
from tests.server.conftest import Person
from tests.server.programs import PASSWORD, Program

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator
    from pathlib import Path

    from damier.client import Event, GameState, Table
    from tests.server.conftest import Server

SECONDS = 60


@pytest.fixture
def tokens(own_server: Server) -> Iterator[dict[str, str]]:
    """Three members' tokens for everything, by name."""
    made = [Program(own_server, name=name) for name in ("Anna", "Ben", "Engine-1")]
    yield {each.name: each.token for each in made}
    for each in made:
        each.close()


@asynccontextmanager
async def programs(server: Server, tokens: dict[str, str], *names: str) -> AsyncGenerator[list[Client]]:
    """Members' programs."""
    clients = [Client(server.address, tokens[name]) for name in names]
    try:
        yield clients
    finally:
        for client in clients:
            await client.close()


async def until(events: AsyncIterator[Event], kind: type[Event]) -> Event:
    async with asyncio.timeout(SECONDS):
        async for event in events:
            if isinstance(event, kind):
                return event
    raise AssertionError("the events ended")


async def first_moves(table: Table, until_ply: int) -> GameState:
    """Play the first legal move whenever it is one's turn, up to a ply or the end."""
    async with asyncio.timeout(SECONDS):
        async for game in table:
            if game.is_over or game.board.ply >= until_ply:
                return game
            if game.your_turn:
                await table.move(game.board.legal_moves[0])
    raise AssertionError("the table was cleared")


async def test_a_seek_is_accepted_and_the_game_played_to_its_end(own_server: Server, tokens: dict[str, str]) -> None:
    async with programs(own_server, tokens, "Anna", "Ben") as (anna, ben):
        account = await anna.account()
        assert (account.name, account.kind) == ("Anna", "member")
        events = anna.events()
        hearing = asyncio.create_task(until(events, GameStarted))
        seek = await anna.seek("300+3", rules="club", color="white")
        await asyncio.sleep(0.5)  # Anna's socket is open by now, so that she is there
        assert [each.id for each in await ben.seeks()] == [seek.id]
        game_id = await ben.accept_seek(seek.id)
        assert await hearing == GameStarted(game_id, "white")
        assert await ben.seeks() == ()
        async with anna.join(game_id) as white, ben.join(game_id) as black:
            first, second = await asyncio.gather(first_moves(white, 6), first_moves(black, 6))
            assert (first.you, second.you) == (Color.WHITE, Color.BLACK)
            assert first.rules == "club"
            assert first.opponent.name == "Ben"
            await white.offer_draw()
            await black.accept_draw()
            async for game in white:
                if game.is_over:
                    break
            assert (white.game.score, white.game.reason) == ("1-1", "agreed")
            with pytest.raises(ClubError) as caught:
                await black.resign()
            assert caught.value.code == "game_over"
        [played] = read(StringIO(await ben.pdn(game_id)))
        assert played.tags["White"] == "Anna"
        assert await anna.games() == ()
        pieces = [piece async for piece in anna.games_of("ben")]
        assert "Anna" in "".join(pieces)


async def test_a_challenge_is_declined_with_a_phrase_and_another_withdrawn(
    own_server: Server, tokens: dict[str, str]
) -> None:
    async with programs(own_server, tokens, "Anna", "Ben") as (anna, ben):
        made = await anna.challenge("ben", "300+3", color="black")
        assert (made.challenger.name, made.challenged.name, made.color, made.rated) == ("Anna", "Ben", "black", False)
        bens = ben.events()
        heard = await until(bens, ChallengeMade)
        assert isinstance(heard, ChallengeMade)
        assert heard.challenge.id == made.id
        assert (made.incoming, heard.challenge.incoming) == (False, True)
        annas = anna.events()
        hearing = asyncio.create_task(until(annas, ChallengeEnded))
        await asyncio.sleep(0.5)
        await ben.decline_challenge(made.id, "too_fast")
        ended = await hearing
        assert ended == ChallengeEnded(made.id, "declined", None, "too_fast")
        again = await anna.challenge("Ben", "correspondence 1")
        assert [each.id for each in (await ben.challenges()).incoming] == [again.id]
        await anna.withdraw_challenge(again.id)
        assert (await ben.challenges()).incoming == ()
        with pytest.raises(ClubError) as caught:
            await ben.accept_challenge(again.id)
        assert caught.value.code == "not_open"


async def test_what_is_refused_is_told(own_server: Server, tokens: dict[str, str]) -> None:
    async with programs(own_server, tokens, "Anna") as (anna,), Client(own_server.address, "dmr_no") as nobody:
        for work, status in (
            (anna.member("nobody-here"), 404),
            (anna.pdn("nosuchgame"), 404),
            (anna.seek("never"), 400),
            (anna.accept_seek("none"), 404),
            (anna.challenge("Anna", "300+3"), None),
            (nobody.account(), 401),
        ):
            with pytest.raises(ClubError) as caught:
                await work
            assert status is None or caught.value.status == status
            assert caught.value.code
        with pytest.raises(ClubError):
            async with anna.join("nosuchgame"):
                pass
        with pytest.raises(ClubError):
            await until(nobody.events(), GameStarted)


async def test_a_token_that_is_revoked_closes_its_sockets(own_server: Server, tokens: dict[str, str]) -> None:
    async with programs(own_server, tokens, "Anna", "Ben") as (anna, ben):
        seek = await anna.seek("correspondence 3")
        async with ben.join(await ben.accept_seek(seek.id)) as table:
            hearing = asyncio.create_task(until(ben.events(), ChallengeMade))
            await asyncio.sleep(0.5)
            with closing(Person(own_server)) as page:
                await asyncio.to_thread(log_in, page, "Ben")
                await asyncio.to_thread(revoke_all, page)
            for waiting in (hearing, to_the_end(table)):
                with pytest.raises(ClubError) as caught:
                    async with asyncio.timeout(SECONDS):
                        await waiting
                assert caught.value.code == "logged_out"
            with pytest.raises(ClubError) as caught:
                await ben.account()
            assert caught.value.status == 401


def log_in(page: Person, name: str) -> None:
    answer = page.post("/log-in", name=name, password=PASSWORD, next="/")
    assert answer.status_code == 303, answer.text


def revoke_all(page: Person) -> None:
    for path in re.findall(r'action="(/account/tokens/\w+/revoke)"', page.http.get("/account/tokens").text):
        assert page.post(path).status_code == 303


async def to_the_end(table: Table) -> None:
    async for _ in table:
        pass


async def test_a_bot_plays_a_whole_game_with_a_hub_engine(
    own_server: Server, tokens: dict[str, str], tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text(tokens["Engine-1"])
    command = [sys.executable, "-c", MAIN, "bot", "--club", own_server.address, "--token-file", str(token), "--upgrade"]
    bot = await asyncio.create_subprocess_exec(
        *command,
        *("--move-time", "0.05", "--games", "1", "--hub", f'{sys.executable} -c "{MAIN}" hub'),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ,
    )
    assert bot.stdout is not None
    try:
        async with programs(own_server, tokens, "Anna") as (anna,):
            async with asyncio.timeout(SECONDS):
                while b"playing as" not in await bot.stdout.readline():
                    pass
            assert (await anna.member("Engine-1")).kind == "bot"
            hearing = asyncio.create_task(until(anna.events(), GameStarted))
            await anna.challenge("Engine-1", "300+3", color="white")
            started = await hearing
            assert isinstance(started, GameStarted)
            async with anna.join(started.game) as table:
                assert table.game.opponent.kind == "bot"
                game = await first_moves(table, 1000)
            # whoever plays the first move that there is loses
            assert (game.score, game.you) == ("0-2", Color.WHITE), (
                game.reason,
                str(game.board),
                await bot.stdout.read(),
            )
        async with asyncio.timeout(SECONDS):
            rest = (await bot.stdout.read()).decode()
            assert await bot.wait() == 0
        assert f"{started.game}: 0-2" in rest
    finally:
        if bot.returncode is None:
            bot.kill()
            await bot.wait()
