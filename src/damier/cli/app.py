"""The commands put together, and what becomes of their errors."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from damier.cli.admin import admin
from damier.cli.analyse import analyse
from damier.cli.book import book
from damier.cli.bot import bot
from damier.cli.check import check
from damier.cli.convert import convert
from damier.cli.dxp import dxp
from damier.cli.explain import explain
from damier.cli.hub import hub
from damier.cli.lab import lab
from damier.cli.match import match
from damier.cli.moves import moves
from damier.cli.openings import openings
from damier.cli.perft import perft
from damier.cli.play import play
from damier.cli.serve import serve
from damier.cli.show import show
from damier.cli.status import BROKEN_OFF, DONE, FAULT, USAGE, WRONG, Failure, shown
from damier.cli.tables import tables
from damier.cli.tournament import tournament
from damier.cli.worker import worker
from damier.errors import DamierError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["app", "run"]

app = typer.Typer(
    name="damier",
    help="International draughts.",
    epilog="A position is a FEN such as W:W31-50:B1-20; a game is a PDN file; - is standard input.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None if os.environ.get("TERM") == "dumb" else "rich",
)


@app.callback(invoke_without_command=True)
def _damier(  # pyright: ignore[reportUnusedFunction]
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as version_of

        print(f"damier {version_of('damier')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


for command in (
    show,
    moves,
    explain,
    perft,
    convert,
    check,
    play,
    hub,
    dxp,
    match,
    tournament,
    analyse,
    openings,
    serve,
    worker,
    bot,
):
    app.command()(command)
app.add_typer(admin)
app.add_typer(lab)
app.add_typer(book)
app.add_typer(tables)


def run(arguments: Sequence[str]) -> int:
    """Run the command; every error ends in one line on stderr and a status of :mod:`damier.cli.status`."""
    for stream in (sys.stdout, sys.stderr):
        _speak_utf8(stream)
    try:
        status = app(list(arguments), prog_name="damier", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _said(_one_line(error.format_message()), USAGE)
    except Failure as failure:
        return _said(str(failure), failure.status)
    except DamierError as error:
        return _said(str(error), WRONG)
    except BrokenPipeError:
        # Who reads has had enough (`damier moves | head`); the interpreter must not flush once more.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        return WRONG
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        return _said(f"{place}{error.strerror or error}", WRONG)
    except (KeyboardInterrupt, typer.Abort):
        return _said("stopped", BROKEN_OFF)
    except Exception as error:
        if os.environ.get("DAMIER_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}"
        return _said(f"a fault of the program: {_one_line(what)} (DAMIER_TRACEBACK=1 shows where)", FAULT)
    if status == BROKEN_OFF:  # how Typer reports Ctrl+C
        return _said("stopped", BROKEN_OFF)
    return status if isinstance(status, int) else DONE


def _speak_utf8(stream: TextIO) -> None:
    """Files and pipes get UTF-8 whatever the locale, and file names in their own bytes; a terminal what it can show."""
    if isinstance(stream, TextIOWrapper):
        if stream.isatty():
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _said(message: str, status: int) -> int:
    print(f"damier: {shown(message)}", file=sys.stderr)
    return status
