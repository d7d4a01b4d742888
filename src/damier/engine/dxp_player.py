"""Plays whole games in DamExchange, with whatever finds moves, and tells how they went."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from damier.board import Board, Color
from damier.engine.dxp_talk import Phase
from damier.engine.limits import Limit
from damier.notation.dxp import DxpMove, GameEnd, Reason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from damier._kernel import Move
    from damier.board import Outcome
    from damier.engine.dxp import AsyncDxpEngine

__all__ = ["DxpGame", "Think", "play", "verdict"]

Think: TypeAlias = "Callable[[Board, Limit | None], Awaitable[Move]]"
"""Finds a move, within what the clock allows where the game has minutes; cancelled when the game ends meanwhile."""


@dataclass(slots=True)
class DxpGame:
    """A game, which goes on as long as ``result`` is ``"*"`` and it is being played.

    ``ours``: the side that this side plays. ``minutes`` and ``moves``: of the request. ``seconds``: what each move took,
    the opponent's as it says. ``remark``: where the two sides do not say the same of the end, or why there is none.
    """

    ours: Color
    opponent: str
    minutes: int
    moves: int
    board: Board
    seconds: list[float] = field(default_factory=list[float])
    result: str = "*"
    remark: str = ""


async def play(
    engine: AsyncDxpEngine,
    think: Think,
    *,
    is_last: bool = False,
    on_begin: Callable[[DxpGame], object] = lambda _: None,
    on_move: Callable[[DxpGame], object] = lambda _: None,
) -> DxpGame:
    """Play the game that has just been agreed on, to its end. ``is_last``: whether no other is to follow.

    A game that our rules call drawn and that the opponent plays on is ended at the next turn; that the opponent has
    ended a game is accepted at any time. ``on_begin`` and ``on_move`` are called with the game as it then stands, which
    is all that there is of it when :class:`~damier.engine.DxpError` or what ``think`` raises comes out.
    """
    talk = engine.talk
    request = talk.request
    if request is None:
        raise ValueError("there is no game to play; ask for one or accept one first")
    # the board of the conversation may be ahead, by what has arrived and is not looked at yet
    game = DxpGame(talk.ours, talk.other, request.minutes, request.moves, request.board())
    on_begin(game)
    outcome: Outcome | None = None  # the first that there was
    spent = 0.0  # by this side
    while True:
        outcome = outcome or game.board.outcome()
        is_ours = game.board.turn is game.ours and talk.phase is Phase.PLAYING
        if is_ours and (outcome is not None or talk.moves_left == 0):
            game.result, _ = verdict(game.ours, outcome, Reason.UNKNOWN)  # whatever is answered, or not
            end = await engine.end(_reason(outcome, game.ours), is_last=is_last)
            break
        begin = time.monotonic()
        if is_ours:
            left = max(0.0, request.minutes * 60 - spent)
            clock = Limit.clock(left, moves=talk.moves_left) if request.minutes else None
            news = await _moved(engine, think, game.board, clock)
            spent += time.monotonic() - begin
        else:
            news = await engine.receive()
        if isinstance(news, GameEnd):
            end = news
            break
        game.board.push(news.move)
        game.seconds.append(time.monotonic() - begin if is_ours else float(news.seconds))
        on_move(game)
    game.result, game.remark = verdict(game.ours, outcome, end.reason)
    return game


async def _moved(engine: AsyncDxpEngine, think: Think, board: Board, clock: Limit | None) -> DxpMove | GameEnd:
    """Find a move and tell it; or what the opponent says is the end, if that comes before."""
    begin = time.monotonic()
    thinking = asyncio.ensure_future(think(board.copy(), clock))
    listening = asyncio.ensure_future(engine.receive())
    both = {thinking, listening}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if listening.done():
            return listening.result()  # an end: a move out of turn would have been an error
        move, passed = thinking.result(), time.monotonic() - begin
    finally:
        for task in both:
            task.cancel()
        await asyncio.wait(both)
    if engine.talk.phase is Phase.PLAYING:  # else the end has come just now
        engine.move(move, passed)
        return DxpMove(move, int(passed))
    return await engine.receive()


def _reason(outcome: Outcome | None, ours: Color) -> Reason:
    if outcome is None:
        return Reason.UNKNOWN
    if outcome.winner is None:
        return Reason.DRAW
    return Reason.I_WIN if outcome.winner is ours else Reason.I_LOSE


def verdict(side: Color, outcome: Outcome | None, said: Reason) -> tuple[str, str]:
    """The result of a game, as PDN writes it, and what is to be remarked on it.

    ``side`` is ours, ``outcome`` what the rules say, ``said`` what the opponent says. The rules come first.

    >>> verdict(Color.WHITE, None, Reason.I_LOSE)
    ('2-0', 'the opponent gives the game up')
    >>> from damier import Outcome
    >>> verdict(Color.WHITE, Outcome(None, "repetition"), Reason.I_WIN)
    ('1-1', 'the opponent says that it has won; by the rules the game is drawn (repetition)')
    """
    claims = {
        Reason.UNKNOWN: ("*", ""),
        Reason.I_LOSE: (_won(side), "that it has lost"),
        Reason.DRAW: ("1-1", "that the game is drawn"),
        Reason.I_WIN: (_won(side.opponent), "that it has won"),
    }
    claimed, words = claims[said]
    if outcome is None:
        if said is Reason.I_LOSE:
            return claimed, "the opponent gives the game up"
        return claimed, f"the opponent says {words}; by the rules the game is not over" if words else "no result"
    result = "1-1" if outcome.winner is None else _won(outcome.winner)
    if not words or claimed == result:
        return result, ""
    rule = outcome.rule.replace("_", " ")
    truth = "the game is drawn" if outcome.winner is None else f"{outcome.winner.name.capitalize()} has won"
    return result, f"the opponent says {words}; by the rules {truth} ({rule})"


def _won(winner: Color) -> str:
    return "2-0" if winner is Color.WHITE else "0-2"
