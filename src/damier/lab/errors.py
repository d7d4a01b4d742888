"""What can be wrong with the laboratory's files and with what is asked of it."""

from __future__ import annotations

from damier.errors import EngineError

__all__ = ["LabError"]


class LabError(EngineError):
    """Something that the laboratory cannot do, or a file that it cannot go on from. ``code`` names why."""

    def __init__(self, message: str, *, code: str, **facts: object) -> None:
        super().__init__(message, **facts)
        self.code = code
