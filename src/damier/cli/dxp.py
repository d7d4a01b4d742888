"""``damier dxp``: plays games with another program in DamExchange."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from damier import Board, Color
from damier.cli.options import PlayFirst, Ply, PositionArgument, Which
from damier.cli.screen import counted, standing
from damier.cli.status import DONE, USAGE, Failure, shown
from damier.errors import DamierError

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier import Move
    from damier.engine import AsyncDxpEngine, Limit
    from damier.engine.dxp_player import DxpGame

__all__ = ["dxp"]

_SECONDS_A_MOVE = 2.0
"""Where neither the game nor the command line limits the time."""
_LONGEST_IDLE = 600.0
"""Seconds for which who has come here may ask for nothing, while others are turned away."""


def dxp(
    position: PositionArgument = "",
    game: Which = None,
    ply: Ply = None,
    after: PlayFirst = "",
    connect: Annotated[
        str | None, typer.Option(metavar="HOST", help="Go to a program that listens there.", show_default="nowhere")
    ] = None,
    listen: Annotated[bool, typer.Option("--listen", help="Wait for programs that come here, one at a time.")] = False,
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 lets other machines come too.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port there; 0 listens at any that is free.")] = 27531,
    initiate: Annotated[
        bool | None,
        typer.Option(
            "--initiate/--follow",
            help="Ask for the games, or take those that the other asks for.",
            show_default="--follow with --listen, else --initiate",
        ),
    ] = None,
    color: Annotated[
        Literal["white", "black", "alternate"],
        typer.Option("--color", "-c", help="The side that the engine plays, or white and black by turns."),
    ] = "white",
    minutes: Annotated[int, typer.Option(min=0, max=999, help="What each player has for a game; 0 for no limit.")] = 5,
    moves: Annotated[
        int, typer.Option(min=0, max=999, help="The game ends after so many moves of each player; 0 for no limit.")
    ] = 0,
    games: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Stop after so many games.", show_default="1, or never with --follow"),
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", "-l", min=1, max=10, help="The engine's strength.", show_default="full")
    ] = None,
    move_time: Annotated[
        float | None,
        typer.Option(
            min=0.01, metavar="SECONDS", help="Think no longer about a move.", show_default="as the minutes allow"
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="What the engine calls itself; 32 letters.", show_default="Damier and its version"),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, metavar="SECONDS", help="How long the other may take to answer, beyond its minutes."),
    ] = 30.0,
    save: Annotated[
        Path | None, typer.Option("--save", "-s", metavar="FILE", help="Add the games to this file, as PDN.")
    ] = None,
) -> int:
    """Play with another program in the DamExchange protocol (DXP).

    Color, minutes, moves and the position are of the games that this side asks for. Ctrl+C ends it.
    """
    from importlib.metadata import version

    from damier.cli.inputs import position_from
    from damier.engine import AsyncDxpEngine
    from damier.notation.dxp import LONGEST_NAME, plain

    if listen == (connect is not None):
        raise Failure("say one of --listen and --connect HOST", USAGE)
    follows = listen if initiate is None else not initiate
    board = position_from(position, game=game, ply=ply, after=after, rules="official").board
    if not follows and board.outcome() is not None:
        raise Failure("the game is over in this position: there is nothing to play", USAGE)
    name = plain(name or f"Damier {version('damier')}", LONGEST_NAME)
    if save is not None:
        with save.open("a", encoding="utf-8"):
            pass  # that it cannot be written is better known before the games
    table = _Table(name, board, color, games if follows else games or 1, follows, _Mind(level, move_time), save)

    def opponent(port: int = port) -> AsyncDxpEngine:
        return AsyncDxpEngine(
            connect or host,
            port,
            listen=listen,
            follow=follows,
            name=name,
            minutes=minutes,
            moves=moves,
            start_timeout=None if listen else timeout,
            timeout=timeout,
            on_chat=lambda words: _tell(f"the opponent says: {words}"),
        )

    async def work() -> None:
        working = asyncio.ensure_future(table.receive(opponent, port) if listen else table.visit(opponent()))
        loop = asyncio.get_running_loop()

        def stop(_number: int, _frame: object) -> None:
            loop.call_soon_threadsafe(working.cancel)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        try:
            await working
        except asyncio.CancelledError:
            _tell("stopped")

    asyncio.run(work())
    return DONE


def _tell(line: str) -> None:
    print(shown(line), flush=True)


class _Mind:
    """What finds our moves: the engine, in a thread."""

    def __init__(self, level: int | None, seconds: float | None) -> None:
        from damier.engine import Engine

        self._engine = Engine()
        self._level, self._seconds = level, seconds

    async def think(self, board: Board, clock: Limit | None) -> Move:
        finding = asyncio.get_running_loop().run_in_executor(None, self._find, board, clock)
        try:
            return await asyncio.shield(finding)
        finally:
            while not finding.done():  # it may not have begun yet
                self._engine.stop()
                await asyncio.sleep(0.01)

    def _find(self, board: Board, clock: Limit | None) -> Move:
        from damier.engine import Limit, choose

        legal = board.legal_moves
        if len(legal) == 1:
            return legal[0]
        if self._seconds is not None:
            most = min(self._seconds, math.inf if clock is None or clock.time is None else clock.time)
            clock = Limit(time=most) if clock is None else replace(clock, time=most)
        if self._level is not None:
            return choose(self._engine, board, self._level, clock=clock)
        return self._engine.search(board, clock or Limit(time=_SECONDS_A_MOVE)).best

    def forget(self) -> None:
        """What comes next is another game."""
        self._engine.clear()


class _Table:
    """Where the games are played, one after the other, and told."""

    def __init__(
        self, name: str, board: Board, color: str, games: int | None, follows: bool, mind: _Mind, save: Path | None
    ) -> None:
        self._name, self._board, self._color, self._games = name, board, color, games
        self._follows, self._mind, self._save = follows, mind, save
        self._played = 0
        self._game: DxpGame | None = None

    @property
    def _is_done(self) -> bool:
        return self._games is not None and self._played >= self._games

    async def receive(self, opponent: Callable[[int], AsyncDxpEngine], port: int) -> None:
        """Play with those who come, until the games are played."""
        from damier.engine import DxpError

        while not self._is_done:
            engine = opponent(port)
            port = await engine.listen()
            _tell(f"listening on {engine.host}:{port}")
            try:
                await self.visit(engine)
            except DxpError as error:
                print(f"damier: {shown(str(error))}", file=sys.stderr, flush=True)

    async def visit(self, engine: AsyncDxpEngine) -> None:
        """Play with one, until the games are played or it wants no other."""
        async with engine:
            _tell("connected")
            while not self._is_done and await self._agree(engine):
                await self._play(engine)
            _tell("the connection is closed")

    async def _agree(self, engine: AsyncDxpEngine) -> bool:
        """Begin a game; False if there is to be no other."""
        from damier.engine import DxpError

        if not self._follows:
            if engine.talk.is_last:
                _tell("the opponent wants no other game")
                return False
            is_white = self._color == "white" or (self._color == "alternate" and self._played % 2 == 0)
            await engine.ask(self._board, Color.BLACK if is_white else Color.WHITE)
            return True
        try:
            await engine.asked(_LONGEST_IDLE if engine.listens else None)
        except DxpError as error:
            if error.code in ("gone", "no_more"):  # between games: all is said
                return False
            raise
        engine.answer()
        return True

    async def _play(self, engine: AsyncDxpEngine) -> None:
        from damier.engine.dxp_player import play

        self._mind.forget()
        self._game = None
        is_last = self._games is not None and self._played + 1 >= self._games
        try:
            await play(engine, self._mind.think, is_last=is_last, on_begin=self._begun, on_move=self._moved)
        except asyncio.CancelledError:
            self._ended("stopped")
            raise
        except DamierError as error:
            self._ended(str(error))
            raise
        self._ended()

    def _begun(self, game: DxpGame) -> None:
        self._game = game
        self._played += 1
        white, black = self._names(game)
        terms = counted(game.minutes, "minute") if game.minutes else "no limit of time"
        if game.moves:
            terms += f", {counted(game.moves, 'move')}"
        _tell(f"game {self._played}: {white} (White) against {black} (Black), {terms}, from {game.board.fen()}")

    def _moved(self, game: DxpGame) -> None:
        board = game.board.copy()
        move = board.pop()
        first = Board(board.start_fen)
        number = (board.ply + (first.turn is Color.BLACK)) // 2 + 1
        dots = "." if board.turn is Color.WHITE else "..."
        _tell(f"{number:3}{dots} {board.notation(move)}  ({game.seconds[-1]:.1f} s)")

    def _ended(self, broken_off: str = "") -> None:
        game = self._game
        if game is None:
            return
        game.remark = game.remark or broken_off
        over = standing(game.board) if game.board.outcome() is not None else ""
        what = "; ".join(part for part in (over, game.remark) if part)
        _tell(f"game {self._played}: {game.result} after {counted(game.board.ply, 'single move')}: {what}")
        if self._save is not None:
            with self._save.open("a", encoding="utf-8") as file:
                file.write(self._pdn(game) + "\n")
        self._game = None

    def _names(self, game: DxpGame) -> tuple[str, str]:
        names = (self._name, shown(game.opponent) or "?")
        return names if game.ours is Color.WHITE else (names[1], names[0])

    def _pdn(self, game: DxpGame) -> str:
        from damier.notation.pdn import PdnGame, write

        white, black = self._names(game)
        tags = {
            "Event": "DamExchange",
            "Date": f"{date.today():%Y.%m.%d}",
            "Round": str(self._played),
            "White": white,
            "Black": black,
            "Result": game.result,
            "GameType": "20",
        }
        if game.minutes:
            tags["TimeControl"] = str(game.minutes * 60)
        if game.remark:
            tags["Termination"] = shown(game.remark)
        written = PdnGame(tags, Board(game.board.start_fen))
        node = written.root
        for move, seconds in zip(game.board.moves, game.seconds, strict=False):
            node = node.add_variation(move)
            node.elapsed = round(seconds, 1) or None
        return write(written)
