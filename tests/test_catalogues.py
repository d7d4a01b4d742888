"""Every text exists in every language, and none is left that nothing shows."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from damier import BadFen, BadPdn, Board, IllegalMove
from damier.articles import Article
from damier.explain import explain
from damier.i18n import translator
from damier.notation.json import BadJson, position_from_json
from damier.notation.pdn import loads

ROOT = Path(__file__).resolve().parent.parent


def test_catalogues_are_complete() -> None:
    checked = subprocess.run(
        [sys.executable, "tools/catalogues.py", "check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def marked(source: str) -> set[str | tuple[str, str]]:
    """The texts that a Python source marks or translates, as Python itself reads it."""
    counts = {"N_": 1, "gettext": 1, "_": 1, "NN_": 2, "ngettext": 2}
    found: set[str | tuple[str, str]] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        texts = [each.value for each in node.args[: counts.get(name, 0)] if isinstance(each, ast.Constant)]
        match texts:
            case [str(one), str(many)]:
                found.add((one, many))
            case [str(text)]:
                found.add(text)
            case _:
                pass
    return found


def test_the_extraction_misses_no_text_that_a_source_marks() -> None:
    known = (ROOT / "src/damier/locales/en/LC_MESSAGES/damier.po").read_bytes()
    catalogue = {
        message.id if isinstance(message.id, str) else tuple(message.id) for message in read_po(BytesIO(known))
    }
    texts = {text for path in (ROOT / "src/damier").rglob("*.py") for text in marked(path.read_text("utf-8"))}
    assert ("{n} day a move", "{n} days a move") in texts
    assert texts <= catalogue, texts - catalogue


def sayings() -> list[Callable[[str], str]]:
    """All that says itself in a language, one of each kind."""
    reason = explain(Board(), 32, 33)
    assert reason is not None
    with pytest.raises(IllegalMove) as illegal:
        Board().push("32-33")
    with pytest.raises(BadFen) as fen:
        Board("W:W51:B1")
    with pytest.raises(BadJson) as json:
        position_from_json({})
    pdn = loads("1. 32-33 *")[0].errors[0]
    assert isinstance(pdn, BadPdn)
    errors = [each.value.sentence for each in (illegal, fen, json)]
    return [
        reason.sentence,
        Article("club").sentence,
        *errors,
        pdn.sentence,
        pdn.what,
        lambda language: Board().svg(language=language),
    ]


def test_a_language_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    for say in (*sayings(), translator):
        for language in ("es", "NL", "", "../nl"):
            with pytest.raises(ValueError, match="there are nl, fr, de, en"):
                say(language)
    for say in sayings():
        assert len({say(language) for language in ("nl", "fr", "de", "en")}) > 1
