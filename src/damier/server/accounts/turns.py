"""Who is next where much has to be done and little can be done at once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from damier.i18n import N_
from damier.server.accounts.throttle import TooMany

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

Line = deque[asyncio.Future[None]]


class Turns:
    """Lets ``at_once`` do something at the same time, and ``most`` friends and ``most`` strangers wait for it.

    Where both wait they are let in by turns, a friend first: however many friends come, strangers come in too.
    Everybody waits in a line of their own, and the lines are served in turn: who comes a hundred times waits for
    himself, and not the others for him. When too many wait, the last of the longest line is sent away. ``patience``:
    seconds after which somebody may come again who was sent away.
    """

    def __init__(self, at_once: int, most: int, patience: float) -> None:
        self._free = at_once
        self._most = most
        self._patience = patience
        # friends, and all others; who has been served last stands last
        self._lines: tuple[OrderedDict[str, Line], OrderedDict[str, Line]] = OrderedDict(), OrderedDict()
        self._waiting = [0, 0]
        self._next_kind = 0
        """Whose turn it is where both wait."""

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(self._waiting)

    @asynccontextmanager
    async def turn(self, line: str, *, friend: bool = False) -> AsyncGenerator[None]:
        """Wait in a line, and have one's turn. Raises :class:`TooMany` for who is sent away."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(line, 0 if friend else 1)
        try:
            yield
        finally:
            self._next()

    async def _wait(self, line: str, kind: int) -> None:
        lines = self._lines[kind]
        if self._waiting[kind] >= self._most:
            longest = max(lines, key=lambda each: len(lines[each]))
            if len(lines[longest]) <= len(lines.get(line, ())) + 1:
                raise self._sent_away()
            last = self._take(kind, longest, -1)
            if not last.done():  # else its visitor has just gone
                last.set_exception(self._sent_away())
        place = asyncio.get_running_loop().create_future()
        lines.setdefault(line, deque()).append(place)
        self._waiting[kind] += 1
        try:
            await place
        except asyncio.CancelledError:
            if place in lines.get(line, ()):
                self._remove(kind, line, place)
            elif not place.cancelled() and place.exception() is None:
                self._next()  # it was this one's turn, which nobody takes now
            raise

    def _next(self) -> None:
        """Give a turn that has become free to the one who is next."""
        for kind in (self._next_kind, 1 - self._next_kind):
            lines = self._lines[kind]
            while lines:
                line = next(iter(lines))
                lines.move_to_end(line)
                place = self._take(kind, line, 0)
                if not place.done():
                    place.set_result(None)
                    self._next_kind = 1 - kind
                    return
        self._free += 1

    def _take(self, kind: int, line: str, index: int) -> asyncio.Future[None]:
        place = self._lines[kind][line][index]
        self._remove(kind, line, place)
        return place

    def _remove(self, kind: int, line: str, place: asyncio.Future[None]) -> None:
        places = self._lines[kind][line]
        places.remove(place)
        self._waiting[kind] -= 1
        if not places:
            del self._lines[kind][line]

    def _sent_away(self) -> TooMany:
        return TooMany(N_("Too many people log in at this moment. Try again in a minute."), self._patience)
