"""A game between two parties as a pure value: its start and the events that followed.

A :class:`Game` reads no clock and does no input or output. Applying an event gives a new game, or an error and no
game; applying the same events to the same start gives the same game, today and on another machine. That is how games
are stored: the start once, then one event after another.

>>> from damier import Color
>>> game = Game.start("official")
>>> game = game.apply(MoveMade(32, 28), at=10.0, by=Color.WHITE)
>>> game = game.apply(Resigned(), at=12.5, by=Color.BLACK)
>>> game.result.score, game.result.reason
('2-0', 'resigned')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, TypeAlias, cast

from damier import Board, Color, Move, Outcome
from damier.errors import DamierError, IllegalMove
from damier.i18n import N_

__all__ = [
    "BadEvent",
    "Entry",
    "Event",
    "Game",
    "GameError",
    "GameOver",
    "MoveMade",
    "NeedsAgreement",
    "NotYourTurn",
    "NothingToTakeBack",
    "Player",
    "Resigned",
    "Result",
    "Start",
    "TimeRunsBack",
    "TookBack",
    "color_from_json",
    "color_to_json",
    "event_from_json",
]

Json: TypeAlias = Mapping[str, object]


class GameError(DamierError):
    """An event that does not fit the game as it stands. ``code``: one word for programs."""

    code: ClassVar[str] = "game_error"


class GameOver(GameError):
    """The game has a result; nothing more is accepted."""

    code = "game_over"

    def __init__(self) -> None:
        super().__init__(N_("The game is over."))


class NotYourTurn(GameError):
    """A move by the side that is not to move."""

    code = "not_your_turn"

    def __init__(self) -> None:
        super().__init__(N_("It is not your turn."))


class NothingToTakeBack(GameError):
    """A take-back before one's first move, or of plies that do not lead back to one's own turn."""

    code = "nothing_to_take_back"

    def __init__(self) -> None:
        super().__init__(N_("You have no move to take back."))


class NeedsAgreement(GameError):
    """A take-back against a person: only a computer lets moves be taken back without being asked."""

    code = "needs_agreement"

    def __init__(self) -> None:
        super().__init__(N_("A move is taken back only when your opponent agrees."))


class TimeRunsBack(GameError):
    """An event that would come before the one that precedes it. ``at``, ``last``: both moments, in seconds."""

    code = "time_runs_back"

    def __init__(self, at: float, last: float) -> None:
        super().__init__(N_("An event at {at} cannot follow one at {last}."), at=at, last=last)
        self.at = at
        self.last = last


class BadEvent(GameError):
    """JSON that is no event, no entry or no start. ``part``: the name of what is wrong."""

    code = "bad_event"

    def __init__(self, part: str) -> None:
        super().__init__(N_("{part} is missing or has no meaning here."), part=part)
        self.part = part


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


def _object(value: object, part: str) -> Json:
    if not isinstance(value, Mapping):
        raise BadEvent(part)
    return cast("Json", value)


def _whole(value: object, part: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise BadEvent(part)
    return value


def _text(value: object, part: str) -> str:
    if not isinstance(value, str):
        raise BadEvent(part)
    return value


def _optional_text(value: object, part: str) -> str | None:
    return None if value is None else _text(value, part)


# --- Events -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A whole move: start, target, the squares of the captured pieces in rising order, and whether a man was crowned.

    >>> MoveMade(32, 28).to_json()
    {'event': 'move', 'from': 32, 'to': 28, 'captured': [], 'crowned': False}
    """

    name: ClassVar[str] = "move"
    from_square: int
    to_square: int
    captured: tuple[int, ...] = ()
    crowned: bool = False

    @classmethod
    def of(cls, move: Move) -> MoveMade:
        """The event of playing a move."""
        return cls(move.from_square, move.to_square, tuple(move.captured), move.crowned)

    def to_json(self) -> dict[str, object]:
        return {
            "event": self.name,
            "from": self.from_square,
            "to": self.to_square,
            "captured": list(self.captured),
            "crowned": self.crowned,
        }

    @classmethod
    def from_json(cls, data: Json) -> MoveMade:
        captured = data.get("captured", [])
        if not isinstance(captured, (list, tuple)):
            raise BadEvent("captured")
        crowned = data.get("crowned", False)
        if not isinstance(crowned, bool):
            raise BadEvent("crowned")
        squares = sorted(_whole(square, "captured", 1, 50) for square in cast("Iterable[object]", captured))
        return cls(
            _whole(data.get("from"), "from", 1, 50), _whole(data.get("to"), "to", 1, 50), tuple(squares), crowned
        )

    def __str__(self) -> str:
        return f"{self.from_square}{'x' if self.captured else '-'}{self.to_square}"


@dataclass(frozen=True, slots=True)
class Resigned:
    """The author gives the game up."""

    name: ClassVar[str] = "resign"

    def to_json(self) -> dict[str, object]:
        return {"event": self.name}

    @classmethod
    def from_json(cls, data: Json) -> Resigned:
        return cls()


