"""What people see: boards and progress, in colour on a terminal and plain elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from damier import Color
from damier.draw.svg import DARK_SQUARE, LIGHT_SQUARE, NUMBER
from damier.draw.text import board_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.console import Console
    from rich.text import Text

    from damier import Board, Piece
    from damier.cli.options import Orientation

__all__ = ["counted", "numbered", "print_board", "progress", "standing"]

_DISCS = {False: "●", True: "◉"}
_PIECES = {Color.WHITE: "#ffffff", Color.BLACK: "#191310"}
_LAST_MOVE = "#c9a53f"
_WIDTH = 50


def print_board(board: Board, orientation: Orientation = "white") -> None:
    """The board on stdout: in colour with every square's number if that is a terminal, in letters if not."""
    if not sys.stdout.isatty():
        print(board_text(board, numbers=True, orientation=orientation))
        return
    from rich.console import Console

    console = Console(highlight=False)
    # Without colour the signs do not tell White from Black.
    if console.color_system is None or console.width < _WIDTH:
        print(board_text(board, numbers=True, orientation=orientation))
    else:
        console.print(_coloured(board, flipped=orientation == "black"))


def _coloured(board: Board, *, flipped: bool) -> Text:
    from rich.text import Text

    last = {board.moves[-1].from_square, board.moves[-1].to_square} if board.moves else set[int]()
    lines: list[Text] = []
    for row in range(9, -1, -1) if flipped else range(10):
        cells: list[Text] = []
        for square in range(5 * row + 1, 5 * row + 6):
            dark = _dark_cell(square, board[square], _LAST_MOVE if square in last else DARK_SQUARE)
            light = Text("     ", f"on {LIGHT_SQUARE}")
            cells += (light, dark) if row % 2 == 0 else (dark, light)
        lines.append(Text.assemble(*(reversed(cells) if flipped else cells)))
    return Text("\n", no_wrap=True).join(lines)


def _dark_cell(square: int, piece: Piece | None, ground: str) -> Text:
    from rich.text import Text

    cell = Text(f"{square:2}", f"{NUMBER} on {ground}")
    if piece is None:
        return cell.append("   ", f"on {ground}")
    return cell.append(f" {_DISCS[piece.king]} ", f"bold {_PIECES[piece.color]} on {ground}")


def standing(board: Board) -> str:
    """Whose move it is, or how the game has ended, and how far the counts towards a draw have run."""
    outcome = board.outcome()
    if outcome is not None:
        rule = outcome.rule.replace("_", " ")
        return f"Drawn ({rule})" if outcome.winner is None else f"{outcome.winner.name.capitalize()} has won ({rule})"
    said = f"{board.turn.name.capitalize()} to move, {counted(len(board.legal_moves), 'legal move')}"
    counts = [f"{count.rule.replace('_', ' ')} {count.done} of {count.of}" for count in board.draw_counts if count.done]
    return f"{said}; towards a draw: {', '.join(counts)}" if counts else said


def counted(number: int, what: str) -> str:
    """A number and a regular English noun.

    >>> counted(1, "move"), counted(27117, "move")
    ('1 move', '27,117 moves')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def numbered(first: Board, texts: list[str]) -> str:
    """Moves from a position on with their numbers, as one line.

    >>> from damier import Board
    >>> numbered(Board("B:W31-50:B1-20"), ["19-23", "32-28", "23x32"])
    '1... 19-23 2. 32-28 23x32'
    """
    words: list[str] = []
    offset = int(first.turn is Color.BLACK)
    for index, text in enumerate(texts, offset):
        if index % 2 == 0:
            words.append(f"{index // 2 + 1}.")
        elif index == offset:
            words.append("1...")
        words.append(text)
    return " ".join(words)


@contextmanager
def progress(what: str, total: int, *, in_bytes: bool = False) -> Generator[Callable[[int], None]]:
    """A bar on stderr while the block runs, told how much more is done by calling what this yields.

    Without a terminal there is no bar. It vanishes at the end.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    amount = DownloadColumn() if in_bytes else TaskProgressColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=error_console(), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)


def error_console() -> Console:
    """Stderr as Rich writes on it."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)
