"""Read what a unit refers to, or what refers to it; what stands below a unit counts as the unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q

from definitions.meant import Linked, Meant, find_meant
from definitions.models import CrossReference
from definitions.readable import Readable
from definitions.strays import reference_ids, strays_to
from documents.models import Section
from documents.read_context import HEAD, DescribedContext, ReadContext
from search.cite import label_of
from search.enrich import ReferenceMade
from search.read.cursor import behind, identity, position, read_cursor, words, write_cursor
from search.read.facts import DocumentFacts, document_facts
from search.read.place import find_section
from search.read.reading import Reading, opened
from tenants.models import Tenant

Direction = Literal["in", "out"]
LIMIT, MOST = 50, 200
ORDER = ("version__document__name", "version_id", "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesRead:
    document: DocumentFacts
    label: str
    direction: Direction
    references: tuple[ReferenceMade, ...]
    next: str | None
    read_context: DescribedContext
    read_at: datetime


def list_references_at(
    *,
    tenant: Tenant,
    document: UUID | str | None = None,
    label: str = "",
    citation: str = "",
    direction: Direction = "out",
    collections: Sequence[str] = (),
    read_context: ReadContext = HEAD,
    after: str | None = None,
    limit: int = LIMIT,
) -> ReferencesRead:
    """Return the references in a unit, or those to it from elsewhere, in the order of documents and texts."""
    last = read_cursor(after, words, identity, position)
    with opened(tenant=tenant, read_context=read_context, collections=collections) as reading:
        section = find_section(reading, document=document, label=label, citation=citation)
        rows = _made_in(section) if direction == "out" else _made_to(section, reading)
        if last:
            rows = rows.filter(behind(ORDER, last))
        found = list(rows.with_places().order_by(*ORDER)[: limit + 1])
        shown = found[:limit]
        meant = find_meant([Linked.of(row) for row in shown], Readable.of(reading.versions))
        return ReferencesRead(
            document=document_facts(section.version.document),
            label=label_of(section),
            direction=direction,
            references=tuple(map(_describe, shown, meant)),
            next=_cursor(shown[-1]) if len(found) > limit else None,
            read_context=reading.described,
            read_at=reading.read_at,
        )


def _made_in(section: Section) -> Any:
    return CrossReference.objects.made_in(section)


def _made_to(section: Section, reading: Reading) -> Any:
    """Return those to a unit or below it, and to ranges that it lies in, but none that it makes itself."""
    rows = CrossReference.objects.within(reading.versions)
    own = Q(version=section.version_id, start__gte=section.start, start__lt=section.end)
    below = rows.made_to(section, below=True).values("pk")
    also = reference_ids(strays_to({section.version_id}, reading.versions), section, below=True)
    to_it = rows.made_to(section, strays=also).values("pk")
    return rows.filter(Q(pk__in=below) | Q(pk__in=to_it)).exclude(own)


def _cursor(row: CrossReference) -> str:
    return write_cursor(row.version.document.name, row.version_id, row.position)


def _describe(row: Any, meant: Meant) -> ReferenceMade:
    return ReferenceMade(
        text=row.text,
        span=(row.start, row.end),
        kind=row.kind,
        document_id=row.version.document_id,
        document_name=row.version.document.name,
        version_id=row.version_id,
        section_id=row.section_id,
        section_label=label_of(row.section),
        target_document_id=meant.document.document_id if meant.document else None,
        target_document_name=meant.document.document_name if meant.document else "",
        target_label=meant.label,
        target_section_id=meant.section_id,
        reason=meant.reason,
    )
