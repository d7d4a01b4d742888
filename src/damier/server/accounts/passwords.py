"""Passwords: which are taken, and how they are kept and compared."""

from __future__ import annotations

import asyncio
import os
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from argon2.profiles import RFC_9106_LOW_MEMORY

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.turns import Turns
from damier.server.people import name_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from argon2 import Parameters

SHORTEST_PASSWORD: Final = 10
LONGEST_PASSWORD: Final = 200
THREADS: Final = max(1, min(2, (os.cpu_count() or 1) // 2))
"""How many passwords are hashed at once; each takes 64 MiB, and a quarter of a second of processor time. On a small
machine one, so that games have a core of their own, whatever is asked of the club."""
MOST_WAITING: Final = 20
"""How many wait for that, and how many more who come from where they have logged in lately."""
PATIENCE: Final = 10.0
"""Seconds after which somebody may try again who was told that there were too many."""

# Runs along the keyboard and words that everybody thinks of, as far as they are long enough to be taken else.
_COMMON: Final = (
    "0123456789 1234567890 12345678910 123456789a a123456789 0987654321 9876543210 1q2w3e4r5t q1w2e3r4t5 1qaz2wsx3edc"
    " qwertyuiop qwerty1234 qwerty12345 qwerty123456 azertyuiop azerty1234 azerty12345 qwertzuiop abcdefghij"
    " abcd123456 abc1234567 password12 password123 password1234 passw0rd123 wachtwoord wachtwoord1 wachtwoord12"
    " wachtwoord123 motdepasse motdepasse1 motdepasse123 passwort12 passwort123 iloveyou12 iloveyou123 welcome123"
    " welkom1234 letmein123 administrator international draughtsboard"
)
_REFUSED: Final = frozenset(_COMMON.split())

Answer = TypeVar("Answer")


class BadPassword(DamierError, ValueError):
    """A password that protects nobody."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of comparing. ``renewed``: the hash to keep instead, where the old one is weaker than today's."""

    genuine: bool
    renewed: str | None = None


def plain(text: str) -> str:
    """A password as it is hashed: alike from every keyboard, whichever way that composes its accents (NFKC)."""
    return unicodedata.normalize("NFKC", text)


def valid_password(text: str, name: str) -> str:
    """The password that a member of this name has chosen. Raises :class:`BadPassword` for one soon guessed.

    It has 10 to 200 characters, is not the name, not one character over and over, and none of the commonest.

    >>> valid_password("turned discs of box wood", "Paul")
    'turned discs of box wood'
    >>> for text in ("short", "Ton-Sijbrands", "aaaaaaaaaaaa", "Qwerty12345"):
    ...     try:
    ...         valid_password(text, "Ton_Sijbrands")
    ...     except BadPassword as error:
    ...         print(error)
    Choose a password of 10 to 200 characters.
    Choose a password that is not your name.
    This password is one of the first that anybody tries. Choose another.
    This password is one of the first that anybody tries. Choose another.
    """
    password = plain(text[: LONGEST_PASSWORD + 1])
    if len(text) > LONGEST_PASSWORD or not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadPassword(N_("Choose a password of 10 to 200 characters."))
    if name_key(password) == name_key(name):
        raise BadPassword(N_("Choose a password that is not your name."))
    if password.casefold() in _REFUSED or len(set(password)) == 1:
        raise BadPassword(N_("This password is one of the first that anybody tries. Choose another."))
    return password


class Passwords:
    """Hashes passwords with Argon2id, a few at a time and beside the event loop.

    ``parameters``: what a hash costs; RFC 9106's second recommended option (section 4) unless told.
    """

    def __init__(self, parameters: Parameters = RFC_9106_LOW_MEMORY) -> None:
        self._hasher = PasswordHasher.from_parameters(parameters)
        self._pool = ThreadPoolExecutor(THREADS, "password")
        self._nobodys: str | None = None
        self._turns = Turns(THREADS, MOST_WAITING, PATIENCE)

    async def hash(self, password: str, line: str = "") -> str:
        """What is kept of a password: its hash, with salt and parameters, as PHC writes it.

        ``line``: who waits for it, as :class:`~damier.server.accounts.turns.Turns` tells them apart. Raises TooMany.
        """
        async with self._turns.turn(line):
            return await self._beside(lambda: self._hasher.hash(plain(password)))

    async def check(self, password: str, kept: str | None, line: str = "", *, friend: bool = False) -> Verdict:
        """Whether a password is the one whose hash was kept.

        For a name that nobody has, and for a member without a password, ``kept`` is None: the same work is done, so
        that the time taken does not tell. ``line``: who waits for it. ``friend``: whether it comes from where that
        member has logged in lately. Raises TooMany, and argon2's InvalidHashError when what was kept is no hash.
        """
        async with self._turns.turn(line, friend=friend):
            return await self._beside(lambda: self._check(password, kept))

    def close(self) -> None:
        """Hash no more; what has been begun is finished."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _check(self, password: str, kept: str | None) -> Verdict:
        # longer than any that was ever taken: not the one, but it is compared all the same
        text = plain(password[: LONGEST_PASSWORD + 1])
        if self._nobodys is None:
            self._nobodys = self._hasher.hash(secrets.token_urlsafe())
        try:
            self._hasher.verify(self._nobodys if kept is None else kept, text)
        except VerifyMismatchError:
            return Verdict(genuine=False)
        if kept is None:
            return Verdict(genuine=False)
        return Verdict(genuine=True, renewed=self._hasher.hash(text) if self._hasher.check_needs_rehash(kept) else None)

    async def _beside(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)
