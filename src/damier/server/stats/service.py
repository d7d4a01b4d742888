"""Keeps the statistics as games end, each game once.

A game is counted in one transaction with its mark, a row of ``counted_game``: whoever finds the mark there leaves the
game alone. What a process that died has not counted, and what was played before there were statistics, is taken up in
batches, by whichever process comes to it. ``statistics_state.since`` says from where on that has to be looked for.

Locks, in this order everywhere: the state's row (shared by all who count; alone for who moves the 30 days on), the
people's rows (so that nobody goes, or becomes a bot, in the midst of it), the marks, the numbers. SQLite has one
writer at a time and needs none.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import and_, bindparam, delete, exists, func, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from damier.server.stats.changes import EVERY, MONTH_DAYS, TABLES, Changes, Known, number_columns
from damier.server.stats.facts import DAY_SECONDS, SCORES, Counted, day_of, read
from damier.server.tables import (
    counted_game,
    deed,
    game,
    person,
    person_count,
    person_day,
    person_opponent,
    rated_game,
    rating_day,
    statistics_state,
    tally,
    tally_day,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import RowMapping, Table
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.game import Game
    from damier.server.play.service import Play
    from damier.server.stats.facts import Rated

BATCH: Final = 100
"""Games that are counted in one transaction: so few that nobody's move waits long for it."""
ROWS: Final = 1000
"""Rows that go into one statement; the databases take some 32,000 values."""
GATHER_SECONDS: Final = 0.5
"""How long after a game's end it is counted, with those that end meanwhile; by then it is rated, too."""
LOOK_SECONDS: Final = 60.0
"""Between two looks for games that nobody has counted."""
REST_SECONDS: Final = 0.05
"""Between two batches of what is taken up, for the others."""
LATE_SECONDS: Final = 600.0
"""How much later than it ended a game may be kept, or how much clocks may differ."""
LATE_AT_START: Final = 86_400.0
LONGEST_WAIT: Final = 7 * 86_400.0
"""For how long a game that cannot be counted is looked at again."""
TRIES: Final = 5
LOOK_LOCK: Final = 0x64616D6965720005
"""PostgreSQL's advisory lock of the one process that takes up."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class Statistics:
    """The numbers of a club. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now
        self._ended: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._counting = asyncio.Lock()
        self._late = LATE_AT_START

    # --- Games that end --------------------------------------------------------------------------------------------

    def watch(self, play: Play) -> None:
        """Count the games that end before this process's eyes. To be called once."""
        play.on_event(self._event_came)

    def _event_came(self, game_id: str, before: Game | None, present: Game) -> None:
        result = present.result
        if result is not None and (before is None or before.result is None) and result.score in SCORES:
            self._ended[game_id] = None
            self._wake.set()

    async def run(self) -> None:
        """Count what ends, and look now and then for what was missed, until it is cancelled."""
        looked = -LOOK_SECONDS
        loop = asyncio.get_running_loop()
        settled = False
        while True:
            try:
                if not settled:
                    await self.take_up_deeds()
                    settled = True
                if loop.time() - looked >= LOOK_SECONDS:
                    looked = loop.time()
                    await self.move_on()
                    await self.take_up()
                await self.count_ended()
            except Exception:
                log.exception("What has been played could not be counted; it will be tried again")
            try:
                await asyncio.wait_for(self._wake.wait(), max(0.0, looked + LOOK_SECONDS - loop.time()))
            except TimeoutError:
                continue
            await asyncio.sleep(GATHER_SECONDS)

    async def count_ended(self) -> int:
        """Count the games that have ended before this process's eyes; how many."""
        self._wake.clear()
        counted = 0
        ended, self._ended = list(self._ended), {}
        for some in _batches(ended, BATCH):
            try:
                counted += await self.count(some)
            except BaseException:
                self._ended |= dict.fromkeys(ended)  # whatever was counted has its mark
                raise
        return counted

    async def take_up_deeds(self) -> None:
        """Count anew what moderators have annulled or put back lately: the process that did may have died over it."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(deed.c.subject)
                .where(
                    deed.c.what == "game",
                    deed.c.action.in_(("annul", "undo")),
                    deed.c.at > self._now() - DAY_SECONDS,
                )
                .distinct()
            )
            games = rows.scalars().all()
        for game_id in games:
            await self.recount(game_id)

    async def close(self) -> None:
        """Count what has ended; to be called when no more games are played."""
        try:
            await self.count_ended()
        except Exception:
            log.exception("What has been played could not be counted; the next start does it")

    # --- Counting --------------------------------------------------------------------------------------------------

    async def count(self, game_ids: Collection[str]) -> int:
        """Count those of these games that count and have not been counted; how many.

        A game that is over and waits for being rated is left to a later look.
        """
        # read beforehand: while this writes, no move can be kept in SQLite
        async with self._engine.connect() as connection:
            games, ratings = await read(connection, game_ids)
        if not games:
            return 0
        async with self._counting, self._engine.begin() as connection:
            today = await self._today(connection)
            return len(await enter(connection, today, await _known(connection, games), games, ratings))

    async def recount(self, game_id: str) -> None:
        """Count a game anew, as it stands: to be called when a rated game was annulled, or rated after all.

        Annulled is a game whose row of ``rated_game`` says neither "rated" nor "playing", with the moment ``at`` of
        that, although it was played to its end. What that made of other games' ratings is kept too.
        """
        for _ in range(TRIES):
            async with self._counting, self._engine.begin() as connection:
                if await self._recount(connection, game_id):
                    await _ratings_anew(connection, game_id)
                    return
        raise RuntimeError(f"game {game_id} is being counted again and again")

    async def _recount(self, connection: AsyncConnection, game_id: str) -> bool:
        """Returns False where another counted the game in this very moment."""
        today = await self._today(connection)
        rows = await connection.execute(select(counted_game).where(counted_game.c.game == game_id).with_for_update())
        row = rows.mappings().one_or_none()
        before = [] if row is None else [_of_row(row)]
        after, ratings = await read(connection, [game_id])
        known = await _known(connection, before + after)
        if before:
            await connection.execute(delete(counted_game).where(counted_game.c.game == game_id))
        if await _mark(connection, after) != after:
            return False
        changes = Changes(today, known)
        for each in before:
            changes.add(each, -1)
        for each in after:
            changes.add(each)
        await _write(connection, changes)
        await _keep_ratings(connection, known, after, ratings)
        for each in before:
            await _mend_ratings(connection, known, each)
        return True

    async def _today(self, connection: AsyncConnection) -> int:
        """The last of the 30 days; nobody moves them on before this transaction has ended."""
        found = await connection.execute(select(statistics_state.c.day).with_for_update(read=True))
        return found.scalar_one()

    # --- The 30 days -----------------------------------------------------------------------------------------------

    async def move_on(self) -> int:
        """Let the lists of 30 days end today: take out of them what is older. Returns how many days were dropped."""
        dropped = 0
        today = day_of(self._now())
        while await self._move_on_a_day(today):
            dropped += 1
        return dropped

    async def _move_on_a_day(self, today: int) -> bool:
        async with self._engine.begin() as connection:
            known = (await connection.execute(select(statistics_state.c.day).with_for_update())).scalar_one()
            if known >= today:  # a clock may have been set back
                return False
            oldest = (await connection.execute(select(func.min(tally_day.c.day)))).scalar_one_or_none()
            if oldest is None or oldest > today - MONTH_DAYS:
                await connection.execute(update(statistics_state).values(day=today))
                return False
            await _drop_day(connection, oldest)
            await connection.execute(update(statistics_state).values(day=max(known, oldest + MONTH_DAYS)))
        return True

    # --- What was missed -------------------------------------------------------------------------------------------

    async def take_up(self, batch: int = BATCH) -> int:
        """Count the games that are over and that nobody has counted, the oldest first; how many."""
        async with self._engine.connect() as connection:
            return await self._take_up(batch) if await _is_alone(connection) else 0

    async def _take_up(self, batch: int) -> int:
        began, counted = self._now(), 0
        async with self._engine.connect() as connection:
            since = (await connection.execute(select(statistics_state.c.since))).scalar_one()
        last, left = (since - self._late, ""), began - LATE_SECONDS
        while True:
            async with self._engine.connect() as connection:
                found = (await connection.execute(_uncounted(last, batch))).all()
            if not found:
                break
            done = await self.count([row.id for row in found])
            if done < len(found):
                left = min(left, found[0].changed)
            counted += done
            last = (found[-1].changed, found[-1].id)
            await asyncio.sleep(REST_SECONDS)
            if self._ended:
                await self.count_ended()
        until = max(left, began - LONGEST_WAIT)
        async with self._engine.begin() as connection:
            await connection.execute(
                update(statistics_state).where(statistics_state.c.since < until).values(since=until)
            )
        self._late = LATE_SECONDS
        return counted


def _uncounted(last: tuple[float, str], most: int) -> Any:
    """Asks for games that are over and not counted, from a moment and an id on, in the order in which they ended."""
    mark = exists().where(counted_game.c.game == game.c.id)
    after = or_(game.c.changed > last[0], and_(game.c.changed == last[0], game.c.id > last[1]))
    return (
        select(game.c.id, game.c.changed)
        .where(game.c.score.is_not(None), game.c.score.in_(SCORES), game.c.changed >= last[0], after, ~mark)
        .order_by(game.c.changed, game.c.id)
        .limit(most)
    )


async def enter(
    connection: AsyncConnection, today: int, known: Known, games: Sequence[Counted], ratings: Mapping[str, Rated]
) -> list[Counted]:
    """Count those of these games that have no mark yet; returns them. ``today``: the last of the 30 days."""
    new = await _mark(connection, games)
    if new:
        changes = Changes(today, known)
        for each in new:
            changes.add(each)
        await _write(connection, changes)
        await _keep_ratings(connection, known, new, ratings)
    return new


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


async def forget(connection: AsyncConnection, who: str, *, listed_only: bool = False) -> None:
    """Drop the numbers of somebody who is gone, in a transaction of the deletion of the account.

    The club's own and the opponents' numbers stay. ``listed_only``: of somebody who may not be in the lists any more,
    having become a bot.
    """
    await connection.execute(select(statistics_state.c.day).with_for_update(read=True))
    tables: tuple[Table, ...] = (tally, tally_day)
    if not listed_only:
        tables += (person_count, person_day, person_opponent, rating_day)
        await connection.execute(delete(person_opponent).where(person_opponent.c.opponent == who))
    for table in tables:
        await connection.execute(delete(table).where(table.c.person == who))


async def _is_alone(connection: AsyncConnection) -> bool:
    if connection.dialect.name != "postgresql":  # one process has the file
        return True
    found = await connection.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": LOOK_LOCK})
    return found.scalar_one()


async def _known(connection: AsyncConnection, games: Iterable[Counted]) -> Known:
    """Of what kind the people of some games are, who stay that until the transaction has ended."""
    people = {each for one in games for each in (one.white, one.black) if each is not None}
    kinds: dict[str, str] = {}
    for some in _batches(sorted(people), ROWS):
        rows = await connection.execute(
            select(person.c.id, person.c.kind)
            .where(person.c.id.in_(some))
            .order_by(person.c.id)
            .with_for_update(read=True)
        )
        kinds |= {row.id: row.kind for row in rows}
    return Known(kinds)


def _values(one: Counted) -> dict[str, Any]:
    return {column.name: getattr(one, column.name) for column in counted_game.columns}


def _of_row(row: RowMapping) -> Counted:
    return Counted(**{column.name: row[column.name] for column in counted_game.columns})


def _insert(connection: AsyncConnection, table: Table) -> Any:
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


async def _mark(connection: AsyncConnection, games: Sequence[Counted]) -> list[Counted]:
    """Mark games as counted; returns those that were not."""
    if not games:
        return []
    statement = _insert(connection, counted_game).on_conflict_do_nothing().returning(counted_game.c.game)
    new = set((await connection.execute(statement, [_values(each) for each in games])).scalars())
    return [each for each in games if each.game in new]


async def _write(connection: AsyncConnection, changes: Changes) -> None:
    for table in TABLES:
        rows = list(changes.of(table))
        if rows:
            statement = _insert(connection, table)
            added = {name: table.c[name] + statement.excluded[name] for name in number_columns(table)}
            keys = list(table.primary_key.columns)
            await connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=added), rows)


async def _keep_ratings(
    connection: AsyncConnection, known: Known, games: Iterable[Counted], ratings: Mapping[str, Rated]
) -> None:
    """Keep what rated games made of the ratings: of each day the last."""
    latest: dict[tuple[str, str, str, int], dict[str, Any]] = {}
    for one in sorted(games, key=lambda each: each.ended):
        left = ratings.get(one.game)
        if one.kind != "rated" or left is None:
            continue
        for who, (value, deviation) in ((one.white, left.white), (one.black, left.black)):
            if who is not None and not known.is_gone(who):
                key = (who, one.rules, one.speed, one.day)
                names = dict(zip(("person", "rules", "speed", "day"), key, strict=True))
                latest[key] = {**names, "value": value, "deviation": deviation, "at": one.ended}
    if latest:
        statement = _latest(_insert(connection, rating_day))
        await connection.execute(statement, [latest[key] for key in sorted(latest)])


def _latest(statement: Any) -> Any:
    """Enters a rating of a day, unless a later one stands there."""
    return statement.on_conflict_do_update(
        index_elements=list(rating_day.primary_key.columns),
        set_={name: statement.excluded[name] for name in ("value", "deviation", "at")},
        where=rating_day.c.at <= statement.excluded.at,
    )


async def _mend_ratings(connection: AsyncConnection, known: Known, one: Counted) -> None:
    """Make the ratings of a game's day those of the rated games that are left of it."""
    if one.kind != "rated":
        return
    for who in (one.white, one.black):
        if who is None or known.is_gone(who):
            continue
        row = rating_day.c
        of_day = and_(row.person == who, row.rules == one.rules, row.speed == one.speed, row.day == one.day)
        await connection.execute(delete(rating_day).where(of_day))
        for side in ("white", "black"):
            begin = one.day * DAY_SECONDS
            rows = await connection.execute(
                select(rated_game)
                .where(
                    rated_game.c[side] == who,
                    rated_game.c.rules == one.rules,
                    rated_game.c.speed == one.speed,
                    rated_game.c.state == "rated",
                    rated_game.c.at >= begin,
                    rated_game.c.at < begin + DAY_SECONDS,
                )
                .order_by(rated_game.c.at.desc())
                .limit(1)
            )
            last = rows.mappings().one_or_none()
            if last is None:
                continue
            statement = _insert(connection, rating_day).values(
                person=who,
                rules=one.rules,
                speed=one.speed,
                day=one.day,
                value=last[f"{side}_after"],
                deviation=last[f"{side}_deviation_after"],
                at=last["at"],
            )
            await connection.execute(_latest(statement))


