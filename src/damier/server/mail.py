"""Letters by e-mail: through the SMTP server that the settings name, or into the log where they name none."""

from __future__ import annotations

import asyncio
import logging
import re
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from damier.errors import DamierError
from damier.i18n import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT: Final = 20.0
"""Seconds for each step of a delivery."""
LONGEST_ADDRESS: Final = 254
PORTS: Final = {"smtp": 587, "smtps": 465}

_ADDRESS: Final = re.compile(r"[^\s@<>()\[\],;:\\\"]{1,64}@[^\s@<>()\[\],;:\\\"]+\.[^\s@<>()\[\],;:\\\".]{2,}")

log = logging.getLogger(__name__)


class BadAddress(DamierError, ValueError):
    """No e-mail address."""


class NotSent(DamierError):
    """A letter that the mail server has not taken."""


def valid_address(text: str) -> str:
    """An e-mail address as it is kept, in small letters. Raises :class:`BadAddress`.

    >>> valid_address(" Anna@Club.example ")
    'anna@club.example'
    >>> for text in ("anna", "anna@club", "anna@club.example\\nbcc: x@y.zz", "<a@b.cc>"):
    ...     try:
    ...         valid_address(text)
    ...     except BadAddress as error:
    ...         print(error)
    This is not an e-mail address.
    This is not an e-mail address.
    This is not an e-mail address.
    This is not an e-mail address.
    """
    address = text.strip().lower()
    if len(address) > LONGEST_ADDRESS or not address.isprintable() or not _ADDRESS.fullmatch(address):
        raise BadAddress(N_("This is not an e-mail address."))
    return address


@dataclass(frozen=True, slots=True)
class Server:
    """A mail server. ``secure``: TLS from the first byte; else it begins after STARTTLS, unless the server is on this
    machine and has none."""

    host: str
    port: int
    secure: bool
    user: str | None = None
    password: str | None = None

    @classmethod
    def parse(cls, url: str) -> Server:
        """``smtp://user:password@host:port``, or ``smtps://…``. Raises ValueError, without telling the password.

        >>> Server.parse("smtp://club:s%40fe@mail.example")
        Server(host='mail.example', port=587, secure=False, user='club', password='s@fe')
        >>> Server.parse("http://mail.example")
        Traceback (most recent call last):
            ...
        ValueError: the mail server must be named as smtp://user:password@host:port or smtps://…
        """
        problem = "the mail server must be named as smtp://user:password@host:port or smtps://…"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ValueError(problem) from None
        if parts.scheme not in PORTS or not host or parts.path not in ("", "/"):
            raise ValueError(problem)
        user, password = (None if each is None else unquote(each) for each in (parts.username, parts.password))
        return cls(host, port or PORTS[parts.scheme], parts.scheme == "smtps", user, password)


class Mailer:
    """Sends letters. ``server``: None to write them to the log. ``sender``: whom they are from."""

    def __init__(self, server: Server | None, sender: str) -> None:
        self._server = server
        self._sender = sender

    @property
    def sends(self) -> bool:
        """Whether letters leave the house."""
        return self._server is not None

    async def send(self, to: str, subject: str, text: str, headers: Mapping[str, str] | None = None) -> None:
        """Send a letter in plain text. Raises :class:`NotSent` when the mail server does not take it.

        ``headers``: more of them, such as ``List-Unsubscribe``.
        """
        server = self._server
        if server is None:
            log.warning(
                "No mail server is set (DAMIER_SMTP), so this letter is only here.\n%s", _shown(to, subject, text)
            )
            return
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = self._sender, to, subject
        letter["Date"], letter["Message-ID"] = (
            formatdate(),
            make_msgid(domain=self._sender.rpartition("@")[2].rstrip(">")),
        )
        letter["Auto-Submitted"] = "auto-generated"
        for name, value in (headers or {}).items():
            letter[name] = value
        letter.set_content(text)
        try:
            await asyncio.to_thread(_deliver, server, letter)
        except (OSError, smtplib.SMTPException) as error:
            log.error("A letter could not be sent: %s: %s", type(error).__name__, error)
            raise NotSent(N_("The letter could not be sent. Try again later.")) from error


def _shown(to: str, subject: str, text: str) -> str:
    return "\n".join(f"    {line}" for line in (f"To: {to}", f"Subject: {subject}", "", *text.splitlines()))


def _deliver(server: Server, letter: EmailMessage) -> None:
    trusted = ssl.create_default_context()
    if server.secure:
        connection: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT, context=trusted)
    else:
        connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT)
    with connection:
        if not server.secure:
            connection.ehlo()
            if connection.has_extn("starttls") or server.host not in ("localhost", "127.0.0.1", "::1"):
                connection.starttls(context=trusted)
        if server.user is not None:
            connection.login(server.user, server.password or "")
        connection.send_message(letter)
