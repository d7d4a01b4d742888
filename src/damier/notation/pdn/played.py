"""A game that was played here as one for a PDN file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier import Board
from damier.notation.pdn.tree import PdnGame

if TYPE_CHECKING:
    from damier import Game

__all__ = ["from_game"]


def from_game(game: Game) -> PdnGame:
    """The game with its players, result and time control as tags, and after each move what its clock showed.

    Moves that were taken back are left out, and so is all that is no move: :meth:`damier.Game.to_json` keeps it. The
    way back is by the moves: ``[node.move for node in pdn.main_line()]``.

    >>> from damier import Color, Game, TimeControl
    >>> from damier.events import MoveMade
    >>> from damier.notation.pdn import write
    >>> from damier.record import Player
    >>> game = Game.start(white=Player(name="Anna"), clock=TimeControl.fischer(300, 5), at=0.0)
    >>> game = game.apply(MoveMade(32, 28), at=12.5, by=Color.WHITE)
    >>> print(write(from_game(game)), end="")
    [White "Anna"]
    [Black "?"]
    [Result "*"]
    [GameType "20"]
    [TimeControl "300+5"]
    <BLANKLINE>
    1. 32-28 {[%clk 0:04:52.5]} *
    """
    origin, board = game.origin, game.board
    tags = {
        "White": origin.white.name or "?",
        "Black": origin.black.name or "?",
        "Result": "*" if game.result is None else game.result.score,
        "GameType": "20",
    }
    if origin.clock:
        tags["TimeControl"] = origin.clock.to_pdn()
    pdn = PdnGame(tags, Board(origin.fen, board.rules))
    node, clocks = pdn.root, _clocks(game)
    for move in board.moves:
        node = node.attach(move)
        if origin.clock:
            node.clock = clocks[node.ply]
    return pdn


def _clocks(game: Game) -> dict[int, float]:
    """The seconds on the mover's clock right after each move that stands, by its number."""
    from damier.events import MoveMade  # who only reads files needs no games

    clocks: dict[int, float] = {}
    earlier = game.replay(game.origin, ())
    for entry in game.events:
        earlier = earlier.apply(entry.event, at=entry.at, by=entry.by)
        if isinstance(entry.event, MoveMade) and earlier.clock is not None:
            clocks[earlier.plies] = earlier.clock.remaining(earlier.turn.opponent, entry.at)
    return clocks
