"""What can be done with a game, by a person, the computer or the arbiter: one way for all.

An event is applied to the game as it is known (:meth:`damier.game.Game.apply` decides), kept by the store, and then,
not before, told to everybody: to the sockets here, and over the bus to the other processes. When another event came
first, what was missed is read and the event tried anew.

A game is held in memory only while its topic on the bus is subscribed to, so that what is held is never old for long.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from damier.events import Entry, MoveMade
from damier.game import Game
from damier.record import Player
from damier.refusals import FlagDown
from damier.server.observe import numbers
from damier.server.play import arbiter
from damier.server.play.replies import Replies
from damier.server.play.store import StoreError, UnknownGame, VersionConflict
from damier.server.play.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier import Color, Rules
    from damier.clock import TimeControl
    from damier.events import Event
    from damier.server.bus import Bus
    from damier.server.moderation.renames import Renamed
    from damier.server.play.hub import Hub
    from damier.server.play.opponent import Opponents
    from damier.server.play.store import EventStore, Outage

GAMES_IN_MEMORY: Final = 1000
"""Games held though nobody looks at them here."""
LOOKED_OVER: Final = 8
"""Of the games in memory, how many are considered when one is to be forgotten."""
CAUGHT_UP_AT_ONCE: Final = 16
TRIES: Final = 5
RETRY_SECONDS: Final = 2.0
"""Between two tries to read a game in which something was missed."""
ID_LETTERS: Final = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
ID_LENGTH: Final = 12
LONGEST_ID: Final = 64

_encode = msgspec.json.Encoder().encode

log = logging.getLogger(__name__)


def new_id() -> str:
    """An id for a game, too long to be guessed."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def can_be_id(text: str) -> bool:
    """Whether an id could be written so; what cannot be one no database need be asked about, and not every one can.

    >>> can_be_id(new_id()), can_be_id(""), can_be_id("a\\0b"), can_be_id("\\ud800"), can_be_id("a" * 1000)
    (True, False, False, False, False)
    """
    return 0 < len(text) <= LONGEST_ID and text.isascii() and text.isprintable()


class _News(msgspec.Struct):
    """An event on the bus: ``sender`` is the process that has kept it, as the game's event number ``version``."""

    sender: str = msgspec.field(name="from")
    version: int
    entry: dict[str, object]


_news_decoder = msgspec.json.Decoder(_News)


