"""What every keyword index does: passages in, and those that share words with a question out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from search.backends.keyword_indexes.bm25 import Asked
from search.round_trips import Asking

Passages = QuerySet[Any] | Sequence[UUID]  # Of search.models.Passage, or their ids.


def ids_of(passages: Passages) -> Any:
    """Return what a condition on ids can be made of."""
    return passages.order_by().values("pk") if isinstance(passages, QuerySet) else passages


class Found(NamedTuple):
    """A passage and how well it fits; a higher score fits better."""

    passage: UUID
    score: float


@dataclass(frozen=True, slots=True)
class Matches:
    """The passages that fit best, the best first; alike ones in the order of their ids."""

    found: Sequence[Found] = ()
    best_possible: float = 0.0  # No passage could have a higher score for this question.
    unknown_words: Sequence[str] = ()  # Words of the question, stemmed, that no passage has.
    # By language, for those who ask again; of an index with BM25 scores, which those of pairs are added to.
    asked: Mapping[str, Asked] = field(default_factory=dict)


class KeywordIndex(ABC):
    """An index of one tenant's passages at a time. Constructing one connects to nothing.

    `add` and `forget` are told of passages inside the transaction that writes or deletes their rows.
    """

    name: str

    @abstractmethod
    def add(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        """Take up passages whose rows are new."""

    @abstractmethod
    def forget(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        """Drop passages whose rows are about to go."""

    def mark(self, tenant_id: UUID, passages: Sequence[UUID], *, is_past: bool) -> None:  # noqa: B027
        """Take note that passages are past from now on, or are no more. Their rows say so already."""

    @abstractmethod
    def rebuild(self, tenant_id: UUID) -> None:
        """Make it anew from the rows of all passages of a tenant."""

    @abstractmethod
    def find(
        self,
        tenant_id: UUID,
        question: str,
        *,
        language: str,
        limit: int,
        passages: Passages | None = None,
        is_head: bool = False,
        asked: Asked | None = None,
    ) -> Matches:
        """Return the passages that fit best, of these or of all. What a word weighs, all of them tell.

        Who reads what is current says that `is_head`: then those that are past may be left out.

        Whoever has asked the same question before, in one search, says what was `asked`: it spares a look-up.
        """

    def score(
        self,
        tenant_id: UUID,
        question: str,
        passages: Sequence[UUID],
        *,
        language: str,
        asked: Asked | None = None,
    ) -> Asking[dict[UUID, float]]:
        """Return how well those of some passages fit that share a word with a question."""
        yield from ()
        found = self.find(
            tenant_id, question, language=language, limit=len(passages), passages=passages, asked=asked
        )
        return {one.passage: one.score for one in found.found}
