"""How often passwords may be tried, by whom, and right ones used. Counted by each process, in its memory."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.people import name_key

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_COUNTED: Final = 50_000
"""How many addresses, or names, a meter remembers; those are forgotten first that have been quiet for the longest."""


INSTANT: Final = 1e-6
"""Seconds that are no wait, but what sums of fractions are off by."""


class TooMany(DamierError):
    """Something was asked too often. ``seconds``: after which it may be asked again."""

    def __init__(self, message: str, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(message, minutes=math.ceil(self.seconds / 60))


@dataclass(frozen=True, slots=True)
class Rate:
    """``burst`` at once, and one more whenever ``seconds`` have passed."""

    burst: int
    seconds: float


class Meter:
    """Counts what each of many does, and says how long one has to wait who has done it too often.

    >>> clock = iter([0.0, 0.0, 0.0, 25.0, 60.0]).__next__
    >>> meter = Meter(Rate(burst=2, seconds=60), now=clock)
    >>> [meter.take("192.0.2.7") for _ in range(5)]
    [0.0, 0.0, 60.0, 35.0, 0.0]
    """

    def __init__(self, rate: Rate, most: int = MOST_COUNTED, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._most = most
        self._now = now
        # for each the moment at which all that was counted is forgiven; who has been counted last stands last
        self._forgiven: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._forgiven)

    def wait(self, key: str) -> float:
        """Seconds until this one may do it once more; 0 for now."""
        return self._wait(key, self._now())

    def take(self, key: str) -> float:
        """The same; and if it may be done now, it counts."""
        now = self._now()
        wait = self._wait(key, now)
        if not wait:
            self._add(key, now)
        return wait

    def add(self, key: str) -> None:
        """Count what has been done already, be it too much."""
        self._add(key, self._now())

    def _add(self, key: str, now: float) -> None:
        self._forgiven[key] = max(now, self._forgiven.get(key, now)) + self._rate.seconds
        self._forgiven.move_to_end(key)
        if len(self._forgiven) > self._most:
            self._forgiven.popitem(last=False)

    def give_back(self, key: str) -> None:
        """What was counted last for this one was harmless."""
        forgiven = self._forgiven.get(key)
        if forgiven is None:
            return
        if forgiven - self._rate.seconds <= self._now():
            del self._forgiven[key]
        else:
            self._forgiven[key] = forgiven - self._rate.seconds

    def _wait(self, key: str, now: float) -> float:
        full = self._forgiven.get(key, now) - now
        wait = full - (self._rate.burst - 1) * self._rate.seconds
        return wait if wait > INSTANT else 0.0


OF_AN_ADDRESS: Final = Rate(20, 30)
OF_A_NAME: Final = Rate(10, 360)
OF_A_FRIEND: Final = Rate(10, 60)
OF_A_MEMBERS_BROWSERS: Final = Rate(30, 30)
"""All together that are known under one name, of which a member may make as many as there are log-ins."""
ENTRIES_OF_A_NAME: Final = Rate(10, 30)
"""Right passwords: they cost as much as wrong ones."""
ENTRIES_OF_AN_ADDRESS: Final = Rate(30, 10)
"""A whole school may log in from one."""
WRONG_PASSWORDS: Final = N_("Too many wrong passwords. Try again in {minutes} min.")
ENTRIES: Final = N_("There were many log-ins just now. Try again in {minutes} min.")


@dataclass(frozen=True, slots=True)
class Try:
    """A password that is being tried, counted as wrong until it proves right."""

    name: str
    address: str
    counted: tuple[tuple[Meter, str], ...]
    is_friend: bool
    """Whether it comes from where the member has logged in lately."""
    line: str
    """Those who are to wait for one another have the same: an address, or a member's known browsers."""


class Throttle:
    """Says whether a password may be tried: so many wrong ones from an address, and so many for a name.

    Right ones have a limit of their own, for a name and for an address; a known browser waits for its name alone.
    Somebody who comes from an address, or with a browser, that has logged in lately under the same name is counted
    apart: whoever tries that member's passwords from elsewhere does not keep the member out. ``now``: seconds.

    >>> throttle = Throttle(now=lambda: 0.0)
    >>> throttle.succeeded(throttle.begin("Anna", "192.0.2.1"))
    >>> for attacker in range(200, 206):
    ...     for _ in range(2):
    ...         try:
    ...             attack = throttle.begin("Anna", f"192.0.2.{attacker}")
    ...         except TooMany as error:
    ...             print(error)
    Too many wrong passwords. Try again in 6 min.
    Too many wrong passwords. Try again in 6 min.
    >>> throttle.begin("anna", "192.0.2.1").name == name_key("Anna")
    True
    """

    def __init__(self, most: int = MOST_COUNTED, now: Callable[[], float] = time.monotonic) -> None:
        self._addresses = Meter(OF_AN_ADDRESS, most, now)
        self._names = Meter(OF_A_NAME, most, now)
        self._friends = Meter(OF_A_FRIEND, most, now)
        self._browsers = Meter(OF_A_MEMBERS_BROWSERS, most, now)
        self._entries_by_name = Meter(ENTRIES_OF_A_NAME, most, now)
        self._entries_by_address = Meter(ENTRIES_OF_AN_ADDRESS, most, now)
        self._most = most
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        """The names and addresses that belong together, the latest last."""

    def begin(self, name: str, address: str, browser: str | None = None) -> Try:
        """Count a try. Raises :class:`TooMany`, whether there is such a name or not.

        ``address``: the household's. ``browser``: what the browser is known by if it has logged in under this name.
        """
        key, line = name_key(name), address
        is_friend = True
        entries = self._entries_by_name.wait(key)
        if browser is not None:
            line = f"browsers of {key}"
            wanted = ((self._friends, f"browser {browser}"), (self._browsers, key))
        else:
            entries = max(entries, self._entries_by_address.wait(address))
            if (key, address) in self._known:
                wanted = ((self._friends, f"{address} {key}"),)
            else:
                is_friend = False
                wanted = ((self._addresses, address), (self._names, key))
        if entries:
            raise TooMany(ENTRIES, entries)
        wait = max(meter.wait(each) for meter, each in wanted)
        if wait:
            raise TooMany(WRONG_PASSWORDS, wait)
        for meter, each in wanted:
            meter.take(each)
        return Try(key, address, wanted, is_friend, line)

    def undo(self, attempt: Try) -> None:
        """The password has not been compared after all, or it was no wrong one."""
        for meter, key in attempt.counted:
            meter.give_back(key)

    def succeeded(self, attempt: Try) -> None:
        """The password was right."""
        self.undo(attempt)
        # many at once were let begin before the first of them was counted: those that are too many count as well
        self._entries_by_name.add(attempt.name)
        self._entries_by_address.add(attempt.address)
        self._meet(attempt.name, attempt.address)

    def met(self, name: str, address: str) -> None:
        """A member of this name has come in from this address otherwise."""
        self._meet(name_key(name), address)

    def _meet(self, key: str, address: str) -> None:
        self._known[key, address] = None
        self._known.move_to_end((key, address))
        if len(self._known) > self._most:
            self._known.popitem(last=False)
