"""Chat at the board: two rooms, one for the players and one for those who watch, apart while the game goes on.

A room's lines are numbered from 1, so that a page that was away asks for what it has missed by number.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, get_args

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from damier.events import color_to_json
from damier.i18n import N_, translator
from damier.refusals import GameError
from damier.server.people import BLANK
from damier.server.play.messages import LONGEST_LINE, KeptLine, Preset, PresetView, Room
from damier.server.play.store import StoreError
from damier.server.tables import chat_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier import Color
    from damier.game import Game
    from damier.server.people import Who

MOST_LINES: Final = 5
IN_SECONDS: Final = 20.0
"""In so many seconds one person may say so many lines in a game."""
ROOM_HOLDS: Final = 500
"""Lines, after which nothing more is said in a room."""
MOST_MARKS: Final = 3
"""Combining marks on one letter; more would tower over the neighbouring lines."""
TRIES: Final = 10
HIDDEN_LINE: Final = " "
"""What stands for the words of a line that a moderator has hidden; nobody can say it."""
JOINERS: Final = "\u200c\u200d"

PRESETS: Final[Mapping[Preset, str]] = {
    "hello": N_("Hello!"),
    "good_luck": N_("Good luck!"),
    "good_game": N_("Good game!"),
    "well_played": N_("Well played!"),
    "thanks": N_("Thank you!"),
    "sorry": N_("Sorry!"),
    "one_moment": N_("One moment, please."),
    "bye": N_("Goodbye!"),
}


class BadLine(GameError):
    """A line that is empty, too long, or holds what cannot be shown."""

    code = "bad_line"
    text = N_("Write a line of 1 to {most} ordinary characters.")

    def __init__(self) -> None:
        super().__init__(most=LONGEST_LINE)


class NotHere(GameError):
    """A line in a room that the speaker is not in."""

    code = "not_here"
    text = N_("You cannot speak in this room while the game goes on.")


class NoRoom(GameError):
    """A line to the computer, which does not listen."""

    code = "no_room"
    text = N_("The computer does not chat.")


class ChatIsOff(GameError):
    """A line by somebody who has switched chat off."""

    code = "chat_off"
    text = N_("You have switched chat off.")


class TooFast(GameError):
    """More lines than one person may say in a while."""

    code = "too_fast"
    text = N_("You have said a lot; wait a moment.")


class RoomFull(GameError):
    """A line in a room that holds no more."""

    code = "room_full"
    text = N_("So much has been said here that no more is taken.")


def presets(language: str) -> tuple[PresetView, ...]:
    """What can be said with one click, in a language.

    >>> presets("en")[0]
    PresetView(id='hello', text='Hello!')
    """
    texts = translator(language)
    return tuple(PresetView(name, texts.gettext(PRESETS[name])) for name in get_args(Preset))


def rooms_of(game: Game, viewer: Color | None) -> tuple[Room, ...]:
    """The rooms in which the player of a side, or a watcher (None), hears and speaks: their own, afterwards both.

    >>> from damier import Color
    >>> from damier.game import Game
    >>> rooms_of(Game.start(), Color.WHITE), rooms_of(Game.start(), None)
    (('players',), ('watchers',))
    """
    if game.origin.white.is_computer or game.origin.black.is_computer:
        return ("watchers",) if viewer is None or game.result is not None else ()
    if game.result is not None:
        return ("players", "watchers")
    return ("watchers",) if viewer is None else ("players",)


def valid_line(text: str) -> str:
    """A line as it is kept and shown. Raises :class:`BadLine`.

    >>> valid_line("  well \\t played! ")
    'well played!'
    >>> for text in (" ", "a" * 141, "a\\u202eb", "e" + 5 * "\\u0301"):
    ...     try:
    ...         valid_line(text)
    ...     except BadLine as error:
    ...         print(error.code)
    bad_line
    bad_line
    bad_line
    bad_line
    """
    line = unicodedata.normalize("NFC", " ".join(text.split()))
    marks = 0
    for character in line:
        category = unicodedata.category(character)
        marks = marks + 1 if category.startswith("M") else 0
        if (category.startswith("C") and character not in JOINERS) or marks > MOST_MARKS:
            raise BadLine
    seen = any(each not in BLANK and unicodedata.category(each)[0] not in "CMZ" for each in line)
    if not seen or len(line) > LONGEST_LINE:
        raise BadLine
    return line


class Chat:
    """What is said at the boards of a club. ``now``: seconds since 1970."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    async def lines(self, game_id: str, room: Room, after: int = 0) -> list[KeptLine]:
        """A room's lines after a number, in order. Raises :class:`StoreError`."""
        question = (
            select(chat_line)
            .where(chat_line.c.game == game_id, chat_line.c.room == room, chat_line.c.seq > after)
            .order_by(chat_line.c.seq)
        )
        try:
            async with self._engine.connect() as connection:
                rows = (await connection.execute(question)).all()
        except SQLAlchemyError as error:
            raise StoreError(str(error)) from error
        return [KeptLine(row.seq, row.name, row.side, row.text, row.preset, row.at, person=row.person) for row in rows]

    async def line(self, game_id: str, room: Room, seq: int) -> KeptLine | None:
        """One line as it is now. Raises :class:`StoreError`."""
        return next((each for each in await self.lines(game_id, room, seq - 1) if each.seq == seq), None)

    async def say(
        self, game_id: str, room: Room, who: Who, side: Color | None, text: str | None, preset: Preset | None
    ) -> KeptLine:
        """Keep a line, of which it has either its own ``text`` or a ``preset``; returns it with its number.

        Raises :class:`BadLine`, :class:`TooFast`, :class:`RoomFull` or :class:`StoreError`.
        """
        if (text is None) == (preset is None):
            raise BadLine
        line = None if text is None else valid_line(text)
        for _ in range(TRIES):
            try:
                return await self._say(game_id, room, who, side, line, preset)
            except IntegrityError:
                continue  # another line took the number
            except SQLAlchemyError as error:
                raise StoreError(str(error)) from error
        raise StoreError(f"a line in game {game_id} found no number in {TRIES} tries")

    async def _say(
        self, game_id: str, room: Room, who: Who, side: Color | None, text: str | None, preset: Preset | None
    ) -> KeptLine:
        now = self._now()
        own = chat_line.c.game == game_id, chat_line.c.person == who.id, chat_line.c.at > now - IN_SECONDS
        here = chat_line.c.game == game_id, chat_line.c.room == room
        async with self._engine.begin() as connection:
            lately = await connection.execute(select(func.count()).select_from(chat_line).where(*own))
            if lately.scalar_one() >= MOST_LINES:
                raise TooFast
            last = await connection.execute(select(func.max(chat_line.c.seq)).where(*here))
            seq = (last.scalar_one() or 0) + 1
            if seq > ROOM_HOLDS:
                raise RoomFull
            own_side = None if side is None else color_to_json(side)
            line = KeptLine(seq, who.name or "", own_side, text, preset, now, person=who.id)
            await connection.execute(
                insert(chat_line).values(
                    game=game_id,
                    room=room,
                    seq=seq,
                    person=who.id,
                    side=line.side,
                    name=line.name,
                    text=text,
                    preset=preset,
                    at=now,
                )
            )
        return line
