"""Portable Draughts Notation: games in files."""

from __future__ import annotations

from damier.errors import BadPdn
from damier.notation.pdn.visitor import Visitor

__all__ = ["BadPdn", "Visitor"]
