"""What refers to a unit itself, alone or in a range; those that it makes itself do not count."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db import connection
from django.db.models import Q

from definitions.models import CrossReference
from definitions.readable import Holder, Readable
from definitions.strays import find_strays, reference_ids, strays_to
from documents.models import Section, VersionQuerySet

MOST_COUNTED = 1_000  # Of one unit.
MOST_SHOWN = 200
# Those that name a unit, and those that name a range of its list in which it lies. OFFSET keeps the order of
# the joins, from ranges to units. Without statistics PostgreSQL goes the other way, which takes minutes.
COUNT = """
    WITH ranges AS MATERIALIZED (
        SELECT version_id, start, target_label, through_label FROM definitions_crossreference AS subject
        WHERE target_document_id = %(document)s AND through_label <> '' AND (reason = '' OR is_corrected)
            AND (kind <> 'internal' OR version_id = %(version)s) AND {readable}
        LIMIT %(most)s
    )
    SELECT position, sum(counted) FROM (
        SELECT unit.position, named.counted FROM (
            SELECT position, label, start, "end" FROM documents_section
            WHERE version_id = %(version)s AND position > 0
                AND position >= %(first)s AND position < %(last)s OFFSET 0
        ) AS unit
        CROSS JOIN LATERAL (
            SELECT count(*) AS counted FROM (
                SELECT FROM definitions_crossreference AS subject
                WHERE target_document_id = %(document)s AND target_label = unit.label
                    AND (reason = '' OR is_corrected)
                    AND (kind <> 'internal' OR version_id = %(version)s)
                    AND NOT (version_id = %(version)s AND start >= unit.start AND start < unit."end")
                    AND {readable}
                LIMIT %(most)s
            ) AS few
        ) AS named
        UNION ALL
        SELECT unit.position, count(*) FROM ranges
        CROSS JOIN LATERAL (
            SELECT parent_id, position FROM documents_section
            WHERE version_id = %(version)s AND label = ranges.target_label OFFSET 0
        ) AS head
        CROSS JOIN LATERAL (
            SELECT position FROM documents_section
            WHERE version_id = %(version)s AND label = ranges.through_label
                AND parent_id = head.parent_id OFFSET 0
        ) AS tail
        CROSS JOIN LATERAL (
            SELECT position FROM documents_section
            WHERE version_id = %(version)s AND parent_id = head.parent_id
                AND position > greatest(head.position, %(first)s - 1)
                AND position < least(tail.position, %(last)s)
                AND NOT (ranges.version_id = %(version)s AND ranges.start >= start AND ranges.start < "end")
            OFFSET 0
        ) AS unit
        GROUP BY unit.position
    ) AS counts WHERE counted > 0 GROUP BY position
"""


def count_mentions(holder: Holder, positions: range, readable: Readable) -> dict[int, int]:
    """Return how often the units at some positions of a version are referred to; at the head in one query."""
    sql, parameters = readable.named()
    asked = {
        "document": holder.document_id,
        "version": holder.version_id,
        "first": positions.start,
        "last": positions.stop,
        "most": MOST_COUNTED,
        **parameters,
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNT.format(readable=sql), asked)
        counts = Counter({position: int(count) for position, count in cursor.fetchall()})
    for stray in find_strays([holder], readable):
        for position in (stray.position, *stray.between):
            if position and position in positions:
                counts[position] += len(stray.reference_ids)
    return dict(counts)


def mentions_of(section: Section, versions: VersionQuerySet) -> Any:
    """Return the references to a unit in what is read, in the order of documents and texts."""
    own = Q(version=section.version_id, start__gte=section.start, start__lt=section.end)
    also = reference_ids(strays_to({section.version_id}, versions), section)
    rows: Any = CrossReference.objects.within(versions).made_to(section, strays=also).exclude(own)
    return rows.with_places().order_by("version__document__name", "version_id", "position")
