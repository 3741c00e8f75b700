"""Measure definitions: terms by their words and the place where they are defined."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from definitions.models import Definition
from documents.models import Collection
from search.evaluation.measures import Measure, Record, precision_and_recall
from search.evaluation.scratch import read_versions, stem
from tenants.scope import tenant_scope

NEAR = 300  # Characters between a definition that is found and the one that is meant.
SAME = 50  # Definitions of one term in a stretch of so many characters are one.


@dataclass(frozen=True, slots=True)
class FoundTerm:
    document: str
    term: str
    start: int


def find_definitions(collection: Collection) -> list[FoundTerm]:
    with tenant_scope(collection.tenant_id):
        rows = Definition.objects.within(read_versions(collection))
        places = rows.values_list("version__document__name", "term", "start")
        return [FoundTerm(stem(name), term, start) for name, term, start in places]


def measure_definitions(
    found: Iterable[FoundTerm], truth: Sequence[Record], unmarked: Iterable[Record], form: str
) -> list[Measure]:
    """Hold terms against the truth; those that its authors left unmarked count neither way."""
    known = {(record["doc"], fold(record["text"])) for record in truth}
    free = {(record["doc"], fold(record["term"])) for record in unmarked} - known
    starts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in found:
        starts[one.document, fold(one.term)].append(one.start)
    hits = sum(
        any(abs(start - record[form][0]) <= NEAR for start in starts[record["doc"], fold(record["text"])])
        for record in truth
    )
    counted = sum(len({start // SAME for start in starts[term]}) for term in starts if term not in free)
    return precision_and_recall("definition", form, hits=hits, found=counted, truth=len(truth))


def fold(term: str) -> str:
    return re.sub(r"\W+", " ", term.lower()).strip()
