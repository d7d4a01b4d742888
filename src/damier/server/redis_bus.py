"""The bus between processes, over Redis or Valkey. Apart from :mod:`damier.server.bus`, so that a club without Redis
does not load its client at every start."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from typing import TYPE_CHECKING, Final, cast

from redis.asyncio.connection import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from damier.server.bus import LocalBus
from damier.server.redis_client import end

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from redis.asyncio.connection import AbstractConnection

PREFIX: Final = "damier"
WAITING_MESSAGES: Final = 10_000
"""Messages that wait for a connection; beyond that the oldest are lost, and everybody is told of the gap."""
BATCH: Final = 500
"""Commands written at once."""
QUIET_SECONDS: Final = 5.0
"""After so long without a word Redis is asked whether it is there; after as long again it is taken for gone."""
LINGER_SECONDS: Final = 10.0
"""How long a topic that nobody here wants any more is still received: a page that is loaded anew asks for it again."""
FIRST_PAUSE_SECONDS: Final = 0.05
LONGEST_PAUSE_SECONDS: Final = 2.0
"""Between two attempts to connect."""

log = logging.getLogger(__name__)


class RedisBus(LocalBus):
    """The bus of a club of several processes, over Redis' or Valkey's publish and subscribe.

    It connects again for as long as it takes. Meanwhile the subscribers of this process go on telling each other;
    when a connection was lost, whether to send or to receive, every process that may have missed something is told
    of the gap. ``url``: ``redis://…``, ``rediss://…`` or ``unix://…``; raises ValueError for anything else.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        # the connections are ours to mend: redis-py's own mending would not say what was lost
        self._pool = ConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType]
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=QUIET_SECONDS,
            socket_timeout=QUIET_SECONDS,
        )
        # Redis' numbered databases share their topics
        self._prefix = f"{PREFIX}:{self._pool.connection_kwargs.get('db', 0)}:"
        self._gap_topic = "gap"
        self._gap_listeners: list[Callable[[], None]] = []
        self._mark = self.process.encode()
        # the first word: a process that was killed, and that this one may replace, cannot tell what it had not told yet
        self._outgoing: deque[tuple[str, bytes]] = deque([(self._gap_topic, b"")])
        self._work = asyncio.Event()
        self._lost = False
        self._doubted = True
        """Whether the connection to send on must be tried before it is relied upon."""
        self._sending = False
        self._listening: AbstractConnection | None = None
        self._in_force: set[str] = set()
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self._releases: set[asyncio.Task[None]] = set()
        self._tasks = [
            asyncio.create_task(self._keep("receive", self._listen, self._deaf), name="bus: receive"),
            asyncio.create_task(self._keep("send", self._send, self._mute), name="bus: send"),
        ]

    async def publish(self, topic: str, payload: bytes) -> None:
        """Tell the subscribers of this process at once and those of the others with the next batch."""
        self._deliver(topic, payload)
        if len(self._outgoing) >= WAITING_MESSAGES:
            self._outgoing.popleft()
            self._lost = True
        self._outgoing.append((topic, payload))
        self._work.set()

    async def subscribe(self, topic: str, receive: Callable[[bytes], None]) -> Callable[[], None]:
        """Add a subscriber; waits for Redis' word if the topic is new to this process."""
        unsubscribe = self._add(topic, receive)
        connection = self._listening
        if connection is None or topic in self._in_force:
            return unsubscribe
        confirmed = self._awaited.get(topic)
        try:
            if confirmed is None:
                confirmed = self._awaited[topic] = asyncio.get_running_loop().create_future()
                try:
                    await self._command(connection, "SUBSCRIBE", topic)
                except RedisError:
                    return unsubscribe  # the next connection sees to it
            await asyncio.shield(confirmed)
        except asyncio.CancelledError:
            unsubscribe()
            raise
        return unsubscribe

    def on_gap(self, call: Callable[[], None]) -> None:
        """Add a listener; one that fails is logged."""
        self._gap_listeners.append(call)

    @property
    def connected(self) -> bool:
        """Whether both connections stand and every subscription is in force."""
        return self._sending and self._gap_topic in self._in_force

    async def close(self) -> None:
        """Send what waits if that is possible at once, and hang up."""
        for _ in range(10):
            if not self._outgoing or not self._sending:
                break
            await asyncio.sleep(0.01)
        await end(self._tasks)
        await super().close()

    # --- Connections ------------------------------------------------------------------------------------------------

    async def _keep(
        self, what: str, use: Callable[[AbstractConnection], Awaitable[None]], lost: Callable[[], None]
    ) -> None:
        """Use a connection, and another one when it is lost, for ever."""

        pause, said = FIRST_PAUSE_SECONDS, False
        while True:
            connection = self._pool.make_connection()
            began = asyncio.get_running_loop().time()
            try:
                await connection.connect()
                if said:
                    log.warning("Redis is there again (%s)", what)
                    said = False
                await use(connection)
            except (RedisError, OSError) as error:
                if not said:
                    log.error("Redis is away (%s), connecting again until it answers: %s", what, error)
                    said = True
            except Exception:
                log.exception("The bus failed (%s)", what)
            finally:
                lost()
                await connection.disconnect(nowait=True)
            if asyncio.get_running_loop().time() - began > QUIET_SECONDS:
                pause = FIRST_PAUSE_SECONDS  # it had been well for a while
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 (so that not all come back at once)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _command(self, connection: AbstractConnection, command: str, *topics: str) -> None:
        channels = [self._prefix + topic for topic in topics]
        await connection.send_packed_command(connection.pack_command(command, *channels), check_health=False)

    async def _listen(self, connection: AbstractConnection) -> None:

        self._listening = connection
        topics = [*self._receivers, self._gap_topic]  # the gap's last: when it is in force, all are
        for first in range(0, len(topics), BATCH):
            await self._command(connection, "SUBSCRIBE", *topics[first : first + BATCH])
        asked = False
        while True:
            answer = cast(
                "list[bytes] | None", await connection.read_response(disable_decoding=True, timeout=QUIET_SECONDS)
            )
            if answer is None:
                if asked:
                    raise RedisError("no answer to a ping")
                await connection.send_packed_command(connection.pack_command("PING"), check_health=False)
                asked = True
                continue
            asked = False
            kind = answer[0]
            if kind == b"message":
                self._take(answer[1].decode().removeprefix(self._prefix), answer[2])
            elif kind == b"subscribe":
                self._confirm(answer[1].decode().removeprefix(self._prefix))

    def _take(self, topic: str, content: bytes) -> None:
        mark, payload = content[: len(self._mark)], content[len(self._mark) :]
        if mark == self._mark:
            return  # delivered when it was published
        if topic == self._gap_topic:
            self._gap()
        else:
            self._deliver(topic, payload)

    def _confirm(self, topic: str) -> None:
        if topic == self._gap_topic and topic not in self._in_force:
            self._in_force.add(topic)
            self._gap()  # of the time before this connection
            return
        self._in_force.add(topic)
        confirmed = self._awaited.pop(topic, None)
        if confirmed is not None and not confirmed.done():
            confirmed.set_result(None)
        if topic not in self._receivers:
            self._abandoned(topic)

    def _deaf(self) -> None:
        self._listening = None
        self._in_force.clear()
        for confirmed in self._awaited.values():
            if not confirmed.done():
                confirmed.set_result(None)
        self._awaited.clear()
        self._doubted, self._sending = True, False  # the other connection may be lost as well
        self._work.set()

    def _abandoned(self, topic: str) -> None:
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._release, topic)

    def _release(self, topic: str) -> None:
        connection = self._listening
        if connection is None or topic in self._receivers or topic not in self._in_force:
            return
        self._in_force.discard(topic)
        release = asyncio.create_task(self._command(connection, "UNSUBSCRIBE", topic))
        self._releases.add(release)
        release.add_done_callback(self._released)

    def _released(self, release: asyncio.Task[None]) -> None:
        self._releases.discard(release)
        if not release.cancelled():
            release.exception()  # a connection that is lost needs no unsubscribing

    async def _send(self, connection: AbstractConnection) -> None:
        while True:
            if self._doubted:
                await connection.send_packed_command(connection.pack_command("PING"), check_health=False)
                await connection.read_response(disable_decoding=True)
                self._doubted, self._sending = False, True
            while not self._doubted and (self._lost or self._outgoing):
                await self._send_batch(connection)
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    await self._work.wait()
            except TimeoutError:
                self._doubted = True
            self._work.clear()

    async def _send_batch(self, connection: AbstractConnection) -> None:
        if self._lost:
            self._lost = False
            self._outgoing.clear()
            self._outgoing.append((self._gap_topic, b""))  # it speaks for them all
        batch = [self._outgoing.popleft() for _ in range(min(BATCH, len(self._outgoing)))]
        commands = [("PUBLISH", self._prefix + topic, self._mark + payload) for topic, payload in batch]
        sent = False
        try:
            await connection.send_packed_command(connection.pack_commands(commands), check_health=False)
            for _ in batch:
                await connection.read_response(disable_decoding=True)
            sent = True
        finally:
            if not sent:
                self._lost = True

    def _mute(self) -> None:
        self._doubted, self._sending = True, False

    def _gap(self) -> None:
        for call in self._gap_listeners:
            try:
                call()
            except Exception:
                log.exception("A gap in the messages could not be made good")
