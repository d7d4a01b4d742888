"""The personal socket, of every page but a game's: numbers of the club, the reader's own affairs, live small boards.

Page → server: ``watch {games, invitation, seeks}`` (what the page shows: live boards, an invitation by its id, the list
of open games), ``sent {ids}`` (one's own seeks and challenges that the page last heard of as open),
``search {rules, clock, rated}`` (quick pairing, until ``stop_search`` or the socket closes) and ``ping``.
Server → page: ``club {online, playing}``, ``your_move {count}``, ``invitation {id, state, game}``, ``now {ids, games}``
(all that are played now, and those cards that have changed), ``seeks {seeks}`` (the list of open games),
``challenges {received, sent, answers}`` (those that wait for an answer), ``declined {id, name, text}`` (one's own
challenge), ``searching {count, waited}`` (how many in the queue, and for how many seconds already), ``stopped``
(another page of the same person searches), ``pause {text}`` (why there is no quick pairing),
``paired {game, mine, offer}`` (a game has begun: ``mine`` by what this page asked for, or of which ``offer``) and
``pong``. Each message says how things stand, so one that was not sent before the next of its kind is not missed; and how
an offer ended while no page of its host was connected is told the next one that says it had ``sent`` it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import AsyncExitStack
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import msgspec
from litestar import WebSocket, websocket

from damier.clock import BadTimeControl, TimeControl
from damier.server.accounts.news import CLOSE_LOGGED_OUT, ends
from damier.server.accounts.ties import NEWS as TIES
from damier.server.club import Club
from damier.server.limits import Allowance
from damier.server.lobby import lists
from damier.server.lobby.choices import RULE_SETS
from damier.server.lobby.desk import OfferView, phrases
from damier.server.lobby.invitation import InvitationError, InvitationNews, UnknownInvitation
from damier.server.lobby.lists import Card
from damier.server.lobby.quick import Found, News, Search, Searching
from damier.server.protocol import forget_headers
from damier.server.security import same_origin
from damier.server.site import reader_language

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from contextlib import AbstractAsyncContextManager

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.bus import Bus
    from damier.server.lobby.desk import Desk
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
MOST_SENT: Final = 20
"""Offers whose end is told a page that asks: more than one person may have open at a time."""

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
    seeks: bool = False


class SearchMessage(msgspec.Struct, tag_field="t", tag="search", frozen=True, forbid_unknown_fields=True):
    """Find me an opponent. ``clock``: the time control as PDN writes it."""

    rules: Annotated[str, msgspec.Meta(max_length=20)]
    clock: Annotated[str, msgspec.Meta(max_length=20)]
    rated: bool


class StopSearchMessage(msgspec.Struct, tag_field="t", tag="stop_search", frozen=True, forbid_unknown_fields=True):
    """I no longer look for an opponent."""


class SentMessage(msgspec.Struct, tag_field="t", tag="sent", frozen=True, forbid_unknown_fields=True):
    """How did these seeks and challenges of mine end, if they have?"""

    ids: Annotated[tuple[Annotated[str, msgspec.Meta(max_length=64)], ...], msgspec.Meta(max_length=MOST_SENT)]


class PingMessage(msgspec.Struct, tag_field="t", tag="ping", frozen=True, forbid_unknown_fields=True):
    """Is anybody there?"""


ClientMessage: TypeAlias = WatchMessage | SentMessage | SearchMessage | StopSearchMessage | PingMessage
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


class SeeksView(msgspec.Struct, tag_field="t", tag="seeks", frozen=True):
    """The open games, the latest first."""

    seeks: tuple[OfferView, ...]


class ChallengesView(msgspec.Struct, tag_field="t", tag="challenges", frozen=True):
    """The challenges that wait for an answer, and what they can be declined with."""

    received: tuple[OfferView, ...]
    sent: tuple[OfferView, ...]
    answers: dict[str, str]


class SearchingView(msgspec.Struct, tag_field="t", tag="searching", frozen=True):
    """How many search in the reader's queue, and for how many seconds the reader has."""

    count: int
    waited: float


class StoppedView(msgspec.Struct, tag_field="t", tag="stopped", frozen=True):
    """The search is over, or goes on at another page of the same person."""


