"""The personal socket, of every page but a game's: numbers of the club, the reader's own affairs, live small boards.

Page → server: ``watch {games, invitation}`` (what the page shows: live boards, an invitation by its id) and ``ping``.
Server → page: ``club {online, playing}``, ``your_move {count}``, ``invitation {id, state, game}``, ``now {ids, games}``
(all that are played now, and those cards that have changed) and ``pong``. Each message says how things stand, so one
that was not sent before the next of its kind is not missed.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec
from litestar import WebSocket, websocket

from damier.server.club import Club
from damier.server.limits import Allowance
from damier.server.lobby import lists
from damier.server.lobby.invitation import InvitationNews, UnknownInvitation
from damier.server.lobby.lists import Card
from damier.server.protocol import forget_headers
from damier.server.security import same_origin
from damier.server.site import reader_language

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from contextlib import AbstractAsyncContextManager

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.bus import Bus
    from damier.server.lobby.invitations import Invitations
    from damier.server.play.store import EventStore, GameSummary
    from damier.server.presence import Presence

TICK_SECONDS: Final = 1.0
"""Between two looks at the club's numbers and at what is being played."""
MESSAGES_PER_SECOND: Final = 2.0
MESSAGE_BURST: Final = 10
MOST_REFUSED: Final = 50
"""Messages beyond the allowance after which a socket is closed; one is forgiven each second."""
MOST_WAITING: Final = 50
"""Messages of different kinds that may wait for a slow page."""

PLACE: Final = "club"
"""Where those are who look at no game."""

CLOSE_REFUSED: Final = 4003
CLOSE_FLOOD: Final = 4029
CLOSE_RESTARTING: Final = 1012
CLOSED_BY_PAGE: Final = 1000

log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


class WatchMessage(msgspec.Struct, tag_field="t", tag="watch", frozen=True, forbid_unknown_fields=True):
    """What the page shows."""

    games: bool = False
    invitation: str | None = None


class PingMessage(msgspec.Struct, tag_field="t", tag="ping", frozen=True, forbid_unknown_fields=True):
    """Is anybody there?"""


ClientMessage: TypeAlias = WatchMessage | PingMessage
_decoder = msgspec.json.Decoder(ClientMessage)


class ClubView(msgspec.Struct, tag_field="t", tag="club", frozen=True):
    """How many people are online, and how many games are being played."""

    online: int
    playing: int


class YourMoveView(msgspec.Struct, tag_field="t", tag="your_move", frozen=True):
    """How many games wait for the reader's move."""

    count: int


class InvitationView(msgspec.Struct, tag_field="t", tag="invitation", frozen=True):
    """What has become of an invitation. ``game``: None for who may not know of it."""

    id: str
    state: Literal["open", "accepted", "declined", "withdrawn", "expired"]
    game: str | None


class NowView(msgspec.Struct, tag_field="t", tag="now", frozen=True):
    """The games that are played now, and how those that have changed stand, ended ones included."""

    ids: tuple[str, ...]
    games: tuple[Card, ...]


class Pong(msgspec.Struct, tag_field="t", tag="pong", frozen=True):
    pass


_invitations = msgspec.json.Decoder(InvitationNews)


class Listener:
    """One socket of a reader, with the task that writes to it. Of each kind of message only the latest waits."""

    def __init__(self, person: str | None, language: str, send: Callable[[str], Awaitable[None]]) -> None:
        self.person = person
        self.language = language
        self.games = False
        self.behind = False
        """Whether the page has not been told what is being played."""
        self.invitation: str | None = None
        self.stale = person is not None
        """Whether the number of games that wait for the reader may have changed."""
        self.unsure = False
        """Whether news of the invitation may have been missed."""
        self._waiting: dict[str, str] = {}
        self._wake = asyncio.Event()
        self._closing: int | None = None
        self.task = asyncio.create_task(self._write(send))

    def waits(self, kind: str) -> bool:
        """Whether a message of a kind has not been sent yet."""
        return kind in self._waiting

    def put(self, kind: str, frame: str) -> bool:
        """Let a message be sent in place of one of its kind that has not been sent. Returns whether there was room."""
        if len(self._waiting) >= MOST_WAITING and kind not in self._waiting:
            return False
        self._waiting[kind] = frame
        self._wake.set()
        return True

    def close(self, code: int) -> None:
        """Let the socket be closed with this code."""
        self._closing = code
        self._wake.set()

    async def _write(self, send: Callable[[str], Awaitable[None]]) -> int:
        while self._closing is None:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await send(self._waiting.pop(next(iter(self._waiting))))
        return self._closing


