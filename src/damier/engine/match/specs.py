"""Who plays a match, as a short text: ``damier:hash=64``, ``hub:./scan hub``.

==============================  ====================================================================================
``damier``                      ours as it is installed here
``damier:hash=64,threads=2``    ours with settings: those of :class:`damier.engine.Engine`, ``hash`` for ``hash_mb``
``damier:level=5``              ours at a level of strength
``damier:weights=new.xz``       ours with other weights of its learned evaluation
``python:/path/to/python``      the engine of the damier that this interpreter has; settings may follow after a comma
``hub:./scan hub``              a program that speaks version 2 of the Hub protocol, as a command line
``hub[book=false]:./scan hub``  the same with its own parameters
``hub1:./scan20 hub``           the same for version 1
``dxp:127.0.0.1:27531``         a program that plays DamExchange there; settings: those of ``DxpEngine``
``object:peers.py:Peer``        what ``Peer()`` of this file (or module) makes: an object with ``search(board, limit)``
``object[hash_mb=64]:…``        the same, made with these arguments
==============================  ====================================================================================

Every kind takes settings in square brackets behind its name too, and these settings besides its own: ``name`` (what it
is called in the results), ``time``, ``nodes`` and ``depth`` (its own limit for a move, instead of the match's) and, but
for ``hub``, ``hub1`` and ``dxp``, ``python`` (the interpreter that runs it).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from damier.engine.limits import Limit
from damier.errors import EngineError
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["KINDS", "MatchError", "PlayerSpec", "Setting", "named_apart"]

Setting: TypeAlias = str | int | float | bool

KINDS: Final = ("damier", "python", "hub", "hub1", "dxp", "object")
"""The kinds of players."""

_SPEC = re.compile(r"(?P<kind>[a-z0-9]+)(?:\[(?P<settings>[^\]]*)\])?(?::(?P<rest>.*))?", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NO_SPEC = N_("“{spec}” names no player; write {kinds}, and what belongs to it after a colon.")
_NO_COMMAND = N_("“{spec}” names no command line; write it after the colon.")
_NO_OBJECT = N_("“{spec}” names no file or module with an engine; write it after the colon.")
_NO_ADDRESS = N_("“{spec}” names no place where a program plays DamExchange; write host:port after the colon.")
_NO_PYTHON = N_("“{spec}” names no interpreter; write it after the colon.")
_NO_SETTING = N_("“{part}” in “{spec}” is no setting; settings are written as name=value, with commas between them.")
_BAD_LIMIT = N_("“{spec}”: {what}.")

_MISSING: Final = {"hub": _NO_COMMAND, "hub1": _NO_COMMAND, "dxp": _NO_ADDRESS, "object": _NO_OBJECT}
"""What is said where nothing stands behind the colon."""
_ADDRESS = re.compile(r"(?P<host>[^\s:]+|\[[0-9a-fA-F:]+\]):(?P<port>[0-9]{1,5})")


class MatchError(EngineError):
    """A match that cannot be played as it is asked for, or that has to end early. ``code`` names why."""

    def __init__(self, message: str, *, code: str, **facts: object) -> None:
        super().__init__(message, **facts)
        self.code = code


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """Who plays, and how; :meth:`read` makes it from a text.

    ``kind``: one of :data:`KINDS`. ``target``: the command line of ``hub`` and ``hub1``, ``host:port`` of ``dxp``, or what ``object`` makes, as ``file:name``.
    ``settings``: of the engine. ``python``: the interpreter that runs it, empty for this one. ``limit``: its own, if
    it has one. ``name``: what it is called.
    """

    kind: str
    target: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    python: str = ""
    limit: Limit | None = None
    name: str = ""

    @classmethod
    def read(cls, spec: str) -> PlayerSpec:
        """The player that a text names. Raises :class:`MatchError` for a text that names none.

        >>> PlayerSpec.read("damier:level=5,name=Five")
        PlayerSpec(kind='damier', target='', settings={'level': 5}, python='', limit=None, name='Five')
        >>> PlayerSpec.read("hub[tt-size=24,nodes=5000]:./scan hub").limit
        Limit(nodes=5000)
        >>> PlayerSpec.read("python:/opt/old/bin/python,hash=16").settings
        {'hash': 16}
        """
        match = _SPEC.fullmatch(spec.strip())
        if match is None or match["kind"] not in KINDS:
            raise MatchError(_NO_SPEC, code="no_player", spec=spec, kinds=", ".join(KINDS))
        kind, rest = match["kind"], match["rest"] or ""
        settings = dict(_settings(spec, match["settings"] or ""))
        target = python = ""
        if kind in _MISSING:
            target = rest.strip()
            if not target or (kind == "dxp" and not _ADDRESS.fullmatch(target)):
                raise MatchError(_MISSING[kind], code="no_command", spec=spec)
        elif kind == "python":
            python, _, rest = rest.partition(",")
            if not python:
                raise MatchError(_NO_PYTHON, code="no_command", spec=spec)
            settings |= _settings(spec, rest)
        else:
            settings |= _settings(spec, rest)
        name = str(settings.pop("name", "")) or spec.strip()
        if kind in ("damier", "python", "object"):
            python = str(settings.pop("python", python))
        limits = {each: settings.pop(each) for each in ("time", "nodes", "depth") if each in settings}
        try:
            limit = Limit(**limits) if limits else None  # pyright: ignore[reportArgumentType] - it looks at them itself
        except (TypeError, ValueError) as error:
            raise MatchError(_BAD_LIMIT, code="bad_limit", spec=spec, what=str(error)) from error
        return cls("damier" if kind == "python" else kind, target, settings, python, limit, name)

    def to_json(self) -> dict[str, object]:
        """All of it for programs: equal for players that play alike."""
        limit = None if self.limit is None else [self.limit.time, self.limit.nodes, self.limit.depth]
        return {
            "kind": self.kind,
            "target": self.target,
            "settings": dict(self.settings),
            "python": self.python,
            "limit": limit,
            "name": self.name,
        }


def named_apart(players: Iterable[PlayerSpec]) -> list[str]:
    """Names for these players, no two of them alike.

    >>> named_apart(map(PlayerSpec.read, ["damier", "damier:hash=16", "damier"]))
    ['damier', 'damier:hash=16', 'damier (2)']
    """
    names: list[str] = []
    for player in players:
        name, number = player.name, 1
        while name in names:
            number += 1
            name = f"{player.name} ({number})"
        names.append(name)
    return names


def _settings(spec: str, text: str) -> dict[str, Setting]:
    settings: dict[str, Setting] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not _NAME.fullmatch(name) or name in settings:
            raise MatchError(_NO_SETTING, code="no_setting", spec=spec, part=part)
        settings[name] = _value(value)
    return settings


def _value(text: str) -> Setting:
    """
    >>> [_value(text) for text in ("5", "0.5", "true", "false", "scan", "-3", "007x")]
    [5, 0.5, True, False, 'scan', -3, '007x']
    """
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
