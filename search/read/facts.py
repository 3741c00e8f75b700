"""What is told of documents, versions and units wherever one is read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from documents.models import Document, Section, Version
from search.cite import label_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFacts:
    id: UUID
    name: str
    identity: str
    collection_id: UUID
    collection: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFacts:
    """Which version is read, since when it is known and on which days it applies."""

    id: UUID
    number: int
    title: str
    file_name: str
    language: str
    grade: str
    recorded_at: datetime | None
    superseded_at: datetime | None
    effective_from: date | None
    effective_to: date | None
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """A unit in a list of units. The document itself has no label."""

    id: UUID
    label: str
    marker: str
    title: str
    opening: str
    kind: str
    level: int
    pages: tuple[int, int] | None


def document_facts(document: Document) -> DocumentFacts:
    return DocumentFacts(
        id=document.pk,
        name=document.name,
        identity=document.identity,
        collection_id=document.collection_id,
        collection=document.collection.name,
    )


def version_facts(version: Version) -> VersionFacts:
    return VersionFacts(
        id=version.pk,
        number=version.number,
        title=version.title,
        file_name=version.file_name,
        language=version.language,
        grade=version.grade,
        recorded_at=version.recorded_at,
        superseded_at=version.superseded_at,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        is_current=version.is_current,
    )


def unit_facts(section: Section) -> UnitFacts:
    return UnitFacts(
        id=section.pk,
        label=label_of(section),
        marker=section.marker,
        title=section.title,
        opening=section.opening,
        kind=section.kind,
        level=section.level,
        pages=pages_of(section),
    )


def pages_of(section: Section) -> tuple[int, int] | None:
    if section.first_page is None or section.last_page is None:
        return None
    return section.first_page, section.last_page
