"""The address of a citation, which stays the same whatever is renamed or renumbered."""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID

from django.urls import get_script_prefix, reverse

TAIL = "{}/{}-{}/{}/"  # As search/urls.py has it: version, span and digest.
SHOWN = 16  # Digits of the hash. Nobody finds another text with the same by chance.


class DigestConverter:
    """The first digits of a hash in an address, or all of them."""

    regex = f"[0-9a-f]{{{SHOWN},64}}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def permalink_of(slug: str, version_id: UUID, span: tuple[int, int], content_hash: str) -> str:
    """Return the path of the page that shows the cited words as they were; none of words without a hash."""
    if not content_hash:
        return ""  # Deleted at this moment.
    return _front(slug, get_script_prefix()) + TAIL.format(version_id, *span, content_hash[:SHOWN])


@lru_cache(maxsize=100)
def _front(slug: str, prefix: str) -> str:
    """Return what all addresses of a tenant begin with: to look each of them up would take a millisecond."""
    places = {"pk": UUID(int=0), "start": 0, "end": 0, "digest": "0" * SHOWN}
    address = reverse("citation", kwargs={"slug": slug, **places})
    return address.removesuffix(TAIL.format(*places.values()))
