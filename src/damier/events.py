"""What can happen in a game: each event a small frozen value that goes to JSON and back.

An event says what was done; its :class:`Entry` in a game's list says when, and by whom. JSON names the events:

====================  ===========================================================================================
move                  :class:`MoveMade`
offer_draw            :class:`DrawOffered`
accept_draw           :class:`DrawAccepted`
decline_draw          :class:`DrawDeclined`
take_back             :class:`TookBack`: against a computer, which need not be asked
offer_take_back       :class:`TakeBackOffered`
accept_take_back      :class:`TakeBackAccepted`
decline_take_back     :class:`TakeBackDeclined`
touch                 :class:`Touched`: in rule sets with touch-move
adjust                :class:`AdjustingSaid`: "j'adoube"
unsay                 :class:`AdjustingUnsaid`
resign                :class:`Resigned`
flag                  :class:`FlagFallen`
abort                 :class:`Aborted`
add_time              :class:`TimeAdded`
abandon               :class:`Abandoned`: a side has left, and its opponent claims
pause                 :class:`Paused`
resume                :class:`Resumed`
====================  ===========================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Self, TypeAlias, cast

from damier import Color, Move
from damier.refusals import BadEvent

__all__ = [
    "Abandoned",
    "Aborted",
    "AdjustingSaid",
    "AdjustingUnsaid",
    "DrawAccepted",
    "DrawDeclined",
    "DrawOffered",
    "Entry",
    "Event",
    "FlagFallen",
    "MoveMade",
    "Paused",
    "Resigned",
    "Resumed",
    "TakeBackAccepted",
    "TakeBackDeclined",
    "TakeBackOffered",
    "TimeAdded",
    "TookBack",
    "Touched",
    "color_from_json",
    "color_to_json",
    "event_from_json",
    "expect_event",
    "whole",
]

Json: TypeAlias = Mapping[str, object]

LATEST: Final = 1e12
"""The latest moment that is read, in seconds; some thirty thousand years after any usual beginning."""
HALF_CHARACTER: Final = re.compile(r"[\ud800-\udfff]")
"""JSON can spell half of a surrogate pair (``"\\ud800"``), which is no text that could be written anywhere."""
MOST_SECONDS: Final = 30 * 86_400
"""The most time that is added at once."""
LONGEST_LAG: Final = 1000
"""The most that a move is credited for its way, in milliseconds."""


# --- JSON, read with care: other programs write it too ------------------------------------------------------------


def color_to_json(color: Color) -> Literal["white", "black"]:
    """A side as JSON names it.

    >>> color_to_json(Color.WHITE)
    'white'
    """
    return "white" if color is Color.WHITE else "black"


def color_from_json(value: object, part: str = "color") -> Color:
    """The side that JSON names; raises :class:`BadEvent` for anything else.

    >>> color_from_json("black") is Color.BLACK
    True
    """
    if value == "white":
        return Color.WHITE
    if value == "black":
        return Color.BLACK
    raise BadEvent(part)


def json_object(value: object, part: str) -> Json:
    if not isinstance(value, Mapping):
        raise BadEvent(part)
    return cast("Json", value)


def whole(value: object) -> int | None:
    """The whole number that a value is, None if it is none: in JSON, and by JSON Schema, 1.0 is one too.

    >>> whole(1.0), whole(1.5), whole(True)
    (1, None, None)
    """
    if type(value) is int:
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def json_whole(value: object, part: str, least: int, most: int) -> int:
    number = whole(value)
    if number is None or not least <= number <= most:
        raise BadEvent(part)
    return number


def json_text(value: object, part: str) -> str:
    if not isinstance(value, str) or HALF_CHARACTER.search(value):
        raise BadEvent(part)
    return value


def json_optional_text(value: object, part: str) -> str | None:
    return None if value is None else json_text(value, part)


def json_moment(value: object, part: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -LATEST <= value <= LATEST:
        raise BadEvent(part)
    return float(value)


# --- Events -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A whole move: start, target, the squares of the captured pieces in rising order, and whether a man was crowned.

    ``lag``: whole milliseconds of the move's time that its way through a network took, at most a second. They do not
    count against its side; the opponent's time begins when the move has come. JSON tells them where there are any.

    >>> MoveMade(32, 28).to_json()
    {'event': 'move', 'from': 32, 'to': 28, 'captured': [], 'crowned': False}
    >>> MoveMade(32, 28, lag=120).to_json()["lag"]
    120
    """

    name: ClassVar[str] = "move"
    from_square: int
    to_square: int
    captured: tuple[int, ...] = ()
    crowned: bool = False
    lag: int = 0

    @classmethod
    def of(cls, move: Move) -> MoveMade:
        """The event of playing a move."""
        return cls(move.from_square, move.to_square, tuple(move.captured), move.crowned)

    def to_json(self) -> dict[str, object]:
        fields: dict[str, object] = {
            "event": self.name,
            "from": self.from_square,
            "to": self.to_square,
            "captured": list(self.captured),
            "crowned": self.crowned,
        }
        return {**fields, "lag": self.lag} if self.lag else fields

    @classmethod
    def from_json(cls, data: Json) -> MoveMade:
        captured = data.get("captured", [])
        if not isinstance(captured, (list, tuple)):
            raise BadEvent("captured")
        crowned = data.get("crowned", False)
        if not isinstance(crowned, bool):
            raise BadEvent("crowned")
        squares = sorted(json_whole(square, "captured", 1, 50) for square in cast("Iterable[object]", captured))
        return cls(
            json_whole(data.get("from"), "from", 1, 50),
            json_whole(data.get("to"), "to", 1, 50),
            tuple(squares),
            crowned,
            json_whole(data.get("lag", 0), "lag", 0, LONGEST_LAG),
        )

    def __str__(self) -> str:
        return f"{self.from_square}{'x' if self.captured else '-'}{self.to_square}"


