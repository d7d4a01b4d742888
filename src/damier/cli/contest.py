"""What ``damier match`` and ``damier tournament`` share: their options, how they are run, and what they show."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from damier.cli.status import USAGE, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from damier.engine.match import Conditions, PairPlayed, Setup, Sprt, Tally

__all__ = [
    "Clock",
    "Concurrency",
    "Depth",
    "DrawFrom",
    "DrawMoves",
    "DrawScore",
    "Margin",
    "MaxPlies",
    "MoveTime",
    "NoTables",
    "Nodes",
    "Openings",
    "Output",
    "Scheduler",
    "Seed",
    "WinMoves",
    "WinScore",
    "conditions_of",
    "run",
    "setup_of",
    "usage_lines",
]

_LINE_EVERY: Final = 10.0
"""Seconds between two lines of progress where there is no terminal, at first; later as a part of the whole time."""
_LINE_PART: Final = 0.05

MoveTime: TypeAlias = Annotated[
    float | None, typer.Option("--time", "-t", metavar="SECONDS", help="For each move.", show_default="0.1")
]
Nodes: TypeAlias = Annotated[int | None, typer.Option("--nodes", "-n", min=1, help="For each move.")]
Depth: TypeAlias = Annotated[int | None, typer.Option("--depth", "-d", min=1, help="For each move, in plies.")]
Clock: TypeAlias = Annotated[
    str | None, typer.Option("--clock", metavar="SECONDS[+SECONDS]", help="A clock instead: at the start, and a move.")
]
Openings: TypeAlias = Annotated[
    Path | None, typer.Option("--openings", metavar="FILE", help="An opening a line.", show_default="our own")
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", help="Decides the order of the openings.")]
Concurrency: TypeAlias = Annotated[
    int, typer.Option("--concurrency", "-c", min=1, help="How many games are played at a time.")
]
Scheduler: TypeAlias = Annotated[
    str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Play on this Dask cluster instead.")
]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="NAME", help="Keep the games in NAME.pdn, and in NAME.jsonl what is needed to go on."
    ),
]
DrawMoves: TypeAlias = Annotated[
    int,
    typer.Option("--draw-moves", min=0, help="Drawn when so many scores in a row of both sides are near 0; 0: never."),
]
DrawScore: TypeAlias = Annotated[int, typer.Option("--draw-score", min=0, help="How near, in hundredths of a man.")]
DrawFrom: TypeAlias = Annotated[int, typer.Option("--draw-from", min=0, help="From this ply on.")]
WinMoves: TypeAlias = Annotated[
    int,
    typer.Option("--win-moves", min=0, help="Won when so many scores in a row of both sides agree on it; 0: never."),
]
WinScore: TypeAlias = Annotated[
    int,
    typer.Option("--win-score", min=1, help="What counts as won, in hundredths of a man; a proven win always does."),
]
MaxPlies: TypeAlias = Annotated[int, typer.Option("--max-plies", min=0, help="Drawn after so many; 0: never.")]
NoTables: TypeAlias = Annotated[bool, typer.Option("--no-tables", help="Let no endgame tables decide.")]
Margin: TypeAlias = Annotated[
    float, typer.Option("--margin", min=0, help="By how many seconds a move may be late before it loses.")
]


def conditions_of(
    *,
    seconds: float | None,
    nodes: int | None,
    depth: int | None,
    clock: str | None,
    rules: str,
    margin: float,
    **terms: Any,
) -> Conditions:
    """The conditions that the options ask for; ``terms``: when games are broken off. Raises Failure for what cannot be."""
    from damier.engine import Limit
    from damier.engine.match import Adjudication, Conditions, MatchClock

    try:
        adjudication = Adjudication(**terms)
        if clock is not None:
            if (seconds, nodes, depth) != (None, None, None):
                raise Failure("--clock is instead of --time, --nodes and --depth", USAGE)
            return Conditions(clock=MatchClock.read(clock), rules=rules, adjudication=adjudication, margin=margin)
        if (seconds, nodes, depth) == (None, None, None):
            seconds = 0.1
        return Conditions(Limit(seconds, nodes, depth), None, rules, adjudication, margin)
    except ValueError as error:
        raise Failure(str(error), USAGE) from error


def setup_of(specs: Sequence[str], conditions: Conditions, openings: Path | None, seed: int) -> Setup:
    """Who plays what. Raises Failure and MatchError."""
    from damier.engine.match import PlayerSpec, Setup, named_apart, read_openings, shipped, shuffled

    players = tuple(map(PlayerSpec.read, specs))
    try:
        found = shipped() if openings is None else read_openings(openings.read_text("utf-8"))
    except UnicodeDecodeError as error:
        raise Failure(f"{openings}: not UTF-8") from error
    return Setup(players, tuple(named_apart(players)), conditions, tuple(shuffled(found, seed)), seed)


def run(
    setup: Setup,
    tally: Tally,
    most: int | None,
    *,
    output: Path | None,
    scheduler: str | None,
    concurrency: int,
    lines: Callable[[], list[str]],
    brief: Callable[[], list[str]] | None = None,
    sprt: Sprt | None = None,
) -> int:
    """Play, with progress on stderr; how many pairs count.

    ``lines``: what the score is now; ``brief``: the same where there is no terminal, as part of one line.
    """
    from damier.engine.match import Record, identities, locally, on_dask, play

    record = None if output is None else Record(output, setup, identities(setup))
    source = locally(concurrency) if scheduler is None else on_dask(scheduler)
    try:
        with _shown(setup, tally, lines, brief or lines, most) as told:
            return play(setup, tally, most, source, record=record, sprt=sprt, told=told)
    except KeyboardInterrupt:
        if len(tally):
            print("\n".join(lines()), file=sys.stderr)
        raise
    finally:
        if record is not None:
            record.close()


@contextmanager
def _shown(
    setup: Setup, tally: Tally, lines: Callable[[], list[str]], brief: Callable[[], list[str]], most: int | None
) -> Generator[Callable[[PairPlayed | None], None]]:
    """Shows the score on stderr while the block runs: a picture that changes on a terminal, a line now and then elsewhere."""
    from damier.cli.screen import error_console

    seen = 0
    of = "" if most is None else f" of {most}"

    def failures() -> list[str]:
        nonlocal seen
        new, seen = tally.failures[seen:], len(tally.failures)
        return [f"{setup.names[player]} lost a game ({reason}): {said}" for player, reason, said in new]

    if not sys.stderr.isatty():
        first = last = time.monotonic()

        def tell(pair: PairPlayed | None) -> None:
            nonlocal last
            for line in failures() if pair is not None else []:
                print(line, file=sys.stderr, flush=True)
            now = time.monotonic()
            if pair is None and len(tally):
                print(f"going on after {len(tally)} pairs", file=sys.stderr, flush=True)
            elif pair is not None and now - last >= max(_LINE_EVERY, _LINE_PART * (now - first)):
                print("; ".join([f"{len(tally)}{of} pairs", *brief()]), file=sys.stderr, flush=True)
                last = now

        yield tell
        return
    from rich.live import Live
    from rich.text import Text

    begin, had = time.monotonic(), 0

    def picture() -> Text:
        done = len(tally) - had
        speed = ""
        if done > 0:
            each = (time.monotonic() - begin) / done
            speed = f", {60 / each:.1f} pairs a minute"
            if most is not None and most > len(tally):
                speed += f", {_duration(each * (most - len(tally)))} to go"
        return Text("\n".join([f"{len(tally)}{of} pairs{speed}", *lines()]))

    with Live(console=error_console(), transient=True, auto_refresh=False) as live:

        def show(pair: PairPlayed | None) -> None:
            nonlocal had
            if pair is None:
                had = len(tally)
            else:
                for line in failures():
                    live.console.print(line, markup=False)
            live.update(picture(), refresh=True)

        yield show


def _duration(seconds: float) -> str:
    """
    >>> _duration(59.6), _duration(3700)
    ('1:00', '1:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def usage_lines(setup: Setup, tally: Tally) -> list[str]:
    """What each player used and reached, and how the games ended."""
    lines = [
        f"{name}: {usage.seconds / usage.moves:.3f} s, depth {usage.depth / usage.moves:.1f}, "
        f"{usage.nodes / usage.moves:,.0f} nodes a move; the longest took {usage.longest:.2f} s"
        for name, usage in zip(setup.names, tally.usage, strict=True)
        if usage.moves
    ]
    reasons = ", ".join(f"{reason} {count}" for reason, count in tally.reasons.most_common())
    return [*lines, f"ended by {reasons}"] if reasons else lines
