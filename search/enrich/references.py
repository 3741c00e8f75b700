"""References in a page of results and to it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from definitions.meant import Linked, Meant, find_meant
from definitions.readable import Holder, Readable
from definitions.strays import find_strays
from search.enrich.found import MOST_REFERENCES, MOST_REFERRING, Place, ReferenceMade
from search.enrich.units import IN_PLACE, units_of
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
REFERRING = f"""
    SELECT counted.number, counted.total, counted.version_id, counted.section_id, counted.text, counted.start,
        counted."end", counted.kind, counted.target_label, counted.target_id, unit.label,
        holder.document_id, holder.name
    FROM (
        SELECT found.*, count(*) OVER place AS total,
            row_number() OVER (place ORDER BY version_id, position) AS rank
        FROM (
            SELECT asked.number, reference.*, own.id AS target_id
            FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::int[], %s::int[])
                WITH ORDINALITY AS asked(document_id, version_id, section_id, start, "end", number)
            CROSS JOIN LATERAL ({IN_PLACE}) AS own
            CROSS JOIN LATERAL (
                SELECT version_id, section_id, position, text, start, "end", kind, target_label
                FROM definitions_crossreference AS subject
                WHERE target_document_id = asked.document_id
                    AND target_label = CASE WHEN own.position > 0 THEN own.label ELSE '' END
                    AND (reason = '' OR is_corrected)
                    AND (kind <> 'internal' OR version_id = asked.version_id)
                    AND NOT (version_id = asked.version_id AND start >= asked.start AND start < asked."end")
                    AND {{readable}}
                LIMIT {MOST_COUNTED}
            ) AS reference
            WHERE own.position > 0 OR own.id = asked.section_id
            UNION ALL
            SELECT stray.number, version_id, section_id, position, text, start, "end", kind, stray.label,
                stray.target_id
            FROM unnest(%s::int[], %s::uuid[], %s::text[], %s::uuid[]) AS stray(number, id, label, target_id)
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
    WHERE counted.rank <= {MOST_REFERRING}
    ORDER BY counted.number, counted.rank
"""  # noqa: S608

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
    places: Sequence[Place], holders: dict[UUID, Holder], readable: Readable
) -> Asking[list[Referring]]:
    """Return what refers to each place from elsewhere: to its unit, or to one that begins in it."""
    found: list[Referring] = [((), 0)] * len(places)
    asked = (
        (holders[one.version_id].document_id, one.version_id, one.section_id, one.start, one.end)
        for one in places
    )
    strays = () if readable.is_head else (yield from _strays(places, holders, readable))
    columns = [[row[column] for row in strays] for column in range(4)]
    given = [*map(list, zip(*asked, strict=True)), *readable.parameters, *columns]
    (rows,) = yield [(REFERRING.format(readable=readable.sql), given)]
    for number, total, *row in rows:
        shown, _ = found[number - 1]
        found[number - 1] = (*shown, _referring(row, holders[places[number - 1].version_id])), total
    return found


def _strays(
    places: Sequence[Place], holders: dict[UUID, Holder], readable: Readable
) -> Asking[list[tuple[int, UUID, str, UUID]]]:
    """Return the strays that mean the units of places: numbers of places, references, labels and units."""
    units = yield from units_of(places)
    meaning = defaultdict(list)
    for stray in find_strays((holders[place.version_id] for place in places), readable):
        meaning[stray.section_id].append(stray)
    return [
        (number, pk, stray.label, unit.id)
        for number, (place, own) in enumerate(zip(places, units, strict=True), 1)
        for unit in own
        if unit.position or unit.id == place.section_id
        for stray in meaning.get(unit.id, ())
        for pk in stray.reference_ids[:MOST_COUNTED]
    ]


def _referring(row: Sequence[Any], target: Holder) -> ReferenceMade:
    version_id, section_id, text, start, end, kind, target_label, target_id, label, document_id, name = row
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
        target_section_id=target_id,
    )
