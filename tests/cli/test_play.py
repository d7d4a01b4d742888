"""A game in the terminal against the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.notation.pdn import loads
from tests.cli.command import lines, on_terminal, run

if TYPE_CHECKING:
    from pathlib import Path

WINNING = "W:W33:B28"


def test_a_game_to_its_end_is_saved(tmp_path: Path) -> None:
    saved = tmp_path / "game.pdn"
    said = lines("play", WINNING, "--save", str(saved), typed="33x22\n")
    assert said[-1] == "White has won (no moves): 2-0"
    [game] = loads(saved.read_text("utf-8"))
    assert (game.tags["White"], game.tags["Black"], game.result) == ("You", "Damier, level 4", "2-0")
    assert [str(node.move) for node in game.main_line()] == ["33x22"]


def test_the_computer_answers_and_the_same_seed_plays_the_same() -> None:
    game = ("play", "--level", "1", "--seed", "7")
    said = lines(*game, typed="32-28\nquit\n")
    assert any(line.startswith("The computer plays ") for line in said)
    assert said[-1] == "The game is left unfinished."
    assert said == lines(*game, typed="32-28\nquit\n")


def test_black_lets_the_computer_begin_and_sits_below() -> None:
    said = lines("play", "--color", "black", "--level", "1", typed="")
    assert said[1].startswith("50 ")
    assert any(line.startswith("The computer plays ") for line in said)


def test_what_can_be_said_besides_moves() -> None:
    said = lines(
        "play", "--level", "1", typed="help\nmoves\nfen\nundo\n32-28\nundo\nfen\ndraw\nhint\n32-33\nbla\nsave\nresign\n"
    )
    shown = "\n".join(said)
    assert "31-26 32-27 33-28" in shown
    assert said.count("W:W31-50:B1-20") == 2
    assert "You have no move to take back." in said
    assert "The computer plays on." in said
    assert "Your own piece stands on 33; choose an empty square." in said
    words = "draw, exit, fen, flip, help, hint, moves, quit, resign, save FILE, undo"
    assert f"“bla” is neither a move nor one of the words known here: {words}." in said
    assert said[-1] == "White resigned: 0-2"


def test_a_file_that_cannot_be_written_costs_no_game(tmp_path: Path) -> None:
    said = lines("play", typed=f"save {tmp_path}/no/game.pdn\nfen\nsave {tmp_path}/game.pdn\n")
    assert f"{tmp_path}/no/game.pdn: No such file or directory" in said
    assert "W:W31-50:B1-20" in said
    assert (tmp_path / "game.pdn").read_text("utf-8").startswith('[White "You"]')
    answer = run("play", "--save", f"{tmp_path}/no/game.pdn")
    assert (answer.returncode, answer.stderr.count("\n")) == (1, 1)


def test_on_a_terminal() -> None:
    status, shown = on_terminal("play", WINNING, typed="flip\n33x22\n")
    assert status == 0
    assert "White, move 1: " in shown
    assert "White has won (no moves): 2-0" in shown
