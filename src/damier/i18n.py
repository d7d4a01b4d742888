"""Texts in the languages of the product: gettext catalogues, read with the standard library only.

A message id is an English sentence; placeholders are named and in braces, filled with :meth:`str.format`::

    from damier.i18n import N_, translator

    RULE = N_("{count} of {limit} moves")           # marks, does not translate
    translator("nl").gettext(RULE).format(count=12, limit=16)

The catalogues lie in ``damier/locales/<language>/LC_MESSAGES/``: ``damier.po`` is what translators edit,
``damier.mo`` is compiled from it by ``tools/catalogues.py``. Where there is no compiled catalogue the English
sentences stand. Another language is one more ``damier.po``; nothing else names the languages there are.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from gettext import NullTranslations

DEFAULT_LANGUAGE = "en"
"""Spoken to those of whom nothing is known; the language of the message ids."""

DOMAIN = "damier"
LOCALES = os.path.join(os.path.dirname(__file__), "locales")
FIRST = ("nl", "fr", "de", "en")
"""The languages that the club began with; they are offered first."""


def languages() -> tuple[str, ...]:
    """The folders of catalogues, and English, which needs none."""
    try:
        there = {name for name in os.listdir(LOCALES) if name.isalpha()}
    except FileNotFoundError:
        there = set[str]()
    there.add(DEFAULT_LANGUAGE)
    return tuple(sorted(there, key=lambda code: (FIRST.index(code) if code in FIRST else len(FIRST), code)))


LANGUAGES: tuple[str, ...] = languages()
"""The languages that every text exists in, as ISO 639-1 codes, in the order in which they are offered."""

_translators: dict[str, NullTranslations] = {}


def N_(message: str) -> str:  # noqa: N802 (the name that gettext's tools look for)
    """Mark a text for the catalogues and return it as it is; it is translated where it is shown.

    >>> N_("You must capture.")
    'You must capture.'
    """
    return message


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802 (as N_, for texts in which a number decides)
    """Mark a text that has a singular and a plural, and return both for ``ngettext``.

    >>> translator("en").ngettext(*NN_("one piece", "{n} pieces"), 2).format(n=2)
    '2 pieces'
    """
    return one, many


# Translators: the name of your language, in your language.
_NAME = N_("English")


def catalogue_path(language: str, name: str) -> str:
    """The path of a file of one language's catalogue.

    >>> catalogue_path("nl", "damier.mo").replace("\\\\", "/").endswith("locales/nl/LC_MESSAGES/damier.mo")
    True
    """
    return os.path.join(LOCALES, language, "LC_MESSAGES", name)


def language_name(language: str) -> str:
    """A language's name in that language.

    >>> language_name("en")
    'English'
    """
    return translator(language).gettext(_NAME)


def environment_language(environment: Mapping[str, str]) -> str:
    """The language that a process's environment asks for, as gettext reads it; English where we do not speak it.

    >>> environment_language({"LANG": "nl_NL.UTF-8"}), environment_language({"LANG": "de_AT", "LC_ALL": "C.UTF-8"})
    ('nl', 'en')
    >>> environment_language({"LANG": "en_US", "LANGUAGE": "br:fr_FR"})
    'fr'
    """
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    if locale.partition(".")[0] in ("", "C", "POSIX"):
        return DEFAULT_LANGUAGE  # a program asks for this so that it can read what is said
    for wanted in (*environment.get("LANGUAGE", "").split(":"), locale):
        code = wanted.replace(".", "_").replace("@", "_").partition("_")[0].lower()
        if code in LANGUAGES:
            return code
    return DEFAULT_LANGUAGE


def translator(language: str) -> NullTranslations:
    """The translations into a language: an object with ``gettext`` and ``ngettext``.

    Raises ValueError for a code that is not among :data:`LANGUAGES`.

    >>> translator("en").gettext("A text that no catalogue holds")
    'A text that no catalogue holds'
    >>> translator("en").ngettext("{n} move", "{n} moves", 3).format(n=3)
    '3 moves'
    >>> translator("es")
    Traceback (most recent call last):
      ...
    ValueError: there is no language 'es'; there are nl, fr, de, en
    """
    known = _translators.get(language)
    if known is not None:
        return known
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
    from gettext import GNUTranslations, NullTranslations

    try:
        with open(catalogue_path(language, DOMAIN + ".mo"), "rb") as compiled:
            loaded: NullTranslations = GNUTranslations(compiled)
    except FileNotFoundError:
        loaded = NullTranslations()
    _translators[language] = loaded
    return loaded
