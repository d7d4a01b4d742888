"""The books of the ratings: which games are rated, and what each of them made of the ratings of its players.

Whether a game is rated is decided in the transaction in which the two agree on it, so that no more games of the same
two are begun in a day than may be rated. When it is over, one transaction settles it, and only one: whoever finds it
settled leaves it so. Any process may do it; what one that died has left over is settled by another.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import and_, func, insert, select, text, update

from damier.server.annulment import KEPT, Known, beside_others_in_pool, columns, rate
from damier.server.database import insert_if_missing
from damier.server.play.messages import RatedView, RatingView
from damier.server.ratings import (
    PROVISIONAL_ABOVE,
    RATED_RULES,
    RATED_SPEEDS,
    NotRated,
    Pool,
    Rating,
    can_be_rated,
)
from damier.server.tables import game, person, rated_game, rating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.clock import TimeControl
    from damier.game import Game
    from damier.server.bus import Bus
    from damier.server.play.service import Play

DAY: Final = 86_400.0
LOOK_SECONDS: Final = 60.0
"""Between two looks for games that are over and not settled."""
MOST_AT_ONCE: Final = 1000
SCORES: Final = {"2-0": 1.0, "1-1": 0.5, "0-2": 0.0}
"""White's score by that of the game."""

log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Begun:
    """A game that is to begin, and that both want to be rated."""

    game: str
    rules: str
    control: TimeControl
    white: str
    black: str

    @property
    def pair(self) -> frozenset[str]:
        return frozenset((self.white, self.black))


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of somebody in a pool: the rating as it is now, after so many games, the last of them ``at`` a
    moment."""

    rating: Rating
    games: int
    at: float


@dataclass(frozen=True, slots=True)
class Change:
    """What a game made of a rating, and of its deviation."""

    before: float
    deviation_before: float
    after: float
    deviation_after: float

    @property
    def points(self) -> int:
        """The difference between the ratings as they are shown.

        >>> Change(1499.6, 60, 1507.4, 60).points
        7
        """
        return round(self.after) - round(self.before)

    def view(self) -> RatingView:
        """The same for the page of the game."""
        return RatingView(round(self.after), provisional=self.deviation_after > PROVISIONAL_ABOVE, change=self.points)


@dataclass(frozen=True, slots=True)
class Standing:
    """How it is with the rating of a game: ``is_rated``, or why not, if it was meant to be; once over the changes."""

    is_rated: bool = False
    reason: NotRated | None = None
    white: Change | None = None
    black: Change | None = None

    def view(self) -> RatedView:
        """The same for the page of the game, without the reason, which is in a language."""
        white, black = (None if each is None else each.view() for each in (self.white, self.black))
        return RatedView(is_rated=self.is_rated, white=white, black=black)


CASUAL: Final = Standing()
"""Of a game that has nothing to do with ratings."""


class RatingBook:
    """The ratings of a club's members. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, bus: Bus, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._bus = bus
        self._now = now
        self._settling: set[asyncio.Task[None]] = set()

    # --- Reading ---------------------------------------------------------------------------------------------------

    async def of(self, person_ids: Iterable[str], pool: Pool) -> dict[str, Rating]:
        """The present ratings of those of these people who have played rated games in a pool."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(rating).where(
                    rating.c.person.in_(set(person_ids)),
                    rating.c.rules == pool.rules,
                    rating.c.speed == pool.speed,
                    rating.c.games > 0,
                )
            )
            return {row["person"]: self._record(row).rating for row in rows.mappings()}

    async def all_of(self, person_id: str) -> dict[Pool, Record]:
        """What is known of somebody in every pool in which that is anything."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(rating).where(rating.c.person == person_id, rating.c.games > 0))
            return {
                Pool(row["rules"], row["speed"]): self._record(row)
                for row in rows.mappings()
                if row["rules"] in RATED_RULES and row["speed"] in RATED_SPEEDS
            }

    def _record(self, row: RowMapping) -> Record:
        return Record(_rating(row).after(self._now() - row["at"]), row["games"], row["at"])

    async def standing(self, game_id: str) -> Standing:
        """How it is with the rating of a game."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(rated_game).where(rated_game.c.game == game_id))
            row = rows.mappings().one_or_none()
        return CASUAL if row is None else _standing(row)

    async def shown(self, game_id: str, game: Game) -> tuple[RatedView, NotRated | None]:
        """The ratings that the page of a game shows, and why it is casual if both wanted it to be rated."""
        pool, standing = Pool.of(game.origin.rules, game.origin.clock), await self.standing(game_id)
        players = [game.origin.white, game.origin.black]
        if standing.white is not None or pool is None or any(each.is_computer for each in players):
            return standing.view(), standing.reason
        known = await self.of([each.id for each in players if each.id is not None], pool)
        ratings = [known.get(each.id or "", Rating() if standing.is_rated else None) for each in players]
        white, black = (None if each is None else _rating_view(each) for each in ratings)
        return RatedView(is_rated=standing.is_rated, white=white, black=black), standing.reason

    # --- Beginning -------------------------------------------------------------------------------------------------

    async def begin(self, connection: AsyncConnection, games: Sequence[Begun]) -> dict[str, NotRated | None]:
        """Enter games that are to be rated, in the transaction in which they are agreed on.

        Returns for each, by its id, None, or why it is casual after all.
        """
        if not games:
            return {}
        people = {each for begun in games for each in begun.pair}
        rows = await connection.execute(select(person.c.id, person.c.kind).where(person.c.id.in_(people)))
        kinds: dict[str, str] = {row.id: row.kind for row in rows}
        await _alone_with(connection, {begun.pair for begun in games})
        now = self._now()
        today = await self._today(connection, people, now)
        reasons: dict[str, NotRated | None] = {}
        entered: list[dict[str, object]] = []
        for begun in games:
            members = {each: each for each in begun.pair if kinds.get(each) in ("member", "bot")}
            reason = can_be_rated(
                rules=begun.rules,
                control=begun.control,
                white_member=members.get(begun.white),
                black_member=members.get(begun.black),
                rated_today=today[begun.pair],
            )
            if reason is None and "bot" in (kinds[begun.white], kinds[begun.black]):
                reason = NotRated.BOT
            reasons[begun.game] = reason
            pool = Pool.of(begun.rules, begun.control)
            if pool is None or reason not in (None, NotRated.TOO_MANY):
                continue
            today[begun.pair] += reason is None
            entered.append(
                {
                    "game": begun.game,
                    "rules": pool.rules,
                    "speed": pool.speed,
                    "white": begun.white,
                    "black": begun.black,
                    "begun": now,
                    "state": "playing" if reason is None else "void",
                }
            )
        if entered:
            await connection.execute(insert(rated_game), entered)
        return reasons

    @staticmethod
    async def _today(connection: AsyncConnection, people: set[str], now: float) -> Counter[frozenset[str]]:
        """How many rated games those who play each other have begun within a day."""
        rows = await connection.execute(
            select(rated_game.c.white, rated_game.c.black).where(
                rated_game.c.white.in_(people),
                rated_game.c.black.in_(people),
                rated_game.c.begun > now - DAY,
                rated_game.c.state != "void",
            )
        )
        return Counter(frozenset((row.white, row.black)) for row in rows)

    # --- Settling --------------------------------------------------------------------------------------------------

    def watch(self, play: Play) -> None:
        """Settle the games that end before this process's eyes. To be called once."""
        play.on_event(self._event_came)

    def _event_came(self, game_id: str, before: Game | None, present: Game) -> None:
        ended = present.result is not None and (before is None or before.result is None)
        if ended and not (present.origin.white.is_computer or present.origin.black.is_computer):
            task = asyncio.create_task(self._settle_quietly(game_id))
            self._settling.add(task)
            task.add_done_callback(self._settling.discard)

    async def _settle_quietly(self, game_id: str) -> None:
        try:
            await self.settle(game_id)
        except Exception:
            log.exception("Game %s could not be rated; it will be tried again", game_id)

    async def settle(self, game_id: str) -> Standing | None:
        """Rate a game that is over, or strike it off if it was broken off; None if there was nothing to do."""
        async with self._engine.begin() as connection:
            # whoever settles the same game at the same moment waits here, and then finds it settled
            rows = await connection.execute(select(rated_game).where(rated_game.c.game == game_id).with_for_update())
            row = rows.mappings().one_or_none()
            if row is None or row["state"] != "playing":
                return None
            ended = (
                await connection.execute(select(game.c.score, game.c.changed).where(game.c.id == game_id))
            ).one_or_none()
            if ended is None or ended.score is None:
                return None
            values: dict[str, object] = {"state": "void", "at": ended.changed}
            if ended.score in SCORES:
                values = await self._rate(connection, row, SCORES[ended.score], ended.changed)
            await connection.execute(update(rated_game).where(rated_game.c.game == game_id).values(**values))
        settled = _standing({**row, **values})
        await self._bus.publish(f"room:{game_id}", _encode(settled.view()))
        return settled

    @staticmethod
    async def _rate(connection: AsyncConnection, row: RowMapping, score: float, at: float) -> dict[str, object]:
        """Change the ratings of the two who have played; returns what the game's row says of that."""
        sides = {"white": row["white"], "black": row["black"]}
        players = sorted(sides.values())
        await beside_others_in_pool(connection, row["rules"], row["speed"])
        found = await connection.execute(select(person.c.id).where(person.c.id.in_(players), person.c.kind.in_(KEPT)))
        there = set(found.scalars())
        # in one order everywhere, so that of two games of the same people neither waits for the other for ever
        pool = {"rules": row["rules"], "speed": row["speed"]}
        for each in players:
            if each in there:
                await connection.execute(
                    insert_if_missing(connection, rating, person=each, **pool, **columns(Known(at=at)))
                )
        held = and_(rating.c.person.in_(players), rating.c.rules == row["rules"], rating.c.speed == row["speed"])
        locked = await connection.execute(select(rating).where(held).order_by(rating.c.person).with_for_update())
        known = {each["person"]: Known(_rating(each), each["games"], each["at"]) for each in locked.mappings().all()}
        rated = rate({side: known.get(each) for side, each in sides.items()}, score, at)
        for side, own in rated.after.items():
            await connection.execute(update(rating).where(held, rating.c.person == sides[side]).values(**columns(own)))
        # after the rows of both are locked: no game of either that is rated before has a later turn
        last = await connection.execute(
            select(func.max(rated_game.c.turn)).where(
                rated_game.c.rules == row["rules"], rated_game.c.speed == row["speed"]
            )
        )
        return {**rated.values, "turn": (last.scalar_one() or 0) + 1}

    async def tell(self, game_id: str) -> None:
        """Let the pages of a game show anew whether it is rated: it has been annulled, or is so no longer."""
        standing = await self.standing(game_id)
        await self._bus.publish(f"room:{game_id}", _encode(standing.view()))

    async def settle_what_is_left(self) -> int:
        """Settle the games that are over and that nobody has settled, in the order in which they ended; how many."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(rated_game.c.game)
                .join(game, game.c.id == rated_game.c.game)
                .where(rated_game.c.state == "playing", game.c.score.is_not(None))
                .order_by(game.c.changed)
                .limit(MOST_AT_ONCE)
            )
            left = list(rows.scalars())
        for game_id in left:
            await self._settle_quietly(game_id)
        return len(left)

    async def run(self) -> None:
        """Settle what is left over, at the start and then once a minute. Runs until it is cancelled."""
        while True:
            try:
                await self.settle_what_is_left()
            except Exception:
                log.exception("What has been played could not be looked through")
            await asyncio.sleep(LOOK_SECONDS)

    async def close(self) -> None:
        """Let what is being settled come to its end."""
        await asyncio.gather(*self._settling, return_exceptions=True)


async def _alone_with(connection: AsyncConnection, pairs: Iterable[frozenset[str]]) -> None:
    """Let nobody else begin a rated game between the same two before this transaction has ended."""
    if connection.dialect.name != "postgresql":  # in SQLite one transaction writes at a time
        return
    names = (" ".join(("rated", *sorted(pair))) for pair in pairs)
    keys = sorted({int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True) for name in names})
    locks = text("SELECT count(pg_advisory_xact_lock(key)) FROM unnest(CAST(:keys AS bigint[])) AS key")
    await connection.execute(locks, {"keys": keys})


def _rating(row: RowMapping) -> Rating:
    return Rating(row["value"], row["deviation"], row["volatility"])


def _rating_view(rating: Rating) -> RatingView:
    return RatingView(round(rating.value), provisional=rating.is_provisional)


def _standing(row: RowMapping | dict[Any, Any]) -> Standing:
    if row["state"] == "void":
        return Standing(reason=NotRated.TOO_MANY if row["at"] is None else NotRated.ABORTED)
    if row["state"] == "annulled":
        return Standing(reason=NotRated.ANNULLED)
    if row["state"] == "playing":
        return Standing(is_rated=True)
    return Standing(is_rated=True, white=_change(row, "white"), black=_change(row, "black"))


def _change(row: RowMapping | dict[Any, Any], side: str) -> Change:
    names = ("before", "deviation_before", "after", "deviation_after")
    return Change(*(float(row[f"{side}_{name}"] or 0.0) for name in names))
