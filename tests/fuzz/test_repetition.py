"""Long texts of one thing over and over: time grows with their length, not with its square."""

from __future__ import annotations

import io
import time

import pytest

from damier.notation.pdn import Visitor, scan

_LENGTH = 200_000
_SECONDS = 20  # of the processor; what grows with the square needs minutes


@pytest.mark.parametrize("part", ["[%clk ", '[A "', '/FEN "', "[", "{ ", "1. 32-28 ("])
def test_time_grows_with_the_length(part: str) -> None:
    text = "1. 32-28 " + part * (_LENGTH // len(part))
    begin = time.process_time()
    assert scan(io.StringIO(text), Visitor()) >= 1
    assert time.process_time() - begin < _SECONDS
