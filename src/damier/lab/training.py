"""Weights are fitted to samples: epoch by epoch, with a log, and to be gone on with after each of them."""

from __future__ import annotations

import json
import lzma
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from damier._kernel import Evaluation, FitCore
from damier.i18n import N_
from damier.lab.errors import LabError
from damier.lab.files import held, read_json, write, write_json
from damier.lab.samples import SAMPLE_BYTES
from damier.lab.shuffled import Shuffled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from damier.lab.generation import Generation

__all__ = ["WEIGHTS", "EpochLog", "FitRecipe", "fit", "read_log"]

_KIND: Final = "damier lab fit"
_FORM: Final = 1
_RECIPE: Final = "recipe.json"
_LOG: Final = "log.jsonl"
WEIGHTS: Final = "weights.xz"
"""What a fit leaves in its folder."""
_OTHER_FIT = N_("{folder} holds a fit by another recipe ({what}); name another with --name, or remove the folder.")
_BAD_CHECKPOINT = N_("{file} is damaged; remove it to begin the fit anew.")
_NO_LOG = N_("{file} is no log of a fit.")


@dataclass(frozen=True, slots=True)
class FitRecipe:
    """All that decides the weights, together with the samples.

    ``epochs``: how often all samples are gone through. ``rate``: how far a weight goes at first, in units of the
    logistic curve; three tenths of it in the last epoch but one, and a tenth in the last. ``results``: how much of what
    is aimed at is the game's result; the rest is what the search's score stands for. ``score_unit``: the score, in
    hundredths of a man, at which the side that is ahead gets 73 % of the points. ``seed``: of the samples' order.
    """

    epochs: int = 10
    rate: float = 0.03
    results: float = 0.5
    score_unit: float = 130.0
    seed: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1 or not self.rate > 0 or not 0 <= self.results <= 1 or not self.score_unit > 0:
            raise ValueError("epochs are 1 or more, the share of results is 0 to 1, and rate and unit are above 0")

    def rate_of(self, epoch: int) -> float:
        """The rate of an epoch, which count from 1.

        >>> [round(FitRecipe(epochs=4).rate_of(epoch), 4) for epoch in (1, 2, 3, 4)]
        [0.03, 0.03, 0.009, 0.003]
        """
        return self.rate * {0: 0.1, 1: 0.3}.get(self.epochs - epoch, 1.0)


@dataclass(frozen=True, slots=True)
class EpochLog:
    """What an epoch came to. Losses are means of the cross-entropy.

    ``learned``: before each step, of the samples to learn from. ``tested``: of the games held back. ``results``: of
    them, if only the games' results are aimed at.
    """

    epoch: int
    rate: float
    learned: float
    tested: float
    results: float


def fit(
    folder: Path,
    generations: list[Generation],
    recipe: FitRecipe,
    *,
    memory_mb: int = 1024,
    began: Callable[[str, int], object] = lambda _what, _samples: None,
    advanced: Callable[[int], object] = lambda _: None,
    told: Callable[[EpochLog], object] = lambda _: None,
) -> list[EpochLog]:
    """Fit weights to the samples of these generations, and leave them in ``folder`` as ``weights.xz``.

    ``began`` is called with what is done now and how many samples it goes through, ``advanced`` with how many more of
    them it has, and ``told`` with each epoch, those of earlier runs too.

    What is there is gone on from after the last epoch that was finished; the weights are the same. Raises
    :class:`LabError` if the folder has a fit by another recipe or to other samples, and OSError.
    """
    with held(folder):
        _expect_same(folder, generations, recipe, memory_mb)
        began("shuffling", sum(generation.positions for generation in generations))
        samples = Shuffled.make(folder / "samples", generations, recipe.seed, memory_mb, advanced)
        core = FitCore()
        done = _restored(folder, core)
        logs = [each for each in read_log(folder) if each.epoch <= done]
        _rewrite_log(folder, logs)
        for each in logs:
            told(each)
        for epoch in range(done + 1, recipe.epochs + 1):
            began(f"epoch {epoch} of {recipe.epochs}", samples.learned + 2 * samples.tested)
            rate = recipe.rate_of(epoch)

            def learn(data: bytes, rate: float = rate) -> float:
                return core.learn(data, rate, recipe.results, recipe.score_unit)

            def test(data: bytes, results: float = recipe.results) -> float:
                return core.test(data, results, recipe.score_unit)

            log = EpochLog(
                epoch,
                rate,
                _mean(learn, samples.epoch(epoch), advanced),
                _mean(test, samples.tests(), advanced),
                _mean(lambda data: test(data, 1.0), samples.tests(), advanced),
            )
            _append_log(folder, log)
            write(_checkpoint(folder, epoch), core.state())
            _checkpoint(folder, epoch - 1).unlink(missing_ok=True)
            logs.append(log)
            told(log)
        weights = core.file()
        Evaluation(weights)  # raises if it cannot be played with
        write(folder / WEIGHTS, lzma.compress(weights, preset=9))
    return logs


def read_log(folder: Path) -> list[EpochLog]:
    """The epochs of a fit as its log tells them; a line that was cut off is left out. Raises :class:`LabError`."""
    path = folder / _LOG
    if not path.exists():
        return []
    try:
        return [EpochLog(**json.loads(line)) for line in path.read_text("utf-8").splitlines(True) if line[-1] == "\n"]
    except (TypeError, ValueError):
        raise LabError(_NO_LOG, code="no_log", file=str(path)) from None


def _expect_same(folder: Path, generations: list[Generation], recipe: FitRecipe, memory_mb: int) -> None:
    """The recipe is written down, or is the one that stands there."""
    samples = [
        {"generation": each.folder.name, "samples": each.digest(), "files": len(each.files)} for each in generations
    ]
    ours: dict[str, Any] = {**asdict(recipe), "memory_mb": memory_mb, "generations": samples}
    if not (folder / _RECIPE).exists():
        write_json(folder / _RECIPE, {_KIND: _FORM, **ours})
        return
    there = read_json(folder / _RECIPE)
    other = [name for name in ours if there.get(name) != ours[name]]
    if there.get(_KIND) != _FORM or other:
        raise LabError(_OTHER_FIT, code="other_fit", folder=str(folder), what=", ".join(other) or _KIND)


def _restored(folder: Path, core: FitCore) -> int:
    """The epochs that are done; the core goes on from there."""
    found = sorted(folder.glob("checkpoint-*.bin"))
    if not found:
        return 0
    try:
        core.restore(found[-1].read_bytes())
        return int(found[-1].stem.removeprefix("checkpoint-"))
    except ValueError:
        raise LabError(_BAD_CHECKPOINT, code="bad_checkpoint", file=str(found[-1])) from None


def _checkpoint(folder: Path, epoch: int) -> Path:
    return folder / f"checkpoint-{epoch:04}.bin"


def _append_log(folder: Path, log: EpochLog) -> None:
    with (folder / _LOG).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(log)) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _rewrite_log(folder: Path, logs: list[EpochLog]) -> None:
    write(folder / _LOG, "".join(json.dumps(asdict(each)) + "\n" for each in logs).encode())


def _mean(loss_of: Callable[[bytes], float], slices: Iterable[bytes], advanced: Callable[[int], object]) -> float:
    """The mean of the losses of samples that come in slices."""
    total = 0.0
    samples = 0
    for data in slices:
        held_here = len(data) // SAMPLE_BYTES
        total += loss_of(data) * held_here
        samples += held_here
        advanced(held_here)
    return total / samples
