"""The club's door: who may try to come in, how often, and what their browsers are then given."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.browsers import KnownBrowsers
from damier.server.accounts.service import NotAllowed
from damier.server.accounts.throttle import WRONG_PASSWORDS, Meter, Rate, Throttle, TooMany
from damier.server.people import LONGEST_TYPED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from damier.server.accounts.service import Accounts

LETTERS: Final = Rate(5, 720)
"""How many letters may be asked for from one address."""
TRIES_OF_A_JOIN: Final = 6
"""So many times as many as may join in an hour from one address may try to, and find their names taken."""
PROOFS: Final = Rate(10, 60)
"""How often a member who is logged in may mistake the present password."""


class Entrance:
    """Lets members in by their passwords, and counts what strangers try. ``joins_per_hour``: from one address.

    ``now``: seconds since 1970.
    """

    def __init__(
        self, accounts: Accounts, secret: bytes, joins_per_hour: int, now: Callable[[], float] = time.time
    ) -> None:
        self._accounts = accounts
        self._now = now
        self._throttle = Throttle(now=now)
        self._joins = Meter(Rate(joins_per_hour, 3600 / joins_per_hour), now=now)
        tries_per_hour = TRIES_OF_A_JOIN * joins_per_hour
        self._tries_to_join = Meter(Rate(tries_per_hour, 3600 / tries_per_hour), now=now)
        self._letters = Meter(LETTERS, now=now)
        self._proofs = Meter(PROOFS, now=now)
        self.known = KnownBrowsers(secret)

    async def log_in(
        self, name: str, password: str, *, device: str, address: str, cookie: str | None = None
    ) -> str | None:
        """A session's token for the right password, None for a wrong one; ``cookie``: by which the browser is known.

        Raises TooMany, whether there is a member of this name or not.
        """
        name = name[:LONGEST_TYPED]
        browser = self.known.read(cookie, name, self._now())
        attempt = self._throttle.begin(name, address, browser)
        try:
            token = await self._accounts.log_in(name, password, device, attempt.line, friend=attempt.is_friend)
        except TooMany:
            self._throttle.undo(attempt)
            raise
        if token is not None:
            self._throttle.succeeded(attempt)
        return token

    def knows(self, name: str, address: str) -> None:
        """Remember that a member has come in from an address without a password: by a passkey, or by joining."""
        self._throttle.met(name, address)

    @contextmanager
    def joining(self, address: str) -> Generator[None]:
        """Count somebody who becomes a member inside; whom an error keeps from that has only tried. Raises TooMany."""
        wait = self._joins.wait(address)
        if wait:
            raise TooMany(N_("Many have joined from your address. Try again in {minutes} min."), wait)
        wait = self._tries_to_join.take(address)
        if wait:
            raise TooMany(N_("Many have tried to join from your address. Try again in {minutes} min."), wait)
        self._joins.add(address)
        try:
            yield
        except BaseException:
            self._joins.give_back(address)
            raise

    def asking_for_a_letter(self, address: str) -> None:
        """Count somebody who wants to be sent a letter. Raises TooMany."""
        wait = self._letters.take(address)
        if wait:
            raise TooMany(N_("Many letters were asked for from your address. Try again in {minutes} min."), wait)

    async def prove(self, person_id: str, password: str) -> None:
        """Raise NotAllowed unless this is a member's present password, or there is none; and TooMany."""
        await self._proven(person_id, lambda: self._accounts.prove(person_id, password))

    async def change_password(self, person_id: str, old: str, new: str, token: str) -> None:
        """As :meth:`Accounts.change_password` does, which is not to find out the old one by trying."""
        await self._proven(person_id, lambda: self._accounts.change_password(person_id, old, new, token))

    async def _proven(self, person_id: str, work: Callable[[], Awaitable[None]]) -> None:
        wait = self._proofs.take(person_id)
        if wait:
            raise TooMany(WRONG_PASSWORDS, wait)
        try:
            await work()
        except NotAllowed:
            raise  # this one counts
        except DamierError:
            self._proofs.give_back(person_id)
            raise
        self._proofs.give_back(person_id)
