"""Which passages no current version says any more: whoever reads what is current passes them by.

The mark is a help and no answer: what is found is still asked whether it is within reach. So it may be
missing for a while, as it is right after a version was superseded, but no passage that a current version says
may bear it. Whoever places a passage, or makes an old version current, takes it away in the same transaction;
both sides hold the lock of the tenant's passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from documents.models import VersionQuerySet
from search.backends import keyword_index
from search.lock import lock_passages
from search.models import Passage, Placement
from search.models.passage import PassageQuerySet
from tenants.scope import tenant_scope

PORTION = 1_000
MARK = "UPDATE search_passage SET is_past = %s WHERE id = ANY(%s)"
# Those of all spaces, the ones that are being built too.
MARK_VECTORS = "UPDATE search_embedding SET is_past = %s WHERE passage_id = ANY(%s)"


def mark_past(tenant_id: UUID, versions: VersionQuerySet | None = None) -> int:
    """Mark what superseded versions alone say, of some versions or of all; return how many passages."""
    with tenant_scope(tenant_id):
        rows = _unmarked(tenant_id)
        if versions is not None:
            said = Placement.objects.filter(tenant=tenant_id, version__in=versions.values("pk"))
            rows = rows.filter(pk__in=said.values("passage"))
        found = list(rows.values_list("pk", flat=True))
    portions = (found[start : start + PORTION] for start in range(0, len(found), PORTION))
    return sum(_mark_portion(tenant_id, portion) for portion in portions)


def mark_current(tenant_id: UUID, versions: Sequence[UUID]) -> None:
    """Take the mark from what versions say that are current, or will be. Within their transaction."""
    lock_passages(tenant_id)
    said = Placement.objects.filter(tenant=tenant_id, version__in=versions, version__superseded_at=None)
    past = Passage.objects.filter(tenant=tenant_id, is_past=True, pk__in=said.values("passage"))
    _mark(tenant_id, list(past.values_list("pk", flat=True)), is_past=False)


def _mark_portion(tenant_id: UUID, portion: Sequence[UUID]) -> int:
    """Look again: until the lock is held, a new version may say them."""
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        passages = list(_unmarked(tenant_id).filter(pk__in=portion).values_list("pk", flat=True))
        _mark(tenant_id, passages, is_past=True)
        return len(passages)


def _unmarked(tenant_id: UUID) -> PassageQuerySet:
    return Passage.objects.filter(tenant=tenant_id, is_past=False).superseded()


def _mark(tenant_id: UUID, passages: Sequence[UUID], *, is_past: bool) -> None:
    if not passages:
        return
    with connection.cursor() as cursor:
        for statement in (MARK, MARK_VECTORS):
            cursor.execute(statement, [is_past, list(passages)])
    keyword_index().mark(tenant_id, passages, is_past=is_past)
