"""Contexts that a provider wrote, kept by who was asked for which place and text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID

from search.backends.contextualizers.base import Excerpt
from search.models import Context
from tenants.scope import tenant_scope


def context_key(contextualizer_name: str, title: str, excerpt: Excerpt, max_tokens: int) -> str:
    """Return by what a context is kept: not by the whole text, so that an amendment leaves the rest alone."""
    parts = [contextualizer_name, max_tokens, title, excerpt.path, excerpt.heading, excerpt.text]
    return sha256(json.dumps(parts).encode()).hexdigest()


def kept_contexts(tenant_id: UUID, keys: Iterable[str]) -> dict[str, tuple[UUID, str]]:
    """Return id and text of those that are kept, by key."""
    with tenant_scope(tenant_id):
        rows = Context.objects.filter(tenant_id=tenant_id, key__in=list(keys))
        return {key: (id_, text) for key, id_, text in rows.values_list("key", "id", "text")}


def keep_context(context: Context) -> None:
    """Keep what was paid for, at once; if somebody else was faster, theirs."""
    with tenant_scope(context.tenant_id):
        Context.objects.bulk_create([context], ignore_conflicts=True)
