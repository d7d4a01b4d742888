"""The bus: what happens in one process of the club is told to all.

Messages are news, not state: one that is lost is made good from the store, since every game event has its version.
Topics: ``game:<id>``, ``room:<id>``, ``person:<id>``, ``club``.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

NAME_BYTES: Final = 4

log = logging.getLogger(__name__)


class Bus(Protocol):
    """Carries messages between the processes of a club. All methods are called in the event loop.

    A publisher's own process receives too. Messages of one publisher on one topic arrive in their order.
    """

    process: str
    """This process's name on the bus, which no other has."""

    async def publish(self, topic: str, payload: bytes) -> None:
        """Tell everybody who has subscribed to the topic. Best effort: never raises, and never waits for a network."""
        ...

    async def subscribe(self, topic: str, receive: Callable[[bytes], None]) -> Callable[[], None]:
        """Have ``receive`` called with every message of the topic; calling the result ends that.

        Returns once it is in force, or, while the connection is lost, at once: it comes into force with the next
        connection, and :meth:`on_gap` is told then. ``receive`` must not block.
        """
        ...

    def on_gap(self, call: Callable[[], None]) -> None:
        """Have ``call`` called whenever messages may have been lost: what is in memory must be read anew."""
        ...

    @property
    def connected(self) -> bool:
        """Whether what is published now reaches the other processes, and what they publish this one."""
        ...

    async def close(self) -> None:
        """End every subscription."""
        ...


class LocalBus:
    """The bus of a club of one process: a message is received before ``publish`` returns."""

    def __init__(self) -> None:
        self.process = secrets.token_hex(NAME_BYTES)
        self._receivers: dict[str, dict[object, Callable[[bytes], None]]] = {}

    async def publish(self, topic: str, payload: bytes) -> None:
        """Tell the subscribers; one that fails is logged, and the others are told all the same."""
        self._deliver(topic, payload)

    async def subscribe(self, topic: str, receive: Callable[[bytes], None]) -> Callable[[], None]:
        """Add a subscriber."""
        return self._add(topic, receive)

    def on_gap(self, call: Callable[[], None]) -> None:
        """Nothing is ever lost within a process."""

    @property
    def connected(self) -> bool:
        """Always: there is nobody else."""
        return True

    async def close(self) -> None:
        """Forget every subscriber."""
        self._receivers.clear()

    def _add(self, topic: str, receive: Callable[[bytes], None]) -> Callable[[], None]:
        key = object()  # the same function may subscribe twice
        self._receivers.setdefault(topic, {})[key] = receive

        def unsubscribe() -> None:
            receivers = self._receivers.get(topic)
            if receivers is not None and receivers.pop(key, None) is not None and not receivers:
                del self._receivers[topic]
                self._abandoned(topic)

        return unsubscribe

    def _abandoned(self, topic: str) -> None:
        """The last subscriber of a topic has gone."""

    def _deliver(self, topic: str, payload: bytes) -> None:
        for receive in tuple(self._receivers.get(topic, {}).values()):
            try:
                receive(payload)
            except Exception:
                log.exception("A message on %s could not be taken in", topic)
