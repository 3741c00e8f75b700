"""What a search refuses."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID


class SearchError(Exception):
    """Base of what a search refuses. Messages say what to do instead."""


class QueryRefused(SearchError):
    """A query that cannot be searched for: blank, or longer than any query is."""


class NoSuchCollection(SearchError):
    """A collection that is asked for and not there, or of another tenant: the two look the same."""


class BudgetRefused(SearchError):
    """A budget of tokens that nothing fits in, or that nobody could pay for."""


class NoSuchDocument(SearchError):
    """A document that is not here, not at this read context, or of another tenant: all look the same."""


class NotHere(SearchError):
    """A version, a chunk, a job or a run that is not here, or of another tenant: all look the same."""


class NoSuchSection(SearchError):
    """A unit that what is read does not have, with what it has nearby."""

    def __init__(self, message: str, *, existing: Sequence[str] = (), document: str = "") -> None:
        super().__init__(message)
        self.existing = tuple(existing)
        self.document = document


class SeveralSections(SearchError):
    """Words that cite more than one unit, where one is read at a time."""

    def __init__(self, message: str, *, candidates: Sequence[tuple[UUID, str, str]]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)  # Id and name of the document, and the label.


class PlaceRefused(SearchError):
    """A place, or a part of one, that cannot be named so."""


class BadCursor(SearchError):
    """Not what the answer before gave to read on."""


class CitationRefused(SearchError):
    """A citation that is not well formed: which field is wrong, and what it should be."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class TextRefused(SearchError):
    """A text that cannot be checked: blank, or longer than can be checked at once."""


class SavedSearchRefused(SearchError):
    """A search that cannot be kept, or that somebody else keeps."""
