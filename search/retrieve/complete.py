"""Ask each leg about what the others have found, so that every candidate has a score of each."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from search.backends import embedder_of, keyword_index
from search.fuse import LegScores
from search.models import Embedding, Passage
from search.reach import Reach
from search.retrieve.dense import by_scan
from search.retrieve.legs import Legs
from search.retrieve.proximity import score_pairs

PAIRED = 0.5  # What a pair of neighbouring words counts of the words themselves.


def complete_scores(reach: Reach, legs: Legs, question: str, *, languages: Sequence[str]) -> LegScores:
    """Return the scores of all candidates, from 0 to 1. In the tenant's scope."""
    found = list(dict.fromkeys(passage for passages in legs.ranks().values() for passage in passages))
    return LegScores(
        semantic=likenesses(reach, legs, found),
        keyword=shares_of_words(reach, legs, question, found, languages=languages),
        exact=legs.exact.passages,
    )


def likenesses(reach: Reach, legs: Legs, found: Sequence[UUID]) -> dict[UUID, float]:
    """Return cosines, counted from the one of texts that have nothing in common."""
    if not legs.semantic or legs.space is None:
        return {}
    known = {one.passage: one.score for one in legs.semantic}
    if missing := [passage for passage in found if passage not in known]:
        windows = Embedding.objects.filter(tenant=reach.tenant_id, space=legs.space, passage__in=missing)
        known |= {one.passage: one.score for one in by_scan(windows, legs.vector, len(missing))}
    floor = embedder_of(legs.space.provider, legs.space.model, legs.space.dimensions).floor
    return {passage: min(1.0, max(0.0, (cosine - floor) / (1 - floor))) for passage, cosine in known.items()}


def shares_of_words(
    reach: Reach, legs: Legs, question: str, found: Sequence[UUID], *, languages: Sequence[str]
) -> dict[UUID, float]:
    """Return keyword scores as shares of the greatest that there could be."""
    best = legs.keyword.best_possible
    if not legs.keyword.found or best <= 0:
        return {}
    known = {one.passage: one.score for one in legs.keyword.found}
    index = keyword_index()
    for language in languages:
        if missing := [passage for passage in found if passage not in known]:
            rows = Passage.objects.filter(tenant=reach.tenant_id, pk__in=missing)
            more = index.find(reach.tenant_id, question, language=language, limit=len(missing), passages=rows)
            known |= {one.passage: one.score for one in more.found}
        if index.is_bm25:
            pairs = score_pairs(reach.tenant_id, question, language=language, passages=found)
            known |= {one: known.get(one, 0.0) + PAIRED * score for one, score in pairs.items()}
    return {passage: min(1.0, score / best) for passage, score in known.items()}
