"""What can be done with a game, by a person or by the computer: one way for all.

An event is applied to the game as it is known (:meth:`damier.game.Game.apply` decides), kept by the store, and then,
not before, told to everybody. When another event came first, the game is read again and the event tried anew.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from damier.events import MoveMade
from damier.game import Game
from damier.i18n import N_
from damier.record import Player
from damier.refusals import GameError
from damier.server.play.store import StoreError, UnknownGame, VersionConflict, computer_to_move
from damier.server.play.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier import Color, Rules
    from damier.clock import TimeControl
    from damier.events import Event
    from damier.server.play.opponent import Opponents
    from damier.server.play.store import EventStore

GAMES_IN_MEMORY: Final = 1000
TRIES: Final = 5
RETRY_SECONDS: Final = 5.0
"""Between two tries to make a computer's move that could not be found or kept."""
ID_LETTERS: Final = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
ID_LENGTH: Final = 12

log = logging.getLogger(__name__)


def new_id() -> str:
    """An id for a game, too long to be guessed."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


class PositionChanged(GameError):
    """What was asked concerns a position that is no longer on the board."""

    code = "position_changed"
    text = N_("The game has moved on meanwhile.")


class Play:
    """The games of a club. Its methods are called from one event loop.

    ``publish``: told of every event that is kept: the game's id and its new view. ``now``: seconds since 1970.
    """

    def __init__(
        self,
        store: EventStore,
        opponents: Opponents,
        publish: Callable[[str, View], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._opponents = opponents
        self._publish = publish
        self._now = now
        self._views: OrderedDict[str, View] = OrderedDict()
        self._replies: dict[str, tuple[int, asyncio.Task[None]]] = {}
        self._submissions: set[asyncio.Task[Game]] = set()

    async def take_up(self) -> None:
        """Take up the games that a former process left: the computer moves that are owed are made."""
        for game_id in await self._store.awaiting_computer():
            try:
                self._continue(game_id, (await self.view(game_id)).game)
            except Exception:
                log.exception("Game %s could not be taken up", game_id)

    async def close(self) -> None:
        """Give up the computer moves that are being thought about (the next start takes them up), finish the rest."""
        replies = [task for _, task in self._replies.values()]
        for task in replies:
            task.cancel()
        await asyncio.gather(*replies, *self._submissions, return_exceptions=True)

    async def create(self, visitor: str, *, color: Color, rules: Rules, level: int) -> str:
        """Start a visitor's game against the computer; returns its id."""
        person, computer = Player("guest", id=visitor), Player("computer", level=level)
        white, black = (person, computer) if color.letter == "W" else (computer, person)
        game = Game.start(rules.name, white=white, black=black)
        game_id = new_id()
        await self._store.create(game_id, game, at=self._now())
        self._keep(game_id, View(game, self._now()))
        self._continue(game_id, game)
        return game_id

    async def create_between(
        self,
        white: Player,
        black: Player,
        rules: Rules,
        control: TimeControl,
        is_public: bool,
        game_id: str | None = None,
    ) -> str:
        """Start a game between two people; returns its id.

        With a ``game_id`` that has a game already, that game stays as it is: starting it again is no error.
        """
        if game_id is not None:
            with suppress(UnknownGame):
                await self.view(game_id)
                return game_id
        game_id = game_id or new_id()
        now = self._now()
        # with days for each move the first has its days too; in other games the arbiter sees to the first moves
        game = Game.start(rules.name, white=white, black=black, clock=control, at=now if control.days else None)
        await self._store.create(game_id, game, at=now)
        self._keep(game_id, View(game, now, is_public=is_public))
        return game_id

    async def view(self, game_id: str) -> View:
        """A game as it stands. Raises :class:`UnknownGame`."""
        view = self._views.get(game_id)
        if view is None:
            stored = await self._store.load(game_id)
            view = self._keep(game_id, View(stored.game, self._now()))
        else:
            self._views.move_to_end(game_id)
        return view

    async def submit(self, game_id: str, by: Color, decide: Callable[[Game], Event]) -> Game:
        """Let a side do something: ``decide`` is given the game as it stands and returns the event, or raises.

        Returns the game after the event once that is kept. Raises what :meth:`Game.apply` raises, and
        :class:`StoreError` when it could not be kept. A caller that is cancelled does not cancel the event.
        """
        submission = asyncio.create_task(self._submit(game_id, by, decide))
        self._submissions.add(submission)
        submission.add_done_callback(self._submitted)
        return await asyncio.shield(submission)

    def _submitted(self, submission: asyncio.Task[Game]) -> None:
        self._submissions.discard(submission)
        if not submission.cancelled():
            submission.exception()  # seen, even if the caller has gone and nobody else looks at it

    async def _submit(self, game_id: str, by: Color, decide: Callable[[Game], Event]) -> Game:
        for _ in range(TRIES):
            before = await self.view(game_id)
            game = self._apply(before.game, decide(before.game), by)
            try:
                await self._store.append(game_id, game)
            except VersionConflict:
                if self._views.get(game_id) is before:
                    del self._views[game_id]
                continue
            view = self._keep(game_id, before.after(game))
            self._publish(game_id, view)
            self._continue(game_id, game)
            return game
        raise StoreError(f"game {game_id} did not stand still for {TRIES} tries")

    def _apply(self, game: Game, event: Event, by: Color) -> Game:
        # a clock that was set back must not stop a game
        last = game.events[-1].at if game.events else 0.0
        return game.apply(event, at=max(self._now(), last), by=by)

    def _keep(self, game_id: str, view: View) -> View:
        """Remember the newest view of a game, and return it: another may have been faster."""
        known = self._views.get(game_id)
        if known is not None and known.game.version >= view.game.version:
            return known
        self._views[game_id] = view
        self._views.move_to_end(game_id)
        while len(self._views) > GAMES_IN_MEMORY:
            self._views.popitem(last=False)
        return view

    # --- The computer's moves --------------------------------------------------------------------------------------

    def _continue(self, game_id: str, game: Game) -> None:
        """Let the computer think if it is to move, and no longer about what has passed."""
        version, task = self._replies.get(game_id, (-1, None))
        if version >= game.version:
            return
        if task is not None:
            task.cancel()  # if the event is that task's own move, there is nothing left for it to do
        if not computer_to_move(game):
            self._replies.pop(game_id, None)
            return
        reply = asyncio.create_task(self._reply(game_id, game), name=f"reply in {game_id}")
        self._replies[game_id] = (game.version, reply)
        reply.add_done_callback(lambda done: self._replied(game_id, done))

    def _replied(self, game_id: str, task: asyncio.Task[None]) -> None:
        if self._replies.get(game_id, (-1, None))[1] is task:
            del self._replies[game_id]

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
                event = MoveMade.of(await self._opponents.choose(game.board, level, owner))
                await self.submit(game_id, color, unless_changed)
            except VersionConflict:
                return  # what changed the game has seen to its going on
            except Exception:
                log.exception("The computer's move in game %s after event %d failed", game_id, game.version)
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return
