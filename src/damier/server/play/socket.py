"""The socket of a game: everything that happens in it, as it happens, and what its players do."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import WebSocket, websocket

from damier import Color
from damier.errors import DamierError, IllegalMove
from damier.i18n import N_, translator
from damier.refusals import GameError, GameOver
from damier.server.accounts.news import CLOSE_LOGGED_OUT, ends
from damier.server.club import Club
from damier.server.limits import Allowance
from damier.server.lobby.invitation import InvitationError
from damier.server.play.decisions import PositionChanged, decision
from damier.server.play.hub import Reader
from damier.server.play.lag import Lag
from damier.server.play.messages import (
    Ack,
    AskedMessage,
    ChatMessage,
    ClaimMessage,
    DeclineRematchMessage,
    Error,
    ExplainMessage,
    MoveMessage,
    Ping,
    PingMessage,
    Pong,
    PongMessage,
    ReasonView,
    RematchMessage,
    SayMessage,
    ServerMessage,
    decode,
    encode,
    reference,
)
from damier.server.play.store import StoreError, UnknownGame
from damier.server.play.web import side_of
from damier.server.protocol import forget_headers, write_now
from damier.server.security import same_origin
from damier.server.site import reader_language

if TYPE_CHECKING:
    from damier.game import Game

CLOSE_REFUSED: Final = 4003
CLOSE_UNKNOWN: Final = 4004
CLOSE_FLOOD: Final = 4029
CLOSED_BY_PAGE: Final = 1000

MOST_REFUSED: Final = 200
"""Messages beyond its allowance after which a socket is closed; one is forgiven each second."""
PING_SECONDS: Final = 4.0
"""Between two measurements of how far away a player is."""

# What somebody who only watches may ask; all else is the players' own.
_ANYBODYS: Final = (SayMessage, ChatMessage)

log = logging.getLogger(__name__)


@websocket("/games/{game_id:str}/socket")
async def game_socket(socket: WebSocket[Any, Any, Any], club: Club, game_id: str) -> None:
    """Join a game.

    ``?version=N`` says what the page has of it, -1 or nothing that it has nothing. ``said=M`` is the number of the last
    line of chat that it has of its own room, ``said=P,W`` of the players' and the watchers'.
    """
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(CLOSE_REFUSED)
        return
    await attend(socket, club, game_id, club.visitors.of(socket), reader_language(socket))


async def attend(
    socket: WebSocket[Any, Any, Any],
    club: Club,
    game_id: str,
    person: str | None,
    language: str,
    *,
    has_page: bool = True,
) -> None:
    """Let somebody take part in a game, or watch it, over a socket, until one of the two ends is closed.

    ``has_page``: whether a page has told already what does not change during a game; else the first message does.
    """
    await socket.accept()
    raw_send = socket.send

    async def send(frame: str) -> None:
        await raw_send({"type": "websocket.send", "text": frame, "bytes": None})

    session = club.visitors.session_of(socket)
    forget_headers(socket)
    version = _version(socket.query_params.get("version"))
    try:
        viewer = side_of((await club.play.view(game_id, version)).game, person)
    except UnknownGame:
        text = translator(language).gettext(N_("There is no such game."))
        await send(encode(Error(None, "unknown_game", text)))
        await socket.close(CLOSE_UNKNOWN)
        return
    reader = Reader(viewer, language, send, person, write_now(socket))
    reader.said = _said(socket.query_params.get("said"), viewer)
    conversation = Conversation(club, game_id, reader)
    leave = forget = None
    talking = asyncio.create_task(conversation.run(socket))

    def logged_out(payload: bytes) -> None:
        if ends(payload, session):
            reader.close(CLOSE_LOGGED_OUT)

    try:
        if session is not None:
            forget = await club.bus.subscribe(f"person:{club.visitors.of(socket)}", logged_out)
        chat_on = has_page or person is None or not await club.people.chat_off(person)
        # nothing is awaited between reading the game and joining its readers, so no event falls between
        view, now = await club.play.view(game_id), club.play.now()
        first = None if has_page else encode(view.first_state(game_id, viewer, language, now, chat_on=chat_on))
        club.hub.join(game_id, reader, view, version, now, first)
        leave = await club.rooms.enter(game_id, reader)
        if view.game.result is not None:
            rating, _ = await club.ratings.shown(game_id, view.game)
            if rating.is_rated:  # it may have changed since the page was made
                reader.put(encode(rating))
        conversation.measure(view.game)
        await asyncio.wait({reader.task, talking}, return_when=asyncio.FIRST_COMPLETED)
        code = CLOSED_BY_PAGE
        if talking.done():
            code = talking.result()
        elif not reader.task.cancelled() and reader.task.exception() is None:
            code = reader.task.result()
        if code != CLOSED_BY_PAGE:
            await socket.close(code)
    finally:
        club.hub.leave(game_id, reader)
        for undo in (leave, forget):
            if undo is not None:
                undo()
        conversation.close()
        if not conversation.answering:
            talking.cancel()
        reader.task.cancel()
        await asyncio.gather(talking, reader.task, return_exceptions=True)


def _version(text: str | None) -> int:
    try:
        return int(text or "-1")
    except ValueError:
        return -1


def _said(text: str | None, viewer: Color | None) -> dict[str, int]:
    """
    >>> _said("7", None), _said("7,3", None), _said("x", Color.WHITE)
    ({'watchers': 7}, {'players': 7, 'watchers': 3}, {})
    """
    parts = (text or "")[:40].split(",")
    if not all(part.isascii() and part.isdecimal() for part in parts) or len(parts) > 2:
        return {}
    own = "watchers" if viewer is None else "players"
    return dict(zip(("players", "watchers") if len(parts) > 1 else (own,), map(int, parts), strict=True))


class Conversation:
    """What one socket asks, and what it is answered."""

    def __init__(self, club: Club, game_id: str, reader: Reader) -> None:
        self._club = club
        self._game_id = game_id
        self._reader = reader
        settings = club.settings
        self._allowance = Allowance(settings.messages_per_second, settings.message_burst)
        self._patience = Allowance(1.0, MOST_REFUSED)
        self._lag = Lag()
        self._next_ping: asyncio.TimerHandle | None = None
        self._closed = False
        self.answering = False
        """Whether something is being done, which is not to be cancelled."""

    async def run(self, socket: WebSocket[Any, Any, Any]) -> int:
        """Answer until the page goes or must be sent away; returns the code to close with."""
        receive = socket.receive
        warned = False
        while not self._closed:
            event = await receive()
            if event["type"] == "websocket.disconnect":
                return CLOSED_BY_PAGE
            if self._allowance.take():
                warned = False
                self.answering = True
                await self._answer(event.get("text"))
                self.answering = False
                continue
            if not warned:
                self._error(None, "too_fast", N_("Too many messages: wait a moment."))
                warned = True
            if not self._patience.take():
                return CLOSE_FLOOD
            await asyncio.sleep(0)  # a flood that is already here must not keep the loop from the others
        return CLOSED_BY_PAGE

    def measure(self, game: Game) -> None:
        """Find out every few seconds how far away a player is whose clock may run."""
        if self._reader.viewer is None or not game.origin.clock or game.origin.clock.days or game.result is not None:
            return
        self._put(Ping(self._lag.sent()))
        self._next_ping = asyncio.get_running_loop().call_later(PING_SECONDS, self._measure_again)

    def _measure_again(self) -> None:
        view = self._club.play.known(self._game_id)
        if view is not None:
            self.measure(view.game)

    def close(self) -> None:
        """Nothing more is measured, nor taken in."""
        self._closed = True
        if self._next_ping is not None:
            self._next_ping.cancel()

    async def _answer(self, text: str | None) -> None:
        try:
            message = decode(text or "")
        except (msgspec.DecodeError, UnicodeEncodeError):
            self._error(reference(text), "bad_message", N_("This message could not be understood."))
            return
        if isinstance(message, PingMessage):
            self._put(Pong())
            return
        if isinstance(message, PongMessage):
            self._lag.answered(message.id)
            return
        viewer = self._reader.viewer
        if viewer is None and not isinstance(message, _ANYBODYS):
            self._error(message.ref, "not_yours", N_("You are watching: only the players can do this."))
            return
        try:
            self._put(await self._do(message, viewer or Color.WHITE))
        except IllegalMove as error:
            self._refused(message.ref, "illegal_move", error)
        except (GameError, InvitationError) as error:
            self._refused(message.ref, error.code, error)
        except StoreError:
            log.exception("An event of game %s was not kept", self._game_id)
            self._error(message.ref, "not_kept", N_("This could not be saved, so it was not done. Try again."))
        except Exception:
            log.exception("A message about game %s failed", self._game_id)
            self._error(message.ref, "failed", N_("Something went wrong on our side. Your game is safe."))

    async def _do(self, message: AskedMessage, viewer: Color) -> ServerMessage:
        """Do what is asked. ``viewer``: the side that asks; of no meaning in what a watcher may ask too."""
        play, game_id, reader = self._club.play, self._game_id, self._reader
        if isinstance(message, MoveMessage):  # most are
            game = await play.submit(game_id, viewer, decision(message, viewer), lag=self._lag.seconds)
            return Ack(message.ref, game.version)
        rooms = self._club.rooms
        match message:
            case ExplainMessage():
                return await self._explain(message, viewer)
            case SayMessage():
                await rooms.say(game_id, reader, message)
            case ChatMessage():
                await rooms.switch_chat(reader, on=message.on)
            case RematchMessage() | DeclineRematchMessage():
                await rooms.rematch(game_id, reader, wanted=isinstance(message, RematchMessage))
            case ClaimMessage():
                game = await rooms.claim(game_id, viewer, draw=message.kind == "draw")
                return Ack(message.ref, game.version)
            case _:
                game = await play.submit(game_id, viewer, decision(message, viewer))
                return Ack(message.ref, game.version)
        return Ack(message.ref, (await play.view(game_id)).game.version)

    async def _explain(self, message: ExplainMessage, viewer: Color) -> ServerMessage:
        game = (await self._club.play.view(self._game_id)).game
        if game.result is not None:
            raise GameOver
        if message.ply != game.plies:
            raise PositionChanged
        reason = game.explain(message.from_square, message.to_square, viewer)
        if reason is None:
            text = translator(self._reader.language).gettext(N_("This move is legal."))
            return ReasonView(message.ref, "legal", text, {})
        return ReasonView(message.ref, reason.code, reason.sentence(self._reader.language), dict(reason.facts))

    def _put(self, message: ServerMessage) -> None:
        self._reader.put(encode(message))

    def _refused(self, ref: int, code: str, error: DamierError) -> None:
        self._put(Error(ref, code, error.sentence(self._reader.language)))

    def _error(self, ref: int | None, code: str, text: str) -> None:
        self._put(Error(ref, code, translator(self._reader.language).gettext(text)))
