"""Where else the words of results stand: forms, clauses and notices are often the same in many documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from definitions.readable import Readable
from documents.models import Chunk, VersionQuerySet
from search.models import Placement
from search.round_trips import Asking

REPEATED = """
    SELECT passage_id, count(*) - 1 FROM search_placement AS subject
    WHERE passage_id = ANY(%s) AND {readable} GROUP BY passage_id HAVING count(*) > 1
"""
MOST_COPIES = 20  # Of one result that are told.
MOST_PLACES = 1_000  # Of all results that are looked at: a form may stand in every document.


@dataclass(frozen=True, slots=True)
class Copy:
    """A further chunk that says the same."""

    document_id: UUID
    document: str
    section_label: str


def count_copies(passages: Sequence[UUID], readable: Readable) -> Asking[dict[UUID, int]]:
    """Return how many readable chunks say each passage besides the one that is shown, if any do."""
    statement = REPEATED.format(readable=readable.sql)
    (rows,) = yield [(statement, [list(passages), *readable.parameters])]
    return dict(rows)


def find_copies(
    shown: Sequence[tuple[UUID, UUID]], versions: VersionQuerySet
) -> dict[UUID, tuple[Copy, ...]]:
    """Return the readable chunks that say the passages of some chunks, but for these. In the scope."""
    passages = {passage for passage, _ in shown}
    placed = Placement.objects.filter(passage__in=passages, version__in=versions.values("pk"))
    rows = placed.order_by().values_list("passage_id", "version_id", "position")[:MOST_PLACES]
    places = {(version, position): passage for passage, version, position in rows}
    return _load(places, {chunk for _, chunk in shown}) if len(places) > len(passages) else {}


def _load(places: dict[tuple[UUID, int], UUID], shown: set[UUID]) -> dict[UUID, tuple[Copy, ...]]:
    rows = Chunk.objects.filter(
        version__in={version for version, _ in places}, position__in={position for _, position in places}
    ).order_by("version__document__name", "position")
    columns = ("pk", "version_id", "position", "version__document_id", "version__document__name")
    copies: dict[UUID, tuple[Copy, ...]] = {}
    for pk, version, position, document, name, label, place in rows.values_list(
        *columns, "section__label", "section__position"
    ):
        passage = places.get((version, position))
        if passage is None or pk in shown:
            continue
        found = copies.get(passage, ())
        if len(found) < MOST_COPIES:
            copies[passage] = (*found, Copy(document, name, label if place else ""))
    return copies
