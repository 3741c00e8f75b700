"""Measure who refers to a unit: the answer is made of the references to it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from definitions.models import CrossReference
from documents.models import Collection, Section
from search.evaluation.measures import Measure, Record, share
from search.evaluation.places import Places
from search.evaluation.scratch import read_versions, stem
from tenants.scope import tenant_scope


@dataclass(frozen=True, slots=True)
class FoundCitation:
    """A reference to the unit that a question asks about."""

    question: str
    document: str
    start: int
    end: int


def find_citations(
    collection: Collection, questions: Sequence[Record], units: Sequence[Record], form: str
) -> list[FoundCitation]:
    with tenant_scope(collection.tenant_id):
        return [
            citation
            for question in questions
            for section in _sections_asked_for(collection, question, units, form)
            for citation in _citations(collection, question["qid"], section)
        ]


def _sections_asked_for(
    collection: Collection, question: Record, units: Sequence[Record], form: str
) -> Iterator[Section]:
    """Yield the sections that begin where the unit does; several may."""
    unit = unit_asked_for(question, units)
    if unit is not None:
        sections = Section.objects.filter(
            version__in=read_versions(collection).values("pk"), start=unit[form][0]
        )
        for section in sections.select_related("version__document").defer("version__text"):
            if stem(section.version.document.name) == unit["doc"]:
                yield section


def unit_asked_for(question: Record, units: Iterable[Record]) -> Record | None:
    """Return the unit of a question, by its id or else by the longest citation among its words."""
    if "target" in question:
        return next((unit for unit in units if unit["id"] == question["target"]), None)
    words = _fold(question["query"])
    cited = [unit for unit in units if unit.get("cite") and f" {_fold(unit['cite'])} " in f" {words} "]
    return max(cited, key=lambda unit: len(unit["cite"]), default=None)


def _fold(words: str) -> str:
    return re.sub(r"[^\w.]+", " ", words.lower()).strip(" .")


def _citations(collection: Collection, question: str, section: Section) -> Iterator[FoundCitation]:
    rows = CrossReference.objects.within(read_versions(collection)).made_to(section)
    for name, start, end in rows.values_list("version__document__name", "start", "end"):
        yield FoundCitation(question, stem(name), start, end)


def measure_citing(found: Iterable[FoundCitation], truth: Sequence[Record], form: str) -> list[Measure]:
    """Return how many of the true units hold one of the references that were found."""
    by_question: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for one in found:
        by_question[one.question].append((one.document, one.start, one.end))
    places = {question: Places(spans) for question, spans in by_question.items()}
    none = Places(())
    met = sum(places.get(record["qid"], none).touch(record["doc"], *record[form]) for record in truth)
    return [Measure("citing_recall", share(met, len(truth)), len(truth), form)]
