"""Positions, moves, games and the records of games as JSON, with a schema for each (:func:`schema`).

A game is what PDN holds, a :class:`~damier.notation.pdn.PdnGame`. A record is what a :class:`~damier.Game` is made of:
its start and its events.

What is made here are plain dictionaries and lists, ready for :func:`json.dumps`; what is read are those that
:func:`json.loads` gives. Nothing that has no meaning is passed over: :class:`BadJson` says what is wrong, and where.

A game's moves are a flat list, since nested variations would meet the limits of JSON readers: each says by number
which entry it comes ``after``, None for the start; of several that come after the same, the first is the main line.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from damier import BadFen, BadPdn, Board, Color, IllegalMove, Move
from damier.errors import DamierError
from damier.events import HALF_CHARACTER, Entry, MoveMade, color_to_json, whole
from damier.game import Game
from damier.i18n import N_
from damier.notation.fen import Setup, write_fen
from damier.notation.moves import refusal
from damier.notation.pdn.node import Evaluation, GameNode
from damier.notation.pdn.tags import points
from damier.notation.pdn.tree import PdnGame
from damier.record import Player, Start
from damier.refusals import BadEvent, GameError
from damier.rules import RULE_SETS, by_name

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from damier import Rules

__all__ = [
    "BadJson",
    "game_from_json",
    "game_to_json",
    "move_from_json",
    "move_to_json",
    "position_from_json",
    "position_to_json",
    "record_from_json",
    "record_to_json",
    "schema",
]

Json: TypeAlias = dict[str, object]

_SCHEMAS = ("position", "move", "game", "record")
FORMAT = "damier.game"
RECORD = "damier.record"
VERSION = 1
_NOTES = ("comments_before", "comments", "nags", "clock", "opponent_clock", "elapsed", "evaluation")
_LONGEST_TIME = 3_600_000_000
_MOST_MEN = 1_000_000_000
_LARGEST = 999_999_999

_WRONG = N_("{path}: expected here: {expected}.")
_MISSING = N_("{path}: the member “{name}” is missing.")
_UNKNOWN = N_("{path}: the member “{name}” has no meaning here.")
_CONTRADICTION = N_("{path}: the FEN tells another position than the squares do.")
_TWO_RESULTS = N_("{path}: this tells another result than the tag “Result”.")

_AN_OBJECT = N_("an object")
_A_LIST = N_("a list")
_A_TEXT = N_("a text")
_WHOLE_CHARACTERS = N_("a text without half characters")
_A_WHOLE_NUMBER = N_("a whole number from {least} to {most}")
_A_NUMBER = N_("a number from {least}, below {below}")
_AN_ENTRY = N_("the number of an entry before this one, or null for the start")
_NOT_ZERO = N_("a number of moves, negative if Black wins, but not 0")
_ONE_OF = N_("one of {values}")
_A_START = N_("a position; null only where the FEN tag cannot be read and nothing is played")
_ONE_MEMBER = N_("one of the members {values}, and only one")
_EACH_ONCE = N_("each square once")


class BadJson(DamierError, ValueError):
    """JSON that is no position, move or game.

    ``code``: ``wrong`` (of another type or out of range), ``missing``, ``unknown`` (a member), ``contradiction``,
    ``bad_position``, ``illegal_move`` or ``refused`` (an event that does not fit the game). ``path``: the place, as a
    JSON pointer, ``/`` for the whole. ``cause``: the error of the position, the move or the event.

    >>> try:
    ...     position_from_json({"turn": "white", "white": {"men": [31, 51], "kings": []}, "black": {}})
    ... except BadJson as error:
    ...     print(error.code, error.path)
    wrong /white/men/1
    """

    def __init__(
        self,
        message: str = "{path}: {cause}",
        *,
        code: str,
        path: str,
        expected: str = "",
        cause: DamierError | None = None,
        **facts: object,
    ) -> None:
        self.code = code
        self.path = path or "/"
        self.expected = expected
        self.cause = cause
        super().__init__(message, path=self.path, expected=expected.format(**facts), cause=cause, **facts)

    def sentence(self, language: str = "en") -> str:
        """The error as a sentence in ``language`` ("nl", "fr", "de" or "en")."""
        if language == "en":
            return str(self)
        from damier.i18n import translator

        say = translator(language).gettext
        facts = {
            **self.facts,
            "expected": say(self.expected).format(**self.facts) if self.expected else "",
            "cause": "" if self.cause is None else self.cause.sentence(language),
        }
        return say(self.message).format(**facts)


def schema(name: Literal["position", "move", "game", "record"]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a position, a move, a game or a record. The last two refer to the others by ``$id``.

    Raises ValueError for any other name.

    >>> schema("move")["required"]
    ['from', 'to', 'captured', 'crowned']
    """
    if name not in _SCHEMAS:
        raise ValueError(f"there is no schema {name!r}; there are {', '.join(_SCHEMAS)}")
    from importlib.resources import files
    from json import loads

    return loads(files("damier.notation").joinpath("schema", f"{name}.json").read_text(encoding="utf-8"))


