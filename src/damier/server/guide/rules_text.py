"""The rules in eight articles, as the leaflet in the box of a game has them: their texts, boards and diagrams.

The page and the printed leaflet are both made from :func:`articles`. What differs from one rule set to another is asked
of its :class:`~damier.rules.Rules`, so that the text cannot say anything else than the game does. Where each article
is written is told by :mod:`damier.articles`, by way of the reasons that the article answers (:data:`ANSWERS`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from damier import Board
from damier.articles import Article, article
from damier.i18n import N_, translator
from damier.rules import LEAFLET, OFFICIAL, RULE_SETS, Rules
from damier.server.lobby.choices import rules_title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from damier.draw.svg import Arrow, Mark
    from damier.explain import Reason

    Gettext: TypeAlias = Callable[[str], str]

DRAWS: Final = ("repetition", "king_moves", "three_pieces", "two_pieces", "same_move", "move_limit")
"""The counts of a :class:`~damier.rules.Rules`, in the order in which they are told."""

_MEN: Final = ("blocked", "blocked own", "two_in_a_row", "stop_too_early")
ANSWERS: Final[Mapping[int, tuple[tuple[str, bool], ...]]] = {
    1: tuple((code, False) for code in ("bad_square", "no_piece", "not_your_piece", "not_your_turn")),
    2: (
        *((code, False) for code in ("men_move_forward", "man_one_square", "crowned_at_end")),
        *((code, king) for code in ("same_square", "occupied", "not_diagonal") for king in (False, True)),
    ),
    3: (
        ("man_lands_behind", False),
        *((code, False) for code in _MEN),
        ("jumped_twice", False),
        ("jumped_twice", True),
    ),
    4: tuple((code, True) for code in _MEN),
    5: tuple((code, king) for code in ("must_capture", "must_take_more") for king in (False, True)),
    6: (("touched_another", False), ("touched_another", True)),
    7: tuple((code, False) for code in DRAWS),
    8: tuple((code, False) for code in ("no_moves", "no_pieces", "game_over")),
}
"""What each article answers: codes of :mod:`damier.explain` or rules of an outcome, and whether a king tried."""

_PLACES: Final[Mapping[tuple[str, bool], int]] = {
    reason: number for number, reasons in ANSWERS.items() for reason in reasons
}


def address(rules: Rules, number: int | None = None) -> str:
    """Where a rule set is told, or one article of it.

    >>> address(OFFICIAL), address(LEAFLET, 6)
    ('/rules', '/rules/leaflet#article-6')
    """
    page = "/rules" if rules == OFFICIAL else f"/rules/{rules.name}"
    return page if number is None else f"{page}#article-{number}"


def place(reason: Reason, king: bool) -> int:
    """The number of the article that says why something is not legal. ``king``: whether a king tried it.

    >>> from damier.explain import explain
    >>> place(explain(Board("W:W28,31:B22,23"), 31, 27), king=False)
    5
    """
    code = reason.code
    if code == "game_over" and reason.facts["rule"] in DRAWS:
        return 7
    if code == "blocked" and reason.facts["own"]:
        code = "blocked own"
    return _PLACES.get((code, king)) or _PLACES[code, False]


@dataclass(frozen=True, slots=True)
class Trying:
    """A position to try a rule on. ``rules``: by which one plays there. ``moves``: what has been played before.

    ``task``: what to try, first what is wrong and then what is right.
    """

    rules: Rules
    fen: str
    task: str
    moves: tuple[str, ...] = ()

    @property
    def board(self) -> Board:
        """The board as the reader finds it."""
        board = Board(self.fen, rules=self.rules)
        for move in self.moves:
            board.push(move)
        return board


@dataclass(frozen=True, slots=True)
class Diagram:
    """A picture in the text. ``caption``: what it shows; the number is set before it."""

    number: int
    board: Board
    caption: str
    arrows: tuple[Arrow, ...] = ()
    marks: tuple[Mark, ...] = ()

    def svg(self, language: str, size: int | None = None) -> str:
        """The picture, with the squares' numbers large enough to be read in print."""
        return self.board.svg(
            numbers="large", arrows=self.arrows, marks=self.marks, size=size, last_move=False, language=language
        )


