"""``damier hub``: the engine on standard input and output, for programs that speak the Hub protocol."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from damier.cli.status import DONE, Failure

__all__ = ["hub"]

_CHUNK = 65536


def hub(
    protocol: Annotated[
        int, typer.Option(min=1, max=2, metavar="VERSION", help="The version: 1 is what older programs speak.")
    ] = 2,
) -> int:
    """Speak the Hub protocol with a program that uses the engine."""
    if sys.stdin is None:
        raise Failure("standard input is closed")
    from damier.engine.hub_server import HubServer, HubServer1
    from damier.engine.streams import Lines

    source, target = sys.stdin.fileno(), sys.stdout.fileno()

    def send(line: str) -> None:
        # past Python's buffers: a thread that waits in one for a reader would keep the process from ending
        data = memoryview(f"{line}\n".encode())
        while data:
            data = data[os.write(target, data) :]

    server = (HubServer if protocol == 2 else HubServer1)(send)
    lines = Lines()
    try:
        while data := os.read(source, _CHUNK):
            for line in lines.feed(data):
                if not server.receive(line):
                    return DONE
        if rest := lines.rest():
            server.receive(rest)
        return DONE
    finally:
        server.close()
