"""The steps of the beginner's guide, as data: what each says, and what it asks for.

The texts are message ids (:mod:`damier.i18n`). That what they say holds on the board is proved by the tests, move by move.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final

from damier.i18n import N_
from damier.server.guide.kings import KINGS
from damier.server.guide.men import BOARD, MEN
from damier.server.guide.step import Step
from damier.server.guide.winning import ENDINGS, WINNING

__all__ = ["CHAPTERS", "STEPS", "Chapter", "Step", "neighbours"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """Some steps that belong together."""

    title: str
    steps: tuple[Step, ...]


CHAPTERS: Final = (
    Chapter(N_("The board"), BOARD),
    Chapter(N_("Men"), MEN),
    Chapter(N_("Kings"), KINGS),
    Chapter(N_("How to win"), WINNING),
    Chapter(N_("How a game ends"), ENDINGS),
)
STEPS: Final = {step.slug: step for step in chain.from_iterable(chapter.steps for chapter in CHAPTERS)}
"""All steps by slug, in their order."""


def neighbours(slug: str) -> tuple[Step | None, Step | None]:
    """The steps before and after one.

    >>> [each and each.slug for each in neighbours("board")]
    [None, 'setting-up']
    """
    order = list(STEPS.values())
    place = order.index(STEPS[slug])
    return order[place - 1] if place else None, order[place + 1] if place + 1 < len(order) else None
