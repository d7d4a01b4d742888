"""``damier convert``: games between PDN, JSON and lists of positions."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO, TypeAlias

import typer

from damier.cli.options import RulesOption
from damier.cli.outputs import replaced
from damier.cli.status import DONE, USAGE, WRONG, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from damier.notation.pdn import PdnGame

__all__ = ["convert"]

Target: TypeAlias = Literal["pdn", "json", "jsonl", "fen"]
Which: TypeAlias = Literal["start", "end", "all"]

_SUFFIXES: dict[str, Target] = {".pdn": "pdn", ".json": "json", ".jsonl": "jsonl", ".fen": "fen"}
_ELSEWHERE = "nothing is written; name another file"


def convert(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]…", help="- is standard input.", show_default="-")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Written when all is converted; - is standard output.")
    ] = "-",
    to: Annotated[
        Target | None,
        typer.Option(
            "--to", "-t", help="What to write.", show_default="by the output's suffix; pdn on standard output"
        ),
    ] = None,
    source: Annotated[
        Literal["pdn", "json", "fen"] | None,
        typer.Option("--from", "-f", help="What to read.", show_default="by suffix or content"),
    ] = None,
    positions: Annotated[Which, typer.Option("--positions", help="For fen: which positions of each game.")] = "end",
    columns: Annotated[
        int, typer.Option("--columns", min=0, help="For pdn: where lines are broken; 0 for no line ends in the moves.")
    ] = 80,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first game that is not converted whole, and write nothing.")
    ] = False,
    rules: RulesOption = "official",
) -> int:
    """Convert games and positions, from files or standard input.

    A game with an error is converted as far as it is legal; one of another variant is left out. Both are told on
    stderr as check does it, and then the status is 1. A file is never written over if something in it would be lost,
    and none is written without a game.
    """
    from damier.cli.findings import Finding
    from damier.cli.inputs import STANDARD, games_in, opened, size_of
    from damier.cli.screen import progress
    from damier.notation.pdn import UnwritablePdn

    names = files or [STANDARD]
    form = to or _form_for(output)
    status = DONE
    over_itself = any(_is_same(name, output) for name in names)
    written = 0

    def complain(finding: Finding) -> None:
        nonlocal status
        status = WRONG
        print(finding, file=sys.stderr)

    with progress("converting", size_of(names), in_bytes=True) as advance, _written(output, whole=strict) as out:
        write = _writer(form, out, positions, columns or None)
        for name in names:
            with opened(name, advance) as file:
                for game in games_in(file, name, form=source, rules=rules, strict=strict):
                    for error in game.errors:
                        complain(Finding.of(name, error))
                    if game.errors and not game.root.variations and not game.tags:
                        continue  # nothing of it could be read
                    if game.skipped is not None:
                        if strict:
                            raise game.skipped
                        complain(Finding.of(name, game.skipped, "note"))
                        continue
                    if over_itself and form == "fen" and (game.root.variations or game.tags.keys() - {"FEN"}):
                        raise Failure(f"{output}: it holds games, of which positions keep little; {_ELSEWHERE}")
                    try:
                        write(game)
                        written += 1
                    except UnwritablePdn as error:
                        if strict:
                            raise
                        complain(Finding(name, game.number, 0, 0, 0, "error", error.code, str(error), error.token))
        if over_itself and status != DONE:
            raise Failure(f"{output}: what is told above would be lost from it; {_ELSEWHERE}")
        if not written and output != STANDARD:
            raise Failure(f"{output}: there is no game to be written there")
        write(None)
    return status


def _is_same(name: str, output: str) -> bool:
    return os.path.isfile(name) and os.path.isfile(output) and os.path.samefile(name, output)


def _form_for(output: str) -> Target:
    from damier.cli.inputs import STANDARD

    path = Path(output)
    if output == STANDARD or _is_stream(path):
        return "pdn"
    form = _SUFFIXES.get(path.suffix.lower())
    if form is None:
        suffixes = ", ".join(_SUFFIXES)
        raise Failure(f"{output}: what is to be written? a suffix tells it ({suffixes}), or --to does", USAGE)
    return form


def _is_stream(path: Path) -> bool:
    """Whether this is a device or a pipe."""
    return path.exists() and not path.is_file()


@contextmanager
def _written(name: str, *, whole: bool) -> Generator[TextIO]:
    """Standard output, or a file that is there as a whole or not at all, so that it may be read from meanwhile.

    With ``whole`` other outputs too get everything at the end or, if the block fails, nothing.
    """
    from damier.cli.inputs import STANDARD

    path = Path(name)
    if name == STANDARD or _is_stream(path):
        with nullcontext(sys.stdout) if name == STANDARD else path.open("w", encoding="utf-8") as file:
            if not whole:
                yield file
                return
            from shutil import copyfileobj
            from tempfile import TemporaryFile

            with TemporaryFile("w+", encoding="utf-8", errors="surrogateescape", newline="") as kept:
                yield kept
                kept.seek(0)
                copyfileobj(kept, file)
        return
    with replaced(path) as file:
        yield file


def _writer(form: Target, out: TextIO, positions: Which, columns: int | None) -> Callable[[PdnGame | None], None]:
    """What writes one game after the other and, told None, the end."""
    if form == "fen":
        return lambda game: None if game is None else out.writelines(f"{fen}\n" for fen in _fens(game, positions))
    if form == "pdn":
        from damier.notation.pdn import PdnWriter

        pdn = PdnWriter(out, columns=columns)
        return lambda game: None if game is None else game.accept(pdn)
    from json import dumps

    from damier.notation.json import game_to_json

    count = 0

    def write(game: PdnGame | None) -> None:
        nonlocal count
        text = None if game is None else dumps(game_to_json(game), ensure_ascii=False)
        if form == "jsonl":
            out.write("" if text is None else f"{text}\n")
        elif text is not None:
            out.write(f"{',' if count else '['}\n{text}")
        else:
            out.write("\n]\n" if count else "[]\n")
        count += 1

    return write


def _fens(game: PdnGame, positions: Which) -> Iterable[str]:
    if not game.has_start:
        return []
    if positions == "start":
        return [game.board().fen()]
    if positions == "end":
        return [game.end().board().fen()]
    board = game.board()
    fens = [board.fen()]
    for node in game.main_line():
        if node.move is None:
            board = node.board()
        else:
            board.push(node.move)
        fens.append(board.fen())
    return fens
