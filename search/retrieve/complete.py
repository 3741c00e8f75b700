"""Ask each leg about what the others have found, so that every candidate has a score of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from search.backends import embedder_of, keyword_index
from search.fuse import LegScores, Weights, sum_scores
from search.reach import Reach
from search.retrieve.dense import cosines_of
from search.retrieve.legs import Legs
from search.retrieve.proximity import score_pairs
from search.round_trips import Asking, ask, together

PAIRED = 0.5  # What a pair of neighbouring words counts of the words themselves.
BEST = 50  # Candidates whose pairs are looked at, at the least: where it is decided who is shown.


def complete_scores(
    reach: Reach, legs: Legs, question: str, *, weights: Weights, languages: Sequence[str], top_k: int
) -> LegScores:
    """Return the scores of all candidates, from 0 to 1. In the tenant's scope."""
    found = list(dict.fromkeys(passage for passages in legs.ranks().values() for passage in passages))
    semantic, keyword = ask(
        together(
            likenesses(reach, legs, found),
            shares_of_words(reach, legs, question, found, languages=languages),
        )
    )
    scores = LegScores(semantic, keyword, legs.exact.passages)
    if keyword:
        summed = sum_scores(found, scores, weights=weights)
        best = sorted(summed, key=lambda one: (-one[1], one[0]))[: max(BEST, 2 * top_k)]
        pairs = ask(shares_of_pairs(legs, question, [passage for passage, _ in best]))
        keyword |= {one: min(1.0, keyword.get(one, 0.0) + share) for one, share in pairs.items()}
    return scores


def known_scores(legs: Legs) -> LegScores:
    """Return the scores that each leg has given to what it found itself, from 0 to 1."""
    return LegScores(
        count_from_floor(legs, {one.passage: one.score for one in legs.semantic}),
        share_of_best(legs, {one.passage: one.score for one in legs.keyword.found}),
        legs.exact.passages,
    )


def likenesses(reach: Reach, legs: Legs, found: Sequence[UUID]) -> Asking[dict[UUID, float]]:
    known = {one.passage: one.score for one in legs.semantic}
    missing = [passage for passage in found if passage not in known]
    if legs.space is not None and known and missing:
        known |= yield from cosines_of(reach.tenant_id, legs.vector, space=legs.space, passages=missing)
    return count_from_floor(legs, known)


def count_from_floor(legs: Legs, cosines: Mapping[UUID, float]) -> dict[UUID, float]:
    """Return cosines, counted from the one of texts that have nothing in common."""
    if legs.space is None:
        return {}
    floor = embedder_of(legs.space.provider, legs.space.model, legs.space.dimensions).floor
    return {one: min(1.0, max(0.0, (cosine - floor) / (1 - floor))) for one, cosine in cosines.items()}


def shares_of_words(
    reach: Reach, legs: Legs, question: str, found: Sequence[UUID], *, languages: Sequence[str]
) -> Asking[dict[UUID, float]]:
    known = {one.passage: one.score for one in legs.keyword.found}
    for language in languages if known else ():
        if missing := [passage for passage in found if passage not in known]:
            asked = legs.keyword.asked.get(language)
            known |= yield from keyword_index().score(
                reach.tenant_id, question, missing, language=language, asked=asked
            )
    return share_of_best(legs, known)


def share_of_best(legs: Legs, scores: Mapping[UUID, float]) -> dict[UUID, float]:
    """Return keyword scores as shares of the greatest that there could be."""
    best = legs.keyword.best_possible
    return {one: min(1.0, score / best) for one, score in scores.items()} if best > 0 else {}


def shares_of_pairs(legs: Legs, question: str, passages: Sequence[UUID]) -> Asking[dict[UUID, float]]:
    """Return what pairs of neighbouring words add to the shares of words, if the index has counted them."""
    asked = legs.keyword.asked.values()
    scored = yield from together(*(score_pairs(one, question, passages) for one in asked))
    return {
        passage: PAIRED * score / legs.keyword.best_possible
        for scores in scored
        for passage, score in scores.items()
    }
