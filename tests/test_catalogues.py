"""Every text exists in every language, and none is left that nothing shows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
