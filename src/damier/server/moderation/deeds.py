"""What moderators do: hide, warn, silence, close, annul; each in the log, and each can be taken back.

What is done is done in one transaction with its entry in the log, which holds what it takes to take it back. Deeds about
the same thing are taken back in the order opposite to that in which they were done, so that each leaves what was there
before it. What the other processes have to know they are told when the transaction has ended.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import and_, delete, exists, func, insert, select, update

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.news import OF_TOKEN, LoggedOut, encoded
from damier.server.annulment import annul, restore
from damier.server.lobby.invitation import InvitationError
from damier.server.moderation.conduct import lay_upon
from damier.server.moderation.renames import Renamed, unname_games
from damier.server.moderation.reports import concerned_by
from damier.server.moderation.subjects import Context, chat_of, look
from damier.server.people import BadName, name_key, take_name
from damier.server.play.chat import HIDDEN_LINE
from damier.server.play.messages import Room
from damier.server.tables import (
    account,
    api_token,
    chat_line,
    conduct,
    deed,
    invitation,
    person,
    post,
    report,
    session,
    warning,
)
from damier.server.words import valid_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from damier.server.bus import Bus
    from damier.server.lobby.invitations import Invitations
    from damier.server.moderation.log import Action
    from damier.server.moderation.subjects import What
    from damier.server.people import Who
    from damier.server.play.rooms import Rooms
    from damier.server.rating_book import RatingBook
    from damier.server.stats.service import Statistics

KEEPERS: Final = ("moderator", "administrator")
LONGEST_WORDS: Final = 500
DAY: Final = 86_400.0
SILENCES: Final = (1, 7, 30, 365)
"""Days for which somebody can be silenced."""
LOG_LOCK: Final = 0x6465656473
"""The lock in PostgreSQL under which the log is written."""
TRIES: Final = 20
"""Names that are tried for one who is to have none of his own."""
CHANGING: Final = ("post", "member")
"""Whose words those can change who wrote them."""
OWN_CASE: Final = N_("Nobody judges what concerns himself: leave it to another moderator.")
_ABOUT_PERSON: Final = ("rename", "warn", "silence", "close")
_ABOUT_WORDS: Final = ("show", "hide")


class DeedError(DamierError):
    """Why a moderator cannot do something, or not take it back."""


class NotRead(DeedError):
    """The words are no longer those that the moderator has read."""

    def __init__(self) -> None:
        super().__init__(N_("The words have been changed since you read them. Read them again before you decide."))


@dataclass
class _Done:
    """What a transaction has done that others are to be told."""

    logged_out: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    renamed: list[Renamed] = field(default_factory=list[Renamed])
    lines: list[tuple[str, Room, int]] = field(default_factory=list[tuple[str, Room, int]])
    games: list[str] = field(default_factory=list[str])
    withdrawn: list[str] = field(default_factory=list[str])


class Moderation:
    """Does what moderators ask for. ``now``: seconds since 1970."""

    def __init__(
        self,
        engine: AsyncEngine,
        bus: Bus,
        ratings: RatingBook,
        rooms: Rooms,
        lobby: Invitations,
        statistics: Statistics,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._bus = bus
        self._ratings = ratings
        self._rooms = rooms
        self._lobby = lobby
        self._statistics = statistics
        self._now = now

    async def do(
        self,
        moderator: Who,
        what: What,
        subject: str,
        actions: Sequence[Action],
        *,
        person_id: str | None = None,
        words: str = "",
        days: int = 0,
        mark: str | None = None,
    ) -> list[int]:
        """Do these things about something, and count all reports of it as looked at; returns the log's entries.

        ``person_id``: to whom, where it is about several; ``words``: to that person, and for the log; ``days``: of
        silence; ``mark``: of what was read. Raises :class:`DeedError`, NotAnnulled and BadWords, and then nothing is done.
        """
        words = valid_words(words, LONGEST_WORDS, least=0)
        if "warn" in actions and not words:
            raise DeedError(N_("A warning needs words."))
        if "silence" in actions and days not in SILENCES:
            raise DeedError(N_("Choose for how long."))
        if not actions or ("dismiss" in actions and len(actions) > 1) or {"show", "hide"} <= set(actions):
            raise DeedError(N_("Choose what to do."))
        done, entries = _Done(), list[int]()
        async with self._engine.begin() as connection:
            await _alone(connection)
            if what == "post":  # who is just changing it does so before this, or after it
                await connection.execute(select(post.c.id).where(post.c.id == subject).with_for_update())
            context = await look(connection, what, subject)
            if mark is not None and context is not None and what in CHANGING and context.mark != mark:
                raise NotRead
            if context is None and actions != ["dismiss"]:
                raise DeedError(N_("It is no longer there."))
            concerned = await _concerned(connection, moderator, what, subject)
            target = await self._target(connection, moderator, context, actions, person_id, concerned)
            for action in actions:
                entry = await _next(connection)
                before = await self._act(connection, done, action, what, subject, context, target, words, days, entry)
                if not entries:  # the first of them counts the reports as looked at, and taken back opens them again
                    before |= await self._close_reports(connection, what, subject)
                await self._write(connection, entry, moderator, action, what, subject, target, words, before=before)
                entries.append(entry)
        await self._tell(done)
        return entries

    async def _target(
        self,
        connection: AsyncConnection,
        moderator: Who,
        context: Context | None,
        actions: Sequence[Action],
        person_id: str | None,
        concerned: set[str],
    ) -> str | None:
        """Whom the actions are done to. Raises :class:`DeedError` where this moderator may not."""
        if "dismiss" in actions or context is None:
            await _may_act(
                connection, moderator, concerned if context is None else [each.id for each in context.people]
            )
            return None if context is None else context.person
        people = [each.id for each in context.people]
        person_id = person_id or context.person
        if person_id is None and any(each in _ABOUT_PERSON for each in actions):
            raise DeedError(N_("Choose whom it is about."))
        if person_id is not None and person_id not in people:
            raise DeedError(N_("It is no longer there."))
        # a game is annulled for both
        touched = people if "annul" in actions or person_id is None else [person_id]
        await _may_act(connection, moderator, touched)
        return person_id

    async def _act(
        self,
        connection: AsyncConnection,
        done: _Done,
        action: Action,
        what: What,
        subject: str,
        context: Context | None,
        target: str | None,
        words: str,
        days: int,
        entry: int,
    ) -> dict[str, object]:
        """Do one thing; returns what it takes to take it back."""
        if action == "dismiss":  # which does no more than what each deed does to the reports
            return {}
        if context is None:
            raise DeedError(N_("It is no longer there."))
        match action:
            case "show" | "hide" if context.what == "post":
                return await self._set_post(connection, context, "shown" if action == "show" else "hidden")
            case "hide" if context.what == "chat":
                return await _hide_line(connection, done, context)
            case "annul" if context.what == "game":
                await annul(connection, context.subject)
                done.games.append(context.subject)
                return {}
            case "rename" if target is not None:
                return await self._rename(connection, done, target)
            case "warn" if target is not None:
                await connection.execute(
                    insert(warning).values(deed=entry, person=target, words=words, created=self._now())
                )
                await lay_upon(connection, [target], warned=True)
                return {}
            case "silence" if target is not None:
                until = self._now() + days * DAY
                rows = await connection.execute(select(conduct.c.silenced_until).where(conduct.c.person == target))
                before = rows.scalar_one_or_none()
                await lay_upon(connection, [target], silenced_until=until)
                return {"until": before}
            case "close" if target is not None:
                return await self._close(connection, done, target)
            case _:
                raise DeedError(N_("This cannot be done here."))

    # --- The deeds themselves --------------------------------------------------------------------------------------

    async def _set_post(self, connection: AsyncConnection, context: Context, state: str) -> dict[str, object]:
        rows = await connection.execute(
            select(post.c.state, post.c.shown, post.c.text, post.c.title).where(post.c.id == context.subject)
        )
        row = rows.one()
        if row.state == state:
            raise DeedError(N_("This has been done already."))
        shown = row.shown if row.shown is not None or state != "shown" else self._now()
        await connection.execute(update(post).where(post.c.id == context.subject).values(state=state, shown=shown))
        return {"state": row.state, "shown": row.shown, "words": row.title or row.text}

    async def _rename(self, connection: AsyncConnection, done: _Done, target: str) -> dict[str, object]:
        rows = await connection.execute(
            select(person.c.name, person.c.name_key, person.c.kind, conduct.c.must_rename)
            .outerjoin(conduct, conduct.c.person == person.c.id)
            .where(person.c.id == target)
        )
        row = rows.one()
        if row.name is None:
            raise DeedError(N_("This has been done already."))
        neutral = await _neutral_name(connection, target, self._now())
        await connection.execute(
            update(person).where(person.c.id == target).values(name=neutral, name_key=name_key(neutral))
        )
        if row.kind != "guest":  # a guest chooses another at any time
            await lay_upon(connection, [target], must_rename=True)
        renamed = Renamed(target, row.name, neutral)
        await unname_games(connection, renamed)
        done.renamed.append(renamed)
        return {"name": row.name, "name_key": row.name_key, "neutral": neutral, "must": bool(row.must_rename)}

    async def _close(self, connection: AsyncConnection, done: _Done, target: str) -> dict[str, object]:
        rows = await connection.execute(select(person.c.kind).where(person.c.id == target))
        kind = rows.scalar_one()
        if kind not in ("member", "bot"):
            raise DeedError(N_("Only a member's account can be closed."))
        await connection.execute(update(person).where(person.c.id == target).values(kind="closed"))
        tokens = await connection.execute(select(api_token.c.id).where(api_token.c.person == target))
        done.logged_out.append((target, list(tokens.scalars())))
        done.withdrawn.append(target)
        # whoever knew the password may have opened these; when the account opens again, its owner logs in anew
        await connection.execute(delete(session).where(session.c.person == target))
        return {"kind": kind}

    async def _close_reports(self, connection: AsyncConnection, what: str, subject: str) -> dict[str, object]:
        """Count the reports of something as looked at, and let those who have reported it know."""
        mine = and_(report.c.what == what, report.c.subject == subject, report.c.closed.is_(None))
        rows = await connection.execute(select(report.c.id, report.c.reporter).where(mine))
        found = rows.all()
        await connection.execute(
            update(report).where(report.c.id.in_([each.id for each in found])).values(closed=self._now())
        )
        await lay_upon(connection, [each.reporter for each in found if each.reporter is not None], looked_at=True)
        return {"reports": [each.id for each in found]}

    # --- Taking back -----------------------------------------------------------------------------------------------

    async def undo(self, moderator: Who, entry: int) -> int:
        """Take a deed back: all is as it was before it. Returns the new entry. Raises :class:`DeedError`."""
        done = _Done()
        async with self._engine.begin() as connection:
            rows = await connection.execute(select(deed).where(deed.c.id == entry))
            row = rows.mappings().one_or_none()
            if row is None or row["action"] == "undo":
                raise DeedError(N_("This cannot be taken back."))
            await _alone(connection)
            if row["before"] is None:
                raise DeedError(N_("This cannot be taken back: whom it was about has gone."))
            await self._expect_last(connection, row)
            await _concerned(connection, moderator, row["what"], row["subject"])
            # what an administrator has done another one takes back
            people = [each for each in (row["person"],) if each is not None]
            people += [] if row["moderator"] == moderator.id else [row["moderator"]]
            if row["action"] in ("annul", "dismiss"):
                context = await look(connection, row["what"], row["subject"])
                people += [] if context is None else [each.id for each in context.people]
            await _may_act(connection, moderator, people)
            before = msgspec.json.decode(row["before"])
            await self._undo(connection, done, row, before)
            await connection.execute(
                update(report).where(report.c.id.in_(before.get("reports", []))).values(closed=None)
            )
            back = await _next(connection)
            await self._write(
                connection, back, moderator, "undo", row["what"], row["subject"], row["person"], "", undoes=entry
            )
        await self._tell(done)
        return back

    async def _expect_last(self, connection: AsyncConnection, row: Any) -> None:
        """Raise :class:`DeedError` for what is taken back already, and where something of the kind was done later."""
        other, newer = deed.alias("other"), deed.alias("newer")
        if (await connection.execute(select(other.c.id).where(other.c.undoes == row["id"]))).first() is not None:
            raise DeedError(N_("This has been taken back already."))
        if row["action"] in ("dismiss", "warn"):
            return
        same: ColumnElement[bool]
        if row["action"] in _ABOUT_PERSON:
            same = and_(newer.c.person == row["person"], newer.c.action == row["action"])
        else:
            same = and_(newer.c.what == row["what"], newer.c.subject == row["subject"])
            same = and_(same, newer.c.action.in_(_ABOUT_WORDS if row["action"] in _ABOUT_WORDS else [row["action"]]))
        later = newer.c.id > row["id"]
        found = await connection.execute(
            select(newer.c.id).where(same, later, ~exists().where(other.c.undoes == newer.c.id)).limit(1)
        )
        if found.first() is not None:
            raise DeedError(N_("Take back first what was done after it."))

    async def _undo(self, connection: AsyncConnection, done: _Done, row: Any, before: dict[str, Any]) -> None:
        target: str = row["person"] or ""
        match row["action"]:
            case "show" | "hide" if row["what"] == "post":
                changed = await connection.execute(
                    update(post)
                    .where(post.c.id == row["subject"], post.c.state != "removed")
                    .values(state=before["state"], shown=before["shown"])
                )
                if changed.rowcount != 1:
                    raise DeedError(N_("It is no longer there."))
            case "hide":
                await _show_line(connection, done, row["subject"], before)
            case "annul":
                await restore(connection, row["subject"])
                done.games.append(row["subject"])
            case "rename":
                await self._name_back(connection, done, target, before)
            case "warn":
                await connection.execute(delete(warning).where(warning.c.deed == row["id"]))
                left = await connection.execute(
                    select(func.count())
                    .select_from(warning)
                    .where(warning.c.person == target, warning.c.read.is_(None))
                )
                await lay_upon(connection, [target], warned=left.scalar_one() > 0)
            case "silence":
                await lay_upon(connection, [target], silenced_until=before["until"])
            case "close":
                changed = await connection.execute(
                    update(person).where(person.c.id == target, person.c.kind == "closed").values(kind=before["kind"])
                )
                if changed.rowcount != 1:
                    raise DeedError(N_("It is no longer there."))
            case "dismiss":
                pass
            case _:
                raise DeedError(N_("This cannot be taken back."))

    async def _name_back(self, connection: AsyncConnection, done: _Done, target: str, before: dict[str, Any]) -> None:
        rows = await connection.execute(select(person.c.name).where(person.c.id == target))
        if rows.scalar_one_or_none() != before["neutral"]:
            raise DeedError(N_("Another name has been chosen meanwhile."))
        try:
            await take_name(connection, target, before["name"], self._now())
        except BadName:
            raise DeedError(N_("Somebody else has this name by now.")) from None
        await connection.execute(
            update(person).where(person.c.id == target).values(name=before["name"], name_key=before["name_key"])
        )
        await lay_upon(connection, [target], must_rename=before["must"])
        renamed = Renamed(target, before["neutral"], before["name"])
        await unname_games(connection, renamed)
        done.renamed.append(renamed)

    # --- The log, and the others -----------------------------------------------------------------------------------

    async def _write(
        self,
        connection: AsyncConnection,
        entry: int,
        moderator: Who,
        action: Action,
        what: str,
        subject: str,
        target: str | None,
        words: str,
        *,
        before: dict[str, object] | None = None,
        undoes: int | None = None,
    ) -> None:
        await connection.execute(
            insert(deed).values(
                id=entry,
                at=self._now(),
                moderator=moderator.id,
                action=action,
                what=what,
                subject=subject,
                person=target,
                words=words,
                undoes=undoes,
                before=None if before is None else msgspec.json.encode(before).decode(),
            )
        )

    async def _tell(self, done: _Done) -> None:
        """Let all processes, and all pages that are open, know."""
        for who, tokens in done.logged_out:
            await self._bus.publish(f"person:{who}", encoded(LoggedOut()))
            for token in tokens:
                await self._bus.publish(f"person:{who}", encoded(LoggedOut(OF_TOKEN + token)))
        for each in done.renamed:
            await self._bus.publish(Renamed.TOPIC, each.encode())
        for game_id, room, seq in done.lines:
            await self._rooms.changed(game_id, room, seq)
        for game_id in done.games:
            await self._statistics.recount(game_id)
            await self._ratings.tell(game_id)
        for who in done.withdrawn:
            await self._withdraw(who)

    async def _withdraw(self, who: str) -> None:
        """Take back what others could still accept from somebody."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(invitation.c.id).where(invitation.c.state == "open", invitation.c.host == who)
            )
            found = rows.scalars().all()
        for each in found:
            try:
                await self._lobby.withdraw(each, who)
            except InvitationError:
                continue  # answered or expired meanwhile


