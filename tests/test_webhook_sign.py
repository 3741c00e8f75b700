"""Messages are signed so that a receiver can check them, as docs/webhooks.md says."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.webhooks.sign import derive_secret, digest_of, new_salt, sign_message, signed_headers
from tests.docs import example

is_genuine = example("webhooks.md")["is_genuine"]
keys = st.binary(min_size=32, max_size=32).map(lambda key: "whsec_" + b64encode(key).decode())
ids = st.uuids().map(str)


def headers_of(*secrets: str, body: bytes, message_id: str = "m", at: int | None = None) -> dict[str, str]:
    now = int(time.time()) if at is None else at
    return signed_headers(secrets, message_id=message_id, timestamp=now, body=body)


def test_the_signature_is_that_of_the_convention() -> None:
    """The example that Standard Webhooks gives in its specification."""
    signature = sign_message(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@given(secret=keys, message_id=ids, body=st.binary())
def test_what_is_signed_is_genuine(secret: str, message_id: str, body: bytes) -> None:
    assert is_genuine(secret, headers_of(secret, body=body, message_id=message_id), body)


@given(secret=keys, other=keys, message_id=ids, body=st.binary(), data=st.data())
def test_nothing_else_is(secret: str, other: str, message_id: str, body: bytes, data: Any) -> None:
    headers = headers_of(secret, body=body, message_id=message_id)
    another_body = data.draw(st.binary().filter(lambda one: one != body))
    assert not is_genuine(secret, headers, another_body)
    assert not is_genuine(secret, {**headers, "webhook-id": f"{message_id}x"}, body)
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert not is_genuine(secret, {**headers, "webhook-timestamp": later}, body)
    assert is_genuine(other, headers, body) == (other == secret)
    signature = headers["webhook-signature"]
    place = data.draw(st.integers(3, len(signature) - 2))
    forged = signature[:place] + ("A" if signature[place] != "A" else "B") + signature[place + 1 :]
    assert not is_genuine(secret, {**headers, "webhook-signature": forged}, body)


@given(first=keys, second=keys, body=st.binary())
def test_while_a_secret_is_changed_both_are_genuine(first: str, second: str, body: bytes) -> None:
    headers = headers_of(first, second, body=body)
    assert is_genuine(first, headers, body)
    assert is_genuine(second, headers, body)


@pytest.mark.parametrize(
    ("age", "is_young"), [(0, True), (290, True), (310, False), (-290, True), (-310, False)]
)
def test_old_messages_are_not_genuine(age: int, is_young: bool) -> None:
    secret = derive_secret(new_salt(), "key")
    headers = headers_of(secret, body=b"{}", at=int(time.time()) - age)
    assert is_genuine(secret, headers, b"{}") is is_young


@pytest.mark.parametrize("timestamp", ["", "x", "-1", "1e9", "١"])
def test_a_time_that_is_none_is_not_genuine(timestamp: str) -> None:
    secret = derive_secret(new_salt(), "key")
    headers = headers_of(secret, body=b"{}") | {"webhook-timestamp": timestamp}
    assert not is_genuine(secret, headers, b"{}")


def test_a_secret_has_256_bits_and_comes_from_both_salt_and_key() -> None:
    salt = new_salt()
    secret = derive_secret(salt, "key")
    assert secret.startswith("whsec_")
    assert len(b64decode(secret.removeprefix("whsec_"))) == 32
    assert derive_secret(salt, "key") == secret
    assert len({secret, derive_secret(salt, "other"), derive_secret(new_salt(), "key")}) == 3
    assert digest_of(secret) != digest_of(derive_secret(salt, "other"))
