"""The messages of both sockets, and their JSON Schema."""

from __future__ import annotations

from typing import Any, Final, cast, get_args

import msgspec
from litestar import get

from damier.server.api.sockets import ChallengeEnded, ChallengeNews, GameStart
from damier.server.lobby import socket as lobby
from damier.server.play import messages as game

Kinds = tuple[type[msgspec.Struct], ...]

GAME_CLIENT: Final[Kinds] = get_args(game.ClientMessage)
GAME_SERVER: Final[Kinds] = (game.FirstState, *get_args(game.ServerMessage))
PERSONAL_CLIENT: Final[Kinds] = tuple(each for each in get_args(lobby.ClientMessage) if each not in lobby.PAGES_ONLY)
PERSONAL_SERVER: Final[Kinds] = (
    lobby.ClubView,
    lobby.YourMoveView,
    lobby.InvitationView,
    lobby.NowView,
    lobby.SeeksView,
    lobby.Pong,
    GameStart,
    ChallengeNews,
    ChallengeEnded,
)


def schema() -> dict[str, Any]:
    """The JSON Schema of every message; any of ``game.client`` is what a program may send at a board, and so on.

    >>> sorted(schema())
    ['$defs', '$schema', 'game', 'personal', 'title']
    """
    kinds = (GAME_CLIENT, GAME_SERVER, PERSONAL_CLIENT, PERSONAL_SERVER)
    every = tuple(dict.fromkeys(kind for group in kinds for kind in group))
    described, definitions = msgspec.json.schema_components(every, schema_hook=_anything, ref_template="#/$defs/{name}")
    by_kind = dict(zip(every, described, strict=True))
    client, server, own_client, own_server = ({"anyOf": [by_kind[kind] for kind in group]} for group in kinds)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Damier’s sockets, version 1",
        "game": {"client": client, "server": server},
        "personal": {"client": own_client, "server": own_server},
        "$defs": definitions,
    }


def _anything(kind: type) -> dict[str, Any]:
    """What msgspec has no schema for: any value, as the facts of a reason are."""
    if kind is not object:
        raise NotImplementedError(kind)
    return {"description": "Any value."}


def kind_of(message: type[msgspec.Struct]) -> str:
    """The ``t`` of a message.

    >>> kind_of(GameStart)
    'game_start'
    """
    return cast("str", message.__struct_config__.tag)


@get("/schema/socket.json", sync_to_thread=False)
def socket_schema() -> dict[str, Any]:
    """The JSON Schema of the sockets' messages."""
    return schema()
