"""Passages get their vectors before anything says them, so that what is ready stays found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from uuid import UUID

from search.backends import keyword_index
from search.budget import record_embedding
from search.fill import fill_passages
from search.lock import lock_passages
from search.models import Passage
from search.place import Situated, add_passages, digest_of
from search.spaces import ensure_space
from tenants.scope import tenant_scope

MOST_TEXTS = 32
PAUSE = 0.5  # Seconds, until passages are looked at again that others have in hand.


def prepare_passages(tenant_id: UUID, language: str, situated: Sequence[Situated]) -> None:
    """Make the passages that are new, and the vectors that they lack in the space in use."""
    passages = {digest_of(language, one): one for one in situated if one.text.strip()}
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        if new := add_passages(tenant_id, language, passages):
            keyword_index().add(tenant_id, new)
    ours = Passage.objects.filter(tenant=tenant_id, digest__in=list(passages))
    while _count_lacking(tenant_id, list(passages)):
        space = ensure_space(tenant_id)
        if not fill_passages(space, ours, most_texts=MOST_TEXTS, record_usage=record_embedding):
            time.sleep(PAUSE)


def _count_lacking(tenant_id: UUID, digests: Sequence[str]) -> int:
    space = ensure_space(tenant_id)
    with tenant_scope(tenant_id):
        ours = Passage.objects.filter(tenant=tenant_id, digest__in=digests)
        return ours.without_vectors(space.pk).count()
