"""Passages whose meaning is near a question's: by cosine distance, the nearest window of each."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import Min, QuerySet
from django.db.models.functions import Cast
from pgvector import HalfVector
from pgvector.django import CosineDistance, HalfVectorField

from search.backends.keyword_indexes.base import Found
from search.models import Embedding, EmbeddingSpace, Passage
from search.planning import planner_settings
from tenants.scope import tenant_scope

WINDOWS = 4  # Times the limit: several windows of one passage may be near.
WALK = {
    "hnsw.ef_search": "200",
    "hnsw.iterative_scan": "strict_order",
    "enable_seqscan": "off",
    "enable_sort": "off",
}


def nearest_passages(
    tenant_id: UUID,
    vector: Sequence[float],
    *,
    space: EmbeddingSpace,
    passages: QuerySet[Passage] | None = None,
    limit: int,
) -> list[Found]:
    """Return the passages nearest to a vector, the nearest first; alike ones in the order of their ids."""
    windows = Embedding.objects.filter(tenant=tenant_id, space=space)
    if passages is not None:
        windows = windows.filter(passage__in=passages)
    with tenant_scope(tenant_id):
        is_walked = space.is_indexed and not is_narrow(passages)
        found = by_index(windows, vector, space, limit) if is_walked else []
        return found if len(found) >= limit else by_scan(windows, vector, limit)


def is_narrow(passages: QuerySet[Passage] | None) -> bool:
    """Tell whether so few passages are asked for that an index would pass by most of what it finds."""
    most = settings.SEARCH_HNSW_FROM
    return passages is not None and passages[:most].count() < most


def by_scan(windows: QuerySet[Embedding], vector: Sequence[float], limit: int) -> list[Found]:
    """Look at all windows. The least distance of a group cannot come from an index, which might miss some."""
    distance = CosineDistance("vector", HalfVector(list(vector)))
    nearest = windows.order_by().values("passage_id").annotate(distance=Min(distance))
    rows = nearest.order_by("distance", "passage_id")[:limit]
    return [Found(row["passage_id"], 1 - row["distance"]) for row in rows]


def by_index(
    windows: QuerySet[Embedding], vector: Sequence[float], space: EmbeddingSpace, limit: int
) -> list[Found]:
    """Walk the space's own index."""
    with planner_settings(WALK):
        near = list(nearest_windows(windows, vector, space)[: WINDOWS * limit])
    best: dict[UUID, float] = {}
    for passage, distance in near:
        best[passage] = min(distance, best.get(passage, distance))
    ranked = sorted(best.items(), key=lambda item: (item[1], item[0]))[:limit]
    return [Found(passage, 1 - distance) for passage, distance in ranked]


def nearest_windows(
    windows: QuerySet[Embedding], vector: Sequence[float], space: EmbeddingSpace
) -> QuerySet[Embedding, tuple[UUID, float]]:
    """Order windows as the index of the space does: by the vector with its dimensions."""
    sized = Cast("vector", HalfVectorField(dimensions=space.dimensions))
    near = windows.annotate(distance=CosineDistance(sized, HalfVector(list(vector)))).order_by("distance")
    return near.values_list("passage_id", "distance")
