"""Samples in a random order that need not fit into memory, and those of whole games held back for tests.

Every sample first goes to one of a few files, by chance; then each file, which does fit, is put into a random order:
together every order is equally likely (the shuffle of Sanders, "Random permutations on distributed, external and
hierarchical memory", 1998). Later epochs take the files in another order, and each in another order within.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from damier.i18n import N_
from damier.lab.errors import LabError
from damier.lab.files import read_json, write_json
from damier.lab.generation import read_all
from damier.lab.samples import SAMPLE, SAMPLE_BYTES, game_numbers, samples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from damier.lab.generation import Generation

__all__ = ["TEST_SHARE", "Shuffled"]

TEST_SHARE: Final = 20
"""One game in so many is for tests."""
_SLICE: Final = 1 << 16
"""So many samples are handed out at a time."""
_COPIES: Final = 4
"""How often a file of samples is in memory at the same time: as read, in order, and on both sides of the kernel's door."""
_TEST: Final = "test.bin"
_CONTENTS: Final = "contents.json"
_TOO_FEW = N_("There are too few games to hold some back for tests; {least} are needed at least.")


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Samples to learn from and to test with, in files of a folder."""

    folder: Path
    seed: int
    parts: int
    learned: int
    """How many samples there are to learn from."""
    tested: int
    """How many there are for tests."""

    @classmethod
    def make(
        cls,
        folder: Path,
        generations: list[Generation],
        seed: int,
        memory_mb: int,
        told: Callable[[int], object] = lambda _: None,
    ) -> Shuffled:
        """Shuffle the samples of these generations into a folder, or take those that were.

        ``memory_mb``: about as much is used at a time. ``told`` is called with how many samples more have been read.
        """
        total = sum(generation.positions for generation in generations)
        parts = max(1, -(-total * SAMPLE_BYTES * _COPIES // (memory_mb << 20)))
        source = [generation.digest() for generation in generations]
        wanted = {"source": source, "seed": seed, "parts": parts}
        if (folder / _CONTENTS).exists():
            contents = read_json(folder / _CONTENTS)
            if all(contents.get(name) == value for name, value in wanted.items()):
                told(total)
                return cls(folder, seed, parts, contents["learned"], contents["tested"])
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        learned, tested = _distribute(folder, generations, seed, parts, told)
        if not learned or not tested:
            raise LabError(_TOO_FEW, code="too_few", least=TEST_SHARE)
        write_json(folder / _CONTENTS, {**wanted, "learned": learned, "tested": tested})
        return cls(folder, seed, parts, learned, tested)

    def epoch(self, number: int) -> Iterator[bytes]:
        """All samples to learn from, in the order of an epoch, some at a time."""
        for part in np.random.default_rng([self.seed, number]).permutation(self.parts):
            samples = np.fromfile(self.folder / _part(int(part)), SAMPLE)
            order = np.random.default_rng([self.seed, number, int(part) + 1]).permutation(len(samples))
            for begin in range(0, len(samples), _SLICE):
                yield samples[order[begin : begin + _SLICE]].tobytes()

    def tests(self) -> Iterator[bytes]:
        """All samples for tests, some at a time."""
        with (self.folder / _TEST).open("rb") as file:
            while data := file.read(_SLICE * SAMPLE_BYTES):
                yield data


def _distribute(
    folder: Path, generations: list[Generation], seed: int, parts: int, told: Callable[[int], object]
) -> tuple[int, int]:
    """How many samples there are to learn from, and for tests."""
    games = learned = tested = 0
    with ExitStack() as stack:
        files = [stack.enter_context((folder / _part(part)).open("wb")) for part in range(parts)]
        tests = stack.enter_context((folder / _TEST).open("wb"))
        for index, (_, _, data) in enumerate(read_all(generations)):
            samples = samples_of(data)
            numbers = games + game_numbers(samples)
            games = int(numbers[-1]) + 1 if len(numbers) else games
            held_back = numbers % TEST_SHARE == TEST_SHARE - 1
            tests.write(samples[held_back].tobytes())
            others = samples[~held_back]
            part_of = np.random.default_rng([seed, 0, index]).integers(parts, size=len(others))
            for part, file in enumerate(files):
                file.write(others[part_of == part].tobytes())
            learned += len(others)
            tested += len(samples) - len(others)
            told(len(samples))
    return learned, tested


def _part(number: int) -> str:
    return f"part-{number:03}.bin"
