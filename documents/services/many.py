"""What is done to many documents of a collection at once, on the record as one act."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from documents import tasks
from documents.models import Collection, Document, State, Version
from documents.services.intake import waiting_again
from tenants.audit import Actor, record
from tenants.scope import tenant_scope

MOST_AT_ONCE = 1_000  # Each sends a message to the workers, while somebody waits for the page.


def retry_failed(*, collection: Collection, actor: Actor) -> int:
    """Read again what has failed, as far as it fits into one act; return how many."""
    with tenant_scope(collection.tenant_id):
        versions = _lock_last_versions(collection, [State.FAILED])
        failed = Version.objects.filter(pk__in=versions, state=State.FAILED)
        count = failed.update(**waiting_again(timezone.now()))
        if count:
            _record(collection, "collection.retried", actor, count)
            transaction.on_commit(lambda: tasks.tell(tasks.read_next, count), robust=True)
    return count


def cancel_reading(*, collection: Collection, actor: Actor) -> int:
    """Stop what is being read, as far as it fits into one act; return how many. What was done is kept."""
    with tenant_scope(collection.tenant_id):
        versions = _lock_last_versions(collection, [state for state in State if state.is_open])
        count = Version.objects.filter(pk__in=versions).cancel(timezone.now())
        if count:
            _record(collection, "collection.cancelled", actor, count)
            transaction.on_commit(lambda: _cancel_batches(collection, versions), robust=True)
    return count


def _lock_last_versions(collection: Collection, states: Sequence[State]) -> list[UUID]:
    """Return the last versions that are in some states, and hold off whoever else changes their documents."""
    documents = Document.objects.present().in_state(*states).filter(collection=collection.pk)
    locked = documents.select_for_update(of=["self"], no_key=True).order_by("pk")
    ids = list(locked.values_list("pk", flat=True)[:MOST_AT_ONCE])
    newest = Version.objects.newest().filter(document__in=ids, state__in=states)
    return list(newest.values_list("pk", flat=True))


def _cancel_batches(collection: Collection, versions: Sequence[UUID]) -> None:
    with tenant_scope(collection.tenant_id):
        asked = Version.objects.filter(pk__in=versions, context_batches__isnull=False)
        waiting = list(asked.order_by("pk").values_list("pk", flat=True).distinct())
    for version_id in waiting:
        tasks.cancel_batches.delay(str(version_id), str(collection.tenant_id))


def _record(collection: Collection, action: str, actor: Actor, count: int) -> None:
    record(tenant=collection.tenant, actor=actor, action=action, target=collection.name, documents=count)
