"""The time controls that people are offered, and what they are called. Pure.

Those of the world federation are among them: 3+2 and 5+3 (blitz), 15+5 (rapid), 80+60 (classical).

>>> [text(control) for control in LIVE]
['1+0', '2+1', '3+2', '5+0', '5+3', '10+0', '10+5', '15+5', '30+20', '80+60']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from damier.clock import BadTimeControl, TimeControl
from damier.i18n import N_, NN_, translator

Speed: TypeAlias = Literal["bullet", "blitz", "rapid", "classical", "correspondence", "unlimited"]

SPEED_NAMES: Final[Mapping[Speed, str]] = {
    "bullet": N_("Bullet"),
    "blitz": N_("Blitz"),
    "rapid": N_("Rapid"),
    "classical": N_("Classical"),
    "correspondence": N_("Correspondence"),
    "unlimited": N_("Unlimited"),
}
MOVES: Final = 40
"""Moves of a side for which the increments are counted when the speed of a control is told."""
SLOWER_FROM: Final[tuple[tuple[int, Speed], ...]] = ((180, "bullet"), (480, "blitz"), (1500, "rapid"))
"""Seconds that a side has for that many moves, below which a control is of that speed."""

MOST_MINUTES: Final = 180
MOST_INCREMENT: Final = 180
LEAST_SECONDS: Final = 3
"""On each clock at the start of a game."""
MOST_DAYS: Final = 14

LIVE: Final = tuple(
    TimeControl.fischer(minutes * 60, increment)
    for minutes, increment in (
        (1, 0),
        (2, 1),
        (3, 2),
        (5, 0),
        (5, 3),
        (10, 0),
        (10, 5),
        (15, 5),
        (30, 20),
        (80, 60),
    )
)
DEFAULT: Final = TimeControl.fischer(600, 5)
DAYS: Final = tuple(range(1, MOST_DAYS + 1))
DEFAULT_DAYS: Final = 3
FRACTIONS: Final = {"": 0, "¼": 15, "½": 30, "¾": 45}
"""Seconds."""


def speed(control: TimeControl) -> Speed:
    """How fast games of a control are.

    >>> [speed(control) for control in (TimeControl.fischer(120, 1), TimeControl.fischer(300, 3), DEFAULT)]
    ['bullet', 'blitz', 'rapid']
    >>> speed(TimeControl.fischer(1800, 20)), speed(TimeControl.correspondence(3)), speed(TimeControl.none())
    ('classical', 'correspondence', 'unlimited')
    """
    if not control:
        return "unlimited"
    if control.days:
        return "correspondence"
    seconds = control.initial
    if control.stages:
        seconds += MOVES * (control.stages[0].increment + control.stages[0].delay)
    for below, name in SLOWER_FROM:
        if seconds < below:
            return name
    return "classical"


def text(control: TimeControl) -> str:
    """A control as players write it, in any language: minutes and increment, days, or endless.

    >>> [text(each) for each in (TimeControl.fischer(90, 2), TimeControl.correspondence(3), TimeControl.none())]
    ['1½+2', '3 d', '∞']
    """
    if not control:
        return "∞"
    if control.days:
        return f"{control.days} d"
    if len(control.stages) != 1 or control.stages[0].moves is not None or control.stages[0].delay:
        return control.to_pdn()
    minutes, seconds = divmod(control.stages[0].seconds, 60)
    fraction = next((sign for sign, value in FRACTIONS.items() if value == seconds), None)
    if fraction is None:
        return control.to_pdn()
    return f"{minutes if minutes or not fraction else ''}{fraction}+{control.stages[0].increment}"


def label(control: TimeControl, language: str) -> str:
    """A control in words, as short as they can be.

    >>> label(DEFAULT, "en"), label(TimeControl.correspondence(1), "en"), label(TimeControl.none(), "en")
    ('10+5', '1 day a move', 'Unlimited')
    """
    texts = translator(language)
    if not control:
        return texts.gettext(SPEED_NAMES["unlimited"])
    if control.days:
        return texts.ngettext(*NN_("{n} day a move", "{n} days a move"), control.days).format(n=control.days)
    return text(control)


def described(control: TimeControl, language: str) -> str:
    """A control in words, with its speed.

    >>> described(DEFAULT, "en"), described(TimeControl.correspondence(2), "en")
    ('Rapid 10+5', '2 days a move')
    """
    if not control or control.days:
        return label(control, language)
    return f"{translator(language).gettext(SPEED_NAMES[speed(control)])} {label(control, language)}"


def offered(control: TimeControl) -> bool:
    """Whether people may play with a control: one of those offered, or one's own within the limits.

    >>> offered(TimeControl.fischer(420, 8)), offered(TimeControl.sudden_death(99_999)), offered(TimeControl(hourglass=60))
    (True, False, False)
    """
    if not control:
        return True
    if control.days:
        return control.days <= MOST_DAYS
    if len(control.stages) != 1:
        return False
    stage = control.stages[0]
    return (
        stage.moves is None
        and stage.delay == 0
        and stage.seconds <= MOST_MINUTES * 60
        and stage.increment <= MOST_INCREMENT
        and control.initial >= LEAST_SECONDS
    )


def from_form(form: Mapping[str, Any]) -> TimeControl:
    """The control that a form asks for: ``control`` is one in PDN, "days" with ``days``, or "own" with ``minutes``
    (quarters too) and ``increment``. Raises :class:`BadTimeControl`.

    >>> from_form({"control": "300+3"}).to_pdn(), from_form({"control": "days", "days": "3"}).days
    ('300+3', 3)
    >>> from_form({"control": "own", "minutes": "1.5", "increment": "2"}).to_pdn()
    '90+2'
    """
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    kind = fields.get("control", "")
    try:
        if kind == "days":
            days = int(fields.get("days", "")[:3])
            control = TimeControl.correspondence(days) if days in DAYS else None
        elif kind == "own":
            seconds = float(fields.get("minutes", "")[:8].replace(",", ".")) * 60
            control = TimeControl.fischer(round(seconds / 15) * 15, int(fields.get("increment", "")[:4]))
        else:
            control = TimeControl.from_pdn(kind[:40])
    except (ValueError, OverflowError):  # of which a control that the clock does not know is one
        control = None
    if control is None or not offered(control):
        raise BadTimeControl(
            N_("Choose 3 seconds to 180 minutes for the game and at most 180 seconds a move, or 1 to 14 days a move."),
            text=kind[:40],
        )
    return control