# --- Positions ----------------------------------------------------------------------------------------------------


def position_to_json(board: Board) -> Json:
    """A position: the side to move, the squares of men and kings, and all of it as FEN too.

    >>> position_to_json(Board("W:WK28,31:B1"))
    {'turn': 'white', 'white': {'men': [31], 'kings': [28]}, 'black': {'men': [1], 'kings': []},
     'fen': 'W:WK28,31:B1'}
    """
    setup = board.setup()
    return {
        "turn": color_to_json(setup.turn),
        "white": {"men": list(setup.white_men), "kings": list(setup.white_kings)},
        "black": {"men": list(setup.black_men), "kings": list(setup.black_kings)},
        "fen": board.fen(),
    }


def position_from_json(data: object, *, rules: Rules | str = "official") -> Board:
    """The position that JSON tells; ``fen`` may be left out. Raises :class:`BadJson`.

    >>> position_from_json(position_to_json(Board()))
    Board('W:W31-50:B1-20')
    """
    return _position(data, "", rules)


def _position(data: object, path: str, rules: Rules | str) -> Board:
    members = _members(data, path, ("turn", "white", "black"), ("fen",))
    if members["turn"] not in ("white", "black"):
        raise _wrong(f"{path}/turn", _ONE_OF, values="white, black")
    squares: list[tuple[int, ...]] = []
    for color in ("white", "black"):
        pieces = _members(members[color], f"{path}/{color}", ("men", "kings"))
        squares += (_squares(pieces[kind], f"{path}/{color}/{kind}") for kind in ("men", "kings"))
    setup = Setup(Color.WHITE if members["turn"] == "white" else Color.BLACK, *squares)
    try:
        board = Board(write_fen(setup), rules)
        told = Board(_text(members["fen"], f"{path}/fen")) if "fen" in members else board
    except BadFen as error:
        raise BadJson(code="bad_position", path=path, cause=error) from error
    if told.position != board.position:
        raise BadJson(_CONTRADICTION, code="contradiction", path=f"{path}/fen")
    return board


def _squares(data: object, path: str) -> tuple[int, ...]:
    return tuple(_whole(each, f"{path}/{index}", 1, 50) for index, each in enumerate(_list(data, path)))


# --- Moves --------------------------------------------------------------------------------------------------------


def move_to_json(move: Move) -> Json:
    """A move: start, target, the captured squares, and whether a man was crowned.

    >>> move_to_json(Move(28, 19, captured=[23]))
    {'from': 28, 'to': 19, 'captured': [23], 'crowned': False}
    """
    fields = MoveMade.of(move).to_json()
    del fields["event"]
    return fields


def move_from_json(data: object) -> Move:
    """The move that JSON tells: a value, which need not be legal anywhere. Raises :class:`BadJson`.

    >>> move_from_json({"from": 32, "to": 28, "captured": [], "crowned": False})
    Move(32, 28)
    """
    return _move(data, "")


def _move(data: object, path: str) -> Move:
    members = _members(data, path, ("from", "to", "captured", "crowned"))
    with _located(path):
        made = MoveMade.from_json(members)
    if len(set(made.captured)) < len(made.captured):
        raise _wrong(f"{path}/captured", _EACH_ONCE)
    return Move(made.from_square, made.to_square, made.captured, made.crowned)


# --- Games --------------------------------------------------------------------------------------------------------


