"""Letters to those who want to know when a question is answered."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, delete, exists, select, update

from damier.i18n import DEFAULT_LANGUAGE, LANGUAGES, N_, NN_, translator
from damier.server.localized import in_language
from damier.server.mail import NotSent
from damier.server.play.view import FORMER_MEMBER
from damier.server.tables import account, awaited_answer, person, post

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.server.mail import Mailer

LOOK_SECONDS: Final = 10.0
"""Between two looks for answers that somebody waits for."""
PAGE: Final = 100
MOST_ANSWERS: Final = 5
"""Answers that a letter holds; it counts the others."""
STOP: Final = "/questions/letters/"

log = logging.getLogger(__name__)


class _Reader(NamedTuple):
    question: str
    person: str
    told: float
    name: str
    email: str
    language: str
    title: str


class AnswerLetters:
    """Sends them. ``address``: where the club is found; None: no letters, for a link in one would lead nowhere.

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
        self._key = hmac.digest(secret, b"answer letter", hashlib.sha256)
        self._now = now

    @property
    def sends(self) -> bool:
        """Whether there are such letters here."""
        return self._address is not None

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            try:
                await self.send_all()
            except Exception:
                log.exception("Letters about answers could not be sent")
            await asyncio.sleep(LOOK_SECONDS)

    async def send_all(self) -> int:
        """Send a letter to everybody whose question has been answered; returns how many went."""
        if self._address is None:
            return 0
        sent, last = 0, ("", "")
        while readers := await self._due(last):
            last = (readers[-1].question, readers[-1].person)
            for reader in readers:
                sent += await self._send(reader, self._address)
        return sent

    async def _due(self, after: tuple[str, str]) -> list[_Reader]:
        answer, question = post.alias("answer"), post.alias("asked")
        new = exists().where(
            answer.c.question == awaited_answer.c.question,
            answer.c.state == "shown",
            answer.c.shown > awaited_answer.c.told,
            answer.c.person.is_distinct_from(awaited_answer.c.person),
        )
        place = (awaited_answer.c.question > after[0]) | (
            (awaited_answer.c.question == after[0]) & (awaited_answer.c.person > after[1])
        )
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(
                    awaited_answer.c.question,
                    awaited_answer.c.person,
                    awaited_answer.c.told,
                    person.c.name,
                    account.c.email,
                    account.c.language,
                    question.c.title,
                )
                .join(account, account.c.person == awaited_answer.c.person)
                .join(person, person.c.id == awaited_answer.c.person)
                .join(question, question.c.id == awaited_answer.c.question)
                .where(
                    place,
                    new,
                    account.c.email.is_not(None),
                    person.c.kind.in_(("member", "bot")),
                    question.c.state == "shown",
                )
                .order_by(awaited_answer.c.question, awaited_answer.c.person)
                .limit(PAGE)
            )
            return [_Reader(*row) for row in rows]

    async def _send(self, reader: _Reader, address: str) -> bool:
        async with self._engine.begin() as connection:
            rows = await connection.execute(
                select(post.c.text, post.c.shown, person.c.name)
                .outerjoin(person, person.c.id == post.c.person)
                .where(
                    post.c.question == reader.question,
                    post.c.state == "shown",
                    post.c.shown > reader.told,
                    post.c.person.is_distinct_from(reader.person),
                )
                .order_by(post.c.shown, post.c.id)
            )
            answers = rows.all()
            if not answers or not await self._set_told(connection, reader, reader.told, answers[-1].shown):
                return False  # hidden meanwhile, or another process sends it
        stop = self.stop_path(reader.question, reader.person)
        subject, text = letter(reader, answers, address, stop)
        headers = {"List-Unsubscribe": f"<{address}{stop}>"}
        try:
            await self._mailer.send(reader.email, subject, text, headers)
        except NotSent:
            async with self._engine.begin() as connection:
                await self._set_told(connection, reader, answers[-1].shown, reader.told)
            return False
        return True

    @staticmethod
    async def _set_told(connection: AsyncConnection, reader: _Reader, before: float, after: float) -> bool:
        changed = await connection.execute(
            update(awaited_answer)
            .where(
                awaited_answer.c.question == reader.question,
                awaited_answer.c.person == reader.person,
                awaited_answer.c.told == before,
            )
            .values(told=after)
        )
        return changed.rowcount == 1

    # --- No more of them -------------------------------------------------------------------------------------------

    async def stop(self, question: str, who: str) -> None:
        """Send somebody no more letters about a question."""
        async with self._engine.begin() as connection:
            await connection.execute(
                delete(awaited_answer).where(
                    and_(awaited_answer.c.question == question, awaited_answer.c.person == who)
                )
            )

    def stop_path(self, question: str, who: str) -> str:
        """The path of the page that ends letters about a question, without logging in."""
        return f"{STOP}{question}.{who}.{self._signature(question, who)}"

    def reader_of(self, token: str) -> tuple[str, str] | None:
        """Which question's letters a link ends, and whose; None for one that is not ours."""
        question, _, rest = token.partition(".")
        who, _, signature = rest.rpartition(".")
        genuine = hmac.compare_digest(signature.encode(), self._signature(question, who).encode())
        return (question, who) if question and who and genuine else None

    def _signature(self, question: str, who: str) -> str:
        digest = hmac.digest(self._key, f"{question}.{who}".encode(), hashlib.sha256)
        return urlsafe_b64encode(digest).rstrip(b"=").decode()


def letter(reader: _Reader, answers: Sequence[Any], address: str, stop: str) -> tuple[str, str]:
    """The subject and the text of a letter."""
    language = reader.language if reader.language in LANGUAGES else DEFAULT_LANGUAGE
    title = reader.title
    texts = translator(language)
    _ = texts.gettext
    lines = [_(N_("Hello {name},")).format(name=reader.name), ""]
    lines += [texts.ngettext(*_ANSWERED, len(answers)).format(n=len(answers), title=title), ""]
    for each in answers[:MOST_ANSWERS]:
        lines += [f"{each.name or _(FORMER_MEMBER)}:", "", *(f"> {line}" for line in each.text.split("\n")), ""]
    more = len(answers) - MOST_ANSWERS
    if more > 0:
        lines += [texts.ngettext(*_MORE, more).format(n=more), ""]
    lines += [f"{address}{in_language(f'/questions/{reader.question}', language)}", ""]
    lines += [
        "-- ",
        _(N_("You have asked for letters about this question. No more of them:")),
        f"{address}{in_language(stop, language)}",
    ]
    return _(N_("An answer: {title}")).format(title=title), "\n".join(lines) + "\n"


_ANSWERED: Final = NN_("There is an answer to “{title}”:", "There are {n} answers to “{title}”:")
_MORE: Final = NN_("and {n} more answer.", "and {n} more answers.")
