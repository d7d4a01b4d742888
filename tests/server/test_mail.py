"""Letters, over a real mail server on this machine."""

from __future__ import annotations

import logging
import socket
from email import message_from_bytes, policy
from typing import TYPE_CHECKING, Any

import pytest
from aiosmtpd.controller import Controller

from damier.server.mail import Mailer, NotSent, Server

if TYPE_CHECKING:
    from collections.abc import Iterator


class Post:
    """What a mail server has been given."""

    def __init__(self) -> None:
        self.letters: list[Any] = []

    async def handle_DATA(self, _server: object, _session: object, envelope: Any) -> str:  # noqa: N802 (aiosmtpd's)
        self.letters.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=policy.default)))
        return "250 OK"


@pytest.fixture
def post() -> Iterator[tuple[Post, int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    handler = Post()
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler, port
    controller.stop()


async def test_a_letter_arrives_as_it_was_written(post: tuple[Post, int]) -> None:
    handler, port = post
    mailer = Mailer(Server.parse(f"smtp://127.0.0.1:{port}"), "Damier <club@club.example>")
    assert mailer.sends
    await mailer.send("anna@club.example", "Uw wachtwoord – één", "Zet uw schijf\nop 32 → 28.\n")
    [(to, letter)] = handler.letters
    assert to == ["anna@club.example"]
    assert letter["Subject"] == "Uw wachtwoord – één"
    assert letter["From"] == "Damier <club@club.example>"
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content().strip().splitlines() == ["Zet uw schijf", "op 32 → 28."]


async def test_a_letter_can_say_more_in_its_head(post: tuple[Post, int]) -> None:
    handler, port = post
    mailer = Mailer(Server.parse(f"smtp://127.0.0.1:{port}"), "Damier <club@club.example>")
    await mailer.send("anna@club.example", "Hello", "A line", {"List-Unsubscribe": "<https://club.example/letters/x>"})
    [(_, letter)] = handler.letters
    assert letter["List-Unsubscribe"] == "<https://club.example/letters/x>"


async def test_a_mail_server_that_is_away_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(NotSent):
        await Mailer(Server("127.0.0.1", port, secure=False), "club@club.example").send("a@b.nl", "x", "y")
    assert "could not be sent" in caplog.text


async def test_without_a_mail_server_the_log_has_the_letter_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    mailer = Mailer(None, "club@club.example")
    assert not mailer.sends
    with caplog.at_level(logging.WARNING):
        await mailer.send("anna@club.example", "Hello", "A link")
    assert "DAMIER_SMTP" in caplog.text
    assert "    To: anna@club.example" in caplog.text
    assert "    A link" in caplog.text
