"""Writes PDN by the writing rules of PDN 3.0, which are narrower than what is read.

The tags of the roster come first; a capture is short (``47x36``) unless that fits two moves, and then goes over all
its turns; nothing stands within a move or before its strength; numbers have no leading zeros. The result stands in its
tag alone, in the form of the kind of game: ``2-0``, ``1-1`` and ``0-2`` in international draughts, where ``1-0`` is
written as ``2-0``. It is not said again after the moves: the ``*`` there parts the games, whatever the result. One tag
is ours: ``[Rules "club"]`` names the rule set where that is not the official one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

from damier import Color
from damier.errors import DamierError
from damier.i18n import N_
from damier.notation.pdn import tags as pdn_tags
from damier.notation.pdn.bounds import LONGEST_COMMENT, LONGEST_TAG
from damier.notation.pdn.commands import STRENGTHS, one_line
from damier.notation.pdn.tree import said_start
from damier.notation.pdn.visitor import Visitor
from damier.rules import OFFICIAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from damier import Board, Move
    from damier.notation.pdn.tree import PdnGame

__all__ = ["PdnWriter", "UnwritablePdn", "dumps", "write"]

_TAG_NAME = re.compile(r"[A-Z][A-Za-z0-9_]*")
_COMMENT_PARTS = re.compile(r"\{?\[%[^\[\]]*\][^ ]*|[^ ]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_MAX_NAG = 10**9 - 1
_SCORE = re.compile(r"[0-9]{1,3}-[0-9]{1,3}")
_ESCAPED = re.compile(r'"|\\(?=["\\]|\Z)')

_BAD_TAG_NAME = N_("“{token}” cannot name a tag; use letters, digits and _, with a capital in front.")
_BAD_TAG_VALUE = N_("The tag {name} cannot be written: it holds a line end, another control sign or half a character.")
_BAD_COMMENT = N_("The comment “{token}” cannot be written: a closing brace or half a character stands in it.")
_SIGN_ALONE = N_(
    "The comment “{token}” would be read as the strength of the move; say more, or make it a glyph (nags)."
)
_TOO_LONG = N_("“{token}” is too long to be read again: it may have up to {most} characters.")
_BAD_VARIATION = N_("An alternative to a position that is set up cannot be written: a variation replaces a move.")
_BAD_RESULT = N_("The result “{token}” cannot be written; write 2-0, 1-1, 0-2, 0-0 or *.")
_BAD_NAG = N_("{token} is no annotation number; these are whole numbers from 0.")


class UnwritablePdn(DamierError, ValueError):
    """A text or number in a game that PDN has no form for; write it differently or leave it out.

    ``code``: ``tag_name``, ``tag_value``, ``result``, ``comment``, ``too_long``, ``nag`` or ``variation``. ``token``: what
    cannot be written.

    >>> from damier.notation.pdn import PdnGame
    >>> game = PdnGame()
    >>> game.root.comments.append("}")
    >>> try:
    ...     write(game)
    ... except UnwritablePdn as error:
    ...     print(error.code)
    comment
    """

    def __init__(self, message: str, *, code: str, token: str = "", **facts: object) -> None:
        shown = token if len(token) <= 40 else token[:40] + "…"
        super().__init__(message, token=shown, **facts)
        self.code = code
        self.token = token


def write(game: PdnGame, *, columns: int | None = 80) -> str:
    """The game as PDN, ready to be followed by another.

    The ``*`` at the end parts the games: by the rules of PDN 3.0 the result stands in its tag, here as draughts counts.
    ``columns``: where lines are broken; None for all moves on one line. Raises :class:`UnwritablePdn`, a ValueError,
    for a result that is none, among others.

    >>> from damier.notation.pdn import PdnGame
    >>> game = PdnGame({"White": 'J. "Ton" S.', "Black": "B", "Result": "1-0"})
    >>> first = game.root.add_main("32-28")
    >>> first.nags.append(1)
    >>> reply = first.add_main("19-23")
    >>> _ = first.add_variation("17-22"), reply.add_main("28x19")
    >>> print(write(game), end="")
    [White "J. \\"Ton\\" S."]
    [Black "B"]
    [Result "2-0"]
    <BLANKLINE>
    1. 32-28! 19-23 (1... 17-22) 2. 28x19 *
    """
    writer = PdnWriter(columns=columns)
    game.accept(writer)
    return writer.text


def dumps(games: Iterable[PdnGame], *, columns: int | None = 80) -> str:
    """The games as one PDN text, each as :func:`write` writes it. Raises :class:`UnwritablePdn`."""
    return "\n".join(write(game, columns=columns) for game in games)


class PdnWriter(Visitor):
    """Writes each game that it is told: into ``file`` or, without one, as :attr:`text`, the game told last.

    Give it to :func:`damier.notation.pdn.scan` to write a file anew without keeping more than one game. A game of
    another variant is written without its moves. Raises :class:`UnwritablePdn` from what it is told.

    >>> import io
    >>> from damier.notation.pdn import scan
    >>> writer = PdnWriter()
    >>> scan(io.StringIO('[Event "e"] 01. 32-28 { a  b } 19 - 23? 1-0'), writer)
    1
    >>> print(writer.text, end="")
    [Event "e"]
    [Result "2-0"]
    <BLANKLINE>
    1. 32-28 {a b} 1... 19-23? *
    """

    __slots__ = {
        "text": "The game told last.",
        **dict.fromkeys(("_before", "_begins", "_columns", "_file", "_follows", "_half", "_lines", "_number")),
        **dict.fromkeys(("_replaces", "_result", "_rules", "_start", "_tags", "_words")),
    }

    text: str

    def __init__(self, file: TextIO | None = None, *, columns: int | None = 80) -> None:
        if columns is not None and columns < 1:
            raise ValueError(f"a line has at least one column, not {columns}")
        self._file = file
        self._columns = columns
        self._follows = False
        self.text = ""
        self._begin()

    def _begin(self) -> None:
        self._tags: dict[str, str] = {}
        self._words: list[str] = []
        self._result = ""
        self._start: str | None = None
        self._rules = OFFICIAL
        self._begins = True  # no move was told, and no setup
        self._half = self._before = 0  # half moves, White's even: after and before the last move
        self._replaces = False  # a variation here would replace a move
        self._lines: list[tuple[int, int]] = []
        self._number = True  # the next move shall have its number even if it is Black's

    def begin_game(self, number: int) -> bool | None:
        self._begin()
        return None

    def tag(self, name: str, value: str) -> None:
        name = pdn_tags.spelled(name)
        if not _TAG_NAME.fullmatch(name):
            raise UnwritablePdn(_BAD_TAG_NAME, code="tag_name", token=name)
        if _UNPRINTABLE.search(value):
            raise UnwritablePdn(_BAD_TAG_VALUE, code="tag_value", token=value, name=name)
        if len(_tag(name, value)) > LONGEST_TAG:
            raise UnwritablePdn(_TOO_LONG, code="too_long", token=value, most=LONGEST_TAG)
        self._tags.setdefault(name, value)

    def begin_moves(self, board: Board) -> None:
        self._start = board.fen()
        self._rules = board.rules
        self._half = self._before = _half(board, 0)

    def move(self, board: Board, move: Move, text: str) -> None:
        half = _half(board, self._half)
        if half % 2 == 0:
            self._words.append(f"{half // 2 + 1}.")
        elif self._number:
            self._words.append(f"{half // 2 + 1}...")
        self._words.append(board.notation(move))
        self._before = half
        self._half = half + 1
        self._number = self._begins = False
        self._replaces = True

    def setup(self, board: Board) -> None:
        if self._begins and self._start is not None:
            # The first setup in a body is the start of the game.
            self._words.insert(0, _setup(self._start))
            self._start = None
        self._half = _half(board, self._half)
        self._words.append(_setup(board.fen()))
        self._number = True
        self._begins = self._replaces = False

    def comment(self, text: str) -> None:
        text = one_line(text)
        if not text:
            return
        if "}" in text or _SURROGATE.search(text):
            raise UnwritablePdn(_BAD_COMMENT, code="comment", token=text)
        if text in STRENGTHS:
            raise UnwritablePdn(_SIGN_ALONE, code="comment", token=text)
        if len(text) >= LONGEST_COMMENT:
            raise UnwritablePdn(_TOO_LONG, code="too_long", token=text, most=LONGEST_COMMENT)
        self._words.extend(_COMMENT_PARTS.findall("{" + text + "}"))
        self._number = True

    def nag(self, number: int) -> None:
        if not 0 <= number <= _MAX_NAG:
            raise UnwritablePdn(_BAD_NAG, code="nag", token=str(number))
        if 1 <= number <= 6 and self._words and re.fullmatch(r"[0-9x-]+", self._words[-1]):
            self._words[-1] += STRENGTHS[number - 1]
        else:
            self._words.append(f"${number}")

    def begin_variation(self) -> None:
        if not self._replaces:
            raise UnwritablePdn(_BAD_VARIATION, code="variation")
        self._lines.append((self._half, self._before))
        self._half = self._before
        self._replaces = False
        self._words.append("(")
        self._number = True

    def end_variation(self) -> None:
        self._half, self._before = self._lines.pop()
        self._replaces = True
        if self._words[-1] == "(":
            self._words.pop()  # PDN has no variation without anything in it
            return
        self._words.append(")")
        self._number = True

    def result(self, text: str) -> None:
        self._result = text

    def end_game(self) -> None:
        tags = self._with_result()
        pdn_tags.tell_rules(tags, self._rules)
        if self._start is not None and tags.get("FEN", "").lstrip().startswith("?"):
            tags["FEN"] = self._start  # the tag leaves the side to move to the first move, which a setup would hide
        lines = [f"{_tag(name, value)}\n" for name, value in pdn_tags.in_order(tags)]
        if lines:
            lines.append("\n")
        # Without tags, a body has to hold something for the game to be one.
        if self._start is not None and (self._start != said_start(tags) or not (lines or self._words)):
            self._words.insert(0, _setup(self._start))
        self._words.append("*")
        lines.append(_joined(self._words, self._columns) + "\n")
        self.text = "".join(lines)
        if self._file is not None:
            self._file.write("\n" + self.text if self._follows else self.text)
            self._follows = True

    def _with_result(self) -> dict[str, str]:
        tags = dict(self._tags)
        kind = pdn_tags.game_type(tags.get("GameType", ""))
        points = pdn_tags.points(self._result) or pdn_tags.points(tags.get("Result", ""))
        if points is not None:
            tags["Result"] = pdn_tags.result_text(points, kind)
            return tags
        for text in (self._result.strip(), tags.get("Result", "").strip()):
            # A match has a score of its own; a question mark is what PDN has for the unknown.
            if text not in ("", "*", "?") and not _SCORE.fullmatch(text):
                raise UnwritablePdn(_BAD_RESULT, code="result", token=text)
        if not tags.get("Result", "*").strip():
            tags["Result"] = "*"
        return tags


def _half(board: Board, half: int) -> int:
    """The count of half moves, passing over one where the other side is to move."""
    return half + (half % 2 != (board.turn is Color.BLACK))


def _setup(fen: str) -> str:
    return f'/FEN "{fen}"/'


def _tag(name: str, value: str) -> str:
    # A backslash means itself in PDN, unless a sign follows that it might be escaping.
    escaped = _ESCAPED.sub(r"\\\g<0>", value)
    return f'[{name} "{escaped}"]'


def _joined(words: list[str], columns: int | None) -> str:
    """The words with a blank or, beyond the last column, a line end between them."""
    parts: list[str] = []
    width = 0
    for word in _with_brackets(words):
        # At the beginning of a line these would be taken for a line comment or a tag, by other programs at least.
        if not parts:
            separator = ""
        elif columns is not None and width + 1 + len(word) > columns and word[0] not in "%;[":
            separator = "\n"
            width = 0
        else:
            separator = " "
            width += 1
        parts += (separator, word)
        width += len(word)
    return "".join(parts)


def _with_brackets(words: list[str]) -> list[str]:
    """The words with the brackets of variations before and behind them, not alone; those in comments stay."""
    joined: list[str] = []
    opened = ""
    is_comment = False
    for word in words:
        is_comment = is_comment or word.startswith("{")
        if word == "(" and not is_comment:
            opened += word
        elif word == ")" and not is_comment:
            joined[-1] += word
        else:
            joined.append(opened + word)
            opened = ""
        is_comment = is_comment and not word.endswith("}")
    return joined
