"""The index is derived from documents, and made anew from them when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.db import transaction

from documents.models import Collection, Document
from documents.rebuild import Extent
from documents.tasks import reindex_next
from tenants.audit import Actor, record
from tenants.models import Tenant
from tenants.scope import tenant_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """What was started: of what, and for how many versions."""

    collection: str  # Nothing for all of them.
    document: str
    versions: int


def reindex(
    *, tenant: Tenant, actor: Actor, collection: Collection | None = None, document: Document | None = None
) -> Reindexing:
    """Have workers index anew what can be read: all of it, of a collection, or of a document."""
    extent = Extent(
        tenant.pk,
        collection_id=collection.pk if collection else None,
        document_id=document.pk if document else None,
    )
    with tenant_scope(tenant.pk):
        started = Reindexing(
            collection=collection.name if collection else "",
            document=document.name if document else "",
            versions=extent.versions().count(),
        )
        if started.versions:
            target = started.document or started.collection or tenant.name
            detail = {"versions": started.versions}
            record(tenant=tenant, actor=actor, action="index.rebuilt", target=target, **detail)
            transaction.on_commit(partial(reindex_next.delay, extent.written()))
    return started
