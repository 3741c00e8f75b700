"""The outline of a version as it is stored, for what looks up units by number or label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from definitions.resolve import UnitIndex
from documents.models import Section, State
from documents.parse import Unit

FIELDS = ("id", "parent_id", "start", "end", "level", "kind", "marker", "title", "label")


@dataclass(frozen=True)
class StoredOutline:
    ids: tuple[UUID, ...]
    units: tuple[Unit, ...]

    @cached_property
    def index(self) -> UnitIndex:
        return UnitIndex(self.units)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels by which rows are known: the document itself has none, since its title may change."""
        return ("", *(unit.label for unit in self.units[1:]))

    @cached_property
    def found(self) -> dict[tuple[str, str], int | None]:
        """What was looked for in it before, by words that whoever looks can choose."""
        return {}

    @cached_property
    def by_label(self) -> dict[str, int]:
        return {label: position for position, label in enumerate(self.labels)}


def load_outline(version_id: UUID) -> StoredOutline:
    return load_outlines([version_id])[version_id]


def load_outlines(version_ids: Sequence[UUID]) -> dict[UUID, StoredOutline]:
    """Return the outlines of versions, in one query; those of none that is there are empty."""
    sections = Section.objects.filter(version__in=version_ids).order_by("version_id", "position")
    rows: dict[UUID, list[Any]] = {version_id: [] for version_id in version_ids}
    for version_id, *row in sections.values_list("version_id", *FIELDS):
        rows[version_id].append(row)
    return {version_id: _build(own) for version_id, own in rows.items()}


def load_head_outline(document_id: UUID) -> StoredOutline:
    """Of the version that is current, or was when the document went to the bin; empty if none is ready."""
    sections = Section.objects.filter(
        version__document=document_id, version__state=State.READY, version__superseded_at=None
    )
    return _build(list(sections.order_by("position").values_list(*FIELDS)))


def _build(rows: Sequence[Any]) -> StoredOutline:
    positions = {row[0]: position for position, row in enumerate(rows)}
    return StoredOutline(
        tuple(positions),
        tuple(
            Unit(start, end, None if parent is None else positions[parent], level, kind, marker, title, label)
            for _, parent, start, end, level, kind, marker, title, label in rows
        ),
    )
