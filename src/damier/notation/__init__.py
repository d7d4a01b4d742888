"""Positions, moves and games as text: FEN, PDN, JSON, and what the Hub and DamExchange protocols write."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from damier.notation import dxp as dxp
    from damier.notation import fen as fen
    from damier.notation import hub as hub
    from damier.notation import json as json
    from damier.notation import moves as moves
    from damier.notation import pdn as pdn

_MODULES = ("dxp", "fen", "hub", "json", "moves", "pdn")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
