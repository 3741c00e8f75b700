"""Situate chunks by their structure alone."""

from __future__ import annotations

from collections.abc import Sequence

from search.backends.contextualizers.base import Excerpt, Manuscript
from search.backends.contextualizers.structural import situate
from search.place import Situated

LONGEST_REASON = 300


def situate_structurally(
    manuscript: Manuscript, excerpts: Sequence[Excerpt], max_tokens: int, fallback: str = ""
) -> list[Situated]:
    """Return each chunk with what its place says of it, and why nobody else said more."""
    return [situate_one(manuscript, excerpt, max_tokens, fallback) for excerpt in excerpts]


def situate_one(manuscript: Manuscript, excerpt: Excerpt, max_tokens: int, fallback: str) -> Situated:
    context = situate(manuscript.title, excerpt, max_tokens)
    return Situated(excerpt.text, context, fallback=fallback[:LONGEST_REASON])
