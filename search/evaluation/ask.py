"""Ask the product's own search, and remember which of its answers lacked something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from documents.models import Collection
from documents.read_context import HEAD, ReadContext
from search.answer import Answer
from search.evaluation.measures import Record
from search.evaluation.scratch import read_versions
from search.fuse import DEFAULT_WEIGHTS, Weights
from search.pipeline import search
from search.request import MOST_RESULTS, Mode, SearchRequest

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to ask: which legs, how many results, and whether they are read again by a reranker."""

    mode: Mode = Mode.HYBRID
    top_k: int = MOST_RESULTS
    has_exact: bool = True
    is_reranked: bool = False
    is_surrounded: bool = False  # With all that people are shown, as its time is only worth measuring so.
    neighbours: int = 0
    has_parents: bool = False

    def request(self, query: str) -> SearchRequest:
        return SearchRequest(
            query=query,
            top_k=self.top_k,
            mode=self.mode,
            weights=self.weights,
            is_reranked=self.is_reranked,
            is_surrounded=self.is_surrounded,
            neighbours=self.neighbours,
            has_parents=self.has_parents,
        )

    @property
    def weights(self) -> Weights:
        return DEFAULT_WEIGHTS if self.has_exact else replace(DEFAULT_WEIGHTS, exact=0.0)


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks questions of one collection."""

    collection: Collection
    limit: int | None = None  # Of so many questions of each kind.
    degraded: Counter[str] = field(default_factory=Counter)

    def ask(self, query: str, way: Way, context: ReadContext = HEAD) -> Answer:
        versions = read_versions(self.collection, context)
        answer = search(way.request(query), versions, tenant=self.collection.tenant)
        self.degraded.update(f"{leg}: {reason}" for leg, reason in answer.degraded.items())
        return answer

    def ask_all(self, questions: Iterable[Record], way: Way) -> Iterator[tuple[str, Answer]]:
        """Yield the id of each question that has words, with its answer."""
        for question in self.limited(questions):
            if question["query"].strip():
                yield str(question["qid"]), self.ask(question["query"], way)

    def limited(self, questions: Iterable[Record]) -> list[Record]:
        return list(questions)[: self.limit]

    def complain(self, tell: Tell) -> None:
        """Say what answers lacked: figures that come of that are not worth much."""
        for reason, count in self.degraded.most_common():
            tell(f"{count} answers lacked {reason}")
        self.degraded.clear()
