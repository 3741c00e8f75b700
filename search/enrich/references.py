"""References in a page of results and to it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from definitions.meant import Linked, Meant, find_meant
from definitions.readable import Holder, Readable
from definitions.strays import find_strays
from search.enrich.found import MOST_REFERENCES, MOST_REFERRING, Place, ReferenceMade
from search.enrich.units import PlacedUnit
from search.round_trips import Asking, Row

MOST_COUNTED = 1000  # References to one unit.
MADE = """
    SELECT asked.number, reference.*, unit.label
    FROM unnest(%s::uuid[], %s::int[], %s::int[]) WITH ORDINALITY AS asked(version_id, start, "end", number)
    CROSS JOIN LATERAL (
        SELECT version_id, section_id, text, start, "end", kind, target_document_id, target_label, reason,
            steps, base, is_corrected
        FROM definitions_crossreference
        WHERE version_id = asked.version_id AND start >= asked.start AND start < asked."end"
        ORDER BY start LIMIT %s
    ) AS reference
    CROSS JOIN LATERAL (SELECT label FROM documents_section WHERE id = reference.section_id OFFSET 0) AS unit
"""
# Of what refers to the units of each place: how many there are, and the first few with where they stand.
# Strays are known to mean a unit of a place, whatever they are linked to.
REFERRING = """
    SELECT counted.number, counted.total, counted.version_id, counted.section_id, counted.text, counted.start,
        counted."end", counted.kind, counted.target_label, unit.label, holder.document_id, holder.name
    FROM (
        SELECT found.*, count(*) OVER place AS total,
            row_number() OVER (place ORDER BY version_id, position) AS rank
        FROM (
            SELECT asked.number, reference.*
            FROM unnest(%s::int[], %s::uuid[], %s::text[], %s::uuid[], %s::int[], %s::int[])
                AS asked(number, document_id, label, version_id, start, "end")
            CROSS JOIN LATERAL (
                SELECT version_id, section_id, position, text, start, "end", kind, target_label
                FROM definitions_crossreference AS subject
                WHERE target_document_id = asked.document_id AND target_label = asked.label
                    AND (reason = '' OR is_corrected)
                    AND (kind <> 'internal' OR version_id = asked.version_id)
                    AND NOT (version_id = asked.version_id AND start >= asked.start AND start < asked."end")
                    AND {readable}
                LIMIT %s
            ) AS reference
            UNION ALL
            SELECT stray.number, version_id, section_id, position, text, start, "end", kind, stray.label
            FROM unnest(%s::int[], %s::uuid[], %s::text[]) AS stray(number, id, label)
            JOIN definitions_crossreference USING (id)
        ) AS found
        WINDOW place AS (PARTITION BY number)
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

Referring = tuple[tuple[ReferenceMade, ...], int]  # The first few, and how many there are.


def references_made(
    places: Sequence[Place], holders: dict[UUID, Holder], readable: Readable
) -> Asking[list[tuple[ReferenceMade, ...]]]:
    """Return what each place refers to, in the order of its text."""
    columns = zip(*((one.version_id, one.start, one.end) for one in places), strict=True)
    (rows,) = yield [(MADE, [*map(list, columns), MOST_REFERENCES])]
    meant = find_meant([_linked(row, holders[row[1]]) for row in rows], readable)
    made: list[list[ReferenceMade]] = [[] for _ in places]
    for row, one in zip(rows, meant, strict=True):
        made[row[0] - 1].append(_made(row, holders[row[1]], one))
    return [tuple(each) for each in made]


def _linked(row: Row, own: Holder) -> Linked:
    kind, document_id, label, reason, steps, base, is_corrected = row[6:13]
    return Linked(own, kind, document_id, label, reason, json.loads(steps), base, is_corrected)


def _made(row: Row, own: Holder, meant: Meant) -> ReferenceMade:
    _, version_id, section_id, text, start, end, kind, *_, label = row
    return ReferenceMade(
        text=text,
        span=(start, end),
        kind=kind,
        document_id=own.document_id,
        document_name=own.document_name,
        version_id=version_id,
        section_id=section_id,
        section_label=label,
        target_document_id=meant.document.document_id if meant.document else None,
        target_document_name=meant.document.document_name if meant.document else "",
        target_label=meant.label,
        target_section_id=meant.section_id,
        reason=meant.reason,
    )


def references_to(
    places: Sequence[Place],
    units: Sequence[Sequence[PlacedUnit]],
    holders: dict[UUID, Holder],
    readable: Readable,
) -> Asking[list[Referring]]:
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
    strays = _strays(places, units, holders, readable)
    given = [*columns, *readable.parameters, MOST_COUNTED, *strays, MOST_REFERRING]
    (answer,) = yield [(statement, given)]
    for row in answer:
        place = places[row[0]]
        one = _referring(row, holders[place.version_id], ids.get((row[0], row[8]), place.section_id))
        found[row[0]] = (*found[row[0]][0], one), row[1]
    return found


def _strays(
    places: Sequence[Place],
    units: Sequence[Sequence[PlacedUnit]],
    holders: dict[UUID, Holder],
    readable: Readable,
) -> tuple[list[int], list[UUID], list[str]]:
    """Return the strays that mean the units of places: numbers of places, references and labels."""
    meaning = defaultdict(list)
    for stray in find_strays((holders[place.version_id] for place in places), readable):
        meaning[stray.section_id].append(stray)
    found = [
        (number, pk, stray.label)
        for number, (place, own) in enumerate(zip(places, units, strict=True))
        for unit in own
        if unit.position or unit.id == place.section_id
        for stray in meaning.get(unit.id, ())
        for pk in stray.reference_ids[:MOST_COUNTED]
    ]
    return [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]


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
