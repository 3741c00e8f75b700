"""Addresses of places in documents, as results link to them."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

LONGEST_QUERY = 300  # Characters of a question whose words are marked where it is read.


def place_link(slug: str, document_id: UUID, *, label: str = "", read: str = "", query: str = "") -> str:
    """Return where a unit is read, in the context in which it was found, with the question's words marked."""
    words = query if len(query) <= LONGEST_QUERY else ""
    asked = urlencode([pair for pair in (("at", label), ("read", read), ("q", words)) if pair[1]])
    page = _page(slug, document_id)
    return f"{page}?{asked}" if asked else page


@lru_cache(maxsize=1_000)  # Ten results have a hundred links into a few documents.
def _page(slug: str, document_id: UUID) -> str:
    return reverse("reader", kwargs={"slug": slug, "pk": document_id})