@dataclass(frozen=True, slots=True)
class TookBack:
    """The author's last move is undone, and what followed it: ``plies`` in all, so that the author is to move."""

    name: ClassVar[str] = "take_back"
    plies: int

    def to_json(self) -> dict[str, object]:
        return {"event": self.name, "plies": self.plies}

    @classmethod
    def from_json(cls, data: Json) -> TookBack:
        return cls(_whole(data.get("plies"), "plies", 1, 1_000_000))


Event: TypeAlias = MoveMade | Resigned | TookBack

_EVENTS: Final[Mapping[str, type[MoveMade] | type[Resigned] | type[TookBack]]] = {
    kind.name: kind for kind in (MoveMade, Resigned, TookBack)
}


def event_from_json(data: object) -> Event:
    """The event that a JSON object names; raises :class:`BadEvent`.

    >>> event_from_json({"event": "take_back", "plies": 2})
    TookBack(plies=2)
    """
    fields = _object(data, "event")
    kind = _EVENTS.get(str(fields.get("event")))
    if kind is None:
        raise BadEvent("event")
    return kind.from_json(fields)


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in a game's list, with its time (seconds, on whatever scale the game is kept in) and its author."""

    event: Event
    at: float
    by: Color

    def to_json(self) -> dict[str, object]:
        """
        >>> Entry(Resigned(), 12.5, Color.BLACK).to_json()
        {'event': 'resign', 'at': 12.5, 'by': 'black'}
        """
        return {**self.event.to_json(), "at": self.at, "by": color_to_json(self.by)}

    @classmethod
    def from_json(cls, data: object) -> Entry:
        """
        >>> Entry.from_json({"event": "resign", "at": 12.5, "by": "black"}).event
        Resigned()
        """
        fields = _object(data, "event")
        at = fields.get("at")
        if isinstance(at, bool) or not isinstance(at, (int, float)) or not math.isfinite(at):
            raise BadEvent("at")
        return cls(event_from_json(fields), float(at), color_from_json(fields.get("by"), "by"))


# --- The start and the result -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays a side. The game itself only asks whether it is a computer; the rest it carries for its keeper.

    ``kind``: "guest", "computer" or what else the keeper tells apart; ``name``: as shown, None for nameless;
    ``level``: a computer's strength; ``id``: who this is to the keeper.
    """

    kind: str = "guest"
    name: str | None = None
    level: int | None = None
    id: str | None = None

    @property
    def is_computer(self) -> bool:
        return self.kind == "computer"

    def to_json(self) -> dict[str, object]:
        """
        >>> Player("computer", level=3).to_json()
        {'kind': 'computer', 'name': None, 'level': 3, 'id': None}
        """
        return {"kind": self.kind, "name": self.name, "level": self.level, "id": self.id}

    @classmethod
    def from_json(cls, data: object) -> Player:
        fields = _object(data, "player")
        level = fields.get("level")
        return cls(
            _text(fields.get("kind"), "kind"),
            _optional_text(fields.get("name"), "name"),
            None if level is None else _whole(level, "level", 0, 1_000),
            _optional_text(fields.get("id"), "id"),
        )


@dataclass(frozen=True, slots=True)
class Start:
    """What a game starts from: rule set, position (FEN) and the two players."""

    rules: str
    fen: str
    white: Player = field(default_factory=Player)
    black: Player = field(default_factory=Player)

    def to_json(self) -> dict[str, object]:
        return {
            "rules": self.rules,
            "fen": self.fen,
            "white": self.white.to_json(),
            "black": self.black.to_json(),
        }

    @classmethod
    def from_json(cls, data: object) -> Start:
        """
        >>> start = Game.start("club").origin
        >>> Start.from_json(start.to_json()) == start
        True
        """
        fields = _object(data, "start")
        return cls(
            _text(fields.get("rules"), "rules"),
            _text(fields.get("fen"), "fen"),
            Player.from_json(fields.get("white")),
            Player.from_json(fields.get("black")),
        )


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. ``winner``: None for a draw. ``reason``: "resigned", or the rule of :class:`damier.Outcome`.

    >>> Result(Color.BLACK, "no_moves").score
    '0-2'
    """

    winner: Color | None
    reason: str

    @property
    def score(self) -> Literal["2-0", "1-1", "0-2"]:
        """The points of White and Black, as draughts counts them."""
        if self.winner is None:
            return "1-1"
        return "2-0" if self.winner is Color.WHITE else "0-2"


# --- The game -----------------------------------------------------------------------------------------------------


