"""A real Chromium on a real server, and a person who plays with what a person has: mouse, finger, keys."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from damier import Color
from damier.game import Game
from damier.record import Player
from damier.server import database
from damier.server.play.store.sqlite import SqliteStore
from damier.server.settings import read_secret
from damier.server.visitors import Visitors
from tests.server.conftest import Server

# Chromium's own errands go to the network; these tests have none.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 60_000
"""Milliseconds for whatever is waited for: the machine may be a busy one, and what comes at all comes sooner."""
expect.set_options(timeout=PATIENCE)


# Not for the whole session: while Playwright's loop runs, the asynchronous tests of other files cannot.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    executable = os.environ.get("DAMIER_BROWSER")
    if not executable:
        pytest.skip("no Chromium or Chrome on this machine (DAMIER_BROWSER names one)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


# tests are in more of a hurry than people
HURRY = {"DAMIER_NEW_GAMES_PER_MINUTE": "10000", "DAMIER_FORMS_PER_SECOND": "10000"}


@pytest.fixture(scope="session")
def shared_club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A club for tests that do not mind others: a module takes it by a fixture `club` of its own."""
    server = Server(tmp_path_factory.mktemp("shared") / "club", **HURRY).start()
    yield server
    server.kill()


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "club").start()
    yield server
    server.kill()


