"""What can be set for a club, and what it makes for itself on its first start."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, fields
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from damier.server.mail import Server

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET_FILE: Final = "secret"  # noqa: S105 (a name)
SECRET_BYTES: Final = 32
MOST_THREADS: Final = 1024
HIGHEST: Final = 1_000_000_000
LONGEST_NUMBER: Final = 20
SHORTEST_TOKEN: Final = 16
REDIS_SCHEMES: Final = ("redis://", "rediss://", "unix://")


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

    ``data``: the folder of the database and the secret. ``database``: a PostgreSQL database as
    ``postgresql://user:password@host:port/name``; None: SQLite in the folder. ``redis``: a Redis or Valkey as
    ``redis://host:port/number``, which several processes need; None: there is one process. ``workers``: how many server
    processes there are on this machine. ``computer_threads``: how many computer opponents think at the same time in
    each of them; 0: they think in ``damier worker`` processes. ``computer_pace``: how long the computer lets pass before
    a move at least, in hundredths of what a person would take; 0: none. ``proxies``: addresses and networks of reverse proxies
    whose word about the visitor's address and scheme is taken. ``metrics_token``: what the reader of ``/metrics`` has
    to show; None: there are none to be read. ``secret``: what signs cookies, for clubs on several machines; None: the
    one in the folder. ``smtp``: the mail server that letters go through, as ``smtp://user:password@host:port`` or
    ``smtps://…``; None: they are written to the log. ``mail_from``: whom they are from. ``address``: where people find
    the club, as ``https://club.example``, for links in letters; None: where the request that asks for one came to.

    ``new_games_per_minute``, ``new_members_per_hour``, ``sockets_per_address``: from one address, in each process.
    ``forms_per_second`` and ``form_burst``: what one person may send by forms; those of one address three times that.
    ``messages_per_second`` and ``message_burst``: what one socket may send, and how much of it at once.
    ``api_requests_per_second`` and ``api_request_burst``: what the programs of one account may ask; those of one
    address three times that. ``wrong_tokens_per_minute``: how many wrong tokens one address may show.
    """

    data: Path
    database: str | None = None
    redis: str | None = None
    workers: int = 1
    computer_threads: int = max(1, (os.cpu_count() or 1) - 1)
    computer_pace: int = 100
    proxies: tuple[str, ...] = ()
    metrics_token: str | None = None
    secret: str | None = None
    smtp: str | None = None
    mail_from: str = "Damier <damier@localhost>"
    address: str | None = None
    new_games_per_minute: int = 30
    new_members_per_hour: int = 10
    sockets_per_address: int = 200
    forms_per_second: int = 5
    form_burst: int = 60
    messages_per_second: int = 10
    message_burst: int = 30
    api_requests_per_second: int = 20
    api_request_burst: int = 60
    wrong_tokens_per_minute: int = 10

    @classmethod
    def from_environment(cls, data: Path, environment: Mapping[str, str] = os.environ, **given: Any) -> Settings:
        """The settings as the environment has them, such as ``DAMIER_NEW_GAMES_PER_MINUTE=60``; ``given`` come first.

        Raises ValueError, with the variable's name, for a value that is none, and for settings that do not go together.

        >>> environment = {"DAMIER_COMPUTER_THREADS": "4", "DAMIER_PROXIES": "127.0.0.1, 10.0.0.0/8"}
        >>> settings = Settings.from_environment(Path("data"), environment)
        >>> settings.computer_threads, settings.proxies
        (4, ('127.0.0.1', '10.0.0.0/8'))
        """
        found: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        for field in fields(cls):
            variable = f"DAMIER_{field.name.upper()}"
            text = environment.get(variable)
            if field.name == "data" or field.name in found or not text:
                continue
            if isinstance(field.default, int):
                least = 0 if field.name.startswith("computer_") else 1
                most = MOST_THREADS if field.name == "computer_threads" else HIGHEST
                if not text.isdecimal() or len(text) > LONGEST_NUMBER or not least <= int(text) <= most:
                    raise ValueError(f"{variable} must be a whole number from {least} to {most}, not {text[:40]!r}")
                found[field.name] = int(text)
            elif isinstance(field.default, tuple):
                found[field.name] = tuple(part.strip() for part in text.split(",") if part.strip())
            else:
                found[field.name] = text
        settings = cls(data, **found)
        settings.check()
        return settings

    @property
    def place(self) -> str:
        """Where the games are, without a password."""
        return str(self.data) if self.database is None else "the database"

    def check(self) -> None:
        """Raise ValueError for settings that are wrong by themselves or do not go together."""
        for proxy in self.proxies:
            try:
                ip_network(proxy, strict=False)
            except ValueError:
                raise ValueError(f"DAMIER_PROXIES must be addresses or networks, not {proxy!r}") from None
        if self.redis is not None and not self.redis.startswith(REDIS_SCHEMES):
            raise ValueError(
                f"the Redis must be named as {', '.join(REDIS_SCHEMES)}…, such as redis://127.0.0.1:6379/0"
            )
        if self.secret is not None:
            _secret(self.secret, "DAMIER_SECRET")
        if self.metrics_token is not None and len(self.metrics_token) < SHORTEST_TOKEN:
            raise ValueError(f"DAMIER_METRICS_TOKEN must have {SHORTEST_TOKEN} characters or more")
        if self.smtp is not None:
            Server.parse(self.smtp)
            if self.address is None:  # else whoever asks for a letter to somebody would say where its link leads
                raise ValueError("DAMIER_SMTP needs DAMIER_ADDRESS, such as https://club.example: letters have links")
        if "@" not in self.mail_from or not self.mail_from.isprintable():
            raise ValueError("DAMIER_MAIL_FROM must be an e-mail address, such as Damier <club@club.example>")
        if self.address is not None and not _is_address(self.address):
            raise ValueError(
                "DAMIER_ADDRESS must be the beginning of the club's addresses, such as https://club.example"
            )
        if self.workers > 1 and (self.database is None or self.redis is None):
            raise ValueError(
                "several server processes need --database postgresql://… and --redis redis://…: "
                "SQLite in a folder is for one process"
            )
        if not self.computer_threads and self.redis is None:
            raise ValueError(
                "DAMIER_COMPUTER_THREADS=0 leaves the thinking to `damier worker`, which needs --redis redis://…"
            )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/") and not parts.query


def _secret(text: str, name: str) -> bytes:
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) < SECRET_BYTES:
        raise ValueError(f"{name} must be {2 * SECRET_BYTES} hexadecimal digits or more")
    return secret


def club_secret(settings: Settings) -> bytes:
    """What signs the club's cookies: as set, or else the folder's own. Raises what :func:`read_secret` raises."""
    return read_secret(settings.data) if settings.secret is None else _secret(settings.secret, "DAMIER_SECRET")


def read_secret(data: Path) -> bytes:
    """The club's secret, which signs its cookies; made on the first start, readable by its owner alone.

    Raises RuntimeError with the file's path when what it holds is no secret.
    """
    path = data / SECRET_FILE
    if not path.exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
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
