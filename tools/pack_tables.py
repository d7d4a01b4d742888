"""Makes the endgame tables that the package brings: `python tools/pack_tables.py [FOLDER]`.

In FOLDER (default: `build/tables`) all tables up to four pieces are made anew, with distances, under both ways to move,
and verified position by position; then they are packed into `src/damier/engine/data`. Of crown and continue the
differences from the other tables are stored. The same sources make the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from damier._kernel import EndgameTables
from damier.engine.tables_build import build, materials
from damier.engine.tables_file import TableFile, read_tables, write_tables

if TYPE_CHECKING:
    from damier.engine.tables_file import Content, Moves

DATA = Path(__file__).resolve().parent.parent / "src" / "damier" / "engine" / "data"
PIECES = 4
CONTENTS: tuple[Content, ...] = ("wdl", "distance")


def _names() -> list[str]:
    pairs = [each.pair for count in range(2, PIECES + 1) for group in materials(count) for each in group]
    return [material.name for pair in pairs for material in pair]


def _packed(moves: Moves, folder: Path) -> dict[Content, TableFile]:
    """The tables with what probing never looks at made like its neighbours."""
    build(PIECES, moves, folder, distances=True, all_materials=True)
    known = EndgameTables(moves == "crown-and-continue")
    for name in _names():
        for content in CONTENTS:
            tables = read_tables(folder / moves / f"{name}.{content}", moves, content).tables
            known.add(name, tables[name], distances=content == "distance")
    for name in _names():
        for exact in (False, True):
            if known.find_fault(name, exact) is not None:
                raise SystemExit(f"{moves}, {name}: a fault")
    packed: dict[Content, TableFile] = {}
    for content in CONTENTS:
        tables = {name: memoryview(known.smoothed(name, content == "distance")) for name in _names()}
        packed[content] = TableFile(moves, content, False, tables)
    return packed


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/tables")
    international = _packed("international", folder)
    club = _packed("crown-and-continue", folder)
    for content in CONTENTS:
        write_tables(DATA / f"international.{content}", international[content], compressed=True)
        base = international[content]
        write_tables(DATA / f"crown-and-continue.{content}", club[content], compressed=True, base=base)
    for file in sorted(DATA.iterdir()):
        print(f"{file.name}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
