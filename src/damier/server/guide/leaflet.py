"""The rules as a leaflet to print: one sheet of A4, printed on both sides, folded to A5.

Typst sets it from the same texts and diagrams as the page (``templates/leaflet.typ``): tagged for screen readers
(PDF/UA-1), with the language and a title, the diagrams as lines and not as dots, and the club's own typefaces.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import msgspec

from damier.i18n import translator
from damier.server.guide import typesetter
from damier.server.guide.differences import differences
from damier.server.guide.rules_text import Diagram, RuleText, articles
from damier.server.lobby import choices

if TYPE_CHECKING:
    from damier.rules import Rules

PATIENCE: Final = 60
"""Seconds for which the typesetter is waited for; it needs less than one."""
PANELS: Final = ((1,), (2, 3, 4), (5, 6, 7), (8,))
"""The articles of each of the four A5 sides; behind the last comes the table of the rule sets."""

_made: dict[tuple[str, str], bytes] = {}
_making: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def printed(rules: Rules, language: str) -> bytes:
    """The leaflet of a rule set in a language, as PDF. It is made when it is first asked for, and kept.

    One is made at a time; who waits for it takes no thread from others.
    """
    key = rules.name, language
    if key not in _made:
        async with _making.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            if key not in _made:
                _made[key] = await asyncio.to_thread(_typeset, content(rules, language))
    return _made[key]


def _typeset(told: dict[str, Any]) -> bytes:
    command = [sys.executable, "-P", "-m", typesetter.__name__]
    done = subprocess.run(  # noqa: S603 (our own module)
        command, input=msgspec.json.encode(told), capture_output=True, check=False, timeout=PATIENCE
    )
    if done.returncode:
        raise RuntimeError(f"a leaflet could not be set: {done.stderr.decode(errors='replace')}")
    return done.stdout


def content(rules: Rules, language: str) -> dict[str, Any]:
    """What ``leaflet.typ`` sets.

    >>> from damier.rules import OFFICIAL
    >>> sorted(content(OFFICIAL, "en"))
    ['about', 'address', 'differences', 'language', 'panels', 'rules', 'title']
    """
    _ = translator(language).gettext
    told = {each.number: _article(each, language) for each in articles(rules, language)}
    chosen = next(each for each in choices.rule_sets(language) if each["name"] == rules.name)
    table = differences(language)
    return {
        "language": language,
        "title": _("The rules of draughts"),
        "rules": chosen["title"],
        "about": chosen["about"],
        "panels": [[told[number] for number in panel] for panel in PANELS],
        "differences": {
            "title": _("How the four rule sets differ"),
            "about": _("In all else they are alike. Players may agree on a draw in each of them."),
            "columns": table.columns,
            "chosen": table.names.index(rules.name),
            "rows": [{"title": each.title, "cells": each.cells} for each in table.rows],
        },
        "address": _("Boards to try these rules on: the page “Rules” of the club, Damier."),
    }


def _article(told: RuleText, language: str) -> dict[str, Any]:
    _ = translator(language).gettext
    compare = "" if told.compare is None else ". " + _("Compare: {source}").format(source=told.compare)
    return {
        "number": told.number,
        "title": told.title,
        "paragraphs": told.paragraphs,
        "counts": told.counts,
        "source": told.source + compare,
        "diagram": None if told.diagram is None else _diagram(told.diagram, language),
    }


def _diagram(diagram: Diagram, language: str) -> dict[str, str]:
    name = translator(language).gettext("Diagram {n}").format(n=diagram.number)
    return {"name": name, "caption": diagram.caption, "svg": diagram.svg(language)}
