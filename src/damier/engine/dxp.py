"""Opponents that speak DamExchange, at the other end of a TCP connection.

:class:`AsyncDxpEngine` does the work on an event loop; :class:`DxpEngine` is the same for code without one. Source: the
protocol's description (layer 2), and how Scan 3.1 speaks it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeVar

from damier.board import START_FEN
from damier.engine.dxp_connection import DxpConnection, TooMuch
from damier.engine.dxp_talk import BAD_MESSAGE, NO_MORE, NOT_NOW, DxpError, DxpTalk, Phase
from damier.engine.engine import SearchResult
from damier.engine.own_loop import OwnLoop
from damier.engine.score import Score
from damier.errors import EngineError
from damier.i18n import N_
from damier.notation.dxp import (
    LONGEST_CHAT,
    LONGEST_NAME,
    PORT,
    Answer,
    BackRequest,
    BadDxp,
    Chat,
    DxpMove,
    GameAnswer,
    GameEnd,
    GameRequest,
    Reason,
    plain,
    write_position,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType

    from damier._kernel import Move
    from damier.board import Board, Color
    from damier.engine.dxp_talk import News
    from damier.engine.limits import Limit

__all__ = ["AsyncDxpEngine", "DxpEngine", "DxpError"]

_News = TypeVar("_News", bound="News")

_CHATS_KEPT: Final = 3

_NOT_CONNECTED = N_("There is no connection with {other}: {what}.")
_NOBODY_CAME = N_("Nobody has come to {other} within {seconds} seconds.")
_GONE = N_("{other} has closed the connection.")
_SILENT = N_("{other} has not answered for {seconds} seconds.")
_FLOOD = N_("{other} sends more than can be meant, or reads nothing.")
_REFUSED = N_("{other} does not accept the game (answer {number}).")
_ENDED = N_("{other} has ended the game.")
_CLOSED = N_("The connection with {other} is closed.")


class AsyncDxpEngine:
    """An opponent that speaks DamExchange, for code on an event loop.

    It is reached at ``host`` and ``port`` or, with ``listen``, comes there; ``port`` 0 listens where there is room.
    ``follow``: whether the opponent asks for the games, rather than this side; without it, who listens follows.
    ``name``: what this side calls itself. ``minutes`` and ``moves``: of the games that this side asks for, as
    :class:`~damier.notation.dxp.GameRequest` has them. ``on_chat`` is called with what the opponent says for people.

    ``start_timeout``: seconds until there must be a connection, None for no such time. ``timeout``: seconds in which
    the opponent must answer to a request and to the end of a game, and by which it may overstep its minutes.
    ``move_timeout``: the same for a move in a game without minutes, None for no such time.

    As an engine it is used by :meth:`search`, :meth:`finish` and :meth:`clear`; whoever leads the games himself uses
    :meth:`ask` or :meth:`asked`, :meth:`move`, :meth:`receive` and :meth:`end`. Whatever goes wrong is a
    :class:`DxpError`; the connection is closed then, and the next use makes another.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = PORT,
        *,
        listen: bool = False,
        follow: bool | None = None,
        name: str = "Damier",
        minutes: int = 5,
        moves: int = 0,
        start_timeout: float | None = 30.0,
        timeout: float = 30.0,
        move_timeout: float | None = None,
        on_chat: Callable[[str], object] | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.listens = listen
        self.follows = listen if follow is None else follow
        self._name = plain(name, LONGEST_NAME)
        self._minutes, self._moves = minutes, moves
        self._start_timeout, self._timeout, self._move_timeout = start_timeout, timeout, move_timeout
        self._on_chat = on_chat
        self._server: asyncio.Server | None = None
        self._arrived: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] | None = None
        self._opening: asyncio.Task[tuple[asyncio.StreamReader, asyncio.StreamWriter]] | None = None
        self._connection: DxpConnection | None = None
        self._failure: Exception | None = None
        self._news: asyncio.Queue[News | Exception] = asyncio.Queue()
        self._chats: deque[str] = deque(maxlen=_CHATS_KEPT)
        self._is_busy = False
        self._is_closed = False
        self._turn_since = 0.0  # of the side to move
        self._spent = 0.0  # by the opponent
        self._has_unread_move = False
        self._said_end: GameEnd | None = None  # by the opponent, of the game that was on
        self._origin: tuple[str, tuple[Move, ...]] = (START_FEN, ())  # of the game, on the board of search()
        self.talk = self._new_talk()
        """Where the conversation is; to be looked at only."""

    async def __aenter__(self) -> AsyncDxpEngine:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.host!r}, {self.port})"

    @property
    def name(self) -> str:
        """What the opponent calls itself; empty before it has said so."""
        return self.talk.other

    # --- The connection -------------------------------------------------------------------------------------------

    async def listen(self) -> int:
        """Open the port without waiting for anybody; its number. Raises :class:`DxpError`."""
        if self._is_closed:
            raise self._error(_CLOSED, "closed")
        if self._server is None:
            self._arrived = asyncio.get_running_loop().create_future()
            try:
                self._server = await asyncio.start_server(self._came, self.host, self.port)
            except OSError as error:
                raise self._error(_NOT_CONNECTED, "not_connected", what=_why(error)) from error
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._arrived is None or self._arrived.done():
            writer.transport.abort()  # one opponent at a time
        else:
            self._arrived.set_result((reader, writer))

    async def start(self) -> None:
        """Connect with the opponent or wait for it, if there is no connection. Raises :class:`DxpError`."""
        if self._connection is not None and self._failure is None:
            return
        await self._drop()
        if self._is_closed:
            raise self._error(_CLOSED, "closed")
        self.talk, self._failure, self._news = self._new_talk(), None, asyncio.Queue()
        self._chats.clear()
        self._opening = asyncio.create_task(self._opened())
        try:
            async with asyncio.timeout(self._start_timeout):
                reader, writer = await self._opening
        except asyncio.CancelledError:
            if self._is_closed:
                raise self._error(_CLOSED, "closed") from None
            raise
        except TimeoutError as error:
            if error.errno is not None or self._start_timeout is None:  # the system's own
                raise self._error(_NOT_CONNECTED, "not_connected", what=_why(error)) from error
            seconds = f"{self._start_timeout:g}"
            if self.listens:
                raise self._error(_NOBODY_CAME, "nobody_came", seconds=seconds) from None
            raise self._error(_SILENT, "silent", seconds=seconds) from None
        except OSError as error:
            raise self._error(_NOT_CONNECTED, "not_connected", what=_why(error)) from error
        finally:
            self._opening = None
            self._stop_listening()
        if self.listens:
            self.talk.place = ":".join(map(str, writer.get_extra_info("peername")[:2]))
        self._connection = DxpConnection(reader, writer, self._hear, self._lost)

    async def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if not self.listens:
            return await asyncio.open_connection(self.host, self.port)
        await self.listen()
        if self._arrived is None:  # closed meanwhile
            raise asyncio.CancelledError
        arrived = await self._arrived
        self._arrived = None
        return arrived

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        arrived, self._arrived = self._arrived, None
        if arrived is not None and not arrived.cancel() and not arrived.cancelled():
            arrived.result()[1].transport.abort()

    async def close(self) -> None:
        """End it: a game that is on is ended if it is this side's turn. Nothing can follow."""
        self._is_closed = True
        if self._opening is not None:
            self._opening.cancel()
        if self._failure is None and self._connection is not None:
            if self.talk.is_our_turn:
                self._connection.send(self.talk.end(GameEnd(is_last=True)))
            self._failure = self._error(_CLOSED, "closed")
            self._news.put_nowait(self._failure)
        await self._drop()
        self._stop_listening()

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _new_talk(self) -> DxpTalk:
        return DxpTalk(self._name, f"{self.host}:{self.port}")

    def _error(self, message: str, code: str, **facts: Any) -> DxpError:
        return self.talk.error(message, code, chat=tuple(self._chats), **facts)

    # --- What the opponent says -----------------------------------------------------------------------------------

    def _hear(self, text: str) -> bool:
        """Take in a message; whether it was waited for."""
        heard = self.talk.hear(text)
        for reply in heard.replies:
            self._say(reply)
        match heard.news:
            case None | BackRequest():
                return False
            case Chat(words):
                self._chats.append(words)
                if self._on_chat is not None:
                    self._on_chat(words)
                return False
            case DxpMove():
                now = time.monotonic()
                self._spent += now - self._turn_since
                self._turn_since = now
                self._has_unread_move = True
            case GameAnswer(answer=Answer.ACCEPTED):
                self._begun()
            case GameEnd():
                self._said_end = heard.news
            case _:
                pass
        self._news.put_nowait(heard.news)
        return True

    def _lost(self, error: Exception) -> None:
        if self._failure is not None:
            return
        match error:
            case DxpError():
                error.chat = tuple(self._chats)
            case EOFError() | OSError():
                error = self._error(_GONE, "gone")
            case TooMuch():
                error = self._error(_FLOOD, "flood")
            case BadDxp():
                error = self._error(BAD_MESSAGE, "bad_message", what=error)
            case _:
                pass  # what on_chat has raised
        self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._news.put_nowait(error)
        if self._connection is not None:
            if isinstance(error, DxpError) and error.code not in ("gone", "flood"):
                self._connection.send(Chat(plain(f"error: {error}", LONGEST_CHAT)))
            self._connection.hang_up()

    def _say(self, message: Any) -> None:
        if self._failure is not None:
            raise self._failure
        if self._connection is None:
            raise self._error(NOT_NOW, "not_now")
        self._connection.send(message)

    async def _next(self, seconds: float | None, *kinds: type[_News]) -> _News:
        """The next news of these kinds; what was left unread before them is passed over."""
        try:
            async with asyncio.timeout(None if seconds is None else max(seconds, 0)):
                while True:
                    if self._failure is not None and self._news.empty():
                        raise self._failure
                    news = await self._news.get()
                    if isinstance(news, Exception):
                        raise news
                    if isinstance(news, DxpMove):
                        self._has_unread_move = False
                    if isinstance(news, kinds):
                        return news
        except TimeoutError:
            silent = self._error(_SILENT, "silent", seconds=f"{seconds or 0:.3g}")
            self._fail(silent)
            raise silent from None

    # --- Games, for who leads them --------------------------------------------------------------------------------

    async def ask(self, board: Board, theirs: Color, *, minutes: int | None = None, moves: int | None = None) -> None:
        """Ask for a game from the position of ``board`` in which the opponent plays ``theirs``.

        Raises :class:`DxpError`, with the code ``refused`` if the opponent does not accept it; another may be asked
        for then.
        """
        await self.start()
        position = "" if board.fen() == START_FEN else write_position(board)
        minutes = self._minutes if minutes is None else minutes
        moves = self._moves if moves is None else moves
        self._say(self.talk.ask(GameRequest(self._name, theirs, minutes, moves, position)))
        answer = (await self._next(self._timeout, GameAnswer)).answer
        if answer is not Answer.ACCEPTED:
            raise self._error(_REFUSED, "refused", answer=answer, number=answer.value)

    async def asked(self, seconds: float | None = None) -> GameRequest:
        """The game that the opponent asks for, within that time if one is given; to be answered with :meth:`answer`."""
        await self.start()
        if self.talk.is_last:
            raise self._error(NO_MORE, "no_more")
        return await self._next(seconds, GameRequest)

    def answer(self, answer: Answer = Answer.ACCEPTED) -> None:
        """Accept the game that the opponent has asked for, or not."""
        self._say(self.talk.answer(answer))
        self._begun()

    def move(self, move: Move, seconds: float = 0) -> None:
        """Tell this side's move, and how long it took."""
        self._say(self.talk.move(move, seconds))
        self._turn_since = time.monotonic()

    async def receive(self) -> DxpMove | GameEnd:
        """The opponent's move, which is on the board then, or what it says the end is: that may come at any time."""
        if self.talk.phase is not Phase.PLAYING and self._news.empty():
            raise self._failure or self._error(NOT_NOW, "not_now")
        return await self._next(self._patience(), DxpMove, GameEnd)

    async def end(self, reason: Reason = Reason.UNKNOWN, *, is_last: bool = False) -> GameEnd:
        """End the game, as this side sees it, in the place of its move; what the opponent answers."""
        self._say(self.talk.end(GameEnd(reason, is_last)))
        end = await self._next(self._timeout, GameEnd)
        self._said_end = None
        return end

    def chat(self, words: str) -> None:
        """Say something for people to read."""
        self._say(Chat(plain(words, LONGEST_CHAT)))

    def _begun(self) -> None:
        self._spent, self._turn_since = 0.0, time.monotonic()
        self._said_end, self._has_unread_move = None, False

    def _patience(self) -> float | None:
        """For how long the opponent may still think; None for any time, also while it is this side's turn."""
        request = self.talk.request
        if self.talk.is_our_turn or request is None:
            return None
        passed = time.monotonic() - self._turn_since
        if request.minutes:
            return max(0.0, request.minutes * 60 - self._spent) + self._timeout - passed
        return None if self._move_timeout is None else self._move_timeout - passed

    # --- As an engine ---------------------------------------------------------------------------------------------

    async def search(
        self, board: Board, limit: Limit, on_info: Callable[[SearchResult], object] | None = None
    ) -> SearchResult:
        """The opponent's move on ``board``, which must have the rule set ``official``.

        A board that goes on from the last one by the opponent's move and the answer tells the answer; any other begins
        another game from where it stands. The protocol knows neither limits, other than the game's minutes, nor what an
        opponent thinks: ``limit`` and ``on_info`` are not used, and the result has depth 0 and no meaning in its score.

        Raises :class:`~damier.EngineError` if the game is over, and :class:`DxpError`, with the code ``ended`` if the
        opponent ends the game instead of moving.
        """
        del limit, on_info
        self._expect_official(board)
        outcome = board.outcome()
        if outcome is not None:
            raise EngineError("the game is over ({rule}): there is nothing to search", rule=outcome.rule)
        with self._to_itself():
            begin = time.monotonic()
            if not self._catch_up(board):
                await self._begin(board)
            if self._said_end is not None and self._news.empty():
                news = self._said_end
            else:
                news = await self.receive()
            if isinstance(news, GameEnd):
                raise self._error(_ENDED, "ended", end=news)
            best = news.move
            return SearchResult(best, Score.centi(0), 0, 0, time.monotonic() - begin, (best,))

    async def finish(self, board: Board, *, is_last: bool = False) -> GameEnd | None:
        """Tell the opponent the last move of a game and how it ended; what it says of that, None if no game was on.

        It is the side on move that says first how the game ended; the board's rules tell this side.
        """
        self._expect_official(board)
        with self._to_itself():
            if not self._catch_up(board):
                return None
            if self._said_end is not None:
                return self._said_end
            if not self.talk.is_our_turn:
                news = await self.receive()
                if isinstance(news, GameEnd):
                    return news  # it is answered already
            return await self.end(self._reason(board), is_last=is_last)

    async def clear(self) -> None:
        """Tell the opponent that what comes next is another game: one that is on is ended without a result."""
        with self._to_itself():
            await self._leave()

    def stop(self) -> None:
        """Does nothing: an opponent cannot be hurried in this protocol."""

    def _catch_up(self, board: Board) -> bool:
        """Whether ``board`` is of the game that is on, or that the opponent has ended; tells it the move that is new."""
        start, before = self._origin
        moves = tuple(board.moves)
        known = self.talk.board
        if known is None or self._failure is not None:
            return False
        played = (*before, *known.moves)
        if self._has_unread_move:  # of a search that was broken off
            played = played[:-1]
        if board.start_fen != start or moves[: len(played)] != played or len(moves) > len(played) + 1:
            return False
        if self.talk.phase is not Phase.PLAYING:
            return self._said_end is not None
        if len(moves) > len(played):
            if not self.talk.is_our_turn or self._has_unread_move:
                return False
            self.move(moves[-1], time.monotonic() - self._turn_since)
        return True

    async def _begin(self, board: Board) -> None:
        await self._leave()
        self._origin = (board.start_fen, tuple(board.moves))
        if not self.follows:
            await self.ask(board, board.turn)
            return
        while True:
            request = await self.asked(self._start_timeout)
            if request.board().position == board.position and request.follower is board.turn.opponent:
                self.answer()
                return
            self.answer(Answer.NOT_THIS_GAME)

    async def _leave(self) -> None:
        if self.talk.phase is Phase.PLAYING and self._failure is None:
            await self.end()

    def _reason(self, board: Board) -> Reason:
        outcome = board.outcome()
        if outcome is None:
            return Reason.UNKNOWN
        if outcome.winner is None:
            return Reason.DRAW
        return Reason.I_WIN if outcome.winner is self.talk.ours else Reason.I_LOSE

    def _expect_official(self, board: Board) -> None:
        if board.rules.name != "official":
            raise EngineError(
                "DamExchange is for the official rules, not for the rule set {rules}", rules=board.rules.name
            )

    @contextlib.contextmanager
    def _to_itself(self) -> Generator[None]:
        if self._is_busy:
            raise EngineError("this engine is searching already; use one engine for each search at a time")
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False


