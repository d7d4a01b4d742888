"""A seat at a board of the club, over its socket: the game as it stands, and what can be done in it."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from damier import Board, Color, Move
from damier.client.errors import ClubError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from damier.client.wire import Wire

__all__ = ["Clocks", "GameState", "Seat", "Table"]

Side: TypeAlias = Literal["white", "black"]

_COLORS: Final[Mapping[str, Color]] = {"white": Color.WHITE, "black": Color.BLACK}
_ANSWER_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a side. ``kind``: "guest", "member", "bot", "computer" or "gone"; ``level``: a computer's."""

    name: str
    kind: str
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both sides' time in seconds at the moment ``at`` of :func:`time.monotonic`; ``running``: whose goes on."""

    white: float
    black: float
    running: Color | None
    at: float

    def left(self, color: Color) -> float:
        """The seconds that a side has now.

        >>> Clocks(60.0, 30.0, None, 0.0).left(Color.BLACK)
        30.0
        """
        seconds = self.white if color is Color.WHITE else self.black
        return max(0.0, seconds - (time.monotonic() - self.at)) if self.running is color else seconds


@dataclass(frozen=True, slots=True)
class GameState:
    """A game as its player, or who watches, sees it.

    ``board``: the position with the moves that led to it, a copy of one's own. ``you``: the side that one plays, None
    for who watches. ``control``: the time control as people write it, such as "5+3". ``score``: "2-0", "1-1", "0-2",
    None while the game goes on; an aborted game has "*". ``reason``: why it ended, such as "resigned". ``can``: what
    may be done now, by the names of :class:`Table`'s methods. ``draw_offer``: who has offered one.
    """

    id: str
    rules: str
    board: Board
    you: Color | None
    white: Seat
    black: Seat
    control: str
    speed: str
    clocks: Clocks | None
    score: str | None
    reason: str | None
    draw_offer: Color | None
    take_back_offer: Color | None
    rematch_offer: Color | None = None
    rematch: str | None = None
    can: frozenset[str] = field(default=frozenset())

    @property
    def is_over(self) -> bool:
        return self.score is not None

    @property
    def your_turn(self) -> bool:
        return not self.is_over and self.you is self.board.turn

    @property
    def opponent(self) -> Seat:
        """Who sits opposite, or has Black."""
        return self.white if self.you is Color.BLACK else self.black


class _MoveView(msgspec.Struct):
    from_square: int = msgspec.field(name="from")
    to_square: int = msgspec.field(name="to")
    captured: tuple[int, ...]
    crowned: bool

    def move(self) -> Move:
        return Move(self.from_square, self.to_square, self.captured, self.crowned)


class _Ply(msgspec.Struct):
    move: _MoveView


class _Player(msgspec.Struct):
    kind: str
    name: str
    level: int | None = None


class _Players(msgspec.Struct):
    white: _Player
    black: _Player


class _Result(msgspec.Struct):
    score: str
    rule: str


class _Clock(msgspec.Struct):
    white: int
    black: int
    running: Side | None


class _First(msgspec.Struct):
    """What does not change."""

    id: str
    rules: str
    you: Side | None
    start_fen: str
    players: _Players
    control: str
    speed: str


class _State(msgspec.Struct):
    """What changes with every event."""

    version: int
    from_ply: int
    plies: list[_Ply]
    result: _Result | None
    clock: _Clock | None
    draw_offer: Side | None
    take_back_offer: Side | None
    can: dict[str, Any]


class _Rematch(msgspec.Struct):
    offered_by: Side | None
    game: str | None