def game_to_json(game: PdnGame) -> Json:
    """A game with its tags, its variations, and all that is said in it.

    ``start`` is None for a game whose FEN cannot be read. Raises :class:`BadJson` for a text that JSON cannot hold.

    >>> game = PdnGame({"White": "Anna"})
    >>> _ = game.root.add_main("32-28"), game.root.add_variation("33-29")
    >>> [(node["after"], node["move"]["to"]) for node in game_to_json(game)["nodes"]]
    [(None, 28), (None, 29)]
    """
    data: Json = {
        "format": FORMAT,
        "version": VERSION,
        "number": game.number,
        "rules": game.rules.name,
        "tags": _tags(game.tags),
        "result": _text(game.result, "/result"),
        "start": position_to_json(game.board()) if game.has_start else None,
        **_notes_to_json(game.root, ""),
        "nodes": _nodes_to_json(game.root),
    }
    if game.errors:
        data["errors"] = [_error_to_json(error, f"/errors/{index}") for index, error in enumerate(game.errors)]
    if game.skipped is not None:
        data["skipped"] = _error_to_json(game.skipped, "/skipped")
    return data


def _nodes_to_json(root: GameNode) -> list[Json]:
    nodes = list(root.descendants())[1:]
    numbers: dict[int, int | None] = {id(node): number for number, node in enumerate(nodes)}
    numbers[id(root)] = None
    return [
        {
            "after": numbers[id(node.parent)],
            **({"setup": position_to_json(node.board())} if node.move is None else {"move": move_to_json(node.move)}),
            **_notes_to_json(node, f"/nodes/{number}"),
        }
        for number, node in enumerate(nodes)
    ]


def _notes_to_json(node: GameNode, path: str) -> Json:
    if not node.has_notes:
        return {}
    said: Json = {
        "comments_before": _texts(node.comments_before, f"{path}/comments_before"),
        "comments": _texts(node.comments, f"{path}/comments"),
        "nags": list(node.nags),
        "clock": node.clock,
        "opponent_clock": node.opponent_clock,
        "elapsed": node.elapsed,
    }
    if (worth := node.evaluation) is not None:
        said["evaluation"] = {"men": worth.men} if worth.win_in is None else {"win_in": worth.win_in}
    return {name: value for name, value in said.items() if value is not None and value != []}


def _error_to_json(error: BadPdn, path: str) -> Json:
    return {
        "code": error.code,
        "ply": error.ply,
        "line": error.line,
        "column": error.column,
        "token": _text(error.token, f"{path}/token"),
        "choices": list(error.choices),
        "what": _text(error.what(), f"{path}/what"),
    }


def game_from_json(data: object) -> PdnGame:
    """The game that JSON tells, each move checked to be legal. Raises :class:`BadJson`.

    >>> game = PdnGame({"White": "Anna"})
    >>> _ = game.root.add_line(["32-28", "19-23", "28x19"])
    >>> game_from_json(game_to_json(game)).end().board().fen()
    'B:W19,31,33-50:B1-18,20'
    """
    members = _members(
        data,
        "",
        ("format", "version", "rules", "start", "tags", "result", "nodes"),
        ("number", "errors", "skipped", *_NOTES),
    )
    _expect_format(members, FORMAT)
    names = tuple(rules.name for rules in RULE_SETS)
    if members["rules"] not in names:
        raise _wrong("/rules", _ONE_OF, values=", ".join(names))
    rules = by_name(cast("str", members["rules"]))
    game = PdnGame(rules=rules)
    game.number = _whole(members.get("number", 0), "/number", 0, _LARGEST)
    game.tags = _tags(members["tags"])
    result = _text(members["result"], "/result")
    if not (tag := game.tags.get("Result", "").strip()) or tag == result:
        game.result = result
    elif points(tag) is None or points(tag) != points(result):
        raise BadJson(_TWO_RESULTS, code="contradiction", path="/result")
    start = None if members["start"] is None else _position(members["start"], "/start", rules)
    game.root = GameNode.root(start or Board(rules=rules))
    _read_notes(game.root, members, "")
    _read_nodes(game.root, _list(members["nodes"], "/nodes"))
    if start is None and game.has_start:
        raise _wrong("/start", _A_START)
    game.errors = [
        _error(each, f"/errors/{index}", game.number)
        for index, each in enumerate(_list(members.get("errors", []), "/errors"))
    ]
    if "skipped" in members:
        game.skipped = _error(members["skipped"], "/skipped", game.number)
    return game


