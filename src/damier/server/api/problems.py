"""What a program is told when something is not done: a status, a word for it, and a sentence for who reads it."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import msgspec
from litestar import MediaType, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi import ResponseSpec

from damier.errors import DamierError, IllegalMove
from damier.i18n import N_, translator
from damier.refusals import GameError
from damier.server import language as languages
from damier.server.lobby.invitation import (
    Apart,
    BadRange,
    CannotBeRated,
    InvitationError,
    MembersOnly,
    NotYours,
    UnknownAnswer,
    UnknownInvitation,
)
from damier.server.people import BadName
from damier.server.play.store import StoreError, UnknownGame

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection


class Problem(msgspec.Struct, frozen=True):
    """Why something was not done."""

    code: Annotated[str, msgspec.Meta(description="One word for programs, such as `not_your_turn`.")]
    message: Annotated[str, msgspec.Meta(description="A sentence for people, in the language of `Accept-Language`.")]
    field: Annotated[str | None, msgspec.Meta(description="The part of what was sent that is wrong, where it is one.")]


class ApiError(DamierError):
    """Something that the interface refuses. ``wait``: seconds after which it may be asked again."""

    def __init__(
        self, status: int, code: str, message: str, *, field: str | None = None, wait: float = 0.0, **facts: object
    ) -> None:
        super().__init__(message, **facts)
        self.status = status
        self.code = code
        self.field = field
        self.wait = wait


NOBODY: Final = N_("Show a token that is good: Authorization: Bearer dmr_…")
BAD_INPUT: Final = N_("What was sent is not as the interface’s document has it: {detail}")
BAD_INPUT_OF: Final = N_("What was sent is not as the interface’s document has it: {field}")
TOO_FAST: Final = N_("Too many requests. Wait as long as Retry-After says.")

_PLACE: Final = re.compile(r"at `\$\.([^`]+)`")
_NAMED: Final = re.compile(r"field `([^`]+)`")

# What Litestar itself refuses.
_REFUSED: Final = {
    400: ("bad_request", N_("This request could not be read.")),
    404: ("not_found", N_("There is nothing here.")),
    405: ("bad_method", N_("This cannot be done here.")),
    413: ("too_large", N_("Send less at once.")),
    429: ("too_fast", TOO_FAST),
}


def documented(*statuses: int, body: bool = False) -> dict[int, ResponseSpec]:
    """The answers other than success that a route can give, for its OpenAPI document.

    Every route can be given a wrong token or be asked too often; one with a ``body`` can be sent too much.
    """
    every = sorted({400, 401, 429, *((413,) if body else ()), *statuses})
    return {
        status: ResponseSpec(Problem, generate_examples=False, description=_DESCRIPTIONS[status]) for status in every
    }


_DESCRIPTIONS: Final = {
    400: "What was sent is not as this document has it.",
    401: "No token, or one that opens nothing.",
    403: "The token has not the scope that this needs, or it is not its owner's to do.",
    404: "There is no such thing.",
    409: "It cannot be done as things stand.",
    413: "More than 16 KiB.",
    422: "It can be read, but does not make sense here: the move is not legal, the clock is not offered.",
    429: "Too many requests; `Retry-After` says for how many seconds to wait.",
    503: "It could not be saved, so it was not done. Try again.",
}


_ADDRESS: Final = {"most": "max"}
"""What a parameter is called in addresses that has another name here."""
_FIELDS: Final[dict[type[InvitationError], str]] = {
    BadRange: "lowest",
    CannotBeRated: "rated",
    UnknownAnswer: "answer",
}


def asked_language(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """The language of a program's reader: as the request says; the interface looks at no cookie."""
    return languages.negotiate(None, connection.headers.get("accept-language"))


def answer(error: Exception, language: str) -> Response[Problem]:
    """What went wrong, as the answer to a program."""
    texts = translator(language)
    headers: dict[str, str] = {}
    field = None
    match error:
        case ApiError():
            status, code, message, field = error.status, error.code, error.sentence(language), error.field
            if error.message == BAD_INPUT and language != "en":  # the detail is in English
                message = texts.gettext(BAD_INPUT_OF).format(field=field or "?")
            if error.wait:
                headers["retry-after"] = str(math.ceil(error.wait))
        case IllegalMove():
            status, code, message, field = 422, "illegal_move", error.sentence(language), "move"
        case UnknownInvitation():
            status, code, message = 404, error.code, error.sentence(language)
        case NotYours() | Apart() | MembersOnly():
            status, code, message = 403, error.code, error.sentence(language)
        case BadRange() | CannotBeRated() | UnknownAnswer():
            status, code, message, field = 422, error.code, error.sentence(language), _FIELDS[type(error)]
        case GameError() | InvitationError():
            status, code, message = 409, error.code, error.sentence(language)
        case BadName():
            status, code, message = 422, "bad_name", error.sentence(language)
        case UnknownGame():
            status, code, message = 404, "unknown_game", texts.gettext(N_("There is no such game."))
        case StoreError():
            status, code = 503, "not_kept"
            message = texts.gettext(N_("This could not be saved, so it was not done. Try again."))
        case ValidationException():
            return answer(_invalid(error), language)
        case HTTPException():
            status = error.status_code
            code, text = _REFUSED.get(status, _REFUSED[400])
            message = texts.gettext(text)
            headers |= {name.lower(): value for name, value in (error.headers or {}).items()}
            if "ratelimit-reset" in headers:
                headers["retry-after"] = headers["ratelimit-reset"]
        case _:
            status, code = 500, "failed"
            message = texts.gettext(N_("Something went wrong on our side. Your games are safe."))
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    headers["cache-control"] = "no-store"
    return Response(Problem(code, message, field), status_code=status, media_type=MediaType.JSON, headers=headers)


def bad_input(detail: str) -> ApiError:
    """What is wrong with what was sent, as msgspec says it: ``Expected `int`, got `str` - at `$.ply```.

    >>> [bad_input(each).field for each in ("Expected `int` - at `$.captured[0]`", "missing required field `move`", "?")]
    ['captured[0]', 'move', None]
    """
    place = _PLACE.search(detail) or _NAMED.search(detail)
    return ApiError(400, "bad_input", BAD_INPUT, field=None if place is None else place[1], detail=detail[:200])


def _invalid(error: ValidationException) -> ApiError:
    """The same of a part of an address."""
    extra = cast("list[dict[str, Any]]", error.extra if isinstance(error.extra, list) else [])
    first = extra[0] if extra else {}
    found = bad_input(str(first.get("message", "")))
    key = first.get("key")
    found.field = _ADDRESS.get(key, key) if isinstance(key, str) and key else found.field
    return found
