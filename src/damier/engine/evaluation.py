"""The weights of the learned evaluation: those that the package ships, and others. docs/lab.md tells how they are made."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from damier._kernel import Evaluation
from damier.errors import EngineError
from damier.i18n import N_

if TYPE_CHECKING:
    import os

__all__ = ["evaluation", "read_evaluation", "unpacked"]

_XZ: Final = b"\xfd7zXZ\x00"
_NO_WEIGHTS = N_("{file} holds no weights of this engine's evaluation.")


@cache
def evaluation() -> Evaluation:
    """The evaluation with the weights of the package, unpacked when it is first needed and then shared."""
    packed = files("damier.engine").joinpath("data", "evaluation.xz").read_bytes()
    return Evaluation(lzma.decompress(packed))


def read_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """The evaluation with the weights of a file that ``damier lab fit`` has made.

    Raises :class:`~damier.EngineError` if it is something else, and OSError.
    """
    try:
        return Evaluation(unpacked(Path(path).read_bytes()))
    except (lzma.LZMAError, EOFError, ValueError):
        raise EngineError(_NO_WEIGHTS, file=str(path)) from None


def unpacked(data: bytes) -> bytes:
    """The bytes of a file of weights, which may be compressed or not. Raises LZMAError for what is damaged."""
    return lzma.decompress(data) if data.startswith(_XZ) else data
