"""What a club's database must hold after a fault, held against what the players remember."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import select

from damier import Color
from damier.events import Entry, MoveMade, Paused, Resumed, TimeAdded
from damier.game import Game
from damier.record import Start
from damier.server import database, tables
from damier.server.play import arbiter
from damier.server.play.store.base import summary
from tests.server.pairs import CONTROL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from damier.events import Event
    from damier.server.settings import Settings
    from tests.server.pairs import Match

ROUNDING: Final = 0.002
"""Seconds by which two clocks of this machine's may differ in what they make of a moment."""


@dataclass(slots=True)
class Outage:
    """A time in which there was no server, by the players' watches. ``back`` is when it answered again."""

    killed: float
    back: float = float("inf")


@dataclass(slots=True)
class Books:
    """What the last check has found, and the outages that it was told of."""

    outages: list[Outage] = field(default_factory=list)
    given_back: list[float] = field(default_factory=list)
    """How many seconds too much, of each outage in each game."""
    shown: list[float] = field(default_factory=list)
    """By how many seconds each clock that was shown on coming back differed from what the events say of that time."""
    events: int = 0
    acknowledged: int = 0

    async def check(self, settings: Settings, matches: Sequence[Match]) -> None:
        """Hold the database against what the players remember; raises AssertionError."""
        told = {match.id: match.acknowledged for match in matches}
        rows = await stored(settings)
        self.given_back, self.shown, self.events, self.acknowledged = [], [], 0, 0
        assert rows.keys() == told.keys()
        for match in matches:
            row, entries = rows[match.id]
            assert row["version"] >= told[match.id], f"{match.id}: an acknowledged event is lost"
            whole(row, entries)
            self.acknowledged += remembered(match, entries)
            self._clocks(match, entries)
            self.events += len(entries)

    def _clocks(self, match: Match, entries: list[Entry]) -> None:
        readings = clocks(entries)
        for state in match.first_states:
            if state.version > len(entries):
                continue  # what was read is older
            white, black, running, since = readings[state.version]
            for side, left, shown in ((Color.WHITE, white, state.white), (Color.BLACK, black, state.black)):
                most = left - max(0.0, state.asked - since) if side is running else left
                least = left - (state.at - since) if side is running else left
                self.shown.append(min(shown - least, 0.0) or max(shown - most, 0.0))
        self.given_back += given_back(match, entries, self.outages)


async def stored(settings: Settings) -> dict[str, tuple[dict[str, Any], list[Entry]]]:
    """Every game's row and events, all of one moment."""
    event = tables.event.c
    query = (
        select(tables.game, event.version.label("number"), event.entry)
        .join(tables.event, tables.game.c.id == event.game, isouter=True)
        .order_by(tables.game.c.id, event.version)
    )
    engine = database.open_engine(settings, 1)
    async with engine.connect() as connection:
        found = [dict(row) for row in (await connection.execute(query)).mappings()]
    await engine.dispose()
    games: dict[str, tuple[dict[str, Any], list[Entry]]] = {}
    for game_id, group in groupby(found, lambda row: row["id"]):
        rows = list(group)
        numbered = [row for row in rows if row["number"] is not None]
        assert [row["number"] for row in numbered] == list(range(1, rows[0]["version"] + 1)), (
            f"{game_id} is half-changed"
        )
        games[game_id] = rows[0], [Entry.from_json(msgspec.json.decode(row["entry"])) for row in numbered]
    return games


def whole(row: dict[str, Any], entries: list[Entry]) -> None:
    """The events make a legal game, and what the row says of it is what they make."""
    game = Game.replay(Start.from_json(msgspec.json.decode(row["start"])), entries)
    last = entries[-1].at if entries else row["created"]
    expected = summary(game, changed=last, due=arbiter.due(game, row["created"]))._asdict()
    assert {name: row[name] for name in expected} == expected
    white, black, running, since = clocks(entries)[-1]
    assert game.clock is not None
    assert game.clock.running is running
    for side, left in ((Color.WHITE, white), (Color.BLACK, black)):
        assert abs(game.clock.remaining(side, since) - left) <= ROUNDING * (1 + len(entries))


