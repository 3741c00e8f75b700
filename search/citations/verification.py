"""What became of something that was cited."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from documents.compare import Segment
from documents.read_context import DescribedContext
from search.answer import Citation


class Status(StrEnum):
    """Whether the words still stand."""

    STANDS = "stands"
    MOVED = "moved"
    CHANGED = "changed"
    REMOVED = "removed"
    WITHDRAWN = "withdrawn"
    ALTERED = "altered"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Words of a version: what they are, where they stand, and how to cite them."""

    text: str
    is_cut: bool  # The words are more than are shown.
    document_id: UUID
    document: str
    collection: str
    version_id: UUID
    version: int
    recorded_at: datetime | None
    effective_from: date | None
    effective_to: date | None
    section_label: str
    path: tuple[str, ...]
    pages: tuple[int, int] | None
    span: tuple[int, int]
    citation: Citation
    permalink: str


@dataclass(frozen=True, slots=True)
class Change:
    """A version in which the words became others."""

    version_id: UUID
    version: int
    recorded_at: datetime | None
    effective_from: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    status: Status
    sentence: str  # For people.
    then: Reading | None = None
    now: Reading | None = None
    places: tuple[Reading, ...] = ()  # Of words that moved: where they stand now. `now` is the first.
    place_count: int = 0
    difference: tuple[Segment, ...] = ()
    is_difference_cut: bool = False
    since: tuple[Change, ...] = ()
    read_context: DescribedContext = field(default_factory=dict)

    @property
    def does_stand(self) -> bool:
        return self.status == Status.STANDS
