"""Presence over several processes: each writes to Redis, again and again, who is connected to it, and reads who is
connected to others. What a process that died has written is forgotten soon after."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, cast

from redis.exceptions import RedisError

from damier.server.presence import LocalPresence
from damier.server.redis_client import end

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from redis.asyncio import Redis

    from damier.server.bus import Bus

REFRESH_SECONDS: Final = 2.0
EXPIRY_SECONDS: Final = 6.0
"""How long what a process has written holds; with a refresh more, this is how late a death is noticed."""
SEEN_SECONDS: Final = 3 * 86_400
"""How long it is remembered when somebody was last seen in a place."""
FRESH_SECONDS: Final = 2 * REFRESH_SECONDS
"""So old an answer of Redis still says who is there, and so long a silence of all processes is none."""
TICK_SECONDS: Final = 0.1
"""The refreshes of the places are spread over ticks, so that none holds up the loop."""
TOPIC: Final = "presence"

# One place's refresh, by Redis' own clock. Members are "process person", since a person may be connected to several.
REFRESH_SCRIPT: Final = """
local here, seen, online = KEYS[1], KEYS[2], KEYS[3]
local process, expiry, memory = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local counts = {tonumber(ARGV[4]), tonumber(ARGV[5])}
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local at = 5
for _ = 1, counts[1] do
  at = at + 1
  redis.call('ZADD', here, now + expiry, process .. ' ' .. ARGV[at])
  redis.call('ZADD', seen, now, ARGV[at])
  redis.call('ZADD', online, now + expiry, ARGV[at])
end
for _ = 1, counts[2] do
  at = at + 1
  redis.call('ZREM', here, process .. ' ' .. ARGV[at])
end
redis.call('ZREMRANGEBYSCORE', here, '-inf', now)
redis.call('ZREMRANGEBYSCORE', seen, '-inf', now - memory)
redis.call('PEXPIRE', here, expiry * 1000)
redis.call('EXPIRE', seen, memory)
local answer = {redis.call('ZRANGE', here, 0, -1)}
for i = at + 1, #ARGV do
  table.insert(answer, redis.call('ZSCORE', seen, ARGV[i]) or '')
end
return answer
"""
# Since when there has been a process that wrote, and Redis has kept it: before all have had the time to write again,
# who is not there may be there.
WATCH_SCRIPT: Final = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local began, last = unpack(redis.call('HMGET', KEYS[1], 'began', 'last'))
if not last or now - last > tonumber(ARGV[1]) then began = now end
redis.call('HSET', KEYS[1], 'began', tostring(began), 'last', tostring(now))
return {tostring(began), tostring(now - began)}
"""
ONLINE_SCRIPT: Final = """
local clock = redis.call('TIME')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', clock[1] + clock[2] / 1000000)
return redis.call('ZCARD', KEYS[1])
"""
SOME_SCRIPT: Final = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'LIMIT', 0, ARGV[1])
"""
AMONG_SCRIPT: Final = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local answer = {}
for _, person in ipairs(ARGV) do
  local until_then = redis.call('ZSCORE', KEYS[1], person)
  if until_then and tonumber(until_then) > now then table.insert(answer, person) end
end
return answer
"""

log = logging.getLogger(__name__)


