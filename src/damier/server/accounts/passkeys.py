"""Passkeys: keys of a device or its keychain that log a member in, instead of a password (WebAuthn, level 2).

The package that checks them is loaded when the first one is shown, and works beside the event loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.tables import account, passkey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

CLUB: Final = "Damier"
CHALLENGE_SECONDS: Final = 600
"""How long a device may take."""
MOST_PASSKEYS: Final = 20
LONGEST_NAME: Final = 40
LONGEST_ANSWER: Final = 12_000
"""Characters of what a device answers; most have a thousand."""
LONGEST_ID: Final = 1023
"""Bytes of a credential's id (WebAuthn, section 4)."""
HIGHEST_COUNT: Final = 2**31 - 1

NONCE: Final = 16
MOMENT: Final = 8

log = logging.getLogger(__name__)


class PasskeyRefused(DamierError):
    """A passkey that does not do what was asked."""


REFUSED: Final = N_("This passkey was not accepted. Try again.")
UNKNOWN: Final = N_("This club does not know that passkey.")


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey of a member. ``name``: as the owner calls it."""

    id: str
    name: str
    created: float
    used: float | None


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """One that a device has just made, and that belongs to nobody yet."""

    id: str
    public_key: str
    sign_count: int
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where passkeys are shown: an origin, and the domain that they belong to.

    >>> Place.of("https://club.example:8443/")
    Place(origin='https://club.example:8443', domain='club.example')
    """

    origin: str
    domain: str

    @classmethod
    def of(cls, address: str) -> Place:
        """The place of a club with this address."""
        parts = urlsplit(address)
        return cls(f"{parts.scheme}://{parts.netloc}".lower(), parts.hostname or "")


class Challenges:
    """What a device has to sign, so that an answer fits one question. Nothing is kept of them: they carry a proof.

    >>> challenges = Challenges(b"a secret of the club")
    >>> challenge = challenges.new("log in", 1_000.0)
    >>> challenges.issued(challenge, "log in", 1_060.0)
    1000.0
    >>> challenges.issued(challenge, "add", 1_060.0), challenges.issued(challenge, "log in", 9_000.0)
    (None, None)
    """

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"passkey challenge", hashlib.sha256)

    def new(self, purpose: str, now: float) -> bytes:
        """A challenge that is good for one purpose."""
        said = secrets.token_bytes(NONCE) + round(now * 1e6).to_bytes(MOMENT, "big")
        return said + self._signature(said, purpose)

    def issued(self, challenge: bytes, purpose: str, now: float) -> float | None:
        """When a challenge was made; None for one that is not ours, for another purpose, or too old."""
        said, signature = challenge[: NONCE + MOMENT], challenge[NONCE + MOMENT :]
        if not hmac.compare_digest(signature, self._signature(said, purpose)):
            return None
        at = int.from_bytes(said[NONCE:], "big") / 1e6
        return at if now - CHALLENGE_SECONDS < at <= now + 1 else None

    def _signature(self, said: bytes, purpose: str) -> bytes:
        return hmac.digest(self._key, said + purpose.encode(), hashlib.sha256)


