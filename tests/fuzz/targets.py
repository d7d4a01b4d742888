"""What is fuzzed: each target hands foreign bytes to a reader and checks what comes of it.

A reader gives a value or raises its own typed error, whatever the bytes are; anything else ends the target, and that is
a find. What was read is written and has to be read back as the same.
"""

from __future__ import annotations

import contextlib
import io
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from damier import BadFen, BadPdn, Board, DamierError, Game, IllegalMove, Move
from damier.clock import BadTimeControl, TimeControl
from damier.events import Entry
from damier.notation import dxp, hub
from damier.notation.dxp import BadDxp
from damier.notation.fen import plain_masks, read_fen, write_fen
from damier.notation.hub import BadHub
from damier.notation.json import (
    BadJson,
    game_from_json,
    game_to_json,
    move_from_json,
    move_to_json,
    position_from_json,
    position_to_json,
)
from damier.notation.moves import long_text, move_text, parse_move
from damier.notation.pdn import PdnGame, UnwritablePdn, Visitor, loads, read, scan, write
from damier.record import Start
from damier.refusals import BadEvent
from tests.notation.games import contents

__all__ = ["TARGETS", "Target"]

_LANGUAGES = ("en", "nl", "fr", "de")


@dataclass(frozen=True, slots=True)
class Target:
    """A reader to be fuzzed: ``run`` takes the bytes, of which there are at most ``longest``."""

    run: Callable[[bytes], None]
    longest: int


def _text(data: bytes) -> str:
    # Callers may hand us half characters too.
    return data.decode("utf-8", "surrogateescape")


def _is_told(error: DamierError) -> None:
    """An error is a sentence in every language."""
    for language in _LANGUAGES:
        assert error.sentence(language)


def fen(data: bytes) -> None:
    text = _text(data)
    try:
        setup = read_fen(text)
    except BadFen as error:
        assert error.text == text
        assert error.position is None or 0 <= error.position <= len(text)
        _is_told(error)
        assert plain_masks(text) is None
        return
    assert Board(text).setup() == setup  # which may have gone another, faster way
    written = write_fen(setup)
    assert read_fen(written) == setup
    assert write_fen(read_fen(written)) == written


def _first_board(line: str) -> Board:
    for reader in (Board, hub.read_position, dxp.read_position):
        with contextlib.suppress(BadFen, BadHub, BadDxp):
            return reader(line)
    return Board()


def _told(line: str, board: Board) -> Move | None:
    """The move that one of the readers of moves finds in a line."""
    found = None
    try:
        found = parse_move(board, line)
        assert found in board.legal_moves
        assert parse_move(board, move_text(board, found)) == found
        assert parse_move(board, long_text(found)) == found
    except IllegalMove as error:
        _is_told(error)
    try:
        move = hub.read_move(board, line)
        assert hub.read_move(board, hub.write_move(move)) == move
        found = found or move
    except (BadHub, IllegalMove) as error:
        _is_told(error)
    try:
        message = dxp.read_move(board, line)
        assert dxp.read_move(board, dxp.write_move(*message)) == message
        found = found or message.move
    except (BadDxp, IllegalMove) as error:
        _is_told(error)
    with contextlib.suppress(BadHub, IllegalMove):
        hub.read_moves(board, line)
    return found


def moves(data: bytes) -> None:
    """A position as FEN, Hub or DamExchange text, then a move a line in any of their forms; legal ones are played."""
    first, *lines = _text(data).split("\n")
    for protocol, error_type in ((hub, BadHub), (dxp, BadDxp)):
        try:
            board = protocol.read_position(first)
            assert protocol.read_position(protocol.write_position(board)).position == board.position
            assert hub.read_position(hub.write_position(board, version=1)).position == board.position
        except error_type as error:
            _is_told(error)
    board = _first_board(first)
    for line in lines[:100]:
        if (move := _told(line, board)) is not None:
            board.push(move)


