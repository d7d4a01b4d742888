"""Which language a visitor reads: the one chosen, else the browser's."""

from __future__ import annotations

from typing import Final

from damier.i18n import DEFAULT_LANGUAGE, LANGUAGES

COOKIE: Final = "damier_language"
COOKIE_AGE: Final = 2 * 365 * 86_400


def negotiate(chosen: str | None, accepted: str | None) -> str:
    """The language for a visitor who chose one, or whose browser sent an ``Accept-Language`` header.

    >>> negotiate("fr", "nl"), negotiate(None, "de-AT,de;q=0.9,en;q=0.5"), negotiate("xx", None)
    ('fr', 'de', 'en')
    """
    if chosen in LANGUAGES:
        return chosen
    best, best_weight = DEFAULT_LANGUAGE, 0.0
    for part in (accepted or "")[:500].split(","):
        code, _, parameter = part.partition(";")
        language = code.strip().partition("-")[0].lower()
        weight = _weight(parameter)
        if language in LANGUAGES and weight > best_weight:
            best, best_weight = language, weight
    return best


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
