"""``damier tournament``: several engines, each against each."""

from __future__ import annotations

import re
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
    from damier.engine.match import Rating, Setup, Tally

__all__ = ["table_lines", "tournament"]

_ROUNDS: Final = 20
_LONGEST_NAME: Final = 24


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(help="damier[:setting=value,…], python:INTERPRETER, hub:COMMAND or object:FILE:NAME."),
    ],
    time: MoveTime = None,
    nodes: Nodes = None,
    depth: Depth = None,
    clock: Clock = None,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="In each, every two players meet in two games from one opening.")
    ] = _ROUNDS,
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
    """Play a tournament in which every two engines meet: a table of results, and ratings with their errors.

    With --output the same command goes on where it was broken off; with more --rounds it goes on further.
    """
    from damier.engine.match import Tally

    if len(players) < 2:
        raise Failure("a tournament needs two players or more", USAGE)
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
    setup = setup_of(players, conditions, openings, seed)
    tally = Tally(len(players))
    run(
        setup,
        tally,
        rounds * len(setup.meetings),
        output=output,
        scheduler=scheduler,
        concurrency=concurrency,
        lines=lambda: table_lines(setup, tally),
        brief=list[str],
    )
    if json:
        from json import dumps

        print(dumps(_as_json(setup, tally)))
        return
    print("\n".join([*table_lines(setup, tally), "", *usage_lines(setup, tally)]))


def _rated(setup: Setup, tally: Tally) -> list[Rating] | None:
    """The players' ratings; None as long as not all are connected by games."""
    from damier.engine.match import ratings

    try:
        return ratings(len(setup.names), {pair: tally.pairs(*pair) for pair in setup.meetings})
    except ValueError:
        return None


def table_lines(setup: Setup, tally: Tally) -> list[str]:
    """The cross table, the strongest first: points, and against each the games won, drawn and lost."""
    rated = _rated(setup, tally)
    places = range(len(setup.names))
    won = {place: _points(setup, tally, place) for place in places}
    order = sorted(places, key=lambda place: -(rated[place].elo if rated else won[place][0]))
    rows = [["", "player", "Elo", "±95 %", "points", "games", *(f"{number}" for number in range(1, len(order) + 1))]]
    for number, place in enumerate(order, 1):
        points, games = won[place]
        rating = rated[place] if rated else None
        rows.append(
            [
                f"{number}",
                _short(setup.names[place]),
                f"{rating.elo:+.0f}" if rating else "",
                f"{rating.error:.0f}" if rating else "",
                f"{points:g}",
                f"{games}",
                *("" if other == place else "+{} ={} -{}".format(*tally.games(place, other)) for other in order),
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    if rated and not rated[0].is_bounded:
        lines.append("Some only won or only lost: the ratings count one more game for every two players, a draw.")
    return lines


def _points(setup: Setup, tally: Tally, place: int) -> tuple[float, int]:
    results = [tally.games(place, other) for other in range(len(setup.names)) if other != place]
    return sum(won + drawn / 2 for won, drawn, _ in results), sum(map(sum, results))


def _short(name: str) -> str:
    """
    >>> _short("object:/somewhere/else/benchmarks/peers.py:DameRs")
    'object:…/peers.py:DameRs'
    """
    name = re.sub(r"(?<=[:=])[^ ,:=]*/(?=[^ ,:/]*)", "…/", name)
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _as_json(setup: Setup, tally: Tally) -> dict[str, object]:
    rated = _rated(setup, tally)
    return {
        "players": [
            {
                "name": name,
                "elo": rated[place].elo if rated else None,
                "error": rated[place].error if rated else None,
                "points": _points(setup, tally, place)[0],
                "games": _points(setup, tally, place)[1],
            }
            for place, name in enumerate(setup.names)
        ],
        "meetings": [
            {"players": [*pair], "games": [*tally.games(*pair)], "pairs": [*tally.pairs(*pair).counts]}
            for pair in setup.meetings
        ],
        "reasons": dict(tally.reasons),
    }
