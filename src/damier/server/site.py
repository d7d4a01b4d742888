"""What all pages share: templates, texts, the bundle's files, errors."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from litestar import MediaType, Request, Response
from litestar.status_codes import HTTP_200_OK
from markupsafe import Markup

from damier.i18n import LANGUAGES, catalogue_path, language_name, translator
from damier.server import language as languages
from damier.server import localized
from damier.server.localized import ADDRESS_LANGUAGE
from damier.server.security import WHO

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.runtime import Context
    from litestar.connection import ASGIConnection
    from litestar.datastructures import Cookie

    from damier.server.people import Who
    from damier.server.security import FormTokens
    from damier.server.visitors import Visitors

HERE: Final = Path(__file__).parent
IMMUTABLE: Final = "public, max-age=31536000, immutable"
# for text/… Litestar adds the charset
CONTENT_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


def reader_language(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """The language in which a request or a socket is answered.

    That of the address; else the one chosen in this browser, the account's, or the browser's own.
    """
    scope = cast("dict[str, Any]", connection.scope)
    who: Who | None = scope.get(WHO)
    chosen = connection.cookies.get(languages.COOKIE) or (who and who.language)
    return scope.get(ADDRESS_LANGUAGE) or languages.negotiate(chosen, connection.headers.get("accept-language"))


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of the bundle in each of its encodings ("" for none)."""

    content_type: str
    cache_control: str
    bodies: dict[str, bytes]


class Bundle:
    """The web bundle: files with content-hashed names, and copies of them compressed when the bundle was made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, StaticFile] = {}
        manifest = folder / "manifest.json"
        self.names: dict[str, str] = json.loads(manifest.read_text("utf-8")) if manifest.exists() else {}
        hashed = set(self.names.values())
        present = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
        for name, path in present.items():
            content_type = CONTENT_TYPES.get(path.suffix)
            if content_type is None or name == manifest.name:
                continue
            paths = {"br": present.get(name + ".br"), "gzip": present.get(name + ".gz"), "": path}
            bodies = {encoding: each.read_bytes() for encoding, each in paths.items() if each is not None}
            cache_control = IMMUTABLE if name in hashed else "public, max-age=3600"
            self._files[name] = StaticFile(content_type, cache_control, bodies)

    def __bool__(self) -> bool:
        return bool(self.names)

    def address(self, name: str) -> str:
        """The address of a file by its plain name."""
        return "/static/" + self.names.get(name, name)

    def response(self, name: str, accept_encoding: str) -> Response[bytes] | None:
        """The answer to a request for a file, in the best encoding that the browser takes; None if there is none."""
        file = self._files.get(name)
        if file is None:
            return None
        accepted = {part.partition(";")[0].strip() for part in accept_encoding.lower().split(",")}
        encoding = next(each for each in file.bodies if each in accepted or not each)
        headers = {"cache-control": file.cache_control}
        if len(file.bodies) > 1:
            headers["vary"] = "accept-encoding"
        if encoding:
            headers["content-encoding"] = encoding
        return Response(file.bodies[encoding], media_type=file.content_type, headers=headers)


class Site:
    """Makes pages. ``form_tokens``: what their forms carry. ``visitors``: who looks at them."""

    def __init__(self, form_tokens: FormTokens, visitors: Visitors) -> None:
        self._form_tokens = form_tokens
        self._visitors = visitors
        self.bundle = Bundle(HERE / "static")
        self._environment = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters |= {
            name: pass_context(_in_the_page_s_language(function))
            for name, function in {
                "date": localized.date,
                "date_time": localized.date_time,
                "number": localized.number,
                "percent": localized.percent,
            }.items()
        }
        self._script_texts: dict[str, Markup] = {}
        self._texts_versions: dict[str, str] = {}

    def page(
        self, request: Request[Any, Any, Any], template: str, *, status_code: int = HTTP_200_OK, **context: Any
    ) -> Response[str]:
        """A page of a template, in the reader's language.

        A browser without a good token for its forms is given one, and a visitor who is new gets an id.
        """
        language = reader_language(request)
        texts = translator(language)

        def gettext(text: str, **names: object) -> str:
            return texts.gettext(text).format(**names) if names else texts.gettext(text)

        token = self._form_tokens.read(request.cookies)
        # not in answer to a form: one that another site sent comes without the cookie that the browser has
        cookies: list[Cookie] = []
        if token is None and request.method == "GET":
            token = self._form_tokens.new()
            cookies = [self._form_tokens.cookie(token, secure=request.url.scheme == "https")]
        if request.method == "GET" and status_code == HTTP_200_OK and self._visitors.of(request) is None:
            visitor = self._visitors.new_id()
            cookies.append(self._visitors.set_cookie(visitor, secure=request.url.scheme == "https"))

        def ngettext(one: str, many: str, n: int, **names: object) -> str:
            return texts.ngettext(one, many, n).format(n=n, **names)

        body = self._environment.get_template(template).render(
            _=gettext,
            ngettext=ngettext,
            asset=self.bundle.address,
            language=language,
            languages=[{"code": code, "name": language_name(code), "current": code == language} for code in LANGUAGES],
            # of an error's address nothing is repeated: it may be anybody's text
            path=request.url.path if status_code == HTTP_200_OK else "/",
            origin=str(request.base_url).rstrip("/") if status_code == HTTP_200_OK else None,
            csrf_token=token or "",
            to_keep="offline" in request.query_params,
            me=self._visitors.who(request),
            **context,
        )
        if ADDRESS_LANGUAGE in request.scope:
            body = localized.links_in_language(body, language)
        headers = {
            "cache-control": "private, no-cache",
            "vary": "cookie, accept-language",
            "content-language": language,
        }
        return Response(body, media_type=MediaType.HTML, status_code=status_code, headers=headers, cookies=cookies)

    def texts_version(self, language: str) -> str:
        """What changes whenever a template, the bundle or a language's text does."""
        known = self._texts_versions.get(language)
        if known is None:
            digest = hashlib.sha256(json.dumps(self.bundle.names, sort_keys=True).encode())
            for path in (*sorted((HERE / "templates").iterdir()), Path(catalogue_path(language, "damier.mo"))):
                digest.update(path.read_bytes() if path.exists() else b"")
            known = self._texts_versions[language] = digest.hexdigest()
        return known

    def script_texts(self, language: str) -> Markup:
        """The page's script's texts in a language, as JSON for a script element."""
        known = self._script_texts.get(language)
        if known is None:
            path = Path(catalogue_path(language, "script.json"))
            text = path.read_text("utf-8") if path.exists() else "{}"
            known = self._script_texts[language] = json_for_script(text)
        return known


def _in_the_page_s_language(write: Callable[..., str]) -> Callable[..., str]:
    """A filter for templates of a function that takes a value and a language, and perhaps more."""

    def in_its_language(context: Context, value: float, *more: Any) -> str:
        return write(value, context["language"], *more)

    return in_its_language


def json_for_script(text: str) -> Markup:
    """JSON that may stand inside a script element: no ``<`` in it can end the element.

    >>> print(json_for_script('{"name":"</script>"}'))
    {"name":"\\u003c/script>"}
    """
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c"))  # noqa: S704 (made safe here)
