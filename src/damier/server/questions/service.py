"""The questions that stand under the pages of rules and guide, and their answers.

Members ask, answer and vote, and everybody reads. Whoever has just become a member, or has not finished a game yet, is
new: a new member's words are held until a moderator has let them through, have no links, and are few a day; with
:data:`LET_THROUGH` of them let through nobody is new any more. Words with more links than :data:`MOST_LINKS` are held
whoever writes them.

A page that shows the questions of its own topic asks for them and includes the list::

    forum = await club.forum.page(topic="rules", language=language, reader=club.visitors.who(request))
    club.site.page(request, "rules.html", …, forum=forum)

and in the template, where they are to stand: ``{% include "questions.html" %}``. The list's form leads to ``/questions``.
"""

from __future__ import annotations

import re
import time
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, delete, exists, func, insert, or_, select, update

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.database import folded, insert_if_missing
from damier.server.moderation.conduct import Silenced
from damier.server.moderation.reports import HELD, enter
from damier.server.moderation.subjects import look
from damier.server.people import Who, profile_url
from damier.server.play.service import can_be_id, new_id
from damier.server.questions.topics import is_topic, topic_title, topic_url
from damier.server.tables import account, awaited_answer, conduct, game, person, post, report, seat, vote
from damier.server.words import addresses, linked, valid_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markupsafe import Markup
    from sqlalchemy import RowMapping, Select
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

LONGEST_TITLE: Final = 120
LONGEST_TEXT: Final = 2000
LONGEST_SEARCH: Final = 80
DAY: Final = 86_400.0
NEW_FOR: Final = 3 * DAY
"""Seconds for which a member is new."""
LET_THROUGH: Final = 3
"""Posts that moderators have let through, after which nobody is new."""
MOST_A_DAY: Final = 20
MOST_OF_NEW: Final = 3
MOST_LINKS: Final = 3
BETWEEN: Final = 10.0
"""Seconds between two posts of one member."""
EDIT_SECONDS: Final = 3600.0
"""For so long one's own can be changed or taken away."""
PAGE: Final = 20
FIRST: Final = 5
"""Questions under a page."""
MOST_ANSWERS: Final = 200


_THERE: Final = post.c.state != "removed"


class ForumError(DamierError):
    """Why something was not asked, answered or changed."""


class NoSuchPost(DamierError):
    """A question or an answer that is not there, or not for this reader."""

    def __init__(self) -> None:
        super().__init__(N_("There is nothing here"))


@dataclass(frozen=True, slots=True)
class Post:
    """A question or an answer, as a reader sees it. ``person``: None of who is gone; ``voted``: whether the reader has.

    ``can_change``: whether the reader may edit or remove it; ``held``, ``hidden``: what only the writer and moderators see.
    """

    id: str
    question: str | None
    topic: str
    language: str
    title: str
    text: str
    name: str | None
    url: str | None
    created: float
    edited: float | None
    answered: bool
    votes: int
    answers: int
    mine: bool
    voted: bool
    can_change: bool
    held: bool
    hidden: bool

    @property
    def words(self) -> Markup:
        """The text as HTML."""
        return linked(self.text)


@dataclass(frozen=True, slots=True)
class Page:
    """Questions, and what is around them. ``others``: how many there are in other languages, while these are left out.

    ``asks``: what the reader can do: "ask", or why not: "log_in", "silenced". ``topic``: None for all of them.
    """

    topic: str | None
    title: str
    questions: tuple[Post, ...]
    language: str
    others: int
    all_languages: bool
    search: str
    number: int
    more: bool
    total: int
    asks: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Thread:
    """A question with its answers, those first that most have found good."""

    question: Post
    answers: tuple[Post, ...]
    topic_title: str
    topic_url: str
    asks: str
    is_new: bool
    can_mark: bool
    awaits: bool


@dataclass(frozen=True, slots=True)
class Written:
    """What came of a post. ``held``: whether it waits for a moderator."""

    id: str
    held: bool


