"""A PostgreSQL and a Redis of the tests' own, from the programs of this machine: on loopback, in folders of their own.

Where the programs are missing the tests that need them are skipped, and the report says why.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

START_SECONDS: Final = 60
STOP_SECONDS: Final = 30
TRIES: Final = 3
"""Another may take the free port before the server does."""


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    """A server that listens on loopback. It keeps its folder and its port when it is killed and started again."""

    def __init__(self, **options: Any) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"damier-{type(self).__name__.lower()}-"))
        self.port = free_port()
        self._options = options
        self._process: subprocess.Popen[Any] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def is_ready(self) -> bool:
        raise NotImplementedError

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with open(self.folder / "log", "wb") as log:
            self._process = process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self._options,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"{self.command()[0]} did not start: {self.log}")
            time.sleep(0.02)

    def start_somewhere(self) -> None:
        """Start it on whatever port is free."""
        for left in reversed(range(TRIES)):
            try:
                self.start()
            except RuntimeError:
                if not left:
                    self.remove()
                    raise
                self.port = free_port()
            else:
                return

    def kill(self) -> None:
        """Stop it as a machine that loses its current would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it without waiting for those who are connected."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(Service):
    """``programs``: the folder of initdb and its like."""

    USER: Final = "damier"

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self._pattern: str | None = None
        """The database that those of new clubs are copies of."""
        self._password = secrets.token_hex(16)
        options: dict[str, Any] = {}
        if os.geteuid() == 0:  # which PostgreSQL refuses
            user = _unprivileged()
            options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        super().__init__(**options)
        if options:
            os.chown(self.folder, options["user"], options["group"])
        password_file = self.folder / "password"
        password_file.write_text(self._password)
        if options:
            os.chown(password_file, options["user"], options["group"])
        self._run(
            "initdb",
            f"--pgdata={self.folder / 'data'}",
            f"--username={self.USER}",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        )

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "max_connections": 100,
        }
        pairs = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self.programs / "postgres"), "-D", str(self.folder / "data"), *pairs]

    def is_ready(self) -> bool:
        return "database system is ready to accept connections" in self.log

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{self.USER}:{self._password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database; returns its address."""
        return self._create("template1")

    def new_club(self) -> str:
        """Make a database with the tables of a club that is new; returns its address."""
        # not at the top: tests that need no club do without what it is made with
        from damier.server.database import migrate
        from damier.server.settings import Settings

        if self._pattern is None:
            address = self.new_database()
            with ThreadPoolExecutor(1) as thread:  # an event loop may run in this one
                thread.submit(migrate, Settings(self.folder, database=address)).result()
            self._pattern = address.rpartition("/")[2]
        return self._create(self._pattern)

    def _create(self, pattern: str) -> str:
        name = f"club_{secrets.token_hex(6)}"
        self.query(f"CREATE DATABASE {name} TEMPLATE {pattern}")
        return self.url(name)

    def cut(self) -> None:
        """Cut every connection, in the midst of whatever it is doing."""
        self.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )

    def kill(self) -> None:
        """Stop it at once with all its processes; the next start recovers what was committed."""
        self._end(signal.SIGQUIT)

    def query(self, statement: str) -> str:
        return self._run("psql", "--no-psqlrc", "--quiet", "--tuples-only", self.url(), "--command", statement)

    def _run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [str(self.programs / program), *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=START_SECONDS,
            **self._options,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


class Redis(Service):
    def __init__(self, program: str) -> None:
        self._program = program
        super().__init__()

    def command(self) -> list[str]:
        settings = {"bind": "127.0.0.1", "port": self.port, "save": "", "appendonly": "no", "dir": self.folder}
        return [self._program, *(part for name, value in settings.items() for part in (f"--{name}", str(value)))]

    def is_ready(self) -> bool:
        with suppress(OSError):
            return self.ask("PING") == "+PONG"
        return False

    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def ask(self, command: str) -> str:
        """The first line of the answer to a command without spaces in its words."""
        with closing(socket.create_connection(("127.0.0.1", self.port), timeout=START_SECONDS)) as line:
            line.sendall(f"{command}\r\n".encode())
            with line.makefile("r", encoding="utf-8", newline="\r\n") as answer:
                return answer.readline().rstrip()


def _unprivileged() -> Any:
    import pwd

    with suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's programs: Debian keeps them out of PATH, one folder a release."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = debian[-1] if debian else shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL that the tests of a process share; who kills it starts it again."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not on this machine (Debian has it as postgresql)")
    server = Postgres(programs)
    server.start_somewhere()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> str:
    """The address of a database with the tables of a club that is new."""
    return postgres.new_club()


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    """A Redis that the tests of a process share; who kills it starts it again."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("Redis is not on this machine (Debian has it as redis-server)")
    server = Redis(program)
    server.start_somewhere()
    yield server
    server.remove()


@pytest.fixture
def redis_url(redis: Redis) -> str:
    """The address of an empty Redis."""
    assert redis.ask("FLUSHALL") == "+OK"
    return redis.url()
