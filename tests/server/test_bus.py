"""Both buses keep the same promises, and the one between processes outlives its Redis."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from damier.server.bus import Bus, LocalBus
from damier.server.redis_bus import RedisBus
from tests.server.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.services import Redis


@pytest.fixture
def own_redis(redis: Redis, redis_url: str) -> Iterator[Redis]:
    """An empty Redis, which a test may kill."""
    assert redis_url == redis.url()
    yield redis
    if not redis.is_ready():
        redis.start()


@pytest.fixture(params=["local", "redis"])
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Bus, Bus]]:
    """A bus to publish on and one to listen to, as two processes have them; one process has one."""
    if request.param == "local":
        bus = LocalBus()
        yield bus, bus
        await bus.close()
        return
    server: Redis = request.getfixturevalue("own_redis")
    first, second = RedisBus(server.url()), RedisBus(server.url())
    await until(lambda: first.connected and second.connected)
    yield first, second
    await first.close()
    await second.close()


async def test_messages_arrive_in_order_once_and_whole(pair: tuple[Bus, Bus]) -> None:
    here, there = pair
    heard: list[bytes] = []
    await there.subscribe("game:1", heard.append)
    sent = [b"", b"\x00\xff\r\n", *(b"%d" % number for number in range(2000))]
    for payload in sent:
        await here.publish("game:1", payload)
    await until(lambda: len(heard) >= len(sent))
    assert heard == sent


async def test_the_publishers_own_process_hears_it_once(pair: tuple[Bus, Bus]) -> None:
    here, there = pair
    own: list[bytes] = []
    other: list[bytes] = []
    await here.subscribe("club", own.append)
    await there.subscribe("club", other.append)
    await here.publish("club", b"one")
    await until(lambda: own and other)
    await asyncio.sleep(0.1)
    assert own == other == [b"one"]


async def test_topics_are_kept_apart_and_a_subscription_can_be_ended(pair: tuple[Bus, Bus]) -> None:
    here, there = pair
    first: list[bytes] = []
    again: list[bytes] = []
    other: list[bytes] = []
    end = await there.subscribe("room:1", first.append)
    await there.subscribe("room:1", again.append)
    await there.subscribe("room:2", other.append)
    end()
    end()
    await here.publish("room:1", b"for one")
    await here.publish("room:2", b"for two")
    await until(lambda: again and other)
    assert (first, again, other) == ([], [b"for one"], [b"for two"])


async def test_a_subscriber_that_fails_does_not_keep_it_from_the_others(
    pair: tuple[Bus, Bus], caplog: pytest.LogCaptureFixture
) -> None:
    here, there = pair
    heard: list[bytes] = []

    def fail(payload: bytes) -> None:
        raise ValueError(payload)

    await there.subscribe("club", fail)
    await there.subscribe("club", heard.append)
    await here.publish("club", b"news")
    await here.publish("club", b"more")
    await until(lambda: len(heard) == 2)
    assert "could not be taken in" in caplog.text


async def test_a_subscription_is_in_force_when_subscribe_returns(pair: tuple[Bus, Bus]) -> None:
    here, there = pair
    for number in range(100):
        heard: list[bytes] = []
        end = await there.subscribe(f"game:{number % 3}", heard.append)
        await here.publish(f"game:{number % 3}", b"now")
        await until(lambda heard=heard: heard == [b"now"])
        end()


async def test_a_cancelled_subscription_leaves_nothing_behind(pair: tuple[Bus, Bus]) -> None:
    here, there = pair
    heard: list[bytes] = []
    subscribing = asyncio.create_task(there.subscribe("game:c", heard.append))
    await asyncio.sleep(0)
    subscribing.cancel()
    await asyncio.gather(subscribing, return_exceptions=True)
    marked: list[bytes] = []
    await there.subscribe("game:c", marked.append)
    await here.publish("game:c", b"x")
    await until(lambda: marked)
    assert heard == ([] if subscribing.cancelled() else [b"x"])


async def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="Redis URL"):
        RedisBus("localhost:6379")


async def test_a_restart_of_redis_is_a_gap_and_the_bus_goes_on(
    own_redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    here, there = RedisBus(own_redis.url()), RedisBus(own_redis.url())
    await until(lambda: here.connected and there.connected)
    gaps: list[str] = []
    here.on_gap(lambda: gaps.append("here"))
    there.on_gap(lambda: gaps.append("there"))
    heard: list[bytes] = []
    await there.subscribe("game:1", heard.append)
    own_redis.kill()
    await until(lambda: not here.connected and not there.connected)
    own: list[bytes] = []
    await here.subscribe("game:1", own.append)  # at once, though nobody answers
    await here.publish("game:1", b"lost to the other process")
    assert own == [b"lost to the other process"]
    await asyncio.sleep(0.5)
    own_redis.start()
    await until(lambda: {"here", "there"} <= set(gaps) and here.connected and there.connected)
    await here.publish("game:1", b"after")
    await there.publish("game:1", b"and back")
    await until(lambda: b"after" in heard and b"and back" in own)
    assert "Redis is away" in caplog.text
    assert "there again" in caplog.text
    await here.close()
    await there.close()


async def test_a_cut_connection_of_the_sender_alone_tells_the_others_of_the_gap(own_redis: Redis) -> None:
    here, there = RedisBus(own_redis.url()), RedisBus(own_redis.url())
    await until(lambda: here.connected and there.connected)
    gaps: list[str] = []
    there.on_gap(lambda: gaps.append("there"))
    own_redis.ask("CLIENT KILL TYPE normal")
    await here.publish("game:1", b"perhaps lost")
    await until(lambda: gaps)
    await until(lambda: here.connected and there.connected)
    await here.close()
    await there.close()


async def test_a_process_that_starts_lets_the_others_read_what_a_killed_one_had_not_told(own_redis: Redis) -> None:
    here = RedisBus(own_redis.url())
    await until(lambda: here.connected)
    gaps: list[int] = []
    heard: list[bytes] = []
    here.on_gap(lambda: gaps.append(1))
    await here.subscribe("club", heard.append)
    await asyncio.sleep(0.1)
    gaps.clear()
    successor = RedisBus(own_redis.url())
    await successor.publish("club", b"as soon as it can")
    await until(lambda: gaps and heard == [b"as soon as it can"])
    await successor.close()
    await here.close()


async def test_it_starts_without_redis_and_says_when_it_has_it(own_redis: Redis) -> None:
    own_redis.kill()
    here, there = RedisBus(own_redis.url()), RedisBus(own_redis.url())
    heard: list[bytes] = []
    gaps: list[int] = []
    there.on_gap(lambda: gaps.append(1))
    await there.subscribe("club", heard.append)
    await asyncio.sleep(0.2)
    assert not here.connected
    own_redis.start()
    await until(lambda: here.connected and there.connected and gaps)
    await here.publish("club", b"good morning")
    await until(lambda: heard)
    await here.close()
    await there.close()


async def test_more_than_can_wait_is_a_gap(own_redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("damier.server.redis_bus.WAITING_MESSAGES", 10)
    here, there = RedisBus(own_redis.url()), RedisBus(own_redis.url())
    await until(lambda: here.connected and there.connected)
    gaps: list[int] = []
    there.on_gap(lambda: gaps.append(1))
    for number in range(20):
        await here.publish("club", b"%d" % number)
    await until(lambda: gaps)
    await here.close()
    await there.close()
