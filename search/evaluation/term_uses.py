"""Measure where terms are used: a use is found when one of ours touches it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from definitions.show import show_terms
from documents.models import Collection, Section
from search.evaluation.measures import Measure, Record, precision_and_recall
from search.evaluation.places import Places
from search.evaluation.scratch import read_versions, stem
from tenants.scope import tenant_scope


@dataclass(frozen=True, slots=True)
class FoundUse:
    document: str
    start: int
    end: int


def find_term_uses(collection: Collection) -> list[FoundUse]:
    """Return the uses of all terms that were found, in all documents."""
    with tenant_scope(collection.tenant_id):
        wholes = Section.objects.filter(version__in=read_versions(collection), position=0)
        return [
            FoundUse(stem(whole.version.document.name), use.start, use.end)
            for whole in wholes.select_related("version__document").defer("version__text")
            for use in show_terms(whole)
        ]


def measure_term_uses(found: Sequence[FoundUse], truth: Sequence[Record], form: str) -> list[Measure]:
    """Hold uses against the truth: ours that touch a true one, and true ones that ours touch."""
    true_places = Places((record["doc"], *record[form]) for record in truth)
    our_places = Places((use.document, use.start, use.end) for use in found)
    right = sum(true_places.touch(use.document, use.start, use.end) for use in found)
    met = sum(our_places.touch(record["doc"], *record[form]) for record in truth)
    return precision_and_recall("term_use", form, hits=met, found=len(found), truth=len(truth), right=right)
