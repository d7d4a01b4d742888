"""The interface is as its OpenAPI document has it: Schemathesis makes up requests, good and bad, for every operation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import LitestarDeprecationWarning
from litestar.openapi import OpenAPIConfig
from schemathesis import GenerationMode

from damier.server.api import openapi
from damier.server.api.router import router
from damier.server.settings import Settings
from tests.server.programs import Program, new_game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.conftest import Server

EXAMPLES: Final = 20
"""Made-up requests of an operation, next to those that cover each of its parts."""


class Known:
    """What is in the club, so that not every request is about nothing."""

    def __init__(self, server: Server) -> None:
        self.program, self.other = Program(server), Program(server)
        self.over = new_game(self.program, self.other)
        self.program.post(f"/games/{self.over}/moves", move="32-28")
        self.other.post(f"/games/{self.over}/resign")
        self.running = new_game(self.program, self.other)
        self.offer: str | None = None
        self.turns = 0

    def value(self, name: str) -> str | None:
        """A value of a path's part that there is; None for what is only made up."""
        self.turns += 1
        if name == "name":
            return (self.program if self.turns % 2 else self.other).name
        if name == "offer_id":
            if self.turns % 4 == 0 or self.offer is None:
                made = self.other.http.post(f"/members/{self.program.name}/challenges", json={"clock": "300+3"})
                self.offer = made.json().get("id", self.offer)
            return self.offer
        if name != "game_id":
            return None
        if self.turns % 8 == 0:
            self.running = new_game(self.program, self.other)  # the last one may be over
        return self.over if self.turns % 4 == 1 else self.running

    def close(self) -> None:
        self.program.close()
        self.other.close()


@pytest.fixture(scope="module")
def known(server: Server) -> Iterator[Known]:
    made = Known(server)
    ShowToken.token = made.program.token
    yield made
    made.close()


def document() -> dict[str, Any]:
    """The part of the club's document that is the interface's, made without a club."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LitestarDeprecationWarning)  # of how the routes name their dependencies
        app = Litestar(
            [router(Settings(Path("nowhere")))],
            dependencies={"club": Provide(lambda: None, sync_to_thread=False)},
            openapi_config=OpenAPIConfig("Damier", "1", components=openapi.COMPONENTS),
            plugins=[openapi.ExactBodies()],
            include_in_schema=False,
        )
        return app.openapi_schema.to_schema()


api = schemathesis.openapi.from_dict(
    document(),
    config=schemathesis.Config.from_dict(
        {
            # a move that is well written need not be legal in the game it is sent to, nor the game its sender's
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ["2xx", "401", "403", "404", "409", "422"]},
            },
        }
    ),
)


class ShowToken:
    """Shows a token where the document asks for one; Schemathesis tries without it, too."""

    token: str = ""

    def get(self, case: schemathesis.Case[Any], context: schemathesis.AuthContext) -> str:
        return self.token

    def set(self, case: schemathesis.Case[Any], data: str, context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


api.auth()(ShowToken)


def test_the_club_publishes_the_document(server: Server) -> None:
    published = httpx.get(server.address + "/schema/openapi.json").json()
    own = document()
    assert own["paths"].items() <= published["paths"].items()
    assert own["components"]["schemas"].items() <= published["components"]["schemas"].items()
    assert set(published["paths"]) - set(own["paths"]) == {"/health", "/ready", "/metrics"}


@api.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator]
@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
    derandomize=True,
    database=None,
)
def test_every_operation_keeps_to_its_document(case: schemathesis.Case[Any], server: Server, known: Known) -> None:
    if case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
        for name in case.path_parameters:
            value = known.value(name)
            if value is not None:
                case.path_parameters[name] = value
    case.call_and_validate(base_url=server.address)
