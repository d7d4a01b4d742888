"""International draughts: positions, moves, notation, pictures and an engine.

>>> import damier
>>> board = damier.Board()
>>> board.push("32-28")
Move(32, 28)
>>> print(board.fen())
B:W28,31,33-50:B1-20
"""

from __future__ import annotations

from damier._kernel import Move, perft
from damier.board import Board, Color, DrawCount, Outcome, Piece, Position
from damier.errors import AmbiguousMove, BadFen, BadPdn, DamierError, EngineError, IllegalMove
from damier.rules import Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def __getattr__(name: str) -> object:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
