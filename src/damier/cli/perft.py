"""``damier perft``: the number of lines of a given length, which tells two move generators apart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from damier.cli.options import Json, PlayFirst, Ply, PositionArgument, RulesOption, Which

if TYPE_CHECKING:
    from damier import Board, Move

__all__ = ["perft"]

_DEEPEST = 60
_SPLIT_FROM = 6
"""The depth from which a count is told in parts, so that a bar can grow; shallower ones take no time."""


def perft(
    depth: Annotated[int, typer.Argument(min=0, max=_DEEPEST, help="The length of the lines in single moves.")],
    position: PositionArgument = "",
    game: Which = None,
    ply: Ply = None,
    after: PlayFirst = "",
    rules: RulesOption = "official",
    divide: Annotated[bool, typer.Option("--divide", help="Count each first move by itself.")] = False,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Count every way of a capture as a move of its own.")
    ] = False,
    json: Json = False,
) -> None:
    """Count the lines of legal moves; draws by count or repetition do not end a line."""
    from damier.cli.inputs import position_from
    from damier.cli.screen import counted

    board = position_from(position, game=game, ply=ply, after=after, rules=rules).board
    start = time.perf_counter()
    parts: dict[str, int] | None = None
    if divide and depth:
        parts = _divided(board, depth, duplicates)
        nodes = sum(parts.values())
    else:
        nodes = _counted(board, depth, duplicates)
    seconds = time.perf_counter() - start
    if json:
        from json import dumps

        answer = {
            "fen": board.fen(),
            "rules": board.rules.name,
            "depth": depth,
            "nodes": nodes,
            "seconds": round(seconds, 3),
        }
        print(dumps(answer if parts is None else {**answer, "moves": parts}))
        return
    for move, count in (parts or {}).items():
        print(f"{move}: {count}")
    speed = f", {nodes / seconds / 1e6:,.1f} million a second" if seconds >= 0.01 else ""
    print(f"perft({depth}) = {nodes}")
    print(f"{counted(nodes, 'line')} in {seconds:.2f} s{speed}")


def _counted(board: Board, depth: int, duplicates: bool) -> int:
    from damier import perft as count

    return count(board, depth, duplicates) if depth < _SPLIT_FROM else sum(_divided(board, depth, duplicates).values())


def _divided(board: Board, depth: int, duplicates: bool) -> dict[str, int]:
    """The lines that begin with each legal move."""
    from damier import perft as count
    from damier.cli.screen import progress

    board = board.copy()
    counts: dict[str, int] = {}
    moves = board.legal_moves
    with progress(f"perft {depth}", total=len(moves) if depth >= _SPLIT_FROM else 0) as advance:
        for move in moves:
            text = board.notation(move)
            board.push(move)
            counts[text] = _ways(move, duplicates) * count(board, depth - 1, duplicates)
            board.pop()
            advance(1)
    return counts


def _ways(move: Move, duplicates: bool) -> int:
    return len(move.paths) if duplicates else 1