class Table:
    """A game over its socket, made by :meth:`Client.join <damier.client.Client.join>`.

    Iterating gives the game each time that it has changed, as it stands then, until nothing more can come: after the
    end, and a rematch agreed on or a minute without one, call :meth:`leave`. Who is slow gets the latest state only. A
    connection that breaks is made anew. What asks for something returns when the club has kept it and raises
    :class:`ClubError <damier.client.ClubError>` when the club refuses.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._first: _First | None = None
        self._state: _State | None = None
        self._rematch = _Rematch(None, None)
        self._moves: list[Move] = []
        self._changed = asyncio.Event()
        self._asked: dict[int, asyncio.Future[None]] = {}
        self._ref = 0
        self._reading: asyncio.Task[None] | None = None
        self._at = time.monotonic()

    async def __aenter__(self) -> Table:
        self._reading = asyncio.create_task(self._read())
        try:
            while self._first is None:
                waiting = asyncio.create_task(self._changed.wait())
                await asyncio.wait((waiting, self._reading), return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if self._reading.done():
                    self._reading.result()
                    raise ClubError("closed", "the socket was closed before the game was told")
        except BaseException:
            await self.leave()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Get up. The game goes on, and can be joined again."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._fail(ClubError("left", "the table was left"))
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[GameState]:
        reading = self._reading
        if reading is None:
            raise RuntimeError("a table is joined with `async with`")
        while True:
            self._changed.clear()
            yield self.game
            waiting = asyncio.create_task(self._changed.wait())
            try:
                await asyncio.wait((waiting, reading), return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
            if reading.done():
                if not reading.cancelled():
                    reading.result()
                return

    @property
    def game(self) -> GameState:
        """The game as it is known now."""
        first, state = self._first, self._state
        if first is None or state is None:
            raise RuntimeError("a table is joined with `async with`")
        board = Board(first.start_fen, first.rules)
        for move in self._moves:
            board.push(move)
        clock, result = state.clock, state.result
        return GameState(
            id=first.id,
            rules=first.rules,
            board=board,
            you=None if first.you is None else _COLORS[first.you],
            white=_seat(first.players.white),
            black=_seat(first.players.black),
            control=first.control,
            speed=first.speed,
            clocks=None
            if clock is None
            else Clocks(clock.white / 1000, clock.black / 1000, _color(clock.running), self._at),
            score=None if result is None else result.score,
            reason=None if result is None else result.rule,
            draw_offer=_color(state.draw_offer),
            take_back_offer=_color(state.take_back_offer),
            rematch_offer=_color(self._rematch.offered_by),
            rematch=self._rematch.game,
            can=frozenset(name for name, value in state.can.items() if value is True),
        )

    # --- Doing -----------------------------------------------------------------------------------------------------

    async def move(self, move: Move | str) -> None:
        """Play a move in the position as it is known now. Raises :class:`damier.IllegalMove` for what is none there."""
        board = self.game.board
        chosen = board.push(move)
        await self._ask(
            "move",
            ply=len(self._moves),
            move={
                "from": chosen.from_square,
                "to": chosen.to_square,
                "captured": list(chosen.captured),
                "crowned": chosen.crowned,
            },
        )

    async def resign(self) -> None:
        await self._ask("resign")

    async def abort(self) -> None:
        """Break the game off before both sides have moved."""
        await self._ask("abort")

    async def offer_draw(self) -> None:
        await self._ask("offer_draw")

    async def accept_draw(self) -> None:
        await self._ask("accept_draw")

    async def decline_draw(self) -> None:
        await self._ask("decline_draw")

    async def offer_take_back(self) -> None:
        await self._ask("offer_take_back")

    async def accept_take_back(self) -> None:
        await self._ask("accept_take_back")

    async def decline_take_back(self) -> None:
        await self._ask("decline_take_back")

    async def claim(self, outcome: Literal["win", "draw"] = "win") -> None:
        """Claim the game against an opponent who has left."""
        await self._ask("claim", **{"as": outcome})

    async def offer_rematch(self) -> None:
        """Offer another game with the colours exchanged, or accept the opponent's offer."""
        await self._ask("rematch")

    async def decline_rematch(self) -> None:
        await self._ask("decline_rematch")

    async def say(self, text: str, room: Literal["players", "watchers"] = "players") -> None:
        """A line of chat."""
        await self._ask("say", room=room, text=text)

    async def _ask(self, kind: str, **fields: object) -> None:
        self._ref += 1
        answer = self._asked[self._ref] = asyncio.get_running_loop().create_future()
        try:
            await self._wire.send({"t": kind, "ref": self._ref, **fields})
            await asyncio.wait_for(answer, _ANSWER_SECONDS)
        except TimeoutError:
            raise ClubError("silent", "no answer came in time; what was asked may have been done") from None
        finally:
            self._asked.pop(self._ref, None)

    # --- Hearing ---------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            async with aclosing(self._wire.messages()) as messages:
                async for message in messages:
                    if message is None:  # the connection broke: what was asked is not answered any more
                        self._fail(ClubError("broken_off", "the connection broke; what was asked may have been done"))
                    else:
                        await self._take(message)
        finally:
            self._fail(ClubError("closed", "the socket was closed"))

    async def _take(self, message: dict[str, Any]) -> None:
        kind = message.get("t")
        if kind == "state":
            if "start_fen" in message:
                self._first = self._wire.decoded(message, _First)
            state = self._wire.decoded(message, _State)
            if self._state is not None and state.version < self._state.version and "start_fen" not in message:
                return
            self._state = state
            self._at = time.monotonic()
            self._moves[state.from_ply :] = [ply.move.move() for ply in state.plies]
            self._changed.set()
        elif kind == "rematch":
            self._rematch = self._wire.decoded(message, _Rematch)
            self._changed.set()
        elif kind == "ping":
            await self._wire.send({"t": "pong", "id": message.get("id")})
        elif kind in ("ack", "error", "reason"):
            answer = self._asked.get(message.get("ref") or 0)
            if answer is not None and not answer.done():
                if kind == "ack":
                    answer.set_result(None)
                else:
                    text = message.get("message") or message.get("text") or ""
                    answer.set_exception(ClubError(str(message.get("code", "")), str(text)))
            elif kind == "error" and message.get("ref") is None and self._first is None:
                raise ClubError(str(message.get("code", "")), str(message.get("message", "")))

    def _fail(self, error: ClubError) -> None:
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(error)


def _color(side: Side | None) -> Color | None:
    return None if side is None else _COLORS[side]


def _seat(player: _Player) -> Seat:
    return Seat(player.name, player.kind, player.level)
