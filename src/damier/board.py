"""Positions and legal moves as Python values."""

from __future__ import annotations

import copyreg
from enum import Enum

from damier._kernel import BoardBase, Move
from damier.rules import OFFICIAL, Rules, by_name
from damier.values import Value, expect

TYPE_CHECKING = False  # not imported from typing: `import damier` stays light
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from damier.notation.fen import Setup

__all__ = ["START_FEN", "Board", "Color", "DrawCount", "Outcome", "Piece", "Position"]

START_FEN = "W:W31-50:B1-20"
_START_WHITE = ((1 << 20) - 1) << 30
_START_BLACK = (1 << 20) - 1


class Color(Enum):
    """White, who moves first and up the board, or Black.

    >>> Color.WHITE.opponent
    Color.BLACK
    """

    WHITE = 0
    BLACK = 1

    __hash__ = object.__hash__  # there is one of each, and Enum's own is slow

    @property
    def opponent(self) -> Color:
        """The other color."""
        return Color.BLACK if self is Color.WHITE else Color.WHITE

    @property
    def letter(self) -> str:
        """ "W" or "B", as FEN and PDN write it."""
        return "W" if self is Color.WHITE else "B"

    def __repr__(self) -> str:
        return f"Color.{self.name}"


_COLORS = (Color.WHITE, Color.BLACK)


class Piece(Value):
    """A man or a king of a color.

    >>> Piece(Color.WHITE, king=True)
    Piece(color=Color.WHITE, king=True)
    """

    __match_args__ = ("color", "king")
    __slots__ = __match_args__
    color: Color
    king: bool

    def __init__(self, color: Color, king: bool = False) -> None:
        self._put(color, king)


class Outcome(Value):
    """How a game ended: the winner, None for a draw, and the rule that decided.

    ``rule`` is ``no_moves`` (the loser had none), ``repetition``, ``king_moves``, ``three_pieces``, ``two_pieces``,
    ``same_move`` or ``move_limit``; see :class:`damier.rules.Rules`.
    """

    __match_args__ = ("winner", "rule")
    __slots__ = __match_args__
    winner: Color | None
    rule: str

    def __init__(self, winner: Color | None, rule: str) -> None:
        self._put(winner, rule)


class DrawCount(Value):
    """How far a count towards a draw has run: ``done`` of ``of``, by a rule that :class:`Outcome` names.

    ``repetition`` counts how often the position has stood, ``same_move`` how often a player has made the move; the
    other rules count moves of each side.
    """

    __match_args__ = ("rule", "done", "of")
    __slots__ = __match_args__
    rule: str
    done: int
    of: int

    def __init__(self, rule: str, done: int, of: int) -> None:
        self._put(rule, done, of)


class Position(Value):
    """A whole position as a hashable snapshot: the squares held, as integers with bit n - 1 set for square n."""

    __match_args__ = ("white", "black", "kings", "turn")
    __slots__ = __match_args__
    white: int
    black: int
    kings: int
    turn: Color

    def __init__(self, white: int, black: int, kings: int, turn: Color) -> None:
        self._put(white, black, kings, turn)


_PIECES = {(color, king): Piece(color, king) for color in _COLORS for king in (False, True)}


