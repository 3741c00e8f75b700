"""Measure answers that have one right place: citations, and questions for what a term means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from search.evaluation.measures import Measure, Record, share
from search.evaluation.spans import FoundSpan, Spans

FIRST = 5


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says of a citation: that it leads nowhere, and that something is what was cited."""

    is_missing: bool
    has_exact: bool

    @property
    def is_refusal(self) -> bool:
        return self.is_missing and not self.has_exact


def measure_lookups(run: Spans, truth: Sequence[Record], form: str | None) -> list[Measure]:
    """Count citations whose unit is the first result, and those that are touched by one of the first."""
    units = {record["qid"]: span_of(record, form) for record in truth}
    found = {question: run.get(question, ()) for question in units}
    exact = sum(bool(spans) and spans[0].is_same_unit(units[question]) for question, spans in found.items())
    touched = sum(any(map(units[question].touches, spans[:FIRST])) for question, spans in found.items())
    return [
        Measure("lookup_exact_at_1", share(exact, len(units)), len(units), form),
        Measure(f"lookup_hit_at_{FIRST}", share(touched, len(units)), len(units), form),
    ]


def measure_refusals(replies: Mapping[str, Reply], form: str | None) -> list[Measure]:
    """Count citations of what does not exist that are answered so."""
    refused = sum(reply.is_refusal for reply in replies.values())
    return [Measure("lookup_refused", share(refused, len(replies)), len(replies), form)]


def measure_definition_questions(run: Spans, truth: Sequence[Record], form: str | None) -> list[Measure]:
    """Count questions whose first result holds the term where it is defined; several places may do that."""
    places: dict[str, list[FoundSpan]] = {}
    for record in truth:
        places.setdefault(record["qid"], []).append(_defined_at(record, form))
    right = sum(
        any(first.touches(place) for first in run.get(question, ())[:1] for place in ours)
        for question, ours in places.items()
    )
    return [Measure("definition_question_at_1", share(right, len(places)), len(places), form)]


def span_of(record: Record, form: str | None) -> FoundSpan:
    start, end = record[form or "span"]
    return FoundSpan(record["doc"], start, end)


def _defined_at(record: Record, form: str | None) -> FoundSpan:
    """Return the place of the term itself; where the truth does not say that, its unit."""
    term = f"term_{form}"
    return span_of(record, term if term in record else form)
