"""Pictures of what the laboratory finds, as SVG or whatever the name's suffix says."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from damier.lab.calibration import shares

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from damier.lab.calibration import Calibration, Counts
    from damier.lab.strength import Strength
    from damier.lab.training import EpochLog

__all__ = ["draw_calibration", "draw_loss", "draw_strength"]

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where it keeps what it knows of typefaces is of no interest
import_module("matplotlib")  # who has not got it is told before the work, not after
_BIN = 20
_COLOURS = ("#b3423a", "#8a8178", "#2f6f4f")


@contextmanager
def _picture(path: Path, across: str, up: str) -> Generator[Any]:
    """Axes to draw on; the picture is in its place, whole, after the block."""
    figure = import_module("matplotlib.figure").Figure(figsize=(8, 4.5), layout="constrained")
    axes: Any = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(visible=True, alpha=0.3)
    yield axes
    axes.legend(frameon=False)
    beside = path.with_name(f".{path.stem}.part{path.suffix}")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(beside)
    beside.replace(path)


def draw_loss(logs: Sequence[EpochLog], path: Path) -> None:
    """The losses of a fit, epoch by epoch."""
    epochs = [each.epoch for each in logs]
    with _picture(path, "epoch", "mean cross-entropy") as axes:
        axes.plot(epochs, [each.learned for each in logs], "o-", label="learned from, before each step")
        axes.plot(epochs, [each.tested for each in logs], "s-", label="games held back")
        axes.plot(epochs, [each.results for each in logs], "^--", label="games held back, results alone")
        axes.xaxis.get_major_locator().set_params(integer=True)


def draw_strength(strengths: Sequence[Strength], path: Path) -> None:
    """The Elo of the weights of each generation, a line for each that they played against."""
    labels = list(dict.fromkeys(each.label for each in strengths))
    with _picture(path, "weights fitted to generation", "Elo, with 95 %") as axes:
        for against in dict.fromkeys((each.against, each.limit) for each in strengths):
            found = [each for each in strengths if (each.against, each.limit) == against and each.elo is not None]
            places = [labels.index(each.label) for each in found]
            elos = [each.elo or 0.0 for each in found]
            errors = [
                [elo - (elo if each.low is None else each.low) for elo, each in zip(elos, found, strict=True)],
                [(elo if each.high is None else each.high) - elo for elo, each in zip(elos, found, strict=True)],
            ]
            axes.errorbar(places, elos, errors, fmt="o-", capsize=4, label=f"against {against[0]}, {against[1]}")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xticks(range(len(labels)), labels)


def draw_calibration(counts: Counts, found: Calibration, path: Path) -> None:
    """How often scores were won, drawn and lost, and the curves that were fitted."""
    import numpy as np

    bins = np.round(counts.scores / _BIN).astype(int)
    with _picture(path, "score, in hundredths of a man", "share of the games") as axes:
        middles = np.unique(bins)
        sums = np.stack([counts.results[bins == middle].sum(axis=0) for middle in middles])
        of_bin = sums.sum(axis=1, keepdims=True)
        curves = shares(middles * float(_BIN), found.margin, found.spread)
        for result, (name, colour) in enumerate(zip(("lost", "drawn", "won"), _COLOURS, strict=True)):
            axes.plot(middles * _BIN, (sums / of_bin)[:, result], ".", color=colour, label=name)
            axes.plot(middles * _BIN, curves[:, result], "-", color=colour)
