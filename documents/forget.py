"""What is derived from versions goes with them; what nobody goes on with, or asks for again, goes in time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import timezone

from documents.models import AnsweredRequest, Upload, VersionQuerySet
from search.contextualize import forget_batches
from search.past import mark_past
from search.sweep import passages_of, sweep_passages, sweep_queries
from tenants.models import Tenant
from tenants.scope import platform_scope


@contextmanager
def forgetting_passages(versions: VersionQuerySet) -> Iterator[None]:
    """Delete, after the versions, the passages that no other version says. Inside one transaction."""
    tenants = set(versions.order_by().values_list("tenant", flat=True))
    passages = passages_of(versions)
    forget_batches(versions)
    yield
    for tenant_id in tenants:
        sweep_passages(tenant_id, passages)


def sweep_index() -> None:
    """Delete what tenants need no longer, passages of versions that were never finished and old searches.

    What is left and no current version says is marked, wherever that was missed.
    """
    with platform_scope():
        tenants = list(Tenant.objects.values_list("pk", flat=True))
    for tenant_id in tenants:
        sweep_passages(tenant_id)
        mark_past(tenant_id)
        sweep_queries(tenant_id)


def sweep_uploads() -> int:
    """Forget the uploads of all tenants that nobody has gone on with; return how many."""
    with platform_scope():
        return Upload.objects.expired(timezone.now()).delete()[0]


def sweep_answers() -> int:
    """Forget the answers of all tenants that nobody asks for again; return how many."""
    with platform_scope():
        return AnsweredRequest.objects.expired(timezone.now()).delete()[0]
