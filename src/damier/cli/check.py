"""``damier check``: are the games of these files legal?"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from damier.cli.options import Json, RulesOption
from damier.cli.status import DONE, WARNINGS, WRONG, Failure

if TYPE_CHECKING:
    from damier.cli.inputs import Watched
    from damier.cli.inspector import Inspector

__all__ = ["check"]


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="PDN, JSON or FEN lines; - is standard input.")],
    rules: RulesOption = "official",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only: no warnings, notes or summary.")] = False,
    json: Json = False,
) -> int:
    """Validate files: a line file:game:ply: message for each error, warning and note (ply 0: outside the moves).

    The status is 0 if there are none but notes, 3 if there are warnings, 1 if there are errors.
    """
    from damier.cli.findings import Finding
    from damier.cli.inputs import opened, size_of
    from damier.cli.inspector import Inspector
    from damier.cli.screen import counted, progress

    severities: Counter[str] = Counter()

    def report(finding: Finding) -> None:
        severities[finding.severity] += 1
        if quiet and finding.severity != "error":
            return
        if json:
            from json import dumps

            print(dumps(finding.to_json(), ensure_ascii=False))
        else:
            print(finding)

    games = 0
    with progress("checking", size_of(files), in_bytes=True) as advance:
        for name in files:
            try:
                with opened(name, advance) as file:
                    games += _inspected(file, name, rules, Inspector(name, report))
            except Failure as error:
                report(Finding(name, 0, 0, 0, 0, "error", "unreadable", str(error).removeprefix(f"{name}: ")))
    if not quiet:
        found = ", ".join(counted(severities[kind], kind) for kind in ("error", "warning", "note") if severities[kind])
        print(f"{counted(games, 'game')} in {counted(len(files), 'file')}: {found or 'all in order'}", file=sys.stderr)
    return WRONG if severities["error"] else WARNINGS if severities["warning"] else DONE


def _inspected(file: Watched, name: str, rules: str, inspector: Inspector) -> int:
    """Tell the inspector all games of a file; returns how many."""
    from damier.cli.inputs import form_of, games_in

    form = form_of(file, name)
    if form == "pdn":
        import io

        from damier.notation.pdn import scan

        return scan(io.BufferedReader(file), inspector, rules=rules)
    games = 0
    for game in games_in(file, name, form=form, rules=rules):
        game.accept(inspector)
        games = game.number
    return games
