"""``damier serve``: the club on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from damier.cli.status import needs

__all__ = ["serve"]


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise typer.BadParameter(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets others in, the default is this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(parser=lambda text: _port(str(text)), metavar="PORT", help="Port to listen on, 0 for a free one."),
    ] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the games.", show_default="your folder for application data"),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="PostgreSQL: postgresql://USER:PASSWORD@HOST/NAME. DAMIER_DATABASE keeps a password out of lists.",
            show_default="SQLite in the folder",
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Redis or Valkey between several processes: redis://HOST:PORT/NUMBER."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Server processes; several need both of the former.", show_default="1"),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> int:
    """Serve the club, to be visited with a browser."""
    try:
        from damier.cli.club import run
    except ModuleNotFoundError as missing:
        raise needs("the server", missing, "server") from missing
    return run(host, port, data, open_browser=open_browser, database=database, redis=redis, workers=workers)
