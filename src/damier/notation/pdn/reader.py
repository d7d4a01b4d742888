"""The games of a PDN source one after the other: what lies between them, and their tags."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

from damier.board import Board
from damier.errors import BadFen, BadPdn
from damier.notation.pdn.body import Body
from damier.notation.pdn.tags import rule_set
from damier.notation.pdn.tokens import Source, Window, following_moves
from damier.notation.pdn.tree import TreeBuilder
from damier.notation.pdn.variant import other_variant
from damier.values import expect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from damier.notation.pdn.tree import PdnGame
    from damier.notation.pdn.visitor import Visitor
    from damier.rules import Rules

__all__ = ["Reader", "loads", "read", "scan"]

_PLACED_TAGS = frozenset({"fen", "gametype", "variant", "result", "rules"})
_SIDE_UNKNOWN = re.compile(r"\s*\?(?=\s*:)")
_SQUARE = re.compile(r"[0-9]{1,2}")


class Reader:
    """A PDN source and the place in it: ``game`` tells a visitor the next game."""

    def __init__(self, source: Source, *, strict: bool = False, rules: Rules | str = "official") -> None:
        self._start = Board(rules=rules)
        self._window = Window(source)
        self._strict = strict
        self._number = 0
        self._before: list[str] = []  # comments that stand before a game's moves
        self._names_file = False  # the game has the tag that some programs write after the moves

    @property
    def games(self) -> int:
        """How many games have been told."""
        return self._number

    def close(self) -> None:
        """Closes the file, if it was opened by its path."""
        self._window.close()

    def game(self, visitor: Visitor) -> bool:
        """Tells the visitor the next game; False if there is none.

        A strict reader raises BadPdn at the first thing that is wrong; what was told until then stays told.
        """
        if not self._at_game():
            return False
        self._number += 1
        self._window.begin_game()
        is_wanted = visitor.begin_game(self._number) is not False
        body = Body(self._window, visitor, self._number, self._start.rules, self._strict)
        tags = self._tags(visitor, body)
        body.result_tag = tags.pop("result", "").strip()
        if is_wanted:
            self._begin(visitor, tags, body)
        else:
            body.skip()
        self._after(visitor)
        visitor.end_game()
        return True

    def _begin(self, visitor: Visitor, tags: dict[str, str], body: Body) -> None:
        if not tags and self._window.at_first_move():  # the most common game of all
            body.read(self._start.copy(), self._before)
            return
        body.rules = rules = rule_set(tags.get("rules", "")) or self._start.rules
        start, fault = None, None
        if fen := tags.get("fen", "").strip():
            try:
                start = Board(self._with_side(fen), rules)
            except BadFen as error:
                fault = error
        if variant := other_variant(tags, start or fault, following_moves(self._window)):
            line, column = self._window.place(self._window.pos)
            visitor.skipped(
                BadPdn(
                    variant.message,
                    code=variant.code,
                    game=self._number,
                    token=variant.token,
                    line=line,
                    column=column,
                )
            )
            body.skip()
            return
        if fault is not None:
            body.fault("bad_fen", fen, cause=fault)
        body.read(None if fault else start or Board(rules=rules), self._before)

    def _with_side(self, fen: str) -> str:
        """The FEN with the side to move in place of ``?``: that of the piece that moves first."""
        unknown = _SIDE_UNKNOWN.match(fen)
        first = next(following_moves(self._window), None) if unknown else None
        square = _SQUARE.match(first) if first else None
        if unknown is None or square is None or not 1 <= int(square.group()) <= 50:
            return fen
        board = Board("W" + fen[unknown.end() :])
        piece = board[int(square.group())]
        return fen if piece is None else piece.color.letter + fen[unknown.end() :]

    # --- Between the moves of one game and those of the next ---------------------------------------------------------

    def _at_game(self) -> bool:
        """Goes to where the next game begins; False if none does."""
        window = self._window
        while (token := window.token()) is not None:
            kind = token.lastgroup
            if kind == "escape":
                window.pos = window.line_end()
            elif kind == "wrapper" or (kind == "result" and token.group() == "*" and self._number):
                window.pos = token.end()
            elif kind not in ("comment", "remark"):
                return True
            elif (comment := window.comment(token)) is not None:
                self._before.append(comment)
            else:
                return True
        return False

    def _tags(self, visitor: Visitor, body: Body) -> dict[str, str]:
        """Tells the tags, and returns those that decide what is played, by their names in lower case."""
        window = self._window
        placed: dict[str, str] = {}
        seen: set[str] = set()
        for name, value in window.plain_tags():
            visitor.tag(name, value)
            known = name.lower()
            seen.add(known)
            if known in _PLACED_TAGS:
                placed.setdefault(known, value)
        while (tag := self._next_tag(body)) is not None:
            begin, name, value = tag
            known = name.lower()
            if known in seen and window.follows_blank_line(begin):
                window.pos = begin  # a game that is nothing but tags is over, and this is the next one's
                break
            seen.add(known)
            visitor.tag(name, value)
            if known in _PLACED_TAGS:
                placed.setdefault(known, value)
        self._names_file = "filename" in seen
        return placed

    def _next_tag(self, body: Body) -> tuple[int, str, str] | None:
        """The place, name and value of the next tag, read; None if the moves begin, or the file ends."""
        window = self._window
        while True:
            token = window.token()
            if token is None:
                return None
            kind = token.lastgroup
            if kind == "tag":
                begin = window.pos
                if (tag := window.tag()) is not None:
                    return begin, *tag
                end = window.line_end()
                body.fault("bad_tag", window.shown(begin, end))
                window.pos = end
            elif kind == "escape":
                window.pos = window.line_end()
            elif kind == "wrapper":
                window.pos = token.end()
            elif kind not in ("comment", "remark"):
                return None
            elif (comment := window.comment(token)) is not None:
                self._before.append(comment)
            else:
                body.fault("unclosed_comment", "{")
                window.to_tags()

    def _after(self, visitor: Visitor) -> None:
        """Tells what stands after the result and yet belongs to the game.

        That are comments, if they begin on its line or if nothing else follows, and the tag that some programs add.
        """
        window = self._window
        self._before.clear()
        is_on_line = True
        while (token := window.token()) is not None:
            if not self._names_file and window.text.startswith("[FILENAME", window.pos):
                tag = window.tag()
                if tag is None:
                    return
                self._names_file = True
                visitor.tag(*tag)
                continue
            if token.lastgroup not in ("comment", "remark"):
                return
            is_on_line = is_on_line and not window.begins_line()
            comment = window.comment(token)
            if comment is None:
                return
            if is_on_line:
                visitor.comment(comment)
            else:
                self._before.append(comment)
        for comment in self._before:
            visitor.comment(comment)
        self._before.clear()


def scan(source: Source, visitor: Visitor, *, strict: bool = False, rules: Rules | str = "official") -> int:
    """Reads all games of ``source``, a path or an open file, and tells them to ``visitor``; returns how many there are.

    No tree is built: this is the fast way through large files. Every move is checked, under ``rules`` or, in a game
    with a tag such as ``[Rules "club"]``, under those. Raises :class:`~damier.BadPdn` only if ``strict``, and OSError
    from a file.

    >>> import io
    >>> from damier.notation.pdn import Visitor
    >>> class Errors(Visitor):
    ...     def error(self, error):
    ...         print(error)
    >>> scan(io.StringIO("1. 32-28 19-23 2. 28x18 *"), Errors())
    game 1, ply 3, line 1: 28x18: ...
    1
    """
    reader = Reader(source, strict=strict, rules=rules)
    try:
        while reader.game(visitor):
            pass
    finally:
        reader.close()
    return reader.games


def read(source: Source, *, strict: bool = False, rules: Rules | str = "official") -> Iterator[PdnGame]:
    """The games of ``source``, a path or an open file, one after the other, each as far as it is legal.

    ``rules`` are those of games without a tag such as ``[Rules "club"]``. What is wrong stands in a game's ``errors``;
    if ``strict``, it raises :class:`~damier.BadPdn`. Games of other variants come with their tags and the note
    ``skipped``. Only one game at a time is in memory.

    >>> import io
    >>> for game in read(io.StringIO('[White "Anna"] 1. 32-28 19-23 2-0 [White "Bram"] 1. 33-28 32-28')):
    ...     print(game.tags["White"], game.end().ply, [error.code for error in game.errors])
    Anna 2 []
    Bram 1 ['illegal_move']
    """
    reader = Reader(source, strict=strict, rules=rules)
    builder = TreeBuilder(rules=rules)
    try:
        while reader.game(builder):
            yield builder.game
    finally:
        reader.close()


def loads(text: str, *, strict: bool = False, rules: Rules | str = "official") -> list[PdnGame]:
    """The games of a text. Raises TypeError for what is no text.

    >>> [game] = loads("1. 32-28 { the commonest } 18-23 2-0")
    >>> game.result
    '2-0'
    """
    expect(text, str, "games are read from a text; for a file there is read()")
    return list(read(StringIO(text), strict=strict, rules=rules))
