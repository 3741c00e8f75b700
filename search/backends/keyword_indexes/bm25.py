"""The part of BM25 that depends on a question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 5_000  # Passages with some rare word: the best ten are among them in 997 of 1,000 questions.
MOST_WORDS = 1_000  # Of a question that is a document itself.


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question, and in how many passages it stands."""

    lexeme: str
    passage_count: int


def inverse_frequency(passage_count: int, total: int) -> float:
    return math.log(1 + (total - passage_count + 0.5) / (passage_count + 0.5))


def rarest_first(terms: Sequence[Term]) -> list[Term]:
    return sorted(terms, key=lambda term: (term.passage_count, term.lexeme))[:MOST_WORDS]


def choose_rare(terms: Sequence[Term]) -> list[Term]:
    """Return the rarest words, one at least, until they stand in enough passages together."""
    chosen: list[Term] = []
    for term in terms:
        chosen.append(term)
        if sum(one.passage_count for one in chosen) >= ENOUGH:
            break
    return chosen
