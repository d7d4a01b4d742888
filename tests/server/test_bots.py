"""Bots and quick pairing: it is for people."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from damier.clock import TimeControl
from damier.rules import OFFICIAL
from damier.server.lobby.quick import NoBots
from damier.server.people import Who
from tests.server.house import Moment, houses

if TYPE_CHECKING:
    from pathlib import Path


def test_a_bot_does_not_search(tmp_path: Path) -> None:
    async def script() -> None:
        async with houses(tmp_path, Moment()) as (house,):
            with pytest.raises(NoBots):
                await house.quick.search(
                    Who("ada", "bot", "Ada"),
                    rules=OFFICIAL,
                    control=TimeControl.fischer(300, 3),
                    rated=False,
                    tell=lambda _: None,
                )

    asyncio.run(script())