class _Bare:
    """An event that is told by its name alone."""

    __slots__ = ()
    name: ClassVar[str]

    def to_json(self) -> dict[str, object]:
        return {"event": self.name}

    @classmethod
    def from_json(cls, data: Json) -> Self:
        return cls()


@dataclass(frozen=True, slots=True)
class DrawOffered(_Bare):
    """The author offers a draw. The offer stands until it is answered or the opponent has moved."""

    name: ClassVar[str] = "offer_draw"


@dataclass(frozen=True, slots=True)
class DrawAccepted(_Bare):
    """The author accepts the draw that the opponent has offered."""

    name: ClassVar[str] = "accept_draw"


@dataclass(frozen=True, slots=True)
class DrawDeclined(_Bare):
    """The author declines the draw that the opponent has offered."""

    name: ClassVar[str] = "decline_draw"


@dataclass(frozen=True, slots=True)
class TakeBackOffered(_Bare):
    """The author asks to take back its last move, and what followed it."""

    name: ClassVar[str] = "offer_take_back"


@dataclass(frozen=True, slots=True)
class TakeBackDeclined(_Bare):
    """The author lets the moves stand."""

    name: ClassVar[str] = "decline_take_back"


@dataclass(frozen=True, slots=True)
class AdjustingSaid(_Bare):
    """The author says "j'adoube": it sets pieces straight, and no touch counts until this is unsaid."""

    name: ClassVar[str] = "adjust"


@dataclass(frozen=True, slots=True)
class AdjustingUnsaid(_Bare):
    """The author has set the pieces straight; its touches count again."""

    name: ClassVar[str] = "unsay"


@dataclass(frozen=True, slots=True)
class Resigned(_Bare):
    """The author gives the game up."""

    name: ClassVar[str] = "resign"


@dataclass(frozen=True, slots=True)
class FlagFallen(_Bare):
    """The time of the side whose clock runs is used up; anybody may say so."""

    name: ClassVar[str] = "flag"


@dataclass(frozen=True, slots=True)
class Aborted(_Bare):
    """The game is broken off before both sides have moved; nobody wins."""

    name: ClassVar[str] = "abort"


@dataclass(frozen=True, slots=True)
class Paused(_Bare):
    """The clock stands still and nobody moves until the game is resumed."""

    name: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class Resumed(_Bare):
    """A paused game goes on."""

    name: ClassVar[str] = "resume"


@dataclass(frozen=True, slots=True)
class TookBack:
    """The author's last move is undone, and what followed it: ``plies`` in all, so that the author is to move."""

    name: ClassVar[str] = "take_back"
    plies: int

    def to_json(self) -> dict[str, object]:
        return {"event": self.name, "plies": self.plies}

    @classmethod
    def from_json(cls, data: Json) -> TookBack:
        return cls(json_whole(data.get("plies"), "plies", 1, 1_000_000))


@dataclass(frozen=True, slots=True)
class TakeBackAccepted:
    """The author lets the opponent take back its last move and what followed it: ``plies`` in all (1 or 2)."""

    name: ClassVar[str] = "accept_take_back"
    plies: int

    def to_json(self) -> dict[str, object]:
        return {"event": self.name, "plies": self.plies}

    @classmethod
    def from_json(cls, data: Json) -> TakeBackAccepted:
        return cls(json_whole(data.get("plies"), "plies", 1, 2))


