"""List the collections of a tenant: what each holds, and what of it is published."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from documents.models import Baseline, Collection
from search.read.cursor import LIMIT, cut_page, words
from tenants.models import Tenant
from tenants.scope import within_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRead:
    """A collection. `waiting` and `failed` count documents by their newest version."""

    id: UUID
    name: str
    description: str
    language: str
    documents: int
    waiting: int
    failed: int
    published: str  # The name of the baseline that is published; nothing if none is.
    published_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionsRead:
    collections: tuple[CollectionRead, ...]
    next: str | None
    read_at: datetime


def list_collections(*, tenant: Tenant, after: str | None = None, limit: int = LIMIT) -> CollectionsRead:
    """Return collections by name, a page at a time."""
    with within_tenant(tenant.pk):
        rows = Collection.objects.for_tenant(tenant).with_counts()
        page, following = cut_page(rows, {"name": words}, after=after, limit=limit)
        own = Baseline.objects.for_tenant(tenant).filter(collection__in=page)
        published = {one.collection_id: one for one in own.published()}
        found = tuple(_describe(row, published.get(row.pk)) for row in page)
    return CollectionsRead(collections=found, next=following, read_at=timezone.now())


def _describe(row: Any, baseline: Baseline | None) -> CollectionRead:
    return CollectionRead(
        id=row.pk,
        name=row.name,
        description=row.description,
        language=row.language,
        documents=row.document_count,
        waiting=row.open_count,
        failed=row.failed_count,
        published="" if baseline is None else baseline.name,
        published_id=None if baseline is None else baseline.pk,
    )