class PauseView(msgspec.Struct, tag_field="t", tag="pause", frozen=True):
    """Why there is no quick pairing for the reader."""

    text: str


class PairedView(msgspec.Struct, tag_field="t", tag="paired", frozen=True):
    """A game of the reader's has begun. ``mine``: it is what this page has searched for. ``offer``: the seek or the
    challenge of the reader's that was accepted."""

    game: str
    mine: bool
    offer: str | None = None


class Pong(msgspec.Struct, tag_field="t", tag="pong", frozen=True):
    pass


PAGES_ONLY: Final = (
    SentMessage,
    SearchMessage,
    StopSearchMessage,
    SearchingView,
    StoppedView,
    PauseView,
    PairedView,
    ChallengesView,
)
"""What programs neither send nor are sent: quick pairing is for people, and of challenges they are told more simply."""

_invitations = msgspec.json.Decoder(InvitationNews)


class Listener:
    """One socket of a reader, with the task that writes to it. Of each kind of message only the latest waits."""

    def __init__(
        self,
        person: str | None,
        language: str,
        send: Callable[[str], Awaitable[None]],
        session: str | None = None,
        *,
        has_page: bool = True,
    ) -> None:
        self.person = person
        self.has_page = has_page
        self.session = session
        self.language = language
        self.games = False
        self.behind = False
        """Whether the page has not been told what is being played."""
        self.invitation: str | None = None
        self.stale = person is not None
        """Whether the number of games that wait for the reader may have changed."""
        self.seeks = False
        self.behind_seeks = False
        """Whether the page has not been told the open games."""
        self.challenged = person is not None and has_page
        """Whether the challenges that concern the reader may have changed."""
        self.asked = False
        """Whether the page has said which it takes to be open."""
        self.sent: set[str] = set()
        """Seeks and challenges of the reader's of whose end the page has not been told."""
        self.search: asyncio.Task[Search] | None = None
        """The search of this page, from when it is begun."""
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
        self,
        store: EventStore,
        engine: AsyncEngine,
        presence: Presence,
        bus: Bus,
        invitations: Invitations,
        desk: Desk,
    ) -> None:
        self._desk = desk
        self._seeks: tuple[str, ...] = ()
        """The open games that pages have been told of."""
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
                await self._tell_seeks()
                await self._tell_challenges()
            except Exception:
                log.exception("The lobby's news could not be told")
                self._missed()

    def dismiss(self, person: str) -> None:
        """Send somebody away: the page that comes back is somebody else's."""
        for listener in self._listeners:
            if listener.person == person:
                listener.close(CLOSE_RESTARTING)

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

    async def _tell_seeks(self) -> None:
        watching = [listener for listener in self._listeners if listener.seeks]
        if not watching:
            self._seeks = ()
            return
        listed = await self._desk.seeks()
        changed, self._seeks = self._seeks != listed.ids, listed.ids
        for listener in watching:
            if changed or listener.behind_seeks:
                listener.behind_seeks = False
                listener.put("seeks", _text(SeeksView(listed.views(listener.person, listener.language))))

    async def _tell_challenges(self) -> None:
        for listener in [each for each in self._listeners if each.challenged and each.person is not None]:
            listener.challenged = False
            person, language = listener.person or "", listener.language
            views = (await self._desk.challenges(person)).views(person, language)
            received, sent = (tuple(each for each in views if each.mine is mine) for mine in (False, True))
            listener.put("challenges", _text(ChallengesView(received, sent, phrases(language))))
            still_open = {each.id for each in sent}
            for offer in listener.sent - still_open:
                await self._tell_end(listener, offer)
            listener.sent |= still_open

    async def _tell_end(self, listener: Listener, offer: str) -> None:
        """Tell a page how a seek or a challenge of its reader's ended, if it has."""
        try:
            present = await self._invitations.get(offer)
        except UnknownInvitation:
            listener.sent.discard(offer)
            return
        if present.is_open and present.host == listener.person:
            return
        if present.host == listener.person and present.kind in ("seek", "challenge"):
            if present.state == "accepted" and present.game is not None:
                await self._invitations.start(present)
                if any(each.score is None for each in await lists.by_ids(self._engine, [present.game])):
                    listener.put("paired", _text(PairedView(present.game, mine=False, offer=offer)))
            elif present.state == "declined" and present.kind == "challenge":
                declined = await self._desk.declined(InvitationNews.of(present), listener.language)
                listener.put(f"declined {offer}", _text(declined))
        listener.sent.discard(offer)

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
            listener.challenged = listener.stale and listener.has_page
            listener.unsure = listener.invitation is not None


