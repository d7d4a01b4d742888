"""What the reader of a PDN file reports, in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damier import BadPdn, Board, Move

__all__ = ["Visitor"]


class Visitor:
    """Is told what a PDN file holds, piece by piece; override what you want to know.

    A game is told as ``begin_game``, its tags, ``begin_moves`` (or ``skipped``), its body, ``end_game``. In the body
    a comment, a NAG or a variation belongs to what precedes it: a variation is another choice than the move told last.
    ``begin_variation`` and ``end_variation`` always come in pairs. What a method returns is ignored, except for
    ``begin_game``.

    >>> import io
    >>> from damier.notation.pdn import scan
    >>> class Openings(Visitor):
    ...     def move(self, board, move, text):
    ...         if board.ply == 0:
    ...             print(text)
    >>> scan(io.StringIO("1. 32-28 19-23 1-1  1. 33-29 2-0"), Openings())
    32-28
    33-29
    2
    """

    __slots__ = ()

    def begin_game(self, number: int) -> bool | None:
        """A game begins, the ``number``-th of the file, from 1.

        Return False to pass over its body: tags, result and ``end_game`` are still told, and nothing is validated.
        """

    def tag(self, name: str, value: str) -> None:
        """A tag as written, without its quotes; names may repeat. ``FILENAME`` may come after the result."""

    def begin_moves(self, board: Board) -> None:
        """The position in which the moves begin. The board is the reader's own and changes: copy it to keep it."""

    def skipped(self, note: BadPdn) -> None:
        """The game is of another variant than international draughts, so that its body is passed over.

        ``note`` says which and why, in the reader's language through ``note.what(language)``. It is no error.
        """

    def move(self, board: Board, move: Move, text: str) -> None:
        """A legal move. ``board`` is the position before it, the reader's own: copy it to keep it.

        ``text`` is the move as written.
        """

    def comment(self, text: str) -> None:
        """A comment without its braces, with the commands in it (``[%clk 0:05:00]``). Lines end with ``\\n``."""

    def nag(self, number: int) -> None:
        """A numeric annotation glyph; the strengths ``! ? !! ?? !? ?!`` come as 1 to 6."""

    def begin_variation(self) -> None:
        """What follows replaces the move told last."""

    def end_variation(self) -> None:
        """The line in which the variation began goes on, after the move that the variation replaced."""

    def setup(self, board: Board) -> None:
        """A position set up in the body, from which the line goes on. The board is the reader's own."""

    def result(self, text: str) -> None:
        """The result at the end of the moves as written, ``*`` too."""

    def error(self, error: BadPdn) -> None:
        """Something that cannot be read or played.

        If it stands in the moves, the rest of that line (of the variation, or of the game) is not told, unless a
        setup in the body gives a new position.
        """

    def end_game(self) -> None:
        """The game has been told."""