class Play:
    """The games of a club. Its methods are called from one event loop.

    ``now``: seconds since 1970. ``pace``: what share of the time that a person would take the computer takes at least.
    """

    def __init__(
        self,
        store: EventStore,
        bus: Bus,
        opponents: Opponents,
        hub: Hub,
        now: Callable[[], float] = time.time,
        pace: float = 0.0,
    ) -> None:
        self._store = store
        self._bus = bus
        self._hub = hub
        self.now = now
        self.outages: tuple[Outage, ...] = ()
        """The times without a server that games which are read from the store are given back."""
        self._views: OrderedDict[str, View] = OrderedDict()
        self._unsubscribe: dict[str, Callable[[], None]] = {}
        self._reading: dict[str, asyncio.Task[View]] = {}
        self._heard: dict[str, int] = {}
        """The newest version that the bus has told of, of the games that are being read."""
        self._own_news = f'{{"from":"{bus.process}"'.encode()
        self._listeners: list[Callable[[str, Game | None, Game], None]] = []
        self._gone: set[str] = set()
        """Those who have deleted their accounts while this process ran: their names are not shown any more."""
        self._replies = Replies(self, opponents, pace)
        self._catching_up: set[asyncio.Task[None]] = set()
        bus.on_gap(self._missed_something)

    async def take_up(self) -> None:
        """Take up the games that a former process left: the computer moves that are owed are made."""
        for game_id in await self._store.awaiting_computer():
            try:
                self._replies.consider(game_id, (await self.view(game_id)).game)
            except Exception:
                log.exception("Game %s could not be taken up", game_id)

    async def close(self) -> None:
        """Give up the computer moves that are being thought about; the next start takes them up."""
        await self._replies.close()
        for task in self._catching_up:
            task.cancel()
        await asyncio.gather(*self._catching_up, *self._reading.values(), return_exceptions=True)
        for unsubscribe in self._unsubscribe.values():
            unsubscribe()

    def on_event(self, call: Callable[[str, Game | None, Game], None]) -> None:
        """Have ``call`` called, after the sockets, with each game that changes: its id, as it was, as it is."""
        self._listeners.append(call)

    # --- Beginning -------------------------------------------------------------------------------------------------

    async def create(self, person: Player, *, color: Color, rules: Rules, level: int) -> str:
        """Start somebody's game against the computer; returns its id."""
        computer = Player("computer", level=level)
        white, black = (person, computer) if color.letter == "W" else (computer, person)
        game_id = new_id()
        view = await self._begin(game_id, Game.start(rules.name, white=white, black=black), is_public=False)
        self._replies.consider(game_id, view.game)
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
        game = Game.start(rules.name, white=white, black=black, clock=control)
        if game_id is None:
            game_id = new_id()
        else:
            try:
                await self.view(game_id)
            except UnknownGame:
                pass
            else:
                return game_id
        try:
            await self._begin(game_id, game, is_public=is_public)
        except StoreError:
            await self.view(game_id)  # another was faster; if that is not it either, this says so
        return game_id

    async def _begin(self, game_id: str, game: Game, *, is_public: bool) -> View:
        now = self.now()
        view = self._nameless(View(game, now, is_public=is_public))
        game = view.game
        unsubscribe = await self._bus.subscribe(f"game:{game_id}", partial(self._hear, game_id))
        try:
            await self._store.create(game_id, game, at=now, is_public=is_public, due=arbiter.due(game, now))
        except BaseException:
            unsubscribe()
            raise
        self._hold(game_id, view, unsubscribe)
        await self._tell_people(game_id, view, None)
        return view

    # --- Reading ---------------------------------------------------------------------------------------------------

    def known(self, game_id: str) -> View | None:
        """A game as it stands, if it is in memory."""
        return self._views.get(game_id)

    async def view(self, game_id: str, seen: int = -1) -> View:
        """A game as it stands. Raises :class:`UnknownGame`.

        ``seen``: a version that somebody has been shown. Where less is known here, whoever kept the rest was cut off
        before telling, and it is read.
        """
        if not can_be_id(game_id):
            raise UnknownGame(game_id)
        view = self._views.get(game_id)
        if view is not None:
            self._views.move_to_end(game_id)
            if seen > view.game.version:
                view = await self._caught_up(game_id, view)
                self._show(game_id, view)
            return view
        reading = self._reading.get(game_id)
        if reading is None:
            reading = self._reading[game_id] = asyncio.create_task(self._read(game_id))
            reading.add_done_callback(partial(self._was_read, game_id))
        return await asyncio.shield(reading)

    def _was_read(self, game_id: str, reading: asyncio.Task[View]) -> None:
        del self._reading[game_id]
        self._heard.pop(game_id, None)
        if not reading.cancelled():
            reading.exception()  # seen, even if nobody waits for it any more

    async def _read(self, game_id: str) -> View:
        # first the subscription: what happens after it is heard, what happened before it is read
        unsubscribe = await self._bus.subscribe(f"game:{game_id}", partial(self._hear, game_id))
        try:
            stored = await self._store.load(game_id)
            view = self._nameless(View(stored.game, stored.created, is_public=stored.is_public))
            view = await self._made_amends(game_id, view)
            if view.game.version < self._heard.get(game_id, 0):
                view = await self._caught_up(game_id, view)
        except BaseException:
            unsubscribe()
            raise
        return self._hold(game_id, view, unsubscribe)

    def _hold(self, game_id: str, view: View, unsubscribe: Callable[[], None]) -> View:
        known = self._views.get(game_id)
        if known is not None:
            unsubscribe()
            return self._keep(game_id, view)
        self._views[game_id] = view
        self._unsubscribe[game_id] = unsubscribe
        if len(self._views) > GAMES_IN_MEMORY:
            self._forget_some()
        return view

    def _keep(self, game_id: str, view: View) -> View:
        """Remember the newest view of a game that is held, and return it: another may have been faster."""
        known = self._views.get(game_id)
        if known is not None:
            if known.game.version >= view.game.version:
                return known
            self._views[game_id] = view
            self._views.move_to_end(game_id)
        return view

    def _forget_some(self) -> None:
        for game_id in list(islice(self._views, LOOKED_OVER)):
            if self._hub.readers(game_id):
                self._views.move_to_end(game_id)
            elif len(self._views) > GAMES_IN_MEMORY:
                del self._views[game_id]
                self._unsubscribe.pop(game_id)()

    # --- Forgetting names ------------------------------------------------------------------------------------------

    def forget(self, person: str) -> None:
        """Show somebody's name in no game any more: the account is gone."""
        self._gone.add(person)
        for game_id, view in self._views.items():
            self._views[game_id] = self._nameless(view)

    def rename(self, renamed: Renamed) -> None:
        """Show somebody under another name in the games that are remembered here."""
        for game_id, view in self._views.items():
            origin = view.game.origin
            white, black = renamed.player(origin.white), renamed.player(origin.black)
            if (white, black) != (origin.white, origin.black):
                self._views[game_id] = view.after(view.game.between(white, black))

    def _nameless(self, view: View) -> View:
        """A view without the names of those who are gone. What was read before they went may still have them."""
        if not self._gone:
            return view
        origin = view.game.origin
        white, black = (player.gone() if player.id in self._gone else player for player in (origin.white, origin.black))
        return view if (white, black) == (origin.white, origin.black) else view.after(view.game.between(white, black))

    # --- Doing -----------------------------------------------------------------------------------------------------

    async def submit(
        self, game_id: str, by: Color | None, decide: Callable[[Game], Event | None], *, lag: float = 0.0
    ) -> Game:
        """Let a side do something, or the arbiter (None): ``decide`` is given the game and returns the event, or raises.

        ``lag``: how many seconds the way of a move took, as measured; what of that it is credited the arbiter says.
        Returns the game after the event once that is kept, or as it stands when ``decide`` gives None. Raises what :meth:`Game.apply` raises, and :class:`StoreError` when it
        could not be kept. Not to be cancelled: the event may be kept and nobody told.
        """
        for _ in range(TRIES):
            before = self._views.get(game_id) or await self.view(game_id)
            event = decide(before.game)
            if event is None:
                return before.game
            try:
                at = self.now()
                if lag and by is not None and isinstance(event, MoveMade):
                    event = replace(event, lag=arbiter.credit(before.game, by, lag, at))
                view = await self._append(game_id, before, event, at, by)
            except VersionConflict:
                if self._views.get(game_id) is before:
                    self._show(game_id, await self._caught_up(game_id, before))
                continue
            return view.game
        raise StoreError(f"game {game_id} did not stand still for {TRIES} tries")

    async def _append(self, game_id: str, before: View, event: Event, at: float, by: Color | None) -> View:
        """Apply an event, have it kept, and tell everybody. Raises :class:`VersionConflict` too."""
        game = before.game
        # a clock that was set back does not stop a game
        last = game.events[-1].at if game.events else before.created
        game = game.apply(event, at=max(at, last), by=by)
        handed_over = time.perf_counter()
        await self._store.append(game_id, game, due=arbiter.due(game, before.created))
        numbers.kept(type(event).__name__, time.perf_counter() - handed_over)
        view = self._nameless(before.after(game))
        self._show(game_id, view)
        entry = game.events[-1]
        await self._bus.publish(f"game:{game_id}", _encode(_News(self._bus.process, game.version, entry.to_json())))
        await self._tell_people(game_id, view, before)
        self._replies.consider(game_id, game)
        return view

    def _show(self, game_id: str, view: View) -> None:
        before = self._views.get(game_id)
        if before is view or self._keep(game_id, view) is not view:
            return
        self._hub.publish(game_id, view, self.now())
        for call in self._listeners:
            call(game_id, None if before is None else before.game, view.game)

    async def _tell_people(self, game_id: str, view: View, before: View | None) -> None:
        """Tell those whom it concerns that they are to move, or no longer, and the club that a game began or ended."""
        game = view.game
        ended = game.result is not None
        if before is None or ended or before.game.turn is not game.turn:
            news = _encode({"t": "your_move", "game": game_id})
            for player in (game.origin.white, game.origin.black):
                if player.id is not None:
                    await self._bus.publish(f"person:{player.id}", news)
        if before is None or ended:
            await self._bus.publish("club", _encode({"t": "playing", "game": game_id}))

    # --- Other processes -------------------------------------------------------------------------------------------

    def _hear(self, game_id: str, payload: bytes) -> None:
        """An event that another process has kept."""
        if payload.startswith(self._own_news):
            return
        news = _news_decoder.decode(payload)
        view = self._views.get(game_id)
        if view is None:
            if game_id in self._reading:
                self._heard[game_id] = max(news.version, self._heard.get(game_id, 0))
        elif news.version == view.game.version + 1:
            self._show(game_id, _with(view, [Entry.from_json(news.entry)]))
        elif news.version > view.game.version:
            self._start_to_catch_up([game_id])

    def _missed_something(self) -> None:
        self._start_to_catch_up(list(self._views))

    def _start_to_catch_up(self, game_ids: list[str]) -> None:
        task = asyncio.create_task(self._catch_up(game_ids))
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)

    async def _catch_up(self, game_ids: list[str]) -> None:
        """Read what has happened in games that are held, and show it."""
        waiting = iter(game_ids)

        async def read_some() -> None:
            for game_id in waiting:
                while (view := self._views.get(game_id)) is not None:
                    try:
                        self._show(game_id, await self._caught_up(game_id, view))
                    except StoreError as error:
                        log.warning("Game %s cannot be read: %s", game_id, error)
                        await asyncio.sleep(RETRY_SECONDS)
                    else:
                        break

        await asyncio.gather(*(read_some() for _ in range(CAUGHT_UP_AT_ONCE)))

    async def _caught_up(self, game_id: str, view: View) -> View:
        return self._nameless(_with(view, await self._store.entries(game_id, view.game.version)))

    async def _made_amends(self, game_id: str, view: View) -> View:
        """The game with the time of the outages given back to it, if it was not yet."""
        for _ in range(2 * TRIES):
            owed = arbiter.amends(view.game, view.created, self.outages, self.now())
            if owed is None:
                break
            try:
                view = await self._append(game_id, view, *owed, None)
            except FlagDown:
                break  # it fell before the outage
            except VersionConflict:
                view = await self._caught_up(game_id, view)
        return view


def _with(view: View, entries: list[Entry]) -> View:
    game = view.game
    for entry in entries:
        game = game.apply(entry.event, at=entry.at, by=entry.by)
    return view.after(game) if entries else view