async def _concerned(connection: AsyncConnection, moderator: Who, what: What, subject: str) -> set[str]:
    """All whom something concerns. Raises :class:`DeedError` where this moderator is among them."""
    people = await concerned_by(connection, what, subject)
    if moderator.id in people:
        raise DeedError(OWN_CASE)
    return people


async def _may_act(connection: AsyncConnection, moderator: Who, people: Collection[str]) -> None:
    """Raise :class:`DeedError` where one of these people is this moderator's not to judge."""
    if moderator.role not in KEEPERS or not moderator.is_member:
        raise DeedError(N_("This is for moderators."))
    if moderator.id in people:
        raise DeedError(OWN_CASE)
    rows = await connection.execute(select(account.c.role).where(account.c.person.in_(people)))
    if moderator.role != "administrator" and "administrator" in rows.scalars().all():
        raise DeedError(N_("This concerns an administrator: leave it to another one."))


async def _alone(connection: AsyncConnection) -> None:
    """Let nobody else write into the log before this transaction has ended."""
    if connection.dialect.name == "postgresql":  # in SQLite one transaction writes at a time
        await connection.execute(select(func.pg_advisory_xact_lock(LOG_LOCK)))


async def _next(connection: AsyncConnection) -> int:
    """The number of the next deed."""
    return ((await connection.execute(select(func.max(deed.c.id)))).scalar_one() or 0) + 1


