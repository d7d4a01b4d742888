"""``damier lab``: the weights of the evaluation are made. docs/lab.md tells how."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from damier.cli.contest import Concurrency, Depth, MoveTime, Nodes, Openings, Scheduler, Seed
from damier.cli.options import Json
from damier.cli.status import USAGE, Failure, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from damier.lab.generation import Generation, PlayedFile
    from damier.lab.training import EpochLog

__all__ = ["lab"]

lab = typer.Typer(
    name="lab",
    help="Make weights for the evaluation: games of the engine against itself, a fit to them, a match.",
    no_args_is_help=True,
)

_LINE_EVERY: Final = 30.0
"""Seconds between two lines of progress where there is no terminal."""
_SHIPPED: Final = "shipped"
_HAND_MADE: Final = "hand-made"

Folder: TypeAlias = Annotated[Path, typer.Option("--folder", metavar="DIR", help="Where the laboratory's files are.")]
Generations: TypeAlias = Annotated[
    str, typer.Option("--generations", metavar="N,N…", help="The generations whose samples are taken.")
]
_FOLDER: Final = Path("data/lab")


@lab.command()
def generate(
    generation: Annotated[int, typer.Option("--generation", "-g", min=0, help="Its number.")],
    folder: Folder = _FOLDER,
    positions: Annotated[int, typer.Option("--positions", "-p", min=1, help="How many quiet ones.")] = 1_000_000,
    nodes: Annotated[int, typer.Option("--nodes", "-n", min=1, help="For each move.")] = 1000,
    weights: Annotated[
        Path | None, typer.Option("--weights", metavar="FILE", help="Of the evaluation.", show_default="the package's")
    ] = None,
    hand_made: Annotated[bool, typer.Option("--hand-made", help="By the hand-made evaluation instead.")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Decides the games.", show_default="the generation's number")
    ] = None,
    games: Annotated[int, typer.Option("--games", min=1, help="In a file, which is done as a whole.")] = 1000,
    no_tables: Annotated[bool, typer.Option("--no-tables", help="Use no endgame tables.")] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="So many games at a time.", show_default="one a core")
    ] = None,
    scheduler: Scheduler = None,
) -> None:
    """Play games of the engine against itself and keep their quiet positions.

    The same command goes on where it was broken off, at the files that were not done.
    """
    with _laboratory():
        from damier.lab.generation import folder_of
        from damier.lab.generation import generate as make
        from damier.lab.selfplay import SelfPlay, weights_digest
        from damier.lab.work import locally, on_dask

    packed = _packed(weights, hand_made=hand_made)
    try:
        recipe = SelfPlay(
            weights_digest(packed),
            nodes,
            generation if seed is None else seed,
            games,
            tables=not no_tables,
        )
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    source = locally(jobs or os.cpu_count() or 1) if scheduler is None else on_dask(scheduler)
    target = folder_of(folder, generation)
    begin = time.monotonic()
    with _bar(f"generation {generation}", "positions") as (began, advance):
        seen = 0

        def told(made: Generation, _: PlayedFile | None) -> None:
            nonlocal seen
            now = min(made.positions, positions)
            advance(now - seen)
            seen = now

        began(f"generation {generation}", positions)
        made = make(target, recipe, packed, positions, source, told)
    decided = sum(each.decided for each in made.files)
    print(
        f"{target}: {made.positions:,} positions of {made.games:,} games, {100 * decided / made.games:.0f} % of them won, "
        f"in {time.monotonic() - begin:,.0f} s; {sum(each.seconds for each in made.files):,.0f} s of a core in all"
    )


@lab.command()
def fit(
    generations: Generations,
    folder: Folder = _FOLDER,
    name: Annotated[
        str | None, typer.Option("--name", help="Of the fit's folder.", show_default="the generations")
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", "-e", min=1, help="How often all samples are gone through.")] = 10,
    rate: Annotated[float, typer.Option("--rate", help="How far a weight goes at first.")] = 0.03,
    results: Annotated[
        float, typer.Option("--results", min=0, max=1, help="The share of the games' results in what is aimed at.")
    ] = 0.5,
    score_unit: Annotated[float, typer.Option("--score-unit", help="The score that stands for 73 % of the points.")] = (
        130.0
    ),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides the order of the samples.")] = 1,
    memory: Annotated[int, typer.Option("--memory", min=1, metavar="MIB", help="About as much is used.")] = 1024,
) -> None:
    """Fit the weights of the evaluation to samples; the weights are left as weights.xz, with a log and a plot.

    The same command goes on after the last epoch that was finished.
    """
    with _laboratory():
        from damier.lab.generation import Generation, folder_of
        from damier.lab.plots import draw_loss
        from damier.lab.selfplay import weights_digest
        from damier.lab.training import WEIGHTS, FitRecipe
        from damier.lab.training import fit as make

    numbers = _numbers(generations)
    try:
        recipe = FitRecipe(epochs, rate, results, score_unit, seed)
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    samples = [Generation.open(folder_of(folder, number)) for number in numbers]
    for each in samples:
        if not each.is_complete:
            print(f"{each.folder} is not finished: {each.positions:,} of {each.wanted:,} positions", file=sys.stderr)
    target = folder / "fits" / (name or "+".join(map(str, numbers)))
    with _bar("fit", "samples") as (began, advance):

        def told(log: EpochLog) -> None:
            print(
                f"epoch {log.epoch}: rate {log.rate:g}, loss {log.learned:.5f} before each step, "
                f"{log.tested:.5f} of games held back ({log.results:.5f} by results alone)",
                flush=True,
            )

        logs = make(target, samples, recipe, memory_mb=memory, began=began, advanced=advance, told=told)
    draw_loss(logs, target / "loss.svg")
    packed = (target / WEIGHTS).read_bytes()
    print(f"{target / WEIGHTS}: {len(packed):,} bytes, weights {weights_digest(packed)}")


@lab.command()
def match(
    weights: Annotated[Path, typer.Argument(metavar="WEIGHTS", help="The file of the new weights.")],
    against: Annotated[
        str, typer.Argument(metavar="OTHERS", help=f"{_SHIPPED}, {_HAND_MADE}, or a file of weights.")
    ] = _SHIPPED,
    label: Annotated[
        str | None, typer.Option("--label", help="What they are called in the plot.", show_default="the fit's name")
    ] = None,
    folder: Folder = _FOLDER,
    seconds: MoveTime = None,
    nodes: Nodes = None,
    depth: Depth = None,
    games: Annotated[
        int | None, typer.Option("--games", "-g", min=2, help="How many at most.", show_default="200; with --sprt none")
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", help="End when this sequential test decides."),
    ] = None,
    openings: Openings = None,
    seed: Seed = 0,
    concurrency: Concurrency = 1,
    scheduler: Scheduler = None,
) -> None:
    """Play a match of new weights against others, and draw how strong the weights of each generation are.

    The same command goes on where it was broken off. On a cluster the files need to be there under the same names.
    """
    from damier.cli.contest import conditions_of, run, setup_of
    from damier.cli.match import score_lines
    from damier.engine.evaluation import read_evaluation
    from damier.engine.match import PlayerSpec, Setup, Sprt, Tally, limit_text, named_apart

    with _laboratory():
        from damier.lab.plots import draw_strength
        from damier.lab.strength import Strength, keep

    try:
        test = None if sprt is None else Sprt.read(sprt)
    except ValueError as error:
        raise Failure(f"--sprt {sprt}: {error}", USAGE) from error
    if games is not None and games % 2:
        raise Failure(f"--games {games}: games are played in pairs; name an even number", USAGE)
    called = label or weights.resolve().parent.name
    read_evaluation(weights)
    players = [PlayerSpec("damier", settings={"weights": str(weights)}, name=called)]
    if against in (_SHIPPED, _HAND_MADE):
        players.append(PlayerSpec("damier", settings={"learned": against == _SHIPPED}, name=against))
    else:
        read_evaluation(against)
        players.append(PlayerSpec("damier", settings={"weights": against}, name=Path(against).resolve().parent.name))
    conditions = conditions_of(seconds=seconds, nodes=nodes, depth=depth, clock=None, rules="official", margin=2.0)
    shipped = setup_of(("damier", "damier"), conditions, openings, seed)
    setup = Setup(tuple(players), tuple(named_apart(players)), conditions, shipped.openings, seed)
    tally = Tally(2)
    limit = limit_text(conditions)
    folder.mkdir(parents=True, exist_ok=True)
    matches = folder / "matches"
    matches.mkdir(exist_ok=True)
    counted = run(
        setup,
        tally,
        games // 2 if games is not None else None if test is not None else 100,
        output=matches / "-".join(setup.names).replace("/", "_"),
        scheduler=scheduler,
        concurrency=concurrency,
        lines=lambda: score_lines(setup, tally, tally.unbroken if test is not None else None, test),
        sprt=test,
    )
    print("\n".join(score_lines(setup, tally, counted, test)))
    kept = keep(folder, Strength.of(setup.names[0], setup.names[1], limit, tally.pairs(upto=counted)))
    draw_strength(kept, folder / "strength.svg")
    print(f"{folder / 'strength.svg'}: {len(kept)} matches")


@lab.command()
def calibrate(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE…", help="Files of samples.", show_default="of --generations")
    ] = None,
    folder: Folder = _FOLDER,
    generations: Annotated[
        str, typer.Option("--generations", metavar="N,N…", help="The generations whose samples are taken.")
    ] = "",
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw it (.svg, .png, .pdf).")] = None,
    json: Json = False,
) -> None:
    """Fit the curve that turns a score into shares of wins, draws and losses."""
    with _laboratory():
        from damier.lab.calibration import calibrate as curve_of
        from damier.lab.calibration import count
        from damier.lab.generation import Generation, folder_of, read_all
        from damier.lab.plots import draw_calibration
        from damier.lab.samples import read_samples, samples_of

    if not files and not generations:
        raise Failure("name files of samples, or --generations", USAGE)
    made = [Generation.open(folder_of(folder, number)) for number in _numbers(generations)] if generations else []
    counts = count(
        [
            *(read_samples(file) for file in files or []),
            *(samples_of(data, file.name) for _, file, data in read_all(made)),
        ]
    )
    found = curve_of(counts)
    if plot is not None:
        draw_calibration(counts, found, plot)
    if json:
        from dataclasses import asdict
        from json import dumps

        print(dumps(asdict(found)))
        return
    print(f"{found.positions:,} positions: a {found.margin:.1f}, b {found.spread:.1f}, loss {found.loss:.5f}")


@contextmanager
def _laboratory() -> Generator[None]:
    """What the block imports may need packages that are not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise needs("the laboratory", missing, "lab") from missing


