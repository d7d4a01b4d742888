"""Chat at the board: who may say what to whom, and how much of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from damier.i18n import N_, translator
from damier.server.play.messages import Preset, PresetView

PRESETS: Final[Mapping[Preset, str]] = {
    "hello": N_("Hello!"),
    "good_luck": N_("Good luck!"),
    "good_game": N_("Good game!"),
    "well_played": N_("Well played!"),
    "thanks": N_("Thank you!"),
    "sorry": N_("Sorry!"),
    "one_moment": N_("One moment, please."),
    "bye": N_("Goodbye!"),
}


def presets(language: str) -> tuple[PresetView, ...]:
    """What can be said with one click, in a language.

    >>> presets("en")[0]
    PresetView(id='hello', text='Hello!')
    """
    texts = translator(language)
    return tuple(PresetView(name, texts.gettext(PRESETS[name])) for name in get_args(Preset))
