"""The picture: well-formed, every piece in its place, described in words, and its arguments checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from damier import Board, Color
from damier.draw import svg
from damier.i18n import LANGUAGES

NAMESPACE = {"s": "http://www.w3.org/2000/svg"}
MIXED = "W:W28,K46:B23,K5"


def parsed(**options: Any) -> ElementTree.Element:
    fen = options.pop("fen", MIXED)
    return ElementTree.fromstring(Board(fen).svg(**options))


def placed(root: ElementTree.Element) -> dict[tuple[int, int], str]:
    uses = root.findall("s:use", NAMESPACE)
    return {(int(use.attrib["x"]), int(use.attrib["y"])): use.attrib["href"] for use in uses}


def test_each_piece_stands_on_its_square() -> None:
    assert placed(parsed()) == {
        (450, 550): "#damier-WM",  # 28: sixth row, third dark square
        (50, 950): "#damier-WK",
        (550, 450): "#damier-BM",
        (950, 50): "#damier-BK",
    }


def test_black_at_the_bottom_turns_the_board() -> None:
    for orientation in ("black", Color.BLACK):
        turned = placed(parsed(orientation=orientation))
        assert turned == {(1000 - x, 1000 - y): name for (x, y), name in placed(parsed()).items()}


def test_a_king_is_two_discs_and_a_man_one() -> None:
    definitions = parsed().find("s:defs", NAMESPACE)
    assert definitions is not None
    discs = {
        group.attrib["id"]: len(group.findall("s:circle[@stroke][@r='40']", NAMESPACE))
        for group in definitions.findall("s:g", NAMESPACE)
    }
    assert discs == {"damier-WM": 1, "damier-WK": 2, "damier-BM": 1, "damier-BK": 2}


def test_it_can_be_heard() -> None:
    root = parsed()
    assert root.attrib["role"] == "img"
    title, description = root.find("s:title", NAMESPACE), root.find("s:desc", NAMESPACE)
    assert title is not None
    assert description is not None
    assert title.text == "Draughts board, White to move"
    assert description.text == "White men: 28. White kings: 46. Black men: 23. Black kings: 5."
    empty = parsed(fen="B:W:B").find("s:desc", NAMESPACE)
    assert empty is not None
    assert empty.text == "No pieces."


def test_it_is_described_in_every_language() -> None:
    titles = {parsed(language=language).findtext("s:title", namespaces=NAMESPACE) for language in LANGUAGES}
    assert len(titles) == len(LANGUAGES)


@pytest.mark.parametrize("orientation", ["white", "black"])
def test_numbers(orientation: str) -> None:
    inside = parsed(numbers="inside", orientation=orientation).findall(".//s:text", NAMESPACE)
    assert [text.text for text in inside] == [str(square) for square in range(1, 51)]
    edge = {text.text for text in parsed(numbers="edge", orientation=orientation).findall(".//s:text", NAMESPACE)}
    assert {str(s) for s in (1, 2, 3, 4, 5, 6, 15, 16, 25, 26, 35, 36, 45, 46, 47, 48, 49, 50)} == edge
    large = parsed(numbers="large", orientation=orientation).findall(".//s:text", NAMESPACE)
    assert [text.text for text in large] == [str(square) for square in range(1, 51)]
    on_black = {text.text for text in large if text.get("fill") == svg.NUMBER_ON_BLACK}
    assert on_black == {"5", "23"}
    dotted = parsed(numbers="large", marks=[(10, "dot"), (11, "ring")]).findall(".//s:text", NAMESPACE)
    assert [text.text for text in dotted] == [str(square) for square in range(1, 51) if square != 10]
    assert not parsed(numbers="off", orientation=orientation).findall(".//s:text", NAMESPACE)


def test_numbers_can_be_read_on_their_squares() -> None:
    assert contrast(svg.NUMBER, svg.DARK_SQUARE) >= 4.5
    assert contrast(svg.EDGE_NUMBER, svg.FRAME) >= 4.5
    assert contrast(svg.NUMBER_ON_BLACK, "#5d4a40") >= 4.5, "the lightest of a black piece"


def contrast(first: str, second: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines, 1 to 21."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_it_looks_as_the_board_of_the_pages_does() -> None:
    styles = (Path(__file__).parents[2] / "web/board/styles.ts").read_text()
    page = dict(re.findall(r"--piece-((?:white|black)-\w+): (?:light-dark\()?(#\w{6})", styles))
    picture = Board().svg()
    assert len(page) == 9
    assert {color for color in page.values() if color not in picture} == set()


def tinted(root: ElementTree.Element) -> int:
    return len([path for path in root.findall("s:path", NAMESPACE) if "fill-opacity" in path.attrib])


def test_the_last_move_is_tinted() -> None:
    board = Board()
    assert tinted(ElementTree.fromstring(board.svg())) == 0
    move = board.push("32-28")
    assert tinted(ElementTree.fromstring(board.svg())) == 2
    assert board.svg(last_move=move) == board.svg() == board.svg(last_move=(32, 28))
    assert tinted(ElementTree.fromstring(board.svg(last_move=False))) == 0
    assert tinted(parsed(last_move=(28, 28))) == 1  # a round trip


def test_arrows_and_marks() -> None:
    plain, drawn = (
        parsed(),
        parsed(
            arrows=[(46, 41), (47, 38, 20, "red"), [1, 6, "#123abc"]],
            marks=[28, (23, "cross", "red"), (1, "dot"), (2, "square", "blue"), (3,)],
        ),
    )
    assert len(drawn.findall(".//s:polyline", NAMESPACE)) == 3
    assert [group.attrib["fill"] for group in drawn.findall("s:g[@opacity]", NAMESPACE)] == [
        svg.COLORS["green"],
        svg.COLORS["red"],
        "#123abc",
    ]
    assert tinted(drawn) - tinted(plain) == 1
    assert placed(drawn) == placed(plain)


def test_size() -> None:
    assert parsed(size=240).attrib["width"] == "240"
    assert "width" not in parsed(size=None).attrib


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"orientation": "up"}, 'orientation is "white" or "black", not \'up\''),
        ({"numbers": True}, 'numbers is "inside", "edge", "large" or "off", not True'),
        ({"size": 0}, "size is a number of pixels from 16 to 10000, or None, not 0"),
        ({"size": "400"}, "size is a number of pixels"),
        ({"size": True}, "size is a number of pixels"),
        ({"last_move": (32, 51)}, "last_move: squares are the numbers 1 to 50, not 51"),
        ({"last_move": "32-28"}, "last_move is a move, two squares, True or False, not '32-28'"),
        ({"arrows": [(32,)]}, "an arrow is a way of two squares or more"),
        ({"arrows": ["32-28"]}, "an arrow is a way of two squares or more"),
        ({"arrows": [(32, 32)]}, "an arrow leads from a square to another one"),
        ({"arrows": [(32, 0)]}, "arrows: squares are the numbers 1 to 50, not 0"),
        ({"arrows": [(32, 28, "pink")]}, "arrows: a colour is green, red, blue, yellow or #rrggbb, not 'pink'"),
        ({"arrows": [(32, 28, '#12"/><')]}, "arrows: a colour is"),
        ({"marks": [51]}, "marks: squares are the numbers 1 to 50, not 51"),
        ({"marks": [(28, "star")]}, "marks: a shape is ring, dot, cross, square, not 'star'"),
        ({"marks": [(28, "ring", "red", 1)]}, "a mark is a square, then a shape and a colour if wanted"),
        ({"marks": [()]}, "marks: squares are the numbers 1 to 50, not ()"),
    ],
)
def test_arguments_with_no_meaning_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is compared below)
        Board().svg(**options)
    assert message in str(caught.value)


def test_it_is_small_and_needs_nothing_else() -> None:
    picture = Board().svg()
    assert len(picture) < 8000
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert Board()._repr_svg_() == picture
