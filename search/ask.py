"""A search as somebody asks for it: what they leave open is as their collections are configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from documents.models import Collection
from documents.read_context import HEAD, ReadContext
from documents.visible import Visible, visible_versions
from search.answer import Answer, Counts
from search.errors import NoSuchCollection
from search.fuse import DEFAULT_WEIGHTS, Fusion, K, Weights
from search.models import Door
from search.pipeline import count_candidates, search
from search.record import record_query
from search.request import Filters, Mode, SearchRequest
from tenants.models import Tenant
from tenants.scope import within_tenant


def ask(
    *,
    tenant: Tenant,
    query: str,
    collections: Sequence[str] = (),
    filters: Mapping[str, Any] | None = None,
    read_context: ReadContext = HEAD,
    door: Door | None = None,
    **asked: Any,
) -> Answer:
    """Search the collections of a tenant, all of them unless some are named, at a read context.

    What came by a door is written down, without its words as a rule.
    """
    with within_tenant(tenant.pk):
        request, visible = prepare(
            tenant, query, collections=collections, filters=filters, read_context=read_context, asked=asked
        )
        answer = search(request, visible.versions, tenant=tenant, read_context=visible.describe())
        if door is not None:
            record_query(tenant=tenant, request=request, answer=answer, door=door)
    return answer


def count(
    *,
    tenant: Tenant,
    query: str,
    collections: Sequence[str] = (),
    filters: Mapping[str, Any] | None = None,
    read_context: ReadContext = HEAD,
    **asked: Any,
) -> Counts:
    """Return the facets of the same search by `ask`, without its results."""
    with within_tenant(tenant.pk):
        request, visible = prepare(
            tenant, query, collections=collections, filters=filters, read_context=read_context, asked=asked
        )
        return count_candidates(request, visible.versions, tenant=tenant)


def prepare(
    tenant: Tenant,
    query: str,
    *,
    collections: Sequence[str],
    filters: Mapping[str, Any] | None,
    read_context: ReadContext,
    asked: Mapping[str, Any],
) -> tuple[SearchRequest, Visible]:
    """Return what is searched for, and in what."""
    chosen = find_collections(tenant, collections)
    request = request_of(query, chosen, filters or {}, asked)
    own = chosen if collections else None
    return request, visible_versions(tenant=tenant, context=read_context, collections=own)


def find_collections(tenant: Tenant, names: Sequence[str]) -> list[Collection]:
    """Return the collections that are named, or all; a name that is not there is refused."""
    own = Collection.objects.for_tenant(tenant)
    if not names:
        return list(own)
    found = {collection.name: collection for collection in own.filter(name__in=names)}
    for name in names:
        if name not in found:
            raise NoSuchCollection(_("There is no collection “%(name)s”.") % {"name": name})
    return list(found.values())


def request_of(
    query: str, collections: Sequence[Collection], filters: Mapping[str, Any], asked: Mapping[str, Any]
) -> SearchRequest:
    """Fill in what was not asked for from the collections, if they agree on it."""
    return SearchRequest(
        query=query,
        top_k=asked.get("top_k") or common(collections, "top_k", 10),
        min_score=asked["min_score"] if "min_score" in asked else common(collections, "min_score", None),
        mode=Mode(asked.get("mode") or common(collections, "search_mode", Mode.HYBRID)),
        filters=Filters(**{name: _frozen(value) for name, value in filters.items()}),
        weights=weights_of(collections),
        fusion=Fusion(asked.get("fusion") or common(collections, "fusion", Fusion.SCORES)),
        rrf_k=common(collections, "rrf_k", K),
        is_reranked=asked.get("rerank", common(collections, "enable_reranking", False)),
        is_explained=asked.get("explain", False),
        has_facets=asked.get("facets", False),
        has_parents=asked.get("parents", False),
        neighbours=asked.get("neighbours", 0),
        per_document=asked.get("per_document"),
    )


def weights_of(collections: Sequence[Collection]) -> Weights:
    return Weights(
        semantic=common(collections, "semantic_weight", DEFAULT_WEIGHTS.semantic),
        keyword=common(collections, "keyword_weight", DEFAULT_WEIGHTS.keyword),
        exact=common(collections, "exact_weight", DEFAULT_WEIGHTS.exact),
    )


def common(collections: Sequence[Collection], name: str, default: Any) -> Any:
    """Return the setting that all collections share; the usual one if they differ."""
    values = {getattr(collection, name) for collection in collections}
    return values.pop() if len(values) == 1 else default


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
