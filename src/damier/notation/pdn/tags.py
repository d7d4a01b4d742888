"""What the tags of a game say: their order, dates, results and the kind of game."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from damier.rules import OFFICIAL, RULE_SETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier import Rules

__all__ = [
    "ROSTER",
    "PdnDate",
    "date",
    "game_type",
    "in_order",
    "points",
    "result_text",
    "rule_set",
    "spelled",
    "tell_rules",
]

ROSTER: tuple[str, ...] = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The seven tags that come first, in their order."""

INTERNATIONAL: frozenset[int] = frozenset({20, 27})
"""The game types whose results are counted as 2-0, 1-1 and 0-2; the others write 1-0, 1/2-1/2 and 0-1."""

_KNOWN = {
    name.lower(): name
    for name in (
        *ROSTER,
        *("Annotator", "Author", "Board", "EventDate", "EventSponsor", "FEN", "GameType", "PlyCount", "Publication"),
        *(
            "PublicationDate",
            "ResultFormat",
            "Rules",
            "Section",
            "Stage",
            "Termination",
            "Time",
            "TimeControl",
            "UTCDate",
        ),
        *("UTCTime", "Variant"),
        *(
            color + name
            for color in ("White", "Black")
            for name in ("Title", "Rating", "Elo", "FmjdId", "NA", "Type", "Time", "Clock")
        ),
        "TimeControlWhite",
        "TimeControlBlack",
    )
}

_POINTS = {
    "2-0": (2, 0),
    "1-0": (2, 0),
    "1-1": (1, 1),
    "1/2-1/2": (1, 1),
    "½-½": (1, 1),
    "0-2": (0, 2),
    "0-1": (0, 2),
    "0-0": (0, 0),
}
_INTERNATIONAL_TEXTS = {(2, 0): "2-0", (1, 1): "1-1", (0, 2): "0-2", (0, 0): "0-0"}
_OTHER_TEXTS = {(2, 0): "1-0", (1, 1): "1/2-1/2", (0, 2): "0-1", (0, 0): "0-0"}


def spelled(name: str) -> str:
    """A tag's name as the standard spells it; one that the standard does not know with a capital in front.

    >>> spelled("WHITE"), spelled("Fen"), spelled("apertura")
    ('White', 'FEN', 'Apertura')
    """
    return _KNOWN.get(name.lower()) or name[:1].upper() + name[1:]


