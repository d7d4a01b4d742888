"""Matches between engines: who plays, from which openings, when a game ends, and what the result says.

>>> from damier.engine import Limit
>>> from damier.engine.match import Conditions, Pairs, PlayerSpec, Setup, Tally, locally, play, shipped
>>> players = tuple(PlayerSpec.read(spec) for spec in ("damier:hash=1,depth=3", "damier:hash=1,depth=1"))
>>> setup = Setup(players, ("deep", "shallow"), Conditions(Limit(depth=1)), tuple(shipped()))
>>> tally = Tally(2)
>>> play(setup, tally, 2, locally(1))
2
>>> tally.pairs().score > 0.5
True
"""

from __future__ import annotations

from damier.engine.match.adjudication import Adjudication, Judge, Verdict
from damier.engine.match.openings import Opening, balanced, candidates, read_openings, shipped, shuffled
from damier.engine.match.play import Conditions, MatchClock, PairPlayed, Played, Ply, play_game, play_pair
from damier.engine.match.players import Found, Identity, Player, PlayerFailed, open_player, player_of
from damier.engine.match.ratings import Rating, ratings
from damier.engine.match.record import Record, limit_text, to_pdn
from damier.engine.match.run import identities, locally, on_dask, play
from damier.engine.match.schedule import PairTask, Setup, Tally
from damier.engine.match.specs import MatchError, PlayerSpec, named_apart
from damier.engine.match.statistics import Elo, Pairs, Sprt, elo_of, log_likelihood_ratio, score_of

__all__ = [
    "Adjudication",
    "Conditions",
    "Elo",
    "Found",
    "Identity",
    "Judge",
    "MatchClock",
    "MatchError",
    "Opening",
    "PairPlayed",
    "PairTask",
    "Pairs",
    "Played",
    "Player",
    "PlayerFailed",
    "PlayerSpec",
    "Ply",
    "Rating",
    "Record",
    "Setup",
    "Sprt",
    "Tally",
    "Verdict",
    "balanced",
    "candidates",
    "elo_of",
    "identities",
    "limit_text",
    "locally",
    "log_likelihood_ratio",
    "named_apart",
    "on_dask",
    "open_player",
    "play",
    "play_game",
    "play_pair",
    "player_of",
    "ratings",
    "read_openings",
    "score_of",
    "shipped",
    "shuffled",
    "to_pdn",
]
