"""Old versions go when their tenant has kept them for as long as it wants to."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from documents.errors import NothingToDo
from documents.forget import forgetting_passages
from documents.models import BaselineVersion, Document, State, Version
from documents.retain import Kept, expired_versions
from documents.services.intake import lock_collection, lock_document
from documents.services.source import forget_sources, sources_of
from tenants.audit import Actor, record
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services import UPKEEP

logger = logging.getLogger(__name__)

PORTION = 100  # Versions of one document that go in one transaction.
NEVER_READ = (State.FAILED, State.CANCELLED)
FACTS = ("pk", "number", "state", "recorded_at", "superseded_at", "withdrawn_at", "touched_at")
DATES = ("effective_from", "effective_to")


@dataclass(frozen=True, slots=True)
class Expired:
    """The versions of a document that may go."""

    document: Document
    versions: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Pruned:
    """What became of the old versions of a tenant."""

    versions: int = 0
    documents: int = 0
    refused: int = 0  # Documents of which the database would not let go.


def set_retention(*, tenant: Tenant, days: int | None, actor: Actor) -> Tenant:
    """Say for how many days old versions are kept; without a number, for ever. The next upkeep obeys."""
    with tenant_scope(tenant.pk):
        current = Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
        before, current.keep_versions_days = current.keep_versions_days, days
        current.clean_fields(exclude=["slug", "name"])
        if before != days:
            current.save(update_fields=["keep_versions_days"])
            names = {"action": "retention.changed", "target": current.name}
            record(tenant=current, actor=actor, before=before, after=days, **names)
    tenant.keep_versions_days = days
    return tenant


def find_expired(*, tenant: Tenant, now: datetime | None = None) -> Iterator[Expired]:
    """Yield what would go now, document by document."""
    now, days = now or timezone.now(), tenant.keep_versions_days
    if days is None:
        return
    for document_id in _concerned(tenant, now - timedelta(days=days)):
        with tenant_scope(tenant.pk):
            document = Document.objects.select_related("collection").filter(pk=document_id).first()
            found = [] if document is None else expired_versions(load_kept(document_id), now=now, days=days)
        if document is not None and found:
            yield Expired(document, tuple(found))


def prune_versions(*, tenant: Tenant, actor: Actor = UPKEEP, now: datetime | None = None) -> Pruned:
    """Delete for good what a tenant has kept for long enough, each portion in a transaction of its own.

    With versions go their sections, chunks, definitions and references, and the files and passages that
    nothing else needs. What the database refuses to let go of stays, and does not hold up the rest.
    """
    now, total = now or timezone.now(), Pruned()
    try:
        for expired in find_expired(tenant=tenant, now=now):
            total = _add(total, _prune_document(tenant, expired.document, now))
    finally:
        if total != Pruned():
            _record(tenant, actor, total)
    return total


def _prune_document(tenant: Tenant, document: Document, now: datetime) -> Pruned:
    versions = 0
    try:
        while count := _prune_portion(tenant, document, now):
            versions += count
    except IntegrityError:
        logger.warning("Old versions of %s cannot be deleted.", document.pk, exc_info=True)
        return Pruned(versions, int(versions > 0), refused=1)
    except NothingToDo:
        pass  # The document or its collection was deleted at this moment.
    return Pruned(versions, int(versions > 0))


def _prune_portion(tenant: Tenant, document: Document, now: datetime) -> int:
    """Decide once more, now that nobody can change the document, hold it by a baseline or keep it longer."""
    with tenant_scope(tenant.pk):
        own = Tenant.objects.select_for_update(no_key=True).filter(pk=tenant.pk)
        days = own.values_list("keep_versions_days", flat=True).first()
        if days is None:  # For ever, by now.
            return 0
        lock_collection(document.collection)
        lock_document(document)
        found = expired_versions(load_kept(document.pk), now=now, days=days)[:PORTION]
        if found:
            delete_versions([one.id for one in found])
        return len(found)


def delete_versions(ids: Sequence[UUID]) -> None:
    own = Version.objects.filter(pk__in=ids)
    with forgetting_passages(own):
        sources = sources_of(own)
        own.delete()
        forget_sources(sources)


def _concerned(tenant: Tenant, limit: datetime) -> list[UUID]:
    """Return the documents that have a version which ended long ago; most of these are the newest."""
    ended = Q(superseded_at__lte=limit) | Q(state__in=NEVER_READ, touched_at__lte=limit)
    later = Version.objects.filter(document=OuterRef("document"), number__gt=OuterRef("number"))
    with tenant_scope(tenant.pk):
        rows = Version.objects.for_tenant(tenant).filter(ended, Exists(later)).order_by("document")
        return list(rows.values_list("document", flat=True).distinct())


def load_kept(document_id: UUID) -> list[Kept]:
    """Return what decides which versions of a document go. In the tenant's scope."""
    held = Exists(BaselineVersion.objects.filter(version=OuterRef("pk")))
    rows = Version.objects.filter(document=document_id).annotate(held=held).order_by("number")
    return [_kept(*row) for row in rows.values_list(*FACTS, *DATES, "held")]


def _kept(pk: UUID, number: int, state: str, *rest: Any) -> Kept:
    recorded_at, superseded_at, withdrawn_at, touched_at, effective_from, effective_to, held = rest
    is_ready = state == State.READY
    ended = [superseded_at, withdrawn_at] if is_ready else [touched_at if state in NEVER_READ else None]
    return Kept(
        id=pk,
        number=number,
        is_ready=is_ready,
        ended_at=max((moment for moment in ended if moment is not None), default=None),
        is_withdrawn=withdrawn_at is not None,
        is_in_baseline=held,
        begins=effective_from or (recorded_at.astimezone(UTC).date() if recorded_at else None),
        ends=effective_to,
        is_dated=effective_from is not None or effective_to is not None,
    )


def _add(total: Pruned, more: Pruned) -> Pruned:
    return Pruned(
        total.versions + more.versions, total.documents + more.documents, total.refused + more.refused
    )


def _record(tenant: Tenant, actor: Actor, pruned: Pruned) -> None:
    with tenant_scope(tenant.pk):
        record(
            tenant=tenant,
            actor=actor,
            action="versions.pruned",
            target=tenant.name,
            days=tenant.keep_versions_days,
            versions=pruned.versions,
            documents=pruned.documents,
            refused=pruned.refused,
        )
