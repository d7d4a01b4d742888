"""What the statistics count of a game, and which games they count.

A game counts once it is over, however it was begun: rated, casual, against a bot, against the computer. Three do not:
one that was broken off, which has no result; one that is to be rated and has not been, until it is; and a rated one
that was annulled.

**Private games** (``is_public`` false, as every game against the computer is) count in all sums: of the club, of the
lists, of a member's own results, calendar and streak. With whom one was played is said to nobody but the two who
played it: a member's results by opponent count public games alone, but for the member, and for the opponent who looks.
Results against the computer are shown to the member alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import msgspec
from sqlalchemy import or_, select

from damier import Board
from damier.record import Start
from damier.server.lobby.controls import speed
from damier.server.tables import event, game, rated_game

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import RowMapping
    from sqlalchemy.ext.asyncio import AsyncConnection

    from damier.record import Player
    from damier.server.lobby.controls import Speed

Kind: TypeAlias = Literal["rated", "casual", "bot", "computer", "void"]
"""``void``: a rated game that was annulled. It has a mark, so that it is not taken up again, and counts for nothing."""
Score: TypeAlias = Literal["2-0", "1-1", "0-2"]

KINDS: Final[tuple[Kind, ...]] = ("rated", "casual", "bot", "computer")
SCORES: Final[tuple[Score, ...]] = ("2-0", "1-1", "0-2")
DAY_SECONDS: Final = 86_400
KNOWN: Final = ("member", "bot", "gone")
AFTER: Final = ("after", "deviation_after")
USUAL: Final = Board().fen()
FIRST_EVENTS: Final = 12
"""Among which the first move is, but where draws were offered and declined before it."""


@dataclass(frozen=True, slots=True)
class Rated:
    """What a rated game left: each side's rating and its deviation."""

    white: tuple[float, float]
    black: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Counted:
    """A game as it is counted. ``ended``: seconds since 1970. ``white``, ``black``: ids, None for the computer.

    ``plies`` as they stood at the end; ``opening``: White's first move, None in a game from another position than the
    usual one. ``white_known``, ``black_known``: whether a member or a bot played the side, and no guest.
    """

    game: str
    ended: float
    kind: Kind
    rules: str
    speed: Speed
    white: str | None
    black: str | None
    score: Score
    reason: str
    plies: int
    opening: str | None
    is_public: bool
    white_known: bool
    black_known: bool

    @property
    def day(self) -> int:
        """The day on which it ended, in UTC, counted from 1970."""
        return day_of(self.ended)


def day_of(moment: float) -> int:
    """The day of a moment, in UTC, counted from 1970.

    >>> day_of(0), day_of(86_399.9), day_of(86_400)
    (0, 0, 1)
    """
    return int(moment // DAY_SECONDS)


def kind_of(white: Player, black: Player, *, rated: bool) -> Kind:
    """What kind of game these two played.

    >>> from damier.record import Player
    >>> kind_of(Player("member"), Player("computer"), rated=False), kind_of(Player("bot"), Player("guest"), rated=False)
    ('computer', 'bot')
    >>> kind_of(Player("member"), Player("member"), rated=True), kind_of(Player("gone"), Player("guest"), rated=False)
    ('rated', 'casual')
    """
    if white.is_computer or black.is_computer:
        return "computer"
    if "bot" in (white.kind, black.kind):
        return "bot"
    return "rated" if rated else "casual"


async def read(connection: AsyncConnection, game_ids: Collection[str]) -> tuple[list[Counted], dict[str, Rated]]:
    """What is to be counted of those of these games that count, in the order of their ids, and what the rated ones left.

    A game that waits for being rated is not among them.
    """
    columns = (game.c.id, game.c.start, game.c.is_public, game.c.changed, game.c.plies, game.c.score, game.c.reason)
    ratings_after = [rated_game.c[f"{side}_{name}"] for side in ("white", "black") for name in AFTER]
    rows = await connection.execute(
        select(*columns, rated_game.c.state, rated_game.c.at, *ratings_after)
        .outerjoin(rated_game, rated_game.c.game == game.c.id)
        .where(game.c.id.in_(game_ids), game.c.score.in_(SCORES))
        .order_by(game.c.id)
    )
    found = [row for row in rows.mappings() if row["state"] != "playing"]
    openings = await _openings(connection, [row["id"] for row in found])
    ratings = {
        row["id"]: Rated(
            (row["white_after"], row["white_deviation_after"]), (row["black_after"], row["black_deviation_after"])
        )
        for row in found
        if row["state"] == "rated" and row["white_after"] is not None
    }
    return [_counted(row, openings.get(row["id"])) for row in found], ratings


def _counted(row: RowMapping, opening: str | None) -> Counted:
    start = Start.from_json(msgspec.json.decode(row["start"]))
    kind = kind_of(start.white, start.black, rated=row["state"] == "rated")
    # struck off although it was played to its end; what was never to be rated has no such moment
    annulled = row["state"] not in (None, "rated") and row["at"] is not None
    return Counted(
        game=row["id"],
        ended=row["changed"],
        kind="void" if annulled else kind,
        rules=start.rules,
        speed=speed(start.clock),
        white=None if start.white.is_computer else start.white.id,
        black=None if start.black.is_computer else start.black.id,
        score=row["score"],
        reason=row["reason"] or "",
        plies=row["plies"],
        opening=opening if start.fen == USUAL else None,
        is_public=row["is_public"],
        white_known=start.white.kind in KNOWN,
        black_known=start.black.kind in KNOWN,
    )


async def _openings(connection: AsyncConnection, game_ids: Sequence[str]) -> dict[str, str]:
    """The first moves of games, as far as any was made."""
    rows = await connection.execute(
        select(event.c.game, event.c.entry)
        .where(
            event.c.game.in_(game_ids),
            or_(event.c.version <= FIRST_EVENTS, event.c.entry.contains('take_back"', autoescape=True)),
        )
        .order_by(event.c.game, event.c.version)
    )
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for game_id, entry in rows:
        entries.setdefault(game_id, []).append(msgspec.json.decode(entry))
    found = {game_id: first_move(some) for game_id, some in entries.items() if not _takes_back(some)}
    unsure = [game_id for game_id in game_ids if found.get(game_id) is None]
    if unsure:
        rows = await connection.execute(
            select(event.c.game, event.c.entry).where(event.c.game.in_(unsure)).order_by(event.c.game, event.c.version)
        )
        entries = {}
        for game_id, entry in rows:
            entries.setdefault(game_id, []).append(msgspec.json.decode(entry))
        found |= {game_id: first_move(every) for game_id, every in entries.items()}
    return {game_id: move for game_id, move in found.items() if move is not None}


def _takes_back(entries: Sequence[Mapping[str, Any]]) -> bool:
    return any(each["event"] in ("take_back", "accept_take_back") for each in entries)


def first_move(entries: Sequence[Mapping[str, Any]]) -> str | None:
    """The move with which a game began, of its events as they are kept, from the first on: moves that were taken back
    do not count. None without any.

    >>> move, back = {"event": "move", "captured": []}, {"event": "take_back", "plies": 1}
    >>> first_move([{**move, "from": 31, "to": 26}, back, {**move, "from": 32, "to": 28}])
    '32-28'
    """
    moves: list[str] = []
    for each in entries:
        if each["event"] == "move":
            moves.append(f"{each['from']}{'x' if each['captured'] else '-'}{each['to']}")
        elif each["event"] in ("take_back", "accept_take_back"):
            del moves[max(0, len(moves) - cast("int", each["plies"])) :]
    return moves[0] if moves else None