@dataclass(frozen=True, slots=True)
class RuleText:
    """One article of the page: what it says, where that is written, and what there is to try.

    ``counts``: the draws that end a game by themselves, between the first paragraph and the others. ``source``: the
    documents behind the text; ``compare``: where the federation treats the same, if it rules otherwise there.
    """

    number: int
    title: str
    paragraphs: tuple[str, ...]
    counts: tuple[str, ...]
    source: str
    compare: str | None
    diagram: Diagram | None
    tryings: tuple[Trying, ...]


# --- Texts -----------------------------------------------------------------------------------------------------------

TITLES: Final = (
    N_("The board and the set-up"),
    N_("Moving and crowning"),
    N_("Capturing"),
    N_("How a king captures"),
    N_("You must capture, and as many as you can"),
    N_("Touch-move"),
    N_("Draw"),
    N_("The end of the game"),
)


def articles(rules: Rules, language: str) -> tuple[RuleText, ...]:
    """The eight articles of a rule set in a language.

    >>> [each.title for each in articles(OFFICIAL, "en")][5:]
    ['Touch-move', 'Draw', 'The end of the game']
    >>> articles(OFFICIAL, "en")[4].source
    'Rules of the FMJD, annex 1, articles 4.2, 4.3, 4.13'
    """
    _ = translator(language).gettext
    paragraphs = _paragraphs(rules, language)
    diagrams = {1: _set_up(_), 2: _reach(_), 5: _most(_)}
    made: list[RuleText] = []
    for number, title in enumerate(TITLES, start=1):
        own, annex = _sources(number, rules)
        made.append(
            RuleText(
                number,
                _(title),
                paragraphs[number],
                draws(rules, language) if number == 7 else (),
                _named(own, language),
                _named(annex, language) if annex else None,
                diagrams.get(number),
                _tryings(number, rules, language),
            )
        )
    return tuple(made)


def _paragraphs(rules: Rules, language: str) -> Mapping[int, tuple[str, ...]]:
    _ = translator(language).gettext
    return {
        1: (
            _(
                "The game is played on the fifty dark squares of a board of ten by ten. The board lies so that its longest dark diagonal, the main road, begins at each player's left hand; in the corner at the right hand is a light square."
            ),
            _(
                "The dark squares are numbered from 1 to 50 (diagram 1). Black's twenty men stand on 1 to 20, White's twenty on 31 to 50."
            ),
            _("White moves first. Then the players move in turn, each time one piece of their own."),
        ),
        2: (
            _("A man moves one square diagonally forward, to an empty square."),
            _(
                "A king moves along a diagonal, forward or back, over as many empty squares as its player likes (diagram 2)."
            ),
            _(
                "A man whose move ends on the far row is crowned: the opponent puts a captured man on top of it, and from its next turn on it moves as a king."
            ),
            _(
                "A man that comes to the far row in the middle of a capture becomes a king there and then: it goes on capturing as a king, and remains one wherever the capture ends."
            )
            if rules.crowned_in_passing
            else _(
                "A man that only passes the far row in the middle of a capture is not crowned: it goes on capturing as a man, and remains one."
            ),
        ),
        3: (
            _(
                "A man captures an enemy piece that stands right in front of it or behind it on a diagonal, if the square beyond is empty: it jumps over the piece and lands there. Men capture forward and back."
            ),
            _("If it can jump again from there, it goes on in the same turn, until it can jump no further."),
            _(
                "Only when the whole capture is over are the captured pieces taken off, all together. Until then they stand in the way: no piece may be jumped twice. An empty square may be passed more than once. Own pieces are never jumped."
            ),
        ),
        4: (
            _(
                "A king captures from afar: it moves over empty squares up to an enemy piece, jumps it if the square right behind is empty, and lands on any empty square beyond, up to the next piece."
            ),
            _(
                "It too goes on as long as it can, and after each jump it may turn onto another diagonal. Two pieces that stand one right behind the other cannot be jumped, nor can its own, nor one piece twice."
            ),
        ),
        5: (
            _("Whoever can capture must capture."),
            _(
                "If there are several captures, one that takes the most pieces must be made (diagram 3). A king taken counts as one piece, like a man; and a king that can capture has no precedence over a man."
            ),
            *((_("What a man can take after it has become a king on the way counts too."),) * rules.crowned_in_passing),
            _("Between captures that take equally many the player chooses."),
        ),
        6: _touch(rules, language),
        7: _draw(rules, _),
        8: (
            _(
                "A player who is to move and cannot has lost: no piece is left, or none of those that are left can move."
            ),
            _(
                "A player may also resign. Whoever runs out of time loses too; but if the opponent has only a king left, it is a draw."
            ),
        ),
    }


