"""``damier book``: an opening book is built and looked into."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from damier.cli.options import Json

if TYPE_CHECKING:
    from damier import Board
    from damier.engine import Book

__all__ = ["book"]

book = typer.Typer(name="book", help="Opening books: built by the engine, looked into.", no_args_is_help=True)

_MARGIN = 40  # hundredths of a man; no level plays worse


@book.command()
def build(
    positions: Annotated[int, typer.Option("--positions", min=1, help="How many it shall have.")] = 3000,
    nodes: Annotated[int, typer.Option("--nodes", min=1, help="How many each move is searched for.")] = 30_000,
    breadth: Annotated[
        float,
        typer.Option("--breadth", min=0.1, help="Hundredths of a man that are as much as a ply: more is broader."),
    ] = 4.0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="So many searches at once.")] = 1,
    folder: Annotated[Path, typer.Option("--folder", help="Where the searches and the book are kept.")] = Path("book"),
) -> None:
    """Build an opening book. Ctrl+C breaks it off; the same command goes on from there, with more positions too."""
    from damier.cli.screen import counted, progress
    from damier.engine import Book
    from damier.engine.book_building import Expansion
    from damier.engine.book_leaves import Leaves

    with Leaves(folder / "leaves.txt", nodes, jobs) as leaves, progress("positions", total=positions) as advance:
        expansion = Expansion(leaves.values, breadth=breadth)
        while len(expansion) < positions and expansion.grow():
            advance(1)
        recipe = {"nodes": nodes, "breadth": breadth, "evaluation": leaves.settings["evaluation"], "moves": _MARGIN}
    file = folder / "opening.book"
    Book(expansion.entries(_MARGIN), recipe).write(file)
    done = f"{counted(leaves.searched, 'search').replace('searchs', 'searches')} more"
    print(f"{counted(len(expansion), 'position')}, {done}: {file}")


@book.command()
def show(
    moves: Annotated[list[str] | None, typer.Argument(help="Moves from the start on, such as 32-28 19-23.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A book.", show_default="that of the package", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """What a book knows after these moves: its moves, the best first, with what each is worth and what it expects."""
    from damier import Board
    from damier.cli.screen import numbered
    from damier.cli.status import Failure
    from damier.engine import Book

    known = Book.default() if file is None else Book.read(file)
    board = Board()
    for text in (word for words in moves or [] for word in words.split()):
        board.push(text)
    found = known.moves(board)
    if json:
        from json import dumps

        listed = [{"move": board.notation(move), "score": str(score)} for move, score in found]
        print(dumps({"fen": board.fen(), "moves": listed}))
        return
    if not found:
        raise Failure(f"this position is not among the {len(known):,} of the book")
    for move, score in found:
        after = board.copy()
        after.push(move)
        print(f"{score}  {numbered(board, [board.notation(move), *_best_play(known, after)])}")


def _best_play(known: Book, board: Board) -> list[str]:
    """What both sides play by the book until it ends."""
    texts: list[str] = []
    while found := known.moves(board):
        texts.append(board.notation(found[0][0]))
        board.push(found[0][0])
    return texts
