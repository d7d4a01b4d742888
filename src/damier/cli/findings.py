"""What is wrong in a file, a line each: ``file:game:ply: message``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from damier.cli.status import shown

if TYPE_CHECKING:
    from damier import BadPdn

__all__ = ["Finding", "Severity"]

Severity: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or remarkable.

    ``file``: its name as given. ``game``: from 1, 0 where the file itself is meant. ``ply``: from 1, 0 outside the moves. ``line`` and ``column``: from
    1, 0 where the whole game is meant. ``code``: a name for programs.

    >>> print(Finding("a.pdn", 3, 17, 41, 5, "error", "illegal_move", "There is no piece on 28."))
    a.pdn:3:17: There is no piece on 28.
    >>> print(Finding("a.pdn", 3, 0, 0, 0, "warning", "result", "The results differ."))
    a.pdn:3:0: warning: The results differ.
    """

    file: str
    game: int
    ply: int
    line: int
    column: int
    severity: Severity
    code: str
    message: str
    token: str = ""
    choices: tuple[str, ...] = ()

    @classmethod
    def of(cls, file: str, error: BadPdn, severity: Severity = "error") -> Finding:
        """What a reader reports of a file."""
        place = (error.game, error.ply or 0, error.line, error.column)
        return cls(file, *place, severity, error.code, error.what(), error.token, error.choices)

    def __str__(self) -> str:
        severity = "" if self.severity == "error" else f"{self.severity}: "
        return shown(f"{self.file}:{self.game}:{self.ply}: {severity}{self.message}")

    def to_json(self) -> dict[str, object]:
        """The same for programs."""
        return asdict(self)