class Lounge:
    """Everybody in this process who looks at a page other than a game's."""

    def __init__(
        self, store: EventStore, engine: AsyncEngine, presence: Presence, bus: Bus, invitations: Invitations
    ) -> None:
        self._store = store
        self._invitations = invitations
        self._engine = engine
        self._presence = presence
        self._listeners: set[Listener] = set()
        self._numbers: str | None = None
        self._shown: dict[str, GameSummary] = {}
        """What the pages that show live boards have been told."""
        bus.on_gap(self._missed)

    def join(self, listener: Listener) -> None:
        """Add a socket; it hears the club's numbers at once if they are known."""
        self._listeners.add(listener)
        if self._numbers is not None:
            listener.put("club", self._numbers)

    def leave(self, listener: Listener) -> None:
        """Remove a socket."""
        self._listeners.discard(listener)

    async def run(self) -> None:
        """Look once a second at what the listeners want to know. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if not self._listeners:
                self._numbers = None
                self._shown = {}
                continue
            try:
                await self._tell_numbers()
                await self._tell_games()
                await self._tell_moves()
                await self._tell_invitations()
            except Exception:
                log.exception("The lobby's news could not be told")

    def close(self) -> None:
        """Send everybody away; their pages come back to the next server."""
        for listener in self._listeners:
            listener.close(CLOSE_RESTARTING)

    async def _tell_numbers(self) -> None:
        online = max(1, await self._presence.online())
        frame = _text(ClubView(online, await lists.count_being_played(self._store)))
        if frame != self._numbers:
            self._numbers = frame
            for listener in self._listeners:
                listener.put("club", frame)

    async def _tell_games(self) -> None:
        watching = [listener for listener in self._listeners if listener.games]
        if not watching:
            self._shown = {}
            return
        before = self._shown
        present = {each.id: each for each in await lists.being_played(self._store, kept=before)}
        ended = await lists.by_ids(self._engine, before.keys() - present.keys())
        changed = [each for each in present.values() if before.get(each.id) != each] + ended
        self._shown = present
        if changed or before.keys() != present.keys():
            listeners = watching
        else:
            listeners = [listener for listener in watching if listener.behind]
        frame = cache(partial(_now, present.values(), changed))
        whole = cache(partial(_now, present.values(), present.values()))
        for listener in listeners:
            # of a page that has not been sent the last changes yet, these would be lost
            told = whole if listener.behind or listener.waits("now") else frame
            listener.behind = False
            listener.put("now", told(listener.language))

    async def _tell_moves(self) -> None:
        for listener in [each for each in self._listeners if each.stale and each.person is not None]:
            listener.stale = False
            games = await self._store.unfinished_of(listener.person or "", lists.OWN_MOST)
            count = sum(lists.is_to_move(each, listener.person) for each in games)
            listener.put("your_move", _text(YourMoveView(count)))

    async def _tell_invitations(self) -> None:
        for listener in [each for each in self._listeners if each.unsure]:
            await self.tell_invitation(listener)

    async def tell_invitation(self, listener: Listener) -> None:
        """Tell a page how the invitation that it shows stands."""
        listener.unsure = False
        if listener.invitation is None:
            return
        try:
            present = await self._invitations.get(listener.invitation)
        except UnknownInvitation:
            return
        news = InvitationNews.of(present)
        listener.put("invitation", _text(InvitationView(news.id, news.state, news.game_for(listener.person))))

    def _missed(self) -> None:
        """News may have been lost: everything is looked at anew."""
        for listener in self._listeners:
            listener.stale = listener.person is not None
            listener.unsure = listener.invitation is not None


def _text(message: ClubView | YourMoveView | InvitationView | NowView | Pong) -> str:
    return _encode(message).decode()


def _now(present: Iterable[GameSummary], changed: Iterable[GameSummary], language: str) -> str:
    cards = tuple(lists.card(each, None, language) for each in changed)
    return _text(NowView(tuple(each.id for each in present), cards))


@websocket("/socket")
async def personal_socket(socket: WebSocket[Any, Any, Any], club: Club) -> None:
    """Hear the news of the club, and one's own."""
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(CLOSE_REFUSED)
        return
    await attend(socket, club, club.visitors.of(socket), reader_language(socket))