def _text(message: msgspec.Struct) -> str:
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

    listener = Listener(person, language, send, club.visitors.session_of(socket), has_page=more is None)
    forget_headers(socket)
    async with AsyncExitStack() as leaving:
        leaving.callback(listener.task.cancel)
        if person is not None:
            leaving.callback(await club.bus.subscribe(f"person:{person}", partial(_news, listener)))
            leaving.callback(club.presence.enter(person, PLACE))
        leaving.push_async_callback(_stop, club, listener)
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
    if ends(payload, listener.session):
        listener.close(CLOSE_LOGGED_OUT)
        return
    listener.stale = True
    if payload == TIES:
        listener.challenged = listener.has_page
        return
    try:
        news = _invitations.decode(payload)
    except msgspec.DecodeError:
        return  # of another kind
    if news.kind in ("seek", "challenge") and not listener.has_page:
        return
    if news.kind in ("seek", "challenge"):
        if news.host == listener.person and news.state != "withdrawn":
            listener.sent.add(news.id)
        listener.challenged = listener.challenged or news.kind == "challenge"
        if listener.invitation != news.id:
            if news.state == "accepted" and news.game is not None and news.host == listener.person:
                listener.put("paired", _text(PairedView(news.game, mine=False, offer=news.id)))
                listener.sent.discard(news.id)
            return
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
        if isinstance(message, PAGES_ONLY) and not listener.has_page:
            continue
        if isinstance(message, SentMessage):
            if listener.person is not None and not listener.asked:
                listener.asked = listener.challenged = True
                listener.sent.update(message.ids)
            continue
        if isinstance(message, SearchMessage):
            await _search(socket, club, listener, message)
            continue
        if isinstance(message, StopSearchMessage):
            await _stop(club, listener)
            continue
        if message.seeks:
            listener.seeks = listener.behind_seeks = True
        if message.games and not listener.games:
            listener.games = listener.behind = True
        if message.invitation is not None and listener.invitation is None:
            listener.invitation = message.invitation
            topic = f"room:{message.invitation}"
            leaving.callback(await club.bus.subscribe(topic, partial(_news, listener)))
            await club.lounge.tell_invitation(listener)


# --- Quick pairing ---------------------------------------------------------------------------------------------------


async def _search(socket: WebSocket[Any, Any, Any], club: Club, listener: Listener, message: SearchMessage) -> None:
    """Begin a search for this page, in place of the one it has."""
    who = club.visitors.who(socket)
    if who is None or message.rules not in RULE_SETS:
        return
    try:
        control = TimeControl.from_pdn(message.clock) or TimeControl.none()
    except BadTimeControl:
        return
    await _stop(club, listener)
    began = time.time()

    def tell(news: News) -> None:
        if isinstance(news, Searching):
            listener.put("searching", _text(SearchingView(news.count, time.time() - began)))
            return
        if listener.search is search:
            listener.search = None  # it is over: nothing of it remains to be ended
        if isinstance(news, Found):
            listener.put("paired", _text(PairedView(news.game, mine=True)))
        else:
            listener.put("stopped", _text(StoppedView()))

    rules, _title, _about = RULE_SETS[message.rules]
    search = asyncio.create_task(
        club.quick.search(who, rules=rules, control=control, rated=message.rated, tell=tell), name="search"
    )
    listener.search = search
    try:
        # were the page to go now, what is begun would still have to be ended
        began = (await asyncio.shield(search)).since
    except InvitationError as error:
        listener.search = None
        listener.put("pause", _text(PauseView(error.sentence(listener.language))))


async def _stop(club: Club, listener: Listener) -> None:
    """End the search of this page, if it has one; a game that was found just before is told."""
    search, listener.search = listener.search, None
    if search is None:
        return
    try:
        found = await club.quick.stop(await search)
    except InvitationError:
        return
    except Exception:
        log.exception("A search could not be ended; it will be forgotten soon")
        return
    if found is not None:
        listener.put("paired", _text(PairedView(found, mine=True)))
