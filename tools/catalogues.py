"""Compiles the message catalogues: `src/damier/locales/<language>/LC_MESSAGES/damier.po` to `.mo`.

The compiled files are not kept in git. A catalogue is compiled again when its source is newer in content, which the
`.mo` file itself shows: Babel's output depends on nothing but the `.po` file.
"""

from __future__ import annotations

import io
from pathlib import Path

LOCALES = Path("src/damier/locales")


def make(root: Path) -> None:
    """Compile every catalogue whose compiled form is missing or differs; fuzzy entries are left out."""
    for source in sorted((root / LOCALES).glob("*/LC_MESSAGES/*.po")):
        # Babel is wanted only where there is something to compile.
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po

        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parent.parent.name, abort_invalid=True)
        compiled = io.BytesIO()
        write_mo(compiled, catalogue)
        target = source.with_suffix(".mo")
        if not target.is_file() or target.read_bytes() != compiled.getvalue():
            target.write_bytes(compiled.getvalue())


if __name__ == "__main__":
    make(Path(__file__).resolve().parent.parent)
