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
    from damier.engine import Engine, Limit, Score, SearchResult

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
    "IllegalMove",
    "Limit",
    "Move",
    "Outcome",
    "Piece",
    "Position",
    "Rules",
    "Score",
    "SearchResult",
    "perft",
]


def __getattr__(name: str) -> object:
    # The engine is imported when it is first asked for, so that `import damier` stays light.
    if name in ("Engine", "Limit", "Score", "SearchResult"):
        from damier import engine

        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
