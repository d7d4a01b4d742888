"""What is kept of a match: a file that grows by one line a pair of games, and the games as PDN.

Whenever the match is broken off, by ``kill -9`` too, the file has all pairs that were finished, and the same match goes
on from there.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from damier.board import Board
from damier.engine.match.appended import Appended
from damier.engine.match.play import PairPlayed
from damier.engine.match.scores import evaluation_of
from damier.engine.match.specs import MatchError
from damier.i18n import N_
from damier.notation.hub import read_move
from damier.notation.pdn import PdnGame, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from damier.engine.match.play import Conditions, Played, Ply
    from damier.engine.match.players import Identity
    from damier.engine.match.schedule import Setup
    from damier.notation.pdn import GameNode

__all__ = ["Record", "limit_text", "to_pdn"]

_KIND: Final = "damier match"
_FORM: Final = 1
_GAME_END: Final = b"*\n\n"
_PDN_END: Final = re.compile(rb'"pdn":([0-9]{1,18})\}\n\Z')

_NO_RECORD = N_("{file} is no record of a match; name another file.")
_OTHER_MATCH = N_("{file} is the record of another match ({what}); name another file.")
_OTHER_BUILD = N_(
    "{file} has games of another build of {name} ({before}, now {now}); they do not count for this one. Name another file."
)
_BAD_LINE = N_("{file}, line {line}: no pair of games.")


class Record:
    """The record of a match in ``NAME.jsonl``, and its games in ``NAME.pdn``."""

    def __init__(self, base: str | os.PathLike[str], setup: Setup, identities: Sequence[Identity]) -> None:
        """Begin the record, or take up one that is there.

        Raises :class:`MatchError` if a file there is no record, or that of another match or other builds, and OSError.
        """
        self.path = Path(f"{os.fspath(base)}.jsonl")
        self.pdn_path = Path(f"{os.fspath(base)}.pdn")
        self._setup = setup
        self._identities = list(identities)
        self.date = datetime.now(UTC).date()
        self._log = Appended(self.path, _KIND)
        try:
            if self._log.is_empty:
                self._log.add(self._header())
            else:
                self._take_up(self._log.first)
            self._pdn = self._opened_pdn()
        except BaseException:
            self._log.close()
            raise

    def _header(self) -> dict[str, object]:
        return {
            _KIND: _FORM,
            "date": self.date.isoformat(),
            "terms": self._terms(),
            "builds": [[each.name, each.build] for each in self._identities],
        }

    def _terms(self) -> dict[str, object]:
        setup = self._setup
        return {
            "players": [player.to_json() for player in setup.players],
            "conditions": setup.conditions.to_json(),
            "openings": [" ".join(opening.moves) for opening in setup.openings],
            "seed": setup.seed,
        }

    def _take_up(self, header: Mapping[str, Any] | None) -> None:
        try:
            if header is None:
                raise ValueError
            form, terms, builds = header[_KIND], header["terms"], header["builds"]
            self.date = datetime.fromisoformat(header["date"]).date()
        except (ValueError, KeyError, TypeError):
            raise MatchError(_NO_RECORD, code="no_record", file=str(self.path)) from None
        ours: dict[str, Any] = json.loads(json.dumps(self._terms()))
        other = [name for name in ours if terms.get(name) != ours[name]]
        if form != _FORM or other:
            raise MatchError(_OTHER_MATCH, code="other_match", file=str(self.path), what=", ".join(other))
        for name, before, now in zip(self._setup.names, builds, self._identities, strict=True):
            if before != [now.name, now.build]:
                raise MatchError(
                    _OTHER_BUILD,
                    code="other_build",
                    file=str(self.path),
                    name=name,
                    before=" ".join(before),
                    now=f"{now.name} {now.build}",
                )

    def pairs(self) -> Iterator[PairPlayed]:
        """The pairs that are there."""
        for line, document in self._log.documents():
            try:
                yield PairPlayed.from_json(document)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise MatchError(_BAD_LINE, code="bad_record", file=str(self.path), line=line) from None

    def add(self, pair: PairPlayed) -> None:
        """Keep a pair: it is on the disk when this returns."""
        self._pdn.write(self._pdn_of(pair))
        self._pdn.flush()
        self._log.add({**pair.to_json(), "pdn": self._pdn.tell()})

    def close(self) -> None:
        """Close both files."""
        self._log.close()
        self._pdn.close()

    def _opened_pdn(self) -> IO[bytes]:
        """The PDN file with the games of the record, to be added to; made anew if it is not as the record left it."""
        end = self._pdn_end()
        with contextlib.suppress(OSError):
            file = self.pdn_path.open("r+b")
            file.seek(max(0, end - len(_GAME_END)))
            if end and file.read(len(_GAME_END)) == _GAME_END:
                file.truncate(end)
                return file
            file.close()
        part = self.pdn_path.with_name(f".{self.pdn_path.name}.part")
        file = part.open("wb")
        try:
            for pair in self.pairs():
                file.write(self._pdn_of(pair))
            file.flush()
            part.replace(self.pdn_path)
        except BaseException:
            file.close()
            part.unlink()
            raise
        return file

    def _pdn_end(self) -> int:
        """How far the PDN file had grown with the last pair of the record; 0 where that is not told."""
        told = _PDN_END.search(self._log.tail())
        return int(told[1]) if told is not None else 0

    def _pdn_of(self, pair: PairPlayed) -> bytes:
        setup = self._setup
        games = (
            to_pdn(game, pair, number, setup, self._identities, self.date.isoformat())
            for number, game in enumerate(pair.games, 1)
        )
        return "".join(write(game) + "\n" for game in games).encode()


def limit_text(conditions: Conditions, own: object = None) -> str:
    """What a move or a game may take, in words.

    >>> from damier.engine import Limit
    >>> from damier.engine.match import Conditions, MatchClock
    >>> limit_text(Conditions(Limit(time=0.5, depth=9))), limit_text(Conditions(clock=MatchClock(60, 1)))
    ('0.5 seconds, depth 9 a move', '60+1 seconds a game')
    """
    if own is None and conditions.clock is not None:
        return f"{conditions.clock} seconds a game"
    limit = own or conditions.limit
    parts = [
        text
        for value, text in (
            (getattr(limit, "time"), f"{getattr(limit, 'time')} seconds"),  # noqa: B009
            (getattr(limit, "nodes"), f"{getattr(limit, 'nodes')} nodes"),  # noqa: B009
            (getattr(limit, "depth"), f"depth {getattr(limit, 'depth')}"),  # noqa: B009
        )
        if value is not None
    ]
    return f"{', '.join(parts)} a move"


def to_pdn(
    game: Played, pair: PairPlayed, number: int, setup: Setup, identities: Sequence[Identity], date: str
) -> PdnGame:
    """A game with its players, what they are and what they might use as tags, and what they thought of it as comments."""
    places = {"White": pair.players[game.white], "Black": pair.players[1 - game.white]}
    conditions = setup.conditions
    tags = {
        "Event": " - ".join(setup.names) if len(setup.names) == 2 else f"Tournament of {len(setup.names)}",
        "Date": date.replace("-", "."),
        "Round": f"{pair.index + 1}.{number}",
        "White": setup.names[places["White"]],
        "Black": setup.names[places["Black"]],
        "Result": f"{game.points}-{2 - game.points}",
        "GameType": "20",
        "Termination": game.reason,
    }
    for color, place in places.items():
        identity = identities[place]
        tags[f"{color}Engine"] = " ".join(filter(None, (identity.name, identity.build)))
        player = setup.players[place]
        tags[f"{color}Limit"] = "its own" if player.kind == "dxp" else limit_text(conditions, player.limit)
    if conditions.clock is not None:
        tags["TimeControl"] = str(conditions.clock)
    tags = {name: _printable(value) for name, value in tags.items()}
    board = Board(rules=conditions.rules)
    pdn = PdnGame(tags, board)
    node: GameNode = pdn.root
    for text in game.opening:
        node = node.attach(board.push(read_move(board, text)))
    for ply in game.plies:
        white_moves = board.turn.letter == "W"
        node = node.attach(board.push(read_move(board, ply.move)))
        _annotate(node, ply, white_moves)
    if game.said:
        node.comments.append(_printable(game.said).replace("}", ")"))
    return pdn


def _annotate(node: GameNode, ply: Ply, is_white: bool) -> None:
    node.elapsed = round(ply.time, 3)
    if ply.score is None:
        return
    node.evaluation = evaluation_of(ply.score, is_white)
    node.comments.append(f"depth {ply.depth}, {ply.nodes} nodes")


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
