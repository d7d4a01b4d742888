"""The interface put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from litestar import Router
from litestar.middleware import DefineMiddleware

from damier.server.api import games, people, sockets
from damier.server.api.auth import ApiLimits, Authenticate

if TYPE_CHECKING:
    from damier.server.settings import Settings

PATH: Final = "/api/v1"


def router(settings: Settings, new_games: Any = None) -> Router:
    """All routes of the interface. ``new_games``: the middleware of those that can begin a game."""
    del new_games
    return Router(
        PATH,
        route_handlers=[
            people.account,
            people.become_bot,
            people.member,
            people.games_of_member,
            games.game,
            games.own_games,
            games.move,
            games.act,
            sockets.game_socket,
            sockets.personal_socket,
        ],
        middleware=[DefineMiddleware(Authenticate, limits=ApiLimits(settings))],
        include_in_schema=True,
        tags=["api"],
    )
