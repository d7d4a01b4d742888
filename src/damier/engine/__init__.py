"""Opponents and analysts: a search with its limits, scores and levels of strength."""

from __future__ import annotations

from damier.engine.book import BadBook, Book
from damier.engine.dxp import AsyncDxpEngine, DxpEngine, DxpError
from damier.engine.engine import Engine, Line, SearchResult
from damier.engine.hub import AsyncHubEngine, HubEngine, HubEngineError
from damier.engine.levels import LEVELS, Level, choose, pace
from damier.engine.limits import Limit
from damier.engine.score import Score, Shares
from damier.engine.tables import BadTables, RankedMove, Tables, Wdl

__all__ = [
    "LEVELS",
    "AsyncDxpEngine",
    "AsyncHubEngine",
    "BadBook",
    "BadTables",
    "Book",
    "DxpEngine",
    "DxpError",
    "Engine",
    "HubEngine",
    "HubEngineError",
    "Level",
    "Limit",
    "Line",
    "RankedMove",
    "Score",
    "SearchResult",
    "Shares",
    "Tables",
    "Wdl",
    "choose",
    "pace",
]
