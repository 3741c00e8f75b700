"""The form of an API key."""

from __future__ import annotations

import re
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from tenants.keys import FORM, Token

SECRETS = st.from_regex(re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII), fullmatch=True)


@given(st.uuids())
def test_a_new_key_is_read_back_as_it_was_written(tenant_id: UUID) -> None:
    token = Token.generate(tenant_id)
    assert Token.parse(str(token)) == token
    assert str(token).startswith("pandect_")


@given(st.uuids(), SECRETS)
def test_any_key_is_read_back(tenant_id: UUID, secret: str) -> None:
    token = Token(tenant_id, secret)
    assert Token.parse(str(token)) == token


@given(st.text() | st.from_regex(r"pandect_[0-9a-f_]{0,40}_.{0,50}"))
def test_what_is_read_has_exactly_the_form(text: str) -> None:
    token = Token.parse(text)
    assert (token is None) == (FORM.fullmatch(text) is None)
    if token is not None:
        assert str(token) == text


@given(st.uuids(), st.uuids(), SECRETS)
def test_the_same_secret_in_two_tenants_is_two_keys(one: UUID, other: UUID, secret: str) -> None:
    assert (Token(one, secret).digest == Token(other, secret).digest) == (one == other)


@given(st.uuids(), SECRETS)
def test_a_key_does_not_show_itself_in_logs(tenant_id: UUID, secret: str) -> None:
    token = Token(tenant_id, secret)
    assert secret not in repr(token)
    assert repr(token) == f"<Token …{secret[-4:]}>"