async def _ratings_anew(connection: AsyncConnection, game_id: str) -> None:
    """Make the ratings of the days of a pool what its rated games say, from a game's day on."""
    row = rated_game.c
    first = (await connection.execute(select(row.rules, row.speed, row.at).where(row.game == game_id))).one_or_none()
    if first is None or first.at is None:
        return
    begin = day_of(first.at)
    pool = and_(rating_day.c.rules == first.rules, rating_day.c.speed == first.speed)
    await connection.execute(delete(rating_day).where(pool, rating_day.c.day >= begin))
    here = select(person.c.id).where(person.c.kind != "gone")
    for side in ("white", "black"):
        games = await connection.stream(
            select(
                row[side].label("person"),
                row.at,
                row[f"{side}_after"].label("value"),
                row[f"{side}_deviation_after"].label("deviation"),
            )
            .where(
                row.rules == first.rules,
                row.speed == first.speed,
                row.state == "rated",
                row.at >= begin * DAY_SECONDS,
                row[side].in_(here),
            )
            .order_by(row.at)
        )
        async for some in games.partitions(ROWS):
            latest = {(each.person, day_of(each.at)): each for each in some}
            statement = _latest(_insert(connection, rating_day))
            where = {"rules": first.rules, "speed": first.speed}
            values = [
                {**where, "person": who, "day": day, "value": each.value, "deviation": each.deviation, "at": each.at}
                for (who, day), each in latest.items()
            ]
            await connection.execute(statement, values)


async def _drop_day(connection: AsyncConnection, day: int) -> None:
    """Take a day out of the lists of 30 days."""
    rows = await connection.execute(select(tally_day).where(tally_day.c.day == day))
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        for rules in (EVERY, row.rules):
            for speed in (EVERY, row.speed):
                numbers = sums[row.person, rules, speed]
                numbers[0] += row.games
                numbers[1] += row.wins
    own = and_(
        tally.c.person == bindparam("who"),
        tally.c.span == "month",
        tally.c.rules == bindparam("by"),
        tally.c.speed == bindparam("with"),
    )
    taken = [
        {"who": who, "by": rules, "with": speed, "fewer": games, "less": wins}
        for (who, rules, speed), (games, wins) in sorted(sums.items())
    ]
    if taken:
        fewer = {"games": tally.c.games - bindparam("fewer"), "wins": tally.c.wins - bindparam("less")}
        await connection.execute(update(tally).where(own).values(fewer), taken)
        await connection.execute(delete(tally).where(own, tally.c.games == 0), taken)
    await connection.execute(delete(tally_day).where(tally_day.c.day == day))
