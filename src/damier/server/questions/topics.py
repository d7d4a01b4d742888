"""The pages under which questions stand."""

from __future__ import annotations

from typing import Final

from damier.i18n import N_, translator
from damier.server.guide.steps import STEPS

CLUB: Final = "club"
"""The topic of questions that belong under no page of rules or guide."""
PLAIN: Final = {
    "rules": N_("Rules"),
    "guide": N_("Guide for beginners"),
    "exercise": N_("Exercise"),
    CLUB: N_("The club"),
}
OF_A_STEP: Final = "guide/"
"""What the topics of the guide's steps begin with; the step's slug follows."""


def is_topic(text: str) -> bool:
    """Whether questions can stand under this.

    >>> [is_topic(each) for each in ("rules", "guide/coup-turc", "guide/x", "coup-turc", "")]
    [True, True, False, False, False]
    """
    return text in PLAIN or (text.startswith(OF_A_STEP) and text.removeprefix(OF_A_STEP) in STEPS)


def topic_title(topic: str, language: str) -> str:
    """What a topic is called. A step that is in the guide no more has left its questions to the guide.

    >>> topic_title("rules", "en"), topic_title("guide/longest", "en"), topic_title("guide/x", "en")
    ('Rules', 'Guide: The longest capture', 'Guide for beginners')
    """
    _ = translator(language).gettext
    if topic in PLAIN:
        return _(PLAIN[topic])
    step = STEPS.get(topic.removeprefix(OF_A_STEP))
    return _(PLAIN["guide"]) if step is None else _(N_("Guide: {step}")).format(step=_(step.title))


def topic_url(topic: str) -> str:
    """The page of a topic.

    >>> topic_url("guide/longest"), topic_url("guide/x"), topic_url("club")
    ('/guide/longest', '/guide', '/questions')
    """
    if topic == CLUB:
        return "/questions"
    return f"/{topic}" if is_topic(topic) else "/guide"
