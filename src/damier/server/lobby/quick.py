"""Quick pairing: people who look for a game at once are brought together, whichever process they are connected to.

Who searches has a row in the database. Each process that has searchers looks about once a second who could play whom
(``pairing.py`` decides), and one at a time may bring people together: in one transaction their rows go, and the
invitation that both have thereby accepted comes, with the id of its game. So nobody is paired twice. The game is
started after that; where the process that paired two dies before, theirs find their rows gone, and start it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias
from weakref import WeakValueDictionary

import msgspec
from sqlalchemy import delete, exists, func, insert, or_, select, update

from damier.clock import TimeControl
from damier.i18n import N_
from damier.rules import by_name
from damier.server.lobby import controls
from damier.server.lobby.choices import RULE_SETS
from damier.server.lobby.invitation import Invitation, InvitationError, MembersOnly, from_row, values
from damier.server.lobby.invitations import stop_seeking
from damier.server.lobby.pairing import COLOR_GAMES, Seeker, pairings
from damier.server.play.service import new_id
from damier.server.rating_book import Begun
from damier.server.ratings import Pool, Rating
from damier.server.tables import block, paired, person, seeker
from damier.server.tables import game as games
from damier.server.tables import invitation as invitations

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier import Rules
    from damier.server.bus import Bus
    from damier.server.fairplay import Pause
    from damier.server.lobby.invitations import Invitations
    from damier.server.lobby.offences import Offences
    from damier.server.people import People, Who
    from damier.server.rating_book import RatingBook

TICK_SECONDS: Final = 1.0
BEAT_SECONDS: Final = 5.0
"""How old the mark may be that somebody is still there, before it is made anew."""
GONE_SECONDS: Final = 15.0
"""How long after the last mark somebody counts as gone: the process that made it has died."""
MOST_AT_ONCE: Final = 4000
"""People who are looked at in one tick, those who have waited longest first."""
STARTED_AT_ONCE: Final = 32
LATE_SECONDS: Final = 60.0
"""How long after two were paired their game is still started, if nobody has come to that."""
NOT_PAIRED: Final = ("bot", "gone")
"""The kinds of those whom quick pairing is not for."""
LOCK: Final = 0x64616D6965720002
"""The advisory lock of PostgreSQL under which people are paired."""

log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


class Paused(InvitationError):
    """Somebody who has left games, or let time run, waits a while."""

    code: ClassVar[str] = "paused"
    text: ClassVar[str] = N_("Quick pairing is not open to you now.")

    def __init__(self, pause: Pause, now: float) -> None:
        super().__init__()
        self.pause = pause
        self.now = now

    def sentence(self, language: str = "en") -> str:
        """What the pause is for, and how long it lasts, in ``language``."""
        return self.pause.sentence(self.now, language)


class NoSuchQueue(InvitationError):
    """A rule set or a time control that quick pairing does not offer."""

    code = "no_such_queue"
    text = N_("Choose one of the time controls offered.")


class NoBots(InvitationError):
    """Quick pairing brings people together: nobody should meet an engine there."""

    code = "no_bots"
    text = N_("Quick pairing is for people: bots seek and challenge.")


@dataclass(frozen=True, slots=True)
class Queue:
    """Those who wait for the same kind of game. ``clock``: the time control as PDN writes it."""

    rules: str
    clock: str
    rated: bool


@dataclass(frozen=True, slots=True)
class Search:
    """Somebody's search, begun at a moment. No two of the same person bear the same one: the two together name it."""

    person: str
    queue: Queue
    since: float


@dataclass(frozen=True, slots=True)
class Searching:
    """How many search in the queue, the reader included."""

    count: int


@dataclass(frozen=True, slots=True)
class Found:
    """The game that was found."""

    game: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The search goes on at another page of the same person, or nowhere."""


News: TypeAlias = Searching | Found | Stopped


class PairedNews(msgspec.Struct, tag_field="t", tag="paired", frozen=True):
    """What a person's processes are told of a game that was found."""

    game: str


_paired = msgspec.json.Decoder(PairedNews)
_PAIRED: Final = b'{"t":"paired"'


class _Local:
    """A search of somebody who is connected to this process."""

    __slots__ = ("count", "deaf", "row", "search", "tell")

    def __init__(
        self, search: Search, row: Mapping[str, object], tell: Callable[[News], None], deaf: Callable[[], None]
    ) -> None:
        self.search = search
        self.row = row
        self.tell = tell
        self.deaf = deaf
        self.count = 0
        """What was told last."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Who waits, and of which search that is."""

    seekers: dict[Queue, list[Seeker]]
    searches: dict[str, float]
    aged: frozenset[str]
    """Whose mark is old."""

    def games(self, now: float) -> list[tuple[Queue, str, str]]:
        """The games to be begun, with White's and Black's ids."""
        return [
            (queue, white, black)
            for queue, waiting in self.seekers.items()
            if len(waiting) > 1
            for white, black in pairings(waiting, now)
        ]


