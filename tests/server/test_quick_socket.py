"""Quick pairing over the personal socket: several pages of one person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.server.conftest import ANSWER_SECONDS
from tests.server.test_lobby import Line, listening

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.conftest import Person


def search(line: Line, clock: str) -> None:
    line.connection.send(json.dumps({"t": "search", "rules": "official", "clock": clock, "rated": False}))


def test_a_page_that_closes_does_not_end_the_search_of_another(people: Callable[..., Person]) -> None:
    one, other = people(), people()
    with listening(one) as second:
        with listening(one) as first:
            search(first, "60")
            assert first.until("searching")["count"] == 1
            search(second, "60")
            assert first.until("stopped") == {"t": "stopped"}
            assert second.until("searching")["count"] == 1
        with listening(other) as third:
            search(third, "60")
            game = second.until("paired")
            assert game["mine"]
            assert third.until("paired") == game


def test_pages_that_search_at_once(people: Callable[..., Person]) -> None:
    one, other = people(), people()
    with listening(one) as first, listening(one) as second, listening(one) as third, listening(other) as fourth:
        pages = (first, second, third)
        for line in pages:
            search(line, "120+1")
            line.connection.send('{"t": "ping"}')
        # who has an answer to what was sent after it has begun to search
        heard = [kinds_until(line, "pong") for line in pages]
        search(fourth, "120+1")
        fourth.until("paired")
        ends = [
            "stopped" if "stopped" in kinds else kinds_until(line, "stopped", "paired")[-1]
            for line, kinds in zip(pages, heard, strict=True)
        ]
        assert sorted(ends) == ["paired", "stopped", "stopped"]


def kinds_until(line: Line, *wanted: str) -> list[str]:
    """The kinds of the messages up to one of those that are waited for."""
    kinds: list[str] = []
    while not kinds or kinds[-1] not in wanted:
        kinds.append(json.loads(line.connection.recv(timeout=ANSWER_SECONDS))["t"])
    return kinds
