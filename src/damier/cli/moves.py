"""``damier moves``: the legal moves of a position."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from damier.cli.options import Json, PlayFirst, Ply, PositionArgument, RulesOption, Which

__all__ = ["moves"]


def moves(
    position: PositionArgument = "",
    game: Which = None,
    ply: Ply = None,
    after: PlayFirst = "",
    rules: RulesOption = "official",
    form: Annotated[
        Literal["pdn", "long", "hub"],
        typer.Option("--form", help="As PDN writes them, with every capture's way, or as engines say them (Hub)."),
    ] = "pdn",
    json: Json = False,
) -> None:
    """List the legal moves, one a line; none if the side to move has lost."""
    from damier.cli.inputs import position_from
    from damier.notation.moves import hub_text, long_text

    board = position_from(position, game=game, ply=ply, after=after, rules=rules).board
    legal = board.legal_moves
    if json:
        from json import dumps

        from damier.notation.json import move_to_json

        print(dumps([move_to_json(move) for move in legal]))
        return
    for move in legal:
        print({"pdn": board.notation, "long": long_text, "hub": hub_text}[form](move))
