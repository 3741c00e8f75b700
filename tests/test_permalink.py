"""The address of a citation is the one that leads to its page."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import get_script_prefix, reverse, set_script_prefix

from search.permalink import SHOWN, permalink_of


@pytest.mark.parametrize("slug", ["harbour", "a-1"])
@pytest.mark.parametrize("prefix", ["/", "/below/"])
def test_it_is_the_address_of_the_page(slug: str, prefix: str) -> None:
    version, digest, before = uuid4(), "0123456789abcdef" * 4, get_script_prefix()
    set_script_prefix(prefix)
    try:
        address = reverse(
            "citation",
            kwargs={"slug": slug, "pk": version, "start": 7, "end": 1234, "digest": digest[:SHOWN]},
        )
        assert address.startswith(prefix)
        assert permalink_of(slug, version, (7, 1234), digest) == address
    finally:
        set_script_prefix(before)


def test_what_is_gone_has_none() -> None:
    assert permalink_of("harbour", uuid4(), (0, 1), "") == ""
