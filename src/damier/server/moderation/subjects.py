"""What can be reported, and moderated: a question or an answer, a member, a line of chat, a game; as it is now."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args
from urllib.parse import quote

import msgspec
from sqlalchemy import select

from damier.record import Start
from damier.server.people import profile_url
from damier.server.play.chat import HIDDEN_LINE
from damier.server.play.messages import Room
from damier.server.tables import account, chat_line, game, person, post

if TYPE_CHECKING:
    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

What: TypeAlias = Literal["post", "member", "chat", "game"]
WHATS: Final[tuple[What, ...]] = get_args(What)
LINES_AROUND: Final = 8
"""Lines of chat before, and after, the one that is reported."""
LONGEST_SUBJECT: Final = 120


class Line(msgspec.Struct, frozen=True):
    """A line of chat around what is reported; ``this``: it is the one."""

    name: str
    words: str
    at: float
    this: bool = False
    person: str = ""


class Concerned(msgspec.Struct, frozen=True):
    """Somebody whom it is about. ``side``: of a game, which one they have."""

    id: str
    name: str | None
    side: str | None = None


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported, as it was at that moment.

    ``title``, ``words``: what was written; ``lines``: the chat around it; ``game``, ``version``: the game, and how far it
    was; ``url``: where it stands.
    """

    what: What
    subject: str
    url: str
    people: tuple[Concerned, ...] = ()
    title: str = ""
    words: str = ""
    lines: tuple[Line, ...] = ()
    game: str | None = None
    version: int | None = None
    state: str = ""

    @property
    def person(self) -> str | None:
        """The id of whom it is about, where that is one."""
        return self.people[0].id if len(self.people) == 1 else None

    @property
    def mark(self) -> str:
        """What tells whether the words are still those that somebody has read."""
        return hashlib.sha256(f"{self.title}\0{self.words}".encode()).hexdigest()[:20]

    def encode(self) -> str:
        """The same as JSON."""
        return msgspec.json.encode(self).decode()


def decode(text: str) -> Context:
    """The context that a report was kept with."""
    return msgspec.json.decode(text, type=Context)


def without(context: Context, who: str) -> Context:
    """The same without what somebody has said around it, and without that name: the account is gone.

    >>> around = Context(what="chat", subject="q3/players/1", url="/", lines=(Line("Anna", "hello", 1.0, person="a"),))
    >>> without(around, "a").lines
    (Line(name='', words='', at=1.0, this=False, person=''),)
    """
    replace = msgspec.structs.replace
    lines = tuple(replace(each, name="", words="", person="") if each.person == who else each for each in context.lines)
    return replace(context, lines=lines, people=tuple(each for each in context.people if each.id != who))


def report_path(what: What, subject: str) -> str:
    """The path of the page on which something is reported.

    >>> report_path("chat", "q3/players/7")
    '/report?what=chat&of=q3/players/7'
    """
    return f"/report?what={what}&of={quote(subject)}"


def case_path(what: str, subject: str) -> str:
    """The path of the moderators' page about something."""
    return f"/moderation/case?what={what}&of={quote(subject)}"


def chat_subject(game_id: str, room: Room, seq: int) -> str:
    """What a line of chat is called.

    >>> chat_subject("q3", "players", 7), chat_of("q3/players/7"), chat_of("q3/kitchen/7")
    ('q3/players/7', ('q3', 'players', 7), None)
    """
    return f"{game_id}/{room}/{seq}"


def chat_of(subject: str) -> tuple[str, Room, int] | None:
    """The game, the room and the number of a line of chat; None for what is no name of one."""
    game_id, _, rest = subject.partition("/")
    name, _, number = rest.partition("/")
    room: Room | None = "players" if name == "players" else "watchers" if name == "watchers" else None
    if room is None or not number.isascii() or not number.isdecimal() or len(number) > 6:
        return None
    return game_id, room, int(number)