class Board(BoardBase):
    """A position under a rule set, with the moves that led to it.

    ``fen`` is read in every form that has one clear meaning (:func:`damier.notation.fen.read_fen`), ``rules`` is a
    rule set or its name. Raises :class:`~damier.BadFen` or, for an unknown rule set, ValueError. A board changes with
    every move and is equal to itself alone; positions are compared by :attr:`position`.

    >>> board = Board()
    >>> len(board.legal_moves)
    9
    >>> board.push("32-28"), board.push("19-23"), board.push("28x19")
    (Move(32, 28), Move(19, 23), Move(28, 19, captured=(23,)))
    >>> board.turn, board.fen()
    (Color.BLACK, 'B:W19,31,33-50:B1-18,20')
    >>> board.pop(), board[23], board[1]
    (Move(28, 19, captured=(23,)), Piece(color=Color.BLACK, king=False), Piece(color=Color.BLACK, king=False))
    """

    __slots__ = ("_rules", "_start_fen")  # the FEN as it was given: few ask for it, and files have many
    __iter__ = None  # a board is no sequence: its squares begin with 1
    __contains__ = None

    def __init__(self, fen: str = START_FEN, rules: Rules | str = OFFICIAL) -> None:
        if isinstance(rules, str):
            rules = by_name(rules)
        expect(rules, Rules, "rules are a Rules value or the name of one")
        expect(fen, str, "a FEN is a text")
        if fen == START_FEN:
            self._set_up(rules, _START_WHITE, _START_BLACK, 0, False)
        else:
            from damier.notation.fen import plain_masks, read_fen

            masks = plain_masks(fen)
            if masks is None:
                setup = read_fen(fen)
                white_kings, black_kings = _mask(setup.white_kings), _mask(setup.black_kings)
                white, black = _mask(setup.white_men) | white_kings, _mask(setup.black_men) | black_kings
                masks = white, black, white_kings | black_kings, setup.turn is Color.BLACK
            self._set_up(rules, *masks)
        self._start_fen = fen

    def _set_up(self, rules: Rules, white: int, black: int, kings: int, black_to_move: bool) -> None:
        self._rules = rules
        BoardBase.__init__(
            self,
            white,
            black,
            kings,
            black_to_move,
            rules.crowned_in_passing,
            rules.repetition,
            rules.king_moves,
            rules.three_pieces,
            rules.two_pieces,
            rules.same_move,
            rules.move_limit,
        )

    @property
    def rules(self) -> Rules:
        """The rule set; a board keeps the one that it was made with."""
        return self._rules

    @property
    def start_fen(self) -> str:
        """The position that was set up, before any move."""
        if self._start_fen == START_FEN:
            return START_FEN
        from damier.notation.fen import read_fen, write_fen

        return write_fen(read_fen(self._start_fen))

    @property
    def turn(self) -> Color:
        """The side to move."""
        return _COLORS[self._turn]

    @property
    def position(self) -> Position:
        """The position as a hashable value, whole: equal if and only if every piece and the side to move are.

        >>> Board().position == Board("B:W31-50:B1-20").position
        False
        """
        white, black, kings, turn = self._position_key()
        return Position(white, black, kings, _COLORS[turn])

    def __getitem__(self, square: int) -> Piece | None:
        """The piece on a square, 1 to 50, or None. Raises IndexError for any other number.

        >>> Board("W:WK28:B1")[28]
        Piece(color=Color.WHITE, king=True)
        """
        expect(square, int, "a square is a number from 1 to 50")
        if not 1 <= square <= 50:
            raise IndexError(f"there is no square {square}; squares are numbered 1 to 50")
        white, black, kings, _ = self._position_key()
        bit = 1 << (square - 1)
        if not (white | black) & bit:
            return None
        return _PIECES[Color.WHITE if white & bit else Color.BLACK, bool(kings & bit)]

    def pieces(self, color: Color | None = None, king: bool | None = None) -> tuple[int, ...]:
        """The squares of the pieces, of one color or both, kings, men or both, sorted.

        >>> Board("W:W31,K46:B7,K50").pieces(king=True)
        (46, 50)
        """
        if color is not None:
            expect(color, Color, "a color is Color.WHITE or Color.BLACK")
        white, black, kings, _ = self._position_key()
        mask = white | black if color is None else white if color is Color.WHITE else black
        if king is not None:
            mask &= kings if king else ~kings
        return tuple(square for square in range(1, 51) if mask >> (square - 1) & 1)

    def setup(self) -> Setup:
        """The position as FEN's reader gives it."""
        from damier.notation.fen import Setup

        return Setup(
            self.turn,
            self.pieces(Color.WHITE, king=False),
            self.pieces(Color.WHITE, king=True),
            self.pieces(Color.BLACK, king=False),
            self.pieces(Color.BLACK, king=True),
        )

    def fen(self) -> str:
        """The position in Forsyth-Edwards notation for draughts (PDN 3.0).

        >>> Board().fen()
        'W:W31-50:B1-20'
        """
        from damier.notation.fen import masks_fen

        white, black, kings, turn = self._position_key()
        return masks_fen(white, black, kings, turn == 1)

    def parse(self, text: str) -> Move:
        """The legal move that ``text`` names, in short, long or Hub notation.

        Raises :class:`~damier.IllegalMove`, or :class:`~damier.AmbiguousMove` with the choices.

        >>> Board("W:WK47:B14,19,29,31,42").parse("47x38x24x13x36")
        Move(47, 36, captured=(19, 29, 31, 42))
        """
        from damier.notation.moves import parse_move

        return parse_move(self, text)

    def notation(self, move: Move) -> str:
        """A legal move as PDN writes it here: short, or with its way where the short form would fit another move.

        >>> board = Board("W:WK47:B14,19,29,31,42")
        >>> [board.notation(move) for move in board.legal_moves]
        ['47x38x20x9x36', '47x38x24x13x36']
        """
        from damier.notation.moves import move_text

        expect(move, Move, "a move to be written is a Move")
        return move_text(self, move)

    def outcome(self) -> Outcome | None:
        """How the game has ended, or None if it goes on. These endings need nobody to claim them.

        The board does not close with a draw by count or repetition: :attr:`legal_moves` and :meth:`push` go on, for
        those who look into a game. :class:`damier.Game` ends there.

        >>> Board("W:W:B1").outcome()
        Outcome(winner=Color.BLACK, rule='no_moves')
        """
        rule = self._ending()
        if rule is None:
            return None
        return Outcome(self.turn.opponent if rule == "no_moves" else None, rule)

    @property
    def draw_counts(self) -> tuple[DrawCount, ...]:
        """The counts that run towards a draw in this position.

        Repetition of the position (``repetition``) and of a player's move (``same_move``, of the player who has come
        further) are among them once there is one: from the second time on.

        >>> board = Board("W:WK46,K47:BK3,K4")
        >>> board.draw_counts
        (DrawCount(rule='king_moves', done=0, of=25),)
        >>> for text in "46-41 4-15 41-46 15-4".split():
        ...     _ = board.push(text)
        >>> board.draw_counts
        (DrawCount(rule='king_moves', done=2, of=25), DrawCount(rule='repetition', done=2, of=3))
        """
        return tuple(DrawCount(*count) for count in self._draw_counts())

    def copy(self) -> Board:
        """A board of its own with the same position and history."""
        board = Board.__new__(type(self))
        BoardBase.__init__(board, self)
        board._rules = self._rules
        board._start_fen = self._start_fen
        if own := getattr(self, "__dict__", None):  # a subclass's
            board.__dict__.update(own)
        return board

    __copy__ = copy

    def __reduce__(self) -> tuple[object, ...]:
        return _replayed, (type(self), self._start_fen, self._rules, self.moves), getattr(self, "__dict__", None)

    def __repr__(self) -> str:
        rules = "" if self.rules == OFFICIAL else f", rules={self.rules.name!r}"
        return f"Board({self.fen()!r}{rules})"

    def __str__(self) -> str:
        from damier.draw.text import board_text

        return board_text(self)

    def svg(self, **options: Any) -> str:
        """The position as a picture; the options are those of :func:`damier.draw.svg.board_svg`."""
        from damier.draw.svg import board_svg

        return board_svg(self, **options)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _refuse(self, move: Move) -> None:
        from damier.notation.moves import refusal

        raise refusal(self, move)


def _reduced(move: Move) -> tuple[Callable[..., Move], tuple[object, ...]]:
    return _made_again, move.__getstate__()


def _made_again(*state: object) -> Move:
    move = Move.__new__(Move)
    move.__setstate__(state)
    return move


copyreg.pickle(Move, _reduced)  # the kernel's own way is for pickle's protocols from 2 on


def _mask(squares: Iterable[int]) -> int:
    mask = 0
    for square in squares:
        mask |= 1 << (square - 1)
    return mask


def _replayed(kind: type[Board], fen: str, rules: Rules, moves: Iterable[Move]) -> Board:
    board = kind.__new__(kind)
    Board.__init__(board, fen, rules)  # a subclass's own constructor may want other things
    for move in moves:
        board.push(move)
    return board
