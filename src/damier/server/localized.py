"""Addresses in a language, and dates and numbers as they are written in it.

Every page has an address without a language, ``/rules``, where everybody reads it in their own, and one in each,
``/nl/rules``, which can be passed on and indexed. On the latter all that the page leads to keeps the language.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal, format_percent
from litestar.datastructures import MutableScopeHeaders

from damier.i18n import LANGUAGES

if TYPE_CHECKING:
    from litestar.types import ASGIApp, Message, Receive, Scope, Send

ADDRESS_LANGUAGE: Final = "damier.language"
NOT_PAGES: Final = ("/static/", "/api/", "/schema/", "/health", "/ready", "/metrics", "/language", "/service-worker.js")
"""What has no language: an address of these with a language before it is unknown."""

REMEMBERED: Final = 4096
"""Dates and numbers as they were written last: a page of statistics has hundreds, and most of them again and again."""

_LINK: Final = re.compile(r'(?P<before>\s(?:href|action)=")(?P<path>/(?!/)[^"]*)')


class Localized:
    """Middleware that takes the language off the front of an address and puts it before those that answers lead to."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        language, path = split(cast("dict[str, Any]", scope).get("path", ""))
        if language is None or path.startswith(NOT_PAGES):
            await self._app(scope, receive, send)
            return
        inner: dict[str, Any] = {**scope, "path": path, "raw_path": path.encode(), ADDRESS_LANGUAGE: language}

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(message)
                target = cast("Any", headers).get("location")
                if target is not None:
                    headers["location"] = in_language(target, language)
            await send(message)

        await self._app(cast("Scope", inner), receive, send_on)


def split(path: str) -> tuple[str | None, str]:
    """The language at the front of a path, None without one, and the path without it.

    >>> split("/nl/rules"), split("/nl"), split("/rules"), split("/nlx/rules"), split("/nl//rules")
    (('nl', '/rules'), ('nl', '/'), (None, '/rules'), (None, '/nlx/rules'), (None, '/nl//rules'))
    """
    first, _, rest = path[1:].partition("/")
    if not path.startswith("/") or first not in LANGUAGES or rest.startswith("/"):
        return None, path
    return first, "/" + rest


def in_language(path: str, language: str) -> str:
    """A page's address in a language; what is no page of ours, or has a language already, stays as it is.

    >>> in_language("/rules", "nl"), in_language("/", "nl"), in_language("/fr/rules", "nl")
    ('/nl/rules', '/nl/', '/fr/rules')
    >>> in_language("/static/a.css", "nl"), in_language("//else.example/", "nl"), in_language("#main", "nl")
    ('/static/a.css', '//else.example/', '#main')
    """
    if not path.startswith("/") or path.startswith(("//", *NOT_PAGES)) or split(path)[0] is not None:
        return path
    return f"/{language}{path}"


def links_in_language(page: str, language: str) -> str:
    """A page (HTML) whose links and forms lead to addresses in a language. What people wrote cannot look like one.

    >>> links_in_language('<a href="/rules">', "de"), links_in_language('<a href="https://else.example/">', "de")
    ('<a href="/de/rules">', '<a href="https://else.example/">')
    """
    return _LINK.sub(lambda found: found["before"] + in_language(found["path"], language), page)


# --- Dates and numbers -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=REMEMBERED)
def date(moment: float, language: str) -> str:
    """The day of a moment (seconds since 1970), in UTC.

    >>> date(1_795_000_000, "nl"), date(1_795_000_000, "en")
    ('18 nov 2026', '18 Nov 2026')
    """
    return format_date(datetime.fromtimestamp(moment, UTC), format="medium", locale=locale(language))


def date_time(moment: float, language: str) -> str:
    """A moment (seconds since 1970) to the minute, in UTC.

    >>> date_time(1_795_000_000, "de")
    '18.11.2026, 11:06 UTC'
    """
    day = datetime.fromtimestamp(moment, UTC)
    return f"{format_date(day, format='medium', locale=locale(language))}, {format_datetime(day, 'HH:mm')} UTC"


@lru_cache(maxsize=REMEMBERED)
def number(value: float, language: str, digits: int = 0) -> str:
    """A number, with so many digits after the decimal sign.

    >>> number(1234567, "de"), number(1234567, "en"), number(0.5, "fr", 1)
    ('1.234.567', '1,234,567', '0,5')
    """
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(value, format=pattern, locale=locale(language))


@lru_cache(maxsize=REMEMBERED)
def percent(share: float, language: str) -> str:
    """A share of one, in whole percents.

    >>> percent(0.253, "en"), percent(0.253, "de")
    ('25%', '25\\xa0%')
    """
    return format_percent(share, locale=locale(language))


def locale(language: str) -> str:
    """The locale whose dates and numbers go with a language: for English, the day comes before the month.

    >>> locale("en"), locale("nl")
    ('en_GB', 'nl')
    """
    return "en_GB" if language == "en" else language
