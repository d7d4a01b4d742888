"""Members of a running club, and their programs: made in its database, as its pages would make them."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import socket
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import httpx
from argon2.profiles import CHEAPEST
from websockets.sync.client import ClientConnection, connect

from damier.server import database
from damier.server.accounts.passwords import Passwords
from damier.server.accounts.service import Accounts
from damier.server.api.tokens import SCOPES, Tokens
from damier.server.people import People
from damier.server.settings import Settings, club_secret
from damier.server.visitors import Visitors
from tests.server.conftest import ANSWER_SECONDS, START_SECONDS, Person, Server, Table

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Iterable

    from sqlalchemy.ext.asyncio import AsyncEngine

PASSWORD = "a shot in the main road"
_numbers = itertools.count(1)


def in_books(server: Server, work: Callable[[AsyncEngine], Awaitable[Any]]) -> Any:
    """Do something in a running club's database."""

    async def done() -> Any:
        engine = database.open_engine(Settings(server.data))
        try:
            return await work(engine)
        finally:
            await engine.dispose()

    return asyncio.run(done())


class Program:
    """A member, whose program has a token. ``page``: the member's browser, logged in."""

    def __init__(self, server: Server, scopes: Iterable[str] = SCOPES, name: str | None = None) -> None:
        self.server = server
        self.id = secrets.token_urlsafe(15)
        self.name = name or f"Program-{next(_numbers)}-{secrets.token_hex(2)}"

        async def join(engine: AsyncEngine) -> tuple[str, str]:
            passwords = Passwords(CHEAPEST)
            try:
                accounts = Accounts(engine, passwords)
                await People(engine).keep(self.id)
                await accounts.join(self.id, self.name, PASSWORD)
                session = await accounts.log_in(self.name, PASSWORD, "a test")
            finally:
                passwords.close()
            _, token = await Tokens(engine).create(self.id, "a test", scopes, None)
            assert session is not None
            return session, token

        session, self.token = in_books(server, join)
        self.page = Person(server)
        self.page.http.cookies.set(Visitors(club_secret(Settings(server.data))).session_cookie_name, session)
        self.http = self._client(self.token)

    def close(self) -> None:
        self.http.close()
        self.page.close()

    def with_scopes(self, *scopes: str) -> httpx.Client:
        """A client with another token of the same member."""
        _, token = in_books(self.server, lambda engine: Tokens(engine).create(self.id, "other", scopes, None))
        return self._client(token)

    def _client(self, token: str) -> httpx.Client:
        return httpx.Client(
            base_url=self.server.address + "/api/v1",
            headers={"authorization": f"Bearer {token}"},
            timeout=ANSWER_SECONDS,
        )

    def get(self, path: str, **options: Any) -> Any:
        answer = self.http.get(path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        """Ask for something; with a body as JSON where there is one."""
        answer = self.http.post(path, json=body) if body else self.http.post(path)
        assert answer.status_code == status, answer.text
        return answer.json()

    @contextmanager
    def socket(self, path: str, token: str | None = None) -> Generator[ClientConnection]:
        """Open a socket of the interface."""
        address, authorization = str(self.http.base_url).rstrip("/"), f"Bearer {token or self.token}"
        url = address.replace("http", "ws", 1) + path
        with (
            closing(socket.create_connection((self.http.base_url.host, self.http.base_url.port or 80))) as line,
            connect(
                url,
                sock=line,
                additional_headers={"authorization": authorization},
                compression=None,
                open_timeout=START_SECONDS,
                close_timeout=1,
            ) as connection,
        ):
            yield connection

    @contextmanager
    def sit(self, game: str, token: str | None = None) -> Generator[Table]:
        """Open a game's socket."""
        with self.socket(f"/games/{game}/socket", token) as connection:
            yield Table(connection)

    @contextmanager
    def listen(self) -> Generator[Listener]:
        """Open the personal socket."""
        with self.socket("/socket") as connection:
            yield Listener(connection)


class Listener:
    """A personal socket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next message of a kind, with these values."""
        while True:
            message: dict[str, Any] = json.loads(self.connection.recv(timeout=ANSWER_SECONDS))
            if message["t"] == kind and all(message.get(name) == value for name, value in fields.items()):
                return message


def new_game(
    white: Program, black: Program, *, clock: str = "300+3", rules: str = "official", public: bool = True
) -> str:
    """A game between two members, by a link; returns its id."""
    fields = {"control": clock, "rules": rules, "color": "white"} | ({"public": "on"} if public else {})
    path = white.page.post("/invitations", **fields).headers["location"]
    return black.page.post(f"{path}/accept").headers["location"].removeprefix("/games/")
