"""The ``damier`` command."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (the process's own by default); returns the exit status."""
    parser = argparse.ArgumentParser(prog="damier", description="International draughts.")
    parser.add_argument("--version", action="version", version=f"damier {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve the club, to be visited with a browser")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine)")
    serve.add_argument("--port", type=_port, default=8000, help="port to listen on, 0 for a free one (default: 8000)")
    serve.add_argument("--data", metavar="DIR", help="folder of the games (default: your folder for application data)")
    serve.add_argument("--open", action="store_true", help="open the page in a browser")

    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        from damier.cli.serve import serve as run
    except ModuleNotFoundError as missing:
        if (missing.name or "damier").partition(".")[0] == "damier":
            raise
        print(
            f"damier: the server needs more packages ({missing.name} is missing): pip install 'damier[server]'",
            file=sys.stderr,
        )
        return 1
    return run(options.host, options.port, options.data, open_browser=options.open)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def _version() -> str:
    from importlib.metadata import version

    return version("damier")
