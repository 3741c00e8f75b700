"""Hold answers to golden queries against what they must find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from documents.models import Collection, Section
from search.answer import Answer, Hit
from search.evaluation.golden import Expectation, GoldenQuery, Kind
from search.evaluation.ranking import CUT, Grades, hit, ndcg, recall, reciprocal_rank
from search.evaluation.scratch import read_versions
from search.evaluation.spans import FoundSpan
from tenants.scope import tenant_scope

Figures = dict[str, float]
PASS_AT = (1, 5, 10, 20)


class Judge:
    """Knows where the expected units of a collection stand."""

    def __init__(self, collection: Collection, queries: Iterable[GoldenQuery]) -> None:
        self.queries = list(queries)
        self._spans = _spans(collection, [one for query in self.queries for one in query.expect])

    def lost(self) -> list[str]:
        """Say which expected units are not there."""
        return [
            f"Query {query.id}: {one.document} has no section {one.section!r}."
            for query in self.queries
            for one in query.expect
            if one.section and one not in self._spans
        ]

    def is_met(self, one: Expectation, hit: Hit) -> bool:
        """Tell whether a result is of the expected unit, or has the expected words."""
        if one.text:
            return hit.document_name == one.document and fold(one.text) in fold(hit.content)
        return one in self._spans and self._spans[one].touches(FoundSpan(hit.document_name, *hit.span))

    def ranked(self, query: GoldenQuery, hits: Sequence[Hit]) -> list[str]:
        """Return a name per result: that of what it is the first to meet, or one that means nothing."""
        left, names = dict(enumerate(query.expect)), list[str]()
        for place, found in enumerate(hits):
            met = [index for index, one in left.items() if self.is_met(one, found)]
            left = {index: one for index, one in left.items() if index not in met}
            names += map(str, met) if met else [f"#{place}"]
        return names

    def is_exact(self, query: GoldenQuery, answer: Answer) -> bool:
        """Tell whether the first result is the cited unit itself."""
        first = [FoundSpan(hit.document_name, *hit.span) for hit in answer.hits[:1]]
        return any(
            span.is_same_unit(self._spans[one])
            for span in first
            for one in query.expect
            if one in self._spans
        )

    def figures(self, answers: Mapping[str, Answer]) -> Figures:
        """Return the averages over the queries that were answered, each over those that it is about."""
        asked = [query for query in self.queries if query.id in answers]
        found = [query for query in asked if not query.is_none]
        cited = [query for query in found if query.kind == Kind.CITATION]
        grades: dict[str, Grades] = {query.id: _grades(query) for query in found}
        ranked = {query.id: self.ranked(query, answers[query.id].hits) for query in found}
        pairs = [(grades[query.id], ranked[query.id]) for query in found]
        figures = figures_of_ranking(pairs)
        figures |= average_of("exact_at_1", [self.is_exact(query, answers[query.id]) for query in cited])
        figures |= average_of("refused", [is_refused(one, answers[one.id]) for one in asked if one.is_none])
        for kind in Kind:
            passed = [hit(grades[one.id], ranked[one.id], 1) for one in found if one.kind == kind]
            figures |= average_of(f"pass_at_1_{kind}", passed)
        return figures


def figures_of_ranking(pairs: Sequence[tuple[Grades, Sequence[str]]]) -> Figures:
    """Return nDCG, reciprocal rank, recall and the share of questions with anything relevant at all."""
    figures = average_of(f"ndcg_at_{CUT}", [ndcg(*pair) for pair in pairs])
    figures |= average_of(f"mrr_at_{CUT}", [reciprocal_rank(*pair) for pair in pairs])
    for k in PASS_AT:
        figures |= average_of(f"recall_at_{k}", [recall(*pair, k) for pair in pairs])
    for k in PASS_AT:
        figures |= average_of(f"pass_at_{k}", [hit(*pair, k) for pair in pairs])
    return figures


def average_of(name: str, values: Sequence[float]) -> Figures:
    return {name: sum(values) / len(values)} if values else {}


def _grades(query: GoldenQuery) -> Grades:
    return {str(index): 1.0 for index in range(len(query.expect))}


def is_refused(query: GoldenQuery, answer: Answer) -> bool:
    """Tell whether an answer claims nothing: no exact match, and of a citation that it leads nowhere."""
    has_exact = any(found.exact_match for found in answer.hits)
    return not has_exact and (query.kind != Kind.CITATION or bool(answer.not_found))


def fold(words: str) -> str:
    return " ".join(words.casefold().split())


def _spans(collection: Collection, expected: Iterable[Expectation]) -> dict[Expectation, FoundSpan]:
    wanted = {(one.document, one.section): one for one in expected if one.section}
    names, labels = {name for name, _ in wanted}, {label for _, label in wanted}
    with tenant_scope(collection.tenant_id):
        sections = Section.objects.filter(
            version__in=read_versions(collection).values("pk"),
            version__document__name__in=names,
            label__in=labels,
        )
        rows = list(sections.values_list("version__document__name", "label", "start", "end"))
    return {
        wanted[name, label]: FoundSpan(name, start, end)
        for name, label, start, end in rows
        if (name, label) in wanted
    }
