"""The arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

__all__ = [
    "Json",
    "Orientation",
    "OrientationOption",
    "PlayFirst",
    "Ply",
    "PositionArgument",
    "RuleSet",
    "RulesOption",
    "Which",
]

RuleSet: TypeAlias = Literal["official", "leaflet", "classic", "club"]
Orientation: TypeAlias = Literal["white", "black"]

PositionArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="POSITION",
        help="A FEN, a file of games or positions (PDN, JSON or FEN lines), or - for standard input.",
        show_default="the start of a game",
    ),
]
RulesOption: TypeAlias = Annotated[RuleSet, typer.Option("--rules", help="The rule set.")]
PlayFirst: TypeAlias = Annotated[
    str, typer.Option("--after", metavar="MOVES", help="Play these moves first, such as '32-28 19-23'.")
]
Which: TypeAlias = Annotated[
    int | None, typer.Option("--game", "-g", min=1, help="Which game of the file, from 1.", show_default="1")
]
Ply: TypeAlias = Annotated[
    int | None,
    typer.Option("--ply", "-p", min=0, help="How many single moves of the game to play.", show_default="all"),
]
OrientationOption: TypeAlias = Annotated[
    Orientation, typer.Option("--orientation", help="Whose side is at the bottom.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]