class Quick:
    """Quick pairing in one process of a club. ``now``: seconds since 1970."""

    def __init__(
        self,
        engine: AsyncEngine,
        people: People,
        lobby: Invitations,
        book: RatingBook,
        offences: Offences,
        bus: Bus,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._people = people
        self._lobby = lobby
        self._book = book
        self._offences = offences
        self._bus = bus
        self._now = now
        self._local: dict[str, _Local] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Of those who begin a search: one after the other."""

    # --- Coming and going ------------------------------------------------------------------------------------------

    async def search(
        self,
        who: Who,
        *,
        rules: Rules,
        control: TimeControl,
        rated: bool,
        tell: Callable[[News], None],
        lowest: int | None = None,
        highest: int | None = None,
    ) -> Search:
        """Look for a game from now on; ``tell`` hears how that goes. Another search of the same person ends.

        The game is rated where ``rated`` and it can be. Raises :class:`Paused`, :class:`NoBots`, :class:`MembersOnly`
        for an account that is no more, or :class:`NoSuchQueue`.
        """
        _admit(who.kind)
        if control not in controls.LIVE or rules.name not in RULE_SETS:
            raise NoSuchQueue
        async with self._locks.setdefault(who.id, asyncio.Lock()):
            now = self._now()
            pause = await self._offences.pause_of(who.id)
            if pause is not None:
                raise Paused(pause, now)
            kind = (await self._people.keep(who.id)).kind  # as it is now: a page may have been open for long
            _admit(kind)
            pool = Pool.of(rules.name, control)
            queue = Queue(rules.name, control.to_pdn(), rated and pool is not None and kind == "member")
            known = Rating() if pool is None else (await self._book.of([who.id], pool)).get(who.id, Rating())
            row = {"person": who.id, "rules": queue.rules, "clock": queue.clock, "rated": queue.rated}
            row |= {"rating": known.value, "deviation": known.deviation, "lowest": lowest, "highest": highest}
            return await self._begin(Search(who.id, queue, now), row, tell)

    async def _begin(self, search: Search, row: Mapping[str, object], tell: Callable[[News], None]) -> Search:
        """Begin a search in place of the one that there may be, or start the game that another has led to."""
        person_id = search.person
        deaf = await self._bus.subscribe(f"person:{person_id}", partial(self._hear, person_id))
        try:
            owed = await self._owed(person_id, search.since - LATE_SECONDS)
            if owed is None:
                search = await self._enter(search, row)
        except BaseException:
            deaf()
            raise
        before = self._local.get(person_id)
        if before is not None:
            self._end(before, Stopped())
        local = self._local[person_id] = _Local(search, row, tell, deaf)
        if owed is not None:
            await self._lobby.start(owed)
            self._end(local, Found(owed.game or ""))
        return search

    async def _enter(self, search: Search, row: Mapping[str, object]) -> Search:
        """Write who searches; who has just been searching for the same has waited since then."""
        now = since = search.since
        async with self._engine.begin() as connection:
            _admit(await _kind_of(connection, search.person))
            found = await connection.execute(select(seeker).where(seeker.c.person == search.person).with_for_update())
            before = found.mappings().one_or_none()
            if before is not None:
                if before["alive"] > now - GONE_SECONDS and search.queue == _queue(before):
                    since = before["since"]
                if since == before["since"]:
                    since = math.nextafter(since, 0.0)  # a search of its own, whose end is not the other's
            await connection.execute(delete(seeker).where(seeker.c.person == search.person))
            await connection.execute(insert(seeker).values(**row, since=since, alive=now))
        return Search(search.person, search.queue, since)

    async def stop(self, search: Search) -> str | None:
        """End a search at once. The id of a game that it has led to already, if it has."""
        local = self._local.get(search.person)
        if local is not None and local.search is search:
            del self._local[search.person]
            local.deaf()
            local = None
        async with self._engine.begin() as connection:
            ended = await connection.execute(
                delete(seeker).where(seeker.c.person == search.person, seeker.c.since == search.since)
            )
        if ended.rowcount or local is not None:
            return None  # or another page of the same person is told what is found
        agreed = await self._agreed(search.person, search.since)
        return None if agreed is None else agreed.game

    def _end(self, local: _Local, news: News) -> None:
        """Tell a page here that its search is over, if it has not been told."""
        if self._local.get(local.search.person) is local:
            del self._local[local.search.person]
            local.deaf()
            local.tell(news)

    def _hear(self, person_id: str, payload: bytes) -> None:
        local = self._local.get(person_id)
        if local is not None and payload.startswith(_PAIRED):
            self._end(local, Found(_paired.decode(payload).game))

    # --- Every second ----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Look about once a second who can play whom, while somebody here searches. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if not self._local:
                continue
            try:
                await self.tick()
            except Exception:
                log.exception("Nobody could be paired")

    async def tick(self) -> Sequence[Invitation]:
        """Bring together who can play each other; returns what they have thereby agreed on."""
        local = dict(self._local)
        now = self._now()
        async with self._engine.connect() as connection:
            waiting = await self._read(connection, now)
        await self._keep_alive(local, waiting, now)
        agreed: Sequence[Invitation] = ()
        # on a look that costs others nothing there is mostly nobody to be paired
        if waiting.games(now):
            agreed = await self._agree()
            await _some_at_once(STARTED_AT_ONCE, [partial(self._start, each) for each in agreed])
        self._tell_counts(waiting)
        return agreed

    async def _keep_alive(self, local: dict[str, _Local], waiting: _Waiting, now: float) -> None:
        """Mark who is still here, and see to those whose rows have gone."""
        here = {person for person, each in local.items() if waiting.searches.get(person) == each.search.since}
        aged = here & waiting.aged
        if aged:
            async with self._engine.begin() as connection:
                await connection.execute(update(seeker).where(seeker.c.person.in_(aged)).values(alive=now))
        for person_id in local.keys() - here:
            if self._local.get(person_id) is local[person_id]:
                await self._look_after(local[person_id], now)

    async def _look_after(self, local: _Local, now: float) -> None:
        """A search that others do not see: its game has been found, or its mark was too old, or it has ended."""
        person_id, since = local.search.person, local.search.since
        agreed = await self._agreed(person_id, since)
        if agreed is not None and agreed.game is not None:
            await self._lobby.start(agreed)
            self._end(local, Found(agreed.game))
            return
        async with self._engine.begin() as connection:
            barred = await _kind_of(connection, person_id) in NOT_PAIRED
            found = await connection.execute(select(seeker.c.since).where(seeker.c.person == person_id))
            other = found.scalar_one_or_none()
            if barred:
                await connection.execute(delete(seeker).where(seeker.c.person == person_id))
            elif other in (None, since):  # this process was held up, and others took the search for a dead one's
                await connection.execute(delete(seeker).where(seeker.c.person == person_id))
                await connection.execute(insert(seeker).values(**local.row, since=since, alive=now))
        if barred or other not in (None, since):
            self._end(local, Stopped())
        elif self._local.get(person_id) is not local:
            await self.stop(local.search)  # it has ended meanwhile

    async def _agreed(self, person_id: str, since: float) -> Invitation | None:
        """What quick pairing has found for somebody since a moment."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitations)
                .where(
                    invitations.c.kind == "pairing",
                    invitations.c.state == "accepted",
                    invitations.c.created >= since,
                    or_(invitations.c.host == person_id, invitations.c.guest == person_id),
                )
                .order_by(invitations.c.created.desc())
                .limit(1)
            )
            row = rows.mappings().one_or_none()
        return None if row is None else from_row(row, self._now())

    async def _owed(self, person_id: str, since: float) -> Invitation | None:
        """The same, of which the game has not been started."""
        agreed = await self._agreed(person_id, since)
        if agreed is None:
            return None
        async with self._engine.connect() as connection:
            known = await connection.execute(select(exists().where(games.c.id == agreed.game)))
            return None if known.scalar_one() else agreed

    async def _read(self, connection: AsyncConnection, now: float) -> _Waiting:
        """Who waits, with what the choice of opponents depends on."""
        rows = (
            (
                await connection.execute(
                    select(seeker)
                    .join(person, person.c.id == seeker.c.person)
                    .where(seeker.c.alive > now - GONE_SECONDS, person.c.kind.not_in(NOT_PAIRED))
                    .order_by(seeker.c.since)
                    .limit(MOST_AT_ONCE)
                )
            )
            .mappings()
            .all()
        )
        here = select(seeker.c.person)
        blocked: dict[str, set[str]] = {}
        last: dict[str, tuple[str, str]] = {}
        if len(rows) > 1:
            blocks = await connection.execute(
                select(block.c.blocker, block.c.blocked).where(block.c.blocker.in_(here), block.c.blocked.in_(here))
            )
            for each in blocks:
                blocked.setdefault(each.blocker, set()).add(each.blocked)
            for each in await connection.execute(select(paired).where(paired.c.person.in_(here))):
                last[each.person] = (each.opponents, each.colors)
        seekers: dict[Queue, list[Seeker]] = {}
        for row in rows:
            opponents, colors = last.get(row["person"], ("", ""))
            seekers.setdefault(_queue(row), []).append(
                Seeker(
                    row["person"],
                    row["rating"],
                    row["since"],
                    deviation=row["deviation"],
                    last_opponents=tuple(opponents.split()),
                    balance=2 * colors.count("W") - len(colors),
                    blocked=frozenset(blocked.get(row["person"], ())),
                    lowest=-float("inf") if row["lowest"] is None else row["lowest"],
                    highest=float("inf") if row["highest"] is None else row["highest"],
                )
            )
        return _Waiting(
            seekers,
            {row["person"]: row["since"] for row in rows},
            frozenset(row["person"] for row in rows if row["alive"] < now - BEAT_SECONDS),
        )

    async def _agree(self) -> list[Invitation]:
        """Pair those who wait, in one transaction, if no other process is at it."""
        async with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                alone = await connection.execute(select(func.pg_try_advisory_xact_lock(LOCK)))
                if not alone.scalar_one():
                    return []
            now = self._now()
            await connection.execute(delete(seeker).where(seeker.c.alive <= now - GONE_SECONDS))
            waiting = await self._read(connection, now)
            agreed = [_agreed(*game, now) for game in waiting.games(now)]
            if not agreed:
                return []
            await self._book.begin(
                connection,
                [Begun(each.game or "", each.rules.name, each.control, *each.seats) for each in agreed if each.rated],
            )
            everybody = [person_id for each in agreed for person_id in each.seats]
            await connection.execute(delete(seeker).where(seeker.c.person.in_(everybody)))
            await connection.execute(insert(invitations), [values(each) for each in agreed])
            await self._remember(connection, agreed, everybody)
        await stop_seeking(self._engine, everybody, now)
        return agreed

    @staticmethod
    async def _remember(connection: AsyncConnection, agreed: list[Invitation], everybody: list[str]) -> None:
        """Write down against whom each has been paired, and with which colour."""
        found = await connection.execute(select(paired).where(paired.c.person.in_(everybody)))
        before = {row.person: (row.opponents, row.colors) for row in found}
        rows: list[dict[str, str]] = []
        for each in agreed:
            white, black = each.seats
            for person_id, opponent, color in ((white, black, "W"), (black, white, "B")):
                opponents, colors = before.get(person_id, ("", ""))
                rows.append(
                    {
                        "person": person_id,
                        "opponents": " ".join([opponent, *opponents.split()][:COLOR_GAMES]),
                        "colors": (color + colors)[:COLOR_GAMES],
                    }
                )
        await connection.execute(delete(paired).where(paired.c.person.in_(everybody)))
        await connection.execute(insert(paired), rows)

    async def _start(self, agreed: Invitation) -> None:
        try:
            await self._lobby.start(agreed)
        except Exception:
            # those who wait for it find their rows gone, and try again
            log.exception("The game %s of two who were paired could not be started", agreed.game)
            return
        news = _encode(PairedNews(agreed.game or ""))
        for person_id in agreed.seats:
            await self._bus.publish(f"person:{person_id}", news)

    def _tell_counts(self, waiting: _Waiting) -> None:
        counts = Counter({queue: len(seekers) for queue, seekers in waiting.seekers.items()})
        for local in self._local.values():
            count = max(1, counts[local.search.queue])
            if local.count != count:
                local.count = count
                local.tell(Searching(count))


