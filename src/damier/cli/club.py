"""The club's server on a socket of this machine."""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import sqlite3
import sys
import webbrowser
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from damier.cli.status import DONE, USAGE, WRONG, Failure
from damier.server import database
from damier.server.app import create_app
from damier.server.observe import log_to_stderr
from damier.server.play.messages import LARGEST_MESSAGE
from damier.server.protocol import HttpProtocol, WebSocketProtocol
from damier.server.settings import Settings, default_data_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

UNACKNOWLEDGED_MILLISECONDS: Final = 30_000
"""How long sent bytes may wait for the other side's word before the connection is given up."""
GOODBYE_SECONDS: Final = 5
"""How long a server that is told to stop waits for its connections."""
BACKLOG: Final = 1024
SWITCH_SECONDS: Final = 0.0005
"""After which the loop lets the thread that keeps events go on: a commit takes several turns, and moves wait for it."""
COLLECT_AFTER: Final = (20_000, 20, 50)
"""How many new objects the garbage collector lets come before it looks for cycles, which a move leaves none of."""


class Server(uvicorn.Server):
    """Says when it answers. ``parent``: the process without which it ends."""

    def __init__(self, config: uvicorn.Config, opened: Callable[[], None], parent: int | None = None) -> None:
        super().__init__(config)
        self._opened = opened
        self._parent = parent

    async def startup(self, sockets: Sequence[socket.socket] | None = None) -> None:
        await super().startup(list(sockets or ()))
        if self.started:
            self._opened()

    async def on_tick(self, counter: int) -> bool:
        if self._parent is not None and os.getppid() != self._parent:
            return True
        return await super().on_tick(counter)


def run(host: str, port: int, folder: Path | None, *, open_browser: bool, **given: Any) -> int:
    """Serve until told to stop; returns the exit status. ``given``: settings that come before the environment's."""
    log_to_stderr()
    os.umask(0o077)  # what is kept here is nobody else's to read
    folder = folder or default_data_folder()
    try:
        settings = Settings.from_environment(folder, **given)
        database.address(settings)
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    try:
        listeners = listen(host, port, settings.workers)
    except OSError as error:
        raise Failure(f"cannot listen on {host} port {port}: {error.strerror}") from error

    def opened() -> None:
        address, for_others = _address(listeners[0])
        others = f", and to others at {for_others}" if for_others else ""
        print(f"Damier is open at {address}{others} (Ctrl+C stops it)", flush=True)
        if open_browser:
            webbrowser.open(for_others or address)  # from where links lead here for everybody

    try:
        if settings.workers > 1:
            from damier.cli.processes import Processes

            return Processes(settings, listeners, opened).run()
        server = make_server(settings, opened)
    except (OSError, RuntimeError, ValueError, sqlite3.Error) as error:
        raise Failure(f"cannot use {settings.place}: {error}") from error
    with contextlib.suppress(KeyboardInterrupt):
        server.run(listeners)
    return DONE if server.started else WRONG


def make_server(settings: Settings, opened: Callable[[], None], parent: int | None = None) -> Server:
    """The club's server, ready to be run. Raises what :func:`create_app` raises."""
    config = uvicorn.Config(
        create_app(settings),  # pyright: ignore[reportArgumentType]
        log_level="warning",
        log_config=None,
        access_log=False,
        lifespan="on",
        # whose word about the visitor's address and scheme is taken; without any, nobody's
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=",".join(settings.proxies),
        server_header=False,
        http=HttpProtocol,
        ws=WebSocketProtocol,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    # the program itself stays, and of what a game leaves behind hardly anything needs the collector
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(SWITCH_SECONDS)
    return Server(config, opened, parent)


def listen(host: str, port: int, count: int = 1) -> list[socket.socket]:
    """Sockets that listen on one address, one for each server process where the system spreads visitors over them.

    Elsewhere the processes share one.
    """
    spread = count > 1 and sys.platform == "linux"
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listeners: list[socket.socket] = []
    for _ in range(count if spread else 1):
        place = listeners[0].getsockname() if listeners else address
        listener = socket.create_server(place[:2], family=family, backlog=BACKLOG, reuse_port=spread)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # accepted connections inherit it: a browser that has gone to sleep does not hold its connection for ever
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MILLISECONDS)
        listeners.append(listener)
    return listeners


def _address(listener: socket.socket) -> tuple[str, str | None]:
    """Where the club is open for this machine, and for its network if it listens on all addresses and has one."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (to be recognised, not bound)
        own = _own_address()
        return f"http://localhost:{port}", own and f"http://{own}:{port}"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}", None


def _own_address() -> str | None:
    """This machine's address in its network: the one from which it would speak to the world. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(("192.0.2.1", 9))  # an address that is kept for examples
        except OSError:
            return None
        return way.getsockname()[0]