class Game:
    """A game at one moment; immutable. Made by :meth:`start`, continued by :meth:`apply`."""

    __slots__ = ("_board", "events", "origin", "result")

    origin: Start
    """What the game started from."""
    events: tuple[Entry, ...]
    """All that happened since, in order."""
    result: Result | None
    """None while the game goes on."""
    _board: Board

    def __init__(self, origin: Start, events: tuple[Entry, ...], board: Board, result: Result | None) -> None:
        self.origin = origin
        self.events = events
        self.result = result
        self._board = board

    @classmethod
    def start(
        cls,
        rules: str = "official",
        fen: str | None = None,
        *,
        white: Player | None = None,
        black: Player | None = None,
    ) -> Game:
        """A new game. Raises :class:`damier.errors.BadFen` for a position that cannot be set up.

        >>> Game.start("official", "W:W32:B1").board.fen()
        'W:W32:B1'
        """
        board = Board(rules=rules) if fen is None else Board(fen, rules=rules)
        origin = Start(rules, board.fen(), white or Player(), black or Player())
        return cls(origin, (), board, _result_of(board.outcome()))

    @classmethod
    def replay(cls, origin: Start, events: Iterable[Entry]) -> Game:
        """The game that these events make of this start; raises what :meth:`apply` raises at the first misfit.

        >>> game = Game.start().apply(MoveMade(32, 28), at=1.0, by=Color.WHITE)
        >>> Game.replay(game.origin, game.events) == game
        True
        """
        game = cls.start(origin.rules, origin.fen, white=origin.white, black=origin.black)
        for entry in events:
            game = game.apply(entry.event, at=entry.at, by=entry.by)
        return game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.origin == other.origin and self.events == other.events

    def __hash__(self) -> int:
        return hash((self.origin, self.events))

    def __repr__(self) -> str:
        return f"<Game {self.origin.rules} {self._board.fen()} after {len(self.events)} events, result {self.result}>"

    @property
    def version(self) -> int:
        """The number of events so far; grows by one with each."""
        return len(self.events)

    @property
    def board(self) -> Board:
        """The position with the moves that led to it; the caller's own, to do with as wanted."""
        return self._board.copy()

    @property
    def turn(self) -> Color:
        """The side to move (of a finished game: that would be)."""
        return self._board.turn

    @property
    def plies(self) -> int:
        """The number of moves on the board: those made, less those taken back."""
        return self._board.ply

    def player(self, color: Color) -> Player:
        """Who plays a side."""
        return self.origin.white if color is Color.WHITE else self.origin.black

    def can_take_back(self, by: Color) -> int:
        """The plies that undo a side's last move and what followed it; 0 where it may not or there is none.

        >>> game = Game.start(white=Player(), black=Player("computer", level=1))
        >>> game.can_take_back(Color.WHITE)
        0
        >>> game.apply(MoveMade(32, 28), at=1.0, by=Color.WHITE).can_take_back(Color.WHITE)
        1
        """
        plies = 2 if self.turn is by else 1
        free = self.player(by.opponent).is_computer
        return plies if free and self.result is None and plies <= self.plies else 0

    def apply(self, event: Event, *, at: float, by: Color) -> Game:
        """The game after one more event, by its author at its moment (seconds; not before the last event's).

        Raises :class:`GameOver`, :class:`TimeRunsBack`, :class:`NotYourTurn`, :class:`NothingToTakeBack`,
        :class:`NeedsAgreement`, or :class:`damier.errors.IllegalMove` with the reason why.
        """
        if self.result is not None:
            raise GameOver
        last = self.events[-1].at if self.events else -math.inf
        if not last <= at < math.inf:
            raise TimeRunsBack(at, last)
        match event:
            case MoveMade():
                board = self._after_move(event, by)
                result = _result_of(board.outcome())
            case TookBack():
                board = self._after_take_back(event, by)
                result = None
            case Resigned():
                board = self._board
                result = Result(by.opponent, "resigned")
        return Game(self.origin, (*self.events, Entry(event, at, by)), board, result)

    def _after_move(self, event: MoveMade, by: Color) -> Board:
        if self._board.turn is not by:
            raise NotYourTurn
        for move in self._board.legal_moves:
            if MoveMade.of(move) == event:
                board = self._board.copy()
                board.push(move)
                return board
        raise self._refusal(event)

    def _refusal(self, event: MoveMade) -> IllegalMove:
        from damier.explain import explain

        reason = explain(self._board, event.from_square, event.to_square)
        return IllegalMove(
            N_("{move} is not a legal move here."), move=str(event), fen=self._board.fen(), reason=reason
        )

    def _after_take_back(self, event: TookBack, by: Color) -> Board:
        if not self.player(by.opponent).is_computer:
            raise NeedsAgreement
        leads_to_author = (event.plies % 2 == 0) == (self._board.turn is by)
        if not 1 <= event.plies <= self.plies or not leads_to_author:
            raise NothingToTakeBack
        board = self._board.copy()
        for _ in range(event.plies):
            board.pop()
        return board


def _result_of(outcome: Outcome | None) -> Result | None:
    return None if outcome is None else Result(outcome.winner, outcome.rule)