def remembered(match: Match, entries: list[Entry]) -> int:
    """All that was acknowledged is where it was said to be; nothing is there twice, and nothing that nobody asked for.

    Returns how many events were acknowledged.
    """
    entries = [asked_for(entry) for entry in entries]
    moves = [entry.event for entry in entries if isinstance(entry.event, MoveMade)]
    assert moves == match.moves[: len(moves)], f"{match.id}: other moves than were made"
    others: Counter[tuple[Event, Color]] = Counter((entry.event, entry.by) for entry in entries if entry.by is not None)
    unanswered: Counter[tuple[Event, Color]] = Counter()
    versions: list[int] = []
    for asked in match.asked:
        if asked.answered is None:
            unanswered[asked.event, asked.by] += 1
        elif asked.version is not None and asked.version <= len(entries):
            entry = entries[asked.version - 1]
            assert (entry.event, entry.by) == (asked.event, asked.by), f"{match.id}: {asked} is {entry}"
            assert asked.sent - ROUNDING <= entry.at <= asked.answered + ROUNDING, f"{asked} at {entry.at}"
            others[asked.event, asked.by] -= 1
            versions.append(asked.version)
    assert len(set(versions)) == len(versions), f"{match.id}: two acknowledgements of one event"
    assert +others <= unanswered, f"{match.id}: {+others - unanswered} was not asked for so often"
    assert all(isinstance(entry.event, Paused | Resumed) for entry in entries if entry.by is None)
    return len(versions)


def asked_for(entry: Entry) -> Entry:
    """The entry as its player asked for it: how long a move was on its way only the server says."""
    return replace(entry, event=replace(entry.event, lag=0)) if isinstance(entry.event, MoveMade) else entry


def clocks(entries: Sequence[Entry]) -> list[tuple[float, float, Color | None, float]]:
    """After each number of events: the seconds of White and Black, whose time runs, and since when.

    Added up once more, next to :class:`damier.clock.Clock`.
    """
    stage = CONTROL.stages[0]
    left = {color: float(stage.seconds) for color in Color}
    turn, moved, since = Color.WHITE, 0, 0.0
    running: Color | None = None
    readings: list[tuple[float, float, Color | None, float]] = [(left[Color.WHITE], left[Color.BLACK], None, since)]
    for entry in entries:
        if running is not None:
            lag = entry.event.lag / 1000 if isinstance(entry.event, MoveMade) else 0.0
            left[running] -= max(0.0, entry.at - since - lag)
        match entry.event:
            case MoveMade():
                left[turn] += stage.increment
                turn, moved = turn.opponent, moved + 1
                running = turn if moved >= 2 else None
            case TimeAdded(seconds=seconds, to=to):
                left[to] += seconds
            case Paused():
                running = None
            case Resumed():
                running = turn if moved >= 2 else None
            case _:
                raise AssertionError(entry)
        since = entry.at
        readings.append((left[Color.WHITE], left[Color.BLACK], running, since))
    return readings


def given_back(match: Match, entries: Sequence[Entry], outages: Sequence[Outage]) -> list[float]:
    """Of each outage that is over: how many seconds too much the game was given back; less than 0: too few.

    An outage is over for a game between the moment at which the server answered and that at which the first of the
    game's players was let in: all come at once. Whatever of this was given back is right. One in which nobody came to
    the game before the next is one with that. Time that was given back without an outage is too much.
    """
    pauses = spans(entries)
    arrivals = sorted((state.asked, state.at) for state in match.first_states)
    errors: list[float] = []
    began, least = None, 0.0
    for number, outage in enumerate(outages):
        began = outage.killed if began is None else began
        following = outages[number + 1].killed if number + 1 < len(outages) else float("inf")
        arrived = next((at for asked, at in arrivals if outage.killed < asked and at < following), None)
        least += outage.back - outage.killed
        if arrived is None:
            continue
        own = [span for span in pauses if began < span[1] <= arrived + ROUNDING]
        pauses = [span for span in pauses if span not in own]
        given, most = sum(end - begin for begin, end in own), arrived - began
        errors.append(min(given - least, 0.0) or max(given - most, 0.0))
        began, least = None, 0.0
    return errors + [end - begin for begin, end in pauses if began is None or end < began]


def spans(entries: Sequence[Entry]) -> list[tuple[float, float]]:
    """When the game was paused and resumed."""
    moments = [entry.at for entry in entries if isinstance(entry.event, Paused | Resumed)]
    return list(zip(moments[::2], moments[1::2], strict=False))
