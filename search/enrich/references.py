"""References in a page of results and to it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from definitions.extract.found import Step, Target
from definitions.models import ReferenceKind
from search.enrich.found import MOST_REFERENCES, MOST_REFERRING, Place, ReferenceMade
from search.enrich.readable import Holder, Readable
from search.enrich.units import PlacedUnit
from search.retrieve.cited_outlines import CACHE

MOST_COUNTED = 1000  # References to one unit.
# What is stored speaks of documents as they are now. To whoever reads others it says no more than this.
NOT_READ = "The document that is meant is not read here."
NOT_IN_IT = "The document that is meant, as it is read here, has no such unit."
SEVERAL = "Several documents are called so."
IS_SEVERAL = re.compile(r"\d+ documents here are called ")
MADE = """
    SELECT asked.number, reference.*, unit.label
    FROM unnest(%s::uuid[], %s::int[], %s::int[]) WITH ORDINALITY AS asked(version_id, start, "end", number)
    CROSS JOIN LATERAL (
        SELECT version_id, section_id, text, start, "end", kind, target_document_id, target_label, reason,
            CASE WHEN is_corrected THEN '[]' ELSE steps END, base
        FROM definitions_crossreference
        WHERE version_id = asked.version_id AND start >= asked.start AND start < asked."end"
        ORDER BY start LIMIT %s
    ) AS reference
    CROSS JOIN LATERAL (SELECT label FROM documents_section WHERE id = reference.section_id OFFSET 0) AS unit
"""
TARGETS = """
    SELECT asked.version_id, asked.label, unit.id, unit.label
    FROM unnest(%s::uuid[], %s::text[]) AS asked(version_id, label)
    CROSS JOIN LATERAL (
        SELECT id, label FROM documents_section
        WHERE version_id = asked.version_id
            AND (label = asked.label AND asked.label <> '' OR position = 0 AND asked.label = '')
        ORDER BY position LIMIT 1
    ) AS unit
"""
# Of what refers to the units of each place: how many there are, and the first few with where they stand.
REFERRING = """
    SELECT counted.number, counted.total, counted.version_id, counted.section_id, counted.text, counted.start,
        counted."end", counted.kind, counted.target_label, unit.label, holder.document_id, holder.name
    FROM (
        SELECT asked.number, reference.*, count(*) OVER place AS total,
            row_number() OVER (place ORDER BY reference.version_id, reference.position) AS rank
        FROM unnest(%s::int[], %s::uuid[], %s::text[], %s::uuid[], %s::int[], %s::int[])
            AS asked(number, document_id, label, version_id, start, "end")
        CROSS JOIN LATERAL (
            SELECT version_id, section_id, position, text, start, "end", kind, target_label
            FROM definitions_crossreference AS subject
            WHERE target_document_id = asked.document_id AND target_label = asked.label AND reason = ''
                AND (kind <> 'internal' OR version_id = asked.version_id)
                AND NOT (version_id = asked.version_id AND start >= asked.start AND start < asked."end")
                AND {readable}
            LIMIT %s
        ) AS reference
        WINDOW place AS (PARTITION BY asked.number)
    ) AS counted
    CROSS JOIN LATERAL (SELECT label FROM documents_section WHERE id = counted.section_id OFFSET 0) AS unit
    CROSS JOIN LATERAL (
        SELECT document.id AS document_id, document.name FROM documents_version AS version
        JOIN documents_document AS document ON document.id = version.document_id
        WHERE version.id = counted.version_id OFFSET 0
    ) AS holder
    WHERE counted.rank <= %s
    ORDER BY counted.number, counted.rank
