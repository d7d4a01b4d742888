"""Fair play in quick pairing: who leaves games or lets their time run waits a while before the next one. Pure.

An offence weighs 1 on the day it happens and half as much after every :data:`HALF_LIFE` seconds. One is nothing: a
connection breaks for anybody. From about the second on each costs a pause twice as long as the one before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from damier.i18n import NN_, translator

if TYPE_CHECKING:
    from collections.abc import Iterable

OffenceKind: TypeAlias = Literal["left", "stalled"]

HALF_LIFE: Final = 2 * 86400.0
REMEMBERED: Final = 7 * HALF_LIFE
"""Seconds after which an offence weighs less than a hundredth and may be forgotten altogether."""
FREE: Final = 1.5
"""The weight up to which there is no pause."""
FIRST_PAUSE: Final = 120.0
"""Seconds, for two offences in a row."""
LONGEST_PAUSE: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Offence:
    """A game that was left (``left``: gone, and not back in time) or in which a lost position was let run
    (``stalled``). ``at``: the moment, in seconds since 1970."""

    at: float
    kind: OffenceKind


@dataclass(frozen=True, slots=True)
class Pause:
    """No quick pairing ``until`` a moment, for so many games ``left`` and ``stalled`` lately."""

    until: float
    left: int
    stalled: int

    def sentence(self, now: float, language: str = "en") -> str:
        """Tells the member why, and how long it still is.

        >>> Pause(until=240, left=3, stalled=0).sentence(now=100)
        'You have left 3 games lately. Quick pairing is open to you again in 3 minutes.'
        """
        texts = translator(language)
        minutes = max(math.ceil((self.until - now) / 60), 1)
        reasons = [
            texts.ngettext(*forms, count).format(n=count)
            for forms, count in ((_LEFT, self.left), (_STALLED, self.stalled))
            if count
        ]
        return " ".join((*reasons, texts.ngettext(*_OPEN_AGAIN, minutes).format(n=minutes)))


_LEFT: Final = NN_("You have left a game lately.", "You have left {n} games lately.")
_STALLED: Final = NN_(
    "You have let your time run in a game lately instead of resigning.",
    "You have let your time run in {n} games lately instead of resigning.",
)
_OPEN_AGAIN: Final = NN_(
    "Quick pairing is open to you again in a minute.",
    "Quick pairing is open to you again in {n} minutes.",
)


def pause(offences: Iterable[Offence], now: float) -> Pause | None:
    """The pause that somebody is in because of what is remembered of them, None when there is none.

    It runs from the last offence and is not lengthened by waiting; offences later than ``now`` count for nothing.

    >>> day = 86400
    >>> pause([Offence(0, "left")], now=1) is None
    True
    >>> pause([Offence(0, "left"), Offence(600, "stalled")], now=601)
    Pause(until=719.8..., left=1, stalled=1)
    >>> pause([Offence(0, "left"), Offence(5 * day, "left")], now=5 * day) is None
    True
    """
    known = [offence for offence in offences if offence.at <= now]
    last = max((offence.at for offence in known), default=now)
    recent = [offence for offence in known if last - offence.at < REMEMBERED]
    weight = sum(0.5 ** ((last - offence.at) / HALF_LIFE) for offence in recent)
    if weight <= FREE:
        return None
    # the weight is held first: a power of a long list would not fit a float
    most = math.log2(LONGEST_PAUSE / FIRST_PAUSE)
    until = last + FIRST_PAUSE * 2 ** min(weight - 2, most)
    if until <= now:
        return None
    left = sum(offence.kind == "left" for offence in recent)
    return Pause(until, left, len(recent) - left)
