"""What a step of the guide is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damier.server.guide.tasks import Task


@dataclass(frozen=True, slots=True)
class Step:
    """A position, what is to be learned from it, and what is to be done in it.

    ``slug``: its address. ``text``: paragraphs. ``ask``: the task in words. ``hints``: given one by one. ``learned``:
    said when the task is done. ``otherwise``: said of a legal answer that does not do it; empty where none is. ``model``:
    the answer (:func:`~damier.server.guide.tasks.judge`). ``numbers``: whether the squares show theirs.
    """

    slug: str
    title: str
    text: tuple[str, ...]
    ask: str
    hints: tuple[str, ...]
    learned: str
    fen: str
    task: Task
    model: tuple[str, ...]
    otherwise: str = ""
    rules: str = "official"
    numbers: bool = True
