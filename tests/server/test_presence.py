"""Who is here: people and not tabs, in one process and in several, also when a process dies."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from redis.asyncio import Redis

from damier.server import presence as module
from damier.server.presence import LocalPresence, Presence
from damier.server.redis_bus import RedisBus
from damier.server.redis_presence import EXPIRY_SECONDS, REFRESH_SECONDS, RedisPresence
from tests.server.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.services import Redis as RedisServer


PROMPT_SECONDS = 10.0
"""The machine may be a busy one."""


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAVING_SECONDS", 0.3)


class Process:
    """One process' presence over Redis."""

    def __init__(self, server: RedisServer) -> None:
        self.bus = RedisBus(server.url())
        self.redis = Redis.from_url(server.url())
        self.presence = RedisPresence(self.redis, self.bus)

    async def close(self) -> None:
        await self.presence.close()
        await self.bus.close()
        await self.redis.aclose()

    async def die(self) -> None:
        """End without a word to anybody."""
        self.presence._task.cancel()
        await self.bus.close()
        await self.redis.aclose()


@pytest.fixture
def own_redis(redis: RedisServer, redis_url: str) -> Iterator[RedisServer]:
    """An empty Redis, which a test may kill."""
    assert redis_url == redis.url()
    yield redis
    if not redis.is_ready():
        redis.start()


@pytest.fixture
async def processes(own_redis: RedisServer) -> AsyncIterator[tuple[Process, Process]]:
    first, second = Process(own_redis), Process(own_redis)
    await until(lambda: first.bus.connected and second.bus.connected)
    yield first, second
    await first.close()
    await second.close()


@pytest.fixture(params=["one process", "two processes"])
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Presence, Presence]]:
    if request.param == "one process":
        presence = LocalPresence()
        yield presence, presence
        await presence.close()
        return
    server: RedisServer = request.getfixturevalue("own_redis")
    first, second = Process(server), Process(server)
    await until(lambda: first.bus.connected and second.bus.connected)
    yield first.presence, second.presence
    await first.close()
    await second.close()


async def test_people_are_counted_not_tabs(pair: tuple[Presence, Presence]) -> None:
    one, other = pair
    leave = one.enter("anna", "game:1")
    other.enter("anna", "game:1")
    other.enter("bert", "game:1")
    other.enter("bert", "club")
    await until(lambda: set(one.here("game:1")) == set(other.here("game:1")) == {"anna", "bert"}, PROMPT_SECONDS)
    assert await one.online() == await other.online() == 2
    for each in (one, other):
        assert await each.among(["anna", "bert", "carl"]) == {"anna", "bert"}
        assert await each.among([]) == set()
        assert await each.some(9) == {"anna", "bert"}
        assert len(await each.some(1)) == 1
    leave()
    await asyncio.sleep(1)
    assert set(other.here("game:1")) == {"anna", "bert"}
    assert other.since("game:1", "anna") is None


async def test_who_leaves_is_away_since_then(pair: tuple[Presence, Presence]) -> None:
    one, other = pair
    other.enter("bert", "game:1")
    leave = one.enter("anna", "game:1")
    await until(lambda: set(other.here("game:1")) == {"anna", "bert"}, PROMPT_SECONDS)
    assert other.since("game:1", "anna") is None
    assert other.since("game:1", "carl") is None
    left = time.time()
    leave()
    leave()
    await until(lambda: set(other.here("game:1")) == {"bert"}, PROMPT_SECONDS)
    await until(lambda: other.since("game:1", "anna") is not None, PROMPT_SECONDS)
    since = other.since("game:1", "anna")
    assert since is not None
    assert abs(since - left) <= REFRESH_SECONDS + 0.5
    one.enter("anna", "game:1")
    await until(lambda: set(other.here("game:1")) == {"anna", "bert"}, PROMPT_SECONDS)
    assert other.since("game:1", "anna") is None


async def test_a_page_that_is_loaded_anew_is_no_absence(pair: tuple[Presence, Presence]) -> None:
    one, other = pair
    other.enter("bert", "game:1")
    leave = one.enter("anna", "game:1")
    await until(lambda: set(other.here("game:1")) == {"anna", "bert"}, PROMPT_SECONDS)
    changes: list[str] = []
    other.on_change(changes.append)
    leave()
    await asyncio.sleep(0.1)
    one.enter("anna", "game:1")
    await asyncio.sleep(1)
    assert changes == []


async def test_each_change_is_told_once(pair: tuple[Presence, Presence]) -> None:
    one, other = pair
    changes: list[tuple[str, frozenset[str]]] = []
    other.on_change(lambda place: changes.append((place, other.here(place))))
    other.enter("bert", "game:1")
    leave = one.enter("anna", "game:1")
    one.enter("anna", "game:1")
    one.enter("anna", "club")
    await until(lambda: ("game:1", {"anna", "bert"}) in changes, PROMPT_SECONDS)
    leave()
    await asyncio.sleep(3)
    assert [people for place, people in changes if place == "game:1"] == [{"bert"}, {"anna", "bert"}]


