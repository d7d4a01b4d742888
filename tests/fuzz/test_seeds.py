"""Every text from which fuzzing starts, and every text that it ever failed on, goes through its target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

_SEEDS = sorted(path for path in (Path(__file__).parent / "seeds").glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", _SEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_seed(path: Path) -> None:
    target = TARGETS[path.parent.name]
    data = path.read_bytes()
    assert len(data) <= target.longest
    target.run(data)


def test_every_target_has_seeds_and_a_dictionary() -> None:
    assert {path.parent.name for path in _SEEDS} == set(TARGETS)
    assert {path.stem for path in (Path(__file__).parent / "dictionaries").glob("*.dict")} == set(TARGETS)
