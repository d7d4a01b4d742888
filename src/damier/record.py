"""What is recorded of a game besides its events: who plays, what it starts from, how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from damier import Color, Outcome
from damier.clock import BadTimeControl, TimeControl
from damier.events import json_moment, json_object, json_optional_text, json_text, json_whole
from damier.refusals import BadEvent
from damier.rules import RULE_SETS, by_name
from damier.values import expect

__all__ = ["Player", "Result", "Start"]


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

    def gone(self) -> Player:
        """The same player once the keeper has forgotten who it was.

        >>> Player("member", "Anna", id="q3Fz").gone()
        Player(kind='gone', name=None, level=None, id='q3Fz')
        """
        return Player("gone", id=self.id)

    def to_json(self) -> dict[str, object]:
        """
        >>> Player("computer", level=3).to_json()
        {'kind': 'computer', 'name': None, 'level': 3, 'id': None}
        """
        return {"kind": self.kind, "name": self.name, "level": self.level, "id": self.id}

    @classmethod
    def from_json(cls, data: object) -> Player:
        fields = json_object(data, "player")
        level = fields.get("level")
        return cls(
            json_text(fields.get("kind"), "kind"),
            json_optional_text(fields.get("name"), "name"),
            None if level is None else json_whole(level, "level", 0, 1_000),
            json_optional_text(fields.get("id"), "id"),
        )


@dataclass(frozen=True, slots=True)
class Start:
    """What a game starts from: rule set, position (FEN), the two players, and the clock.

    ``at``: the moment from which the clock runs, in seconds. None: it runs once both sides have made a move, and the
    first moves cost no time. Raises ValueError for an unknown rule set.
    """

    rules: str
    fen: str
    white: Player = field(default_factory=Player)
    black: Player = field(default_factory=Player)
    clock: TimeControl = field(default_factory=TimeControl)
    at: float | None = None

    def __post_init__(self) -> None:
        by_name(self.rules)
        expect(self.fen, str, "a FEN is a text")
        for player in (self.white, self.black):
            expect(player, Player, "a player is a Player, such as Player(name='Anna')")
        expect(self.clock, TimeControl, "a clock is a TimeControl, such as TimeControl.fischer(300, 5)")

    def to_json(self) -> dict[str, object]:
        return {
            "rules": self.rules,
            "fen": self.fen,
            "white": self.white.to_json(),
            "black": self.black.to_json(),
            "clock": self.clock.to_pdn(),
            "at": self.at,
        }

    @classmethod
    def from_json(cls, data: object) -> Start:
        """
        >>> start = Start("club", "W:W31-50:B1-20", clock=TimeControl.fischer(300, 5))
        >>> Start.from_json(start.to_json()) == start
        True
        """
        fields = json_object(data, "start")
        at = fields.get("at")
        rules = json_text(fields.get("rules"), "rules")
        if rules not in (known.name for known in RULE_SETS):
            raise BadEvent("rules")
        return cls(
            rules,
            json_text(fields.get("fen"), "fen"),
            Player.from_json(fields.get("white")),
            Player.from_json(fields.get("black")),
            _clock_from_json(fields.get("clock", "-")),
            None if at is None else json_moment(at, "at"),
        )


def _clock_from_json(value: object) -> TimeControl:
    try:
        control = TimeControl.from_pdn(json_text(value, "clock"))
    except BadTimeControl:
        control = None
    if control is None:
        raise BadEvent("clock")
    return control


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. ``winner``: None for a draw, and for a game that was aborted.

    ``reason``: "resigned", "agreed" (a draw), "flag", "flag_lone_king" (a draw: time was up against a lone king),
    "abandoned" (a side has left, and the other has claimed), "aborted", or the rule of :class:`damier.Outcome`.

    >>> result = Result(Color.BLACK, "no_moves")
    >>> result.score, result.chess_score
    ('0-2', '0-1')
    """

    winner: Color | None
    reason: str

    @classmethod
    def of(cls, outcome: Outcome | None) -> Result | None:
        """How a game ends by what is on the board; None if it goes on."""
        return None if outcome is None else cls(outcome.winner, outcome.rule)

    @property
    def is_draw(self) -> bool:
        return self.winner is None and self.reason != "aborted"

    @property
    def score(self) -> Literal["2-0", "1-1", "0-2", "*"]:
        """The points of White and Black, as draughts counts them; "*" for a game that was aborted."""
        if self.winner is None:
            return "1-1" if self.is_draw else "*"
        return "2-0" if self.winner is Color.WHITE else "0-2"

    @property
    def chess_score(self) -> Literal["1-0", "½-½", "0-1", "*"]:
        """The same as chess counts them."""
        if self.winner is None:
            return "½-½" if self.is_draw else "*"
        return "1-0" if self.winner is Color.WHITE else "0-1"
