"""The club as something that is installed like a program, and what of it there is without a line.

The rules and the guide can be read without one; games need the server. https://www.w3.org/TR/appmanifest/
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.params import QueryParameter

from damier.i18n import DEFAULT_LANGUAGE, LANGUAGES, N_, translator
from damier.rules import RULE_SETS
from damier.server.club import Club
from damier.server.guide.steps import STEPS
from damier.server.localized import in_language
from damier.server.site import reader_language

Req = Request[Any, Any, Any]

OFFLINE: Final = "/offline"
PAGES: Final = (
    "/rules",
    *(f"/rules/{each.name}" for each in RULE_SETS),
    "/guide",
    *(f"/guide/{slug}" for slug in STEPS),
)
FILES: Final = (
    "damier.css",
    "theme.js",
    "learn.js",
    "favicon.svg",
    "source-sans-3-latin-400-normal.woff2",
    "source-sans-3-latin-600-normal.woff2",
)
PAPER: Final = "#f5efe3"
ABOUT: Final = N_("International draughts: games with people and the computer, the rules and a guide.")


@get("/manifest.webmanifest")
async def manifest(request: Req, club: Club) -> Response[str]:
    """What a browser needs to know in order to install the club."""
    language = reader_language(request)
    address = club.site.bundle.address

    def icon(name: str, sizes: str, kind: str, purpose: str = "any") -> dict[str, str]:
        return {"src": address(name), "sizes": sizes, "type": kind, "purpose": purpose}

    about = {
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "name": "Damier",
        "short_name": "Damier",
        "description": translator(language).gettext(ABOUT),
        "lang": language,
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": PAPER,
        "icons": [
            icon("favicon.svg", "any", "image/svg+xml"),
            icon("icon-192.png", "192x192", "image/png"),
            icon("icon-512.png", "512x512", "image/png"),
            icon("icon-maskable-512.png", "512x512", "image/png", "maskable"),
        ],
    }
    headers = {"cache-control": "private, no-cache", "vary": "cookie, accept-language"}
    return Response(json.dumps(about, ensure_ascii=False), media_type="application/manifest+json", headers=headers)


@get("/service-worker.js")
async def service_worker(
    club: Club, language: Annotated[str, QueryParameter(max_length=35)] = DEFAULT_LANGUAGE
) -> Response[bytes]:
    """The script that keeps the pages to read for when there is no line, in a language."""
    spoken = language if language in LANGUAGES else DEFAULT_LANGUAGE
    bundle = club.site.bundle
    answer = bundle.response(bundle.address("service-worker.js").rpartition("/")[2], "")
    script = b"" if answer is None else answer.content
    pages = [in_language(path, spoken) for path in (OFFLINE, *PAGES)]
    files = [bundle.address(name) for name in FILES]
    version = hashlib.sha256(json.dumps([pages, files, club.site.texts_version(spoken)]).encode()).hexdigest()[:16]
    lists = {"PAGES": pages, "FILES": files, "VERSION": version}
    before = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in lists.items())
    headers = {"cache-control": "no-cache"}
    return Response(before.encode() + script, media_type="text/javascript", headers=headers)


@get(OFFLINE)
async def offline(request: Req, club: Club) -> Response[str]:
    """What is shown in place of a page that cannot be reached."""
    return club.site.page(request, "offline.html")


ROUTES: Final = [manifest, service_worker, offline]
