"""The units that a page of results holds: the one that each is in, and those that begin in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from definitions.uses import heading_spans
from documents.parse import Unit
from search.enrich.found import Place, Span
from search.round_trips import Asking

MOST_UNITS = 200  # Of one result.
FIELDS = 'id, parent_id, position, level, kind, marker, title, label, start, "end"'
# The units of a place that is asked for: the one that it is in, and those that begin in it.
IN_PLACE = f"""
    SELECT {FIELDS} FROM documents_section
    WHERE id = asked.section_id AND NOT (start >= asked.start AND start < asked."end")
    UNION ALL
    SELECT {FIELDS} FROM documents_section
    WHERE version_id = asked.version_id AND start >= asked.start AND start < asked."end"
    ORDER BY position LIMIT {MOST_UNITS}
"""  # noqa: S608
UNITS = f"""
    SELECT asked.number, unit.* FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::int[])
        WITH ORDINALITY AS asked(version_id, section_id, start, "end", number)
    CROSS JOIN LATERAL ({IN_PLACE}) AS unit
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class PlacedUnit:
    id: UUID
    parent_id: UUID | None
    position: int
    level: int
    kind: str
    marker: str
    title: str
    label: str
    start: int
    end: int


def units_of(places: Sequence[Place]) -> Asking[list[list[PlacedUnit]]]:
    """Return the units of each place in their order."""
    units: list[list[PlacedUnit]] = [[] for _ in places]
    columns = zip(*((one.version_id, one.section_id, one.start, one.end) for one in places), strict=True)
    (rows,) = yield [(UNITS, [list(column) for column in columns])]
    for number, *fields in rows:
        units[number - 1].append(PlacedUnit(*fields))
    return units


def headings_in(place: Place, units: Sequence[PlacedUnit]) -> list[Span]:
    """Return the headings in the text of a place, in its own characters."""
    begun = [unit for unit in units if unit.start >= place.start]
    indexes = {unit.id: index for index, unit in enumerate(begun)}
    shifted = [
        Unit(
            unit.start - place.start,
            unit.end - place.start,
            indexes.get(unit.parent_id) if unit.parent_id else None,
            unit.level,
            unit.kind,
            unit.marker,
            unit.title,
            unit.label,
        )
        for unit in begun
    ]
    return heading_spans(place.text, shifted)