class Forum:
    """A club's questions. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    # --- Reading ---------------------------------------------------------------------------------------------------

    async def page(
        self,
        topic: str | None,
        language: str,
        reader: Who | None,
        *,
        all_languages: bool = False,
        search: str = "",
        number: int = 1,
        size: int = FIRST,
    ) -> Page:
        """The newest questions of a topic, or of all, in the reader's language first; others when asked for."""
        asked = and_(post.c.question.is_(None), self._visible(reader))
        if topic is not None:
            asked &= post.c.topic == topic
        search = unicodedata.normalize("NFC", search[:LONGEST_SEARCH].strip())
        words = folded(self._engine, post.c.title + " " + post.c.text)
        for word in search.split()[:5]:
            pattern = "%" + re.sub(r"[%_/]", r"/\g<0>", word) + "%"
            asked &= words.like(folded(self._engine, pattern), escape="/")
        own = asked if all_languages else asked & (post.c.language == language)
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                self._select(reader)
                .where(own)
                .order_by(post.c.created.desc(), post.c.id)
                .offset((number - 1) * size)
                .limit(size + 1)
            )
            found = rows.mappings().all()
            total = await _count(connection, own)
            others = 0 if all_languages else await _count(connection, asked) - total
            asks, is_new = await self._may_write(connection, reader)
        return Page(
            topic,
            "" if topic is None else topic_title(topic, language),
            tuple(self._post(row, reader) for row in found[:size]),
            language,
            others,
            all_languages,
            search,
            number,
            len(found) > size,
            total,
            asks,
            is_new,
        )

    async def thread(self, question: str, language: str, reader: Who | None) -> Thread:
        """A question and its answers. Raises :class:`NoSuchPost`."""
        if not can_be_id(question):
            raise NoSuchPost
        async with self._engine.connect() as connection:
            visible = self._visible(reader)
            rows = await connection.execute(
                self._select(reader).where(post.c.id == question, post.c.question.is_(None), visible)
            )
            row = rows.mappings().one_or_none()
            if row is None:
                raise NoSuchPost
            answers = await connection.execute(
                self._select(reader).where(post.c.question == question, visible).order_by(post.c.created, post.c.id)
            )
            found = [self._post(each, reader) for each in answers.mappings().all()[:MOST_ANSWERS]]
            asks, is_new = await self._may_write(connection, reader)
            awaits = False
            if reader is not None:
                waiting = await connection.execute(
                    select(awaited_answer.c.told).where(
                        awaited_answer.c.question == question, awaited_answer.c.person == reader.id
                    )
                )
                awaits = waiting.first() is not None
        own = self._post(row, reader)
        return Thread(
            own,
            tuple(sorted(found, key=lambda each: -each.votes)),
            topic_title(own.topic, language),
            topic_url(own.topic),
            asks,
            is_new,
            reader is not None and (own.mine or reader.keeps_order),
            awaits,
        )

    async def sees(self, reader: Who | None, entry: str) -> bool:
        """Whether somebody sees a question; or an answer, which is hidden with its question."""
        if not can_be_id(entry):
            return False
        async with self._engine.connect() as connection:
            visible = select(post.c.question).where(post.c.id == entry, self._visible(reader))
            row = (await connection.execute(visible)).one_or_none()
            if row is None or row.question is None:
                return row is not None
            visible = select(post.c.id).where(post.c.id == row.question, self._visible(reader))
            return (await connection.execute(visible)).first() is not None

    @staticmethod
    def _visible(reader: Who | None) -> Any:
        if reader is not None and reader.keeps_order:
            return post.c.state.in_(("held", "shown", "hidden"))
        shown = post.c.state == "shown"
        return shown if reader is None else or_(shown, and_(post.c.person == reader.id, _THERE))

    @staticmethod
    def _select(reader: Who | None) -> Select[Any]:
        answer = post.alias("answer")
        answers = select(func.count()).where(answer.c.question == post.c.id, answer.c.state == "shown")
        return select(
            post,
            person.c.name,
            person.c.kind,
            select(func.count()).where(vote.c.post == post.c.id).scalar_subquery().label("votes"),
            answers.scalar_subquery().label("answers"),
            exists()
            .where(vote.c.post == post.c.id, vote.c.person == ("" if reader is None else reader.id))
            .label("voted"),
        ).outerjoin(person, person.c.id == post.c.person)

    def _post(self, row: RowMapping, reader: Who | None) -> Post:
        mine = reader is not None and row["person"] == reader.id
        young = self._now() - row["created"] < EDIT_SECONDS
        name: str | None = row["name"]
        return Post(
            row["id"],
            row["question"],
            row["topic"],
            row["language"],
            row["title"],
            row["text"],
            name,
            profile_url(name) if name and row["kind"] in ("member", "bot") else None,
            row["created"],
            row["edited"],
            row["answered"],
            row["votes"],
            row["answers"],
            mine,
            bool(row["voted"]),
            mine and young and row["state"] != "hidden",
            row["state"] == "held",
            row["state"] == "hidden",
        )

    # --- Writing ---------------------------------------------------------------------------------------------------

    async def ask(self, who: Who, topic: str, language: str, title: str, text: str) -> Written:
        """Ask something. Raises :class:`ForumError`, Silenced and BadWords."""
        if not is_topic(topic):
            raise ForumError(N_("Choose what the question is about."))
        title = valid_words(title, LONGEST_TITLE, lines=False)
        text = valid_words(text, LONGEST_TEXT, least=0)
        return await self._write(who, topic=topic, language=language, title=title, text=text, question=None)

    async def answer(self, who: Who, question: str, language: str, text: str) -> Written:
        """Answer a question. Raises :class:`NoSuchPost`, :class:`ForumError`, Silenced and BadWords."""
        asked = (await self.thread(question, language, who)).question
        if asked.held or asked.hidden:
            raise ForumError(N_("This question cannot be answered now."))
        if asked.answers >= MOST_ANSWERS:
            raise ForumError(N_("This question has answers enough."))
        text = valid_words(text, LONGEST_TEXT)
        return await self._write(who, topic=asked.topic, language=language, title="", text=text, question=question)

    async def _write(self, who: Who, **columns: Any) -> Written:
        now, entry = self._now(), new_id()
        async with self._engine.begin() as connection:
            # whoever sends two at the same moment waits for himself here
            await connection.execute(select(person.c.id).where(person.c.id == who.id).with_for_update())
            asks, is_new = await self._may_write(connection, who)
            if asks == "silenced":
                raise Silenced
            if asks != "ask":
                raise ForumError(N_("Only members ask and answer."))
            await self._expect_few(connection, who, now, is_new=is_new)
            held = self._is_held(columns["title"] + "\n" + columns["text"], is_new=is_new)
            await connection.execute(
                insert(post).values(
                    id=entry,
                    person=who.id,
                    state="held" if held else "shown",
                    answered=False,
                    created=now,
                    shown=None if held else now,
                    **columns,
                )
            )
            if held:
                await _report_held(connection, entry, now)
        return Written(entry, held)

    @staticmethod
    def _is_held(words: str, *, is_new: bool) -> bool:
        links = len(addresses(words))
        if is_new and links:
            raise ForumError(N_("New members write without links. Take the address out."))
        return is_new or links > MOST_LINKS

    async def _expect_few(self, connection: AsyncConnection, who: Who, now: float, *, is_new: bool) -> None:
        rows = await connection.execute(
            select(func.count(), func.max(post.c.created)).where(post.c.person == who.id, post.c.created > now - DAY)
        )
        count, last = rows.one()
        if count >= (MOST_OF_NEW if is_new else MOST_A_DAY):
            raise ForumError(N_("You have written much today. Go on tomorrow."))
        if last is not None and last > now - BETWEEN:
            raise ForumError(N_("That was fast: wait a moment, then send it again."))

    async def _may_write(self, connection: AsyncConnection, reader: Who | None) -> tuple[str, bool]:
        """What a reader can do ("ask", "log_in" or "silenced"), and whether he is new."""
        if reader is None or not reader.is_member:
            return "log_in", False
        now = self._now()
        let_through = select(func.count()).where(post.c.person == reader.id, post.c.state == "shown").scalar_subquery()
        played = exists().where(
            seat.c.player == reader.id, game.c.id == seat.c.game, game.c.score.is_not(None), game.c.score != "*"
        )
        rows = await connection.execute(
            select(account.c.joined, let_through.label("posts"), played.label("played"), conduct.c.silenced_until)
            .outerjoin(conduct, conduct.c.person == account.c.person)
            .where(account.c.person == reader.id)
        )
        row = rows.one_or_none()
        if row is None:
            return "log_in", False
        if row.silenced_until is not None and row.silenced_until > now:
            return "silenced", False
        is_new = (row.joined > now - NEW_FOR or not row.played) and row.posts < LET_THROUGH
        return "ask", is_new and not reader.keeps_order

    async def own(self, who: Who, entry: str) -> Post:
        """Something of somebody's own. Raises :class:`NoSuchPost`."""
        if not can_be_id(entry):
            raise NoSuchPost
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                self._select(who).where(post.c.id == entry, post.c.person == who.id, _THERE)
            )
            row = rows.mappings().one_or_none()
        if row is None:
            raise NoSuchPost
        return self._post(row, who)

    async def edit(self, who: Who, entry: str, title: str, text: str) -> bool:
        """Change one's own, for a while; returns whether it waits for a moderator now.

        Raises :class:`NoSuchPost`, :class:`ForumError`, Silenced and BadWords."""
        async with self._engine.begin() as connection:
            row = await self._own(connection, who, entry)
            asks, is_new = await self._may_write(connection, who)
            if asks != "ask":
                raise Silenced
            is_question = row["question"] is None
            title = valid_words(title, LONGEST_TITLE, lines=False) if is_question else ""
            text = valid_words(text, LONGEST_TEXT, least=0 if is_question else 1)
            held = self._is_held(f"{title}\n{text}", is_new=is_new) or row["state"] == "held"
            await connection.execute(
                update(post)
                .where(post.c.id == entry)
                .values(title=title, text=text, edited=self._now(), state="held" if held else "shown")
            )
            if held:
                await connection.execute(_without_held([entry]))
                await _report_held(connection, entry, self._now())
        return held

    async def remove(self, who: Who, entry: str) -> str | None:
        """Take one's own away, for a while; returns the question that it was an answer to.

        Raises :class:`NoSuchPost` and :class:`ForumError`.
        """
        async with self._engine.begin() as connection:
            row = await self._own(connection, who, entry)
            answers = await connection.execute(select(post.c.id, post.c.person).where(post.c.question == entry, _THERE))
            found = answers.all()
            if any(each.person != who.id for each in found):
                raise ForumError(N_("It has been answered: the answers would stand there alone."))
            going = [entry, *(each.id for each in found)]
            await connection.execute(_without_held(going))
            await connection.execute(delete(vote).where(vote.c.post.in_(going)))
            await connection.execute(delete(awaited_answer).where(awaited_answer.c.question == entry))
            # without a word in it each still counts as one of the day's
            await connection.execute(
                update(post).where(post.c.id.in_(going)).values(state="removed", title="", text="", answered=False)
            )
        return row["question"]

    async def tidy(self) -> None:
        """Drop what was removed, once it no longer counts as one of the day's: an answer's day ends after its question's."""
        async with self._engine.begin() as connection:
            before = self._now() - DAY - EDIT_SECONDS
            await connection.execute(delete(post).where(post.c.state == "removed", post.c.created < before))

    async def _own(self, connection: AsyncConnection, who: Who, entry: str) -> RowMapping:
        if not can_be_id(entry):
            raise NoSuchPost
        rows = await connection.execute(
            select(post).where(post.c.id == entry, post.c.person == who.id, _THERE).with_for_update()
        )
        row = rows.mappings().one_or_none()
        if row is None:
            raise NoSuchPost
        if row["state"] == "hidden" or self._now() - row["created"] >= EDIT_SECONDS:
            raise ForumError(N_("It can no longer be changed."))
        return row

    # --- Voting, marking, waiting ----------------------------------------------------------------------------------

    async def vote(self, who: Who, entry: str, *, up: bool) -> str:
        """Find a question or an answer good, or no longer; returns the question's id.

        Raises :class:`NoSuchPost`, :class:`ForumError` and Silenced.
        """
        async with self._engine.begin() as connection:
            row = await self._shown(connection, entry)
            if not who.is_member:
                raise ForumError(N_("Only members vote."))
            asks, _ = await self._may_write(connection, who)
            if asks == "silenced":
                raise Silenced
            if row["person"] == who.id:
                raise ForumError(N_("This is your own."))
            if up:
                await connection.execute(
                    insert_if_missing(connection, vote, post=entry, person=who.id, since=self._now())
                )
            else:
                await connection.execute(delete(vote).where(vote.c.post == entry, vote.c.person == who.id))
        return row["question"] or entry

    async def mark(self, who: Who, question: str, *, answered: bool) -> None:
        """Say that a question is answered, or is not yet. Raises :class:`NoSuchPost` and :class:`ForumError`."""
        async with self._engine.begin() as connection:
            row = await self._shown(connection, question)
            if row["question"] is not None:
                raise NoSuchPost
            if row["person"] != who.id and not who.keeps_order:
                raise ForumError(N_("Only who has asked, or a moderator, can say that."))
            await connection.execute(update(post).where(post.c.id == question).values(answered=answered))

    async def await_answers(self, who: Who, question: str, *, wanted: bool) -> None:
        """Want a letter when a question is answered, or none. Raises :class:`NoSuchPost`."""
        if not can_be_id(question):
            raise NoSuchPost
        async with self._engine.begin() as connection:
            mine = and_(awaited_answer.c.question == question, awaited_answer.c.person == who.id)
            if not wanted:
                await connection.execute(delete(awaited_answer).where(mine))
                return
            rows = await connection.execute(
                select(post.c.id).where(post.c.id == question, post.c.question.is_(None), self._visible(who))
            )
            if rows.first() is None or not who.is_member:
                raise NoSuchPost
            await connection.execute(
                insert_if_missing(connection, awaited_answer, question=question, person=who.id, told=self._now())
            )

    @staticmethod
    async def _shown(connection: AsyncConnection, entry: str) -> RowMapping:
        """What everybody sees: an answer is hidden with its question."""
        if not can_be_id(entry):
            raise NoSuchPost
        asked = post.alias("asked")
        rows = await connection.execute(
            select(post)
            .outerjoin(asked, asked.c.id == post.c.question)
            .where(post.c.id == entry, post.c.state == "shown", func.coalesce(asked.c.state, "shown") == "shown")
        )
        row = rows.mappings().one_or_none()
        if row is None:
            raise NoSuchPost
        return row


async def _count(connection: AsyncConnection, condition: Any) -> int:
    return (await connection.execute(select(func.count()).select_from(post).where(condition))).scalar_one()


async def _report_held(connection: AsyncConnection, entry: str, now: float) -> None:
    """Let the moderators have it in their queue."""
    context = await look(connection, "post", entry)
    if context is not None:
        await enter(connection, context, None, HELD, "", now)


def _without_held(entries: Sequence[str]) -> Any:
    return delete(report).where(
        report.c.what == "post", report.c.subject.in_(entries), report.c.reason == HELD, report.c.closed.is_(None)
    )
