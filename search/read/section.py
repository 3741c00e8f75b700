"""Read a unit: its words, what stands around it, what its terms mean and what refers to what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Func, TextField
from django.db.models.functions import Substr

from definitions.readable import Readable
from documents.models import Section, Version
from documents.read_context import HEAD, DescribedContext, ReadContext
from search.answer import Citation
from search.cite import SHA256, label_of
from search.enrich import (
    DefinitionInForce,
    Enrichment,
    Parent,
    Place,
    ReferenceMade,
    enrich_chunks,
    parents_of,
)
from search.errors import PlaceRefused
from search.read.facts import (
    DocumentFacts,
    UnitFacts,
    VersionFacts,
    document_facts,
    pages_of,
    unit_facts,
    version_facts,
)
from search.read.place import find_section
from search.read.reading import Reading, opened
from search.round_trips import ask
from tenants.models import Tenant

CHARACTERS, MOST_CHARACTERS = 8_000, 20_000
MOST_CHILDREN = 200


@dataclass(frozen=True, slots=True)
class Words:
    """A part of a unit's text, and the hash of all of it."""

    text: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionRead:
    """A unit. Definitions and references are those of the part of its text that is shown."""

    id: UUID
    label: str
    marker: str
    title: str
    kind: str
    level: int
    path: tuple[str, ...]
    pages: tuple[int, int] | None
    document: DocumentFacts
    version: VersionFacts
    length: int  # Of the whole text, in characters.
    offset: int
    text: str
    is_cut: bool
    next_offset: int | None  # Where to read on.
    parents: tuple[Parent, ...]
    children: tuple[UnitFacts, ...]
    has_more_children: bool
    previous: UnitFacts | None
    next: UnitFacts | None
    definitions: tuple[DefinitionInForce, ...]
    references: tuple[ReferenceMade, ...]
    referenced_by: tuple[ReferenceMade, ...]
    referenced_by_count: int
    citation: Citation
    read_context: DescribedContext
    read_at: datetime


def read_section(
    *,
    tenant: Tenant,
    document: UUID | str | None = None,
    label: str = "",
    citation: str = "",
    collections: Sequence[str] = (),
    read_context: ReadContext = HEAD,
    with_text: bool = True,
    with_children: bool = True,
    with_parents: bool = True,
    offset: int = 0,
    limit: int = CHARACTERS,
) -> SectionRead:
    """Return a unit of a document by its label, or the one that a citation in words means."""
    if not 1 <= limit <= MOST_CHARACTERS:
        raise PlaceRefused(f"Read 1 to {MOST_CHARACTERS:,} characters at a time.")
    with opened(tenant=tenant, read_context=read_context, collections=collections) as reading:
        section = find_section(reading, document=document, label=label, citation=citation)
        length = section.end - section.start
        if not 0 <= offset <= length:
            raise PlaceRefused(f"The unit has {length:,} characters. Read on from one of them.")
        words = _words(section, offset, limit if with_text else 0)
        done = offset + len(words.text) if with_text else length
        extra = _enrich(section, reading, offset, words.text)
        children = _children(section) if with_children else []
        return SectionRead(
            id=section.pk,
            label=label_of(section),
            marker=section.marker,
            title=section.title,
            kind=section.kind,
            level=section.level,
            path=tuple(section.path),
            pages=pages_of(section),
            document=document_facts(section.version.document),
            version=version_facts(section.version),
            length=length,
            offset=offset,
            text=words.text,
            is_cut=with_text and len(words.text) < length,
            next_offset=done if done < length else None,
            parents=_parents(section) if with_parents else (),
            children=tuple(children[:MOST_CHILDREN]),
            has_more_children=len(children) > MOST_CHILDREN,
            previous=_sibling(section, is_next=False),
            next=_sibling(section, is_next=True),
            definitions=extra.definitions,
            references=extra.references,
            referenced_by=extra.referenced_by,
            referenced_by_count=extra.referenced_by_count,
            citation=_cite(section, reading, words.content_hash),
            read_context=reading.described,
            read_at=reading.read_at,
        )


def _words(section: Section, offset: int, limit: int) -> Words:
    """Take some of a unit's words, and the hash of all, from a text that stays in the database."""
    length = section.end - section.start
    whole = Substr("text", section.start + 1, length)
    shown = Substr("text", section.start + offset + 1, min(limit, length - offset))
    digest = Func(whole, template=SHA256, output_field=TextField())
    rows = Version.objects.filter(pk=section.version_id).annotate(shown=shown, digest=digest)
    return Words(*rows.values_list("shown", "digest").get())


def _enrich(section: Section, reading: Reading, offset: int, text: str) -> Enrichment:
    start = section.start + offset
    end = start + len(text) if text else section.end
    place = Place(section.version_id, section.pk, start, end, text)
    return ask(enrich_chunks([place], Readable.of(reading.versions)))[0]


def _parents(section: Section) -> tuple[Parent, ...]:
    return ask(parents_of([section.pk]))[0][:-1] if section.position else ()


def _children(section: Section) -> list[UnitFacts]:
    rows = Section.objects.filter(parent=section).order_by("position")
    return [unit_facts(row) for row in rows[: MOST_CHILDREN + 1]]


def _sibling(section: Section, *, is_next: bool) -> UnitFacts | None:
    if section.parent_id is None:
        return None
    own = Section.objects.filter(version=section.version_id, parent=section.parent_id)
    if is_next:
        found = own.filter(position__gt=section.position).order_by("position").first()
    else:
        found = own.filter(position__lt=section.position).order_by("-position").first()
    return None if found is None else unit_facts(found)


def _cite(section: Section, reading: Reading, content_hash: str) -> Citation:
    return Citation(
        tenant=reading.tenant.pk,
        collection_id=section.version.document.collection_id,
        document_id=section.version.document_id,
        version_id=section.version_id,
        section_label=label_of(section),
        span=(section.start, section.end),
        content_hash=content_hash,
        read_context=reading.described,
    )
