"""What the candidates of a search are, counted: for people who want to narrow it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from uuid import UUID

from documents.models import Chunk
from search.answer import Facet

MOST_VALUES = 20  # Of each facet, the most frequent.


def count_facets(chunks: Sequence[UUID]) -> dict[str, tuple[Facet, ...]]:
    """Count chunks by what can be filtered by. In the tenant's scope."""
    rows = list(
        Chunk.objects.filter(pk__in=chunks).values_list(
            "type",
            "version__file_name",
            "version__document_id",
            "version__document__name",
            "version__document__collection__name",
            "version__language",
        )
    )
    documents = {str(row[2]): row[3] for row in rows}
    return {
        "collection": _count(row[4] for row in rows),
        "document": _count((str(row[2]) for row in rows), names=documents),
        "chunk_type": _count(row[0] for row in rows),
        "file_type": _count(file_type(row[1]) for row in rows),
        "language": _count(row[5] for row in rows),
    }


def file_type(name: str) -> str:
    """Return the ending of a file's name, as filters name it: "pdf"."""
    return PurePosixPath(name).suffix.lstrip(".").lower()


def _count(values: Iterable[str], names: Mapping[str, str] | None = None) -> tuple[Facet, ...]:
    counted = sorted(
        Counter(value for value in values if value).items(), key=lambda item: (-item[1], item[0])
    )
    return tuple(
        Facet(value, (names or {}).get(value, value), count) for value, count in counted[:MOST_VALUES]
    )
