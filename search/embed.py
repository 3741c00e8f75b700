"""Vectors for the passages of a version, in the space that searches read."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from search.fill import RecordUsage, fill_passages
from search.models import EmbeddingSpace, Passage, SpaceState
from search.spaces import ensure_space
from tenants.scope import tenant_scope


@dataclass(frozen=True, slots=True)
class Embedded:
    """How many passages have just got their vectors, and how many of the version have none yet."""

    done: int
    left: int


def embed_some(
    *, tenant_id: UUID, version_id: UUID, most_texts: int = 32, record_usage: RecordUsage | None = None
) -> Embedded:
    """Embed a batch of a version's passages. Those that others have in hand are left to them."""
    passages = Passage.objects.of_version(version_id)
    done = fill_passages(ensure_space(tenant_id), passages, most_texts=most_texts, record_usage=record_usage)
    with tenant_scope(tenant_id):
        return Embedded(done, count_missing(version_id))


def count_missing(version_id: UUID) -> int:
    """Count the passages of a version that have no vectors in the space in use. Inside its tenant's scope."""
    passages = Passage.objects.of_version(version_id)
    spaces = EmbeddingSpace.objects.filter(tenant__versions=version_id, state=SpaceState.ACTIVE)
    space = spaces.values_list("pk", flat=True).first()
    return (passages if space is None else passages.without_vectors(space)).count()
