"""Probes a second of endgame tables mapped into memory, random positions: `python benchmarks/tables.py`.

There is no peer in this: the figure asked for is a million a second a thread. The positions are of all materials with so
many pieces, in no order, either side to move, captures included; the time is the kernel's, without Python's.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from damier.engine import Tables
from damier.engine.tables import shipped
from damier.engine.tables_file import TableFile, write_tables

ROUNDS = 7
PROBES = 1_000_000
AT_LEAST = 1e6
THREADS = 2


def unpacked(folder: Path) -> Tables:
    """The tables of the package as files that can be mapped into memory, as ``damier tables build`` leaves them."""
    tables = shipped("international", "wdl")
    for name, table in tables.tables.items():
        part = TableFile(tables.moves, tables.content, tables.complete, {name: table})
        write_tables(folder / tables.moves / f"{name}.wdl", part)
    return Tables.open(folder)


def rate(tables: Tables, pieces: int, seed: int) -> float:
    return PROBES / tables.kernel.seconds_to_probe(pieces, PROBES, seed)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(THREADS) as pool:
        tables = unpacked(Path(folder))
        for pieces in range(2, tables.pieces + 1):
            rates = sorted(rate(tables, pieces, seed) for seed in range(ROUNDS))
            print(
                f"probes a second, {pieces} pieces, one thread: {median(rates) / 1e6:.2f} million "
                f"(asked for: over {AT_LEAST / 1e6:g}; {ROUNDS} rounds from {rates[0] / 1e6:.2f} to {rates[-1] / 1e6:.2f})",
                flush=True,
            )
        both = median(
            sum(pool.map(rate, [tables] * THREADS, [tables.pieces] * THREADS, range(seed, seed + THREADS)))
            for seed in range(ROUNDS)
        )
        print(f"probes a second, {tables.pieces} pieces, {THREADS} threads: {both / 1e6:.2f} million", flush=True)


if __name__ == "__main__":
    main()
