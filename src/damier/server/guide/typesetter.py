"""Sets a leaflet: as a process of its own, what it tells goes in as JSON and comes out as PDF.

``python -m damier.server.guide.typesetter <told.json >leaflet.pdf``

Typst keeps what it has set in memory, a hundred megabytes of it by and by; a process that ends gives them back, and
takes nothing of the server with it if the typesetter breaks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parent.parent / "templates" / "leaflet.typ"


def typeset(told: str) -> bytes:
    """Set what a leaflet tells (:func:`damier.server.guide.leaflet.content` as JSON).

    Raises RuntimeError if it does not fit on four sides in letters that can be read.
    """
    import typst
    from fontpkg_source_sans_3 import ROOT as SANS  # pyright: ignore[reportMissingTypeStubs]
    from fontpkg_source_serif_4 import ROOT as SERIF  # pyright: ignore[reportMissingTypeStubs]

    folders = [str(folder / "files") for folder in (SANS, SERIF)]
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)
    compiler = typst.Compiler(font_paths=fonts)
    pdf = compiler.compile(SOURCE.read_bytes(), format="pdf", sys_inputs={"content": told}, pdf_standards="ua-1")
    if not isinstance(pdf, bytes):
        raise TypeError("a leaflet is one file")
    return pdf


if __name__ == "__main__":
    sys.stdout.buffer.write(typeset(sys.stdin.buffer.read().decode()))