def in_order(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    """The tags as a file shall hold them: the roster first, the others in their own order.

    >>> in_order({"Annotator": "C", "Black": "B", "White": "A"})
    [('White', 'A'), ('Black', 'B'), ('Annotator', 'C')]
    """
    first = [(name, tags[name]) for name in ROSTER if name in tags]
    return first + [(name, value) for name, value in tags.items() if name not in ROSTER]


# --- Results ------------------------------------------------------------------------------------------------------


def points(result: str) -> tuple[int, int] | None:
    """The points of White and Black, two for a game; None for ``*`` and what is no result.

    >>> points("1-0"), points("1/2-1/2"), points("0-0"), points("*")
    ((2, 0), (1, 1), (0, 0), None)
    """
    return _POINTS.get(re.sub(r"\s+", "", result).replace("\u2013", "-").replace("\u2011", "-"))


def result_text(points: tuple[int, int] | None, game_type: int | None = None) -> str:
    """A result as a game of this type writes it; a game of unknown type is international draughts, type 20.

    Raises ValueError for points that no game gives.

    >>> result_text((1, 1)), result_text((1, 1), 25), result_text(None)
    ('1-1', '1/2-1/2', '*')
    """
    if points is None:
        return "*"
    texts = _INTERNATIONAL_TEXTS if game_type is None or game_type in INTERNATIONAL else _OTHER_TEXTS
    if points not in texts:
        raise ValueError(f"no game gives the points {points}")
    return texts[points]


def game_type(text: str) -> int | None:
    """The number in a GameType tag; None where the tag has another form.

    >>> game_type("20,W,10,10,N2,0"), game_type("25"), game_type("draughts")
    (20, 25, None)
    """
    match = re.fullmatch(r"\s*([0-9]{1,4})\s*(?:,.*)?", text, re.DOTALL)
    return None if match is None else int(match[1])


def rule_set(text: str) -> Rules | None:
    """The rule set in a Rules tag; None where the tag says something else.

    PDN has no tag for rules that differ from those of the GameType. Ours, ``[Rules "club"]``, is written for games
    that are not played by the official rules, whose moves would be illegal otherwise.

    >>> rules = rule_set("club")
    >>> rules and rules.name, rule_set("as at home")
    ('club', None)
    """
    name = text.strip().lower()
    return next((rules for rules in RULE_SETS if rules.name == name), None)


def tell_rules(tags: dict[str, str], rules: Rules) -> None:
    """Set the Rules tag, if the tags tell another rule set than this. Rules of one's own have no name for a tag.

    >>> tags = {"Rules": "club"}
    >>> tell_rules(tags, RULE_SETS[0])
    >>> tags
    {'Rules': 'official'}
    """
    if rules in RULE_SETS and rules != (rule_set(tags.get("Rules", "")) or OFFICIAL):
        tags["Rules"] = rules.name


# --- Dates --------------------------------------------------------------------------------------------------------


class PdnDate(NamedTuple):
    """A day as far as it is known.

    >>> print(PdnDate(1950, 7), PdnDate(1841), PdnDate(), sep=", ")
    1950.07.??, 1841.??.??, ????.??.??
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        year = "????" if self.year is None else f"{self.year:04}"
        month = "??" if self.month is None else f"{self.month:02}"
        day = "??" if self.day is None else f"{self.day:02}"
        return f"{year}.{month}.{day}"


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "januari", "janvier", "januar", "gennaio"),
            ("february", "februari", "février", "februar", "febbraio"),
            ("march", "maart", "mars", "märz", "marzo"),
            ("april", "avril", "aprile"),
            ("may", "mei", "mai", "maggio"),
            ("june", "juni", "juin", "giugno"),
            ("july", "juli", "juillet", "luglio"),
            ("august", "augustus", "août", "agosto"),
            ("september", "septembre", "settembre"),
            ("october", "oktober", "octobre", "ottobre"),
            ("november", "novembre"),
            ("december", "décembre", "dezember", "dicembre"),
        ),
        start=1,
    )
    for name in names
}
_YEAR_FIRST = re.compile(r"([0-9]{4}|\?{1,4})(?:([-./])([0-9]{1,2}|\?{1,2})?(?:\2([0-9]{1,2}|\?{1,2})?)?)?")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-./])([0-9]{1,2})\2([0-9]{4})")
_WORDS = re.compile(r"(?:([0-9]{1,2})\.?\s+)?([^\W\d_]+)\.?,?\s+([0-9]{4})")
_RANGE = re.compile(r"\s+[-\u2013]\s+")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date(text: str) -> PdnDate | None:
    """The day that a tag names in one of the ways met in files; of a range of days, the first.

    Read are the standard's ``2009.04.17``, with ``?`` or nothing for what is unknown, with other signs and without
    zeros; ``17-4-2009`` where only one order of day and month is possible; and ``17 april 2009`` in Dutch, English,
    French, German and Italian. None for everything else: ``03.07.20`` may be one of three days.

    >>> print(date("2009.4.17"), date("13-01-1996"), date("17 april 2009"), date("1950."), date("03.07.20"), sep=", ")
    2009.04.17, 1996.01.13, 2009.04.17, 1950.??.??, None
    """
    text = _RANGE.split(text.strip(), maxsplit=1)[0]
    if match := _YEAR_FIRST.fullmatch(text):
        return _checked(_number(match[1]), _number(match[3]), _number(match[4]))
    if match := _YEAR_LAST.fullmatch(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        if first == second or second > 12:
            return _checked(year, first, second)
        # With full stops the day is first wherever days are written so; other signs leave it open.
        return _checked(year, second, first) if first > 12 or match[2] == "." else None
    if (match := _WORDS.fullmatch(text)) and (month := _MONTHS.get(match[2].lower())):
        return _checked(int(match[3]), month, _number(match[1]))
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text and not text.startswith("?") else None


def _checked(year: int | None, month: int | None, day: int | None) -> PdnDate | None:
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= (31 if month is None else _DAYS[month - 1]):
        return None
    if year is not None and (month, day) == (2, 29) and (year % 4 or (year % 100 == 0 and year % 400)):
        return None
    return PdnDate(year, month, day)
