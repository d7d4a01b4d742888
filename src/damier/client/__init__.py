"""A club for programs: its account, its seeks and challenges, its games, and a bot that plays them.

Needs the packages of ``damier[client]``.
"""

from __future__ import annotations

from damier.client.client import (
    Account,
    Challenge,
    ChallengeEnded,
    ChallengeMade,
    Client,
    Event,
    GameStarted,
    Member,
    Opponent,
    Rating,
    RunningGame,
    Seek,
    YourMove,
)
from damier.client.errors import ClubError, Unreachable
from damier.client.table import Clocks, GameState, Seat, Table

__all__ = [
    "Account",
    "Challenge",
    "ChallengeEnded",
    "ChallengeMade",
    "Client",
    "Clocks",
    "ClubError",
    "Event",
    "GameStarted",
    "GameState",
    "Member",
    "Opponent",
    "Rating",
    "RunningGame",
    "Seat",
    "Seek",
    "Table",
    "Unreachable",
    "YourMove",
]
