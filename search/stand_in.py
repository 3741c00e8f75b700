"""In which unit words stand: a passage may hold many units, and whoever reads wants the one that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

# The last unit that begins before a place and ends behind it is the innermost one around it.
FIND = """
    SELECT asked.number, unit.label, unit.title, unit.path
    FROM unnest(%s::uuid[], %s::int[]) WITH ORDINALITY AS asked(version_id, place, number)
    CROSS JOIN LATERAL (
        SELECT label, title, path FROM documents_section
        WHERE version_id = asked.version_id AND start <= asked.place AND "end" > asked.place AND position > 0
        ORDER BY position DESC LIMIT 1
    ) AS unit
"""


@dataclass(frozen=True, slots=True)
class Unit:
    label: str
    title: str
    path: tuple[str, ...]  # Of the units above it.


def units_at(places: Sequence[tuple[UUID, int]]) -> list[Unit | None]:
    """Return the innermost unit at each place of a version's text, in one query. In the tenant's scope."""
    units: list[Unit | None] = [None] * len(places)
    if places:
        with connection.cursor() as cursor:
            cursor.execute(FIND, [list(column) for column in zip(*places, strict=True)])
            for number, label, title, path in cursor.fetchall():
                units[number - 1] = Unit(label, title, tuple(path))
    return units
