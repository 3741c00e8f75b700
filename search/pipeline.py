"""From a query to results: understand → retrieve → fuse → rerank → cite.

Everything is looked for inside the versions that may be read; filters only narrow them. Each way of looking
may fail by itself: the others answer, and the answer says which one is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone
from opentelemetry.trace import Span

from definitions.readable import Readable
from documents.models import VersionQuerySet
from search import backends
from search.answer import Answer, Counts
from search.backends.keyword_indexes.rows import clean
from search.choose import choose_results, find_candidates
from search.cite import cite_found
from search.confide import judge_confidence
from search.errors import QueryRefused
from search.explain import explain_search
from search.facets import count_facets
from search.fuse import Fused, Fusion, LegScores, fuse_ranks, fuse_scores
from search.language import read_languages
from search.lift import lift_neighbours
from search.load import load_passages
from search.models import EmbeddingSpace, Passage
from search.planning import planner_settings
from search.plans import HELD, kept_plans
from search.reach import Reach, reach_of
from search.request import MOST_CHARACTERS, SearchRequest
from search.rerank import DEPTH, Reranked, purse_for, rerank_passages
from search.retrieve.complete import complete_scores, known_scores
from search.retrieve.legs import Legs, retrieve_passages
from search.round_trips import ask, together
from search.spaces import read_active_space
from search.stages import LIMITED, Stages, tracer
from search.suggest import suggest_query, unknown_words
from search.surround import surround_hits
from search.understand.query import QueryKind, Understood, understand_query
from search.units import Units, find_units
from tenants.models import Tenant
from tenants.scope import within_tenant

HEAD: Mapping[str, Any] = {"selector": "head"}


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A search on its way: what was asked, how it was understood, and what may be found."""

    request: SearchRequest
    tenant: Tenant
    versions: VersionQuerySet
    reach: Reach
    understood: Understood
    languages: Sequence[str]
    space: EmbeddingSpace | None  # Whose vectors are compared; without one, no passage has any.
    stages: Stages


def search(
    request: SearchRequest,
    versions: VersionQuerySet,
    *,
    tenant: Tenant,
    read_context: Mapping[str, Any] = HEAD,
) -> Answer:
    """Return the passages and units of some versions that answer a query best."""
    query = require_query(request.query)
    read_at = timezone.now()
    with opened(tenant) as span:
        inquiry, units, legs = find(query, request, versions, tenant)
        fused, scores = fuse(inquiry, legs)
        ranking, rerank_scores = rerank(inquiry, fused)
        with inquiry.stages.timed("cite"):
            chosen = choose_results(
                units.found, ranking, legs, inquiry.reach, request, rerank_scores=rerank_scores
            )
            cited = cite_found(chosen.found, tenant=tenant, read_context=read_context)
            hits = surround_hits(cited, inquiry.understood, readable_of(inquiry), request)
        answer = Answer(
            hits=hits,
            not_found=units.missing,
            suggestion=suggest(inquiry, legs),
            confidence=judge_confidence(chosen.found, scores, inquiry.understood.kind),
            degraded=inquiry.stages.degraded,
            facets=count_facets(chosen.candidates) if request.has_facets else {},
            facets_of=len(chosen.candidates) if request.has_facets else 0,
            read_context=read_context,
            read_at=read_at,
            took_ms=inquiry.stages.milliseconds(),
            explanation=explain_search(inquiry.understood, legs, request, inquiry.languages)
            if request.is_explained
            else None,
        )
        describe_span(span, request, answer)
        return answer


def count_candidates(request: SearchRequest, versions: VersionQuerySet, *, tenant: Tenant) -> Counts:
    """Count what a search chooses from. That needs no order, so nothing is fused, reranked or cited."""
    query = require_query(request.query)
    with opened(tenant):
        inquiry, units, legs = find(query, request, versions, tenant)
        passages = [passage for found in legs.ranks().values() for passage in found]
        candidates = find_candidates(units.found, passages, inquiry.reach)
        return Counts(count_facets(candidates), len(candidates))


def find(
    query: str, request: SearchRequest, versions: VersionQuerySet, tenant: Tenant
) -> tuple[Inquiry, Units, Legs]:
    """Understand a query, and look in every way for what may answer it."""
    inquiry = understand(query, request, versions, tenant)
    units = look_up(inquiry)
    return inquiry, units, retrieve(inquiry) if is_more_wanted(inquiry, units) else Legs()


def require_query(query: str) -> str:
    """Return a query that can be searched for."""
    query = clean(query).strip()
    if not query:
        raise QueryRefused("The query is blank. Ask with at least one word.")
    if len(query) > MOST_CHARACTERS:
        raise QueryRefused(f"The query is longer than {MOST_CHARACTERS:,} characters. Shorten it.")
    return query


@contextmanager
def opened(tenant: Tenant) -> Iterator[Span]:
    """Be in the tenant's scope, in a span, with no statement that takes too long."""
    is_last = not connection.in_atomic_block
    with (
        within_tenant(tenant.pk),
        planner_settings(LIMITED, also=HELD, is_last=is_last) as held,
        kept_plans(held),
        tracer.start_as_current_span("pandect.search") as span,
    ):
        yield span


