"""``damier explain``: why a move is illegal."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from damier.cli.options import Json, PlayFirst, Ply, PositionArgument, RulesOption, Which
from damier.cli.status import shown
from damier.i18n import N_

__all__ = ["explain"]

_LEGAL = N_("{move} is a legal move.")


def explain(
    move: Annotated[str, typer.Argument(metavar="MOVE", help="The move, such as 32-28 or 27x16.")],
    position: PositionArgument = "",
    game: Which = None,
    ply: Ply = None,
    after: PlayFirst = "",
    rules: RulesOption = "official",
    by: Annotated[
        Literal["white", "black"] | None,
        typer.Option("--by", help="Who tries it.", show_default="the side to move"),
    ] = None,
    touched: Annotated[
        int | None,
        typer.Option(
            "--touched", min=1, max=50, metavar="SQUARE", help="The piece touched, for rules with touch-move."
        ),
    ] = None,
    language: Annotated[
        Literal["nl", "fr", "de", "en"] | None,
        typer.Option(
            "--language", "-l", help="The language of the explanation.", show_default="the environment's, else en"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say why a move is illegal and where the rules say so, or that it is legal; the status is 0 either way.

    What is no move at all, such as foo, is an error.
    """
    from damier import AmbiguousMove, Color, IllegalMove
    from damier.cli.inputs import position_from
    from damier.explain import explain as reason_for
    from damier.i18n import environment_language, translator
    from damier.notation.moves import read_squares

    spoken = language or environment_language(os.environ)
    board = position_from(position, game=game, ply=ply, after=after, rules=rules).board
    who = None if by is None else Color[by.upper()]
    reason = None
    legal = True
    capture = False
    try:
        found = board.parse(move)
        squares: tuple[int, int] | None = (found.from_square, found.to_square)
        sentence = translator(spoken).gettext(_LEGAL).format(move=board.notation(found))
    except IllegalMove as error:
        told = read_squares(move)
        if told is None:
            raise
        capture = told[1]
        sentence = error.sentence(spoken)
        legal = isinstance(error, AmbiguousMove)
        squares = None
        if error.reason is not None:
            facts = error.reason.facts
            squares = (int(str(facts["from"])), int(str(facts["to"])))
        elif isinstance(error, AmbiguousMove):
            squares = (error.choices[0].from_square, error.choices[0].to_square)
    if squares is not None:
        # Reading a move heeds neither whose turn it is, nor a touched piece, nor a draw that has ended the game.
        reason = reason_for(board, *squares, by=who, capture=capture, touched=touched)
        if reason is not None:
            legal, sentence = False, reason.sentence(spoken)
    article = None if reason is None or reason.article is None else reason.article.sentence(spoken)
    if json:
        from json import dumps

        answer = {
            "move": move,
            "fen": board.fen(),
            "rules": board.rules.name,
            "legal": legal,
            "code": None if reason is None else reason.code,
            "facts": None if reason is None else reason.facts,
            "sentence": sentence,
            "article": article,
        }
        print(dumps(answer, ensure_ascii=False))
        return
    print(shown(sentence))
    if article is not None:
        print(article)
