"""Reading PDN games and checking every move, against py-draughts and pydraughts: `python benchmarks/pdn_read.py`.

The games are the 10x10 games of the folder ``DAMIER_PDN``, else of ``../shared/pdn`` beside the project. Both peers are
packages of one name, so each runs in a process of its own; pydraughts is looked for in the folder ``PYDRAUGHTS``, else
in ``pydraughts`` beside this Python's environment, where ``pip install --target`` puts it. Each round a peer reads once
each game that it can read, or every n-th if that takes too long; Damier reads the same games repeated to 20,000, and the
ratio is that of games a second.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from compare import report, seconds

import damier
from damier.notation.pdn import BadPdn, Visitor, read, scan

GAMES = 20_000
AT_LEAST = 50
PLIES_A_SECOND = 150_000
ROUNDS = 5
PATIENCE = 5  # seconds that a peer's round takes at most, about

FOLDER = Path(os.environ.get("DAMIER_PDN") or Path(__file__).resolve().parents[2] / "shared" / "pdn")
PYDRAUGHTS = Path(os.environ.get("PYDRAUGHTS") or Path(sys.prefix) / "pydraughts")


class Ends(Visitor):
    """Of each game the number of plies and the position at the end, None if it is not read to its end."""

    def __init__(self) -> None:
        self.games: list[tuple[int, str] | None] = []
        self._board: damier.Board | None = None
        self._is_whole = True

    def begin_game(self, number: int) -> None:
        self._board, self._is_whole = None, True

    def begin_moves(self, board: damier.Board) -> None:
        self._board = board

    def setup(self, board: damier.Board) -> None:
        self._board = board

    def skipped(self, note: BadPdn) -> None:
        self._is_whole = False

    def error(self, error: BadPdn) -> None:
        self._is_whole = False

    def end_game(self) -> None:
        board = self._board
        self.games.append((board.ply, board.fen()) if board is not None and self._is_whole and board.ply else None)


class Plies(Visitor):
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def move(self, board: damier.Board, move: damier.Move, text: str) -> None:
        self.count += 1


def end_of(text: str) -> tuple[int, str] | None:
    ends = Ends()
    return ends.games[0] if scan(io.StringIO(text), ends) == 1 else None


def game_texts() -> list[str]:
    """The texts of the games on the large board: a game begins with a line of tags that follows none."""
    texts: list[str] = []
    for path in sorted(FOLDER.glob("*.pdn")):
        lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
        game: list[str] = []
        in_tags = True
        for line in lines:
            is_tag = line.startswith("[")
            if is_tag and not in_tags:
                texts.append("".join(game).strip() + "\n\n")
                game = []
            in_tags = is_tag or (in_tags and not line.strip())
            game.append(line)
        texts.append("".join(game).strip() + "\n\n")
    return [text for text in texts if end_of(text)]


# --- A peer, in a process of its own ------------------------------------------------------------------------------


class Peer:
    """The other process: it reads the games it is given, says what it read, and then how long each round takes."""

    def __init__(self, name: str, path: Path | None) -> None:
        environment = dict(os.environ)
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        self.process = subprocess.Popen(
            [sys.executable, __file__, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, question: object) -> object:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def serve(name: str) -> None:
    """The peer's side: the first question is a list of games, each further one the numbers of those to read again."""
    read_one = py_draughts_reader() if name == "py-draughts" else pydraughts_reader()
    games: list[str] = json.loads(sys.stdin.readline())
    ends: list[object] = []
    for game in games:
        try:
            ends.append(read_one(game))
        except Exception:  # whatever it is: this peer cannot read this game
            ends.append(None)
    print(json.dumps(ends), flush=True)
    for line in sys.stdin:
        chosen = [games[number] for number in json.loads(line)]
        begin = perf_counter()
        for game in chosen:
            read_one(game)
        print(json.dumps(perf_counter() - begin), flush=True)


def py_draughts_reader():
    import draughts

    def read_one(text: str) -> tuple[int, str]:
        board = draughts.Board.from_pdn(text)
        return len(board._moves_stack), board.fen.removeprefix('[FEN "').removesuffix('"]')

    return read_one


def pydraughts_reader():
    from draughts import Board, Move
    from draughts.PDN import PDNReader

    def read_one(text: str) -> tuple[int, str]:
        game = PDNReader(pdn_text=text).games[0]
        board = Board(variant="standard", fen=game.tags.get("FEN", "startpos"))
        for move in game.moves:
            board.push(Move(board, pdn_move=move))
        return len(game.moves), board.fen

    return read_one


def compare(name: str, path: Path | None, texts: list[str], folder: Path) -> None:
    peer = Peer(name, path)
    told = peer.ask(texts)
    assert isinstance(told, list)
    chosen = [number for number, end in enumerate(told) if end is not None]
    differing = [number for number in chosen if not is_same(told[number], end_of(texts[number]))]
    print(f"{name} reads {len(chosen)} of {len(texts)} games; {len(differing)} of them end otherwise than in Damier")
    for number in differing[:5]:
        print(f"    {told[number]} and {end_of(texts[number])}: {texts[number][:200]!r}")
    taken = peer.ask(chosen)
    assert isinstance(taken, float)
    chosen = chosen[:: max(1, round(taken / PATIENCE))]
    file = folder / f"{name}.pdn"
    repeated = [texts[number] for number in chosen] * -(-GAMES // len(chosen))
    file.write_text("".join(repeated[:GAMES]), encoding="utf-8")
    share = len(chosen) / GAMES

    def theirs() -> float:
        taken = peer.ask(chosen)
        assert isinstance(taken, float)
        return taken

    what = f"{len(chosen)} of {GAMES} games"
    report(f"Scanned, {what}", lambda: seconds(lambda: scan(file, Visitor())) * share, name, theirs, AT_LEAST, ROUNDS)
    report(
        f"Read as trees, {what}",
        lambda: seconds(lambda: sum(1 for _ in read(file))) * share,
        name,
        theirs,
        AT_LEAST,
        ROUNDS,
    )
    peer.close()


def is_same(theirs: tuple[int, str], ours: tuple[int, str] | None) -> bool:
    return ours is not None and theirs[0] == ours[0] and damier.Board(theirs[1]).fen() == ours[1]


def main() -> None:
    if not FOLDER.is_dir():
        raise SystemExit(f"There are no games in {FOLDER}; name their folder in DAMIER_PDN.")
    texts = game_texts()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "all.pdn"
        file.write_text("".join((texts * -(-GAMES // len(texts)))[:GAMES]), encoding="utf-8")
        plies = Plies()
        taken = sorted(seconds(lambda: scan(file, plies)) for _ in range(ROUNDS))[ROUNDS // 2]
        a_second = plies.count / ROUNDS / taken
        print(f"Scanning {GAMES} games: {a_second:,.0f} plies a second (asked for: {PLIES_A_SECOND:,})", flush=True)
        compare("py-draughts", None, texts, Path(folder))
        if PYDRAUGHTS.is_dir():
            compare("pydraughts", PYDRAUGHTS, texts, Path(folder))
        else:
            print(f"pydraughts is not in {PYDRAUGHTS}: pip install --target {PYDRAUGHTS} --no-deps pydraughts")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1])
    else:
        main()
