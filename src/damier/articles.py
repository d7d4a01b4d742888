"""Where each rule is written: the article or the page that a refusal, a draw or a result can name as its source."""

from __future__ import annotations

from damier.i18n import N_
from damier.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from damier.rules import Rules

__all__ = ["Article", "article"]


class Article(Value):
    """An article of the federation's rules or of the leaflet, or a whole page: a frozen value.

    ``source``: the name of the rule set whose document it is. ``number``: as printed there ("4.13"); empty where the
    document has no numbers, or says it elsewhere than in a numbered article.

    >>> str(Article("official", "4.13"))
    'Rules of the FMJD, annex 1, article 4.13'
    """

    __match_args__ = ("source", "number")
    __slots__ = __match_args__

    source: str
    number: str

    def __init__(self, source: str, number: str = "") -> None:
        if source not in _SOURCES:
            raise ValueError(f"there is no source {source!r}; there are {', '.join(_SOURCES)}")
        self._put(source, number)

    def sentence(self, language: str = "en") -> str:
        """The source by name, for people, in a language ("nl", "fr", "de" or "en").

        >>> Article("club").sentence("en")
        'Rules page of the German club site'
        """
        from damier.i18n import translator

        whole, numbered = _SOURCES[self.source]
        return translator(language).gettext(numbered if self.number else whole).format(number=self.number)

    def __str__(self) -> str:
        return self.sentence()


_CLASSIC_PAGE = N_("Rules page of the Dutch game site")
_CLUB_PAGE = N_("Rules page of the German club site")
_SOURCES: Mapping[str, tuple[str, str]] = {
    "official": (N_("Rules of the FMJD, annex 1"), N_("Rules of the FMJD, annex 1, article {number}")),
    "leaflet": (N_("Leaflet of the boxed game"), N_("Leaflet of the boxed game, article {number}")),
    "classic": (_CLASSIC_PAGE, _CLASSIC_PAGE),
    "club": (_CLUB_PAGE, _CLUB_PAGE),
}

# Annex 1 has an article of its own for each of a man and a king where their ways of moving or capturing differ.
_ANNEX_1: Mapping[str, tuple[str, str]] = {
    # reasons
    "not_your_turn": ("3.3", "3.3"),
    "bad_square": ("2.6", "2.6"),
    "no_piece": ("3.3", "3.3"),
    "not_your_piece": ("3.3", "3.3"),
    "touched_another": ("3.11", "3.11"),
    "same_square": ("3.4", "3.9"),
    "occupied": ("3.4", "3.9"),
    "men_move_forward": ("3.4", "3.4"),
    "must_capture": ("4.2", "4.3"),
    "must_take_more": ("4.13", "4.13"),
    "stop_too_early": ("4.5", "4.6"),
    "jumped_twice": ("4.8", "4.8"),
    "two_in_a_row": ("4.2", "4.3"),
    "crowned_at_end": ("4.15", "4.15"),
    "man_lands_behind": ("4.2", "4.2"),
    "blocked": ("4.2", "4.3"),
    "blocked own": ("4.1", "4.1"),
    "man_one_square": ("3.4", "3.4"),
    "not_diagonal": ("3.4", "3.9"),
    # endings
    "game_over": ("7", "7"),
    "no_moves": ("7.2.2", "7.2.2"),
    "no_pieces": ("7.2.3", "7.2.3"),
    "repetition": ("6.1", "6.1"),
    "king_moves": ("6.2", "6.2"),
    "three_pieces": ("6.3", "6.3"),
    "two_pieces": ("6.4", "6.4"),
}
_LEAFLET: Mapping[str, str] = {"crowned_at_end": "2", "touched_another": "6", "repetition": "7", "same_move": "7"}

_made: dict[tuple[str, str], Article] = {}


def article(rules: Rules, code: str, king: bool = False) -> Article | None:
    """Where the document behind ``rules`` says what ``code`` stands for; None for a rule set of one's own.

    ``code``: that of a :class:`~damier.explain.Reason`, or the rule of an :class:`~damier.Outcome`. ``king``: whether
    it is about a king, where the document treats kings elsewhere than men.

    >>> from damier.rules import LEAFLET, OFFICIAL
    >>> article(OFFICIAL, "must_take_more"), article(OFFICIAL, "must_capture", king=True)
    (Article(source='official', number='4.13'), Article(source='official', number='4.3'))
    >>> article(LEAFLET, "touched_another").number
    '6'
    """
    if rules.name not in _SOURCES:
        return None
    number = ""
    if rules.name == "official":
        number = _ANNEX_1.get(code, ("", ""))[king]
    elif rules.name == "leaflet":
        number = _LEAFLET.get(code, "")
    key = rules.name, number
    if key not in _made:
        _made[key] = Article(*key)
    return _made[key]