@dataclass(frozen=True, slots=True)
class Touched:
    """The author touches the piece on a square.

    >>> Touched(32).to_json()
    {'event': 'touch', 'square': 32}
    """

    name: ClassVar[str] = "touch"
    square: int

    def to_json(self) -> dict[str, object]:
        return {"event": self.name, "square": self.square}

    @classmethod
    def from_json(cls, data: Json) -> Touched:
        return cls(json_whole(data.get("square"), "square", 1, 50))


@dataclass(frozen=True, slots=True)
class TimeAdded:
    """A side is given time: whole ``seconds``, at most thirty days of them.

    >>> TimeAdded(15, Color.BLACK).to_json()
    {'event': 'add_time', 'seconds': 15, 'to': 'black'}
    """

    name: ClassVar[str] = "add_time"
    seconds: int
    to: Color

    def to_json(self) -> dict[str, object]:
        return {"event": self.name, "seconds": self.seconds, "to": color_to_json(self.to)}

    @classmethod
    def from_json(cls, data: Json) -> TimeAdded:
        return cls(json_whole(data.get("seconds"), "seconds", 1, MOST_SECONDS), color_from_json(data.get("to"), "to"))


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A side has left a game that had begun, and its opponent has claimed the win, or a draw. The arbiter says so.

    >>> Abandoned(Color.BLACK).to_json()
    {'event': 'abandon', 'side': 'black', 'draw': False}
    """

    name: ClassVar[str] = "abandon"
    side: Color
    draw: bool = False

    def to_json(self) -> dict[str, object]:
        return {"event": self.name, "side": color_to_json(self.side), "draw": self.draw}

    @classmethod
    def from_json(cls, data: Json) -> Abandoned:
        draw = data.get("draw")
        if not isinstance(draw, bool):
            raise BadEvent("draw")
        return cls(color_from_json(data.get("side"), "side"), draw)


Event: TypeAlias = (
    MoveMade
    | DrawOffered
    | DrawAccepted
    | DrawDeclined
    | TookBack
    | TakeBackOffered
    | TakeBackAccepted
    | TakeBackDeclined
    | Touched
    | AdjustingSaid
    | AdjustingUnsaid
    | Resigned
    | FlagFallen
    | Aborted
    | TimeAdded
    | Abandoned
    | Paused
    | Resumed
)

_EVENTS: Final[Mapping[str, type[Event]]] = {
    kind.name: kind
    for kind in (
        MoveMade,
        DrawOffered,
        DrawAccepted,
        DrawDeclined,
        TookBack,
        TakeBackOffered,
        TakeBackAccepted,
        TakeBackDeclined,
        Touched,
        AdjustingSaid,
        AdjustingUnsaid,
        Resigned,
        FlagFallen,
        Aborted,
        TimeAdded,
        Abandoned,
        Paused,
        Resumed,
    )
}


def expect_event(value: object) -> None:
    """Raise TypeError for what is no event, saying how one is made.

    >>> expect_event("32-28")
    Traceback (most recent call last):
      ...
    TypeError: an event is a value of a class in damier.events, for a move MoveMade.of(move), not str
    """
    if isinstance(value, type) and value in _EVENTS.values():
        raise TypeError(f"an event is a value: {value.__name__}(…), not the class itself")
    if not isinstance(value, tuple(_EVENTS.values())):
        wanted = "an event is a value of a class in damier.events, for a move MoveMade.of(move)"
        raise TypeError(f"{wanted}, not {type(value).__name__}")


def event_from_json(data: object) -> Event:
    """The event that a JSON object names; raises :class:`BadEvent`.

    >>> event_from_json({"event": "take_back", "plies": 2})
    TookBack(plies=2)
    """
    fields = json_object(data, "event")
    kind = _EVENTS.get(str(fields.get("event")))
    if kind is None:
        raise BadEvent("event")
    return kind.from_json(fields)


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in a game's list: ``at`` which moment it counts (seconds, on whatever scale the game is kept in), and
    ``by`` which side it was, or None for the arbiter, who keeps the game: a server, or a person at a table.
    """

    event: Event
    at: float
    by: Color | None

    def to_json(self) -> dict[str, object]:
        """
        >>> Entry(Resigned(), 12.5, Color.BLACK).to_json()
        {'event': 'resign', 'at': 12.5, 'by': 'black'}
        """
        return {**self.event.to_json(), "at": self.at, "by": None if self.by is None else color_to_json(self.by)}

    @classmethod
    def from_json(cls, data: object) -> Entry:
        """
        >>> Entry.from_json({"event": "resign", "at": 12.5, "by": "black"}).event
        Resigned()
        """
        fields = json_object(data, "event")
        at = json_moment(fields.get("at"), "at")
        by = fields.get("by", "")
        return cls(event_from_json(fields), at, None if by is None else color_from_json(by, "by"))