class Visit:
    """A browser of its own, with one page, at a club. Errors on the page fail the test."""

    def __init__(self, club: Server, browser: Browser, **options: Any) -> None:
        self.club = club
        self.context: BrowserContext = browser.new_context(
            base_url=club.address,
            locale=options.pop("locale", "en-GB"),
            # what is kept for later would only be fetched, and fetched again, in the background
            service_workers=options.pop("service_workers", "block"),
            **options,
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self._chance = random.Random(7)

    def _note(self, kind: str, text: str) -> None:
        lost = "WebSocket connection to" in text or "ERR_INTERNET_DISCONNECTED" in text or "ERR_CONNECTION" in text
        if kind == "error" and not lost:
            self.errors.append(text)

    def close(self) -> None:
        self.context.close()
        assert self.errors == []

    # --- Getting to a board ---

    def start(self, color: str = "White", level: int = 1, rules: str = "International") -> None:
        """From the front page, as a person would."""
        self.page.goto("/")
        self.page.get_by_role("radio", name=color).check(force=True)
        self.page.get_by_label("Rules").select_option(label=rules)
        self.page.locator(f"button[name=level][value='{level}']").click()
        self.page.wait_for_url("**/games/*")
        self.wait_for_line()

    def start_at_once(self) -> None:
        """From the front page, with what is chosen there, in whatever language."""
        self.page.goto("/")
        self.page.locator("button[name=level][value='1']").click()
        self.page.wait_for_url("**/games/*")
        self.wait_for_line()

    def join(self, name: str, password: str = "a shot in the main road") -> None:
        """Become a member, in whatever language."""
        self.page.goto("/join")
        form = self.page.locator("form[action='/join']")
        form.locator("[name=name]").fill(name)
        form.locator("[name=password]").fill(password)
        form.locator("button.primary").click()
        self.page.wait_for_url(lambda address: not address.endswith("/join"))

    def sit_down_at(self, fen: str, rules: str = "official", color: Color = Color.WHITE) -> None:
        """Open a game of one's own that starts from a position."""
        visitor = secrets.token_urlsafe(9)
        visitors = Visitors(read_secret(self.club.data))
        cookie = visitors.cookie(visitor)
        self.context.add_cookies([{"name": visitors.cookie_name, "value": cookie, "url": self.club.address}])
        person, computer = Player("guest", id=visitor), Player("computer", level=1)
        white, black = (person, computer) if color is Color.WHITE else (computer, person)
        game = Game.start(rules, fen, white=white, black=black)
        game_id = secrets.token_urlsafe(9)

        async def keep() -> None:
            store = SqliteStore(self.club.data / database.FILE_NAME)
            await store.create(game_id, game, at=time.time())
            await store.close()

        # Playwright's own event loop runs in this thread.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, keep()).result()
        self.page.goto(f"/games/{game_id}")
        self.wait_for_line()

    def wait_for_line(self) -> None:
        """Until the game's socket has spoken."""
        self.until("document.querySelector('draughts-board')?.position !== undefined")

    def until(self, condition: str) -> None:
        """Until a condition in the page's script holds. (Playwright's own way of waiting is refused by the page's CSP.)"""
        deadline = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, f"waited in vain for {condition}"
            self.page.wait_for_timeout(20)

    # --- What the board shows ---

    @property
    def legal(self) -> list[dict[str, Any]]:
        return self.page.evaluate("document.querySelector('draughts-board').moves")

    @property
    def fen(self) -> str:
        return self.page.evaluate("document.querySelector('draughts-board').position")

    @property
    def result(self) -> str:
        result = self.page.locator("#result")
        return result.inner_text() if result.is_visible() else ""

    @property
    def texts(self) -> list[str]:
        """The moves in the list."""
        return self.page.locator("#moves [data-ply]").all_inner_texts()

    def wait_for_turn(self) -> bool:
        """Until it is the person's turn (True) or the game is over."""
        self.until(
            "document.querySelector('draughts-board').moves.length > 0 || !document.querySelector('#result').hidden"
        )
        return self.result == ""

    def square(self, number: int) -> Any:
        return self.page.locator(f"draughts-board [data-square='{number}']")

    def piece(self, number: int) -> str | None:
        piece = self.square(number).locator("[data-piece]")
        return piece.get_attribute("data-piece") if piece.count() else None

    # --- Playing ---

    def any_move(self) -> dict[str, Any]:
        return self._chance.choice(self.legal)

    def click(self, move: dict[str, Any]) -> None:
        """By mouse: the piece, then its target; where that is not enough, the way."""
        plies = len(self.texts)
        self.square(move["from"]).click()
        self.square(move["to"]).click()
        if len(self.texts) == plies and self._is_stepping():
            for square in move["paths"][0][1:]:
                self.square(square).click()
        self.wait_for_ply(plies + 1)

    def _is_stepping(self) -> bool:
        return self.page.locator("draughts-board .selected").count() > 0

    def type(self, move: dict[str, Any]) -> None:
        """By keys: the cursor is walked to the piece and to its target with the arrows."""
        plies = len(self.texts)
        for square in (move["from"], move["to"]):
            self.walk_to(square)
            self.page.keyboard.press("Enter")
        if len(self.texts) == plies and self._is_stepping():
            for square in move["paths"][0][1:]:
                self.walk_to(square)
                self.page.keyboard.press("Enter")
        self.wait_for_ply(plies + 1)

    def cursor(self) -> int:
        return int(
            self.page.evaluate("document.querySelector('draughts-board').shadowRoot.activeElement?.dataset.square ?? 0")
        )

    def walk_to(self, square: int) -> None:
        if not self.cursor():
            self.page.evaluate("document.querySelector('draughts-board').focus()")
        flipped = self.page.evaluate("document.querySelector('draughts-board').orientation") == "black"
        seen = (lambda number: 51 - number) if flipped else (lambda number: number)
        row, column = divmod(seen(square) - 1, 5)
        for _ in range(40):
            at_row, at_column = divmod(seen(self.cursor()) - 1, 5)
            if at_row != row:
                self.page.keyboard.press("ArrowDown" if at_row < row else "ArrowUp")
            elif at_column != column:
                self.page.keyboard.press("ArrowRight" if at_column < column else "ArrowLeft")
            else:
                return
        raise AssertionError(f"the arrow keys do not lead to {square}")

    def wait_for_ply(self, ply: int) -> None:
        self.until(f"document.querySelectorAll('#moves [data-ply]').length >= {ply}")


@pytest.fixture
def visit(club: Server, chromium: Browser) -> Iterator[Callable[..., Visit]]:
    visits: list[Visit] = []

    def make(**options: Any) -> Visit:
        visits.append(Visit(club, chromium, **options))
        return visits[-1]

    yield make
    for each in visits:
        each.close()