def _why(error: OSError) -> str:
    """What the system says is wrong, without the addresses that are named already."""
    if error.errno is None or isinstance(error, socket.gaierror):
        return error.strerror or str(error)
    return os.strerror(error.errno)


class DxpEngine:
    """:class:`AsyncDxpEngine` for code without an event loop; takes the same arguments. Has a thread of its own.

    >>> from damier import Board
    >>> from damier.engine import Limit
    >>> try:
    ...     with DxpEngine("127.0.0.1", 1) as engine:
    ...         engine.search(Board(), Limit(time=1))
    ... except DxpError as error:
    ...     print(error.code)
    not_connected
    """

    def __init__(self, host: str = "127.0.0.1", port: int = PORT, **options: Any) -> None:
        self._engine = AsyncDxpEngine(host, port, **options)
        self._loop = OwnLoop("dxp-engine")

    def __enter__(self) -> DxpEngine:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._engine.host!r}, {self._engine.port})"

    @property
    def name(self) -> str:
        """What the opponent calls itself; empty before it has said so."""
        return self._engine.name

    def listen(self) -> int:
        """As :meth:`AsyncDxpEngine.listen`."""
        return self._loop.run(self._engine.listen())

    def start(self) -> None:
        """As :meth:`AsyncDxpEngine.start`."""
        self._loop.run(self._engine.start())

    def search(
        self, board: Board, limit: Limit, on_info: Callable[[SearchResult], object] | None = None
    ) -> SearchResult:
        """As :meth:`AsyncDxpEngine.search`."""
        return self._loop.run(self._engine.search(board, limit, on_info))

    def finish(self, board: Board, *, is_last: bool = False) -> GameEnd | None:
        """As :meth:`AsyncDxpEngine.finish`."""
        return self._loop.run(self._engine.finish(board, is_last=is_last))

    def clear(self) -> None:
        """As :meth:`AsyncDxpEngine.clear`."""
        self._loop.run(self._engine.clear())

    def stop(self) -> None:
        """Does nothing: an opponent cannot be hurried in this protocol."""

    def close(self) -> None:
        """End the connection, and the thread. Nothing can follow; closing twice does no harm."""
        self._loop.close(self._engine.close)
