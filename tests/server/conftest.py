"""A real server on this machine, and people with browsers' cookies and sockets."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from damier.server.settings import Settings
from tests.databases import make_ready
from tests.server.serving import start_damier

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from multiprocessing.process import BaseProcess

START_SECONDS = 120
ANSWER_SECONDS = 60
"""The machine may be a busy one: what comes at all comes sooner."""


class Server:
    """`damier serve` as a process of its own, on a data folder that outlives it.

    ``settings``: its environment; its computers answer at once unless it says otherwise. ``locales``: the folder of its catalogues, if not the package's.
    """

    locales: str | None = None
    real_passwords = False
    """Whether hashing them takes what it takes at a club."""
    from_nothing = False
    """Whether it makes its tables itself: else it finds a database that others have made ready."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.data = data
        self.settings = settings
        self.log: list[str] = []
        self._process: BaseProcess | None = None
        self.address = ""

    def start(self, port: int = 0) -> Server:
        """Start it, on a free port unless one is named."""
        self.address = ""
        if not self.from_nothing and "DAMIER_DATABASE" not in self.settings:
            make_ready(Settings(self.data))
        arguments = ("serve", "--port", str(port), "--data", str(self.data))
        self._process, connection = start_damier(
            arguments,
            {**os.environ, "DAMIER_COMPUTER_PACE": "0", **self.settings},
            self.locales,
            real_passwords=self.real_passwords,
        )
        opened = threading.Event()

        def read() -> None:
            with open(os.dup(connection.fileno()), encoding="utf-8", errors="replace") as output:
                connection.close()
                for line in output:
                    self.log.append(line)
                    if not self.address and (found := re.search(r"http://\S+", line)):
                        self.address = found[0]
                        opened.set()
            opened.set()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        opened.wait(START_SECONDS)
        if not self.address:
            self.kill()  # it must not outlive the test
            raise AssertionError(f"the server did not start: {''.join(self.log)}")
        return self

    def kill(self) -> None:
        """SIGKILL: nothing is tidied up."""
        self._end(lambda process: process.kill())

    def stop(self) -> int:
        return self._end(lambda process: process.terminate())

    def _end(self, how: Callable[[BaseProcess], None]) -> int:
        process = self._process
        if process is None:
            return 0
        how(process)
        process.join(ANSWER_SECONDS)
        assert process.exitcode is not None, "the server does not end"
        self._reader.join()
        self._process = None
        return process.exitcode

    @property
    def running(self) -> bool:
        return self._process is not None

    @property
    def pid(self) -> int:
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    @property
    def workers(self) -> set[int]:
        """The server processes under the one that watches over them, as /proc has them."""
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text("ascii").split()
        return {int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()}


class Table:
    """A socket of a game: what it says is read in order."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self._ref = 0
        self.plies: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.presence: dict[str, Any] = {}

    def receive(self, timeout: float = ANSWER_SECONDS) -> dict[str, Any]:
        """The next message. Who is there is kept for itself, and pings are answered, as a page does it.

        Both come when they like, as does whether chat is on.
        """
        message: dict[str, Any] = json.loads(self.connection.recv(timeout=timeout))
        while message["t"] in {"presence", "ping", "chat_on"}:
            if message["t"] == "presence":
                self.presence = message
            elif message["t"] == "ping":
                self.connection.send(json.dumps({"t": "pong", "id": message["id"]}))
            message = json.loads(self.connection.recv(timeout=timeout))
        if message["t"] == "state":
            assert message["from_ply"] <= len(self.plies)
            self.plies[message["from_ply"] :] = message["plies"]
            self.state = message
        return message

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while not wanted(message := self.receive()):
            pass
        return message

    def until_own_turn(self) -> dict[str, Any]:
        if self.state.get("legal") or self.state.get("result"):
            return self.state
        return self.until(lambda message: message["t"] == "state" and bool(message["legal"] or message["result"]))

    def send(self, kind: str, **fields: Any) -> int:
        self._ref += 1
        self.connection.send(json.dumps({"t": kind, "ref": self._ref, **fields}))
        return self._ref

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send, and return the answer to it."""
        ref = self.send(kind, **fields)
        return self.until(lambda message: message.get("ref") == ref)

    def move(self, legal: dict[str, Any] | None = None) -> dict[str, Any]:
        """Play a legal move, the first one by default, and return the answer."""
        legal = legal or self.state["legal"][0]
        assert legal is not None
        chosen = {name: legal[name] for name in ("from", "to", "captured", "crowned")}
        return self.ask("move", ply=len(self.plies), move=chosen)

    def set_thinking(self) -> None:
        """Play until the computer, of the strongest level, thinks about a move for a while."""
        while True:
            self.until_own_turn()
            assert self.move()["t"] == "ack"
            with suppress(TimeoutError):
                self.receive(timeout=0.25)
                continue
            assert self.state["thinking"]
            return


