"""Graphs as SVG: numbers in, markup out. Pure.

They are drawn in percents of whatever width they get, so that the writing in them has the page's size on a phone and
at a desk alike; what has no writing is stretched. Colours are the style sheet's, by class, so that they follow the
light and the dark scheme; next to each other stand patterns, not colours alone.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import svg
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEIGHT: Final = 200
"""Of the part of a graph that shows something, in CSS pixels."""
FOOT: Final = 24
"""Beneath it, for the writing."""
HEAD: Final = 20
"""Above it, for the writing of the topmost line."""
STRETCHED: Final = 1000
"""The width of what is stretched, in units of its own."""
PATTERNS: Final = ("solid", "stripes", "dots", "hollow")
LEVELS: Final = (1, 2, 4, 7)
"""Games a day from which on a day of the calendar is fuller."""


def steps(most: float, *, least: float = 0.0, lines: int = 4) -> list[float]:
    """Round numbers for the lines of a graph, from at most ``least`` to at least ``most``, about so many.

    >>> steps(87), steps(3), steps(1712, least=1488)
    ([0.0, 50.0, 100.0], [0.0, 1.0, 2.0, 3.0], [1400.0, 1500.0, 1600.0, 1700.0, 1800.0])
    """
    wanted = max(most - least, 1e-9) / max(lines - 1, 1)
    size = 10.0 ** math.floor(math.log10(wanted))
    step = next(size * each for each in (1, 2, 5, 10) if size * each >= wanted * 0.999)
    step = max(step, 1.0)
    first = math.floor(least / step)
    last = max(math.ceil(most / step - 1e-9), first + 1)
    return [step * number for number in range(first, last + 1)]


FULL: Final = svg.Length(100, "%")


def _percent(part: float) -> svg.Length:
    return svg.Length(round(100 * part, 2), "%")


def _markup(picture: svg.SVG) -> Markup:
    return Markup(picture.as_str())  # noqa: S704 (numbers, and words that are escaped where they come in)


def _text(words: str, x: float, y: float, anchor: str = "start") -> svg.Text:
    return svg.Text(text=str(escape(words)), x=_percent(x), y=y, text_anchor=anchor)  # pyright: ignore[reportArgumentType]


def _told(label: str) -> dict[str, str]:
    """How a picture is told to who does not see it. (The library writes attributes as they are.)"""
    return {"role": "img", "aria-label": str(escape(label))}


def _frame(label: str, kind: str, elements: list[svg.Element]) -> Markup:
    return _markup(
        svg.SVG(
            class_=["graph", kind],
            width=FULL,
            height=HEAD + HEIGHT + FOOT,
            extra=_told(label),
            elements=elements,
        )
    )


def _lines(values: Sequence[float], words: Sequence[str]) -> tuple[list[svg.Element], list[svg.Element]]:
    """The level lines of a graph, and what is written on them, to be drawn over what the graph shows."""
    low, high = values[0], values[-1]
    lines: list[svg.Element] = []
    texts: list[svg.Element] = []
    for value, word in zip(values, words, strict=True):
        y = round(HEAD + HEIGHT * (high - value) / (high - low), 1)
        lines.append(svg.Line(x1=0, x2=FULL, y1=y, y2=y))
        if value:
            texts.append(_text(word, 0, y - 4))
    return lines, texts


def _feet(names: Sequence[tuple[float, str]]) -> list[svg.Element]:
    """What is written beneath a graph, each at its share of the width."""
    y = HEAD + HEIGHT + FOOT - 6
    return [_text(name, at, y, "start" if at <= 0.02 else "end" if at >= 0.98 else "middle") for at, name in names]


def patterns() -> list[svg.Element]:
    """What fills the parts of a column, by :data:`PATTERNS`: filled with ``url(#…)``, once in a page."""
    size = 6
    ground = svg.Rect(width=size, height=size, class_=["ground"])
    drawn: dict[str, list[svg.Element]] = {
        "stripes": [
            ground,
            svg.Path(d=[svg.M(-1, 7), svg.L(7, -1), svg.M(-1, 1), svg.L(1, -1), svg.M(5, 7), svg.L(7, 5)]),
        ],
        "dots": [ground, svg.Circle(cx=3, cy=3, r=1.5)],
    }
    return [
        svg.Pattern(
            id=name,
            width=size,
            height=size,
            patternUnits="userSpaceOnUse",
            elements=elements,
        )
        for name, elements in drawn.items()
    ]


def _fill(pattern: str) -> str | None:
    return f"url(#{pattern})" if pattern in ("stripes", "dots") else None


def swatch(pattern: str) -> Markup:
    """A small piece of a pattern, for the legend."""
    return _markup(
        svg.SVG(
            class_=["swatch"],
            width=16,
            height=16,
            extra={"aria-hidden": "true"},
            elements=[svg.Rect(x=1, y=1, width=14, height=14, class_=["part", pattern], fill=_fill(pattern))],
        )
    )


def columns(
    values: Sequence[Sequence[int]],
    levels: Sequence[float],
    level_words: Sequence[str],
    feet: Sequence[tuple[float, str]],
    label: str,
) -> Markup:
    """A column for each of ``values``, its parts one on the other, drawn as :data:`PATTERNS` has them.

    ``levels``: of :func:`steps`, ``level_words`` what is written on them; ``feet``: what is written beneath, and at
    which share of the width; ``label``: what the picture shows, for who does not see it.
    """
    lines, texts = _lines(levels, level_words)
    high = levels[-1]
    parts: list[svg.Element] = []
    room = 1 / max(len(values), 1)
    for number, column in enumerate(values):
        y = float(HEAD + HEIGHT)
        for part, pattern in zip(column, PATTERNS, strict=True):
            if not part:
                continue
            height = HEIGHT * part / high
            y -= height
            parts.append(
                svg.Rect(
                    x=_percent((number + 0.1) * room),
                    width=_percent(0.8 * room),
                    y=round(y, 1),
                    height=round(height, 1),
                    class_=["part", pattern],
                    fill=_fill(pattern),
                )
            )
    return _frame(label, "columns", [svg.Defs(elements=patterns()), *lines, *parts, *texts, *_feet(feet)])


def band(
    points: Sequence[tuple[float, float, float]],
    levels: Sequence[float],
    level_words: Sequence[str],
    feet: Sequence[tuple[float, str]],
    label: str,
) -> Markup:
    """A line through points, and a band around it: each of ``points`` is a share of the width, a value, and by how much
    it may be off either way. The rest as in :func:`columns`."""
    low, high = levels[0], levels[-1]

    def y(value: float) -> float:
        return round(HEIGHT * (high - min(max(value, low), high)) / (high - low), 1)

    def x(share: float) -> float:
        return round(STRETCHED * share, 1)

    upper = [svg.Point(x(at), y(value + off)) for at, value, off in points]
    lower = [svg.Point(x(at), y(value - off)) for at, value, off in reversed(points)]
    line = [svg.Point(x(at), y(value)) for at, value, _ in points]
    drawn: list[svg.Element] = [
        svg.Polygon(points=[*upper, *lower], class_=["off"]),
        svg.Polyline(points=line, class_=["line"], vector_effect="non-scaling-stroke"),
    ]
    lines, texts = _lines(levels, level_words)
    inner = svg.SVG(
        x=0,
        y=HEAD,
        width=FULL,
        height=HEIGHT,
        viewBox=svg.ViewBoxSpec(0, 0, STRETCHED, HEIGHT),
        preserveAspectRatio="none",  # pyright: ignore[reportArgumentType]
        elements=drawn,
    )
    at, value, _ = points[-1]
    last = svg.Circle(cx=_percent(min(at, 0.995)), cy=HEAD + y(value), r=4, class_=["last"])
    return _frame(label, "band", [*lines, inner, last, *texts, *_feet(feet)])


def calendar(games: Mapping[int, int], first: int, days: int, feet: Sequence[tuple[float, str]], label: str) -> Markup:
    """A square for each day, seven beneath each other a week, the fuller the more games.

    ``games``: how many by day, from ``first`` on, a Monday, for so many days; the rest as in :func:`columns`.
    """
    weeks = math.ceil(days / 7)
    marks: dict[int, str] = {}
    for day, played in games.items():
        if played:
            # not by colour alone: the more games, the more of the square
            level = sum(played >= least for least in LEVELS)
            size = 2.0 + 1.5 * level
            x, y = 10 * ((day - first) // 7) + 5, 10 * ((day - first) % 7) + 9
            marks[level] = f"{marks.get(level, '')}M{x} {y}v{-size:g}"
    empty = svg.Pattern(
        id="day",
        width=10,
        height=10,
        patternUnits="userSpaceOnUse",
        elements=[svg.Rect(x=1, y=1, width=8, height=8, class_=["day0"])],
    )
    inner = svg.SVG(
        y=20,
        width=FULL,
        height=112,
        viewBox=svg.ViewBoxSpec(0, 0, 10 * weeks, 70),
        preserveAspectRatio="none",  # pyright: ignore[reportArgumentType]
        elements=[
            svg.Defs(elements=[empty]),
            svg.Rect(width=10 * weeks, height=70, fill="url(#day)"),
            # (the library takes its time over each step of a path)
            *(svg.Path(class_=[f"day{level}"], extra={"d": path}) for level, path in sorted(marks.items())),
        ],
    )
    texts: list[svg.Element] = [_text(name, at, 12) for at, name in feet]
    return _markup(
        svg.SVG(
            class_=["graph", "calendar"],
            width=FULL,
            height=136,
            extra=_told(label),
            elements=[inner, *texts],
        )
    )


@lru_cache(maxsize=4096)
def _bar(parts: tuple[float, ...], names: tuple[str, ...]) -> Markup:
    elements: list[svg.Element] = []
    x = 0.0
    for part, name in zip(parts, names, strict=True):
        if part > 0:
            elements.append(svg.Rect(x=_percent(x), width=_percent(part), height=FULL, class_=[name]))
        x += part
    return _markup(svg.SVG(class_=["shares"], width=FULL, height=10, extra={"aria-hidden": "true"}, elements=elements))


def shares(parts: tuple[float, float, float], names: tuple[str, str, str]) -> Markup:
    """A bar of three shares of one; ``names``: the classes that their colours go by."""
    first, last = round(parts[0], 2), round(parts[2], 2)
    return _bar((first, max(0.0, round(1 - first - last, 2)) if any(parts) else 0.0, last), names)