"""

Row = tuple[Any, ...]
Unit = tuple[UUID, str]  # A version and a label.
Referring = tuple[tuple[ReferenceMade, ...], int]  # The first few, and how many there are.


def references_made(
    places: Sequence[Place], holders: dict[UUID, Holder], readable: Readable
) -> list[tuple[ReferenceMade, ...]]:
    """Return what each place refers to, in the order of its text."""
    columns = zip(*((one.version_id, one.start, one.end) for one in places), strict=True)
    rows = _ask(MADE, [*map(list, columns), MOST_REFERENCES])
    read = readable.of_documents({row[7] for row in rows if row[7] is not None})
    targets = _targets(rows, read)
    made: list[list[ReferenceMade]] = [[] for _ in places]
    for row in rows:
        made[row[0] - 1].append(_made(row, holders[row[1]], read.get(row[7]), targets))
    return [tuple(each) for each in made]


def _target_of(row: Row, read: dict[UUID, Holder]) -> Unit | None:
    """Return the version that is read, which is its own inside a document, and the label that is meant."""
    _, version_id, _, _, _, _, kind, document_id, label, reason, *_ = row
    if document_id is None or reason:
        return None
    if kind == ReferenceKind.INTERNAL:
        return version_id, label
    return (read[document_id].version_id, label) if document_id in read else None


def _targets(rows: Sequence[Row], read: dict[UUID, Holder]) -> dict[Unit, UUID]:
    wanted = {target for row in rows if (target := _target_of(row, read)) is not None}
    if not wanted:
        return {}
    columns = [list(column) for column in zip(*wanted, strict=True)]
    return {(version_id, label): pk for version_id, label, pk, _ in _ask(TARGETS, columns)}


@dataclass(frozen=True, slots=True)
class Meant:
    """The unit that a reference leads to in what is read, or why there is none."""

    section_id: UUID | None = None
    label: str = ""
    reason: str = ""


def _made(row: Row, own: Holder, target: Holder | None, targets: dict[Unit, UUID]) -> ReferenceMade:
    _, version_id, section_id, text, start, end, kind, document_id, *_, unit = row
    holder = own if kind == ReferenceKind.INTERNAL else target
    is_shown = holder is not None and document_id is not None
    meant = _meant(row, own, target, targets)
    return ReferenceMade(
        text=text,
        span=(start, end),
        kind=kind,
        document_id=own.document_id,
        document_name=own.document_name,
        version_id=version_id,
        section_id=section_id,
        section_label=unit,
        target_document_id=document_id if is_shown else None,
        target_document_name=holder.document_name if holder and is_shown else "",
        target_label=meant.label,
        target_section_id=meant.section_id,
        reason=meant.reason,
    )


def _meant(row: Row, own: Holder, target: Holder | None, targets: dict[Unit, UUID]) -> Meant:
    """Tell where a reference leads, and nothing of documents and versions that are not read."""
    kind, document_id, label, reason = row[6:10]
    place = _target_of(row, {target.document_id: target} if target else {})
    if place in targets:
        return Meant(targets[place], label)
    if kind != ReferenceKind.DOCUMENT:
        return Meant(label=label, reason=reason)
    if document_id is None:
        return Meant(reason=SEVERAL if IS_SEVERAL.match(reason) else reason)
    if target is None:
        return Meant(reason=NOT_READ)
    return Meant(reason=reason) if reason and own.is_current and target.is_current else _find(row, target)


def _find(row: Row, target: Holder) -> Meant:
    """Look for what is meant in the version that is read, if it is not the one that was looked into."""
    steps, base = row[10:12]
    said = Target(tuple(Step(*step) for step in json.loads(steps)), base=base)
    outline = CACHE.get(target.version_id)
    if not said.steps or not outline.units:
        return Meant(reason=NOT_IN_IT)
    found = outline.index.resolve(said)
    if found.unit is None:
        return Meant(reason=found.reason.replace("in this document", f"in {target.document_name}"))
    return Meant(outline.ids[found.unit], outline.labels[found.unit])


def references_to(
    places: Sequence[Place],
    units: Sequence[Sequence[PlacedUnit]],
    holders: dict[UUID, Holder],
    readable: Readable,
) -> list[Referring]:
    """Return what refers to each place from elsewhere: to its unit, or to one that begins in it."""
    asked = [
        (number, holders[place.version_id].document_id, unit.label if unit.position else "", place)
        for number, (place, own) in enumerate(zip(places, units, strict=True))
        for unit in own
        if unit.position or unit.id == place.section_id
    ]
    found: list[Referring] = [((), 0)] * len(places)
    if not asked:
        return found
    rows = [(*row, place.version_id, place.start, place.end) for *row, place in asked]
    columns = [list(column) for column in zip(*rows, strict=True)]
    statement = REFERRING.format(readable=readable.sql)
    ids = {(number, unit.label): unit.id for number, own in enumerate(units) for unit in own}
    for row in _ask(statement, [*columns, *readable.parameters, MOST_COUNTED, MOST_REFERRING]):
        place = places[row[0]]
        one = _referring(row, holders[place.version_id], ids.get((row[0], row[8]), place.section_id))
        found[row[0]] = (*found[row[0]][0], one), row[1]
    return found


def _referring(row: Row, target: Holder, target_section_id: UUID) -> ReferenceMade:
    _, _, version_id, section_id, text, start, end, kind, target_label, label, document_id, name = row
    return ReferenceMade(
        text=text,
        span=(start, end),
        kind=kind,
        document_id=document_id,
        document_name=name,
        version_id=version_id,
        section_id=section_id,
        section_label=label,
        target_document_id=target.document_id,
        target_document_name=target.document_name,
        target_label=target_label,
        target_section_id=target_section_id,
    )


def _ask(statement: str, parameters: Sequence[Any]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
