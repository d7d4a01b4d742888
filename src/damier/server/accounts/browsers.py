"""Browsers: what they are called, and which have logged in lately."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Final

from litestar.datastructures import Cookie

from damier.server.people import name_key
from damier.server.security import cookie_name

KNOWN_SECONDS: Final = 90 * 86_400
"""How long a browser is known after it has logged in."""

# The first that fits: most browsers also call themselves by the names of others.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Vivaldi", "Vivaldi"),
    ("Firefox|FxiOS", "Firefox"),
    ("Chrome|CriOS|Chromium", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X|Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux|X11", "Linux"),
)


def described(user_agent: str) -> str:
    """What a browser calls itself, in a few words; empty when it is none that people use.

    >>> described("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    >>> described("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Edg/140.0")
    'Edge, Windows'
    >>> described("curl/8.5.0")
    ''
    """
    found = (
        next((name for pattern, name in names if re.search(pattern, user_agent)), "") for names in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(filter(None, found))


class KnownBrowsers:
    """Gives a browser that has logged in something to be known by, for as long as it counts as known.

    What it says is good for the name alone that was logged in with, and tells nobody that name.

    >>> browsers = KnownBrowsers(b"a secret of the club")
    >>> value = browsers.value("Anna", 1_000.0)
    >>> browsers.read(value, "anna", 2_000.0) == value.partition(".")[0]
    True
    >>> browsers.read(value, "Bert", 2_000.0), browsers.read(value, "Anna", 9e9), browsers.read(None, "Anna", 0.0)
    (None, None, None)
    >>> browsers.read(browsers.value("Anna", 3_000.0, "0123456789abcdef"), "Anna", 4_000.0)
    '0123456789abcdef'
    """

    def __init__(self, secret: bytes) -> None:
        self.cookie_name = cookie_name("damier_known", secret)
        self._key = hmac.digest(secret, b"known browser", hashlib.sha256)

    def value(self, name: str, now: float, browser: str | None = None) -> str:
        """What the cookie holds after a member of this name has logged in. ``browser``: what it was known by before."""
        said = f"{browser or secrets.token_hex(8)}.{int(now)}"
        return f"{said}.{self._signature(said, name)}"

    def read(self, value: str | None, name: str, now: float) -> str | None:
        """What a browser is known by if it has logged in with this name lately."""
        said, _, signature = (value or "").rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(said, name).encode()):
            return None
        browser, _, since = said.partition(".")
        return browser if now < int(since) + KNOWN_SECONDS else None

    def cookie(self, name: str, now: float, before: str | None = None, *, secure: bool) -> Cookie:
        """The cookie, which is sent to nothing but the page where one logs in.

        ``before``: what the browser has now; one that is known already stays the same.
        """
        return Cookie(
            self.cookie_name,
            value=self.value(name, now, self.read(before, name, now)),
            path="/log-in",
            max_age=KNOWN_SECONDS,
            httponly=True,
            samesite="lax",
            secure=secure,
        )

    def _signature(self, said: str, name: str) -> str:
        return hmac.digest(self._key, f"{said} {name_key(name)}".encode(), hashlib.sha256).hex()