def _read_nodes(root: GameNode, entries: list[object]) -> None:
    nodes: list[GameNode] = []
    for index, entry in enumerate(entries):
        path = f"/nodes/{index}"
        members = _members(entry, path, ("after",), ("move", "setup", *_NOTES))
        after = whole(members["after"])
        if members["after"] is not None and (after is None or not 0 <= after < index):
            raise _wrong(f"{path}/after", _AN_ENTRY)
        parent = root if after is None else nodes[after]
        if ("move" in members) == ("setup" in members):
            raise _wrong(path, _ONE_MEMBER, values="move, setup")
        if "move" in members:
            node = parent.attach(_move(members["move"], f"{path}/move"))
        else:
            node = parent.attach(None, _position(members["setup"], f"{path}/setup", root.rules))
        _read_notes(node, members, path)
        nodes.append(node)
    _play(root, {id(node): index for index, node in enumerate(nodes)})


def _play(root: GameNode, numbers: Mapping[int, int]) -> None:
    """Check the moves, and give the nodes the moves of the generator, which know their ways."""
    board = root.board()
    set_aside: list[Board] = []
    waiting = [(node, True) for node in reversed(root.variations)]
    while waiting:
        node, enters = waiting.pop()
        if not enters:
            if node.move is None:
                board = set_aside.pop()
            else:
                board.pop()
            continue
        if node.move is None:
            set_aside.append(board)
            board = node.board()
        else:
            legal = board.legal_moves
            if node.move not in legal:
                path = f"/nodes/{numbers[id(node)]}/move"
                error: IllegalMove = refusal(board, node.move)
                raise BadJson(code="illegal_move", path=path, cause=error) from error
            node.move = board.push(legal[legal.index(node.move)])
        waiting.append((node, False))
        waiting.extend((child, True) for child in reversed(node.variations))


def _read_notes(node: GameNode, members: Mapping[str, object], path: str) -> None:
    for name in ("comments_before", "comments"):
        if name in members:
            comments = node.comments if name == "comments" else node.comments_before
            comments.extend(_texts(members[name], f"{path}/{name}"))
    if "nags" in members:
        nags = enumerate(_list(members["nags"], f"{path}/nags"))
        node.nags.extend(_whole(nag, f"{path}/nags/{index}", 0, _LARGEST) for index, nag in nags)
    for name in ("clock", "opponent_clock", "elapsed"):
        if name in members:
            setattr(node, name, _number(members[name], f"{path}/{name}", 0, _LONGEST_TIME))
    if "evaluation" in members:
        node.evaluation = _evaluation(members["evaluation"], f"{path}/evaluation")


def _evaluation(data: object, path: str) -> Evaluation:
    members = _members(data, path, (), ("men", "win_in"))
    if len(members) != 1:
        raise _wrong(path, _ONE_MEMBER, values="men, win_in")
    if "men" in members:
        return Evaluation(men=_number(members["men"], f"{path}/men", -_MOST_MEN, _MOST_MEN))
    win_in = _whole(members["win_in"], f"{path}/win_in", -_LARGEST, _LARGEST)
    if not win_in:
        raise _wrong(f"{path}/win_in", _NOT_ZERO)
    return Evaluation(win_in=win_in)


def _error(data: object, path: str, game: int) -> BadPdn:
    members = _members(data, path, ("code", "ply", "line", "column", "token", "choices", "what"))
    return BadPdn(
        code=_text(members["code"], f"{path}/code"),
        game=game,
        ply=None if members["ply"] is None else _whole(members["ply"], f"{path}/ply", 1, _LARGEST),
        line=_whole(members["line"], f"{path}/line", 1, 10**15),
        column=_whole(members["column"], f"{path}/column", 1, 10**15),
        token=_text(members["token"], f"{path}/token"),
        choices=tuple(_texts(members["choices"], f"{path}/choices")),
        what=_text(members["what"], f"{path}/what"),
    )


# --- Records ------------------------------------------------------------------------------------------------------


def record_to_json(game: Game) -> Json:
    """A game's start and its events, each with its moment and its author: :meth:`damier.Game.to_json`."""
    return {
        "format": RECORD,
        "version": VERSION,
        "start": game.origin.to_json(),
        "events": [entry.to_json() for entry in game.events],
    }


