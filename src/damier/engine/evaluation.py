"""The weights of the learned evaluation, as the package ships them. docs/evaluation.md tells how they were made."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files

from damier._kernel import Evaluation

__all__ = ["evaluation"]


@cache
def evaluation() -> Evaluation:
    """The evaluation with the weights of the package, unpacked when it is first needed and then shared."""
    packed = files("damier.engine").joinpath("data", "evaluation.xz").read_bytes()
    return Evaluation(lzma.decompress(packed))
