"""List the documents that can be read, and tell of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery

from documents.models import Document, DocumentQuerySet, State, Version
from documents.read_context import HEAD, DescribedContext, ReadContext, Selector
from search.ask import find_collections
from search.errors import NoSuchDocument, PlaceRefused
from search.read.cursor import behind, identity, read_cursor, words, write_cursor
from search.read.facts import DocumentFacts, VersionFacts, document_facts, version_facts
from search.read.place import NO_DOCUMENT
from search.read.reading import HEAVY, Reading, opened
from tenants.models import Tenant

LIMIT, MOST = 50, 200
NOT_NOW = "How far documents are is known of now alone. Ask for it with the read context “head”."


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRead:
    """A document, and the version that is read of it; without one, it is not ready yet."""

    document: DocumentFacts
    state: str  # Of its newest version, ready or not.
    version: VersionFacts | None
    read_context: DescribedContext
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsRead:
    documents: tuple[DocumentRead, ...]
    next: str | None
    read_context: DescribedContext
    read_at: datetime


def list_documents(
    *,
    tenant: Tenant,
    collections: Sequence[str] = (),
    name: str = "",
    state: str = "",
    read_context: ReadContext = HEAD,
    after: str | None = None,
    limit: int = LIMIT,
) -> DocumentsRead:
    """Return the documents that can be read, by name; with a state, those whose newest version is in it."""
    last = read_cursor(after, words, identity)
    if state and read_context.selector != Selector.HEAD:
        raise PlaceRefused(NOT_NOW)
    with opened(tenant=tenant, read_context=read_context, collections=collections) as reading:
        rows = Document.objects.for_tenant(tenant)
        rows = rows.present().in_state(State(state)) if state else _readable(rows, reading)
        if collections:
            rows = rows.filter(collection__in=[one.pk for one in find_collections(tenant, collections)])
        if name:
            rows = rows.filter(name__icontains=name)
        if last:
            rows = rows.filter(behind(("name", "pk"), last))
        found = list(_with_state(rows).order_by("name", "pk")[: limit + 1])
        shown = found[:limit]
        return DocumentsRead(
            documents=tuple(_describe(shown, reading)),
            next=write_cursor(shown[-1].name, shown[-1].pk) if len(found) > limit else None,
            read_context=reading.described,
            read_at=reading.read_at,
        )


def read_document(*, tenant: Tenant, document: UUID, read_context: ReadContext = HEAD) -> DocumentRead:
    """Return a document with the version that is read; now also one that is not ready yet."""
    with opened(tenant=tenant, read_context=read_context) as reading:
        rows = Document.objects.for_tenant(tenant).filter(pk=document)
        is_now = read_context.selector == Selector.HEAD
        found = list(_with_state(rows.present() if is_now else _readable(rows, reading)))
        if not found:
            raise NoSuchDocument(NO_DOCUMENT)
        return _describe(found, reading)[0]


def _readable(documents: DocumentQuerySet, reading: Reading) -> DocumentQuerySet:
    return documents.filter(pk__in=reading.versions.order_by().values("document"))


def _with_state(documents: DocumentQuerySet) -> Any:
    newest = Version.objects.filter(document=OuterRef("pk")).order_by("-number").values("state")[:1]
    return documents.select_related("collection").annotate(newest_state=Subquery(newest))


def _describe(documents: Iterable[Any], reading: Reading) -> list[DocumentRead]:
    documents = list(documents)
    rows = reading.versions.filter(document__in=[one.pk for one in documents]).defer(*HEAVY)
    versions = {version.document_id: version for version in rows}
    return [
        DocumentRead(
            document=document_facts(one),
            state=one.newest_state or "",
            version=version_facts(versions[one.pk]) if one.pk in versions else None,
            read_context=reading.described,
            read_at=reading.read_at,
        )
        for one in documents
    ]