async def attend(
    socket: WebSocket[Any, Any, Any],
    club: Club,
    person: str | None,
    language: str,
    more: Callable[[Listener], AbstractAsyncContextManager[None]] | None = None,
) -> None:
    """Tell somebody the news over a socket, until one of the two ends is closed. ``more``: tells what is not told here."""
    await socket.accept()

    async def send(frame: str) -> None:
        await socket.send({"type": "websocket.send", "text": frame, "bytes": None})

    listener = Listener(person, language, send)
    forget_headers(socket)
    async with AsyncExitStack() as leaving:
        leaving.callback(listener.task.cancel)
        if person is not None:
            leaving.callback(await club.bus.subscribe(f"person:{person}", partial(_news, listener)))
            leaving.callback(club.presence.enter(person, PLACE))
        club.lounge.join(listener)
        leaving.callback(club.lounge.leave, listener)
        if more is not None:
            await leaving.enter_async_context(more(listener))
        conversation = asyncio.create_task(_converse(socket, club, listener, leaving))
        leaving.callback(conversation.cancel)
        await asyncio.wait({listener.task, conversation}, return_when=asyncio.FIRST_COMPLETED)
        code = CLOSED_BY_PAGE
        if conversation.done():
            code = conversation.result()
        elif listener.task.exception() is None:
            code = listener.task.result()
        if code != CLOSED_BY_PAGE:
            await socket.close(code)


def _news(listener: Listener, payload: bytes) -> None:
    """What concerns a person: a game may have begun or wait for a move, an invitation may have been answered."""
    listener.stale = True
    try:
        news = _invitations.decode(payload)
    except msgspec.DecodeError:
        return  # of another kind
    view = InvitationView(news.id, news.state, news.game_for(listener.person))
    listener.put(f"invitation {view.id}", _text(view))


async def _converse(socket: WebSocket[Any, Any, Any], club: Club, listener: Listener, leaving: AsyncExitStack) -> int:
    """Answer until the page goes or must be sent away; returns the code to close with."""
    allowance, patience = Allowance(MESSAGES_PER_SECOND, MESSAGE_BURST), Allowance(1.0, MOST_REFUSED)
    while True:
        event = await socket.receive()
        if event["type"] == "websocket.disconnect":
            return CLOSED_BY_PAGE
        if not allowance.take():
            if not patience.take():
                return CLOSE_FLOOD
            await asyncio.sleep(0)  # a flood that is already here must not keep the loop from the others
            continue
        try:
            message = _decoder.decode(event.get("text") or "")
        except (msgspec.DecodeError, UnicodeEncodeError):
            continue  # of a page that we did not make
        if isinstance(message, PingMessage):
            listener.put("pong", _text(Pong()))
            continue
        if message.games and not listener.games:
            listener.games = listener.behind = True
        if message.invitation is not None and listener.invitation is None:
            listener.invitation = message.invitation
            topic = f"room:{message.invitation}"
            leaving.callback(await club.bus.subscribe(topic, partial(_news, listener)))
            await club.lounge.tell_invitation(listener)
