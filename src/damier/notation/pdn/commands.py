"""Commands in comments: clocks, times and evaluations, such as ``[%clk 0:05:00]``.

========================================  =====================================================================
``[%clk 0:05:00]``                        left on the clock of the side that moved (at a start: that is not to move)
``[%clock w0:09:57 B0:10:00]``            left on both clocks; a capital: this clock is running
``[%emt 0:00:03]``                        what the move took
``[%eval 0.35]``, ``[%eval #-5]``         worth for White in men; a win in 5 moves, here Black's
========================================  =====================================================================

Other commands, and these with anything else in them, stay in the comment as they are.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from damier.notation.pdn.node import Evaluation

if TYPE_CHECKING:
    from damier import Color
    from damier.notation.pdn.node import GameNode

__all__ = [
    "STRENGTHS",
    "command_text",
    "decimal_text",
    "one_line",
    "take_commands",
    "time_text",
    "without_commands",
]

STRENGTHS = ("!", "?", "!!", "??", "!?", "?!")
"""The signs of the annotation glyphs 1 to 6. A comment that holds nothing else means the same."""

_TIME = r"[0-9]{1,6}:[0-5]?[0-9]:[0-5]?[0-9](?:\.[0-9]{1,9})?"
_COMMAND = re.compile(
    rf"\[%(?:clk[ ]+(?P<clk>{_TIME})"
    rf"|emt[ ]+(?P<emt>{_TIME})"
    rf"|clock[ ]+(?P<first>[WwBb]{_TIME})(?:[ ]+(?P<second>[WwBb]{_TIME}))?"
    r"|eval[ ]+(?:(?P<men>[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?)|\#(?P<win>[+-]?[0-9]{1,9})))[ ]*\]"
)
_BLANKS = re.compile(r"[ \t\r\n\f\v]+")


def one_line(text: str) -> str:
    """The text with every run of blanks and line ends as one blank, and none around it.

    >>> one_line(" a\\n b ")
    'a b'
    """
    return _BLANKS.sub(" ", text).strip()


def time_text(seconds: float) -> str:
    """A time as PDN writes it, ``h:mm:ss``, with at most three decimals.

    Raises ValueError for what is no time.

    >>> time_text(300), time_text(3599.25)
    ('0:05:00', '0:59:59.25')
    """
    if not 0 <= seconds < 3_600_000_000:
        raise ValueError(f"a time is a number of seconds from 0, not {seconds}")
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    minutes, whole = divmod(whole, 60)
    fraction = f".{thousandths:03}".rstrip("0") if thousandths else ""
    return f"{minutes // 60}:{minutes % 60:02}:{whole:02}{fraction}"


def decimal_text(number: float) -> str:
    """A number without an exponent, with at most nine decimals. Raises ValueError for what is none.

    >>> decimal_text(-0.35), decimal_text(2.0), decimal_text(1e-7)
    ('-0.35', '2.0', '0.0000001')
    """
    if not math.isfinite(number) or abs(number) >= 1e9:
        raise ValueError(f"an evaluation is a number of men, not {number}")
    text = f"{round(Decimal(repr(float(number))), 9):f}"
    return text.rstrip("0") + ("0" if text.rstrip("0").endswith(".") else "") if "." in text else text


def take_commands(node: GameNode, text: str) -> str:
    """Read the commands in a comment into the node; what is left of the comment, on one line.

    A value that the node has already is not read again: the command stays in the comment.
    """
    if "[%" not in text:
        return one_line(text)
    mover = node.turn.opponent
    return one_line(_COMMAND.sub(lambda match: " " if _taken(node, mover, match) else match[0], one_line(text)))


def without_commands(text: str) -> str:
    """The comment without commands, on one line: for one whose move is not there.

    >>> without_commands("[%clk 0:05:00] in need")
    'in need'
    """
    return one_line(_COMMAND.sub(" ", one_line(text)))


def _taken(node: GameNode, mover: Color, match: re.Match[str]) -> bool:
    if men := match["men"]:
        if node.evaluation is None:
            node.evaluation = Evaluation(men=float(men))
            return True
    elif win := match["win"]:
        if node.evaluation is None and int(win):
            node.evaluation = Evaluation(win_in=int(win))
            return True
    elif time := match["clk"]:
        if node.clock is None:
            node.clock = _seconds(time)
            return True
    elif time := match["emt"]:
        if node.elapsed is None:
            node.elapsed = _seconds(time)
            return True
    else:
        return _taken_clocks(node, mover, match["first"], match["second"])
    return False


def _taken_clocks(node: GameNode, mover: Color, first: str, second: str | None) -> bool:
    clocks: dict[str, float] = {time[0].upper(): _seconds(time[1:]) for time in (first, second) if time}
    clock, opponent_clock = clocks.get(mover.letter), clocks.get(mover.opponent.letter)
    if (second and len(clocks) == 1) or (clock is not None and node.clock is not None):
        return False
    if opponent_clock is not None:
        if node.opponent_clock is not None:
            return False
        node.opponent_clock = opponent_clock
    if clock is not None:
        node.clock = clock
    return True


def _seconds(text: str) -> float:
    hours, minutes, seconds = text.split(":")
    return float(int(hours) * 3600 + int(minutes) * 60 + Decimal(seconds))


def command_text(node: GameNode) -> str:
    """The commands that say the node's clocks, times and evaluation; empty if it has none.

    >>> from damier.notation.pdn import GameNode
    >>> node = GameNode.root().add_main("32-28")
    >>> node.clock, node.opponent_clock = 597.0, 600.0
    >>> command_text(node)
    '[%clock w0:09:57 B0:10:00]'
    """
    commands: list[str] = []
    if node.opponent_clock is not None:
        mover = node.turn.opponent
        # After a move the opponent's clock runs; White's stands first.
        clocks = {mover.opponent.letter: time_text(node.opponent_clock)}
        if node.clock is not None:
            clocks[mover.letter.lower()] = time_text(node.clock)
        ordered = sorted(clocks, key=lambda letter: letter.upper(), reverse=True)
        commands.append(f"[%clock {' '.join(letter + clocks[letter] for letter in ordered)}]")
    elif node.clock is not None:
        commands.append(f"[%clk {time_text(node.clock)}]")
    if node.elapsed is not None:
        commands.append(f"[%emt {time_text(node.elapsed)}]")
    if node.evaluation is not None:
        commands.append(f"[%eval {node.evaluation}]")
    return " ".join(commands)
