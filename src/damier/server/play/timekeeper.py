"""The timekeeper: sees to it that flags fall and first moves are waited for, whichever process armed the clock.

Every game's row in the store says when the arbiter has to act next, so each process looks for what is due and acts at
the moment itself. That two do so at once does no harm: a game takes an event at a version only once.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from damier.refusals import GameError
from damier.server.play import arbiter
from damier.server.play.store import BEAT_SECONDS, StoreError

if TYPE_CHECKING:
    from damier.events import Event
    from damier.game import Game
    from damier.server.play.service import Play
    from damier.server.play.store import EventStore

LOOK_SECONDS: Final = 1.0
"""Between two looks for what is due; each looks as far ahead."""
MOST_DUE: Final = 1000
"""Games taken on at one look."""
AMENDED_AT_ONCE: Final = 64
"""Games that are given back time at once; the store commits what waits together."""

log = logging.getLogger(__name__)


class Timekeeper:
    """Acts for the arbiter in all games of the store."""

    def __init__(self, store: EventStore, play: Play) -> None:
        self._store = store
        self._play = play
        self._acting: dict[str, asyncio.Task[None]] = {}
        self._takes_it = False
        """Whether it falls to this process to give the time of an outage back to all games."""

    async def run(self) -> None:
        """Keep the time until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._beat())
                tasks.create_task(self._look())
        finally:
            for task in self._acting.values():
                task.cancel()

    # --- When no server ran ----------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Find out whether no server has run for a while; from then on games that are read are given that time back.

        To be awaited before anybody can make a move.
        """
        now = self._play.now()
        taken = await self._store.take_outages(now)
        self._takes_it = bool(taken)
        self._play.outages = taken or await self._store.outages(now)

    async def make_amends(self) -> None:
        """Give the time of an outage back to all games whose time ran."""
        if not self._takes_it:
            return
        waiting = iter(await self._store.running())

        async def amend_some() -> None:
            for game_id in waiting:
                try:
                    await self._play.view(game_id)
                except Exception:
                    log.exception("Game %s could not be given back the time that no server ran", game_id)

        await asyncio.gather(*(amend_some() for _ in range(AMENDED_AT_ONCE)))
        await self._store.outages_over()

    async def _beat(self) -> None:
        while True:
            try:
                await self._store.beat(self._play.now())
            except StoreError as error:
                log.warning("The store does not answer: %s", error)
            await asyncio.sleep(BEAT_SECONDS)

    # --- What is due -----------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        await self.make_amends()
        while True:
            try:
                for game_id in await self._store.due(self._play.now() + LOOK_SECONDS, MOST_DUE):
                    if game_id not in self._acting:
                        self._acting[game_id] = task = asyncio.create_task(self._act(game_id))
                        task.add_done_callback(lambda _, game_id=game_id: self._acting.pop(game_id))
            except StoreError as error:
                log.warning("What is due cannot be read: %s", error)
            await asyncio.sleep(LOOK_SECONDS)

    async def _act(self, game_id: str) -> None:
        """Wait for the moment, and act if it is still as it was."""

        def decide(game: Game) -> Event | None:
            return arbiter.decision(game, created, self._play.now())

        try:
            view = await self._play.view(game_id)
            created = view.created
            moment = arbiter.due(view.game, created)
            if moment is not None:
                await asyncio.sleep(max(0.0, min(LOOK_SECONDS, moment - self._play.now())))
                await self._play.submit(game_id, None, decide)
        except GameError:
            pass  # another process has seen to it
        except Exception:
            log.exception("The arbiter could not act in game %s", game_id)
