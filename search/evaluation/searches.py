"""Score the searches of a set: citations, definition questions, rankings and spans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from documents.models import Collection
from search.answer import Answer, Hit
from search.evaluation.ask import Asker, Way
from search.evaluation.lookups import (
    FIRST,
    Reply,
    measure_definition_questions,
    measure_lookups,
    measure_refusals,
)
from search.evaluation.measures import Measure, Record
from search.evaluation.ranking import Judgements, measure_ranking
from search.evaluation.scratch import read_versions, stem
from search.evaluation.spans import MANY, FoundSpan, measure_spans
from search.evaluation.units import GivenDocument
from search.models import Placement
from search.request import Mode
from tenants.scope import tenant_scope

LEGS = {"": Mode.HYBRID, "_dense": Mode.SEMANTIC, "_keyword": Mode.KEYWORD}


def score_lookups(
    asker: Asker, questions: Sequence[Record], truth: Sequence[Record], form: str
) -> list[Measure]:
    asked = asker.limited(questions)
    run = {
        question: [span_of_hit(hit, stem(hit.document_name)) for hit in answer.hits]
        for question, answer in asker.ask_all(asked, Way(top_k=FIRST))
    }
    return measure_lookups(run, _asked_for(truth, asked), form)


def score_refusals(asker: Asker, questions: Sequence[Record], form: str) -> list[Measure]:
    replies = {question: reply_of(answer) for question, answer in asker.ask_all(questions, Way(top_k=FIRST))}
    return measure_refusals(replies, form)


def reply_of(answer: Answer) -> Reply:
    has_exact = any(hit.exact_match for hit in answer.hits)
    return Reply(is_missing=bool(answer.not_found), has_exact=has_exact)


def score_definition_questions(
    asker: Asker, questions: Sequence[Record], truth: Sequence[Record], form: str
) -> list[Measure]:
    asked = asker.limited(questions)
    run = {
        question: [span_of_hit(hit, stem(hit.document_name)) for hit in answer.hits]
        for question, answer in asker.ask_all(asked, Way(top_k=FIRST))
    }
    return measure_definition_questions(run, _asked_for(truth, asked), form)


def score_spans(asker: Asker, questions: Sequence[Record], truth: Sequence[Record]) -> list[Measure]:
    """Documents are known by their whole paths here."""
    asked = asker.limited(questions)
    run = {
        question: [span_of_hit(hit, hit.document_name) for hit in answer.hits]
        for question, answer in asker.ask_all(asked, Way(top_k=MANY))
    }
    spans: dict[str, list[FoundSpan]] = defaultdict(list)
    for record in _asked_for(truth, asked):
        spans[record["qid"]].append(FoundSpan(record["doc"], *record["span"]))
    return measure_spans(spans, run)


def score_rankings(
    asker: Asker, questions: Sequence[Record], truth: Judgements, units: UnitNames
) -> Iterable[Measure]:
    """Score the whole search and each of its two large legs."""
    asked = asker.limited(questions)
    ours = {str(question["qid"]) for question in asked}
    judged = {question: grades for question, grades in truth.items() if question in ours}
    for suffix, mode in LEGS.items():
        answers = asker.ask_all(asked, Way(mode=mode))
        run = {question: units.ranked(answer.hits) for question, answer in answers}
        yield from measure_ranking(judged, run, suffix=suffix)


Place = tuple[str, int]  # The name of a document, and the position of a chunk in it.


class UnitNames:
    """Which given unit each chunk is. A result stands for all units that are indexed as the same passage."""

    def __init__(self, ids: Mapping[Place, str], passages: Mapping[Place, UUID]) -> None:
        self._ids = ids
        self._passages = passages
        self._twins: dict[UUID, list[str]] = defaultdict(list)
        for place, id_ in ids.items():
            self._twins[passages[place]].append(id_)

    def ranked(self, hits: Iterable[Hit]) -> list[str]:
        """Return units in the order of the results, each once; what says the same follows at once."""
        places = [(hit.document_name, hit.position) for hit in hits]
        found = (one for place in places for one in (self._ids[place], *self._twins[self._passages[place]]))
        return list(dict.fromkeys(found))


def name_units(collection: Collection, documents: Iterable[GivenDocument]) -> UnitNames:
    """Find the chunks of given units again, by the names of documents and the order of the units."""
    ids = {
        (document.name, position): unit.id
        for document in documents
        for position, unit in enumerate(unit for unit in document.units if unit.text.strip())
    }
    with tenant_scope(collection.tenant_id):
        placements = Placement.objects.filter(version__in=read_versions(collection).values("pk")).order_by()
        rows = placements.values_list("version__document__name", "position", "passage_id")
        passages = {(name, position): passage for name, position, passage in rows}
    return UnitNames(ids, passages)


def _asked_for(truth: Sequence[Record], asked: Sequence[Record]) -> list[Record]:
    ours = {question["qid"] for question in asked}
    return [record for record in truth if record["qid"] in ours]


def span_of_hit(hit: Hit, document: str) -> FoundSpan:
    return FoundSpan(document, *hit.span)
