"""All that is kept of a member, as a ZIP of JSON lines and PDN, made while it is sent.

A row is read, written and sent before the next ones: of a member with a hundred thousand games no more is in memory at
a time than of one with ten. Nothing that opens an account is in it, no hash either, and of others no more than the names
that the member has seen.
"""

from __future__ import annotations

import asyncio
import json
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import case, func, or_, select

from damier.server.play.web import pdn_text
from damier.server.tables import (
    account,
    api_token,
    awaited_answer,
    block,
    chat_line,
    conduct,
    daily_exercise,
    deed,
    exercise,
    follow,
    game,
    guide_step,
    invitation,
    offence,
    passkey,
    person,
    post,
    rated_game,
    rating,
    report,
    seat,
    session,
    vote,
    warning,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from sqlalchemy import Column
    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.server.play.store import EventStore

PAGE: Final = 200
"""Rows that are read at once."""
CHUNK: Final = 65_536
"""Bytes that are sent at once."""
MOMENTS: Final = frozenset(
    [
        "at",
        "begun",
        "closed",
        "created",
        "daily_sent",
        "edited",
        "expires",
        "joined",
        "read",
        "seen",
        "shown",
        "silenced_until",
        "since",
        "used",
    ]
)
"""Columns of moments, which are written as ISO 8601 has them."""


class _Sink:
    """A file that can only be written to, and is emptied again and again."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.waiting = 0

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        self.waiting += len(data)
        return len(data)

    def flush(self) -> None:
        pass

    def take(self) -> bytes:
        taken, self._parts, self.waiting = b"".join(self._parts), [], 0
        return taken


class Exports:
    """Writes out what the club keeps of a member."""

    def __init__(self, engine: AsyncEngine, store: EventStore) -> None:
        self._engine = engine
        self._store = store

    async def archive(self, who: str, site: str) -> AsyncGenerator[bytes]:
        """The ZIP, piece by piece. ``site``: the club's address, for the games."""
        sink = _Sink()
        with zipfile.ZipFile(cast("Any", sink), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, question, key in self._questions(who):
                with archive.open(name, "w") as file:
                    async for row in self._rows(question, key):
                        file.write(json.dumps(_shown(row), ensure_ascii=False).encode() + b"\n")
                        if sink.waiting >= CHUNK:
                            yield sink.take()
            with archive.open("games.pdn", "w") as file:
                async for text in self._games(who, site):
                    file.write(text)
                    if sink.waiting >= CHUNK:
                        yield sink.take()
        yield sink.take()

    @staticmethod
    def _questions(who: str) -> list[tuple[str, Any, tuple[Column[Any], ...]]]:
        """The files but the games: each with its question and the columns that number its rows."""
        followers = select(func.count()).select_from(follow).where(follow.c.followed == who).scalar_subquery()
        return [
            (
                "account.jsonl",
                select(
                    person.c.id,
                    person.c.kind,
                    person.c.name,
                    person.c.chat_off,
                    person.c.created,
                    person.c.seen,
                    account.c.role,
                    account.c.email,
                    account.c.daily,
                    account.c.daily_sent,
                    account.c.language,
                    account.c.joined,
                    account.c.password.is_not(None).label("has_password"),
                    followers.label("followers"),
                )
                .join(account, account.c.person == person.c.id)
                .where(person.c.id == who),
                (person.c.id,),
            ),
            (
                "sessions.jsonl",
                select(session.c.device, session.c.created, session.c.seen).where(session.c.person == who),
                (session.c.token_hash,),
            ),
            (
                "passkeys.jsonl",
                select(passkey.c.name, passkey.c.created, passkey.c.used).where(passkey.c.person == who),
                (passkey.c.id,),
            ),
            (
                "programs.jsonl",
                select(
                    api_token.c.name, api_token.c.scopes, api_token.c.created, api_token.c.expires, api_token.c.used
                ).where(api_token.c.person == who),
                (api_token.c.id,),
            ),
            (
                "followed.jsonl",
                select(person.c.name, follow.c.since)
                .join(person, person.c.id == follow.c.followed)
                .where(follow.c.follower == who),
                (follow.c.followed,),
            ),
            (
                "blocked.jsonl",
                select(person.c.name, block.c.since)
                .join(person, person.c.id == block.c.blocked)
                .where(block.c.blocker == who),
                (block.c.blocked,),
            ),
            (
                "ratings.jsonl",
                select(
                    rating.c.rules,
                    rating.c.speed,
                    rating.c.value,
                    rating.c.deviation,
                    rating.c.volatility,
                    rating.c.games,
                    rating.c.at,
                ).where(rating.c.person == who),
                (rating.c.rules, rating.c.speed),
            ),
            (
                "rated_games.jsonl",
                select(
                    *(column for column in rated_game.c if column.name not in ("white", "black")),
                    case((rated_game.c.white == who, "white"), else_="black").label("color"),
                ).where(or_(rated_game.c.white == who, rated_game.c.black == who)),
                (rated_game.c.game,),
            ),
            (
                "chat.jsonl",
                select(
                    chat_line.c.game,
                    chat_line.c.room,
                    chat_line.c.seq,
                    chat_line.c.side,
                    chat_line.c.name,
                    chat_line.c.text,
                    chat_line.c.preset,
                    chat_line.c.at,
                ).where(chat_line.c.person == who),
                (chat_line.c.game, chat_line.c.room, chat_line.c.seq),
            ),
            (
                "invitations.jsonl",
                select(
                    *(column for column in invitation.c if column.name not in ("host", "guest")),
                    case((invitation.c.host == who, "host"), else_="guest").label("as"),
                ).where(or_(invitation.c.host == who, invitation.c.guest == who)),
                (invitation.c.id,),
            ),
            (
                "offences.jsonl",
                select(offence.c.game, offence.c.kind, offence.c.at).where(offence.c.person == who),
                (offence.c.game,),
            ),
            (
                "guide.jsonl",
                select(guide_step.c.step, guide_step.c.at).where(guide_step.c.person == who),
                (guide_step.c.step,),
            ),
            (
                "exercise.jsonl",
                select(*(column for column in exercise.c if column.name != "person")).where(exercise.c.person == who),
                (exercise.c.person,),
            ),
            (
                "daily_exercises.jsonl",
                select(daily_exercise.c.day, daily_exercise.c.solved, daily_exercise.c.at).where(
                    daily_exercise.c.person == who
                ),
                (daily_exercise.c.day,),
            ),
            (
                "posts.jsonl",
                select(*(column for column in post.c if column.name != "person")).where(
                    post.c.person == who, post.c.state != "removed"
                ),
                (post.c.created, post.c.id),
            ),
            ("votes.jsonl", select(vote.c.post, vote.c.since).where(vote.c.person == who), (vote.c.post,)),
            (
                "awaited_answers.jsonl",
                select(awaited_answer.c.question).where(awaited_answer.c.person == who),
                (awaited_answer.c.question,),
            ),
            (
                # without what others have written, which stands around it
                "reports.jsonl",
                select(report.c.what, report.c.reason, report.c.words, report.c.created, report.c.closed).where(
                    report.c.reporter == who
                ),
                (report.c.created, report.c.id),
            ),
            (
                "moderation.jsonl",
                select(deed.c.at, deed.c.action, deed.c.what, deed.c.words, deed.c.before).where(deed.c.person == who),
                (deed.c.id,),
            ),
            (
                "conduct.jsonl",
                select(conduct.c.silenced_until, conduct.c.must_rename).where(conduct.c.person == who),
                (conduct.c.person,),
            ),
            (
                "warnings.jsonl",
                select(warning.c.words, warning.c.created, warning.c.read).where(warning.c.person == who),
                (warning.c.deed,),
            ),
        ]

    async def _rows(self, question: Any, key: tuple[Column[Any], ...]) -> AsyncGenerator[Mapping[str, object]]:
        """A question's rows, some at a time, so that no connection is held while the reader is slow."""
        done = 0
        while True:
            async with self._engine.connect() as connection:
                rows = (await connection.execute(question.order_by(*key).offset(done).limit(PAGE))).mappings().all()
            for row in rows:
                yield cast("Mapping[str, object]", row)
            done += len(rows)
            if len(rows) < PAGE:
                return

    async def _games(self, who: str, site: str) -> AsyncGenerator[bytes]:
        question = select(game.c.id).join(seat, seat.c.game == game.c.id).where(seat.c.player == who)
        async for row in self._rows(question, (game.c.created, game.c.id)):
            game_id = str(row["id"])
            stored = await self._store.load(game_id)
            text = await asyncio.to_thread(pdn_text, stored.game, stored.created, f"{site}/games/{game_id}")
            yield text.encode() + b"\n"


def _shown(row: Mapping[str, object]) -> dict[str, object]:
    return {name: _moment(value) if name in MOMENTS else value for name, value in row.items()}


def _moment(value: object) -> object:
    return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds") if isinstance(value, float) else value