def _admit(kind: str) -> None:
    """Raises :class:`NoBots` or :class:`MembersOnly` for a kind that quick pairing is not for."""
    if kind == "bot":
        raise NoBots
    if kind in NOT_PAIRED:
        raise MembersOnly


async def _kind_of(connection: AsyncConnection, person_id: str) -> str:
    """What somebody is, and remains until the transaction ends; two processes do not write the same search at once."""
    found = await connection.execute(
        select(person.c.kind).where(person.c.id == person_id).with_for_update(key_share=True)
    )
    return found.scalar_one_or_none() or "gone"


def _queue(row: RowMapping) -> Queue:
    return Queue(row["rules"], row["clock"], row["rated"])


def _agreed(queue: Queue, white: str, black: str, now: float) -> Invitation:
    """What two who were paired have agreed on."""
    return Invitation(
        id=new_id(),
        host=white,
        guest=black,
        rules=by_name(queue.rules),
        control=TimeControl.from_pdn(queue.clock) or TimeControl.none(),
        color="white",
        is_public=True,
        state="accepted",
        created=now,
        expires=now,
        game=new_id(),
        kind="pairing",
        rated=queue.rated,
    )


async def _some_at_once(most: int, work: Sequence[Callable[[], Awaitable[None]]]) -> None:
    left = iter(work)

    async def do_some() -> None:
        for each in left:
            await each()

    await asyncio.gather(*(do_some() for _ in range(min(most, len(work)))))
