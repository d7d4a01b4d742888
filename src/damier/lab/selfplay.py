"""Games of the engine against itself, a file of them at a time: what decides them, and how they are played.

A file depends on nothing but the recipe, its number and the weights: whoever plays it, on whatever machine and beside
however many others, gets the same bytes from the same build of the kernel.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from damier import Board
from damier._kernel import Evaluation, SelfPlayCore
from damier.engine.evaluation import unpacked
from damier.engine.tables import Tables
from damier.lab.files import sha256

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HAND_MADE", "FileMade", "SelfPlay", "Stopped", "evaluation_of", "play_file", "weights_digest"]

HAND_MADE: Final = "hand-made"
"""Instead of weights: the evaluation that nobody has to learn."""
_GAME_BITS: Final = 40
_MOST_SEED: Final = 1 << 24


class Stopped(Exception):
    """No more games are wanted; those of the file that was begun are lost."""


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """All that decides the games of a generation.

    ``weights``: the digest of the weights that play (of the bytes before compression), or :data:`HAND_MADE`. ``nodes``:
    for a move. ``seed``: of the generation, below 2²⁴. ``games``: in a file. ``opening_plies``: at most so many moves by
    chance at the start, at least two. ``stray_moves``: one move in so many is by chance later on, 0 for none.
    ``longest``: a game that is not over after so many plies is drawn. ``balanced``: no game goes on from an opening
    that is worth more, in hundredths of a man. ``decided``: a game ends when both sides see this for four plies in a
    row. ``hash_mb``: the search's memory, emptied for each game. ``tables``: the endgame tables of the package are
    looked up in searches, and decide games as soon as they know the position.

    >>> SelfPlay(HAND_MADE, seed=1, games=1000).first_seed(2) - (1 << 40)
    2000
    """

    weights: str
    nodes: int = 1000
    seed: int = 0
    games: int = 1000
    opening_plies: int = 8
    stray_moves: int = 100
    longest: int = 240
    balanced: int = 120
    decided: int = 900
    hash_mb: int = 1
    tables: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.seed < _MOST_SEED:
            raise ValueError(f"a seed is 0 to {_MOST_SEED - 1}, not {self.seed}")
        if self.nodes < 1 or self.games < 1 or self.opening_plies < 2 or self.stray_moves < 0:
            raise ValueError("nodes and games are 1 or more, plies of the opening 2 or more, stray moves 0 or more")

    def first_seed(self, number: int) -> int:
        """The seed of the first game of a file; those of the others follow."""
        return (self.seed << _GAME_BITS) + number * self.games

    def to_json(self) -> dict[str, object]:
        """All of it for programs."""
        return asdict(self)


class FileMade(NamedTuple):
    """A file of games: its number from 0, its samples, the seconds of one core that it took, and who played it."""

    number: int
    data: bytes
    seconds: float
    build: str


def play_file(
    recipe: SelfPlay, number: int, weights: bytes | None, go_on: Callable[[], bool] = lambda: True
) -> FileMade:
    """The games of a file; ``weights``: as a file, compressed or not, None for :data:`HAND_MADE`.

    Raises :class:`Stopped` after the first game at whose end ``go_on`` says no.
    """
    begin = time.thread_time()
    player = SelfPlayCore(
        Board(),
        recipe.hash_mb,
        recipe.nodes,
        recipe.opening_plies,
        recipe.stray_moves,
        recipe.longest,
        recipe.balanced,
        recipe.decided,
        None if weights is None else evaluation_of(weights),
        Tables.default().kernel if recipe.tables else None,
    )
    first = recipe.first_seed(number)
    games: list[bytes] = []
    for seed in range(first, first + recipe.games):
        if not go_on():
            raise Stopped
        games.append(player.play(seed))
    return FileMade(number, b"".join(games), time.thread_time() - begin, _build())


@lru_cache(maxsize=2)
def evaluation_of(weights: bytes) -> Evaluation:
    """The evaluation with these weights, shared by all who play here."""
    return Evaluation(unpacked(weights))


def weights_digest(weights: bytes | None) -> str:
    """What a recipe says of weights: alike for the same ones, however they are compressed."""
    return HAND_MADE if weights is None else sha256(unpacked(weights))


@cache
def _build() -> str:
    """A digest of the kernel that plays here."""
    kernel: Any = importlib.import_module("damier._kernel")
    return sha256(Path(kernel.__file__).read_bytes())[:12]
