"""From a query to results: understand → retrieve → fuse → rerank → cite.

Everything is looked for inside the versions that may be read; filters only narrow them. Each way of looking
may fail by itself: the others answer, and the answer says which one is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from opentelemetry.trace import Span

from documents.models import VersionQuerySet
from search import backends
from search.answer import Answer, Hit
from search.backends.keyword_indexes.rows import clean
from search.choose import choose_results
from search.cite import cite_found
from search.confide import judge_confidence
from search.errors import QueryRefused
from search.explain import explain_search
from search.facets import count_facets
from search.fuse import Fused, Fusion, fuse_ranks, fuse_scores
from search.language import languages_of
from search.reach import Reach, reach_of
from search.request import MOST_CHARACTERS, SearchRequest
from search.retrieve.complete import complete_scores
from search.retrieve.legs import Legs, retrieve_passages
from search.stages import Stages, tracer
from search.suggest import suggest_query, unknown_words
from search.surround import surround_hits
from search.understand.query import QueryKind, Understood, understand_query
from search.units import Units, find_units
from tenants.models import Tenant
from tenants.scope import tenant_scope

HEAD: Mapping[str, Any] = {"selector": "head"}


def search(
    request: SearchRequest,
    versions: VersionQuerySet,
    *,
    tenant: Tenant,
    read_context: Mapping[str, Any] = HEAD,
) -> Answer:
    """Return the passages and units of some versions that answer a query best."""
    query = require_query(request.query)
    stages = Stages()
    with tenant_scope(tenant.pk), tracer.start_as_current_span("pandect.search") as span:
        reach = reach_of(tenant, versions, request.filters)
        with stages.timed("understand"):
            understood = understand_query(query)
            languages = languages_of(tenant.pk)
        units = look_up(understood, versions, request, stages)
        legs = Legs()
        if is_more_wanted(understood, units):
            legs = retrieve_passages(understood, reach, request, languages=languages, stages=stages)
        ranking = fuse_legs(legs, understood, reach, request, languages=languages, stages=stages)
        rerank_scores: Mapping[UUID, float] = {}
        with stages.timed("cite"):
            chosen = choose_results(units.found, ranking, legs, reach, request, rerank_scores=rerank_scores)
            cited = cite_found(chosen.found, tenant_id=tenant.pk, read_context=read_context)
            hits = surround_hits(cited, understood, versions, request)
            facets = count_facets(chosen.candidates) if request.has_facets else {}
        suggestion = stages.attempt(
            "suggest", lambda: suggest(understood, legs, versions, tenant, languages), instead=None
        )
        explanation = explain_search(understood, legs, request, languages) if request.is_explained else None
        describe_span(span, request, hits)
        return Answer(
            hits=hits,
            not_found=units.missing,
            suggestion=suggestion,
            confidence=judge_confidence(chosen.found, legs),
            degraded=stages.degraded,
            facets=facets,
            facets_of=len(chosen.candidates) if request.has_facets else 0,
            read_context=read_context,
            took_ms=stages.milliseconds(),
            explanation=explanation,
        )


def require_query(query: str) -> str:
    """Return a query that can be searched for."""
    query = clean(query).strip()
    if not query:
        raise QueryRefused("The query is blank. Ask with at least one word.")
    if len(query) > MOST_CHARACTERS:
        raise QueryRefused(f"The query is longer than {MOST_CHARACTERS:,} characters. Shorten it.")
    return query


def look_up(
    understood: Understood, versions: VersionQuerySet, request: SearchRequest, stages: Stages
) -> Units:
    """Find what the query names: units, and what defines a term."""
    is_named = bool(understood.cited) or understood.definition is not None
    if "exact" not in request.mode.legs or not is_named:
        return Units()
    return stages.attempt("units", lambda: find_units(understood, versions), instead=Units())


def is_more_wanted(understood: Understood, units: Units) -> bool:
    """Tell whether passages help: not those who ask for a place that is not there, or what refers to one."""
    if understood.kind == QueryKind.CITING:
        return False
    return not (understood.kind == QueryKind.CITATION and units.missing and not units.found)


def fuse_legs(
    legs: Legs,
    understood: Understood,
    reach: Reach,
    request: SearchRequest,
    *,
    languages: Sequence[str],
    stages: Stages,
) -> list[Fused]:
    """Make one ranking of all legs: by their scores, or by ranks if that is asked for or scores fail."""
    ranks, first = legs.ranks(), legs.exact.whole
    by_ranks = fuse_ranks(ranks, weights=request.weights, k=request.rrf_k, first=first)
    if request.fusion == Fusion.RRF or not by_ranks:
        return by_ranks

    def by_scores() -> list[Fused]:
        scores = complete_scores(reach, legs, understood.text, languages=languages)
        return fuse_scores(ranks, scores, weights=request.weights, first=first)

    return stages.attempt("fuse", by_scores, instead=by_ranks)


def suggest(
    understood: Understood, legs: Legs, versions: VersionQuerySet, tenant: Tenant, languages: Sequence[str]
) -> str | None:
    """Return the query with words that no passage has replaced by near ones that some have."""
    if not legs.keyword.unknown_words or not languages:
        return None
    unknown = unknown_words(tenant.pk, understood.text, languages=languages)
    return suggest_query(
        tenant.pk, understood.query, unknown=unknown, language=languages[0], versions=versions
    )


def describe_span(span: Span, request: SearchRequest, hits: Sequence[Hit]) -> None:
    """Say what was done, and never what was asked."""
    span.set_attributes(
        {
            "search.mode": request.mode,
            "search.strategy": request.fusion,
            "search.provider": backends.keyword_index().name,
            "search.top_k": request.top_k,
            "search.query_length": len(request.query),
            "search.result_count": len(hits),
            "search.exact_match_count": sum(hit.exact_match for hit in hits),
        }
    )
