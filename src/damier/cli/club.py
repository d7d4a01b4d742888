"""The club's server on a socket of this machine."""

from __future__ import annotations

import contextlib
import logging
import socket
import sqlite3
import webbrowser
from typing import TYPE_CHECKING, Final

import uvicorn

from damier.cli.status import DONE, WRONG, Failure
from damier.server.app import create_app
from damier.server.play.messages import LARGEST_MESSAGE
from damier.server.protocol import HttpProtocol
from damier.server.settings import Settings, default_data_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

UNACKNOWLEDGED_MILLISECONDS: Final = 30_000
"""How long sent bytes may wait for the other side's word before the connection is given up."""
GOODBYE_SECONDS: Final = 5
"""How long a server that is told to stop waits for its connections."""


class Server(uvicorn.Server):
    """Says where it is once it answers."""

    def __init__(self, config: uvicorn.Config, *, open_browser: bool) -> None:
        super().__init__(config)
        self._open_browser = open_browser

    async def startup(self, sockets: Sequence[socket.socket] | None = None) -> None:
        await super().startup(list(sockets or ()))
        if not self.started or not sockets:
            return
        address = _address(sockets[0])
        print(f"Damier is open at {address} (Ctrl+C stops it)", flush=True)
        if self._open_browser:
            webbrowser.open(address)


def run(host: str, port: int, folder: Path | None, *, open_browser: bool) -> int:
    """Serve until told to stop; returns the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        listener = _listen(host, port)
    except OSError as error:
        raise Failure(f"cannot listen on {host} port {port}: {error.strerror}") from error
    folder = folder or default_data_folder()
    try:
        settings = Settings.from_environment(folder)
    except ValueError as error:
        raise Failure(str(error)) from error
    try:
        app = create_app(settings)
    except (OSError, RuntimeError, ValueError, sqlite3.Error) as error:
        raise Failure(f"cannot use {folder}: {error}") from error
    config = uvicorn.Config(
        app,  # pyright: ignore[reportArgumentType]
        log_level="warning",
        log_config=None,
        access_log=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        http=HttpProtocol,
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    server = Server(config, open_browser=open_browser)
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])
    return DONE if server.started else WRONG


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.create_server(address[:2], family=family, backlog=1024)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # accepted connections inherit it: a browser that has gone to sleep does not hold its connection for ever
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MILLISECONDS)
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (to be recognised, not bound)
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
