"""A board as PNG: the SVG picture, painted by resvg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from damier.cli.status import needs

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["png"]


def png(svg: str) -> bytes:
    """The picture as PNG, as large as it says itself.

    The page's own typeface is used and none of the machine's, so that the picture is the same everywhere.
    """
    try:
        import resvg_py
        from fontpkg_source_sans_3 import ROOT  # pyright: ignore[reportMissingTypeStubs]
    except ModuleNotFoundError as missing:
        raise needs("PNG pictures", missing, "cli") from missing
    fonts: Path = ROOT / "files"
    return resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=[str(fonts / "SourceSans3[wght].ttf")]
    )
