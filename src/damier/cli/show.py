"""``damier show``: a position or a game, as text, as a picture or for programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from damier.cli.options import Json, OrientationOption, PlayFirst, Ply, PositionArgument, RulesOption, Which
from damier.cli.status import USAGE, Failure, shown

if TYPE_CHECKING:
    from damier import Board
    from damier.cli.inputs import Place

__all__ = ["show"]


def show(
    position: PositionArgument = "",
    game: Which = None,
    ply: Ply = None,
    after: PlayFirst = "",
    rules: RulesOption = "official",
    orientation: OrientationOption = "white",
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the board as SVG; - is standard output.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Write the board as PNG; - is standard output.")
    ] = None,
    size: Annotated[int, typer.Option("--size", min=16, max=10_000, help="Width of a picture in pixels.")] = 400,
    numbers: Annotated[
        Literal["inside", "edge", "off"], typer.Option("--numbers", help="Where a picture has the squares' numbers.")
    ] = "inside",
    json: Json = False,
) -> None:
    """Show a position, or where a game stands after some of its moves."""
    from damier.cli.inputs import STANDARD, position_from

    if [str(svg), str(png), STANDARD if json else ""].count(STANDARD) > 1:
        raise Failure("only one of --svg, --png and --json can go to standard output; name a file for a picture", USAGE)
    place = position_from(position, game=game, ply=ply, after=after, rules=rules)
    board = place.board
    if svg is not None or png is not None:
        picture = board.svg(orientation=orientation, size=size, numbers=numbers)
        if svg is not None:
            _write(svg, picture.encode())
        if png is not None:
            from damier.cli.png import png as painted

            _write(png, painted(picture))
    if json:
        from json import dumps

        print(dumps(_described(place), ensure_ascii=False))
    elif svg is None and png is None:
        _print(place, orientation)


def _write(path: Path, data: bytes) -> None:
    from damier.cli.inputs import STANDARD

    if str(path) == STANDARD:
        sys.stdout.buffer.write(data)
    else:
        path.write_bytes(data)


def _described(place: Place) -> dict[str, object]:
    from damier.notation.json import position_to_json

    board = place.board
    outcome = board.outcome()
    return {
        **position_to_json(board),
        "rules": board.rules.name,
        "tags": dict(place.tags),
        "start": board.start_fen,
        "moves": _texts(board),
        "legal_moves": [board.notation(move) for move in board.legal_moves],
        "outcome": None
        if outcome is None
        else {"winner": outcome.winner and outcome.winner.name.lower(), "rule": outcome.rule},
        "draw_counts": [{"rule": count.rule, "done": count.done, "of": count.of} for count in board.draw_counts],
    }


def _print(place: Place, orientation: Literal["white", "black"]) -> None:
    from textwrap import fill

    from damier import Board
    from damier.cli.screen import numbered, print_board, standing

    board = place.board
    for name, value in place.tags.items():
        print(shown(f"{name}: {value}"))
    if place.tags:
        print()
    if board.moves:
        # A number stays beside its move.
        text = numbered(Board(board.start_fen), _texts(board)).replace(". ", ".\0")
        print(fill(text, 80, break_on_hyphens=False).replace("\0", " "))
        print()
    print_board(board, orientation)
    print()
    print(standing(board))
    print(board.fen())


def _texts(board: Board) -> list[str]:
    """The moves that led to the position, as PDN writes them."""
    from damier import Board

    replayed = Board(board.start_fen, board.rules)
    texts: list[str] = []
    for move in board.moves:
        texts.append(replayed.notation(move))
        replayed.push(move)
    return texts
