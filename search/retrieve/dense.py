"""Passages whose meaning is near a question's: by cosine distance, the nearest window of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from django.db.models import Min, QuerySet
from pgvector import HalfVector
from pgvector.django import CosineDistance

from search.backends.keyword_indexes.base import Found
from search.models import Embedding, EmbeddingSpace
from search.planning import ask_planned
from search.reach import Reach
from search.retrieve.within import first_within, times_to_look
from search.round_trips import Asking
from tenants.scope import within_tenant

WIDE = 4  # Times the limit: among so many of all passages, enough within reach are looked for first.
NEAR, FURTHER = 2, 20  # Windows that an index is asked for, times the limit: some are of one passage.
REMEMBERED = 100  # Vectors as they are spelled: a search needs its own several times.
# Tuned on vectors with a decaying spectrum: of the nearest fifty of 100,000, 99.86 % are found. Walking twice
# as far takes 3 ms more and finds 99.90 %; of a million it is 97.6 to 99.3 %
# instead of 96.1 %, as the index came out, and twice as far again 98.9 % for some 3 ms.
SHORT_WALK, LONG_WALK = "200", "800"
LARGE = 250_000  # Vectors from which the long walk is worth it.
WALK = {
    "hnsw.iterative_scan": "relaxed_order",
    "enable_seqscan": "off",
    "enable_sort": "off",
}
# As the indexes of the space have them: the vectors with their dimensions, those that are past by themselves.
NEAREST = """
    SELECT passage_id, (vector::halfvec({dimensions}) <=> %(vector)s::halfvec) AS distance
    FROM search_embedding WHERE tenant_id = %(tenant)s AND space_id = %(space)s AND {marked}
    ORDER BY distance LIMIT %(limit)s
"""
EITHER = "({current}) UNION ALL ({past}) ORDER BY distance LIMIT %(limit)s"
DISTANCES = """
    SELECT passage_id, min(vector <=> %s::halfvec) FROM search_embedding
    WHERE tenant_id = %s AND space_id = %s AND passage_id = ANY(%s) GROUP BY passage_id
"""


def nearest_passages(
    reach: Reach,
    vector: Sequence[float],
    *,
    space: EmbeddingSpace,
    limit: int,
    first: Sequence[Found] | None = None,
) -> list[Found]:
    """Return the passages within reach that are nearest to a vector, the nearest first; alike ones by id.

    The score is the cosine similarity. Whoever has looked around already says what was `first` found.
    """
    with within_tenant(reach.tenant_id):
        if reach.is_narrow:
            return look_within(reach, vector, space=space, limit=limit)
        found = look_around(reach, vector, space=space, limit=limit) if first is None else first
        kept, is_cut = first_within(reach, found, limit)
        # Where so few are within reach, a longer walk would not find enough either.
        if len(kept) < limit and space.is_indexed and len(kept) * FURTHER >= len(found):
            kept, _ = first_within(reach, by_index(reach, vector, space, FURTHER * limit), limit)
        if len(kept) >= limit or not (is_cut or space.is_indexed):
            return kept
        return look_within(reach, vector, space=space, limit=limit)


def look_within(reach: Reach, vector: Sequence[float], *, space: EmbeddingSpace, limit: int) -> list[Found]:
    """Return the nearest of the passages within reach, of which all are looked at."""
    return by_scan(windows_of(reach.tenant_id, space).filter(passage__in=reach.listed), vector, limit)


def look_around(reach: Reach, vector: Sequence[float], *, space: EmbeddingSpace, limit: int) -> list[Found]:
    """Return the nearest of all passages, some more than are wanted. In the tenant's scope.

    Where little is within reach, nothing is: all of that will be looked at.
    """
    if reach.is_narrow:
        return []
    if space.is_indexed:
        times = min(max(NEAR, times_to_look(reach, 1)), FURTHER)
        return by_index(reach, vector, space, times * limit)
    windows = windows_of(reach.tenant_id, space)
    if reach.is_head:
        windows = windows.filter(is_past=False)
    return by_scan(windows, vector, times_to_look(reach, WIDE) * limit)


def windows_of(tenant_id: UUID, space: EmbeddingSpace) -> QuerySet[Embedding]:
    return Embedding.objects.filter(tenant=tenant_id, space=space)


def by_scan(windows: QuerySet[Embedding], vector: Sequence[float], limit: int) -> list[Found]:
    """Look at all windows. The least distance of a group cannot come from an index, which might miss some."""
    distance = CosineDistance("vector", HalfVector(list(vector)))
    nearest = windows.order_by().values("passage_id").annotate(distance=Min(distance))
    rows = nearest.order_by("distance", "passage_id").values_list("passage_id", "distance")[:limit]
    return [Found(passage, 1 - distance) for passage, distance in rows]


def by_index(reach: Reach, vector: Sequence[float], space: EmbeddingSpace, limit: int) -> list[Found]:
    """Return the passages of so many windows, by the space's own indexes."""
    current, past = (
        NEAREST.format(dimensions=space.dimensions, marked=mark) for mark in ("NOT is_past", "is_past")
    )
    statement = current if reach.is_head else EITHER.format(current=current, past=past)
    asked = {"vector": spell(vector), "tenant": reach.tenant_id, "space": space.pk, "limit": limit}
    walk = WALK | {"hnsw.ef_search": SHORT_WALK if space.indexed_vectors < LARGE else LONG_WALK}
    best: dict[UUID, float] = {}
    for passage, distance in ask_planned(walk, statement, asked):
        best[passage] = min(distance, best.get(passage, distance))
    ranked = sorted(best.items(), key=lambda item: (item[1], item[0]))
    return [Found(passage, 1 - distance) for passage, distance in ranked]


def cosines_of(
    tenant_id: UUID, vector: Sequence[float], *, space: EmbeddingSpace, passages: Sequence[UUID]
) -> Asking[dict[UUID, float]]:
    """Return the scores of some passages."""
    (rows,) = yield [(DISTANCES, [spell(vector), tenant_id, space.pk, list(passages)])]
    return {passage: 1 - distance for passage, distance in rows}


def spell(vector: Sequence[float]) -> str:
    return _spell(tuple(vector))


@lru_cache(maxsize=REMEMBERED)
def _spell(vector: tuple[float, ...]) -> str:
    """Return a vector as text, with as many digits as half precision has."""
    numbers = HalfVector(list(vector)).to_list()
    return f"[{','.join(['%.5g'] * len(numbers)) % tuple(numbers)}]"
