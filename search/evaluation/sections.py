"""Measure the outline: units by the place where they begin, and the place where their parent begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from documents.models import Collection, Section
from search.evaluation.measures import Measure, Record, precision_and_recall, share
from search.evaluation.scratch import read_versions, stem
from tenants.scope import tenant_scope

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class FoundUnit:
    document: str
    start: int
    parent_start: int | None
    is_outermost: bool = False  # Directly below the document, or the document itself.


def find_units(collection: Collection) -> list[FoundUnit]:
    """Return the units of all current versions; the document itself is one only if it has a number."""
    with tenant_scope(collection.tenant_id):
        sections = Section.objects.filter(version__in=read_versions(collection).values("pk"))
        rows = sections.values_list("version__document__name", "start", "parent__start", "level", "marker")
        return [
            FoundUnit(stem(name), start, parent_start, level <= 1)
            for name, start, parent_start, level, marker in rows
            if level or marker
        ]


def measure_sections(found: Sequence[FoundUnit], truth: Sequence[Record], form: str) -> list[Measure]:
    """Hold units against the truth. Several may begin at one place; one with the right parent will do.

    A unit without a parent stands directly below the document, which need not be in the truth itself.
    """
    parents: dict[Place, set[int | None]] = defaultdict(set)
    for unit in found:
        parents[unit.document, unit.start].update(
            {unit.parent_start, None} if unit.is_outermost else {unit.parent_start}
        )
    by_id = {(record["doc"], record["id"]): record for record in truth}
    numbered = [record for record in truth if record.get("numbered")]
    places = {(record["doc"], record[form][0]) for record in numbered}
    met = [record for record in numbered if (record["doc"], record[form][0]) in parents]
    right = sum(_start_of_parent(one, by_id, form) in parents[one["doc"], one[form][0]] for one in met)
    return [
        *precision_and_recall(
            "section", form, hits=len(places & set(parents)), found=len(parents), truth=len(places)
        ),
        Measure("parent_accuracy", share(right, len(met)), len(met), form),
    ]


def _start_of_parent(record: Record, by_id: dict[tuple[str, str], Record], form: str) -> int | None:
    parent = by_id.get((record["doc"], record["parent"]))
    return None if parent is None else int(parent[form][0])
