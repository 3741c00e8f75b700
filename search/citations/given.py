"""A citation as a program gives it back: nothing in it is believed before it is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from documents.errors import ReadContextRefused
from documents.read_context import ReadContext
from search.answer import Citation
from search.errors import CitationRefused

REQUIRED = ("version_id", "span", "content_hash")
IDS = ("tenant", "collection_id", "document_id")
FIELDS = (*IDS, *REQUIRED, "section_label", "read_context")
OF_ELEMENTS = ("element_id", "element_name", "element_type", "layer")  # They say nothing about the words.
HASH = re.compile(r"[0-9a-f]{64}")
LONGEST_LABEL = 300
FURTHEST = 2**31 - 1  # As far as the columns of places reach.
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # What no text can have.
ENDS = 2  # Of a span.


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenCitation:
    """What a citation says; of what it leaves out, nothing is compared."""

    version_id: UUID
    span: tuple[int, int]
    content_hash: str  # Or its first digits, in an address.
    tenant: UUID | None = None
    collection_id: UUID | None = None
    document_id: UUID | None = None
    section_label: str | None = None

    @classmethod
    def of(cls, citation: Citation) -> Self:
        return cls(
            version_id=citation.version_id,
            span=citation.span,
            content_hash=citation.content_hash,
            tenant=citation.tenant,
            collection_id=citation.collection_id,
            document_id=citation.document_id,
            section_label=citation.section_label,
        )


def read_citation(given: Any, *, now: datetime) -> GivenCitation:
    """Read a citation from JSON. One that is not well formed is refused, with the field that is wrong."""
    if not isinstance(given, Mapping):
        raise CitationRefused("citation", "A citation is an object, as searches return it.")
    if unknown := sorted(str(name) for name in set(given) - {*FIELDS, *OF_ELEMENTS}):
        raise CitationRefused(unknown[0][:100], f"There is no such field. Known are {', '.join(FIELDS)}.")
    for name in REQUIRED:
        if given.get(name) is None:
            raise CitationRefused(name, "It is missing.")
    _require_context(given.get("read_context"), now)
    ids = {name: _read_id(given[name], name) for name in IDS if given.get(name) is not None}
    return GivenCitation(
        version_id=_read_id(given["version_id"], "version_id"),
        span=_read_span(given["span"]),
        content_hash=_read_hash(given["content_hash"]),
        section_label=_read_label(given.get("section_label")),
        **ids,
    )


def _read_id(value: Any, name: str) -> UUID:
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError as error:
        raise CitationRefused(name, "It is not an id, such as 3f2b8c1e-….") from error


def _read_span(value: Any) -> tuple[int, int]:
    is_pair = isinstance(value, list | tuple) and len(value) == ENDS
    if not is_pair or any(type(place) is not int for place in value):
        raise CitationRefused("span", "It is two whole numbers: where the words begin, and where they end.")
    start, end = value
    if not 0 <= start < end <= FURTHEST:
        raise CitationRefused("span", "It ends before it begins, or lies outside of any text.")
    return start, end


def _read_hash(value: Any) -> str:
    if not isinstance(value, str) or not HASH.fullmatch(value.lower()):
        raise CitationRefused("content_hash", "It is not a SHA-256: 64 hexadecimal digits.")
    return value.lower()


def _read_label(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_LABEL or NO_TEXT.search(value):
        raise CitationRefused("section_label", f"It is not a text of at most {LONGEST_LABEL} characters.")
    return value


def _require_context(value: Any, now: datetime) -> None:
    """Refuse what no search has answered with. What is read is decided by who verifies, not by it."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise CitationRefused("read_context", "It is an object, as searches return it.")
    try:
        ReadContext.read({name: value[name] for name in value if name != "baselines"}, now=now)
    except ReadContextRefused as error:
        raise CitationRefused("read_context", f"{error.field}: {error}") from error
