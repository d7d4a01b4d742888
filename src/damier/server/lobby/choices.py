"""What can be chosen before a game, and how a form's answer is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from litestar.exceptions import ValidationException

from damier.engine.levels import LEVELS
from damier.i18n import N_, translator
from damier.rules import CLASSIC, CLUB, LEAFLET, OFFICIAL
from damier.server.lobby import controls

if TYPE_CHECKING:
    from damier import Rules

Choice = TypeVar("Choice")
SideChoice: TypeAlias = Literal["white", "black", "lot"]

RULE_SETS: Final[Mapping[str, tuple[Rules, str, str]]] = {
    rules.name: (rules, title, about)
    for rules, title, about in (
        (
            OFFICIAL,
            N_("International"),
            N_(
                "The world federation's rules: a man that only passes the far row stays a man; some endings are drawn after a number of moves."
            ),
        ),
        (
            CLUB,
            N_("Crown and continue"),
            N_("A man that touches the far row in the middle of a capture goes on as a king."),
        ),
        (
            LEAFLET,
            N_("Boxed game"),
            N_("As the leaflet in the box has it: a piece that you touch must move."),
        ),
        (
            CLASSIC,
            N_("Traditional"),
            N_("International, but a draw only when both agree."),
        ),
    )
}
"""The rule sets by name, each with its title and one sentence about it; the usual one first."""

LEVEL_NAMES: Final = (
    N_("First steps"),
    N_("Beginner"),
    N_("Learner"),
    N_("Casual player"),
    N_("Practised player"),
    N_("Club player"),
    N_("Strong"),
    N_("Very strong"),
    N_("Master"),
    N_("As strong as it can"),
)
SIDES: Final[Mapping[SideChoice, str]] = {"white": N_("White"), "lot": N_("By lot"), "black": N_("Black")}

SIDE_NAMES: Final[Mapping[str, SideChoice]] = {name: name for name in SIDES}


def rules_title(name: str, language: str) -> str:
    """What a rule set is called.

    >>> rules_title("club", "en")
    'Crown and continue'
    """
    return translator(language).gettext(RULE_SETS[name][1])


def rule_sets(language: str) -> list[dict[str, str]]:
    """The rule sets as a form offers them."""
    _ = translator(language).gettext
    return [{"name": name, "title": _(title), "about": _(about)} for name, (_rules, title, about) in RULE_SETS.items()]


def levels(language: str) -> list[dict[str, object]]:
    """The computer's levels as a form offers them."""
    _ = translator(language).gettext
    return [{"number": level.number, "name": _(name)} for level, name in zip(LEVELS, LEVEL_NAMES, strict=True)]


def sides(language: str) -> list[dict[str, str]]:
    """White, Black or by lot, as a form offers them."""
    return [{"name": name, "title": translator(language).gettext(title)} for name, title in SIDES.items()]


def quick(language: str) -> list[dict[str, str]]:
    """The time controls of quick pairing as a form offers them."""
    _ = translator(language).gettext
    return [
        {"value": each.to_pdn(), "text": controls.text(each), "speed": _(controls.SPEED_NAMES[controls.speed(each)])}
        for each in controls.LIVE
    ]


def chosen(form: Mapping[str, Any], name: str, choices: Mapping[str, Choice]) -> Choice:
    """A form's answer to one question. Raises ValidationException for one that was not offered."""
    value = form.get(name)
    if not isinstance(value, str) or value not in choices:
        raise ValidationException(f"{name} must be one of {', '.join(choices)}")
    return choices[value]
