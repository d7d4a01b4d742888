"""What a counted game adds to each of the tables, and what takes it out of them again. Pure.

A game between two is a row of a table for each of the two, a few rows each; numbers that are wanted together stand
together, so that no page has to add up games.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from damier.server.tables import (
    person_count,
    person_day,
    person_opponent,
    site_count,
    site_day,
    tally,
    tally_day,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Table

    from damier.server.stats.facts import Counted

Facet: TypeAlias = Literal["kind", "color", "white_opening", "black_opening", "length", "pool"]
Span: TypeAlias = Literal["all", "month"]

MONTH_DAYS: Final = 30
"""Of which the last is today."""
LENGTHS: Final = (20, 40, 60)
"""Moves of each side with which a game is of the next length."""
EVERY: Final = ""
"""A rule set or a speed where all of them are counted together."""

Key: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the people of some games at the moment, by their ids: their kinds. Who never did anything but
    play is in no book, and a guest."""

    kinds: Mapping[str, str]

    def is_gone(self, person: str | None) -> bool:
        return person is None or self.kinds.get(person) == "gone"

    def is_listed(self, person: str | None) -> bool:
        """Whether it is a member, and no bot, who may stand in the lists."""
        return person is not None and self.kinds.get(person) == "member"


@dataclass(slots=True)
class Changes:
    """What games add to the tables. ``today``: the last of the 30 days that are counted together."""

    today: int
    known: Known
    rows: dict[Table, dict[Key, dict[str, int]]] = field(default_factory=dict)

    def add(self, game: Counted, sign: Literal[1, -1] = 1) -> None:
        """Count a game, or with -1 take it out again."""
        if game.kind == "void":
            return
        site = (game.kind, game.rules, game.speed, game.score, game.reason)
        self._put(site_count, site, games=sign, plies=sign * game.plies)
        self._put(site_day, (game.day, game.kind), games=sign)
        for side, person in (("white", game.white), ("black", game.black)):
            if person is not None and not self.known.is_gone(person):
                self._add_of(game, side, person, sign)

    def _add_of(self, game: Counted, side: str, person: str, sign: int) -> None:
        result = result_of(game.score, side)
        for facet, value in facets(game, side):
            self._put(person_count, (person, facet, value), **{result: sign}, plies=sign * game.plies)
        self._put(person_day, (person, game.day, game.kind), games=sign)
        if game.kind == "computer":
            return
        opponent = known_opponent(game, side)
        if opponent not in (None, person) and not self.known.is_gone(opponent):
            numbers = {result: sign} | ({f"public_{result}": sign} if game.is_public else {})
            self._put(person_opponent, (person, opponent or ""), **numbers)
        if is_listed(game) and self.known.is_listed(person):
            wins = sign * (result == "wins")
            for rules in (EVERY, game.rules):
                for speed in (EVERY, game.speed):
                    self._put(tally, (person, "all", rules, speed), games=sign, wins=wins)
                    if game.day > self.today - MONTH_DAYS:
                        self._put(tally, (person, "month", rules, speed), games=sign, wins=wins)
            if game.day > self.today - MONTH_DAYS:
                self._put(tally_day, (game.day, person, game.rules, game.speed), games=sign, wins=wins)

    def _put(self, table: Table, key: Key, **numbers: int) -> None:
        rows = self.rows.get(table)
        if rows is None:
            rows = self.rows[table] = {}
        row = rows.get(key)
        if row is None:
            row = rows[key] = dict.fromkeys(number_columns(table), 0)
        for name, number in numbers.items():
            row[name] += number

    def of(self, table: Table) -> Iterator[dict[str, str | int]]:
        """The rows of a table to which something is added, in the order of their keys."""
        keys = [column.name for column in table.primary_key]
        rows = self.rows.get(table, {})
        for key in sorted(rows):
            yield dict(zip(keys, key, strict=True)) | rows[key]


TABLES: Final = (site_count, site_day, person_count, person_day, person_opponent, tally, tally_day)
"""In the order in which every transaction changes them, so that none waits for another for ever."""


@cache
def number_columns(table: Table) -> tuple[str, ...]:
    """The columns of a table that are added to.

    >>> number_columns(site_count)
    ('games', 'plies')
    """
    return tuple(column.name for column in table.columns if not column.primary_key)


def result_of(score: str, side: str) -> Literal["wins", "draws", "losses"]:
    """A side's result, as the column that counts it.

    >>> result_of("2-0", "white"), result_of("2-0", "black"), result_of("1-1", "white")
    ('wins', 'losses', 'draws')
    """
    if score == "1-1":
        return "draws"
    return "wins" if (score == "2-0") == (side == "white") else "losses"


def is_listed(game: Counted) -> bool:
    """Whether a game counts in the lists by wins and by games: of two members with each other."""
    return game.white_known and game.black_known and game.kind in ("rated", "casual") and game.white != game.black


def known_opponent(game: Counted, side: str) -> str | None:
    """Who sat opposite a side, if that was a member or a bot."""
    if side == "white":
        return game.black if game.black_known else None
    return game.white if game.white_known else None


def length_of(plies: int) -> int:
    """Which of the lengths a game has, 0 the shortest.

    >>> [length_of(plies) for plies in (0, 39, 40, 79, 80, 119, 120)]
    [0, 0, 1, 1, 2, 2, 3]
    """
    return sum(plies >= 2 * moves for moves in LENGTHS)


def facets(game: Counted, side: str) -> list[tuple[Facet, str]]:
    """What a side's result is counted by. Games against the computer are counted by their kind alone."""
    found: list[tuple[Facet, str]] = [("kind", game.kind)]
    if game.kind == "computer":
        return found
    found.append(("color", side))
    found.append(("length", str(length_of(game.plies))))
    found.append(("pool", f"{game.rules}/{game.speed}"))
    if game.opening is not None:
        facet: Facet = "white_opening" if side == "white" else "black_opening"
        found.append((facet, game.opening))
    return found
