"""The parts of a club in this process, on a real store, with a clock that tests set. Two of them make a bigger club."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from damier import Color
from damier.clock import TimeControl
from damier.events import MoveMade
from damier.record import Player
from damier.rules import by_name
from damier.server import database
from damier.server.accounts.ties import Ties
from damier.server.bus import LocalBus
from damier.server.lobby.invitations import Invitations
from damier.server.lobby.offences import Offences
from damier.server.lobby.offers import Offers
from damier.server.lobby.quick import Quick
from damier.server.moderation.conduct import Conduct
from damier.server.people import People
from damier.server.play.chat import Chat
from damier.server.play.hub import Hub, Reader
from damier.server.play.opponent import LocalOpponents
from damier.server.play.rooms import Rooms
from damier.server.play.service import Play
from damier.server.play.store import open_store
from damier.server.play.timekeeper import Timekeeper
from damier.server.presence import LocalPresence
from damier.server.rating_book import RatingBook
from damier.server.settings import Settings
from tests.databases import make_ready
from tests.server.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from pathlib import Path

    from damier.events import Event
    from damier.game import Game
    from damier.server.play.store import EventStore
    from damier.server.presence import Presence

WHITE, BLACK = Color.WHITE, Color.BLACK


class Wire:
    """What joins the buses of several houses. ``cut``: nothing gets through."""

    def __init__(self) -> None:
        self.buses: list[WiredBus] = []
        self.cut = False

    def mend(self) -> None:
        self.cut = False
        for bus in self.buses:
            for call in bus.gaps:
                call()


class WiredBus(LocalBus):
    """A local bus that also tells the others on its wire, as a bus between processes does."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self.wire = wire
        self.gaps: list[Callable[[], None]] = []
        wire.buses.append(self)

    async def publish(self, topic: str, payload: bytes) -> None:
        for bus in self.wire.buses:
            if bus is self or not self.wire.cut:
                bus._deliver(topic, payload)

    def on_gap(self, call: Callable[[], None]) -> None:
        self.gaps.append(call)


class House:
    """One process of a club, as far as games go."""

    def __init__(
        self, settings: Settings, store: EventStore, wire: Wire, now: Callable[[], float], presence: Presence | None
    ) -> None:
        self.store = store
        self.hub = Hub()
        self.bus = WiredBus(wire)
        self.engine = database.open_engine(settings)
        self.presence: Presence = presence or LocalPresence(now)
        self.people = People(self.engine, now)
        self.opponents = LocalOpponents(1)
        self.play = Play(store, self.bus, self.opponents, self.hub, now)
        self.timekeeper = Timekeeper(store, self.play)
        self.ratings = RatingBook(self.engine, self.bus, now)
        self.ratings.watch(self.play)
        self.lobby = Invitations(self.engine, self.people, self.play, self.bus, self.ratings, now)
        self.offers = Offers(self.engine, self.people, self.lobby, self.presence, now)
        self.offences = Offences(self.engine, now)
        self.offences.watch(self.play)
        self.quick = Quick(self.engine, self.people, self.lobby, self.ratings, self.offences, self.bus, now)
        self.chat = Chat(self.engine, now)
        self.ties = Ties(self.engine, self.bus, now)
        self.conduct = Conduct(self.engine, now)
        self.rooms = Rooms(
            self.play, self.hub, self.bus, self.presence, self.people, self.chat, self.lobby, self.ties, self.conduct
        )
        self.keeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """As a process does when it starts."""
        await self.timekeeper.start()
        self.keeping = asyncio.create_task(self.timekeeper.run())

    async def close(self) -> None:
        if self.keeping is not None:
            self.keeping.cancel()
            await asyncio.gather(self.keeping, return_exceptions=True)
        self.hub.close()
        await self.rooms.close()
        await self.play.close()
        await self.ratings.close()
        await self.offences.close()
        await self.opponents.close()
        await self.presence.close()
        await self.engine.dispose()
        await self.store.close()

    async def game(self, clock: str = "300+3", rules: str = "official", *, is_public: bool = True) -> str:
        """A new game between anna, who has White, and ben."""
        control = TimeControl.from_pdn(clock)
        assert control is not None
        white, black = Player(id="anna", name="Anna"), Player(id="ben")
        return await self.play.create_between(white, black, by_name(rules), control, is_public)

    async def do(self, game_id: str, event: Event, by: Color | None, lag: float = 0.0) -> Game:
        return await self.play.submit(game_id, by, lambda _: event, lag=lag)

    async def move(self, game_id: str, lag: float = 0.0, times: int = 1) -> Game:
        """The side to move makes the first of its moves."""
        for _ in range(times):
            game = (await self.play.view(game_id)).game
            await self.do(game_id, MoveMade.of(game.legal_moves[0]), game.turn, lag)
        return (await self.play.view(game_id)).game


class Seat:
    """A socket at a board of a house, without the socket: what it is sent is here, in order."""

    def __init__(
        self, house: House, game_id: str, viewer: Color | None, person: str | None, language: str = "en"
    ) -> None:
        self.house = house
        self.game_id = game_id
        self.heard: list[dict[str, Any]] = []
        self.reader = Reader(viewer, language, self._hear, person)
        self._leave: Callable[[], None] | None = None

    async def _hear(self, frame: str) -> None:
        self.heard.append(json.loads(frame))

    async def join(self, version: int = -1, said: dict[str, int] | None = None) -> Seat:
        self.reader.said = said or {}
        view = await self.house.play.view(self.game_id, version)
        self.house.hub.join(self.game_id, self.reader, view, version, self.house.play.now())
        self._leave = await self.house.rooms.enter(self.game_id, self.reader)
        return self

    def leave(self) -> None:
        self.house.hub.leave(self.game_id, self.reader)
        assert self._leave is not None
        self._leave()
        self.reader.task.cancel()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message["t"] == kind]

    async def until(self, wanted: Callable[[], object]) -> None:
        await until(wanted)


class Moment:
    """The time of day, as a test sets it."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def houses(
    folder: Path,
    now: Callable[[], float],
    count: int = 1,
    presences: Sequence[Presence] = (),
    postgres: str | None = None,
) -> AsyncGenerator[list[House]]:
    """So many processes of a club on one store. None of them keeps the time unless it is started.

    ``presences``: one of each house, which it closes; without them each knows its own people alone.
    """
    settings = Settings(folder, database=postgres)
    await asyncio.to_thread(make_ready, settings)
    wire = Wire()
    made = [
        House(settings, await open_store(settings), wire, now, presence) for presence in presences or [None] * count
    ]
    try:
        yield made
    finally:
        for house in made:
            await house.close()
