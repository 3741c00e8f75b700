"""Delete what no document says any more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone

from documents.models import VersionQuerySet
from search.backends import keyword_index
from search.lock import lock_passages
from search.models import Context, Passage, Placement, QueryRecord
from tenants.scope import tenant_scope

PORTION = 2_000


def passages_of(versions: VersionQuerySet) -> list[UUID]:
    """Return the passages that versions say."""
    placements = Placement.objects.filter(version__in=versions.values("pk")).order_by()
    return list(placements.values_list("passage_id", flat=True).distinct())


def sweep_passages(tenant_id: UUID, passages: Sequence[UUID] | None = None) -> int:
    """Delete passages that no version says, of these or of all; return how many.

    With them go their vectors and their words, and written contexts that nothing was written for any more.
    """
    total = 0
    while count := _sweep_portion(tenant_id, passages):
        total += count
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        _sweep_contexts(tenant_id)
    return total


def _sweep_portion(tenant_id: UUID, passages: Sequence[UUID] | None) -> int:
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        rows = Passage.objects.filter(tenant=tenant_id).unplaced()
        if passages is not None:
            rows = rows.filter(pk__in=passages)
        unsaid = list(rows.order_by("pk").values_list("pk", flat=True)[:PORTION])
        if unsaid:
            keyword_index().forget(tenant_id, unsaid)
            Passage.objects.filter(pk__in=unsaid).delete()
        return len(unsaid)


def _sweep_contexts(tenant_id: UUID) -> None:
    """Delete contexts that no passage has and whose version is gone; others may be asked for again."""
    used = Passage.objects.filter(written_context=models.OuterRef("pk"))
    Context.objects.filter(tenant=tenant_id, version=None).exclude(models.Exists(used)).delete()


def sweep_queries(tenant_id: UUID) -> int:
    """Forget the searches that are older than they are kept; return how many."""
    oldest = timezone.now() - timedelta(days=settings.QUERY_DAYS)
    with tenant_scope(tenant_id):
        return QueryRecord.objects.filter(tenant=tenant_id, at__lt=oldest).delete()[0]
