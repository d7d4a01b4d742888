"""``damier play``: a game in the terminal against the engine."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from damier.cli.options import PlayFirst, Ply, PositionArgument, RulesOption, Which
from damier.cli.status import shown

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from damier import Board, Color
    from damier.cli.options import Orientation

__all__ = ["play"]

_HELP = """\
A move is written as 32-28 or 27x16; a capture that has several ways as 47x38x24x13x36. Or one of these:
  moves   list the legal moves        hint    what the engine would play
  undo    take your last move back    draw    offer a draw
  resign  give the game up            quit    leave the game
  flip    turn the board              fen     the position as a FEN
  save FILE  write the game as PDN    help    this list"""

_DRAW_FROM_PLY = 40
"""Before this the computer plays on whatever it thinks of its position."""
_DRAW_BELOW = 10
"""Hundredths of a man: with more than this the computer hopes for a win."""
_JUDGING_SECONDS = 0.5


def play(
    position: PositionArgument = "",
    game: Which = None,
    ply: Ply = None,
    after: PlayFirst = "",
    rules: RulesOption = "official",
    level: Annotated[int, typer.Option("--level", "-l", min=1, max=10, help="The computer's strength.")] = 4,
    color: Annotated[
        Literal["white", "black", "random"], typer.Option("--color", "-c", help="The side that you play.")
    ] = "white",
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The same number and the same moves give the same game (not at level 10)."),
    ] = None,
    no_book: Annotated[bool, typer.Option("--no-book", help="The computer does without its opening book.")] = False,
    save: Annotated[
        Path | None, typer.Option("--save", "-s", metavar="FILE", help="Write the game there as PDN when you stop.")
    ] = None,
) -> None:
    """Play against the computer; 'help' lists what can be said besides moves."""
    from damier import Color
    from damier.cli.inputs import position_from

    place = position_from(position, game=game, ply=ply, after=after, rules=rules)
    random = Random(seed)  # noqa: S311 - chance in play, not in secrets
    side = random.choice(("white", "black")) if color == "random" else color
    table = _Table(place.board, Color[side.upper()], level, random, has_book=not no_book)
    table.play()
    print(table.result_line())
    if save is not None:
        table.save(save)


class _Table:
    """One game: the board, who plays what, and how it ended if not on the board."""

    def __init__(self, board: Board, person: Color, level: int, random: Random, *, has_book: bool) -> None:
        from damier.engine import Book, Engine

        self.board = board
        self.person = person
        self.level = level
        self.orientation: Orientation = "white" if person.letter == "W" else "black"
        self.agreed = ""
        """Why the game ended if the board does not say it, and its result."""
        self.result = "*"
        self._random = random
        self._engine = Engine(hash_mb=16)
        self._book = Book.default() if has_book else None
        self._first_ply = board.ply
        """What was played before this game began is not taken back."""

    # --- The course of the game -----------------------------------------------------------------------------------

    def play(self) -> None:
        """Until the game is over or the person leaves it."""
        self._show()
        while self.board.outcome() is None and not self.agreed:
            if self.board.turn is not self.person:
                self._computer_moves()
                continue
            line = self._asked()
            if line is None:
                self.agreed = "left"
            elif line:
                self._obey(line)
        outcome = self.board.outcome()
        if outcome is not None:
            self.result = "1-1" if outcome.winner is None else "2-0" if outcome.winner.letter == "W" else "0-2"

    def result_line(self) -> str:
        """How the game ended, for people."""
        from damier.cli.screen import standing

        if not self.agreed:
            return f"{standing(self.board)}: {self.result}"
        return "The game is left unfinished." if self.agreed == "left" else f"{self.agreed}: {self.result}"

    def _computer_moves(self) -> None:
        from damier.engine import LEVELS, choose
        from damier.engine.book import margin_of

        seed = self._random.getrandbits(32)
        move = self._book.choose(self.board, margin_of(self.level, len(LEVELS)), seed) if self._book else None
        if move is None:
            with self._thinking():
                move = choose(self._engine, self.board, self.level, seed)
        print(f"The computer plays {self.board.notation(move)}")
        self.board.push(move)
        self._show()

    def _asked(self) -> str | None:
        """What the person types, None at the end of the input."""
        from damier.cli.inputs import standard_input

        prompt = f"{self.board.turn.name.capitalize()}, move {self.board.ply // 2 + 1}: "
        typed = standard_input()
        if not typed.isatty():
            line = typed.readline()
            return line.strip() if line else None
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            return None

    def _obey(self, line: str) -> None:
        from damier import IllegalMove

        word, _, rest = line.partition(" ")
        commands = {
            "moves": self._list_moves,
            "hint": self._hint,
            "undo": self._undo,
            "draw": self._offer_draw,
            "resign": self._resign,
            "flip": self._flip,
            "fen": lambda: print(self.board.fen()),
            "help": lambda: print(_HELP),
            "?": lambda: print(_HELP),
            "quit": self._leave,
            "exit": self._leave,
        }
        if word.lower() == "save":
            self._save_as(rest.strip())
        elif command := commands.get(line.lower()):
            command()
        elif not word[:1].isdecimal():
            words = ", ".join(sorted({*commands, "save FILE"} - {"?"}))
            print(f"“{word}” is neither a move nor one of the words known here: {words}.")
        else:
            try:
                self.board.push(line)
            except IllegalMove as error:
                print(shown(error.sentence()))
            else:
                self._show()

    # --- What the person may say ----------------------------------------------------------------------------------

    def _list_moves(self) -> None:
        print(" ".join(self.board.notation(move) for move in self.board.legal_moves))

    def _hint(self) -> None:
        from damier.engine import Limit

        with self._thinking():
            found = self._engine.search(self.board, Limit(time=_JUDGING_SECONDS))
        print(f"{self.board.notation(found.best)} ({found.score})")

    def _undo(self) -> None:
        back = self.board.ply - 2  # the computer's answer and the move before it
        if back < self._first_ply:
            print("You have no move to take back.")
            return
        while self.board.ply > back:
            self.board.pop()
        self._show()

    def _offer_draw(self) -> None:
        from damier.engine import Limit, Score

        with self._thinking():
            score = self._engine.search(self.board, Limit(time=_JUDGING_SECONDS)).score
        if self.board.ply >= _DRAW_FROM_PLY and -score <= Score.centi(_DRAW_BELOW):
            self.agreed, self.result = "Draw agreed", "1-1"
        else:
            print("The computer plays on.")

    def _resign(self) -> None:
        self.agreed = f"{self.person.name.capitalize()} resigned"
        self.result = "0-2" if self.person.letter == "W" else "2-0"

    def _flip(self) -> None:
        self.orientation = "black" if self.orientation == "white" else "white"
        self._show()

    def _leave(self) -> None:
        self.agreed = "left"

    def _save_as(self, name: str) -> None:
        if not name:
            print("Say where to: save FILE")
            return
        try:
            self.save(Path(name))
        except OSError as error:
            print(shown(f"{name}: {error.strerror}"))

    def save(self, path: Path) -> None:
        """Write the game as PDN."""
        from damier import Board
        from damier.notation.pdn import PdnGame, write

        names = ("You", f"Damier, level {self.level}")
        white, black = names if self.person.letter == "W" else reversed(names)
        tags = {"White": white, "Black": black, "Result": self.result, "GameType": "20"}
        game = PdnGame(tags, Board(self.board.start_fen, self.board.rules))
        game.root.add_line(self.board.moves)
        path.write_text(write(game), encoding="utf-8")

    # --- Showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        from damier.cli.screen import print_board

        print()
        print_board(self.board, self.orientation)
        print()

    def _thinking(self) -> AbstractContextManager[object]:
        if not sys.stderr.isatty():
            return nullcontext()
        from damier.cli.screen import error_console

        return error_console().status("The computer is thinking …")
