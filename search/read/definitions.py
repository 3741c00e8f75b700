"""Read what a term means, at a place or anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from definitions.lookup import lookup_definition
from definitions.models import Definition
from documents.models import Section
from documents.read_context import HEAD, DescribedContext, ReadContext
from search.answer import Citation
from search.cite import label_of
from search.errors import QueryRefused
from search.read.cursor import position, read_cursor, write_cursor
from search.read.facts import DocumentFacts, document_facts
from search.read.place import find_section
from search.read.reading import Reading, opened
from tenants.models import Tenant

LIMIT, MOST = 20, 100
LONGEST_MEANING = 2_000
LONGEST_TERM = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionRead:
    """A definition: its words, where they stand, and the unit inside which they hold."""

    id: UUID
    term: str
    meaning: str
    is_cut: bool
    document: DocumentFacts
    version: int
    section_label: str
    scope_label: str  # Nothing for the whole document.
    span: tuple[int, int]  # Of the term, where it is defined.
    confidence: float
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionsRead:
    """What governs, where its meaning is given instead, and a page of the others."""

    term: str
    at: str  # The label of the unit in which it is read; nothing for a document, or for anywhere.
    definition: DefinitionRead | None
    given: tuple[DefinitionRead, ...]
    others: tuple[DefinitionRead, ...]
    others_count: int
    is_conflicting: bool
    next: str | None
    read_context: DescribedContext
    read_at: datetime


def lookup_definition_at(
    *,
    tenant: Tenant,
    term: str,
    document: UUID | str | None = None,
    label: str = "",
    citation: str = "",
    collections: Sequence[str] = (),
    read_context: ReadContext = HEAD,
    after: str | None = None,
    limit: int = LIMIT,
) -> DefinitionsRead:
    """Return what a term means in a unit, in a document, or in all that is read if no place is named."""
    if not term.strip() or len(term) > LONGEST_TERM:
        raise QueryRefused(f"Give a term of 1 to {LONGEST_TERM} characters.")
    last = read_cursor(after, position)
    first = last[0] if last else 0
    with opened(tenant=tenant, read_context=read_context, collections=collections) as reading:
        at = _place(reading, document, label, citation)
        answer = lookup_definition(term, versions=reading.versions, at=at)
        following = first + limit
        return DefinitionsRead(
            term=term,
            at="" if at is None else label_of(at),
            definition=None if answer.definition is None else _describe(answer.definition, reading),
            given=tuple(_describe(one, reading) for one in answer.given),
            others=tuple(_describe(one, reading) for one in answer.others[first:following]),
            others_count=len(answer.others),
            is_conflicting=answer.is_conflicting,
            next=write_cursor(following) if following < len(answer.others) else None,
            read_context=reading.described,
            read_at=reading.read_at,
        )


def _place(reading: Reading, document: UUID | str | None, label: str, citation: str) -> Section | None:
    if document is None and not label and not citation:
        return None
    return find_section(reading, document=document, label=label, citation=citation)


def _describe(row: Any, reading: Reading) -> DefinitionRead:
    definition: Definition = row
    version, document, meaning = definition.version, definition.version.document, str(row.meaning)
    label = label_of(definition.section)
    return DefinitionRead(
        id=definition.pk,
        term=definition.term,
        meaning=meaning[:LONGEST_MEANING],
        is_cut=len(meaning) > LONGEST_MEANING,
        document=document_facts(document),
        version=version.number,
        section_label=label,
        scope_label=label_of(definition.scope),
        span=(definition.start, definition.end),
        confidence=definition.confidence,
        citation=Citation(
            tenant=reading.tenant.pk,
            collection_id=document.collection_id,
            document_id=document.pk,
            version_id=version.pk,
            section_label=label,
            span=(definition.text_start, definition.text_end),
            content_hash=sha256(meaning.encode()).hexdigest(),
            read_context=reading.described,
        ),
    )
