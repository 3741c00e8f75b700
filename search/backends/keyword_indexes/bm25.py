"""The part of BM25 that depends on a question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 5_000  # Passages with some rare word: the best ten are among them in 997 of 1,000 questions.
SOME = 500
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
    """Return the rarest words, one at least, until they stand in enough passages together.

    A word that is common by itself is left out where others have found some: it says little, and scoring
    all that have it takes long.
    """
    chosen: list[Term] = []
    total = 0
    for term in terms:
        if total >= ENOUGH or (term.passage_count > ENOUGH and total >= SOME):
            break
        chosen.append(term)
        total += term.passage_count
    return chosen
