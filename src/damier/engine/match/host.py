"""One player of a match in a process of its own; started as a script by the interpreter whose engine is to play.

It uses nothing of the package but what every version of it has, so that one version can play against another. It
speaks JSON, one document a line: it is told what it is as its argument, says ``ready``, and then answers ``clear`` and
``search``. ``stop`` ends a search, and the end of its input the process, in the midst of a search too.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import queue
import sys
import threading
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import damier
from damier.engine import Engine, Limit, choose
from damier.notation.hub import read_move, write_move

_NAMES = {"hash": "hash_mb"}
"""Settings that have another name in the engine's constructor."""
_LIMITS = {field.name for field in fields(Limit)}
_FORCED_DEPTH = 4
"""How deep a single legal move is looked at in a match by time: enough for a score; ``damier hub`` does the same."""
_LONGEST_SAID = 200
_OTHERS = ("match", "hub", "dxp", "streams", "analy", "__pycache__")
"""What beside the engine lies in its folder, by how it begins: it changes no move."""


class Refused(Exception):
    """The engine cannot be made as it is asked for."""


def main() -> None:
    send = _sender()
    told = json.loads(sys.argv[1])
    try:
        host = Host(told["kind"], told["target"], told["settings"])
    except Refused as error:
        send({"refused": str(error)})
        return
    except Exception as error:
        send({"refused": _said(error)})
        return
    send({"ready": {"name": host.name, "build": host.build}})
    tasks: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks, host), daemon=True).start()
    while True:
        task = tasks.get()
        try:
            if "search" in task:
                send({"found": host.search(task["search"])})
            elif "clear" in task:
                host.clear()
                send({"cleared": True})
        except Exception as error:
            send({"failed": _said(error)})


def _said(error: Exception) -> str:
    """An error in one line that is not too long."""
    line = f"{type(error).__name__}: {error}".partition("\n")[0]
    return line if len(line) <= _LONGEST_SAID else f"{line[:_LONGEST_SAID]}…"


def _sender() -> Any:
    """What writes a document to where the output was; whatever else is printed goes to standard error from now on."""
    out = os.dup(1)
    os.dup2(2, 1)

    def send(document: dict[str, Any]) -> None:
        data = memoryview(json.dumps(document).encode() + b"\n")
        while data:
            data = data[os.write(out, data) :]

    return send


def _listen(tasks: queue.SimpleQueue[dict[str, Any]], host: Host) -> None:
    for line in sys.stdin.buffer:
        task = json.loads(line)
        if "stop" in task:
            host.stop()
        else:
            tasks.put(task)
    os._exit(0)  # nobody is there any more


class Host:
    """The engine, and the board as far as it was told."""

    def __init__(self, kind: str, target: str, settings: dict[str, Any]) -> None:
        self._board = damier.Board()
        self._level: int | None = None
        self._is_ours = kind != "object"
        if kind == "object":
            self._engine, self.name, self.build = _made(target, settings)
        else:
            level = settings.pop("level", None)
            if level is not None:
                self._level = level
            weights = settings.pop("weights", None)
            arguments = {_NAMES.get(name, name): value for name, value in settings.items()}
            _expect_known(Engine, arguments, "the engine of this damier")
            self.name, self.build = f"Damier {version('damier')}", _fingerprint()
            if weights is not None:
                arguments["evaluation"] = _evaluation(weights)
                self.build += f"+{hashlib.sha256(Path(weights).read_bytes()).hexdigest()[:12]}"
            self._engine = Engine(**arguments)
            if level is not None:
                choose(self._engine, damier.Board("W:W31:B1"), level, 0)  # is there this level?

    def search(self, asked: dict[str, Any]) -> dict[str, Any]:
        if "fen" in asked:
            self._board = damier.Board(asked["fen"], asked["rules"])
        board = self._board
        while board.ply > asked["ply"]:
            board.pop()
        for text in asked["moves"]:
            board.push(read_move(board, text))
        # what an older version does not know is finer than time, nodes and depth, which end its search all the same
        limits: dict[str, Any] = {name: asked["limit"][name] for name in _LIMITS & asked["limit"].keys()}
        if self._is_ours and "time" in limits and not asked["line"] and len(board.legal_moves) == 1:
            limits["depth"] = min(limits.get("depth", _FORCED_DEPTH), _FORCED_DEPTH)
        limit = Limit(**limits)
        if self._level is not None:
            timed = {"clock": limit} if limit.time is not None and _takes(choose, "clock") else {}
            move = choose(self._engine, board, self._level, asked["seed"], **timed)
            return {"move": write_move(move), "score": None, "depth": 0, "nodes": 0, "line": []}
        found: Any = self._engine.search(board, limit)
        line = [write_move(move) for move in found.pv] if asked["line"] else []
        return {
            "line": line,
            "move": write_move(found.best),
            "score": _score(found.score),
            "depth": found.depth,
            "nodes": found.nodes,
        }

    def clear(self) -> None:
        clear = getattr(self._engine, "clear", None)
        if clear is not None:
            clear()

    def stop(self) -> None:
        stop = getattr(self._engine, "stop", None)
        if stop is not None:
            stop()


def _takes(make: Any, name: str) -> bool:
    return name in inspect.signature(make).parameters


def _score(score: Any) -> tuple[str, int] | None:
    if score is None:
        return None
    if score.win_in is not None:
        return "win", score.win_in
    if score.loss_in is not None:
        return "loss", score.loss_in
    return "centi", score.centi_men


def _made(target: str, settings: dict[str, Any]) -> tuple[Any, str, str]:
    """What ``file.py:Name`` or ``module:Name`` makes with these settings, its name, and a digest of its file."""
    place, _, name = target.rpartition(":")
    if not place:
        raise Refused(f"{target!r} is no file or module with a name in it, such as peers.py:Peer")
    if place.endswith(".py"):
        path = Path(place).resolve()
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise Refused(f"there is no file {place}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    make = getattr(module, name, None)
    if make is None:
        raise Refused(f"{place} has no {name}")
    _expect_known(make, settings, target)
    made = make(**settings)
    file = getattr(module, "__file__", None)
    digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else ""
    return made, str(getattr(made, "name", "") or name), digest


def _evaluation(weights: str) -> Any:
    """The evaluation with the weights of a file, if the engine has had such files yet."""
    read = getattr(importlib.import_module("damier.engine.evaluation"), "read_evaluation", None)
    if read is None:
        raise Refused("the engine of this damier has no setting weights")
    return read(weights)


def _expect_known(make: Any, arguments: dict[str, Any], what: str) -> None:
    parameters = inspect.signature(make).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    for name in arguments:
        if name not in parameters:
            raise Refused(f"{what} has no setting {name}; it has {', '.join(parameters) or 'none'}")


def _fingerprint() -> str:
    """A digest of all that decides how the engine plays: another build has another one."""
    folder = Path(damier.__file__).parent / "engine"
    kernel: str = importlib.import_module("damier._kernel").__file__ or ""
    files = [Path(kernel)]
    files += sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(_OTHERS)
    )
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


if __name__ == "__main__":
    main()
