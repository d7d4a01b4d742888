"""What can be set for a club, and what it makes for itself on its first start."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET_FILE: Final = "secret"  # noqa: S105 (a name)
SECRET_BYTES: Final = 32


def default_data_folder() -> Path:
    """Where the data lies when nothing else is said: ``damier`` in the user's folder for application data."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "damier"


@dataclass(frozen=True, slots=True)
class Settings:
    """A club's settings.

    ``data``: the folder of the database and the secret. ``computer_threads``: how many computer opponents think at
    the same time. ``database``: a PostgreSQL database as ``postgresql://user:password@host:port/name``; None: SQLite in
    the folder. ``new_games_per_minute``: from one address. ``messages_per_second`` and ``message_burst``: what one
    socket may send, and how much of it at once.
    """

    data: Path
    database: str | None = None
    computer_threads: int = max(1, (os.cpu_count() or 1) - 1)
    new_games_per_minute: int = 30
    messages_per_second: int = 10
    message_burst: int = 30

    @classmethod
    def from_environment(cls, data: Path, environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings with what the environment says otherwise, as in ``DAMIER_COMPUTER_THREADS=4``.

        Raises ValueError with the variable's name for anything but a positive whole number.

        >>> Settings.from_environment(Path("data"), {"DAMIER_COMPUTER_THREADS": "4"}).computer_threads
        4
        """
        found: dict[str, int] = {}
        database = environment.get("DAMIER_DATABASE") or None
        for field in fields(cls):
            variable = f"DAMIER_{field.name.upper()}"
            text = environment.get(variable)
            if field.name in ("data", "database") or text is None:
                continue
            if not text.isdecimal() or int(text) < 1:
                raise ValueError(f"{variable} must be a whole number from 1 on, not {text!r}")
            found[field.name] = int(text)
        return cls(data, database, **found)


def read_secret(data: Path) -> bytes:
    """The club's secret, which signs its cookies; made on the first start, readable by its owner alone.

    Raises RuntimeError with the file's path when what it holds is no secret.
    """
    path = data / SECRET_FILE
    if not path.exists():
        _write_whole(path, secrets.token_hex(SECRET_BYTES))
    try:
        secret = bytes.fromhex(path.read_text("ascii"))
    except ValueError:
        secret = b""
    if len(secret) < SECRET_BYTES:
        raise RuntimeError(f"{path} is damaged: remove it, and all visitors get new cookies")
    return secret


def _write_whole(path: Path, text: str) -> None:
    """Make a file that is there with all of its text or not at all, whenever the process or the machine stops."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)  # of a start that was killed
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
