"""A letter a day, at most, to those who want one while games by correspondence wait for their move."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import or_, select, update

from damier.i18n import DEFAULT_LANGUAGE, LANGUAGES, N_, NN_, translator
from damier.server.lobby import lists
from damier.server.mail import NotSent
from damier.server.tables import account, game, person, seat

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.mail import Mailer
    from damier.server.play.store import GameSummary

LOOK_SECONDS: Final = 3600.0
"""Between two looks for those who are to have a letter."""
DAY: Final = 23 * 3600.0
"""Seconds after a letter before which there is no other: a look is an hour apart from the next."""
PAGE: Final = 100
MOST_GAMES: Final = 20
"""Games that a letter names; it counts the others."""
LOOKED_AT: Final = 500
"""Games that wait for one member, of which those by correspondence are picked."""

log = logging.getLogger(__name__)


class _Reader(NamedTuple):
    person: str
    name: str
    email: str
    language: str
    sent: float | None


class DailyLetters:
    """Sends the letters. ``address``: where the club is found; None: no letters, for a link in one would lead nowhere.

    ``secret``: what signs the links that end the letters. ``now``: seconds since 1970.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        mailer: Mailer,
        address: str | None,
        secret: bytes,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._mailer = mailer
        self._address = None if address is None else address.rstrip("/")
        self._key = hmac.digest(secret, b"daily letter", hashlib.sha256)
        self._now = now
        self._warned = False

    async def run(self) -> None:
        """Look once an hour, until cancelled."""
        while True:
            try:
                await self.send_all()
            except Exception:
                log.exception("The daily letters could not be sent")
            await asyncio.sleep(LOOK_SECONDS)

    async def send_all(self) -> int:
        """Send a letter to everybody who is due for one; returns how many went."""
        last, sent = "", 0
        while readers := await self._due(last):
            last = readers[-1].person
            if self._address is None:
                if not self._warned:
                    self._warned = True
                    log.warning("Members want daily letters, but DAMIER_ADDRESS does not say where their links lead")
                return 0
            for reader in readers:
                sent += await self._send(reader, self._address)
        return sent

    async def _due(self, after: str) -> list[_Reader]:
        """Some of those who want letters, are members with an address, and have had none for a day."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(
                    account.c.person,
                    person.c.name,
                    account.c.email,
                    account.c.language,
                    account.c.daily_sent,
                )
                .join(person, person.c.id == account.c.person)
                .where(
                    account.c.person > after,
                    account.c.daily,
                    account.c.email.is_not(None),
                    person.c.kind == "member",
                    or_(account.c.daily_sent.is_(None), account.c.daily_sent <= self._now() - DAY),
                )
                .order_by(account.c.person)
                .limit(PAGE)
            )
            return [_Reader(*row) for row in rows]

    async def _send(self, reader: _Reader, address: str) -> bool:
        waiting = await self.waiting(reader.person)
        if not waiting or not await self._claim(reader):
            return False
        language = reader.language if reader.language in LANGUAGES else DEFAULT_LANGUAGE
        subject, text = letter(reader.name, waiting, address, self.stop_path(reader.person), language, self._now())
        headers = {"List-Unsubscribe": f"<{address}{self.stop_path(reader.person)}>"}
        try:
            await self._mailer.send(reader.email, subject, text, headers)
        except NotSent:
            await self._unclaim(reader)
            return False
        return True

    async def waiting(self, who: str) -> list[GameSummary]:
        """The games by correspondence that wait for somebody's move, the most urgent first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(game)
                .join(seat, seat.c.game == game.c.id)
                .where(seat.c.player == who, seat.c.color == game.c.turn, game.c.score.is_(None))
                .order_by(game.c.due.is_(None), game.c.due, game.c.id)
                .limit(LOOKED_AT)
            )
            found = [lists.summary_of(row) for row in rows.mappings()]
        return [each for each in found if each.start.clock.days]

    async def _claim(self, reader: _Reader) -> bool:
        """Take it upon this process to send a letter: of several that want to, one may."""
        now = self._now()
        async with self._engine.begin() as connection:
            claimed = await connection.execute(
                update(account)
                .where(
                    account.c.person == reader.person,
                    account.c.daily,
                    account.c.email == reader.email,
                    account.c.daily_sent.is_(None) if reader.sent is None else account.c.daily_sent == reader.sent,
                )
                .values(daily_sent=now)
            )
            return claimed.rowcount == 1

    async def _unclaim(self, reader: _Reader) -> None:
        """The letter was not taken: the next look tries again."""
        async with self._engine.begin() as connection:
            await connection.execute(
                update(account).where(account.c.person == reader.person).values(daily_sent=reader.sent)
            )

    # --- Wanting them, or not --------------------------------------------------------------------------------------

    async def choose(self, who: str, *, daily: bool, language: str) -> None:
        """Want a letter a day, or none, and all letters in a language."""
        async with self._engine.begin() as connection:
            await connection.execute(
                update(account).where(account.c.person == who).values(daily=daily, language=language)
            )

    async def stop(self, who: str) -> None:
        """Want no daily letters any more."""
        async with self._engine.begin() as connection:
            await connection.execute(update(account).where(account.c.person == who).values(daily=False))

    def stop_path(self, who: str) -> str:
        """The path of the page that ends somebody's daily letters, without logging in."""
        return f"/letters/{who}.{self._signature(who)}"

    def reader_of(self, token: str) -> str | None:
        """Whose letters a link ends; None for one that is not ours."""
        who, _, signature = token.rpartition(".")
        genuine = hmac.compare_digest(signature.encode(), self._signature(who).encode())
        return who if who and genuine else None

    def _signature(self, who: str) -> str:
        return urlsafe_b64encode(hmac.digest(self._key, who.encode(), hashlib.sha256)).rstrip(b"=").decode()


def letter(
    name: str, waiting: list[GameSummary], address: str, stop_path: str, language: str, now: float
) -> tuple[str, str]:
    """The subject and the text of a letter."""
    texts = translator(language)
    _ = texts.gettext
    subject = texts.ngettext(*_WAIT, len(waiting)).format(n=len(waiting))
    lines = [_(N_("Hello {name},")).format(name=name), "", subject, ""]
    for each in waiting[:MOST_GAMES]:
        card = lists.card(each, each.start.white.id if each.turn == "white" else each.start.black.id, language)
        facts = [card.opponent, _(N_("move {number}")).format(number=card.move)]
        if each.due is not None:
            facts.append(lists.time_left(each.due - now, language))
        lines += [" · ".join(facts), f"{address}{card.url}", ""]
    more = len(waiting) - MOST_GAMES
    if more > 0:
        lines += [texts.ngettext(*_MORE, more).format(n=more), f"{address}/my-games", ""]
    lines += ["-- ", _(N_("You have asked for this letter in your account. No more of them:")), f"{address}{stop_path}"]
    return subject, "\n".join(lines) + "\n"


_WAIT: Final = NN_("A game waits for your move", "{n} games wait for your move")
_MORE: Final = NN_("and {n} more game:", "and {n} more games:")