class Subjects:
    """Finds what can be reported."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def look(self, what: What, subject: str) -> Context | None:
        """Something as it is now; None for what there is not. A member is called by the name, or by the id."""
        if len(subject) > LONGEST_SUBJECT or "\0" in subject:
            return None
        async with self._engine.connect() as connection:
            return await look(connection, what, subject)


async def look(connection: AsyncConnection, what: What, subject: str) -> Context | None:
    """As :meth:`Subjects.look`, in a transaction."""
    match what:
        case "post":
            return await _post(connection, subject)
        case "member":
            return await _member(connection, subject)
        case "chat":
            return await _line(connection, subject)
        case "game":
            return await _game(connection, subject)


async def concerned(connection: AsyncConnection, context: Context) -> set[str]:
    """The ids of all whom it concerns: those whom it is about, and the players of the game that it belongs to."""
    people = {each.id for each in context.people}
    played = None if context.game is None or context.what == "game" else await _game(connection, context.game)
    return people if played is None else people | {each.id for each in played.people}


async def _post(connection: AsyncConnection, subject: str) -> Context | None:
    asked = post.alias("asked")
    rows = await connection.execute(
        select(post, person.c.name, asked.c.title.label("asked"))
        .outerjoin(person, person.c.id == post.c.person)
        .outerjoin(asked, asked.c.id == post.c.question)
        .where(post.c.id == subject, post.c.state != "removed")
    )
    row = rows.mappings().one_or_none()
    if row is None:
        return None
    url = f"/questions/{row['question']}#{subject}" if row["question"] else f"/questions/{subject}"
    return Context(
        what="post",
        subject=subject,
        url=url,
        people=() if row["person"] is None else (Concerned(row["person"], row["name"]),),
        title=row["asked"] or row["title"],
        words=row["text"],
        state=row["state"],
    )


async def _member(connection: AsyncConnection, subject: str) -> Context | None:
    rows = await connection.execute(
        select(person.c.id, person.c.name, person.c.kind)
        .join(account, account.c.person == person.c.id)
        .where((person.c.id == subject) & person.c.kind.in_(("member", "bot", "closed")))
    )
    row = rows.one_or_none()
    if row is None:
        return None
    return Context(
        what="member",
        subject=row.id,
        url=profile_url(row.name or ""),
        people=(Concerned(row.id, row.name),),
        words=row.name or "",
        state=row.kind,
    )


async def _line(connection: AsyncConnection, subject: str) -> Context | None:
    place = chat_of(subject)
    if place is None:
        return None
    game_id, room, seq = place
    rows = await connection.execute(
        select(chat_line, game.c.version)
        .join(game, game.c.id == chat_line.c.game)
        .where(
            chat_line.c.game == game_id,
            chat_line.c.room == room,
            chat_line.c.seq.between(seq - LINES_AROUND, seq + LINES_AROUND),
        )
        .order_by(chat_line.c.seq)
    )
    found = rows.mappings().all()
    row = next((each for each in found if each["seq"] == seq), None)
    if row is None:
        return None
    words = row["text"] or row["preset"] or ""
    return Context(
        what="chat",
        subject=chat_subject(game_id, room, seq),
        url=f"/games/{game_id}",
        # of who has deleted the account nothing is left that could be looked at
        people=() if words == "" else (Concerned(row["person"], row["name"] or None, row["side"]),),
        words="" if words == HIDDEN_LINE else words,
        lines=tuple(
            Line(
                each["name"],
                (each["text"] or each["preset"] or "").strip(),
                each["at"],
                each["seq"] == seq,
                each["person"],
            )
            for each in found
        ),
        game=game_id,
        version=row["version"],
        state="hidden" if words == HIDDEN_LINE else "shown",
    )


async def _game(connection: AsyncConnection, subject: str) -> Context | None:
    rows = await connection.execute(select(game.c.id, game.c.start, game.c.version).where(game.c.id == subject))
    row: RowMapping | None = rows.mappings().one_or_none()
    if row is None:
        return None
    start = Start.from_json(msgspec.json.decode(row["start"]))
    sides = (("white", start.white), ("black", start.black))
    people = tuple(
        Concerned(player.id, player.name, side)
        for side, player in sides
        if player.id is not None and player.kind != "gone"
    )
    return Context(
        what="game",
        subject=row["id"],
        url=f"/games/{row['id']}",
        people=people,
        game=row["id"],
        version=row["version"],
    )
