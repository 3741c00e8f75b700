"""What is derived from documents goes with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from documents.models import DocumentQuerySet
from search.contextualize import forget_batches
from search.sweep import passages_of, sweep_passages
from tenants.models import Tenant
from tenants.scope import platform_scope


@contextmanager
def forgetting_passages(documents: DocumentQuerySet) -> Iterator[None]:
    """Delete, after the documents, the passages that no other document says. Inside one transaction."""
    tenants = set(documents.values_list("tenant", flat=True))
    passages = passages_of(documents)
    forget_batches(documents)
    yield
    for tenant_id in tenants:
        sweep_passages(tenant_id, passages)


def sweep_index() -> None:
    """Delete the passages of all tenants that no document says: of versions that were never finished."""
    with platform_scope():
        tenants = list(Tenant.objects.values_list("pk", flat=True))
    for tenant_id in tenants:
        sweep_passages(tenant_id)