class Person:
    """Somebody with a browser: keeps cookies, fills in forms, opens sockets."""

    def __init__(self, server: Server, language: str = "en") -> None:
        self.server = server
        self.http = httpx.Client(
            base_url=server.address,
            headers={"accept": "text/html", "accept-language": language},
            timeout=ANSWER_SECONDS,
        )

    def close(self) -> None:
        self.http.close()

    def moved_to(self, server: Server) -> None:
        """The server was started anew, at another address."""
        self.http.base_url = httpx.URL(server.address)

    def cookie_name(self, beginning: str) -> str | None:
        """The full name of the one cookie whose name begins so; None without any."""
        names = [name for name in self.http.cookies if name.startswith(beginning)]
        assert len(names) <= 1, names
        return names[0] if names else None

    def csrf_token(self) -> str:
        page = self.http.get("/").text
        found = re.search(r'name="_csrf_token" value="(\w+)"', page)
        assert found, page
        return found[1]

    def post(self, path: str, **fields: str) -> httpx.Response:
        return self.http.post(path, data={"_csrf_token": self.csrf_token(), **fields})

    def join(self, name: str, password: str = "a shot in the main road") -> httpx.Response:
        """Become a member."""
        answer = self.post("/join", name=name, password=password, next="/my-games")
        assert (answer.status_code, answer.headers.get("location")) == (303, "/my-games"), answer.text
        return answer

    def new_game(self, color: str = "white", rules: str = "official", level: int = 1) -> str:
        """Start a game; returns its path."""
        answer = self.post("/games", color=color, rules=rules, level=str(level))
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def page_state(self, path: str) -> dict[str, Any]:
        """The state in a game's page."""
        page = self.http.get(path)
        assert page.status_code == 200, page.text
        found = re.search(r'<script type="application/json" id="game-state">(.*?)</script>', page.text, re.DOTALL)
        assert found, page.text
        return json.loads(found[1])

    @contextmanager
    def sit(self, path: str, version: int = -1, **headers: str) -> Generator[Table]:
        """Open a game's socket and read the first state."""
        address = str(self.http.base_url).rstrip("/").replace("http", "ws", 1)
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        every = {"cookie": cookies, "accept-language": self.http.headers["accept-language"], **headers}
        url = f"{address}{path}/socket?version={version}"
        # a socket of our own is closed whatever happens, a connection that a killed server refuses included
        with (
            closing(socket.create_connection((self.http.base_url.host, self.http.base_url.port or 80))) as line,
            connect(
                url,
                sock=line,
                additional_headers=every,
                compression=None,
                open_timeout=START_SECONDS,  # a process that takes another's place may still be starting
                close_timeout=1,
            ) as connection,
        ):
            yield Table(connection)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that tests share; they must not stop it."""
    # tests are in more of a hurry than people
    hurry = {
        "DAMIER_NEW_GAMES_PER_MINUTE": "10000",
        "DAMIER_FORMS_PER_SECOND": "10000",
        "DAMIER_NEW_MEMBERS_PER_HOUR": "10000",
        "DAMIER_MESSAGES_PER_SECOND": "10000",
        "DAMIER_API_REQUESTS_PER_SECOND": "10000",
        "DAMIER_WRONG_TOKENS_PER_MINUTE": "10000",
    }
    running = Server(tmp_path_factory.mktemp("club"), **hurry).start()
    yield running
    running.stop()
    assert not any("Traceback" in line for line in running.log), "".join(running.log)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server to do anything with."""
    running = Server(tmp_path / "club").start()
    yield running
    running.kill()


@pytest.fixture
def people(server: Server) -> Iterator[Callable[..., Person]]:
    """Makes people who visit the shared server."""
    made: list[Person] = []

    def make(language: str = "en") -> Person:
        made.append(Person(server, language))
        return made[-1]

    yield make
    for person in made:
        person.close()


@pytest.fixture
def person(people: Callable[..., Person]) -> Person:
    return people()


@pytest.fixture
def own_server_person(own_server: Server) -> Iterator[Person]:
    """Somebody on a server of their own, with the limits that people have."""
    made = Person(own_server)
    yield made
    made.close()
