"""How much one socket, account or address may ask for, and how many sockets one address may have."""

from __future__ import annotations

import time
from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

from damier.server.observe import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from litestar.types import ASGIApp, Receive, Scope, Send


MOST_KEPT: Final = 10_000
"""Allowances that are remembered; those that nobody has asked for longest are forgotten first, as if they were full."""


class Allowance:
    """So many messages a second on average, and so many at once.

    >>> clock = iter([0.0, 0.0, 0.0, 0.5]).__next__
    >>> allowance = Allowance(per_second=2, burst=1, clock=clock)
    >>> allowance.take(), allowance.take(), allowance.take()
    (True, False, True)
    """

    __slots__ = ("_burst", "_clock", "_left", "_per_second", "_since")

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left = float(burst)
        self._since = clock()

    def take(self) -> bool:
        """Whether one more is allowed now; if so, it counts."""
        if self.wait() > 0:
            return False
        self._left -= 1
        return True

    def wait(self) -> float:
        """Seconds until one more is allowed; 0: now."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._since) * self._per_second)
        self._since = now
        return max(0.0, 1 - self._left) / self._per_second


class Allowances:
    """An :class:`Allowance` for each key, such as an account or an address.

    >>> clock = iter([0.0] * 9).__next__
    >>> allowances = Allowances(per_second=2, burst=1, clock=clock)
    >>> allowances.take("anna"), allowances.take("anna"), allowances.take("ben")
    (0.0, 0.5, 0.0)
    """

    __slots__ = ("_burst", "_clock", "_kept", "_most", "_per_second")

    def __init__(
        self,
        per_second: float,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
        most: int = MOST_KEPT,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._most = most
        self._kept: OrderedDict[str, Allowance] = OrderedDict()

    def take(self, key: str) -> float:
        """Count one more, and return 0; or, where it is not allowed now, the seconds until it will be."""
        allowance = self._kept.get(key)
        if allowance is None:
            allowance = self._kept[key] = Allowance(self._per_second, self._burst, self._clock)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return 0.0 if allowance.take() else allowance.wait()

    def wait(self, key: str) -> float:
        """Seconds until one more is allowed; nothing is counted."""
        allowance = self._kept.get(key)
        return 0.0 if allowance is None else allowance.wait()


def household(address: str) -> str:
    """What one visitor has of addresses: an IPv4 address, or the /64 that an IPv6 address lies in.

    >>> household("192.0.2.7"), household("2001:db8:1:2:3:4:5:6"), household("::ffff:192.0.2.7"), household("")
    ('192.0.2.7', '2001:db8:1:2', '192.0.2.7', '')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv6Address):
        if known.ipv4_mapped is not None:
            return str(known.ipv4_mapped)
        return ":".join(f"{int(part, 16):x}" for part in known.exploded.split(":")[:4])
    return address


class SocketsPerAddress:
    """Refuses sockets to who has a great many. ``most``: how many, in this process. ``pages``: takes all the rest."""

    def __init__(self, pages: ASGIApp, sockets: ASGIApp, most: int) -> None:
        self._pages = pages
        self._app = sockets
        self._most = most
        self._sockets: dict[str, int] = {}
        self.open = 0
        """How many sockets there are."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._pages(scope, receive, send)
            return
        client = scope["client"]
        visitor = household(client[0] if client else "")
        count = self._sockets.get(visitor, 0)
        if count >= self._most:
            numbers.refused_sockets += 1
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": ""})
            return
        self._sockets[visitor] = count + 1
        self.open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self.open -= 1
            self._sockets[visitor] -= 1
            if not self._sockets[visitor]:
                del self._sockets[visitor]
