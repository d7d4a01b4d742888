"""All captures that the side to move could make if the longest were not compulsory, each to where it goes no further.

That is what somebody sees who looks for the longest one: shorter ways belong to it. (A capture that could go on is not
over, whatever the rules say of length.) ``official`` rules: a man that passes the far row stays a man.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from damier.explain import Explainer
from damier.lines import RAYS, between

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from damier import Board

MOST_WAYS: Final = 300
"""Ways of one position; where kings roam there may be thousands, and nobody finds his way among them."""
_SQUARES: Final = re.compile(r"\d{1,2}")


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture as far as it goes. ``captured``: sorted. ``paths``: every way, with each square that the piece stops on."""

    from_square: int
    to_square: int
    captured: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]

    @property
    def turns(self) -> int:
        """Changes of direction on the straightest way."""
        return min(_turns(path) for path in self.paths)


def all_captures(board: Board) -> tuple[Capture, ...] | None:
    """The captures, in the order of their squares; None where there are too many ways.

    >>> from damier import Board
    >>> [(each.paths[0], len(each.captured)) for each in all_captures(Board("W:W27,32:B21,28,19,13"))]
    [((27, 16), 1), ((32, 23, 14), 2)]
    """
    explainer = Explainer(board)
    found: dict[tuple[int, int, tuple[int, ...]], list[tuple[int, ...]]] = {}
    ways = 0
    for start in sorted(explainer.own):
        captures = explainer.captures(start, in_passing=False)
        if captures.too_many:
            return None
        for jumps, layer in enumerate(captures.layers):
            for state in layer:
                if jumps == 0 or next(captures.jumps(state), None) is not None:
                    continue
                taken = tuple(square for square in range(1, 51) if state[1] >> square & 1)
                for way in _ways(captures.layers, jumps, state, explainer.enemies):
                    found.setdefault((start, state[0], taken), []).append(way)
                    ways += 1
                    if ways > MOST_WAYS:
                        return None
    return tuple(Capture(*key, tuple(sorted(paths))) for key, paths in sorted(found.items()))


def named(captures: Sequence[Capture], text: str) -> Capture | None:
    """The capture that a text names: by its way (32x23x14) or by its ends (32x14), the longest that has them.

    >>> from damier import Board
    >>> captures = all_captures(Board("W:W27,32:B21,28,19,13"))
    >>> named(captures, "32x14") == named(captures, "32x23x14"), named(captures, "32x23"), named(captures, "?")
    (True, None, None)
    """
    squares = tuple(int(number) for number in _SQUARES.findall(text))
    if len(squares) < 2:
        return None
    exact = [each for each in captures if squares in each.paths]
    ends = [each for each in captures if len(squares) == 2 and (each.from_square, each.to_square) == squares]
    return max(ends, key=lambda each: len(each.captured), default=None) or (exact[0] if exact else None)


def _ways(
    layers: Sequence[dict[tuple[int, int, bool], list[tuple[int, int, bool]]]],
    jumps: int,
    state: tuple[int, int, bool],
    enemies: frozenset[int],
) -> Iterator[tuple[int, ...]]:
    """The ways to a state. A king that goes straight on stops right behind each piece, and nowhere else."""
    if jumps == 0:
        yield (state[0],)
        return
    for before in layers[jumps][state]:
        for way in _ways(layers, jumps - 1, before, enemies):
            if len(way) == 1 or not _is_detour(way[-2], way[-1], state[0], enemies):
                yield (*way, state[0])


def _is_detour(first: int, stop: int, end: int, enemies: frozenset[int]) -> bool:
    """Whether a piece that goes straight on from ``first`` over ``stop`` stops farther behind the piece than it need."""
    if _direction(first, stop) != _direction(stop, end):
        return False
    return (between(first, stop) or (0,))[-1] not in enemies


def _turns(path: tuple[int, ...]) -> int:
    directions = [_direction(*hop) for hop in pairwise(path)]
    return sum(before != after for before, after in pairwise(directions))


def _direction(start: int, end: int) -> int:
    return next(direction for direction, ray in enumerate(RAYS[start]) if end in ray)