def record_from_json(data: object) -> Game:
    """The game that a record tells, each event checked to fit: :meth:`damier.Game.from_json`.

    Raises :class:`BadJson`.

    >>> record = record_to_json(Game.start().apply(MoveMade(32, 28), at=1.0, by=Color.WHITE))
    >>> record_from_json(record).board.fen()
    'B:W28,31,33-50:B1-20'
    >>> record["events"][0]["to"] = 33
    >>> record_from_json(record)
    Traceback (most recent call last):
      ...
    damier.notation.json.BadJson: /events/0: 32-33: Your own piece stands on 33; choose an empty square.
    """
    members = _members(data, "", ("format", "version", "start", "events"))
    _expect_format(members, RECORD)
    try:
        game = Game.replay(_start(members["start"], "/start"), ())
    except BadFen as error:
        raise BadJson(code="bad_position", path="/start/fen", cause=error) from error
    for index, each in enumerate(_list(members["events"], "/events")):
        path = f"/events/{index}"
        with _located(path):
            entry = Entry.from_json(_object(each, path))
        _members(each, path, tuple(entry.to_json()), ("lag",) if isinstance(entry.event, MoveMade) else ())
        try:
            game = game.apply(entry.event, at=entry.at, by=entry.by)
        except (IllegalMove, GameError) as error:
            code = "illegal_move" if isinstance(error, IllegalMove) else "refused"
            raise BadJson(code=code, path=path, cause=error) from error
    return game


def _start(data: object, path: str) -> Start:
    members = _members(data, path, ("rules", "fen", "white", "black", "clock", "at"))
    for color in ("white", "black"):
        player = _members(members[color], f"{path}/{color}", ("kind", "name", "level", "id"))
        with _located(f"{path}/{color}"):
            Player.from_json(player)
    with _located(path):
        return Start.from_json(members)


@contextmanager
def _located(path: str) -> Generator[None]:
    """Events and starts know which part of them is wrong, not where they stand themselves."""
    try:
        yield
    except BadEvent as error:
        raise BadJson(code="wrong", path=f"{path}/{error.part}", cause=error) from error


# --- What JSON is made of -----------------------------------------------------------------------------------------


def _wrong(path: str, expected: str, **facts: Any) -> BadJson:
    return BadJson(_WRONG, code="wrong", path=path, expected=expected, **facts)


def _expect_format(members: Mapping[str, object], name: str) -> None:
    if members["format"] != name:
        raise _wrong("/format", _ONE_OF, values=name)
    if whole(members["version"]) != VERSION:
        raise _wrong("/version", _ONE_OF, values=VERSION)


def _object(data: object, path: str) -> Mapping[str, object]:
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in cast("Iterable[object]", data)):
        raise _wrong(path, _AN_OBJECT)
    return cast("Mapping[str, object]", data)


def _members(
    data: object, path: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Mapping[str, object]:
    members = _object(data, path)
    for name in required:
        if name not in members:
            raise BadJson(_MISSING, code="missing", path=path, name=name)
    for name in members:
        if name not in required and name not in optional:
            raise BadJson(_UNKNOWN, code="unknown", path=path, name=name if len(name) <= 40 else name[:40] + "…")
    return members


def _list(data: object, path: str) -> list[object]:
    if not isinstance(data, list):
        raise _wrong(path, _A_LIST)
    return cast("list[object]", data)


def _text(data: object, path: str) -> str:
    if not isinstance(data, str):
        raise _wrong(path, _A_TEXT)
    if HALF_CHARACTER.search(data):
        raise _wrong(path, _WHOLE_CHARACTERS)
    return data


def _texts(data: object, path: str) -> list[str]:
    return [_text(each, f"{path}/{index}") for index, each in enumerate(_list(data, path))]


def _tags(data: object) -> dict[str, str]:
    return {_text(name, "/tags"): _text(value, f"/tags/{name}") for name, value in _object(data, "/tags").items()}


def _whole(data: object, path: str, least: int, most: int) -> int:
    number = whole(data)
    if number is None or not least <= number <= most:
        raise _wrong(path, _A_WHOLE_NUMBER, least=least, most=most)
    return number


def _number(data: object, path: str, least: int, below: int) -> float:
    # Not-a-number is neither above nor below anything.
    if isinstance(data, bool) or not isinstance(data, (int, float)) or not least <= data < below:
        raise _wrong(path, _A_NUMBER, least=least, below=below)
    return float(data)
