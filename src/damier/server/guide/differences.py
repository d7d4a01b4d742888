"""Where the rule sets differ, side by side: as the rule sets themselves have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from damier.i18n import translator
from damier.rules import Rules, by_name
from damier.server.lobby import choices

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Difference:
    """One row. ``article``: where the page treats it; ``cells``: what each rule set says, in the order of ``columns``."""

    article: int
    title: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Differences:
    """The table. ``names``: of the rule sets, column by column; ``columns``: their titles."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Difference, ...]


def differences(language: str) -> Differences:
    """The table in a language.

    >>> table = differences("en")
    >>> table.columns
    ('International', 'Crown and continue', 'Boxed game', 'Traditional')
    >>> table.rows[2].title, table.rows[2].cells
    ('The same position', ('3 times', '–', '3 times', '–'))
    """
    _ = translator(language).gettext
    times, moves = _("{n} times"), _("{n} moves each")
    rows: tuple[tuple[int, str, Callable[[Rules], str]], ...] = (
        (
            2,
            _("A man on the far row in the middle of a capture"),
            lambda rules: _("becomes a king at once") if rules.crowned_in_passing else _("stays a man"),
        ),
        (6, _("Touch-move"), lambda rules: _("yes") if rules.touch_move else _("no")),
        (7, _("The same position"), lambda rules: _counted(times, rules.repetition)),
        (7, _("The same move"), lambda rules: _counted(times, rules.same_move)),
        (7, _("Only kings moved, nothing captured"), lambda rules: _counted(moves, rules.king_moves)),
        (7, _("A lone king against three pieces"), lambda rules: _counted(moves, rules.three_pieces)),
        (7, _("A lone king against two or one"), lambda rules: _counted(moves, rules.two_pieces)),
        (7, _("Longest game"), lambda rules: _counted(moves, rules.move_limit)),
    )
    titles = {each["name"]: each["title"] for each in choices.rule_sets(language)}
    sets = [by_name(name) for name in titles]
    told = tuple(Difference(article, title, tuple(say(rules) for rules in sets)) for article, title, say in rows)
    return Differences(tuple(titles), tuple(titles.values()), told)


def _counted(text: str, n: int) -> str:
    return text.format(n=n) if n else "–"
