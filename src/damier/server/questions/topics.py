"""The pages under which questions stand."""

from __future__ import annotations

import re
from typing import Final

from damier.i18n import N_, translator

CLUB: Final = "club"
"""The topic of questions that belong under no page of rules or guide."""
PLAIN: Final = {
    "rules": N_("Rules"),
    "guide": N_("Guide for beginners"),
    "exercise": N_("Exercise"),
    CLUB: N_("The club"),
}
LAST_STEP: Final = 99

_STEP: Final = re.compile(r"guide/([1-9][0-9]?)")


def is_topic(text: str) -> bool:
    """Whether questions can stand under this.

    >>> [is_topic(each) for each in ("rules", "guide/7", "guide/0", "guide/x", "")]
    [True, True, False, False, False]
    """
    return text in PLAIN or _STEP.fullmatch(text) is not None


def topic_title(topic: str, language: str) -> str:
    """What a topic is called.

    >>> topic_title("rules", "en"), topic_title("guide/7", "en")
    ('Rules', 'Guide, step 7')
    """
    _ = translator(language).gettext
    step = _STEP.fullmatch(topic)
    return _(PLAIN.get(topic, PLAIN[CLUB])) if step is None else _(N_("Guide, step {n}")).format(n=step[1])


def topic_url(topic: str) -> str:
    """The page of a topic.

    >>> topic_url("guide/7"), topic_url("club")
    ('/guide/7', '/questions')
    """
    return "/questions" if topic == CLUB else f"/{topic}"