def _packed(weights: Path | None, *, hand_made: bool) -> bytes | None:
    """The file of the weights that play, None for the hand-made evaluation."""
    if hand_made:
        if weights is not None:
            raise Failure("--hand-made is instead of --weights", USAGE)
        return None
    if weights is None:
        from importlib.resources import files

        return files("damier.engine").joinpath("data", "evaluation.xz").read_bytes()
    from damier.engine.evaluation import read_evaluation

    read_evaluation(weights)
    return weights.read_bytes()


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(each) for each in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise Failure(f"--generations {text}: name each once, with commas between them, such as 0,1,2", USAGE)
    return numbers


@contextmanager
def _bar(what: str, units: str) -> Generator[tuple[Callable[[str, int], None], Callable[[int], None]]]:
    """Progress on stderr: a bar on a terminal, a line now and then elsewhere.

    Gives what is called when something is begun, with how much it is, and what is called with how much more is done.
    """
    name, total, done = what, 0, 0
    if not sys.stderr.isatty():
        last = time.monotonic()

        def begin_plainly(now: str, amount: int) -> None:
            nonlocal name, total, done
            name, total, done = now, amount, 0

        def advance_plainly(more: int) -> None:
            nonlocal done, last
            done += more
            if time.monotonic() - last >= _LINE_EVERY:
                print(f"{name}: {done:,} of {total:,} {units}", file=sys.stderr, flush=True)
                last = time.monotonic()

        yield begin_plainly, advance_plainly
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from damier.cli.screen import error_console

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=error_console(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield (
            lambda now, amount: bar.reset(task, description=now, total=amount),
            lambda more: bar.advance(task, more),
        )
