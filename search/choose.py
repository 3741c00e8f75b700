"""Choose what is shown: units that were asked for by name first, then passages, as many as were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from uuid import UUID

from search.cite import Found
from search.fuse import Fused
from search.reach import Placed, Reach
from search.request import MOST_RESULTS, SearchRequest
from search.retrieve.legs import Legs
from search.units import Unit, chunks_of


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is shown, and the chunks of everything that might have been."""

    found: tuple[Found, ...]
    candidates: tuple[UUID, ...]


def choose_results(
    units: Sequence[Unit],
    ranking: Sequence[Fused],
    legs: Legs,
    reach: Reach,
    request: SearchRequest,
    *,
    rerank_scores: Mapping[UUID, float],
) -> Chosen:
    placed = reach.keep([one.passage for one in ranking])
    named = list(name_units(units, reach))
    shown = {one.chunk for one in named}
    passages = [one for one in ranking if one.passage in placed and placed[one.passage].chunk not in shown]
    scores = Scores(legs, rerank_scores)
    results = (scores.result_of(one, placed[one.passage]) for one in passages)
    found: Iterable[Found] = chain(named, results)
    most = request.top_k
    if request.min_score is not None:
        found = (one for one in found if one.score >= request.min_score)
    if request.per_document is not None:
        found = group(found, request.per_document, request.top_k)
        most = min(MOST_RESULTS, request.top_k * request.per_document)
    candidates = [*shown, *(placed[one.passage].chunk for one in passages)]
    return Chosen(tuple(islice(found, most)), tuple(candidates))


def find_candidates(units: Sequence[Unit], passages: Sequence[UUID], reach: Reach) -> tuple[UUID, ...]:
    """Return the chunks of everything that might be shown, without choosing among them."""
    named = {one.chunk for one in name_units(units, reach)}
    return tuple(named.union(placed.chunk for placed in reach.keep(passages).values()))


def name_units(units: Sequence[Unit], reach: Reach) -> Iterator[Found]:
    """Yield the units within reach: one whose beginning was filtered out is none."""
    chunks = chunks_of(units, reach)
    for unit in units:
        if placed := chunks.get((unit.version, unit.span[0])):
            yield Found(
                chunk=placed.chunk,
                document=placed.document,
                passage=None,
                unit=unit.section,
                span=unit.span,
                score=1.0,
                is_exact=True,
                ranks={"exact": 1},
                why=unit.why,
            )


class Scores:
    """What each leg thought of a passage."""

    def __init__(self, legs: Legs, reranked: Mapping[UUID, float]) -> None:
        self.semantic = {one.passage: one.score for one in legs.semantic}
        self.keyword = {one.passage: one.score for one in legs.keyword.found}
        self.phrased = legs.exact.whole
        self.reranked = reranked

    def result_of(self, one: Fused, placed: Placed) -> Found:
        return Found(
            chunk=placed.chunk,
            document=placed.document,
            passage=one.passage,
            score=one.score,
            is_exact="exact" in one.ranks or one.passage in self.phrased,
            ranks=one.ranks,
            semantic_score=self.semantic.get(one.passage),
            keyword_score=self.keyword.get(one.passage),
            rerank_score=self.reranked.get(one.passage),
            why="phrase" if one.passage in self.phrased else "",
        )


def group(found: Iterable[Found], per_document: int, most: int) -> Iterator[Found]:
    """Put results of one document side by side, at most so many of each, documents by their best result."""
    groups: dict[UUID, list[Found]] = {}
    for one in found:
        ours = groups.setdefault(one.document, [])
        if len(ours) < per_document:
            ours.append(one)
    yield from (one for ours in list(groups.values())[:most] for one in ours)
