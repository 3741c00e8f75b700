"""Outlines of versions that citations are looked up in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from definitions.kept_outlines import CACHE
from definitions.outlines import FIELDS, StoredOutline
from definitions.resolve import UnitIndex
from documents.models import Section, Version, VersionQuerySet
from documents.parse import Unit


@dataclass(frozen=True, slots=True)
class CitedOutline:
    version: Version
    stored: StoredOutline

    @property
    def index(self) -> UnitIndex:
        return self.stored.index

    @property
    def ids(self) -> tuple[UUID, ...]:
        return self.stored.ids


@dataclass(frozen=True, slots=True)
class Head:
    """A unit that the first step of a citation leads to."""

    pk: UUID
    version: UUID
    position: int
    end: int


def outlines_of(versions: VersionQuerySet, most: int) -> list[CitedOutline]:
    """Return the outlines of a few versions, in the order of their documents' names."""
    rows = (
        versions.select_related("document")
        .without_text()
        .order_by("document__name", "document_id", "-number")
    )
    found = [CitedOutline(version, CACHE.get(version.pk)) for version in rows[:most]]
    return [outline for outline in found if outline.stored.units]


def subtrees_of(heads: Sequence[Head], versions: VersionQuerySet) -> list[CitedOutline]:
    """Return outlines of single units with what stands below them: unit 1 is the head, 0 is the rest."""
    if not heads:
        return []
    inside = Q()
    for head in heads:
        inside |= Q(version=head.version, position__gte=head.position, start__lt=head.end, end__lte=head.end)
    below: dict[UUID, list[Any]] = defaultdict(list)
    rows = Section.objects.filter(inside).order_by("version", "position").values_list("version", *FIELDS)
    for version, *row in rows:
        below[version].append(row)
    known = versions.filter(pk__in=[head.version for head in heads]).select_related("document").without_text()
    by_id = {version.pk: version for version in known}
    return [
        CitedOutline(by_id[head.version], _build(head, below[head.version]))
        for head in heads
        if head.version in by_id
    ]


def _build(head: Head, rows: Sequence[Any]) -> StoredOutline:
    positions = {row[0]: place for place, row in enumerate(rows, start=1)}
    root = Unit(0, head.end, None, 0, "document", "", "", "")
    units = (
        Unit(start, end, positions.get(parent, 0), level, kind, marker, title, label)
        for _, parent, start, end, level, kind, marker, title, label in rows
    )
    return StoredOutline((head.pk, *positions), (root, *units))
