"""A person and a bot in a real browser: the bot comes in by the public interface, with a Hub engine behind it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from tests.browser.test_members import join
from tests.cli.command import MAIN
from tests.server.conftest import Server
from tests.server.programs import Program

from .conftest import Visit

pytestmark = pytest.mark.browser


@pytest.fixture
def bot(club: Server) -> Iterator[str]:
    """The name of a bot that takes challenges: `damier bot`, with our own engine as `damier hub`."""
    with ThreadPoolExecutor(1) as thread:  # Playwright's own event loop runs in this one
        program = thread.submit(Program, club, name="Engine-1").result()
        command = [sys.executable, "-c", MAIN, "bot", "--club", club.address, "--upgrade", "--move-time", "0.2"]
        hub = ["--hub", f'{sys.executable} -c "{MAIN}" hub']
        environment = {**os.environ, "DAMIER_TOKEN": program.token}
        with subprocess.Popen([*command, *hub], stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            try:
                while b"playing as" not in (line := process.stdout.readline()):
                    assert line, "the bot has ended"
                yield program.name
            finally:
                process.terminate()
                thread.submit(program.close).result()


def test_a_member_plays_a_bot_with_a_hub_engine(visit: Callable[..., Visit], bot: str) -> None:
    anna = visit()
    page = anna.page
    join(page, "Anna", "/join")
    page.goto(f"/@/{bot}")
    expect(page.locator("main")).to_contain_text("BOT")
    page.get_by_role("link", name="Challenge").click()
    page.get_by_role("button", name="Challenge").click()
    page.wait_for_url("**/games/*")
    anna.wait_for_line()
    expect(page.locator("#far")).to_contain_text(bot)
    expect(page.locator("#far .sign")).to_have_text("BOT")
    expect(page.locator("#kind")).to_contain_text("Casual")
    for _ in range(3):
        assert anna.wait_for_turn()
        anna.click(anna.any_move())
    assert anna.wait_for_turn()
    page.get_by_role("button", name="Resign").click()
    page.locator("#confirm-yes").click()
    expect(page.locator("main")).to_contain_text("resigned")
