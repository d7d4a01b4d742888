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
from damier.errors import AmbiguousMove, BadFen, DamierError, EngineError, IllegalMove
from damier.rules import Rules

__all__ = [
    "AmbiguousMove",
    "BadFen",
    "Board",
    "Color",
    "DamierError",
    "DrawCount",
    "EngineError",
    "IllegalMove",
    "Move",
    "Outcome",
    "Piece",
    "Position",
    "Rules",
    "perft",
]
