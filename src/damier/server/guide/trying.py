"""A board to try moves on: what is legal after some moves, and why something is not. Nothing is kept.

``GET /try/{rules}?fen=…&moves=32-28 19-23`` is answered with a :class:`Trial`. With ``from=32&to=29`` (and
``touched=32`` where the rules have touch-move) it also says why that is not legal there.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, get
from litestar.exceptions import ClientException, NotFoundException
from litestar.params import QueryParameter

from damier import Board
from damier.errors import DamierError
from damier.explain import Reason, explain
from damier.i18n import translator
from damier.notation.json import color_to_json
from damier.rules import by_name
from damier.server.guide import rules_text
from damier.server.play.messages import MoveView
from damier.server.play.view import ending, move_view
from damier.server.site import reader_language

PER_MINUTE: Final = 1200
"""Moves that are tried from one address, where a whole school class may sit."""
MOST_MOVES: Final = 120
LONGEST_FEN: Final = 300
LONGEST_MOVES: Final = 2000

_KEPT: Final = ("must_take_more", "must_capture")


class Why(msgspec.Struct, frozen=True):
    """Why something is not legal: :attr:`damier.explain.Reason.code`, its sentence, and the article that says it.

    ``number``: the article's, as printed ("4.13"); empty where the document has no numbers. ``article``: that of our own
    page of the rules which says the same, and ``address``: where it is.
    """

    code: str
    text: str
    source: str
    number: str
    article: int
    address: str


class Trial(msgspec.Struct, frozen=True):
    """A position after the moves tried. ``over``: the code of what has ended the game; ``says``: the same in words.

    ``last``: the last of the moves, and ``notation`` how it is written. ``plies``: how many there were. ``binding``:
    whether a piece that was touched must move.
    """

    fen: str
    turn: str
    legal: tuple[MoveView, ...]
    plies: int
    last: MoveView | None
    notation: str | None
    over: str | None
    winner: str | None
    says: str | None
    binding: bool
    why: Why | None


def attempt(
    rules: str,
    fen: str,
    moves: tuple[str, ...] = (),
    asked: tuple[int, int] | None = None,
    touched: int | None = None,
    language: str = "en",
) -> Trial:
    """What stands after ``moves`` from a position, and why a pair of squares (from, to) is no legal move then.

    Raises :class:`~damier.DamierError` for a position or a move that is none.

    >>> trial = attempt("official", "W:W28,31:B22,23", asked=(31, 27))
    >>> trial.turn, len(trial.legal), trial.why.code, trial.why.number, trial.why.article
    ('white', 2, 'must_capture', '4.2', 5)
    >>> attempt("official", "W:W28:B22", ("28x17",)).says
    'White wins: Black has no move left.'
    """
    board = Board(fen, rules=rules)
    last: MoveView | None = None
    notation: str | None = None
    for text in moves:
        move = board.parse(text)
        notation = board.notation(move)
        board.push(move)
        last = move_view(move, all_paths=False)
    outcome = board.outcome()
    why = None
    if asked is not None:
        reason = _reason(board, *asked, touched)
        if reason is not None:
            piece, article = board[asked[0]], reason.article
            place = rules_text.place(reason, king=piece is not None and piece.king)
            why = Why(
                reason.code,
                reason.sentence(language),
                "" if article is None else article.sentence(language),
                "" if article is None else article.number,
                place,
                rules_text.address(board.rules, place),
            )
    return Trial(
        board.fen(),
        color_to_json(board.turn),
        () if outcome is not None else tuple(move_view(move) for move in board.legal_moves),
        len(moves),
        last,
        notation,
        None if outcome is None else outcome.rule,
        None if outcome is None or outcome.winner is None else color_to_json(outcome.winner),
        None if outcome is None else ending(outcome.winner, outcome.rule, rules, translator(language)),
        board.rules.touch_move,
        why,
    )


def _reason(board: Board, from_square: int, to_square: int, touched: int | None) -> Reason | None:
    """Why that is not legal; of a piece that was only picked up, what keeps it from moving anywhere."""
    reason = explain(board, from_square, to_square, touched=touched)
    if reason is None or reason.code != "same_square":
        return reason
    squares = {move.from_square for move in board.legal_moves}
    if from_square in squares:
        return reason
    elsewhere = (explain(board, from_square, square, touched=touched) for square in range(1, 51))
    return next((each for each in elsewhere if each is not None and each.code in _KEPT), reason)


@get("/try/{rules:str}")
async def try_board(
    request: Request[Any, Any, Any],
    rules: str,
    fen: Annotated[str, QueryParameter(max_length=LONGEST_FEN)],
    moves: Annotated[str, QueryParameter(max_length=LONGEST_MOVES)] = "",
    from_square: Annotated[int | None, QueryParameter(name="from", ge=1, le=50)] = None,
    to_square: Annotated[int | None, QueryParameter(name="to", ge=0, le=50)] = None,
    touched: Annotated[int | None, QueryParameter(ge=1, le=50)] = None,
) -> Trial:
    """What stands on a board after some moves, and why another is not legal."""
    try:
        by_name(rules)
    except ValueError as error:
        raise NotFoundException from error
    tried = tuple(moves.split())
    if len(tried) > MOST_MOVES:
        raise ClientException(f"at most {MOST_MOVES} moves are tried")
    language = reader_language(request)
    asked = None if from_square is None or to_square is None else (from_square, to_square)
    try:
        return attempt(rules, fen, tried, asked, touched, language)
    except DamierError as error:
        raise ClientException(error.sentence(language)) from error
