"""``damier openings``: the openings of matches, found by search."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from damier import Board

__all__ = ["openings"]

_HASH_MB = 16


def openings(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the list is written; - is standard output.")
    ] = "-",
    plies: Annotated[
        int, typer.Option("--plies", min=1, max=6, help="The length of the openings in single moves.")
    ] = 4,
    nodes: Annotated[int, typer.Option("--nodes", min=1, help="The search's limit for each position.")] = 100_000,
    most: Annotated[
        int, typer.Option("--most", min=0, help="How far from even they may be, in hundredths of a man.")
    ] = 10,
    each: Annotated[int, typer.Option("--each", min=1, help="How many may share their first two moves.")] = 4,
) -> None:
    """Find balanced openings: every beginning, once for each position, that a search of fixed length finds even.

    The list that matches use was made with the options' own values. The same engine finds the same list again.
    """
    from damier.cli.outputs import replaced
    from damier.cli.screen import counted, progress
    from damier.engine import Engine, Limit
    from damier.engine.match.openings import balanced, candidates, written

    engine = Engine(hash_mb=_HASH_MB)

    def judge(board: Board) -> int:
        engine.clear()
        score = engine.search(board, Limit(nodes=nodes)).score
        return 29_000 if score.centi_men is None else score.centi_men

    found = candidates(plies)
    with progress("searching", total=len(found)) as advance:
        kept = balanced(found, judge, most=most, per_beginning=each, told=advance)
    recipe = (
        f"damier openings --plies {plies} --nodes {nodes} --most {most} --each {each}\n"
        f"{counted(len(kept), 'opening')} of {counted(len(found), 'position')}; behind each what the search gave it,\n"
        "in hundredths of a man for White."
    )
    text = written(kept, recipe)
    if output == "-":
        sys.stdout.write(text)
        return
    with replaced(Path(output)) as file:
        file.write(text)
