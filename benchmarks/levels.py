"""The ratings of the levels of strength, from tournaments among them: `python benchmarks/levels.py plot.svg FILE …`.

Each FILE is what `damier tournament … --json` wrote; players are told apart by their names, which are the numbers of
the levels. All games count together. Printed are the ratings, the weakest having 1000, with half the width of their
95 % intervals; the plot shows them. docs/levels.md has the commands.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from damier.engine.match import Pairs, ratings

FIRST = 1000


def rated(results: list[dict[str, Any]]) -> list[tuple[int, float, float, int]]:
    """Each level with its rating, the error of it, and the number of its games."""
    met: dict[tuple[int, int], Pairs] = {}
    for result in results:
        names = [int(player["name"]) for player in result["players"]]
        for meeting in result["meetings"]:
            one, two = (names[place] - 1 for place in meeting["players"])
            before = met.get((one, two), Pairs()).counts
            met[one, two] = Pairs(tuple(map(sum, zip(before, meeting["pairs"], strict=True))))  # pyright: ignore[reportArgumentType]
    count = 1 + max(map(max, met))
    games = [2 * sum(pairs.total for pair, pairs in met.items() if level in pair) for level in range(count)]
    found = ratings(count, met)
    return [
        (level + 1, FIRST + rating.elo - found[0].elo, rating.error, games[level]) for level, rating in enumerate(found)
    ]


def main() -> None:
    plot, *files = sys.argv[1:]
    levels = rated([json.loads(Path(file).read_text("utf-8")) for file in files])
    for level, rating, error, games in levels:
        print(f"level {level:2}: {rating:5.0f} ± {error:3.0f}  ({games} games)")
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    numbers = [level for level, *_ in levels]
    axes.errorbar(numbers, [each[1] for each in levels], [each[2] for each in levels], fmt="o", capsize=4)
    axes.set(xlabel="level", ylabel="rating (Elo, level 1 = 1000)", xticks=numbers)
    axes.grid(alpha=0.3)
    figure.savefig(plot, metadata={"Date": None})


if __name__ == "__main__":
    main()
