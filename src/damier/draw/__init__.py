"""Pictures of a board: SVG and text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from damier.draw import svg as svg
    from damier.draw import text as text

_MODULES = ("svg", "text")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