async def _neutral_name(connection: AsyncConnection, target: str, now: float) -> str:
    """A name that says nothing, and that nobody has."""
    for _ in range(TRIES):
        name = f"Player-{secrets.randbelow(900_000) + 100_000}"
        try:
            await take_name(connection, target, name, now)
        except BadName:
            continue
        return name
    raise DeedError(N_("Something went wrong on our side"))


async def _hide_line(connection: AsyncConnection, done: _Done, context: Context) -> dict[str, object]:
    line = _line(context.subject)
    rows = await connection.execute(select(chat_line.c.text, chat_line.c.preset).where(line))
    row = rows.one()
    if row.text == HIDDEN_LINE:
        raise DeedError(N_("This has been done already."))
    if row.text == "":
        raise DeedError(N_("It is no longer there."))
    await connection.execute(update(chat_line).where(line).values(text=HIDDEN_LINE, preset=None))
    done.lines.append(_place(context.subject))
    return {"text": row.text, "preset": row.preset, "words": row.text or row.preset}


async def _show_line(connection: AsyncConnection, done: _Done, subject: str, before: dict[str, Any]) -> None:
    changed = await connection.execute(
        update(chat_line)
        .where(_line(subject), chat_line.c.text == HIDDEN_LINE)
        .values(text=before["text"], preset=before["preset"])
    )
    if changed.rowcount != 1:
        raise DeedError(N_("It is no longer there."))
    done.lines.append(_place(subject))


def _place(subject: str) -> tuple[str, Room, int]:
    place = chat_of(subject)
    if place is None:
        raise DeedError(N_("It is no longer there."))
    return place


def _line(subject: str) -> ColumnElement[bool]:
    game_id, room, seq = _place(subject)
    return and_(chat_line.c.game == game_id, chat_line.c.room == room, chat_line.c.seq == seq)
