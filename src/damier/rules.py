"""Rule sets as frozen values: how pieces capture, and what draws by itself.

Sources: the FMJD's official rules (annex 1) for ``OFFICIAL``; the leaflet of a boxed game (articles 1–8) for
``LEAFLET``; a Dutch game site's page for ``CLASSIC``; a German club site's page for ``CLUB``. Which article says what is
told by :mod:`damier.articles`.

Where a document is silent or vague, this is how it is read:

- Each side must have made its 16 or 5 moves, whoever began: 32 or 10 single moves (annex 1, 6.3 and 6.4). All moves
  count, a man's too. A promotion or a capture that leaves the pieces within the same article goes on counting; a
  capture that leads from 6.3 to 6.4 starts the five moves.
- A side that has no move has lost, even if that was the last counted move.
- The leaflet's "three times the same move" asks for the exact reversal in between, whatever the opponent plays.
- A touch of a piece that has no legal move binds nobody (leaflet, article 6).
- The club's fifty moves are fifty of each side.
- ``CLASSIC`` has no draw that ends a game by itself; 500 moves of each side are where we stop.
"""

from __future__ import annotations

from damier.values import Value

__all__ = ["CLASSIC", "CLUB", "LEAFLET", "OFFICIAL", "RULE_SETS", "Rules", "by_name"]


class Rules(Value):
    """What sets one rule set apart from another: a frozen value.

    ``crowned_in_passing``: a man that reaches the far row in the middle of a capture becomes a king at once and
    captures on as a king; otherwise it captures on as a man and is crowned only if the capture ends there.

    ``touch_move``: a player who has touched a piece that can move must move it.

    The draws count moves of each side and end the game by themselves; 0 where there is no such draw:
    ``repetition`` (times that a position has stood with the same side to move), ``king_moves`` (only kings moved and
    nothing was captured), ``three_pieces`` and ``two_pieces`` (a lone king against three pieces, or against two or
    one, at least one of them a king), ``same_move`` (times that a player made the same move, only its reversal in
    between) and ``move_limit`` (the whole game).

    >>> OFFICIAL.king_moves, CLUB.king_moves, CLUB.crowned_in_passing
    (25, 50, True)
    """

    __match_args__ = (
        "name",
        "crowned_in_passing",
        "touch_move",
        "repetition",
        "king_moves",
        "three_pieces",
        "two_pieces",
        "same_move",
        "move_limit",
    )
    __slots__ = __match_args__

    name: str
    crowned_in_passing: bool
    touch_move: bool
    repetition: int
    king_moves: int
    three_pieces: int
    two_pieces: int
    same_move: int
    move_limit: int

    def __init__(
        self,
        name: str,
        crowned_in_passing: bool = False,
        touch_move: bool = False,
        repetition: int = 0,
        king_moves: int = 0,
        three_pieces: int = 0,
        two_pieces: int = 0,
        same_move: int = 0,
        move_limit: int = 0,
    ) -> None:
        counts = (repetition, king_moves, three_pieces, two_pieces, same_move, move_limit)
        if any(count < 0 for count in counts):
            raise ValueError("a count towards a draw is 0 or more")
        self._put(name, crowned_in_passing, touch_move, *counts)

    def __repr__(self) -> str:
        fields = ((name, getattr(self, name)) for name in self.__match_args__[1:])
        said = (name if value is True else f"{name} {value}" for name, value in fields if value)
        return f"<Rules {self.name}: {', '.join(said) or 'no draws'}>"


#: The world federation's rules: draws by annex 1, 6.1 to 6.4.
OFFICIAL = Rules("official", repetition=3, king_moves=25, three_pieces=16, two_pieces=5)
#: The boxed game's leaflet: touch-move (article 6) and its own draws (article 7).
LEAFLET = Rules("leaflet", touch_move=True, repetition=3, same_move=3)
#: No draw but by agreement; a game that nobody can win is ended after 500 moves of each side.
CLASSIC = Rules("classic", move_limit=500)
#: Crown and continue; a draw after 50 moves of each side without progress.
CLUB = Rules("club", crowned_in_passing=True, king_moves=50)

RULE_SETS: tuple[Rules, ...] = (OFFICIAL, LEAFLET, CLASSIC, CLUB)


def by_name(name: str) -> Rules:
    """The rule set called ``name``. Raises ValueError with the names that there are.

    >>> by_name("club")
    <Rules club: crowned_in_passing, king_moves 50>
    """
    for rules in RULE_SETS:
        if rules.name == name:
            return rules
    names = ", ".join(rules.name for rules in RULE_SETS)
    raise ValueError(f"there is no rule set {name!r}; there are {names}")
