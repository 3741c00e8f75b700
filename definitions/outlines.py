"""The outline of a version as it is stored, for what looks up units by number or label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
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
    def by_label(self) -> dict[str, int]:
        return {label: position for position, label in enumerate(self.labels)}


def load_outline(version_id: UUID) -> StoredOutline:
    return _load(version=version_id)


def load_outlines(version_ids: Iterable[UUID]) -> dict[UUID, StoredOutline]:
    """Of several versions, in one query."""
    own = Section.objects.filter(version__in=list(version_ids)).order_by("version_id", "position")
    rows = own.values_list("version_id", *FIELDS)
    return {pk: _outline([row[1:] for row in some]) for pk, some in groupby(rows, key=lambda row: row[0])}


def load_head_outline(document_id: UUID) -> StoredOutline:
    """Of the version that is current, or was when the document went to the bin; empty if none is ready."""
    return _load(version__document=document_id, version__state=State.READY, version__superseded_at=None)


def _load(**conditions: object) -> StoredOutline:
    return _outline(list(Section.objects.filter(**conditions).order_by("position").values_list(*FIELDS)))


def _outline(rows: Sequence[tuple[Any, ...]]) -> StoredOutline:
    positions = {row[0]: position for position, row in enumerate(rows)}
    return StoredOutline(
        tuple(positions),
        tuple(
            Unit(start, end, None if parent is None else positions[parent], level, kind, marker, title, label)
            for _, parent, start, end, level, kind, marker, title, label in rows
        ),
    )