def understand(query: str, request: SearchRequest, versions: VersionQuerySet, tenant: Tenant) -> Inquiry:
    stages = Stages()
    with stages.timed("understand"):
        reach = reach_of(tenant, versions, request.filters)
        understood = understand_query(query)
        languages, space, _ = ask(
            together(read_languages(tenant.pk), read_active_space(tenant.pk), stages.mark())
        )
    return Inquiry(request, tenant, versions, reach, understood, languages, space, stages)


def readable_of(inquiry: Inquiry) -> Readable:
    """Return what may be read around results: a filter of documents is none of what they refer to."""
    is_narrowed = inquiry.request.filters.speak_of_versions
    return Readable.of(inquiry.versions) if is_narrowed else inquiry.reach.readable


def look_up(inquiry: Inquiry) -> Units:
    """Find what the query names: units, and what defines a term."""
    understood = inquiry.understood
    is_named = bool(understood.cited) or understood.definition is not None
    if "exact" not in inquiry.request.legs or not is_named:
        return Units()
    return inquiry.stages.attempt("units", lambda: find_units(understood, inquiry.versions), instead=Units())


def is_more_wanted(inquiry: Inquiry, units: Units) -> bool:
    """Tell whether passages help: not those who ask for a place that is not there, or what refers to one."""
    kind = inquiry.understood.kind
    is_vain = units.is_all and bool(units.missing) and not units.found
    return kind != QueryKind.CITING and not is_vain


def retrieve(inquiry: Inquiry) -> Legs:
    return retrieve_passages(
        inquiry.understood,
        inquiry.reach,
        inquiry.request,
        languages=inquiry.languages,
        space=inquiry.space,
        stages=inquiry.stages,
    )


def fuse(inquiry: Inquiry, legs: Legs) -> tuple[list[Fused], LegScores]:
    """Make one ranking of all legs: by their scores, or by ranks if that is asked for or scores fail."""
    ranks, first, request = legs.ranks(), legs.exact.whole, inquiry.request

    def by_scores() -> tuple[list[Fused], LegScores] | None:
        scores = complete_scores(
            inquiry.reach,
            legs,
            inquiry.understood.text,
            weights=request.weights,
            languages=inquiry.languages,
            top_k=request.top_k,
        )
        fused = fuse_scores(ranks, scores, weights=request.weights, first=first)
        return lift(inquiry, fused), scores

    if request.fusion == Fusion.SCORES and any(ranks.values()):
        fused = inquiry.stages.attempt("fuse", by_scores, instead=None)
        if fused is not None:
            return fused
    by_ranks = fuse_ranks(ranks, weights=request.weights, k=request.rrf_k, first=first)
    return by_ranks, known_scores(legs)


def lift(inquiry: Inquiry, ranking: list[Fused]) -> list[Fused]:
    """Lift what stands beside better passages; what one leg alone has found is shown as it ranks it."""
    if not inquiry.request.legs >= {"semantic", "keyword"}:
        return ranking
    placed = inquiry.reach.keep([one.passage for one in ranking])
    places = {passage: (one.version, one.position) for passage, one in placed.items()}
    return lift_neighbours(ranking, places)


def rerank(inquiry: Inquiry, ranking: list[Fused]) -> tuple[list[Fused], Mapping[UUID, float]]:
    """Have the best put in order once more, if that is asked for and somebody can; exact ones stay first."""
    if not inquiry.request.is_reranked or not ranking:
        return ranking, {}
    reranker = backends.reranker()
    if reranker is None:
        inquiry.stages.degraded["rerank"] = "No reranker is declared. Set PANDECT_RERANKER."
        return ranking, {}
    exact = [one for one in ranking if one.is_exact]
    rest = {one.passage: one for one in ranking if not one.is_exact}

    def put_in_order() -> Reranked:
        passages = ask(load_passages(list(rest)[:DEPTH]))
        shown = [(one, words_of_passage(passages.get(one))) for one in rest]
        purse = purse_for(reranker, inquiry.tenant.pk)
        return rerank_passages(reranker, inquiry.understood.text, shown, purse=purse)

    reranked = inquiry.stages.attempt("rerank", put_in_order, instead=Reranked(list(rest)), is_writing=True)
    return [*exact, *(rest[passage] for passage in reranked.order)], reranked.scores


def words_of_passage(passage: Passage | None) -> str:
    return "" if passage is None else f"{passage.context}\n\n{passage.text}".strip()


def suggest(inquiry: Inquiry, legs: Legs) -> str | None:
    """Return the query with words that no passage has replaced by near ones that some have."""
    if not legs.keyword.unknown_words:
        return None
    tenant_id, understood, languages = inquiry.tenant.pk, inquiry.understood, inquiry.languages

    def find() -> str | None:
        unknown = unknown_words(tenant_id, understood.text, languages=languages)
        suggested = (
            suggest_query(
                tenant_id, understood.query, unknown=unknown, language=language, versions=inquiry.versions
            )
            for language in languages
        )
        return next(filter(None, suggested), None)

    return inquiry.stages.attempt("suggest", find, instead=None)


def describe_span(span: Span, request: SearchRequest, answer: Answer) -> None:
    """Say what was done, and never what was asked."""
    span.set_attributes(
        {
            "search.mode": request.mode,
            "search.strategy": request.fusion,
            "search.provider": backends.keyword_index().name,
            "search.top_k": request.top_k,
            "search.query_length": len(request.query),
            "search.result_count": len(answer.hits),
            "search.exact_match_count": sum(hit.exact_match for hit in answer.hits),
        }
    )
