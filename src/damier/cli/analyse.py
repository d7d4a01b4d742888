"""``damier analyse``: what an engine thinks of the games of a file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from damier.cli.options import Json, RulesOption
from damier.cli.status import DONE, WRONG, Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from damier.engine import Limit
    from damier.engine.analysis import Marked
    from damier.engine.analyst import Findings, Piece
    from damier.notation.pdn import PdnGame

__all__ = ["analyse"]


def analyse(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Games in PDN.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where they go, may be FILE itself.",
            show_default="FILE.analysed.pdn",
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option("--time", "-t", metavar="SECONDS", help="For each position.", show_default="0.5"),
    ] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", "-n", min=1, help="For each position.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", "-d", min=1, help="For each position, in plies.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many positions are looked at at a time.")] = 1,
    engine: Annotated[
        str, typer.Option("--engine", metavar="PLAYER", help="Who analyses: a player as damier match knows them.")
    ] = "damier",
    rules: RulesOption = "official",
    json: Json = False,
) -> int:
    """Annotate games: the worth of each position, doubtful moves, mistakes and blunders with what was better, missed wins.

    All that stands in the games stays. Broken off, the same command goes on where it was. A game with an error is told
    on stderr and left as it is, as far as it can be read; the status is 1 then.
    """
    from damier.cli.outputs import replaced
    from damier.engine import Limit
    from damier.engine.analyst import Findings, digest_of
    from damier.engine.match import PlayerSpec, open_player
    from damier.notation.pdn import PdnWriter, UnwritablePdn

    if (time, nodes, depth) == (None, None, None):
        time = 0.5
    try:
        limit = Limit(time, nodes, depth)
    except ValueError as error:
        raise Failure(str(error), 2) from error
    spec = PlayerSpec.read(engine)
    target = output or file.with_name(f"{file.name.removesuffix('.pdn')}.analysed.pdn")
    wrong, sizes = _surveyed(file, rules)
    if wrong and target.exists() and target.samefile(file):
        raise Failure(f"{target}: what is told above would be lost from it; nothing is written, name another file")
    player = open_player(spec, rules)
    identity = player.identity
    player.close()
    findings = Findings(target.with_name(f"{target.name}.jsonl"), digest_of(file), spec.limit or limit, identity)
    try:
        _look(file, findings, spec.limit or limit, engine, rules, jobs, sizes)
    finally:
        findings.close()
    marks: dict[int, Marked] = {}
    with replaced(target) as out:
        writer = PdnWriter(out)
        for game in _games(file, rules):
            if game.number in sizes:
                marks[game.number] = _annotated(game, findings, identity.name)
            elif not (game.tags or game.root.variations):
                continue  # nothing of it could be read
            try:
                game.accept(writer)
            except UnwritablePdn as error:
                wrong += 1
                print(f"{file}:{game.number}:0: left out: {error}", file=sys.stderr)
    findings.remove()
    _tell(marks, target, as_json=json)
    return WRONG if wrong else DONE


def _games(file: Path, rules: str) -> Iterator[PdnGame]:
    from damier.cli.inputs import games_in, opened

    with opened(str(file)) as opened_file:
        yield from games_in(opened_file, str(file), form="pdn", rules=rules)


def _surveyed(file: Path, rules: str) -> tuple[int, dict[int, int]]:
    """How many games have something wrong, each told on stderr, and of the others how many positions each has."""
    from damier.cli.findings import Finding

    wrong, sizes = 0, dict[int, int]()
    for game in _games(file, rules):
        faults = [*game.errors, *([game.skipped] if game.skipped is not None else [])]
        for fault in faults:
            print(Finding.of(str(file), fault, "note" if fault is game.skipped else "error"), file=sys.stderr)
        wrong += bool(faults)
        if not faults and game.has_start:
            sizes[game.number] = 1 + sum(1 for _ in game.main_line())
    if not wrong and not sizes:
        raise Failure(f"{file}: there is no game in it")
    return wrong, sizes


def _look(
    file: Path, findings: Findings, limit: Limit, engine: str, rules: str, jobs: int, sizes: dict[int, int]
) -> None:
    """Look into what was not looked into yet, with a bar."""
    from damier.cli.screen import progress
    from damier.engine.analyst import look_into, pieces
    from damier.engine.match import PlayerSpec

    def tasks() -> Iterator[Piece]:
        for game in _games(file, rules):
            if game.number in sizes:
                yield from (piece for piece in pieces(game) if not findings.has(piece))

    if len(findings):
        print(f"going on after {len(findings)} of {sum(sizes.values())} positions", file=sys.stderr)
    with progress("analysing", total=sum(sizes.values())) as advance:
        advance(len(findings))
        for piece, insights in look_into(PlayerSpec.read(engine), limit, rules, tasks(), jobs):
            findings.add(piece, insights)
            advance(len(insights))


def _annotated(game: PdnGame, findings: Findings, analyst: str) -> Marked:
    from damier.engine.analysis import annotate

    return annotate(game, findings.of(game), analyst)


def _tell(marks: dict[int, Marked], target: Path, *, as_json: bool) -> None:
    from damier.cli.screen import counted
    from damier.engine.analysis import Marked

    if as_json:
        from json import dumps

        print(
            dumps({"file": str(target), "games": [{"game": number, **asdict(each)} for number, each in marks.items()]})
        )
        return
    total = sum(marks.values(), Marked())
    print(
        f"{counted(len(marks), 'game')}, {counted(total.moves, 'move')}: {counted(total.blunders, 'blunder')}, "
        f"{counted(total.mistakes, 'mistake')}, {counted(total.doubtful, 'doubtful move')}, "
        f"{counted(total.missed_wins, 'missed win')}; in {target}"
    )
