"""A device that makes passkeys, in software: keys on P-256, attestation "none"."""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, WITH_KEY = 0x01, 0x04, 0x40


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    """Holds passkeys by their ids. ``counts``: whether it says how often each has been used."""

    def __init__(self, origin: str = "http://localhost", *, counts: bool = False) -> None:
        self.origin = origin
        self.counts = counts
        self.count = 0
        self.keys: dict[bytes, tuple[ec.EllipticCurvePrivateKey, bytes, str]] = {}

    def _client_data(self, kind: str, challenge: str) -> bytes:
        said = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _data(self, domain: str, flags: int, more: bytes = b"") -> bytes:
        if self.counts:
            self.count += 1
        return hashlib.sha256(domain.encode()).digest() + bytes((flags,)) + self.count.to_bytes(4, "big") + more

    def make(self, asked: str) -> str:
        """What the browser sends of a new passkey."""
        options: dict[str, Any] = json.loads(asked)
        domain = options["rp"]["id"]
        key, key_id = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        self.keys[key_id] = key, decoded(options["user"]["id"]), domain
        numbers = key.public_key().public_numbers()
        public = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})
        more = bytes(16) + len(key_id).to_bytes(2, "big") + key_id + public
        data = self._data(domain, PRESENT | VERIFIED | WITH_KEY, more)
        response = {
            "clientDataJSON": encoded(self._client_data("webauthn.create", options["challenge"])),
            "attestationObject": encoded(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})),
        }
        return json.dumps({"id": encoded(key_id), "rawId": encoded(key_id), "type": "public-key", "response": response})

    def show(self, asked: str, key_id: bytes | None = None) -> str:
        """What the browser sends of the passkey that its owner has chosen: the first one, unless one is named."""
        options: dict[str, Any] = json.loads(asked)
        key_id = next(iter(self.keys)) if key_id is None else key_id
        key, user, _ = self.keys[key_id]
        said = self._client_data("webauthn.get", options["challenge"])
        data = self._data(options["rpId"], PRESENT | VERIFIED)
        response = {
            "clientDataJSON": encoded(said),
            "authenticatorData": encoded(data),
            "signature": encoded(key.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(SHA256()))),
            "userHandle": encoded(user),
        }
        return json.dumps({"id": encoded(key_id), "rawId": encoded(key_id), "type": "public-key", "response": response})
