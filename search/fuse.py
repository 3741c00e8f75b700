"""Make one ranking of several, exact matches first: by what each leg scored, or by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

K = 60  # Damps the head of each list (Cormack et al. 2009).
# Even a passage that answers a question has a third or so of the weight of its words: such shares spread less
# than likenesses do. At the default weights a keyword score so counts 1.6 times as much as a semantic one of
# the same size, as measured (see DESIGN.md).
STRETCH = 8 / 3


class Fusion(StrEnum):
    SCORES = "scores"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Weights:
    """What a place in each list counts."""

    semantic: float = 0.5
    keyword: float = 0.3
    exact: float = 0.2

    def of(self, leg: str) -> float:
        return float(getattr(self, leg))


DEFAULT_WEIGHTS = Weights()


class Fused(NamedTuple):
    """A passage in the one ranking, and where it stood in the others, from 1 on."""

    passage: UUID
    score: float  # From 0 to 1, which nothing could be better than.
    ranks: Mapping[str, int]
    is_exact: bool = False


def fuse_ranks(
    legs: Mapping[str, Sequence[UUID]],
    *,
    weights: Weights = DEFAULT_WEIGHTS,
    k: int = K,
    first: Collection[UUID] = frozenset(),
) -> list[Fused]:
    """Return all passages of the lists, those in `first` before the others; alike ones by their ids."""
    whole = sum(weights.of(leg) for leg, passages in legs.items() if passages)
    fused = (
        Fused(passage, _score(places, weights, k, whole), places, passage in first)
        for passage, places in _places(legs).items()
    )
    return in_order(fused)


def _places(legs: Mapping[str, Sequence[UUID]]) -> dict[UUID, dict[str, int]]:
    """Return the rank of each passage in the lists that it is in."""
    places: dict[UUID, dict[str, int]] = {}
    for leg, passages in legs.items():
        for rank, passage in enumerate(passages, start=1):
            places.setdefault(passage, {}).setdefault(leg, rank)
    return places


def in_order(fused: Iterable[Fused]) -> list[Fused]:
    """Put exact matches first, then better ones; alike ones by their ids."""
    return sorted(fused, key=lambda one: (not one.is_exact, -one.score, one.passage))


def _score(places: Mapping[str, int], weights: Weights, k: int, whole: float) -> float:
    """Return the share of the greatest sum that a passage could have."""
    if not whole:
        return 0.0
    return sum(weights.of(leg) * (k + 1) / (k + rank) for leg, rank in places.items()) / whole


@dataclass(frozen=True, slots=True)
class LegScores:
    """What each leg thinks of the same passages, from 0 to 1; a leg that says nothing has no say."""

    semantic: Mapping[UUID, float] = field(default_factory=dict)
    keyword: Mapping[UUID, float] = field(default_factory=dict)
    exact: Collection[UUID] = frozenset()


def fuse_scores(
    legs: Mapping[str, Sequence[UUID]],
    scores: LegScores,
    *,
    weights: Weights = DEFAULT_WEIGHTS,
    first: Collection[UUID] = frozenset(),
) -> list[Fused]:
    """Return all passages of the lists by the weighted sum of their scores, in the order of `fuse_ranks`."""
    places = _places(legs)
    fused = (
        Fused(passage, score, places[passage], passage in first)
        for passage, score in sum_scores(places, scores, weights=weights)
    )
    return in_order(fused)


def sum_scores(
    passages: Iterable[UUID], scores: LegScores, *, weights: Weights = DEFAULT_WEIGHTS
) -> list[tuple[UUID, float]]:
    """Return each passage with the weighted sum of its scores, as a share of the greatest there could be."""
    parts = (
        (weights.semantic, scores.semantic),
        (weights.keyword * STRETCH, scores.keyword),
        (weights.exact, dict.fromkeys(scores.exact, 1.0)),
    )
    spoken = [(weight, said.get) for weight, said in parts if said]
    whole = sum(weight for weight, _ in spoken) or 1.0
    return [
        (passage, sum([weight * score_of(passage, 0.0) for weight, score_of in spoken]) / whole)
        for passage in passages
    ]
