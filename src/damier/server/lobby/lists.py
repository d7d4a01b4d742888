"""Games in lists: as small boards, as rows, as the big board of the front page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from markupsafe import Markup
from sqlalchemy import or_, select

from damier import Board
from damier.clock import DAY
from damier.draw.svg import board_svg
from damier.i18n import N_, NN_, translator
from damier.record import Start
from damier.server.lobby.choices import rules_title
from damier.server.lobby.controls import described, speed
from damier.server.play.store import GameSummary
from damier.server.play.view import player_name
from damier.server.tables import game, seat

if TYPE_CHECKING:
    from collections.abc import Collection, Container

    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncEngine

    from damier.record import Player
    from damier.server.play.store import EventStore

HOUR: Final = 3600
MINUTE: Final = 60
NOW_SECONDS: Final = 1800
"""A game that has been still for longer is not being played now, whatever its clock says."""
NOW_MOST: Final = 24
"""Small boards on the page of what is being played."""
OWN_MOST: Final = 100
"""Unfinished games that are looked at for somebody."""
FINISHED_PAGE: Final = 24
"""Finished games on a page of them."""

Side = Literal["white", "black"]


class Card(msgspec.Struct, frozen=True, omit_defaults=False):
    """A game as a list shows it, in one language.

    ``you``: the side that the reader plays; ``orientation``: the side at the bottom. ``last``: the squares of the last
    move. ``score``: "2–0" and the like once it is over. ``left``: in a correspondence game, how long the side to move
    has for its move, in words. ``people``: whether no computer plays. ``white_kind``, ``black_kind``: as
    :class:`damier.record.Player` has them.
    """

    id: str
    fen: str
    orientation: Side
    last: tuple[int, int] | None
    white: str
    black: str
    about: str
    move: int
    turn: Side
    you: Side | None
    score: str | None
    reason: str | None
    left: str | None
    changed: float
    people: bool
    white_kind: str = "guest"
    black_kind: str = "guest"

    @property
    def url(self) -> str:
        return f"/games/{self.id}"

    @property
    def your_turn(self) -> bool:
        return self.score is None and self.you == self.turn

    @property
    def opponent(self) -> str:
        """Who sits opposite the reader, or at the top of the board."""
        return self.white if self.orientation == "black" else self.black

    @property
    def won(self) -> bool | None:
        """Whether the reader won; None for a draw, and for who did not play."""
        if self.you is None or self.score not in ("2–0", "0–2"):
            return None
        return (self.score == "2–0") == (self.you == "white")

    def picture(self, language: str) -> Markup:
        """The board as SVG, for a page without script."""
        picture = board_svg(
            Board(self.fen),
            orientation=self.orientation,
            numbers="off",
            last_move=self.last or False,
            size=None,
            language=language,
        )
        return Markup(picture)  # noqa: S704 (numbers, and words that it has escaped)


def start_picture(language: str) -> Markup:
    """The start position as SVG."""
    return Markup(board_svg(Board(), size=None, language=language))  # noqa: S704 (ours alone)


def card(summary: GameSummary, reader: str | None, language: str, *, of: str | None = None) -> Card:
    """A game as a list shows it to a reader. ``of``: whose games they are, who sits at the bottom then."""
    start = summary.start
    you: Side | None = None
    if reader is not None:
        you = "white" if start.white.id == reader else "black" if start.black.id == reader else None
    # who plays the computer sits at the bottom for those who watch, too
    orientation: Side = you or ("black" if start.white.is_computer else "white")
    if of is not None:
        orientation = "black" if start.black.id == of else "white"
    control = described(start.clock, language) if start.clock else ""
    rules = rules_title(start.rules, language)
    return Card(
        id=summary.id,
        fen=summary.fen,
        orientation=orientation,
        last=summary.last_move,
        white=_name(start.white, language),
        black=_name(start.black, language),
        about=f"{control} · {rules}" if control else rules,
        move=summary.plies // 2 + 1,
        turn="white" if summary.turn == "white" else "black",
        you=you,
        score=None if summary.score is None else summary.score.replace("-", "–"),
        reason=summary.reason,
        left=time_left(summary.due - time.time(), language) if start.clock.days and summary.due is not None else None,
        changed=summary.changed,
        people=not (start.white.is_computer or start.black.is_computer),
        white_kind=start.white.kind,
        black_kind=start.black.kind,
    )


def time_left(seconds: float, language: str) -> str:
    """How long somebody has for a move of days, in words and rounded down.

    >>> [time_left(hours * 3600, "en") for hours in (71.9, 48, 47.9, 1, 0.99, 0.001, -1)]
    ['2 days left', '2 days left', '47 hours left', '1 hour left', '59 minutes left', '1 minute left', '1 minute left']
    """
    texts = translator(language)
    if seconds >= 2 * DAY:
        number, words = seconds // DAY, NN_("{n} day left", "{n} days left")
    elif seconds >= HOUR:
        number, words = seconds // HOUR, NN_("{n} hour left", "{n} hours left")
    else:
        number, words = max(1, seconds // MINUTE), NN_("{n} minute left", "{n} minutes left")
    return texts.ngettext(*words, int(number)).format(n=int(number))


def is_to_move(summary: GameSummary, reader: str | None) -> bool:
    """Whether an unfinished game waits for the reader's move."""
    player = summary.start.white if summary.turn == "white" else summary.start.black
    return summary.score is None and reader is not None and player.id == reader