def _touch(rules: Rules, language: str) -> tuple[str, ...]:
    _ = translator(language).gettext
    if rules.touch_move:
        return (
            _(
                "A player who touches a piece that can move must move it. Touching a piece that cannot move binds nobody."
            ),
            _(
                "Say “j'adoube” (I adjust) before you set pieces straight; in a game here there is a button for it. Then no touch counts until you say that you have done."
            ),
        )
    binding = ", ".join(rules_title(each.name, language) for each in RULE_SETS if each.touch_move)
    return (
        _(
            "At the board a player who touches a piece that can move must move it, unless “j'adoube” (I adjust) was said."
        ),
        _(
            "On the screen these rules let you put a piece down again and take another. Only in a game by the rules “{rules}” does a touch bind here too."
        ).format(rules=binding),
    )


_COUNTS: Final[Mapping[str, str]] = {
    "repetition": N_("The same position, with the same player to move, has stood {n} times."),
    "king_moves": N_("Each player has made {n} moves in a row with kings only, and nothing was captured."),
    "three_pieces": N_(
        "A lone king faces three pieces, at least one of them a king, and each player has made {n} moves."
    ),
    "two_pieces": N_(
        "A lone king faces two pieces or one, at least one of them a king, and each player has made {n} moves."
    ),
    "same_move": N_("A player has made the same move {n} times, and in between nothing but moved that piece back."),
}


def draws(rules: Rules, language: str) -> tuple[str, ...]:
    """The draws that end a game by themselves.

    >>> draws(LEAFLET, "en")[0]
    'The same position, with the same player to move, has stood 3 times.'
    """
    _ = translator(language).gettext
    return tuple(_(text).format(n=getattr(rules, name)) for name, text in _COUNTS.items() if getattr(rules, name))


def _draw(rules: Rules, _: Gettext) -> tuple[str, ...]:
    counted = any(getattr(rules, name) for name in _COUNTS)
    said = [
        _("The game is drawn when both players agree to it, and by itself in these cases:")
        if counted
        else _("The game is drawn only when both players agree to it.")
    ]
    if rules.three_pieces or rules.two_pieces:
        said.append(_("The moves against a lone king count from the capture or the crowning that led to those pieces."))
    if counted:
        said.append(_("If the last of these moves leaves the opponent without a move, it wins all the same."))
    if rules.move_limit:
        text = _("So that no game goes on for ever, the club ends one as a draw after {n} moves of each player.")
        said.append(text.format(n=rules.move_limit))
    return tuple(said)


# --- Sources ---------------------------------------------------------------------------------------------------------


def _sources(number: int, rules: Rules) -> tuple[list[Article], list[Article]]:
    """What an article of a rule set goes back to, and where the federation treats the same otherwise."""
    codes = ANSWERS[number]
    counted = [(code, king) for code, king in codes if number != 7 or getattr(rules, code)]
    annex = _each_once(article(OFFICIAL, code, king) for code, king in codes)
    if rules == OFFICIAL:
        return annex, []
    own = _each_once(article(rules, code, king) for code, king in counted)
    if number == 7 or (number == 2 and rules.crowned_in_passing):
        return own, annex
    # on the rest all documents agree
    return [*annex, *(each for each in own if each.number)], []


def _each_once(found: Iterable[Article | None]) -> list[Article]:
    given = {each for each in found if each is not None}
    return sorted(given, key=lambda each: [int(part) for part in each.number.split(".") if part])


def _named(sources: list[Article], language: str) -> str:
    """Sources by name: those of one document together."""
    _ = translator(language).gettext
    named: list[str] = []
    for document in dict.fromkeys(each.source for each in sources):
        numbers = [each.number for each in sources if each.source == document and each.number]
        if len(numbers) < 2:
            named.append(Article(document, *numbers).sentence(language))
        else:
            whole = Article(document).sentence(language)
            named.append(_("{source}, articles {numbers}").format(source=whole, numbers=", ".join(numbers)))
    return "; ".join(named)


