"""The outline beside a text: the units beside the one that is read and beside those around it, and no others.

What stands below another unit comes when it is asked for, so that an outline of twenty thousand units is as
quick as one of twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from documents.models import Section
from search.enrich.units import PlacedUnit

BESIDE = 100  # Units of one list before and behind the one that is read.
MOST_BELOW = 300
MOST_FOUND = 100
AROUND = """
    SELECT unit.id, unit.parent_id, unit.position, unit.level, unit.kind, unit.marker, unit.title, unit.label,
        unit.first_page, unit.opening,
        EXISTS (SELECT FROM documents_section AS below WHERE below.parent_id = unit.id) AS has_children
    FROM unnest(%(parents)s::uuid[], %(positions)s::int[]) AS asked(parent_id, position)
    CROSS JOIN LATERAL (
        (
            SELECT * FROM documents_section AS before
            WHERE before.parent_id = asked.parent_id AND before.position <= asked.position
            ORDER BY before.position DESC LIMIT %(beside)s
        ) UNION ALL (
            SELECT * FROM documents_section AS behind
            WHERE behind.parent_id = asked.parent_id AND behind.position > asked.position
            ORDER BY behind.position LIMIT %(beside)s
        )
    ) AS unit
    ORDER BY unit.position
"""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A unit in the outline."""

    id: UUID
    parent_id: UUID | None
    position: int
    level: int
    kind: str
    marker: str
    title: str
    label: str
    first_page: int | None
    opening: str
    has_children: bool
    is_open: bool = False
    is_current: bool = False

    @property
    def words(self) -> str:
        """What it says beside its label."""
        return "" if self.title == self.label else self.title or self.opening


def outline_around(chain: Sequence[PlacedUnit]) -> list[OutlineEntry]:
    """Return the units beside each unit of a chain and below its last, in their order. One query."""
    if not chain:
        return []
    positions = [*(unit.position for unit in chain[1:]), chain[-1].position]
    asked: dict[str, Any] = {
        "parents": [unit.id for unit in chain],
        "positions": positions,
        "beside": BESIDE,
    }
    opened = {unit.id for unit in chain}
    with connection.cursor() as cursor:
        cursor.execute(AROUND, asked)
        return [
            replace(OutlineEntry(*row), is_open=row[0] in opened, is_current=row[0] == chain[-1].id)
            for row in cursor.fetchall()
        ]


def outline_below(section: Section) -> list[OutlineEntry]:
    """Return the units directly below one."""
    return _entries(Section.objects.filter(parent=section), MOST_BELOW)


def find_in_outline(version_id: UUID, words: str) -> list[OutlineEntry]:
    """Return the units whose label or title has all words."""
    rows = Section.objects.filter(version=version_id, position__gt=0)
    for word in words.split():
        rows = rows.filter(Q(label__icontains=word) | Q(title__icontains=word))
    return _entries(rows, MOST_FOUND)


def _entries(rows: QuerySet[Section], most: int) -> list[OutlineEntry]:
    has_children = Exists(Section.objects.filter(parent=OuterRef("pk")))
    fields = [name for name in OutlineEntry.__dataclass_fields__ if not name.startswith(("is_", "has_"))]
    found = rows.annotate(below=has_children).order_by("position").values_list(*fields, "below")
    return [OutlineEntry(*row) for row in found[:most]]


@dataclass(frozen=True, slots=True)
class Neighbours:
    previous: OutlineEntry | None
    next: OutlineEntry | None


def neighbours_of(entries: Sequence[OutlineEntry], chain: Sequence[PlacedUnit]) -> Neighbours:
    """Return the units before and behind the one that is read: in its list, or else around it."""
    if not chain:
        return Neighbours(None, None)
    current = chain[-1]
    if not current.position:
        return Neighbours(None, next(iter(entries), None))
    beside = [one for one in entries if one.parent_id == current.parent_id]
    before = [one for one in beside if one.position < current.position]
    above = next((one for one in entries if one.id == current.parent_id), None)
    return Neighbours(before[-1] if before else above, _behind(entries, chain))


def _behind(entries: Sequence[OutlineEntry], chain: Sequence[PlacedUnit]) -> OutlineEntry | None:
    for unit in reversed(chain[1:]):
        for one in entries:
            if one.parent_id == unit.parent_id and one.position > unit.position:
                return one
    return None
