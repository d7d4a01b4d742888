"""A stream of numbers that is the same everywhere: the exercise of the day must not depend on a process or a version.

SplitMix64, as published by Steele, Lea and Flood ("Fast splittable pseudorandom number generators", OOPSLA 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")

_GAMMA: Final = 0x9E3779B97F4A7C15
_MASK: Final = (1 << 64) - 1


class Stream:
    """Whole numbers that follow from a seed (64 bits of it), and choices made by them.

    >>> stream = Stream(1234567)
    >>> stream.next(), stream.next()
    (6457827717110365317, 3203168211198807973)
    >>> Stream(7).choice("abc"), Stream(7).choice("abc"), Stream(8).below(10)
    ('b', 'b', 6)
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """The next number of 64 bits."""
        self._state = (self._state + _GAMMA) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1. (For limits as small as ours all are equally likely.)"""
        return self.next() * limit >> 64

    def choice(self, items: Sequence[Item]) -> Item:
        """One of some items."""
        return items[self.below(len(items))]
