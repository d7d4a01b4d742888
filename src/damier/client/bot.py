"""A bot: accepts challenges and plays its games with an engine."""

from __future__ import annotations

import asyncio
import logging
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from damier.client.client import ChallengeMade, GameStarted
from damier.client.errors import ClubError
from damier.clock import TimeControl
from damier.engine.hub import HubEngineError
from damier.engine.limits import Limit
from damier.engine.score import Score

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from damier import Board
    from damier.client.client import Challenge, Client
    from damier.client.table import GameState, Table
    from damier.engine.engine import SearchResult

__all__ = ["Bot", "Policy", "Thinker"]

WAY_SECONDS: Final = 0.5
"""What is left on the clock for the way of a move to the club."""
UNHURRIED_SECONDS: Final = 10.0
"""Thinking time where no clock runs, or one of days."""
REMATCH_SECONDS: Final = 30.0
"""For how long the board is kept after a game, for another one."""

log = logging.getLogger(__name__)


class Thinker(Protocol):
    """What finds moves: :class:`damier.engine.AsyncHubEngine`, or what searches as it does."""

    async def search(self, board: Board, limit: Limit) -> SearchResult: ...


@dataclass(frozen=True, slots=True)
class Policy:
    """Which challenges a bot takes. ``shortest``: the least seconds on a clock at the start; ``most``: games at once.

    >>> Policy(rules=frozenset({"official"})).refusal("club", "300+3", rated=False, playing=0)
    'other_rules'
    >>> Policy(rules=frozenset({"official"})).refusal("official", "300+3", rated=False, playing=0)
    """

    rules: frozenset[str] = field(default=frozenset({"official", "club", "leaflet", "classic"}))
    shortest: float = 10.0
    most: int = 4

    def refusal(self, rules: str, clock: str, *, rated: bool, playing: int) -> str | None:
        """None for a challenge to be taken, else the club's phrase to decline it with."""
        control = TimeControl.from_pdn(clock)
        if rules not in self.rules:
            return "other_rules"
        if rated:
            return "casual_please"
        if control and not control.days and control.initial < self.shortest:
            return "too_fast"
        return "later" if playing >= self.most else None


class Bot:
    """Plays at a club for as long as :meth:`run` runs.

    ``engine``: makes an engine for a rule set, one for each game. ``seconds``: for each move at most; None: as the clock
    allows. ``tell``: is called with a line of text for each thing that happens.
    """

    def __init__(
        self,
        club: Client,
        engine: Callable[[str], AbstractAsyncContextManager[Thinker]],
        policy: Policy | None = None,
        *,
        seconds: float | None = None,
        tell: Callable[[str], object] = log.info,
    ) -> None:
        self._club = club
        self._engine = engine
        self._policy = policy or Policy()
        self._seconds = seconds
        self._tell = tell
        self._playing: dict[str, asyncio.Task[None]] = {}

    async def run(self, games: float = math.inf) -> None:
        """Play, until so many games are over. Raises what the club refuses, such as a token that it does not know."""
        account = await self._club.account()
        if account.kind != "bot":
            raise ClubError("no_bot", "this account is not a bot's; make it one first")
        left = games
        news = asyncio.create_task(self._hear())
        self._ended = asyncio.Event()
        try:
            while left > 0:
                ended = asyncio.create_task(self._ended.wait())
                await asyncio.wait((news, ended), return_when=asyncio.FIRST_COMPLETED)
                ended.cancel()
                if news.done():
                    news.result()
                    return
                self._ended.clear()
                for game_id, task in list(self._playing.items()):
                    if task.done():
                        del self._playing[game_id]
                        left -= 1
        finally:
            news.cancel()
            for task in self._playing.values():
                task.cancel()
            await asyncio.gather(news, *self._playing.values(), return_exceptions=True)

    async def _hear(self) -> None:
        async for event in self._club.events():
            if isinstance(event, GameStarted):
                if event.game not in self._playing:
                    task = self._playing[event.game] = asyncio.create_task(self._play(event.game))
                    task.add_done_callback(lambda _: self._ended.set())
            elif isinstance(event, ChallengeMade):
                await self._answer(event.challenge)

    async def _answer(self, challenge: Challenge) -> None:
        if not challenge.incoming:
            return
        name = challenge.challenger.name
        refusal = self._policy.refusal(
            challenge.rules, challenge.clock, rated=challenge.rated, playing=len(self._playing)
        )
        try:
            if refusal is None:
                await self._club.accept_challenge(challenge.id)
                self._tell(f"accepted {name}: {challenge.rules}, {challenge.clock}")
            else:
                await self._club.decline_challenge(challenge.id, refusal)
                self._tell(f"declined {name}: {refusal.replace('_', ' ')}")
        except ClubError as error:  # withdrawn in the meantime
            self._tell(f"{name}: {error}")

    async def _play(self, game_id: str) -> None:
        try:
            async with self._club.join(game_id) as table:
                self._tell(f"{game_id}: {table.game.white.name} – {table.game.black.name}, {table.game.control}")
                try:
                    async with self._engine(table.game.rules) as engine:
                        await self._to_the_end(table, engine)
                except HubEngineError as error:
                    self._tell(f"{game_id}: {error}")
                    if not table.game.is_over:
                        await table.resign()
                self._tell(f"{game_id}: {table.game.score} ({table.game.reason})")
        except ClubError as error:
            self._tell(f"{game_id}: {error}")
        except Exception:
            log.exception("Game %s cannot be played", game_id)

    async def _to_the_end(self, table: Table, engine: Thinker) -> None:
        """Make every move that is ours, and answer what is asked."""
        score: Score | None = None
        async for game in table:
            if game.is_over:
                return
            try:
                await self._answer_offers(table, game, score)
                if game.your_turn:
                    found = await engine.search(game.board, self._limit(game))
                    score = found.score
                    # the game may have ended, or a move been taken back, meanwhile
                    if not table.game.is_over and table.game.board.moves == game.board.moves:
                        await table.move(found.best)
            except ClubError as error:
                self._tell(f"{game.id}: {error}")

    async def _answer_offers(self, table: Table, game: GameState, score: Score | None) -> None:
        if game.you is None:
            return
        if game.draw_offer is game.you.opponent:
            # not while it believes to be better
            if score is not None and score <= Score.centi(0):
                await table.accept_draw()
            else:
                await table.decline_draw()
        if game.take_back_offer is game.you.opponent:
            await table.decline_take_back()

    def _limit(self, game: GameState) -> Limit:
        most = self._seconds or math.inf
        if game.clocks is None or game.you is None or game.speed == "correspondence":
            return Limit(time=min(UNHURRIED_SECONDS, most))
        left = max(0.0, game.clocks.left(game.you) - WAY_SECONDS)
        clock = Limit.clock(left, _increment(game.control))
        return replace(clock, time=min(clock.time or most, most))


def _increment(control: str) -> int:
    """
    >>> _increment("5+3"), _increment("1½+2"), _increment("∞")
    (3, 2, 0)
    """
    text = control.rpartition("+")[2]
    return int(text) if "+" in control and text.isdecimal() else 0