def valid_passkey_name(text: str) -> str:
    """The name of a passkey as it is kept. Raises :class:`PasskeyRefused`.

    >>> valid_passkey_name("  my   phone ")
    'my phone'
    """
    name = " ".join(text[: 8 * LONGEST_NAME].split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise PasskeyRefused(N_("Write a name of 1 to 40 characters."))
    return name


async def keep(connection: AsyncConnection, person_id: str, new: NewPasskey, now: float) -> None:
    """Give a member, who has an account, a passkey. Raises :class:`PasskeyRefused` for one that somebody has."""
    # two at once are counted one after the other
    await connection.execute(select(account.c.person).where(account.c.person == person_id).with_for_update())
    held = await connection.execute(select(func.count()).select_from(passkey).where(passkey.c.person == person_id))
    if held.scalar_one() >= MOST_PASSKEYS:
        raise PasskeyRefused(N_("You have twenty passkeys. Remove one first."))
    try:
        async with connection.begin_nested():
            await connection.execute(
                insert(passkey).values(
                    id=new.id,
                    person=person_id,
                    public_key=new.public_key,
                    sign_count=new.sign_count,
                    name=new.name,
                    created=now,
                )
            )
    except IntegrityError:
        raise PasskeyRefused(REFUSED) from None


class Passkeys:
    """The members' passkeys. ``secret``: the club's."""

    def __init__(self, engine: AsyncEngine, secret: bytes, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._challenges = Challenges(secret)
        self._now = now

    # --- What devices are asked ---

    async def asked_to_make(self, person_id: str, name: str, place: Place) -> str:
        """What the browser is to be asked for a new passkey, as JSON. ``name``: the member's, which the device shows."""
        held = [each.id for each in await self.of(person_id)]
        challenge = self._challenges.new(f"make {person_id}", self._now())
        return await asyncio.to_thread(_creation, person_id, name, place, challenge, held)

    async def asked_to_show(self, browser: str, place: Place) -> str:
        """What the browser is to be asked for any passkey that it has for this club, as JSON.

        ``browser``: what it is known by here, since no other's answer will be taken.
        """
        return await asyncio.to_thread(_request, place, self._challenges.new(f"show {browser}", self._now()))

    # --- What they answer ---

    async def made(self, answer: str, person_id: str, name: str, place: Place) -> NewPasskey:
        """The passkey that a device has made for this person. Raises :class:`PasskeyRefused`."""
        name = valid_passkey_name(name)

        def genuine(challenge: bytes) -> bool:
            return self._challenges.issued(challenge, f"make {person_id}", self._now()) is not None

        return await asyncio.to_thread(_check_made, answer, name, place, genuine)

    async def shown(self, answer: str, browser: str, place: Place) -> str:
        """The id of the member whose passkey a device has shown. Raises :class:`PasskeyRefused`.

        A passkey answers each challenge once: the next one must have been made later.
        """
        credential = await asyncio.to_thread(_credential_of, answer)
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(passkey).where(passkey.c.id == credential.id))).one_or_none()
        if row is None:
            raise PasskeyRefused(UNKNOWN)
        issued: list[float] = []

        def genuine(challenge: bytes) -> bool:
            at = self._challenges.issued(challenge, f"show {browser}", self._now())
            if at is not None:
                issued.append(at)
            return at is not None

        known = _Known(row.person, row.public_key, row.sign_count)
        count = await asyncio.to_thread(_check_shown, answer, known, place, genuine)
        async with self._engine.begin() as connection:
            taken = await connection.execute(
                update(passkey)
                .where(
                    passkey.c.id == row.id,
                    passkey.c.person == row.person,
                    or_(passkey.c.used.is_(None), passkey.c.used < issued[-1]),
                )
                .values(sign_count=min(count, HIGHEST_COUNT), used=issued[-1])
            )
        if taken.rowcount != 1:
            raise PasskeyRefused(REFUSED)
        return row.person

    # --- A member's own ---

    async def of(self, person_id: str) -> list[Passkey]:
        """A member's passkeys, the oldest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(
                select(passkey).where(passkey.c.person == person_id).order_by(passkey.c.created, passkey.c.id)
            )
            return [Passkey(row.id, row.name, row.created, row.used) for row in rows]

    async def add(self, person_id: str, new: NewPasskey) -> None:
        """Give a member another passkey. Raises :class:`PasskeyRefused`."""
        async with self._engine.begin() as connection:
            await keep(connection, person_id, new, self._now())

    async def rename(self, person_id: str, passkey_id: str, name: str) -> bool:
        """Call a member's own passkey something else. Returns whether there is one; raises :class:`PasskeyRefused`."""
        name = valid_passkey_name(name)
        if not passkey_id.isprintable():
            return False
        async with self._engine.begin() as connection:
            changed = await connection.execute(
                update(passkey).where(passkey.c.id == passkey_id, passkey.c.person == person_id).values(name=name)
            )
            return changed.rowcount == 1

    async def remove(self, person_id: str, passkey_id: str) -> bool:
        """Remove a member's own passkey. Returns whether there was one.

        Raises :class:`PasskeyRefused` when the member could not log in any more.
        """
        async with self._engine.begin() as connection:
            locked = await connection.execute(
                select(account.c.password).where(account.c.person == person_id).with_for_update()
            )
            password = locked.scalar_one_or_none()
            held = (await connection.execute(select(passkey.c.id).where(passkey.c.person == person_id))).scalars().all()
            if passkey_id not in held:
                return False
            if password is None and len(held) == 1:
                raise PasskeyRefused(N_("This is how you log in. Set a password or add another passkey first."))
            await connection.execute(delete(passkey).where(passkey.c.id == passkey_id, passkey.c.person == person_id))
            return True


