"""The interface put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from litestar import Router
from litestar.middleware import DefineMiddleware

from damier.server.api import games, offers, people, sockets
from damier.server.api.auth import ApiLimits, Authenticate

if TYPE_CHECKING:
    from damier.server.settings import Settings

PATH: Final = "/api/v1"


def router(settings: Settings) -> Router:
    """All routes of the interface."""
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
            offers.seek_methods,
            offers.seeks,
            offers.create_seek,
            offers.accept_seek,
            offers.withdraw_seek,
            offers.challenge,
            offers.challenges,
            offers.accept_challenge,
            offers.decline_challenge,
            offers.withdraw_challenge,
            sockets.game_socket,
            sockets.personal_socket,
        ],
        middleware=[DefineMiddleware(Authenticate, limits=ApiLimits(settings))],
        include_in_schema=True,
        tags=["api"],
    )
