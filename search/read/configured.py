"""List the collections of a tenant a page at a time, and tell how one is configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from documents.configuration import Configuration, weigh
from documents.models import Collection
from search.read.cursor import LIMIT, read_cursor, words, write_cursor
from tenants.models import Tenant
from tenants.scope import within_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionListed:
    """A collection, and what is in it."""

    id: UUID
    name: str
    description: str
    documents: int  # Without those in the bin.
    being_read: int  # Of these, whose newest version is not ready yet.
    failed: int  # Of these, whose newest version could not be read.
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionsListed:
    collections: tuple[CollectionListed, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionConfigured:
    """A collection as it is configured: a value for each key of a file, and what is odd about them."""

    id: UUID
    configuration: Mapping[str, Any]
    warnings: tuple[str, ...]
    created_at: datetime


def list_configured(
    *, tenant: Tenant, name: str = "", after: str | None = None, limit: int = LIMIT
) -> CollectionsListed:
    """Return collections by name, or those whose names contain something."""
    last = read_cursor(after, words)
    with within_tenant(tenant.pk):
        rows = Collection.objects.for_tenant(tenant).with_counts()
        if name:
            rows = rows.filter(name__icontains=name)
        if last:
            rows = rows.filter(name__gt=last[0])
        found = list(rows.order_by("name")[: limit + 1])
        shown = found[:limit]
        return CollectionsListed(
            collections=tuple(map(_describe, shown)),
            next=write_cursor(shown[-1].name) if len(found) > limit else None,
        )


def _describe(collection: Any) -> CollectionListed:
    return CollectionListed(
        id=collection.pk,
        name=collection.name,
        description=collection.description,
        documents=collection.document_count,
        being_read=collection.open_count,
        failed=collection.failed_count,
        created_at=collection.created_at,
    )


def tell_configuration(collection: Collection) -> CollectionConfigured:
    values = collection.configuration
    return CollectionConfigured(
        id=collection.pk,
        configuration=values,
        warnings=tuple(problem.message for problem in weigh(Configuration(values))),
        created_at=collection.created_at,
    )
