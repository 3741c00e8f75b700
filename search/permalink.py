"""The address of a citation, which stays the same whatever is renamed or renumbered."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse

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
    start, end = span
    return reverse(
        "citation",
        kwargs={
            "slug": slug,
            "pk": version_id,
            "start": start,
            "end": end,
            "digest": content_hash[:SHOWN],
        },
    )
