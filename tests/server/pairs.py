"""Pairs of people who play many games over sockets, come back whenever they are cut off, and remember what they were told.

What they remember is what a club may be held to: every acknowledgement, and the moments on their own watches.
"""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from damier import Board, Color, Move
from damier.clock import TimeControl
from damier.events import MoveMade, TimeAdded
from damier.game import Game
from damier.record import Player
from damier.server.play import arbiter
from damier.server.play.decisions import ADDED_SECONDS
from damier.server.play.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier.server.settings import Settings
    from damier.server.visitors import Visitors

CONTROL: Final = TimeControl.fischer(300, 3)
SCRIPTS: Final = 6
OPEN_SECONDS: Final = 10.0
"""How long a connection may take to be opened before another is tried."""
FIRST_PAUSE_SECONDS: Final = 0.4
LONGEST_PAUSE_SECONDS: Final = 1.6
"""Between two attempts to come back; a random part of it is waited, half at least."""
GIFTS: Final = 0.1
"""How often the side to move gives its opponent time instead."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def script(chance: random.Random, plies: int) -> list[MoveMade]:
    """The moves of a game that is not over after them."""
    while True:
        board, moves = Board(), list[MoveMade]()
        while len(moves) < plies and board.outcome() is None:
            moves.append(MoveMade.of(board.push(_quiet(board, chance))))
        if len(moves) == plies and board.outcome() is None:
            return moves


def _quiet(board: Board, chance: random.Random) -> Move:
    """One of the moves that leave nothing to capture, if there is one: so games last."""
    legal = board.legal_moves
    quiet: list[Move] = []
    for move in legal:
        board.push(move)
        if not any(answer.captured for answer in board.legal_moves):
            quiet.append(move)
        board.pop()
    return chance.choice(quiet or legal)


@dataclass(slots=True)
class Asked:
    """Something that a player asked for, and the answer: the version at which it is kept, or a refusal."""

    event: MoveMade | TimeAdded
    by: Color
    sent: float
    answered: float | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class FirstState:
    """What a player was shown on coming back: the game's version, and both sides' seconds.

    It was sent between ``asked``, when the connection was begun, and ``at``, when it was read.
    """

    asked: float
    at: float
    version: int
    white: float
    black: float


class Match:
    """A game, the moves that it will be played with, and what its two players remember of it."""

    def __init__(self, game_id: str, moves: list[MoveMade]) -> None:
        self.id = game_id
        self.moves = moves
        self.asked: list[Asked] = []
        self.first_states: list[FirstState] = []
        self.seats: tuple[Seat, ...] = ()

    @property
    def acknowledged(self) -> int:
        """The highest version that anybody was told to be kept."""
        return max((asked.version for asked in self.asked if asked.version is not None), default=0)

    async def go_on(self, chance: random.Random) -> None:
        """Let the side to move do something, if it is there and knows that it is to move."""
        for seat in self.seats:
            if seat.may_move:
                assert seat.ply < len(self.moves), "the moves that were made ready do not last"
                gift = seat.ply > 1 and chance.random() < GIFTS
                await seat.ask(TimeAdded(ADDED_SECONDS, seat.side.opponent) if gift else self.moves[seat.ply])


class Seat:
    """A player: keeps a socket open, and another one when it is lost."""

    def __init__(self, match: Match, side: Color, address: Callable[[int], str], cookie: str) -> None:
        self.match = match
        self.side = side
        self.version = -1
        self.ply = 0
        self.lost: list[int | None] = []
        """The sockets that were lost, as the codes that they were closed with."""
        self._address = address
        self._cookie = cookie
        self._socket: ClientConnection | None = None
        self._asking: dict[int, Asked] = {}
        self._here = False
        self._ref = 0
        self._came = 0.0
        self._doubtful: MoveMade | None = None
        """The last move that was sent on a socket that was lost before the answer."""

    @property
    def here(self) -> bool:
        """Whether the player is at the board, and has been told all that there is to be told."""
        return self._here

    @property
    def may_move(self) -> bool:
        return self._socket is not None and not self._asking and self.ply % 2 == (self.side is Color.BLACK)

    async def stay(self) -> None:
        """Be at the board until cancelled, coming back as often as it takes."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            lost, self._came = len(self.lost), time.time()
            with suppress(WebSocketException, OSError, TimeoutError):
                async with connect(
                    self._address(self.version),
                    additional_headers={"Cookie": self._cookie},
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    open_timeout=OPEN_SECONDS,
                    close_timeout=1,
                ) as socket:
                    try:
                        async for frame in socket:
                            await self._hear(socket, _decode(frame))
                    finally:
                        self._leave(socket.close_code)
            # as the page does it: twice as long from try to try, so that who starts is not hindered by who waits
            pause = FIRST_PAUSE_SECONDS if len(self.lost) > lost else min(2 * pause, LONGEST_PAUSE_SECONDS)
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))

    def _leave(self, code: int | None) -> None:
        if self._socket is not None:
            self.lost.append(code)
        self._socket, self._here = None, False
        for asked in self._asking.values():
            if isinstance(asked.event, MoveMade):
                self._doubtful = asked.event
        self._asking.clear()

    async def ask(self, event: MoveMade | TimeAdded) -> None:
        assert self._socket is not None
        self._ref += 1
        if isinstance(event, MoveMade):
            move = {
                "from": event.from_square,
                "to": event.to_square,
                "captured": event.captured,
                "crowned": event.crowned,
            }
            message = {"t": "move", "ref": self._ref, "ply": self.ply, "move": move}
        else:
            message = {"t": "add_time", "ref": self._ref}
        self._asking[self._ref] = asked = Asked(event, self.side, time.time())
        self.match.asked.append(asked)
        with suppress(WebSocketException):
            await self._socket.send(_encode(message).decode())

    async def _hear(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        match message["t"]:
            case "ping":
                self._here = True  # how far away a player is is measured from when it has been let in
                await socket.send(f'{{"t":"pong","id":{message["id"]}}}')
            case "state":
                self._see(message, first=self._socket is None)
                self._socket = socket
            case "ack":
                asked = self._asking.pop(message["ref"])
                asked.answered, asked.version = time.time(), message["version"]
            case "error":
                asked = self._asking.pop(message["ref"])
                asked.answered = time.time()
                # the move that was sent before the socket was lost has been made after all
                assert message["code"] == "position_changed", message
                assert asked.event is self._doubtful, message
            case _:
                pass

    def _see(self, state: dict[str, Any], *, first: bool) -> None:
        """Take a state over: what is new, once and in order."""
        now = time.time()
        version, begins, plies = state["version"], state["from_ply"], state["plies"]
        assert state["result"] is None, state["result"]
        assert version > self.version or (first and version == self.version), (version, self.version)
        assert begins == self.ply, f"from ply {begins}, though all up to {self.ply} is known"
        for ply, seen in enumerate(plies, begins):
            move, made = self.match.moves[ply], seen["move"]
            assert (made["from"], made["to"], tuple(made["captured"])) == (
                move.from_square,
                move.to_square,
                move.captured,
            )
        self.version = version
        self.ply = begins + len(plies)
        if first:
            clock = state["clock"]
            shown = FirstState(self._came, now, version, clock["white"] / 1000, clock["black"] / 1000)
            self.match.first_states.append(shown)


async def sit_down(
    settings: Settings, visitors: Visitors, address: Callable[[], str], scripts: list[list[MoveMade]], count: int
) -> list[Match]:
    """Make so many games in the store, and their players. ``address``: where the club is now, as ``http://…``."""
    matches: list[Match] = []
    store = await open_store(settings)
    for number in range(count):
        match = Match(f"fault{number}", scripts[number % len(scripts)])
        ids = [f"{match.id}-{side.letter}" for side in Color]
        white, black = (Player("guest", id=person) for person in ids)
        game = Game.start(white=white, black=black, clock=CONTROL)
        now = time.time()
        await store.create(match.id, game, at=now, is_public=True, due=arbiter.due(game, now))

        def url(version: int, game_id: str = match.id) -> str:
            return f"{address().replace('http', 'ws', 1)}/games/{game_id}/socket?version={version}"

        match.seats = tuple(
            Seat(match, side, url, f"{visitors.cookie_name}={visitors.cookie(person)}")
            for side, person in zip(Color, ids, strict=True)
        )
        matches.append(match)
    await store.close()
    return matches


async def play(matches: list[Match], rate: float, chance: random.Random) -> None:
    """Play all games at a rate of moves a second, until cancelled. Whoever cannot move when it is its turn is passed over."""
    turn, begun = 0, time.monotonic()
    while True:
        while turn < (time.monotonic() - begun) * rate:
            await matches[turn % len(matches)].go_on(chance)
            turn += 1
        await asyncio.sleep(0.002)
