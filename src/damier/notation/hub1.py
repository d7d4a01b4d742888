"""Version 1 of the Hub protocol, said in the words of version 2: each line there and back.

Its lines are words with blanks between them, without names; limits are whole milliseconds, scores whole hundredths of
a man, and what version 2 says in one line, a position and its moves, say, takes several. Positions and moves are as
:mod:`damier.notation.hub` has them, but a line of best play is in short notation.

Source: the source of Scan 2.0, which speaks it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from damier import Board
from damier.notation.hub import Line, read_position, write_position

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_OF_A_LINE", "from_engine", "from_interface", "to_engine", "to_interface"]

MOST_OF_A_LINE: Final = 7
"""Moves that an engine tells of a line of best play."""

_INFO: Final = ("depth", "mean-depth", "score", "nodes", "time", "nps")
_GO: Final = {"go": "think", "ponder": "ponder", "analyse": "analyze"}
_SAME: Final = ("hub", "init", "ping", "ponder-hit", "stop", "quit")


def from_engine(text: str) -> Line:
    """What an engine says, in the words of version 2; the command is empty if there is nothing in the line.

    >>> from_engine("move 32-28 19-23")
    Line(command='done', arguments={'move': '32-28', 'ponder': '19-23'})
    >>> from_engine("info 9 12.5 -7 5000 0.10 0.05 31-26 20-25").arguments["score"]
    '-0.07'
    """
    command, *words = text.split() or [""]
    rest = " ".join(words)
    if command in ("name", "author", "country"):
        return Line("id", {command: rest})
    if command == "error":
        return Line("error", {"message": rest})
    if command == "move":
        return Line("done", dict(zip(("move", "ponder"), words, strict=False)))
    if command == "info":
        told = dict(zip(_INFO, words, strict=False))
        if "score" in told:
            told["score"] = _scaled(told["score"], 1 / 100, 2)
        return Line("info", {**told, "pv": " ".join(words[len(_INFO) :])})
    return Line(command, {})


def to_interface(command: str, arguments: Mapping[str, str]) -> list[str]:
    """The lines in which an engine says what would be this line in version 2; none where version 1 has no word for it.

    A line of best play must be in short notation already; a mean depth that is not known is told as the depth.

    >>> to_interface("done", {"move": "32-28"}), to_interface("param", {"name": "variant", "value": "normal"})
    (['move 32-28'], [])
    """
    if command == "id":
        name = " ".join(arguments[part] for part in ("name", "version") if part in arguments)
        others = (f"{part} {arguments[part]}" for part in ("author", "country") if part in arguments)
        return [f"name {name}", *others]
    if command == "param":
        return []
    if command == "error":
        return [f"error {arguments['message']}"]
    if command == "done":
        return [" ".join(("move", arguments["move"], arguments.get("ponder", ""))).rstrip()]
    if command == "info":
        told = {"mean-depth": arguments["depth"], **arguments, "score": _scaled(arguments["score"], 100, 0)}
        line = arguments.get("pv", "").split()[:MOST_OF_A_LINE]
        return [" ".join(("info", *(told[name] for name in _INFO), *line))]
    return [command]


def from_interface(text: str) -> Line:
    """What an interface says, in the words of version 2; ``move`` stays what it is, since that has no word for it.

    >>> from_interface("level 40 1200000 0")
    Line(command='level', arguments={'moves': '40', 'time': '1200', 'inc': '0'})
    """
    command, *words = text.split() or [""]
    first = words[0] if words else ""
    if command == "set":
        return Line("set-param", {"name": first, "value": " ".join(words[1:])})
    if command == "pos":
        return Line("pos", {"pos": first})
    if command == "start":
        return Line("pos", {"pos": write_position(Board())})
    if command == "move":
        return Line("move", {"move": first})
    if command == "depth":
        return Line("level", {"depth": first})
    if command == "time":
        return Line("level", {"move-time": _scaled(first, 1 / 1000, 3)})
    if command == "level":
        moves, time, increment = (*words, "", "", "")[:3]
        return Line("level", {"moves": moves, "time": _scaled(time, 1 / 1000), "inc": _scaled(increment, 1 / 1000)})
    if command in _GO:
        return Line("go", {_GO[command]: ""})
    if command == "new":
        return Line("new-game", {})
    return Line(command, {})


def to_engine(command: str, arguments: Mapping[str, str]) -> list[str]:
    """The lines in which an interface says what would be this line in version 2.

    Raises ValueError for a limit in nodes, which version 1 does not have, and for what is no line of an interface.

    >>> to_engine("level", {"depth": "9", "move-time": "1.5"})
    ['depth 9', 'time 1500']
    >>> to_engine("level", {"time": "60", "inc": "2"})
    ['level 0 60000 2000']
    """
    if command == "set-param":
        return [f"set {arguments['name']} {arguments['value']}"]
    if command == "pos":
        board = read_position(arguments["pos"])
        return [
            f"pos {write_position(board, version=1)}",
            *(f"move {move}" for move in arguments.get("moves", "").split()),
        ]
    if command == "level":
        return _limits(arguments)
    if command == "go":
        return [word for word, mode in _GO.items() if mode in arguments]
    if command == "new-game":
        return ["new"]
    if command in _SAME:
        return [command]
    raise ValueError(f"version 1 of the Hub protocol has no word for {command}")


def _limits(arguments: Mapping[str, str]) -> list[str]:
    if "nodes" in arguments:
        raise ValueError("version 1 of the Hub protocol has no limit in nodes")
    found: list[str] = []
    if "depth" in arguments:
        found.append(f"depth {arguments['depth']}")
    if "move-time" in arguments:
        found.append(f"time {_milliseconds(arguments['move-time'])}")
    if "time" in arguments:
        moves, increment = arguments.get("moves", "0"), arguments.get("inc", "0")
        found.append(f"level {moves} {_milliseconds(arguments['time'])} {_milliseconds(increment)}")
    return found


def _milliseconds(seconds: str) -> int:
    return max(1, round(float(seconds) * 1000)) if float(seconds) > 0 else 0


def _scaled(text: str, factor: float, digits: int | None = None) -> str:
    """A number in other units; what is none stays as it is, to be found wrong by who needs it.

    >>> _scaled("1500", 1 / 1000), _scaled("0.35", 100, 0), _scaled("much", 100)
    ('1.5', '35', 'much')
    """
    try:
        number = float(text) * factor
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return f"{number:.12g}" if digits is None else f"{number:.{digits}f}"
