"""What can be asked of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from uuid import UUID

from search.fuse import DEFAULT_WEIGHTS, Fusion, K, Weights

MOST_RESULTS = 100
MOST_CHARACTERS = 10_000  # Of a query. A longer one is a document, and is refused.


class Mode(StrEnum):
    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    EXACT = "exact"
    HYBRID = "hybrid"

    @property
    def legs(self) -> frozenset[str]:
        """The ways by which passages are looked for."""
        return frozenset({"semantic", "keyword", "exact"}) if self == Mode.HYBRID else frozenset({self.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What results must be; an empty one lets everything through. They only ever narrow."""

    documents: tuple[UUID, ...] = ()
    section_label: str = ""  # "Article 6" lets "Article 6" and "Article 6(1)" through, and not "Article 60".
    chunk_types: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()  # "pdf", "docx", …
    languages: tuple[str, ...] = ()
    recorded_from: date | None = None
    recorded_to: date | None = None

    @property
    def speak_of_versions(self) -> bool:
        """Whether they leave out versions, and not just chunks of these."""
        return bool(self.documents or self.file_types or self.recorded_from or self.recorded_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    query: str
    top_k: int = 10
    min_score: float | None = None
    mode: Mode = Mode.HYBRID
    filters: Filters = field(default_factory=Filters)
    weights: Weights = DEFAULT_WEIGHTS
    fusion: Fusion = Fusion.SCORES
    rrf_k: int = K
    is_reranked: bool = False
    is_explained: bool = False
    has_facets: bool = False
    neighbours: int = 0  # Chunks before and after each result.
    has_parents: bool = False  # With the texts of the units around each result.
    per_document: int | None = None  # At most so many results of one document, those side by side.
    is_surrounded: bool = True  # With highlights, and with definitions and references around each result.

    @property
    def legs(self) -> frozenset[str]:
        """The ways by which passages are looked for; of several, those that weigh anything."""
        legs = self.mode.legs
        return frozenset(leg for leg in legs if len(legs) == 1 or self.weights.of(leg) > 0)
