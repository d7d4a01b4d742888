"""Ratios against a named peer: both sides in turn, round by round, since a machine's speed drifts."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["report", "seconds"]

ROUNDS = 7


def seconds(work: Callable[[], object]) -> float:
    """How long one call of ``work`` takes."""
    begin = perf_counter()
    work()
    return perf_counter() - begin


def report(
    what: str,
    ours: Callable[[], float],
    peer: str,
    theirs: Callable[[], float],
    at_least: float,
    rounds: int = ROUNDS,
) -> None:
    """Measures both sides in ``rounds`` alternating rounds and prints the median of the rounds' ratios.

    ``ours`` and ``theirs`` return the seconds that the same work took.
    """
    for each in (ours, theirs):  # the first call of each pays for caches and imports
        each()
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    ratios = sorted(slow / fast for fast, slow in pairs)
    print(
        f"{what}: {median(ratios):.1f}x as fast as {peer} (asked for: {at_least:g}x; "
        f"{rounds} rounds from {ratios[0]:.1f}x to {ratios[-1]:.1f}x; "
        f"ours {median(fast for fast, _ in pairs) * 1000:.2f} ms, theirs {median(slow for _, slow in pairs) * 1000:.2f} ms)",
        flush=True,
    )
