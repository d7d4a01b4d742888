"""``damier tables``: endgame tables are built, verified and asked."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from damier.cli.options import Json, PlayFirst, PositionArgument, RulesOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from damier import Board
    from damier.engine import Tables
    from damier.engine.tables_build import Material

__all__ = ["tables"]

tables = typer.Typer(name="tables", help="Endgame tables: who wins with few pieces on the board.", no_args_is_help=True)

FolderOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--folder", help="Where tables are that the package does not bring.", show_default="DAMIER_TABLES"),
]
_MOST = 6
_SHOWN_MOVES = 20


@tables.command()
def build(
    pieces: Annotated[int, typer.Option("--pieces", min=2, max=_MOST, help="For up to so many pieces.")] = 5,
    rules: RulesOption = "official",
    folder: FolderOption = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="Also how far the end is, in files four times as large.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Make those that the package brings, too, without their help.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="So many at once.", show_default="one a core")
    ] = None,
) -> None:
    """Build tables for more pieces than the package brings. Ctrl+C breaks it off; the same command goes on from there."""
    from damier.cli.screen import progress
    from damier.engine.tables import Tables, moves_of, tables_folder
    from damier.engine.tables_build import build as make
    from damier.engine.tables_build import materials

    brought = Tables.default(rules)
    first = 2 if everything else 1 + (brought.pieces_with_distance if distance else brought.pieces)
    wanted = [each for count in range(first, pieces + 1) for group in materials(count) for each in group]
    if not wanted:
        print(f"the package brings all tables for up to {pieces} pieces (--all makes them all the same)")
        return
    target = folder or tables_folder()
    total = sum(one.entries for each in wanted for one in each.pair)
    start = time.perf_counter()
    with progress(f"{pieces} pieces", total=total) as advance:
        make(
            pieces,
            moves_of(rules),
            target,
            distances=distance,
            all_materials=everything,
            jobs=jobs,
            tell=_shares(advance),
        )
    print(f"{len(wanted)} materials, {total:,} entries, in {time.perf_counter() - start:,.0f} s: {target}")


@tables.command()
def verify(
    rules: RulesOption = "official",
    folder: FolderOption = None,
    pieces: Annotated[int | None, typer.Option("--pieces", min=2, max=_MOST, help="These alone.")] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Count wins, draws and losses of each material.")] = False,
) -> int:
    """Check each table's checksum, and that each position's value and distance follow from those after its moves."""
    from damier.cli.screen import counted, progress
    from damier.cli.status import DONE, WRONG
    from damier.engine.tables_build import materials
    from damier.notation.fen import masks_fen

    known = _tables(rules, folder)
    deepest = known.pieces_with_distance
    groups = [pieces] if pieces else range(2, known.pieces + 1)
    if pieces and pieces > known.pieces:
        from damier.cli.status import Failure

        raise Failure(f"there are tables for up to {known.pieces} pieces here; damier tables build makes more")
    wanted = [one for count in groups for group in materials(count) for each in group for one in each.pair]
    faults = 0
    positions = 0
    with progress("positions", total=sum(each.entries for each in wanted)) as advance:
        tell = _shares(advance)
        for each in wanted:
            fault: tuple[int, int, int] | None = None
            for exact in (False, True)[: 1 + (each.pieces <= deepest)]:
                fault = fault or known.find_fault(each.name, exact, lambda share, each=each: tell(each, share))
            tell(each, 1.0)
            positions += each.entries
            if fault is not None:
                faults += 1
                print(f"{each.name}: wrong at {masks_fen(*fault, False)}")
            if counts:
                print(_census(known, each, each.pieces <= deepest))
    print(
        f"{counted(len(wanted), 'table')}, {counted(positions, 'entry').replace('entrys', 'entries')}: {counted(faults, 'fault')}"
    )
    return WRONG if faults else DONE


@tables.command()
def probe(
    position: PositionArgument,
    after: PlayFirst = "",
    rules: RulesOption = "official",
    folder: FolderOption = None,
    json: Json = False,
) -> None:
    """What the tables say of a position, and of its moves, the best first."""
    from damier.cli.inputs import position_from
    from damier.cli.status import Failure

    board = position_from(position, game=None, ply=None, after=after, rules=rules).board
    known = _tables(rules, folder)
    value, ranked = known.probe(board), known.rank(board)
    if value is None or ranked is None:
        held = len(board.pieces())
        raise Failure(f"there are tables for up to {known.pieces} pieces here, and this position has {held}")
    distance, in_time = known.distance(board), known.is_won_in_time(board)
    if json:
        from json import dumps

        moves = [
            {"move": board.notation(each.move), "value": each.value.value, "distance": each.distance} for each in ranked
        ]
        answer = {"fen": board.fen(), "rules": board.rules.name, "value": value.value, "distance": distance}
        print(dumps({**answer, "in_time": in_time, "moves": moves}))
        return
    print(_said(board, value.value, distance, in_time))
    for each in ranked:
        plies = "" if each.distance is None else f" in {each.distance}"
        print(f"{board.notation(each.move)}: {each.value.value}{plies}")


def _said(board: Board, value: str, distance: int | None, in_time: bool | None) -> str:
    side = board.turn.name.capitalize()
    plies = "" if distance is None else f" in {distance}"
    late = ", but a count or a repetition comes first" if in_time is False else ""
    return f"{side} to move: {value}{plies}{late}"


def _census(known: Tables, material: Material, exact: bool) -> str:
    positions, wins, draws, losses, win, loss = known.census(material.name, exact)
    longest = "".join(
        f", longest {what} {each[0]}" for what, each in (("win", win), ("loss", loss)) if each is not None
    )
    return f"{material.name}: {positions:,} positions, {wins:,} won, {draws:,} drawn, {losses:,} lost{longest}"


def _tables(rules: str, folder: Path | None) -> Tables:
    """Those of the package, and those of the folder: of the usual one only if there are any."""
    from damier.engine.tables import Tables, moves_of, tables_folder

    if folder is None and any((tables_folder() / moves_of(rules)).glob("*.wdl")):
        folder = tables_folder()
    return Tables.default(rules) if folder is None else Tables.open(folder, rules)


def _shares(advance: Callable[[int], None]) -> Callable[[Material, float], None]:
    """Tells a bar of entries which share of each material, and of its mirror image if that is solved too, is done."""
    done: dict[str, int] = {}

    def tell(material: Material, share: float) -> None:
        now = int(share * material.entries)
        before = done.get(material.name, 0)
        if now > before:
            done[material.name] = now
            advance(now - before)

    return tell