# --- Diagrams --------------------------------------------------------------------------------------------------------


def _set_up(_: Gettext) -> Diagram:
    return Diagram(1, Board(), _("The set-up, and the numbers of the squares."))


def _reach(_: Gettext) -> Diagram:
    board = Board("W:W44,K28:B")
    reach = tuple((move.to_square, "dot") for move in board.legal_moves if move.from_square == 28)
    return Diagram(2, board, _("The king on 28 can go to every marked square. The man on 44 stops it."), marks=reach)


def _most(_: Gettext) -> Diagram:
    board = Board("W:W22,K41:B28,29,40")
    (move,) = board.legal_moves
    caption = _("The man could take two pieces (red), but the king can take three (green), and must (41x45).")
    return Diagram(3, board, caption, arrows=(move.paths[0], (22, 33, 24, "red")))


# --- Boards to try the rules on --------------------------------------------------------------------------------------

_LONE_KINGS: Final = "B:WK46:BK45"
_APART: Final = ("45-50", "46-41", "50-45", "41-37", "45-50", "37-32", "50-45", "32-37", "45-50")
"""Nine moves of lone kings, among which no position comes back twice."""
_TO_AND_FRO: Final = ("45-50", "46-41", "50-45", "41-46")
_THERE_AND_BACK: Final = ("46-41", "45-50", "41-46", "50-45", "46-41", "45-40", "41-46", "40-35")


def _tryings(number: int, rules: Rules, language: str) -> tuple[Trying, ...]:
    _ = translator(language).gettext
    match number:
        case 1:
            return (Trying(rules, Board().fen(), _("Touch a black man first. Then open the game with a white one.")),)
        case 2:
            return (
                Trying(
                    rules,
                    "W:W8,28,K46:B4",
                    _("Try to move the man on 28 back, or two squares on. Then crown the man on 8."),
                ),
                Trying(
                    rules,
                    "W:W12:B8,9,45",
                    _(
                        "Stepping back to 17 is not for the man on 12. But let it capture: on 3 it becomes a king, and may land on 14, 20 or 25."
                    )
                    if rules.crowned_in_passing
                    else _("Try to fly with the man on 12 by way of 3 to 20, as a king could. Then capture as a man."),
                ),
            )
        case 3:
            task = _("Try to jump 27 and 21 at once, from 32 to 16. Then capture the other two in one turn.")
            return (Trying(rules, "W:W32:B21,27,28,29", task),)
        case 4:
            task = _(
                "39 and 34 stand one right behind the other: try to jump them, from 48 to 30. Then find the capture that takes three."
            )
            return (Trying(rules, "W:WK48:B17,34,37,39", task),)
        case 5:
            task = _("Try to take only one piece, from 28 to 17. Then take the two that you must.")
            return (Trying(rules, "W:W28,41:B14,22,23", task),)
        case 6:
            task = _("Take up the man on 31, then try to move the one on 32 instead.")
            return (Trying(LEAFLET, Board().fen(), task),)
        case 7:
            return (_to_a_draw(rules, _),)
        case _:
            task = _("Shut in Black's last man, so that it cannot move. Then try to go on.")
            return (Trying(rules, "W:W33,50:B45", task),)


def _to_a_draw(rules: Rules, _: Gettext) -> Trying:
    """A board on which the next move can end the game as a draw; of rules without such a draw, as the others have it."""
    if rules.two_pieces:
        task = _("A lone king against another: of {n} moves each, White's last is missing. Make it, then try to go on.")
        return Trying(rules, _LONE_KINGS, task.format(n=rules.two_pieces), _APART[: 2 * rules.two_pieces - 1])
    if rules.same_move:
        task = _("White's king has gone from 46 to 41 and back, twice. Go to 41 once more, then try to go on.")
        return Trying(rules, "W:WK46:BK45", task, _THERE_AND_BACK[: 4 * (rules.same_move - 1)])
    if rules.king_moves:
        moves = (_TO_AND_FRO * rules.king_moves)[: 2 * rules.king_moves - 1]
        task = _("Only kings have moved: of {n} moves each, White's last is missing. Make it, then try to go on.")
        return Trying(rules, _LONE_KINGS, task.format(n=rules.king_moves), moves)
    return _to_a_draw(OFFICIAL, _)
