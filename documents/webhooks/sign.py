"""Secrets and signatures, after the convention of Standard Webhooks (standardwebhooks.com).

A receiver needs the secret to check, and we need it to sign, so a hash of it would not do. It is not stored
either: it is derived from a random salt and the key of the installation, whenever something is signed.
Whoever has the database alone can sign nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Sequence

PREFIX = "whsec_"
SALT_BYTES = 32
CONTEXT = b"pandect webhook secret\0"  # So that the same key gives other values for other purposes.


def new_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)


def derive_secret(salt: bytes, installation_key: str) -> str:
    """Return the secret that belongs to a salt: `whsec_` and 256 bits in base64."""
    key = hmac.digest(installation_key.encode(), CONTEXT + salt, "sha256")
    return PREFIX + b64encode(key).decode()


def digest_of(secret: str) -> str:
    """Return what tells later whether a secret is still the one that was shown."""
    return hashlib.sha256(secret.encode()).hexdigest()


def sign_message(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return one signature, such as `v1,K5oZ…`."""
    key = b64decode(secret.removeprefix(PREFIX), validate=True)
    content = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(key, content, "sha256")).decode()


def signed_headers(keys: Sequence[str], *, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove a message, signed by each secret that is valid now."""
    signatures = [sign_message(key, message_id=message_id, timestamp=timestamp, body=body) for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
