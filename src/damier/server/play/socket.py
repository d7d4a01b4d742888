"""The socket of a game: everything that happens in it, as it happens, and what its players do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import msgspec
from litestar import WebSocket, websocket

from damier import Color
from damier.errors import IllegalMove
from damier.events import Event, Resigned, TookBack
from damier.game import Game
from damier.i18n import N_, translator
from damier.refusals import GameError, GameOver
from damier.server.club import Club
from damier.server.limits import Allowance
from damier.server.play.hub import Reader
from damier.server.play.messages import (
    Ack,
    Error,
    ExplainMessage,
    MoveMessage,
    PingMessage,
    Pong,
    ReasonView,
    ResignMessage,
    ServerMessage,
    TakeBackMessage,
    decode,
    encode,
    reference,
)
from damier.server.play.service import PositionChanged
from damier.server.play.store import StoreError, UnknownGame
from damier.server.play.web import side_of
from damier.server.security import same_origin
from damier.server.site import reader_language

CLOSE_REFUSED: Final = 4003
CLOSE_UNKNOWN: Final = 4004
CLOSE_FLOOD: Final = 4029
CLOSED_BY_PAGE: Final = 1000

MOST_REFUSED: Final = 200
"""Messages beyond its allowance after which a socket is closed; one is forgiven each second."""

log = logging.getLogger(__name__)


@websocket("/games/{game_id:str}/socket")
async def game_socket(socket: WebSocket[Any, Any, Any], club: Club, game_id: str) -> None:
    """Join a game: ``?version=N`` says what the page has of it, -1 or nothing that it has nothing."""
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.close(CLOSE_REFUSED)
        return
    await socket.accept()

    async def send(frame: str) -> None:
        await socket.send({"type": "websocket.send", "text": frame, "bytes": None})

    language = reader_language(socket)
    try:
        viewer = side_of(
            (await club.play.view(game_id)).game, club.visitors.read(socket.cookies.get(club.visitors.cookie_name))
        )
    except UnknownGame:
        text = translator(language).gettext(N_("There is no such game."))
        await send(encode(Error(None, "unknown_game", text)))
        await socket.close(CLOSE_UNKNOWN)
        return
    reader = Reader(viewer, language, send)
    conversation = asyncio.create_task(Conversation(club, game_id, reader).run(socket))
    try:
        # nothing is awaited between reading the game and joining its readers, so no event falls between
        view = await club.play.view(game_id)
        club.hub.join(game_id, reader, view, _version(socket.query_params.get("version")))
        await asyncio.wait({reader.task, conversation}, return_when=asyncio.FIRST_COMPLETED)
        code = CLOSED_BY_PAGE
        if conversation.done():
            code = conversation.result()
        elif not reader.task.cancelled() and reader.task.exception() is None:
            code = reader.task.result()
        if code != CLOSED_BY_PAGE:
            await socket.close(code)
    finally:
        club.hub.leave(game_id, reader)
        conversation.cancel()
        reader.task.cancel()
        await asyncio.gather(conversation, reader.task, return_exceptions=True)


def _version(text: str | None) -> int:
    try:
        return int(text or "-1")
    except ValueError:
        return -1


class Conversation:
    """What one socket asks, and what it is answered."""

    def __init__(self, club: Club, game_id: str, reader: Reader) -> None:
        self._club = club
        self._game_id = game_id
        self._reader = reader
        settings = club.settings
        self._allowance = Allowance(settings.messages_per_second, settings.message_burst)
        self._patience = Allowance(1.0, MOST_REFUSED)

    async def run(self, socket: WebSocket[Any, Any, Any]) -> int:
        """Answer until the page goes or must be sent away; returns the code to close with."""
        warned = False
        while True:
            event = await socket.receive()
            if event["type"] == "websocket.disconnect":
                return CLOSED_BY_PAGE
            if self._allowance.take():
                warned = False
                await self._answer(event.get("text"))
                continue
            if not warned:
                self._error(None, "too_fast", N_("Too many messages: wait a moment."))
                warned = True
            if not self._patience.take():
                return CLOSE_FLOOD
            await asyncio.sleep(0)  # a flood that is already here must not keep the loop from the others

    async def _answer(self, text: str | None) -> None:
        try:
            message = decode(text or "")
        except (msgspec.DecodeError, UnicodeEncodeError):
            self._error(reference(text), "bad_message", N_("This message could not be understood."))
            return
        if isinstance(message, PingMessage):
            self._put(Pong())
            return
        if self._reader.viewer is None:
            self._error(message.ref, "not_yours", N_("You are watching: only the players can do this."))
            return
        try:
            self._put(await self._do(message, self._reader.viewer))
        except IllegalMove as error:
            self._put(Error(message.ref, "illegal_move", error.sentence(self._reader.language)))
        except GameError as error:
            self._put(Error(message.ref, error.code, error.sentence(self._reader.language)))
        except StoreError:
            log.exception("An event of game %s was not kept", self._game_id)
            self._error(message.ref, "not_kept", N_("This could not be saved, so it was not done. Try again."))
        except Exception:
            log.exception("A message about game %s failed", self._game_id)
            self._error(message.ref, "failed", N_("Something went wrong on our side. Your game is safe."))

    async def _do(
        self, message: MoveMessage | ExplainMessage | TakeBackMessage | ResignMessage, viewer: Color
    ) -> ServerMessage:
        match message:
            case ExplainMessage():
                return await self._explain(message, viewer)
            case MoveMessage():
                decide = _move(message)
            case TakeBackMessage():
                decide = _take_back(viewer)
            case ResignMessage():
                decide = _resign
        game = await self._club.play.submit(self._game_id, viewer, decide)
        return Ack(message.ref, game.version)

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

    def _error(self, ref: int | None, code: str, text: str) -> None:
        self._put(Error(ref, code, translator(self._reader.language).gettext(text)))


def _move(message: MoveMessage) -> Callable[[Game], Event]:
    def decide(game: Game) -> Event:
        # a page that sends a move again after a lost connection must not have it made twice
        if game.result is None and message.ply != game.plies:
            raise PositionChanged
        return message.move.event()

    return decide


def _take_back(viewer: Color) -> Callable[[Game], Event]:
    # where there is nothing to take back the game itself says why
    return lambda game: TookBack(game.can_take_back(viewer) or 1)


def _resign(_: Game) -> Event:
    return Resigned()
