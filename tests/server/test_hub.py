"""The hub: everybody gets every state, and a reader that does not read is cut off and resumes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from damier import Color
from damier.clock import TimeControl
from damier.events import (
    Aborted,
    DrawAccepted,
    DrawOffered,
    FlagFallen,
    MoveMade,
    TakeBackAccepted,
    TakeBackOffered,
    TookBack,
)
from damier.game import Game
from damier.record import Player
from damier.server.play import hub as hub_module
from damier.server.play import view as view_module
from damier.server.play.hub import CLOSE_RESTARTING, CLOSE_TOO_SLOW, QUEUE_LENGTH, Hub, Reader
from damier.server.play.messages import encode
from damier.server.play.view import View, common_plies


def games(count: int) -> list[View]:
    """A game at its first versions."""
    game = Game.start(white=Player("guest", id="anna"), black=Player("computer", level=1))
    views = [View(game, 0.0)]
    for number in range(count):
        game = game.apply(MoveMade.of(game.board.legal_moves[0]), at=float(number), by=game.turn)
        views.append(views[-1].after(game))
    return views


class Page:
    """What a page holds after the frames that it was sent."""

    def __init__(self) -> None:
        self.plies: list[dict[str, Any]] = []
        self.versions: list[int] = []

    async def send(self, frame: str) -> None:
        state = json.loads(frame)
        assert state["from_ply"] <= len(self.plies)
        self.plies[state["from_ply"] :] = state["plies"]
        self.versions.append(state["version"])


async def test_every_reader_gets_every_state_in_order() -> None:
    hub, views = Hub(), games(20)
    pages = [Page() for _ in range(3)]
    readers = [
        Reader(viewer, language, page.send)
        for page, viewer, language in zip(pages, (Color.WHITE, None, None), ("en", "nl", "fr"), strict=True)
    ]
    for reader in readers:
        hub.join("a", reader, views[0], -1, 0.0)
    for view in views[1:]:
        hub.publish("a", view, 0.0)
        hub.publish("another game", view, 0.0)
        await asyncio.sleep(0)
    hub.close()
    assert await asyncio.gather(*(reader.task for reader in readers)) == [CLOSE_RESTARTING] * 3
    for page in pages:
        assert page.versions == list(range(21))
        assert [ply["text"] for ply in page.plies] == [ply.text for ply in views[-1].plies]


async def test_an_older_state_is_not_sent_after_a_newer_one() -> None:
    hub, views, page = Hub(), games(3), Page()
    reader = Reader(None, "en", page.send)
    hub.join("a", reader, views[2], -1, 0.0)
    for view in (views[1], views[2], views[3], views[3]):
        hub.publish("a", view, 0.0)
    hub.close()
    await reader.task
    assert page.versions == [2, 3]


async def test_states_are_encoded_once_for_all_who_see_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []

    def counting(message: Any) -> str:
        encoded.append(message.version)
        return encode(message)

    hub, views = Hub(), games(1)
    pages = [Page() for _ in range(60)]
    viewers = (None, Color.WHITE, Color.BLACK)
    readers = [
        Reader(viewers[number % 3], "nl" if number % 2 else "en", page.send) for number, page in enumerate(pages)
    ]
    for reader in readers:
        hub.join("a", reader, views[0], -1, 0.0)
    monkeypatch.setattr(view_module, "encode", counting)
    hub.publish("a", views[1], 0.0)
    assert encoded == [1, 1]
    hub.close()
    await asyncio.gather(*(reader.task for reader in readers))
    assert all(page.versions == [0, 1] for page in pages)


async def test_a_reader_that_does_not_read_is_cut_off_and_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "FAREWELL_SECONDS", 0.05)
    hub, views = Hub(), games(QUEUE_LENGTH + 10)
    awake, asleep = Page(), asyncio.Event()

    async def never(_: str) -> None:
        await asleep.wait()

    reader, sleeper = Reader(None, "en", awake.send), Reader(None, "en", never)
    hub.join("a", reader, views[0], -1, 0.0)
    hub.join("a", sleeper, views[0], -1, 0.0)
    for view in views[1:]:
        hub.publish("a", view, 0.0)
        await asyncio.sleep(0)
    assert awake.versions == list(range(len(views)))
    with pytest.raises(asyncio.CancelledError):
        await sleeper.task
    hub.leave("a", sleeper)

    # it had the first five states; it comes back with their version
    returned, page = Page(), awake.plies
    returned.plies = page[:5]
    again = Reader(None, "en", returned.send)
    hub.join("a", again, views[-1], 5, 0.0)
    hub.close()
    await again.task
    assert returned.plies == page


async def test_a_slow_reader_that_wakes_in_time_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    hub, views = Hub(), games(QUEUE_LENGTH + 10)
    asleep = asyncio.Event()

    async def later(_: str) -> None:
        await asleep.wait()

    sleeper = Reader(None, "en", later)
    hub.join("a", sleeper, views[0], -1, 0.0)
    for view in views[1:]:
        hub.publish("a", view, 0.0)
        await asyncio.sleep(0)
    asleep.set()
    assert await sleeper.task == CLOSE_TOO_SLOW


def test_what_two_versions_share_counts_what_was_taken_back_between_them() -> None:
    game = games(6)[-1].game
    game = game.apply(TookBack(4), at=10.0, by=Color.WHITE)
    for _ in range(4):
        game = game.apply(MoveMade.of(game.board.legal_moves[-1]), at=11.0, by=game.turn)
    # plies on the board at versions 0 … 11: 0 1 2 3 4 5 6 2 3 4 5 6
    assert [common_plies(game, version) for version in range(12)] == [0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 5, 6]
    assert games(6)[-1].after(game).plies == View(game, 0.0).plies


def test_what_two_versions_share_counts_what_was_taken_back_by_agreement() -> None:
    game = Game.start()
    for _ in range(3):
        game = game.apply(MoveMade.of(game.board.legal_moves[0]), at=0.0, by=game.turn)
    game = game.apply(TakeBackOffered(), at=0.0, by=Color.BLACK)
    before = View(game, 0.0)
    game = game.apply(TakeBackAccepted(2), at=0.0, by=Color.WHITE)
    assert [common_plies(game, version) for version in range(6)] == [0, 1, 1, 1, 1, 1]
    assert before.after(game).plies == before.plies[:1]


@pytest.mark.parametrize("language", ["nl", "fr", "de", "en"])
def test_endings_that_are_no_moves_are_said(language: str) -> None:
    out_of_time = Game.start("official", "W:WK46:BK3", clock=TimeControl.sudden_death(60), at=0.0)
    lost_on_time = Game.start(clock=TimeControl.sudden_death(60), at=0.0)
    offered = Game.start().apply(DrawOffered(), at=0.0, by=Color.WHITE)
    ended = (
        (out_of_time.apply(FlagFallen(), at=60.0, by=None), "1-1"),
        (lost_on_time.apply(FlagFallen(), at=60.0, by=None), "0-2"),
        (offered.apply(DrawAccepted(), at=0.0, by=Color.BLACK), "1-1"),
        (Game.start().apply(Aborted(), at=0.0, by=None), "*"),
    )
    for game, score in ended:
        result = View(game, 0.0).first_state("a", None, language, 0.0).result
        assert result is not None
        assert (result.score, bool(result.text)) == (score, True)
