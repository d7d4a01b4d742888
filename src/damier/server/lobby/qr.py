"""A link as a QR code, drawn by ourselves so that it fits the page."""

from __future__ import annotations

from typing import Final

import segno
from markupsafe import Markup

QUIET: Final = 4
"""Modules of empty margin that the standard asks for around a code."""


def qr_svg(link: str) -> Markup:
    """The QR code of a link as an SVG element: dark on light in either colour scheme, or telephones would not read it.

    >>> picture = qr_svg("https://club.example/i/abc")
    >>> picture.startswith('<svg class="qr" viewBox="0 0 ') and "club.example" not in picture
    True
    """
    rows = [list(row) for row in segno.make_qr(link, error="m").matrix]
    size = len(rows) + 2 * QUIET
    modules = "".join(_row(row, y + QUIET) for y, row in enumerate(rows))
    return Markup(  # noqa: S704 (numbers alone)
        f'<svg class="qr" viewBox="0 0 {size} {size}" shape-rendering="crispEdges" aria-hidden="true" focusable="false">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path fill="#1b140e" d="{modules}"/></svg>'
    )


def _row(row: list[int], y: int) -> str:
    """The dark runs of a row as rectangles."""
    path, x = "", 0
    while x < len(row):
        run = 1
        while x + run < len(row) and row[x + run] == row[x]:
            run += 1
        if row[x]:
            path += f"M{x + QUIET} {y}h{run}v1h-{run}z"
        x += run
    return path
