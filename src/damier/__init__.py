"""International draughts: positions, moves, games, notations, pictures and an engine.

>>> import damier
>>> board = damier.Board()
>>> board.push("32-28")
Move(32, 28)
>>> print(board.fen())
B:W28,31,33-50:B1-20

What most programs need is here; the modules hold the rest, and ``import damier`` is enough to reach them:

==========================  ======================================================================================
``damier``                  :class:`Board`, :class:`Move`, :class:`Game`, :class:`Engine`, the errors
``damier.rules``            the four rule sets: official, leaflet, classic, club
``damier.explain``          why a move is illegal, and ``damier.articles``: where the rules say so
``damier.game``             a game between two players: ``damier.events`` (what happens in it), ``damier.record`` (who
                            plays, from what start, with which result), ``damier.refusals`` (what it does not accept)
``damier.clock``            time controls and the clock
``damier.notation.fen``     positions as FEN; ``damier.notation.moves``: moves as text
``damier.notation.pdn``     games in PDN files: read, scan, write
``damier.notation.json``    positions, moves and games as JSON, with schemas
``damier.notation.hub``     what engines say in the Hub protocol; ``damier.notation.dxp``: in DamExchange
``damier.draw``             a board as SVG or as text
``damier.engine``           the search: limits, scores, levels of strength
``damier.errors``           the errors; ``damier.i18n``: the languages in which they say themselves
==========================  ======================================================================================
"""

from __future__ import annotations

from damier._kernel import Move, perft
from damier.board import Board, Color, DrawCount, Outcome, Piece, Position
from damier.errors import AmbiguousMove, BadFen, BadPdn, DamierError, EngineError, IllegalMove
from damier.rules import Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from damier import articles as articles
    from damier import clock as clock
    from damier import draw as draw
    from damier import engine as engine
    from damier import events as events
    from damier import explain as explain
    from damier import game as game
    from damier import notation as notation
    from damier import record as record
    from damier import refusals as refusals
    from damier.clock import TimeControl
    from damier.engine import Engine, Limit, Score, SearchResult
    from damier.game import Game

__all__ = [
    "AmbiguousMove",
    "BadFen",
    "BadPdn",
    "Board",
    "Color",
    "DamierError",
    "DrawCount",
    "Engine",
    "EngineError",
    "Game",
    "IllegalMove",
    "Limit",
    "Move",
    "Outcome",
    "Piece",
    "Position",
    "Rules",
    "Score",
    "SearchResult",
    "TimeControl",
    "perft",
]


# Imported when they are first asked for, so that `import damier` stays light.
_LATER = {
    "Engine": "damier.engine",
    "Game": "damier.game",
    "Limit": "damier.engine",
    "Score": "damier.engine",
    "SearchResult": "damier.engine",
    "TimeControl": "damier.clock",
}


_MODULES = frozenset(
    (
        *("articles", "board", "clock", "draw", "engine", "errors", "events", "explain", "game", "i18n", "notation"),
        *("record", "refusals", "rules"),
    )
)


def __getattr__(name: str) -> object:
    if name in _LATER or name in _MODULES:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name) if name in _LATER else import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
