"""Portable Draughts Notation: games in files."""

from __future__ import annotations

from damier.errors import BadPdn
from damier.notation.pdn.node import Evaluation, GameNode
from damier.notation.pdn.tags import PdnDate
from damier.notation.pdn.tree import PdnGame, TreeBuilder
from damier.notation.pdn.visitor import Visitor
from damier.notation.pdn.writer import PdnWriter, UnwritablePdn, dumps, write

__all__ = [
    "BadPdn",
    "Evaluation",
    "GameNode",
    "PdnDate",
    "PdnGame",
    "PdnWriter",
    "TreeBuilder",
    "UnwritablePdn",
    "Visitor",
    "dumps",
    "write",
]
