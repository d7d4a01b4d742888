"""Who may change what: every route that changes something, tried by everybody who may not.

``TABLE`` names each with what is sent and what is answered to a stranger (nobody's cookie, no token), a guest, the
opponent out of turn, a spectator and a token without the scope. A route that is not in it fails the first test.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import httpx
import pytest
from litestar import Litestar
from litestar.exceptions import LitestarDeprecationWarning
from litestar.routes import HTTPRoute

from damier.server.app import create_app
from damier.server.settings import Settings
from tests.server.programs import Program, new_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.server.conftest import Person, Server

SAFE: Final = {"GET", "HEAD", "OPTIONS"}
LOG_IN: Final = "303 /log-in"
"""A member's page sends others to the page on which they log in."""


@dataclass(frozen=True)
class Row:
    """A route of the interface: what is sent, the scope that it needs, and what each of those who may not is answered.

    ``opponent``: Black, who is not to move and has been offered nothing. ``spectator``: another member. None: may do it.
    """

    scope: str
    opponent: str | None
    spectator: str | None
    body: dict[str, Any] = field(default_factory=dict[str, Any])


ACTIONS: Final[dict[str, tuple[str | None, str | None]]] = {
    "resign": (None, "not_yours"),
    "abort": ("too_late_to_abort", "not_yours"),
    "offer_draw": (None, "not_yours"),
    "accept_draw": ("nothing_offered", "not_yours"),
    "decline_draw": ("nothing_offered", "not_yours"),
    "offer_take_back": (None, "not_yours"),
    "accept_take_back": ("nothing_offered", "not_yours"),
    "decline_take_back": ("nothing_offered", "not_yours"),
    "claim_win": ("not_gone", "not_yours"),
    "claim_draw": ("not_gone", "not_yours"),
}

# Of the game: two moves made, White to move, nothing offered. Of the challenge: White's to Black. Of the seek: White's.
API: Final[dict[str, Row]] = {
    "POST /api/v1/account/bot": Row("bot", "games_running", None),
    "POST /api/v1/games/{game}/moves": Row("play", "not_your_turn", "not_yours", {"move": "31-27"}),
    **{
        f"POST /api/v1/games/{{game}}/{action}": Row("play", opponent, spectator)
        for action, (opponent, spectator) in ACTIONS.items()
    },
    "POST /api/v1/seeks": Row("seek", None, None, {"clock": "300+3"}),
    "DELETE /api/v1/seeks/{seek}": Row("seek", "not_yours", "not_yours"),
    "POST /api/v1/seeks/{seek}/accept": Row("seek", None, None),
    "POST /api/v1/members/{white}/challenges": Row("seek", None, None, {"clock": "300+3"}),
    "POST /api/v1/challenges/{challenge}/accept": Row("seek", None, "not_yours"),
    "POST /api/v1/challenges/{challenge}/decline": Row("seek", None, "not_yours"),
    "DELETE /api/v1/challenges/{challenge}": Row("seek", "not_yours", "not_yours"),
}

