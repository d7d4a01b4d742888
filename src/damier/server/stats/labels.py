"""What the pages of the statistics call what is counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from damier.i18n import N_, translator
from damier.server.lobby.choices import RULE_SETS
from damier.server.lobby.controls import SPEED_NAMES
from damier.server.stats.changes import LENGTHS

if TYPE_CHECKING:
    from damier.server.stats.facts import Kind
    from damier.server.stats.member import StreakKind

KIND_NAMES: Final[Mapping[Kind, str]] = {
    "rated": N_("Rated"),
    "casual": N_("Casual"),
    "bot": N_("Against bots"),
    "computer": N_("Against the computer"),
}
KIND_PATTERNS: Final[Mapping[Kind, str]] = {
    "rated": "solid",
    "casual": "stripes",
    "bot": "dots",
    "computer": "hollow",
}
"""As :data:`damier.server.stats.graphs.PATTERNS`."""

WON: Final[Mapping[str, str]] = {
    "resigned": N_("The opponent resigned"),
    "no_moves": N_("The opponent had no move left"),
    "flag": N_("The opponent’s time was up"),
    "abandoned": N_("The opponent left the game"),
}
DRAWN: Final[Mapping[str, str]] = {
    "agreed": N_("By agreement"),
    "repetition": N_("The same position three times"),
    "king_moves": N_("Kings only, without a capture"),
    "three_pieces": N_("A lone king against three pieces"),
    "two_pieces": N_("A lone king against one or two"),
    "same_move": N_("The same move three times"),
    "move_limit": N_("The game was too long"),
    "flag_lone_king": N_("Time up against a lone king"),
    "abandoned": N_("One side left the game"),
}

STREAKS: Final[Mapping[StreakKind, str]] = {
    "wins": N_("won in a row"),
    "unbeaten": N_("without a loss"),
    "losses": N_("lost in a row"),
}


def speed_name(name: str, language: str) -> str:
    """What a speed is called.

    >>> speed_name("blitz", "en")
    'Blitz'
    """
    return translator(language).gettext(next(words for each, words in SPEED_NAMES.items() if each == name))


def length_name(number: int, language: str) -> str:
    """What games of one of the lengths are called.

    >>> [length_name(number, "en") for number in range(4)]
    ['up to 19 moves', '20 to 39 moves', '40 to 59 moves', '60 moves and more']
    """
    _ = translator(language).gettext
    if number == 0:
        return _(N_("up to {n} moves")).format(n=LENGTHS[0] - 1)
    if number == len(LENGTHS):
        return _(N_("{n} moves and more")).format(n=LENGTHS[-1])
    return _(N_("{first} to {last} moves")).format(first=LENGTHS[number - 1], last=LENGTHS[number] - 1)


def rule_set_names() -> tuple[str, ...]:
    """The rule sets, the usual one first."""
    return tuple(RULE_SETS)
