"""The computer's moves: it thinks where it is to move, and no longer than somebody waits for it.

It does not answer out of hand: it lets pass what a person would take for the move.
"""

from __future__ import annotations

import asyncio
import logging
import time
import zlib
from typing import TYPE_CHECKING, Final

from damier.engine import Limit, pace
from damier.events import MoveMade
from damier.server.observe import numbers
from damier.server.play.store import VersionConflict, computer_to_move

if TYPE_CHECKING:
    from damier.events import Event
    from damier.game import Game
    from damier.server.play.opponent import Opponents
    from damier.server.play.service import Play

RETRY_SECONDS: Final = 5.0
"""Between two tries to make a move that could not be found or kept."""

WAY_SECONDS: Final = 0.5
"""What is left on the clock for the way of a position to where it is thought about, and of the move back."""

log = logging.getLogger(__name__)


class Replies:
    """The games in which the computer is thinking. Its methods are called from one event loop."""

    def __init__(self, play: Play, opponents: Opponents, pace: float) -> None:
        """``pace``: what share of the time that a person would take the computer takes at least."""
        self._play = play
        self._pace = pace
        self._opponents = opponents
        self._thinking: dict[str, tuple[int, asyncio.Task[None]]] = {}
        self._found: set[asyncio.Task[Game]] = set()
        """Moves that are being kept, which nothing may cancel."""

    async def close(self) -> None:
        """Give up what is being thought about; what has been found is kept."""
        tasks = [task for _, task in self._thinking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._found, return_exceptions=True)

    def consider(self, game_id: str, game: Game) -> None:
        """Let the computer think if it is to move in a game, and no longer about what has passed."""
        to_move = computer_to_move(game)
        version, task = self._thinking.get(game_id, (-1, None))
        if version >= game.version or (task is None and not to_move):
            return
        if task is not None:
            task.cancel()  # if the event is that task's own move, there is nothing left for it to do
        if not to_move:
            self._thinking.pop(game_id, None)
            return
        reply = asyncio.create_task(self._reply(game_id, game), name=f"reply in {game_id}")
        self._thinking[game_id] = (game.version, reply)
        reply.add_done_callback(lambda done: self._replied(game_id, done))

    def _replied(self, game_id: str, task: asyncio.Task[None]) -> None:
        if self._thinking.get(game_id, (-1, None))[1] is task:
            del self._thinking[game_id]

    def _was_kept(self, found: asyncio.Task[Game]) -> None:
        self._found.discard(found)
        if not found.cancelled():
            found.exception()  # seen, even if who thought has been stopped meanwhile

    async def _reply(self, game_id: str, game: Game) -> None:
        color = game.turn
        level = game.player(color).level or 1
        owner = game.player(color.opponent).id or game_id

        def unless_changed(present: Game) -> Event:
            if present.version != game.version:
                raise VersionConflict(game_id)
            return event

        while True:
            try:
                asked = time.perf_counter()
                clock = allowed(game, self._play.now())
                slow = self._pace * pace(level, game.board, clock, zlib.crc32(f"{game_id} {game.version}".encode()))
                event = MoveMade.of(await self._opponents.choose(game.board, level, owner, clock))
                taken = time.perf_counter() - asked
                numbers.computer.observe(taken)
                await asyncio.sleep(max(0.0, slow - taken))
                found = asyncio.create_task(self._play.submit(game_id, color, unless_changed))
                self._found.add(found)
                found.add_done_callback(self._was_kept)
                await asyncio.shield(found)
            except VersionConflict:
                return  # what changed the game has seen to its going on
            except Exception:
                log.exception("The computer's move in game %s after event %d failed", game_id, game.version)
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return


def allowed(game: Game, now: float) -> Limit | None:
    """What a game's clock allows for the move that is due; None where no clock runs, or one of days.

    >>> from damier import Game
    >>> from damier.clock import TimeControl
    >>> allowed(Game.start(clock=TimeControl.correspondence(3)), 0.0)
    """
    control, clock = game.origin.clock, game.clock
    if clock is None or clock.running is not game.turn or control.days:
        return None
    increment = control.stages[-1].increment if control.stages else 0
    return Limit.clock(max(0.0, clock.remaining(game.turn, now) - WAY_SECONDS), increment)
