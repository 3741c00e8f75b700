"""Words that stand side by side in a question and in a passage: "personal account transactions".

BM25 knows how often a passage has each word, and not where. For the few passages that are worth it, the pairs
of neighbouring words of the question are counted too, as if each were a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from search.backends.keyword_indexes.bm25 import Asked, inverse_frequency
from search.backends.keyword_indexes.rows import placed_lexemes
from search.lexemes import K1, KEY, PIVOT, B, own_lexeme, quote_lexeme
from search.round_trips import Asking

NEAR = 3  # Positions: "transfer of personal data" has "transfer" near "personal".
MOST_PAIRS = 100

# The length of each passage that has a pair, and where it has their words. Others need not be taken apart.
READ = """
    SELECT id, length, places FROM search_passage CROSS JOIN LATERAL (
        SELECT sum(coalesce(cardinality(positions), 1)) AS length,
            json_object_agg(lexeme, positions)
                FILTER (WHERE lexeme = ANY(%s) AND positions IS NOT NULL) AS places
        FROM unnest(full_text) OFFSET 0
    ) AS words
    WHERE tenant_id = %s AND language = %s AND id = ANY(%s) AND full_text @@ %s::tsquery
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two words that stand near each other in a question, in their order."""

    first: str
    second: str
    weight: float


def score_pairs(asked: Asked, question: str, passages: Sequence[UUID]) -> Asking[dict[UUID, float]]:
    """Return what pairs of words add to the BM25 scores of passages that have any. In the tenant's scope."""
    placed = placed_lexemes(question, language=asked.language)
    pairs = list(weigh_pairs(placed, asked.counts, asked.total))[:MOST_PAIRS]
    if not pairs or not passages:
        return {}
    lexemes = {own_lexeme(asked.tenant_id, word) for pair in pairs for word in (pair.first, pair.second)}
    wanted = any_pair(asked.tenant_id, pairs)
    (rows,) = yield [(READ, [list(lexemes), asked.tenant_id, asked.language, list(passages), wanted])]
    return {
        passage: sum_pairs(pairs, {lexeme[KEY:]: at for lexeme, at in places.items()}, int(length))
        for passage, length, places in rows
    }


def any_pair(tenant_id: UUID, pairs: Sequence[Pair]) -> str:
    """Ask for one of several pairs, as PostgreSQL's full-text search does."""
    quoted = (
        [quote_lexeme(own_lexeme(tenant_id, word)) for word in (pair.first, pair.second)] for pair in pairs
    )
    return " | ".join(f"{first} <{gap}> {second}" for first, second in quoted for gap in range(1, NEAR + 1))


def weigh_pairs(placed: Sequence[tuple[str, int]], counts: Mapping[str, int], total: int) -> Iterator[Pair]:
    """Yield neighbours that are near enough; a pair weighs as much as its words on the average."""
    seen = set()
    for (first, before), (second, after) in pairwise(placed):
        is_new = first != second and (first, second) not in seen
        if is_new and after - before <= NEAR and first in counts and second in counts:
            seen.add((first, second))
            rarity = inverse_frequency(counts[first], total) + inverse_frequency(counts[second], total)
            yield Pair(first, second, rarity / 2)


def sum_pairs(pairs: Sequence[Pair], places: Mapping[str, Sequence[int]], length: int) -> float:
    """Score pairs as BM25 scores words, by how often the second stands close behind the first."""
    burden = K1 * (1 - B + B * length / PIVOT)
    total = 0.0
    for pair in pairs:
        times = count_near(places.get(pair.first, ()), places.get(pair.second, ()))
        total += pair.weight * times * (K1 + 1) / (times + burden)
    return total


def count_near(first: Sequence[int], second: Sequence[int]) -> int:
    """Count how often one of the second places is close behind one of the first."""
    behind = set(second)
    return sum(any(place + step in behind for step in range(1, NEAR + 1)) for place in first)