# --- In a thread, with the package ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Credential:
    id: str


@dataclass(frozen=True, slots=True)
class _Known:
    person: str
    public_key: str
    sign_count: int


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _creation(person_id: str, name: str, place: Place, challenge: bytes, held: Sequence[str]) -> str:
    import webauthn
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = webauthn.generate_registration_options(
        rp_id=place.domain,
        rp_name=CLUB,
        user_id=person_id.encode(),
        user_name=name,
        user_display_name=name,
        challenge=challenge,
        timeout=CHALLENGE_SECONDS * 1000,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=_decoded(each)) for each in held],
    )
    return webauthn.options_to_json(options)


def _request(place: Place, challenge: bytes) -> str:
    import webauthn

    options = webauthn.generate_authentication_options(
        rp_id=place.domain, challenge=challenge, timeout=CHALLENGE_SECONDS * 1000
    )
    return webauthn.options_to_json(options)


def _check_made(answer: str, name: str, place: Place, genuine: Callable[[bytes], bool]) -> NewPasskey:
    import webauthn
    from webauthn.helpers import parse_client_data_json, parse_registration_credential_json

    if len(answer) > LONGEST_ANSWER:
        raise PasskeyRefused(REFUSED)
    try:
        credential = parse_registration_credential_json(answer)
        challenge = parse_client_data_json(credential.response.client_data_json).challenge
        if not genuine(challenge):
            raise PasskeyRefused(REFUSED)
        made = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=place.domain,
            expected_origin=place.origin,
        )
    except PasskeyRefused:
        raise
    except Exception as error:  # whatever the package stumbles over in an answer that no device gave
        raise _refusal(error) from error
    if len(made.credential_id) > LONGEST_ID:
        raise PasskeyRefused(REFUSED)
    return NewPasskey(
        _encoded(made.credential_id),
        _encoded(made.credential_public_key),
        min(made.sign_count, HIGHEST_COUNT),
        name,
    )


def _credential_of(answer: str) -> _Credential:
    from webauthn.helpers import parse_authentication_credential_json

    if len(answer) > LONGEST_ANSWER:
        raise PasskeyRefused(REFUSED)
    try:
        return _Credential(_encoded(parse_authentication_credential_json(answer).raw_id))
    except Exception as error:
        raise _refusal(error) from error


def _check_shown(answer: str, known: _Known, place: Place, genuine: Callable[[bytes], bool]) -> int:
    """Returns how often the device says that the passkey has been used."""
    import webauthn
    from webauthn.helpers import parse_authentication_credential_json, parse_client_data_json

    try:
        credential = parse_authentication_credential_json(answer)
        challenge = parse_client_data_json(credential.response.client_data_json).challenge
        if not genuine(challenge) or credential.response.user_handle not in (None, known.person.encode()):
            raise PasskeyRefused(REFUSED)
        shown = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=place.domain,
            expected_origin=place.origin,
            credential_public_key=_decoded(known.public_key),
            credential_current_sign_count=known.sign_count,
        )
    except PasskeyRefused:
        raise
    except Exception as error:
        raise _refusal(error) from error
    return shown.new_sign_count


def _refusal(error: Exception) -> PasskeyRefused:
    log.info("A passkey was refused: %s", type(error).__name__)
    return PasskeyRefused(REFUSED)
