"""All ways of looking for passages, each by itself; one that fails leaves the others alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from uuid import UUID

from search.backends import embedder_of
from search.backends.keyword_indexes.base import Found, Matches
from search.models import EmbeddingSpace
from search.reach import Reach
from search.request import Mode, SearchRequest
from search.retrieve.dense import look_around, nearest_passages
from search.retrieve.exact import Exact, find_exact
from search.retrieve.keyword import matching_passages
from search.retrieve.within import first_looked_at
from search.stages import Stages
from search.understand.query import Understood

DEPTH = 50  # Candidates of each leg at the least,
TIMES = 5  # and times the results that are asked for.
MOST_EMBEDDED = 2_000  # Characters of a question: a window or two, and not seconds for a pasted page.
REMEMBERED = 1_000  # Questions whose vectors are kept: pages, "more results" and typing ask the same again.


@dataclass(frozen=True, slots=True)
class Legs:
    """What each way of looking has found, the best first."""

    semantic: Sequence[Found] = ()
    keyword: Matches = field(default_factory=Matches)
    exact: Exact = field(default_factory=Exact)
    space: EmbeddingSpace | None = None
    vector: Sequence[float] = ()

    def ranks(self) -> dict[str, list[UUID]]:
        return {
            "semantic": [one.passage for one in self.semantic],
            "keyword": [one.passage for one in self.keyword.found],
            "exact": list(self.exact.passages),
        }


def retrieve_passages(
    understood: Understood,
    reach: Reach,
    request: SearchRequest,
    *,
    languages: Sequence[str],
    space: EmbeddingSpace | None,
    stages: Stages,
) -> Legs:
    """Look for passages in every way that is asked for, several times as many as will be shown."""
    asked = request.legs
    limit = max(DEPTH, TIMES * request.top_k)
    legs = Legs()
    if "semantic" in asked and space is not None:
        legs = stages.attempt(
            "semantic", lambda: look_ahead(reach, understood.text, limit, space, stages), instead=legs
        )
    if "keyword" in asked:
        keyword = stages.attempt(
            "keyword",
            lambda: matching_passages(reach, understood.text, languages=languages, limit=limit),
            instead=Matches(),
        )
        legs = replace(legs, keyword=keyword)
    if legs.space is not None:
        without = replace(legs, semantic=(), space=None)
        legs = stages.attempt("semantic", lambda: by_meaning(legs, reach, limit), instead=without)
    phrases = phrases_of(understood, request.mode)
    if "exact" in asked and (phrases or understood.identifiers):
        exact = stages.attempt(
            "exact",
            lambda: find_exact(
                reach,
                phrases=phrases,
                identifiers=understood.identifiers,
                question=understood.text,
                languages=languages,
                candidates={one.passage for one in (*legs.semantic, *legs.keyword.found)},
                limit=limit,
            ),
            instead=Exact(),
        )
        legs = replace(legs, exact=exact)
    return legs


def phrases_of(understood: Understood, mode: Mode) -> tuple[str, ...]:
    """Return what is quoted; whoever asks for nothing but exact matches has quoted everything."""
    is_bare = mode == Mode.EXACT and not (understood.phrases or understood.identifiers or understood.cited)
    return (understood.text,) if is_bare else understood.phrases


def look_ahead(reach: Reach, question: str, limit: int, space: EmbeddingSpace, stages: Stages) -> Legs:
    """Return what is near in meaning, within reach or not: whether it is, is asked for both legs at once."""
    with stages.timed("embed"):
        vector = vector_of(space.provider, space.model, space.dimensions, question[:MOST_EMBEDDED])
    near = look_around(reach, vector, space=space, limit=limit)
    reach.expect(one.passage for one in near[: first_looked_at(reach, limit)])
    return Legs(semantic=near, space=space, vector=vector)


def by_meaning(legs: Legs, reach: Reach, limit: int) -> Legs:
    """Return what is near in meaning and within reach, of what was seen ahead if that is enough."""
    if legs.space is None:
        return legs
    kept = nearest_passages(reach, legs.vector, space=legs.space, limit=limit, first=legs.semantic)
    return replace(legs, semantic=kept)


@lru_cache(maxsize=REMEMBERED)
def vector_of(provider: str, model: str, dimensions: int, question: str) -> tuple[float, ...]:
    return tuple(embedder_of(provider, model, dimensions).embed_query(question))