# The pages' routes: what a guest (with a good form) and another member are answered; None: it is everybody's to do, or
# is tried by the tests named. A stranger, who has no form, is refused by all of them.
PAGES: Final[dict[str, tuple[str | None, str | None]]] = {
    "POST /language": (None, None),
    "POST /games": (None, None),
    "POST /invitations": (None, None),
    "POST /name/choose": (None, None),
    "POST /i/{link}/accept": (None, None),
    "POST /i/{link}/decline": (None, None),
    "POST /i/{link}/withdraw": ("303 /i/", "303 /i/"),
    "POST /account/tokens": (LOG_IN, None),
    "POST /account/tokens/{token}/revoke": (LOG_IN, "303 /account/tokens"),
    "POST /@/{white}/follow": ("401", None),
    "POST /@/{white}/unfollow": ("401", None),
    "POST /@/{white}/block": ("401", None),
    "POST /@/{white}/unblock": ("401", None),
    "POST /account/confirm/{token}": ("422", "422"),
    "POST /account/delete": ("401", "422"),
    "POST /account/email": (LOG_IN, "422"),
    "POST /account/email/remove": (LOG_IN, None),
    "POST /account/letters": ("401", None),
    "POST /account/log-out-everywhere": (LOG_IN, None),
    "POST /account/passkeys": (LOG_IN, "422"),
    "POST /account/passkeys/{token}/name": (LOG_IN, "404"),
    "POST /account/passkeys/{token}/remove": (LOG_IN, "404"),
    "POST /account/password": (LOG_IN, "422"),
    "POST /account/password/remove": (LOG_IN, "422"),
    "POST /account/sessions/{token}/end": (LOG_IN, "404"),
    "POST /challenge/{white}/send": ("422", None),
    "POST /challenges/{challenge}/accept": ("422", "422"),
    "POST /challenges/{challenge}/decline": ("303 /my-games", "303 /my-games"),
    "POST /challenges/{challenge}/withdraw": ("303 /my-games", "303 /my-games"),
    "POST /exercise/answer": ("303 /exercise", "303 /exercise"),
    "POST /exercise/daily/answer": ("303 /exercise/daily", "303 /exercise/daily"),
    "POST /guide/{slug}/answer": ("404", "404"),
    "POST /join": ("422", None),
    "POST /letters/{token}": ("404", "404"),
    "POST /log-in": ("422", None),
    "POST /log-in/passkey": ("422", None),
    "POST /log-out": (None, None),
    "POST /recover": ("422", None),
    "POST /recover/{token}": ("422", "422"),
    # what is not there is 404 for all; who may do what with what is there: test_questions, test_moderation
    "POST /questions": ("401", "422"),
    "POST /questions/{token}/answers": ("401", "404"),
    "POST /questions/{token}/vote": ("401", "404"),
    "POST /questions/{token}/answered": ("401", "404"),
    "POST /questions/{token}/edit": ("401", "404"),
    "POST /questions/{token}/remove": ("401", "404"),
    "POST /questions/{token}/letters": ("401", "404"),
    "POST /questions/letters/{token}": ("404", "404"),
    "POST /report": ("404", "404"),
    "POST /report/heard": (None, None),
    "POST /moderation/case": ("404", "404"),
    "POST /moderation/log/{deed}/undo": ("404", "404"),
    "POST /notice": (None, None),
    "POST /notice/name": ("404", "404"),
    "POST /seeks/offer": (None, None),
    "POST /seeks/{seek}/accept": (None, None),
    "POST /seeks/{seek}/withdraw": ("422", "422"),
}


class Club:
    """A game of two members, a spectator with a program, and what is open between them."""

    def __init__(self, server: Server) -> None:
        self.address = server.address
        self.white, self.black, self.spectator = (Program(server) for _ in range(3))
        self.known = {"white": self.white.name}
        self.renew()

    def renew(self) -> None:
        """Let all that the routes are about be there again."""
        game = new_game(self.white, self.black)
        self.white.post(f"/games/{game}/moves", move="32-28")
        self.black.post(f"/games/{game}/moves", move="20-25")
        self.known["game"] = game
        for each in self.white.get("/challenges")["outgoing"]:
            self.white.http.delete(f"/challenges/{each['id']}")
        for each in self.white.get("/seeks"):
            if each["own"]:
                self.white.http.delete(f"/seeks/{each['id']}")
        self.known["seek"] = self.white.post("/seeks", 201, clock="correspondence 3")["id"]
        to_black = f"/members/{self.black.name}/challenges"
        self.known["challenge"] = self.white.post(to_black, 201, clock="300+3")["id"]

    def state(self) -> list[Any]:
        """All that could have been changed."""
        return [
            self.white.get(f"/games/{self.known['game']}")["version"],
            self.known["seek"] in [each["id"] for each in self.white.get("/seeks")],
            self.known["challenge"] in [each["id"] for each in self.white.get("/challenges")["outgoing"]],
            [each.get("/account")["kind"] for each in (self.white, self.black, self.spectator)],
            len(self.white.get("/games")),
        ]

    def ask(self, name: str, client: httpx.Client, row: Row) -> httpx.Response:
        method, _, path = name.partition(" ")
        url = self.address + path.format(**self.known)
        return client.request(method, url, json=row.body) if row.body else client.request(method, url)

    def close(self) -> None:
        for each in (self.white, self.black, self.spectator):
            each.close()


