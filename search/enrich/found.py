"""What comes with results: definitions in force, references both ways, and what stands around."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

Span = tuple[int, int]  # Characters of a version's text, half open.

MOST_DEFINITIONS = 20  # Of one result.
MOST_REFERENCES = 50
MOST_REFERRING = 5  # Shown of those that refer to a result; all of them are counted.
LONGEST_MEANING = 500


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a version's text that is shown as a result, with its words if they are at hand."""

    version_id: UUID
    section_id: UUID
    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionInForce:
    """A term that a result uses, and the definition that governs there."""

    term: str
    meaning: str
    is_cut: bool = False  # The meaning is longer than what is shown.
    definition_id: UUID
    document_id: UUID
    document_name: str
    version_id: UUID
    section_id: UUID
    section_label: str
    span: Span  # Of the term, where it is defined.
    given: tuple[str, ...] = ()  # Labels of the definitions that say where the meaning is given instead.
    is_conflicting: bool = False  # Another document of the collection says something else.
    uses: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceMade:
    """A mention of one place in another, with the unit that it stands in and the one that it means."""

    text: str
    span: Span
    kind: str
    document_id: UUID
    document_name: str
    version_id: UUID
    section_id: UUID
    section_label: str
    target_document_id: UUID | None = None
    target_document_name: str = ""
    target_label: str = ""
    target_section_id: UUID | None = None  # In the version that is read.
    reason: str = ""  # Why it points nowhere.


@dataclass(frozen=True, slots=True)
class Enrichment:
    definitions: tuple[DefinitionInForce, ...] = ()
    references: tuple[ReferenceMade, ...] = ()
    referenced_by: tuple[ReferenceMade, ...] = ()
    referenced_by_count: int = 0


@dataclass(frozen=True, slots=True)
class Parent:
    """A unit around a result, or the one that it is in."""

    section_id: UUID
    label: str
    marker: str
    title: str
    span: Span
    text: str = ""  # Its first words, if they were asked for.


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk before or behind a result."""

    chunk_id: UUID
    section_id: UUID
    section_label: str
    position: int
    distance: int  # Below zero before the result, above zero behind it.
    span: Span
    text: str
