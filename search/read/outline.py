"""Read the outline of a document, or of a unit of it, as deep as is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from documents.models import Section
from documents.read_context import HEAD, DescribedContext, ReadContext
from search.read.cursor import position, read_cursor, write_cursor
from search.read.facts import (
    DocumentFacts,
    UnitFacts,
    VersionFacts,
    document_facts,
    unit_facts,
    version_facts,
)
from search.read.place import find_section
from search.read.reading import opened
from tenants.models import Tenant

DEPTH, DEEPEST = 3, 60
LIMIT, MOST = 200, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineUnit:
    unit: UnitFacts
    has_children: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineRead:
    document: DocumentFacts
    version: VersionFacts
    under: str
    units: tuple[OutlineUnit, ...]
    next: str | None
    read_context: DescribedContext
    read_at: datetime


def outline_of(
    *,
    tenant: Tenant,
    document: UUID | str,
    depth: int = DEPTH,
    under: str = "",
    read_context: ReadContext = HEAD,
    collections: Sequence[str] = (),
    after: str | None = None,
    limit: int = LIMIT,
) -> OutlineRead:
    """Return the units below a document or one of its units, in their order, so many levels deep."""
    last = read_cursor(after, position)
    with opened(tenant=tenant, read_context=read_context, collections=collections) as reading:
        top = find_section(reading, document=document, label=under)
        below = Section.objects.filter(
            version=top.version_id,
            position__gt=max(top.position, last[0] if last else 0),
            start__lt=top.end,
            end__lte=top.end,
            level__lte=top.level + depth,
        )
        has_children = Exists(Section.objects.filter(parent=OuterRef("pk")))
        rows = list(below.annotate(has_children=has_children).order_by("position")[: limit + 1])
        shown = rows[:limit]
        return OutlineRead(
            document=document_facts(top.version.document),
            version=version_facts(top.version),
            under=top.label if top.position else "",
            units=tuple(OutlineUnit(unit=unit_facts(row), has_children=row.has_children) for row in shown),
            next=write_cursor(shown[-1].position) if len(rows) > limit else None,
            read_context=reading.described,
            read_at=reading.read_at,
        )
