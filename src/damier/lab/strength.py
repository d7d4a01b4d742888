"""How strong the weights of each generation are: what matches have found, kept in a file and drawn."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from damier.i18n import N_
from damier.lab.errors import LabError
from damier.lab.files import write

if TYPE_CHECKING:
    from pathlib import Path

    from damier.engine.match import Pairs

__all__ = ["Strength", "keep", "read_strengths"]

_FILE: Final = "strength.jsonl"
_NO_STRENGTHS = N_("{file}, line {line}: no result of a match.")


@dataclass(frozen=True, slots=True)
class Strength:
    """What a match has found. ``label``: whose weights; ``against``: the others. ``elo``: with the ends of its 95 %.

    ``limit``: what both had for a move. An Elo that is not finite is None.
    """

    label: str
    against: str
    limit: str
    games: int
    score: float
    elo: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, label: str, against: str, limit: str, pairs: Pairs) -> Strength:
        """Of the pairs of a match."""
        elo = pairs.elo()
        value, low, high = (each if math.isfinite(each) else None for each in (elo.value, elo.low, elo.high))
        return cls(label, against, limit, 2 * pairs.total, pairs.score, value, low, high)


def keep(folder: Path, strength: Strength) -> list[Strength]:
    """Add it to the file, in the place of an earlier one of the same two by the same limit; all that there are."""
    kept = [each for each in read_strengths(folder) if _match_of(each) != _match_of(strength)]
    kept.append(strength)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / _FILE, "".join(json.dumps(asdict(each)) + "\n" for each in kept).encode())
    return kept


def read_strengths(folder: Path) -> list[Strength]:
    """What has been kept. Raises :class:`LabError` for a line that is none, and OSError."""
    path = folder / _FILE
    found: list[Strength] = []
    if path.exists():
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            try:
                found.append(Strength(**json.loads(line)))
            except (TypeError, ValueError):
                raise LabError(_NO_STRENGTHS, code="no_strengths", file=str(path), line=number) from None
    return found


def _match_of(strength: Strength) -> tuple[str, str, str]:
    return strength.label, strength.against, strength.limit
