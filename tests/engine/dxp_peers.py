"""Opponents in DamExchange for the tests: ours in pairs, and one that says what it is told to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from random import Random

from damier import Board, Color, Move
from damier.engine import AsyncDxpEngine, Limit

WAIT = 30  # seconds, for a machine that is busy
ACCEPTED = b"A" + b"Other".ljust(32) + b"0\0"
TOUR = "W:WK46,K47:BK3,K4"
SHOT = "W:W33:B8,18,28"


def at_random(seed: int) -> Callable[[Board, Limit | None], Awaitable[Move]]:
    random = Random(seed)

    async def think(board: Board, _clock: Limit | None) -> Move:
        return random.choice(board.legal_moves)

    return think


def by_list(text: str) -> Callable[[Board, Limit | None], Awaitable[Move]]:
    """Plays these moves, those of both sides being in the list."""
    moves = text.split()

    async def think(board: Board, _clock: Limit | None) -> Move:
        return board.parse(moves[board.ply])

    return think


async def pair(*, asks: bool = False) -> tuple[AsyncDxpEngine, AsyncDxpEngine]:
    """One that listens, and ``asks`` for games or is asked, and one that has come to it."""
    listener = AsyncDxpEngine(port=0, listen=True, follow=not asks, name="Listener", timeout=WAIT)
    connector = AsyncDxpEngine(port=await listener.listen(), follow=asks, name="Connector", timeout=WAIT)
    await asyncio.gather(listener.start(), connector.start())
    return listener, connector


async def agree(
    asking: AsyncDxpEngine, asked: AsyncDxpEngine, board: Board, theirs: Color, moves: int = 0, minutes: int = 1
) -> None:
    async def accept() -> None:
        await asked.asked(WAIT)
        asked.answer()

    await asyncio.gather(asking.ask(board, theirs, minutes=minutes, moves=moves), accept())


@contextlib.asynccontextmanager
async def nothing_left() -> AsyncGenerator[None]:
    yield
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:  # those of a stream server end with their connection
        await asyncio.wait(tasks, timeout=5)
    assert asyncio.all_tasks() == {asyncio.current_task()}


class Other:
    """A program at the other end that says what it is told to, whatever it hears."""

    def __init__(self, *says: bytes, repeats: bytes = b"", hangs_up: bool = False) -> None:
        self._says, self._repeats, self._hangs_up = says, repeats, hangs_up
        self.heard = b""
        self.has_gone = asyncio.Event()
        self._is_playing = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers each message with the next thing it has to say; at the end it waits, hangs up or says it for ever."""
        try:
            says = list(self._says)
            while says:
                self.heard += await reader.readuntil(b"\0")
                writer.write(says.pop(0))
            while self._repeats:
                writer.write(self._repeats)
                await writer.drain()
            if not self._hangs_up:
                while data := await reader.read(4096):
                    self.heard += data
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self.has_gone.set()


@contextlib.asynccontextmanager
async def facing(other: Other, **options: float) -> AsyncGenerator[AsyncDxpEngine]:
    """Our side, which has come to the other and will play White."""
    async with nothing_left():
        server = await asyncio.start_server(other.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        engine = AsyncDxpEngine(port=port, minutes=0, **options)  # pyright: ignore[reportArgumentType]
        try:
            yield engine
        finally:
            await engine.close()
            await asyncio.wait_for(other.has_gone.wait(), WAIT)
            server.close()