async def test_a_process_that_dies_takes_its_people_along(processes: tuple[Process, Process]) -> None:
    first, second = processes
    second.presence.enter("bert", "game:1")
    first.presence.enter("anna", "game:1")
    await until(lambda: set(second.presence.here("game:1")) == {"anna", "bert"})
    assert second.presence.since("game:1", "anna") is None
    started = time.time()
    await first.die()
    await until(lambda: set(second.presence.here("game:1")) == {"bert"})
    assert time.time() - started <= EXPIRY_SECONDS + REFRESH_SECONDS + 1
    await until(lambda: second.presence.since("game:1", "anna"), PROMPT_SECONDS)
    assert await second.presence.online() == 1


async def test_a_process_that_stops_signs_its_people_off(processes: tuple[Process, Process]) -> None:
    first, second = processes
    second.presence.enter("bert", "game:1")
    first.presence.enter("anna", "game:1")
    await until(lambda: set(second.presence.here("game:1")) == {"anna", "bert"})
    await first.presence.close()
    await until(lambda: set(second.presence.here("game:1")) == {"bert"}, REFRESH_SECONDS + 1)


async def test_when_somebody_left_outlives_every_process(own_redis: RedisServer) -> None:
    before = Process(own_redis)
    before.presence.enter("anna", "game:1")
    await asyncio.sleep(0.5)
    left = time.time()
    await before.close()
    after = Process(own_redis)
    after.presence.enter("bert", "game:1")
    await until(lambda: after.presence.since("game:1", "anna"), PROMPT_SECONDS)
    since = after.presence.since("game:1", "anna")
    assert since is not None
    assert abs(since - left) <= REFRESH_SECONDS + 0.5
    await after.close()


async def test_while_redis_is_away_the_others_stay_where_they_were(
    processes: tuple[Process, Process], own_redis: RedisServer
) -> None:
    first, second = processes
    first.presence.enter("anna", "game:1")
    second.presence.enter("bert", "game:1")
    await until(lambda: set(second.presence.here("game:1")) == {"anna", "bert"})
    own_redis.kill()
    second.presence.enter("carl", "game:1")
    await asyncio.sleep(REFRESH_SECONDS + 1)
    assert set(second.presence.here("game:1")) == {"anna", "bert", "carl"}
    assert await second.presence.online() == 2
    own_redis.start()
    await until(lambda: set(first.presence.here("game:1")) == {"anna", "bert", "carl"})


async def test_a_place_that_nobody_here_is_in_costs_nothing_more(processes: tuple[Process, Process]) -> None:
    first, second = processes
    leave = first.presence.enter("anna", "game:1")
    second.presence.enter("bert", "game:1")
    await until(lambda: set(first.presence.here("game:1")) == {"anna", "bert"})
    leave()
    await until(lambda: not first.presence._next)
    assert not first.presence._others
    assert not first.presence._sockets
    assert set(first.presence.here("game:1")) == frozenset()


# --- What is not known -------------------------------------------------------------------------------------------------


async def test_one_process_always_knows() -> None:
    presence = LocalPresence(lambda: 5.0)
    assert presence.knows("game:1", "anna")
    assert presence.watched_since == 5.0


async def test_nothing_is_known_before_redis_has_answered_about_a_place(processes: tuple[Process, Process]) -> None:
    first, second = processes
    first.presence.enter("anna", "game:1")
    await until(lambda: second.presence._complete)  # both have been at it for a while
    second.presence.enter("bert", "game:1")
    assert set(second.presence.here("game:1")) == {"bert"}
    assert not second.presence.knows("game:1", "anna")
    assert not second.presence.knows("game:1", "carl")
    assert second.presence.knows("game:1", "bert")
    changes: list[str] = []
    second.presence.on_change(changes.append)
    await until(lambda: second.presence.knows("game:1", "anna") and second.presence.knows("game:1", "carl"), 1)
    assert set(second.presence.here("game:1")) == {"anna", "bert"}
    assert "game:1" in changes


async def test_nothing_is_known_while_redis_is_away_and_until_all_have_written_anew(
    processes: tuple[Process, Process], own_redis: RedisServer
) -> None:
    first, _second = processes
    first.presence.enter("anna", "game:1")
    await until(lambda: first.presence.knows("game:1", "carl"))
    changes: list[str] = []
    first.presence.on_change(changes.append)
    own_redis.kill()
    await until(lambda: not first.presence.knows("game:1", "carl"), REFRESH_SECONDS + 1)
    assert changes == ["game:1"]
    changes.clear()
    own_redis.start()
    back = time.time()
    await until(lambda: not first.presence._failing)
    assert not first.presence.knows("game:1", "carl")
    await until(lambda: first.presence.knows("game:1", "carl"), EXPIRY_SECONDS + 2 * REFRESH_SECONDS + 1)
    assert abs(first.presence.watched_since - back) <= REFRESH_SECONDS + 1
    assert changes
