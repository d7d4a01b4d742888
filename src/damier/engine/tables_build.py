"""Making and verifying endgame tables."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from damier._kernel import EndgameTables, table_positions
from damier.engine.tables_file import BadTables, TableFile, read_tables, write_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from damier.engine.tables_file import Content, Moves

__all__ = ["MOST_PIECES", "Material", "build", "materials"]

MOST_PIECES = 6


@dataclass(frozen=True, slots=True)
class Material:
    """What is on the board, the side to move first: kings and men of each.

    >>> Material(1, 1, 0, 2)
    Material('KMvMM')
    >>> Material(1, 1, 0, 2).mirrored, Material(0, 2, 1, 0).entries
    (Material('MMvKM'), 47520)
    """

    kings: int
    men: int
    opponent_kings: int
    opponent_men: int

    @property
    def name(self) -> str:
        """As files are called: "KMvMM"."""
        return "K" * self.kings + "M" * self.men + "v" + "K" * self.opponent_kings + "M" * self.opponent_men

    @property
    def mirrored(self) -> Material:
        """The same with the other side to move."""
        return Material(self.opponent_kings, self.opponent_men, self.kings, self.men)

    @property
    def own(self) -> int:
        """How many pieces the side to move has."""
        return self.kings + self.men

    @property
    def opponent(self) -> int:
        """How many the other side has."""
        return self.opponent_kings + self.opponent_men

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return self.own + self.opponent

    @property
    def pair(self) -> tuple[Material, ...]:
        """This and the mirrored one, which are solved together: once if they are the same."""
        return (self,) if self == self.mirrored else (self, self.mirrored)

    @property
    def entries(self) -> int:
        """How many entries its table has: no fewer than there are positions."""
        return table_positions(self.name)

    def __repr__(self) -> str:
        return f"Material({self.name!r})"


def materials(pieces: int) -> Iterator[list[Material]]:
    """Of each mirrored pair with so many pieces one, in groups: what a group leads to stands in earlier ones.

    >>> list(materials(2))
    [[Material('KvK')], [Material('MvK')], [Material('MvM')]]
    """
    for men in range(pieces + 1):
        yield [
            material
            for kings in range(pieces - men + 1)
            for own_men in range(men + 1)
            for material in [Material(kings, own_men, pieces - men - kings, men - own_men)]
            if material.own and material.opponent and material.name >= material.mirrored.name
        ]


class _Stopped(Exception):
    """The thread that waits has been interrupted."""


def build(
    pieces: int,
    moves: Moves,
    folder: Path,
    *,
    distances: bool = False,
    all_materials: bool = False,
    jobs: int | None = None,
    tell: Callable[[Material, float], object] | None = None,
) -> None:
    """Makes the tables for up to ``pieces`` pieces that the package does not bring, and leaves them in ``folder``.

    ``distances``: those too, which makes files four times larger besides. ``all_materials``: makes those of the package
    too, and uses none of them. ``jobs``: how many materials at once, by default one for each core. ``tell`` is called
    now and then, in any thread, with which share of a material and its mirror image is done; 1.0 comes once for each.

    What an earlier call has left there is not made again, unless it is damaged. Ctrl-C ends it after a moment, and the
    materials that were begun will be begun anew. Raises OSError if the folder cannot be written.
    """
    tell = tell or (lambda material, share: None)
    known = EndgameTables(moves == "crown-and-continue")
    if not all_materials:
        from damier.engine.tables import shipped

        for content in _contents(distances):
            _add(known, shipped(moves, content))
    first = (known.pieces_with_distance if distances else known.pieces) + 1
    stop = Event()
    folder = folder / moves
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        for count in range(max(first, 2), pieces + 1):
            for group in materials(count):
                work = [
                    pool.submit(_build_one, known, each, moves, folder, distances, stop, tell)
                    for each in sorted(group, key=lambda each: -each.entries)
                ]
                try:
                    while wait(work, timeout=0.2, return_when=FIRST_EXCEPTION).not_done:
                        if any(each.done() and each.exception() for each in work):
                            break
                    for each in work:
                        if each.done():
                            each.result()
                except BaseException:
                    stop.set()
                    pool.shutdown(cancel_futures=True)
                    raise
                for each in work:
                    for tables in each.result():
                        _add(known, tables)


def _build_one(
    known: EndgameTables,
    material: Material,
    moves: Moves,
    folder: Path,
    distances: bool,
    stop: Event,
    tell: Callable[[Material, float], object],
) -> list[TableFile]:
    def step(share: float) -> None:
        if stop.is_set():
            raise _Stopped
        tell(material, min(share, 0.99))

    step(0.0)
    wanted: list[tuple[Path, Content]] = []
    for content in _contents(distances):
        for each in material.pair:
            wanted.append((folder / f"{each.name}.{content}", content))  # noqa: PERF401 - says the types
    if not all(_is_whole(file, moves, content) for file, content in wanted):
        for name, values, exact in known.solve(material.name, distances, step):
            made: list[tuple[Content, bytes | None]] = [("wdl", values), ("distance", exact)]
            for content, table in made:
                if table is not None:
                    tables = TableFile(moves, content, True, {name: memoryview(table)})
                    write_tables(folder / f"{name}.{content}", tables)
    tell(material, 1.0)
    return [read_tables(file, moves, content, check=False) for file, content in wanted]


def _is_whole(file: Path, moves: Moves, content: Content) -> bool:
    """Whether an earlier run has left the file, and nothing has happened to it since."""
    try:
        read_tables(file, moves, content)
    except (FileNotFoundError, BadTables):
        return False
    return True


def _contents(distances: bool) -> tuple[Content, ...]:
    return ("wdl", "distance") if distances else ("wdl",)


def _add(known: EndgameTables, tables: TableFile) -> None:
    for name, table in tables.tables.items():
        known.add(name, table, distances=tables.content == "distance", complete=tables.complete)
