"""List the versions of a document, and the documents in the bin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse

from documents.models import Document, Version
from search.errors import NoSuchDocument
from search.read.cursor import behind, identity, position, read_cursor, words, write_cursor
from search.read.facts import DocumentFacts, VersionFacts, document_facts, version_facts
from search.read.reading import HEAVY
from tenants.models import Tenant
from tenants.scope import within_tenant

LIMIT, MOST = 50, 200
GONE = "There is no such document here."


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionListed:
    version: VersionFacts
    state: str
    failure: str
    withdrawn_at: datetime | None
    watch: str  # Where to see how far it is.


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsRead:
    """A document, and a page of its versions, the newest first."""

    document: DocumentFacts
    deleted_at: datetime | None
    versions: tuple[VersionListed, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentBinned:
    document: DocumentFacts
    deleted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BinRead:
    documents: tuple[DocumentBinned, ...]
    next: str | None


def list_versions(
    *, tenant: Tenant, document: UUID, after: str | None = None, limit: int = LIMIT
) -> VersionsRead:
    """Return what a document said at one time or another, ready or not; in the bin, too."""
    last = read_cursor(after, position)
    with within_tenant(tenant.pk):
        found = Document.objects.for_tenant(tenant).select_related("collection").filter(pk=document).first()
        if found is None:
            raise NoSuchDocument(GONE)
        rows = Version.objects.filter(document=found).defer(*HEAVY).order_by("-number")
        if last:
            rows = rows.filter(number__lt=last[0])
        versions = list(rows[: limit + 1])
        shown = versions[:limit]
        return VersionsRead(
            document=document_facts(found),
            deleted_at=found.deleted_at,
            versions=tuple(map(_describe, shown)),
            next=write_cursor(shown[-1].number) if len(versions) > limit else None,
        )


def list_bin(*, tenant: Tenant, after: str | None = None, limit: int = LIMIT) -> BinRead:
    """Return the documents that can be restored, by name."""
    last = read_cursor(after, words, identity)
    with within_tenant(tenant.pk):
        rows = Document.objects.for_tenant(tenant).exclude(deleted_at=None).select_related("collection")
        if last:
            rows = rows.filter(behind(("name", "pk"), last))
        found = list(rows.order_by("name", "pk")[: limit + 1])
        shown = found[:limit]
        return BinRead(
            documents=tuple(
                DocumentBinned(document=document_facts(one), deleted_at=one.deleted_at)
                for one in shown
                if one.deleted_at is not None
            ),
            next=write_cursor(shown[-1].name, shown[-1].pk) if len(found) > limit else None,
        )


def _describe(version: Version) -> VersionListed:
    return VersionListed(
        version=version_facts(version),
        state=version.state,
        failure=version.failure,
        withdrawn_at=version.withdrawn_at,
        watch=reverse("api_version", args=[version.pk]),
    )