class RedisPresence(LocalPresence):
    """The presence of a club of several processes. While Redis is away, the others are where they were last seen."""

    def __init__(self, redis: Redis, bus: Bus) -> None:
        super().__init__()
        self._redis = redis
        self._bus = bus
        self._here: dict[str, frozenset[str]] = {}
        """Of the places with sockets in this process: everybody, as last told."""
        self._others: dict[str, frozenset[str]] = {}
        self._asked: dict[str, set[str]] = {}
        """Of whom it matters whether they are there, or since when they are not."""
        self._seen: dict[str, dict[str, float | None]] = {}
        """Of those: when each was last seen in a place, as far as there has been an answer."""
        self._answered: dict[str, float] = {}
        """When what is known of a place was asked for."""
        self._watched_since = time.time()
        self._complete = False
        """Whether every process has had the time to write who is connected to it."""
        self._watched = 0.0
        self._left: dict[str, set[str]] = {}
        self._next: OrderedDict[str, float] = OrderedDict()
        self._moves: set[str] = set()
        self._failing = False
        self._task = asyncio.create_task(self._refresh_all(), name="presence")

    def here(self, place: str) -> frozenset[str]:
        """The people in a place that this process has sockets in."""
        return super().here(place) | self._others.get(place, frozenset())

    def since(self, place: str, person: str) -> float | None:
        """When somebody who is away was last seen; known from the first refresh after it was asked for."""
        if place not in self._sockets or person in self.here(place):
            return None
        self._ask(place, person)
        seen = self._seen.get(place, {}).get(person)
        known = [moment for moment in (seen, super().since(place, person)) if moment is not None]
        return max(known, default=None)

    def knows(self, place: str, person: str) -> bool:
        """Whether Redis has answered lately, and could know of all processes."""
        if place not in self._sockets:
            return False
        self._ask(place, person)
        if person in self._sockets[place]:
            return True
        fresh = asyncio.get_running_loop().time() - self._answered.get(place, -math.inf) <= FRESH_SECONDS
        return fresh and self._complete and person in self._seen.get(place, {})

    @property
    def watched_since(self) -> float:
        """The moment since which there has been no gap in what Redis was told."""
        return self._watched_since

    def _ask(self, place: str, person: str) -> None:
        asked = self._asked.setdefault(place, set())
        if person not in asked:
            asked.add(person)
            self._hurry(place)

    async def online(self) -> int:
        """How many people are connected to any process."""
        try:
            return int(await cast("Any", self._redis.eval(ONLINE_SCRIPT, 1, _key("online"))))
        except RedisError:
            return await super().online()

    async def among(self, people: Collection[str]) -> frozenset[str]:
        """Which of these people are connected to any process."""
        own = await super().among(people)
        if not people:
            return own
        try:
            found = await cast("Any", self._redis.eval(AMONG_SCRIPT, 1, _key("online"), *people))
        except RedisError:
            return own
        return own.union(each.decode() for each in found)

    async def some(self, most: int) -> frozenset[str]:
        """So many of those who are connected to any process."""
        try:
            found = await cast("Any", self._redis.eval(SOME_SCRIPT, 1, _key("online"), most))
        except RedisError:
            return await super().some(most)
        return frozenset(each.decode() for each in found)

    async def close(self) -> None:
        """Sign this process's people off."""
        await end([self._task])
        await super().close()
        for place, sockets in self._sockets.items():
            self._left.setdefault(place, set()).update(sockets)
        self._sockets.clear()
        left = list(self._left)
        for first in range(0, len(left), 100):
            await self._refresh(left[first : first + 100])

    def _moved(self, place: str, person: str) -> None:
        if person in self._sockets.get(place, ()):
            self._left.get(place, set()).discard(person)
        else:
            self._left.setdefault(place, set()).add(person)
        self._moves.add(place)
        self._hurry(place)
        self._tell(place)

    def _tell(self, place: str) -> bool:
        """Tell the listeners of a place if its people are others than they were told; returns whether they are."""
        here = self.here(place)
        if here == self._here.get(place, frozenset()):
            return False
        if here:
            self._here[place] = here
        else:
            self._here.pop(place, None)
        self._changed(place)
        return True

    def _hurry(self, place: str) -> None:
        self._next[place] = 0.0
        self._next.move_to_end(place, last=False)

    def _hear(self, payload: bytes) -> None:
        process, _, place = payload.decode().partition(" ")
        if process != self._bus.process and place in self._sockets:
            self._hurry(place)

    async def _refresh_all(self) -> None:
        await self._bus.subscribe(TOPIC, self._hear)
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = loop.time()
            due: list[str] = []
            for place, moment in self._next.items():
                if moment > now:
                    break
                due.append(place)
            for place in due:
                self._next[place] = now + REFRESH_SECONDS
                self._next.move_to_end(place)
            if due or now - self._watched > REFRESH_SECONDS:
                self._watched = now
                try:
                    await self._refresh(due)
                except Exception:
                    log.exception("Who is here could not be refreshed")

    async def _refresh(self, places: list[str]) -> None:
        moved = self._moves.intersection(places)
        self._moves -= moved
        left = {place: self._left.pop(place, set[str]()) for place in places}
        asked = {place: list(self._asked.get(place, ())) for place in places}
        moment = asyncio.get_running_loop().time()
        pipeline = self._redis.pipeline(transaction=False)
        pipeline.eval(WATCH_SCRIPT, 1, _key("watch"), FRESH_SECONDS)
        for place in places:
            people = self._sockets.get(place, {})
            arguments: Iterable[str | float] = (
                self._bus.process,
                EXPIRY_SECONDS,
                SEEN_SECONDS,
                len(people),
                len(left[place]),
                *people,
                *left[place],
                *asked[place],
            )
            pipeline.eval(REFRESH_SCRIPT, 3, _key("here", place), _key("seen", place), _key("online"), *arguments)
        try:
            (began, lasted), *answers = cast("list[list[Any]]", await pipeline.execute())
        except RedisError as error:
            self._failed(error, moved, left)
            return
        self._failing = False
        self._watched_since = float(began)
        self._complete, before = float(lasted) >= EXPIRY_SECONDS, self._complete
        for place, (members, *seen) in zip(places, answers, strict=True):
            self._learn(place, members, dict(zip(asked[place], seen, strict=True)), moment)
        if self._complete != before:
            self._tell_asked()
        for place in moved:
            await self._bus.publish(TOPIC, f"{self._bus.process} {place}".encode())

    def _tell_asked(self) -> None:
        """What is known of those who matter has changed everywhere."""
        for place in list(self._asked):
            self._changed(place)

    def _learn(self, place: str, members: list[bytes], seen: dict[str, bytes], moment: float) -> None:
        if place not in self._sockets:  # nobody here looks at it any more
            for known in (self._others, self._asked, self._seen, self._answered, self._here, self._next):
                known.pop(place, None)
            return
        mark = f"{self._bus.process} "
        others = (member.decode() for member in members)
        self._others[place] = frozenset(other.partition(" ")[2] for other in others if not other.startswith(mark))
        known = self._seen.setdefault(place, {})
        is_news = place not in self._answered or not seen.keys() <= known.keys()
        known.update((person, float(last) if last else None) for person, last in seen.items())
        self._answered[place] = moment
        if not self._tell(place) and seen and is_news:
            self._changed(place)

    def _failed(self, error: RedisError, moved: set[str], left: dict[str, set[str]]) -> None:
        if not self._failing:
            log.error("Redis is away: who is connected to other processes is not known: %s", error)
            self._failing = True
        self._moves |= moved
        if self._answered:
            self._answered.clear()
            self._tell_asked()
        for place, people in left.items():
            self._left.setdefault(place, set()).update(people - self._sockets.get(place, {}).keys())


def _key(*parts: str) -> str:
    return ":".join(("damier", "presence", *parts))
