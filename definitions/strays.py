"""References to documents that are not read as they are now, where the stored links do not lead to them.

A link leads to where something is in the head. Who reads another version asks for what refers to a unit that
the head has no longer, or has under another label. At the head there are no such references, and none are
looked for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from definitions.extract.found import Step, Target
from definitions.kept_outlines import CACHE
from definitions.outlines import StoredOutline
from definitions.readable import Holder, Readable, holders_of
from documents.models import Section, VersionQuerySet

MOST = 10_000  # Of one document, that are looked at.
# Those that lead nowhere in the head, and those that lead to labels that the version which is read has not.
# The labels are listed by going from one to the next in the index, since thousands may refer to each, and
# OFFSET has each looked up: without statistics PostgreSQL compares every label with every unit.
STRAYS = """
    WITH RECURSIVE asked AS (
        SELECT * FROM unnest(%(documents)s::uuid[], %(versions)s::uuid[], %(current)s::bool[])
            AS asked(document_id, version_id, is_current)
    ), named AS (
        SELECT document_id, version_id, is_current, ''::varchar AS label FROM asked
        UNION ALL
        SELECT document_id, version_id, is_current, following.label FROM named
        CROSS JOIN LATERAL (
            SELECT target_label AS label FROM definitions_crossreference
            WHERE target_document_id = named.document_id AND target_label > named.label
            ORDER BY target_label LIMIT 1
        ) AS following
    ), lost AS (
        SELECT named.* FROM named
        LEFT JOIN LATERAL (
            SELECT true AS is_there FROM documents_section
            WHERE version_id = named.version_id AND label = named.label OFFSET 0
        ) AS unit ON true
        WHERE named.label <> '' AND unit.is_there IS NULL
    )
    SELECT version_id, steps::text, base, through_steps::text, array_agg(id) FROM (
        SELECT asked.version_id, stray.* FROM asked
        CROSS JOIN LATERAL (
            SELECT id, steps, base, through_steps FROM definitions_crossreference AS subject
            WHERE target_document_id = asked.document_id AND reason <> '' AND kind = 'document'
                AND NOT is_corrected AND (NOT asked.is_current OR {is_old}) AND {readable}
            LIMIT %(most)s
        ) AS stray
        UNION ALL
        SELECT lost.version_id, stray.* FROM lost
        CROSS JOIN LATERAL (
            SELECT id, steps, base, through_steps FROM definitions_crossreference AS subject
            WHERE target_document_id = lost.document_id AND target_label = lost.label AND reason = ''
                AND kind = 'document' AND NOT is_corrected AND (NOT lost.is_current OR {is_old})
                AND {readable}
            LIMIT %(most)s
        ) AS stray
        LIMIT %(all)s
    ) AS stray GROUP BY version_id, steps, base, through_steps
"""
IS_OLD = """EXISTS (
    SELECT FROM documents_version AS holder
    WHERE holder.id = subject.version_id AND holder.superseded_at IS NOT NULL
)"""


@dataclass(frozen=True, slots=True)
class Stray:
    """References that say the same, and the unit that they mean in the version that is read."""

    reference_ids: tuple[UUID, ...]
    version_id: UUID
    section_id: UUID
    label: str
    position: int
    start: int
    end: int
    between: tuple[int, ...] = ()  # Positions of the units inside a range.

    def means(self, section: Section, *, below: bool = False) -> bool:
        """Tell whether it means a unit, alone or in a range, or with `below` one that stands in it."""
        if self.version_id != section.version_id:
            return False
        if not below:
            return section.position == self.position or section.position in self.between
        is_inside = section.start <= self.start and self.end <= section.end
        return is_inside and section.position <= self.position


def strays_to(version_ids: Collection[UUID], versions: VersionQuerySet) -> tuple[Stray, ...]:
    """Return the strays that mean units of some of the versions that are read."""
    readable = Readable.of(versions)
    if readable.is_head or not version_ids:
        return ()
    return find_strays(holders_of(version_ids).values(), readable)


def reference_ids(strays: Iterable[Stray], section: Section, *, below: bool = False) -> list[UUID]:
    """Return the references among strays that mean a unit, alone or in a range, or also those below it."""
    meaning = (one for one in strays if one.means(section) or (below and one.means(section, below=True)))
    return [pk for one in meaning for pk in one.reference_ids]


def find_strays(targets: Iterable[Holder], readable: Readable) -> tuple[Stray, ...]:
    """Return the strays that mean units of versions, in one query and one for the outlines."""
    asked = {one.version_id: one for one in targets}
    if readable.is_head or not asked:
        return ()
    rows = _ask(asked.values(), readable)
    outlines = CACHE.get_all({row[0] for row in rows}) if rows else {}
    found = (_find(version_id, rest, outlines[version_id]) for version_id, *rest in rows)
    return tuple(stray for stray in found if stray is not None)


def _ask(targets: Collection[Holder], readable: Readable) -> list[Any]:
    sql, parameters = readable.named()
    asked = {
        "documents": [one.document_id for one in targets],
        "versions": [one.version_id for one in targets],
        "current": [one.is_current for one in targets],
        "most": MOST,
        "all": MOST * len(targets),
        **parameters,
    }
    with connection.cursor() as cursor:
        cursor.execute(STRAYS.format(is_old=IS_OLD, readable=sql), asked)
        return list(cursor.fetchall())


def _find(version_id: UUID, row: Any, outline: StoredOutline) -> Stray | None:
    steps, base, through, reference_ids = row
    position = _resolve(steps, base, outline)
    if position is None:
        return None
    unit = outline.units[position]
    last = _resolve(through, base, outline) if through != "[]" else None
    between = () if last is None else _between(position, last, outline)
    label, section_id = outline.labels[position], outline.ids[position]
    return Stray(tuple(reference_ids), version_id, section_id, label, position, unit.start, unit.end, between)


def _resolve(steps: str, base: str, outline: StoredOutline) -> int | None:
    """Return the position of what is said; an outline remembers what it was asked."""
    said = (steps, base)
    if outline.units and said not in outline.found:
        target = Target(tuple(Step(*step) for step in json.loads(steps)), base=base)
        outline.found[said] = outline.index.resolve(target).unit
    return outline.found.get(said)


def _between(first: int, last: int, outline: StoredOutline) -> tuple[int, ...]:
    """Return the units between the ends of a range, in the list that both are members of."""
    parent = outline.units[first].parent
    if parent is None or outline.units[last].parent != parent:
        return ()
    return tuple(child for child in outline.index.children[parent] if first < child < last)
