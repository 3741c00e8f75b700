"""What a search answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from documents.read_context import DescribedContext
from search.enrich import DefinitionInForce, Neighbour, Parent, ReferenceMade
from search.highlight import Highlight
from tenants.shapes import SHOWN_AS


class Confidence(StrEnum):
    """How far the best result can be trusted to be what was asked for."""

    EXACT = "exact"
    HIGH = "high"
    LOW = "low"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Enough to find the same words again, at any time."""

    tenant: UUID
    collection_id: UUID
    document_id: UUID
    version_id: UUID
    section_label: str
    span: tuple[int, int]
    content_hash: str
    read_context: DescribedContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a result comes from, in words."""

    document_id: UUID
    document: str
    title: str
    collection: str
    version: int
    file_name: str
    recorded_at: datetime | None
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage, or the unit that was cited, and why it was found."""

    rank: int
    chunk_id: UUID
    passage_id: UUID | None
    document_id: UUID
    version_id: UUID
    document_name: str
    position: int
    span: tuple[int, int]
    content: str
    is_cut: bool = False  # The unit is longer than what is shown of it.
    context: str = ""
    highlights: tuple[Highlight, ...] = ()
    score: float
    semantic_score: float | None = None
    keyword_score: float | None = None
    rerank_score: float | None = None
    exact_match: bool = False
    ranks: Mapping[str, int] = field(default_factory=dict)
    source: Source
    parent_chain: tuple[Parent, ...] = ()
    section_label: str = ""
    pages: tuple[int, int] | None = None
    chunk_type: str = ""
    language: str = ""
    definitions: tuple[DefinitionInForce, ...] = ()
    references: tuple[ReferenceMade, ...] = ()
    referenced_by: tuple[ReferenceMade, ...] = ()
    referenced_by_count: int = 0
    neighbours: tuple[Neighbour, ...] = ()
    also_in: int = 0  # Further readable chunks that say the same, whatever the filters.
    why: str = ""  # "citation", "definition", "phrase" …; empty where ranks say it all.
    citation: Citation
    permalink: str  # The path of the page that shows the cited words, for ever.


@dataclass(frozen=True, slots=True)
class NotFound:
    """A citation that leads nowhere, and what there is instead."""

    text: str
    reason: str
    existing: tuple[str, ...] = ()
    document: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What the candidates of a search are, and how many they are."""

    facets: Mapping[str, tuple[Facet, ...]]
    facets_of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found, and how far it can be trusted."""

    hits: tuple[Hit, ...] = field(metadata={SHOWN_AS: "results"})
    not_found: tuple[NotFound, ...] = ()
    suggestion: str | None = None
    confidence: Confidence = Confidence.NONE
    degraded: Mapping[str, str] = field(default_factory=dict)  # Legs that are missing, and why.
    facets: Mapping[str, tuple[Facet, ...]] = field(default_factory=dict)
    facets_of: int = 0  # How many candidates the facets count.
    read_context: DescribedContext = field(default_factory=dict)
    read_at: datetime | None = None  # What was the head then can be read again, as of this moment.
    took_ms: Mapping[str, float] = field(default_factory=dict)
    explanation: Mapping[str, Any] | None = None
