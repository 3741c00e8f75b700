"""A search as somebody asks for it: what they leave open is as their collections are configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from documents.models import Collection, Version, VersionQuerySet
from search.answer import Answer
from search.errors import NoSuchCollection
from search.fuse import DEFAULT_WEIGHTS, Fusion, K, Weights
from search.pipeline import HEAD, search
from search.request import Filters, Mode, SearchRequest
from tenants.models import Tenant
from tenants.scope import tenant_scope


def ask(
    *,
    tenant: Tenant,
    query: str,
    collections: Sequence[str] = (),
    filters: Mapping[str, Any] | None = None,
    read_context: Mapping[str, Any] = HEAD,
    **asked: Any,
) -> Answer:
    """Search the collections of a tenant, all of them unless some are named."""
    with tenant_scope(tenant.pk):
        chosen = find_collections(tenant, collections)
        request = request_of(query, chosen, filters or {}, asked)
        return search(
            request, versions_of(tenant, chosen, collections), tenant=tenant, read_context=read_context
        )


def find_collections(tenant: Tenant, names: Sequence[str]) -> list[Collection]:
    """Return the collections that are named, or all; a name that is not there is refused."""
    own = Collection.objects.for_tenant(tenant)
    if not names:
        return list(own)
    found = {collection.name: collection for collection in own.filter(name__in=names)}
    for name in names:
        if name not in found:
            raise NoSuchCollection(f"There is no collection “{name}”.")
    return list(found.values())


def versions_of(tenant: Tenant, chosen: Sequence[Collection], names: Sequence[str]) -> VersionQuerySet:
    """Return what may be read: what documents say now."""
    head = Version.objects.for_tenant(tenant).head()
    return head.filter(document__collection__in=[one.pk for one in chosen]) if names else head


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
