"""Real PDN files, whose rights are unknown: they are read where they lie and are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["SAMPLES", "needs_samples"]

_PROJECT = Path(__file__).parents[3]

SAMPLES = Path(os.environ.get("DAMIER_PDN") or _PROJECT.parent / "shared" / "pdn")
"""The folder of the files: ``DAMIER_PDN`` in the environment, else ``shared/pdn`` beside the project."""

needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason=f"no sample files in {SAMPLES}; set DAMIER_PDN to their folder"
)
