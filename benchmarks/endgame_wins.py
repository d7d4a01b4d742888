"""Won positions that are won in play: `python benchmarks/endgame_wins.py --positions 1000 --time 0.1`.

Positions by chance with four pieces that the side to move wins by the tables. Which of them can be won within the draws
of the rule set against best defence the tables' exact play tells; all of these are asked for. The defender is perfect: it
lets a count run out where that is possible, and otherwise resists as long as can be. With `--player tables` it is the
tables that attack, which tells whether they keep their word.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import TYPE_CHECKING

from damier import Board
from damier.engine import Engine, Limit, Tables, Wdl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from damier import Move

    Player = Callable[[Board], Move]

PIECES = 4


def scattered(chance: random.Random, rules: str) -> Iterator[Board]:
    """Positions by chance, all materials alike, both sides having a piece, either to move."""
    while True:
        squares = chance.sample(range(1, 51), PIECES)
        own = chance.randint(1, PIECES - 1)
        sides: list[str] = []
        for letter, held, far in (("W", squares[:own], range(1, 6)), ("B", squares[own:], range(46, 51))):
            marked = ("K" * (square in far or chance.random() < 0.5) + str(square) for square in held)
            sides.append(letter + ",".join(marked))
        yield Board(f"{chance.choice('WB')}:{':'.join(sides)}", rules)


def play(board: Board, player: Player, tables: Tables) -> str:
    """The end of the game between the player, who is to move, and the perfect defender: "won", or how it was not."""
    attacker = board.turn
    board = board.copy()
    while (outcome := board.outcome()) is None:
        move = player(board) if board.turn is attacker else tables.best_move(board)
        assert move is not None
        board.push(move)
    return "won" if outcome.winner is attacker else "lost" if outcome.winner is not None else outcome.rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--time", type=float, default=0.1, help="seconds a move")
    parser.add_argument("--rules", default="official")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--player", choices=("engine", "tables"), default="engine")
    arguments = parser.parse_args()
    tables = Tables.default(arguments.rules)
    engine = Engine(hash_mb=64)
    limit = Limit(time=arguments.time)

    def by_engine(board: Board) -> Move:
        return engine.search(board, limit).best

    def by_tables(board: Board) -> Move:
        move = tables.best_move(board)
        assert move is not None
        return move

    player = by_engine if arguments.player == "engine" else by_tables
    ends: Counter[str] = Counter()
    winnable = 0
    unclear = 0
    start = time.perf_counter()
    for board in scattered(random.Random(arguments.seed), arguments.rules):
        if tables.probe(board) is not Wdl.WIN:
            continue
        in_time = tables.is_won_in_time(board)
        winnable += in_time is True
        unclear += in_time is None
        engine.clear()
        end = play(board, player, tables)
        ends[end] += 1
        if end != "won" and in_time is True:
            print(f"not won: {board.fen()}, a win in {tables.distance(board)}: {end}", flush=True)
        if ends.total() == arguments.positions:
            break
    others = ", ".join(f"{end} {count}" for end, count in ends.most_common() if end != "won")
    print(
        f"{arguments.player}, {arguments.rules}: {ends['won']} of {ends.total()} won positions won; winnable within the "
        f"counts {winnable}, unclear {unclear}; other ends: {others or 'none'}; "
        f"{time.perf_counter() - start:.0f} s at {arguments.time:g} s a move (asked for: all that are winnable)"
    )


if __name__ == "__main__":
    main()