def _name(player: Player, language: str) -> str:
    if player.is_computer and player.name is None and player.level is not None:
        return translator(language).gettext(N_("Computer, level {level}")).format(level=player.level)
    return player_name(player, language)


async def being_played(store: EventStore, most: int = NOW_MOST, kept: Container[str] = ()) -> list[GameSummary]:
    """The public games in which something has happened lately: those in ``kept`` first, so that a page that shows them
    stands still; then those between people, the liveliest first.
    """
    found = await store.playing(2 * most, since=time.time() - NOW_SECONDS)
    found.sort(
        key=lambda each: (
            each.id not in kept,
            each.start.white.is_computer or each.start.black.is_computer,
            -_pace(each),
        )
    )
    return found[:most]


async def by_ids(engine: AsyncEngine, ids: Collection[str]) -> list[GameSummary]:
    """The games with these ids."""
    if not ids:
        return []
    async with engine.connect() as connection:
        rows = (await connection.execute(select(game).where(game.c.id.in_(ids)))).mappings().all()
    return [summary_of(row) for row in rows]


def _pace(summary: GameSummary) -> int:
    """How worthwhile a game is to watch: one with a clock, and well under way."""
    return (2 if speed(summary.start.clock) not in ("unlimited", "correspondence") else 0) + (summary.plies >= 4)


async def count_being_played(store: EventStore) -> int:
    """How many public games something has happened in lately."""
    return await store.count_playing(since=time.time() - NOW_SECONDS)


async def finished_of(engine: AsyncEngine, player: str, before: float | None = None) -> list[GameSummary]:
    """A player's finished games, the latest first: those that ended before a moment.

    Those that were broken off before a move was made are no games that anybody looks for.
    """
    question = (
        select(game)
        .join(seat, seat.c.game == game.c.id)
        .where(seat.c.player == player, game.c.score.is_not(None), or_(game.c.plies > 0, game.c.score != "*"))
        .order_by(game.c.changed.desc())
        .limit(FINISHED_PAGE + 1)
    )
    if before is not None:
        question = question.where(game.c.changed < before)
    async with engine.connect() as connection:
        rows = (await connection.execute(question)).mappings().all()
    return [summary_of(row) for row in rows]


async def public_of(engine: AsyncEngine, player: str, most: int) -> list[GameSummary]:
    """A player's public games in which moves were made, those that changed last first."""
    async with engine.connect() as connection:
        rows = await connection.execute(
            select(game)
            .join(seat, seat.c.game == game.c.id)
            .where(seat.c.player == player, game.c.is_public, game.c.plies > 0)
            .order_by(game.c.changed.desc())
            .limit(most)
        )
        return [summary_of(row) for row in rows.mappings()]


def summary_of(row: RowMapping) -> GameSummary:
    """A game in a list, from its row."""
    last = None if row["last_from"] is None else (row["last_from"], row["last_to"])
    return GameSummary(
        id=row["id"],
        start=Start.from_json(msgspec.json.decode(row["start"])),
        fen=row["fen"],
        plies=row["plies"],
        turn=row["turn"],
        changed=row["changed"],
        score=row["score"],
        reason=row["reason"],
        is_public=row["is_public"],
        last_move=last,
        due=row["due"],
    )
