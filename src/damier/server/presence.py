"""Who is here: people, not tabs, in every place of the club ("club", ``game:<id>``)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

LEAVING_SECONDS: Final = 2.0
"""How long somebody whose last socket has closed still counts as here: a page that is loaded anew is no absence."""
ABSENCES_KEPT: Final = 100_000
"""How many people's absences are remembered; the oldest are forgotten first."""

log = logging.getLogger(__name__)


class Presence(Protocol):
    """Who is where. All methods are called in the event loop; what they say is exact within ten seconds."""

    def enter(self, person: str, place: str) -> Callable[[], None]:
        """A socket of this person is in a place from now on, until the result is called."""
        ...

    def here(self, place: str) -> frozenset[str]:
        """The people in a place that this process has sockets in."""
        ...

    def since(self, place: str, person: str) -> float | None:
        """Since when (seconds since 1970) this person is away from a place; None if present or never seen there."""
        ...

    def knows(self, place: str, person: str) -> bool:
        """Whether it is known at present if this person is in a place. Who is not known to be there is not absent yet.

        What is asked for the first time may become known soon after; that is told as a change of the place.
        """
        ...

    def is_connected(self, person: str) -> bool:
        """Whether this person has a socket in this process, anywhere in the club, or had one just now."""
        ...

    @property
    def watched_since(self) -> float:
        """Since when (seconds since 1970) it has been kept watch: who has never been seen is away since then."""
        ...

    async def online(self) -> int:
        """How many people are anywhere in the club."""
        ...

    async def among(self, people: Collection[str]) -> frozenset[str]:
        """Which of these people, by id, are anywhere in the club."""
        ...

    async def some(self, most: int) -> frozenset[str]:
        """People who are anywhere in the club, by id: all, where they are not more than ``most``."""
        ...

    def on_change(self, call: Callable[[str], None]) -> None:
        """Have ``call`` called with each place whose people have changed."""
        ...

    async def close(self) -> None:
        """Stop keeping watch."""
        ...


class LocalPresence:
    """The presence of a club of one process. ``now``: seconds since 1970."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._began = now()
        self._sockets: dict[str, dict[str, int]] = {}
        self._people: dict[str, int] = {}
        self._away: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._leaving: set[asyncio.TimerHandle] = set()
        self._listeners: list[Callable[[str], None]] = []

    def enter(self, person: str, place: str) -> Callable[[], None]:
        """Count a socket; the result counts it off, once."""
        sockets = self._sockets.setdefault(place, {})
        sockets[person] = sockets.get(person, 0) + 1
        self._people[person] = self._people.get(person, 0) + 1
        if sockets[person] == 1:
            self._away.pop((place, person), None)
            self._moved(place, person)
        left = False

        def leave() -> None:
            nonlocal left
            if left:
                return
            left = True
            moment = self._now()
            timer = asyncio.get_running_loop().call_later(LEAVING_SECONDS, lambda: gone(moment))
            self._leaving.add(timer)

            def gone(moment: float) -> None:
                self._leaving.discard(timer)
                self._count_off(person, place, moment)

        return leave

    def _count_off(self, person: str, place: str, moment: float) -> None:
        self._people[person] -= 1
        if not self._people[person]:
            del self._people[person]
        sockets = self._sockets[place]
        sockets[person] -= 1
        if sockets[person]:
            return
        del sockets[person]
        if not sockets:
            del self._sockets[place]
        self._away[place, person] = moment
        if len(self._away) > ABSENCES_KEPT:
            self._away.popitem(last=False)
        self._moved(place, person)

    def here(self, place: str) -> frozenset[str]:
        """The people in a place."""
        return frozenset(self._sockets.get(place, ()))

    def since(self, place: str, person: str) -> float | None:
        """The moment at which a person's last socket in a place closed."""
        return self._away.get((place, person))

    def knows(self, place: str, person: str) -> bool:
        """Always: nobody is connected to another process."""
        del place, person
        return True

    def is_connected(self, person: str) -> bool:
        """Whether a socket of this person is counted."""
        return person in self._people

    @property
    def watched_since(self) -> float:
        """The moment at which the process began."""
        return self._began

    async def online(self) -> int:
        """How many people have a socket anywhere."""
        return len(self._people)

    async def among(self, people: Collection[str]) -> frozenset[str]:
        """Which of these people have a socket anywhere."""
        return frozenset(people) & self._people.keys()

    async def some(self, most: int) -> frozenset[str]:
        """So many of those who have a socket anywhere."""
        return frozenset(islice(self._people, most))

    def on_change(self, call: Callable[[str], None]) -> None:
        """Add a listener; one that fails is logged."""
        self._listeners.append(call)

    async def close(self) -> None:
        """Forget the timers."""
        for timer in self._leaving:
            timer.cancel()
        self._leaving.clear()

    def _moved(self, place: str, person: str) -> None:
        """Somebody has come to a place, or left it."""
        del person
        self._changed(place)

    def _changed(self, place: str) -> None:
        for call in self._listeners:
            try:
                call(place)
            except Exception:
                log.exception("A change of who is in %s could not be taken in", place)
