"""What is to be contextualized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from search.backends.contextualizers.base import Excerpt, Manuscript
from search.contextualize.keep import context_key


@dataclass(frozen=True, slots=True)
class Work:
    """The chunks of a version, whoever situates them."""

    tenant_id: UUID
    version_id: UUID
    manuscript: Manuscript
    excerpts: Sequence[Excerpt]
    max_tokens: int
    concurrency: int


def keys_of(work: Work, contextualizer_name: str) -> list[str]:
    """Return by what the context of each chunk is kept."""
    title, most = work.manuscript.title, work.max_tokens
    return [context_key(contextualizer_name, title, excerpt, most) for excerpt in work.excerpts]
