"""``damier match``: which of two engines is stronger, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from damier.cli.contest import (
    Clock,
    Concurrency,
    Depth,
    DrawFrom,
    DrawMoves,
    DrawScore,
    Margin,
    MaxPlies,
    MoveTime,
    Nodes,
    NoTables,
    Openings,
    Output,
    Scheduler,
    Seed,
    WinMoves,
    WinScore,
    conditions_of,
    run,
    setup_of,
    usage_lines,
)
from damier.cli.options import Json, RulesOption
from damier.cli.status import USAGE, Failure

if TYPE_CHECKING:
    from damier.engine.match import Setup, Sprt, Tally

__all__ = ["match", "score_lines"]

_GAMES: Final = 200

_Player = Annotated[
    str, typer.Argument(help="damier[:setting=value,…], python:INTERPRETER, hub:COMMAND or object:FILE:NAME.")
]


def match(
    first: _Player,
    second: _Player,
    time: MoveTime = None,
    nodes: Nodes = None,
    depth: Depth = None,
    clock: Clock = None,
    games: Annotated[
        int | None,
        typer.Option("--games", "-g", min=2, help="How many at most.", show_default="200; with --sprt none"),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", help="End when this sequential test decides."),
    ] = None,
    output: Output = None,
    openings: Openings = None,
    seed: Seed = 0,
    concurrency: Concurrency = 1,
    scheduler: Scheduler = None,
    rules: RulesOption = "official",
    draw_moves: DrawMoves = 10,
    draw_score: DrawScore = 5,
    draw_from: DrawFrom = 80,
    win_moves: WinMoves = 3,
    win_score: WinScore = 800,
    max_plies: MaxPlies = 400,
    no_tables: NoTables = False,
    margin: Margin = 2.0,
    json: Json = False,
) -> None:
    """Play a match of two engines: pairs of games, each pair from one opening with both colours.

    With --output the same command goes on where it was broken off.
    """
    from damier.engine.match import Sprt, Tally

    try:
        test = None if sprt is None else Sprt.read(sprt)
    except ValueError as error:
        raise Failure(f"--sprt {sprt}: {error}", USAGE) from error
    if games is not None and games % 2:
        raise Failure(f"--games {games}: games are played in pairs; name an even number", USAGE)
    conditions = conditions_of(
        seconds=time,
        nodes=nodes,
        depth=depth,
        clock=clock,
        rules=rules,
        margin=margin,
        draw_moves=draw_moves,
        draw_score=draw_score,
        draw_from=draw_from,
        win_moves=win_moves,
        win_score=win_score,
        most_plies=max_plies,
        tables=not no_tables,
    )
    setup = setup_of((first, second), conditions, openings, seed)
    most = games // 2 if games is not None else None if test is not None else _GAMES // 2
    tally = Tally(2)
    counted = run(
        setup,
        tally,
        most,
        output=output,
        scheduler=scheduler,
        concurrency=concurrency,
        lines=lambda: score_lines(setup, tally, tally.unbroken if test is not None else None, test),
        sprt=test,
    )
    if json:
        from json import dumps

        print(dumps(_as_json(setup, tally, counted, test)))
        return
    print("\n".join([*score_lines(setup, tally, counted, test), *usage_lines(setup, tally)]))


def score_lines(setup: Setup, tally: Tally, upto: int | None, test: Sprt | None) -> list[str]:
    """How the match stands after the first ``upto`` pairs, or after all."""
    pairs = tally.pairs(upto=upto)
    won, drawn, lost = tally.games(upto=upto)
    elo = pairs.elo()
    counts = f"{2 * pairs.total} games, +{won} ={drawn} -{lost} ({100 * pairs.score:.1f} %)"
    lines = [
        f"{setup.names[0]} against {setup.names[1]}: {counts}, pairs {'-'.join(map(str, pairs.counts))}",
        f"Elo {elo} (95 %), stronger with {100 * pairs.superiority():.1f} %",
    ]
    if test is not None:
        verdict = test.verdict(pairs)
        said = "goes on" if verdict is None else f"Elo {test.elo1 if verdict == 'elo1' else test.elo0:+g} is accepted"
        lines.append(
            f"SPRT of {test.elo0:+g} and {test.elo1:+g}: {test.ratio(pairs):+.2f}"
            f" between {test.lower:.2f} and {test.upper:.2f}; {said}"
        )
    return lines


def _as_json(setup: Setup, tally: Tally, upto: int, test: Sprt | None) -> dict[str, object]:
    import math

    pairs = tally.pairs(upto=upto)
    won, drawn, lost = tally.games(upto=upto)
    elo = pairs.elo()
    answer: dict[str, object] = {
        "players": list(setup.names),
        "games": 2 * pairs.total,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "pairs": list(pairs.counts),
        "score": pairs.score,
        "elo": [value if math.isfinite(value) else None for value in (elo.value, elo.low, elo.high)],
        "superiority": pairs.superiority(),
        "reasons": dict(tally.reasons),
        "failures": [[setup.names[player], reason, said] for player, reason, said in tally.failures],
    }
    if test is not None:
        answer["sprt"] = {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "ratio": test.ratio(pairs),
            "lower": test.lower,
            "upper": test.upper,
            "accepted": test.verdict(pairs),
        }
    return answer
