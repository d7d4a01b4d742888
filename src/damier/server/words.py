"""What people write, as it is kept and as it is shown: plain text, in which nothing but addresses becomes anything."""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.people import BLANK

MOST_MARKS: Final = 3
"""Combining marks on one letter; more would tower over the neighbouring lines."""
JOINERS: Final = "\u200c\u200d"
REL: Final = "nofollow ugc noopener"
LONGEST_LINK: Final = 500

# no brackets but round ones, no quotes: what ends an address in a sentence, and what could end an attribute
_ADDRESS: Final = re.compile(r"""https?://[^\s<>"'`\[\]{}|\\^]+""", re.IGNORECASE)
_AFTER_SENTENCE: Final = ".,;:!?…"


class BadWords(DamierError, ValueError):
    """A text that is empty, too long, or holds what cannot be shown."""

    def __init__(self, most: int) -> None:
        super().__init__(N_("Write 1 to {most} ordinary characters."), most=most)


def valid_words(text: str, most: int, *, lines: bool = True, least: int = 1) -> str:
    """A text as it is kept: of ``least`` to ``most`` characters. ``lines``: whether it may have several.

    Raises :class:`BadWords`.

    >>> valid_words("  Who moves   first? ", 40, lines=False), valid_words("one\\r\\n\\r\\n\\r\\n\\r\\ntwo  ", 40)
    ('Who moves first?', 'one\\n\\ntwo')
    >>> valid_words("", 40, least=0)
    ''
    >>> for text in (" ", "a" * 41, "a\\u202eb", "e" + 5 * "\\u0301", "\\u2800"):
    ...     try:
    ...         valid_words(text, 40)
    ...     except BadWords as error:
    ...         print(error)
    Write 1 to 40 ordinary characters.
    Write 1 to 40 ordinary characters.
    Write 1 to 40 ordinary characters.
    Write 1 to 40 ordinary characters.
    Write 1 to 40 ordinary characters.
    """
    kept: list[str] = []
    start = text[: 8 * most + 8]  # beyond it nothing is looked at
    for line in start.splitlines() if lines else [start]:
        words = unicodedata.normalize("NFC", " ".join(line.split()))
        if words or (kept and kept[-1]):
            kept.append(words)
    whole = "\n".join(kept).strip("\n")
    marks = 0
    for character in whole:
        category = unicodedata.category(character)
        marks = marks + 1 if category.startswith("M") else 0
        if (category.startswith("C") and character not in JOINERS + "\n") or marks > MOST_MARKS:
            raise BadWords(most)
    seen = any(each not in BLANK and unicodedata.category(each)[0] not in "CMZ" for each in whole)
    if (least or whole) and (not seen or not least <= len(whole) <= most):
        raise BadWords(most)
    return whole


def addresses(text: str) -> list[tuple[int, int]]:
    """Where in a text addresses of the web stand: where each begins, and where it has ended.

    >>> text = "see (https://club.example/a_(b)), or http://x.example. Not ftp://x nor https://"
    >>> [text[begin:end] for begin, end in addresses(text)]
    ['https://club.example/a_(b)', 'http://x.example']
    """
    found: list[tuple[int, int]] = []
    for each in _ADDRESS.finditer(text):
        address = each[0]
        while address and (
            address[-1] in _AFTER_SENTENCE or (address[-1] == ")" and address.count(")") > address.count("("))
        ):
            address = address[:-1]
        if is_address(address):
            found.append((each.start(), each.start() + len(address)))
    return found


def is_address(text: str) -> bool:
    """Whether a text is an address of the web that may become a link: with a host, and nobody's name before it.

    >>> [is_address(each) for each in ("https://club.example", "HTTP://X.example/?a=b&c", "https://a@b.example")]
    [True, True, False]
    >>> [is_address(each) for each in ("javascript:alert(1)", "https://", "//club.example", "https://x:99999/")]
    [False, False, False, False]
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    del port
    host = parts.hostname or ""
    return parts.scheme in ("http", "https") and "." in host and "@" not in parts.netloc and len(text) <= LONGEST_LINK


def linked(text: str) -> Markup:
    """A text as HTML: its addresses lead there, its lines stay lines, and all the rest is what it is.

    >>> print(linked('<b>"5 & 6"</b>'))
    &lt;b&gt;&#34;5 &amp; 6&#34;&lt;/b&gt;
    >>> print(linked("see https://club.example/?a=1&b=2."))
    see <a href="https://club.example/?a=1&amp;b=2" rel="nofollow ugc noopener">https://club.example/?a=1&amp;b=2</a>.
    >>> print(linked("one\\ntwo"))
    one<br>two
    """
    pieces: list[Markup] = []
    last = 0
    for begin, end in addresses(text):
        pieces.append(escape(text[last:begin]))
        address = escape(text[begin:end])
        pieces.append(Markup('<a href="{0}" rel="{1}">{0}</a>').format(address, REL))
        last = end
    pieces.append(escape(text[last:]))
    return Markup("").join(pieces).replace("\n", Markup("<br>"))
