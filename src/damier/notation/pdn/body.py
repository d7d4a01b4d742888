"""The body of a game in PDN: moves, comments, variations, setups, and the result that ends it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from damier.board import Board
from damier.errors import AmbiguousMove, BadFen, BadPdn, IllegalMove
from damier.i18n import N_
from damier.notation.moves import long_text
from damier.notation.pdn.commands import STRENGTHS, without_commands
from damier.notation.pdn.resolve import playable_readings
from damier.notation.pdn.tokens import LONGEST_TOKEN, Window, blank_end, following_moves
from damier.notation.pdn.tree import TreeBuilder
from damier.notation.pdn.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from damier import Move
    from damier.errors import DamierError
    from damier.rules import Rules

__all__ = ["Body"]

_MESSAGES = {
    "ambiguous": N_("“{token}” fits {count} moves; as the game goes on, {playable} of them can be meant ({ways})."),
    "bad_tag": N_('“{token}” is no tag; a tag is written as [Name "value"].'),
    "closes_nothing": N_("“)” ends no variation."),
    "lettered": N_("“{token}” names squares with letters; on this board they are numbered 1 to 50."),
    "more_faults": N_("More than {limit} things are wrong in this game; the rest of it is not read."),
    "nested_comment": N_("A comment stands within a comment: the first brace ends both, and one is left over."),
    "replaces_nothing": N_("A variation replaces the move before it, and here is none."),
    "too_deep": N_("Variations stand within variations, more than {limit} deep."),
    "unclosed_comment": N_("A comment is never closed."),
    "unclosed_variation": N_("A variation is never closed."),
    "unknown_move": N_("“{token}” leaves the move open; what follows cannot be checked."),
    "unreadable": N_("“{token}” is neither a move nor anything else that PDN knows."),
}

_DEEPEST = 10_000
_LONGEST_RUN = 1 << 10
_SHORTEST_RUN = 1 << 6
"""Where the last run of plain moves began with something else, the next is looked at no farther at first."""
_MOST_FAULTS = 100
"""Of one game; a file that is none of draughts games would give one for every sign in it."""


class _Line(NamedTuple):
    """Where a line goes on after its variation: on this board, at this ply, with the move that was replaced."""

    board: Board
    ply: int
    before: int
    replaced: Move


class _OpenMove(NamedTuple):
    """A move that the text leaves open, as it does so, and the line and the column of that."""

    text: str
    place: tuple[int, int]


class Body:
    """Tells a visitor one game's body, from the window's place on: ``read``, or, unread, ``skip``."""

    def __init__(self, window: Window, visitor: Visitor, game: int, rules: Rules, strict: bool) -> None:
        self.result_tag = ""
        self._window = window
        self._visitor = visitor
        # A visitor who does not ask for the moves need not be told them one by one.
        self._tell = None if getattr(visitor.move, "__func__", None) is Visitor.move else visitor.move
        self._tree = visitor if isinstance(visitor, TreeBuilder) else None
        self._game = game
        self.rules = rules
        self._strict = strict
        self._board: Board | None = None
        self._before = 0  # the plies before the board's own: those before a setup
        self._lines: list[_Line] = []
        self._is_broken = False  # the rest of the line cannot be played
        self._is_skipped = False
        self._hidden = 0  # how many variations are open in what is not told
        self._is_nested = False  # a comment holds an opening brace
        self._open_move: _OpenMove | None = None  # the first of those in this line, on which no other move followed
        self._faults = 0
        self._longest_run = _LONGEST_RUN

    def read(self, board: Board | None, comments: Iterable[str] = ()) -> None:
        """Tells the moves from ``board`` on, None if that is not known, with ``comments`` before them."""
        token = self._window.token()
        if token is not None and token.lastgroup == "setup" and (first := self._set_up(token)) is not None:
            board = first
        self._board = board
        self._is_broken = board is None or self._is_skipped
        if board is not None:
            self._visitor.begin_moves(board)
            for comment in comments:
                self._tell_comment(comment)
        going_on = True
        while going_on:
            if self._is_broken or self._hidden:
                self._window.pass_over_signs(is_outside=not (self._hidden or self._lines))
            elif self._board is not None and self._open_move is None:
                self._plain_moves(self._board)
            going_on = self._token()
        self._end_variations()

    def skip(self) -> None:
        """Passes over the body; only its result is told, and a comment that has no end."""
        self._is_skipped = self._is_broken = True
        while self._token():
            pass

    def fault(
        self,
        code: str,
        token: str,
        *,
        place: tuple[int, int] | None = None,
        cause: DamierError | None = None,
        choices: tuple[str, ...] = (),
        **facts: object,
    ) -> None:
        """Tells what is wrong at the window's place, or at ``place``; a strict reader raises it.

        With more of them than a game can reasonably have, that is told, and the rest of the moves is passed over.
        """
        if self._faults > _MOST_FAULTS:
            return
        self._faults += 1
        if self._faults > _MOST_FAULTS:
            self._is_skipped = self._is_broken = True
            code, token, cause, choices, facts = "more_faults", "", None, (), {"limit": _MOST_FAULTS}
        line, column = place or self._window.place(self._window.pos)
        error = BadPdn(
            _MESSAGES.get(code, "{what}"),
            code=code,
            game=self._game,
            ply=None if self._board is None else self._ply + 1,
            token=token[:LONGEST_TOKEN],
            line=line,
            column=column,
            choices=choices,
            cause=cause,
            **facts,
        )
        if self._strict:
            raise error
        self._visitor.error(error)

    @property
    def _ply(self) -> int:
        return self._before + (0 if self._board is None else self._board.ply)

    def _plain_moves(self, board: Board) -> None:
        """Tells the moves that are written plainly: nearly all of a file, and so the kernel reads them."""
        text, is_whole = self._window.run(self._longest_run)
        if not text:
            return
        before = board.ply
        read = board._play(text, is_whole, self._tell if self._tree is None else None)
        self._window.pos += read
        self._longest_run = _LONGEST_RUN if read else _SHORTEST_RUN
        if self._tree is not None and board.ply > before:
            self._tree.run(board, board.ply - before)

    def _token(self) -> bool:
        """Reads one token of any kind; False where the game ends."""
        window = self._window
        token = window.token()
        if token is None:
            return False
        kind = token.lastgroup
        is_told = not self._is_broken and not self._hidden
        if kind in ("comment", "remark"):
            return self._comment(token, is_told)
        if kind == "escape":
            window.pos = window.line_end()
        elif kind == "result":
            return self._result(token, is_told)
        elif kind == "tag":
            return self._bracket(token, is_told)
        elif kind == "open":
            self._open(is_told)
            window.pos = token.end()
            if self._hidden:
                end = window.more_open(window.pos)
                self._hidden += end - window.pos
                window.pos = end
        elif kind == "close":
            self._close(is_told)
            window.pos = token.end()
        elif kind == "setup" and not self._hidden and not self._is_skipped:
            self._change_position(token)
        elif kind == "move" and is_told and self._board is not None:
            return self._move(self._board, token)
        else:
            if is_told:
                self._other(kind, token.group())
            window.pos = token.end()
        return True

    # --- Moves --------------------------------------------------------------------------------------------------------

    def _move(self, board: Board, token: re.Match[str]) -> bool:
        text = "".join(token.group().split())
        move = None
        if self._open_move is not None:
            if self._ends_as_tagged(text, token.end()):
                return self._end(text, token.end())
            self._tell_open_move(self._open_move)
        else:
            try:
                move = board.parse(text)
            except AmbiguousMove as error:
                move = self._among(board, error, text, token.end())
            except IllegalMove as error:
                if self._ends_as_tagged(text, token.end()):
                    return self._end(text, token.end())
                self.fault("illegal_move", text, cause=error)
        self._window.pos = token.end()
        if move is None:
            self._is_broken = True
        else:
            self._visitor.move(board, move, text)
            board.push(move)
        return True

    def _among(self, board: Board, error: AmbiguousMove, text: str, end: int) -> Move | None:
        """The one of several captures after which the rest of the line can be played; None, and told, if not one."""
        begin, self._window.pos = self._window.pos, end
        rest = following_moves(self._window)
        playable = playable_readings(board, error.choices, rest)
        self._window.pos = begin
        if len(playable) == 1:
            return playable[0]
        choices = tuple(map(long_text, error.choices))
        self.fault(
            "ambiguous", text, choices=choices, count=len(choices), playable=len(playable), ways=", ".join(choices)
        )
        return None

    def _ends_as_tagged(self, text: str, end: int) -> bool:
        """Whether a score such as 4-6, which looks like a move, ends the game and is the Result tag's."""
        if text != self.result_tag or self._lines:
            return False
        window = self._window
        while (begin := blank_end(window.text, end)) == len(window.text) and window.extend():
            pass
        return begin == len(window.text) or window.text[begin] == "["

    def _result(self, token: re.Match[str], is_told: bool) -> bool:
        text = "".join(token.group().split())
        # None of these is ever a legal move: square 1 has one long diagonal only, so that no king comes back to it.
        if (self._hidden or self._lines) and not self._window.game_follows(token.end()):
            self._window.pos = token.end()
            if is_told:
                self._visitor.comment(text)
            return True
        return self._end(text, token.end())

    def _end(self, result: str, end: int) -> bool:
        self._end_variations()
        self._visitor.result(result)
        self._window.pos = end
        return False

    # --- Positions and variations -------------------------------------------------------------------------------------

    def _set_up(self, token: re.Match[str]) -> Board | None:
        """The position of a setup in the body, read; None, and told, if it is none."""
        fen = token.group().split('"')[1]
        try:
            board = Board(fen, self.rules)
        except BadFen as error:
            self.fault("bad_fen", fen, cause=error)
            board = None
        self._window.pos = token.end()
        return board

    def _change_position(self, token: re.Match[str]) -> None:
        board = self._set_up(token)
        if board is not None:
            if self._board is None:
                self._visitor.begin_moves(board)
            else:
                self._before = self._ply
                self._visitor.setup(board)
            self._board = board
        self._is_broken = board is None or self._is_skipped
        self._open_move = None

    def _open(self, is_told: bool) -> None:
        if not is_told or self._board is None:
            self._hidden += 1
            return
        if self._open_move is not None:
            self._tell_open_move(self._open_move)
            self._hidden += 1
            return
        board = self._board
        line = self._lines[-1] if self._lines else None
        is_first = board.ply == 0 or (line is not None and board is line.board and board.ply == line.ply - 1)
        if is_first or len(self._lines) == _DEEPEST:
            self.fault("replaces_nothing" if is_first else "too_deep", "(", limit=_DEEPEST)
            self._hidden += 1
            return
        ply = board.ply
        self._lines.append(_Line(board, ply, self._before, board.pop()))
        self._visitor.begin_variation()

    def _close(self, is_told: bool) -> None:
        if self._hidden:
            self._hidden -= 1
        elif self._lines:
            self._end_variation()
        elif is_told:
            self.fault("closes_nothing", ")")

    def _end_variations(self) -> None:
        """Ends those that nobody has closed."""
        if self._lines:
            self.fault("unclosed_variation", "(")
        while self._lines:
            self._end_variation()

    def _end_variation(self) -> None:
        line = self._lines.pop()
        self._board, self._before = line.board, line.before
        while line.board.ply >= line.ply:
            line.board.pop()
        line.board.push(line.replaced)
        self._is_broken = self._is_skipped
        self._open_move = None
        self._visitor.end_variation()

    # --- What is not a move -------------------------------------------------------------------------------------------

    def _comment(self, token: re.Match[str], is_told: bool) -> bool:
        text = self._window.comment(token)
        if text is None:
            self.fault("unclosed_comment", "{")
            self._window.to_tags()
            return False
        self._is_nested = self._is_nested or "{" in text
        if is_told:
            self._tell_comment(text)
        return True

    def _tell_comment(self, text: str) -> None:
        if text in STRENGTHS:
            self._tell_nag(STRENGTHS.index(text) + 1)
            return
        if self._open_move is not None:
            text = without_commands(text)
        if text:
            self._visitor.comment(text)

    def _tell_nag(self, number: int) -> None:
        if self._open_move is None:
            self._visitor.nag(number)

    def _leave_open(self, text: str) -> None:
        """A move that was not known to the writer: the line ends here, unless it goes on without a position."""
        if self._open_move is None:
            self._visitor.comment(text)
            self._open_move = _OpenMove(text, self._window.place(self._window.pos))

    def _tell_open_move(self, move: _OpenMove) -> None:
        self.fault("unknown_move", move.text, place=move.place)
        self._is_broken = True

    def _bracket(self, token: re.Match[str], is_told: bool) -> bool:
        """A tag begins the next game; any other bracket in the moves is an error."""
        begin = self._window.pos
        if self._window.tag() is not None:
            self._window.pos = begin
            return False
        if is_told:
            self._other("other", self._window.shown(begin, self._window.line_end()))
        self._window.pos = token.end()
        return True

    def _other(self, kind: str | None, text: str) -> None:
        if kind == "nag":
            self._tell_nag(int(text[1:]))
        elif kind == "strength":
            self._tell_comment(text.strip("()"))
        elif kind == "command":
            self._tell_comment(text)
        elif kind == "unknown":
            self._leave_open(text)
        elif kind in ("number", "dots", "wrapper") or text == str(self._ply // 2 + 1):  # the dot after it is missing
            return
        else:
            code = "lettered" if kind == "lettered" else "unreadable"
            if text == "}" and self._is_nested:
                code = "nested_comment"
            self.fault(code, text)
            self._is_broken = True
