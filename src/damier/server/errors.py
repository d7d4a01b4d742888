"""What went wrong, said to the visitor: as a page, or as JSON to a program."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from litestar import Response
from litestar.exceptions import HTTPException, WebSocketException
from litestar.status_codes import HTTP_429_TOO_MANY_REQUESTS

from damier.i18n import N_, translator
from damier.server.api import problems
from damier.server.security import API
from damier.server.site import reader_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from litestar import Request
    from litestar.types import Scope

    from damier.server.site import Site

log = logging.getLogger(__name__)

# What happened, and what to do.
TEXTS: Final = {
    400: (N_("This request was not complete"), N_("Go back, choose again and send the form once more.")),
    401: (N_("This is for members"), N_("Log in, or become a member: a name and a password are enough.")),
    403: (
        N_("This form is out of date"),
        N_("Load the page again and send the form once more. Cookies must be allowed."),
    ),
    404: (N_("There is nothing here"), N_("The address is wrong, or what was here is gone.")),
    405: (N_("This cannot be done here"), N_("The address is for something else.")),
    413: (N_("This is too much at once"), N_("Send less.")),
    429: (
        N_("That was fast"),
        N_("Too much was asked from your address or in your name. Wait a minute and try again."),
    ),
    500: (N_("Something went wrong on our side"), N_("Your games are safe. Try again in a moment.")),
}


def error_handler(site: Site) -> Callable[[Request[Any, Any, Any], Exception], Response[Any]]:
    """The handler of every exception that a page did not handle itself."""

    def handle(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        if request.scope["path"].startswith(API):
            said = problems.answer(error, problems.asked_language(request))
            if said.status_code is not None and said.status_code >= 500:
                log.error("%s %s failed", request.method, request.url.path, exc_info=error)
            return said
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        if status >= 500:
            log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        if status == HTTP_429_TOO_MANY_REQUESTS and "RateLimit-Reset" in headers:
            headers["Retry-After"] = headers["RateLimit-Reset"]
        title, message = TEXTS.get(status) or TEXTS[400 if status < 500 else 500]
        _ = translator(reader_language(request)).gettext
        if "text/html" in request.headers.get("accept", ""):
            answer: Response[Any] = site.page(
                request, "error.html", status_code=status, status=status, title=_(title), message=_(message)
            )
        else:
            answer = Response({"status": status, "title": _(title), "message": _(message)}, status_code=status)
        answer.headers.update(headers)
        return answer

    return handle


async def log_failed_socket(error: Exception, scope: Scope) -> None:
    """Tell the operator why a socket was closed; its page is told a code, and comes back."""
    if scope["type"] == "websocket" and not isinstance(error, HTTPException | WebSocketException):
        log.error("The socket %s failed", scope["path"], exc_info=error)