@pytest.fixture(scope="module")
def club(server: Server) -> Iterator[Club]:
    made = Club(server)
    yield made
    made.close()


def test_the_tables_name_every_route_that_changes_something(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LitestarDeprecationWarning)  # of how the routes name their dependencies
        app: Any = create_app(Settings(tmp_path))._pages
    while not isinstance(app, Litestar):
        app = app._app
    there = {
        f"{method} {route.path_format}"
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method in route.methods
        if method not in SAFE
    }
    named = {_plain(name) for name in (*API, *PAGES)}
    assert {_plain(name.replace("{action}", action)) for name in there for action in ACTIONS} == named


def _plain(name: str) -> str:
    """A route without the names of its parameters."""
    return "/".join("{}" if part.startswith("{") else part for part in name.split("/"))


@pytest.mark.parametrize("name", API)
def test_those_who_may_not_are_refused(club: Club, server: Server, person: Person, name: str) -> None:
    row = API[name]
    before = club.state()
    person.http.get("/")
    with httpx.Client() as stranger:
        for client in (stranger, person.http, club.white.page.http):
            answer = club.ask(name, client, row)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized"), "no token"
        stranger.headers["authorization"] = f"Bearer dmr_{'x' * 43}"
        assert club.ask(name, stranger, row).status_code == 401, "a token that opens nothing"
    with club.white.with_scopes(*({"play", "seek", "bot", "export"} - {row.scope})) as other:
        answer = club.ask(name, other, row)
        assert (answer.status_code, answer.json()["code"]) == (403, "scope")
    for who, code in ((club.black, row.opponent), (club.spectator, row.spectator)):
        if code is not None:
            answer = club.ask(name, who.http, row)
            assert answer.status_code in {403, 409}
            assert answer.json()["code"] == code, who.name
    assert club.state() == before


@pytest.mark.parametrize("name", [name for name, row in API.items() if row.opponent is None or row.spectator is None])
def test_those_who_may_do_it(club: Club, server: Server, name: str) -> None:
    row = API[name]
    club.renew()
    bot = Program(server)
    try:
        who = club.black if row.opponent is None else bot
        answer = club.ask(name, who.http, row)
        assert answer.status_code in {200, 201, 204}, answer.text
    finally:
        bot.close()


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_changed_by_their_forms_alone(
    club: Club, server: Server, people: Callable[..., Person], name: str
) -> None:
    guest, other = PAGES[name]
    _, _, path = name.partition(" ")
    known = club.known | {"token": "nothing", "slug": "nothing", "deed": "1"}
    if "{link}" in path:
        made = club.white.page.post("/invitations", control="300+3", rules="official", color="white")
        known["link"] = made.headers["location"].removeprefix("/i/")
    path = path.format(**known)
    person = people()
    fields = {"control": "300+3", "rules": "official", "color": "white", "level": "1", "language": "en", "days": "30"}
    bearer = {"authorization": f"Bearer {club.white.token}"}
    with httpx.Client(base_url=server.address) as stranger:
        for client in (stranger, person.http):
            assert client.post(path, data=fields).status_code == 403, "no form"
            assert client.post(path, data=fields, headers=bearer).status_code == 403, "a token is for programs"
    for who, expected in ((person, guest), (club.spectator.page, other)):
        if expected is not None:
            answer = who.post(path, **fields, name="Somebody")
            said = f"{answer.status_code} {answer.headers.get('location', '')}"
            assert said.startswith(expected), said
