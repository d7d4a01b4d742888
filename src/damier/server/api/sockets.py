"""The two sockets for programs: a game's, as its page has it, and the personal one.

The personal socket says of itself all that is open: after connecting, and after every piece of news, what the books
say is compared with what the program has been told. So nothing that is lost on the way is missed for long.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from litestar import WebSocket, websocket
from litestar.params import PathParameter

from damier.server.api.auth import is_for, who_asks
from damier.server.api.models import Challenge, Side
from damier.server.api.offers import shown_challenges
from damier.server.api.problems import asked_language
from damier.server.club import Club
from damier.server.lobby import lists
from damier.server.lobby import socket as lobby
from damier.server.play import socket as play

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from damier.server.lobby.socket import Listener

LOOK_SECONDS: Final = 30.0
"""Between two looks at the books when there is no news."""
GATHER_SECONDS: Final = 0.05
"""For which news are gathered."""
RETRY_SECONDS: Final = 0.5
"""Before the rest of what is new is offered again to a program that takes it slowly."""

log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


class GameStart(msgspec.Struct, tag_field="t", tag="game_start", frozen=True):
    """A game of one's own has begun, or goes on when the socket is opened. ``color``: one's side."""

    game: str
    color: Side


class ChallengeNews(Challenge, tag_field="t", tag="challenge", frozen=True):
    """A challenge to be answered or that one has made; when the socket is opened, each that is open."""


class ChallengeEnded(msgspec.Struct, tag_field="t", tag="challenge_ended", frozen=True):
    """A challenge is no longer open. ``game``: what came of it. ``answer``: what it was declined with."""

    id: str
    state: Literal["accepted", "declined", "withdrawn", "expired"]
    game: str | None
    answer: str | None


@websocket("/games/{game_id:str}/socket")
async def game_socket(
    socket: WebSocket[Any, Any, Any], club: Club, game_id: Annotated[str, PathParameter(max_length=64)]
) -> None:
    """A game, as its players' pages have it; the first message says also what does not change during the game."""
    who = who_asks(socket)
    # without leave to play one is nobody here: neither does a player's private chat concern such a token
    person = who.id if who is not None and is_for(socket, "play") else None
    await play.attend(socket, club, game_id, person, asked_language(socket), has_page=False)


@websocket("/socket")
async def personal_socket(socket: WebSocket[Any, Any, Any], club: Club) -> None:
    """The news of the club, and one's own."""
    who = who_asks(socket)
    person = "" if who is None else who.id
    # of challenges a token hears that may ask for them
    affairs = partial(_affairs, club, person, is_for(socket, "seek"))
    await lobby.attend(socket, club, person, asked_language(socket), affairs)


@asynccontextmanager
async def _affairs(club: Club, person: str, may_seek: bool, listener: Listener) -> AsyncGenerator[None]:
    """Have a program told of its owner's games and challenges for as long as it listens."""
    affairs = Affairs(club, person, listener, may_seek=may_seek)
    unsubscribe = await club.bus.subscribe(f"person:{person}", affairs.news)
    task = asyncio.create_task(affairs.run())
    try:
        yield
    finally:
        unsubscribe()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Affairs:
    """What a program has been told of its owner's games and, where it ``may_seek``, challenges."""

    def __init__(self, club: Club, person: str, listener: Listener, *, may_seek: bool) -> None:
        self._may_seek = may_seek
        self._club = club
        self._person = person
        self._listener = listener
        self._games: set[str] = set()
        self._challenges: set[str] = set()
        self._news = asyncio.Event()
        self._news.set()

    def news(self, _: bytes) -> None:
        """Something that concerns the owner has happened."""
        self._news.set()

    async def run(self) -> None:
        """Tell what is new, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._news.wait()
            except TimeoutError:
                pass
            self._news.clear()
            await asyncio.sleep(GATHER_SECONDS)
            try:
                # the challenge first: a game may have come of it
                if not (await self._tell_challenges() and await self._tell_games()):
                    await asyncio.sleep(RETRY_SECONDS)
                    self._news.set()
            except Exception:
                log.exception("A program could not be told what is new")
                await asyncio.sleep(RETRY_SECONDS)

    async def _tell_challenges(self) -> bool:
        """Tell of the challenges that are new, and of those that have ended. Returns whether all could be told."""
        found = await self._club.offers.challenges_of(self._person) if self._may_seek else ()
        for each in await shown_challenges(self._club.people, found, self._person):
            if each.id in self._challenges:
                continue
            if not self._put(f"challenge {each.id}", ChallengeNews(**msgspec.structs.asdict(each))):
                return False
            self._challenges.add(each.id)
        for ended in self._challenges - {each.id for each in found}:
            present = await self._club.lobby.get(ended)
            state = "expired" if present.state == "open" else present.state
            if not self._put(f"challenge {ended}", ChallengeEnded(ended, state, present.game, present.answer)):
                return False
            self._challenges.discard(ended)
        return True

    def _put(self, kind: str, message: msgspec.Struct) -> bool:
        return self._listener.put(kind, _encode(message).decode())

    async def _tell_games(self) -> bool:
        """Tell of the games that have begun. Returns whether all could be told."""
        present = await self._club.store.unfinished_of(self._person, lists.OWN_MOST)
        self._games &= {each.id for each in present}
        for each in present:
            if each.id in self._games:
                continue
            color: Side = "white" if each.start.white.id == self._person else "black"
            if not self._put(f"game {each.id}", GameStart(each.id, color)):
                return False
            self._games.add(each.id)
        return True
