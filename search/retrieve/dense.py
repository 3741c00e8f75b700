"""Passages whose meaning is near a question's: by cosine distance, the nearest window of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Min, QuerySet
from django.db.models.functions import Cast
from pgvector import HalfVector
from pgvector.django import CosineDistance, HalfVectorField

from search.backends.keyword_indexes.base import Found
from search.models import Embedding, EmbeddingSpace
from search.planning import planner_settings
from search.reach import Reach
from search.retrieve.within import first_within
from tenants.scope import within_tenant

WIDE = 4  # Times the limit: among so many of all passages, enough within reach are looked for first.
WALKS = (2, 20)  # Windows that an index is asked for, times the limit: some are of one passage.
FEW = 20_000  # Passages within reach that are named one by one.
# Tuned on vectors with a decaying spectrum: of the nearest fifty, 99.8 % of 100,000 are found, in 6 ms.
WALK = {
    "hnsw.ef_search": "400",
    "hnsw.iterative_scan": "relaxed_order",
    "enable_seqscan": "off",
    "enable_sort": "off",
}


def nearest_passages(
    reach: Reach, vector: Sequence[float], *, space: EmbeddingSpace, limit: int
) -> list[Found]:
    """Return the passages within reach that are nearest to a vector, the nearest first; alike ones by id.

    The score is the cosine similarity.
    """
    windows = Embedding.objects.filter(tenant=reach.tenant_id, space=space)
    with within_tenant(reach.tenant_id):
        if space.is_indexed:
            kept, is_enough = by_walks(windows, reach, vector, space, limit)
        else:
            kept, is_cut = first_within(reach, by_scan(windows, vector, WIDE * limit), limit)
            is_enough = len(kept) >= limit or not is_cut
        return kept if is_enough else by_scan(windows.filter(passage__in=named(reach)), vector, limit)


def by_walks(
    windows: QuerySet[Embedding], reach: Reach, vector: Sequence[float], space: EmbeddingSpace, limit: int
) -> tuple[list[Found], bool]:
    """Walk the space's own index, further if need be; tell whether enough passages were found."""
    kept: list[Found] = []
    for times in WALKS:
        found = by_index(windows, vector, space, times * limit)
        kept, _ = first_within(reach, found, limit)
        if len(kept) >= limit:
            return kept, True
        if len(kept) * WALKS[-1] < len(found):
            break  # So few are within reach that a longer walk would not find enough either.
    return kept, False


def named(reach: Reach) -> QuerySet[Any] | list[UUID]:
    """Return the passages within reach: by their ids if they are few, so that nothing else is looked at."""
    few = list(reach.passages().values_list("pk", flat=True)[: FEW + 1])
    return few if len(few) <= FEW else reach.passages()


def by_scan(windows: QuerySet[Embedding], vector: Sequence[float], limit: int) -> list[Found]:
    """Look at all windows. The least distance of a group cannot come from an index, which might miss some."""
    distance = CosineDistance("vector", HalfVector(list(vector)))
    nearest = windows.order_by().values("passage_id").annotate(distance=Min(distance))
    rows = nearest.order_by("distance", "passage_id").values_list("passage_id", "distance")[:limit]
    return [Found(passage, 1 - distance) for passage, distance in rows]


def by_index(
    windows: QuerySet[Embedding], vector: Sequence[float], space: EmbeddingSpace, limit: int
) -> list[Found]:
    """Return the passages of so many windows."""
    with planner_settings(WALK):
        near = list(nearest_windows(windows, vector, space)[:limit])
    best: dict[UUID, float] = {}
    for passage, distance in near:
        best[passage] = min(distance, best.get(passage, distance))
    ranked = sorted(best.items(), key=lambda item: (item[1], item[0]))
    return [Found(passage, 1 - distance) for passage, distance in ranked]


def nearest_windows(
    windows: QuerySet[Embedding], vector: Sequence[float], space: EmbeddingSpace
) -> QuerySet[Embedding, tuple[UUID, float]]:
    """Order windows as the index of the space does: by the vector with its dimensions."""
    sized = Cast("vector", HalfVectorField(dimensions=space.dimensions))
    near = windows.annotate(distance=CosineDistance(sized, HalfVector(list(vector)))).order_by("distance")
    return near.values_list("passage_id", "distance")
