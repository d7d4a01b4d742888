"""Servers as processes of their own that need not import everything anew: forks of one process that has."""

from __future__ import annotations

import multiprocessing
import os
import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

forked = multiprocessing.get_context("forkserver")
forked.set_forkserver_preload(
    ["damier.cli.app", "damier.cli.club", "damier.server.app", "tests.server.serving", "tests.server.still"]
)


def run_damier(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    output: Connection,
    locales: str | None = None,
    *,
    real_passwords: bool = False,
) -> None:
    """`damier` with some arguments, in this process. ``output``: what it writes goes there.

    ``locales``: a folder of catalogues to take in place of its own. ``real_passwords``: whether to hash them at the
    price at which a club does it, a quarter of a second of processor time each.
    """
    if not real_passwords:
        from argon2.profiles import CHEAPEST

        from damier.server.accounts.passwords import Passwords

        Passwords.__init__.__defaults__ = (CHEAPEST,)
    if locales is not None:
        from damier import i18n

        i18n.LOCALES = locales
        i18n.LANGUAGES = i18n.languages()
    os.setsid()
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    sys.stdout, sys.stderr = (open(stream, "w", buffering=1, closefd=False) for stream in (1, 2))  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["damier", *arguments]
    from damier.cli import main

    sys.exit(main())


def start_damier(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    locales: str | None = None,
    *,
    real_passwords: bool = False,
) -> tuple[BaseProcess, Connection]:
    """Start `damier` as a process, as :func:`run_damier` has it; also what to read from where it writes."""
    how = forked if locales is None else multiprocessing.get_context("spawn")
    reading, writing = how.Pipe(duplex=False)
    process = how.Process(
        target=run_damier, args=(arguments, environment, writing, locales), kwargs={"real_passwords": real_passwords}
    )
    process.start()
    writing.close()
    return process, cast("Connection", reading)