class _Dribble(io.BytesIO):
    """A source that gives a few bytes at a time, as a slow connection does."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(61 if size is None or size < 0 else min(size, 61))


def _known(source: io.BytesIO) -> list[object]:
    return [_said(game) for game in read(source)]


def _said(game: PdnGame) -> object:
    return contents(game), game.skipped and game.skipped.code, [str(error) for error in game.errors]


def _reads_slow_sources(data: bytes, games: list[PdnGame]) -> None:
    assert _known(_Dribble(data)) == list(map(_said, games))


def _scans(data: bytes, games: list[PdnGame]) -> None:
    assert scan(io.BytesIO(data), Visitor()) == len(games)


def _is_strict(data: bytes, games: list[PdnGame]) -> None:
    faults = [str(error) for game in games for error in game.errors]
    try:
        for _ in read(io.BytesIO(data), strict=True):
            pass
        assert not faults
    except BadPdn as error:
        assert str(error) == faults[0]


def _is_read_as_written(_: bytes, games: list[PdnGame]) -> None:
    for game in games:
        try:
            text = write(game)
        except UnwritablePdn as error:
            _is_told(error)
            continue
        if game.skipped or any(error.code == "bad_fen" for error in game.errors):
            continue  # what it starts from is not known
        (again,) = loads(text, rules=game.rules)
        assert again.errors == []
        if not game.errors:  # else what was said about a move that is given up may belong to another one now
            assert write(again) == text
        assert [node.move for node in again.main_line()] == [node.move for node in game.main_line()]


_CHECKS = (_reads_slow_sources, _scans, _is_strict, _is_read_as_written, _is_read_as_written)


def pdn(data: bytes) -> None:
    games = list(read(io.BytesIO(data)))
    for game in games:
        for error in game.errors:
            assert error.game == game.number
            assert min(error.line, error.column, error.ply or 1) >= 1
            _is_told(error)
    # One of the checks for each input: many inputs in the time are worth more than all checks of a few.
    _CHECKS[zlib.crc32(data) % len(_CHECKS)](data, games)


def clocks(data: bytes) -> None:
    text = _text(data)
    try:
        control = TimeControl.from_pdn(text)
    except BadTimeControl as error:
        _is_told(error)
        return
    if control is not None:
        assert TimeControl.from_pdn(control.to_pdn()) == control


def _values(data: bytes) -> list[Any]:
    """The JSON values of the lines; what is no JSON is left out."""
    found: list[Any] = []
    for line in data.split(b"\n")[:200]:
        # Python's own reader refuses very long numbers and deep nesting in its own way.
        with contextlib.suppress(ValueError, RecursionError):
            found.append(json.loads(line))
    return found


def _again(value: object) -> object:
    return json.loads(json.dumps(value, allow_nan=False))


def game(data: bytes) -> None:
    """A game as JSON: its start in a line, then an event a line, applied if the rules of the game allow."""
    first, *entries = _values(data) or [None]
    try:
        start = Start.from_json(first)
        assert Start.from_json(_again(start.to_json())) == start
        game = Game.replay(start, ())
    except DamierError as error:
        _is_told(error)
        return
    for value in entries:
        try:
            entry = Entry.from_json(value)
        except BadEvent as error:
            _is_told(error)
            continue
        assert Entry.from_json(_again(entry.to_json())) == entry
        try:
            game = game.apply(entry.event, at=entry.at, by=entry.by)
        except DamierError as error:
            _is_told(error)
    assert Game.replay(start, game.events) == game
    assert Game.from_json(_again(game.to_json())) == game
    try:
        Game.from_json({"format": "damier.record", "version": 1, "start": first, "events": entries})
    except BadJson as error:
        _is_told(error)


def values(data: bytes) -> None:
    """JSON of a position, a move or a game, a game's entries being a line each so that a change breaks only one."""
    first, *entries = _values(data) or [None]
    if isinstance(first, dict) and entries:
        first = {**first, "nodes": entries}
    try:
        board = position_from_json(first)
        assert position_from_json(_again(position_to_json(board))).position == board.position
    except BadJson as error:
        _is_told(error)
    try:
        move = move_from_json(first)
        assert move_from_json(_again(move_to_json(move))) == move
    except BadJson as error:
        _is_told(error)
    try:
        game = game_from_json(first)
    except BadJson as error:
        _is_told(error)
        return
    told = game_to_json(game)
    assert game_to_json(game_from_json(_again(told))) == told
    with contextlib.suppress(UnwritablePdn):
        write(game)


def talk(data: bytes) -> None:
    """Messages of DamExchange, each with its NUL, as they come through a connection."""
    inbox = dxp.Inbox()
    inbox.feed(data)
    try:
        while (text := inbox.take()) is not None:
            message = dxp.read_message(text)
            assert dxp.read_message(dxp.write_message(message)) == message
            if isinstance(message, dxp.GameRequest):
                assert message.board().legal_moves is not None
    except BadDxp as error:
        assert error.position is None or 0 <= error.position <= len(error.text)
        _is_told(error)


TARGETS = {
    "fen": Target(fen, 1024),
    "moves": Target(moves, 1024),
    "pdn": Target(pdn, 4096),
    "clocks": Target(clocks, 256),
    "game": Target(game, 4096),
    "json": Target(values, 4096),
    "talk": Target(talk, 1024),
}
"""The targets by their names."""
