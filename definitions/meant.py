"""What references lead to in the versions that are read.

A stored link says what was meant when it was made: in the head of the document that is referred to. Where
that unit is in the version that is read too, the link is good. Elsewhere the unit is looked for again there.
Of documents that are not read nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.db import connection

from definitions.extract.found import Step, Target
from definitions.kept_outlines import CACHE
from definitions.models import CrossReference, CrossReferenceQuerySet, ReferenceKind
from definitions.outlines import StoredOutline
from definitions.readable import Holder, Readable, holder_of

# To whoever reads other documents than the stored link speaks of, no more is said than this.
NOT_READ = "The document that is meant is not read here."
NOT_IN_IT = "The document that is meant, as it is read here, has no such unit."
SEVERAL = "Several documents are called so."
IS_SEVERAL = re.compile(r"\d+ documents here are called ")
UNITS = """
    SELECT asked.version_id, asked.label, unit.id
    FROM unnest(%s::uuid[], %s::text[]) AS asked(version_id, label)
    CROSS JOIN LATERAL (
        SELECT id FROM documents_section
        WHERE version_id = asked.version_id AND label = asked.label AND asked.label <> ''
        UNION ALL
        SELECT id FROM documents_section
        WHERE version_id = asked.version_id AND position = 0 AND asked.label = ''
    ) AS unit
"""

Place = tuple[UUID, str]  # A version and a label.


@dataclass(frozen=True, slots=True)
class Linked:
    """What a reference says, where it stands, and what it was linked to."""

    own: Holder
    kind: str
    document_id: UUID | None
    label: str
    reason: str
    steps: Sequence[Sequence[str]]
    base: str
    is_corrected: bool

    @classmethod
    def of(cls, row: CrossReference) -> Self:
        """Return a stored reference that is loaded with its version and document."""
        return cls(
            holder_of(row.version),
            row.kind,
            row.target_document_id,
            row.target_label,
            row.reason,
            row.steps,
            row.base,
            row.is_corrected,
        )


@dataclass(frozen=True, slots=True)
class Meant:
    """The document and the unit that a reference leads to in what is read, or why there is none."""

    document: Holder | None = None
    section_id: UUID | None = None
    label: str = ""
    reason: str = ""


def find_meant(references: Sequence[Linked], readable: Readable) -> list[Meant]:
    """Return what each reference leads to, in two queries, and one more where units are looked for again."""
    read = readable.of_documents({one.document_id for one in references if one.document_id is not None})
    places = [_place(one, read) for one in references]
    units = _units({place for place in places if place is not None})
    lost = {
        read[one.document_id].version_id
        for one, place in zip(references, places, strict=True)
        if one.document_id in read and place not in units and _is_to_be_found(one, read[one.document_id])
    }
    outlines = CACHE.get_all(lost) if lost else {}
    return [_meant(one, place, read, units, outlines) for one, place in zip(references, places, strict=True)]


def find_lost(
    rows: CrossReferenceQuerySet, readable: Readable, *, most: int
) -> list[tuple[CrossReference, Meant]]:
    """Return references whose stored links lead to nothing that is read, though in what is read they do.

    At the head there are none.
    """
    if readable.is_head:
        return []
    others: Any = rows.filter(kind=ReferenceKind.DOCUMENT).exclude(target_document=None)
    astray = others.with_targets(readable.versions).filter(target_section=None)
    found = list(astray.with_places().order_by("version_id", "start")[:most])
    meant = find_meant([Linked.of(row) for row in found], readable)
    return [(row, one) for row, one in zip(found, meant, strict=True) if one.section_id is not None]


def _place(one: Linked, read: Mapping[UUID, Holder]) -> Place | None:
    """Return the version that is read, which is its own inside a document, and the label of the link.

    What a person meant stays, and waits for a version that has it.
    """
    if one.document_id is None or (one.reason and not one.is_corrected):
        return None
    if one.kind == ReferenceKind.INTERNAL:
        return one.own.version_id, one.label
    return (read[one.document_id].version_id, one.label) if one.document_id in read else None


def _units(places: Iterable[Place]) -> dict[Place | None, UUID]:
    columns = [list(column) for column in zip(*places, strict=True)]
    if not columns:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(UNITS, columns)
        return {(version_id, label): pk for version_id, label, pk in cursor.fetchall()}


def _is_to_be_found(one: Linked, target: Holder) -> bool:
    """Tell whether others than the versions that are read were looked into when the link was made."""
    is_good = bool(one.reason) and one.own.is_current and target.is_current
    return one.kind == ReferenceKind.DOCUMENT and not one.is_corrected and not is_good


def _meant(
    one: Linked,
    place: Place | None,
    read: Mapping[UUID, Holder],
    units: Mapping[Place | None, UUID],
    outlines: Mapping[UUID, StoredOutline],
) -> Meant:
    target = None if one.document_id is None else read.get(one.document_id)
    if one.kind == ReferenceKind.INTERNAL:
        return Meant(one.own if one.document_id else None, units.get(place), one.label, one.reason)
    if place in units:
        return Meant(target, units[place], one.label)
    if one.kind == ReferenceKind.EXTERNAL or one.document_id is None:
        return Meant(reason=SEVERAL if IS_SEVERAL.match(one.reason) else one.reason)
    if target is None:
        return Meant(reason=NOT_READ)
    if _is_to_be_found(one, target):
        return _find(one.steps, one.base, target, outlines[target.version_id])
    return Meant(target, reason=one.reason if one.own.is_current and target.is_current else NOT_IN_IT)


def _find(steps: Sequence[Any], base: str, target: Holder, outline: StoredOutline) -> Meant:
    """Look for what is said in a version that is read."""
    if not outline.units:
        return Meant(target, reason=NOT_IN_IT)
    found = outline.index.resolve(Target(tuple(Step(*step) for step in steps), base=base))
    if found.unit is None:
        reason = found.reason.replace("in this document", f"in {target.document_name}")
        return Meant(target, reason=reason)
    return Meant(target, outline.ids[found.unit], outline.labels[found.unit])
